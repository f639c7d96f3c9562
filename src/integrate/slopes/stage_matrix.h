// stage_matrix.h - the linearised stages of a collocation step as one sparse matrix, each with matrices of its own.
//
// Unknowns of a stage: those of the system, u = (Z, x, w, lambda, mu), its velocities V and, of GGL, eta. Charts are left out,
// B = 1, and so are derivatives of G: what solves with it makes up for that. With a = Ai / h
//     A0_i u_i + A1_i V_i + sum_j a_ij (A2_i V_j + A1_i x_j) = b
//     V_i - sum_j a_ij Z_j - S^2 G_i^T eta_i = b,   G_i V_i = b                                            (SEN-8)
#pragma once

#include "integrate/collocation/collocation.h"
#include "integrate/slopes/step_matrix.h"

typedef struct flx_stage_matrix flx_stage_matrix;

// What a method has of constraints: (nlam) which are on positions, their sigma; (nv) 1/S^2.
typedef struct flx_stage_rows {
    bool ggl;
    const bool *on_position;
    const double *sigma, *metric;
} flx_stage_rows;

// Numbers of a stage: rows and unknowns.
int flx_stage_size(const flx_dims *d);

flx_status flx_stage_matrix_create(const flx_system *s, const flx_stage_rows *rows,
                                   flx_stage_matrix **out);
void flx_stage_matrix_destroy(flx_stage_matrix **m);
// Factors for a step of length h, from the matrices at its stages. FLX_SINGULAR: there are none.
flx_status flx_stage_matrix_factor(flx_stage_matrix *m, flx_work *w, const collocation_tableau *t,
                                   double h, flx_step_matrix *const *stage, bool transposed);
// In place, of all stages, in scaled numbers: rows and unknowns by flx_stage_scales.
void flx_stage_matrix_solve(const flx_stage_matrix *m, double *b);
// (size of a stage) so that no entry depends on the step as it goes to zero.
void flx_stage_scales(const flx_dims *d, double h, double *row, double *col);
