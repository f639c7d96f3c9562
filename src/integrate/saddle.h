// saddle.h - projections to the constraints, and accelerations: one sparse matrix
//
//     [ W   G^T   A^T ] [ u   ]   [ b_v ]
//     [ G  -dI        ] [ lam ] = [ b_l ]                                           (SAD-1)
//     [ A        -dI  ] [ mu  ]   [ b_m ]
//
// on the pattern of the system, with W a metric of the velocities. G and A are read from a
// linearisation: A0/sigma of a constraint without tau, A1/tau of one with, A1 of a velocity-level constraint.
// Rows that are left out, and everything that is neither velocity nor constraint, give zero.
// Solved by LDL with refinement; d > 0 makes it a Levenberg-Marquardt step.
#pragma once

#include "base/checkpoint_walk.h"
#include "base/common.h"
#include "flexion/extend/system_table.h"

typedef enum flx_saddle_rows {
    FLX_ROWS_POSITION, // constraints with tau = C = 0
    FLX_ROWS_VELOCITY, // all constraints with C = 0 and velocity-level constraints with E = 0
} flx_saddle_rows;

typedef struct flx_saddle flx_saddle;

flx_status flx_saddle_create(const flx_system *s, flx_saddle **sd);
void flx_saddle_destroy(flx_saddle **sd);
// The numbers of rows and unknowns read again: the system has other parameters.
void flx_saddle_renew(flx_saddle *sd);

// W = R (A2 + diag(shift)) R with R = diag(sqrt(weight)); without_mass takes W = diag(shift) only.
// shift, weight (nv) may be NULL: zero, one. damping d is relative to the rows' own G W^-1 G^T.
typedef struct flx_saddle_metric {
    const double *shift, *weight;
    bool without_mass;
    double damping;
} flx_saddle_metric;
// The matrix alone, for flx_saddle_values and flx_saddle_active.
flx_status flx_saddle_fill(flx_saddle *sd, const flx_blocks *b, flx_saddle_rows rows,
                           const flx_saddle_metric *metric);
flx_status flx_saddle_factor(flx_saddle *sd, const flx_blocks *b, flx_saddle_rows rows,
                             const flx_saddle_metric *metric);

// From the next factorisation on: whether the compliant row i counts as if it were rigid.
void flx_saddle_hold(flx_saddle *sd, int i, bool held);

// From the next factorisation on: whether row i is left out, as if it were not there.
void flx_saddle_leave_out(flx_saddle *sd, int i, bool out);

// In place, n numbers in the order of the unknowns. Returns the backward error reached.
double flx_saddle_solve(flx_saddle *sd, double *b);
// The same; where the error is not below `trusted`, as where parts without mass spoil the factors, with pivots by size. asked (n):
// room. *error: of what b is then, or of what was tried.
flx_status flx_saddle_solve_firmly(flx_saddle *sd, double trusted, double *b, double *asked,
                                   double *error);
// The same without refinement, for use inside an iteration.
void flx_saddle_solve_once(flx_saddle *sd, double *b);

// out (n): rows of constraints times u (nv), zero for rows left out and for everything else.
void flx_saddle_constraint_product(const flx_saddle *sd, const double *u, double *out);

// out (nv) = W u
void flx_saddle_metric_product(const flx_saddle *sd, const double *u, double *out);

// Whether row i (0..n-1) takes part.
bool flx_saddle_active(const flx_saddle *sd, int i);

// The matrix on the pattern, as it was factored last.
const double *flx_saddle_values(const flx_saddle *sd);

// Of the last factorisation: pivots that were moved, the unknown of the smallest one.
int flx_saddle_regularised(const flx_saddle *sd, int *worst);
// ... and the smallest pivot over the terms that it is made of: the square of what is left of the
// constraints near a singular position.
double flx_saddle_pivot_ratio(const flx_saddle *sd);

// Factors and rows (base/checkpoint_walk.h).
void flx_saddle_memory(flx_saddle *sd, flx_memory *m);
