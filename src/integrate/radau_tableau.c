// radau_tableau.c - coefficients of Radau IIA; see radau_tableau.h for the equations.
#include "integrate/radau_tableau.h"

#include "integrate/linear.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- nodes ----------------------------------------------------------------------------------

// Legendre polynomials P_s and P_s-1 at x with their derivatives, x not +-1.
static void legendre(int s, double x, double p[2], double dp[2])
{
    double a = 1.0, b = x; // P_0, P_1
    for (int k = 1; k < s; k++) {
        double next = ((2 * k + 1) * x * b - k * a) / (k + 1);
        a = b;
        b = next;
    }
    p[0] = b;
    p[1] = a;
    dp[0] = s * (a - x * b) / (1.0 - x * x);
    dp[1] = s * (x * a - b) / (1.0 - x * x); // P'_s-1 by (1 - x^2) P'_k = (k+1)(x P_k - P_k+1)
}

// (RAD-6) by Newton from the nodes of Chebyshev and Radau, which lie close.
static void find_nodes(int s, double *c)
{
    const double pi = 3.14159265358979323846;
    c[s - 1] = 1.0;
    for (int i = 0; i < s - 1; i++) {
        double x = cos(2.0 * pi * (s - 1 - i) / (2 * s - 1));
        for (int k = 0; k < 50; k++) {
            double p[2], dp[2];
            legendre(s, x, p, dp);
            double dx = (p[0] - p[1]) / (dp[0] - dp[1]);
            x -= dx;
            if (fabs(dx) <= DBL_EPSILON) break;
        }
        c[i] = 0.5 * (1.0 + x);
    }
}

// ---- matrix ---------------------------------------------------------------------------------

static void barycentric(const double *x, int n, double *w)
{
    for (int i = 0; i < n; i++) {
        w[i] = 1.0;
        for (int j = 0; j < n; j++) {
            if (j != i) w[i] /= x[i] - x[j];
        }
    }
}

// Weights of the values at the nodes x for the value of the polynomial at tau.
static void lagrange(const double *x, const double *bary, int n, double tau, double *w)
{
    for (int i = 0; i < n; i++) {
        w[i] = bary[i];
        for (int j = 0; j < n; j++) {
            if (j != i) w[i] *= tau - x[j];
        }
    }
}

// x (s+1) = (0, c), with its barycentric weights.
static void find_matrix(radau_tableau *t, const double *x)
{
    const double *w = t->with_start;
    for (int i = 1; i <= t->s; i++) {
        double sum = 0.0; // the derivative of a constant is zero
        for (int j = 0; j <= t->s; j++) {
            if (j == i) continue;
            double d = w[j] / w[i] / (x[i] - x[j]);
            sum += d;
            if (j > 0) t->Ai[i - 1][j - 1] = d;
        }
        t->Ai[i - 1][i - 1] = -sum;
    }
}

static void find_error_weights(radau_tableau *t)
{
    double l[RADAU_STAGES];
    radau_weights_stages(t, 0.0, l);
    for (int j = 0; j < t->s; j++) {
        t->e[j] = 0.0;
        for (int i = 0; i < t->s; i++) t->e[j] -= l[i] * t->Ai[i][j];
    }
}

// ---- eigenvalues ----------------------------------------------------------------------------

// Coefficients of N (ascending powers) and of its derivatives: N[k] is the k-th one.
typedef double derivatives[RADAU_STAGES + 1][RADAU_STAGES + 1];

static void find_derivatives(const radau_tableau *t, derivatives N)
{
    memset(N, 0, sizeof(derivatives));
    N[0][0] = 1.0;
    for (int i = 0; i < t->s; i++) {
        for (int k = i + 1; k >= 0; k--) N[0][k] = (k ? N[0][k - 1] : 0.0) - t->c[i] * N[0][k];
    }
    for (int k = 1; k <= t->s; k++) {
        for (int j = 0; j < t->s; j++) N[k][j] = (j + 1) * N[k - 1][j + 1];
    }
}

static double value(const double *poly, int degree, double x)
{
    double v = poly[degree];
    for (int k = degree - 1; k >= 0; k--) v = v * x + poly[k];
    return v;
}

// (RAD-7) by the simultaneous iteration of Durand and Kerner, then kept with imaginary part >= 0.
static bool find_eigenvalues(radau_tableau *t, derivatives N)
{
    int s = t->s;
    double complex z[RADAU_STAGES];
    double radius = pow(fabs(N[s][0] / N[0][0]), 1.0 / s); // geometric mean of their sizes
    for (int k = 0; k < s; k++) {
        double angle = 0.4 + 2.0 * 3.14159265358979323846 * k / s;
        z[k] = flx_complex(radius * cos(angle), radius * sin(angle));
    }
    double moved = 1.0;
    for (int it = 0; it < 500 && moved > 4.0 * DBL_EPSILON; it++) {
        moved = 0.0;
        for (int k = 0; k < s; k++) {
            double complex f = 1.0;
            for (int j = 1; j <= s; j++) f = f * z[k] + N[j][0] / N[0][0];
            for (int j = 0; j < s; j++) {
                if (j != k) f /= z[k] - z[j];
            }
            z[k] -= f;
            moved = fmax(moved, cabs(f) / radius);
        }
    }
    t->nreal = s % 2;
    t->neigen = (s + 1) / 2;
    int n = t->nreal;
    for (int k = 0; k < s; k++) {
        if (fabs(cimag(z[k])) < 1e-8 * radius && t->nreal) {
            t->mu[0] = creal(z[k]);
        } else if (cimag(z[k]) > 0.0 && n < t->neigen) {
            t->mu[n++] = z[k];
        }
    }
    return moved < 1e-10 && n == t->neigen;
}

// Inverse of the n x n matrix a by Gauss and Jordan with row pivoting.
static bool invert(int n, double complex a[][RADAU_STAGES], double complex b[][RADAU_STAGES])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) b[i][j] = i == j ? 1.0 : 0.0;
    }
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++) {
            if (cabs(a[i][k]) > cabs(a[p][k])) p = i;
        }
        if (!(cabs(a[p][k]) > 0.0)) return false;
        for (int j = 0; j < n; j++) {
            double complex swap_a = a[k][j], swap_b = b[k][j];
            a[k][j] = a[p][j];
            a[p][j] = swap_a;
            b[k][j] = b[p][j];
            b[p][j] = swap_b;
        }
        double complex pivot = a[k][k];
        for (int j = 0; j < n; j++) {
            a[k][j] /= pivot;
            b[k][j] /= pivot;
        }
        for (int i = 0; i < n; i++) {
            double complex f = a[i][k];
            if (i == k || f == 0.0) continue;
            for (int j = 0; j < n; j++) {
                a[i][j] -= f * a[k][j];
                b[i][j] -= f * b[k][j];
            }
        }
    }
    return true;
}

// All s eigenvectors are inverted; of the rows and columns those of one eigenvalue a pair are kept.
static bool find_eigenvectors(radau_tableau *t, derivatives N)
{
    int s = t->s, n = 0;
    double complex all[RADAU_STAGES][RADAU_STAGES], inverse[RADAU_STAGES][RADAU_STAGES];
    for (int k = 0; k < t->neigen; k++) {
        for (int i = 0; i < s; i++) {
            double complex y = 0.0;
            for (int j = s; j >= 0; j--) y = y / t->mu[k] + value(N[j], s, t->c[i]);
            t->P[i][k] = y;
        }
        double complex last = t->P[s - 1][k];
        for (int i = 0; i < s; i++) t->P[i][k] /= last;
        for (int i = 0; i < s; i++) {
            all[i][n] = t->P[i][k];
            if (k >= t->nreal) all[i][n + 1] = conj(t->P[i][k]);
        }
        n += k < t->nreal ? 1 : 2;
    }
    if (!invert(s, all, inverse)) return false;
    for (int k = 0, row = 0; k < t->neigen; row += k < t->nreal ? 1 : 2, k++) {
        memcpy(t->Pi[k], inverse[row], sizeof t->Pi[k]);
    }
    return true;
}

// ---- use ------------------------------------------------------------------------------------

bool radau_tableau_make(int s, radau_tableau *t)
{
    if (s != 1 && s != 2 && s != 3 && s != 5 && s != 7) return false;
    memset(t, 0, sizeof *t);
    t->s = s;
    find_nodes(s, t->c);
    double x[RADAU_STAGES + 1] = {0.0};
    memcpy(x + 1, t->c, (size_t)s * sizeof *x);
    barycentric(x, s + 1, t->with_start);
    barycentric(t->c, s, t->stages_only);
    find_matrix(t, x);
    find_error_weights(t);
    derivatives N;
    find_derivatives(t, N);
    return find_eigenvalues(t, N) && find_eigenvectors(t, N);
}

void radau_weights_with_start(const radau_tableau *t, double tau, double *w)
{
    double x[RADAU_STAGES + 1] = {0.0};
    memcpy(x + 1, t->c, (size_t)t->s * sizeof *x);
    lagrange(x, t->with_start, t->s + 1, tau, w);
}

void radau_weights_stages(const radau_tableau *t, double tau, double *w)
{
    lagrange(t->c, t->stages_only, t->s, tau, w);
}
