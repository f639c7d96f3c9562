// inverse_parts.h - what the files of inversion share: the search, and what is said of it (inverse_refuse.c).
#pragma once

#include "analyse/grid/inverse.h"

// Of the rate of the system.
#define FLX_INVERSE_DECAYS 1e-9 // real parts of zeros that decay

typedef struct flx_inverse_search {
    const flx_system *s;
    const flx_inverse_def *def;
    flx_ctx *ctx;
    flx_inverse *out;
    int nin, nout;
    double h;
    int order;             // of differences
    flx_grid *one;         // a node at rest
    flx_grid_weight least; // of inputs, where there are more than outputs
    double *diagonal;      // (n)
    double *stiffness;     // of all nodes at rest
    int nstiff;            // numbers of a node
} flx_inverse_search;

void flx_inverse_name(const flx_inverse_search *f, int w, flx_unknown *u); // of algebraic unknown w
// There are constraints on velocities.
bool flx_inverse_rolls(const flx_inverse_search *f);
// Rest at both ends is asked for: as many zeros have to grow as decay.
bool flx_inverse_is_lopsided(const flx_inverse_search *f, int *ngrow, int *ndecay);
void flx_inverse_warn_of_imaginary(const flx_inverse_search *f);

// ---- why there is no answer; _index, _forward: FLX_OK where there may be one ------------------------------

flx_status flx_inverse_refuse_rest(const flx_inverse_search *f, double t, flx_status why,
                                   const flx_grid_report *r);
flx_status flx_inverse_refuse_unreached(const flx_inverse_search *f, int w);
flx_status flx_inverse_refuse_index(const flx_inverse_search *f, int end);
flx_status flx_inverse_refuse_forward(const flx_inverse_search *f);
flx_status flx_inverse_refuse_solution(const flx_inverse_search *f, flx_status why);
