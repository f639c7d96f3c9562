// radau.h - what the files of Radau IIA share: the method's data; stages and their solution
// (radau_stages.c); error, weights and steps (radau_control.c). radau.c is the method itself.
//
// Unknowns of stage i: U_i = (Z, X, W, lambda, mu), in the order of the system's unknowns, with
//     Z'_i = (1/h) sum_j Ai_ij Z_j,   V_i = B(Z_i) Z'_i + S^2 G_i^T eta_i                (RAD-1)
//     V'_i = (1/h) sum_j Ai_ij (V_j - v_n),   X'_i = (1/h) sum_j Ai_ij (X_j - x_n)
//     r(t_n + c_i h, q_n (+) Z_i, V_i, V'_i, X_i, X'_i, W_i, lambda_i, mu_i) = 0         (RAD-2)
// and in GGL also 0 = G_i V_i + g_t (RAD-4); without it eta = 0. S: the scales of the positions.
// Stages lie one after another.
#pragma once

#include "integrate/linear.h"
#include "integrate/method.h"
#include "integrate/radau_tableau.h"
#include "integrate/saddle.h"

#define RADAU_DEPTH 8 // differences of iterations kept for their acceleration

// Velocities along constraints that are lost to this part, squared, are left as positions give them:
// near a singular position eta has no meaning there. Elsewhere the iteration makes up for it.
#define RADAU_LOST 1e-6

// One set of stages.
typedef struct radau_stages {
    double *U;   // (s n)
    double *V;   // (s nv)
    double *A;   // (s nv) V'
    double *dX;  // (s nx) X'
    double *eta; // (s nlam)
} radau_stages;

typedef struct radau {
    radau_tableau tab;
    int s, n, first; // stages, unknowns, number of the first bond
    bool ggl, adaptive;
    int npos;          // bonds on positions: tau = C = 0
    bool *on_position; // (nlam)
    double *sigma;     // (nlam)
    double *scale;     // (n)
    double tolerance;  // what a fixed step asks of positions, as a part of their scale

    double h;          // of this attempt
    radau_stages now;  // of this attempt
    radau_stages last; // of the last step that was made: for predictions and values in between
    double h_last;
    double *Q; // (s nq)
    double *R; // (s n)
    double *F; // (nF) corrections of U, V and eta, stage by stage and one after another:
    double *D, *dV, *deta; // (s n), (s nv) and (s nlam) of them
    int nF;
    double *gd;            // (s nlam) G V + g_t
    double complex *z, *u; // (n) (nv) of one eigenvalue
    double *b, *b_imag;    // (n) (n) scratch of one real solve
    double *theta, *rate;  // (nv) scratch
    double *metric;        // (nv) S^-2: velocities are compared by their scales
    double *C;             // (nlam)

    // linearisation and its factors
    flx_blocks blocks;
    flx_linear *lin[RADAU_STAGES]; // (neigen)
    flx_linear *filter;            // real weight of the error; lin[0] when s is odd
    flx_saddle *saddle;            // [S^-2 G^T; G 0]; NULL without bonds on positions
    bool linearised;               // blocks belong to the present motion
    double left; // what is left of the constraints there, squared; small near a singular position
    double h_factored;    // 0: no factors
    int age;              // steps since the linearisation
    int fresh_iterations; // of the first step with it, 0: not known
    int extra;            // iterations more than that since then
    double contraction;   // measured with these factors; 0: not yet
    int iterations;       // of the last attempt
    bool stagnated;       // ... which ended in the rounding, short of its tolerance
    int worst;            // unknown of the largest correction

    // acceleration
    double *dF[RADAU_DEPTH], *dU[RADAU_DEPTH]; // (nF) newest first
    double *F_last, *step_last;                // (nF)
    double *weight;                            // (n)
    int nhistory;
    double product[RADAU_DEPTH][RADAU_DEPTH]; // of the dF with each other, lower triangle
    int nproduct;                             // of so many of them they are known; -1: of none
    bool has_last;                            // F_last and step_last belong to these factors

    // error control
    double rtol, atol, kappa;  // kappa: part of the tolerance that is left to Newton
    int *coordinate;           // (nv) number in q of what theta_i moves alone; -1: a rotation
    bool matched;              // coordinate is known
    double *wq, *wv, *wx, *ww; // (nv) (nv) (nx) (nw) tolerances of q, v, x, w
    double velocity_weight;    // h where velocities are only as good as positions over h, else 1
    double *compliance;        // (nlam) C / sigma over G M^-1 G^T of bonds with C > 0, else -1
    double *e, *e_v;           // (n) (nv) estimated error: q, x, w, lambda, mu; v
    double *pull, *pull_x;     // (nv) (nx) -e.(V - v_n)/h, -e.(X - x_n)/h
    double *point_q, *point_v, *point; // (nq) (nv) (n) displaced point
    double h_next;                     // proposed
    double error_last, h_error;        // of the last accepted step; 0: none
    bool rejected;                     // the last attempt was
} radau;

// radau_stages.c
// Starting values; `extrapolate` continues the last step's polynomials, else a Taylor step.
void radau_predict(flx_integrator *it, const flx_state *x, bool extrapolate);
// Newton's iteration for this attempt. Positive: not solved.
flx_status radau_solve(flx_integrator *it, const flx_state *x);
// out (n) += sign (A2 a + A1 b), columns of velocities only.
void radau_add_product(const flx_system *s, const flx_blocks *blocks, const double *a,
                       const double *b, double sign, double *out);
// Factors of [S^-2 G^T; G -damping], with the present linearisation.
flx_status radau_factor_metric(flx_integrator *it, double damping);
// Close the position bonds of (q, v) to rounding with the present factors: at first q, then, in
// GGL, v. Does nothing where that brings no gain.
flx_status radau_close(flx_integrator *it, const flx_point *p, double *q, double *v);

// radau_anderson.c
// Keeps the corrections F, and where it is of use makes of them a step that knows the iterations
// since the restart.
void radau_anderson(radau *ra, const flx_dims *d, bool use);
void radau_anderson_restart(radau *ra);

// radau_control.c
// Tolerances of this step, from the state at its beginning.
void radau_set_weights(flx_integrator *it, const flx_state *x);
// After a linearisation: how compliant the bonds with C > 0 are.
void radau_measure_compliance(flx_integrator *it);
// The power of h in the norm of velocities, for the present linearisation and step.
void radau_weigh_velocities(flx_integrator *it);
// Size of the corrections D, dV in units of what the step's tolerance leaves to Newton.
double radau_correction_norm(const radau *ra, const flx_dims *d);
// Estimated error of the attempt in units of the tolerance. `again`: filtered twice, for steps in
// which the fast motion has not died out.
flx_status radau_error(flx_integrator *it, const flx_state *x, bool again, double *error);
double radau_first_step(const radau *ra, const flx_dims *d, const flx_state *x, double h_most);
