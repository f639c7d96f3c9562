// whirl.c - in which sense modes of rotors go round; see whirl.h.
#include "simulate/analyses/shapes/whirl.h"

#include <math.h>
#include <string.h>

#define ALONG 1e-12   // of a mode whose largest part is 1: nothing moves across the axis
#define ROUNDING 1e-6 // of the largest move of a deformation across the axis
#define PROBE 1e-3    // of a shape: its coordinates are linear in it

v3 flx_whirl_axis(const flx_system *s, const flx_state *x, double *rate)
{
    flx_body_axes b;
    v3 axis = v3_make(0, 0, 1);
    *rate = 0.0;
    for (int i = 0; flx_descriptor_body_axes(s, x->q, i, &b); i++) {
        if (b.angular == 0) continue;
        const double *w = x->v + b.v + b.linear;
        v3 in_ground = b.angular == 1 ? v3_make(0, 0, w[0]) : m33_mul_v(b.R, v3_load(w));
        if (v3_norm(in_ground) <= *rate) continue;
        *rate = v3_norm(in_ground);
        axis = v3_scale(1.0 / *rate, in_ground);
    }
    return axis;
}

// Two axes across one, with which they are right-handed.
static void find_across(v3 axis, v3 *u, v3 *v)
{
    v3 a = fabs(axis.x) < 0.7 ? v3_make(1, 0, 0) : v3_make(0, 1, 0);
    v3 b = v3_sub(a, v3_scale(v3_dot(a, axis), axis));
    *u = v3_scale(1.0 / v3_norm(b), b);
    *v = v3_cross(axis, *u);
}

// Two complex numbers across the axis, from a vector in ground axes of which re and im are known.
static void add_whirl(v3 u, v3 v, v3 re, v3 im, double scale, double *sum, double *size)
{
    double w = 1.0 / (scale * scale);
    double ar = v3_dot(u, re), ai = v3_dot(u, im), br = v3_dot(v, re), bi = v3_dot(v, im);
    *sum += 2.0 * w * (ai * br - ar * bi);
    *size += w * (ar * ar + ai * ai + br * br + bi * bi);
}

// Whether most of a mode is in unknowns that are no motion of bodies as a whole, in their scales.
static bool is_inner(const flx_system *s, const flx_state *x, const flx_modes *modes, int i)
{
    flx_body_axes b;
    const double *re = modes->modes[i].shape, *im = re + modes->nshape, *scale = modes->scale;
    double all = 0.0, whole = 0.0;
    for (int k = 0; k < s->dims.nv; k++)
        all += (re[k] * re[k] + im[k] * im[k]) / (scale[k] * scale[k]);
    for (int n = 0; flx_descriptor_body_axes(s, x->q, n, &b); n++) {
        for (int k = b.v; k < b.v + b.linear + b.angular; k++)
            whole += (re[k] * re[k] + im[k] * im[k]) / (scale[k] * scale[k]);
    }
    return whole < 0.5 * all;
}

void flx_whirl_of(const flx_system *s, const flx_state *x, v3 axis, const flx_modes *modes, int i,
                  flx_whirl *out)
{
    flx_body_axes b;
    const double *re = modes->modes[i].shape, *im = re + modes->nshape, *scale = modes->scale;
    double sum = 0.0, size = 0.0;
    v3 u, v;
    find_across(axis, &u, &v);
    for (int k = 0; flx_descriptor_body_axes(s, x->q, k, &b); k++) {
        const double *r = re + b.v, *m = im + b.v;
        if (b.linear >= 2) {
            v3 p = v3_make(r[0], r[1], b.linear > 2 ? r[2] : 0.0);
            v3 q = v3_make(m[0], m[1], b.linear > 2 ? m[2] : 0.0);
            add_whirl(u, v, p, q, scale[b.v], &sum, &size);
        }
        if (b.angular == 3) {
            v3 p = m33_mul_v(b.R, v3_load(r + b.linear)), q = m33_mul_v(b.R, v3_load(m + b.linear));
            add_whirl(u, v, p, q, scale[b.v + b.linear], &sum, &size);
        }
    }
    out->across = size > ALONG;
    out->k = out->across ? sum / size : 0.0;
}

// ---- deformations ---------------------------------------------------------------------------------------

typedef struct deformed {
    flx_simulation *sim;
    const flx_system *s;
    const flx_state *x;
    flx_state *moved;       // owned
    double *theta;          // (nv) owned
    double *rest, *re, *im; // (nmotion) owned with theta
} deformed;

// The motion of the scene by PROBE times a part of a shape, less that at rest.
static flx_status move(deformed *d, const double *shape, double *out)
{
    int n = d->sim->info.nmotion;
    for (int i = 0; i < d->s->dims.nv; i++) d->theta[i] = PROBE * shape[i];
    flx_state_copy(d->moved, d->x);
    d->s->ops->retract(d->s, d->x->q, d->theta, d->moved->q);
    FLX_TRY(flx_motion_eval(d->sim, d->moved));
    for (int i = 0; i < n; i++) out[i] = (d->sim->motion.out[i] - d->rest[i]) / PROBE;
    return FLX_OK;
}

static v3 node_move(const deformed *d, const flx_scene_elastic *of, int node, const double *motion)
{
    const flx_result_mesh *mesh = of->mesh >= 0 ? d->sim->info.meshes + of->mesh : NULL;
    int nmode = mesh ? mesh->nmode : of->nmode, nnode = mesh ? mesh->nnode : of->nnode;
    v3 u = v3_make(0, 0, 0);
    for (int k = 0; k < nmode; k++) {
        double q = motion[of->motion + k];
        size_t at = 3 * ((size_t)k * (size_t)nnode + (size_t)node);
        v3 shape = mesh ? v3_make((double)mesh->modes[at], (double)mesh->modes[at + 1],
                                  (double)mesh->modes[at + 2])
                        : v3_load(of->shapes + at);
        u = v3_add(u, v3_scale(q, shape));
    }
    return u;
}

// k of the deformations of all flexible bodies in re, im, and how fast the one that moves most rotates about the axis; the
// size of what moves across it.
static double judge(const deformed *d, v3 axis, flx_whirl *out)
{
    const flx_scene *scene = d->sim->info.scene;
    double sum = 0.0, size = 0.0, most = 0.0;
    v3 u, v;
    find_across(axis, &u, &v);
    for (int e = 0; e < scene->nelastic; e++) {
        const flx_scene_elastic *of = scene->elastics + e;
        flx_body_axes b;
        int nnode = of->mesh >= 0 ? d->sim->info.meshes[of->mesh].nnode : of->nnode;
        double before = size;
        if (!flx_descriptor_body_axes(d->s, d->x->q, of->body, &b) || b.angular == 0) continue;
        for (int n = 0; n < nnode; n++) {
            v3 p = m33_mul_v(b.R, node_move(d, of, n, d->re));
            v3 q = m33_mul_v(b.R, node_move(d, of, n, d->im));
            add_whirl(u, v, p, q, 1.0, &sum, &size);
        }
        if (size - before <= most) continue;
        most = size - before;
        const double *w = d->x->v + b.v + b.linear;
        out->turning = b.angular == 1 ? w[0] * axis.z : v3_dot(axis, m33_mul_v(b.R, v3_load(w)));
    }
    out->across = size > 0.0;
    out->k = out->across ? sum / size : 0.0;
    return sqrt(size);
}

static flx_status go_through(deformed *d, v3 axis, const flx_modes *modes, flx_whirl *out)
{
    size_t nv = (size_t)d->s->dims.nv, n = (size_t)d->sim->info.nmotion;
    FLX_TRY(flx_state_create(d->s, &d->moved));
    d->theta = flx_alloc(d->sim->ctx, nv + 3 * n + (size_t)modes->nmode, sizeof *d->theta);
    if (!d->theta) return FLX_ERR_MEMORY;
    double *sizes = d->theta + nv + 3 * n, most = 0.0;
    d->rest = d->theta + nv;
    d->re = d->rest + n;
    d->im = d->re + n;
    FLX_TRY(flx_motion_eval(d->sim, d->x));
    memcpy(d->rest, d->sim->motion.out, n * sizeof *d->rest);
    for (int i = 0; i < modes->nmode; i++) {
        const double *shape = modes->modes[i].shape;
        if (!is_inner(d->s, d->x, modes, i)) continue;
        FLX_TRY(move(d, shape, d->re));
        FLX_TRY(move(d, shape + modes->nshape, d->im));
        sizes[i] = judge(d, axis, out + i);
        most = fmax(most, sizes[i]);
    }
    for (int i = 0; i < modes->nmode; i++) { // torsion, and what goes along the axis
        if (sizes[i] <= ROUNDING * most && is_inner(d->s, d->x, modes, i))
            out[i] = (flx_whirl){.turning = out[i].turning};
    }
    return FLX_OK;
}

flx_status flx_whirl_elastic(flx_simulation *sim, const flx_system *s, const flx_state *x, v3 axis,
                             const flx_modes *modes, flx_whirl *out)
{
    deformed d = {.sim = sim, .s = s, .x = x};
    FLX_TRY(flx_motion_create(sim));
    if (!sim->info.scene || sim->info.scene->nelastic == 0 || sim->info.nmotion == 0) return FLX_OK;
    flx_status status = go_through(&d, axis, modes, out);
    flx_state_destroy(&d.moved);
    flx_free(d.theta);
    return status;
}
