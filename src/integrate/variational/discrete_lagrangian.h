// discrete_lagrangian.h - steps of variational methods: the action of one step is made stationary
// among curves of degree s through s+1 nodes in the chart at its beginning,
//
//     theta(tau) = sum_j N_j(tau) X_j,  X_0 = 0,  q = q_n (+) theta,  V = B(theta) theta'/h   (VAR-1)
//     D_j = sum_i b_i [ N'_j B^T p + h N_j ((dV/dtheta)^T p + B^T F) ]   at the points c_i    (VAR-2)
//     D_j = h w_j B(X_j)^T G_j^T lambda_j,   0 < j < s;    g(q_n (+) X_j) = 0,   0 < j <= s    (VAR-3)
//     Ad(X_s) B(X_s)^-T D_s = p_n + h sum_i b_i Ad(theta_i) F_i
//                                 - h sum_j<s w_j Ad(X_j) G_j^T lambda_j                      (VAR-4)
//     p_n+1 = B(X_s)^-T D_s - h w_s G_s^T lambda_s,   M v_n+1 = p_n+1,   G v_n+1 + g_t = 0      (VAR-5)
//
// p = M V, F: all forces that are no constraints'. The multipliers of position constraints live at the
// nodes of Lobatto with their weights w, everything else (first-order states, algebraic unknowns,
// compliant and velocity-level constraints) at the points of the quadrature. Ad(theta) turns a momentum at
// q_n (+) theta into one at q_n: (VAR-4) is the balance of momentum of the step, and what is kept in
// space is kept by it. Theory: docs/theory/integrators.md.
#pragma once

#include "integrate/collocation/collocation_tableau.h"
#include "integrate/method.h"

#define DISCRETE_DEGREE 6 // at most
#define DISCRETE_POINTS 7

// Points of a quadrature with the values there of the basis and of its derivative.
typedef struct discrete_points {
    int n;
    double c[DISCRETE_POINTS], b[DISCRETE_POINTS];
    double N[DISCRETE_POINTS][DISCRETE_DEGREE + 1], dN[DISCRETE_POINTS][DISCRETE_DEGREE + 1];
} discrete_points;

// The numbers of a method.
typedef struct discrete_rule {
    int s;                                      // degree
    double node[DISCRETE_DEGREE + 1];           // from 0 to 1
    double w[DISCRETE_DEGREE + 1];              // their weights
    discrete_points kinetic, force;             // of the kinetic energy, of the forces
    bool same;                                  // both are the same points
    double A[DISCRETE_POINTS][DISCRETE_POINTS]; // of first-order states at the points of forces
    double end[DISCRETE_POINTS];                // from values there to the end of the step

    // Newton's matrix is that of collocation at s stages: weights of M and D (for dtheta = 1) and of
    // states by eigenvalue, divided by h^2, h and h; eigenvectors as in collocation_tableau.
    int nreal, neigen;
    double complex c2[DISCRETE_DEGREE], c1[DISCRETE_DEGREE];
    double complex P[DISCRETE_DEGREE][DISCRETE_DEGREE], Pi[DISCRETE_DEGREE][DISCRETE_DEGREE];
    double Ai[DISCRETE_DEGREE][DISCRETE_DEGREE];
    double stage[DISCRETE_DEGREE][DISCRETE_DEGREE];   // N_j+1 at stage i
    double node_of[DISCRETE_DEGREE][DISCRETE_DEGREE]; // its inverse
    double balance[DISCRETE_DEGREE][DISCRETE_DEGREE]; // b_i N_j at stage i, row j
    double collect[DISCRETE_DEGREE][DISCRETE_DEGREE]; // its inverse: stage i from equation j
} discrete_rule;

// discrete_rule.c
// Degree s with Gauss's quadrature of r points (VAR-6). False: there is none.
bool flx_discrete_rule_galerkin(int s, int r, discrete_rule *rule);
// Degree 1 with one point at alpha (VAR-7).
bool flx_discrete_rule_point(double alpha, discrete_rule *rule);
// Values at tau (0: beginning of the step, 1: its end) of the basis and of its derivative.
void flx_discrete_rule_basis(const discrete_rule *rule, double tau, double *N, double *dN);

// discrete_lagrangian.c
flx_status flx_discrete_create(flx_integrator *it, const discrete_rule *rule);
flx_status flx_discrete_step(flx_integrator *it, flx_state *x, double h, double *h_taken);
flx_status flx_discrete_interpolate(flx_integrator *it, double t, flx_state *out);
void flx_discrete_destroy(flx_integrator *it);
void flx_discrete_memory(flx_integrator *it, flx_memory *m);
