// cone_convex.c - convex steps, for where Newton on the law itself does not find its way, and sweeps.
//
// With s = f |u_t| of before, Coulomb's law is lambda in the cone K, u + s n in its dual, both orthogonal (de Saxce, Mech. Struct.
// Mach. 26, 1998): the least of a convex function. Behind a compliance R about lambda_k it is smooth in v:
//
//     1/2 v M v + R/2 |P_K(lambda_k - (J v + b + s n)/R)|^2                                       (CONE-5)
//
// so that Newton with Armijo's rule always gets there.
#include "math/cone/cone_parts.h"

#include <math.h>
#include <string.h>

#define MOST 60 // Newton iterations of one convex problem
#define LAGS 12 // updates of s with one R
#define LOCAL 4 // steps of a group in a sweep

// y onto |y_t| <= f y_n by the shortest way.
static void onto_cone(const flx_cone_member *g, const double *y, double *out, double *D)
{
    int n = g->n;
    double f = g->f, size = n == 1 ? 0.0 : n == 2 ? fabs(y[1]) : hypot(y[1], y[2]);
    memset(out, 0, (size_t)n * sizeof *out);
    if (y[0] + f * size <= 0) return;
    if (size <= f * y[0]) {
        for (int i = 0; i < n; i++) out[i] = y[i], D[4 * i] = 1.0;
        return;
    }
    double a = (y[0] + f * size) / (1 + f * f), e[3] = {1.0, 0.0, 0.0};
    for (int i = 1; i < n; i++) e[i] = f * y[i] / size;
    for (int i = 0; i < n; i++) {
        out[i] = a * e[i];
        for (int j = 0; j < n; j++) D[3 * i + j] = e[i] * e[j] / (1 + f * f);
    }
    for (int i = 1; i < n; i++) {
        for (int j = 1; j < n; j++)
            D[3 * i + j] += f * a / size * ((i == j ? 1.0 : 0.0) - y[i] / size * (y[j] / size));
    }
}

// The projection of the convex problem; lag: of the normal row.
static void onto(const flx_cone_member *g, const double *y, double lag, double *out, double *D)
{
    memset(D, 0, 9 * sizeof *D);
    if (g->kind == FLX_CONE_COULOMB) {
        onto_cone(g, y, out, D);
        return;
    }
    flx_cone_project(g, y, out, D);
    if (g->kind != FLX_CONE_DIRECTED) return;
    for (int i = 1; i < g->n; i++) {
        out[i] = -g->f * lag * g->slip[i - 1];
        D[3 * i] = 0;
    }
}

// lam and H of v; returns R/2 |lam|^2 over what is not given.
static double impulses(flx_cone *c, double R, const double *v, double *lam, double *H)
{
    double sum = 0, y[3];
    c->space->rates(c, v, c->trial_u);
    for (int k = 0; k < c->ngroup; k++) {
        const flx_cone_member *g = &c->group[k];
        double S = R + (g->kind == FLX_CONE_HOLDS ? c->C[g->first] : 0.0);
        for (int i = 0; i < g->n; i++) {
            int row = g->first + i;
            double s = g->kind == FLX_CONE_COULOMB && i == 0 ? c->lag[row] : 0.0;
            y[i] = (R * c->center[row] - (c->trial_u[row] + c->b[row] + c->skew[row] + s)) / S;
        }
        onto(g, y, c->lag[g->first], lam + g->first, H + 9 * k);
        for (int i = 0; i < 9; i++) H[9 * k + i] /= S;
        for (int i = 0; i < g->n; i++) {
            bool given = g->kind == FLX_CONE_PUSHED || (g->kind == FLX_CONE_DIRECTED && i > 0);
            double l = lam[g->first + i];
            // outside a disc the function goes on linearly
            if (given || g->kind == FLX_CONE_DISC)
                sum += S * l * (y[i] - (given ? 0 : 0.5 * l));
            else
                sum += 0.5 * S * l * l;
        }
    }
    return sum;
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// (CONE-5) at v; grad and lam with it.
static double value(flx_cone *c, double R, const double *v, double *grad)
{
    double sum = impulses(c, R, v, c->trial, c->H);
    c->space->momenta(c, v, grad);
    sum += 0.5 * dot(c->nv, v, grad);
    c->space->forces(c, c->trial, c->dv);
    for (int i = 0; i < c->nv; i++) grad[i] -= c->dv[i];
    return sum;
}

// The least of (CONE-5): c->v, and c->trial the impulses of it.
static bool minimise(flx_cone *c, double R)
{
    for (int k = 0; k < MOST; k++) {
        double now = value(c, R, c->v, c->grad);
        double size = sqrt(dot(c->nv, c->grad, c->grad)), start = sqrt(dot(c->nv, c->dv, c->dv));
        if (size <= 1e-13 * start || c->nv == 0) return true;
        if (c->iterations++ >= c->budget) return false;
        if (!c->space->factor(c, c->H)) return false;
        for (int i = 0; i < c->nv; i++) c->dv[i] = -c->grad[i];
        double *step = c->step;
        memcpy(step, c->dv, (size_t)c->nv * sizeof *step);
        c->space->solve(c, step);
        double slope = dot(c->nv, c->grad, step), s = 1;
        if (!(slope < 0) || -slope <= 1e-30 + 1e-16 * fabs(now)) return true;
        for (int i = 0; i < 40; i++, s *= 0.5) {
            for (int j = 0; j < c->nv; j++) c->trial_v[j] = c->v[j] + s * step[j];
            if (value(c, R, c->trial_v, c->grad) <= now + 1e-4 * s * slope) break;
        }
        memcpy(c->v, c->trial_v, (size_t)c->nv * sizeof *c->v);
    }
    return true;
}

// s = f |u_t|, or the normal impulse of those that slide along a given direction.
static void update_lag(flx_cone *c)
{
    for (int k = 0; k < c->ngroup; k++) {
        const flx_cone_member *g = &c->group[k];
        if (g->kind == FLX_CONE_DIRECTED) c->lag[g->first] = c->lam[g->first];
        if (g->kind != FLX_CONE_COULOMB || g->n == 1) continue;
        const double *u = c->u + g->first;
        c->lag[g->first] = g->f * (g->n == 2 ? fabs(u[1]) : hypot(u[1], u[2]));
    }
}

// What M has beside its symmetric part adds to the velocities, as of the impulses at hand.
static void update_skew(flx_cone *c)
{
    memcpy(c->skew, c->u, (size_t)c->m * sizeof *c->skew);
    for (int i = 0; i < c->m; i++) c->skew[i] -= c->b[i] + c->C[i] * c->lam[i];
    c->space->rates(c, c->trial_v, c->trial_u);
    for (int i = 0; i < c->m; i++) c->skew[i] -= c->trial_u[i];
}

static bool go(flx_cone *c)
{
    double tried = 1e-3;
    memset(c->lam, 0, (size_t)c->m * sizeof *c->lam);
    memset(c->center, 0, (size_t)c->m * sizeof *c->center);
    memset(c->lag, 0, (size_t)c->m * sizeof *c->lag);
    memset(c->skew, 0, (size_t)c->m * sizeof *c->skew);
    flx_cone_respond(c);
    for (double R = 1e-2; R > 0.5e-8; R *= 0.1) {
        for (int k = 0; k < LAGS; k++) {
            if (!minimise(c, R)) return false;
            value(c, R, c->v, c->grad);
            memcpy(c->lam, c->trial, (size_t)c->m * sizeof *c->lam);
            memcpy(c->center, c->lam, (size_t)c->m * sizeof *c->lam);
            memcpy(c->trial_v, c->v, (size_t)c->nv * sizeof *c->v);
            flx_cone_respond(c);
            update_lag(c);
            update_skew(c);
            double residual = flx_cone_keep(c);
            if (residual <= FLX_CONE_LIMIT) return true;
            if (!(residual < tried)) continue;
            tried = 0.1 * residual;
            c->convex = false;
            if (flx_cone_newton(c)) return true;
            c->convex = true;
            memcpy(c->lam, c->center, (size_t)c->m * sizeof *c->lam);
            flx_cone_respond(c);
        }
    }
    return false;
}

bool flx_cone_convex(flx_cone *c)
{
    if (!c->space->momenta) return false;
    c->convex = true;
    bool done = go(c);
    c->convex = false;
    return done;
}

// J M^-1 J^T of each group into c->D, and a bound of its size.
static void find_own(flx_cone *c)
{
    for (int k = 0; k < c->ngroup; k++) {
        const flx_cone_member *g = &c->group[k];
        double *W = c->D + 9 * k, size = 0;
        for (int j = 0; j < g->n; j++) {
            double e[3] = {0}, u[3];
            e[j] = 1;
            memset(c->trial_v, 0, (size_t)c->nv * sizeof *c->trial_v);
            c->space->push(c, k, e, c->trial_v);
            c->space->rates_of(c, k, c->trial_v, u);
            for (int i = 0; i < g->n; i++) W[3 * i + j] = u[i];
            W[4 * j] += c->C[g->first + j];
        }
        for (int i = 0; i < g->n; i++) {
            double sum = 0;
            for (int j = 0; j < g->n; j++) sum += fabs(W[3 * i + j]);
            size = fmax(size, sum);
        }
        c->H[9 * k] = size > 0 ? 1 / size : 1.0;
    }
}

// A group by itself: some steps of lambda <- P(lambda - r u).
static void relax(flx_cone *c, int k)
{
    const flx_cone_member *g = &c->group[k];
    const double *W = c->D + 9 * k;
    double u[3], d[3], y[3], z[3], now[3], r = c->H[9 * k], *lam = c->lam + g->first;
    c->space->rates_of(c, k, c->v, u);
    for (int i = 0; i < g->n; i++) {
        int row = g->first + i;
        u[i] += c->b[row] + c->C[row] * lam[i];
        now[i] = lam[i];
    }
    for (int step = 0; step < LOCAL; step++) {
        for (int i = 0; i < g->n; i++) y[i] = now[i] - r * u[i];
        flx_cone_project(g, y, z, NULL);
        for (int i = 0; i < g->n; i++) {
            d[i] = z[i] - now[i];
            now[i] = z[i];
        }
        for (int i = 0; i < g->n; i++) {
            for (int j = 0; j < g->n; j++) u[i] += W[3 * i + j] * d[j];
        }
    }
    for (int i = 0; i < g->n; i++) {
        d[i] = now[i] - lam[i];
        lam[i] = now[i];
    }
    c->space->push(c, k, d, c->v);
}

bool flx_cone_sweeps(flx_cone *c, int n)
{
    if (!c->space->push) return false;
    find_own(c);
    flx_cone_respond(c);
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < c->ngroup; j++) relax(c, j);
    }
    return flx_cone_newton(c);
}
