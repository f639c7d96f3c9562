// descriptor_inertia.c - momentum, mass and place of the mass centre of a body, whatever it is made of, or of all of them: the
// momenta M v along rigid motions.
//
// A rigid shift e of the body's velocities is v = e of its places, a rotation w about the origin v = w x r of places, w x s of
// slopes, R^T w of axes. With p = M v in generalised velocities
//
//     P.e = p.v(e),   L.w = p.v(w)                                                                  (MOM-1)
// and, as M is that of the body whatever v is, M v(e) and M v(w) give its mass and mass times place, P = w x (m r).
#include "descriptor/descriptor_parts.h"

#include <string.h>

typedef struct places { // of one body
    flx_body_axes axes;
    v3 r;
    bool slope;
} places;

static bool find(const flx_descriptor *d, const flx_point *p, int whole, int i, places *o)
{
    const flx_body *b = d->model->bodies + i;
    if (whole >= 0 && i != whole && b->follows != whole + 1) return false;
    if (!flx_descriptor_body_axes(&d->base, p->q, i, &o->axes)) return false;
    const double *q = p->q + o->axes.q;
    o->r = v3_make(q[0], q[1], o->axes.linear > 2 ? q[2] : 0.0);
    o->slope = b->slope;
    return true;
}

// Momenta of Mv: linear, angular about the origin.
static void sum_up(const flx_descriptor *d, const flx_point *p, int whole, const double *Mv,
                   v3 *linear, v3 *angular)
{
    *linear = *angular = v3_make(0, 0, 0);
    for (int i = 0; i < d->model->nbody; i++) {
        places o;
        if (!find(d, p, whole, i, &o)) continue;
        const double *own = Mv + o.axes.v;
        v3 part = v3_make(own[0], own[1], o.axes.linear > 2 ? own[2] : 0.0), turn = {0, 0, 0};
        if (o.axes.angular == 1) turn = v3_make(0, 0, own[o.axes.linear]);
        if (o.axes.angular == 3) turn = m33_mul_v(o.axes.R, v3_load(own + o.axes.linear));
        if (!o.slope) *linear = v3_add(*linear, part);
        *angular = v3_add(*angular, v3_add(turn, v3_cross(o.r, part)));
    }
}

// A rigid motion of all bodies: shift, and rotation about the origin.
static void move(const flx_descriptor *d, const flx_point *p, v3 shift, v3 turn, double *v)
{
    memset(v, 0, (size_t)d->base.dims.nv * sizeof *v);
    for (int i = 0; i < d->model->nbody; i++) {
        places o;
        if (!find(d, p, -1, i, &o)) continue;
        v3 rate = v3_cross(turn, o.r);
        if (!o.slope) rate = v3_add(rate, shift);
        const double own[3] = {rate.x, rate.y, rate.z};
        memcpy(v + o.axes.v, own, (size_t)o.axes.linear * sizeof *v);
        if (o.axes.angular == 1) v[o.axes.v + o.axes.linear] = turn.z;
        if (o.axes.angular == 3) v3_store(v + o.axes.v + o.axes.linear, m33_tmul_v(o.axes.R, turn));
    }
}

flx_status flx_eval_inertia(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                            int whole, double out[FLX_INERTIA_NUMBERS])
{
    size_t nv = (size_t)d->base.dims.nv;
    double *v = flx_alloc(d->base.ctx, 2 * nv + 1, sizeof *v), *Mv = v + nv;
    v3 linear, angular, first = {0, 0, 0};
    if (!v) return FLX_ERR_MEMORY;
    flx_eval_momentum(d, w, flx_eval_begin(d, w, p), Mv);
    sum_up(d, p, whole, Mv, &linear, &angular);
    v3_store(out, linear);
    v3_store(out + 3, angular);
    flx_point rigid = *p;
    rigid.v = v;
    for (int k = 0; k < 3; k++) { // a shift along x, rotations about z and x
        v3 turn = v3_make(k == 2, 0, k == 1);
        if (k == 2 && d->planar) break;
        move(d, p, v3_make(k == 0, 0, 0), turn, v);
        flx_eval_momentum(d, w, flx_eval_begin(d, w, &rigid), Mv);
        sum_up(d, p, whole, Mv, &linear, &angular);
        if (k == 0) out[9] = linear.x;
        if (k == 1) first = v3_make(linear.y, -linear.x, 0);
        if (k == 2) first.z = -linear.y;
    }
    v3_store(out + 6, first);
    (void)flx_eval_begin(d, w, p);
    flx_free(v);
    return FLX_OK;
}
