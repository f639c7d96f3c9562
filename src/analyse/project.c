// project.c - steps towards the constraints; see project.h for the equations.
#include "analyse/project.h"
#include "analyse/least.h"

#include <math.h>
#include <string.h>

// Part of the mean kinetic scale that every coordinate gets, so that massless ones are held too.
#define SHIFT 1e-6

void flx_projector_destroy(flx_projector **p)
{
    if (!p || !*p) return;
    flx_projector *x = *p;
    if (x->work) x->sys->ops->work_destroy(x->work);
    flx_blocks_destroy(&x->blocks);
    flx_saddle_destroy(&x->saddle);
    flx_least_destroy(&x->least);
    flx_state_destroy(&x->at);
    flx_free(x->theta);
    flx_free(x->shift);
    flx_free(x->weight);
    flx_free(x->d);
    flx_free(x->r);
    flx_free(x->row);
    flx_free(x->scale);
    flx_free(x->out);
    flx_free(x);
    *p = NULL;
}

static void take_numbers(flx_projector *p)
{
    const flx_system *s = p->sys;
    for (int i = 0; i < flx_dims_unknowns(&s->dims); i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        p->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
        if (i >= s->dims.nv || p->given) continue;
        p->weight[i] = u.keep > 0 ? u.keep : 1.0;
        p->weighted = p->weighted || u.keep > 0;
    }
}

static flx_status make(flx_projector *p, const double *weight)
{
    const flx_system *s = p->sys;
    size_t nv = (size_t)s->dims.nv, n = (size_t)flx_dims_unknowns(&s->dims);
    p->work = s->ops->work_create(s);
    if (!p->work) return FLX_FAIL(s->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    FLX_TRY(flx_blocks_create(s, &p->blocks));
    FLX_TRY(flx_saddle_create(s, &p->saddle));
    FLX_TRY(flx_state_create(s, &p->at));
    p->theta = flx_alloc(s->ctx, nv, sizeof *p->theta);
    p->shift = flx_alloc(s->ctx, nv, sizeof *p->shift);
    p->weight = flx_alloc(s->ctx, nv, sizeof *p->weight);
    p->d = flx_alloc(s->ctx, n, sizeof *p->d);
    p->r = flx_alloc(s->ctx, n, sizeof *p->r);
    p->row = flx_alloc(s->ctx, n, sizeof *p->row);
    p->scale = flx_alloc(s->ctx, n, sizeof *p->scale);
    p->out = flx_alloc(s->ctx, n, sizeof *p->out);
    if (!p->out || !p->theta || !p->shift || !p->weight || !p->d || !p->r || !p->row || !p->scale) {
        return FLX_ERR_MEMORY;
    }
    p->weighted = p->given = weight != NULL;
    if (weight) memcpy(p->weight, weight, nv * sizeof *weight);
    take_numbers(p);
    return FLX_OK;
}

void flx_projector_renew(flx_projector *p)
{
    flx_saddle_renew(p->saddle);
    take_numbers(p);
}

flx_status flx_projector_create(const flx_system *s, const double *weight, flx_projector **p)
{
    *p = NULL;
    if ((s->dims.nlam || s->dims.nmu) && !s->ops->constraint_rate) {
        return FLX_FAIL(s->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "a consistent start needs the rates of the constraints (constraint_rate); "
                        "system '%s' has none",
                        s->ops->name);
    }
    flx_projector *x = flx_alloc(s->ctx, 1, sizeof *x);
    if (!x) return FLX_ERR_MEMORY;
    x->sys = s;
    flx_status status = make(x, weight);
    if (status != FLX_OK) flx_projector_destroy(&x);
    *p = x;
    return status;
}

// ---- rows -----------------------------------------------------------------------------------

// The state with a = lambda = mu = 0: what constraints without compliance are evaluated at.
static flx_point bare_point(flx_projector *p, const flx_state *x)
{
    const flx_dims *d = &p->sys->dims;
    if (x != p->at) flx_state_copy(p->at, x);
    memset(p->at->a, 0, (size_t)d->nv * sizeof *p->at->a);
    memset(p->at->lam, 0, (size_t)d->nlam * sizeof *p->at->lam);
    memset(p->at->mu, 0, (size_t)d->nmu * sizeof *p->at->mu);
    return flx_state_point(p->sys, p->at);
}

flx_status flx_projector_gap(flx_projector *p, const flx_state *x, flx_saddle_rows rows,
                             double *gap, int *worst)
{
    const flx_system *s = p->sys;
    const flx_dims *d = &s->dims;
    int first = flx_dims_first_constraint(d), n = flx_dims_unknowns(d);
    flx_point at = bare_point(p, x);
    *gap = 0.0;
    *worst = -1;
    FLX_TRY(s->ops->residual(s, p->work, &at, p->r));
    memset(p->row, 0, (size_t)n * sizeof *p->row);
    if (rows == FLX_ROWS_VELOCITY && d->nlam) {
        FLX_TRY(s->ops->constraint_rate(s, p->work, &at, p->row + first));
    }
    for (int i = first; i < n; i++) {
        flx_unknown u;
        flx_unknown_at(s, x->switches, i, &u);
        bool constraint = u.kind == FLX_UNKNOWN_CONSTRAINT;
        bool rigid = constraint ? u.C == 0.0 && (u.sigma != 0.0 || u.tau != 0.0) : u.E == 0.0;
        if (rows == FLX_ROWS_POSITION) {
            p->row[i] = rigid && constraint && u.tau == 0.0 ? p->r[i] / u.sigma : 0.0;
        } else if (!rigid) {
            p->row[i] = 0.0;
        } else if (!constraint) {
            p->row[i] = p->r[i];
        } else if (u.tau != 0.0) {
            p->row[i] = p->r[i] / u.tau; // sigma g / tau + g'
        }
        if (p->out[i]) p->row[i] = 0.0;
        double e = fabs(p->row[i]) / p->scale[i];
        if (!(e <= *gap)) {
            *gap = e;
            *worst = i;
            if (isnan(e)) return FLX_NOT_FINITE;
        }
    }
    return FLX_OK;
}

void flx_projector_leave_out(flx_projector *p, int i, bool out)
{
    p->out[i] = out;
    flx_saddle_leave_out(p->saddle, i, out);
}

// ---- corrections ----------------------------------------------------------------------------

// The same energy for every coordinate moved by its scale in unit time.
static void set_shift(flx_projector *p)
{
    const flx_system *s = p->sys;
    const flx_pattern *pt = &s->pattern;
    int nv = s->dims.nv;
    double energy = 0.0;
    for (int i = 0; i < pt->nblock && pt->start[i] < nv; i++) {
        int nr = pt->start[i + 1] - pt->start[i];
        for (int e = pt->row[i]; e < pt->row[i + 1]; e++) {
            if (pt->col[e] != i) continue;
            for (int r = 0; r < nr; r++) {
                double c = p->scale[pt->start[i] + r];
                energy += c * c * p->blocks.A2[pt->offset[e] + r * nr + r];
            }
        }
    }
    energy = energy > 0.0 ? SHIFT * energy / nv : 1.0;
    for (int i = 0; i < nv; i++) p->shift[i] = energy / (p->scale[i] * p->scale[i]);
}

flx_status flx_projector_fill(flx_projector *p, const flx_state *x, flx_saddle_rows rows,
                              bool weighted)
{
    const flx_system *s = p->sys;
    flx_point at = bare_point(p, x);
    FLX_TRY(s->ops->linearise(s, p->work, &at, &p->blocks));
    flx_saddle_metric metric = {.weight = weighted && p->weighted ? p->weight : NULL};
    return flx_saddle_fill(p->saddle, &p->blocks, rows, &metric);
}

flx_status flx_projector_correct(flx_projector *p, flx_saddle_rows rows, double damping,
                                 const double *theta)
{
    const flx_system *s = p->sys;
    int n = flx_dims_unknowns(&s->dims);
    flx_point at = bare_point(p, p->at);
    FLX_TRY(s->ops->linearise(s, p->work, &at, &p->blocks));
    set_shift(p);
    flx_saddle_metric metric = {
        .shift = p->shift, .weight = p->weighted ? p->weight : NULL, .damping = damping};
    FLX_TRY(flx_saddle_factor(p->saddle, &p->blocks, rows, &metric));
    for (int i = 0; i < n; i++) p->d[i] = -p->row[i];
    memset(p->d, 0, (size_t)s->dims.nv * sizeof *p->d);
    if (theta) {
        flx_saddle_metric_product(p->saddle, theta, p->d);
        for (int i = 0; i < s->dims.nv; i++) p->d[i] = -p->d[i];
    }
    flx_saddle_solve(p->saddle, p->d);
    return FLX_OK;
}
