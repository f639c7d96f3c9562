// context.h - the inside of the context; for src/base only.
#pragma once

#include "base/base.h"

typedef struct flx_message_list {
    flx_message *items; // owned, with their texts
    int count;          // kept
    int total;          // recorded
} flx_message_list;

struct flx_ctx {
    flx_message_list errors, warnings;
    char **interned; // open hash table of owned strings
    int intern_count, intern_capacity;
    long allocations; // made so far
    long fail_at;     // the allocation of this number fails; -1: none
    double memory;    // bytes that are said to be free; 0: what the system says
};

// Counts one allocation; false when it is to fail.
bool flx_ctx_may_allocate(flx_ctx *ctx);
