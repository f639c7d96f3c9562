// inertialess.h - velocities of what has no mass, at the ends of steps of methods that do not damp what is stiff: for
// them its positions are out of balance by an error of the step that changes its sign from step to step, and
// v_1 = 2 v_m - v_0 would gather it: an error of the velocities that no step makes small.
#pragma once

#include "integrate/method.h"
#include "integrate/relax.h"
#include "integrate/saddle.h"

typedef struct flx_inertialess {
    bool looked; // whether there is such a thing
    bool some;
    bool told;            // that velocities could not be found
    flx_saddle *saddle;   // owned, as what follows; for the first look
    flx_relaxer *relaxer; // NULL: not needed
    flx_state *trial;
    double *moved; // (nv)
} flx_inertialess;

// As far as one can see without a state, memory is taken now; b is overwritten.
flx_status flx_inertialess_create(flx_inertialess *k, flx_integrator *it, flx_blocks *b);
void flx_inertialess_destroy(flx_inertialess *k);

// v of the unknowns whose rows of the mass matrix are empty, as limits (REL-1), and, if asked for, q in balance; h: the
// step that ends at x; b: any linearisation of it.
flx_status flx_inertialess_velocities(flx_inertialess *k, flx_integrator *it, const flx_blocks *b,
                                      flx_state *x, double h, bool positions);

// base/checkpoint_walk.h
void flx_inertialess_memory(flx_inertialess *k, flx_integrator *it, flx_memory *m);
