// collocation_tableau.c - coefficients of Radau IIA, Gauss and Lobatto; see collocation_tableau.h for
// the equations.
#include "integrate/collocation/collocation_tableau.h"

#include "integrate/newton_matrix.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
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

// Newton's correction of a node x in (-1, 1), (COL-6).
static double node_correction(collocation_family family, int s, double x)
{
    double p[2], dp[2];
    switch (family) {
    case COLLOCATION_RADAU_IIA:
        legendre(s, x, p, dp);
        return (p[0] - p[1]) / (dp[0] - dp[1]);
    case COLLOCATION_GAUSS:
        legendre(s, x, p, dp);
        return p[0] / dp[0];
    default: // (1 - x^2) P'' = 2 x P' - n (n+1) P, n = s - 1
        legendre(s - 1, x, p, dp);
        return dp[0] * (1.0 - x * x) / (2.0 * x * dp[0] - (s - 1) * s * p[0]);
    }
}

// A point close to node i, from the nodes of Chebyshev.
static double node_guess(collocation_family family, int s, int i)
{
    switch (family) {
    case COLLOCATION_RADAU_IIA:
        return cos(2.0 * FLX_PI * (s - 1 - i) / (2 * s - 1));
    case COLLOCATION_GAUSS:
        return cos(FLX_PI * (4 * (s - i) - 1) / (4 * s + 2));
    default:
        return cos(FLX_PI * (s - 1 - i) / (s - 1));
    }
}

static void find_nodes(collocation_family family, int s, double *c)
{
    bool lobatto = family == COLLOCATION_LOBATTO_IIIA || family == COLLOCATION_LOBATTO_IIIC;
    int first = lobatto ? 1 : 0, end = family == COLLOCATION_GAUSS ? s : s - 1;
    if (lobatto) c[0] = 0.0;
    if (end < s) c[s - 1] = 1.0;
    for (int i = first; i < end; i++) {
        double x = node_guess(family, s, i);
        for (int k = 0; k < 50; k++) {
            double dx = node_correction(family, s, x);
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

// Weights of the values at the nodes x for the value of the polynomial at tau: products of the
// factors before each node and after it.
static void lagrange(const double *x, const double *bary, int n, double tau, double *w)
{
    double before = 1.0, after = 1.0;
    for (int i = 0; i < n; i++) {
        w[i] = bary[i] * before;
        before *= tau - x[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        w[i] *= after;
        after *= tau - x[i];
    }
}

// out_j = int_0^to l_j for the Lagrange basis l on the n nodes x, by Gauss's quadrature, exact.
static void integrate_basis(const double *x, int n, double to, double *out)
{
    double bary[FLX_STAGES_MAX], l[FLX_STAGES_MAX], g[FLX_STAGES_MAX];
    int points = n / 2 + 1;
    barycentric(x, n, bary);
    find_nodes(COLLOCATION_GAUSS, points, g);
    memset(out, 0, (size_t)n * sizeof *out);
    for (int k = 0; k < points; k++) {
        double p[2], dp[2], y = 2.0 * g[k] - 1.0;
        legendre(points, y, p, dp);
        double weight = to / ((1.0 - y * y) * dp[0] * dp[0]);
        lagrange(x, bary, n, to * g[k], l);
        for (int j = 0; j < n; j++) out[j] += weight * l[j];
    }
}

// All but the first column of Lobatto IIIC.
static void find_rest_of_row(int s, const double *c, double b1, double to, double *row)
{
    double bary[FLX_STAGES_MAX], l[FLX_STAGES_MAX];
    integrate_basis(c + 1, s - 1, to, row + 1);
    barycentric(c + 1, s - 1, bary);
    lagrange(c + 1, bary, s - 1, 0.0, l);
    for (int j = 1; j < s; j++) row[j] -= b1 * l[j - 1];
    row[0] = b1;
}

bool flx_collocation_coefficients(collocation_family family, int s, flx_coefficients *out)
{
    bool lobatto = family == COLLOCATION_LOBATTO_IIIA || family == COLLOCATION_LOBATTO_IIIC;
    if (s < (lobatto ? 2 : 1) || s > COLLOCATION_STAGES) return false;
    memset(out, 0, sizeof *out);
    out->scheme = FLX_SCHEME_RUNGE_KUTTA;
    out->s = s;
    find_nodes(family, s, out->c);
    integrate_basis(out->c, s, 1.0, out->b);
    for (int i = 0; i < s; i++) {
        if (family == COLLOCATION_LOBATTO_IIIC) {
            find_rest_of_row(s, out->c, out->b[0], out->c[i], out->A[i]);
        } else {
            integrate_basis(out->c, s, out->c[i], out->A[i]);
        }
        memcpy(out->A_v[i], out->A[i], sizeof out->A[i]);
    }
    return true;
}

// Inverse of the n x n matrix a by Gauss and Jordan with row pivoting.
static bool invert(int n, double complex a[][COLLOCATION_STAGES],
                   double complex b[][COLLOCATION_STAGES])
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

// Ai, and what the stage that is not solved for gives.
static bool find_inverse(collocation_tableau *t, const flx_coefficients *k, int first)
{
    double complex A[COLLOCATION_STAGES][COLLOCATION_STAGES];
    double complex inverse[COLLOCATION_STAGES][COLLOCATION_STAGES];
    for (int i = 0; i < t->s; i++) {
        for (int j = 0; j < t->s; j++) A[i][j] = k->A[first + i][first + j];
    }
    if (!invert(t->s, A, inverse)) return false;
    for (int i = 0; i < t->s; i++) {
        for (int j = 0; j < t->s; j++) {
            t->Ai[i][j] = creal(inverse[i][j]);
            if (first) t->slope[i] += t->Ai[i][j] * k->A[first + j][0];
        }
    }
    return true;
}

// (COL-8)
static void find_end_and_error_weights(collocation_tableau *t, const flx_coefficients *k, int first)
{
    double l[COLLOCATION_STAGES];
    flx_collocation_weights_stages(t, 0.0, l);
    for (int j = 0; j < t->s; j++) {
        t->e[j] = 0.0;
        t->d[j] = t->ends && j == t->s - 1;
        for (int i = 0; i < t->s; i++) {
            t->e[j] -= l[i] * t->Ai[i][j];
            if (!t->ends) t->d[j] += k->b[first + i] * t->Ai[i][j];
        }
    }
}

// ---- eigenvalues ----------------------------------------------------------------------------

// Coefficients of the denominator of Pade's (j, m) approximation, ascending powers.
static void find_denominator(int j, int m, double *Q)
{
    Q[0] = 1.0;
    for (int k = 0; k < m; k++) Q[k + 1] = -Q[k] * (m - k) / ((k + 1) * (double)(j + m - k));
}

// A root that moved by this part of its size is accurate: the iteration converges quadratically, and
// the eigenvectors correct what rounding leaves of it.
#define ROOT_MOVES 1e-10

// (COL-7) by the simultaneous iteration of Durand and Kerner, then kept with imaginary part >= 0.
static bool find_eigenvalues(collocation_tableau *t, const double *Q)
{
    int s = t->s;
    double complex z[COLLOCATION_STAGES];
    double radius = pow(fabs(Q[0] / Q[s]), 1.0 / s); // geometric mean of their sizes
    for (int k = 0; k < s; k++) {
        double angle = 0.4 + 2.0 * FLX_PI * k / s;
        z[k] = flx_complex(radius * cos(angle), radius * sin(angle));
    }
    double moved = 1.0;
    for (int it = 0; it < 500 && moved > ROOT_MOVES; it++) {
        moved = 0.0;
        for (int k = 0; k < s; k++) {
            double complex f = 1.0;
            for (int j = s - 1; j >= 0; j--) f = f * z[k] + Q[j] / Q[s];
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
    return moved <= ROOT_MOVES && n == t->neigen;
}

// Column k of P by inverse iteration, its largest entry one. The eigenvalue is corrected to that of
// Ai as it is rounded.
static bool find_eigenvector(collocation_tableau *t, int k)
{
    const double off = 1e-10; // as a part of the eigenvalue: two iterations leave nothing else
    int s = t->s;
    double complex B[COLLOCATION_STAGES][COLLOCATION_STAGES];
    double complex inverse[COLLOCATION_STAGES][COLLOCATION_STAGES], y[COLLOCATION_STAGES];
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) {
            B[i][j] = t->Ai[i][j] - (i == j ? t->mu[k] * (1.0 + off) : 0.0);
        }
        t->P[i][k] = 1.0 / (1 + i); // nothing special
    }
    if (!invert(s, B, inverse)) return false;
    double complex growth = 1.0;
    for (int m = 0; m < 3; m++) {
        double complex most = 0.0;
        for (int i = 0; i < s; i++) {
            y[i] = 0.0;
            for (int j = 0; j < s; j++) y[i] += inverse[i][j] * t->P[j][k];
            if (cabs(y[i]) > cabs(most)) {
                most = y[i];
                growth = y[i] / t->P[i][k];
            }
        }
        for (int i = 0; i < s; i++) t->P[i][k] = y[i] / most;
    }
    t->mu[k] = t->mu[k] * (1.0 + off) + 1.0 / growth;
    if (k < t->nreal) t->mu[k] = creal(t->mu[k]);
    return true;
}

// All s eigenvectors are inverted; of the rows and columns those of one eigenvalue a pair are kept.
static bool find_eigenvectors(collocation_tableau *t)
{
    int s = t->s, n = 0;
    double complex all[COLLOCATION_STAGES][COLLOCATION_STAGES];
    double complex inverse[COLLOCATION_STAGES][COLLOCATION_STAGES];
    for (int k = 0; k < t->neigen; k++) {
        if (!find_eigenvector(t, k)) return false;
        for (int i = 0; i < s; i++) {
            all[i][n] = t->P[i][k];
            if (k >= t->nreal) all[i][n + 1] = conj(t->P[i][k]);
        }
        n += k < t->nreal ? 1 : 2;
    }
    if (!invert(s, all, inverse)) return false;
    for (int k = 0, row = 0; k < t->neigen; row += k < t->nreal ? 1 : 2, k++) {
        memcpy(t->Pi[k], inverse[row], sizeof t->Pi[k]);
        for (int i = 0; i < s; i++) {
            bool pair = k >= t->nreal;
            t->apart[row][i] = creal(t->Pi[k][i]);
            t->together[i][row] = (pair ? 2.0 : 1.0) * creal(t->P[i][k]);
            if (!pair) continue;
            t->apart[row + 1][i] = cimag(t->Pi[k][i]);
            t->together[i][row + 1] = -2.0 * cimag(t->P[i][k]);
        }
    }
    return true;
}

// ---- use ------------------------------------------------------------------------------------

// Values at the beginning and at the stages; a stage at zero is not the beginning and is left out.
static void find_start_nodes(collocation_tableau *t)
{
    t->skipped = t->c[0] > 0.0 ? 0 : 1;
    t->nnode = t->s + 1 - t->skipped;
    t->nodes[0] = 0.0;
    memcpy(t->nodes + 1, t->c + t->skipped, (size_t)(t->s - t->skipped) * sizeof *t->nodes);
}

static bool make(collocation_family family, int stages, collocation_tableau *t)
{
    flx_coefficients k;
    if (!flx_collocation_coefficients(family, stages, &k)) return false;
    memset(t, 0, sizeof *t);
    t->slopes = family == COLLOCATION_LOBATTO_IIIA;
    t->ends = family != COLLOCATION_GAUSS;
    int first = t->slopes ? 1 : 0;
    t->s = stages - first;
    memcpy(t->c, k.c + first, (size_t)t->s * sizeof *t->c);
    double Q[COLLOCATION_STAGES + 1];
    find_start_nodes(t);
    barycentric(t->nodes, t->nnode, t->with_start);
    barycentric(t->c, t->s, t->stages_only);
    if (!find_inverse(t, &k, first)) return false;
    find_end_and_error_weights(t, &k, first);
    int less = family == COLLOCATION_RADAU_IIA ? 1 : family == COLLOCATION_LOBATTO_IIIC ? 2 : 0;
    find_denominator(t->s - less, t->s, Q);
    return find_eigenvalues(t, Q) && find_eigenvectors(t);
}

// The same numbers for everybody: worked out once, by whoever is first; who comes meanwhile works them out for himself.
bool flx_collocation_tableau_make(collocation_family family, int stages, collocation_tableau *t)
{
    enum { NOBODY, SOMEBODY, READY };
    static struct {
        atomic_int state;
        collocation_tableau tableau;
    } known[COLLOCATION_FAMILIES][COLLOCATION_STAGES + 2];
    if (stages < 1 || stages > COLLOCATION_STAGES + 1) return make(family, stages, t);
    atomic_int *state = &known[family][stages].state;
    collocation_tableau *kept = &known[family][stages].tableau;
    if (atomic_load_explicit(state, memory_order_acquire) == READY) {
        memcpy(t, kept, sizeof *t);
        return true;
    }
    int nobody = NOBODY;
    if (!make(family, stages, t)) return false;
    if (atomic_compare_exchange_strong(state, &nobody, SOMEBODY)) {
        memcpy(kept, t, sizeof *t);
        atomic_store_explicit(state, READY, memory_order_release);
    }
    return true;
}

double flx_collocation_tableau_filter(const collocation_tableau *t)
{
    return t->nreal ? creal(t->mu[0]) : cabs(t->mu[0]);
}

void flx_collocation_weights_with_start(const collocation_tableau *t, double tau, double *w)
{
    lagrange(t->nodes, t->with_start, t->nnode, tau, w);
    if (!t->skipped) return;
    memmove(w + 2, w + 1, (size_t)(t->nnode - 1) * sizeof *w);
    w[1] = 0.0;
}

void flx_collocation_weights_stages(const collocation_tableau *t, double tau, double *w)
{
    lagrange(t->c, t->stages_only, t->s, tau, w);
}
