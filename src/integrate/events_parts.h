// events_parts.h - what the files of events share: events.c their life and the instant itself,
// events_find.c instants in a step, events_meet.c velocities and accelerations after one.
#pragma once

#include "integrate/accelerate.h"
#include "integrate/events.h"
#include "integrate/relax.h"
#include "integrate/saddle.h"

typedef struct flx_repeat { // of one indicator or event
    double last, interval;
    int close;
} flx_repeat;

struct flx_events {
    const flx_instants *ops; // borrowed from the system
    int n, nevent, nrow;
    bool repeats;                   // steps are made again up to an instant
    double *at, *from, *to, *grace; // (n) indicators
    double *slope, *course, *size;  // (n) of them, about
    signed char *changed;           // (n)
    bool located;                   // they change at the end of the last step
    flx_state *begin, *probe, *prior;
    flx_repeat *history; // (n + nevent)
    flx_happening what;
    // velocities and accelerations
    flx_accelerator *acc;
    flx_relaxer *relaxer; // where the masses do not determine them; NULL: not yet
    flx_saddle *saddle;
    flx_blocks blocks;
    double *r, *d, *rows, *rows_before; // (unknowns)
    double *Z, *S, *rhs;                // (nrow x nv) (nrow x nrow) (nrow)
    int *pivot;                         // (nrow)
};

// After what has happened at x, from e->prior on: velocities that the bonds allow (EVE-4), and
// accelerations and multipliers that follow.
flx_status flx_events_meet_velocities(flx_integrator *it, flx_state *x);
flx_status flx_events_find_accelerations(flx_integrator *it, flx_state *x);
