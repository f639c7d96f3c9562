// discrete_parts.h - what the files of the variational methods share: a step's data, its equations
// (discrete_action.c), their solution (discrete_newton.c) and the state at its end (discrete_end.c).
#pragma once

#include "integrate/accelerate.h"
#include "integrate/anderson.h"
#include "integrate/newton.h"
#include "integrate/relax.h"
#include "integrate/saddle.h"
#include "integrate/stiff_constraints.h"
#include "integrate/variational/discrete_lagrangian.h"

// Increments at the nodes 1 to s; multipliers of position constraints at 0 to s-1; at the points of forces
// rates of states, algebraic unknowns, the other multipliers.
typedef struct unknowns {
    double *all;              // (nU) owned; the others point into it
    double *X, *node_lam;     // (s nv) (s nlam)
    double *K, *W, *lam, *mu; // (m nx) (m nw) (m nlam) (m nmu)
} unknowns;

typedef struct discrete {
    discrete_rule rule;
    int n, first; // unknowns of one time, number of the first constraint
    double h;
    double *scale;     // (n)
    bool *on_position; // (nlam) constraints with tau = C = 0: their multipliers live at nodes
    double *tau;       // (nlam)
    int npos;
    bool *on_rate; // (nlam + nmu) rigid rows on velocities
    bool halves;   // ... whose impulses are cut into halves, (VAR-9)
    flx_stiff_constraints stiff;

    unknowns now, step; // and their corrections
    int nU;
    flx_anderson anderson;
    double *X_last; // (s nv) of the last step
    double h_last;

    double *p; // (nv) momentum at the beginning of the step, in the axes of q_n
    // (nv) what the rounding of positions and momenta has cut off so far, and after this step
    double *q_rest, *p_rest, *q_next, *p_next;
    double *D;         // ((s+1) nv) equations (VAR-2), then what is left of (VAR-3) and (VAR-4)
    double *impulse;   // (nv) of the step, in the axes of q_n
    double *R, *C;     // (s n) residuals of the stages, corrections
    double complex *z; // (n)
    double *r, *d;     // (n) scratch
    double *zero;      // (n)
    double *theta, *rate, *v, *u, *minus; // (nv) scratch
    double *q, *xs, *eta;                 // (nq) (nx) (nlam) scratch
    double *packed, *packed_rate;         // of the explicit form, where there is one

    flx_blocks blocks;
    flx_linear *lin[DISCRETE_DEGREE];
    flx_blocks end_blocks; // at the end of the step, or in between
    flx_saddle *saddle;    // masses and constraints there
    double *shift;         // (nv) what is added to masses that are missing; NULL: none are
    flx_accelerator *acc;
    flx_relaxer
        *relaxer;   // where neither masses nor the explicit form give accelerations; NULL: they do
    flx_state *end; // of the step

    flx_newton_books books;
    int worst; // unknown of the largest correction
} discrete;

// y (n) += c x
static inline void discrete_add(double *restrict y, double c, const double *restrict x, int n)
{
    for (int i = 0; i < n; i++) y[i] += c * x[i];
}

// (nv) Equation j: (VAR-2), then what is left of (VAR-3), and of (VAR-4) for j = 0.
static inline double *discrete_equation(const discrete *g, int nv, int j)
{
    return g->D + (size_t)j * nv;
}

// discrete_action.c
// Unknowns to begin with; `continues`: there is a step before.
void flx_discrete_predict(flx_integrator *it, const flx_state *x, bool continues);
// The curve (VAR-1) where the basis has the values N and dN: theta, rate = theta', q, v.
void flx_discrete_place(discrete *g, const flx_system *s, const flx_state *x, const double *N,
                        const double *dN);
// Where flx_discrete_place has been, at point i of the forces.
flx_point flx_discrete_force_point(flx_integrator *it, const flx_state *x, int i);
// Everything at the present unknowns: the equations in D, the rows that live at the points in R.
flx_status flx_discrete_evaluate(flx_integrator *it, const flx_state *x);
// Momenta u at q, as seen from q (+) theta. In place.
void flx_discrete_from_start(discrete *g, const flx_system *s, const double *theta, double *u);

// discrete_newton.c
flx_status flx_discrete_solve(flx_integrator *it, const flx_state *x, int *iterations);

// discrete_end.c
// Masses that are missing: what is added for them; for create.
flx_status flx_discrete_find_missing_masses(flx_integrator *it);
// g->end from the solution; u receives the momentum there.
flx_status flx_discrete_finish(flx_integrator *it, const flx_state *x);
// Joints of a value in between closed in positions and velocities.
flx_status flx_discrete_close(flx_integrator *it, flx_state *out);
// a, lambda, mu, w and x' of a state.
flx_status flx_discrete_accelerations(flx_integrator *it, flx_state *x);
