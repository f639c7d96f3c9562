// slope.h - derivatives of a function of one number by differences, with a look at their errors.
//
//     f' = (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / (12 h) + O(h^4)                           (DIFF-1)
//
// at steps h, h/4, h/16, ... until two of them agree, each value of f by itself.
#pragma once

#include "base/common.h"

typedef struct flx_slope {
    int n;       // values of f
    double step; // the largest h
    void *user;  // of eval
    // f (n) at x = d; positive status: d is too large.
    flx_status (*eval)(void *user, double d, double *f);
    const double *f0; // (n) at 0
    double *scratch;  // (FLX_SLOPE_SCRATCH n)
    // found
    int rough;           // a value whose derivative has fewer than four digits; -1: none
    int cornered;        // a value that has a corner at 0; -1: none
    const double *error; // (n) of the derivatives, as far as it is known; in scratch
    const double *
        bend; // (n) half the difference of the slopes of both sides where there is a corner, else 0; in scratch
    const double *size; // (n) the largest |f| that was met; in scratch
} flx_slope;
#define FLX_SLOPE_SCRATCH 9

// out (n): df/dx at 0. FLX_NO_CONVERGENCE: f is not known at any step.
flx_status flx_slope_find(flx_slope *s, double *out);
// Whether derivative i is not told from zero: rounding of f makes as much.
bool flx_slope_is_rounding(const flx_slope *s, int i, double derivative);
// It is zero, and known to be: without an error or a corner.
void flx_slope_clear(flx_slope *s, int i, double *out);
