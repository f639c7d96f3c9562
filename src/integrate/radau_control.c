// radau_control.c - tolerances, the estimate of the error and the first step of Radau IIA.
//
// The embedded formula of order s, filtered by the real matrix w = gamma / h of the step:
//     r_q = v_n + (e.Z)/h   (GGL: less its part along G^T),
//     r_v = M (e.(V - v_n))/h + (f - G^T lambda - A^T mu)_n,   r_x = (e.(X - x_n))/h + phi_n
//     (w^2 A2 + w A1 + A0) (dq, dx, .) = (r_v, r_x, 0) + (w A2 + A1) r_q,   dv = w dq - r_q  (RAD-9)
//     err = max(|dq|, h^k |dv|, |dx|), root mean squares over atol + rtol |y|
// with k = 1 where bonds are solved in index 3, are nearly rigid or nearly lost, else 0. Multipliers and
// algebraic unknowns are not in the norm. The filter leaves only what the bonds allow; so that the
// accelerations and multipliers of a mechanism that is driven altogether are resolved as well, the
// part across the bonds, without the filter, is a fraction of the error:
//     err >= c h^k |dv|,   w dv = (part along M^-1 G^T of) a_n + (e.(V - v_n))/h          (RAD-12)
// Hairer, Wanner, Solving Ordinary Differential Equations II, IV.8.
#include "integrate/radau.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Bonds whose own motion is this much faster than the step count as rigid.
#define RIGID_COMPLIANCE 0.1
// Corrections of this part of the scale, and of velocities this over the step, are rounding; errors
// this large say nothing. Without the second one a step that became small by chance would see the
// rounding of positions as an error of velocities, and become smaller for it.
#define ROUNDING (0.1 * DBL_EPSILON)
#define NOISE (16.0 * DBL_EPSILON)
// Less than this, squared, is left of the constraints near a singular position.
#define NEAR_SINGULAR 1e-4
// The fraction c of (RAD-12): motions with freedom of their own hardly feel it.
#define ACROSS_BONDS 0.05
// The first step changes the solution by this part.
#define FIRST_CHANGE 0.01
// ... or is one of these parts of the time asked for.
#define SMALL_PART 1e-3
#define SMALLEST_PART 1e-12

// ---- tolerances -----------------------------------------------------------------------------

// Which number of q is moved by theta_i, and by it alone and as it is: tried out.
static void match_coordinates(flx_integrator *it, const double *q)
{
    radau *ra = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    memset(ra->theta, 0, (size_t)d->nv * sizeof(double));
    for (int i = 0; i < d->nv; i++) {
        const double theta = 0.25;
        int moved = -1, count = 0;
        ra->theta[i] = theta;
        s->ops->retract(s, q, ra->theta, ra->point_q);
        ra->theta[i] = 0.0;
        for (int j = 0; j < d->nq; j++) {
            double change = ra->point_q[j] - q[j], rounding = 1e-14 * (1.0 + fabs(q[j]));
            if (fabs(change) <= rounding) continue;
            count++;
            if (fabs(change - theta) <= rounding) moved = j;
        }
        ra->coordinate[i] = count == 1 ? moved : -1;
    }
    ra->matched = true;
}

// Tolerances of one block of velocities, a body's or a variable's: relative to its largest one, so
// that they do not depend on the axes. The parts of a block are compared by their scales.
static void weigh_block(radau *ra, const flx_state *x, int from, int to)
{
    double q = 0.0, v = 0.0;
    for (int i = from; i < to; i++) {
        double size = ra->coordinate[i] < 0 ? 1.0 : fabs(x->q[ra->coordinate[i]]); // 1 rad
        q = fmax(q, size / ra->scale[i]);
        v = fmax(v, fabs(x->v[i]) / ra->scale[i]);
    }
    for (int i = from; i < to; i++) {
        ra->wq[i] = ra->atol + ra->rtol * q * ra->scale[i];
        ra->wv[i] = ra->atol + ra->rtol * v * ra->scale[i];
    }
}

void radau_set_weights(flx_integrator *it, const flx_state *x)
{
    radau *ra = it->data;
    const flx_dims *d = &it->sys->dims;
    const flx_pattern *p = &it->sys->pattern;
    if (!ra->matched) match_coordinates(it, x->q);
    for (int i = 0; i < p->nblock && p->start[i] < d->nv; i++) {
        weigh_block(ra, x, p->start[i], p->start[i + 1]);
    }
    for (int i = 0; i < d->nx; i++) ra->wx[i] = ra->atol + ra->rtol * fabs(x->x[i]);
    for (int i = 0; i < d->nw; i++) ra->ww[i] = ra->atol + ra->rtol * fabs(x->w[i]);
}

void radau_measure_compliance(flx_integrator *it)
{
    radau *ra = it->data;
    const flx_system *s = it->sys;
    const flx_pattern *p = &s->pattern;
    double *mass = ra->theta;
    for (int i = 0; i < p->nblock && p->start[i] < s->dims.nv; i++) {
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int nr = p->start[i + 1] - p->start[i];
            if (p->col[e] != i) continue;
            for (int r = 0; r < nr; r++) {
                mass[p->start[i] + r] = ra->blocks.A2[p->offset[e] + r * nr + r];
            }
        }
    }
    for (int i = 0; i < p->nblock; i++) {
        if (p->start[i] < ra->first || p->start[i] >= ra->first + s->dims.nlam) continue;
        for (int r = p->start[i]; r < p->start[i + 1]; r++) {
            int row = r - ra->first;
            double sum = 0.0;
            ra->compliance[row] = -1.0;
            if (ra->C[row] == 0.0 || ra->sigma[row] == 0.0) continue;
            for (int e = p->row[i]; e < p->row[i + 1]; e++) {
                int j = p->col[e], nc = p->start[j + 1] - p->start[j];
                if (p->start[j] >= s->dims.nv) break;
                const double *G = ra->blocks.A0 + p->offset[e] + (r - p->start[i]) * nc;
                for (int c = 0; c < nc; c++) {
                    double m = mass[p->start[j] + c], g = G[c] / ra->sigma[row];
                    if (m > 0.0) sum += g * g / m;
                }
            }
            if (sum > 0.0) ra->compliance[row] = fabs(ra->C[row] / ra->sigma[row]) / sum;
        }
    }
}

static bool near_singular(const radau *ra)
{
    return ra->left < NEAR_SINGULAR;
}

// The rounding of velocities as a part of their scale: that of positions over the step. Where the
// constraints are nearly lost, positions along them are worth so much less.
static double velocity_rounding(const radau *ra)
{
    double lost = near_singular(ra) ? 1.0 / sqrt(fmax(ra->left, DBL_EPSILON)) : 1.0;
    return lost * cabs(ra->tab.mu[0]) / ra->h;
}

void radau_weigh_velocities(flx_integrator *it)
{
    radau *ra = it->data;
    double w = cabs(ra->tab.mu[0]) / ra->h;
    bool rigid = ra->npos > 0 && !ra->ggl;
    for (int i = 0; i < it->sys->dims.nlam && !rigid; i++) {
        double c = ra->compliance[i];
        rigid = c >= 0.0 && c * w * w < RIGID_COMPLIANCE;
    }
    ra->velocity_weight = rigid ? fmin(ra->h, 1.0) : 1.0;
}

// Sum of squares of factor y_i / (part w_i + floor_i); floor NULL: none
static double squares(const double *y, double factor, const double *w, double part,
                      const double *scale, double floor, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        double e = factor * y[i] / (part * w[i] + (scale ? floor * scale[i] : 0.0));
        sum += e * e;
    }
    return sum;
}

double radau_correction_norm(const radau *ra, const flx_dims *d)
{
    double q = 0.0, v = 0.0, x = 0.0, w = 0.0, k = ra->kappa;
    double floor_v = ROUNDING * velocity_rounding(ra);
    for (int i = 0; i < ra->s; i++) {
        const double *D = ra->D + (size_t)i * ra->n, *dV = ra->dV + (size_t)i * d->nv;
        q += squares(D, 1.0, ra->wq, k, ra->scale, ROUNDING, d->nv);
        v += squares(dV, 1.0, ra->wv, k, ra->scale, floor_v, d->nv);
        x += squares(D + d->nv, 1.0, ra->wx, k, NULL, 0.0, d->nx);
        w += squares(D + d->nv + d->nx, 1.0, ra->ww, k, NULL, 0.0, d->nw);
    }
    double most = 0.0;
    if (d->nv) most = fmax(q, v) / (ra->s * d->nv);
    if (d->nx) most = fmax(most, x / (ra->s * d->nx));
    if (d->nw) most = fmax(most, w / (ra->s * d->nw));
    if (isnan(q + v + x + w)) return (double)NAN;
    return sqrt(most);
}

// ---- error ----------------------------------------------------------------------------------

// out = sign (e.(y - y0))/h of values that lie `stride` apart; y0 NULL: zero.
static void embed(const radau *ra, const double *y, int stride, const double *y0, int m,
                  double sign, double *out)
{
    memset(out, 0, (size_t)m * sizeof *out);
    for (int j = 0; j < ra->s; j++) {
        double a = sign * ra->tab.e[j] / ra->h;
        const double *yj = y + (size_t)j * stride;
        for (int k = 0; k < m; k++) out[k] += a * (y0 ? yj[k] - y0[k] : yj[k]);
    }
}

// (RAD-9) for f at the given point, into e and e_v.
static flx_status estimate(flx_integrator *it, const flx_point *p)
{
    radau *ra = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    double w = (ra->tab.nreal ? creal(ra->tab.mu[0]) : cabs(ra->tab.mu[0])) / ra->h;
    double *rq = ra->rate, *wrq = ra->theta;
    embed(ra, ra->now.U, ra->n, NULL, d->nv, 1.0, rq);
    for (int i = 0; i < d->nv; i++) rq[i] += p->v[i];
    if (ra->ggl) {
        flx_saddle_bond_product(ra->saddle, rq, ra->b);
        memset(ra->b, 0, (size_t)ra->first * sizeof(double));
        flx_saddle_solve_once(ra->saddle, ra->b);
        it->stats.solves++;
        for (int i = 0; i < d->nv; i++) rq[i] -= ra->b[i];
    }
    FLX_TRY(s->ops->residual(s, it->work, p, ra->e));
    it->stats.residuals++;
    for (int i = 0; i < ra->n; i++) ra->e[i] = i < d->nv + d->nx ? -ra->e[i] : 0.0;
    for (int i = 0; i < d->nv; i++) wrq[i] = w * rq[i];
    radau_add_product(s, &ra->blocks, wrq, rq, 1.0, ra->e);
    FLX_TRY(flx_linear_solve(ra->filter, ra->e));
    it->stats.solves++;
    for (int i = 0; i < d->nv; i++) ra->e_v[i] = w * ra->e[i] - rq[i];
    return FLX_OK;
}

// Near a singular position velocities along constraints that are nearly lost are as in index 3: their
// part is weighed with h, what is left as ever.
static double velocity_error(flx_integrator *it)
{
    radau *ra = it->data;
    const flx_dims *d = &it->sys->dims;
    double floor_v = NOISE * velocity_rounding(ra), *across = ra->b, *along = ra->point_v;
    if (!ra->ggl || !near_singular(ra)) {
        return squares(ra->e_v, ra->velocity_weight, ra->wv, 1.0, ra->scale, floor_v, d->nv);
    }
    flx_status status = radau_factor_metric(it, 0.0); // all of the constraints, as far as they are
    flx_saddle_bond_product(ra->saddle, ra->e_v, across);
    if (status == FLX_OK) flx_saddle_solve_once(ra->saddle, across);
    for (int i = 0; i < d->nv; i++) along[i] = ra->e_v[i] - across[i];
    if (status == FLX_OK) status = radau_factor_metric(it, RADAU_LOST);
    if (status != FLX_OK) return HUGE_VAL;
    double weight = fmin(ra->h, 1.0);
    return fmax(squares(along, ra->velocity_weight, ra->wv, 1.0, ra->scale, floor_v, d->nv),
                squares(across, weight, ra->wv, 1.0, ra->scale, floor_v, d->nv));
}

static double error_norm(flx_integrator *it)
{
    const radau *ra = it->data;
    const flx_dims *d = &it->sys->dims;
    double most = 0.0;
    double q = squares(ra->e, 1.0, ra->wq, 1.0, ra->scale, NOISE, d->nv);
    double v = velocity_error(it);
    double x = squares(ra->e + d->nv, 1.0, ra->wx, 1.0, NULL, 0.0, d->nx);
    if (isnan(q + v + x)) return HUGE_VAL;
    if (d->nv) most = fmax(q, v) / d->nv;
    if (d->nx) most = fmax(most, x / d->nx);
    return sqrt(most);
}

// (RAD-12); pull is known.
static double error_across_bonds(flx_integrator *it, const flx_state *x)
{
    radau *ra = it->data;
    const flx_dims *d = &it->sys->dims;
    if (!ra->saddle || near_singular(ra)) return 0.0;
    double w = cabs(ra->tab.mu[0]) / ra->h, floor_v = NOISE * velocity_rounding(ra);
    for (int i = 0; i < d->nv; i++) ra->theta[i] = x->a[i] - ra->pull[i];
    flx_saddle_bond_product(ra->saddle, ra->theta, ra->b);
    memset(ra->b, 0, (size_t)ra->first * sizeof(double));
    flx_saddle_solve_once(ra->saddle, ra->b);
    it->stats.solves++;
    double factor = ACROSS_BONDS * ra->velocity_weight / w;
    double sum = squares(ra->b, factor, ra->wv, 1.0, ra->scale, floor_v, d->nv);
    return isnan(sum) ? HUGE_VAL : sqrt(sum / d->nv);
}

// The state moved by the estimated error.
static flx_point displaced(flx_integrator *it, const flx_state *x)
{
    radau *ra = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    s->ops->retract(s, x->q, ra->e, ra->point_q);
    for (int i = 0; i < d->nv; i++) ra->point_v[i] = x->v[i] + ra->e_v[i];
    const double *const part[4] = {x->x, x->w, x->lam, x->mu};
    const int size[4] = {d->nx, d->nw, d->nlam, d->nmu};
    double *at[4];
    for (int k = 0, i = d->nv; k < 4; k++) {
        at[k] = ra->point + i;
        for (int j = 0; j < size[k]; j++, i++) ra->point[i] = part[k][j] + ra->e[i];
    }
    flx_point p = flx_state_point(s, x);
    p.q = ra->point_q;
    p.v = ra->point_v;
    p.x = at[0];
    p.w = at[1];
    p.lam = at[2];
    p.mu = at[3];
    return p;
}

flx_status radau_error(flx_integrator *it, const flx_state *x, bool again, double *error)
{
    radau *ra = it->data;
    const flx_dims *d = &it->sys->dims;
    flx_point p = flx_state_point(it->sys, x);
    embed(ra, ra->now.V, d->nv, x->v, d->nv, -1.0, ra->pull);
    embed(ra, ra->now.U + d->nv, ra->n, x->x, d->nx, -1.0, ra->pull_x);
    p.a = ra->pull;
    p.dx = ra->pull_x;
    double across = error_across_bonds(it, x);
    FLX_TRY(estimate(it, &p));
    *error = fmax(error_norm(it), across);
    if (*error < 1.0 || !again || !isfinite(*error)) return FLX_OK;
    p = displaced(it, x);
    p.a = ra->pull;
    p.dx = ra->pull_x;
    FLX_TRY(estimate(it, &p));
    *error = fmax(error_norm(it), across);
    return FLX_OK;
}

// ---- first step -----------------------------------------------------------------------------

// Positions move by that part of their scale: h v + h^2 a / 2; states by that part of their size.
double radau_first_step(const radau *ra, const flx_dims *d, const flx_state *x, double h_most)
{
    double v = 0.0, a = 0.0, h = h_most;
    for (int i = 0; i < d->nv; i++) {
        v = fmax(v, fabs(x->v[i]) / ra->scale[i]);
        a = fmax(a, fabs(x->a[i]) / ra->scale[i]);
    }
    double root = v + sqrt(v * v + 2.0 * a * FIRST_CHANGE);
    if (root > 0.0) h = fmin(h, 2.0 * FIRST_CHANGE / root);
    double size = squares(x->x, 1.0, ra->wx, 1.0, NULL, 0.0, d->nx);
    double slope = squares(x->dx, 1.0, ra->wx, 1.0, NULL, 0.0, d->nx);
    if (slope > 0.0) h = fmin(h, FIRST_CHANGE * sqrt(size / slope));
    // at rest in every respect, or from nothing: the error will tell
    if (!(h < h_most)) h = SMALL_PART * h_most;
    return fmax(h, SMALLEST_PART * h_most);
}
