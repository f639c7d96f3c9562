// tolerance.c - weights of an error norm.
#include "integrate/tolerance.h"

#include "base/arrays.h"

#include <math.h>
#include <string.h>

flx_status flx_tolerance_create(const flx_system *s, double rtol, double atol, const double *scale,
                                flx_tolerance *t)
{
    const flx_dims *d = &s->dims;
    *t = (flx_tolerance){.rtol = rtol, .atol = atol, .scale = scale};
    const flx_array arrays[] = {FLX_ARRAY(t->coordinate, d->nv), FLX_ARRAY(t->wq, d->nv),
                                FLX_ARRAY(t->wv, d->nv),         FLX_ARRAY(t->wx, d->nx),
                                FLX_ARRAY(t->theta, d->nv),      FLX_ARRAY(t->q_moved, d->nq)};
    t->block = flx_alloc_arrays(s->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    return t->block ? FLX_OK : FLX_ERR_MEMORY;
}

void flx_tolerance_destroy(flx_tolerance *t)
{
    flx_free(t->block);
    *t = (flx_tolerance){0};
}

// A displacement of its own for each block of velocities.
static double probe(int block)
{
    return 0.25 + 1e-9 * block;
}

// Which number of q is moved by theta_i as it is: tried out, one unknown of every block at a time.
static void match_coordinates(flx_tolerance *t, const flx_system *s, const double *q)
{
    const flx_dims *d = &s->dims;
    const flx_pattern *p = &s->pattern;
    bool more = true;
    for (int i = 0; i < d->nv; i++) t->coordinate[i] = -1;
    for (int k = 0; more; k++) {
        more = false;
        memset(t->theta, 0, (size_t)d->nv * sizeof(double));
        for (int b = 0; b < p->nblock && p->start[b] < d->nv; b++) {
            if (p->start[b] + k >= p->start[b + 1]) continue;
            t->theta[p->start[b] + k] = probe(b);
            more = true;
        }
        s->ops->retract(s, q, t->theta, t->q_moved);
        for (int j = 0; j < d->nq && more; j++) {
            double change = t->q_moved[j] - q[j], number = round((change - probe(0)) * 1e9);
            if (!(number >= 0.0 && number < p->nblock)) continue;
            int b = (int)number, i = p->start[b] + k;
            bool own = i < p->start[b + 1] && i < d->nv;
            if (own && fabs(change - probe(b)) <= 1e-14 * (1.0 + fabs(q[j]))) t->coordinate[i] = j;
        }
    }
    t->matched = true;
}

// Tolerances of one block of velocities, a body's or a variable's.
static void weigh_block(flx_tolerance *t, const flx_state *x, int from, int to)
{
    double q = 0.0, v = 0.0;
    for (int i = from; i < to; i++) {
        double size = t->coordinate[i] < 0 ? 1.0 : fabs(x->q[t->coordinate[i]]); // 1 rad
        q = fmax(q, size / t->scale[i]);
        v = fmax(v, fabs(x->v[i]) / t->scale[i]);
    }
    for (int i = from; i < to; i++) {
        t->wq[i] = t->atol + t->rtol * q * t->scale[i];
        t->wv[i] = t->atol + t->rtol * v * t->scale[i];
    }
}

void flx_tolerance_set(flx_tolerance *t, const flx_system *s, const flx_state *x)
{
    const flx_pattern *p = &s->pattern;
    if (!t->matched) match_coordinates(t, s, x->q);
    for (int i = 0; i < p->nblock && p->start[i] < s->dims.nv; i++) {
        weigh_block(t, x, p->start[i], p->start[i + 1]);
    }
    for (int i = 0; i < s->dims.nx; i++) t->wx[i] = t->atol + t->rtol * fabs(x->x[i]);
}

double flx_tolerance_norm(const double *y, double factor, const double *w, const double *scale,
                          double floor, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double e = factor * y[i] / (w[i] + (scale ? floor * scale[i] : 0.0));
        sum += e * e;
    }
    if (n == 0) return 0.0;
    return isnan(sum) ? HUGE_VAL : sqrt(sum / n);
}

void flx_tolerance_memory(flx_tolerance *t, const flx_dims *d, flx_memory *m)
{
    FLX_PASS(m, t->matched);
    flx_memory_pass(m, t->coordinate, (size_t)d->nv * sizeof *t->coordinate);
    flx_memory_numbers(m, t->wq, (size_t)d->nv);
    flx_memory_numbers(m, t->wv, (size_t)d->nv);
    flx_memory_numbers(m, t->wx, (size_t)d->nx);
}
