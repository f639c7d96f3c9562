// flx_collocation_error.c - tolerances, the estimate of the error and the first step of a collocation method.
//
// The rates at the beginning of the step less those of the collocation polynomials there, filtered by
// the real matrix w = gamma / h of the step; for Radau IIA the embedded formula of order s:
//     r_q = v_n + (e.Z)/h   (GGL: less its part along G^T),
//     r_v = M (e.(V - v_n))/h + (f - G^T lambda - A^T mu)_n,   r_x = (e.(X - x_n))/h + phi_n
//     (w^2 A2 + w A1 + A0) (dq, dx, .) = (r_v, r_x, 0) + (w A2 + A1) r_q,   dv = w dq - r_q  (COL-9)
//     err = max(|dq|, h^k |dv|, |dx|), root mean squares over atol + rtol |y|, of order 1 times T/h
// with k = 1 where constraints are solved in index 3, are nearly rigid or nearly lost, else 0. Multipliers and
// algebraic unknowns are not in the norm. The filter leaves only what the constraints allow; so that the
// accelerations and multipliers of a mechanism that is driven altogether are resolved as well, the
// part across the constraints, without the filter, is a fraction of the error:
//     err >= c h^k |dv|,   w dv = (part along M^-1 G^T of) a_n + (e.(V - v_n))/h          (COL-12)
// Hairer, Wanner, Solving Ordinary Differential Equations II, IV.8.
#include "integrate/collocation/collocation.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Constraints whose own motion is this much faster than the step count as rigid.
#define RIGID_COMPLIANCE 0.1
// Corrections of this part of the scale, and of velocities this over the step, are rounding; errors
// this large say nothing. Without the second one a step that became small by chance would see the
// rounding of positions as an error of velocities, and become smaller for it.
#define ROUNDING (0.1 * DBL_EPSILON)
#define NOISE (16.0 * DBL_EPSILON)
// Less than this, squared, is left of the constraints near a singular position.
#define NEAR_SINGULAR 1e-4
// The fraction c of (COL-12): motions with freedom of their own hardly feel it.
#define ACROSS_CONSTRAINTS 0.05
// The first step changes the solution by this part.
#define FIRST_CHANGE 0.01
// ... or is one of these parts of the time asked for.
#define SMALL_PART 1e-3
#define SMALLEST_PART 1e-12
// Any change is a large part of a state that begins at zero, which asks for no shorter step than this.
#define FROM_NOTHING 1e-6

// ---- tolerances -----------------------------------------------------------------------------

void flx_collocation_set_weights(flx_integrator *it, const flx_state *x)
{
    collocation *co = it->data;
    flx_tolerance_set(&co->tol, it->sys, x);
    for (int i = 0; i < it->sys->dims.nw; i++) co->ww[i] = co->atol + co->rtol * fabs(x->w[i]);
}

static bool near_singular(const collocation *co)
{
    return co->left < NEAR_SINGULAR;
}

// The rounding of velocities as a part of their scale: that of positions over the step. Where the
// constraints are nearly lost, positions along them are worth so much less.
static double velocity_rounding(const collocation *co)
{
    double lost = near_singular(co) ? 1.0 / sqrt(fmax(co->left, DBL_EPSILON)) : 1.0;
    return lost * cabs(co->tab->mu[0]) / co->h;
}

// Whether forces say where something is: its velocity is a difference of positions, as velocities on constraints are.
static bool is_without_inertia(const flx_integrator *it)
{
    const collocation *co = it->data;
    const flx_pattern *p = &it->sys->pattern;
    for (int b = 0; b < p->nblock && p->start[b] < it->sys->dims.nv; b++) {
        int n = p->start[b + 1] - p->start[b], e = p->row[b];
        while (p->col[e] != b) e++;
        const double *A2 = co->blocks.A2 + p->offset[e], *A1 = co->blocks.A1 + p->offset[e];
        const double *A0 = co->blocks.A0 + p->offset[e];
        for (int i = 0; i < n * n; i += n + 1) {
            if (A2[i] == 0.0 && A1[i] == 0.0 && A0[i] != 0.0) return true;
        }
    }
    return false;
}

void flx_collocation_weigh_velocities(flx_integrator *it)
{
    collocation *co = it->data;
    double w = cabs(co->tab->mu[0]) / co->h;
    bool rigid = co->npos > 0 && !co->ggl;
    for (int i = 0; i < it->sys->dims.nlam && !rigid; i++) {
        rigid = w * w < RIGID_COMPLIANCE * co->stiff.spring[i] * co->stiff.mobility[i];
    }
    co->velocity_weight = rigid || is_without_inertia(it) ? fmin(co->h, 1.0) : 1.0;
}

// Sum of squares of factor y_i / (part w_i + floor scale_i)
static double squares(const double *y, double factor, const double *w, double part,
                      const double *scale, double floor, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double e = factor * y[i] / (part * w[i] + floor * scale[i]);
        sum += e * e;
    }
    return sum;
}

// ... of y_i / w_i
static double plain_squares(const double *y, const double *w, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double e = y[i] / w[i];
        sum += e * e;
    }
    return sum;
}

double flx_collocation_correction_norm(const collocation *co, const flx_dims *d)
{
    double q = 0.0, v = 0.0, x = 0.0, w = 0.0, k = co->kappa * co->share;
    double floor_v = d->nv ? ROUNDING * velocity_rounding(co) : 0.0;
    for (int i = 0; i < co->s; i++) {
        const double *D = co->D + (size_t)i * co->n, *dV = co->dV + (size_t)i * d->nv;
        if (d->nv) {
            q += squares(D, 1.0, co->wq, k, co->scale, ROUNDING, d->nv);
            v += squares(dV, 1.0, co->wv, k, co->scale, floor_v, d->nv);
        }
        if (d->nx) x += plain_squares(D + d->nv, co->wx, d->nx);
        if (d->nw) w += plain_squares(D + d->nv + d->nx, co->ww, d->nw);
    }
    double most = 0.0;
    if (d->nv) most = fmax(q, v) / (co->s * d->nv);
    if (d->nx) most = fmax(most, x / (k * k * co->s * d->nx));
    if (d->nw) most = fmax(most, w / (k * k * co->s * d->nw));
    if (isnan(q + v + x + w)) return (double)NAN;
    return sqrt(most);
}

// ---- error ----------------------------------------------------------------------------------

// out = sign (e.(y - y0))/h of values that lie `stride` apart; y0 NULL: zero.
static void embed(const collocation *co, const double *y, int stride, const double *y0, int m,
                  double sign, double *out)
{
    memset(out, 0, (size_t)m * sizeof *out);
    for (int j = 0; j < co->s; j++) {
        double a = sign * co->embedded[j] / co->h;
        const double *yj = y + (size_t)j * stride;
        for (int k = 0; k < m; k++) out[k] += a * (y0 ? yj[k] - y0[k] : yj[k]);
    }
}

// (COL-9) for f at the given point, into e and e_v.
static flx_status estimate(flx_integrator *it, const flx_point *p)
{
    collocation *co = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    double w = flx_collocation_tableau_filter(co->tab) / co->h;
    double *rq = co->rate, *wrq = co->theta;
    embed(co, co->now.U, co->n, NULL, d->nv, 1.0, rq);
    for (int i = 0; i < d->nv; i++) rq[i] += p->v[i];
    if (co->ggl) {
        flx_saddle_constraint_product(co->saddle, rq, co->b);
        memset(co->b, 0, (size_t)co->first * sizeof(double));
        flx_saddle_solve_once(co->saddle, co->b);
        it->stats.solves++;
        for (int i = 0; i < d->nv; i++) rq[i] -= co->b[i];
    }
    FLX_TRY(s->ops->residual(s, it->work, p, co->e));
    it->stats.residuals++;
    for (int i = 0; i < co->n; i++) co->e[i] = i < d->nv + d->nx ? -co->e[i] : 0.0;
    for (int i = 0; i < d->nv; i++) wrq[i] = w * rq[i];
    flx_collocation_add_product(it, &co->blocks, wrq, rq, 1.0, co->e);
    FLX_TRY(flx_linear_solve(co->real, co->e));
    it->stats.solves++;
    for (int i = 0; i < d->nv; i++) co->e_v[i] = w * co->e[i] - rq[i];
    return FLX_OK;
}

// Near a singular position velocities along constraints that are nearly lost are as in index 3: their
// part is weighed with h, what is left as ever.
static double velocity_error(flx_integrator *it)
{
    collocation *co = it->data;
    const flx_dims *d = &it->sys->dims;
    double floor_v = NOISE * velocity_rounding(co), *across = co->b, *along = co->point_v;
    if (!co->ggl || !near_singular(co)) {
        return squares(co->e_v, co->velocity_weight, co->wv, co->share, co->scale, floor_v, d->nv);
    }
    flx_status status =
        flx_collocation_factor_metric(it, 0.0); // all of the constraints, as far as they are
    flx_saddle_constraint_product(co->saddle, co->e_v, across);
    if (status == FLX_OK) flx_saddle_solve_once(co->saddle, across);
    for (int i = 0; i < d->nv; i++) along[i] = co->e_v[i] - across[i];
    if (status == FLX_OK) status = flx_collocation_factor_metric(it, COLLOCATION_LOST);
    if (status != FLX_OK) return HUGE_VAL;
    double weight = fmin(co->h, 1.0);
    return fmax(squares(along, co->velocity_weight, co->wv, co->share, co->scale, floor_v, d->nv),
                squares(across, weight, co->wv, co->share, co->scale, floor_v, d->nv));
}

static double error_norm(flx_integrator *it)
{
    const collocation *co = it->data;
    const flx_dims *d = &it->sys->dims;
    double most = 0.0;
    double q = squares(co->e, 1.0, co->wq, co->share, co->scale, NOISE, d->nv);
    double v = velocity_error(it);
    double x = plain_squares(co->e + d->nv, co->wx, d->nx);
    if (isnan(q + v + x)) return HUGE_VAL;
    if (d->nv) most = fmax(q, v) / d->nv;
    if (d->nx) most = fmax(most, x / (co->share * co->share * d->nx));
    return sqrt(most);
}

// (COL-12); pull is known.
static double error_across_constraints(flx_integrator *it, const flx_state *x)
{
    collocation *co = it->data;
    const flx_dims *d = &it->sys->dims;
    if (!co->saddle || near_singular(co)) return 0.0;
    double w = cabs(co->tab->mu[0]) / co->h, floor_v = NOISE * velocity_rounding(co);
    for (int i = 0; i < d->nv; i++) co->theta[i] = x->a[i] - co->pull[i];
    flx_saddle_constraint_product(co->saddle, co->theta, co->b);
    memset(co->b, 0, (size_t)co->first * sizeof(double));
    flx_saddle_solve_once(co->saddle, co->b);
    it->stats.solves++;
    double factor = ACROSS_CONSTRAINTS * co->velocity_weight / w;
    double sum = squares(co->b, factor, co->wv, co->share, co->scale, floor_v, d->nv);
    return isnan(sum) ? HUGE_VAL : sqrt(sum / d->nv);
}

// The state moved by the estimated error.
static flx_point displaced(flx_integrator *it, const flx_state *x)
{
    collocation *co = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    s->ops->retract(s, x->q, co->e, co->point_q);
    for (int i = 0; i < d->nv; i++) co->point_v[i] = x->v[i] + co->e_v[i];
    const double *const part[4] = {x->x, x->w, x->lam, x->mu};
    const int size[4] = {d->nx, d->nw, d->nlam, d->nmu};
    double *at[4];
    for (int k = 0, i = d->nv; k < 4; k++) {
        at[k] = co->point + i;
        for (int j = 0; j < size[k]; j++, i++) co->point[i] = part[k][j] + co->e[i];
    }
    flx_point p = flx_state_point(s, x);
    p.q = co->point_q;
    p.v = co->point_v;
    p.x = at[0];
    p.w = at[1];
    p.lam = at[2];
    p.mu = at[3];
    return p;
}

flx_status flx_collocation_error(flx_integrator *it, const flx_state *x, bool again, double *error)
{
    collocation *co = it->data;
    const flx_dims *d = &it->sys->dims;
    flx_point p = flx_state_point(it->sys, x);
    embed(co, co->now.V, d->nv, x->v, d->nv, -1.0, co->pull);
    embed(co, co->now.U + d->nv, co->n, x->x, d->nx, -1.0, co->pull_x);
    p.a = co->pull;
    p.dx = co->pull_x;
    double across = error_across_constraints(it, x);
    FLX_TRY(estimate(it, &p));
    *error = fmax(error_norm(it), across);
    if (*error < 1.0 || !again || !isfinite(*error)) return FLX_OK;
    p = displaced(it, x);
    p.a = co->pull;
    p.dx = co->pull_x;
    FLX_TRY(estimate(it, &p));
    *error = fmax(error_norm(it), across);
    return FLX_OK;
}

// ---- first step -----------------------------------------------------------------------------

// Positions move by that part of their scale: h v + h^2 a / 2; states by that part of their size.
double flx_collocation_first_step(const collocation *co, const flx_dims *d, const flx_state *x,
                                  double h_most)
{
    double v = 0.0, a = 0.0, h = h_most;
    for (int i = 0; i < d->nv; i++) {
        v = fmax(v, fabs(x->v[i]) / co->scale[i]);
        a = fmax(a, fabs(x->a[i]) / co->scale[i]);
    }
    double root = v + sqrt(v * v + 2.0 * a * FIRST_CHANGE);
    if (root > 0.0) h = fmin(h, 2.0 * FIRST_CHANGE / root);
    double size = plain_squares(x->x, co->wx, d->nx);
    double slope = plain_squares(x->dx, co->wx, d->nx);
    if (slope > 0.0) {
        h = fmin(h, fmax(FIRST_CHANGE * sqrt(size / slope), FROM_NOTHING * h_most));
    }
    // at rest in every respect, or from nothing: the error will tell
    if (!(h < h_most)) h = SMALL_PART * h_most;
    return fmax(h, SMALLEST_PART * h_most);
}
