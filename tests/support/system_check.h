// system_check.h - what must hold of every system: its tangents are the derivatives of its residual,
// its constraints on the three levels belong together, its chart is one, its energies balance. All at a
// random point, against central differences.
#pragma once

#include "flexion/extend/method_table.h"
#include "flexion/extend/system_table.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct system_point {
    const flx_system *s;
    flx_work *work;
    flx_state *x;
    int n;
    uint64_t seed;
} system_point;

static inline double system_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (double)(*seed >> 11) / (double)(1ull << 52) - 1.0;
}

static inline double *numbers(int n)
{
    return calloc((size_t)n + 1, sizeof(double));
}

// Everything but q random; q is moved away from where it is by `away`.
static inline void randomise(system_point *p, double away)
{
    const flx_dims *d = &p->s->dims;
    flx_state *x = p->x;
    double *th = numbers(d->nv);
    for (int i = 0; i < d->nv; i++) th[i] = away * system_random(&p->seed);
    p->s->ops->retract(p->s, x->q, th, x->q);
    for (int i = 0; i < d->nv; i++) x->v[i] = system_random(&p->seed);
    for (int i = 0; i < d->nv; i++) x->a[i] = system_random(&p->seed);
    for (int i = 0; i < d->nx; i++) x->x[i] = system_random(&p->seed);
    for (int i = 0; i < d->nx; i++) x->dx[i] = system_random(&p->seed);
    for (int i = 0; i < d->nw; i++) x->w[i] = system_random(&p->seed);
    for (int i = 0; i < d->nlam; i++) x->lam[i] = 2.0 * system_random(&p->seed);
    for (int i = 0; i < d->nmu; i++) x->mu[i] = 2.0 * system_random(&p->seed);
    x->t = 0.37;
    free(th);
}

// The residual with one unknown moved: level 0: q, x, w, lam, mu; 1: v, dx; 2: a.
static inline void moved_residual(system_point *p, int unknown, int level, double h, double *r)
{
    const flx_dims *d = &p->s->dims;
    flx_state *y = NULL;
    if (flx_state_create(p->s, &y) != FLX_OK) abort();
    flx_state_copy(y, p->x);
    int i = unknown;
    if (i < d->nv) {
        if (level == 0) {
            double *th = numbers(d->nv);
            th[i] = h;
            p->s->ops->retract(p->s, p->x->q, th, y->q);
            free(th);
        } else {
            (level == 1 ? y->v : y->a)[i] += h;
        }
    } else if ((i -= d->nv) < d->nx) {
        if (level < 2) (level == 0 ? y->x : y->dx)[i] += h;
    } else if ((i -= d->nx) < d->nw) {
        if (level == 0) y->w[i] += h;
    } else if ((i -= d->nw) < d->nlam) {
        if (level == 0) y->lam[i] += h;
    } else if (level == 0) {
        y->mu[i - d->nlam] += h;
    }
    flx_point point = flx_state_point(p->s, y);
    if (p->s->ops->residual(p->s, p->work, &point, r) != FLX_OK) abort();
    flx_state_destroy(&y);
}

static inline double block_value(const flx_pattern *p, const double *A, int i, int j)
{
    int bi = 0, bj = 0;
    while (p->start[bi + 1] <= i) bi++;
    while (p->start[bj + 1] <= j) bj++;
    for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
        if (p->col[e] != bj) continue;
        int width = p->start[bj + 1] - p->start[bj];
        return A[p->offset[e] + (i - p->start[bi]) * width + j - p->start[bj]];
    }
    return 0.0;
}

// A0, A1, A2 against differences of the residual. tolerance is relative to the largest entry.
static inline int check_tangent(system_point *p, double tolerance)
{
    const flx_pattern *pt = &p->s->pattern;
    int n = p->n, bad = 0, nvalue = pt->offset[pt->row[pt->nblock]];
    double *A[3], *r1 = numbers(n), *r2 = numbers(n), largest = 1.0;
    for (int k = 0; k < 3; k++) {
        A[k] = numbers(nvalue);
        for (int e = 0; e < pt->row[pt->nblock]; e++) {
            if (pt->parts && !(pt->parts[e] >> k & 1)) continue; // zero for ever
            for (int i = pt->offset[e]; i < pt->offset[e + 1]; i++) A[k][i] = 1e300; // overwritten
        }
    }
    flx_blocks b = {A[0], A[1], A[2]};
    flx_point point = flx_state_point(p->s, p->x);
    if (p->s->ops->linearise(p->s, p->work, &point, &b) != FLX_OK) abort();
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < nvalue; i++) largest = fmax(largest, fabs(A[k][i]));
    }
    const double h = 1e-5;
    for (int j = 0; j < n; j++) {
        for (int level = 0; level < 3; level++) {
            moved_residual(p, j, level, h, r1);
            moved_residual(p, j, level, -h, r2);
            for (int i = 0; i < n; i++) {
                double found = (r1[i] - r2[i]) / (2 * h), given = block_value(pt, A[level], i, j);
                if (!(fabs(found - given) <= tolerance * largest)) {
                    flx_unknown u, v;
                    p->s->ops->unknown(p->s, i, &u);
                    p->s->ops->unknown(p->s, j, &v);
                    if (bad++ < 5) {
                        printf("A%d[%d %s %s][%d %s %s] = %.12g, difference says %.12g\n", level, i,
                               u.item, u.part, j, v.item, v.part, given, found);
                    }
                }
            }
        }
    }
    for (int k = 0; k < 3; k++) free(A[k]);
    free(r1);
    free(r2);
    return bad;
}

static inline int check_pattern(const flx_system *s)
{
    const flx_pattern *p = &s->pattern;
    int bad = p->start[0] != 0 || p->start[p->nblock] != flx_dims_unknowns(&s->dims);
    for (int i = 0; i < p->nblock && !bad; i++) {
        int diagonal = 0;
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int t = p->transpose[e], j = p->col[e];
            diagonal |= j == i;
            if (e > p->row[i] && p->col[e] <= p->col[e - 1]) bad++;
            if (p->col[t] != i || t < p->row[j] || t >= p->row[j + 1]) bad++;
            int size = (p->start[i + 1] - p->start[i]) * (p->start[j + 1] - p->start[j]);
            if (p->offset[e + 1] - p->offset[e] != size) bad++;
        }
        if (!diagonal) bad++;
    }
    if (bad) printf("the pattern is wrong\n");
    return bad;
}

// Values of r_l (sigma = 1, tau = C = 0) and r_m at q (+) h v, t + h.
static inline void rows_later(system_point *p, double h, double *rows, double *gd)
{
    const flx_dims *d = &p->s->dims;
    flx_state *y = NULL;
    if (flx_state_create(p->s, &y) != FLX_OK) abort();
    flx_state_copy(y, p->x);
    double *th = numbers(d->nv), *r = numbers(p->n);
    for (int i = 0; i < d->nv; i++) th[i] = h * p->x->v[i];
    p->s->ops->retract(p->s, p->x->q, th, y->q);
    for (int i = 0; i < d->nx; i++) y->x[i] += h * y->dx[i];
    y->t += h;
    flx_point point = flx_state_point(p->s, y);
    if (p->s->ops->residual(p->s, p->work, &point, r) != FLX_OK) abort();
    memcpy(rows, r + p->n - d->nlam - d->nmu, (size_t)(d->nlam + d->nmu) * sizeof *rows);
    if (gd && p->s->ops->constraint_rate(p->s, p->work, &point, gd) != FLX_OK) abort();
    free(th);
    free(r);
    flx_state_destroy(&y);
}

static inline int near(const char *what, int i, double given, double found, double tolerance)
{
    if (fabs(given - found) <= tolerance * (1.0 + fabs(found))) return 0;
    printf("%s[%d] = %.12g, difference says %.12g\n", what, i, given, found);
    return 1;
}

// G a + bias as a function of the position.
static inline void constraints_accelerate(system_point *p, const double *q, double *out)
{
    const flx_system_ops *o = p->s->ops;
    int m = p->s->dims.nlam + p->s->dims.nmu;
    double *bias = numbers(m), *gd = numbers(m), *still = numbers(m),
           *zero = numbers(p->s->dims.nv);
    flx_point at = flx_state_point(p->s, p->x);
    at.q = q;
    if (o->constraint_bias(p->s, p->work, &at, bias) != FLX_OK) abort();
    at.v = p->x->a;
    if (o->constraint_rate(p->s, p->work, &at, gd) != FLX_OK) abort();
    at.v = zero;
    if (o->constraint_rate(p->s, p->work, &at, still) != FLX_OK) abort();
    for (int i = 0; i < p->s->dims.nlam; i++) out[i] = bias[i] + gd[i] - still[i];
    free(bias), free(gd), free(still), free(zero);
}

// constraint_slope is the derivative of that, where it is offered.
static inline int check_constraint_slope(system_point *p, double tolerance)
{
    const flx_dims *d = &p->s->dims;
    int bad = 0;
    const double h = 1e-4;
    if (d->nlam == 0 || !p->s->ops->constraint_slope) return 0;
    double *slope = numbers(d->nlam), *f[4], *q = numbers(d->nq), *theta = numbers(d->nv);
    double *step = numbers(d->nv);
    for (int i = 0; i < d->nv; i++) theta[i] = system_random(&p->seed);
    flx_point at = flx_state_point(p->s, p->x);
    flx_status status = p->s->ops->constraint_slope(p->s, p->work, &at, theta, slope);
    for (int k = 0; k < 4; k++) { // h, -h, 2h, -2h: fourth order
        double by = (k < 2 ? h : 2 * h) * (k % 2 ? -1 : 1);
        f[k] = numbers(d->nlam);
        for (int i = 0; i < d->nv; i++) step[i] = by * theta[i];
        p->s->ops->retract(p->s, p->x->q, step, q);
        constraints_accelerate(p, q, f[k]);
    }
    for (int i = 0; i < d->nlam && status == FLX_OK; i++) {
        flx_unknown u;
        p->s->ops->unknown(p->s, d->nv + d->nx + d->nw + i, &u);
        if (u.C > 0.0) continue; // forces that are unknowns
        double difference = (8 * (f[0][i] - f[1][i]) - (f[2][i] - f[3][i])) / (12 * h);
        bad += near("constraint_slope", i, slope[i], difference, tolerance);
    }
    for (int k = 0; k < 4; k++) free(f[k]);
    free(slope), free(q), free(theta), free(step);
    return bad + (status != FLX_OK && status != FLX_ERR_CANNOT);
}

// constraint_rate is the time derivative of g; constraint_bias that of the rates at constant v. Along q (+) h v
// the velocity is constant, rotations included.
static inline int check_constraints(system_point *p, double tolerance)
{
    const flx_dims *d = &p->s->dims;
    int m = d->nlam + d->nmu, bad = 0;
    if (m == 0) return 0;
    double *a = numbers(m), *b = numbers(m), *ga = numbers(m), *gb = numbers(m), *gd = numbers(m);
    double *bias = numbers(m), *eta = numbers(m), *f = numbers(d->nv), *r1 = numbers(p->n),
           *r2 = numbers(p->n);
    const double h = 1e-5;
    flx_point point = flx_state_point(p->s, p->x);
    if (p->s->ops->constraint_rate(p->s, p->work, &point, gd) != FLX_OK) abort();
    if (p->s->ops->constraint_bias(p->s, p->work, &point, bias) != FLX_OK) abort();
    rows_later(p, h, a, ga);
    rows_later(p, -h, b, gb);
    for (int i = 0; i < m; i++) {
        flx_unknown u;
        p->s->ops->unknown(p->s, p->n - m + i, &u);
        double change = (a[i] - b[i]) / (2 * h);
        if (i < d->nlam) {
            if (u.tau == 0 && u.C == 0) bad += near("constraint_rate", i, gd[i], change, tolerance);
            bad += near("constraint_bias", i, bias[i], (ga[i] - gb[i]) / (2 * h), tolerance);
        } else {
            bad += near("velocity-level constraint's bias", i, bias[i], change, tolerance);
        }
    }
    // G^T eta is what lam = eta adds to the residual, where no force reads it
    for (int i = 0; i < d->nlam; i++) eta[i] = system_random(&p->seed);
    if (p->s->ops->constraint_force(p->s, p->work, &point, eta, f) != FLX_OK) abort();
    if (p->s->ops->residual(p->s, p->work, &point, r1) != FLX_OK) abort();
    for (int i = 0; i < d->nlam; i++) a[i] = point.lam[i] + eta[i];
    point.lam = a;
    if (p->s->ops->residual(p->s, p->work, &point, r2) != FLX_OK) abort();
    for (int i = 0; i < d->nv && !p->s->reads_multipliers; i++) {
        bad += near("constraint_force", i, f[i], r2[i] - r1[i], 1e-11);
    }
    // and its power is eta . (G v): at another v the difference leaves out g_t
    double power = 0.0, rates = 0.0;
    for (int i = 0; i < d->nv; i++) power += f[i] * p->x->v[i];
    memset(p->x->v, 0, (size_t)d->nv * sizeof(double));
    double *still = numbers(m);
    point = flx_state_point(p->s, p->x);
    if (p->s->ops->constraint_rate(p->s, p->work, &point, still) != FLX_OK) abort();
    for (int i = 0; i < d->nlam; i++) rates += eta[i] * (gd[i] - still[i]);
    bad += near("power of constraints", 0, power, rates, 1e-11);
    bad += check_constraint_slope(p, 2e-8);
    for (int i = 0; i < d->nv; i++) p->x->v[i] = system_random(&p->seed);
    free(a), free(b), free(ga), free(gb), free(gd), free(bias), free(eta), free(f), free(r1);
    free(r2), free(still);
    return bad;
}

// retract and difference are inverse; velocity is the derivative of retract; the maps are inverse
// and transposed to each other.
static inline int check_chart(system_point *p, double tolerance)
{
    const flx_system *s = p->s;
    const flx_system_ops *o = s->ops;
    int n = s->dims.nv, bad = 0;
    double *th = numbers(n), *rate = numbers(n), *v = numbers(n), *back = numbers(n),
           *moved = numbers(n), *u = numbers(n), *w = numbers(n);
    double *q0 = numbers(s->dims.nq), *q1 = numbers(s->dims.nq), *q2 = numbers(s->dims.nq);
    for (int i = 0; i < n; i++) {
        th[i] = 0.8 * system_random(&p->seed);
        rate[i] = system_random(&p->seed);
        u[i] = system_random(&p->seed);
    }
    const double h = 1e-5;
    o->retract(s, p->x->q, th, q0);
    o->difference(s, p->x->q, q0, back);
    for (int i = 0; i < n; i++) bad += near("difference", i, back[i], th[i], 1e-13);
    o->velocity(s, th, rate, v);
    for (int i = 0; i < n; i++) moved[i] = th[i] + h * rate[i];
    o->retract(s, p->x->q, moved, q1);
    for (int i = 0; i < n; i++) moved[i] = th[i] - h * rate[i];
    o->retract(s, p->x->q, moved, q2);
    o->difference(s, q2, q1, back); // about the middle: body velocity times 2 h
    for (int i = 0; i < n; i++) {
        bad += near("velocity", i, v[i], back[i] / (2 * h), tolerance);
    }
    o->rate(s, th, v, back);
    for (int i = 0; i < n; i++) bad += near("rate", i, back[i], rate[i], 1e-13);
    double a = 0, b = 0, c = 0, d = 0;
    o->velocity_t(s, th, u, w);
    for (int i = 0; i < n; i++) a += v[i] * u[i], b += rate[i] * w[i];
    bad += near("velocity_t", 0, a, b, 1e-13);
    o->rate(s, th, rate, back);
    o->rate_t(s, th, u, w);
    for (int i = 0; i < n; i++) c += back[i] * u[i], d += rate[i] * w[i];
    bad += near("rate_t", 0, c, d, 1e-13);
    memcpy(back, u, (size_t)n * sizeof *back);
    o->rate_t(s, th, back, back); // in place
    for (int i = 0; i < n; i++) bad += near("rate_t in place", i, back[i], w[i], 0.0);
    free(th), free(rate), free(v), free(back), free(moved), free(u), free(w);
    free(q0), free(q1), free(q2);
    return bad;
}

// (energy)' = v . r_v - dissipated + supplied, for any acceleration, at lam = mu = 0.
static inline int check_energy(system_point *p, double tolerance)
{
    const flx_dims *d = &p->s->dims;
    flx_state *y = NULL;
    flx_energies e, e1;
    double sum[2], *r = numbers(p->n), *th = numbers(d->nv);
    memset(p->x->lam, 0, (size_t)d->nlam * sizeof(double));
    memset(p->x->mu, 0, (size_t)d->nmu * sizeof(double));
    flx_point point = flx_state_point(p->s, p->x);
    if (p->s->ops->residual(p->s, p->work, &point, r) != FLX_OK) abort();
    if (p->s->ops->energy(p->s, p->work, &point, &e) != FLX_OK) abort();
    double power = e.supplied_power - e.dissipated_power;
    for (int i = 0; i < d->nv; i++) power += p->x->v[i] * r[i];
    if (flx_state_create(p->s, &y) != FLX_OK) abort();
    for (int k = 0; k < 2; k++) {
        double h = k ? 1e-5 : -1e-5;
        flx_state_copy(y, p->x);
        for (int i = 0; i < d->nv; i++) th[i] = h * p->x->v[i];
        p->s->ops->retract(p->s, p->x->q, th, y->q);
        for (int i = 0; i < d->nv; i++) y->v[i] += h * p->x->a[i];
        for (int i = 0; i < d->nx; i++) y->x[i] += h * p->x->dx[i];
        point = flx_state_point(p->s, y);
        if (p->s->ops->energy(p->s, p->work, &point, &e1) != FLX_OK) abort();
        sum[k] = e1.kinetic + e1.potential + e1.strain;
    }
    int bad = near("energy balance", 0, power, (sum[1] - sum[0]) / 2e-5, tolerance);
    if (!(e.dissipated_power >= 0)) bad++, printf("dissipated power %g\n", e.dissipated_power);
    flx_state_destroy(&y);
    free(r);
    free(th);
    return bad;
}

static inline int system_point_init(system_point *p, const flx_system *s, uint64_t seed)
{
    *p = (system_point){.s = s, .n = flx_dims_unknowns(&s->dims)};
    p->seed = 0x9e3779b97f4a7c15ull ^ (seed * 0x2545f4914f6cdd1dull);
    p->work = s->ops->work_create(s);
    return p->work && flx_state_create(s, &p->x) == FLX_OK;
}

static inline void system_point_free(system_point *p)
{
    if (p->work) p->s->ops->work_destroy(p->work);
    flx_state_destroy(&p->x);
}
