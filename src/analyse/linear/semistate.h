// semistate.h - linear models of equations that leave some rates open: parts without mass, constraints.
//
//     E z' = F z + sum_k b_k u^(k),   y = H z + H' z' + sum_k d_k u^(k)                          (STATE-9)
#pragma once

#include "base/common.h"
#include "flexion/linear.h"

#define FLX_SEMISTATE_GIVEN                                                                        \
    3 // rates of inputs that equations and outputs contain, from the inputs themselves on
#define FLX_SEMISTATE_KINDS 4

typedef struct flx_semistate {
    int n, nin, nout;
    double *E, *F;                        // (n x n) column-major
    double *b[FLX_SEMISTATE_GIVEN];       // (n x nin) column-major; NULL: zero
    const double *H, *H1;                 // (nout x n) by rows
    const double *d[FLX_SEMISTATE_GIVEN]; // (nout x nin) by rows; NULL: zero
    const int *position; // (n) of which number of z this one is the rate; -1: of none
    const int *kind;     // (n) which numbers of z are states first: 0, then 1 ..; -1: never
    // found
    int *chosen; // (model's n) of z: the states
    int shifts;  // an input that moves states at once; -1: none
} flx_semistate;

// Memory is the arena's. FLX_SINGULAR, without a message: the motion is not determined. FLX_ERR_CANNOT, without one: outputs contain
// third rates of inputs.
flx_status flx_semistate_reduce(flx_ctx *ctx, flx_arena *arena, flx_semistate *s,
                                flx_linear_model *out);
