// rank_parts.h - the search for dependent constraints, shared by its files: rank.c positions and the report,
// rank_dependent.c what is dependent at one of them, rank_eliminate.c the same for large connected parts.
#pragma once

#include "analyse/project.h"
#include "analyse/rank.h"

#define RANK_ROUNDING 1e-9 // pivots against the largest
#define RANK_BIAS 0.1      // earlier rows are kept rather than later ones
// Rows that contradict each other a little must not pull a displaced position back.
#define RANK_DAMPING 1e-6

typedef struct flx_rank_analysis {
    const flx_system *sys; // borrowed
    flx_ctx *ctx;
    flx_projector *p;
    int first, nrow, dense; // first constraint row, rows, limit of the dense method
    int rigid;              // rows without compliance
    const double *values;   // of G on the pattern, at the position in hand
    double *row, *col;      // (nrow) (nv) scale factors
    bool *strict;           // (nrow) no gap makes a small pivot of their part a zero
    double weakest;         // largest pivot that counted as zero, of the largest one
    bool *gone;             // (nrow) not in play: compliant, left out, or taken away
    bool *taken;            // (nblock) of bodies
    int *part;              // (nblock) connected part of each block
    int *queue;             // (nblock)
    bool *queued;           // (nblock)
    flx_state *place;       // a displaced position
} flx_rank_analysis;

// Entries (block row of constraints, block of a body) of the pattern: for every one, its first row, its
// first column, its sizes and its values.
typedef struct flx_rank_patch {
    int r0, nr, c0, nc;
    const double *g; // row-major
} flx_rank_patch;

static inline bool flx_rank_is_constraint(const flx_rank_analysis *a, int block)
{
    return a->sys->pattern.start[block] >= a->first;
}

static inline bool flx_rank_is_body(const flx_rank_analysis *a, int block)
{
    return a->sys->pattern.start[block] < a->sys->dims.nv;
}

static inline flx_rank_patch flx_rank_patch_at(const flx_rank_analysis *a, int constraint, int e)
{
    const flx_pattern *p = &a->sys->pattern;
    int j = p->col[e];
    return (flx_rank_patch){.r0 = p->start[constraint] - a->first,
                            .nr = p->start[constraint + 1] - p->start[constraint],
                            .c0 = p->start[j],
                            .nc = p->start[j + 1] - p->start[j],
                            .g = a->values + p->offset[e]};
}

// Dependent rows at x among those not left out. dependent (nrow) is overwritten.
flx_status flx_rank_find_dependent(flx_rank_analysis *a, const flx_state *x, const bool *leave_out,
                                   bool *dependent, int *count);

// Of parts with more than a->dense rows, by elimination; rows (nblock): of each part.
flx_status flx_rank_eliminate_parts(flx_rank_analysis *a, const int *rows, bool *dependent,
                                    int *count);

// Pivots in descending order: how many count. strict: all that are not rounding.
int flx_rank_count_pivots(flx_rank_analysis *a, int n, const double *pivot, bool strict);
