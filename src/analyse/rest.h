// rest.h - what analyses of equilibria share: the residual at rest, its size, the Newton matrix.
#pragma once

#include "flexion/analysis.h"
#include "integrate/newton_matrix.h"

// Forces out of balance as a part of those there are: rounding, and what counts as balance when it
// becomes no better.
#define FLX_REST_BALANCED 1e-14
#define FLX_REST_NEARLY 1e-9
#define FLX_REST_FARTHEST 0.2 // of a move, as a part of the scale of its coordinate
#define FLX_REST_LONGEST_STEP                                                                      \
    1e5 // seconds: Newton's method to ten digits for what moves within a second

typedef struct flx_rest {
    const flx_system *s; // borrowed
    flx_work *work;      // owned, as is all below
    flx_linear *lin;     // of the full matrix
    flx_linear
        *symmetric;    // by LDL, where the stiffness is symmetric: faster, whatever the scales are,
                       // and with the signs of the pivots; not where some had to be moved
    bool by_symmetric; // the present factors are those
    flx_blocks b;
    flx_state *next;
    int n, nv;
    double *r, *d, *force, *scale; // (n); (n); (n) without multipliers; (n)
    double *theta;                 // (nv)
    bool *
        force_like; // (n) false: a state that is a coordinate, or the row that holds its rate; no work
    double *gap;    // of groups of rows that hold or not; NULL: there are none
    int *slots;     // (3 per group) the diagonals of their rows; -1: none
    double softened;  // these were softened for a step of this length; 0: they were not
    double work_size; // largest work of a force over the scale of its coordinate
    double residual;  // largest force out of balance, of those there are
    int worst;        // its row; -1: none
} flx_rest;

// equilibrium.c: as flx_equilibrium_find; uphill: where no way leads down to one, the one that Newton's steps find.
flx_status flx_equilibrium_find_of(const flx_system *s, bool uphill, flx_state *x,
                                   flx_equilibrium_report *report);
flx_status flx_rest_create(const flx_system *s, flx_rest *e);
// Refuses groups of rows that hold or not: which of them hold at rest is not sought.
flx_status flx_rest_check(const flx_system *s);
// Where it is sought (rest_groups.c, EQU-2): refuses friction without a normal force; memory; which of them hold now; whether
// friction that is taken to stick can hold what it does.
flx_status flx_rest_check_groups(const flx_system *s);
flx_status flx_rest_create_groups(flx_rest *e);
flx_status flx_rest_choose_groups(flx_rest *e, flx_state *x, bool *changed);
void flx_rest_soften_groups(flx_rest *e, double h); // their rows in the matrix, for a step h
bool flx_rest_release_groups(const flx_rest *e,
                             flx_state *x); // forces of those that hold: zero; whether any sticks
flx_status flx_rest_judge_groups(const flx_rest *e, const flx_state *x);
void flx_rest_destroy(flx_rest *e);

// Velocities, accelerations and rates are zero.
void flx_rest_stop(const flx_system *s, flx_state *x);
// r at rest. Rigid velocity-level constraints are met by v = 0: what a motion's rate asks is not of a rest. Those that hold the
// rates of states are met by positions.
flx_status flx_rest_eval(flx_rest *e, const flx_state *x, double *r);
// r, residual and worst: the largest row, forces as work over the scale of their coordinate against the
// largest such work that is in play, constraints against their scale.
flx_status flx_rest_measure(flx_rest *e, const flx_state *x);
flx_status flx_rest_linearise(flx_rest *e, const flx_state *x);
// Factors of M / h^2 + D / h + K with the constraints (EQU-1).
flx_status flx_rest_factor(flx_rest *e, double h);
flx_status flx_rest_solve(const flx_rest *e, double *d); // in place
// Directions in which the position gives way: negative eigenvalues of K on the kernel of the constraints; -1:
// not known, as K is not symmetric.
flx_status flx_rest_count_negative(flx_rest *e, double h, int *count);
// Sign of the determinant of the present factors; 0: not known.
int flx_rest_get_sign(const flx_rest *e);
// e->next = x moved by part of d, multipliers by all of it; theta is what was moved.
void flx_rest_move(flx_rest *e, const flx_state *x, const double *d, double part);
// "'item' (part)" of the worst row.
void flx_rest_name_worst(const flx_rest *e, flx_unknown *u);

// The parts of a real direction (n unknowns, of which velocities and states are looked at), the largest 1.
// mode.shape is not kept.
flx_status flx_rest_name_direction(const flx_rest *e, const double *d, flx_mode *mode);
// Of modes.c: parts of mode->shape (2 nout).
void flx_mode_find_parts(const flx_system *s, int nout, flx_mode *mode);
