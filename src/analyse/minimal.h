// minimal.h - coordinates that rigid constraints leave free, near a state; the others follow.
//
//     s = (theta_I, v_J, x):   g(q_0 (+) theta) = 0,   G v + g_t = 0,   A v + b = 0              (STATE-2)
//
// I and J are chosen where the state is, by pivoting: the rows hold the other coordinates as firmly as can be.
#pragma once

#include "analyse/project.h"
#include "integrate/accelerate.h"

typedef struct flx_minimal {
    const flx_system *s; // borrowed
    flx_arena *arena;    // owned
    flx_projector *rows; // owned
    flx_accelerator *acc;
    flx_work *work;
    flx_state *at;                       // owned; consistent
    int n, npos, nvel;                   // of all, of positions, of velocities
    int *pos, *vel;                      // (npos) (nvel) unknowns, ascending
    int nhold, nrate;                    // rows of positions, and of velocities
    int *hold, *rate_row;                // (nhold) (nrate) unknowns
    int *by_hold, *by_rate;              // (nhold) (nrate) velocities that they determine
    double *hold_inverse, *rate_inverse; // (nhold^2) (nrate^2) column-major: of these columns
    double *theta, *step;                // (nv)
} flx_minimal;

// FLX_SINGULAR, with a message: rows depend on each other at x. s must not neglect inertia.
flx_status flx_minimal_create(const flx_system *s, const flx_state *x, flx_minimal **made);
void flx_minimal_destroy(flx_minimal **made);

// The state x with s = d (n) from the state that it was made at, with accelerations, multipliers and algebraic unknowns.
// FLX_NO_CONVERGENCE: it is too far away.
flx_status flx_minimal_place(flx_minimal *m, const double *d, flx_state *x);
// s' (n) of a state that was placed last.
void flx_minimal_rate(const flx_minimal *m, const flx_state *x, double *rate);
// The acceleration level alone, of any state.
flx_status flx_minimal_settle(flx_minimal *m, flx_state *x);
