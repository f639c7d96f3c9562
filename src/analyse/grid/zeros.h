// zeros.h - what a system does when its outputs are held: zeros, index, and what inputs reach (theory/inversion.md).
#pragma once

#include "analyse/grid/grid.h"

typedef struct flx_zeros {
    int n;           // zeros
    double *re, *im; // (n) those of a pair one after the other
    int index;       // differentiation index of the equations for the inputs; 0: not known
    double
        regular; // smallest singular value over the largest of S = C P B, both by the sizes of inputs and outputs
    int unreached;  // algebraic unknown of an output that no input reaches; -1: none
    double slowest; // smallest |s| with a real part other than 0, 0: there is none
    double rate;    // of the system, about the fastest
    double most;    // largest real part; -HUGE_VAL: none
} flx_zeros;

// At node 0 of the grid, which rests; as many inputs as outputs. Memory is the arena's. FLX_SINGULAR, without a message: the
// equations do not determine the inputs.
flx_status flx_zeros_find(flx_grid *g, flx_arena *arena, flx_zeros *out);
