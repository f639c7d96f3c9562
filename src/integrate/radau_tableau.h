// radau_tableau.h - coefficients of Radau IIA with s stages, computed.
//
//     P_s(2c - 1) = P_s-1(2c - 1)               nodes, the last one is 1                (RAD-6)
//     Ai = A^-1: Ai_ij = L'_j(c_i)              L: Lagrange basis on (0, c_1, ..., c_s)
//     N(t) = prod (t - c_i),  sum_k N^(k)(0) mu^(s-k) = 0        eigenvalues mu of Ai    (RAD-7)
//     P_ik = sum_j N^(j)(c_i) mu_k^-j                            eigenvectors
//     e_j = - sum_i l_i(0) Ai_ij,   l: Lagrange basis on (c_1, ..., c_s)                (RAD-8)
// For 3 stages e = (-13 - 7 sqrt 6, -13 + 7 sqrt 6, -1)/3, as in Hairer and Wanner, volume II, IV.8.
#pragma once

#include <complex.h>
#include <stdbool.h>

#define RADAU_STAGES 7 // at most

typedef struct radau_tableau {
    int s;
    double c[RADAU_STAGES];
    double Ai[RADAU_STAGES][RADAU_STAGES];
    double e[RADAU_STAGES];
    // Eigenvalues with imaginary part >= 0: one real one first when s is odd, then one of each
    // pair. A vector y is the sum over k of P_ik z_k, twice its real part for a pair, with
    // z_k = sum_i Pi_ki y_i.
    int nreal, neigen;
    double complex mu[RADAU_STAGES];
    double complex P[RADAU_STAGES][RADAU_STAGES];
    double complex Pi[RADAU_STAGES][RADAU_STAGES];
    // Barycentric weights on (0, c_1, ..., c_s) and on (c_1, ..., c_s).
    double with_start[RADAU_STAGES + 1], stages_only[RADAU_STAGES];
} radau_tableau;

// False for a number of stages that there is not: 1, 2, 3, 5 and 7 there are.
bool radau_tableau_make(int s, radau_tableau *t);

// Values at `tau` (0: beginning of the step, 1: its end) of polynomials given at the nodes: weights
// of the s+1 values (w[0] that at the beginning), or of the s values at the stages.
void radau_weights_with_start(const radau_tableau *t, double tau, double *w);
void radau_weights_stages(const radau_tableau *t, double tau, double *w);
