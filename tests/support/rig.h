// rig.h - a system, a consistent state and an integrator, ready to step; and the fit of orders.
#pragma once

#include "flexion/extend/method_table.h"
#include "tiny_systems.h"

#include <stdbool.h>

typedef struct rig {
    flx_ctx *ctx;
    flx_system *sys;
    flx_state *x, *y; // the state that moves, and one more for comparisons
    flx_integrator *it;
} rig;

// Makes the system; x is set to its start (positions, velocities, states; the rest follows).
typedef flx_system *(*rig_maker)(flx_ctx *ctx);

// The systems, each with the start that rig_begin knows for it.
flx_system *rig_pendulum(flx_ctx *ctx);
flx_system *rig_top(flx_ctx *ctx);
flx_system *rig_top_own(flx_ctx *ctx);
flx_system *rig_mixed(flx_ctx *ctx);
flx_system *rig_skate(flx_ctx *ctx);
flx_system *rig_linear(flx_ctx *ctx);
flx_system *rig_implicit(flx_ctx *ctx); // the linear one without its explicit form
flx_system *rig_quasistatic(flx_ctx *ctx);

// 0: done. The state is at its start with consistent accelerations and multipliers.
int rig_up(rig *r, rig_maker make, const flx_integrator_def *def);
// ... with the allocation of number k failing; FLX_ERR_MEMORY then.
flx_status rig_up_failing(rig *r, rig_maker make, const flx_integrator_def *def, long k);
void rig_down(rig *r);

// The start of a maker's system.
void rig_begin(rig_maker make, flx_state *x);

// a, lambda, mu, w of a state by the index-1 equations. 0: done.
int rig_accelerations(rig *r, flx_state *x);

// Largest |g|.
double rig_gap(rig *r, const flx_state *x);

// Turn a state of the top about the vertical.
void rig_turn(flx_state *x, double angle);

// The state at t_end by another formulation and a method of order 8 or better than 1e-12.
int rig_reference(rig_maker make, double t_end, flx_state *x);

// Errors in q, v, lambda (or mu) at t_end with steps, 2 steps, 4 steps, 8 steps: the fitted slopes
// lie within `within` of order[0..2]. A negative order is not checked. 0: they do.
int rig_orders(rig_maker make, double t_end, int steps, const flx_integrator_def *def,
               const double order[3], double within);
