// collocation_products.c - products with the linearised stages of a step, (SEN-7), and with their transpose.
#include "integrate/slopes/collocation_slopes.h"
#include "integrate/slopes/five_points.h"

#include <math.h>
#include <string.h>

// Five points, for derivatives along a direction: how far, in the scales of positions, and of the step.
#define REACH 1e-3
#define LARGE 1e9 // multipliers, N
#define REACH_TIME 0.05

// ---- derivatives of charts and constraints -----------------------------------------------------------

static double largest(const double *y, const double *scale, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(y[i]) / (scale ? scale[i] : 1.0));
    return most;
}

// out (nv) += sign times the derivative of B(Z) Z' along u, Z' held.
static void add_chart_slope(flx_stage_slopes *s, int i, const double *u, double sign, double *out)
{
    const flx_system *sys = s->base.sys;
    int nv = sys->dims.nv;
    const double *Z = values_of(s, s->record).U + (size_t)i * (size_t)s->n;
    double most = largest(u, s->scale, nv);
    if (!sys->ops->velocity_slope_t || !(most > 0.0)) return;
    double e = REACH / most;
    for (int l = 0; l < FLX_FIVE_POINTS; l++) {
        for (int k = 0; k < nv; k++) s->theta[k] = Z[k] + flx_five_places[l] * e * u[k];
        sys->ops->velocity(sys, s->theta, s->rate + (size_t)i * (size_t)nv, s->r);
        for (int k = 0; k < nv; k++) out[k] += sign * flx_five_weights[l] / e * s->r[k];
    }
}

// Derivatives along a displacement u of stage i: force (nv) of G^T eta, rate (nlam) of G V + g_t.
static flx_status slope_constraints(flx_stage_slopes *s, int i, const double *u, double *force,
                                    double *rate)
{
    const flx_system *sys = s->base.sys;
    const flx_dims *d = &sys->dims;
    flx_point p = flx_stage_point(s, s->from, s->record, i);
    const double *q = p.q, *eta = values_of(s, s->record).eta + (size_t)i * (size_t)d->nlam;
    double most = largest(u, s->scale, d->nv);
    memset(force, 0, (size_t)d->nv * sizeof *force);
    memset(rate, 0, (size_t)d->nlam * sizeof *rate);
    if (!(most > 0.0)) return FLX_OK;
    double e = REACH / most;
    for (int l = 0; l < FLX_FIVE_POINTS; l++) {
        for (int k = 0; k < d->nv; k++) s->theta[k] = flx_five_places[l] * e * u[k];
        sys->ops->retract(sys, q, s->theta, s->q);
        p.q = s->q;
        FLX_TRY(sys->ops->constraint_force(sys, s->base.work, &p, eta, s->r));
        FLX_TRY(sys->ops->constraint_rate(sys, s->base.work, &p, s->gd));
        for (int k = 0; k < d->nv; k++) force[k] += flx_five_weights[l] / e * s->r[k];
        for (int k = 0; k < d->nlam; k++) rate[k] += flx_five_weights[l] / e * s->gd[k];
    }
    return FLX_OK;
}

// out (nv) += sign times the derivative of lam^T G y by q, G at stage i. It is linear in lam: large multipliers drown the other
// forces, whose derivatives are taken off again.
static flx_status add_gradient(flx_stage_slopes *s, int i, const double *lam, const double *y,
                               double sign, double *out)
{
    const flx_system *sys = s->base.sys;
    const flx_dims *d = &sys->dims;
    flx_point p = flx_stage_point(s, s->from, s->record, i);
    double most = largest(lam, NULL, d->nlam), *large = s->gd, *none = s->gd + d->nlam;
    if (most == 0.0 || largest(y, NULL, d->nv) == 0.0) return FLX_OK;
    memset(s->u0, 0, (size_t)s->n * sizeof *s->u0);
    memcpy(s->u0, y, (size_t)d->nv * sizeof *y);
    memset(none, 0, (size_t)d->nlam * sizeof *none);
    for (int k = 0; k < d->nlam; k++) large[k] = LARGE / most * lam[k];
    for (int side = 0; side < 2; side++) {
        double *const to[3] = {s->u1, NULL, NULL};
        double by = (side ? -sign : sign) * most / LARGE;
        p.lam = side ? none : large;
        FLX_TRY(flx_step_matrix_linearise(s->other, s->base.work, &p));
        memset(s->u1, 0, (size_t)s->n * sizeof *s->u1);
        FLX_TRY(flx_step_matrix_product_t(s->other, s->base.work, s->u0, to));
        for (int k = 0; k < d->nv; k++) out[k] += by * s->u1[k];
    }
    return FLX_OK;
}

// out (nv) += the derivative of lam^T g_t by q: that of G by the time. None where g_t is nothing.
static flx_status add_gradient_of_time(flx_stage_slopes *s, int i, const double *lam, double *out)
{
    const flx_system *sys = s->base.sys;
    const flx_dims *d = &sys->dims;
    flx_point p = flx_stage_point(s, s->from, s->record, i);
    memset(s->theta, 0, (size_t)d->nv * sizeof *s->theta);
    p.v = s->theta;
    FLX_TRY(sys->ops->constraint_rate(sys, s->base.work, &p, s->gd));
    if (largest(s->gd, NULL, d->nlam) == 0.0) return FLX_OK;
    p = flx_stage_point(s, s->from, s->record, i);
    double t = p.t, e = REACH_TIME * s->h;
    memset(s->u0, 0, (size_t)s->n * sizeof *s->u0);
    for (int k = 0; k < d->nlam; k++)
        s->u0[s->first + k] = s->co->on_position[k] ? lam[k] / s->co->sigma[k] : 0.0;
    for (int l = 0; l < FLX_FIVE_POINTS; l++) {
        double *const to[3] = {s->u1, NULL, NULL};
        p.t = t + flx_five_places[l] * e;
        FLX_TRY(flx_step_matrix_linearise(s->other, s->base.work, &p));
        memset(s->u1, 0, (size_t)s->n * sizeof *s->u1);
        FLX_TRY(flx_step_matrix_product_t(s->other, s->base.work, s->u0, to));
        for (int k = 0; k < d->nv; k++) out[k] += flx_five_weights[l] / e * s->u1[k];
    }
    return FLX_OK;
}

// out (nlam) = G y at stage i, rows on positions alone.
static flx_status multiply_G(flx_stage_slopes *s, int i, const double *y, double *out)
{
    const flx_system *sys = s->base.sys;
    const flx_dims *d = &sys->dims;
    flx_point p = flx_stage_point(s, s->from, s->record, i);
    p.v = y;
    FLX_TRY(sys->ops->constraint_rate(sys, s->base.work, &p, out));
    memset(s->theta, 0, (size_t)d->nv * sizeof *s->theta);
    p.v = s->theta;
    FLX_TRY(sys->ops->constraint_rate(sys, s->base.work, &p, s->gd));
    for (int k = 0; k < d->nlam; k++) out[k] = s->co->on_position[k] ? out[k] - s->gd[k] : 0.0;
    return FLX_OK;
}

// out (nv) = G^T lam at stage i, rows on positions alone.
static flx_status multiply_G_t(flx_stage_slopes *s, int i, const double *lam, double *out)
{
    const flx_system *sys = s->base.sys;
    const flx_dims *d = &sys->dims;
    flx_point p = flx_stage_point(s, s->from, s->record, i);
    for (int k = 0; k < d->nlam; k++) s->lam[k] = s->co->on_position[k] ? lam[k] : 0.0;
    return sys->ops->constraint_force(sys, s->base.work, &p, s->lam, out);
}

// ---- products -----------------------------------------------------------------------------------------

void flx_stage_differentiate(const flx_stage_slopes *s, int i, const double *y, const double *y0,
                             const double *dy0, int m, double *out)
{
    const double slope = s->tab->slopes && dy0 ? s->tab->slope[i] : 0.0;
    for (int k = 0; k < m; k++) {
        double sum = slope != 0.0 ? -slope * dy0[k] : 0.0, from = y0 ? y0[k] : 0.0;
        for (int j = 0; j < s->tab->s; j++)
            sum += s->tab->Ai[i][j] / s->h * (y[(size_t)j * (size_t)s->size + (size_t)k] - from);
        out[k] = sum;
    }
}

// dq of stage i, (nv)
void flx_stage_place_change(flx_stage_slopes *s, int i, const double *y, const double *dz,
                            double *dq)
{
    const flx_system *sys = s->base.sys;
    int nv = sys->dims.nv;
    const double *Z = values_of(s, s->record).U + (size_t)i * (size_t)s->n;
    memset(dq, 0, (size_t)nv * sizeof *dq);
    if (dz && nv > 0) sys->ops->rate(sys, s->back + (size_t)i * (size_t)nv, dz, dq);
    for (int k = 0; k < nv; k++) dq[k] += y[(size_t)i * (size_t)s->size + (size_t)k];
    if (nv > 0) sys->ops->velocity(sys, Z, dq, dq);
}

// The left side of (SEN-7), without parameters; dz NULL: none.
flx_status flx_stage_multiply(flx_stage_slopes *s, const double *y, const double *dz, double *out)
{
    const flx_system *sys = s->base.sys;
    const flx_dims *d = &sys->dims;
    parts at = parts_of(d);
    size_t n = (size_t)s->n * sizeof *out, nv = (size_t)d->nv * sizeof *out;
    for (int i = 0; i < s->tab->s; i++) {
        const double *mine = y + (size_t)i * (size_t)s->size, *dV = mine + s->n, *deta = dV + d->nv;
        double *r = out + (size_t)i * (size_t)s->size, *k = r + s->n, *g = k + d->nv;
        memcpy(s->u0, mine, n);
        flx_stage_place_change(s, i, y, dz, s->u0);
        memset(s->u1, 0, n);
        memcpy(s->u1, dV, nv);
        flx_stage_differentiate(s, i, y + d->nv, dz ? dz + at.x : NULL, dz ? dz + at.dx : NULL,
                                d->nx, s->u1 + d->nv);
        memset(s->u2, 0, n);
        flx_stage_differentiate(s, i, y + s->n, dz ? dz + at.v : NULL, dz ? dz + at.a : NULL, d->nv,
                                s->u2);
        const double *const u[3] = {s->u0, s->u1, s->u2};
        memset(r, 0, n);
        flx_step_matrix_product(s->m[i], s->base.work, u, r);
        const double *Z = values_of(s, s->record).U + (size_t)i * (size_t)s->n;
        flx_stage_differentiate(s, i, y, NULL, dz ? dz + at.v : NULL, d->nv, k);
        if (d->nv > 0) sys->ops->velocity(sys, Z, k, k);
        for (int j = 0; j < d->nv; j++) k[j] = dV[j] - k[j];
        add_chart_slope(s, i, mine, -1.0, k);
        memcpy(g, deta, (size_t)d->nlam * sizeof *g);
        if (!s->ggl) continue;
        memcpy(s->p, s->u0, nv); // dq
        double *force = s->s;
        FLX_TRY(multiply_G(s, i, dV, g));
        FLX_TRY(multiply_G_t(s, i, deta, s->r));
        for (int j = 0; j < d->nv; j++) k[j] -= s->r[j] / s->co->metric[j];
        FLX_TRY(slope_constraints(s, i, s->p, force, s->lam));
        for (int j = 0; j < d->nv; j++) k[j] -= force[j] / s->co->metric[j];
        for (int j = 0; j < d->nlam; j++) g[j] = s->co->on_position[j] ? g[j] + s->lam[j] : deta[j];
    }
    return FLX_OK;
}

void flx_stage_spread_rate(const flx_stage_slopes *s, int i, const double *u, int m, double sign,
                           double *y, double *y0, double *dy0)
{
    for (int k = 0; k < m && dy0 && s->tab->slopes; k++) dy0[k] -= sign * s->tab->slope[i] * u[k];
    for (int j = 0; j < s->tab->s; j++) {
        double a = sign * s->tab->Ai[i][j] / s->h;
        for (int k = 0; k < m; k++) {
            y[(size_t)j * (size_t)s->size + (size_t)k] += a * u[k];
            if (y0) y0[k] -= a * u[k];
        }
    }
}

// The change of q at stage i weighs u (nv): what its unknowns and the beginning do. z NULL: not asked for.
void flx_stage_spread_place(flx_stage_slopes *s, int i, double *u, double *y, double *z)
{
    const flx_system *sys = s->base.sys;
    int nv = sys->dims.nv;
    const double *Z = values_of(s, s->record).U + (size_t)i * (size_t)s->n;
    if (nv == 0) return;
    sys->ops->velocity_t(sys, Z, u, u);
    for (int k = 0; k < nv; k++) y[(size_t)i * (size_t)s->size + (size_t)k] += u[k];
    if (!z) return;
    sys->ops->rate_t(sys, s->back + (size_t)i * (size_t)nv, u, u);
    for (int k = 0; k < nv; k++) z[k] += u[k];
}

// The transpose of the constraints' part, for weights k and g of the last two rows of (SEN-7): into gq (nv) those of dq.
static flx_status weigh_constraints(flx_stage_slopes *s, int i, const double *k, const double *g,
                                    double *gq, double *y)
{
    const flx_dims *d = &s->base.sys->dims;
    const stage_values v = values_of(s, s->record);
    double *mine = y + (size_t)i * (size_t)s->size, *dV = mine + s->n, *deta = dV + d->nv;
    const double *eta = v.eta + (size_t)i * (size_t)d->nlam, *V = v.V + (size_t)i * (size_t)d->nv;
    FLX_TRY(multiply_G_t(s, i, g, s->r));
    for (int j = 0; j < d->nv; j++) {
        dV[j] += s->r[j];
        s->s[j] = k[j] / s->co->metric[j];
    }
    FLX_TRY(multiply_G(s, i, s->s, s->lam));
    for (int j = 0; j < d->nlam; j++) deta[j] += s->co->on_position[j] ? -s->lam[j] : g[j];
    FLX_TRY(add_gradient(s, i, eta, s->s, -1.0, gq));
    for (int j = 0; j < d->nlam; j++) s->lam[j] = s->co->on_position[j] ? g[j] : 0.0;
    FLX_TRY(add_gradient(s, i, s->lam, V, 1.0, gq));
    return add_gradient_of_time(s, i, s->lam, gq);
}

// The transpose of multiply: y (all stages) is overwritten; z (size of z), where asked for, is added to.
flx_status flx_stage_multiply_t(flx_stage_slopes *s, const double *zeta, double *y, double *z)
{
    const flx_system *sys = s->base.sys;
    const flx_dims *d = &sys->dims;
    parts at = parts_of(d);
    size_t n = (size_t)s->n * sizeof *y;
    memset(y, 0, (size_t)(s->tab->s * s->size) * sizeof *y);
    for (int i = 0; i < s->tab->s; i++) {
        const double *r = zeta + (size_t)i * (size_t)s->size, *k = r + s->n, *g = k + d->nv;
        double *mine = y + (size_t)i * (size_t)s->size, *dV = mine + s->n, *deta = dV + d->nv;
        double *const u[3] = {s->u0, s->u1, s->u2};
        for (int l = 0; l < 3; l++) memset(u[l], 0, n);
        FLX_TRY(flx_step_matrix_product_t(s->m[i], s->base.work, r, u));
        for (int j = d->nv; j < s->n; j++) mine[j] += s->u0[j];
        for (int j = 0; j < d->nv; j++) dV[j] += s->u1[j] + k[j];
        flx_stage_spread_rate(s, i, s->u1 + d->nv, d->nx, 1.0, y + d->nv, z ? z + at.x : NULL,
                              z ? z + at.dx : NULL);
        flx_stage_spread_rate(s, i, s->u2, d->nv, 1.0, y + s->n, z ? z + at.v : NULL,
                              z ? z + at.a : NULL);
        double *gq = s->p;
        memcpy(gq, s->u0, (size_t)d->nv * sizeof *gq);
        if (s->ggl) {
            FLX_TRY(weigh_constraints(s, i, k, g, gq, y));
        } else {
            for (int j = 0; j < d->nlam; j++) deta[j] += g[j];
        }
        flx_stage_spread_place(s, i, gq, y, z);
        if (d->nv == 0) continue;
        const double *Z = values_of(s, s->record).U + (size_t)i * (size_t)s->n;
        sys->ops->velocity_t(sys, Z, k, s->r);
        flx_stage_spread_rate(s, i, s->r, d->nv, -1.0, y, NULL, z ? z + at.v : NULL);
        if (!sys->ops->velocity_slope_t) continue;
        sys->ops->velocity_slope_t(sys, Z, s->rate + (size_t)i * (size_t)d->nv, k, s->r);
        for (int j = 0; j < d->nv; j++) mine[j] -= s->r[j];
    }
    return FLX_OK;
}
