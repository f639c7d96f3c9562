// lqr.c - regulators and filters of least cost.
#include "base/common.h"
#include "base/refuse.h"
#include "control/cost_units.h"
#include "flexion/control.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/riccati/riccati.h"

#include <math.h>
#include <string.h>

#define ROUNDING 1e-10 // of weights, as a part of the largest

static void turn(int m, int n, const double *rows, double *columns) // (m x n)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++)
            columns[i + (size_t)m * (size_t)j] = rows[(size_t)n * (size_t)i + j];
    }
}

static void turn_back(int m, int n, const double *columns, double *rows)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++)
            rows[(size_t)n * (size_t)i + j] = columns[i + (size_t)m * (size_t)j];
    }
}

static flx_status check_sample(flx_ctx *ctx, double sample)
{
    if (sample >= 0.0 && isfinite(sample)) return FLX_OK;
    return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "the interval of samples is %g: it is positive, or 0 where there are none",
                    sample);
}

static flx_status check_finite(flx_ctx *ctx, size_t n, const double *x, const char *what)
{
    if (!x) return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "%s is NULL", what);
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "%s has an entry that is no number",
                            what);
        }
    }
    return FLX_OK;
}

// No cost and no variance is negative: no eigenvalue is, but for rounding.
static flx_status check_definite(flx_ctx *ctx, int n, const double *Q, const char *what)
{
    size_t size = (size_t)n * (size_t)n;
    double *A = flx_alloc(ctx, size + (size_t)n, sizeof *A), *w = A + size;
    if (!A) return FLX_ERR_MEMORY;
    memcpy(A, Q, size * sizeof *A);
    flx_status status = flx_dense_symmetric_eigen(ctx, n, A, w);
    if (status == FLX_OK && w[0] < -ROUNDING * fmax(fabs(w[0]), fabs(w[n - 1]))) {
        status = FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                          "%s is negative along some direction: its least eigenvalue is %.6g", what,
                          w[0]);
    }
    flx_free(A);
    return status;
}

// Symmetric to rounding, and not negative.
static flx_status check_weights(flx_ctx *ctx, int n, const double *Q, const char *what)
{
    double most = 0.0;
    for (int i = 0; i < n * n; i++) most = fmax(most, fabs(Q[i]));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            if (fabs(Q[i + n * j] - Q[j + n * i]) <= ROUNDING * most) continue;
            return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "%s is not symmetric: %g beside %g",
                            what, Q[i + n * j], Q[j + n * i]);
        }
    }
    return check_definite(ctx, n, Q, what);
}

static flx_status fail_unreached(flx_ctx *ctx, int n, const double s[2], const double *re,
                                 const double *im, bool discrete, const char *why)
{
    int most = 0;
    for (int i = 1; i < n; i++) {
        if (hypot(re[i], im[i]) > hypot(re[most], im[most])) most = i;
    }
    return FLX_FAIL(ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                    "the mode with %s %.6g%s%.6g%s, most of it state %d, does not decay and %s",
                    discrete ? "the multiplier" : "s =", s[0], s[1] != 0.0 ? " +- " : "",
                    fabs(s[1]), s[1] != 0.0 ? "i" : "", most + 1, why);
}

// What no gains can change.
static flx_status check_modes(flx_ctx *ctx, const flx_riccati *r, bool discrete, bool filter)
{
    int n = r->n;
    bool found = false;
    double s[2] = {0, 0}, *w = flx_alloc(ctx, 2 * (size_t)n, sizeof *w);
    if (!w) return FLX_ERR_MEMORY;
    flx_status status =
        flx_riccati_unreached(ctx, n, r->m, r->A, r->B, discrete, &found, s, w, w + n);
    if (status == FLX_OK && found) {
        status = fail_unreached(ctx, n, s, w, w + n, discrete,
                                filter ? "is not seen by what is measured"
                                       : "is not reached by the inputs");
    }
    flx_free(w);
    return status;
}

static flx_status explain(flx_ctx *ctx, flx_status status, bool filter)
{
    if (status == FLX_SINGULAR) {
        return FLX_FAIL(
            ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
            filter
                ? "no filter of least variance: a mode that does not decay is excited by no noise"
                : "no gains of least cost: a mode on the border of stability costs nothing; "
                  "give its states a weight");
    }
    if (status == FLX_ERR_ARGUMENT) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the %s must be positive definite",
                        filter ? "noise of the measurements" : "weights of the inputs");
    }
    return status;
}

// What a regulator and its dual are given: (n x n) A, (n x m) B or its transpose, and weights of both sides.
static flx_status check_problem(flx_ctx *ctx, int n, int m, const double *A, const double *B,
                                const double *Q, const double *R, double sample, bool filter)
{
    size_t nn = (size_t)n * (size_t)n, nm = (size_t)n * (size_t)m, mm = (size_t)m * (size_t)m;
    FLX_TRY(check_finite(ctx, nn, A, "A"));
    FLX_TRY(check_finite(ctx, nm, B, filter ? "C" : "B"));
    FLX_TRY(check_finite(ctx, nn, Q, filter ? "W" : "Q"));
    FLX_TRY(check_finite(ctx, mm, R, filter ? "V" : "R"));
    FLX_TRY(
        check_weights(ctx, n, Q, filter ? "W, the noise of the process," : "Q, of the states,"));
    FLX_TRY(check_weights(ctx, m, R,
                          filter ? "V, the noise of what is measured," : "R, of the inputs,"));
    return check_sample(ctx, sample);
}

static flx_status find_gains(flx_ctx *ctx, int n, int m, const double *A, const double *B,
                             const double *Q, const double *R, double sample, double *K, double *P)
{
    size_t nn = (size_t)n * (size_t)n, nm = (size_t)n * (size_t)m, mm = (size_t)m * (size_t)m;
    double *memory = flx_alloc(ctx, 3 * nn + 4 * nm + mm, sizeof *memory);
    double *cost = P ? P : flx_alloc(ctx, nn, sizeof *cost);
    if (!memory || !cost) {
        flx_free(memory);
        if (!P) flx_free(cost);
        return FLX_ERR_MEMORY;
    }
    double *At = memory, *Bt = At + nn, *Kt = Bt + nm, *Ad = Kt + nm, *Bd = Ad + nn, *Qd = Bd + nm;
    double *Sd = Qd + nn, *Rd = Sd + nm;
    flx_riccati r = {.n = n, .m = m, .A = At, .B = Bt, .Q = Q, .R = R};
    turn(n, n, A, At);
    turn(n, m, B, Bt);
    flx_status status = check_modes(ctx, &r, false, false);
    if (status == FLX_OK && sample > 0.0) {
        status = flx_riccati_sample(ctx, &r, sample, Ad, Bd, Qd, Rd, Sd);
        r = (flx_riccati){.n = n, .m = m, .A = Ad, .B = Bd, .Q = Qd, .R = Rd, .S = Sd};
        if (status == FLX_OK) status = check_modes(ctx, &r, true, false);
        if (status == FLX_OK) {
            status = explain(ctx, flx_riccati_discrete(ctx, &r, Kt, cost, NULL), false);
        }
    } else if (status == FLX_OK) {
        status = explain(ctx, flx_riccati_continuous(ctx, &r, Kt, cost, NULL), false);
    }
    if (status == FLX_OK) turn_back(m, n, Kt, K);
    flx_free(memory);
    if (!P) flx_free(cost);
    return status;
}

// X (m x n) by rows, with row i times left[i] and column j times right[j]; over: divided by them.
static void scale_rows(int m, int n, const double *left, bool over_left, const double *right,
                       bool over_right, const double *X, double *to)
{
    for (int i = 0; i < m; i++) {
        double a = over_left ? 1.0 / left[i] : left[i];
        for (int j = 0; j < n; j++)
            to[i * n + j] = X[i * n + j] * a * (over_right ? 1.0 / right[j] : right[j]);
    }
}

// In units in which nothing is lost beside larger numbers: those of the caller may be far apart.
static flx_status find_gains_in_units(flx_ctx *ctx, int n, int m, const double *A, const double *B,
                                      const double *Q, const double *R, double sample, double *K,
                                      double *P)
{
    size_t nn = (size_t)n * (size_t)n, nm = (size_t)n * (size_t)m, mm = (size_t)m * (size_t)m;
    double *copy = flx_alloc(ctx, 2 * nn + nm + mm + (size_t)(n + m), sizeof *copy);
    if (!copy) return FLX_ERR_MEMORY;
    double *a = copy, *q = a + nn, *b = q + nn, *r = b + nm, *d = r + mm, *s = d + n;
    flx_status status;
    if (flx_cost_units(n, m, A, B, Q, R, sample > 0.0, d, s)) {
        scale_rows(n, n, d, true, d, false, A, a);
        scale_rows(n, m, d, true, s, false, B, b);
        scale_rows(n, n, d, false, d, false, Q, q);
        scale_rows(m, m, s, false, s, false, R, r);
        status = find_gains(ctx, n, m, a, b, q, r, sample, K, P);
        if (status == FLX_OK) scale_rows(m, n, s, false, d, true, K, K);
        if (status == FLX_OK && P) scale_rows(n, n, d, true, d, true, P, P);
    } else {
        status = find_gains(ctx, n, m, A, B, Q, R, sample, K, P);
    }
    flx_free(copy);
    return status;
}

flx_status flx_lqr_find(flx_ctx *ctx, int n, int m, const double *A, const double *B,
                        const double *Q, const double *R, double sample, double *K, double *P)
{
    if (!ctx) return flx_refuse_null(ctx, __func__);
    if (n < 1 || m < 1)
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "no states or no inputs");
    FLX_TRY(check_problem(ctx, n, m, A, B, Q, R, sample, false));
    if (!K) return flx_refuse_null(ctx, __func__);
    return find_gains_in_units(ctx, n, m, A, B, Q, R, sample, K, P);
}

// The dual: A^T, C^T; of samples P is that before the measurement, and L follows from it.
static flx_status find_filter(flx_ctx *ctx, int n, int m, const double *A, const double *C,
                              const double *W, const double *V, double sample, double *L, double *P)
{
    size_t nn = (size_t)n * (size_t)n, nm = (size_t)n * (size_t)m, mm = (size_t)m * (size_t)m;
    double *memory = flx_alloc(ctx, 5 * nn + 4 * nm + mm, sizeof *memory);
    if (!memory) return FLX_ERR_MEMORY;
    double *K = memory, *X = K + nm, *Ad = X + nn, *Q = Ad + nn, *B = Q + nn, *S = B + nm,
           *At = S + nm, *Y = At + nn, *N = Y + nn;
    // rows are columns of the transposed: A as it lies is A^T by columns, C (m x n) by rows is C^T (n x m)
    flx_riccati r = {.n = n, .m = m, .A = A, .B = C, .Q = W, .R = V};
    flx_status status = check_modes(ctx, &r, false, true);
    if (status == FLX_OK && sample > 0.0) {
        // the integral of e^(A t) W e^(A^T t): the sampled cost of the dual; inputs play no part
        status = flx_riccati_sample(ctx, &r, sample, Ad, B, Q, N, S);
        r.A = Ad;
        r.Q = Q;
        if (status == FLX_OK) status = check_modes(ctx, &r, true, true);
        if (status == FLX_OK)
            status = explain(ctx, flx_riccati_discrete(ctx, &r, K, X, NULL), true);
        if (status == FLX_OK) { // L = X C^T (C X C^T + V)^-1, P = X - L C X
            flx_dense_multiply(true, false, m, n, n, C, X, K); // C X, (m x n)
            flx_dense_multiply(false, false, m, m, n, K, C, N);
            for (size_t i = 0; i < mm; i++) N[i] += V[i];
            memcpy(S, K, nm * sizeof *S);
            status = flx_dense_solve(ctx, m, n, N, S); // L^T
            if (status == FLX_OK) {
                flx_dense_multiply(true, false, n, n, m, S, K, Y);
                for (size_t i = 0; i < nn; i++) X[i] -= Y[i];
                memcpy(K, S, nm * sizeof *K);
            }
        }
    } else if (status == FLX_OK) {
        status = explain(ctx, flx_riccati_continuous(ctx, &r, K, X, NULL), true);
    }
    if (status == FLX_OK) memcpy(L, K, nm * sizeof *L); // (m x n) by columns is (n x m) by rows
    if (status == FLX_OK && P) memcpy(P, X, nn * sizeof *P);
    flx_free(memory);
    return status;
}

// The units of the dual are one over those of states and measurements.
static flx_status find_filter_in_units(flx_ctx *ctx, int n, int m, const double *A, const double *C,
                                       const double *W, const double *V, double sample, double *L,
                                       double *P)
{
    size_t nn = (size_t)n * (size_t)n, nm = (size_t)n * (size_t)m, mm = (size_t)m * (size_t)m;
    double *copy = flx_alloc(ctx, 2 * nn + nm + mm + (size_t)(n + m), sizeof *copy);
    if (!copy) return FLX_ERR_MEMORY;
    double *a = copy, *w = a + nn, *c = w + nn, *v = c + nm, *d = v + mm, *s = d + n;
    flx_status status;
    turn(n, n, A, a); // A^T and C^T by rows
    turn(m, n, C, c);
    if (flx_cost_units(n, m, a, c, W, V, sample > 0.0, d, s)) {
        scale_rows(n, n, d, false, d, true, A, a);
        scale_rows(m, n, s, false, d, true, C, c);
        scale_rows(n, n, d, false, d, false, W, w);
        scale_rows(m, m, s, false, s, false, V, v);
        status = find_filter(ctx, n, m, a, c, w, v, sample, L, P);
        if (status == FLX_OK) scale_rows(n, m, d, true, s, false, L, L);
        if (status == FLX_OK && P) scale_rows(n, n, d, true, d, true, P, P);
    } else {
        status = find_filter(ctx, n, m, A, C, W, V, sample, L, P);
    }
    flx_free(copy);
    return status;
}

flx_status flx_kalman_find(flx_ctx *ctx, int n, int nout, const double *A, const double *C,
                           const double *W, const double *V, double sample, double *L, double *P)
{
    if (!ctx) return flx_refuse_null(ctx, __func__);
    if (n < 1 || nout < 1)
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "no states or no measurements");
    FLX_TRY(check_problem(ctx, n, nout, A, C, W, V, sample, true));
    if (!L) return flx_refuse_null(ctx, __func__);
    return find_filter_in_units(ctx, n, nout, A, C, W, V, sample, L, P);
}

flx_status flx_sample_linear(flx_ctx *ctx, int n, int m, const double *A, const double *B, double T,
                             double *Ad, double *Bd)
{
    if (!ctx) return flx_refuse_null(ctx, __func__);
    if (n < 1 || m < 0)
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "%d states, %d inputs", n, m);
    size_t nn = (size_t)n * (size_t)n, nm = (size_t)n * (size_t)m, mm = (size_t)m * (size_t)m;
    FLX_TRY(check_finite(ctx, nn, A, "A"));
    if (m > 0) FLX_TRY(check_finite(ctx, nm, B, "B"));
    FLX_TRY(check_sample(ctx, T));
    if (!Ad || (m > 0 && !Bd)) return flx_refuse_null(ctx, __func__);
    double *memory = flx_alloc(ctx, 4 * nn + 3 * nm + 2 * mm, sizeof *memory);
    if (!memory) return FLX_ERR_MEMORY;
    double *At = memory, *Q = At + nn, *At2 = Q + nn, *Qd = At2 + nn, *Bt = Qd + nn, *Bt2 = Bt + nm,
           *Sd = Bt2 + nm, *R = Sd + nm, *Rd = R + mm;
    flx_riccati r = {.n = n, .m = m, .A = At, .B = Bt, .Q = Q, .R = R};
    turn(n, n, A, At);
    turn(n, m, B, Bt);
    memset(Q, 0, nn * sizeof *Q);
    memset(R, 0, mm * sizeof *R);
    flx_status status = flx_riccati_sample(ctx, &r, T, At2, Bt2, Qd, Rd, Sd);
    if (status == FLX_OK) {
        turn_back(n, n, At2, Ad);
        turn_back(n, m, Bt2, Bd);
    }
    flx_free(memory);
    return status;
}

// ---- along a motion ------------------------------------------------------------------------------------

static flx_status check_motion(flx_ctx *ctx, const flx_lqr_motion *r)
{
    if (r->n < 1 || r->m < 1)
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "no states or no inputs");
    size_t nt = (size_t)r->nt, nn = (size_t)r->n * (size_t)r->n;
    size_t nm = (size_t)r->n * (size_t)r->m, mm = (size_t)r->m * (size_t)r->m;
    if (r->nt < 2) return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "a motion has two times");
    FLX_TRY(check_finite(ctx, nt, r->t, "the list of times"));
    FLX_TRY(check_sample(ctx, r->sample));
    for (int i = 0; i + 1 < r->nt; i++) {
        if (r->t[i] < r->t[i + 1]) continue;
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the times of a motion ascend");
    }
    FLX_TRY(check_finite(ctx, nt * nn, r->A, "A"));
    FLX_TRY(check_finite(ctx, nt * nm, r->B, "B"));
    FLX_TRY(check_finite(ctx, nn, r->Q, "Q"));
    FLX_TRY(check_finite(ctx, mm, r->R, "R"));
    FLX_TRY(check_weights(ctx, r->n, r->Q, "Q, of the states,"));
    FLX_TRY(check_weights(ctx, r->m, r->R, "R, of the inputs,"));
    if (r->end) FLX_TRY(check_finite(ctx, nn, r->end, "the cost of the end"));
    return r->end ? check_weights(ctx, r->n, r->end, "the cost of the end") : FLX_OK;
}

flx_status flx_lqr_along(flx_ctx *ctx, const flx_lqr_motion *r, double *K, double *P)
{
    if (!ctx || !r || !K) return flx_refuse_null(ctx, __func__);
    FLX_TRY(check_motion(ctx, r));
    size_t nt = (size_t)r->nt, n = (size_t)r->n, m = (size_t)r->m, nn = n * n, nm = n * m;
    double *At = flx_alloc(ctx, nt * (nn + 2 * nm), sizeof *At);
    double *cost = P ? P : flx_alloc(ctx, nt * nn, sizeof *cost);
    if (!At || !cost) {
        flx_free(At);
        if (!P) flx_free(cost);
        return FLX_ERR_MEMORY;
    }
    double *Bt = At + nt * nn, *Kt = Bt + nt * nm;
    for (size_t k = 0; k < nt; k++) {
        turn(r->n, r->n, r->A + k * nn, At + k * nn);
        turn(r->n, r->m, r->B + k * nm, Bt + k * nm);
    }
    const flx_riccati_motion motion = {.n = r->n,
                                       .m = r->m,
                                       .nt = r->nt,
                                       .t = r->t,
                                       .A = At,
                                       .B = Bt,
                                       .Q = r->Q,
                                       .R = r->R,
                                       .end = r->end,
                                       .sample = r->sample};
    flx_status status = flx_riccati_along(ctx, &motion, Kt, cost);
    if (status == FLX_SINGULAR) {
        status = FLX_FAIL(ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                          "Riccati's equation cannot be followed between two of the times: take "
                          "more of them, or weights that are nearer to each other");
    } else {
        status = explain(ctx, status, false);
    }
    for (size_t k = 0; status == FLX_OK && k < nt; k++)
        turn_back(r->m, r->n, Kt + k * nm, K + k * nm);
    flx_free(At);
    if (!P) flx_free(cost);
    return status;
}
