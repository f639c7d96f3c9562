// pencil_parts.h - what the files of pencils share: pencil_linear.c the matrices in full, pencil.c
// the pencil, pencil_regular.c an E that can be inverted, pencil_dense.c matrices in new memory.
#pragma once

#include "analyse/modes/pencil.h"

// Singular values below this part of the largest: rows that say the same, directions without mass.
// Rows and columns are scaled before.
#define FLX_PENCIL_DEPENDENT 1e-11

typedef struct flx_linearised {
    const flx_system *s;
    flx_ctx *ctx;
    flx_arena *arena;
    int n, nv, nx;
    double *A0, *A1, *A2;    // (n x n) column-major: Q0, Q1, Q2
    double *scale;           // (n) of unknowns
    double *ease;            // (nv) of velocities by their mass: moves of like energy
    double rate;             // about the fastest, the unit of rates
    int nhold, *hold;        // rows of rigid constraints on positions
    int nroll, *roll;        // of rigid constraints on velocities
    int nsoft, *soft;        // unknowns that are algebraic
    double *N, *NL, *Z, *ZL; // bases: (nv x m) twice, (m x k) twice
    int m, k;
    double *R; // (m x m) of y' = Z zeta + R y
} flx_linearised;

// The matrices of q in full.
flx_status flx_pencil_linearise(flx_linearised *l, const flx_quadratic *q);
// From a pencil with a singular E to a smaller one with an E that can be inverted (MODE-4). Where l->s is NULL the index may
// be any, and FLX_SINGULAR has no message.
flx_status flx_pencil_make_regular(const flx_linearised *l, flx_pencil *p);

// ---- pencil_dense.c: column-major ---------------------------------------------------------------
// Zeros (m x n); NULL where there is no memory.
double *flx_pencil_take(flx_arena *arena, int m, int n);
static inline flx_status flx_pencil_no_memory(flx_ctx *ctx)
{
    return FLX_FAIL(ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
}
// op(A) B in new memory; NULL where there is none, or an operand has none.
double *flx_pencil_product(const flx_linearised *l, bool turned, int m, int n, int k,
                           const double *A, const double *B);
double *flx_pencil_transpose(const flx_linearised *l, int m, int n, const double *A);
// Columns of V (n x n) from the rank on span the null space of the rows J (m x n, overwritten), each
// scaled to length one.
flx_status flx_pencil_null(const flx_linearised *l, int m, int n, double *J, double **V, int *rank);
