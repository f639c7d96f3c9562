// rest.c - the residual at rest, its size and its Newton matrix (EQU-1).
#include "analyse/rest.h"

#include "math/pattern.h"

#include <math.h>

#define STATE                                                                                      \
    1e20 // what is kept so much more than others in a start has no mass: it was a state of first order
#define SYMMETRIC 1e-13 // difference of two numbers that are the same, of the largest of their row

flx_status flx_rest_check(const flx_system *s)
{
    flx_contact_group g;
    if (!s->ops->contacts || s->ops->contacts->count(s) == 0) return FLX_OK;
    s->ops->contacts->group(s, 0, &g);
    return FLX_FAIL(s->ctx, FLX_ERR_CANNOT, g.loc,
                    "'%s' opens and closes, or sticks and slides: where it comes to rest is not "
                    "found by this analysis. Simulate until it rests, or give it a compliant law",
                    g.item);
}

flx_status flx_rest_create(const flx_system *s, flx_rest *e)
{
    int n = flx_dims_unknowns(&s->dims);
    *e = (flx_rest){.s = s, .n = n, .nv = s->dims.nv, .worst = -1};
    e->work = s->ops->work_create(s);
    if (!e->work) return FLX_FAIL(s->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    FLX_TRY(flx_linear_create(s, false, &e->lin));
    FLX_TRY(flx_linear_create(s, false, &e->symmetric));
    FLX_TRY(flx_blocks_create(s, &e->b));
    FLX_TRY(flx_state_create(s, &e->next));
    e->r = flx_alloc(s->ctx, 4 * (size_t)n + (size_t)e->nv, sizeof *e->r);
    e->force_like = flx_alloc(s->ctx, (size_t)n, sizeof *e->force_like);
    if (!e->r || !e->force_like) return FLX_ERR_MEMORY;
    e->d = e->r + n;
    e->force = e->d + n;
    e->scale = e->force + n;
    e->theta = e->scale + n;
    for (int i = 0; i < n; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        e->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
        // a state that is a coordinate, and the row that holds its rate
        e->force_like[i] = !(u.keep >= STATE);
    }
    flx_linear_take_rest(e->lin); // nobody judges the iteration
    return FLX_OK;
}

void flx_rest_destroy(flx_rest *e)
{
    if (e->work) e->s->ops->work_destroy(e->work);
    flx_linear_destroy(&e->lin);
    flx_linear_destroy(&e->symmetric);
    flx_blocks_destroy(&e->b);
    flx_state_destroy(&e->next);
    flx_free(e->r);
    flx_free(e->force_like);
    flx_free(e->gap);
    flx_free(e->slots);
}

void flx_rest_stop(const flx_system *s, flx_state *x)
{
    memset(x->v, 0, (size_t)s->dims.nv * sizeof *x->v);
    memset(x->a, 0, (size_t)s->dims.nv * sizeof *x->a);
    memset(x->dx, 0, (size_t)s->dims.nx * sizeof *x->dx);
}

flx_status flx_rest_eval(flx_rest *e, const flx_state *x, double *r)
{
    const flx_system *s = e->s;
    flx_point p = flx_state_point(s, x);
    FLX_TRY(s->ops->residual(s, e->work, &p, r));
    for (int i = e->n - s->dims.nmu; i < e->n; i++) {
        flx_unknown u;
        flx_unknown_at(s, x->switches, i, &u);
        if (!(u.E > 0.0) && e->force_like[i]) r[i] = 0.0;
    }
    return FLX_OK;
}

flx_status flx_rest_measure(flx_rest *e, const flx_state *x)
{
    const flx_dims *d = &e->s->dims;
    double work = 0.0;
    e->residual = 0.0;
    e->worst = -1;
    FLX_TRY(flx_rest_eval(e, x, e->r));
    flx_state_copy(e->next, x);
    memset(e->next->lam, 0, (size_t)d->nlam * sizeof *e->next->lam);
    memset(e->next->mu, 0, (size_t)d->nmu * sizeof *e->next->mu);
    FLX_TRY(flx_rest_eval(e, e->next, e->force));
    for (int i = 0; i < e->nv; i++) {
        double reaction = fabs(e->r[i] - e->force[i]);
        work = fmax(work, e->scale[i] * fmax(fabs(e->force[i]), reaction));
    }
    e->work_size = work;
    for (int i = 0; i < e->n; i++) {
        double part = fabs(e->r[i]) / e->scale[i];
        if (i < e->nv) part = work > 0.0 ? fabs(e->r[i]) * e->scale[i] / work : 0.0;
        if (part <= e->residual) continue;
        e->residual = part;
        e->worst = i;
    }
    for (int i = 0; i < e->n; i++) {
        if (!isfinite(e->r[i])) return FLX_NOT_FINITE;
    }
    return FLX_OK;
}

flx_status flx_rest_linearise(flx_rest *e, const flx_state *x)
{
    flx_point p = flx_state_point(e->s, x);
    e->softened = 0.0;
    return e->s->ops->linearise(e->s, e->work, &p, &e->b);
}

static flx_weights weights_of(double h)
{
    double c = 1.0 / h;
    return (flx_weights){.c0 = 1.0, .c1 = c, .c2 = c * c, .cx = c};
}

// Whether A0 is symmetric in the rows of velocities. What two blocks have in common is compared with the
// largest number of the first.
static bool is_symmetric(const flx_rest *e)
{
    const flx_pattern *p = &e->s->pattern;
    if (p->extra > 0) return false;
    for (int bi = 0; bi < p->nblock && p->start[bi] < e->nv; bi++) {
        int nr = p->start[bi + 1] - p->start[bi];
        double largest = 0.0, other = 0.0;
        for (int k = p->offset[p->row[bi]]; k < p->offset[p->row[bi + 1]]; k++) {
            largest = fmax(largest, fabs(e->b.A0[k]));
        }
        for (int k = p->row[bi]; k < p->row[bi + 1]; k++) {
            int bj = p->col[k], nc = p->start[bj + 1] - p->start[bj];
            const double *a = e->b.A0 + p->offset[k], *t = e->b.A0 + p->offset[p->transpose[k]];
            if (p->start[bj] >= e->nv) break;
            for (int i = 0; i < nr * nc; i++) {
                other = fmax(other, fabs(a[i] - t[i % nc * nr + i / nc]));
            }
        }
        if (!(other <= SYMMETRIC * largest)) return false;
    }
    return true;
}

flx_status flx_rest_factor(flx_rest *e, double h)
{
    const flx_weights w = weights_of(h);
    bool spare = false; // by LDL, with pivots that were moved
    e->by_symmetric = false;
    flx_rest_soften_groups(e, h);
    if (is_symmetric(e)) {
        flx_status status = flx_linear_factor(e->symmetric, &e->b, &w);
        if (status < 0) return status;
        flx_linear_report r = flx_linear_get_report(e->symmetric);
        e->by_symmetric = status == FLX_OK && r.symmetric && r.regularised == 0;
        spare = status == FLX_OK && r.symmetric;
    }
    if (e->by_symmetric) return FLX_OK;
    flx_status status = flx_linear_factor(e->lin, &e->b, &w);
    e->by_symmetric = status == FLX_SINGULAR && spare;
    return e->by_symmetric ? FLX_OK : status;
}

flx_status flx_rest_solve(const flx_rest *e, double *d)
{
    return flx_linear_solve(e->by_symmetric ? e->symmetric : e->lin, d);
}

flx_status flx_rest_count_negative(flx_rest *e, double h, int *count)
{
    const flx_weights w = weights_of(h);
    *count = -1;
    if (!e->by_symmetric) {
        if (!is_symmetric(e)) return FLX_OK;
        flx_status status = flx_linear_factor(e->symmetric, &e->b, &w);
        if (status != FLX_OK) return status < 0 ? status : FLX_OK;
    }
    flx_linear_report r = flx_linear_get_report(e->symmetric);
    if (r.symmetric && r.regularised == 0) *count = r.negative - e->s->dims.nlam - e->s->dims.nmu;
    return FLX_OK;
}

int flx_rest_get_sign(const flx_rest *e)
{
    return flx_linear_get_report(e->by_symmetric ? e->symmetric : e->lin).sign;
}

void flx_rest_move(flx_rest *e, const flx_state *x, const double *d, double part)
{
    const flx_system *s = e->s;
    const flx_dims *n = &s->dims;
    const double *dx = d + n->nv, *dw = dx + n->nx, *dl = dw + n->nw, *dm = dl + n->nlam;
    for (int i = 0; i < n->nv; i++) e->theta[i] = part * d[i];
    flx_state_copy(e->next, x);
    s->ops->retract(s, x->q, e->theta, e->next->q);
    for (int i = 0; i < n->nx; i++) e->next->x[i] += part * dx[i];
    for (int i = 0; i < n->nw; i++) e->next->w[i] += part * dw[i];
    for (int i = 0; i < n->nlam; i++) e->next->lam[i] += dl[i];
    for (int i = 0; i < n->nmu; i++) e->next->mu[i] += dm[i];
}

void flx_rest_name_worst(const flx_rest *e, flx_unknown *u)
{
    *u = (flx_unknown){0};
    if (e->worst >= 0) e->s->ops->unknown(e->s, e->worst, u);
    if (!u->item) u->item = "?";
    if (!u->part) u->part = "?";
}

flx_status flx_rest_name_direction(const flx_rest *e, const double *d, flx_mode *mode)
{
    int n = e->nv + e->s->dims.nx;
    double largest = 0.0;
    *mode = (flx_mode){0};
    mode->shape = flx_alloc(e->s->ctx, 2 * (size_t)n, sizeof *mode->shape);
    if (!mode->shape) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(d[i]) / e->scale[i]);
    for (int i = 0; i < n; i++) mode->shape[i] = largest > 0.0 ? d[i] / largest : 0.0;
    flx_mode_find_parts(e->s, n, mode);
    flx_free(mode->shape);
    mode->shape = NULL;
    return FLX_OK;
}
