// relax.h - starts of systems whose mass matrix is singular.
//
// A velocity without inertia, N = ker M on ker G, follows from the forces: N^T f(q, v, ..) = 0. It and
// its rate are found as limits of implicit Euler steps with the constraints on velocity level,
//     r(t+d, q (+) d v, v, (v - v_0)/d, ..) = 0,   G v + g_t = 0,   d -> 0                (REL-1)
// extrapolated from steps d, d/2 and d/4, in two halves each; rates are the differences of the second. They
// need no more than the table has, and no null space.
//
// Where N^T D N is singular, too, the position of N follows from the forces, as do those that algebraic unknowns are to
// bring about: limits of
//     r(t, q (+) theta, v, 0, ..) + (A2/d^2 + A1/d) theta = 0,   g(t, q (+) theta) = 0,   d -> 0   (REL-2)
// extrapolated from three steps: what has inertia or damping stays where it is.
#pragma once

#include "base/checkpoint_walk.h"
#include "base/common.h"
#include "flexion/extend/system_table.h"

// d in seconds. Velocities with inertia move by d a and the extrapolation leaves d^2 v''/2 of that;
// rounding leaves eps v/d of rows that contain inertia. Where those of N contain none d may be
// shorter.
#define FLX_RELAX_STEP 1e-5

// v (and w) of the state; what has inertia keeps its velocity. Consistent with the constraints before and
// after. Positive status: no convergence; the state is as it was.
flx_status flx_relax_velocities(const flx_system *s, flx_work *work, flx_state *x, double d);

// q of the state: what has neither inertia nor damping moves to where its forces are in balance, and w with it. Positive
// status: no balance was found; the state is as it was.
flx_status flx_relax_positions(const flx_system *s, flx_work *work, flx_state *x);

// Memory of the steps. flx_relaxer_warm takes that of the first factors, with any linearisation.
typedef struct flx_relaxer flx_relaxer;
flx_status flx_relaxer_create(const flx_system *s, flx_relaxer **relaxer);
flx_status flx_relaxer_warm(flx_relaxer *e, const flx_blocks *blocks);
void flx_relaxer_destroy(flx_relaxer **relaxer);

// From then on d below is in a unit that fits the motion at x, seconds for usual ones; else in that of t.
flx_status flx_relaxer_measure(flx_relaxer *e, flx_work *work, const flx_state *x);
double flx_relaxer_unit(const flx_relaxer *e); // of d, in the unit of t

// As flx_relax_velocities, without new memory.
flx_status flx_relaxer_velocities(flx_relaxer *e, flx_work *work, flx_state *x, double d);
// After it: how far from q of x what has neither inertia nor damping is in balance, (nv).
void flx_relaxer_moved(flx_relaxer *e, const flx_state *x, double *theta);

// a, dx, w, lam, mu of a state with consistent velocities. d in seconds: rates lose d^3 v'''' and the
// rounding of v over d.
#define FLX_RELAX_RATE_STEP 1e-4
flx_status flx_relax_accelerations(flx_relaxer *e, flx_work *work, flx_state *x, double d);

// Whether the forces of the last steps determine every velocity: a direction without mass, damping and stiffness may be at
// rest by accident, where no force acts along it. *worst: the unknown; -1: not known. Not for systems that solve for
// themselves.
bool flx_relaxer_determines(flx_relaxer *e, int *worst);

// The choice of the solver and its order (base/checkpoint_walk.h).
void flx_relaxer_memory(flx_relaxer *e, flx_memory *m);
