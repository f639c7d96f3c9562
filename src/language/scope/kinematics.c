// kinematics.c - the motion of bodies and of their points as nodes over leaves.
//
// A point p of the body frame, with r, v, a of the centre of mass, w and alpha in body axes and
// d = p - com:
//     position r + R d,   velocity v + R (w x d),   acceleration a + R (alpha x d + w x (w x d))
// In the plane R d = (c dx - s dy, s dx + c dy), and w x d = w (-dy, dx).
#include "language/flexible/deformable.h"
#include "language/scope/nums.h"
#include "model/nodes.h"

#include <string.h>

static const double origin[3] = {0, 0, 0};

// ---- bodies -----------------------------------------------------------------------------------

// A attached frame has no leaves: its motion is written with those of the body that carries it.
static const flx_body_data *follower(const flx_item *body)
{
    const flx_body_data *d = body->kind == FLX_KIND_BODY ? body->data : NULL;
    return d && d->carrier && flx_body_is_elastic(d->carrier) ? d : NULL;
}

flx_node flx_node_rate(flx_builder *b, flx_node n)
{
    return flx_graph_derive(b->g, n, flx_leaf_time_rate, b->m);
}

flx_node flx_node_angle(flx_builder *b, const flx_item *body)
{
    const flx_body_data *f = follower(body);
    if (f) return flx_elastic_body_planar_angle(b, f->carrier, f->node);
    if (!flx_body_turns(body)) return node_const(b->g, 0);
    return node_leaf(b->g, FLX_LEAF_BODY_ROTATION, body->number, 0);
}

// Planar: cosine and sine of the body's angle.
static void planar_axes(flx_builder *b, const flx_item *body, flx_node *c, flx_node *s)
{
    flx_node angle = flx_node_angle(b, body);
    *c = flx_graph_unary(b->g, FLX_OP_COS, angle);
    *s = flx_graph_unary(b->g, FLX_OP_SIN, angle);
}

// R v with v in body axes.
static void turn(flx_builder *b, const flx_item *body, const flx_node v[3], flx_node out[3])
{
    flx_graph *g = b->g;
    flx_node x[3];
    if (!flx_body_turns(body)) {
        memcpy(x, v, sizeof x);
    } else if (b->m->dimension == 2) {
        flx_node c, s;
        planar_axes(b, body, &c, &s);
        x[0] = node_sub(g, node_mul(g, c, v[0]), node_mul(g, s, v[1]));
        x[1] = node_add(g, node_mul(g, s, v[0]), node_mul(g, c, v[1]));
        x[2] = v[2];
    } else {
        const flx_body_data *f = follower(body);
        flx_node R[9];
        if (f) flx_elastic_body_rotation(b, f->carrier, f->node, R);
        for (int i = 0; i < 3; i++) {
            x[i] = node_const(g, 0);
            for (int j = 0; j < 3; j++) {
                if (node_is(g, v[j], 0)) continue;
                flx_node r = f ? R[3 * i + j]
                               : node_leaf(b->g, FLX_LEAF_BODY_ROTATION, body->number, 3 * i + j);
                x[i] = node_add(g, x[i], node_mul(g, r, v[j]));
            }
        }
    }
    memcpy(out, x, sizeof x);
}

// Angular velocity or acceleration in body axes.
static void body_angular_velocity(flx_builder *b, const flx_item *body, flx_leaf_kind kind,
                                  flx_node out[3])
{
    bool turns = flx_body_turns(body), planar = b->m->dimension == 2;
    for (int i = 0; i < 3; i++) {
        bool has = turns && (!planar || i == 2);
        out[i] = has ? node_leaf(b->g, kind, body->number, planar ? 0 : i) : node_const(b->g, 0);
    }
}

static void arm_of(flx_builder *b, const flx_item *body, const flx_num3 *at, flx_node out[3])
{
    flx_num3 com = flx_num3_of(origin);
    if (body->kind == FLX_KIND_BODY) {
        const flx_body_data *d = body->data;
        com = ((const flx_point_data *)d->com->data)->at;
    }
    flx_num3 arm = flx_num3_sub(b->g, *at, com);
    flx_num3_nodes(b->g, &arm, out);
}

static void base_leaves(flx_builder *b, const flx_item *body, flx_leaf_kind kind, flx_node out[3])
{
    for (int i = 0; i < 3; i++) {
        bool has = body->kind == FLX_KIND_BODY && (i < 2 || b->m->dimension == 3);
        out[i] = has ? node_leaf(b->g, kind, body->number, i) : node_const(b->g, 0);
    }
}

void flx_node_position(flx_builder *b, const flx_item *body, const flx_num3 *at, flx_node out[3])
{
    flx_node d[3], r[3];
    const flx_body_data *f = follower(body);
    arm_of(b, body, at, d);
    if (f) {
        flx_elastic_body_position(b, f->carrier, f->node, r);
    } else {
        base_leaves(b, body, FLX_LEAF_BODY_POSITION, r);
    }
    turn(b, body, d, d);
    node_add3(b->g, r, d, out);
}

void flx_node_way(flx_builder *b, flx_item *const body[2], const flx_num3 at[2], flx_node out[3])
{
    flx_node p1[3], p2[3];
    flx_node_position(b, body[0], &at[0], p1);
    flx_node_position(b, body[1], &at[1], p2);
    node_sub3(b->g, p2, p1, out);
}

void flx_node_velocity(flx_builder *b, const flx_item *body, const flx_num3 *at, flx_node out[3])
{
    flx_node d[3], v[3], w[3];
    if (follower(body)) {
        flx_node_position(b, body, at, out);
        for (int i = 0; i < 3; i++) out[i] = flx_node_rate(b, out[i]);
        return;
    }
    arm_of(b, body, at, d);
    base_leaves(b, body, FLX_LEAF_BODY_VELOCITY, v);
    body_angular_velocity(b, body, FLX_LEAF_BODY_ANGULAR_VELOCITY, w);
    node_cross(b->g, w, d, d);
    turn(b, body, d, d);
    node_add3(b->g, v, d, out);
}

void flx_node_acceleration(flx_builder *b, const flx_item *body, const flx_num3 *at,
                           flx_node out[3])
{
    flx_graph *g = b->g;
    flx_node d[3], a[3], w[3], alpha[3], around[3], along[3];
    arm_of(b, body, at, d);
    base_leaves(b, body, FLX_LEAF_BODY_ACCELERATION, a);
    body_angular_velocity(b, body, FLX_LEAF_BODY_ANGULAR_VELOCITY, w);
    body_angular_velocity(b, body, FLX_LEAF_BODY_ANGULAR_ACCELERATION, alpha);
    node_cross(g, alpha, d, around);
    node_cross(g, w, d, along);
    node_cross(g, w, along, along);
    node_add3(g, around, along, around);
    turn(b, body, around, around);
    node_add3(g, a, around, out);
}

void flx_node_direction(flx_builder *b, const flx_item *body, const flx_num3 *d, flx_node out[3])
{
    flx_node v[3];
    flx_num3_nodes(b->g, d, v);
    turn(b, body, v, out);
}

void flx_node_angular_velocity(flx_builder *b, const flx_item *body, flx_node out[3])
{
    const flx_body_data *f = follower(body);
    if (f) {
        flx_elastic_body_angular_velocity(b, f->carrier, f->node, out);
        return;
    }
    body_angular_velocity(b, body, FLX_LEAF_BODY_ANGULAR_VELOCITY, out);
    if (b->m->dimension == 3) turn(b, body, out, out);
}

void flx_node_angular_acceleration(flx_builder *b, const flx_item *body, flx_node out[3])
{
    body_angular_velocity(b, body, FLX_LEAF_BODY_ANGULAR_ACCELERATION, out);
    if (b->m->dimension == 3) turn(b, body, out, out);
}

void flx_node_turn(flx_builder *b, const flx_item *body, const flx_num9 *R, const flx_node v[3],
                   flx_node out[3])
{
    flx_num9_turn3(b->g, R, v, out);
    turn(b, body, out, out);
}

// ---- rotations --------------------------------------------------------------------------------

void flx_node_sine_cosine(flx_graph *g, const flx_node R[9], flx_node sine[3], flx_node *cosine)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        sine[i] = node_scale(g, 0.5, node_sub(g, R[3 * k + j], R[3 * j + k]));
    }
    flx_node trace = node_add(g, node_add(g, R[0], R[4]), R[8]);
    *cosine = node_scale(g, 0.5, node_sub(g, trace, node_const(g, 1)));
}

void flx_node_rotation_vector(flx_graph *g, const flx_node R[9], flx_node out[3])
{
    flx_node v[3], c;
    flx_node_sine_cosine(g, R, v, &c);
    flx_node s2 = node_dot(g, v, v), s = node_sqrt(g, s2);
    // phi/sin(phi) = 1 + sin^2/6 + ... where the sine is small and the cosine positive
    flx_node near =
        flx_graph_binary(g, FLX_OP_AND, flx_graph_binary(g, FLX_OP_LT, s2, node_const(g, 1e-8)),
                         flx_graph_binary(g, FLX_OP_LT, node_const(g, 0), c));
    flx_node series = node_add(g, node_const(g, 1), node_scale(g, 1.0 / 6, s2));
    flx_node exact = node_div(g, flx_graph_binary(g, FLX_OP_ATAN2, s, c), s);
    flx_node factor = flx_graph_either(g, near, series, exact);
    for (int i = 0; i < 3; i++) out[i] = node_mul(g, factor, v[i]);
}

// Unit quaternion with w >= 0: of the four ways to divide (Shepperd), the one by the largest
// component.
void flx_node_quaternion(flx_graph *g, const flx_node R[9], flx_node out[4])
{
    flx_node one = node_const(g, 1);
    flx_node diff[3] = {node_sub(g, R[7], R[5]), node_sub(g, R[2], R[6]), node_sub(g, R[3], R[1])};
    flx_node xy = node_add(g, R[1], R[3]), xz = node_add(g, R[2], R[6]),
             yz = node_add(g, R[5], R[7]);
    flx_node trace = node_add(g, node_add(g, R[0], R[4]), R[8]);
    flx_node big[4] = {trace, R[0], R[4], R[8]};
    // one plus twice the diagonal entry, minus the trace: four times the square of x, y, z
    flx_node square[3];
    for (int i = 0; i < 3; i++) {
        square[i] = node_sub(g, node_add(g, one, node_scale(g, 2, R[4 * i])), trace);
    }
    flx_node way[4][4] = {{node_add(g, one, trace), diff[0], diff[1], diff[2]},
                          {diff[0], square[0], xy, xz},
                          {diff[1], xy, square[1], yz},
                          {diff[2], xz, yz, square[2]}};
    flx_node q[4];
    memcpy(q, way[3], sizeof q);
    for (int k = 2; k >= 0; k--) { // is big[k] the largest of those from k on?
        flx_node largest = one;
        for (int j = k + 1; j < 4; j++) {
            flx_node le = flx_graph_binary(g, FLX_OP_LE, big[j], big[k]);
            largest = j == k + 1 ? le : flx_graph_binary(g, FLX_OP_AND, largest, le);
        }
        for (int i = 0; i < 4; i++) q[i] = flx_graph_either(g, largest, way[k][i], q[i]);
    }
    flx_node size = node_sqrt(g, node_add(g, node_dot(g, q, q), node_mul(g, q[3], q[3])));
    flx_node negative = flx_graph_binary(g, FLX_OP_LT, q[0], node_const(g, 0));
    flx_node scale = node_div(g, flx_graph_either(g, negative, node_const(g, -1), one), size);
    for (int i = 0; i < 4; i++) out[i] = node_mul(g, scale, q[i]);
}
