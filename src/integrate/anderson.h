// anderson.h - Anderson's acceleration of an iteration U <- U + F(U): with the differences dU_j, dF_j
// of the last iterations the step is
//
//     F - sum_j g_j (dU_j + dF_j),   g: |F - sum_j g_j dF_j| least in a weighted norm       (AND-1)
//
// On a linear problem it is GMRES: directions in which the plain iteration is slow, or diverges, are
// found out by themselves as long as they are few. Anderson, Journal of the ACM 12 (1965) 547-560;
// Walker, Ni, SIAM Journal on Numerical Analysis 49 (2011) 1715-1735.
#pragma once

#include "base/common.h"

#define FLX_ANDERSON_DEPTH 8 // differences kept

typedef struct flx_anderson {
    int n;
    double *weight;                                          // (n) of the norm; the caller's to set
    double *dF[FLX_ANDERSON_DEPTH], *dU[FLX_ANDERSON_DEPTH]; // (n) newest first
    double *F_last, *step_last;                              // (n)
    int ndifference;
    double product[FLX_ANDERSON_DEPTH][FLX_ANDERSON_DEPTH]; // of the dF, lower triangle
    int nproduct;  // of so many of them they are known; -1: of none
    bool has_last; // F_last and step_last are those of the iteration before
    void *block;   // of the arrays
} flx_anderson;

// Of n numbers.
flx_status flx_anderson_create(flx_ctx *ctx, int n, flx_anderson *a);
void flx_anderson_destroy(flx_anderson *a);

// Forget: another matrix, another problem.
void flx_anderson_restart(flx_anderson *a);

// Keep F, the correction at the present U, and, with `use`, make of it the step that is taken.
void flx_anderson_step(flx_anderson *a, double *F, bool use);
