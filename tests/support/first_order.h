// first_order.h - x' = f(t, x) as a system with nothing but first-order states, for stiff tests.
#pragma once

#include "flexion/extend/method_table.h"
#include "flexion/extend/system_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ORDER_MAX 4

// f (n) and its derivatives J (n x n, row-major) at (t, x).
typedef void (*first_order_rate)(double parameter, double t, const double *x, double *f, double *J);

typedef struct first_order {
    flx_system base;
    first_order_rate rate;
    double parameter;
    int start[2], row[2], col[1], offset[2], transpose[1];
} first_order;

static inline flx_status first_order_residual(const flx_system *s, flx_work *w, const flx_point *p,
                                              double *r)
{
    const first_order *o = (const first_order *)s;
    double J[FIRST_ORDER_MAX * FIRST_ORDER_MAX];
    (void)w;
    o->rate(o->parameter, p->t, p->x, r, J);
    for (int i = 0; i < s->dims.nx; i++) r[i] = p->dx[i] - r[i];
    return FLX_OK;
}

static inline flx_status first_order_linearise(const flx_system *s, flx_work *w, const flx_point *p,
                                               flx_blocks *b)
{
    const first_order *o = (const first_order *)s;
    double f[FIRST_ORDER_MAX];
    int n = s->dims.nx;
    (void)w;
    o->rate(o->parameter, p->t, p->x, f, b->A0);
    for (int i = 0; i < n * n; i++) {
        b->A0[i] = -b->A0[i];
        b->A1[i] = i % (n + 1) == 0;
        b->A2[i] = 0.0;
    }
    return FLX_OK;
}

static inline void first_order_no_chart(const flx_system *s, const double *a, const double *b,
                                        double *c)
{
    (void)s, (void)a, (void)b, (void)c;
}

static inline void first_order_unknown(const flx_system *s, int i, flx_unknown *u)
{
    (void)s, (void)i;
    *u = (flx_unknown){.kind = FLX_UNKNOWN_STATE, .scale = 1.0, .item = "x", .part = "value"};
}

static inline flx_work *first_order_work(const flx_system *s)
{
    flx_work *w = malloc(sizeof *w);
    if (w) w->system = s;
    return w;
}

static inline void first_order_work_free(flx_work *w)
{
    free(w);
}

static inline void first_order_free(flx_system *s)
{
    free(s);
}

// NULL: no memory.
static inline flx_system *first_order_create(flx_ctx *ctx, int n, first_order_rate rate,
                                             double parameter)
{
    static const flx_system_ops ops = {.name = "first-order",
                                       .residual = first_order_residual,
                                       .linearise = first_order_linearise,
                                       .retract = first_order_no_chart,
                                       .difference = first_order_no_chart,
                                       .velocity = first_order_no_chart,
                                       .rate = first_order_no_chart,
                                       .velocity_t = first_order_no_chart,
                                       .rate_t = first_order_no_chart,
                                       .unknown = first_order_unknown,
                                       .work_create = first_order_work,
                                       .work_destroy = first_order_work_free,
                                       .destroy = first_order_free};
    first_order *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    o->rate = rate;
    o->parameter = parameter;
    o->start[1] = n;
    o->row[1] = 1;
    o->offset[1] = n * n;
    o->base = (flx_system){.ops = &ops, .ctx = ctx, .dims = {.nx = n}, .title = "test"};
    o->base.pattern = (flx_pattern){.nblock = 1,
                                    .start = o->start,
                                    .row = o->row,
                                    .col = o->col,
                                    .offset = o->offset,
                                    .transpose = o->transpose,
                                    .version = 1};
    return &o->base;
}
