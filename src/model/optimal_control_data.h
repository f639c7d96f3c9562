// optimal_control_data.h - what an analysis of type optimal-control asks for.
#pragma once

#include "expr/expr.h"
#include "flexion/base.h"

#include <stdbool.h>

// An output with bounds, along the motion or at its end.
typedef struct flx_bounded_output {
    flx_node node;
    const char *name;
    flx_loc loc;
    double lower, upper;
    bool at_end; // there alone
} flx_bounded_output;

typedef struct flx_optimal_control_data {
    int nin;
    const int *inputs;
    flx_node cost;
    flx_loc cost_loc;
    int nbounded;
    flx_bounded_output *bounded;
    double until; // the guess, where it is free
    bool free_time;
    double least, most; // of a free time
    int steps, iterations;
} flx_optimal_control_data;
