// trajectory_parts.h - what the files of trajectories share: trajectory.c the program, trajectory_slopes.c its derivatives.
#pragma once

#include "analyse/grid/trajectory.h"

typedef struct flx_program_nlp {
    flx_grid *g;      // borrowed
    flx_arena *arena; // owned
    flx_nlp nlp;
    const signed char *linear; // (nw)
    bool free_time;            // the last unknown is the step
    int cost;        // row of a node among those of the grid: minus the cost, and no condition
    double *r;       // (rows of the grid) at seen[0]
    double *seen[2]; // (n) unknowns of r, and of the matrix
    int *kept;       // (njac) entries of the matrix that are conditions'
    int nkept;
    double *bounds, *x, *eta;
    double unit_time;
    // second derivatives: of a node by (q, v, a, others), spread over the columns it meets
    int nlocal;           // q, v, a of active positions, then the other columns: 3 na + no
    int na, no;           // active positions, other columns
    int ncurved, *curved; // local directions along which rows are curved
    int *straight;        // (ncurved) how often in a row they were none
    bool *bends;          // (ncurved) at some node of this time
    long nhessian;        // second derivatives so far
    double *base, *moved; // (nlocal) gradients
    double *of_cost;      // (nlocal) gradient of the row of the cost
    double *H;            // (nlocal x nlocal)
    double *row_eta;      // (n) of the rows of a node
    double *scratch;      // (4 nv + nx + nw), and (4 rows) for the step
    double *S;            // (columns met x columns met)
} flx_program_nlp;

static inline double flx_trajectory_omega(const flx_grid *g, int n) // of the trapezoid
{
    return n == 0 || n == g->nodes - 1 ? 0.5 : 1.0;
}
// The row of the program that row r of the grid is; -1: none.
static inline int flx_trajectory_row(const flx_program_nlp *p, int r)
{
    int n = r / p->g->nrow, own = r % p->g->nrow;
    if (own == p->cost) return -1;
    return n * (p->g->nrow - 1) + own - (own > p->cost);
}
// The unknowns of x into the grid.
void flx_trajectory_take(flx_program_nlp *p, const double *x);
// The last unknown is the step: df/dh from the sum of costs, and dg/dh (m).
bool flx_trajectory_gradient_time(flx_program_nlp *p, double sum, double *slope);
bool flx_trajectory_jacobian_time(flx_program_nlp *p, double *values);
// Units of the unknowns in p->x, the conditions and the cost.
flx_status flx_trajectory_find_units(flx_program_nlp *p);
flx_status flx_trajectory_plan_hessian(flx_program_nlp *p);
bool flx_trajectory_hessian(void *user, const double *x, double factor, const double *eta,
                            double *values);
