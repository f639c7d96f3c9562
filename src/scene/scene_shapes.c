// scene_shapes.c - shapes for bodies that were given none: rods between the places where joints and
// forces act, a ball for a point mass, else the block whose inertia is the body's:
//     edge_x^2 = 6 (I_yy + I_zz - I_xx) / m                                          (and so on)
#include "joint/joint.h"
#include "scene/model_scene.h"

#include "force/force_kind.h"

#include <math.h>

#define ROD 0.06   // radius of a rod over its length ...
#define THIN 0.006 // ... and at least this part of the mechanism's size
#define BALL 0.02  // radius of a ball, part of the mechanism's size
#define WHEEL 0.2  // width of a wheel over its radius, at most the ball's radius
#define SAME 1e-6  // places nearer than this part of the size are one

static double distance(const double a[3], const double b[3])
{
    return v3_norm(v3_sub(v3_load(a), v3_load(b)));
}

static void add_place(flx_places *p, const double at[3], double same)
{
    for (int i = 0; i < p->n; i++) {
        if (!(distance(p->at[i], at) > same)) return;
    }
    if (p->n < FLX_SCENE_PLACES) v3_store(p->at[p->n++], v3_load(at));
}

static void add_ends(flx_places *places, const int body[2], const double at[2][3], double same)
{
    for (int k = 0; k < 2; k++) {
        if (body[k] >= 0) add_place(places + body[k], at[k], same);
    }
}

void flx_scene_find_places(const flx_model *m, double size, flx_places *places)
{
    for (int i = 0; i < m->njoint; i++) {
        const flx_joint *j = m->joints + i;
        if (j->kind->on_joints || j->kind->loose) continue;
        add_ends(places, j->body, j->at, SAME * size);
    }
    for (int i = 0; i < m->nforce; i++) {
        const flx_force *f = m->forces + i;
        if (f->kind->mounted) add_ends(places, f->body, f->at, SAME * size);
    }
    // where one joint alone says nothing of its form, points with names do
    for (int i = 0; i < m->nbody; i++) {
        const flx_body *b = m->bodies + i;
        for (int k = 0; places[i].n < 2 && k < b->npoint; k++) {
            add_place(places + i, b->points[k].at, SAME * size);
        }
    }
}

static void cover(const flx_body *b, const double at[3], double low[3], double high[3])
{
    v3 x = v3_add(v3_load(b->position), m33_mul_v(m33_load(b->R), v3_load(at)));
    const double p[3] = {x.x, x.y, x.z};
    for (int k = 0; k < 3; k++) {
        low[k] = fmin(low[k], p[k]);
        high[k] = fmax(high[k], p[k]);
    }
}

// Of one body: its largest shape, or what its inertia says of it.
static double extent(const flx_body *b)
{
    double size = 0;
    for (int i = 0; i < b->nshape; i++) {
        size = fmax(size, flx_shape_extent(b->shapes + i));
    }
    double gyration =
        b->mass > 0 ? sqrt((b->inertia[0] + b->inertia[4] + b->inertia[8]) / b->mass) : 0;
    return b->nshape > 0 ? size : gyration;
}

double flx_scene_size(const flx_model *m)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < m->nbody; i++) {
        const flx_body *b = m->bodies + i;
        if (b->slope) continue;
        cover(b, b->com, low, high);
        for (int k = 0; k < b->npoint; k++) cover(b, b->points[k].at, low, high);
    }
    for (int i = 0; i < m->nmodal; i++) {
        const flx_modal *e = m->modals + i;
        for (int k = 0; k < e->e->nnode; k++) {
            cover(m->bodies + e->body, e->e->nodes[k].at, low, high);
        }
    }
    for (int i = 0; i < m->njoint; i++) {
        const flx_joint *j = m->joints + i;
        for (int k = 0; k < 2 && !j->kind->on_joints; k++) {
            if (j->body[k] >= 0) cover(m->bodies + j->body[k], j->at[k], low, high);
        }
    }
    double size = 0;
    for (int k = 0; k < 3; k++) size = fmax(size, high[k] - low[k]);
    for (int i = 0; i < m->nbody; i++) size = fmax(size, extent(m->bodies + i));
    return size > 0 && isfinite(size) ? size : 1.0;
}

static flx_shape ball(const double at[3], double radius)
{
    flx_shape s = {.kind = &flx_shape_sphere, .size = {radius}};
    v3_store(s.at, v3_load(at));
    return s;
}

static flx_shape rod(const double a[3], const double b[3], double size)
{
    double length = distance(a, b);
    flx_shape s = {.kind = &flx_shape_capsule,
                   .size = {fmax(THIN * size, fmin(ROD * length, BALL * size)), length}};
    v3_store(s.at, v3_scale(0.5, v3_add(v3_load(a), v3_load(b))));
    v3_store(s.axis, v3_unit(v3_sub(v3_load(b), v3_load(a))));
    return s;
}

static flx_shape block(const flx_model *m, const flx_body *b, double size)
{
    flx_shape s = {.kind = &flx_shape_box};
    const double *I = b->inertia, sum = I[0] + I[4] + I[8];
    v3_store(s.at, v3_load(b->com));
    for (int k = 0; k < 3; k++) {
        double square = 6 * (sum - 2 * I[4 * k]) / b->mass;
        s.size[k] = square > 0 ? sqrt(square) : 0;
    }
    if (m->dimension == 2) { // a square plate
        s.size[0] = s.size[1] = b->mass > 0 ? sqrt(6 * I[8] / b->mass) : 0;
        s.size[2] = 0;
    }
    for (int k = 0; k < 3; k++) {
        if (!(s.size[k] > BALL * size)) s.size[k] = BALL * size;
    }
    return s;
}

// What rolls is as large as it rolls: a wheel about its axis, or a ball.
static bool find_wheel(const flx_model *m, int body, double size, flx_shape *s)
{
    for (int i = 0; i < m->njoint; i++) {
        const flx_joint *j = m->joints + i;
        if (!j->kind->wheel || j->body[1] != body || !(j->radius > 0)) continue;
        *s = ball(j->at[1], j->radius);
        if (!j->has_axis) return true;
        s->kind = &flx_shape_cylinder;
        s->size[1] = fmin(WHEEL * j->radius, BALL * size);
        v3_store(s->axis, v3_unit(v3_load(j->axis[1])));
        return true;
    }
    return false;
}

int flx_scene_shapes(const flx_model *m, int body, const flx_places *p, double size,
                     flx_shape shapes[FLX_SCENE_SHAPES])
{
    const flx_body *b = m->bodies + body;
    if (b->type == FLX_BODY_POINT) {
        shapes[0] = ball(b->com, BALL * size);
        return 1;
    }
    if (find_wheel(m, body, size, shapes)) return 1;
    if (p->n == 2) {
        shapes[0] = rod(p->at[0], p->at[1], size);
        return 1;
    }
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        if (distance(p->at[i], b->com) > SAME * size) shapes[n++] = rod(p->at[i], b->com, size);
    }
    if (n == 0) {
        shapes[0] = b->mass > 0 ? block(m, b, size) : ball(b->com, BALL * size);
        return 1;
    }
    shapes[n++] = ball(b->com, BALL * size);
    return n;
}
