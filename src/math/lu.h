// lu.h - sparse LU (KLU) of an unsymmetric matrix on a block pattern, real and complex; analysed
// once, refactorised many times. For systems whose tangent is far from symmetric: first-order
// states, control loops, friction.
#pragma once

#include "base/checkpoint_walk.h"
#include "base/common.h"
#include "flexion/extend/system_table.h"

#include <complex.h>

typedef struct flx_lu flx_lu;

flx_status flx_lu_create(flx_ctx *ctx, const flx_pattern *pattern, bool complex_values,
                         flx_lu **out);
void flx_lu_destroy(flx_lu **f);
// Matrices of any condition are factored from now on, but for those with a pivot of zero: near an eigenvalue the
// solution has the right direction, if not the right length.
void flx_lu_accept_any(flx_lu *f);
// KLU takes memory, behind the context, for the first factors and where a kept order has become bad.
// FLX_SINGULAR when the factorisation failed or its condition estimate says so.
flx_status flx_lu_factor(flx_lu *f, const double *values);
flx_status flx_lu_factor_complex(flx_lu *f, const double complex *values);
// Not a number where a checkpoint's factors could not be made again for want of memory.
void flx_lu_solve(flx_lu *f, double *b);
void flx_lu_solve_complex(flx_lu *f, double complex *b);
double flx_lu_rcond(const flx_lu *f);
// Sign of the determinant of a real matrix: it changes where an odd number of eigenvalues pass zero.
int flx_lu_sign(flx_lu *f);
// The factors and the order that they keep (base/checkpoint_walk.h). Loaded, they are made when they are asked for.
void flx_lu_memory(flx_lu *f, flx_memory *m);
