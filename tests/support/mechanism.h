// mechanism.h - small models made in C for tests of the system: bodies, joints and forces at random
// places, without the reader.
#pragma once

#include "base/common.h"
#include "descriptor/descriptor.h"
#include "force/force_kind.h"
#include "joint/joint.h"
#include "math/curve/curve.h"
#include "model/model_data.h"

#include <stdint.h>
#include <string.h>

#define MECHANISM_ITEMS 16

typedef struct mechanism {
    flx_ctx *ctx;
    flx_model m;
    uint64_t seed;
    flx_body bodies[MECHANISM_ITEMS];
    flx_joint joints[MECHANISM_ITEMS];
    flx_force forces[MECHANISM_ITEMS];
    flx_variable variables[MECHANISM_ITEMS];
    flx_first_order firsts[MECHANISM_ITEMS];
    flx_constraint constraints[MECHANISM_ITEMS];
    flx_coupling couplings[MECHANISM_ITEMS];
} mechanism;

// Uniform in -1 .. 1 (xorshift).
static inline double random_number(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (double)(*seed >> 11) / (double)(1ull << 52) - 1.0;
}

static inline void random_vector(uint64_t *seed, int n, double scale, double *out)
{
    for (int i = 0; i < n; i++) out[i] = scale * random_number(seed);
}

static inline void mechanism_init(mechanism *k, int dimension, uint64_t seed)
{
    memset(k, 0, sizeof *k);
    k->seed = 0x9e3779b97f4a7c15ull ^ (seed * 0x2545f4914f6cdd1dull);
    k->ctx = flx_ctx_create();
    k->m = (flx_model){.ctx = k->ctx,
                       .graph = flx_graph_create(k->ctx),
                       .title = "test",
                       .dimension = dimension,
                       .bodies = k->bodies,
                       .joints = k->joints,
                       .forces = k->forces,
                       .variables = k->variables,
                       .firsts = k->firsts,
                       .constraints = k->constraints,
                       .couplings = k->couplings};
    random_vector(&k->seed, dimension, 9.0, k->m.gravity);
}

static inline void mechanism_free(mechanism *k)
{
    flx_graph_destroy(&k->m.graph);
    flx_arena_destroy(&k->m.arena);
    flx_ctx_destroy(&k->ctx);
}

// A body at a random place, its centre of mass off its origin, a full inertia tensor.
static inline int add_body(mechanism *k, flx_body_type type)
{
    int i = k->m.nbody++;
    flx_body *b = k->bodies + i;
    static const char *const names[] = {"b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7"};
    b->name = names[i];
    b->type = type;
    b->mass = 1.7 + random_number(&k->seed);
    int n = k->m.dimension;
    random_vector(&k->seed, n, 1.3, b->position);
    m33_store(b->R, m33_identity());
    memcpy(b->start.origin, b->position, sizeof b->position);
    random_vector(&k->seed, n, 0.8, b->start.velocity);
    if (type == FLX_BODY_POINT) return i;
    random_vector(&k->seed, n, 0.3, b->com);
    if (n == 2) {
        b->angle = 2.0 * random_number(&k->seed);
        m33_store(b->R, quat_to_m33(quat_exp(v3_make(0, 0, b->angle))));
        b->start.angular_velocity[2] = random_number(&k->seed);
        b->inertia[8] = 0.4 + 0.2 * random_number(&k->seed);
        return i;
    }
    double th[3], x[3];
    random_vector(&k->seed, 3, 1.5, th);
    m33_store(b->R, quat_to_m33(quat_exp(v3_load(th))));
    random_vector(&k->seed, 3, 1.0, b->start.angular_velocity);
    random_vector(&k->seed, 3, 0.4, x);
    m33 J = m33_add(m33_scale(0.9, m33_identity()), m33_outer(v3_load(x), v3_load(x)));
    m33_store(b->inertia, J);
    return i;
}

// Coordinates of a ground point or direction in a body's frame initially.
static inline v3 in_body(const mechanism *k, int body, v3 p)
{
    if (body < 0) return p;
    const flx_body *b = k->bodies + body;
    return m33_tmul_v(m33_load(b->R), v3_sub(p, v3_load(b->position)));
}
static inline v3 in_body_axes(const mechanism *k, int body, v3 a)
{
    return body < 0 ? a : m33_tmul_v(m33_load(k->bodies[body].R), a);
}
static inline m33 axes_in_body(const mechanism *k, int body, m33 F)
{
    return body < 0 ? F : m33_tmul(m33_load(k->bodies[body].R), F);
}

// A joint at a random place and of a random direction; on points it sits at the point.
// A curve of the first body, near its frame: open in space, closed in the plane.
static inline const flx_curve *make_curve(mechanism *k)
{
    double points[18];
    const char *wrong;
    int at;
    if (!k->m.arena) k->m.arena = flx_arena_create(k->ctx);
    for (int i = 0; i < 6; i++) {
        points[3 * i] = cos(FLX_PI * i / 3) + 0.02 * i;
        points[3 * i + 1] = 0.7 * sin(FLX_PI * i / 3);
        points[3 * i + 2] = k->m.dimension == 3 ? 0.2 * i : 0.0;
    }
    return flx_curve_create(k->m.ctx, k->m.arena, 6, points, k->m.dimension == 2, &wrong, &at);
}

static inline int add_joint(mechanism *k, const flx_joint_kind *type, int first, int second)
{
    int i = k->m.njoint++;
    flx_joint *j = k->joints + i;
    static const char *const names[] = {"j0", "j1", "j2", "j3", "j4", "j5", "j6", "j7"};
    double p[3] = {0}, th[3] = {0};
    random_vector(&k->seed, k->m.dimension, 0.9, p);
    j->name = names[i];
    j->kind = type;
    j->body[0] = first;
    j->body[1] = second;
    j->coordinate = j->rate = j->motion_value = -1;
    m33 F;
    if (k->m.dimension == 3) {
        random_vector(&k->seed, 3, 2.0, th);
        F = quat_to_m33(quat_exp(v3_load(th)));
    } else if (type == &flx_joint_REVOLUTE || type == &flx_joint_FIXED) {
        F = m33_identity();
    } else { // the axis lies in the plane
        double a = 3.0 * random_number(&k->seed);
        F = m33_from_cols(v3_make(-sin(a), cos(a), 0), v3_make(0, 0, 1),
                          v3_make(cos(a), sin(a), 0));
    }
    for (int s = 0; s < 2; s++) {
        bool point = j->body[s] >= 0 && k->bodies[j->body[s]].type == FLX_BODY_POINT;
        if (!point) v3_store(j->at[s], in_body(k, j->body[s], v3_load(p)));
        m33_store(j->frame[s], axes_in_body(k, j->body[s], F));
        v3_store(j->axis[s], m33_col(m33_load(j->frame[s]), s == 0 ? 2 : 1));
    }
    v3_store(j->normal, m33_col(m33_load(j->frame[0]), k->m.dimension == 2 ? 0 : 2));
    if (type == &flx_joint_ROLLING) v3_store(j->axis[1], m33_col(m33_load(j->frame[1]), 0));
    j->has_axis = true;
    j->length = 1.1;
    j->pitch = 0.35;
    j->ratio = -1.6;
    j->radius = 0.45;
    if (type->curve) j->curve = make_curve(k);
    return i;
}

static inline int add_force(mechanism *k, const flx_force_kind *kind, int first, int second)
{
    int i = k->m.nforce++;
    flx_force *f = k->forces + i;
    static const char *const names[] = {"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7"};
    f->name = names[i];
    f->kind = kind;
    f->body[0] = first;
    f->body[1] = second;
    f->joint = f->value = f->stored = f->lost = -1;
    for (int c = 0; c < 3; c++) f->force[c] = f->torque[c] = -1;
    for (int s = 0; s < 2; s++) {
        bool point = f->body[s] >= 0 && k->bodies[f->body[s]].type == FLX_BODY_POINT;
        if (!point) random_vector(&k->seed, k->m.dimension, 0.7, f->at[s]);
    }
    for (int c = 0; c < 6; c++) {
        f->stiffness[c] = 3.0 + random_number(&k->seed);
        f->damping[c] = 0.7 + 0.5 * random_number(&k->seed);
    }
    f->length = 0.4;
    return i;
}

// Expressions.
static inline flx_node leaf_node(mechanism *k, flx_leaf_kind kind, int index, int component)
{
    return flx_graph_leaf(k->m.graph, flx_leaf_make(kind, index, component));
}
static inline flx_node number_node(mechanism *k, double value)
{
    return flx_graph_const(k->m.graph, value);
}
static inline flx_node op2(mechanism *k, flx_op op, flx_node a, flx_node b)
{
    return flx_graph_binary(k->m.graph, op, a, b);
}
static inline flx_node op1(mechanism *k, flx_op op, flx_node a)
{
    return flx_graph_unary(k->m.graph, op, a);
}
