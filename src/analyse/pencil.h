// pencil.h - the equations linearised about a state, reduced to what is free to move.
//
// With perturbations theta of positions along the chart, u of velocities, in axes that turn with the
// motion (theory/modes.md),
//     theta' = u - W theta,   M (u' + L u) + D u + K theta + ... = 0,   L = W - C(v)   (MODE-1)
//     C(v) theta = b(theta, v) - b(v, theta),   b the slope of B at theta = 0         (MODE-2)
// rigid bonds are left out by bases N of their null spaces, and
//     E s' = F s,   s = (y, zeta, x, soft and algebraic unknowns)                     (MODE-3)
// is brought to an E that can be inverted: of a singular one, the equations without rate restrict s
// and are dropped, as often as needed.
#pragma once

#include "base/base.h"
#include "flexion/system.h"

typedef struct flx_pencil {
    int n;         // size in the end
    double *E, *F; // (n x n) column-major
    int nout;      // nv + nx
    double *T;     // (nout x n) theta and x from s
} flx_pencil;

// turn: W (nv x nv, column-major) or NULL for zero. All memory is the arena's.
flx_status flx_pencil_create(const flx_system *s, flx_work *work, const flx_state *x,
                             const double *turn, flx_arena *arena, flx_pencil *out);

// The matrices before anything is left out, in the axes of the chart, for comparison along a motion:
// X = Pi A Pi for A = M, D + M (W + L), K + D W + M L W, each nv x nv, one after the other; Pi
// projects on the null space of all rigid bonds.
flx_status flx_pencil_coefficients(const flx_system *s, flx_work *work, const flx_state *x,
                                   const double *turn, flx_arena *arena, double **X);

// One of A0, A1, A2 (which: 0 to 2) of linearise as a dense matrix A (n x n, column-major); scratch (2 n).
void flx_pencil_spread(const flx_system *s, flx_work *work, const flx_blocks *b, int which,
                       double *scratch, double *A);
