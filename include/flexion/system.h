// flexion/system.h - equations of motion in the one form every method and analysis reads.
//
//     q' = T(q) v                                                            (SYS-1)
//     M(t,q) v' = f(t,q,v,x,w,lambda,mu) - G^T lambda - A^T mu                (SYS-2)
//     0 = sigma g(t,q) + tau (G v + g_t) - C lambda      constraints                (SYS-3)
//     0 = A(t,q) v + b(t,q) - E mu                       velocity-level constraints       (SYS-4)
//     x' = phi(t,q,v,x,w)                                first-order states   (SYS-5)
//     0 = psi(t,q,v,x,w)                                 algebraic unknowns   (SYS-6)
//
// A system is made by flx_system_compile (flexion/run.h), or by whoever fills its table of operations (flexion/extend/system_table.h).
// It is const from then on, any number of threads may share it, and it lives until flx_system_destroy.
// docs/theory/system.md numbers these equations; code cites the same labels.
#pragma once

#include "flexion/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Sizes, fixed when the system is made. The unknowns of one time are ordered
//     (v or theta, x, w, lambda, mu),   n = nv + nx + nw + nlam + nmu,
// and so are the rows of the residual.
typedef struct flx_dims {
    int nq;      // coordinates q
    int nv;      // velocities v; nq > nv where a body carries a quaternion
    int nx, nw;  // first-order states, algebraic unknowns
    int nlam;    // constraints
    int nmu;     // velocity-level constraints
    int nparam;  // numbers that come from the model's parameters
    int nswitch; // discrete values: turns counted, samples held, branches taken
} flx_dims;

static inline int flx_dims_unknowns(const flx_dims *d)
{
    return d->nv + d->nx + d->nw + d->nlam + d->nmu;
}
// Where the rows and multipliers of the constraints begin among them.
static inline int flx_dims_first_constraint(const flx_dims *d)
{
    return d->nv + d->nx + d->nw;
}

// Where the equations are evaluated. All arrays are borrowed.
typedef struct flx_point {
    double t;
    const double *q, *v, *a;  // (nq) (nv) (nv): a = v'
    const double *x, *dx, *w; // (nx) (nx) (nw): dx = x'
    const double *lam, *mu;   // (nlam) (nmu)
    const double *param;      // (nparam)
    const double *switches;   // (nswitch), frozen within a step
} flx_point;

// All that changes in time; a copy of it is a checkpoint. One block of memory.
typedef struct flx_state {
    double t;
    double *q, *v, *a, *x, *dx, *w, *lam, *mu, *switches; // as in flx_point
    double *block;                                        // owned; the arrays point into it
    size_t size;                                          // doubles in the block
} flx_state;

// Kinetic, potential and strain energy; power dissipated by dampers (>= 0) and power supplied by
// motions, forces that have no potential, and control.
typedef struct flx_energies {
    double kinetic, potential, strain;
    double dissipated_power, supplied_power;
    double linear[3], angular[3]; // momentum, angular about the ground's origin
} flx_energies;

typedef struct flx_system flx_system; // its table: flexion/extend/system_table.h
typedef struct flx_work flx_work;     // scratch of one thread of evaluation

// Events of one instant may set each other off so often.
#define FLX_MOST_EVENT_ROUNDS 100

// What an instant did to a state; zero before.
typedef struct flx_event_report {
    int again;          // the same instant, after the velocities were met
    const double *size; // (indicators) what the values have been so far (judge); the caller's
    int changed;        // the equations go on otherwise: with other switches or other values
    int jumped;         // values other than discrete ones were set
    int stop;           // the run ends here
    int nevent;         // events that happened, in order
    int *events;        // (FLX_MOST_EVENT_ROUNDS * events) the caller's
    int nrow;         // velocities that were set: rows Y v = value, to be met by the least impulse
    double *Y;        // (rows x nv) the caller's
    double *value;    // (rows) the caller's
    double lost;      // energy that impacts took
    const char *item; // the last event or switch that changed something; borrowed
    flx_loc loc;
    int settle; // values were changed from outside: switches are judged anew
} flx_event_report;

// Accepts NULL. A system that runs still use ends with the last of them.
FLX_API void flx_system_destroy(flx_system **s);

// The same system for one run, with numbers, param and messages (ctx) of its own, destroyed by
// flx_system_destroy. s must outlive it. Any number of threads may have instances of one system at a
// time, and make them: s is read only. FLX_ERR_CANNOT: this kind of system has none.
FLX_API flx_status flx_system_instance(const flx_system *s, flx_ctx *ctx, flx_system **own);

// The parameters p (nparameter) of an instance. Messages and what they leave: see the table of operations.
FLX_API flx_status flx_system_set_parameters(flx_system *own, const double *p);
// out (n) = dr/dp_k at the point; w: made for s.
FLX_API flx_status flx_system_parameter_slope(const flx_system *s, flx_work *w, const flx_point *at,
                                              int k, double *out);

// A state of the right sizes, zeroed, with switches and quaternions as the caller sets them.
FLX_API flx_status flx_state_create(const flx_system *s, flx_state **x);
FLX_API void flx_state_destroy(flx_state **x);
FLX_API void flx_state_copy(flx_state *to, const flx_state *from); // of one system

// The point at a state, with the system's own parameters.
FLX_API flx_point flx_state_point(const flx_system *s, const flx_state *x);

#ifdef __cplusplus
}
#endif
