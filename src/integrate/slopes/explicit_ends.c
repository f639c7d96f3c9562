// explicit_ends.c - see explicit_ends.h.
//
// With T = B(-theta)^-1, dq = B(theta) (T d + d theta), K and L the derivatives of the first rows of (SEN-10), (SEN-11) by q:
//     M d theta + G^T d nu + K d = 0,  G_1 dq = 0;   M_1 ddv + G_1^T d nu + A^T d mu + L dq = 0,  G_1 (dv + ddv) + (G v)_q dq = 0
// K and L are the tangent for accelerations theta and forces nu, less that without them. The first matrix has G at two places:
// factors with one of them and products with the other settle it.
#include "integrate/slopes/explicit_ends.h"

#include "base/arrays.h"
#include "integrate/slopes/instant.h"
#include "integrate/slopes/step_matrix.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST_ROUNDS 40

struct flx_end_slopes {
    const flx_system *sys; // borrowed
    int n, first;
    flx_step_matrix *raw, *raw_by, *end,
        *end_by;                 // owned; the second of each with accelerations and forces
    flx_instant *rates;          // owned
    bool *on_position, *on_rate; // (n) rows
    double *sigma, *tau;         // (n)
    double by_raw, by_end;       // what theta and dv are multiplied with in these; 0: they are zero
    flx_point at;
    double *theta, *back;                     // (nv)
    double *zero, *a, *lam;                   // (n) (nv) (nlam + nmu)
    double *y, *r, *u0, *u1, *u2, *p, *s, *b; // (n) each
    double *turned;                           // (nv)
    void *block;
};

void flx_end_slopes_destroy(flx_end_slopes **e)
{
    flx_end_slopes *x = e ? *e : NULL;
    if (!x) return;
    flx_step_matrix_destroy(&x->raw);
    flx_step_matrix_destroy(&x->raw_by);
    flx_step_matrix_destroy(&x->end);
    flx_step_matrix_destroy(&x->end_by);
    flx_instant_destroy(&x->rates);
    flx_free(x->block);
    flx_free(x);
    *e = NULL;
}

int flx_end_slopes_rows(const flx_system *s)
{
    return 2 * s->dims.nv + 2 * s->dims.nlam + s->dims.nmu;
}

static flx_status make(flx_end_slopes *x)
{
    const flx_system *s = x->sys;
    const flx_dims *d = &s->dims;
    size_t n = (size_t)x->n;
    const flx_array arrays[] = {FLX_ARRAY(x->on_position, n),
                                FLX_ARRAY(x->on_rate, n),
                                FLX_ARRAY(x->sigma, n),
                                FLX_ARRAY(x->tau, n),
                                FLX_ARRAY(x->theta, d->nv),
                                FLX_ARRAY(x->back, d->nv),
                                FLX_ARRAY(x->zero, n),
                                FLX_ARRAY(x->a, d->nv),
                                FLX_ARRAY(x->lam, d->nlam + d->nmu),
                                FLX_ARRAY(x->y, n),
                                FLX_ARRAY(x->r, n),
                                FLX_ARRAY(x->u0, n),
                                FLX_ARRAY(x->u1, n),
                                FLX_ARRAY(x->u2, n),
                                FLX_ARRAY(x->p, n),
                                FLX_ARRAY(x->s, n),
                                FLX_ARRAY(x->b, n),
                                FLX_ARRAY(x->turned, d->nv)};
    x->block = flx_alloc_arrays(s->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    if (!x->block) return FLX_ERR_MEMORY;
    FLX_TRY(flx_step_matrix_create(s, &x->raw));
    FLX_TRY(flx_step_matrix_create(s, &x->raw_by));
    FLX_TRY(flx_step_matrix_create(s, &x->end));
    FLX_TRY(flx_step_matrix_create(s, &x->end_by));
    return flx_instant_create(s, &x->rates);
}

flx_status flx_end_slopes_create(const flx_system *s, flx_end_slopes **e)
{
    flx_end_slopes *x = *e = flx_alloc(s->ctx, 1, sizeof *x);
    if (!x) return FLX_ERR_MEMORY;
    x->sys = s;
    x->n = flx_dims_unknowns(&s->dims);
    x->first = flx_dims_first_constraint(&s->dims);
    flx_status status = make(x);
    if (status != FLX_OK) flx_end_slopes_destroy(e);
    return status;
}

// ---- rows -----------------------------------------------------------------------------------------

static void take_rows(flx_end_slopes *x, const flx_system *s, const double *switches)
{
    for (int i = x->first; i < x->n; i++) {
        flx_unknown u;
        flx_unknown_at(s, switches, i, &u);
        bool holonomic = i < x->first + s->dims.nlam;
        x->sigma[i] = u.sigma;
        x->tau[i] = u.tau;
        x->on_position[i] = holonomic && u.sigma != 0.0 && u.tau == 0.0 && u.C == 0.0;
        x->on_rate[i] = holonomic ? u.C == 0.0 : u.E == 0.0;
    }
}

// At rest, with accelerations and forces times `by`; 0: without.
static flx_point point_at(flx_end_slopes *x, const flx_system *s, const flx_state *at,
                          const double *a, const double *lam, int nlam, double by)
{
    flx_point p = flx_state_point(s, at);
    p.v = p.a = p.dx = p.lam = p.mu = x->zero;
    if (by == 0.0) return p;
    for (int i = 0; i < s->dims.nv; i++) x->a[i] = by * a[i];
    memset(x->lam, 0, (size_t)(s->dims.nlam + s->dims.nmu) * sizeof *x->lam);
    for (int i = 0; i < nlam; i++) x->lam[i] = by * lam[i];
    p.a = x->a;
    p.lam = x->lam;
    p.mu = x->lam + s->dims.nlam;
    return p;
}

static double factor_for(const flx_end_slopes *x, const double *a)
{
    double most = 0.0;
    for (int i = 0; i < x->sys->dims.nv; i++) most = fmax(most, fabs(a[i]));
    return most > 0.0 ? 1.0 / most : 0.0;
}

// M a + G^T lam + A^T mu, (nv)
static flx_status forces(flx_end_slopes *x, const flx_system *s, flx_work *work,
                         const flx_state *at, const double *a, const double *lam, int nlam,
                         double *out)
{
    double by = factor_for(x, a);
    memset(out, 0, (size_t)s->dims.nv * sizeof *out);
    if (by == 0.0) return FLX_OK;
    for (int k = 0; k < 2; k++) {
        flx_point p = point_at(x, s, at, a, lam, nlam, k == 0 ? by : 0.0);
        FLX_TRY(s->ops->residual(s, work, &p, x->r));
        for (int i = 0; i < s->dims.nv; i++) out[i] += (k == 0 ? x->r[i] : -x->r[i]) / by;
    }
    return FLX_OK;
}

flx_status flx_end_slopes_residuals(flx_end_slopes *x, const flx_system *s, flx_work *work,
                                    const flx_state *raw, const flx_state *end,
                                    const flx_closed *done, double *out)
{
    const flx_dims *d = &s->dims;
    double *g = out + d->nv, *m = g + d->nlam, *rate = m + d->nv;
    take_rows(x, s, end->switches);
    FLX_TRY(forces(x, s, work, raw, done->theta, done->nu, d->nlam, out));
    FLX_TRY(forces(x, s, work, end, done->dv, done->rates, d->nlam + d->nmu, m));
    flx_point p = flx_state_point(s, end);
    p.a = p.dx = p.lam = p.mu = x->zero;
    FLX_TRY(s->ops->residual(s, work, &p, x->r));
    for (int i = 0; i < d->nlam; i++)
        g[i] = x->on_position[x->first + i] ? x->r[x->first + i] / x->sigma[x->first + i] : 0.0;
    if (d->nlam > 0) FLX_TRY(s->ops->constraint_rate(s, work, &p, rate));
    for (int i = 0; i < d->nlam + d->nmu; i++) {
        int at = x->first + i;
        if (i >= d->nlam) rate[i] = x->r[at];
        if (!x->on_rate[at]) rate[i] = 0.0;
    }
    return FLX_OK;
}

// ---- matrices -------------------------------------------------------------------------------------

static double saddle(const flx_end_slopes *x, const bool *rows, int r, int c, double a0, double a1,
                     double a2)
{
    int nv = x->sys->dims.nv, nlam = x->sys->dims.nlam;
    if (r < nv && c < nv) return a2;
    if (r < nv) return c >= x->first && rows[c] ? a0 : 0.0;
    if (r < x->first || !rows[r]) return r == c ? 1.0 : 0.0;
    if (c >= nv) return 0.0;
    if (r >= x->first + nlam) return a1;
    return x->tau[r] != 0.0 ? a1 / x->tau[r] : a0 / x->sigma[r];
}

static double position_value(const void *user, int r, int c, double a0, double a1, double a2)
{
    const flx_end_slopes *x = user;
    return saddle(x, x->on_position, r, c, a0, a1, a2);
}

static double rate_value(const void *user, int r, int c, double a0, double a1, double a2)
{
    const flx_end_slopes *x = user;
    return saddle(x, x->on_rate, r, c, a0, a1, a2);
}

flx_status flx_end_slopes_open(flx_end_slopes *x, flx_work *work, const flx_state *raw,
                               const flx_state *end, const flx_closed *done, bool transposed)
{
    const flx_system *s = x->sys;
    const flx_dims *d = &s->dims;
    take_rows(x, s, end->switches);
    x->by_raw = factor_for(x, done->theta);
    x->by_end = factor_for(x, done->dv);
    for (int i = 0; i < d->nv; i++) {
        x->theta[i] = done->theta[i];
        x->back[i] = -done->theta[i];
    }
    flx_point p = point_at(x, s, raw, NULL, NULL, 0, 0.0);
    FLX_TRY(flx_step_matrix_linearise(x->raw, work, &p));
    FLX_TRY(flx_step_matrix_factor_by(x->raw, work, position_value, x, transposed));
    p = point_at(x, s, raw, done->theta, done->nu, d->nlam, x->by_raw);
    if (x->by_raw > 0.0) FLX_TRY(flx_step_matrix_linearise(x->raw_by, work, &p));
    // at the end with its velocities: rows of velocity-level constraints by positions are in it
    p = point_at(x, s, end, NULL, NULL, 0, 0.0);
    p.v = end->v;
    x->at = p;
    FLX_TRY(flx_step_matrix_linearise(x->end, work, &p));
    FLX_TRY(flx_step_matrix_factor_by(x->end, work, rate_value, x, transposed));
    p = point_at(x, s, end, done->dv, done->rates, d->nlam + d->nmu, x->by_end);
    p.v = end->v;
    if (x->by_end > 0.0) FLX_TRY(flx_step_matrix_linearise(x->end_by, work, &p));
    return flx_instant_open_rates(x->rates, work, &x->at, transposed);
}

// ---- products -------------------------------------------------------------------------------------

// out (nv) += (by - plain) A0 u over positions / factor
static void add_bend(flx_end_slopes *x, flx_work *work, flx_step_matrix *by, flx_step_matrix *plain,
                     double factor, const double *u, double *out)
{
    int nv = x->sys->dims.nv;
    if (factor == 0.0) return;
    memset(x->u0, 0, (size_t)x->n * sizeof *x->u0);
    memcpy(x->u0, u, (size_t)nv * sizeof *u);
    const double *const in[3] = {x->u0, NULL, NULL};
    for (int k = 0; k < 2; k++) {
        memset(x->u1, 0, (size_t)x->n * sizeof *x->u1);
        flx_step_matrix_product(k == 0 ? by : plain, work, in, x->u1);
        for (int i = 0; i < nv; i++) out[i] += (k == 0 ? 1.0 : -1.0) * x->u1[i] / factor;
    }
}

static flx_status add_bend_t(flx_end_slopes *x, flx_work *work, flx_step_matrix *by,
                             flx_step_matrix *plain, double factor, const double *w, double sign,
                             double *out)
{
    int nv = x->sys->dims.nv;
    if (factor == 0.0) return FLX_OK;
    memset(x->u0, 0, (size_t)x->n * sizeof *x->u0);
    memcpy(x->u0, w, (size_t)nv * sizeof *w);
    for (int k = 0; k < 2; k++) {
        memset(x->u1, 0, (size_t)x->n * sizeof *x->u1);
        double *const to[3] = {x->u1, NULL, NULL};
        FLX_TRY(flx_step_matrix_product_t(k == 0 ? by : plain, work, x->u0, to));
        for (int i = 0; i < nv; i++) out[i] += sign * (k == 0 ? 1.0 : -1.0) * x->u1[i] / factor;
    }
    return FLX_OK;
}

// out (n): rows of constraints at the end times u (nv): G by positions, or all by velocities.
static void rows_at_end(flx_end_slopes *x, flx_work *work, const bool *rows, const double *u,
                        double *out)
{
    const flx_dims *d = &x->sys->dims;
    memset(x->u0, 0, (size_t)x->n * sizeof *x->u0);
    memcpy(x->u0, u, (size_t)d->nv * sizeof *u);
    memset(x->u1, 0, (size_t)x->n * sizeof *x->u1);
    memset(x->u2, 0, (size_t)x->n * sizeof *x->u2);
    const double *const by_q[3] = {x->u0, NULL, NULL}, *const by_v[3] = {NULL, x->u0, NULL};
    flx_step_matrix_product(x->end, work, by_q, x->u1);
    flx_step_matrix_product(x->end, work, by_v, x->u2);
    for (int i = x->first; i < x->n; i++) {
        out[i] = 0.0;
        if (!rows[i]) continue;
        if (i >= x->first + d->nlam)
            out[i] = x->u2[i];
        else
            out[i] = x->tau[i] != 0.0 ? x->u2[i] / x->tau[i] : x->u1[i] / x->sigma[i];
    }
}

// out (nv) += sign (these rows)^T w, w (n) of rows.
static flx_status rows_at_end_t(flx_end_slopes *x, flx_work *work, const bool *rows,
                                const double *w, double sign, double *out)
{
    const flx_dims *d = &x->sys->dims;
    for (int k = 0; k < 2; k++) {
        memset(x->u0, 0, (size_t)x->n * sizeof *x->u0);
        memset(x->u1, 0, (size_t)x->n * sizeof *x->u1);
        for (int i = x->first; i < x->n; i++) {
            bool fast = i >= x->first + d->nlam || x->tau[i] != 0.0;
            if (!rows[i] || fast != (k == 1)) continue;
            x->u0[i] = i >= x->first + d->nlam ? w[i] : w[i] / (fast ? x->tau[i] : x->sigma[i]);
        }
        double *const to[3] = {k == 0 ? x->u1 : NULL, k == 1 ? x->u1 : NULL, NULL};
        FLX_TRY(flx_step_matrix_product_t(x->end, work, x->u0, to));
        for (int i = 0; i < d->nv; i++) out[i] += sign * x->u1[i];
    }
    return FLX_OK;
}

// The first matrix, or its transpose, less that which was factored: G at the end behind the chart, for G before it. out (n) += J y
static flx_status multiply(flx_end_slopes *x, flx_work *work, const double *y, bool transposed,
                           double *out)
{
    const flx_system *s = x->sys;
    const flx_dims *d = &s->dims;
    double *t = x->s;
    memset(x->u0, 0, (size_t)x->n * sizeof *x->u0);
    memset(x->u2, 0, (size_t)x->n * sizeof *x->u2);
    memset(t, 0, (size_t)x->n * sizeof *t);
    memcpy(x->u2, y, (size_t)d->nv * sizeof *y);
    if (!transposed) { // M d theta + G^T d nu
        for (int i = x->first; i < x->n; i++) x->u0[i] = x->on_position[i] ? y[i] : 0.0;
        const double *const in[3] = {x->u0, NULL, x->u2};
        flx_step_matrix_product(x->raw, work, in, t);
        for (int i = 0; i < d->nv; i++) out[i] += t[i];
        s->ops->velocity(s, x->theta, y, t);
        rows_at_end(x, work, x->on_position, t, x->y);
        for (int i = x->first; i < x->n; i++) out[i] += x->on_position[i] ? x->y[i] : y[i];
        return FLX_OK;
    }
    // M zeta (it is symmetric), G zeta; B^T G_1^T of the rows
    memcpy(x->u0, y, (size_t)d->nv * sizeof *y);
    const double *const in[3] = {x->u0, NULL, NULL}, *const mass[3] = {NULL, NULL, x->u2};
    flx_step_matrix_product(x->raw, work, in, t);
    for (int i = x->first; i < x->n; i++) out[i] += x->on_position[i] ? t[i] / x->sigma[i] : y[i];
    memset(t, 0, (size_t)x->n * sizeof *t);
    flx_step_matrix_product(x->raw, work, mass, t);
    for (int i = 0; i < d->nv; i++) out[i] += t[i];
    memset(t, 0, (size_t)x->n * sizeof *t);
    FLX_TRY(rows_at_end_t(x, work, x->on_position, y, 1.0, t));
    s->ops->velocity_t(s, x->theta, t, t);
    for (int i = 0; i < d->nv; i++) out[i] += t[i];
    return FLX_OK;
}

// J p = b, b is overwritten; the solution goes to p.
static flx_status solve_positions(flx_end_slopes *x, flx_work *work, double *b, bool transposed)
{
    double last = HUGE_VAL, first = 0.0;
    size_t n = (size_t)x->n * sizeof(double);
    memset(x->p, 0, n);
    double *left = x->r;
    memcpy(left, b, n);
    for (int k = 0; k < MOST_ROUNDS; k++) {
        flx_step_matrix_solve(x->raw, left);
        double size = 0.0;
        for (int i = 0; i < x->n; i++) {
            x->p[i] += left[i];
            if (i < x->sys->dims.nv) size = fmax(size, fabs(left[i]));
        }
        if (k == 0) first = size;
        if (!(size > DBL_EPSILON * first) || !(size < 0.9 * last)) break;
        last = size;
        memset(left, 0, n);
        FLX_TRY(multiply(x, work, x->p, transposed, left));
        for (int i = 0; i < x->n; i++) left[i] = b[i] - left[i];
    }
    return FLX_OK;
}

// ---- direct and adjoint -----------------------------------------------------------------------------

flx_status flx_end_slopes_direct(flx_end_slopes *x, flx_work *work, const double *rp, double *q,
                                 double *v)
{
    const flx_system *s = x->sys;
    const flx_dims *d = &s->dims;
    const double *g = rp + d->nv, *m = g + d->nlam, *rate = m + d->nv;
    size_t n = (size_t)x->n * sizeof(double);
    double *b = x->b, *turned = x->turned;
    s->ops->rate(s, x->back, q, turned); // T d
    s->ops->velocity(s, x->theta, turned, x->p);
    memset(b, 0, n);
    rows_at_end(x, work, x->on_position, x->p, x->y);
    for (int i = 0; i < d->nv; i++) b[i] = rp[i];
    add_bend(x, work, x->raw_by, x->raw, x->by_raw, q, b);
    for (int i = 0; i < d->nlam; i++) {
        int at = x->first + i;
        b[at] = x->on_position[at] ? x->y[at] + g[i] : 0.0;
    }
    for (int i = 0; i < x->n; i++) b[i] = -b[i];
    FLX_TRY(solve_positions(x, work, b, false));
    for (int i = 0; i < d->nv; i++) q[i] = turned[i] + x->p[i];
    s->ops->velocity(s, x->theta, q, q);
    // velocities
    memset(b, 0, n);
    for (int i = 0; i < d->nv; i++) b[i] = m[i];
    add_bend(x, work, x->end_by, x->end, x->by_end, q, b);
    rows_at_end(x, work, x->on_rate, v, x->y);
    FLX_TRY(flx_instant_rates(x->rates, work, q, x->s));
    for (int i = 0; i < d->nlam + d->nmu; i++) {
        int at = x->first + i;
        b[at] = x->on_rate[at] ? x->y[at] + x->s[i] + rate[i] : 0.0;
    }
    for (int i = 0; i < x->n; i++) b[i] = -b[i];
    flx_step_matrix_solve(x->end, b);
    for (int i = 0; i < d->nv; i++) v[i] += b[i];
    return FLX_OK;
}

flx_status flx_end_slopes_adjoint(flx_end_slopes *x, flx_work *work, double *wq, double *wv,
                                  double *eta)
{
    const flx_system *s = x->sys;
    const flx_dims *d = &s->dims;
    double *g = eta + d->nv, *m = g + d->nlam, *rate = m + d->nv;
    size_t n = (size_t)x->n * sizeof(double);
    double *z = x->b, *turned = x->turned;
    memset(z, 0, n);
    memcpy(z, wv, (size_t)d->nv * sizeof *wv);
    flx_step_matrix_solve(x->end, z);
    memcpy(m, z, (size_t)d->nv * sizeof *m);
    for (int i = 0; i < d->nlam + d->nmu; i++)
        rate[i] = x->on_rate[x->first + i] ? z[x->first + i] : 0.0;
    FLX_TRY(add_bend_t(x, work, x->end_by, x->end, x->by_end, z, -1.0, wq));
    FLX_TRY(flx_instant_rates_t(x->rates, work, rate, wq));
    FLX_TRY(rows_at_end_t(x, work, x->on_rate, z, -1.0, wv));
    // positions
    s->ops->velocity_t(s, x->theta, wq, turned);
    memset(z, 0, n);
    memcpy(z, turned, (size_t)d->nv * sizeof *z);
    FLX_TRY(solve_positions(x, work, z, true));
    memcpy(eta, x->p, (size_t)d->nv * sizeof *eta);
    for (int i = 0; i < d->nlam; i++)
        g[i] = x->on_position[x->first + i] ? x->p[x->first + i] : 0.0;
    memcpy(z, x->p, n);
    memset(x->s, 0, n);
    FLX_TRY(rows_at_end_t(x, work, x->on_position, z, 1.0, x->s));
    s->ops->velocity_t(s, x->theta, x->s, x->s);
    for (int i = 0; i < d->nv; i++) turned[i] -= x->s[i];
    s->ops->rate_t(s, x->back, turned, wq);
    return add_bend_t(x, work, x->raw_by, x->raw, x->by_raw, z, -1.0, wq);
}
