// descriptor_chart.c - the chart of the descriptor system: positions moved along velocities. Rotations of bodies in space are a
// group of their own; all the rest is a vector space.
#include "descriptor/descriptor_parts.h"

void flx_chart_retract(const flx_system *s, const double *q, const double *theta, double *q_out)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    int n;
    const flx_body_record *rigid = flx_bodies_rigid(d, &n);
    for (int k = 0; k < d->nsegment; k++) {
        const flx_segment *g = d->segments + k;
        for (int i = 0; i < g->n; i++) q_out[g->q + i] = q[g->q + i] + theta[g->v + i];
    }
    flx_rigid_retract(n, rigid, q, theta, q_out);
}

void flx_chart_difference(const flx_system *s, const double *q0, const double *q1, double *theta)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    int n;
    const flx_body_record *rigid = flx_bodies_rigid(d, &n);
    for (int k = 0; k < d->nsegment; k++) {
        const flx_segment *g = d->segments + k;
        for (int i = 0; i < g->n; i++) theta[g->v + i] = q1[g->q + i] - q0[g->q + i];
    }
    flx_rigid_difference(n, rigid, q0, q1, theta);
}

// The four maps differ only in what they do to rotations.
#define CHART_MAP(name, map)                                                                       \
    void name(const flx_system *s, const double *theta, const double *in, double *out)             \
    {                                                                                              \
        int n;                                                                                     \
        const flx_body_record *rigid = flx_bodies_rigid(flx_descriptor_of(s), &n);                 \
        if (out != in) memcpy(out, in, (size_t)s->dims.nv * sizeof *out);                          \
        for (int k = 0; k < n; k++) {                                                              \
            int v = rigid[k].v + 3;                                                                \
            v3_store(out + v, map(v3_load(theta + v), v3_load(in + v)));                           \
        }                                                                                          \
    }
CHART_MAP(flx_chart_velocity, rot_tangent)
CHART_MAP(flx_chart_rate, rot_tangent_inverse)
CHART_MAP(flx_chart_velocity_t, rot_tangent_t)
CHART_MAP(flx_chart_rate_t, rot_tangent_inverse_t)

void flx_chart_velocity_slope_t(const flx_system *s, const double *theta, const double *dtheta,
                                const double *u, double *out)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    int n;
    const flx_body_record *rigid = flx_bodies_rigid(d, &n);
    for (int i = 0; i < s->dims.nv; i++) out[i] = 0.0;
    for (int k = 0; k < n; k++) {
        int v = rigid[k].v + 3;
        v3 slope = rot_tangent_slope_t(v3_load(theta + v), v3_load(dtheta + v), v3_load(u + v));
        v3_store(out + v, slope);
    }
}

// ---- components ---------------------------------------------------------------------------------

static void normalise(const flx_system *s, double *q)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    int n;
    const flx_body_record *rigid = flx_bodies_rigid(d, &n);
    for (int i = 0; i < n; i++) {
        double *r = q + rigid[i].q + 3;
        quat_store(r, quat_unit(quat_load(r)));
    }
}

// q' = T(q) v; the quaternion as it is in z, so that its norm is kept by the equation.
static void position_rate(const flx_system *s, const double *z, const double *v, double *dq)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    int n;
    const flx_body_record *rigid = flx_bodies_rigid(d, &n);
    for (int k = 0; k < d->nsegment; k++) {
        const flx_segment *g = d->segments + k;
        memcpy(dq + g->q, v + g->v, (size_t)g->n * sizeof *dq);
    }
    for (int i = 0; i < n; i++) {
        const flx_body_record *b = rigid + i;
        memcpy(dq + b->q, v + b->v, 3 * sizeof *dq);
        const double *w = v + b->v + 3;
        quat half = {0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]};
        quat_store(dq + b->q + 3, quat_mul(quat_load(z + b->q + 3), half));
    }
}

// v = T(q)^+ dq: 2 q* dq / |q|^2, without its scalar part, of a quaternion.
static void position_velocity(const flx_system *s, const double *q, const double *dq, double *v)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    int n;
    const flx_body_record *rigid = flx_bodies_rigid(d, &n);
    for (int k = 0; k < d->nsegment; k++) {
        const flx_segment *g = d->segments + k;
        memcpy(v + g->v, dq + g->q, (size_t)g->n * sizeof *v);
    }
    for (int i = 0; i < n; i++) {
        const flx_body_record *b = rigid + i;
        memcpy(v + b->v, dq + b->q, 3 * sizeof *v);
        quat a = quat_load(q + b->q + 3);
        double norm2 = a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z;
        quat w = quat_mul((quat){a.w, -a.x, -a.y, -a.z}, quat_load(dq + b->q + 3));
        v3_store(v + b->v + 3, v3_scale(2.0 / norm2, v3_make(w.x, w.y, w.z)));
    }
}

const flx_components flx_descriptor_components = {
    .rate = position_rate, .velocity = position_velocity, .normalise = normalise};
