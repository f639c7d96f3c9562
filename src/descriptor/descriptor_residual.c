// descriptor_residual.c - the residual of the descriptor system (SYS-2), and of its terms momenta and the
// rates of masses.
#include "descriptor/descriptor_parts.h"

static void rows_residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                          double *r)
{
    double *g = r + flx_first_lam(d);
    for (int i = 0; i < d->nscalar; i++) {
        const flx_scalar_row *s = d->scalars + i;
        double value = -flx_row_motion(d, w, s, 0) - s->constant,
               rate = -flx_row_motion(d, w, s, 1);
        double l = p->lam[s->row];
        flx_jet j;
        if (s->elsewhere) continue;
        if (flx_row_opens(s->held, p->switches)) {
            g[s->row] = -l;
            continue;
        }
        for (int t = 0; t < s->nterm; t++) {
            double c = s->coefficient[t];
            flx_scalar_gradient(s->term + t, w->frames, p->switches, &j);
            value += c * j.value;
            if (s->tau != 0) rate += c * flx_jet_rate(s->term + t, &j, p->v);
            flx_jet_add_force(s->term + t, &j, c * l, r);
        }
        g[s->row] = s->sigma * value + s->tau * rate - s->C * l;
    }
}

static void vrows_residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                           double *r)
{
    for (int i = 0; i < d->nvscalar; i++) {
        const flx_scalar_row *s = d->vscalars + i;
        double rate = -flx_row_motion(d, w, s, 0) - s->constant;
        flx_jet j;
        if (flx_row_opens(s->held, p->switches)) {
            r[flx_first_mu(d) + s->row] = -p->mu[s->row];
            continue;
        }
        for (int t = 0; t < s->nterm; t++) {
            double c = s->coefficient[t];
            flx_scalar_gradient(s->term + t, w->frames, p->switches, &j);
            rate += c * flx_jet_rate(s->term + t, &j, p->v);
            flx_jet_add_force(s->term + t, &j, c * p->mu[s->row], r);
        }
        r[flx_first_mu(d) + s->row] = rate;
    }
}

// Bodies, and forces that need no expression.
static void passive_residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                             double *r)
{
    for (int i = d->variable_v; i < d->base.dims.nv; i++) r[i] = 0.0;
    if (!flx_has_bodies(d)) return;
    flx_terms_residual(d, FLX_STAGE_BODIES, w, p, r);
    flx_terms_residual(d, FLX_STAGE_FORCES, w, p, r);
}

void flx_eval_momentum(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                       double *Mv)
{
    for (int i = d->variable_v; i < d->base.dims.nv; i++) Mv[i] = 0.0;
    flx_terms_momentum(d, w, p, Mv);
}

// Rows of joints, and their forces.
static void joints_residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                            double *r)
{
    if (!flx_has_bodies(d)) return;
    double *g = r + flx_first_lam(d);
    if (d->planar) {
        flx_row_point2_residual(d->npoint, d->points, w->frames.plane, p->lam, g, r);
    } else {
        flx_row_point_residual(d->npoint, d->points, w->frames.space, p->lam, g, r);
        flx_row_axis_residual(d->naxis, d->axes, w->frames.space, p->lam, g, r);
    }
    rows_residual(d, w, p, r);
    vrows_residual(d, w, p, r);
}

void flx_eval_constraints(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                          double *r)
{
    double *rows = d->nattached > 0 ? w->attached.r : r;
    int first = flx_first_lam(d);
    p = flx_eval_begin(d, w, p);
    joints_residual(d, w, p, rows);
    if (d->expr.nconstraint > 0) flx_constraints_residual(d, w, p, rows);
    if (rows == r) return;
    memcpy(r + first, rows + first, (size_t)(flx_dims_unknowns(&d->base.dims) - first) * sizeof *r);
}

// All rows at the point that has begun; those of attached frames behind them.
static void all_rows(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, double *r)
{
    const flx_dims *n = &d->base.dims;
    for (int i = 0; i < n->nx; i++) r[n->nv + i] = p->dx[i];
    for (int i = 0; i < n->nw; i++) r[n->nv + n->nx + i] = 0.0;
    if (d->nattached > 0) {
        memset(r + d->attached[0].v, 0, (size_t)flx_attached_rows(d) * sizeof *r);
    }
    passive_residual(d, w, p, r);
    joints_residual(d, w, p, r);
    flx_terms_residual(d, FLX_STAGE_EXPRESSIONS, w, p, r);
    if (d->expr.nconstraint > 0) flx_constraints_residual(d, w, p, r);
    if (d->ngroup > 0) flx_groups_residual(d, w, p, r);
}

void flx_eval_loads(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p)
{
    all_rows(d, w, flx_eval_begin(d, w, p), w->attached.r);
}

flx_status flx_eval_residual(const flx_system *s, flx_work *work, const flx_point *p, double *r)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    p = flx_eval_begin(d, w, p);
    if (d->nattached == 0) {
        all_rows(d, w, p, r);
        return FLX_OK;
    }
    all_rows(d, w, p, w->attached.r);
    flx_attached_carry(d, w->attached.Jf, w->attached.r);
    memcpy(r, w->attached.r, (size_t)flx_dims_unknowns(&s->dims) * sizeof *r);
    return FLX_OK;
}
