// collocation.h - one machinery for Radau IIA, Gauss and Lobatto: stages solved for positions only.
//
// collocation.c makes it, steps and interpolates; collocation_stages.c has the stages and their
// corrections, collocation_newton.c and flx_collocation_anderson.c the iteration, flx_collocation_close.c the
// closing of joints, flx_collocation_error.c tolerances and the estimate of the error,
// collocation_control.c the steps that follow from it, collocation_order.c the number of stages where it
// may vary; collocation_tableau.c the coefficients. A method
// is a tableau and a few rules: radau.c, gauss.c, ...
//
// Unknowns of stage i: U_i = (Z, X, W, lambda, mu), in the order of the system's unknowns, with
//     Z'_i = (1/h) sum_j Ai_ij Z_j,   V_i = B(Z_i) Z'_i + S^2 G_i^T eta_i                (COL-1)
//     V'_i = (1/h) sum_j Ai_ij (V_j - v_n),   X'_i = (1/h) sum_j Ai_ij (X_j - x_n)
//     r(t_n + c_i h, q_n (+) Z_i, V_i, V'_i, X_i, X'_i, W_i, lambda_i, mu_i) = 0         (COL-2)
// and in GGL also 0 = G_i V_i + g_t (COL-4); without it eta = 0. S: the scales of the positions.
// Stages lie one after another.
#pragma once

#include "integrate/accelerate.h"
#include "integrate/anderson.h"
#include "integrate/collocation/collocation_tableau.h"
#include "integrate/inertialess.h"
#include "integrate/newton.h"
#include "integrate/saddle.h"
#include "integrate/stiff_constraints.h"
#include "integrate/tolerance.h"

#define COLLOCATION_TABLES 4 // a method that varies its order has at most so many

// Velocities along constraints that are lost to this part, squared, are left as positions give them:
// near a singular position eta has no meaning there. Elsewhere the iteration makes up for it.
#define COLLOCATION_LOST 1e-6

// Above this contraction the next step with error control gets a linearisation of its own.
#define COLLOCATION_GOOD 1e-3

// One set of stages.
typedef struct collocation_stages {
    double *U;   // (s n)
    double *V;   // (s nv)
    double *A;   // (s nv) V'
    double *dX;  // (s nx) X'
    double *eta; // (s nlam)
} collocation_stages;

// What a method asks of its stages beside the tableau. Rigid rows are constraints with C = 0 and velocity
// constraints with E = 0.
typedef struct collocation_rules {
    bool ggl;    // position constraints hold on velocity level, too
    bool at_end; // rigid rows hold at the end of the step, not at the stage; for one stage
    bool settle; // a, w, lambda, mu of the end follow from q, v, x; v is moved to the rigid rows
    bool keeps;  // the method keeps invariants, and Newton must not lose them
    bool rings;  // |R(infinity)| = 1: stiff motions are not damped
} collocation_rules;

typedef struct collocation {
    collocation_tableau table[COLLOCATION_TABLES]; // ascending stages
    int ntable, order;                             // how many; the number of the one in use:
    const collocation_tableau *tab;
    int s, n, first; // its stages; unknowns, number of the first constraint
    int most;        // stages of any of them
    bool ggl, at_end, keeps, rings, adaptive;
    int npos, nrigid;  // constraints on positions: tau = C = 0; rigid rows of all kinds; were all
                       // groups of contacts closed
    bool *on_position; // (nlam)
    bool *rigid;       // (nlam + nmu)
    double *sigma;     // (nlam)
    double *scale;     // (n)
    double tolerance;  // what a fixed step asks of positions, as a part of their scale

    void *block; // of the arrays of numbers

    double h;                                             // of this attempt
    double rates[COLLOCATION_STAGES][COLLOCATION_STAGES]; // Ai / h
    collocation_stages now;                               // of this attempt
    collocation_stages
        last; // of the last step that was made: for predictions and values in between
    double h_last;
    const collocation_tableau *tab_last; // of that step
    double *Q;                           // (s nq)
    double *R;                           // (s n)
    double *F; // (nF) corrections of U, V and eta, stage by stage and one after another:
    double *D, *dV, *deta; // (s n), (s nv) and (s nlam) of them
    int nF;
    double *gd;           // (s nlam) G V + g_t
    double *parts;        // (nF) as F, along the eigenvectors
    double complex *z;    // (n) of one pair
    double *b, *b_imag;   // (n) (n) scratch of one real solve
    double *theta, *rate; // (nv) scratch
    double *metric;       // (nv) S^-2: velocities are compared by their scales

    // linearisation and its factors
    flx_blocks blocks;
    flx_linear *real;                         // real eigenvalue, and the filter of the error
    flx_linear *pair[COLLOCATION_STAGES / 2]; // complex ones
    flx_saddle *saddle;        // [S^-2 G^T; G 0]; NULL without constraints on positions
    flx_saddle *between;       // the same for values inside the last step,
    flx_blocks between_blocks; // of a linearisation there
    bool between_known;
    bool linearised; // blocks belong to the present motion
    bool owed;       // factors that a checkpoint left out are made when a step needs them
    double left; // what is left of the constraints there, squared; small near a singular position
    flx_newton_books books;
    bool warm;       // all solvers have factored once, and with it taken their memory
    int iterations;  // of the last attempt
    bool stagnated;  // ... which ended in the rounding, short of its tolerance
    double rounding; // the part of the scale at which it did; 0: not yet
    int worst;       // unknown of the largest correction

    flx_accelerator *settler; // NULL: the end of the step is as the stages leave it
    flx_inertialess inertialess;

    flx_anderson anderson; // of F

    // error control
    double rtol, atol, kappa; // kappa: part of the tolerance that is left to Newton
    flx_tolerance tol;
    double *wq, *wv, *wx,
        *ww;                // (nv) (nv) (nx) (nw) tolerances of q, v, x, which are tol's, and of w
    bool adds_up;           // of order 1: a step's error is allowed its part of the time asked for,
    double share;           // which is this for the present one; else 1
    double velocity_weight; // h where velocities are only as good as positions over h, else 1
    flx_stiff_constraints stiff;       // how stiff compliant constraints are
    double *e, *e_v;                   // (n) (nv) estimated error: q, x, w, lambda, mu; v
    double *pull, *pull_x;             // (nv) (nx) -e.(V - v_n)/h, -e.(X - x_n)/h
    double *point_q, *point_v, *point; // (nq) (nv) (n) displaced point
    double h_next;                     // proposed
    double error_last, h_error;        // of the last accepted step; 0: none
    bool rejected;                     // the last attempt was
    const double *embedded;            // weights of the error: those of the tableau, or `fewer`

    // variable order
    double fewer[COLLOCATION_TABLES][COLLOCATION_STAGES]; // weights of the error with fewer stages
    int nfewer[COLLOCATION_TABLES];                       // how many stages these are
    double filter[COLLOCATION_TABLES];                    // of their method over that of the table
    int next_order;                                       // for the next step
    int since;                                            // steps since the order changed
} collocation;

// collocation.c
// Memory and solvers for the given tableaux, of which the first is used.
flx_status flx_collocation_create(flx_integrator *it, const collocation_tableau *tableaux, int n,
                                  const collocation_rules *rules);
// ... for one tableau, which is made.
flx_status flx_collocation_create_family(flx_integrator *it, collocation_family family, int stages,
                                         const collocation_rules *rules);
flx_status flx_collocation_create_lobatto_iiia(flx_integrator *it, int stages); // lobatto.c
bool flx_collocation_has_rigid(const flx_system *s);
// Refusals by name: of formulation index-1; of all formulations but auto and this one where
// there are rigid rows; of rigid rows.
flx_status flx_collocation_refuse_index1(const flx_integrator *it);
flx_status flx_collocation_expect_formulation(const flx_integrator *it, flx_formulation formulation,
                                              const char *name);
flx_status flx_collocation_refuse_rigid(const flx_integrator *it, const char *advice);
// Turn to another tableau: factors have no meaning for it.
void flx_collocation_use(flx_integrator *it, int tableau);
flx_status flx_collocation_step(flx_integrator *it, flx_state *x, double h, double *h_taken);
flx_status flx_collocation_interpolate(flx_integrator *it, double t, flx_state *out);
void flx_collocation_destroy(flx_integrator *it);
void flx_collocation_memory(flx_integrator *it, flx_memory *m);
// One attempt with step h: the stages, which `flx_collocation_finish` makes the state.
flx_status flx_collocation_attempt(flx_integrator *it, const flx_state *x, double h);
flx_status flx_collocation_finish(flx_integrator *it, flx_state *x);

// collocation_stages.c
// Starting values: the last step's polynomials, a Taylor step, or velocities alone.
typedef enum collocation_guess {
    COLLOCATION_EXTRAPOLATED,
    COLLOCATION_TAYLOR,
    COLLOCATION_PLAIN
} collocation_guess;
void flx_collocation_predict(flx_integrator *it, const flx_state *x, collocation_guess guess);
void flx_collocation_set_step(collocation *co, double h);
// Positions, velocities and rates of the stages, (COL-1); residuals besides, (COL-2).
flx_status flx_collocation_derive(flx_integrator *it, const flx_state *x);
flx_status flx_collocation_evaluate(flx_integrator *it, const flx_state *x);
// A linearisation at a stage; factors for this step; the solver of eigenvalue k.
flx_status flx_collocation_linearise(flx_integrator *it, const flx_state *x, int stage);
flx_status flx_collocation_factor(flx_integrator *it);
flx_status flx_collocation_pay(flx_integrator *it); // the factors that are owed
flx_linear *flx_collocation_solver(const collocation *co, int k);
// Newton's corrections F; U and eta move by them.
flx_status flx_collocation_correct(flx_integrator *it);
void flx_collocation_apply(collocation *co, const flx_dims *d);
// out (n) += sign (A2 a + A1 b), columns of velocities only.
void flx_collocation_add_product(flx_integrator *it, const flx_blocks *blocks, const double *a,
                                 const double *b, double sign, double *out);
// Factors of [S^-2 G^T; G -damping], with the present linearisation.
flx_status flx_collocation_factor_metric(flx_integrator *it, double damping);

// collocation_newton.c
// Newton's iteration for this attempt. Positive: not solved.
flx_status flx_collocation_solve(flx_integrator *it, const flx_state *x);

// flx_collocation_anderson.c
// Keeps the corrections F, and where it is of use makes of them a step that knows the iterations
// since the restart.
void flx_collocation_anderson(collocation *co, const flx_dims *d, bool use);

// flx_collocation_close.c
// Close the position constraints of (q, v) to rounding with the present factors: at first q, then, where
// asked for, v. Does nothing where that brings no gain.
flx_status flx_collocation_close(flx_integrator *it, const flx_point *p, double *q, double *v,
                                 bool velocities);
// ... of a state between steps.
flx_status flx_collocation_close_state(flx_integrator *it, flx_state *x);

// flx_collocation_error.c
// Tolerances of this step, from the state at its beginning.
void flx_collocation_set_weights(flx_integrator *it, const flx_state *x);
// The power of h in the norm of velocities, for the present linearisation and step.
void flx_collocation_weigh_velocities(flx_integrator *it);
// Size of the corrections D, dV in units of what the step's tolerance leaves to Newton.
double flx_collocation_correction_norm(const collocation *co, const flx_dims *d);
// Estimated error of the attempt in units of the tolerance. `again`: filtered twice, for steps in
// which the fast motion has not died out.
flx_status flx_collocation_error(flx_integrator *it, const flx_state *x, bool again, double *error);
double flx_collocation_first_step(const collocation *co, const flx_dims *d, const flx_state *x,
                                  double h_most);

// collocation_order.c
// For a method with several tableaux: what the choice between them needs.
flx_status flx_collocation_prepare_orders(flx_integrator *it);
// After a step that was accepted with this error, and for which h_next is proposed: another tableau,
// with a step of its own, where that is less work.
flx_status flx_collocation_choose_order(flx_integrator *it, const flx_state *x, double error);
// After an attempt that Newton could not solve.
void flx_collocation_lower_order(flx_integrator *it);

// collocation_control.c
// One step of at most h_most with the error below the tolerance, repeated until it is.
flx_status flx_collocation_control_step(flx_integrator *it, flx_state *x, double h_most,
                                        double *h_taken);
