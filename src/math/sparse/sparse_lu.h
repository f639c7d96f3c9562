// sparse_lu.h - LU (KLU) of any sparse square matrix in compressed columns: analysed once, factored for other values.
#pragma once

#include "base/common.h"

typedef struct flx_sparse_lu flx_sparse_lu;

typedef enum flx_sparse_order {
    FLX_SPARSE_COLUMNS, // of the columns, for little fill whatever rows are chosen
    FLX_SPARSE_AS_IS,   // of a band
} flx_sparse_order;

// begin (n + 1), row: borrowed and not written, as are the values; rows of a column ascend.
flx_status flx_sparse_lu_create(flx_ctx *ctx, int n, int *begin, int *row, flx_sparse_order order,
                                flx_sparse_lu **out);
void flx_sparse_lu_destroy(flx_sparse_lu **f);
// FLX_SINGULAR: without full rank; *column (or NULL): one that depends on others, -1: not known.
flx_status flx_sparse_lu_factor(flx_sparse_lu *f, double *values, int *column);
// In place; with the transposed matrix.
void flx_sparse_lu_solve(const flx_sparse_lu *f, double *b);
void flx_sparse_lu_solve_t(const flx_sparse_lu *f, double *b);
// Of the last factors: 1 over the condition, estimated from the pivots.
double flx_sparse_lu_rcond(const flx_sparse_lu *f);
