// context.h - the inside of the context; for src/base only.
#pragma once

#include "base/common.h"

#include <sys/types.h>

typedef struct flx_message_list {
    flx_message *items; // owned, with their texts
    int count;          // kept
    int total;          // recorded
} flx_message_list;

// A file that was read.
typedef struct flx_read_file {
    dev_t device;
    ino_t inode;
    int uses;         // 0: it may be written again
    const char *path; // interned; NULL: not known
} flx_read_file;

struct flx_ctx {
    void (*tell)(void *user,
                 const flx_message *m); // warnings when they arise; NULL: nobody listens
    void *tell_user;
    flx_message_list errors, warnings;
    char **interned; // open hash table of owned strings
    int intern_count, intern_capacity;
    long allocations;      // made so far
    long fail_at;          // the allocation of this number fails; -1: none
    flx_read_file *inputs; // owned
    int ninput, input_capacity;
    struct flx_output *outputs;         // being written, borrowed: a list
    const struct flx_given_file *given; // in memory, borrowed: a list
    const struct flx_fmu_host *fmus;    // who runs FMUs, borrowed; NULL: nobody
    double memory;                      // bytes that are said to be free; 0: what the system says
};

// Counts one allocation; false when it is to fail.
bool flx_ctx_may_allocate(flx_ctx *ctx);
