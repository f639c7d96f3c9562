// linear_solve.h - C (s - A)^-1 B + D + s D1 + s^2 D2 by elimination without orthogonal transformations, refined: rates that are 1e9
// times as fast as others leave these their digits. n^3 operations for every s.
#pragma once

#include "analyse/linear/linear_dense.h"

#include <complex.h>

typedef struct flx_linear_solver {
    const flx_linear_model *m;
    int n;
    double complex *R, *x, *c; // (n x n) by rows, (n), (2 n)
    int *turn;
} flx_linear_solver;

flx_status flx_linear_solver_create(const flx_linear_model *m, flx_arena *arena,
                                    flx_linear_solver *out);
// y (nout x nin); false: s is a pole.
bool flx_linear_solver_respond(flx_linear_solver *k, double complex s, double complex *y);
