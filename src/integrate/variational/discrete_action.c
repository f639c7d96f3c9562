// discrete_action.c - the equations of a variational step: (VAR-1) to (VAR-4) of discrete_lagrangian.h.
#include "integrate/variational/discrete_parts.h"

#include <string.h>

// ---- chart ----------------------------------------------------------------------------------

static void negate(const double *theta, int n, double *out)
{
    for (int i = 0; i < n; i++) out[i] = -theta[i];
}

// Momenta or forces u at q (+) theta, as seen from q: Ad(theta) = B(-theta)^-T B(theta)^T. In place.
static void to_start(discrete *g, const flx_system *s, const double *theta, double *u)
{
    s->ops->velocity_t(s, theta, u, u);
    negate(theta, s->dims.nv, g->minus);
    s->ops->rate_t(s, g->minus, u, u);
}

void flx_discrete_from_start(discrete *g, const flx_system *s, const double *theta, double *u)
{
    negate(theta, s->dims.nv, g->minus);
    s->ops->velocity_t(s, g->minus, u, u);
    s->ops->rate_t(s, theta, u, u);
}

// The curve (VAR-1) where the basis has the values N and dN: theta, rate = theta', q, v.
void flx_discrete_place(discrete *g, const flx_system *s, const flx_state *x, const double *N,
                        const double *dN)
{
    int nv = s->dims.nv;
    memset(g->theta, 0, (size_t)nv * sizeof(double));
    memset(g->rate, 0, (size_t)nv * sizeof(double));
    for (int j = 1; j <= g->rule.s; j++) {
        const double *X = g->now.X + (size_t)(j - 1) * nv;
        discrete_add(g->theta, N[j], X, nv);
        discrete_add(g->rate, dN[j] / g->h, X, nv);
    }
    s->ops->retract(s, x->q, g->theta, g->q);
    s->ops->velocity(s, g->theta, g->rate, g->v);
}

// ---- prediction -----------------------------------------------------------------------------

static void predict_by_taylor(discrete *g, const flx_dims *d, const flx_state *x)
{
    for (int j = 0; j < g->rule.s; j++) {
        double t = g->rule.node[j + 1] * g->h, *X = g->now.X + (size_t)j * d->nv;
        for (int i = 0; i < d->nv; i++) X[i] = t * (x->v[i] + 0.5 * t * x->a[i]);
    }
}

// The polynomial of the last step goes on.
static void predict_by_polynomial(flx_integrator *it, const flx_state *x)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const flx_state *before = flx_method_of(it)->before;
    int nv = s->dims.nv;
    double N[DISCRETE_DEGREE + 1], dN[DISCRETE_DEGREE + 1];
    for (int j = 0; j < g->rule.s; j++) {
        flx_discrete_rule_basis(&g->rule, 1.0 + g->rule.node[j + 1] * g->h / g->h_last, N, dN);
        memset(g->theta, 0, (size_t)nv * sizeof(double));
        for (int k = 1; k <= g->rule.s; k++) {
            discrete_add(g->theta, N[k], g->X_last + (size_t)(k - 1) * nv, nv);
        }
        s->ops->retract(s, before->q, g->theta, g->q);
        s->ops->difference(s, x->q, g->q, g->now.X + (size_t)j * nv);
    }
}

void flx_discrete_predict(flx_integrator *it, const flx_state *x, bool continues)
{
    discrete *g = it->data;
    const flx_dims *d = &it->sys->dims;
    if (continues && g->rule.s > 2) {
        predict_by_polynomial(it, x);
    } else {
        predict_by_taylor(g, d, x);
    }
    for (int i = 0; i < d->nlam; i++) {
        for (int j = 0; j < g->rule.s; j++) {
            g->now.node_lam[j * d->nlam + i] = g->on_position[i] ? x->lam[i] : 0.0;
        }
        for (int j = 0; j < g->rule.force.n; j++) {
            g->now.lam[j * d->nlam + i] = g->on_position[i] ? 0.0 : x->lam[i];
        }
    }
    for (int j = 0; j < g->rule.force.n; j++) {
        memcpy(g->now.K + (size_t)j * d->nx, x->dx, (size_t)d->nx * sizeof(double));
        memcpy(g->now.W + (size_t)j * d->nw, x->w, (size_t)d->nw * sizeof(double));
        memcpy(g->now.mu + (size_t)j * d->nmu, x->mu, (size_t)d->nmu * sizeof(double));
    }
}

// ---- evaluation -----------------------------------------------------------------------------

// Where `place` has been, at point i of the forces.
flx_point flx_discrete_force_point(flx_integrator *it, const flx_state *x, int i)
{
    discrete *g = it->data;
    const flx_dims *d = &it->sys->dims;
    memcpy(g->xs, x->x, (size_t)d->nx * sizeof(double));
    for (int j = 0; j < g->rule.force.n; j++) {
        discrete_add(g->xs, g->h * g->rule.A[i][j], g->now.K + (size_t)j * d->nx, d->nx);
    }
    return (flx_point){.t = x->t + g->rule.force.c[i] * g->h,
                       .q = g->q,
                       .v = g->v,
                       .a = g->zero,
                       .x = g->xs,
                       .dx = g->now.K + (size_t)i * d->nx,
                       .w = g->now.W + (size_t)i * d->nw,
                       .lam = g->now.lam + (size_t)i * d->nlam,
                       .mu = g->now.mu + (size_t)i * d->nmu,
                       .param = it->sys->param,
                       .switches = x->switches};
}

// (VAR-2), the terms of p.
static flx_status add_momentum(flx_integrator *it, const flx_state *x, int i)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const discrete_points *k = &g->rule.kinetic;
    int nv = s->dims.nv;
    flx_point p = flx_state_point(s, x);
    p.t = x->t + k->c[i] * g->h;
    p.q = g->q;
    p.v = g->v;
    p.a = g->zero;
    FLX_TRY(s->ops->lagrangian->momentum(s, it->work, &p, g->u));
    if (s->ops->velocity_slope_t) {
        s->ops->velocity_slope_t(s, g->theta, g->rate, g->u, g->minus);
        for (int j = 1; j <= g->rule.s; j++) {
            discrete_add(discrete_equation(g, nv, j), k->b[i] * g->h * k->N[i][j], g->minus, nv);
        }
    }
    s->ops->velocity_t(s, g->theta, g->u, g->u);
    for (int j = 1; j <= g->rule.s; j++) {
        discrete_add(discrete_equation(g, nv, j), k->b[i] * k->dN[i][j], g->u, nv);
    }
    return FLX_OK;
}

// Forces that read the reactions of joints see those of the stage, lambda_i = sum_j collect_ij w_j
// lambda_j; what the joints themselves do at the points is taken out of r again.
static flx_status read_reactions(flx_integrator *it, int i, flx_point *p)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    int nlam = s->dims.nlam;
    memset(g->eta, 0, (size_t)nlam * sizeof(double));
    for (int j = 0; j < g->rule.s; j++) {
        double c = g->rule.collect[i][j] * g->rule.w[j];
        discrete_add(g->eta, c, g->now.node_lam + (size_t)j * nlam, nlam);
    }
    FLX_TRY(s->ops->constraint_force(s, it->work, p, g->eta, g->minus));
    discrete_add(g->eta, 1.0, p->lam, nlam);
    p->lam = g->eta;
    return FLX_OK;
}

// (VAR-9): of the impulse h A^T mu of rigid rows on velocities the momentum at the beginning of the
// step takes one half and that at its end the other, wherever the point is: with N_j it would be
// (1 - alpha) and alpha, and nothing would be left of it at the beginning for alpha = 1. r, at p,
// has it with N_j.
static flx_status halve_impulse(flx_integrator *it, const flx_point *p)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    double *lam = g->d + g->first, *mu = lam + d->nlam; // d is free outside of solves
    flx_point without = *p;
    for (int k = 0; k < d->nlam; k++) lam[k] = g->on_rate[k] ? 0.0 : p->lam[k];
    for (int k = 0; k < d->nmu; k++) mu[k] = g->on_rate[d->nlam + k] ? 0.0 : p->mu[k];
    without.lam = lam;
    without.mu = mu;
    FLX_TRY(s->ops->residual(s, it->work, &without, g->C)); // free outside of the iteration's solve
    it->stats.residuals++;
    for (int k = 0; k < d->nv; k++) g->u[k] = g->C[k] - g->r[k];
    s->ops->velocity_t(s, g->theta, g->u, g->u);
    double shift = g->rule.w[1] - g->rule.force.N[0][1];
    discrete_add(discrete_equation(g, d->nv, 1), g->h * shift, g->u, d->nv);
    return FLX_OK;
}

// (VAR-2), the terms of F; the rows that live at the points go to R.
static flx_status add_force(flx_integrator *it, const flx_state *x, int i)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const discrete_points *f = &g->rule.force;
    int nv = s->dims.nv;
    flx_point p = flx_discrete_force_point(it, x, i);
    bool reads = s->reads_multipliers && g->npos > 0;
    if (reads) FLX_TRY(read_reactions(it, i, &p));
    FLX_TRY(s->ops->residual(s, it->work, &p, g->r));
    it->stats.residuals++;
    if (g->halves) FLX_TRY(halve_impulse(it, &p));
    FLX_TRY(s->ops->lagrangian->transport(s, it->work, &p, g->u));
    for (int k = 0; k < nv; k++) g->r[k] = g->u[k] - g->r[k];
    if (reads) discrete_add(g->r, 1.0, g->minus, nv);
    if (i < g->rule.s) {
        memcpy(g->R + (size_t)i * g->n + nv, g->r + nv, (size_t)(g->n - nv) * sizeof(double));
    }
    s->ops->velocity_t(s, g->theta, g->r, g->u);
    for (int j = 1; j <= g->rule.s; j++) {
        discrete_add(discrete_equation(g, nv, j), g->h * f->b[i] * f->N[i][j], g->u, nv);
    }
    to_start(g, s, g->theta, g->r);
    discrete_add(g->impulse, g->h * f->b[i], g->r, nv);
    return FLX_OK;
}

// A node with the place where it is; theta NULL at the beginning.
static flx_point node_point(flx_integrator *it, const flx_state *x, int j, const double **theta)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    flx_point p = flx_state_point(s, x);
    *theta = j > 0 ? g->now.X + (size_t)(j - 1) * s->dims.nv : NULL;
    if (j == 0) return p;
    s->ops->retract(s, x->q, *theta, g->q);
    p.t = x->t + g->rule.node[j] * g->h;
    p.q = g->q;
    p.a = g->zero;
    p.lam = p.mu = g->zero;
    return p;
}

// Forces of the constraints at node j < s, and the gaps at node j > 0, which go to the stages.
static flx_status add_constraints(flx_integrator *it, const flx_state *x, int j)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    const double *theta;
    flx_point p = node_point(it, x, j, &theta);
    if (j > 0) {
        FLX_TRY(s->ops->residual(s, it->work, &p, g->r));
        it->stats.residuals++;
        for (int i = 0; i < g->rule.s; i++) {
            double *R = g->R + (size_t)i * g->n + g->first;
            for (int k = 0; k < d->nlam; k++) {
                if (g->on_position[k]) R[k] += g->rule.stage[i][j - 1] * g->r[g->first + k];
            }
        }
    }
    if (j == g->rule.s) return FLX_OK;
    FLX_TRY(s->ops->constraint_force(s, it->work, &p, g->now.node_lam + (size_t)j * d->nlam, g->u));
    double hw = g->h * g->rule.w[j];
    if (j > 0) {
        s->ops->velocity_t(s, theta, g->u, g->v);
        discrete_add(discrete_equation(g, d->nv, j), -hw, g->v, d->nv);
        to_start(g, s, theta, g->u);
    }
    discrete_add(g->impulse, -hw, g->u, d->nv);
    return FLX_OK;
}

static void clear_position_rows(const discrete *g, const flx_dims *d)
{
    for (int i = 0; i < g->rule.s; i++) {
        double *R = g->R + (size_t)i * g->n + g->first;
        for (int k = 0; k < d->nlam; k++) {
            if (g->on_position[k]) R[k] = 0.0;
        }
    }
}

// Everything at the present unknowns: D_1 to D_s-1 become what is left of (VAR-3), D_0 what is left
// of (VAR-4) less those.
flx_status flx_discrete_evaluate(flx_integrator *it, const flx_state *x)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const discrete_rule *rule = &g->rule;
    int nv = s->dims.nv, deg = rule->s;
    memset(g->D, 0, (size_t)(deg + 1) * nv * sizeof(double));
    memset(g->impulse, 0, (size_t)nv * sizeof(double));
    for (int i = 0; i < rule->kinetic.n; i++) {
        flx_discrete_place(g, s, x, rule->kinetic.N[i], rule->kinetic.dN[i]);
        FLX_TRY(add_momentum(it, x, i));
        if (rule->same) FLX_TRY(add_force(it, x, i));
    }
    for (int i = 0; i < rule->force.n && !rule->same; i++) {
        flx_discrete_place(g, s, x, rule->force.N[i], rule->force.dN[i]);
        FLX_TRY(add_force(it, x, i));
    }
    clear_position_rows(g, &s->dims);
    for (int j = 0; j <= deg && g->npos > 0; j++) FLX_TRY(add_constraints(it, x, j));

    double *D0 = discrete_equation(g, nv, 0), *last = discrete_equation(g, nv, deg);
    const double *Xs = g->now.X + (size_t)(deg - 1) * nv;
    s->ops->rate_t(s, Xs, last, last);
    to_start(g, s, Xs, last);
    for (int i = 0; i < nv; i++) D0[i] = g->p[i] + g->impulse[i] - last[i];
    for (int j = 1; j < deg; j++) discrete_add(D0, -1.0, discrete_equation(g, nv, j), nv);
    return FLX_OK;
}
