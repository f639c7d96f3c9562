// study_play.h - pages that play runs of a study: a run is a function of its number, so it is made again.
#pragma once

#include "cli/cli.h"

typedef struct study_play {
    const char *folder, *page; // the study, and its page: "far.html"
    int most;                  // runs that get a page beside it
    char *made;                // owned: the last page that was asked for
} study_play;

// "far_run17.html" of the run with number 17, counted from 1; owned by the caller. NULL: no memory.
char *study_play_name(const study_play *p, int number);
// The page of a run, counted from 0. EXIT_DONE, or the exit status; what was wrong has been said.
int study_play_write(const study_play *p, int run, const char *path);
// The page of "run17", for cli_serve; p: a study_play.
const char *study_play_serve(void *p, const char *name);
void study_play_end(study_play *p);
