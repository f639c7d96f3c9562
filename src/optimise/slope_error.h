// slope_error.h - how far slopes that are differences of runs may be off, over all points of a search.
//
// The error of a slope counts as a part of the largest slope of the same value that was met: where a goal is least its slopes
// vanish, and their errors do not.
#pragma once

#include "base/common.h"
#include "flexion/sensitivity.h"

typedef struct flx_slope_error {
    int n;
    double *error, *slope; // (n) the largest over the parameters, each by its scale
} flx_slope_error;

flx_status flx_slope_error_make(flx_arena *arena, int nvalue, flx_slope_error *e);
// scale (nparam)
void flx_slope_error_take(flx_slope_error *e, const flx_gradient *g, const double *scale);
// 0: all slopes are exact.
double flx_slope_error_largest(const flx_slope_error *e);
