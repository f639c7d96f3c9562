// plant.c - linear systems x' = A x + B u, y = C x: norms, Hankel's singular values, balanced truncation.
//
//     A P + P A^T + B B^T = 0,   A^T Q + Q A + C^T C = 0,   H2 = sqrt(trace C P C^T)               (RED-12)
//     P = R R^T, Q = L L^T, R^T L = U S Y^T;   T = R U S^(-1/2), W = L Y S^(-1/2)                   (RED-13)
// with r states W^T A T, W^T B, C T the error is at most 2 (s_r+1 + s_r+2 + ...), and at least s_r+1. The largest gain is
// found by Bruinsma and Steinbuch, Systems & Control Letters 14, 1990, 287-293: it is above g where
//
//     [A, B B^T/g; -C^T C/g, -A^T] has eigenvalues on the imaginary axis                           (RED-14)
#include "base/refuse.h"
#include "flexion/reduction.h"
#include "math/blas.h"
#include "math/complex_number.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/riccati/riccati.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TURNS 40
#define ON_AXIS 1e-8 // real part in proportion to the modulus
#define ABOVE 2e-10  // levels are this much above what is known

typedef flx_plant plant;

// M (n, n) = X X^T of X (n, k)
static void square(int n, int k, const double *X, double *M)
{
    flx_dense_multiply(false, true, n, n, k, X, X, M);
}

// Transposed: (n, m) of (m, n).
static void transpose(int m, int n, const double *A, double *T)
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) T[(size_t)i * n + j] = A[(size_t)j * m + i];
    }
}

// ---- Gramians -----------------------------------------------------------------------------------

// P of the inputs, or Q of the outputs.
static flx_status find_gramian(flx_ctx *ctx, const plant *s, bool outputs, double *P)
{
    int n = s->n;
    size_t nn = (size_t)n * (size_t)n, nc = (size_t)n * (size_t)s->outputs;
    double *X = flx_alloc(ctx, 2 * nn + nc, sizeof *X);
    if (!X) return FLX_ERR_MEMORY;
    double *At = X + nn, *Ct = At + nn;
    if (outputs) {
        transpose(s->outputs, n, s->C, Ct);
        square(n, s->outputs, Ct, X);
        memcpy(At, s->A, nn * sizeof *At);
    } else {
        square(n, s->inputs, s->B, X);
        transpose(n, n, s->A, At);
    }
    flx_status status = flx_lyapunov_continuous(ctx, n, At, X, P);
    flx_free(X);
    return status;
}

// R (n, n) with R R^T = P, which rounding may have made indefinite.
static flx_status factor(flx_ctx *ctx, int n, double *P)
{
    double *w = flx_alloc(ctx, (size_t)n, sizeof *w);
    if (!w) return FLX_ERR_MEMORY;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < j; i++) {
            double mean = 0.5 * (P[(size_t)j * n + i] + P[(size_t)i * n + j]);
            P[(size_t)j * n + i] = P[(size_t)i * n + j] = mean;
        }
    }
    flx_status status = flx_dense_symmetric_eigen(ctx, n, P, w);
    for (int k = 0; k < n && status == FLX_OK; k++)
        FLX_ONE_THREAD cblas_dscal(n, sqrt(fmax(w[k], 0.0)), P + (size_t)k * (size_t)n, 1);
    flx_free(w);
    return status;
}

static flx_status find_h2(flx_ctx *ctx, const plant *s, double *h2)
{
    int n = s->n, p = s->outputs;
    double *P = flx_alloc(ctx, (size_t)n * (size_t)(n + p), sizeof *P);
    if (!P) return FLX_ERR_MEMORY;
    double *CP = P + (size_t)n * (size_t)n, sum = 0;
    flx_status status = find_gramian(ctx, s, false, P);
    if (status == FLX_OK) {
        flx_dense_multiply(false, false, p, n, n, s->C, P, CP);
        for (int i = 0; i < p * n; i++) sum += CP[i] * s->C[i];
        *h2 = sqrt(fmax(sum, 0.0));
    }
    flx_free(P);
    return status;
}

// ---- at a frequency -------------------------------------------------------------------------------

// (i w - A)^-1 B behind the first n n numbers of X (n n + n inputs). false: a pole.
static bool find_states(const plant *s, double w, double complex *X, int *pivot)
{
    int n = s->n, m = s->inputs, info = 0;
    size_t nn = (size_t)n * (size_t)n;
    double complex *B = X + nn;
    for (size_t i = 0; i < nn; i++) X[i] = -s->A[i];
    for (int i = 0; i < n; i++) X[(size_t)i * n + i] += flx_complex(0, w);
    for (size_t i = 0; i < (size_t)n * (size_t)m; i++) B[i] = s->B[i];
    if (n == 0) return true;
    FLX_ONE_THREAD info = (int)LAPACKE_zgesv(LAPACK_COL_MAJOR, n, m, X, n, pivot, B, n);
    return info == 0;
}

// G (outputs, inputs) by columns.
static void find_outputs(const plant *s, const double complex *states, double complex *G)
{
    int n = s->n, p = s->outputs;
    for (int j = 0; j < s->inputs; j++) {
        for (int i = 0; i < p; i++) {
            double complex sum = 0;
            for (int k = 0; k < n; k++) sum += s->C[(size_t)k * p + i] * states[(size_t)j * n + k];
            G[(size_t)j * p + i] = sum;
        }
    }
}

static flx_status check(flx_ctx *ctx, const plant *s)
{
    if (s && s->n > 0 && s->inputs > 0 && s->outputs > 0 && s->A && s->B && s->C) return FLX_OK;
    return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "a linear system has at least one state, input and output, and A, B and C");
}

flx_status flx_plant_response(flx_ctx *ctx, const flx_plant *s, int count, const double *w,
                              double *H)
{
    if (!ctx || !s || (count > 0 && (!w || !H))) return flx_refuse_null(ctx, __func__);
    FLX_TRY(check(ctx, s));
    size_t n = (size_t)s->n, in = (size_t)s->inputs, all = (size_t)s->outputs;
    double complex *X = flx_alloc(ctx, n * n + n * in + in * all, sizeof *X), *G = X;
    int *pivot = flx_alloc(ctx, n, sizeof *pivot);
    flx_status status = X && pivot ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) G = X + n * n + n * in;
    for (int k = 0; k < count && status == FLX_OK; k++, H += 2 * in * all) {
        if (!find_states(s, w[k], X, pivot)) {
            status = FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                              "%g rad/s is a pole: the response there is infinite", w[k]);
            break;
        }
        find_outputs(s, X + n * n, G);
        for (size_t i = 0; i < all; i++) {
            for (size_t j = 0; j < in; j++) {
                H[2 * (i * in + j)] = creal(G[j * all + i]);
                H[2 * (i * in + j) + 1] = cimag(G[j * all + i]);
            }
        }
    }
    flx_free(X);
    flx_free(pivot);
    return status;
}

// ---- the largest gain -----------------------------------------------------------------------------

// Largest singular value of C (i w - A)^-1 B.
static flx_status gain_at(flx_ctx *ctx, const plant *s, double w, double *out)
{
    int n = s->n, m = s->inputs, p = s->outputs, info = 0;
    size_t nn = (size_t)n * (size_t)n, nm = (size_t)n * (size_t)m, pm = (size_t)p * (size_t)m;
    double complex *X = flx_alloc(ctx, nn + nm + pm, sizeof *X);
    int *pivot = flx_alloc(ctx, (size_t)n, sizeof *pivot);
    double *sv = flx_alloc(ctx, 2 * (size_t)(p < m ? p : m), sizeof *sv);
    flx_status status = X && pivot && sv ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        double complex *G = X + nn + nm;
        info = find_states(s, w, X, pivot) ? 0 : 1;
        find_outputs(s, X + nn, G);
        double complex none = 0;
        if (info == 0)
            FLX_ONE_THREAD info = (int)LAPACKE_zgesvd(LAPACK_COL_MAJOR, 'N', 'N', p, m, G, p, sv,
                                                      &none, 1, &none, 1, sv + (p < m ? p : m));
        *out = info == 0 ? sv[0] : (double)INFINITY;
    }
    flx_free(X);
    flx_free(pivot);
    flx_free(sv);
    return status;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Frequencies at which a singular value is g, ascending: at most 2 n. (RED-14)
static flx_status cross(flx_ctx *ctx, const plant *s, double g, double *w, int *count)
{
    int n = s->n;
    size_t nn = (size_t)n * (size_t)n, N = 2 * (size_t)n;
    double *H = flx_alloc(ctx, 4 * nn + 2 * nn + (size_t)n * (size_t)s->outputs + 2 * N, sizeof *H);
    if (!H) return FLX_ERR_MEMORY;
    double *BB = H + 4 * nn, *CC = BB + nn, *Ct = CC + nn,
           *re = Ct + (size_t)n * (size_t)s->outputs, *im = re + N;
    square(n, s->inputs, s->B, BB);
    transpose(s->outputs, n, s->C, Ct);
    square(n, s->outputs, Ct, CC);
    for (size_t j = 0; j < (size_t)n; j++) {
        for (size_t i = 0; i < (size_t)n; i++) {
            H[j * N + i] = s->A[j * (size_t)n + i];
            H[j * N + (size_t)n + i] = -CC[j * (size_t)n + i] / g;
            H[((size_t)n + j) * N + i] = BB[j * (size_t)n + i] / g;
            H[((size_t)n + j) * N + (size_t)n + i] = -s->A[i * (size_t)n + j];
        }
    }
    flx_status status = flx_dense_eigenvalues(ctx, (int)N, H, re, im);
    *count = 0;
    for (size_t k = 0; k < N && status == FLX_OK; k++) {
        if (im[k] >= 0 && fabs(re[k]) <= ON_AXIS * hypot(re[k], im[k])) w[(*count)++] = im[k];
    }
    if (status == FLX_OK) qsort(w, (size_t)*count, sizeof *w, compare);
    flx_free(H);
    return status;
}

static flx_status raise_level(flx_ctx *ctx, const plant *s, double w, double *best, double *at)
{
    double g = 0;
    FLX_TRY(gain_at(ctx, s, w, &g));
    if (g > *best) {
        *best = g;
        *at = w;
    }
    return FLX_OK;
}

static flx_status find_hinf(flx_ctx *ctx, const plant *s, const double *im, double *best,
                            double *at)
{
    int n = s->n, count = 0;
    double *w = flx_alloc(ctx, 2 * (size_t)n, sizeof *w);
    flx_status status = w ? FLX_OK : FLX_ERR_MEMORY;
    *best = *at = 0;
    if (status == FLX_OK) status = raise_level(ctx, s, 0, best, at);
    for (int k = 0; k < n && status == FLX_OK; k++) {
        if (im[k] > 0) status = raise_level(ctx, s, im[k], best, at);
    }
    for (int turn = 0; turn < TURNS && status == FLX_OK && *best > 0; turn++) {
        status = cross(ctx, s, (1 + ABOVE) * *best, w, &count);
        if (status != FLX_OK || count < 1) break;
        double before = *best;
        for (int k = 0; k < count && status == FLX_OK; k++) {
            double low = k > 0 ? w[k - 1] : 0;
            status = raise_level(ctx, s, low > 0 ? sqrt(low * w[k]) : 0.5 * w[k], best, at);
        }
        if (!(*best > (1 + ABOVE) * before)) break;
    }
    flx_free(w);
    return status;
}

// ---- calls ----------------------------------------------------------------------------------------

// Eigenvalues of A; refused where one does not decay.
static flx_status find_poles(flx_ctx *ctx, const plant *s, double *re, double *im)
{
    size_t nn = (size_t)s->n * (size_t)s->n;
    double *A = flx_alloc(ctx, nn, sizeof *A);
    if (!A) return FLX_ERR_MEMORY;
    memcpy(A, s->A, nn * sizeof *A);
    flx_status status = flx_dense_eigenvalues(ctx, s->n, A, re, im);
    flx_free(A);
    for (int k = 0; k < s->n && status == FLX_OK; k++) {
        if (re[k] < 0) continue;
        status = FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                          "the linear system is not stable: its pole %g%+gi does not decay; norms "
                          "and balanced truncation need all to do so",
                          re[k], im[k]);
    }
    return status;
}

// R and L with R R^T = P, L L^T = Q, and the singular values of R^T L with their vectors; each (n, n).
typedef struct balance {
    double *R, *L, *U, *Y, *w;
} balance;

static flx_status find_balance(flx_ctx *ctx, const plant *s, balance *b)
{
    int n = s->n;
    size_t nn = (size_t)n * (size_t)n;
    double *X = flx_alloc(ctx, nn, sizeof *X);
    b->R = flx_alloc(ctx, 4 * nn + (size_t)n, sizeof *b->R);
    flx_status status = X && b->R ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        b->L = b->R + nn;
        b->U = b->L + nn;
        b->Y = b->U + nn;
        b->w = b->Y + nn;
        status = find_gramian(ctx, s, false, b->R);
    }
    if (status == FLX_OK) status = find_gramian(ctx, s, true, b->L);
    if (status == FLX_OK) status = factor(ctx, n, b->R);
    if (status == FLX_OK) status = factor(ctx, n, b->L);
    if (status == FLX_OK) {
        flx_dense_multiply(true, false, n, n, n, b->R, b->L, X);
        status = flx_dense_svd(ctx, n, n, X, b->w, b->U, b->Y);
    }
    flx_free(X);
    return status;
}

flx_status flx_plant_norms(flx_ctx *ctx, const plant *s, flx_plant_report *out)
{
    if (!ctx || !out) return flx_refuse_null(ctx, __func__);
    FLX_TRY(check(ctx, s));
    size_t n = (size_t)s->n;
    double *poles = flx_alloc(ctx, 2 * n, sizeof *poles);
    balance b = {0};
    flx_status status = poles ? find_poles(ctx, s, poles, poles + n) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = find_h2(ctx, s, &out->h2);
    if (status == FLX_OK) status = find_hinf(ctx, s, poles + n, &out->hinf, &out->at);
    if (status == FLX_OK && out->hankel) {
        status = find_balance(ctx, s, &b);
        if (status == FLX_OK) memcpy(out->hankel, b.w, n * sizeof *out->hankel);
    }
    if (status == FLX_OK && out->poles) memcpy(out->poles, poles, 2 * n * sizeof *poles);
    flx_free(b.R);
    flx_free(poles);
    return status;
}

flx_status flx_plant_balance(flx_ctx *ctx, const plant *s, int states, double *A, double *B,
                             double *C, double *bound)
{
    if (!ctx) return flx_refuse_null(ctx, __func__);
    FLX_TRY(check(ctx, s));
    if (!A || !B || !C) return flx_refuse_null(ctx, __func__);
    int n = s->n, r = states;
    if (r < 1 || r > n) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a system of %d states has no truncation to %d", n, r);
    }
    double *poles = flx_alloc(ctx, 2 * (size_t)n, sizeof *poles);
    double *T = flx_alloc(ctx, 3 * (size_t)n * (size_t)r, sizeof *T);
    balance b = {0};
    flx_status status = poles && T ? find_poles(ctx, s, poles, poles + n) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = find_balance(ctx, s, &b);
    if (status == FLX_OK && !(b.w[r - 1] > 16 * DBL_EPSILON * b.w[0])) {
        status =
            FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                     "%d states are more than inputs and outputs know: Hankel's singular value "
                     "%d is %.1e of the first",
                     r, r, b.w[r - 1] / b.w[0]);
    }
    if (status == FLX_OK) {
        double *W = T + (size_t)n * (size_t)r, *AT = W + (size_t)n * (size_t)r;
        flx_dense_multiply(false, false, n, r, n, b.R, b.U, T);
        flx_dense_multiply(false, false, n, r, n, b.L, b.Y, W);
        for (int k = 0; k < r; k++) {
            FLX_ONE_THREAD cblas_dscal(n, 1 / sqrt(b.w[k]), T + (size_t)k * (size_t)n, 1);
            FLX_ONE_THREAD cblas_dscal(n, 1 / sqrt(b.w[k]), W + (size_t)k * (size_t)n, 1);
        }
        flx_dense_multiply(false, false, n, r, n, s->A, T, AT);
        flx_dense_multiply(true, false, r, r, n, W, AT, A);
        flx_dense_multiply(true, false, r, s->inputs, n, W, s->B, B);
        flx_dense_multiply(false, false, s->outputs, r, n, s->C, T, C);
        double sum = 0;
        for (int k = n - 1; k >= r; k--) sum += b.w[k];
        if (bound) *bound = 2 * sum;
    }
    flx_free(b.R);
    flx_free(T);
    flx_free(poles);
    return status;
}

// Gramian of the inputs between two angular frequencies: (1/pi) times the integral of Re (i w - A)^-1 B B^T (i w - A)^-H.
static flx_status add_sample(flx_ctx *ctx, const plant *s, double w, double weight, double *P)
{
    int n = s->n, m = s->inputs;
    size_t nn = (size_t)n * (size_t)n, nm = (size_t)n * (size_t)m;
    double complex *X = flx_alloc(ctx, nn + nm, sizeof *X);
    int *pivot = flx_alloc(ctx, (size_t)n, sizeof *pivot);
    flx_status status = X && pivot ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        bool regular = find_states(s, w, X, pivot);
        if (!regular) status = FLX_SINGULAR;
        for (int k = 0; k < m && regular; k++) {
            const double complex *x = X + nn + (size_t)k * n;
            for (int j = 0; j < n; j++) {
                for (int i = 0; i < n; i++)
                    P[(size_t)j * n + i] += weight * creal(x[i] * conj(x[j]));
            }
        }
    }
    flx_free(X);
    flx_free(pivot);
    return status;
}

// Between two poles the integrand is smooth on the scale of their damping: panels halve until two rules agree.
typedef struct integral {
    flx_ctx *ctx;
    const plant *s;
    double *P, *one, *two; // (n, n)
    double size;
} integral;

static flx_status add_panel(integral *q, double a, double b, int depth)
{
    static const double x5[5] = {0.04691007703066802, 0.23076534494715845, 0.5, 0.76923465505284155,
                                 0.95308992296933198};
    static const double w5[5] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                                 0.23931433524968324, 0.11846344252809454};
    size_t nn = (size_t)q->s->n * (size_t)q->s->n;
    double c = 0.5 * (a + b), change = 0, most = 0;
    memset(q->one, 0, nn * sizeof *q->one);
    memset(q->two, 0, nn * sizeof *q->two);
    for (int k = 0; k < 5; k++) {
        FLX_TRY(add_sample(q->ctx, q->s, a + (b - a) * x5[k], (b - a) * w5[k] / FLX_PI, q->one));
        FLX_TRY(add_sample(q->ctx, q->s, a + (c - a) * x5[k], (c - a) * w5[k] / FLX_PI, q->two));
        FLX_TRY(add_sample(q->ctx, q->s, c + (b - c) * x5[k], (b - c) * w5[k] / FLX_PI, q->two));
    }
    for (size_t i = 0; i < nn; i++) {
        change = fmax(change, fabs(q->one[i] - q->two[i]));
        most = fmax(most, fabs(q->P[i] + q->two[i]));
    }
    q->size = fmax(q->size, most);
    if (change <= 1e-10 * q->size || depth >= 30) {
        for (size_t i = 0; i < nn; i++) q->P[i] += q->two[i];
        return FLX_OK;
    }
    FLX_TRY(add_panel(q, a, c, depth + 1));
    return add_panel(q, c, b, depth + 1);
}

flx_status flx_plant_band_gramian(flx_ctx *ctx, const plant *s, double from, double to, double *P,
                                  double *h2)
{
    if (!ctx) return flx_refuse_null(ctx, __func__);
    FLX_TRY(check(ctx, s));
    if (!P) return flx_refuse_null(ctx, __func__);
    if (!(from >= 0 && to > from)) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a band from %g to %g rad/s: it begins at 0 or above and ends behind", from,
                        to);
    }
    int n = s->n, p = s->outputs;
    size_t nn = (size_t)n * (size_t)n;
    integral q = {.ctx = ctx, .s = s, .P = P};
    double *work = flx_alloc(ctx, 2 * nn + (size_t)n * (size_t)p, sizeof *work), sum = 0;
    if (!work) return FLX_ERR_MEMORY;
    q.one = work;
    q.two = work + nn;
    memset(P, 0, nn * sizeof *P);
    flx_status status = FLX_OK;
    for (int k = 0; k < 16 && status == FLX_OK; k++) {
        status = add_panel(&q, from + (to - from) * k / 16, from + (to - from) * (k + 1) / 16, 0);
    }
    if (status == FLX_OK && h2) {
        double *CP = work + 2 * nn;
        flx_dense_multiply(false, false, p, n, n, s->C, P, CP);
        for (int i = 0; i < p * n; i++) sum += CP[i] * s->C[i];
        *h2 = sqrt(fmax(sum, 0.0));
    }
    flx_free(work);
    return status;
}
