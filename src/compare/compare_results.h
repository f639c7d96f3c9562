// compare_results.h - a comparison in memory, as it is drawn.
#pragma once

#include "flexion/compare.h"
#include "results/result.h"

struct flx_comparison {
    flx_ctx *ctx;            // borrowed
    const flx_result *a, *b; // borrowed
    flx_compare_span span;
    int n, left_out[2];
    int *column_a, *column_b; // (n) owned
    flx_difference *signals;  // (n) owned
    flx_difference sum;
    double *times;      // (rows) owned
    double *difference; // (n x rows) owned; a - b, NaN where one is missing
};
