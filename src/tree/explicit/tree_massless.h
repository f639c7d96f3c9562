// tree_massless.h - between the two files of links without inertia: tree_massless.c, and tree_held.c for closures and
// motions beside them.
#pragma once

#include "tree/recursion/tree_pseudo.h"
#include "tree/tree_parts.h"

// Rows of closures and motions along the directions without inertia, and the others.
typedef struct flx_tree_held {
    int n;        // rows
    int rank;     // combinations of them that hold directions without inertia; -1: not known yet
    double *GN;   // (n x nnull) G N
    double *Q;    // (n x n) by rows: combinations that hold such directions, then those that do not
    double *rows; // (n) G v + g_t
    double *eta;  // (n) multipliers of the first
    double *S, *mu; // (n squared) (n) of the others
    double *force;  // (nv)
} flx_tree_held;

struct flx_tree_massless {
    flx_pseudo_link *links; // (links) owned
    int nnull;
    int *null_link;          // (nnull) owned: whose direction each is
    double *N;               // (nnull x nv) owned: null vectors; then
    double *AN;              // (nnull x n)
    double *A, *e;           // (unknowns squared) (unknowns): nnull, and the rows that hold
    double *s;               // (nnull)
    double *p, *r, *h, *tau; // (nv) (n) (nv) (nv)
    double *unit;            // (nv) inertias that momenta are divided by in z
    flx_tree_held held;
    int *pivot;        // (unknowns)
    flx_blocks blocks; // owned
    double *q;         // (nq) owned: where it was made
    size_t count;      // numbers from N on
    double speed;      // the smallest scale of a velocity of links
};

// Rows along N, at the null vectors there are and the point carried.
flx_status flx_held_find(const flx_tree *t, flx_tree_work *w, const flx_point *carried);
// What the rows say at the velocities of x: into held.rows.
flx_status flx_held_rate(const flx_tree *t, flx_tree_work *w, const flx_state *x);
// The border of the matrix of balance, of this size; what is left of its equations, subtracted from e.
void flx_held_border(const flx_tree_massless *m, int size, double *A);
void flx_held_subtract(const flx_tree_massless *m, double *e);
// force (nv) -= G^T of all multipliers, which go to x: those of the combinations that do not hold directions without
// inertia follow from the accelerations.
flx_status flx_held_push(const flx_tree *t, flx_tree_work *w, flx_state *x, double *force);

// y = M^+ g + N N^T g of the links, at the coordinates placed and the null vectors there are.
void flx_tree_massless_move(const flx_tree *t, flx_tree_work *w, const double *g, double *y);
// Null vectors at these coordinates.
flx_status flx_tree_massless_nulls(const flx_tree *t, flx_tree_work *w, const double *q);
