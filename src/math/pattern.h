// pattern.h - values on the block pattern of a system (flexion/system.h).
#pragma once

#include "base/common.h"
#include "flexion/extend/system_table.h"

#include <string.h>

// Weights of rates and positions so small that damping and stiffness vanish in the rounding beside the mass. Rows and
// columns of constraints are scaled by them, and back.
#define FLX_SMALL_RATE 1e-40
#define FLX_SMALL_POSITION 1e-80

// Numbers that one of A0, A1, A2 has.
static inline size_t flx_pattern_size(const flx_pattern *p)
{
    return (size_t)p->offset[p->row[p->nblock]];
}

// The three from an arena; false: no memory.
static inline bool flx_pattern_take(const flx_pattern *p, flx_arena *arena, flx_blocks *b)
{
    size_t n = flx_pattern_size(p);
    double *all = flx_arena_take(arena, 3 * n, sizeof *all);
    if (all) *b = (flx_blocks){all, all + n, all + 2 * n};
    return all != NULL;
}

static inline void flx_pattern_clear(const flx_pattern *p, flx_blocks *b)
{
    size_t bytes = flx_pattern_size(p) * sizeof(double);
    memset(b->A0, 0, bytes);
    memset(b->A1, 0, bytes);
    memset(b->A2, 0, bytes);
}

// out = A x
static inline void flx_pattern_apply(const flx_pattern *p, const double *A, const double *x,
                                     double *out)
{
    for (int i = 0; i < p->start[p->nblock]; i++) out[i] = 0.0;
    for (int bi = 0; bi < p->nblock; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            int j0 = p->start[p->col[e]], j1 = p->start[p->col[e] + 1], at = p->offset[e];
            for (int i = p->start[bi]; i < p->start[bi + 1]; i++) {
                for (int j = j0; j < j1; j++) out[i] += A[at++] * x[j];
            }
        }
    }
}

// The diagonal of A.
static inline void flx_pattern_diagonal(const flx_pattern *p, const double *A, double *out)
{
    for (int b = 0; b < p->nblock; b++) {
        int e = p->row[b], n = p->start[b + 1] - p->start[b];
        while (p->col[e] != b) e++; // it is there
        for (int i = 0; i < n; i++) out[p->start[b] + i] = A[p->offset[e] + i * (n + 1)];
    }
}

// The pattern of blocks that begin at start (nblock + 1; kept) from n keys row * nblock + col, which
// are sorted here and may repeat. Memory is the arena's; pair, parts and version are left out.
flx_status flx_pattern_make(flx_arena *arena, int nblock, const int *start, int n, long long *keys,
                            flx_pattern *out);
// The entries of p with keep != 0, on the values of p; an entry and the one across the diagonal are kept
// both or not at all. start and pair are borrowed from p, the rest is in *owned, to be freed.
flx_status flx_pattern_select(flx_ctx *ctx, const flx_pattern *p, const unsigned char *keep,
                              int **owned, flx_pattern *out);
// The entry of a block row and a block column; -1: none.
int flx_pattern_find(const flx_pattern *p, int row, int col);
// The block of an unknown.
int flx_pattern_block(const flx_pattern *p, int unknown);
// Where the number of a row and a column is, which the pattern has.
static inline int flx_pattern_slot(const flx_pattern *p, int row, int col)
{
    int bi = flx_pattern_block(p, row), bj = flx_pattern_block(p, col);
    int width = p->start[bj + 1] - p->start[bj];
    return p->offset[flx_pattern_find(p, bi, bj)] + (row - p->start[bi]) * width + col -
           p->start[bj];
}
static inline double *flx_pattern_place(const flx_pattern *p, double *A, int row, int col)
{
    return A + flx_pattern_slot(p, row, col);
}
// A number by its unknowns; zero where the pattern has none.
double flx_pattern_value(const flx_pattern *p, const double *A, int row, int col);
