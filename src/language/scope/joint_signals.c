// joint_signals.c - coordinates and signals of joints as nodes.
//
// Angle of a revolute joint: with the joint's axes x1, y1 carried by the first body and x2 by the
// second, angle = atan2(y1.x2, x1.x2) + 2 pi turns, rate = axis.(w2 - w1). A displacement is
// axis1.(p2 - p1), less its value initially, with the axis carried by the first body.
#include "joint/joint.h"
#include "joint/scalar_graph.h"
#include "language/flexible/deformable.h"
#include "language/scope/nums.h"
#include "model/nodes.h"

#include <string.h>

// ---- coordinates ------------------------------------------------------------------------------

static void joint_axis(flx_builder *b, const flx_joint_data *d, int side, int j, flx_node out[3])
{
    flx_num3 c = flx_num9_col(d->frame[side], j);
    flx_node_direction(b, d->body[side], &c, out);
}

static flx_num initial_angle(const flx_item *body)
{
    if (!flx_body_turns(body)) return (flx_num){0, 0};
    const flx_body *def = &((const flx_body_data *)body->data)->def;
    return (flx_num){def->angle, def->angle_open};
}

flx_node flx_node_planar_angle(flx_builder *b, const flx_item *first, const flx_item *second)
{
    flx_graph *g = b->g;
    flx_scalar_nodes n = {.angle = {flx_node_angle(b, first), flx_node_angle(b, second)}};
    flx_node drawn = flx_num_node(g, flx_num_sub(g, initial_angle(second), initial_angle(first)));
    return node_sub(g, flx_scalar_graph(g, FLX_SCALAR_ANGLE2, &n), drawn);
}

static flx_node angle_node(flx_builder *b, flx_item *joint)
{
    flx_joint_data *d = joint->data;
    flx_graph *g = b->g;
    d->def.angle_read = true;
    if (b->m->dimension == 2) return flx_node_planar_angle(b, d->body[0], d->body[1]);
    flx_scalar_nodes n = {0};
    joint_axis(b, d, 0, 0, n.a[0].c);
    joint_axis(b, d, 0, 1, n.a[1].c);
    joint_axis(b, d, 1, 0, n.b.c);
    flx_node a = flx_scalar_graph(g, FLX_SCALAR_ANGLE, &n);
    flx_node whole = node_leaf(g, FLX_LEAF_TURNS, joint->number, 0);
    return node_add(g, a, node_scale(g, 2 * FLX_PI, whole));
}

static void relative_angular_velocity(flx_builder *b, const flx_joint_data *d, flx_node out[3])
{
    flx_node w1[3], w2[3];
    flx_node_angular_velocity(b, d->body[0], w1);
    flx_node_angular_velocity(b, d->body[1], w2);
    node_sub3(b->g, w2, w1, out);
}

static flx_node angle_rate(flx_builder *b, const flx_joint_data *d)
{
    flx_node w[3], axis[3];
    relative_angular_velocity(b, d, w);
    if (b->m->dimension == 2) return w[2];
    joint_axis(b, d, 0, 2, axis);
    return node_dot(b->g, axis, w);
}

static flx_node displacement_node(flx_builder *b, const flx_joint_data *d)
{
    flx_scalar_nodes n = {0};
    for (int i = 0; i < 2; i++) flx_node_position(b, d->body[i], &d->at[i], n.place[i].c);
    joint_axis(b, d, 0, 2, n.a[0].c);
    flx_num drawn = flx_num3_dot(b->g, flx_num9_col(d->frame[0], 2), d->drawn);
    return node_sub(b->g, flx_scalar_graph(b->g, FLX_SCALAR_PLANE, &n), flx_num_node(b->g, drawn));
}

bool flx_joint_has_coordinate(const flx_item *joint)
{
    const flx_joint_data *d = joint->data;
    if (d->def.kind->displacement && d->displacement) return true;
    return d->def.kind->angle && !d->point_pin;
}

static flx_status make_coordinate(flx_builder *b, flx_item *joint)
{
    flx_joint_data *d = joint->data;
    flx_joint *def = &d->def;
    bool displacement = def->kind->displacement && d->displacement;
    if (!flx_joint_has_coordinate(joint)) return FLX_OK;
    def->coordinate = displacement ? displacement_node(b, d) : angle_node(b, joint);
    def->rate = displacement ? flx_node_rate(b, def->coordinate) : angle_rate(b, d);
    return def->coordinate < 0 || def->rate < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

bool flx_joint_turns(flx_builder *b, const flx_item *joint)
{
    const flx_joint_data *d = joint->data;
    bool node = false;
    if (!d->point_pin) return true;
    for (int i = 0; i < 2; i++) {
        flx_item *section = NULL;
        if (!flx_body_is_ancf_node(d->body[i])) continue;
        node = true;
        (void)flx_beam_section(b, d->body[i], false, &section);
    }
    return !node;
}

flx_status flx_joint_coordinate(flx_builder *b, flx_item *joint, flx_loc loc)
{
    flx_joint_data *d = joint->data;
    bool skip = false;
    FLX_TRY(flx_joint_place(b, joint, loc));
    FLX_TRY(flx_item_enter(b, joint, &d->coordinated, "joints", loc, &skip));
    if (skip) return FLX_OK;
    return flx_item_leave(b, &d->coordinated, make_coordinate(b, joint));
}

// ---- signals ----------------------------------------------------------------------------------

// Angles about the two axes of a universal joint. With c = a1.a2 kept, a2 of the first body's
// drawing and a1 of the second's:
//     alpha = atan2(a1.(a2' x a2), a2'.a2 - c^2),  beta = atan2(a2.(a1 x a1'), a1.a1' - c^2)
// where ' marks the axis of the other body initially, carried by this one.
static void universal_axes(flx_builder *b, const flx_joint_data *d, flx_node a[2][3],
                           flx_node drawn[2][3], flx_num *c)
{
    flx_num3 p, world[2];
    flx_num9 R[2];
    for (int i = 0; i < 2; i++) flx_body_frame(d->body[i], &p, &R[i]);
    for (int i = 0; i < 2; i++) {
        world[i] = flx_num9_mul_v(b->g, R[i], d->axis[i]);
        flx_node_direction(b, d->body[i], &d->axis[i], a[i]);
    }
    for (int i = 0; i < 2; i++) { // axis i initially, carried by the other body
        flx_num3 other = flx_num9_tmul_v(b->g, R[1 - i], world[i]);
        flx_node_direction(b, d->body[1 - i], &other, drawn[i]);
    }
    *c = flx_num3_dot(b->g, world[0], world[1]);
}

static flx_node angle_about(flx_graph *g, const flx_node axis[3], const flx_node from[3],
                            const flx_node to[3], flx_num c)
{
    flx_node x[3], square = node_mul(g, flx_num_node(g, c), flx_num_node(g, c));
    node_cross(g, from, to, x);
    return flx_graph_binary(g, FLX_OP_ATAN2, node_dot(g, axis, x),
                            node_sub(g, node_dot(g, from, to), square));
}

static void universal_nodes(flx_builder *b, const flx_joint_data *d, bool rate, flx_node v[2])
{
    flx_graph *g = b->g;
    flx_node a[2][3], drawn[2][3];
    flx_num c;
    universal_axes(b, d, a, drawn, &c);
    if (!rate) {
        v[0] = angle_about(g, a[0], drawn[1], a[1], c);
        v[1] = angle_about(g, a[1], a[0], drawn[0], c);
    } else { // w2 - w1 = alpha' a1 + beta' a2
        flx_node w[3], along[2];
        relative_angular_velocity(b, d, w);
        for (int i = 0; i < 2; i++) along[i] = node_dot(g, a[i], w);
        for (int i = 0; i < 2; i++) {
            flx_node n = flx_num_node(g, c), one = node_const(g, 1.0);
            flx_node x = node_sub(g, along[i], node_mul(g, n, along[1 - i]));
            v[i] = node_mul(g, node_div(g, one, node_sub(g, one, node_mul(g, n, n))), x);
        }
    }
}

static flx_status universal_member(flx_env *e, const flx_joint_data *d, bool rate, flx_operand *out)
{
    flx_node v[2];
    universal_nodes(e->b, d, rate, v);
    return flx_env_list(e, 2, v, out);
}

// Of a ball about its axis. A swing of zero has no direction, and no rate.
static void ball_nodes(flx_builder *b, const flx_joint_data *d, bool twist, flx_node *value,
                       flx_node *rate)
{
    flx_graph *g = b->g;
    flx_scalar_nodes n = {0};
    flx_node w[3], x[3];
    if (twist) {
        n33 *F = n.frame;
        for (int k = 0; k < 2; k++) {
            for (int j = 0; j < 3; j++) {
                flx_node a[3];
                joint_axis(b, d, k, j, a);
                for (int i = 0; i < 3; i++) F[k].m[3 * i + j] = a[i];
            }
        }
        *value = flx_scalar_graph(g, FLX_SCALAR_TURN, &n);
        *rate = flx_node_rate(b, *value);
        return;
    }
    joint_axis(b, d, 0, 2, n.a[0].c);
    joint_axis(b, d, 1, 2, n.b.c);
    *value = flx_scalar_graph(g, FLX_SCALAR_SWING, &n);
    relative_angular_velocity(b, d, w);
    node_cross(g, n.a[0].c, n.b.c, x);
    flx_node size = flx_graph_binary(g, FLX_OP_MAX, node_norm(g, x), node_const(g, 1e-300));
    *rate = node_div(g, node_dot(g, w, x), size);
}

flx_status flx_joint_nodes(flx_builder *b, flx_item *joint, int which, flx_node *value,
                           flx_node *rate)
{
    const flx_joint_data *d = joint->data;
    if (which == FLX_COORDINATE_ANGLE) {
        *value = angle_node(b, joint);
        *rate = angle_rate(b, d);
    } else if (which == FLX_COORDINATE_DISPLACEMENT) {
        *value = displacement_node(b, d);
        *rate = flx_node_rate(b, *value);
    } else if (which == FLX_COORDINATE_SWING || which == FLX_COORDINATE_TWIST) {
        ball_nodes(b, d, which == FLX_COORDINATE_TWIST, value, rate);
    } else {
        flx_node v[2], r[2];
        universal_nodes(b, d, false, v);
        universal_nodes(b, d, true, r);
        *value = v[which == FLX_COORDINATE_SECOND];
        *rate = r[which == FLX_COORDINATE_SECOND];
    }
    return *value < 0 || *rate < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

// Rotation vector of the second body relative to the first, zero initially, in ground axes.
static flx_status rotation_member(flx_env *e, flx_item *joint, flx_operand *out)
{
    const flx_joint_data *d = joint->data;
    flx_builder *b = e->b;
    flx_graph *g = b->g;
    if (b->m->dimension == 2) {
        return flx_operand_set_node(angle_node(b, joint), out);
    }
    // In the joint's axes of the first body: Q = F1^T F2.
    flx_node F[2][3][3], Q[9], theta[3], turned[3];
    for (int k = 0; k < 2; k++) {
        for (int j = 0; j < 3; j++) joint_axis(b, d, k, j, F[k][j]);
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) Q[3 * i + j] = node_dot(g, F[0][i], F[1][j]);
    }
    flx_node_rotation_vector(b->g, Q, theta);
    flx_node_turn(b, d->body[0], &d->frame[0], theta, turned);
    return flx_env_vector(e, turned, out);
}

// p2 - p1, less its drawing carried by the first body.
static flx_status displacement_member(flx_env *e, const flx_joint_data *d, flx_operand *out)
{
    flx_node p[3], drawn[3];
    flx_node_way(e->b, d->body, d->at, p);
    flx_node_direction(e->b, d->body[0], &d->drawn, drawn);
    node_sub3(e->b->g, p, drawn, p);
    return flx_env_vector(e, p, out);
}

// Where a disc or ball touches: centre - r n, for a disc with n projected to its plane.
static flx_status contact_member(flx_env *e, const flx_joint_data *d, flx_operand *out)
{
    flx_builder *b = e->b;
    flx_graph *g = b->g;
    flx_scalar_nodes n = {.ball = !d->def.has_axis};
    flx_num3 normal = flx_num3_of(d->def.normal);
    memcpy(normal.n, d->def.normal_open, sizeof normal.n);
    flx_node_direction(b, d->body[0], &normal, n.a[0].c);
    if (!n.ball) flx_node_direction(b, d->body[1], &d->axis[1], n.b.c);
    flx_node p[3];
    flx_node_position(b, d->body[1], &d->at[1], p);
    n.length = node_open(g, d->def.radius, d->def.radius_open);
    node_add3(g, p, flx_scalar_graph_rim(g, &n, NULL).c, p);
    return flx_env_point(e, p, out);
}

static flx_status reaction_member(flx_env *e, const flx_item *joint, bool moment, flx_operand *out)
{
    flx_graph *g = e->b->g;
    flx_node v[3];
    for (int i = 0; i < 3; i++) {
        v[i] = node_leaf(g, FLX_LEAF_REACTION, joint->number, moment ? 3 + i : i);
    }
    if (moment && e->b->m->dimension == 2) {
        return flx_operand_set_node(v[2], out);
    }
    return flx_env_vector(e, v, out);
}

// Which signals it has. A pin of a point turns nothing.
static unsigned signals_of(flx_builder *b, const flx_joint_data *d)
{
    const flx_joint_kind *k = d->def.kind;
    if (d->point_pin) return FLX_SIGNAL_DISPLACEMENT | FLX_SIGNAL_REACTION;
    unsigned stops = flx_joint_kind_key(k, "limits", b->m->dimension) ? FLX_SIGNAL_STOPS : 0;
    stops |= flx_joint_kind_key(k, "friction", b->m->dimension) ? FLX_SIGNAL_GRIP : 0;
    return k->signals | stops | (b->m->dimension == 2 ? k->plane_signals : 0);
}

static flx_status moving_member(flx_env *e, flx_item *joint, unsigned signal, flx_loc loc,
                                flx_operand *out)
{
    flx_joint_data *d = joint->data;
    flx_builder *b = e->b;
    const flx_joint_kind *k = d->def.kind;
    bool rate = signal == FLX_SIGNAL_RATE;
    if (signal == FLX_SIGNAL_CONTACT) return contact_member(e, d, out);
    if (signal == FLX_SIGNAL_ROTATION) return rotation_member(e, joint, out);
    if (k->signals & FLX_SIGNAL_CROSS) return universal_member(e, d, rate, out);
    if (signal == FLX_SIGNAL_DISPLACEMENT) {
        if (!k->displacement) return displacement_member(e, d, out);
        return flx_operand_set_node(displacement_node(b, d), out);
    }
    if (!k->angle && !k->displacement) { // a free body of the plane
        return flx_operand_set_node(rate ? angle_rate(b, d) : angle_node(b, joint), out);
    }
    FLX_TRY(flx_joint_coordinate(b, joint, loc));
    if (rate) return flx_operand_set_node(d->def.rate, out);
    return flx_operand_set_node(d->displacement ? angle_node(b, joint) : d->def.coordinate, out);
}

flx_status flx_joint_member(flx_env *e, flx_item *joint, const char *name, flx_loc loc,
                            flx_operand *out)
{
    flx_joint_data *d = joint->data;
    FLX_TRY(flx_joint_place(e->b, joint, loc));
    unsigned has = signals_of(e->b, d), signal = flx_joint_signal_named(name) & has;
    if (!signal && d->point_pin &&
        !flx_joint_turns(e->b, joint)) { // built again, it has what is asked for
        return e->b->marks->changed ? flx_env_stand_in(e, 1, out) : FLX_ERR_MEMORY;
    }
    if (!signal) {
        const char *words[FLX_SIGNAL_COUNT + 1];
        flx_joint_signal_names(has, words);
        return flx_member_unknown(e, joint->full, name, loc, words, NULL);
    }
    FLX_TRY(flx_env_require(e, FLX_MODE_MOVING, joint->full, name, loc));
    if (signal & FLX_SIGNAL_STOPS) {
        return flx_joint_limits_member(e, joint, signal == FLX_SIGNAL_EXCESS, loc, out);
    }
    if (signal & FLX_SIGNAL_GRIP) {
        return flx_joint_friction_member(e, joint, signal == FLX_SIGNAL_STATE, loc, out);
    }
    if (!(signal & (FLX_SIGNAL_LOADS | FLX_SIGNAL_DRIVE))) {
        return moving_member(e, joint, signal, loc, out);
    }
    if (signal != FLX_SIGNAL_DRIVE) {
        return reaction_member(e, joint, signal == FLX_SIGNAL_MOMENT, out);
    }
    if (!flx_entry_get(joint->def, "motion")) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "joint '%s' has no motion, and so no drive",
                        joint->full);
    }
    return flx_operand_set_node(node_leaf(e->b->g, FLX_LEAF_DRIVE, joint->number, 0), out);
}
