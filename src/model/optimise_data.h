// optimise_data.h - the block `optimise`: parameters that are found, and what they are found by: measured data, or goals.
#pragma once

#include "expr/expr.h"
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

// An expression over metrics of the run, results of analyses and parameters. Its leaves: FLX_LEAF_MEASURE, a metric by its
// number, and behind them what analyses found; FLX_LEAF_MODES; FLX_LEAF_PARAMETER.
typedef struct flx_goal {
    const char *text;
    flx_loc loc;
    flx_node node;  // to be small; of a condition, to be at most `limit`
    flx_node limit; // -1: a goal
    bool equal;     // a condition that holds with equality
} flx_goal;

// What an analysis found: `bode.peak`, `rest.rod.angle`.
typedef struct flx_sought {
    int analysis; // of the model
    const char *text;
    flx_loc loc;
} flx_sought;

typedef enum flx_optimise_method {
    FLX_OPTIMISE_AUTO, // by gradients
    FLX_OPTIMISE_SQP,
    FLX_OPTIMISE_DERIVATIVE_FREE,
    FLX_OPTIMISE_GLOBAL,
} flx_optimise_method;

typedef struct flx_optimise {
    flx_loc loc; // file NULL: the model has no such block
    int nparameter, nmeasured;
    flx_optimised *parameters;
    flx_measured *measured;
    int iterations; // of a fit, at most
    // of a design
    int ngoal, ncondition, nsought;
    flx_goal *goals, *conditions;
    flx_sought *sought;
    bool maximise; // the only goal; its node has the other sign
    int points;    // of a front
    int runs;      // of one search, at most
    int restarts;
    unsigned seed;
    flx_optimise_method method;
} flx_optimise;
