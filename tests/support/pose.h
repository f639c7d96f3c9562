// pose.h - values of leaves along an invented motion, with exact rates, to test nodes against.
//
// Body i: centre of mass r(t) = a_i + b_i sin(w_i t), rotation R(t) = A_i exp(u_i phi_i(t)) about a
// fixed axis u_i, so that the spin in body axes is u_i phi_i'. Planar: the angle itself.
#pragma once

#include "check.h"
#include "force/force_kind.h"

#include <stdlib.h>

static inline double pose_number(int body, int k) // in -1 ... 1, the same for the same arguments
{
    uint32_t x = 747796405u * (uint32_t)(body + 1) + 2891336453u * (uint32_t)(k + 1);
    x = ((x >> ((x >> 28) + 4)) ^ x) * 277803737u;
    return ((x >> 22) ^ x) / 2147483648.0 - 1;
}

static inline double pose_phi(int body, double t, int derivative)
{
    double a = 0.6 + 0.3 * pose_number(body, 20), w = 1.3 + 0.5 * pose_number(body, 21);
    if (derivative == 0) return a * sin(w * t) + 0.3 * t;
    if (derivative == 1) return a * w * cos(w * t) + 0.3;
    return -a * w * w * sin(w * t);
}

static inline double pose_place(int body, int k, double t, int derivative)
{
    double a = pose_number(body, k), b = pose_number(body, 3 + k);
    double w = 1.5 + pose_number(body, 6 + k);
    if (derivative == 0) return 2 * a + b * sin(w * t);
    if (derivative == 1) return b * w * cos(w * t);
    return -b * w * w * sin(w * t);
}

static inline v3 pose_axis(int body)
{
    return v3_unit(v3_make(pose_number(body, 30), pose_number(body, 31), pose_number(body, 32)));
}

static inline m33 pose_R(const flx_model *m, int body, double t)
{
    if (m->bodies[body].type == FLX_BODY_POINT) return m33_identity();
    double phi = pose_phi(body, t, 0);
    if (m->dimension == 2) return quat_to_m33(quat_exp(v3_make(0, 0, phi)));
    v3 first = v3_make(pose_number(body, 40), pose_number(body, 41), pose_number(body, 42));
    return m33_mul(quat_to_m33(quat_exp(first)),
                   quat_to_m33(quat_exp(v3_scale(phi, pose_axis(body)))));
}

static inline double pose_leaf(const flx_model *m, flx_leaf leaf, double t)
{
    int i = flx_leaf_get_index(leaf), c = flx_leaf_get_component(leaf);
    v3 u = pose_axis(i);
    double axis[3] = {u.x, u.y, u.z};
    bool planar = m->dimension == 2;
    switch (flx_leaf_get_kind(leaf)) {
    case FLX_LEAF_TIME:
        return t;
    case FLX_LEAF_BODY_POSITION:
        return pose_place(i, c, t, 0);
    case FLX_LEAF_BODY_VELOCITY:
        return pose_place(i, c, t, 1);
    case FLX_LEAF_BODY_ACCELERATION:
        return pose_place(i, c, t, 2);
    case FLX_LEAF_BODY_ROTATION:
        return planar ? pose_phi(i, t, 0) : pose_R(m, i, t).m[c];
    case FLX_LEAF_BODY_ANGULAR_VELOCITY:
        return planar ? pose_phi(i, t, 1) : axis[c] * pose_phi(i, t, 1);
    case FLX_LEAF_BODY_ANGULAR_ACCELERATION:
        return planar ? pose_phi(i, t, 2) : axis[c] * pose_phi(i, t, 2);
    case FLX_LEAF_VARIABLE:
        return sin(t + i);
    case FLX_LEAF_VARIABLE_RATE:
        return cos(t + i);
    case FLX_LEAF_VARIABLE_RATE2:
        return -sin(t + i);
    case FLX_LEAF_STATE:
        return cos(2 * t + i);
    case FLX_LEAF_STATE_RATE:
        return -2 * sin(2 * t + i);
    case FLX_LEAF_ALGEBRAIC:
        return 0.3 + 0.1 * i;
    default:
        return 0;
    }
}

static inline double pose_eval(const flx_model *m, flx_node node, double t);

// A leaf, or what a switch is in the pose.
static inline double pose_input(const flx_model *m, flx_leaf leaf, double t)
{
    if (flx_leaf_get_kind(leaf) != FLX_LEAF_SWITCH) return pose_leaf(m, leaf, t);
    const flx_switch *s = &m->switches[flx_leaf_get_index(leaf)];
    double g = pose_eval(m, s->value, t);
    switch (s->kind) {
    case FLX_SWITCH_ABOVE:
        return g > 0;
    case FLX_SWITCH_NOT_BELOW:
        return g >= 0;
    case FLX_SWITCH_FLOOR:
        return floor(g);
    case FLX_SWITCH_PIECE:
        return flx_cut_piece(m->graph, s->cut, g);
    }
    return (double)NAN;
}

// NaN when it cannot be evaluated, which no check accepts.
static inline double pose_eval(const flx_model *m, flx_node node, double t)
{
    int n = 0;
    flx_leaf *leaves = NULL;
    flx_program *p = NULL;
    double out = (double)NAN;
    if (node < 0 || flx_graph_leaves(m->graph, 1, &node, &n, &leaves) != FLX_OK) return (double)NAN;
    double *in = calloc((size_t)n + 1, sizeof *in);
    if (in && flx_program_compile(m->graph, n, leaves, 1, &node, &p) == FLX_OK) {
        double *scratch = calloc((size_t)flx_program_scratch(p) + 1, sizeof *scratch);
        for (int i = 0; i < n; i++) in[i] = pose_input(m, leaves[i], t);
        if (scratch) flx_program_eval(p, in, scratch, &out);
        free(scratch);
    }
    flx_program_destroy(&p);
    flx_free(leaves);
    free(in);
    return out;
}

// A column of the outputs by name; -1: none.
static inline flx_node pose_column(const flx_model *m, const char *name)
{
    for (int i = 0; i < m->outputs.ncolumn; i++) {
        if (strcmp(m->outputs.columns[i].name, name) == 0) return m->outputs.columns[i].node;
    }
    printf("no column '%s'\n", name);
    return -1;
}

static inline double pose_value(const flx_model *m, const char *column, double t)
{
    return pose_eval(m, pose_column(m, column), t);
}

static inline const flx_body *pose_body(const flx_model *m, const char *name)
{
    for (int i = 0; i < m->nbody; i++) {
        if (strcmp(m->bodies[i].name, name) == 0) return &m->bodies[i];
    }
    return NULL;
}

static inline const flx_joint *pose_joint(const flx_model *m, const char *name)
{
    for (int i = 0; i < m->njoint; i++) {
        if (strcmp(m->joints[i].name, name) == 0) return &m->joints[i];
    }
    return NULL;
}

static inline const flx_force *pose_force(const flx_model *m, const char *name)
{
    for (int i = 0; i < m->nforce; i++) {
        if (strcmp(m->forces[i].name, name) == 0) return &m->forces[i];
    }
    return NULL;
}

// Place of a point of the body frame along the motion.
static inline v3 pose_point(const flx_model *m, int body, const double at[3], double t)
{
    if (body < 0) return v3_load(at);
    v3 r = v3_make(pose_place(body, 0, t, 0), pose_place(body, 1, t, 0),
                   m->dimension == 2 ? 0 : pose_place(body, 2, t, 0));
    v3 d = v3_sub(v3_load(at), v3_load(m->bodies[body].com));
    return v3_add(r, m33_mul_v(pose_R(m, body, t), d));
}

static inline v3 pose_direction(const flx_model *m, int body, const double d[3], double t)
{
    return body < 0 ? v3_load(d) : m33_mul_v(pose_R(m, body, t), v3_load(d));
}

// A model from a text, with the messages printed where it fails.
static inline flx_model *pose_read(flx_ctx *ctx, const char *text)
{
    flx_model *m = NULL;
    if (flx_model_read_text(ctx, "test.yaml", text, strlen(text), 0, NULL, &m) != FLX_OK) {
        for (int i = 0; i < flx_ctx_error_count(ctx); i++) {
            const flx_message *e = flx_ctx_error(ctx, i);
            if (e) printf("%d:%d: %s\n", e->loc.line, e->loc.column, e->text);
        }
    }
    return m;
}

#define CHECK_V3(value, expected, tolerance)                                                       \
    do {                                                                                           \
        v3 a_ = (value), b_ = (expected);                                                          \
        CHECK_NEAR(a_.x, b_.x, tolerance);                                                         \
        CHECK_NEAR(a_.y, b_.y, tolerance);                                                         \
        CHECK_NEAR(a_.z, b_.z, tolerance);                                                         \
    } while (0)
