// lowest_modes.h - the lowest modes of K x = lambda M x for large sparse symmetric K and M, by block Lanczos on
// the inverse of K - shift M. Theory: docs/theory/linear_algebra.md.
//
// K is positive semi-definite, M too (unknowns without mass are allowed). A free body has its rigid
// motions among the modes. Every result is counted: the number of negative pivots of K - s M, s above
// the last mode, is the number of modes below s, so none is missed without a message.
#pragma once

#include "math/frontal/frontal.h"

typedef struct flx_modes_def {
    int count;        // how many
    double tolerance; // of the residual in proportion to 1/(lambda - shift); 0: 1e-10
    int block;        // vectors of a block; 0: by the count
    bool unchecked;   // leave the count of modes out, and its factorisation
    const int *group; // (n) node of an unknown, for the order; may be NULL
} flx_modes_def;

typedef struct flx_mode_set {
    int n, count;
    double *lambda;   // (count) ascending; squares of angular frequencies
    double *X;        // (count, n) modes one after the other, X^T M X = I
    double *residual; // (count) |K x - lambda M x| / |K x|, or of M x for rigid motions
    int rigid;        // of them are rigid motions: lambda is zero to rounding
    double shift;
    bool checked; // the count was made and agrees
    int below;    // modes below `bound` by the count of pivots
    double bound;
    int blocks, solves, factorisations, restarts; // work
    flx_frontal_report factor;                    // of K - shift M
} flx_mode_set;

// FLX_ERR_ARGUMENT: more modes are wanted than there are. FLX_NO_CONVERGENCE, FLX_SINGULAR with messages.
flx_status flx_modes_create(flx_ctx *ctx, const flx_symmetric *K, const flx_symmetric *M,
                            const flx_modes_def *def, flx_mode_set **out);
void flx_modes_destroy(flx_mode_set **modes);
