// inverse.h - inputs under which outputs follow a desired motion, on a grid (theory/inversion.md).
#pragma once

#include "analyse/grid/zeros.h"

typedef enum flx_inverse_kind {
    FLX_INVERSE_BOUNDED,      // rest at both ends
    FLX_INVERSE_CAUSAL,       // forward integration: nothing moves before
    FLX_INVERSE_LEAST_ENERGY, // the ends are open: the least strain energy
    FLX_INVERSE_RIGID,        // bodies do not deform
    FLX_INVERSE_QUASISTATIC,  // they deform under the inertia of the rigid motion
} flx_inverse_kind;

typedef struct flx_inverse_def {
    flx_inverse_kind kind;
    int order;               // 2 or 4; 0: 4, or 2 where forward integration by it would grow
    double from, until;      // of the desired motion
    double step;             // about: it divides the time between them; 0: as motion and zeros say
    double margin;           // time before and after; negative: as the zeros say
    const signed char *role; // (nw) flx_grid_role
    const signed char *elastic; // (nv) coordinates along which bodies deform
    const double *weight;       // (nw) of inputs, where there are more than outputs
} flx_inverse_def;

typedef struct flx_inverse {
    flx_arena *arena; // owned: zeros
    flx_grid *grid;   // owned
    flx_grid_report report;
    flx_zeros zeros[2]; // where the motion begins and ends
    bool zeros_known;
    bool lopsided; // more zeros grow than decay, or fewer: the ends of a bounded motion are open
    int ngrow, ndecay;
    double margin;
    int order; // that was taken
    double grows[2],
        bears;  // 0: nothing; a zero that would grow with order 4, and steps that would not
    int before; // nodes of the margin at each end
    int stages; // Newton's iterations of the rigid motion
    double
        *differ; // (nw) largest difference of inputs between order 2 and order 4; NULL: not known
} flx_inverse;

// x: a state near the first position. With messages, by name.
flx_status flx_inverse_find(const flx_system *s, const flx_state *x, const flx_inverse_def *def,
                            flx_inverse *out);
void flx_inverse_clear(flx_inverse *f);
