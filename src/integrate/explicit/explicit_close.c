// explicit_close.c - see explicit_close.h.
#include "integrate/explicit/explicit_close.h"

#include "base/arrays.h"
#include "integrate/newton_matrix.h"
#include "integrate/saddle.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST_ROUNDS 30
#define CLOSED (4.0 * DBL_EPSILON) // of rows, in their scales

struct flx_closer {
    const flx_system *sys; // borrowed
    int n, first;
    flx_blocks blocks;                       // owned
    flx_saddle *saddle;                      // owned
    double *r, *b, *rows, *theta, *zero, *q; // (n) (n) (n) (nv) (n) (nq)
    void *block;
};

void flx_closer_destroy(flx_closer **c)
{
    flx_closer *x = c ? *c : NULL;
    if (!x) return;
    flx_blocks_destroy(&x->blocks);
    flx_saddle_destroy(&x->saddle);
    flx_free(x->block);
    flx_free(x);
    *c = NULL;
}

flx_status flx_closer_create(const flx_system *s, flx_closer **c)
{
    flx_closer *x = *c = flx_alloc(s->ctx, 1, sizeof *x);
    if (!x) return FLX_ERR_MEMORY;
    x->sys = s;
    x->n = flx_dims_unknowns(&s->dims);
    x->first = flx_dims_first_constraint(&s->dims);
    const flx_array arrays[] = {FLX_ARRAY(x->r, x->n),    FLX_ARRAY(x->b, x->n),
                                FLX_ARRAY(x->rows, x->n), FLX_ARRAY(x->theta, s->dims.nv),
                                FLX_ARRAY(x->zero, x->n), FLX_ARRAY(x->q, s->dims.nq)};
    x->block = flx_alloc_arrays(s->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    flx_status status = x->block ? flx_blocks_create(s, &x->blocks) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_saddle_create(s, &x->saddle);
    if (status != FLX_OK) flx_closer_destroy(c);
    return status;
}

static flx_point point_of(const flx_closer *c, const flx_state *x)
{
    flx_point p = flx_state_point(c->sys, x);
    p.a = p.dx = p.lam = p.mu = c->zero;
    return p;
}

static double unknown_scale(const flx_closer *c, int i, double *sigma)
{
    flx_unknown u;
    c->sys->ops->unknown(c->sys, i, &u);
    *sigma = u.sigma;
    return u.scale > 0.0 ? u.scale : 1.0;
}

// The rows -g of positions at the point, into b; the largest in its scale.
static flx_status position_rows(flx_closer *c, flx_work *work, const flx_point *p, double *most)
{
    const flx_dims *d = &c->sys->dims;
    FLX_TRY(c->sys->ops->residual(c->sys, work, p, c->r));
    memset(c->b, 0, (size_t)c->n * sizeof *c->b);
    *most = 0.0;
    for (int i = c->first; i < c->first + d->nlam; i++) {
        double sigma, scale = unknown_scale(c, i, &sigma);
        if (!flx_saddle_active(c->saddle, i)) continue;
        c->b[i] = -c->r[i] / sigma;
        *most = fmax(*most, fabs(c->b[i]) / scale);
    }
    return FLX_OK;
}

static flx_status close_positions(flx_closer *c, flx_work *work, flx_state *x, double *nu)
{
    const flx_system *s = c->sys;
    const flx_dims *d = &s->dims;
    static const flx_saddle_metric mass = {0};
    flx_point p = point_of(c, x);
    double most, last = HUGE_VAL;
    memset(c->theta, 0, (size_t)d->nv * sizeof *c->theta);
    if (nu) memset(nu, 0, (size_t)d->nlam * sizeof *nu);
    if (d->nlam == 0) return FLX_OK;
    FLX_TRY(s->ops->linearise(s, work, &p, &c->blocks));
    FLX_TRY(flx_saddle_factor(c->saddle, &c->blocks, FLX_ROWS_POSITION, &mass));
    memcpy(c->q, x->q, (size_t)d->nq * sizeof *c->q);
    for (int k = 0; k < MOST_ROUNDS; k++) {
        FLX_TRY(position_rows(c, work, &p, &most));
        if (!isfinite(most)) return FLX_NOT_FINITE;
        if (most <= CLOSED || !(most < 0.5 * last)) break;
        last = most;
        (void)flx_saddle_solve(c->saddle, c->b);
        for (int i = 0; i < d->nv; i++) c->theta[i] += c->b[i];
        for (int i = 0; i < d->nlam && nu; i++) nu[i] += c->b[c->first + i];
        s->ops->retract(s, c->q, c->theta, x->q);
    }
    return most < 1e-9 ? FLX_OK : FLX_NO_CONVERGENCE;
}

static flx_status close_velocities(flx_closer *c, flx_work *work, flx_state *x,
                                   const flx_closed *done)
{
    const flx_system *s = c->sys;
    const flx_dims *d = &s->dims;
    static const flx_saddle_metric mass = {0};
    flx_point p = point_of(c, x);
    int n = d->nlam + d->nmu;
    if (done) {
        memset(done->dv, 0, (size_t)d->nv * sizeof *done->dv);
        memset(done->rates, 0, (size_t)n * sizeof *done->rates);
    }
    if (n == 0) return FLX_OK;
    FLX_TRY(s->ops->linearise(s, work, &p, &c->blocks));
    FLX_TRY(flx_saddle_factor(c->saddle, &c->blocks, FLX_ROWS_VELOCITY, &mass));
    for (int k = 0; k < 2; k++) { // the second time for rounding
        memset(c->b, 0, (size_t)c->n * sizeof *c->b);
        if (d->nlam > 0) FLX_TRY(s->ops->constraint_rate(s, work, &p, c->rows));
        if (d->nmu > 0) FLX_TRY(s->ops->residual(s, work, &p, c->r));
        for (int i = 0; i < n; i++) {
            int at = c->first + i;
            if (flx_saddle_active(c->saddle, at)) c->b[at] = i < d->nlam ? -c->rows[i] : -c->r[at];
        }
        (void)flx_saddle_solve(c->saddle, c->b);
        for (int i = 0; i < d->nv; i++) x->v[i] += c->b[i];
        for (int i = 0; i < d->nv && done; i++) done->dv[i] += c->b[i];
        for (int i = 0; i < n && done; i++) done->rates[i] += c->b[c->first + i];
    }
    return FLX_OK;
}

flx_status flx_closer_close(flx_closer *c, flx_work *work, flx_state *x, const flx_closed *done)
{
    FLX_TRY(close_positions(c, work, x, done ? done->nu : NULL));
    if (done) memcpy(done->theta, c->theta, (size_t)c->sys->dims.nv * sizeof *c->theta);
    return close_velocities(c, work, x, done);
}

flx_status flx_closer_close_positions(flx_closer *c, flx_work *work, flx_state *x)
{
    return close_positions(c, work, x, NULL);
}
