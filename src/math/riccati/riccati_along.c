// riccati_along.c - Riccati's differential and difference equation, backwards along a motion; see riccati.h.
#include "math/dense.h"
#include "math/eigen.h"
#include "math/exponential.h"
#include "math/riccati/riccati.h"

#include <math.h>
#include <string.h>

#define LARGEST 0.5 // of a step times the size of the Hamiltonian matrix
#define MOST_STEPS 100000

typedef struct walk {
    flx_ctx *ctx;
    const flx_riccati_motion *r;
    size_t nn, nm;
    double scale;               // P is scaled by it, so that both off-diagonal blocks are alike
    double *A[2], *B[2], *H[2]; // at the two points of a step; H (2n x 2n)
    double *W, *E, *scratch;    // (2n x 2n), (2n x 2n), what an exponential takes
    double *X, *Y;              // (n x n)
    double *memory;
} walk;

static double size_of(int m, int n, const double *A)
{
    double most = 0.0;
    for (int j = 0; j < n; j++) {
        double sum = 0.0;
        for (int i = 0; i < m; i++) sum += fabs(A[i + (size_t)m * (size_t)j]);
        most = fmax(most, sum);
    }
    return most;
}

static void make_symmetric(int n, double *P)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++)
            P[i + n * j] = P[j + n * i] = 0.5 * (P[i + n * j] + P[j + n * i]);
    }
}

// ---- coefficients between the times ------------------------------------------------------------------

// The cubic through the four times around (fewer: the polynomial through all), at x between times k and k + 1.
static void interpolate(const walk *w, int k, double x, double *A, double *B)
{
    const flx_riccati_motion *r = w->r;
    int count = r->nt < 4 ? r->nt : 4, first = k - 1;
    if (first < 0) first = 0;
    if (first > r->nt - count) first = r->nt - count;
    memset(A, 0, w->nn * sizeof *A);
    memset(B, 0, w->nm * sizeof *B);
    for (int i = first; i < first + count; i++) {
        double c = 1.0;
        for (int j = first; j < first + count; j++)
            if (j != i) c *= (x - r->t[j]) / (r->t[i] - r->t[j]);
        for (size_t e = 0; e < w->nn; e++) A[e] += c * r->A[(size_t)i * w->nn + e];
        for (size_t e = 0; e < w->nm; e++) B[e] += c * r->B[(size_t)i * w->nm + e];
    }
}

// G = B R^-1 B^T; scratch (m x n).
static flx_status find_G(walk *w, const double *B, double *scratch, double *G)
{
    int n = w->r->n, m = w->r->m;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) scratch[j + m * i] = B[i + n * j];
    }
    FLX_TRY(flx_riccati_divide(w->ctx, m, n, w->r->R, scratch));
    flx_dense_multiply(false, false, n, n, m, B, scratch, G);
    return FLX_OK;
}

// [A, -G; -Q, -A^T], of P / scale.
static flx_status make_hamiltonian(walk *w, const double *A, const double *B, double *H)
{
    int n = w->r->n, n2 = 2 * n;
    FLX_TRY(find_G(w, B, w->X, w->Y));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            H[i + n2 * j] = A[i + n * j];
            H[n + j + n2 * (n + i)] = -A[i + n * j];
            H[i + n2 * (n + j)] = -w->scale * w->Y[i + n * j];
            H[n + i + n2 * j] = -w->r->Q[i + n * j] / w->scale;
        }
    }
    return FLX_OK;
}

// ---- steps -------------------------------------------------------------------------------------------

// P <- Y X^-1 with (X, Y) = exp(W) (1, P).
static flx_status transform(walk *w, double *P)
{
    int n = w->r->n, n2 = 2 * n;
    flx_dense_exponential(n2, w->W, 1.0, w->E, w->scratch);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n2; i++) {
            double sum = w->E[i + n2 * j];
            for (int k = 0; k < n; k++) sum += w->E[i + n2 * (n + k)] * P[k + n * j];
            // transposed, for X^T P^T = Y^T
            if (i < n)
                w->X[j + n * i] = sum;
            else
                w->Y[j + n * (i - n)] = sum;
        }
    }
    FLX_TRY(flx_dense_solve(w->ctx, n, n, w->X, w->Y));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) P[i + n * j] = w->Y[j + n * i];
    }
    make_symmetric(n, P);
    return FLX_OK;
}

// From time k + 1 back to time k (RIC-7): two exponentials per step, of order 4, exact for constant coefficients.
static flx_status go_back(walk *w, int k, double *P)
{
    const flx_riccati_motion *r = w->r;
    const double away = sqrt(3.0) / 6.0, part[2] = {0.25 + away, 0.25 - away};
    double whole = r->t[k + 1] - r->t[k];
    int n = r->n, count = 1;
    size_t size = 4 * w->nn;
    for (int side = 0; side < 2; side++) {
        interpolate(w, k, r->t[k + side], w->A[0], w->B[0]);
        FLX_TRY(make_hamiltonian(w, w->A[0], w->B[0], w->H[0]));
        double steps = ceil(whole * size_of(2 * n, 2 * n, w->H[0]) / LARGEST);
        if (!(steps < MOST_STEPS)) return FLX_SINGULAR;
        if (steps > count) count = (int)steps;
    }
    for (int s = count - 1; s >= 0; s--) {
        double h = whole / count, middle = r->t[k] + (s + 0.5) * h;
        for (int p = 0; p < 2; p++) { // the later point first
            interpolate(w, k, middle + (p == 0 ? away : -away) * h, w->A[p], w->B[p]);
            FLX_TRY(make_hamiltonian(w, w->A[p], w->B[p], w->H[p]));
        }
        for (int p = 0; p < 2; p++) {
            for (size_t e = 0; e < size; e++)
                w->W[e] = -h * (part[p] * w->H[0][e] + part[1 - p] * w->H[1][e]);
            FLX_TRY(transform(w, P));
        }
    }
    return FLX_OK;
}

// K = R^-1 B^T P.
static flx_status find_gains(walk *w, int k, const double *P, double *K)
{
    const flx_riccati_motion *r = w->r;
    flx_dense_multiply(true, false, r->m, r->n, r->n, r->B + (size_t)k * w->nm, P, K);
    for (size_t e = 0; e < w->nm; e++) K[e] *= w->scale;
    return flx_riccati_divide(w->ctx, r->m, r->n, r->R, K);
}

// One sample back (RIC-8), with the coefficients of its middle: P and K of time k from P of time k + 1.
static flx_status sample_back(walk *w, int k, double *P, double *K)
{
    const flx_riccati_motion *r = w->r;
    int n = r->n, m = r->m;
    size_t mm = (size_t)m * (size_t)m;
    double *Ad = flx_alloc(w->ctx, 4 * w->nn + 3 * w->nm + mm, sizeof *Ad);
    if (!Ad) return FLX_ERR_MEMORY;
    double *Qd = Ad + w->nn, *PA = Qd + w->nn, *V = PA + w->nn, *Bd = V + w->nn, *Sd = Bd + w->nm,
           *PB = Sd + w->nm, *Rd = PB + w->nm;
    interpolate(w, k, 0.5 * (r->t[k] + r->t[k + 1]), w->A[0], w->B[0]);
    const flx_riccati plant = {.n = n, .m = m, .A = w->A[0], .B = w->B[0], .Q = r->Q, .R = r->R};
    flx_status status = flx_riccati_sample(w->ctx, &plant, r->sample, Ad, Bd, Qd, Rd, Sd);
    flx_dense_multiply(false, false, n, n, n, P, Ad, PA);
    flx_dense_multiply(false, false, n, m, n, P, Bd, PB);
    flx_dense_multiply(true, false, m, n, n, Bd, PA, K); // Bd^T P Ad + Sd^T
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) K[i + m * j] += Sd[j + n * i];
        for (int j = 0; j < m; j++) {
            for (int e = 0; e < n; e++) Rd[i + m * j] += Bd[e + n * i] * PB[e + n * j];
        }
    }
    flx_dense_multiply(true, false, n, n, n, Ad, PA, P);
    for (size_t e = 0; e < w->nn; e++) P[e] += Qd[e];
    memcpy(PB, K, w->nm * sizeof *PB); // (m x n)
    if (status == FLX_OK) status = flx_riccati_divide(w->ctx, m, n, Rd, K);
    flx_dense_multiply(true, false, n, n, m, PB, K, V);
    for (size_t e = 0; e < w->nn; e++) P[e] -= V[e];
    make_symmetric(n, P);
    flx_free(Ad);
    return status;
}

// ---- the whole way -----------------------------------------------------------------------------------

static flx_status go(walk *w, double *K, double *P)
{
    const flx_riccati_motion *r = w->r;
    size_t last = (size_t)r->nt - 1;
    double *end = P + last * w->nn;
    if (r->sample > 0.0) {
        memset(end, 0, w->nn * sizeof *end);
        if (r->end) memcpy(end, r->end, w->nn * sizeof *end);
        memset(K + last * w->nm, 0, w->nm * sizeof *K);
        for (size_t k = last; k-- > 0;) {
            memcpy(P + k * w->nn, P + (k + 1) * w->nn, w->nn * sizeof *P);
            FLX_TRY(sample_back(w, (int)k, P + k * w->nn, K + k * w->nm));
        }
        return FLX_OK;
    }
    for (size_t e = 0; e < w->nn; e++) end[e] = r->end ? r->end[e] / w->scale : 0.0;
    FLX_TRY(find_gains(w, (int)last, end, K + last * w->nm));
    for (size_t k = last; k-- > 0;) {
        memcpy(P + k * w->nn, P + (k + 1) * w->nn, w->nn * sizeof *P);
        FLX_TRY(go_back(w, (int)k, P + k * w->nn));
        FLX_TRY(find_gains(w, (int)k, P + k * w->nn, K + k * w->nm));
    }
    for (size_t e = 0; e < (last + 1) * w->nn; e++) P[e] *= w->scale;
    return FLX_OK;
}

static flx_status open_up(walk *w)
{
    const flx_riccati_motion *r = w->r;
    size_t h = 4 * w->nn, wide = w->nn > w->nm ? w->nn : w->nm;
    double *at = flx_alloc(w->ctx, 2 * (w->nn + w->nm + h) + wide + w->nn + 4 * h, sizeof *at);
    w->memory = at;
    if (!at) return FLX_ERR_MEMORY;
    for (int p = 0; p < 2; p++) {
        w->A[p] = at;
        w->B[p] = at + w->nn;
        w->H[p] = at + w->nn + w->nm;
        at += w->nn + w->nm + h;
    }
    w->X = at; // (n x n), of (m x n) where m > n too
    w->Y = at + wide;
    w->W = w->Y + w->nn;
    w->E = w->W + h;
    w->scratch = w->E + h; // 2 h
    w->scale = 1.0;
    FLX_TRY(find_G(w, r->B, w->X, w->Y));
    double q = size_of(r->n, r->n, r->Q), g = size_of(r->n, r->n, w->Y);
    if (q > 0.0 && g > 0.0) w->scale = sqrt(q / g);
    return FLX_OK;
}

flx_status flx_riccati_along(flx_ctx *ctx, const flx_riccati_motion *r, double *K, double *P)
{
    walk w = {
        .ctx = ctx, .r = r, .nn = (size_t)r->n * (size_t)r->n, .nm = (size_t)r->n * (size_t)r->m};
    flx_status status = open_up(&w);
    if (status == FLX_OK) status = go(&w, K, P);
    flx_free(w.memory);
    return status;
}
