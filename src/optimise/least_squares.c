// least_squares.c - see least_squares.h.
#include "optimise/least_squares.h"

#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define FIRST_DAMPING 1e-3
#define MOST_DAMPING 1e12
#define SMALL_STEP 1e-10 // of the range of each unknown
#define TINY_STEP 1e-15  // that is none
#define SMALL_GAIN 1e-13 // of the sum
#define SMALL_SLOPE 1e-9 // cosine of residuals and columns of J
#define MOST_TRIALS 40   // of one iteration

typedef struct search {
    flx_least_squares *q;
    double *g, *A, *d, *y, *r, *size; // (n) (n x n) (n) (n) (m) (n)
    bool *held;                       // (n)
} search;

static double squares(const double *r, int m)
{
    double sum = 0.0;
    for (int i = 0; i < m; i++) sum += r[i] * r[i];
    return sum;
}

static flx_status look(search *s, const double *x, double *r, double *J)
{
    flx_least_squares *q = s->q;
    q->evaluations++;
    flx_status status = q->evaluate(q->user, x, r, J);
    if (status == FLX_OK && !isfinite(squares(r, q->m))) status = FLX_NOT_FINITE;
    if (status > 0) q->failures++;
    return status;
}

// J^T J and J^T r; which unknowns a bound holds.
static void form(search *s)
{
    flx_least_squares *q = s->q;
    int n = q->n;
    memset(q->normal, 0, (size_t)n * (size_t)n * sizeof *q->normal);
    memset(s->g, 0, (size_t)n * sizeof *s->g);
    for (int k = 0; k < q->m; k++) {
        const double *row = q->J + (size_t)k * (size_t)n;
        for (int i = 0; i < n; i++) {
            s->g[i] += row[i] * q->r[k];
            for (int j = 0; j < n; j++) q->normal[i * n + j] += row[i] * row[j];
        }
    }
    for (int i = 0; i < n; i++) {
        s->held[i] =
            (q->x[i] <= q->lower[i] && s->g[i] > 0.0) || (q->x[i] >= q->upper[i] && s->g[i] < 0.0);
    }
}

// Largest cosine between the residuals and a column that is free.
static double slope(const search *s)
{
    const flx_least_squares *q = s->q;
    double most = 0.0;
    for (int i = 0; i < q->n; i++) {
        double size = sqrt(q->normal[i * q->n + i] * q->sum);
        if (!s->held[i] && size > 0.0) most = fmax(most, fabs(s->g[i]) / size);
    }
    return most;
}

// (FIT-1) into d; the point into y. What is expected of the sum.
static bool solve(search *s, double damping, double *expected)
{
    const flx_least_squares *q = s->q;
    int n = q->n;
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, q->normal[i * n + i] * s->size[i] * s->size[i]);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            bool off = s->held[i] || s->held[j];
            s->A[i * n + j] = off ? 0.0 : q->normal[i * n + j] * s->size[i] * s->size[j];
        }
        double own = q->normal[i * n + i] * s->size[i] * s->size[i];
        s->A[i * n + i] += s->held[i] ? 1.0 : damping * fmax(own, DBL_EPSILON * most) + DBL_MIN;
        s->d[i] = s->held[i] ? 0.0 : -s->g[i] * s->size[i];
    }
    if (!flx_dense_cholesky(n, s->A, 1e-15)) return false;
    flx_dense_cholesky_solve(n, s->A, s->d, 1);
    for (int i = 0; i < n; i++) {
        s->y[i] = fmin(fmax(q->x[i] + s->d[i] * s->size[i], q->lower[i]), q->upper[i]);
        s->d[i] = s->y[i] - q->x[i];
    }
    double linear = 0.0, quadratic = 0.0;
    for (int i = 0; i < n; i++) {
        linear += s->g[i] * s->d[i];
        for (int j = 0; j < n; j++) quadratic += s->d[i] * q->normal[i * n + j] * s->d[j];
    }
    *expected = -(2.0 * linear + quadratic);
    return true;
}

static double length(const search *s)
{
    double most = 0.0;
    for (int i = 0; i < s->q->n; i++) most = fmax(most, fabs(s->d[i]) / s->size[i]);
    return most;
}

// One step down; *damping goes on. false: there is none.
static flx_status descend(search *s, double *damping, bool *stepped, double *far)
{
    flx_least_squares *q = s->q;
    double grow = 2.0;
    *stepped = false;
    for (int trial = 0; trial < MOST_TRIALS && *damping < MOST_DAMPING; trial++) {
        double expected = 0.0, sum = HUGE_VAL;
        if (solve(s, *damping, &expected)) {
            *far = length(s);
            if (*far <= TINY_STEP) return FLX_OK;
            // a step that bounds cut off may lead up: a shorter one does not
            flx_status status = expected > 0.0 ? look(s, s->y, s->r, NULL) : FLX_SINGULAR;
            if (status < 0) return status;
            if (status == FLX_OK) sum = squares(s->r, q->m);
        }
        double gain = expected > 0.0 ? (q->sum - sum) / expected : -1.0;
        if (gain > 0.0) {
            *damping *= fmax(1.0 / 10.0, 1.0 - pow(2.0 * gain - 1.0, 3.0));
            *stepped = true;
            return FLX_OK;
        }
        if (isfinite(sum) && expected <= SMALL_GAIN * q->sum) return FLX_OK; // rounding
        *damping *= grow;
        grow *= 2.0;
    }
    return FLX_OK;
}

static flx_status iterate(search *s)
{
    flx_least_squares *q = s->q;
    double damping = FIRST_DAMPING, far = HUGE_VAL;
    FLX_TRY(look(s, q->x, q->r, q->J));
    q->sum = squares(q->r, q->m);
    for (q->iterations = 0; q->iterations < q->most; q->iterations++) {
        bool stepped;
        double before = q->sum;
        form(s);
        if (slope(s) <= SMALL_SLOPE || q->sum == 0.0) {
            q->converged = true;
            q->why = "the residuals have no slope left";
            return FLX_OK;
        }
        FLX_TRY(descend(s, &damping, &stepped, &far));
        if (!stepped) {
            q->converged = far <= 1e-6;
            q->why = q->converged ? "no step makes the sum smaller" : "no descent was found";
            return FLX_OK;
        }
        memcpy(q->x, s->y, (size_t)q->n * sizeof *q->x);
        FLX_TRY(look(s, q->x, q->r, q->J));
        q->sum = squares(q->r, q->m);
        if (far <= SMALL_STEP || before - q->sum <= SMALL_GAIN * before) {
            q->iterations++;
            q->converged = true;
            q->why = "the last step was small";
            form(s);
            return FLX_OK;
        }
    }
    form(s);
    q->why = "the iterations are used up";
    return FLX_OK;
}

flx_status flx_least_squares_find(flx_ctx *ctx, flx_least_squares *q)
{
    size_t n = (size_t)q->n, m = (size_t)q->m;
    double *all = flx_alloc(ctx, 4 * n + n * n + m + 1, sizeof *all);
    bool *held = flx_alloc(ctx, n + 1, sizeof *held);
    search s = {.q = q, .held = held};
    flx_status status = all && held ? FLX_OK : FLX_ERR_MEMORY;
    q->evaluations = q->failures = q->iterations = 0;
    q->converged = false;
    q->why = NULL;
    if (status == FLX_OK) {
        s.g = all;
        s.d = all + n;
        s.y = all + 2 * n;
        s.size = all + 3 * n;
        s.A = all + 4 * n;
        s.r = s.A + n * n;
        for (int i = 0; i < q->n; i++) {
            double range = q->upper[i] - q->lower[i];
            s.size[i] = isfinite(range) && range > 0.0 ? range : fmax(fabs(q->x[i]), 1.0);
            q->x[i] = fmin(fmax(q->x[i], q->lower[i]), q->upper[i]);
        }
        status = iterate(&s);
    }
    flx_free(all);
    flx_free(held);
    if (status != FLX_OK) return status;
    return q->converged ? FLX_OK : FLX_NO_CONVERGENCE;
}
