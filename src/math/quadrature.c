// quadrature.c - Gauss and Lobatto rules by Newton's method on Legendre's polynomials.
#include "math/quadrature.h"

#include "base/common.h"

#include <math.h>

// Newton from the guesses below has converged to rounding after four; more change nothing.
#define ROUNDS 10

// P_n and P_n-1 at z.
static void legendre(int n, double z, double *p, double *below)
{
    double a = 1.0, b = 0.0;
    for (int k = 1; k <= n; k++) {
        double next = ((2 * k - 1) * z * a - (k - 1) * b) / k;
        b = a;
        a = next;
    }
    *p = a;
    *below = b;
}

void flx_quadrature_gauss(int n, double *x, double *w)
{
    for (int i = 0; i < n; i++) {
        double z = -cos(FLX_PI * (i + 0.75) / (n + 0.5)), p, below, slope = 1.0;
        for (int k = 0; k < ROUNDS; k++) {
            legendre(n, z, &p, &below);
            slope = n * (z * p - below) / (z * z - 1.0);
            z -= p / slope;
        }
        x[i] = 0.5 * (1.0 + z);
        w[i] = 1.0 / ((1.0 - z * z) * slope * slope);
    }
}

void flx_quadrature_lobatto(int n, double *x, double *w)
{
    int m = n - 1; // inner points are where P_m' is zero
    for (int i = 0; i < n; i++) {
        double z = -cos(FLX_PI * i / m), p, below;
        for (int k = 0; k < ROUNDS && i > 0 && i < m; k++) {
            legendre(m, z, &p, &below);
            double slope = m * (z * p - below) / (z * z - 1.0);
            double curve = (2.0 * z * slope - m * (m + 1) * p) / (1.0 - z * z);
            z -= slope / curve;
        }
        legendre(m, z, &p, &below);
        x[i] = 0.5 * (1.0 + z);
        w[i] = 1.0 / (m * (m + 1) * p * p);
    }
    x[0] = 0.0;
    x[m] = 1.0;
}

void flx_lagrange_eval(int n, const double *nodes, double x, double *N, double *dN)
{
    for (int i = 0; i < n; i++) {
        double value = 1.0, slope = 0.0;
        for (int j = 0; j < n; j++) {
            if (j == i) continue;
            double gap = 1.0 / (nodes[i] - nodes[j]);
            slope = (slope * (x - nodes[j]) + value) * gap;
            value *= (x - nodes[j]) * gap;
        }
        N[i] = value;
        dN[i] = slope;
    }
}
