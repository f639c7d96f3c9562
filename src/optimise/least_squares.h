// least_squares.h - the least sum of squares within bounds: Levenberg and Marquardt's method on numbers alone.
//
//     min 1/2 |r(x)|^2,  lower <= x <= upper;   (J^T J + damping D) d = -J^T r over what is free              (FIT-1)
// D = diag(J^T J). What lies at a bound and would leave it is held; a step is cut off at the bounds. A point at which r
// cannot be had is a step that failed.
#pragma once

#include "base/common.h"

typedef struct flx_least_squares {
    int n, m;                    // unknowns, residuals
    double *x;                   // (n) first guess, then the optimum
    const double *lower, *upper; // (n)
    // r (m), and J (m x n) by rows where it is not NULL. Positive: this point has none; negative ends the search.
    flx_status (*evaluate)(void *user, const double *x, double *r, double *J);
    void *user;
    int most; // iterations
    // found
    double sum; // |r|^2
    int iterations, evaluations, failures;
    bool converged;
    const char *why; // it ended
    double *r, *J;   // (m) (m x n) of the optimum; the caller's
    double *normal;  // (n x n) J^T J there; the caller's
} flx_least_squares;

// FLX_ERR_MEMORY, or what evaluate says. FLX_NO_CONVERGENCE: the optimum is not one; x is the best point.
flx_status flx_least_squares_find(flx_ctx *ctx, flx_least_squares *q);
