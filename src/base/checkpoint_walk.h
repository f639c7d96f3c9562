// checkpoint_walk.h - what objects remember between steps, as bytes. One walk over an object's memory counts
// it, saves it or loads it, so that the three cannot disagree:
//
//     void flx_thing_memory(flx_thing *x, flx_memory *m)
//     {
//         FLX_PASS(m, x->age);
//         flx_memory_numbers(m, x->last, x->n);
//     }
//
// Scratch is left out. What cannot be copied, as the factors inside of a library, is made again while
// loading, from the numbers that it was made of.
#pragma once

#include "base/common.h"

typedef enum flx_memory_task { FLX_MEMORY_COUNT, FLX_MEMORY_SAVE, FLX_MEMORY_LOAD } flx_memory_task;

struct flx_memory {
    flx_memory_task task;
    unsigned char *at; // borrowed; the next byte
    size_t left;       // bytes from there on
    size_t size;       // bytes passed so far
    flx_status status; // of what could not be made again, or had no room
    double now; // time of the run, before which nothing is asked any more; not a number: not known
};

// A walk; `at` (room bytes) is not read by COUNT.
flx_memory flx_memory_begin(flx_memory_task task, void *at, size_t room);

// One variable.
#define FLX_PASS(m, x) flx_memory_pass((m), &(x), sizeof(x))

static inline bool flx_memory_loads(const flx_memory *m)
{
    return m->task == FLX_MEMORY_LOAD;
}

// An array; NULL only with n = 0.
static inline void flx_memory_numbers(flx_memory *m, double *x, size_t n)
{
    flx_memory_pass(m, x, n * sizeof *x);
}

// A name, or none: into text (room bytes) where it is loaded, and that is told then. Longer names are cut off.
const char *flx_memory_name(flx_memory *m, const char *name, char *text, size_t room);

// Something could not be made again.
static inline void flx_memory_fail(flx_memory *m, flx_status status)
{
    if (m->status == FLX_OK) m->status = status;
}

// A state of a system (flexion/system.h).
struct flx_state;
void flx_state_memory(struct flx_state *x, flx_memory *m);

// Of any bytes, for the recognition of what was saved: after Fowler, Noll and Vo, 64 bits, by words where there are many.
#define FLX_HASH_START UINT64_C(0xcbf29ce484222325)
uint64_t flx_hash(uint64_t hash, const void *data, size_t size);
