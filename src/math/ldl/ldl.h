// ldl.h - block LDL^T factorisation of sparse symmetric saddle-point matrices, real and complex
// symmetric (no conjugate) on one elimination tree. Theory: docs/theory/linear_algebra.md.
//
// The matrix is [S G^T; G -C] with S symmetric, positive definite on the kernel of G, cut into
// dense blocks on a structurally symmetric pattern. The pattern is ordered and analysed once;
// refactorisations reuse everything and allocate nothing.
//
// The order pairs a block of constraint rows with the block of unknowns that gives it full rank, so that
// no pivot is zero by structure; loop closures are eliminated after the bodies of their loop. Static
// regularisation with known signs guards against rounding and singular positions, and is reported.
#pragma once

#include "base/checkpoint_walk.h"
#include "base/common.h"
#include "flexion/extend/system_table.h"

#include <complex.h>

typedef struct flx_ldl flx_ldl;

// sign (nblock): +1 for blocks of unknowns, -1 for blocks of constraint rows.
// The pattern is borrowed and must live as long.
flx_status flx_ldl_create(flx_ctx *ctx, const flx_pattern *pattern, const signed char *sign,
                          bool complex_values, flx_ldl **out);
void flx_ldl_destroy(flx_ldl **f);

// Symmetric equilibration (Ruiz, 8 sweeps): computes scale factors from the values and keeps them
// until called again. They say how large a regularised pivot is that has nothing else to go by (an
// unknown without mass and stiffness); the elimination itself, in a fixed order, has the same digits
// for every scaling by powers of two, so the values are not scaled. Cheap where every unknown has
// something on the diagonal. For a complex factorisation give the sizes of the values.
void flx_ldl_equilibrate(flx_ldl *f, const double *values);

// Factor the matrix whose values are on the pattern (both triangles stored; the symmetric part
// (A + A^T)/2 is used). Returns FLX_OK, or FLX_SINGULAR when a pivot block is exactly zero or not
// finite. Small pivots are regularised; see the report.
flx_status flx_ldl_factor(flx_ldl *f, const double *values);
flx_status flx_ldl_factor_complex(flx_ldl *f, const double complex *values);

typedef struct flx_ldl_report {
    int negative;    // negative pivots (real only): equals the constraint rows when S is positive
                     // definite on ker G
    int regularised; // pivots that were moved
    double pivot_ratio; // smallest |pivot| / sum of the sizes of the terms that it is made of (as
                        // estimated from the matrix where it is above 1e-8), so that units do not
                        // matter; about 1e-16: singular to rounding
    int worst;          // unknown of that pivot
} flx_ldl_report;
flx_ldl_report flx_ldl_get_report(const flx_ldl *f);

// Solve in place. No refinement: a Newton iteration is its own.
void flx_ldl_solve(const flx_ldl *f, double *b);
void flx_ldl_solve_complex(const flx_ldl *f, double complex *b);

// Solve with iterative refinement against the given values until the backward error is below tol
// or stalls; returns the backward error reached. work: 2 n.
double flx_ldl_solve_refined(const flx_ldl *f, const double *values, double *b, double *work,
                             double tol, int max_sweeps);

// The factors, and what the next ones take over (base/checkpoint_walk.h).
void flx_ldl_memory(flx_ldl *f, bool factors, flx_memory *m); // factors: they are still asked for

// A large matrix whose blocks have many neighbours: its real factors are those of ldl_fronts.h.
bool flx_ldl_wants_fronts(const flx_pattern *p);
long flx_ldl_fill(const flx_ldl *f);    // numbers in L and D
double flx_ldl_flops(const flx_ldl *f); // of one real factorisation
