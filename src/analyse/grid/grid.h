// grid.h - the equations of motion at nodes of time, all at once: inversion and trajectory optimisation are Newton's method
// on one block-banded matrix made of M, D and K of `linearise` (theory/inversion.md).
//
//     t_n = begin + n h, theta_j = q_n+j (-) q_n in the chart at q_n, where v = theta' and v' = theta'':
//     order 2: v = (theta_1 - theta_-1)/2h, v' = (theta_1 + theta_-1)/h^2
//     order 4: (-1, 8, -8, 1)/12h and (-1, 16, 16, -1)/12h^2 over j = 2, 1, -1, -2
//     rows: r(t_n, q_n, v_n, v'_n, x_n, w_n, lam_n, mu_n) = 0 at the nodes 0..N                      (GRID-1)
//     first-order states between nodes: (x_n - x_n-1)/h = (phi_n + phi_n-1)/2; phi_0 = 0             (GRID-2)
//
// Forward integration on the same grid takes differences of nodes before alone:
//     v = BDF of order 2 or 4, v' = the same of v                                                    (GRID-4)
//
// Where velocities are constrained, central differences would split odd from even nodes, and where the constraints lead to is
// not known. So these rows have backward differences, and the last nodes may rest (GRID-5): with velocities and accelerations of zero,
// but for these rows.
//
// Some nodes before the first and behind the last, the ghosts, have positions alone. They are given, or, of an open grid,
// unknowns that meet the constraints on positions.
// Of the algebraic unknowns w some have roles: an input is free, and its row is not there; an output is held at a value, and
// its column is not there.
#pragma once

#include "flexion/extend/system_table.h"
#include "math/sparse/sparse_lu.h"

typedef enum flx_grid_role {
    FLX_GRID_PLAIN,
    FLX_GRID_INPUT,  // its row is left out
    FLX_GRID_OUTPUT, // its value is given
} flx_grid_role;

typedef struct flx_grid_def {
    int order; // 2 or 4; 0: velocities and accelerations are given, and nodes know nothing of each other
    int nodes; // N + 1
    double begin, step;
    double from,
        until;     // the clock of the equations stands still before and after; both 0: it does not
    bool open;     // ghosts are unknowns
    bool mirror;   // ghosts are their nodes behind the end: rest there
    bool backward; // differences of nodes before alone (GRID-4)
    bool rolls;    // rows of velocities by backward differences, and order/2 more nodes, which rest
    const signed char *role;  // (nw) flx_grid_role; NULL: all plain
    const signed char *fixed; // (nv) coordinates that stay as they are; NULL: none
} flx_grid_def;

// An entry of the matrices of one node.
typedef struct flx_grid_entry {
    int row, col;        // unknowns of the system
    int at;              // where its numbers are
    unsigned char parts; // which of A0, A1, A2 it may have: bits 1, 2, 4
} flx_grid_entry;

typedef struct flx_grid {
    const flx_system *s; // borrowed
    flx_ctx *ctx;
    flx_arena *arena; // owned: all arrays
    flx_work *work;   // owned
    int order;
    int left, right; // ghosts before and behind, and how far differences reach
    int nodes;
    int resting; // nodes among these, the last ones
    double begin, step, from, until;
    bool open, mirror;
    const double *c, *d; // (left + right + 1) weights of v h and v' h^2
    const double *roll;  // ... of v h in rows of velocities; NULL: c
    signed char *role;   // (nw)
    signed char *fixed;  // (nv)
    // unknowns and rows of a node that count, by their numbers in the system; of a ghost
    int ncol, nrow, nghost_col, nghost_row;
    int *cols, *rows, *ghost_rows;
    int *col_of; // (n) place of an unknown among cols, -1: not there
    int *row_of; // (n) place of a row among rows
    // the matrix: compressed columns over all nodes
    int total_cols, total_rows;
    int *begin_of, *row_at; // (total_cols + 1) (entries)
    double *values;
    int nentry;
    flx_grid_entry *entries;
    // (nodes entries 3) of A0, A1, A2 of each node, as flx_grid_linearise found them last; borrowed. NULL: they are not kept
    double *kept;
    int *place; // of the contributions in their order, among the values
    int nplace;
    bool dense; // matrices of nodes in full
    // what is sought: positions of (nodes + left + right), the rest of nodes
    double *q, *v, *a, *x, *w, *lam, *mu;
    double *switches; // (nodes + left + right)
    double *held;     // (nw) values of outputs
    // scratch
    flx_blocks b;
    double *full[3]; // (n x n) where dense
    double *theta, *r, *before, *zero, *column;
    double *
        rolling; // (nv) velocities as rows of velocities have them, of the node that was moved last
    flx_state *state;
} flx_grid;

// The guess is x at all nodes. FLX_ERR_CANNOT: what no grid does, by name.
flx_status flx_grid_create(const flx_system *s, const flx_state *x, const flx_grid_def *def,
                           flx_grid **out);
void flx_grid_destroy(flx_grid **g);

// Positions of node n, from -left to N + right; and others, from 0 to N.
static inline double *flx_grid_q(const flx_grid *g, int n)
{
    return g->q + (size_t)(n + g->left) * (size_t)g->s->dims.nq;
}
static inline double flx_grid_time(const flx_grid *g, int n)
{
    return g->begin + n * g->step;
}
// The time that the equations see.
static inline double flx_grid_clock(const flx_grid *g, int n)
{
    double t = flx_grid_time(g, n);
    if (!(g->from < g->until)) return t;
    return t < g->from ? g->from : t > g->until ? g->until : t;
}
// The node that n stands for, itself but for ghosts of a mirrored grid.
static inline int flx_grid_node(const flx_grid *g, int n)
{
    if (!g->mirror) return n;
    return n < 0 ? -n : n >= g->nodes ? 2 * (g->nodes - 1) - n : n;
}
// Nodes that rest are ghosts from now on: what is left are those of the motion.
void flx_grid_end_rest(flx_grid *g);
// Weights of a row at node n by node n + j, of v h and v' h^2; false: none.
static inline bool flx_grid_weights(const flx_grid *g, int n, int row, int j, double *c, double *d)
{
    *c = g->c[j + g->left];
    *d = g->d[j + g->left];
    if (g->roll && row >= flx_dims_first_constraint(&g->s->dims) + g->s->dims.nlam) {
        *c = g->roll[j + g->left];
        *d = 0.0;
    } else if (n >= g->nodes - g->resting) {
        *c = *d = 0.0;
    }
    return *c != 0.0 || *d != 0.0;
}
// First column and row of node n in the whole.
int flx_grid_col(const flx_grid *g, int n);
int flx_grid_row(const flx_grid *g, int n);

// Switches of all nodes as their states are.
void flx_grid_settle(flx_grid *g);
// v and a of node n from positions.
void flx_grid_move(flx_grid *g, int n);
// r (total_rows)
flx_status flx_grid_residual(flx_grid *g, double *r);
// The matrix, at the values at hand.
flx_status flx_grid_linearise(flx_grid *g);
// Unknowns move by part * d (total_cols).
void flx_grid_add(flx_grid *g, const double *d, double part);
// The whole state of node n.
void flx_grid_state(flx_grid *g, int n, flx_state *x);
// From the node n of another grid of the same system, ghosts among them.
void flx_grid_copy_node(flx_grid *to, int n, const flx_grid *from, int m);
// Nodes between m and n, which are not ghosts, along the straight line from one to the other.
void flx_grid_fill_between(flx_grid *g, int m, int n);

// Entries among positions, and the stiffness there, symmetric, of a grid of one node, which rests (grid_stiffness.c).
int flx_grid_count_stiffness(const flx_grid *g);
flx_status flx_grid_stiffness(flx_grid *g, double *to);

// ---- Newton's method (grid_newton.c) --------------------------------------------------------------

typedef struct flx_grid_report {
    int iterations;
    double correction;  // the last one, positions by their scales
    double residual;    // largest, of the terms that the rows are made of
    int worst;          // node of the largest correction
    double multipliers; // largest of the conditions, where there is a weight
} flx_grid_report;

// The weight of what is left open: 1/2 z^T W z is least, with z = the unknowns less those of the reference, W diagonal
// but for `stiffness`. NULL: nothing is left open, and there are as many rows as unknowns.
typedef struct flx_grid_weight {
    const double *diagonal; // (n) of a node, by unknowns of the system; NULL: none
    const double *q_rest;   // (nodes + left + right) nq positions from which moves count
    // (entries of each node) of positions, one after the other: stiffness at rest; NULL: none
    const double *stiffness;
} flx_grid_weight;

// FLX_SINGULAR, FLX_NO_CONVERGENCE: without a message.
flx_status flx_grid_solve(flx_grid *g, const flx_grid_weight *weight, int most,
                          flx_grid_report *report);
