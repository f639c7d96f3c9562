// pilot.h - a quick run of the full model, along which a reduction is judged.
#pragma once

#include "analyse/frozen.h"
#include "simulate/simulation_parts.h"

#define FLX_PILOT_POINTS 24

typedef struct flx_pilot {
    int n;
    flx_state *x[FLX_PILOT_POINTS + 1]; // owned
    double *moved;                      // (nv) owned: how far each coordinate went from its start
    double until;                       // reached
    double seconds;                     // wall clock
    long steps;
    bool whole; // it came to the end of the run
} flx_pilot;

// By a stiff method with a loose tolerance, from the start of the simulation to its end or as far as
// a few thousand steps go.
flx_status flx_pilot_run(flx_simulation *full, flx_pilot *p);
void flx_pilot_clear(flx_pilot *p);

// The split at J at the points of a pilot: the worst of each.
typedef struct flx_course_split {
    flx_split worst;   // gap, fast and next of one place, the rest the worst of all
    double gap_at;     // where the gap is smallest
    double refused_at; // the first place where G_I loses rank or the inertia is none; NaN: none
    int points;        // at which something is known
    int uniform;       // of them, with the uniform condition met
} flx_course_split;
flx_status flx_course_split_find(const flx_simulation *full, const flx_pilot *p, int n,
                                 const int *J, flx_course_split *out);
// The same from equations frozen before, at the points of the pilot.
flx_status flx_course_split_add(flx_course_split *c, const flx_frozen *f, int n, const int *J,
                                double t);
#define FLX_COURSE_SPLIT_NONE                                                                      \
    (flx_course_split)                                                                             \
    {                                                                                              \
        .refused_at = (double)NAN, .gap_at = (double)NAN                                           \
    }
