// structural.h - the methods of structural dynamics on the group, for any system of the table: one
// step for newmark, hht and generalized-alpha, which differ in four numbers.
//
//     theta = h v_n + h^2 (1/2 - beta) a_n + h^2 beta a_n+1 [+ u],   q_n+1 = q_n (+) theta  (GA-1)
//     v_n+1 = v_n + h (1 - gamma) a_n + h gamma a_n+1                                      (GA-2)
//     (1 - am) a_n+1 + am a_n = (1 - af) v'_n+1 + af v'_n                                  (GA-3)
//     r(t_n+1, q, v, v', x, x', w, lambda, mu) = 0                                         (GA-4)
// and for first-order states the same with x for v, y for a, x' for v'. Index 3: u = 0. GGL: u along
// the normals of the constraints, so that both g = 0 and G v + g_t = 0 at the end (GA-8).
// Theory: docs/theory/integrators.md.
//
//   structural.c          life, the step, values in between
//   flx_structural_start.c    start values, prediction from the steps before, another step size
//   structural_newton.c   the iteration
//   structural_control.c  estimate of the error, choice of steps
#pragma once

#include "integrate/accelerate.h"
#include "integrate/inertialess.h"
#include "integrate/newton.h"
#include "integrate/saddle.h"
#include "integrate/stiff_constraints.h"
#include "integrate/tolerance.h"

#define STRUCTURAL_DIFFERENCES 6 // backward differences kept, the value itself included
// Pivots below this part of what is usual tell of a singular position; above the second they are
// far from one.
#define STRUCTURAL_SINGULAR_PIVOT 1e-3
#define STRUCTURAL_REGULAR_PIVOT 0.1
// Rows of joints are closed to rounding below this part of their scale.
#define STRUCTURAL_ROUNDING_ROW 2e-14

typedef struct structural {
    double am, af, gamma, beta;
    double h, bp, gp, cx; // of this step
    double tolerance;     // what the caller asked of positions
    bool ggl;
    bool settles;    // nothing damps what rounding gives to reactions: they follow from q, v and x
    bool stabilised; // GGL, and the factors are not those of a nearly singular position

    // algorithmic accelerations and rates of states at the beginning of the step; v, v' and x' there
    // as the method sees them (v is moved along the normals in index 3); predicted and corrected
    // unknowns
    double *a, *y, *v0, *dv0, *dx0;
    double *theta, *q, *v, *dv, *x, *dx, *w, *lam, *mu;
    double *r, *d, *scale; // (n)
    double *weight;        // (n) 1 / scale
    double smallest_scale; // of a velocity's unknown
    bool *on_position;     // (nlam + nmu) constraints with tau = C = 0
    int npos;              // their number, were all groups of contacts closed
    // rounding that was met: of positions against their scale, of multipliers against the largest
    double position_noise, force_noise;
    double h_last; // step that `a`, `y` and v0 belong to

    double *difference[STRUCTURAL_DIFFERENCES]; // (n) of (v', x', w, lambda, mu)
    void *block;                                // of the arrays of numbers
    int nhistory, order;
    bool
        unresolved; // the start has motions that the step does not resolve: theta in the place of v'

    flx_blocks blocks;
    flx_weights made; // of the factors in lin, while books.h_factored says that there are any
    bool owed;        // ... which a checkpoint left out: they are made when a step needs them
    flx_linear *lin;
    flx_accelerator *acc; // for the start
    flx_inertialess inertialess;
    flx_saddle *saddle; // of the start; GGL: of every linearisation
    flx_state *trial;   // of the start
    struct flx_closer *
        closer; // between steps, where values have derivatives (flx_method.own_normals); NULL: not asked for so far

    flx_newton_books books;
    double pivot, usual_pivot; // smallest, of the factors and of those before them
    int life; // steps after which factors failed within a step: they are renewed before; 0: none did
    int retired; // factors renewed so in a row

    flx_stiff_constraints stiff; // of methods without dissipation

    // GGL
    double *u;              // (n) the correction along the normals
    double *way;            // (n) a correction that may be shortened
    double *along, *along0; // (nv) u of this step and of the last one, whose step was h_along
    double h_along;
    double *rate, *sigma;   // (nlam) G v + g_t; of the constraints
    double *mass_of_metric; // (nv)

    // error control
    flx_tolerance tol;
    double *slope;  // (nv + nx) v'' and x'' at the beginning of the step ...
    double h_slope; // ... as a difference over this step before it, 0: there itself
    double *error;  // (2 nv + nx) of q, v, x
    double *noise;  // (nx) of the rates of states
    double h_next;  // wanted; 0: to be found
    bool rejected;  // the last attempt was
    bool anew;      // a jump was passed: the method begins anew
    bool passing;   // the last step was taken in spite of its error, at a singular position
    double passed;  // what jumps were passed with, in tolerances
} structural;

// structural.c: what the three methods put into their tables.
int flx_structural_coefficients(double am, double af, double beta, double gamma,
                                flx_coefficients *out);
// damping: what gives the method dissipation, for messages.
flx_status flx_structural_create(flx_integrator *it, const flx_coefficients *c,
                                 const char *damping);
flx_status flx_structural_step(flx_integrator *it, flx_state *x, double h, double *h_taken);
void flx_structural_destroy(flx_integrator *it);
void flx_structural_memory(flx_integrator *it, flx_memory *m);
// One attempt of a step h from x into the unknowns of `it`; x is only read.
flx_status flx_structural_attempt(flx_integrator *it, const flx_state *x, double h);
// The attempt becomes the state.
flx_status flx_structural_accept(flx_integrator *it, flx_state *x);

// flx_structural_start.c
flx_status flx_structural_start(flx_integrator *it, const flx_state *x, double h);
flx_status flx_structural_change_step(flx_integrator *it, const flx_state *x, double h);
void flx_structural_predict(structural *g, const flx_system *s, const flx_state *x);
void flx_structural_remember(structural *g, const flx_dims *d, const flx_state *x);
// (GA-3) solved for the algorithmic acceleration at the end, of n velocities or states.
void flx_structural_algorithmic(const structural *g, const double *y, int n, const double *a,
                                const double *rate, double *out);

// structural_newton.c
// *iterations: made.
flx_status flx_structural_solve(flx_integrator *it, const flx_state *x, int *iterations);
// The same where that does not get there, by steps that are shortened (NEW-2); not in the GGL form.
flx_status flx_structural_search(flx_integrator *it, const flx_state *x);
flx_status flx_structural_refresh(flx_integrator *it, const flx_point *p);
// structural.c: the factors do not serve in this step any more.
void flx_structural_outlived(structural *g);
// The unknowns at the end of a step from x.
flx_point flx_structural_point(const flx_integrator *it, const flx_state *x);

// structural_control.c
flx_status flx_structural_controlled_step(flx_integrator *it, flx_state *x, double h_most,
                                          double *h_taken);
// (GA-9) the errors of the attempt, into `error`.
flx_status flx_structural_estimate(flx_integrator *it, const flx_state *x);
