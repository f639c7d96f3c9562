// tiny_top.c - a rigid body with a fixed point.
#include "tiny_parts.h"

static void top_retract(const flx_system *s, const double *q, const double *theta, double *out)
{
    (void)s;
    for (int i = 0; i < 3; i++) out[i] = q[i] + theta[i];
    quat_store(out + 3, quat_unit(quat_mul(quat_load(q + 3), quat_exp(v3_load(theta + 3)))));
}
static void top_difference(const flx_system *s, const double *q0, const double *q1, double *theta)
{
    (void)s;
    for (int i = 0; i < 3; i++) theta[i] = q1[i] - q0[i];
    v3_store(theta + 3, quat_log(quat_mul(quat_conj(quat_load(q0 + 3)), quat_load(q1 + 3))));
}
#define TOP_MAP(name, kernel)                                                                      \
    static void name(const flx_system *s, const double *theta, const double *u, double *out)       \
    {                                                                                              \
        (void)s;                                                                                   \
        memmove(out, u, 3 * sizeof *u);                                                            \
        v3_store(out + 3, kernel(v3_load(theta + 3), v3_load(u + 3)));                             \
    }
TOP_MAP(top_velocity, rot_tangent)
TOP_MAP(top_rate, rot_tangent_inverse)
TOP_MAP(top_velocity_t, rot_tangent_t)
TOP_MAP(top_rate_t, rot_tangent_inverse_t)

static void top_velocity_slope_t(const flx_system *s, const double *theta, const double *dtheta,
                                 const double *u, double *out)
{
    (void)s;
    memset(out, 0, 3 * sizeof *out);
    v3 slope = rot_tangent_slope_t(v3_load(theta + 3), v3_load(dtheta + 3), v3_load(u + 3));
    v3_store(out + 3, slope);
}

static flx_status top_residual(const flx_system *s, flx_work *w, const flx_point *p, double *r)
{
    (void)w;
    const top_numbers *n = &as_tiny(s)->top;
    m33 R = quat_to_m33(quat_load(p->q + 3));
    v3 arm = v3_load(n->s), om = v3_load(p->v + 3), lam = v3_load(p->lam);
    v3 Jom = {n->J[0] * om.x, n->J[1] * om.y, n->J[2] * om.z};
    v3 gyro = v3_cross(om, Jom);
    v3 moment = v3_cross(arm, m33_tmul_v(R, lam)); // (-R s~)^T lambda = s~ R^T lambda
    double gy[3], mo[3];
    v3_store(gy, gyro);
    v3_store(mo, moment);
    for (int i = 0; i < 3; i++) {
        r[i] = n->mass * (p->a[i] + (i == 2 ? n->gravity : 0.0)) + p->lam[i];
        r[3 + i] = n->J[i] * p->a[3 + i] + gy[i] + mo[i];
    }
    v3_store(r + 6, v3_add(v3_load(p->q), m33_mul_v(R, arm)));
    return FLX_OK;
}

static flx_status top_linearise(const flx_system *s, flx_work *w, const flx_point *p, flx_blocks *b)
{
    (void)w;
    const top_numbers *n = &as_tiny(s)->top;
    const flx_pattern *pt = &s->pattern;
    tiny_clear_blocks(pt, b);
    m33 R = quat_to_m33(quat_load(p->q + 3)), S = m33_skew(v3_load(n->s));
    v3 om = v3_load(p->v + 3), Jom = {n->J[0] * om.x, n->J[1] * om.y, n->J[2] * om.z};
    m33 Om = m33_skew(om), Jo = m33_skew(Jom), G = m33_scale(-1.0, m33_mul(R, S));
    m33 K = m33_mul(S, m33_skew(m33_tmul_v(R, v3_load(p->lam)))); // s~ d(R^T lambda)
    for (int i = 0; i < 3; i++) {
        tiny_put(pt, b->A2, i, i, n->mass);
        tiny_put(pt, b->A2, 3 + i, 3 + i, n->J[i]);
        tiny_put(pt, b->A0, i, 6 + i, 1.0);
        tiny_put(pt, b->A0, 6 + i, i, 1.0);
        for (int j = 0; j < 3; j++) {
            tiny_put(pt, b->A1, 3 + i, 3 + j, Om.m[3 * i + j] * n->J[j] - Jo.m[3 * i + j]);
            tiny_put(pt, b->A0, 3 + i, 3 + j, K.m[3 * i + j]);
            tiny_put(pt, b->A0, 6 + i, 3 + j, G.m[3 * i + j]);
            tiny_put(pt, b->A0, 3 + j, 6 + i, G.m[3 * i + j]);
        }
    }
    return FLX_OK;
}

static flx_status top_constraint_rate(const flx_system *s, flx_work *w, const flx_point *p,
                                      double *gd)
{
    (void)w;
    m33 R = quat_to_m33(quat_load(p->q + 3));
    v3 turn = v3_cross(v3_load(p->v + 3), v3_load(as_tiny(s)->top.s));
    v3_store(gd, v3_add(v3_load(p->v), m33_mul_v(R, turn)));
    return FLX_OK;
}

static flx_status top_constraint_force(const flx_system *s, flx_work *w, const flx_point *p,
                                       const double *eta, double *out)
{
    (void)w;
    m33 R = quat_to_m33(quat_load(p->q + 3));
    memcpy(out, eta, 3 * sizeof *eta);
    v3_store(out + 3, v3_cross(v3_load(as_tiny(s)->top.s), m33_tmul_v(R, v3_load(eta))));
    return FLX_OK;
}

static flx_status top_constraint_bias(const flx_system *s, flx_work *w, const flx_point *p,
                                      double *bias)
{
    (void)w;
    m33 R = quat_to_m33(quat_load(p->q + 3));
    v3 om = v3_load(p->v + 3);
    v3_store(bias, m33_mul_v(R, v3_cross(om, v3_cross(om, v3_load(as_tiny(s)->top.s)))));
    return FLX_OK;
}

static flx_status top_energy(const flx_system *s, flx_work *w, const flx_point *p, flx_energies *e)
{
    (void)w;
    const top_numbers *n = &as_tiny(s)->top;
    *e = (flx_energies){0};
    for (int i = 0; i < 3; i++) {
        e->kinetic += 0.5 * n->mass * p->v[i] * p->v[i] + 0.5 * n->J[i] * p->v[3 + i] * p->v[3 + i];
    }
    e->potential = n->mass * n->gravity * p->q[2];
    return FLX_OK;
}

static void top_component_rate(const flx_system *s, const double *q, const double *v, double *dq)
{
    (void)s;
    memcpy(dq, v, 3 * sizeof *dq);
    quat half = {0.0, 0.5 * v[3], 0.5 * v[4], 0.5 * v[5]};
    quat_store(dq + 3, quat_mul(quat_load(q + 3), half));
}

static void top_component_velocity(const flx_system *s, const double *q, const double *dq,
                                   double *v)
{
    (void)s;
    quat a = quat_load(q + 3), w = quat_mul(quat_conj(a), quat_load(dq + 3));
    double scale = 2.0 / (a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z);
    memcpy(v, dq, 3 * sizeof *v);
    v3_store(v + 3, v3_scale(scale, v3_make(w.x, w.y, w.z)));
}

static void top_normalise(const flx_system *s, double *q)
{
    (void)s;
    quat_store(q + 3, quat_unit(quat_load(q + 3)));
}

static const flx_components top_components = {
    .rate = top_component_rate, .velocity = top_component_velocity, .normalise = top_normalise};

flx_system *top_create(flx_ctx *ctx, const top_numbers *numbers)
{
    tiny *t = tiny_create(ctx, "top", (flx_dims){.nq = 7, .nv = 6, .nlam = 3});
    if (!t) return NULL;
    t->top = *numbers;
    t->ops.residual = top_residual;
    t->ops.linearise = top_linearise;
    t->ops.constraint_rate = top_constraint_rate;
    t->ops.constraint_force = top_constraint_force;
    t->ops.constraint_bias = top_constraint_bias;
    t->ops.energy = top_energy;
    t->ops.retract = top_retract;
    t->ops.difference = top_difference;
    t->ops.velocity = top_velocity;
    t->ops.rate = top_rate;
    t->ops.velocity_t = top_velocity_t;
    t->ops.rate_t = top_rate_t;
    t->ops.velocity_slope_t = top_velocity_slope_t;
    t->ops.components = &top_components;
    int ok = tiny_make_dense_pattern(t);
    if (ok) t->pair[1] = 0;
    return tiny_finish(t, ok);
}
