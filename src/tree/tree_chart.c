// tree_chart.c - the chart of the coordinates of joints.
#include "tree/tree_parts.h"

#include <string.h>

void flx_tree_retract(const flx_system *s, const double *q, const double *theta, double *q_out)
{
    const flx_tree_links *t = &flx_tree_of(s)->t;
    for (int i = 0; i < t->k.n; i++) {
        const flx_link *l = t->links + i;
        flx_tree_retract_link(l, t->k.planar, q + l->q, theta + l->v, q_out + l->q);
    }
    for (int i = t->k.nv, k = t->k.nq; i < s->dims.nv; i++, k++) q_out[k] = q[k] + theta[i];
}

void flx_tree_difference(const flx_system *s, const double *q0, const double *q1, double *theta)
{
    const flx_tree_links *t = &flx_tree_of(s)->t;
    for (int i = 0; i < t->k.n; i++) {
        const flx_link *l = t->links + i;
        const double *a = q0 + l->q, *b = q1 + l->q;
        double *out = theta + l->v;
        if (l->kind == FLX_LINK_BALL) {
            v3_store(out, quat_log(quat_mul(quat_conj(quat_load(a)), quat_load(b))));
            continue;
        }
        for (int k = 0; k < flx_link_freedom(l->kind, t->k.planar); k++) out[k] = b[k] - a[k];
    }
    for (int i = t->k.nv, k = t->k.nq; i < s->dims.nv; i++, k++) theta[i] = q1[k] - q0[k];
}

// The four maps differ only in what they do to rotations.
#define CHART_MAP(name, map)                                                                       \
    void name(const flx_system *s, const double *theta, const double *in, double *out)             \
    {                                                                                              \
        const flx_tree_links *t = &flx_tree_of(s)->t;                                              \
        if (out != in) memcpy(out, in, (size_t)s->dims.nv * sizeof *out);                          \
        for (int i = 0; i < t->k.n; i++) {                                                         \
            if (t->links[i].kind != FLX_LINK_BALL) continue;                                       \
            int v = t->links[i].v;                                                                 \
            v3_store(out + v, map(v3_load(theta + v), v3_load(in + v)));                           \
        }                                                                                          \
    }
CHART_MAP(flx_tree_chart_velocity, rot_tangent)
CHART_MAP(flx_tree_chart_rate, rot_tangent_inverse)
CHART_MAP(flx_tree_chart_velocity_t, rot_tangent_t)
CHART_MAP(flx_tree_chart_rate_t, rot_tangent_inverse_t)

void flx_tree_chart_velocity_slope_t(const flx_system *s, const double *theta, const double *dtheta,
                                     const double *u, double *out)
{
    const flx_tree_links *t = &flx_tree_of(s)->t;
    memset(out, 0, (size_t)s->dims.nv * sizeof *out);
    for (int i = 0; i < t->k.n; i++) {
        if (t->links[i].kind != FLX_LINK_BALL) continue;
        int v = t->links[i].v;
        v3 slope = rot_tangent_slope_t(v3_load(theta + v), v3_load(dtheta + v), v3_load(u + v));
        v3_store(out + v, slope);
    }
}
