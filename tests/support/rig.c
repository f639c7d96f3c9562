// rig.c - systems at their start, references by other formulations, fitted orders.
#include "rig.h"
#include "flexion/extend/method_table.h"

#include "math/small.h"
#include "reduced/quasistatic.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the systems ----------------------------------------------------------------------------

static const double pendulum_mass = 1.3, pendulum_length = 0.83, pendulum_gravity = 9.81;
static const double pendulum_angle = 0.7, pendulum_rate = 1.9;
static const top_numbers top = {5.1, {0.9, 1.3, 0.7}, {0.12, -0.23, -0.91}, 9.81};
static const double top_angle = 0.8, top_omega[3] = {0.7, -1.1, 8.0};
static const mixed_numbers mixed = {1.2, 7.0, 0.3, 1.7, 0.4, 0.6, 0.25};
static const double skate_mass = 2.3, skate_inertia = 0.7, skate_gravity = 3.1, skate_spin = 2.7;
static const double skate_spring = 4.3;
static const double lin_M[4] = {2.0, 0.3, 0.3, 0.11}, lin_D[4] = {0.4, -0.1, -0.1, 1.9};
static const double lin_K[4] = {30.0, -4.0, -4.0, 11.0};

flx_system *rig_pendulum(flx_ctx *ctx)
{
    return pendulum_create(ctx, pendulum_mass, pendulum_length, pendulum_gravity);
}
flx_system *rig_top(flx_ctx *ctx)
{
    return top_create(ctx, &top);
}
flx_system *rig_top_own(flx_ctx *ctx)
{
    flx_system *s = top_create(ctx, &top);
    if (s) tiny_own_algebra(s);
    return s;
}
flx_system *rig_mixed(flx_ctx *ctx)
{
    return mixed_create(ctx, &mixed);
}
flx_system *rig_skate(flx_ctx *ctx)
{
    return skate_create(ctx, skate_mass, skate_inertia, skate_gravity, skate_spring);
}
flx_system *rig_linear(flx_ctx *ctx)
{
    return linear_create(ctx, 2, lin_M, lin_D, lin_K);
}
flx_system *rig_implicit(flx_ctx *ctx)
{
    static flx_system_ops ops;
    flx_system *s = rig_linear(ctx);
    if (!s) return NULL;
    ops = *s->ops;
    ops.name = "implicit";
    ops.explicit_form = NULL;
    s->ops = &ops;
    return s;
}
flx_system *rig_quasistatic(flx_ctx *ctx)
{
    flx_system *base = linear_create(ctx, 2, lin_M, lin_D, lin_K);
    flx_system *s = NULL;
    if (base) {
        (void)flx_quasistatic_create(base, &(flx_quasistatic_how){.n = 1, .J = (const int[]){1}},
                                     &s);
    }
    return s;
}

// ---- references -----------------------------------------------------------------------------

typedef void (*ode)(double t, const double *y, double *dy);

// Classical Runge-Kutta with 40000 steps: below 1e-13 for everything here. The last solutions are
// remembered: tests of orders ask for the same one again and again.
static void runge_kutta(ode f, int n, double t_end, double *y)
{
    enum { KEPT = 8 };
    static struct {
        ode f;
        double t, begin[8], end[8];
    } kept[KEPT];
    static int next;
    for (int i = 0; i < KEPT; i++) {
        if (kept[i].f != f || kept[i].t != t_end) continue;
        if (memcmp(kept[i].begin, y, (size_t)n * sizeof *y) != 0) continue;
        memcpy(y, kept[i].end, (size_t)n * sizeof *y);
        return;
    }
    int slot = next++ % KEPT;
    kept[slot].f = f;
    kept[slot].t = t_end;
    memcpy(kept[slot].begin, y, (size_t)n * sizeof *y);
    const int steps = 40000;
    double h = t_end / steps, k[4][8], z[8];
    for (int s = 0; s < steps; s++) {
        double t = s * h;
        f(t, y, k[0]);
        for (int i = 0; i < n; i++) z[i] = y[i] + 0.5 * h * k[0][i];
        f(t + 0.5 * h, z, k[1]);
        for (int i = 0; i < n; i++) z[i] = y[i] + 0.5 * h * k[1][i];
        f(t + 0.5 * h, z, k[2]);
        for (int i = 0; i < n; i++) z[i] = y[i] + h * k[2][i];
        f(t + h, z, k[3]);
        for (int i = 0; i < n; i++) {
            y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
        }
    }
    memcpy(kept[slot].end, y, (size_t)n * sizeof *y);
}

// Angle from the downward vertical.
static void pendulum_ode(double t, const double *y, double *dy)
{
    (void)t;
    dy[0] = y[1];
    dy[1] = -pendulum_gravity / pendulum_length * sin(y[0]);
}

static void pendulum_state(const double *y, flx_state *x)
{
    double L = pendulum_length, s = sin(y[0]), c = cos(y[0]);
    x->q[0] = L * s;
    x->q[1] = -L * c;
    x->v[0] = L * c * y[1];
    x->v[1] = L * s * y[1];
}

// Inertia about the fixed point; c from it to the centre of mass.
static m33 top_inertia(void)
{
    v3 c = v3_neg(v3_load(top.s));
    m33 J = m33_scale(top.mass, m33_sub(m33_scale(v3_dot(c, c), m33_identity()), m33_outer(c, c)));
    for (int i = 0; i < 3; i++) J.m[4 * i] += top.J[i];
    return J;
}

static v3 solve3(m33 A, v3 b)
{
    v3 c0 = m33_col(A, 0), c1 = m33_col(A, 1), c2 = m33_col(A, 2);
    double det = v3_dot(c0, v3_cross(c1, c2));
    return v3_make(v3_dot(b, v3_cross(c1, c2)) / det, v3_dot(c0, v3_cross(b, c2)) / det,
                   v3_dot(c0, v3_cross(c1, b)) / det);
}

// Quaternion and angular velocity about the fixed point: Euler's equations.
static void top_ode(double t, const double *y, double *dy)
{
    (void)t;
    quat q = quat_load(y), om4 = {0.0, y[4], y[5], y[6]};
    v3 om = v3_load(y + 4);
    quat dq = quat_mul(q, om4);
    quat_store(dy, (quat){0.5 * dq.w, 0.5 * dq.x, 0.5 * dq.y, 0.5 * dq.z});
    m33 J = top_inertia();
    v3 weight = m33_tmul_v(quat_to_m33(q), v3_make(0.0, 0.0, -top.mass * top.gravity));
    v3 moment = v3_cross(v3_neg(v3_load(top.s)), weight);
    v3_store(dy + 4, solve3(J, v3_sub(moment, v3_cross(om, m33_mul_v(J, om)))));
}

static void top_state(const double *y, flx_state *x)
{
    quat q = quat_unit(quat_load(y));
    m33 R = quat_to_m33(q);
    v3 c = v3_neg(v3_load(top.s)), om = v3_load(y + 4);
    v3_store(x->q, m33_mul_v(R, c));
    quat_store(x->q + 3, q);
    v3_store(x->v, m33_mul_v(R, v3_cross(om, c)));
    v3_store(x->v + 3, om);
}

// The real root of w + b w^3 = r.
static double mixed_w(double r)
{
    double w = r;
    for (int k = 0; k < 60; k++) {
        w -= (w + mixed.b * w * w * w - r) / (1.0 + 3.0 * mixed.b * w * w);
    }
    return w;
}

static void mixed_ode(double t, const double *y, double *dy)
{
    (void)t;
    double w = mixed_w(y[2] + mixed.d * y[1]);
    dy[0] = y[1];
    dy[1] = (-mixed.k * y[0] - mixed.c * y[1] + w) / mixed.m;
    dy[2] = -mixed.a * y[2] + y[0] - mixed.e * w;
}

static void mixed_state(const double *y, flx_state *x)
{
    double dy[3];
    mixed_ode(0.0, y, dy);
    x->q[0] = y[0];
    x->v[0] = y[1];
    x->x[0] = y[2];
    x->w[0] = mixed_w(y[2] + mixed.d * y[1]);
    x->a[0] = dy[1];
    x->dx[0] = dy[2];
}

// Speed along the edge and the angle: y = (x, y, phi, u, phi').
static void skate_ode(double t, const double *y, double *dy)
{
    (void)t;
    dy[0] = y[3] * cos(y[2]);
    dy[1] = y[3] * sin(y[2]);
    dy[2] = y[4];
    dy[3] = skate_gravity * cos(y[2]);
    dy[4] = -skate_spring / skate_inertia * y[2];
}

static void skate_state(const double *y, flx_state *x)
{
    double dy[5];
    skate_ode(0.0, y, dy);
    memcpy(x->q, y, 3 * sizeof *y);
    memcpy(x->v, dy, 3 * sizeof *y);
}

static void linear_ode(double t, const double *y, double *dy)
{
    (void)t;
    double f[2], det = lin_M[0] * lin_M[3] - lin_M[1] * lin_M[2];
    for (int i = 0; i < 2; i++) {
        f[i] = -lin_K[2 * i] * y[0] - lin_K[2 * i + 1] * y[1] - lin_D[2 * i] * y[2] -
               lin_D[2 * i + 1] * y[3];
        dy[i] = y[2 + i];
    }
    dy[2] = (lin_M[3] * f[0] - lin_M[1] * f[1]) / det;
    dy[3] = (lin_M[0] * f[1] - lin_M[2] * f[0]) / det;
}

// Quasi-static: y = (q_I, q_J, p) with p = v_I + r v_J, r = M_IJ/M_II, p' = f_I/M_II and
// f_J = r f_I, which gives v_J.
static void quasistatic_rates(const double *y, double v[2], double *s)
{
    double r = lin_M[1] / lin_M[0];
    // f_J - r f_I with v_I = p - r v_J: linear in v_J
    double K[2], D[2];
    for (int j = 0; j < 2; j++) {
        K[j] = lin_K[2 + j] - r * lin_K[j];
        D[j] = lin_D[2 + j] - r * lin_D[j];
    }
    v[1] = -(K[0] * y[0] + K[1] * y[1] + D[0] * y[2]) / (D[1] - r * D[0]);
    v[0] = y[2] - r * v[1];
    *s = -(lin_K[0] * y[0] + lin_K[1] * y[1] + lin_D[0] * v[0] + lin_D[1] * v[1]) / lin_M[0];
}

static void quasistatic_ode(double t, const double *y, double *dy)
{
    (void)t;
    quasistatic_rates(y, dy, &dy[2]);
}

static void quasistatic_state(const double *y, flx_state *x)
{
    double dy[3], unused;
    quasistatic_ode(0.0, y, dy);
    for (int i = 0; i < 2; i++) {
        x->q[i] = y[i];
        x->v[i] = dy[i];
    }
    x->w[0] = dy[2];
    quasistatic_rates(dy, x->a, &unused); // linear: the rate of v is v at the rates
}

static bool is_top(rig_maker make)
{
    return make == rig_top || make == rig_top_own;
}

static void top_start(double *y)
{
    quat_store(y,
               quat_mul(quat_exp(v3_make(0.3, 0.0, 0.0)), quat_exp(v3_make(0.0, top_angle, 0.0))));
    memcpy(y + 4, top_omega, sizeof top_omega);
}

int rig_reference(rig_maker make, double t_end, flx_state *x)
{
    double y[8] = {0};
    x->t = t_end;
    if (make == rig_pendulum) {
        y[0] = pendulum_angle;
        y[1] = pendulum_rate;
        if (t_end > 0.0) runge_kutta(pendulum_ode, 2, t_end, y);
        pendulum_state(y, x);
    } else if (is_top(make)) {
        top_start(y);
        if (t_end > 0.0) runge_kutta(top_ode, 7, t_end, y);
        top_state(y, x);
    } else if (make == rig_mixed) {
        y[0] = 0.6;
        y[1] = -1.1;
        y[2] = 0.9;
        if (t_end > 0.0) runge_kutta(mixed_ode, 3, t_end, y);
        mixed_state(y, x);
    } else if (make == rig_skate) {
        y[3] = 0.4;
        y[4] = skate_spin;
        if (t_end > 0.0) runge_kutta(skate_ode, 5, t_end, y);
        skate_state(y, x);
    } else if (make == rig_linear) {
        y[0] = 0.3;
        y[1] = -0.2;
        y[2] = 0.5;
        if (t_end > 0.0) runge_kutta(linear_ode, 4, t_end, y);
        memcpy(x->q, y, 2 * sizeof *y);
        memcpy(x->v, y + 2, 2 * sizeof *y);
    } else if (make == rig_quasistatic) {
        y[0] = 0.3;
        y[1] = -0.2;
        y[2] = 0.5;
        if (t_end > 0.0) runge_kutta(quasistatic_ode, 3, t_end, y);
        quasistatic_state(y, x);
    } else {
        return 1;
    }
    return 0;
}

void rig_begin(rig_maker make, flx_state *x)
{
    rig_reference(make, 0.0, x);
}

// ---- rig ------------------------------------------------------------------------------------

static flx_status up(rig *r, rig_maker make, const flx_integrator_def *def, long fail)
{
    memset(r, 0, sizeof *r);
    r->ctx = flx_ctx_create();
    if (!r->ctx) return FLX_ERR_MEMORY;
    r->sys = make(r->ctx);
    if (!r->sys) return FLX_ERR_MEMORY;
    flx_ctx_fail_allocation(r->ctx, fail);
    flx_status status = flx_state_create(r->sys, &r->x);
    if (status == FLX_OK) status = flx_state_create(r->sys, &r->y);
    if (status == FLX_OK) status = flx_integrator_create(r->sys, def, &r->it);
    if (status != FLX_OK) return status;
    rig_begin(make, r->x);
    rig_accelerations(r, r->x);
    return FLX_OK;
}

int rig_up(rig *r, rig_maker make, const flx_integrator_def *def)
{
    return up(r, make, def, -1) != FLX_OK;
}

flx_status rig_up_failing(rig *r, rig_maker make, const flx_integrator_def *def, long k)
{
    return up(r, make, def, k);
}

void rig_down(rig *r)
{
    flx_integrator_destroy(&r->it);
    flx_state_destroy(&r->x);
    flx_state_destroy(&r->y);
    flx_system_destroy(&r->sys);
    flx_ctx_destroy(&r->ctx);
}

int rig_accelerations(rig *r, flx_state *x)
{
    const flx_explicit *e = r->sys->ops->explicit_form;
    if (!e || e->fill) return 0; // the reference gave them
    flx_work *w = r->sys->ops->work_create(r->sys);
    double z[64], dz[64];
    e->pack(r->sys, x, z);
    flx_status status = w ? e->rate(r->sys, w, x->t, z, x, dz) : FLX_ERR_MEMORY;
    if (w) r->sys->ops->work_destroy(w);
    return status != FLX_OK;
}

double rig_gap(rig *r, const flx_state *x)
{
    const flx_dims *d = &r->sys->dims;
    flx_work *w = r->sys->ops->work_create(r->sys);
    double *res = calloc((size_t)flx_dims_unknowns(d), sizeof *res), gap = 0.0;
    flx_point p = flx_state_point(r->sys, x);
    r->sys->ops->residual(r->sys, w, &p, res);
    for (int i = 0; i < d->nlam; i++) gap = fmax(gap, fabs(res[d->nv + d->nx + d->nw + i]));
    r->sys->ops->work_destroy(w);
    free(res);
    return gap;
}

void rig_turn(flx_state *x, double angle)
{
    quat turn = quat_exp(v3_make(0.0, 0.0, angle));
    m33 R = quat_to_m33(turn);
    v3_store(x->q, m33_mul_v(R, v3_load(x->q)));
    quat_store(x->q + 3, quat_mul(turn, quat_load(x->q + 3)));
    v3_store(x->v, m33_mul_v(R, v3_load(x->v)));
    v3_store(x->a, m33_mul_v(R, v3_load(x->a)));
    v3_store(x->lam, m33_mul_v(R, v3_load(x->lam)));
}

// ---- orders ---------------------------------------------------------------------------------

static double distance(const double *a, const double *b, int n)
{
    double m = 0.0;
    for (int i = 0; i < n; i++) m = fmax(m, fabs(a[i] - b[i]));
    return m;
}

// Errors of x against y: q and x, v, lambda and mu and w.
static void errors(const rig *r, double e[3])
{
    const flx_dims *d = &r->sys->dims;
    double theta[64], zero[64] = {0};
    r->sys->ops->difference(r->sys, r->y->q, r->x->q, theta);
    e[0] = fmax(distance(theta, zero, d->nv), distance(r->x->x, r->y->x, d->nx));
    e[1] = distance(r->x->v, r->y->v, d->nv);
    e[2] = fmax(distance(r->x->lam, r->y->lam, d->nlam), distance(r->x->mu, r->y->mu, d->nmu));
    e[2] = fmax(e[2], distance(r->x->w, r->y->w, d->nw));
}

// Slope of log2(error) against the level by least squares. The last level is left out where it is
// rounding.
static double slope(const double *e, int n)
{
    const double rounding = 8.0 * DBL_EPSILON;
    if (e[n - 1] < rounding) n--;
    double mean = 0.5 * (n - 1), top_sum = 0.0, below = 0.0;
    for (int i = 0; i < n; i++) {
        top_sum += (i - mean) * log2(e[i]);
        below += (i - mean) * (i - mean);
    }
    return -top_sum / below;
}

int rig_orders(rig_maker make, double t_end, int steps, const flx_integrator_def *def,
               const double order[3], double within)
{
    enum { LEVELS = 4 };
    static const char *const name[3] = {"q", "v", "lambda"};
    double e[3][LEVELS];
    for (int level = 0; level < LEVELS; level++) {
        rig r;
        int n = steps << level;
        flx_integrator_def d = *def;
        d.step = t_end / n;
        if (rig_up(&r, make, &d)) {
            printf("cannot set up: %s\n",
                   flx_ctx_error(r.ctx, 0) ? flx_ctx_error(r.ctx, 0)->text : "");
            rig_down(&r);
            return 1;
        }
        flx_status status = FLX_OK;
        for (int k = 0; k < n && status == FLX_OK; k++) {
            status = flx_integrator_step(r.it, r.x, (k + 1) * t_end / n - r.x->t, NULL);
        }
        if (status != FLX_OK) printf("%s\n", flx_ctx_error(r.ctx, 0)->text);
        rig_reference(make, t_end, r.y);
        rig_accelerations(&r, r.y);
        double now[3];
        errors(&r, now);
        for (int i = 0; i < 3; i++) e[i][level] = now[i];
        rig_down(&r);
        if (status != FLX_OK) return 1;
    }
    int bad = 0;
    for (int i = 0; i < 3; i++) {
        if (order[i] < 0.0) continue;
        double s = slope(e[i], LEVELS);
        bool ok = fabs(s - order[i]) <= within;
        printf("    %s %s order %.3f, expected %.1f; errors", ok ? " " : "!", name[i], s, order[i]);
        for (int l = 0; l < LEVELS; l++) printf(" %.3g", e[i][l]);
        printf("\n");
        bad |= !ok;
    }
    return bad;
}
