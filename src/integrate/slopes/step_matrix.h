// step_matrix.h - the linearised equations at the end of a step, for derivatives of runs: products with all three matrices
// and their transposes, and exact factors of a combination of them, transposed or not.
//
//     J = c2 A2 + c1 A1 + c0 A0  (SYS-7),   columns of states: cx A1 + c0 A0
// Other than the Newton matrix of a run (newton_matrix.h) nothing is left out of it, and it is factored whole.
#pragma once

#include "base/common.h"
#include "flexion/extend/system_table.h"

typedef struct flx_step_matrix flx_step_matrix;

flx_status flx_step_matrix_create(const flx_system *s, flx_step_matrix **m);
void flx_step_matrix_destroy(flx_step_matrix **m);

// The matrices at a point.
flx_status flx_step_matrix_linearise(flx_step_matrix *m, flx_work *w, const flx_point *p);

// out (n) += A0 u0 + A1 u1 + A2 u2; each (n), or NULL: zeros.
void flx_step_matrix_product(flx_step_matrix *m, flx_work *w, const double *const u[3],
                             double *out);
// out[k] (n) += A_k^T eta; NULL: not asked for. FLX_ERR_CANNOT, with a message: a system too large for its matrices in full.
flx_status flx_step_matrix_product_t(flx_step_matrix *m, flx_work *w, const double *eta,
                                     double *const out[3]);

// Every number of the three matrices that may differ from zero, by row and column, always in the same order. FLX_ERR_CANNOT as
// above.
typedef void (*flx_step_matrix_take)(void *user, int row, int col, double a0, double a1, double a2);
flx_status flx_step_matrix_each(flx_step_matrix *m, flx_work *w, flx_step_matrix_take take,
                                void *user);

// c0, c1, c2, cx
typedef struct flx_step_weights {
    double c0, c1, c2, cx;
} flx_step_weights;
// FLX_SINGULAR: it is.
flx_status flx_step_matrix_factor(flx_step_matrix *m, flx_work *w, const flx_step_weights *c,
                                  bool transposed);
// In place (n): J^-1 b, or J^-T b.
void flx_step_matrix_solve(const flx_step_matrix *m, double *b);
// The largest number of a right side as it is solved for, in scales.
double flx_step_matrix_size(const flx_step_matrix *m, const double *b);

// Exact factors of another matrix on the same pattern: what `value` makes of the numbers of an entry; no scales.
typedef double (*flx_step_matrix_value)(const void *user, int row, int col, double a0, double a1,
                                        double a2);
flx_status flx_step_matrix_factor_by(flx_step_matrix *m, flx_work *w, flx_step_matrix_value value,
                                     const void *user, bool transposed);
