// pencil.h - the equations linearised about a state (quadratic.h), reduced to what is free to move.
//
// Rigid constraints are left out by bases N of their null spaces, and
//     E s' = F s,   s = (y, zeta, x, soft and algebraic unknowns)                     (MODE-4)
// is brought to an E that can be inverted: of a singular one, the equations without rate restrict s
// and are dropped, as often as needed. All of it is dense. It says how many eigenvalues there are and to
// which motions they belong; what they are is found from the matrices as they stand, whose small numbers
// are not lost beside the large ones.
#pragma once

#include "analyse/modes/quadratic.h"

typedef struct flx_pencil {
    int n;          // size in the end: the number of eigenvalues
    double *E, *F;  // (n x n) column-major, in parts of the fastest rate
    int nout;       // 2 nv + nx
    double *T;      // (nout x n) theta, x and theta' from s
    double fastest; // about the largest |s|, soft constraints included
} flx_pencil;

// All memory is that of the matrices' arena.
flx_status flx_pencil_create(const flx_quadratic *q, flx_pencil *out);

// The matrices before anything is left out, in the axes of the chart, for comparison along a motion:
// X = Pi A Pi for A = Q2, Q1, Q0 of the velocities, each nv x nv, one after the other; Pi projects on
// the null space of all rigid constraints.
flx_status flx_pencil_coefficients(const flx_quadratic *q, double **X);

// One of A0, A1, A2 (which: 0 to 2) of linearise as a dense matrix A (n x n, column-major); scratch (2 n).
void flx_pencil_spread(const flx_system *s, flx_work *work, const flx_blocks *b, int which,
                       double *scratch, double *A);
