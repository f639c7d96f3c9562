// quasistatic_eval.c - the slow point and the residual.
#include "reduced/quasistatic_parts.h"

// ---- the slow point -----------------------------------------------------------------------------

// Multipliers of the reactions; unknowns w of the base come first here.
static void slow_multipliers(const flx_quasistatic *z, const double *w, const double *lam,
                             double *out)
{
    const flx_dims *d = &z->z.base->dims;
    for (int i = 0; i < d->nlam; i++) {
        int k = z->copy[z->first_row + i];
        out[i] = k >= 0 ? w[k - d->nv - d->nx] : lam[i];
    }
}

void flx_quasistatic_point(const flx_system *s, flx_work *work, flx_point *p)
{
    const flx_quasistatic *z = flx_quasistatic_of(s);
    flx_quasistatic_work *w = flx_quasistatic_work_of(work);
    const flx_dims *d = &z->z.base->dims;
    for (int i = 0; i < d->nv; i++) {
        int k = z->copy[i];
        w->a[i] = z->reduced[i] ? -z->mass_damping * p->v[i]
                  : k >= 0      ? p->w[k - d->nv - d->nx]
                                : p->a[i];
    }
    slow_multipliers(z, p->w, p->lam, w->lam);
    p->a = w->a;
    p->lam = w->lam;
}

void flx_quasistatic_seen_point(const flx_system *s, flx_work *work, flx_point *p)
{
    flx_quasistatic_work *w = flx_quasistatic_work_of(work);
    slow_multipliers(flx_quasistatic_of(s), p->w, p->lam, w->lam);
    p->lam = w->lam;
}

void flx_quasistatic_seen_state(const flx_system *s, flx_work *work, flx_state *x)
{
    flx_quasistatic_work *w = flx_quasistatic_work_of(work);
    slow_multipliers(flx_quasistatic_of(s), x->w, x->lam, w->lam);
    x->lam = w->lam;
}

// ---- constraints --------------------------------------------------------------------------------------

// Rates of constraints are linear in v.
flx_status flx_quasistatic_apply_constraints(const flx_quasistatic *z, flx_quasistatic_work *w,
                                             const flx_point *p, const double *u, double *out)
{
    const flx_system *base = z->z.base;
    flx_point at = *p;
    at.v = u;
    FLX_TRY(base->ops->constraint_rate(base, w->base.inner, &at, out));
    at.v = w->zero;
    FLX_TRY(base->ops->constraint_rate(base, w->base.inner, &at, w->rate0));
    for (int i = 0; i < base->dims.nlam; i++) out[i] -= w->rate0[i];
    return FLX_OK;
}

flx_status flx_quasistatic_find_bias(const flx_quasistatic *z, flx_quasistatic_work *w,
                                     const flx_point *p, double *out)
{
    const flx_system *base = z->z.base;
    FLX_TRY(base->ops->constraint_bias(base, w->base.inner, p, w->bias));
    FLX_TRY(base->ops->constraint_rate(base, w->base.inner, p, w->rate));
    for (int i = 0; i < base->dims.nlam; i++) {
        out[i] = w->bias[i];
        if (z->tau[i] != 0.0) out[i] += z->sigma[i] / z->tau[i] * w->rate[i];
    }
    return FLX_OK;
}

// (RED-4) at the slow point p.
static flx_status find_closing(const flx_quasistatic *z, flx_quasistatic_work *w,
                               const flx_point *p, double *out)
{
    FLX_TRY(flx_quasistatic_find_bias(z, w, p, out));
    FLX_TRY(flx_quasistatic_apply_constraints(z, w, p, p->a, w->rate));
    for (int i = 0; i < z->z.base->dims.nlam; i++) out[i] += w->rate[i];
    return FLX_OK;
}

// ---- residual -----------------------------------------------------------------------------------

flx_status flx_quasistatic_residual(const flx_system *s, flx_work *work, const flx_point *p,
                                    double *r)
{
    const flx_quasistatic *z = flx_quasistatic_of(s);
    flx_quasistatic_work *w = flx_quasistatic_work_of(work);
    const flx_system *base = z->z.base;
    int n = flx_dims_unknowns(&base->dims);
    flx_point slow = *p;
    flx_quasistatic_point(s, work, &slow);
    FLX_TRY(base->ops->residual(base, w->base.inner, &slow, w->r));
    for (int i = 0; i < n; i++) r[z->same[i]] = w->r[i];
    if (z->nlinked == 0 && z->factor == 0.0) return FLX_OK;
    FLX_TRY(base->ops->residual(base, w->base.inner, p, w->r2));
    for (int i = 0; i < base->dims.nv; i++) {
        if (z->reduced[i]) r[i] += z->factor * (w->r2[i] - w->r[i]);
        if (z->copy[i] < 0) continue;
        r[z->copy[i]] = w->r[i];
        r[i] = w->r2[i] - w->r[i];
    }
    if (z->nclosing == 0) return FLX_OK;
    FLX_TRY(find_closing(z, w, &slow, w->side[0]));
    for (int i = 0; i < base->dims.nlam; i++) {
        int k = z->copy[z->first_row + i];
        if (k >= 0) r[k] = w->side[0][i];
    }
    return FLX_OK;
}
