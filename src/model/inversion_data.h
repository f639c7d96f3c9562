// inversion_data.h - what an analysis of type inversion asks for.
#pragma once

#include "expr/expr.h"
#include "flexion/base.h"

#include <stdbool.h>

typedef enum flx_inversion_kind {
    FLX_INVERSION_BOUNDED,
    FLX_INVERSION_CAUSAL,
    FLX_INVERSION_LEAST_ENERGY,
    FLX_INVERSION_RIGID,
    FLX_INVERSION_QUASISTATIC,
} flx_inversion_kind;

typedef struct flx_inversion_data {
    flx_inversion_kind kind;
    int nin, nwant;
    const int *inputs;     // (nin) their numbers
    const double *weights; // (nin) NULL: 1
    const flx_node *miss;  // (nwant) output less what is wanted
    const char **names;    // (nwant) of the outputs
    const flx_loc *locs;   // (nwant)
    double from, until;
    double step;   // 0: auto
    double margin; // negative: auto
    int order; // 0: auto
    bool check;
} flx_inversion_data;
