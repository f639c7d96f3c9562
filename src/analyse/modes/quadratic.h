// quadratic.h - the equations linearised about a state, as they stand: large and sparse.
//
//     (s^2 Q2 + s Q1 + Q0) z = 0,   z = (theta, x, w, lambda, mu)                     (MODE-3)
//
// with perturbations theta of positions along the chart and u of velocities, in axes that turn with the
// motion (theory/modes.md),
//     theta' = u - W theta,   M (u' + L u) + D u + K theta + ... = 0,   L = W - C(v)   (MODE-1)
//     C(v) theta = b(theta, v) - b(v, theta),   b the slope of B at theta = 0         (MODE-2)
#pragma once

#include "base/common.h"
#include "flexion/extend/system_table.h"
#include "math/lu.h"

typedef struct flx_quadratic {
    const flx_system *s; // borrowed
    flx_ctx *ctx;
    flx_arena *arena; // borrowed
    int n, nv, nx;
    double *switches; // of the state
    flx_pattern pattern;
    double *Q[3];  // values on the pattern
    double *sizes; // of Q0 those of the terms that its numbers are the sums of
    double *scale; // (n) of unknowns
    double *ease;  // (n) of velocities by their mass: moves of like energy; of the others the scale
    double fastest;     // about the largest |s|, by the diagonals
    bool plain;         // Q1 is zero, Q0 and Q2 are symmetric: every s^2 is real
    flx_lu *lu;         // of Q(shift); NULL before
    double shift;       // of it
    double *row, *col;  // (n) scales of the rows and columns of Q(shift)
    double *sum, *work; // Q(shift) on the pattern; (2 n)
} flx_quadratic;

// turn: W (nv x nv, column-major; it couples the velocities of one block only) or NULL for zero. All
// memory but the factors is the arena's.
flx_status flx_quadratic_create(const flx_system *s, flx_work *work, const flx_state *x,
                                const double *turn, flx_arena *arena, flx_quadratic *out);
// Rows of closed contacts that follow from other rows count as open (quadratic_closed.c).
flx_status flx_quadratic_open_dependent(flx_quadratic *q, const flx_state *x);
void flx_quadratic_destroy(flx_quadratic *q);
// An equilibrium is found to some digits. What is left over turns with what it acts on, and is a stiffness that is none.
// unbalance, work: the largest of it, if it is more than they are: in parts of its rounding, and, of what is nearly in balance,
// as work by moves of the scales. Nothing where x moves. sizes: (n) room.
flx_status flx_quadratic_balance(const flx_quadratic *q, const flx_state *x, double *sizes,
                                 double *unbalance, double *work);

// W and L of (MODE-1) of every block of velocities, row-major, one after another: 2 n n numbers each.
flx_status flx_quadratic_brackets(const flx_quadratic *q, const flx_state *x, const double *turn,
                                  double *out);
// out (n) = Q_k x, or with the sizes of all numbers, |Q_k| |x|, of Q0 of their terms.
void flx_quadratic_multiply(const flx_quadratic *q, int k, const double *x, double *out);
void flx_quadratic_multiply_sizes(const flx_quadratic *q, int k, const double *x, double *out);
// A (n x n, column-major) = Q_k.
void flx_quadratic_spread(const flx_quadratic *q, int k, double *A);

// Factors of Q(shift), for a real shift > 0. FLX_SINGULAR without a message.
flx_status flx_quadratic_factor(flx_quadratic *q, double shift);
// b (n) <- Q(shift)^-1 b, refined once: then the error is that of small changes of every number of Q by
// itself, whatever the sizes of the others are.
void flx_quadratic_solve(const flx_quadratic *q, double *b);
