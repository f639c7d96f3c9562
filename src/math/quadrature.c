// quadrature.c - Gauss and Lobatto rules by Newton's method on Legendre's and Jacobi's polynomials.
#include "math/quadrature.h"

#include "base/common.h"

#include <float.h>
#include <math.h>

// Newton from the guesses below has converged to rounding after four; more change nothing.
#define ROUNDS 10
#define MOST_ROUNDS 60

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

// Jacobi's orthonormal polynomials of the weight (1 - z)^a (1 + z)^b up to degree n at z: the last one, its slope, and the sum
// of the squares of those before.
static double jacobi(int n, double a, double b, double z, double *slope, double *sum)
{
    double s = a + b, before = 0.0, d = 0.0, d_before = 0.0, last = 0.0;
    double p = sqrt(exp(lgamma(s + 2.0) - lgamma(a + 1.0) - lgamma(b + 1.0)) / exp2(s + 1.0));
    *sum = 0.0;
    for (int k = 0; k < n; k++) {
        double m = 2.0 * k + s, i = k + 1.0;
        double middle = k == 0 ? (b - a) / (s + 2.0) : (b * b - a * a) / (m * (m + 2.0));
        double next = k == 0 ? 4.0 * (1.0 + a) * (1.0 + b) / ((s + 2.0) * (s + 2.0) * (s + 3.0))
                             : 4.0 * i * (i + a) * (i + b) * (i + s) /
                                   ((m + 2.0) * (m + 2.0) * (m + 3.0) * (m + 1.0));
        *sum += p * p;
        next = sqrt(next);
        double q = ((z - middle) * p - last * before) / next;
        double dq = ((z - middle) * d + p - last * d_before) / next;
        before = p, d_before = d;
        p = q, d = dq;
        last = next;
    }
    *slope = d;
    return p;
}

// Newton with the zeros that are known divided out, from beyond the next one.
void flx_quadrature_ends(int n, double low, double high, double *x, double *w)
{
    double z[FLX_QUADRATURE_MOST], slope, sum;
    for (int i = 0; i < n; i++) {
        z[i] = 1.0;
        for (int k = 0; k < MOST_ROUNDS; k++) {
            double p = jacobi(n, high, low, z[i], &slope, &sum), others = 0.0;
            for (int j = 0; j < i; j++) others += 1.0 / (z[i] - z[j]);
            double step = p / (slope - others * p);
            z[i] -= step;
            if (fabs(step) <= DBL_EPSILON) break;
        }
        (void)jacobi(n, high, low, z[i], &slope, &sum);
        x[n - 1 - i] = 0.5 * (1.0 + z[i]);
        w[n - 1 - i] = 0.5 / (sum * pow(1.0 - z[i], high) * pow(1.0 + z[i], low));
    }
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
