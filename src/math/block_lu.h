// block_lu.h - sparse matrices of dense blocks, structurally symmetric, whose pattern may be another one each time: an order by
// least degree, then LU with pivots within diagonal blocks only. For matrices near positive definite ones.
#pragma once

#include "base/common.h"

typedef struct flx_block_lu flx_block_lu;
flx_block_lu *flx_block_lu_create(flx_ctx *ctx); // NULL: no memory
void flx_block_lu_destroy(flx_block_lu **lu);

// Memory for so many blocks, unknowns and edges of blocks of six; larger ones grow it by themselves.
flx_status flx_block_lu_reserve(flx_block_lu *lu, int nblock, int n, int nedge);
// start (nblock + 1): first unknown of each block. edges (nedge): pairs i < j as i << 32 | j, in any order, sorted here.
// The same as the last time: nothing is done. Memory grows with the largest.
flx_status flx_block_lu_analyse(flx_block_lu *lu, int nblock, const int *start, int nedge,
                                uint64_t *edges);
// Where the entry (i, j) is in `values`: dense, row-major; -1: not in the pattern.
int flx_block_lu_place(const flx_block_lu *lu, int i, int j);
// The numbers, set to zero; then what is added to them is factored in place. false: a block is singular.
double *flx_block_lu_values(flx_block_lu *lu);
bool flx_block_lu_factor(flx_block_lu *lu);
void flx_block_lu_solve(flx_block_lu *lu, double *x);
// x (of one block): solved with its diagonal block alone, where no other is coupled to it.
void flx_block_lu_solve_alone(const flx_block_lu *lu, int block, double *x);
