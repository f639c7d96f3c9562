// radau.c - Radau IIA with s stages, solved for positions only, on any system of the table.
//
// Index 3 or GGL, with a fixed step or with error control. Stages: radau_stages.c; estimate of the
// error: radau_control.c; coefficients: radau_tableau.c. Order 2s - 1 in q; with position bonds and
// 3 stages 5, 3, 2 in q, v, lambda in index 3 and 5, 5, 3 in GGL.
//
// Step control after Gustafsson: with the error e of this step and e_0 of the one before,
//     h_new = h min(f e^(-1/(s+1)),  f (h/h_0) (e_0/e^2)^(1/(s+1))),   f = 0.9 (2m+1)/(2m+k)  (RAD-10)
// for k iterations of m allowed. Hairer, Wanner, Solving Ordinary Differential Equations II, IV.8.
#include "integrate/radau.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define DEFAULT_STAGES 3
#define DEFAULT_RTOL 1e-6
#define DEFAULT_ATOL 1e-8
// Positions of a fixed step are solved to this part of their scale: joints are closed to rounding.
#define POSITION_TOLERANCE 1e-13
// The part of the tolerance that is left to Newton is its root, but no more than this: the method
// is better than its estimated error, and Newton should not spoil that.
#define LARGEST_KAPPA 0.03
#define SAFETY 0.9
#define LARGEST_FACTOR 8.0
#define SMALLEST_FACTOR 0.2
#define ITERATIONS 7 // m in (RAD-10)
// A step that would grow by less than this is kept, and with it the factors.
#define WORTH_A_CHANGE 1.2
// Above this contraction the next step with error control gets a linearisation of its own.
#define GOOD_CONTRACTION 0.02
// Iterations that a fresh linearisation with its factors is worth in fixed steps.
#define REFRESH_COST 2
// A failed attempt is repeated with this part of its step.
#define FAILED_FACTOR 0.5
// Polynomials are not continued over more than this many of their steps.
#define LONGEST_EXTRAPOLATION 6.0

// ---- life -----------------------------------------------------------------------------------

static void radau_destroy(flx_integrator *it)
{
    radau *ra = it->data;
    void *const owned[] = {
        ra->on_position, ra->sigma,  ra->C,         ra->scale,   ra->Q,       ra->R,
        ra->F,           ra->F_last, ra->step_last, ra->weight,  ra->gd,      ra->z,
        ra->u,           ra->b,      ra->b_imag,    ra->theta,   ra->rate,    ra->metric,
        ra->coordinate,  ra->wq,     ra->wv,        ra->wx,      ra->ww,      ra->compliance,
        ra->e,           ra->e_v,    ra->pull,      ra->pull_x,  ra->point_q, ra->point_v,
        ra->point,       ra->now.U,  ra->now.V,     ra->now.A,   ra->now.dX,  ra->now.eta,
        ra->last.U,      ra->last.V, ra->last.A,    ra->last.dX, ra->last.eta};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) flx_free(owned[i]);
    for (int k = 0; k < RADAU_DEPTH; k++) {
        flx_free(ra->dF[k]);
        flx_free(ra->dU[k]);
    }
    if (ra->filter != ra->lin[0]) flx_linear_destroy(&ra->filter);
    for (int k = 0; k < RADAU_STAGES; k++) flx_linear_destroy(&ra->lin[k]);
    flx_saddle_destroy(&ra->saddle);
    flx_blocks_destroy(&ra->blocks);
    flx_free(ra);
    it->data = NULL;
}

static flx_status make_arrays(const flx_system *s, radau *ra)
{
    const flx_dims *d = &s->dims;
    int n = ra->n, m = ra->s;
    size_t stages = (size_t)m;
    ra->nF = m * (n + d->nv + d->nlam);
    struct {
        double **array;
        int n;
    } want[] = {{&ra->sigma, d->nlam}, {&ra->C, d->nlam},
                {&ra->scale, n},       {&ra->Q, m * d->nq},
                {&ra->R, m * n},       {&ra->F, ra->nF},
                {&ra->F_last, ra->nF}, {&ra->step_last, ra->nF},
                {&ra->weight, n},      {&ra->gd, m * d->nlam},
                {&ra->b, n},           {&ra->b_imag, n},
                {&ra->theta, d->nv},   {&ra->rate, d->nv},
                {&ra->metric, d->nv},  {&ra->wq, d->nv},
                {&ra->wv, d->nv},      {&ra->wx, d->nx},
                {&ra->ww, d->nw},      {&ra->compliance, d->nlam},
                {&ra->e, n},           {&ra->e_v, d->nv},
                {&ra->pull, d->nv},    {&ra->pull_x, d->nx},
                {&ra->point_q, d->nq}, {&ra->point_v, d->nv},
                {&ra->point, n}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        *want[i].array = flx_alloc(s->ctx, (size_t)want[i].n, sizeof(double));
        if (!*want[i].array) return FLX_ERR_MEMORY;
    }
    for (int k = 0; k < 2; k++) {
        radau_stages *st = k ? &ra->last : &ra->now;
        st->U = flx_alloc(s->ctx, stages * (size_t)n, sizeof(double));
        st->V = flx_alloc(s->ctx, stages * (size_t)d->nv, sizeof(double));
        st->A = flx_alloc(s->ctx, stages * (size_t)d->nv, sizeof(double));
        st->dX = flx_alloc(s->ctx, stages * (size_t)d->nx, sizeof(double));
        st->eta = flx_alloc(s->ctx, stages * (size_t)d->nlam, sizeof(double));
        if (!st->U || !st->V || !st->A || !st->dX || !st->eta) return FLX_ERR_MEMORY;
    }
    for (int k = 0; k < RADAU_DEPTH; k++) {
        ra->dF[k] = flx_alloc(s->ctx, (size_t)ra->nF, sizeof(double));
        ra->dU[k] = flx_alloc(s->ctx, (size_t)ra->nF, sizeof(double));
        if (!ra->dF[k] || !ra->dU[k]) return FLX_ERR_MEMORY;
    }
    ra->D = ra->F;
    ra->dV = ra->D + m * n;
    ra->deta = ra->dV + m * d->nv;
    ra->z = flx_alloc(s->ctx, (size_t)n, sizeof *ra->z);
    ra->u = flx_alloc(s->ctx, (size_t)d->nv, sizeof *ra->u);
    ra->on_position = flx_alloc(s->ctx, (size_t)d->nlam, sizeof *ra->on_position);
    ra->coordinate = flx_alloc(s->ctx, (size_t)d->nv, sizeof *ra->coordinate);
    return ra->z && ra->u && ra->on_position && ra->coordinate ? FLX_OK : FLX_ERR_MEMORY;
}

static void read_unknowns(const flx_system *s, radau *ra)
{
    for (int i = 0; i < ra->n; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        ra->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
        if (i < s->dims.nv) ra->metric[i] = 1.0 / (ra->scale[i] * ra->scale[i]);
        if (u.kind != FLX_UNKNOWN_BOND) continue;
        int row = i - ra->first;
        ra->sigma[row] = u.sigma;
        ra->C[row] = u.C;
        ra->on_position[row] = u.tau == 0.0 && u.C == 0.0 && u.sigma != 0.0;
        ra->npos += ra->on_position[row];
    }
}

static flx_status make_solvers(const flx_system *s, radau *ra)
{
    FLX_TRY(flx_blocks_create(s, &ra->blocks));
    for (int k = 0; k < ra->tab.neigen; k++) {
        FLX_TRY(flx_linear_create(s, k >= ra->tab.nreal, &ra->lin[k]));
    }
    if (ra->tab.nreal) {
        ra->filter = ra->lin[0];
    } else if (ra->adaptive) {
        FLX_TRY(flx_linear_create(s, false, &ra->filter));
    }
    return ra->npos ? flx_saddle_create(s, &ra->saddle) : FLX_OK;
}

static flx_status radau_create(flx_integrator *it)
{
    const flx_system *s = it->sys;
    const flx_integrator_def *def = &it->def;
    if (def->formulation == FLX_FORMULATION_INDEX1) {
        return FLX_FAIL(it->ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
                        "method 'radau' solves formulations index-3 and ggl; index-1 is what "
                        "dopri5 solves");
    }
    radau *ra = flx_alloc(it->ctx, 1, sizeof *ra);
    if (!ra) return FLX_ERR_MEMORY;
    it->data = ra;
    ra->s = def->stages ? def->stages : DEFAULT_STAGES;
    if (!radau_tableau_make(ra->s, &ra->tab)) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "stages = %d: method 'radau' has 1, 2, 3, 5 or 7 stages", ra->s);
    }
    ra->n = flx_dims_unknowns(&s->dims);
    ra->first = s->dims.nv + s->dims.nx + s->dims.nw;
    ra->adaptive = !(def->step > 0.0);
    ra->rtol = def->rtol > 0.0 ? def->rtol : DEFAULT_RTOL;
    ra->atol = def->atol > 0.0 ? def->atol : DEFAULT_ATOL;
    ra->kappa =
        def->newton_tolerance > 0.0 ? def->newton_tolerance : fmin(LARGEST_KAPPA, sqrt(ra->rtol));
    ra->tolerance = def->newton_tolerance > 0.0 ? def->newton_tolerance : POSITION_TOLERANCE;
    FLX_TRY(make_arrays(s, ra));
    read_unknowns(s, ra);
    ra->ggl = ra->npos > 0 && def->formulation != FLX_FORMULATION_INDEX3;
    return make_solvers(s, ra);
}

// ---- step -----------------------------------------------------------------------------------

// One attempt with step h. Where continued polynomials or old factors did not do, a plain start
// and a fresh linearisation may.
static flx_status attempt(flx_integrator *it, const flx_state *x, double h)
{
    radau *ra = it->data;
    bool extrapolate =
        flx_method_of(it)->continues && ra->h_last > 0.0 && h <= LONGEST_EXTRAPOLATION * ra->h_last;
    ra->h = h;
    // a step that differs by rounding takes the factors of its like
    if (fabs(h - ra->h_factored) > 1e-6 * h) ra->h_factored = 0.0;
    bool old = ra->linearised && ra->age > 0;
    radau_predict(it, x, extrapolate);
    flx_status status = radau_solve(it, x);
    if (status <= FLX_OK) return status;
    ra->linearised = false;
    ra->h_factored = 0.0;
    if (ra->adaptive ? !old : !extrapolate) return status;
    radau_predict(it, x, false);
    status = radau_solve(it, x);
    if (status > FLX_OK) {
        ra->linearised = false;
        ra->h_factored = 0.0;
    }
    return status;
}

// The books on the factors of fixed steps: renewed when the iterations that they cost too much have
// paid for new ones.
static void keep_books(radau *ra)
{
    ra->age++;
    if (ra->adaptive) {
        if (ra->contraction > GOOD_CONTRACTION) ra->linearised = false;
        return;
    }
    if (ra->fresh_iterations == 0) {
        ra->fresh_iterations = ra->iterations;
    } else if (ra->iterations > ra->fresh_iterations) {
        ra->extra += ra->iterations - ra->fresh_iterations;
    }
    if (ra->extra >= REFRESH_COST) {
        ra->linearised = false;
        ra->h_factored = 0.0;
    }
}

// The last stage is the end of the step.
static flx_status finish(flx_integrator *it, flx_state *x)
{
    radau *ra = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    int last = ra->s - 1;
    const double *U = ra->now.U + (size_t)last * ra->n;
    double *q = ra->Q + (size_t)last * d->nq, *v = ra->now.V + (size_t)last * d->nv;
    s->ops->retract(s, x->q, U, q);
    // Newton stops at the tolerance, or in a singular position: the joints are closed to rounding
    if (ra->adaptive || ra->stagnated) {
        flx_point p = flx_state_point(s, x);
        p.t = x->t + ra->h;
        p.x = U + d->nv;
        p.w = U + d->nv + d->nx;
        p.v = v;
        FLX_TRY(radau_close(it, &p, q, v));
    }
    memcpy(x->q, q, (size_t)d->nq * sizeof(double));
    memcpy(x->v, v, (size_t)d->nv * sizeof(double));
    memcpy(x->a, ra->now.A + (size_t)last * d->nv, (size_t)d->nv * sizeof(double));
    memcpy(x->x, U + d->nv, (size_t)d->nx * sizeof(double));
    memcpy(x->dx, ra->now.dX + (size_t)last * d->nx, (size_t)d->nx * sizeof(double));
    memcpy(x->w, U + d->nv + d->nx, (size_t)d->nw * sizeof(double));
    memcpy(x->lam, U + ra->first, (size_t)d->nlam * sizeof(double));
    memcpy(x->mu, U + ra->first + d->nlam, (size_t)d->nmu * sizeof(double));
    x->t += ra->h;
    radau_stages swap = ra->last;
    ra->last = ra->now;
    ra->now = swap;
    ra->h_last = ra->h;
    keep_books(ra);
    return FLX_OK;
}

static flx_status fixed_step(flx_integrator *it, flx_state *x, double h, double *h_taken)
{
    FLX_TRY(attempt(it, x, h));
    FLX_TRY(finish(it, x));
    *h_taken = h;
    return FLX_OK;
}

// ---- error control ----------------------------------------------------------------------------

// (RAD-10)
static double next_step(radau *ra, double error)
{
    double power = 1.0 / (ra->s + 1), h = ra->h;
    double f = SAFETY * (2.0 * ITERATIONS + 1.0) / (2.0 * ITERATIONS + ra->iterations);
    double factor = f * pow(fmax(error, 1e-10), -power);
    if (error >= 1.0) return h * fmin(f, fmax(SMALLEST_FACTOR, factor));
    if (ra->error_last > 0.0) {
        double e = fmax(error, 1e-10);
        factor = fmin(factor, f * h / ra->h_error * pow(ra->error_last / (e * e), power));
    }
    factor = fmin(LARGEST_FACTOR, fmax(SMALLEST_FACTOR, factor));
    if (ra->rejected) factor = fmin(factor, 1.0);
    ra->error_last = fmax(error, 1e-2);
    ra->h_error = h;
    // new factors cost more than a step that is a little longer saves
    if (factor >= 1.0 && factor < WORTH_A_CHANGE && ra->contraction <= GOOD_CONTRACTION) return h;
    return h * factor;
}

static double fit(double h, double h_most)
{
    if (h >= h_most * (1.0 - 1e-3)) return h_most; // no crumbs at the end
    return h > 0.5 * h_most ? 0.5 * h_most : h;
}

static flx_status give_up(flx_integrator *it, flx_status last)
{
    if (last != FLX_OK) { // the trouble of Newton's iteration stands, with other advice
        flx_method_of(it)->trouble.advice =
            "larger tolerances, or look for a jump in a force at this time";
        return last;
    }
    return flx_method_fail(it, FLX_STEP_TOO_SMALL, -1, 0.0, 0, "the step became too small",
                           "larger tolerances, and look for a jump in a force");
}

static flx_status adaptive_step(flx_integrator *it, flx_state *x, double h_most, double *h_taken)
{
    radau *ra = it->data;
    bool begins = !flx_method_of(it)->continues;
    double longest = flx_method_of(it)->longest;
    if (it->def.largest_step > 0.0) longest = fmin(longest, it->def.largest_step);
    radau_set_weights(it, x);
    if (begins) {
        ra->h_next = it->def.first_step > 0.0 ? it->def.first_step
                                              : radau_first_step(ra, &it->sys->dims, x, h_most);
        ra->error_last = 0.0;
        ra->rejected = false;
    }
    double smallest = 16.0 * DBL_EPSILON * fmax(fabs(x->t), h_most);
    for (;;) {
        double wanted = ra->h_next, h = fmin(fit(wanted, h_most), longest), error = HUGE_VAL;
        *h_taken = h; // also where it fails: the message says it
        flx_status status = attempt(it, x, h);
        if (status < 0) return status;
        if (status == FLX_OK) {
            status = radau_error(it, x, begins || ra->rejected, &error);
            if (status < 0) return status;
        }
        if (status == FLX_OK && error < 1.0) {
            ra->h_next = next_step(ra, error);
            if (h < wanted) ra->h_next = fmax(ra->h_next, wanted); // it was cut, not too long
            ra->rejected = false;
            return finish(it, x);
        }
        if (h <= smallest) return give_up(it, status);
        it->stats.rejected++;
        bool measured = status == FLX_OK && isfinite(error);
        ra->h_next = fmax(0.5 * smallest, measured ? next_step(ra, error) : FAILED_FACTOR * h);
        ra->rejected = true;
    }
}

static flx_status radau_step(flx_integrator *it, flx_state *x, double h, double *h_taken)
{
    radau *ra = it->data;
    if (!flx_method_of(it)->continues) {
        ra->h_last = 0.0;
        ra->h_factored = 0.0;
        ra->linearised = false;
    }
    return ra->adaptive ? adaptive_step(it, x, h, h_taken) : fixed_step(it, x, h, h_taken);
}

// ---- values in between ------------------------------------------------------------------------

// The polynomials through the stages: order s + 1 in q and v at best, s in multipliers, less where
// the method's stages are worth less. Position bonds are closed to rounding.
static flx_status radau_interpolate(flx_integrator *it, double t, flx_state *out)
{
    radau *ra = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    const flx_state *before = flx_method_of(it)->before;
    double w[RADAU_STAGES + 1], l[RADAU_STAGES], tau = (t - before->t) / ra->h_last;
    radau_weights_with_start(&ra->tab, tau, w);
    radau_weights_stages(&ra->tab, tau, l);
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
    for (int i = 0; i < ra->s; i++) {
        const double *U = ra->last.U + (size_t)i * ra->n, *V = ra->last.V + (size_t)i * d->nv;
        const double *A = ra->last.A + (size_t)i * d->nv, *dX = ra->last.dX + (size_t)i * d->nx;
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
        for (int j = 0; j < d->nlam; j++) out->lam[j] += l[i] * U[ra->first + j];
        for (int j = 0; j < d->nmu; j++) out->mu[j] += l[i] * U[ra->first + d->nlam + j];
    }
    s->ops->retract(s, before->q, theta, out->q);
    out->t = t;
    flx_point p = flx_state_point(s, out);
    return radau_close(it, &p, out->q, out->v);
}

const flx_integrator_type flx_radau = {
    .name = "radau",
    .summary = "Radau IIA of order 2s - 1 for stiff motions and constraints, index 3 or GGL",
    .order = 5,
    .fixed = 1,
    .adaptive = 1,
    .create = radau_create,
    .step = radau_step,
    .interpolate = radau_interpolate,
    .destroy = radau_destroy,
};
