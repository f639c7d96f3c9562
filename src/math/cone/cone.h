// cone.h - impulses of one-sided constraints with friction by Coulomb's law, exact: no pyramid, no dilation
// (docs/theory/contact.md, The cone problem). Find lambda and u with
//
//     u = W lambda + b,    W = J M^-1 J^T                                                         (CONE-1)
//     of a group:  0 <= lambda_n _|_ u_n >= 0,  |lambda_t| <= f lambda_n,
//                  lambda_t = -f lambda_n u_t/|u_t| where u_t is not 0                            (CONE-2)
//
// u are velocities after an impact, accelerations, velocities at the end of a step, or gaps; lambda impulses,
// forces or shifts. Rows may be redundant: lambda is then one of the solutions, near the one of the start.
// Rows in no group hold always: u = 0, lambda of any sign. W is positive semidefinite; where forces read other forces (friction in
// joints) it need not be symmetric, and one of the ways is left out.
#pragma once

#include "base/common.h"

typedef struct flx_cone_group {
    int normal;      // row; -1: none, and |lambda_t| <= limit
    int ntangent;    // 0, 1 or 2
    int tangent[2];  // rows
    double friction; // f >= 0
    double limit;    // >= 0; of a group without a normal row
    // It slides along slip, of length 1 (in one tangent 1 or -1), whatever u_t is: lambda_t = -f lambda_n slip, or -limit slip.
    // On accelerations, where the direction is that of the velocity.
    int slides;
    double slip[2];
} flx_cone_group;

// Which of the ways led to the result, in the order in which they are tried.
typedef enum flx_cone_stage {
    FLX_CONE_WARM,   // Newton from the impulses given
    FLX_CONE_COLD,   // Newton from all groups closed and sticking
    FLX_CONE_CONVEX, // convex steps, then Newton
    FLX_CONE_SWEEPS, // sweeps of projected Gauss-Seidel, then Newton
    FLX_CONE_BEST,   // none: the best that was met
} flx_cone_stage;

typedef struct flx_cone_report {
    flx_cone_stage stage;
    int iterations; // linear systems solved, over all stages
    // |lambda - projection(lambda - u)| of a group, relative to its |b| + |u| + |lambda|, in units in which W has the diagonal 1:
    // the largest, and of which group; -1: rows that hold always.
    double residual;
    int worst;
} flx_cone_report;

typedef struct flx_cone flx_cone;
flx_cone *flx_cone_create(flx_ctx *ctx); // NULL: no memory
void flx_cone_destroy(flx_cone **c);
// Memory for problems of so many rows and groups; larger ones grow it by themselves.
flx_status flx_cone_reserve(flx_cone *c, int m, int ngroup);

// lambda (m): in, where warm is not 0, a guess; out, the impulses. u (m) out. FLX_OK: the law holds to 1e-10.
// FLX_NO_CONVERGENCE: it does not; lambda and u are the best that was met, without a message. FLX_NOT_FINITE: the data are not.
flx_status flx_cone_solve(flx_cone *c, int m, const double *W, const double *b, int ngroup,
                          const flx_cone_group *groups, int warm, double *lambda, double *u,
                          flx_cone_report *report);

// Forces lambda (m) keep all rows at rest. Of all forces with the same motion, lambda + N z with W N = 0: the largest margin t with
// |lambda_t| <= f lambda_n - t in every group (a normal row alone: lambda_n >= t), to 1e-10 of the size of the forces; both in units in
// which W has the diagonal 1, at most that size. Negative: no forces hold. Groups do not slide; every row is in one. depends: a row whose square is less than
// this part of itself beside others depends on them.
flx_status flx_cone_margin(flx_cone *c, int m, const double *W, const double *lambda, int ngroup,
                           const flx_cone_group *groups, double depends, double *margin,
                           double *size);

// ---- sparse -------------------------------------------------------------------------------------------

// The same with M and J: velocities in blocks (of a body, a node), rows that act on few of them.
//
//     M v = J^T lambda,   u = J v + b + C lambda
//
// Made anew for each problem: begin, the rows, solve. Memory grows with the largest problem.
typedef struct
    flx_cone_matrix { // M, or M with the derivatives of stiff forces; its pattern is symmetric
    int nblock;       // blocks of velocities
    const int *start; // (nblock + 1) first velocity of each
    // Entries of block rows 0..nblock-1; columns >= nblock are not read. Dense, row-major.
    const int *row, *col, *offset;
    const double *value;
} flx_cone_matrix;

#define FLX_CONE_PARTS 8 // blocks that a group acts on

typedef struct flx_cone_rows { // a group with the rows of J
    int n;                     // rows: the normal, then tangents; of rows that hold 1
    bool holds;                // always: u = 0
    double friction;
    bool slides; // along slip, as flx_cone_group
    double slip[2];
    double b[3], compliance[3], lambda[3]; // lambda: the guess
    int npart;
    int block[FLX_CONE_PARTS];
    const double *J[FLX_CONE_PARTS]; // (n x size of the block) row-major; copied
} flx_cone_rows;

// Memory for so many blocks, velocities and groups; larger problems grow it by themselves.
flx_status flx_cone_reserve_sparse(flx_cone *c, int nblock, int nv, int ngroup);
flx_status flx_cone_begin(flx_cone *c, const flx_cone_matrix *M);
flx_status flx_cone_add(flx_cone *c, const flx_cone_rows *rows);
// v (nv) out: what the impulses do to the velocities; the impulses by flx_cone_lambda, in the order in which rows were added.
flx_status flx_cone_solve_sparse(flx_cone *c, int warm, double *v, flx_cone_report *report);
const double *flx_cone_lambda(const flx_cone *c, int group);
// p (nv) <- M^-1 p, after begin and before the rows, or after solving.
flx_status flx_cone_free_motion(flx_cone *c, double *p);
