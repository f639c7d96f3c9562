// modes_parts.h - what the files of modes share: modes.c the whole, modes_level.c the eigenvalues slice by
// slice from the fastest to the slowest, modes_zero.c the proof that some are zero, modes_remnant.c
// what is slow beside these, modes_krylov.c the slowest motions of a large system, modes_count.c their number.
#pragma once

#include "analyse/modes/shift.h"
#include "flexion/analysis.h"

typedef struct flx_search {
    const flx_system *s;
    flx_ctx *ctx;
    flx_arena *arena;
    flx_quadratic q;
    flx_shift w;
    double out_of_balance; // largest work of forces that are not in balance, by moves of the scales
    int room;              // of modes
    flx_modes *out;
} flx_search;

static inline double *flx_search_take(const flx_search *f, int m, int n)
{
    return flx_arena_take(f->arena, (size_t)m * (size_t)n, sizeof(double));
}

// The modes whose motions B (m x d, column-major, not in units) spans, and how many of them are zero.
flx_status flx_modes_slice(flx_search *f, int d, double *B, double shift);

// Slow motions of which some are proven to be zero, at a shift.
typedef struct flx_remnant {
    int d, n;        // motions; of them zero
    double *Y;       // (m x d) in units of the shift, orthonormal, those that are zero first
    double *P;       // (d x d) Y^T P Y (MODE-5)
    double shift;    // of Y and P
    double within;   // |s| of those that are zero, at most
    double *S, *V;   // (d x d) Schur form of P and its vectors, those that are zero first
    double *sr, *si; // (d) s
    double
        error; // of s, in parts of it: the largest of those that are not zero; HUGE_VAL: not known
} flx_remnant;

// Which of the motions B (m x d, not in units; shift: that of f->w) are neutral: the eigenvalue zero with
// its chains. Sets d, n, Y, P.
flx_status flx_modes_prove_zero(flx_search *f, int d, const double *B, flx_remnant *out);

// The eigenvalues of the others, where they are few, and their error.
flx_status flx_modes_find_remnant(flx_search *f, flx_remnant *r);

// About `count` slowest motions and the shift at which they were found. B (m x d) is the arena's. No others
// have |s| below *complete, as far as can be told without a count.
flx_status flx_modes_find_slowest(flx_search *f, int count, int *d, double **B, double *shift,
                                  double *complete);

// How many motions have frequencies below `rate` (1/s), free directions included; -1: not known.
flx_status flx_modes_count_below(flx_search *f, double rate, int *below);
