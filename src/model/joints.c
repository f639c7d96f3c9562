// joints.c - joints: geometry as drawn, coordinates and their signals as nodes.
//
// Angle of a revolute joint: with the joint's axes x1, y1 carried by the first body and x2 by the
// second, angle = atan2(y1.x2, x1.x2) + 2 pi turns, rate = axis.(w2 - w1). A displacement is
// axis1.(p2 - p1), less its value as drawn, with the axis carried by the first body.
#include "model/deformable.h"
#include "model/nodes.h"

#include <string.h>

static const char *const type_words[] = {
#define X(name, word) word,
    FLX_JOINT_LIST(X)
#undef X
        NULL};

// ---- reading ------------------------------------------------------------------------------------

static flx_status check_planar(flx_builder *b, const flx_yaml *type, flx_joint_type t)
{
    const char *instead = NULL;
    switch (t) {
    case FLX_JOINT_SPHERICAL:
    case FLX_JOINT_CYLINDRICAL:
    case FLX_JOINT_UNIVERSAL:
        instead = "revolute";
        break;
    case FLX_JOINT_SCREW:
        instead = "prismatic";
        break;
    case FLX_JOINT_PLANAR:
        instead = "free";
        break;
    case FLX_JOINT_POINT_ON_PLANE:
        instead = "point-on-line";
        break;
    default:
        return FLX_OK;
    }
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, type->loc, "a planar model has no joint '%s'; use '%s'",
                    type->text, instead);
}

// A point has no rotation: what is left of a joint on one.
static flx_status joint_on_point(flx_builder *b, const flx_item *joint, flx_joint_data *d,
                                 const flx_yaml *type)
{
    flx_joint_type *t = &d->def.type;
    bool planar = b->m->dimension == 2, point = false;
    for (int i = 0; i < 2; i++) {
        point = point || (d->body[i]->kind == FLX_KIND_BODY && !flx_body_turns(d->body[i]));
    }
    if (!point) return FLX_OK;
    switch (*t) {
    case FLX_JOINT_FIXED:
        *t = planar ? FLX_JOINT_REVOLUTE : FLX_JOINT_SPHERICAL;
        break;
    case FLX_JOINT_PRISMATIC:
        *t = FLX_JOINT_POINT_ON_LINE;
        break;
    case FLX_JOINT_PLANAR:
        *t = FLX_JOINT_POINT_ON_PLANE;
        break;
    case FLX_JOINT_REVOLUTE:
        if (planar) break;
        // fall through
    case FLX_JOINT_CYLINDRICAL:
    case FLX_JOINT_UNIVERSAL:
    case FLX_JOINT_SCREW:
    case FLX_JOINT_ROLLING:
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, type->loc,
                        "joint '%s': a point has no rotation for a joint '%s'; use '%s'",
                        joint->full, type->text,
                        *t == FLX_JOINT_CYLINDRICAL || *t == FLX_JOINT_SCREW ? "point-on-line"
                                                                             : "spherical");
    default:
        break;
    }
    d->point_pin = planar && *t == FLX_JOINT_REVOLUTE;
    return FLX_OK;
}

// A node in absolute nodal coordinates is a point; a joint that turns is on a section of it.
static flx_status turn_nodes(flx_builder *b, const flx_item *joint, flx_joint_data *d)
{
    static const char *const keys[] = {"motion", "start", "friction"};
    flx_joint_type t = d->def.type;
    bool turns = t != FLX_JOINT_SPHERICAL && t != FLX_JOINT_DISTANCE &&
                 t != FLX_JOINT_POINT_ON_LINE && t != FLX_JOINT_POINT_ON_PLANE &&
                 t != FLX_JOINT_FREE;
    bool pin = b->m->dimension == 2 && t == FLX_JOINT_REVOLUTE, asked = false;
    for (int i = 0; i < 3; i++) asked = asked || flx_yaml_get(joint->def, keys[i]);
    for (int i = 0; i < 2; i++) {
        if (!flx_body_is_ancf_node(d->body[i])) continue;
        bool axis = i == 0 && (t == FLX_JOINT_POINT_ON_LINE || t == FLX_JOINT_POINT_ON_PLANE);
        if (!turns && !axis) continue;
        if (pin && !asked && !flx_beam_has_section(d->body[i])) continue;
        FLX_TRY(flx_beam_section(b, d->body[i], t == FLX_JOINT_FIXED, &d->body[i]));
        d->def.body[i] = d->body[i]->number;
    }
    return FLX_OK;
}

static flx_status read_bodies(flx_env *e, const flx_item *joint, flx_joint_data *d)
{
    const flx_yaml *on = NULL;
    flx_item *items[2];
    int n = 0;
    bool gear = d->def.type == FLX_JOINT_GEAR;
    FLX_TRY(flx_build_need(e->b, joint, "on", &on));
    FLX_TRY(flx_build_on(e, on, &n, items));
    if (n != 2) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, on->loc, "a joint is on two %s, [first, second]",
                        gear ? "joints" : "bodies");
    }
    if ((items[0]->kind == FLX_KIND_JOINT) != gear) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, on->items[0]->loc,
                        gear ? "a gear is on two joints, not on bodies"
                             : "joint '%s' is on two bodies; only a gear is on joints",
                        joint->full);
    }
    for (int i = 0; i < 2; i++) {
        if (gear) {
            d->joint[i] = items[i];
            continue;
        }
        d->body[i] = items[i];
        d->def.body[i] = items[i]->number;
        FLX_TRY(flx_body_ready(e->b, items[i], on->loc));
    }
    return FLX_OK;
}

static flx_status read_gear(flx_env *e, flx_item *joint, flx_joint_data *d)
{
    const flx_yaml *ratio = NULL, *on = flx_yaml_get(joint->def, "on");
    FLX_TRY(flx_build_need(e->b, joint, "ratio", &ratio));
    FLX_TRY(flx_build_number(e, ratio, &d->def.ratio));
    for (int i = 0; i < 2; i++) {
        flx_joint_data *other = d->joint[i]->data;
        FLX_TRY(flx_joint_coordinate(e->b, d->joint[i], on->loc));
        if (other->def.coordinate < 0) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, on->items[i]->loc,
                            "joint '%s' has no coordinate for a gear; it takes revolute, "
                            "prismatic, cylindrical and screw joints",
                            d->joint[i]->full);
        }
        d->def.joint[i] = d->joint[i]->number;
        d->body[i] = other->body[1];
        d->def.body[i] = d->body[i]->number;
    }
    return FLX_OK;
}

// Joint axes as drawn: the third is the axis. The first is the coordinate axis farthest from it; in
// the plane the second is z for an axis in the plane.
static m33 axes_about(v3 a, bool planar)
{
    if (planar && a.z == 0) return m33_from_cols(v3_make(-a.y, a.x, 0), v3_make(0, 0, 1), a);
    v3 r = v3_make(1, 0, 0);
    if (fabs(a.y) < fabs(a.x) && fabs(a.y) <= fabs(a.z)) r = v3_make(0, 1, 0);
    if (fabs(a.z) < fabs(a.x) && fabs(a.z) < fabs(a.y)) r = v3_make(0, 0, 1);
    v3 x = v3_unit(v3_axpy(-v3_dot(r, a), a, r));
    return m33_from_cols(x, v3_cross(a, x), a);
}

static bool needs_axis(flx_joint_type t, bool planar)
{
    switch (t) {
    case FLX_JOINT_REVOLUTE:
        return !planar;
    case FLX_JOINT_PRISMATIC:
    case FLX_JOINT_CYLINDRICAL:
    case FLX_JOINT_PLANAR:
    case FLX_JOINT_SCREW:
    case FLX_JOINT_POINT_ON_LINE:
    case FLX_JOINT_POINT_ON_PLANE:
    case FLX_JOINT_KNIFE_EDGE:
        return true;
    default:
        return false;
    }
}

static flx_status read_axes(flx_env *e, const flx_item *joint, flx_joint_data *d)
{
    flx_joint *def = &d->def;
    bool planar = e->b->m->dimension == 2;
    const flx_yaml *axis = flx_yaml_get(joint->def, "axis");
    const flx_yaml *axes = flx_yaml_get(joint->def, "axes");
    const flx_yaml *frame = flx_yaml_get(joint->def, "frame");
    double a[3] = {0, 0, 1}, second[3] = {0, 0, 1};
    def->has_axis = needs_axis(def->type, planar) || (def->type == FLX_JOINT_ROLLING && axis);
    m33 F = m33_identity();
    if (def->type == FLX_JOINT_UNIVERSAL) {
        FLX_TRY(flx_build_need(e->b, joint, "axes", &axes));
        if (axes->kind != FLX_YAML_LIST || axes->count != 2) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, axes->loc,
                            "axes: an axis in the first body and an axis in the second");
        }
        FLX_TRY(flx_build_direction(e, axes->items[0], frame, a));
        FLX_TRY(flx_build_direction(e, axes->items[1], frame, second));
        if (!(v3_norm(v3_cross(v3_load(a), v3_load(second))) > 1e-6)) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, axes->loc,
                            "the two axes of a universal joint cannot be parallel");
        }
        def->has_axis = true;
    } else if (def->has_axis) {
        FLX_TRY(flx_build_need(e->b, joint, "axis", &axis));
        FLX_TRY(flx_build_direction(e, axis, frame, a));
    }
    if (def->has_axis) F = axes_about(v3_load(a), planar);
    for (int i = 0; i < 2; i++) {
        double position[3], R[9];
        flx_body_frame(d->body[i], position, R);
        m33 local = m33_tmul(m33_load(R), F);
        m33_store(def->frame[i], local);
        v3_store(def->axis[i], m33_col(local, 2));
        if (def->type == FLX_JOINT_UNIVERSAL && i == 1) {
            v3_store(def->axis[1], m33_tmul_v(m33_load(R), v3_load(second)));
        }
    }
    return FLX_OK;
}

static flx_status read_places(flx_env *e, const flx_item *joint, flx_joint_data *d)
{
    flx_joint *def = &d->def;
    const flx_yaml *at = flx_yaml_get(joint->def, "at");
    bool pair = false;
    double p[2][3], R[9];
    if (!at && def->type == FLX_JOINT_FREE) { // where the second body is drawn
        flx_body_frame(d->body[1], p[1], R);
        flx_ground_to_body(d->body[0], p[1], def->at[0]);
    } else {
        FLX_TRY(flx_build_need(e->b, joint, "at", &at));
        FLX_TRY(flx_build_at(e, at, d->body, def->at, &pair));
        FLX_TRY(turn_nodes(e->b, joint, d));
        bool holds = def->type == FLX_JOINT_FIXED || def->type == FLX_JOINT_PRISMATIC;
        for (int i = 0; i < 2 && holds; i++) {
            FLX_TRY(flx_beam_clamp(e->b, d->body[i], def->at[i]));
        }
        if (!pair && (def->type == FLX_JOINT_DISTANCE || def->type == FLX_JOINT_ROLLING)) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, at->loc,
                            "joint '%s' needs two places, one on each body", joint->full);
        }
    }
    for (int i = 0; i < 2; i++) {
        double position[3];
        def->body[i] = d->body[i]->number;
        flx_body_frame(d->body[i], position, R);
        v3_store(p[i], v3_add(v3_load(position), m33_mul_v(m33_load(R), v3_load(def->at[i]))));
    }
    double position[3];
    flx_body_frame(d->body[0], position, R);
    v3_store(d->drawn, m33_tmul_v(m33_load(R), v3_sub(v3_load(p[1]), v3_load(p[0]))));
    return FLX_OK;
}

// length, pitch, normal and radius
static flx_status read_sizes(flx_env *e, const flx_item *joint, flx_joint_data *d)
{
    flx_joint *def = &d->def;
    const flx_yaml *length = flx_yaml_get(joint->def, "length"), *y = NULL;
    double n[3], position[3], R[9];
    switch (def->type) {
    case FLX_JOINT_DISTANCE:
        def->length = v3_norm(v3_load(d->drawn));
        if (length) return flx_build_positive(e, length, "the distance", &def->length);
        if (def->length > 0) return FLX_OK;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, joint->loc,
                        "the two places of joint '%s' are drawn at one point; a distance must be "
                        "positive",
                        joint->full);
    case FLX_JOINT_SCREW:
        FLX_TRY(flx_build_need(e->b, joint, "pitch", &y));
        FLX_TRY(flx_build_number(e, y, &def->pitch));
        if (def->pitch != 0) return FLX_OK;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "a screw without pitch is a revolute joint");
    case FLX_JOINT_ROLLING:
        FLX_TRY(flx_build_need(e->b, joint, "radius", &y));
        FLX_TRY(flx_build_positive(e, y, "the radius", &def->radius));
        FLX_TRY(flx_build_need(e->b, joint, "normal", &y));
        FLX_TRY(flx_build_direction(e, y, NULL, n));
        flx_body_frame(d->body[0], position, R);
        v3_store(def->normal, m33_tmul_v(m33_load(R), v3_load(n)));
        return FLX_OK;
    default:
        return FLX_OK;
    }
}

static bool moves_with_angle(flx_joint_type t)
{
    return t == FLX_JOINT_REVOLUTE || t == FLX_JOINT_CYLINDRICAL || t == FLX_JOINT_SCREW;
}

static bool moves_with_displacement(flx_joint_type t)
{
    return t == FLX_JOINT_PRISMATIC || t == FLX_JOINT_CYLINDRICAL || t == FLX_JOINT_SCREW ||
           t == FLX_JOINT_POINT_ON_LINE;
}

// Which of its coordinates a motion or start speaks of. *said: it was said before.
static flx_status choose_coordinate(flx_env *e, const flx_item *joint, flx_joint_data *d,
                                    const flx_yaml *block, const char *what, bool *said)
{
    const flx_yaml *angle = flx_yaml_get(block, "angle");
    const flx_yaml *displacement = flx_yaml_get(block, "displacement");
    flx_joint_type t = d->def.type;
    if ((!moves_with_angle(t) && !moves_with_displacement(t)) || d->point_pin) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, block->loc,
                        "joint '%s' (%s) has no coordinate for a %s", joint->full, type_words[t],
                        what);
    }
    const flx_yaml *given = angle ? angle : displacement;
    if (!given) return FLX_OK;
    if ((angle && !moves_with_angle(t)) || (displacement && !moves_with_displacement(t))) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, given->loc, "joint '%s' (%s) has no %s; use '%s'",
                        joint->full, type_words[t], angle ? "angle" : "displacement",
                        angle ? "displacement" : "angle");
    }
    if (*said && d->displacement != (displacement != NULL)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, given->loc,
                        "the motion of joint '%s' is of the other coordinate", joint->full);
    }
    d->displacement = displacement != NULL;
    *said = true;
    return FLX_OK;
}

static flx_status choose_coordinates(flx_env *e, const flx_item *joint, flx_joint_data *d)
{
    const flx_yaml *motion = flx_yaml_get(joint->def, "motion");
    const flx_yaml *start = flx_yaml_get(joint->def, "start");
    bool said = false;
    d->displacement = d->def.type != FLX_JOINT_REVOLUTE && d->def.type != FLX_JOINT_SCREW;
    if (motion && motion->kind == FLX_YAML_MAP) {
        FLX_TRY(choose_coordinate(e, joint, d, motion, "motion", &said));
    }
    if (start && start->kind == FLX_YAML_MAP) {
        FLX_TRY(choose_coordinate(e, joint, d, start, "start", &said));
    }
    return FLX_OK;
}

static flx_status place_joint(flx_builder *b, flx_item *joint)
{
    flx_joint_data *d = joint->data;
    const flx_yaml *type = NULL;
    flx_env e;
    int word = 0;
    flx_env_of(&e, b, joint, FLX_MODE_CONSTANT);
    d->def = (flx_joint){.name = joint->full,
                         .loc = joint->loc,
                         .body = {FLX_GROUND, FLX_GROUND},
                         .joint = {-1, -1},
                         .motion_value = -1,
                         .coordinate = -1,
                         .rate = -1};
    FLX_TRY(flx_build_need(b, joint, "type", &type));
    FLX_TRY(flx_build_word(b, type, "type of joint", type_words, &word));
    d->def.type = (flx_joint_type)word;
    if (b->m->dimension == 2) FLX_TRY(check_planar(b, type, d->def.type));
    FLX_TRY(read_bodies(&e, joint, d));
    if (d->def.type == FLX_JOINT_GEAR) return read_gear(&e, joint, d);
    FLX_TRY(read_places(&e, joint, d));
    FLX_TRY(joint_on_point(b, joint, d, type));
    FLX_TRY(read_axes(&e, joint, d));
    FLX_TRY(read_sizes(&e, joint, d));
    return choose_coordinates(&e, joint, d);
}

flx_status flx_joint_place(flx_builder *b, flx_item *joint, flx_loc loc)
{
    flx_joint_data *d = joint->data;
    bool skip = false;
    FLX_TRY(flx_item_enter(b, joint, &d->placed, "joints", loc, &skip));
    if (skip) return FLX_OK;
    return flx_item_leave(b, &d->placed, place_joint(b, joint));
}

// ---- motion and start ---------------------------------------------------------------------------

static bool is_not_time(void *user, flx_leaf leaf)
{
    (void)user;
    flx_leaf_kind k = flx_leaf_get_kind(leaf);
    return k != FLX_LEAF_TIME && k != FLX_LEAF_FACTOR; // a load: of a parameter
}

static flx_status read_motion(flx_builder *b, flx_item *joint)
{
    flx_joint_data *d = joint->data;
    const flx_yaml *block = flx_yaml_get(joint->def, "motion");
    static const char *const words[] = {"angle", "displacement", "rate"};
    static const flx_motion_kind kinds[] = {FLX_MOTION_ANGLE, FLX_MOTION_DISPLACEMENT,
                                            FLX_MOTION_RATE};
    if (!block || block->kind != FLX_YAML_MAP) return FLX_OK;
    flx_env e;
    flx_env_of(&e, b, joint, FLX_MODE_TIME);
    for (int i = 0; i < 3; i++) {
        const flx_yaml *y = flx_yaml_get(block, words[i]);
        if (!y) continue;
        if (d->def.motion != FLX_MOTION_NONE) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                            "a motion has one of angle, displacement and rate");
        }
        d->def.motion = kinds[i];
        d->def.motion_loc = y->loc;
        FLX_TRY(flx_build_node(&e, y, &d->def.motion_value));
        if (flx_graph_depends(b->g, d->def.motion_value, is_not_time, NULL)) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                            "a motion may depend on the time t alone");
        }
        FLX_TRY(flx_loads_scale(b, joint, 1, &d->def.motion_value));
    }
    if (d->def.motion == FLX_MOTION_NONE) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, block->loc,
                        "a motion needs one of angle, displacement and rate");
    }
    return flx_joint_coordinate(b, joint, joint->loc);
}

static flx_status read_start(flx_builder *b, flx_item *joint)
{
    flx_joint_data *d = joint->data;
    flx_joint *def = &d->def;
    const flx_yaml *block = flx_yaml_get(joint->def, "start");
    if (!block || block->kind != FLX_YAML_MAP) return FLX_OK;
    const flx_yaml *value = flx_yaml_get(block, d->displacement ? "displacement" : "angle");
    const flx_yaml *other = flx_yaml_get(block, d->displacement ? "angle" : "displacement");
    const flx_yaml *rate = flx_yaml_get(block, "rate");
    if (value && other) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, other->loc,
                        "a start has one of angle and displacement");
    }
    flx_env e;
    flx_env_of(&e, b, joint, FLX_MODE_CONSTANT);
    def->start_loc = block->loc;
    def->start_coordinate = value != NULL;
    def->start_rate = rate != NULL;
    bool moved = def->motion == FLX_MOTION_ANGLE || def->motion == FLX_MOTION_DISPLACEMENT;
    if ((moved && value) || (def->motion != FLX_MOTION_NONE && rate)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, block->loc,
                        "the motion of joint '%s' already says how it starts", joint->full);
    }
    if (value) FLX_TRY(flx_build_start(&e, value, &def->start_value));
    if (rate) FLX_TRY(flx_build_start(&e, rate, &def->start_rate_value));
    return flx_joint_coordinate(b, joint, joint->loc);
}

flx_status flx_joint_finish(flx_builder *b, flx_item *joint)
{
    FLX_TRY(flx_joint_place(b, joint, joint->loc));
    FLX_TRY(read_motion(b, joint));
    FLX_TRY(read_start(b, joint));
    return flx_joint_friction(b, joint);
}

// ---- coordinates --------------------------------------------------------------------------------

static void column(const double F[9], int j, double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = F[3 * i + j];
}

static void joint_axis(flx_builder *b, const flx_joint_data *d, int side, int j, flx_node out[3])
{
    double c[3];
    column(d->def.frame[side], j, c);
    flx_node_direction(b, d->body[side], c, out);
}

static double drawn_angle(const flx_item *body)
{
    return flx_body_turns(body) ? ((const flx_body_data *)body->data)->def.angle : 0;
}

flx_node flx_node_planar_angle(flx_builder *b, const flx_item *first, const flx_item *second)
{
    flx_graph *g = b->g;
    flx_node a = node_sub(g, flx_node_angle(b, second), flx_node_angle(b, first));
    return node_sub(g, a, node_const(g, drawn_angle(second) - drawn_angle(first)));
}

static flx_node angle_node(flx_builder *b, flx_item *joint)
{
    flx_joint_data *d = joint->data;
    flx_graph *g = b->g;
    d->def.angle_read = true;
    if (b->m->dimension == 2) return flx_node_planar_angle(b, d->body[0], d->body[1]);
    flx_node x1[3], y1[3], x2[3];
    joint_axis(b, d, 0, 0, x1);
    joint_axis(b, d, 0, 1, y1);
    joint_axis(b, d, 1, 0, x2);
    flx_node a = flx_graph_binary(g, FLX_OP_ATAN2, node_dot(g, y1, x2), node_dot(g, x1, x2));
    flx_node whole = flx_graph_leaf(g, flx_leaf_make(FLX_LEAF_TURNS, joint->number, 0));
    return node_add(g, a, node_scale(g, 2 * flx_pi, whole));
}

static void relative_spin(flx_builder *b, const flx_joint_data *d, flx_node out[3])
{
    flx_node w1[3], w2[3];
    flx_node_spin(b, d->body[0], w1);
    flx_node_spin(b, d->body[1], w2);
    node_sub3(b->g, w2, w1, out);
}

static flx_node angle_rate(flx_builder *b, const flx_joint_data *d)
{
    flx_node w[3], axis[3];
    relative_spin(b, d, w);
    if (b->m->dimension == 2) return w[2];
    joint_axis(b, d, 0, 2, axis);
    return node_dot(b->g, axis, w);
}

// p2 - p1
static void way(flx_builder *b, const flx_joint_data *d, flx_node out[3])
{
    flx_node p1[3], p2[3];
    flx_node_position(b, d->body[0], d->def.at[0], p1);
    flx_node_position(b, d->body[1], d->def.at[1], p2);
    node_sub3(b->g, p2, p1, out);
}

static flx_node displacement_node(flx_builder *b, const flx_joint_data *d)
{
    flx_node p[3], axis[3];
    double a[3];
    way(b, d, p);
    joint_axis(b, d, 0, 2, axis);
    column(d->def.frame[0], 2, a);
    double drawn = v3_dot(v3_load(a), v3_load(d->drawn));
    return node_sub(b->g, node_dot(b->g, axis, p), node_const(b->g, drawn));
}

static flx_node rate_of(flx_builder *b, flx_node n)
{
    return n < 0 ? -1 : flx_graph_derive(b->g, n, flx_leaf_time_rate, b->m);
}

bool flx_joint_has_coordinate(const flx_item *joint)
{
    const flx_joint_data *d = joint->data;
    if (moves_with_displacement(d->def.type) && d->displacement) return true;
    return moves_with_angle(d->def.type) && !d->point_pin;
}

static flx_status make_coordinate(flx_builder *b, flx_item *joint)
{
    flx_joint_data *d = joint->data;
    flx_joint *def = &d->def;
    bool displacement = moves_with_displacement(def->type) && d->displacement;
    if (!flx_joint_has_coordinate(joint)) return FLX_OK;
    def->coordinate = displacement ? displacement_node(b, d) : angle_node(b, joint);
    def->rate = displacement ? rate_of(b, def->coordinate) : angle_rate(b, d);
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

// ---- signals ------------------------------------------------------------------------------------

// Angles about the two axes of a universal joint. With c = a1.a2 kept, a2 of the first body's
// drawing and a1 of the second's:
//     alpha = atan2(a1.(a2' x a2), a2'.a2 - c^2),  beta = atan2(a2.(a1 x a1'), a1.a1' - c^2)
// where ' marks the axis of the other body as drawn, carried by this one.
static void universal_axes(flx_builder *b, const flx_joint_data *d, flx_node a[2][3],
                           flx_node drawn[2][3], double *c)
{
    const flx_joint *def = &d->def;
    double R[2][9], p[3], other[3];
    for (int i = 0; i < 2; i++) flx_body_frame(d->body[i], p, R[i]);
    v3 world[2];
    for (int i = 0; i < 2; i++) {
        world[i] = m33_mul_v(m33_load(R[i]), v3_load(def->axis[i]));
        flx_node_direction(b, d->body[i], def->axis[i], a[i]);
    }
    for (int i = 0; i < 2; i++) { // axis i as drawn, carried by the other body
        v3_store(other, m33_tmul_v(m33_load(R[1 - i]), world[i]));
        flx_node_direction(b, d->body[1 - i], other, drawn[i]);
    }
    *c = v3_dot(world[0], world[1]);
}

static flx_node angle_about(flx_graph *g, const flx_node axis[3], const flx_node from[3],
                            const flx_node to[3], double c)
{
    flx_node x[3];
    node_cross(g, from, to, x);
    return flx_graph_binary(g, FLX_OP_ATAN2, node_dot(g, axis, x),
                            node_sub(g, node_dot(g, from, to), node_const(g, c * c)));
}

static flx_status universal_member(flx_env *e, const flx_joint_data *d, bool rate, flx_value *out)
{
    flx_builder *b = e->b;
    flx_graph *g = b->g;
    flx_node a[2][3], drawn[2][3], v[2];
    double c = 0;
    universal_axes(b, d, a, drawn, &c);
    if (!rate) {
        v[0] = angle_about(g, a[0], drawn[1], a[1], c);
        v[1] = angle_about(g, a[1], a[0], drawn[0], c);
    } else { // w2 - w1 = alpha' a1 + beta' a2
        flx_node w[3], along[2];
        relative_spin(b, d, w);
        for (int i = 0; i < 2; i++) along[i] = node_dot(g, a[i], w);
        for (int i = 0; i < 2; i++) {
            flx_node x = node_sub(g, along[i], node_scale(g, c, along[1 - i]));
            v[i] = node_scale(g, 1 / (1 - c * c), x);
        }
    }
    return flx_env_list(e, 2, v, out);
}

// Rotation vector of the second body relative to the first, zero as drawn, in ground axes.
static flx_status rotation_member(flx_env *e, flx_item *joint, flx_value *out)
{
    const flx_joint_data *d = joint->data;
    flx_builder *b = e->b;
    flx_graph *g = b->g;
    if (b->m->dimension == 2) {
        *out = flx_value_number(angle_node(b, joint));
        return out->node < 0 ? FLX_ERR_MEMORY : FLX_OK;
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
    flx_node_turn(b, d->body[0], d->def.frame[0], theta, turned);
    return flx_env_vector(e, turned, out);
}

// p2 - p1, less its drawing carried by the first body.
static flx_status displacement_member(flx_env *e, const flx_joint_data *d, flx_value *out)
{
    flx_node p[3], drawn[3];
    way(e->b, d, p);
    flx_node_direction(e->b, d->body[0], d->drawn, drawn);
    node_sub3(e->b->g, p, drawn, p);
    return flx_env_vector(e, p, out);
}

// Where a disc or ball touches: centre - r n, for a disc with n projected to its plane.
static flx_status contact_member(flx_env *e, const flx_joint_data *d, flx_value *out)
{
    flx_builder *b = e->b;
    flx_graph *g = b->g;
    flx_node n[3], a[3], p[3];
    flx_node_direction(b, d->body[0], d->def.normal, n);
    if (d->def.has_axis) {
        flx_node_direction(b, d->body[1], d->def.axis[1], a);
        flx_node along = node_dot(g, n, a);
        for (int i = 0; i < 3; i++) n[i] = node_sub(g, n[i], node_mul(g, along, a[i]));
        flx_node size = node_norm(g, n);
        for (int i = 0; i < 3; i++) n[i] = node_div(g, n[i], size);
    }
    flx_node_position(b, d->body[1], d->def.at[1], p);
    for (int i = 0; i < 3; i++) p[i] = node_sub(g, p[i], node_scale(g, d->def.radius, n[i]));
    return flx_env_point(e, p, out);
}

static flx_status reaction_member(flx_env *e, const flx_item *joint, bool moment, flx_value *out)
{
    flx_graph *g = e->b->g;
    flx_node v[3];
    for (int i = 0; i < 3; i++) {
        v[i] =
            flx_graph_leaf(g, flx_leaf_make(FLX_LEAF_REACTION, joint->number, moment ? 3 + i : i));
    }
    if (moment && e->b->m->dimension == 2) {
        *out = flx_value_number(v[2]);
        return v[2] < 0 ? FLX_ERR_MEMORY : FLX_OK;
    }
    return flx_env_vector(e, v, out);
}

// Which signals a type has.
static const char *const *joint_words(flx_builder *b, const flx_joint_data *d)
{
    static const char *const angle[] = {"angle",  "rate",  "rotation", "reaction",
                                        "moment", "drive", NULL};
    static const char *const slide[] = {"displacement", "rate",  "reaction",
                                        "moment",       "drive", NULL};
    static const char *const both[] = {"angle",    "displacement", "rate",  "rotation",
                                       "reaction", "moment",       "drive", NULL};
    static const char *const cross[] = {"angle", "rate", "rotation", "reaction", "moment", NULL};
    static const char *const table[] = {"angle",  "rate", "displacement", "rotation", "reaction",
                                        "moment", NULL};
    static const char *const loose[] = {"displacement", "rotation", "reaction", "moment", NULL};
    static const char *const line[] = {"displacement", "rate", "reaction", NULL};
    static const char *const held[] = {"displacement", "reaction", NULL};
    static const char *const rolling[] = {"contact", "reaction", "moment", NULL};
    static const char *const none[] = {NULL};
    switch (d->def.type) {
    case FLX_JOINT_REVOLUTE:
        return d->point_pin ? held : angle;
    case FLX_JOINT_PRISMATIC:
        return slide;
    case FLX_JOINT_CYLINDRICAL:
    case FLX_JOINT_SCREW:
        return both;
    case FLX_JOINT_UNIVERSAL:
        return cross;
    case FLX_JOINT_PLANAR:
        return table;
    case FLX_JOINT_FREE:
        return b->m->dimension == 2 ? table : loose;
    case FLX_JOINT_FIXED:
    case FLX_JOINT_SPHERICAL:
        return loose;
    case FLX_JOINT_POINT_ON_LINE:
        return line;
    case FLX_JOINT_DISTANCE:
    case FLX_JOINT_POINT_ON_PLANE:
    case FLX_JOINT_KNIFE_EDGE:
        return held;
    case FLX_JOINT_ROLLING:
        return rolling;
    case FLX_JOINT_GEAR:
        return none;
    }
    return none;
}

static flx_status number(flx_node n, flx_value *out)
{
    *out = flx_value_number(n);
    return n < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

static flx_status moving_member(flx_env *e, flx_item *joint, const char *name, flx_loc loc,
                                flx_value *out)
{
    flx_joint_data *d = joint->data;
    flx_builder *b = e->b;
    flx_joint_type t = d->def.type;
    bool rate = strcmp(name, "rate") == 0;
    if (strcmp(name, "contact") == 0) return contact_member(e, d, out);
    if (strcmp(name, "rotation") == 0) return rotation_member(e, joint, out);
    if (t == FLX_JOINT_UNIVERSAL) return universal_member(e, d, rate, out);
    if (strcmp(name, "displacement") == 0) {
        if (!moves_with_displacement(t)) return displacement_member(e, d, out);
        return number(displacement_node(b, d), out);
    }
    if (t == FLX_JOINT_PLANAR || t == FLX_JOINT_FREE) {
        return number(rate ? angle_rate(b, d) : angle_node(b, joint), out);
    }
    FLX_TRY(flx_joint_coordinate(b, joint, loc));
    if (rate) return number(d->def.rate, out);
    return number(d->displacement ? angle_node(b, joint) : d->def.coordinate, out);
}

flx_status flx_joint_member(flx_env *e, flx_item *joint, const char *name, flx_loc loc,
                            flx_value *out)
{
    flx_joint_data *d = joint->data;
    FLX_TRY(flx_joint_place(e->b, joint, loc));
    const char *const *words = joint_words(e->b, d), *const *w = words;
    while (*w && strcmp(*w, name) != 0) w++;
    if (!*w && d->point_pin &&
        !flx_joint_turns(e->b, joint)) { // built again, it has what is asked for
        return e->b->marks->changed ? flx_env_stand_in(e, 1, out) : FLX_ERR_MEMORY;
    }
    if (!*w) return flx_member_unknown(e, joint->full, name, loc, words, NULL);
    bool effort =
        strcmp(name, "reaction") == 0 || strcmp(name, "moment") == 0 || strcmp(name, "drive") == 0;
    FLX_TRY(flx_env_require(e, FLX_MODE_MOVING, joint->full, name, loc));
    if (!effort) return moving_member(e, joint, name, loc, out);
    if (strcmp(name, "drive") != 0) return reaction_member(e, joint, name[0] == 'm', out);
    if (!flx_yaml_get(joint->def, "motion")) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "joint '%s' has no motion, and so no drive",
                        joint->full);
    }
    return number(flx_graph_leaf(e->b->g, flx_leaf_make(FLX_LEAF_DRIVE, joint->number, 0)), out);
}
