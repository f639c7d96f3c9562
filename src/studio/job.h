// job.h - work beside the server, in a process of its own: what takes long holds nobody up, can be ended at any time, and
// takes nothing with it when it fails.
#pragma once

#include "base/text.h"
#include "studio/http.h"

#include <sys/types.h>

// What the process that works has: whom it tells, and who tells it.
typedef struct flx_desk {
    int tell, hear; // descriptors
    char line[4096];
    size_t heard;
    bool alone; // nobody is there any more
} flx_desk;
// A message to the server: its name, and bytes.
void flx_desk_tell(flx_desk *d, const char *name, const char *bytes, size_t n);
// The next line that the server has sent, waiting for it at most so long; NULL: none.
const char *flx_desk_hear(flx_desk *d, int milliseconds);

typedef struct flx_job {
    pid_t pid; // 0: none
    int hear, tell;
    char *data; // owned: what it has said so far of a message
    size_t used, room;
} flx_job;

typedef void (*flx_work_function)(flx_desk *d, void *user);
// false: the system has no process, or no memory.
bool flx_job_start(flx_job *j, flx_http *h, flx_work_function work, void *user);
bool flx_job_tell(flx_job *j, const char *line);
// What it has said: each message to `told`. false: it has ended.
bool flx_job_listen(flx_job *j,
                    void (*told)(void *user, const char *name, const char *bytes, size_t n),
                    void *user);
void flx_job_end(flx_job *j); // at once
