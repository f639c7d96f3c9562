// sample_points.h - points of the unit cube for sampling: each coordinate is a function of method, seed, row and column alone.
#pragma once

#include "base/common.h"

#include <stdint.h>

typedef enum flx_sample_method {
    FLX_SAMPLE_SOBOL,  // Sobol's sequence, scrambled digit by digit (Owen): SMP-1
    FLX_SAMPLE_LATIN,  // one point in each of `rows` strata of every column
    FLX_SAMPLE_RANDOM, // independent
} flx_sample_method;

// Columns that a sequence of Sobol has here.
#define FLX_SAMPLE_SOBOL_MOST 40

// out (rows): one column, values inside (0, 1).
flx_status flx_sample_column(flx_ctx *ctx, flx_sample_method method, uint64_t seed, int column,
                             int rows, double *out);

// A number below 2^64 that the two determine.
uint64_t flx_sample_hash(uint64_t a, uint64_t b);
// The normal distribution's value at probability p, 0 < p < 1.
double flx_sample_normal(double p);
