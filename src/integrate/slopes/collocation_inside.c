// collocation_inside.c - values between the ends of a step: the polynomials through its stages, as flx_collocation_interpolate
// has them.
#include "integrate/slopes/collocation_slopes.h"

#include <string.h>

// As flx_collocation_interpolate has it: weights of the beginning and of the stages; of the stages alone.
void flx_stage_inside(flx_slopes *sl, const flx_state *from, const double *rec, double place,
                      flx_state *out)
{
    flx_stage_slopes *s = (flx_stage_slopes *)sl;
    const flx_system *sys = sl->sys;
    const flx_dims *d = &sys->dims;
    const collocation_tableau *t = s->co->table + (int)rec[0];
    const stage_values v = values_of(s, rec);
    double w[COLLOCATION_STAGES + 1], l[COLLOCATION_STAGES];
    flx_collocation_weights_with_start(t, place, w);
    flx_collocation_weights_stages(t, place, l);
    flx_state_copy(out, from); // switches are those of the step
    memset(s->theta, 0, (size_t)d->nv * sizeof *s->theta);
    memset(out->a, 0, (size_t)d->nv * sizeof *out->a);
    memset(out->dx, 0, (size_t)d->nx * sizeof *out->dx);
    memset(out->w, 0, (size_t)d->nw * sizeof *out->w);
    memset(out->lam, 0, (size_t)d->nlam * sizeof *out->lam);
    memset(out->mu, 0, (size_t)d->nmu * sizeof *out->mu);
    for (int i = 0; i < t->s; i++) {
        const double *U = v.U + (size_t)i * (size_t)s->n, *rest = U + d->nv + d->nx;
        for (int k = 0; k < d->nv; k++) {
            s->theta[k] += w[i + 1] * U[k];
            out->v[k] += w[i + 1] * (v.V[i * d->nv + k] - from->v[k]);
            out->a[k] += l[i] * v.A[i * d->nv + k];
        }
        for (int k = 0; k < d->nx; k++) {
            out->x[k] += w[i + 1] * (U[d->nv + k] - from->x[k]);
            out->dx[k] += l[i] * v.dX[i * d->nx + k];
        }
        for (int k = 0; k < d->nw; k++) out->w[k] += l[i] * rest[k];
        for (int k = 0; k < d->nlam; k++) out->lam[k] += l[i] * rest[d->nw + k];
        for (int k = 0; k < d->nmu; k++) out->mu[k] += l[i] * rest[d->nw + d->nlam + k];
    }
    if (d->nv > 0) sys->ops->retract(sys, from->q, s->theta, out->q);
    out->t = from->t + place * rec[1];
}

flx_status flx_stage_close(flx_slopes *sl, flx_integrator *it, flx_state *x)
{
    (void)sl;
    return flx_collocation_close_state(it, x);
}

void flx_stage_weigh_inside(flx_slopes *sl, double place, double *by)
{
    flx_stage_slopes *s = (flx_stage_slopes *)sl;
    const flx_system *sys = sl->sys;
    const flx_dims *d = &sys->dims;
    parts at = parts_of(d);
    const stage_values v = values_of(s, s->record);
    double w[COLLOCATION_STAGES + 1], l[COLLOCATION_STAGES], *z = s->inside_z, begin = 1.0;
    flx_collocation_weights_with_start(s->tab, place, w);
    flx_collocation_weights_stages(s->tab, place, l);
    memset(s->theta, 0, (size_t)d->nv * sizeof *s->theta);
    for (int i = 0; i < s->tab->s; i++) {
        begin -= w[i + 1];
        for (int k = 0; k < d->nv; k++)
            s->theta[k] += w[i + 1] * v.U[(size_t)i * (size_t)s->n + (size_t)k];
    }
    if (d->nv > 0) sys->ops->velocity_t(sys, s->theta, by, by);
    for (int i = 0; i < s->tab->s; i++) {
        double *mine = s->inside + (size_t)i * (size_t)s->size;
        for (int k = 0; k < d->nv; k++) {
            mine[k] += w[i + 1] * by[k];
            mine[s->n + k] += w[i + 1] * by[at.v + k];
        }
        for (int k = 0; k < d->nx; k++) mine[d->nv + k] += w[i + 1] * by[at.x + k];
        for (int k = 0; k < rest_of(d); k++) mine[d->nv + d->nx + k] += l[i] * by[at.w + k];
        flx_stage_spread_rate(s, i, by + at.a, d->nv, l[i], s->inside + s->n, z + at.v, z + at.a);
        flx_stage_spread_rate(s, i, by + at.dx, d->nx, l[i], s->inside + d->nv, z + at.x,
                              z + at.dx);
    }
    for (int k = 0; k < d->nv; k++) s->theta[k] = -s->theta[k];
    if (d->nv > 0) sys->ops->rate_t(sys, s->theta, by, by);
    for (int k = 0; k < d->nv; k++) {
        z[k] += by[k];
        z[at.v + k] += begin * by[at.v + k];
    }
    for (int k = 0; k < d->nx; k++) z[at.x + k] += begin * by[at.x + k];
}

flx_status flx_stage_install(const flx_slopes *sl, flx_integrator *it, const double *rec,
                             const double *y, const double *dz, double e)
{
    const flx_stage_slopes *s = (const flx_stage_slopes *)sl;
    const flx_dims *d = &sl->sys->dims;
    collocation *co = it->data;
    parts at = parts_of(d);
    const collocation_tableau *t = co->tab_last = co->table + (int)rec[0];
    const stage_values v = values_of(s, rec);
    co->h_last = rec[1];
    for (int i = 0; i < t->s; i++) {
        const double *mine = y + (size_t)i * (size_t)s->size;
        for (int k = 0; k < s->n; k++) co->last.U[i * s->n + k] = v.U[i * s->n + k] + e * mine[k];
        for (int k = 0; k < d->nv; k++)
            co->last.V[i * d->nv + k] = v.V[i * d->nv + k] + e * mine[s->n + k];
        for (int k = 0; k < d->nv + d->nx; k++) {
            bool moves = k < d->nv;
            int from = moves ? s->n + k : k; // V, or x
            double begin = moves ? dz[at.v + k] : dz[at.x + k - d->nv];
            double rate = moves ? dz[at.a + k] : dz[at.dx + k - d->nv];
            double sum = t->slopes ? -t->slope[i] * rate : 0.0;
            for (int j = 0; j < t->s; j++)
                sum += t->Ai[i][j] / rec[1] * (y[j * s->size + from] - begin);
            if (moves) {
                co->last.A[i * d->nv + k] = v.A[i * d->nv + k] + e * sum;
            } else {
                co->last.dX[i * d->nx + k - d->nv] = v.dX[i * d->nx + k - d->nv] + e * sum;
            }
        }
    }
    return FLX_OK;
}
