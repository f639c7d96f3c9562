// symmetric.h - large sparse symmetric matrices: the lower triangle by columns, rows ascending, the
// diagonal entry first. What the finite elements assemble and the modes are found of.
#pragma once

#include "base/common.h"

typedef struct flx_symmetric {
    int n;
    int64_t *start; // (n + 1) owned
    int *row;       // (start[n]) owned; row[start[j]] = j
    double *value;  // (start[n]) owned
} flx_symmetric;

// The pattern of a sum of dense blocks: block e couples the unknowns list[first[e]] ...
// list[first[e + 1] - 1], in any order, each at most once in a block. Values are zero. Every
// diagonal entry is there. FLX_ERR_MEMORY.
flx_status flx_symmetric_init(flx_ctx *ctx, int n, int nblock, const int64_t *first,
                              const int *list, flx_symmetric *A);
// The same pattern with values of its own, all zero.
flx_status flx_symmetric_init_like(flx_ctx *ctx, const flx_symmetric *pattern, flx_symmetric *A);
// The rows and columns i of B with map[i] >= 0, of which there are n; map ascends over them.
flx_status flx_symmetric_init_part(flx_ctx *ctx, const flx_symmetric *B, const int *map, int n,
                                   flx_symmetric *A);
void flx_symmetric_clear(flx_symmetric *A); // frees what it owns; accepts one that is all zero

// Ascending, in place.
void flx_sort_ints(int *a, int n);

// Place of entry (i, j), i >= j; -1: not in the pattern.
int64_t flx_symmetric_place(const flx_symmetric *A, int i, int j);
// A_ij += value, which must be in the pattern; i and j in either order.
void flx_symmetric_add(flx_symmetric *A, int i, int j, double value);
// A_ij, 0 outside the pattern.
double flx_symmetric_get(const flx_symmetric *A, int i, int j);
// Y = A X for k vectors stored one after the other, each of length n.
void flx_symmetric_multiply(const flx_symmetric *A, int k, const double *X, double *Y);
