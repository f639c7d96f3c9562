// tolerance.h - weights of an error norm from rtol and atol.
//
// A body's numbers are weighed together, relative to the largest of them in units of their scales, so
// that the weights do not depend on the axes: atol + rtol |y|.
#pragma once

#include "base/checkpoint_walk.h"
#include "base/common.h"
#include "flexion/extend/system_table.h"

// Where none are given. Methods of order 1 take so many times these: their steps go with the inverse.
#define FLX_DEFAULT_RTOL 1e-6
#define FLX_DEFAULT_ATOL 1e-8
#define FLX_FIRST_ORDER 1e3

typedef struct flx_tolerance {
    double rtol, atol;
    bool matched;            // `coordinate` is known
    int *coordinate;         // (nv) the number of q that theta_i alone moves, as it is; -1: none
    double *wq, *wv, *wx;    // (nv) (nv) (nx)
    double *theta, *q_moved; // (nv) (nq) scratch
    const double *scale;     // (nv) of the unknowns; borrowed
    void *block;             // of the arrays
} flx_tolerance;

// scale is borrowed.
flx_status flx_tolerance_create(const flx_system *s, double rtol, double atol, const double *scale,
                                flx_tolerance *t);
void flx_tolerance_destroy(flx_tolerance *t);

// The weights at a state.
void flx_tolerance_set(flx_tolerance *t, const flx_system *s, const flx_state *x);

// Root mean square of factor y_i / (w_i + floor scale_i); scale NULL: no floor. HUGE_VAL where a
// number is none.
double flx_tolerance_norm(const double *y, double factor, const double *w, const double *scale,
                          double floor, int n);

// The weights (base/checkpoint_walk.h).
void flx_tolerance_memory(flx_tolerance *t, const flx_dims *d, flx_memory *m);
