// collocation_tableau.h - coefficients of the fully implicit Runge-Kutta families, computed.
//
//     nodes c: zeros of P_s - P_s-1 (Radau IIA), P_s (Gauss), x(1-x) P'_s-1 (Lobatto), at 2c - 1   (COL-6)
//     a_ij = int_0^c_i l_j,  b_j = int_0^1 l_j     l: Lagrange basis on the nodes
//     IIIC: a_i1 = b_1, the rest by the quadrature on c_2, ..., c_s
//     det(1 - z A) = 0 at the eigenvalues mu of Ai = A^-1: the denominator of Pade's (j, s)
//         approximation of exp, j = s - 1 (Radau IIA), s (Gauss, IIIA), s - 2 (IIIC)           (COL-7)
//     d^T = b^T Ai: weights of the end;  e_j = - sum_i l_i(0) Ai_ij: those of the error        (COL-8)
// The first stage of Lobatto IIIA is the beginning of the step: it is taken out, A is what is left,
// and Ai times its column, `slope`, says what it gives to the rates of the others.
// For 3 stages of Radau e = (-13 - 7 sqrt 6, -13 + 7 sqrt 6, -1)/3, as in Hairer and Wanner, volume
// II, IV.8.
#pragma once

#include "flexion/extend/method_table.h"

#include <complex.h>
#include <stdbool.h>

#define COLLOCATION_STAGES 7 // at most, that are solved for

typedef enum collocation_family {
    COLLOCATION_RADAU_IIA,
    COLLOCATION_GAUSS,
    COLLOCATION_LOBATTO_IIIA,
    COLLOCATION_LOBATTO_IIIC,
    COLLOCATION_FAMILIES, // how many
} collocation_family;

typedef struct collocation_tableau {
    int s; // stages that are solved for
    double c[COLLOCATION_STAGES];
    double Ai[COLLOCATION_STAGES][COLLOCATION_STAGES];
    double e[COLLOCATION_STAGES];
    double d[COLLOCATION_STAGES];
    double slope[COLLOCATION_STAGES];
    bool ends;   // the last stage is the end of the step: d = (0, ..., 0, 1)
    bool slopes; // there is a stage at the beginning that is not solved for
    // Eigenvalues with imaginary part >= 0: one real one first when s is odd, then one of each
    // pair. A vector y is the sum over k of P_ik z_k, twice its real part for a pair, with
    // z_k = sum_i Pi_ki y_i.
    int nreal, neigen;
    double complex mu[COLLOCATION_STAGES];
    double complex P[COLLOCATION_STAGES][COLLOCATION_STAGES];
    double complex Pi[COLLOCATION_STAGES][COLLOCATION_STAGES];
    // The same in real numbers: real and imaginary parts of z_k are rows, y = together z, z = apart y.
    double apart[COLLOCATION_STAGES][COLLOCATION_STAGES];
    double together[COLLOCATION_STAGES][COLLOCATION_STAGES];
    // Barycentric weights on (0, c_1, ..., c_s) without a stage at zero, and on (c_1, ..., c_s); the
    // former nodes, how many they are, and the stages at zero that are left out.
    double with_start[COLLOCATION_STAGES + 1], stages_only[COLLOCATION_STAGES];
    double nodes[COLLOCATION_STAGES + 1];
    int nnode, skipped;
} collocation_tableau;

// A, b, c of the method with so many stages, the explicit one counted. False: there is none.
bool flx_collocation_coefficients(collocation_family family, int stages, flx_coefficients *out);

// False where there is none, or none that fits.
bool flx_collocation_tableau_make(collocation_family family, int stages, collocation_tableau *t);

// Real weight of the error's filter: the real eigenvalue, or the size of the first pair.
double flx_collocation_tableau_filter(const collocation_tableau *t);

// Values at `tau` (0: beginning of the step, 1: its end) of polynomials given at the nodes: weights
// of the s+1 values (w[0] that at the beginning), or of the s values at the stages.
void flx_collocation_weights_with_start(const collocation_tableau *t, double tau, double *w);
void flx_collocation_weights_stages(const collocation_tableau *t, double tau, double *w);
