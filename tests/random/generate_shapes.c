// generate_shapes.c - contacts of boxes, capsules, cylinders and discs with planes, spheres and each other.
#include "maker.h"

#include <math.h>

static void draw_shape(maker *k, shape_kind kind, spec_shape *out)
{
    bool plane = k->s->dimension == 2;
    *out = (spec_shape){.kind = kind, .axis = random_direction(k), .R = m33_identity()};
    out->R = quat_to_m33(quat_exp(random_spin(k, 1.5)));
    switch (kind) {
    case SHAPE_SPHERE:
        out->size[0] = uniform(&k->state, 0.05, 0.3);
        break;
    case SHAPE_CAPSULE:
        out->size[0] = uniform(&k->state, 0.05, 0.2);
        out->size[1] = uniform(&k->state, 0.1, 0.5);
        break;
    case SHAPE_CYLINDER:
        out->size[0] = uniform(&k->state, 0.1, 0.3);
        out->size[1] = uniform(&k->state, 0.1, 0.5);
        break;
    case SHAPE_DISC: // its round part is its thickness
        out->size[0] = uniform(&k->state, 0.1, 0.4);
        out->round = uniform(&k->state, 0.01, 0.05);
        break;
    case SHAPE_BOX:
        for (int i = 0; i < 3; i++) out->size[i] = uniform(&k->state, 0.1, 0.4);
        if (plane) out->size[2] = 0.0;
        out->round = chance(k, 2) ? uniform(&k->state, 0.01, 0.04) : 0.0;
        break;
    default:
        break;
    }
}

// How far the shape reaches from its middle along n, where it does. All in its body's axes.
static v3 reaches(const spec_shape *a, v3 n)
{
    double along = v3_dot(a->axis, n), sign = along < 0 ? -1 : 1;
    v3 across = v3_axpy(-along, a->axis, n), to = v3_make(0, 0, 0);
    double wide = v3_norm(across);
    if (wide > 1e-9) across = v3_scale(1.0 / wide, across);
    switch (a->kind) {
    case SHAPE_SPHERE:
        return v3_scale(a->size[0], n);
    case SHAPE_CAPSULE:
        return v3_axpy(sign * a->size[1] / 2, a->axis, v3_scale(a->size[0], n));
    case SHAPE_CYLINDER:
        return v3_axpy(sign * a->size[1] / 2, a->axis, v3_scale(a->size[0], across));
    case SHAPE_DISC:
        return v3_axpy(a->round, n, v3_scale(a->size[0], across));
    case SHAPE_BOX:
        for (int i = 0; i < 3; i++) {
            v3 e = m33_col(a->R, i);
            to = v3_axpy((v3_dot(e, n) < 0 ? -0.5 : 0.5) * a->size[i], e, to);
        }
        return to;
    default:
        return to;
    }
}

static v3 into_axes(const spec *s, int body, v3 a)
{
    return body < 0 ? a : m33_tmul_v(s->bodies[body].R, a);
}
static v3 from_axes(const spec *s, int body, v3 a)
{
    return body < 0 ? a : m33_mul_v(s->bodies[body].R, a);
}

static shape_kind random_shape(maker *k)
{
    static const shape_kind plane[] = {SHAPE_CAPSULE, SHAPE_BOX};
    static const shape_kind space[] = {SHAPE_CAPSULE, SHAPE_BOX, SHAPE_CYLINDER, SHAPE_DISC};
    return k->s->dimension == 2 ? plane[below(&k->state, 2)] : space[below(&k->state, 4)];
}

static void draw_law(maker *k, spec_force *f)
{
    static const touch_law compliant[] = {TOUCH_HERTZ, TOUCH_DAMPED, TOUCH_RESTITUTION,
                                          TOUCH_PENALTY};
    bool soft = (f->touch = compliant[below(&k->state, 4)]) == TOUCH_PENALTY;
    f->k[0] = soft ? uniform(&k->state, 500, 3000) : uniform(&k->state, 2e3, 2e4);
    f->c[0] = soft ? uniform(&k->state, 0, 10) : uniform(&k->state, 0, 0.5);
    f->restitution = uniform(&k->state, 0.5, 1.0);
    bool boxes = f->shape[0].kind == SHAPE_BOX || f->shape[1].kind == SHAPE_BOX;
    bool stay = f->shape[0].kind <= SHAPE_SPHERE || !boxes; // else points come and go
    if (stay && chance(k, 4)) {                             // rigid
        f->touch = TOUCH_RIGID;
        f->restitution = chance(k, 3) ? 0.0 : f->restitution;
    }
    if (chance(k, 2)) f->friction[0] = uniform(&k->state, 0.1, 0.6);
    f->friction[1] = uniform(&k->state, 0.05, 0.3);
}

void make_shapes(maker *k)
{
    spec *s = k->s;
    spec_force f = {.there = true, .kind = FORCE_CONTACT, .feels = -1, .shaped = true};
    f.on[0] = below(&k->state, s->nbody + 1) - 1;
    f.on[1] = below(&k->state, s->nbody);
    if (s->nforce == SPEC_FORCES || is_point(s, f.on[1]) || is_flexible(s, f.on[1])) return;
    if (f.on[0] == f.on[1] || is_point(s, f.on[0]) || is_flexible(s, f.on[0])) f.on[0] = GROUND;
    int other = below(&k->state, 6); // of the first
    draw_shape(k, other < 3 ? SHAPE_PLANE : other == 3 ? SHAPE_SPHERE : random_shape(k), f.shape);
    draw_shape(k, random_shape(k), f.shape + 1);
    draw_law(k, &f);
    f.at[1] = v3_scale(0.5, random_place(k, f.on[1]));
    v3 against = v3_scale(-0.2, s->gravity);
    v3 normal = v3_unit(v3_add(against, random_direction(k)));
    v3 n0 = into_axes(s, f.on[0], normal), n1 = into_axes(s, f.on[1], v3_neg(normal));
    if (f.shape[0].kind == SHAPE_PLANE) f.shape[0].axis = n0;
    v3 low = from_axes(s, f.on[1], reaches(f.shape + 1, n1));
    v3 high = from_axes(s, f.on[0], reaches(f.shape, n0));
    v3 p = v3_sub(v3_add(place_of(s, f.on[1], f.at[1]), low), high);
    f.at[0] = place_in(s, f.on[0], v3_axpy(-uniform(&k->state, 0.01, 0.15), normal, p));
    s->forces[s->nforce++] = f;
}
