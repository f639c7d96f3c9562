// optimise_data.h - the block `optimise`: parameters that are found, and measured data they are found from.
#pragma once

#include "flexion/base.h"

typedef struct flx_optimised {
    const char *name;
    flx_loc loc;
    double from, to, initial;
} flx_optimised;

// One table of measured values: signal(t + shift) = factor * value.
typedef struct flx_measured {
    const char *signal, *file;
    flx_loc loc, signal_loc;
    double weight, shift, factor;
    int n;
    double *t, *y; // (n) as the run has them
} flx_measured;

typedef struct flx_optimise {
    flx_loc loc; // file NULL: the model has no such block
    int nparameter, nmeasured;
    flx_optimised *parameters;
    flx_measured *measured;
    int iterations; // at most
} flx_optimise;
