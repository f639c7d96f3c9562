// collocation.c - a collocation method on any system of the table: memory, attempts, the end of a step,
// values in between. collocation.h says which file does what.
#include "integrate/collocation.h"

#include <math.h>
#include <string.h>

#define DEFAULT_RTOL 1e-6
#define DEFAULT_ATOL 1e-8
// Positions of a fixed step are solved to this part of their scale: joints are closed to rounding.
#define POSITION_TOLERANCE 1e-13
// The part of the tolerance that is left to Newton is its root, but no more than this: the method
// is better than its estimated error, and Newton should not spoil that.
#define LARGEST_KAPPA 0.03
// Iterations that a fresh linearisation with its factors is worth in fixed steps.
#define REFRESH_COST 2
// Polynomials are not continued over more than this many of their steps.
#define LONGEST_EXTRAPOLATION 6.0

// ---- life -----------------------------------------------------------------------------------

void collocation_destroy(flx_integrator *it)
{
    collocation *co = it->data;
    void *const owned[] = {
        co->on_position, co->sigma,  co->C,         co->scale,   co->Q,       co->R,
        co->F,           co->F_last, co->step_last, co->weight,  co->gd,      co->z,
        co->u,           co->b,      co->b_imag,    co->theta,   co->rate,    co->metric,
        co->coordinate,  co->wq,     co->wv,        co->wx,      co->ww,      co->compliance,
        co->e,           co->e_v,    co->pull,      co->pull_x,  co->point_q, co->point_v,
        co->point,       co->now.U,  co->now.V,     co->now.A,   co->now.dX,  co->now.eta,
        co->last.U,      co->last.V, co->last.A,    co->last.dX, co->last.eta};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) flx_free(owned[i]);
    for (int k = 0; k < COLLOCATION_DEPTH; k++) {
        flx_free(co->dF[k]);
        flx_free(co->dU[k]);
    }
    flx_linear_destroy(&co->real);
    for (int k = 0; k < COLLOCATION_STAGES / 2; k++) flx_linear_destroy(&co->pair[k]);
    flx_saddle_destroy(&co->saddle);
    flx_blocks_destroy(&co->blocks);
    flx_free(co);
    it->data = NULL;
}

// For m stages.
static flx_status make_arrays(const flx_system *s, collocation *co, int m)
{
    const flx_dims *d = &s->dims;
    int n = co->n, nF = m * (n + d->nv + d->nlam);
    size_t stages = (size_t)m;
    struct {
        double **array;
        int n;
    } want[] = {{&co->sigma, d->nlam}, {&co->C, d->nlam},
                {&co->scale, n},       {&co->Q, m * d->nq},
                {&co->R, m * n},       {&co->F, nF},
                {&co->F_last, nF},     {&co->step_last, nF},
                {&co->weight, n},      {&co->gd, m * d->nlam},
                {&co->b, n},           {&co->b_imag, n},
                {&co->theta, d->nv},   {&co->rate, d->nv},
                {&co->metric, d->nv},  {&co->wq, d->nv},
                {&co->wv, d->nv},      {&co->wx, d->nx},
                {&co->ww, d->nw},      {&co->compliance, d->nlam},
                {&co->e, n},           {&co->e_v, d->nv},
                {&co->pull, d->nv},    {&co->pull_x, d->nx},
                {&co->point_q, d->nq}, {&co->point_v, d->nv},
                {&co->point, n}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        *want[i].array = flx_alloc(s->ctx, (size_t)want[i].n, sizeof(double));
        if (!*want[i].array) return FLX_ERR_MEMORY;
    }
    for (int k = 0; k < 2; k++) {
        collocation_stages *st = k ? &co->last : &co->now;
        st->U = flx_alloc(s->ctx, stages * (size_t)n, sizeof(double));
        st->V = flx_alloc(s->ctx, stages * (size_t)d->nv, sizeof(double));
        st->A = flx_alloc(s->ctx, stages * (size_t)d->nv, sizeof(double));
        st->dX = flx_alloc(s->ctx, stages * (size_t)d->nx, sizeof(double));
        st->eta = flx_alloc(s->ctx, stages * (size_t)d->nlam, sizeof(double));
        if (!st->U || !st->V || !st->A || !st->dX || !st->eta) return FLX_ERR_MEMORY;
    }
    for (int k = 0; k < COLLOCATION_DEPTH; k++) {
        co->dF[k] = flx_alloc(s->ctx, (size_t)nF, sizeof(double));
        co->dU[k] = flx_alloc(s->ctx, (size_t)nF, sizeof(double));
        if (!co->dF[k] || !co->dU[k]) return FLX_ERR_MEMORY;
    }
    co->z = flx_alloc(s->ctx, (size_t)n, sizeof *co->z);
    co->u = flx_alloc(s->ctx, (size_t)d->nv, sizeof *co->u);
    co->on_position = flx_alloc(s->ctx, (size_t)d->nlam, sizeof *co->on_position);
    co->coordinate = flx_alloc(s->ctx, (size_t)d->nv, sizeof *co->coordinate);
    return co->z && co->u && co->on_position && co->coordinate ? FLX_OK : FLX_ERR_MEMORY;
}

static void read_unknowns(const flx_system *s, collocation *co)
{
    for (int i = 0; i < co->n; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        co->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
        if (i < s->dims.nv) co->metric[i] = 1.0 / (co->scale[i] * co->scale[i]);
        if (u.kind != FLX_UNKNOWN_BOND) continue;
        int row = i - co->first;
        co->sigma[row] = u.sigma;
        co->C[row] = u.C;
        co->on_position[row] = u.tau == 0.0 && u.C == 0.0 && u.sigma != 0.0;
        co->npos += co->on_position[row];
    }
}

static flx_status make_solvers(const flx_system *s, collocation *co, int ntableau)
{
    int nreal = co->adaptive, npair = 0;
    for (int k = 0; k < ntableau; k++) {
        const collocation_tableau *t = &co->table[k];
        if (t->nreal) nreal = 1;
        if (t->neigen - t->nreal > npair) npair = t->neigen - t->nreal;
    }
    FLX_TRY(flx_blocks_create(s, &co->blocks));
    if (nreal) FLX_TRY(flx_linear_create(s, false, &co->real));
    for (int k = 0; k < npair; k++) FLX_TRY(flx_linear_create(s, true, &co->pair[k]));
    return co->npos ? flx_saddle_create(s, &co->saddle) : FLX_OK;
}

void collocation_use(flx_integrator *it, int tableau)
{
    collocation *co = it->data;
    const flx_dims *d = &it->sys->dims;
    co->tab = &co->table[tableau];
    co->s = co->tab->s;
    co->nF = co->s * (co->n + d->nv + d->nlam);
    co->D = co->F;
    co->dV = co->D + co->s * co->n;
    co->deta = co->dV + co->s * d->nv;
    co->h_last = 0.0;
    co->h_factored = 0.0;
}

flx_status collocation_create(flx_integrator *it, const collocation_tableau *tableaux, int n,
                              bool ggl)
{
    const flx_system *s = it->sys;
    const flx_integrator_def *def = &it->def;
    collocation *co = flx_alloc(it->ctx, 1, sizeof *co);
    if (!co) return FLX_ERR_MEMORY;
    it->data = co;
    int most = 0;
    for (int k = 0; k < n; k++) {
        co->table[k] = tableaux[k];
        if (tableaux[k].s > most) most = tableaux[k].s;
    }
    co->n = flx_dims_unknowns(&s->dims);
    co->first = s->dims.nv + s->dims.nx + s->dims.nw;
    co->adaptive = !(def->step > 0.0);
    co->rtol = def->rtol > 0.0 ? def->rtol : DEFAULT_RTOL;
    co->atol = def->atol > 0.0 ? def->atol : DEFAULT_ATOL;
    co->kappa =
        def->newton_tolerance > 0.0 ? def->newton_tolerance : fmin(LARGEST_KAPPA, sqrt(co->rtol));
    co->tolerance = def->newton_tolerance > 0.0 ? def->newton_tolerance : POSITION_TOLERANCE;
    FLX_TRY(make_arrays(s, co, most));
    collocation_use(it, 0);
    read_unknowns(s, co);
    co->ggl = ggl && co->npos > 0;
    return make_solvers(s, co, n);
}

// ---- step -----------------------------------------------------------------------------------

// One attempt with step h. Where continued polynomials or old factors did not do, a plain start
// and a fresh linearisation may.
flx_status collocation_attempt(flx_integrator *it, const flx_state *x, double h)
{
    collocation *co = it->data;
    bool extrapolate =
        flx_method_of(it)->continues && co->h_last > 0.0 && h <= LONGEST_EXTRAPOLATION * co->h_last;
    co->h = h;
    // a step that differs by rounding takes the factors of its like
    if (fabs(h - co->h_factored) > 1e-6 * h) co->h_factored = 0.0;
    bool old = co->linearised && co->age > 0;
    collocation_predict(it, x, extrapolate);
    flx_status status = collocation_solve(it, x);
    if (status <= FLX_OK) return status;
    co->linearised = false;
    co->h_factored = 0.0;
    if (co->adaptive ? !old : !extrapolate) return status;
    collocation_predict(it, x, false);
    status = collocation_solve(it, x);
    if (status > FLX_OK) {
        co->linearised = false;
        co->h_factored = 0.0;
    }
    return status;
}

// The books on the factors of fixed steps: renewed when the iterations that they cost too much have
// paid for new ones.
static void keep_books(collocation *co)
{
    co->age++;
    if (co->adaptive) {
        if (co->contraction > COLLOCATION_GOOD) co->linearised = false;
        return;
    }
    if (co->fresh_iterations == 0) {
        co->fresh_iterations = co->iterations;
    } else if (co->iterations > co->fresh_iterations) {
        co->extra += co->iterations - co->fresh_iterations;
    }
    if (co->extra >= REFRESH_COST) {
        co->linearised = false;
        co->h_factored = 0.0;
    }
}

// The last stage is the end of the step.
flx_status collocation_finish(flx_integrator *it, flx_state *x)
{
    collocation *co = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    int last = co->s - 1;
    const double *U = co->now.U + (size_t)last * co->n;
    double *q = co->Q + (size_t)last * d->nq, *v = co->now.V + (size_t)last * d->nv;
    s->ops->retract(s, x->q, U, q);
    // Newton stops at the tolerance, or in a singular position: the joints are closed to rounding
    if (co->adaptive || co->stagnated) {
        flx_point p = flx_state_point(s, x);
        p.t = x->t + co->h;
        p.x = U + d->nv;
        p.w = U + d->nv + d->nx;
        p.v = v;
        FLX_TRY(collocation_close(it, &p, q, v));
    }
    memcpy(x->q, q, (size_t)d->nq * sizeof(double));
    memcpy(x->v, v, (size_t)d->nv * sizeof(double));
    memcpy(x->a, co->now.A + (size_t)last * d->nv, (size_t)d->nv * sizeof(double));
    memcpy(x->x, U + d->nv, (size_t)d->nx * sizeof(double));
    memcpy(x->dx, co->now.dX + (size_t)last * d->nx, (size_t)d->nx * sizeof(double));
    memcpy(x->w, U + d->nv + d->nx, (size_t)d->nw * sizeof(double));
    memcpy(x->lam, U + co->first, (size_t)d->nlam * sizeof(double));
    memcpy(x->mu, U + co->first + d->nlam, (size_t)d->nmu * sizeof(double));
    x->t += co->h;
    collocation_stages swap = co->last;
    co->last = co->now;
    co->now = swap;
    co->h_last = co->h;
    keep_books(co);
    return FLX_OK;
}

static flx_status fixed_step(flx_integrator *it, flx_state *x, double h, double *h_taken)
{
    FLX_TRY(collocation_attempt(it, x, h));
    FLX_TRY(collocation_finish(it, x));
    *h_taken = h;
    return FLX_OK;
}

flx_status collocation_step(flx_integrator *it, flx_state *x, double h, double *h_taken)
{
    collocation *co = it->data;
    if (!flx_method_of(it)->continues) {
        co->h_last = 0.0;
        co->h_factored = 0.0;
        co->linearised = false;
    }
    return co->adaptive ? collocation_control_step(it, x, h, h_taken)
                        : fixed_step(it, x, h, h_taken);
}

// ---- values in between ------------------------------------------------------------------------

// The polynomials through the stages: order s + 1 in q and v at best, s in multipliers, less where
// the method's stages are worth less. Position bonds are closed to rounding.
flx_status collocation_interpolate(flx_integrator *it, double t, flx_state *out)
{
    collocation *co = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    const flx_state *before = flx_method_of(it)->before;
    double w[COLLOCATION_STAGES + 1], l[COLLOCATION_STAGES], tau = (t - before->t) / co->h_last;
    collocation_weights_with_start(co->tab, tau, w);
    collocation_weights_stages(co->tab, tau, l);
    flx_state_copy(out, before); // switches are those of the step
    double *theta = flx_method_of(it)->theta;
    memset(theta, 0, (size_t)d->nv * sizeof *theta);
    memset(out->a, 0, (size_t)d->nv * sizeof(double));
    memset(out->dx, 0, (size_t)d->nx * sizeof(double));
    memset(out->w, 0, (size_t)d->nw * sizeof(double));
    memset(out->lam, 0, (size_t)d->nlam * sizeof(double));
    memset(out->mu, 0, (size_t)d->nmu * sizeof(double));
    for (int j = 0; j < d->nv; j++) out->v[j] *= w[0];
    for (int j = 0; j < d->nx; j++) out->x[j] *= w[0];
    for (int i = 0; i < co->s; i++) {
        const double *U = co->last.U + (size_t)i * co->n, *V = co->last.V + (size_t)i * d->nv;
        const double *A = co->last.A + (size_t)i * d->nv, *dX = co->last.dX + (size_t)i * d->nx;
        for (int j = 0; j < d->nv; j++) {
            theta[j] += w[i + 1] * U[j];
            out->v[j] += w[i + 1] * V[j];
            out->a[j] += l[i] * A[j];
        }
        for (int j = 0; j < d->nx; j++) {
            out->x[j] += w[i + 1] * U[d->nv + j];
            out->dx[j] += l[i] * dX[j];
        }
        for (int j = 0; j < d->nw; j++) out->w[j] += l[i] * U[d->nv + d->nx + j];
        for (int j = 0; j < d->nlam; j++) out->lam[j] += l[i] * U[co->first + j];
        for (int j = 0; j < d->nmu; j++) out->mu[j] += l[i] * U[co->first + d->nlam + j];
    }
    s->ops->retract(s, before->q, theta, out->q);
    out->t = t;
    flx_point p = flx_state_point(s, out);
    return collocation_close(it, &p, out->q, out->v);
}
