// block_joints.c - joints as they are read: type, bodies, initial geometry, motion and start.
// Their coordinates and signals: joint_signals.c.
#include "joint/joint.h"
#include "language/flexible/deformable.h"
#include "language/scope/nums.h"
#include "math/curve/curve.h"

#include <string.h>

// ---- reading ----------------------------------------------------------------------------------

static flx_status read_kind(flx_builder *b, const flx_item *joint, flx_joint *def)
{
    const flx_entry *type = NULL;
    FLX_TRY(flx_build_need(b, joint, "type", &type));
    const flx_joint_kind *k =
        type->kind == FLX_ENTRY_SCALAR ? flx_joint_kind_named(type->text) : NULL;
    const char *words[FLX_KINDS_OF_JOINTS + 1];
    int word = 0;
    flx_joint_kind_words(words);
    if (!k) return flx_build_word(b, type, "type of joint", words, &word); // which is none
    def->kind = k;
    if (flx_joint_kind_exists(k, b->m->dimension)) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, type->loc, "a %s model has no joint '%s'%s%s%s",
                    b->m->dimension == 2 ? "planar" : "spatial", type->text,
                    k->in_plane ? "; use '" : "", k->in_plane ? k->in_plane : "",
                    k->in_plane ? "'" : "");
}

// A point has no rotation: what is left of a joint on one.
static flx_status joint_on_point(flx_builder *b, const flx_item *joint, flx_joint_data *d)
{
    const flx_joint_kind *k = d->def.kind;
    bool planar = b->m->dimension == 2, point = false;
    for (int i = 0; i < 2; i++) {
        point = point || (d->body[i]->kind == FLX_KIND_BODY && !flx_body_turns(d->body[i]));
    }
    if (!point) return FLX_OK;
    const flx_joint_kind *left = k->on_point[planar ? 0 : 1];
    if (!left) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, flx_entry_get(joint->def, "type")->loc,
                        "joint '%s': a point has no rotation for a joint '%s'%s%s%s", joint->full,
                        k->says.word, k->instead ? "; use '" : "", k->instead ? k->instead : "",
                        k->instead ? "'" : "");
    }
    d->def.kind = left;
    d->point_pin = planar && left->angle;
    return FLX_OK;
}

// A node in absolute nodal coordinates is a point; a joint that turns is on a section of it.
static flx_status turn_nodes(flx_builder *b, const flx_item *joint, flx_joint_data *d)
{
    static const char *const keys[] = {"motion", "initial", "friction", "limits"};
    const flx_joint_kind *k = d->def.kind;
    bool pin = b->m->dimension == 2 && k->angle, asked = false;
    for (int i = 0; i < 4; i++) asked = asked || flx_entry_get(joint->def, keys[i]);
    for (int i = 0; i < 2; i++) {
        if (!k->axes[i] || !flx_body_is_ancf_node(d->body[i])) continue;
        if (pin && !asked && !flx_beam_has_section(d->body[i])) continue;
        FLX_TRY(flx_beam_section(b, d->body[i], k->rigid, &d->body[i]));
        d->def.body[i] = d->body[i]->number;
    }
    return FLX_OK;
}

static flx_status read_bodies(flx_env *e, const flx_item *joint, flx_joint_data *d)
{
    const flx_entry *on = NULL;
    flx_item *items[2];
    int n = 0;
    bool gear = d->def.kind->on_joints;
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
    const flx_entry *ratio = NULL, *on = flx_entry_get(joint->def, "on");
    FLX_TRY(flx_build_need(e->b, joint, "ratio", &ratio));
    FLX_TRY(flx_build_of_joint(e, ratio, NULL, &d->def.ratio, &d->def.ratio_open));
    for (int i = 0; i < 2; i++) {
        flx_joint_data *other = d->joint[i]->data;
        FLX_TRY(flx_joint_coordinate(e->b, d->joint[i], on->loc));
        if (other->def.coordinate < 0) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, on->items[i]->loc,
                            "joint '%s' has no coordinate for a gear; it takes joints with an "
                            "angle or a displacement",
                            d->joint[i]->full);
        }
        d->def.joint[i] = d->joint[i]->number;
        d->body[i] = other->body[1];
        d->def.body[i] = d->body[i]->number;
    }
    return FLX_OK;
}

// Initial axes of a joint: the third is the axis. The first is the coordinate axis farthest from it; in
// the plane the second is z for an axis in the plane.
static flx_num9 axes_about(flx_graph *g, flx_num3 axis, bool planar)
{
    static const double ez[3] = {0, 0, 1};
    v3 a = v3_load(axis.x);
    if (planar && a.z == 0) {
        flx_num3 x = {.x = {a.y, a.x, 0}, .n = {axis.n[1], axis.n[0], 0}};
        return flx_num9_from_cols(flx_num3_negative(g, x, 0), flx_num3_of(ez), axis);
    }
    double r[3] = {1, 0, 0};
    if (fabs(a.y) < fabs(a.x) && fabs(a.y) <= fabs(a.z)) r[0] = 0, r[1] = 1;
    if (fabs(a.z) < fabs(a.x) && fabs(a.z) < fabs(a.y)) r[0] = r[1] = 0, r[2] = 1;
    flx_num along = flx_num3_dot(g, flx_num3_of(r), axis);
    along = (flx_num){-along.x,
                      along.n ? flx_num_keep(g, 0, node_neg(g, flx_num_node(g, along))).n : 0};
    flx_num3 x = flx_num3_unit(g, flx_num3_axpy(g, along, axis, flx_num3_of(r)));
    return flx_num9_from_cols(x, flx_num3_cross(g, axis, x), axis);
}

// The row of a key that joints of this kind take; NULL: they do not.
static const flx_key_row *takes(const flx_env *e, const flx_joint_data *d, const char *key)
{
    return flx_joint_kind_key(d->def.kind, key, e->b->m->dimension);
}

// The axis of the joint, or those of the two bodies, initially in ground axes.
static flx_status read_directions(flx_env *e, const flx_item *joint, flx_joint_data *d, flx_num3 *a,
                                  flx_num3 *second)
{
    const flx_entry *axis = flx_entry_get(joint->def, "axis");
    const flx_entry *axes = flx_entry_get(joint->def, "axes");
    const flx_entry *frame = flx_entry_get(joint->def, "frame");
    const flx_joint_kind *k = d->def.kind;
    const flx_key_row *one = takes(e, d, "axis");
    bool two = takes(e, d, "axes") != NULL;
    d->def.has_axis = two || (one && (one->needed || axis));
    if (!d->def.has_axis) return FLX_OK;
    if (k->signals & FLX_SIGNAL_BALL && !flx_entry_get(joint->def, "limits")) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, axis->loc,
                        "the axis of the spherical joint '%s' is of its 'limits', and it has none; "
                        "a hinge is 'revolute'",
                        joint->full);
    }
    if (!two) {
        FLX_TRY(flx_build_need(e->b, joint, "axis", &axis));
        return flx_build_direction(e, axis, frame, a);
    }
    FLX_TRY(flx_build_need(e->b, joint, "axes", &axes));
    if (axes->kind != FLX_ENTRY_LIST || axes->count != 2) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, axes->loc,
                        "axes: an axis in the first body and an axis in the second");
    }
    FLX_TRY(flx_build_direction(e, axes->items[0], frame, a));
    FLX_TRY(flx_build_direction(e, axes->items[1], frame, second));
    const char *wrong = k->refuse_axes ? k->refuse_axes(v3_load(a->x), v3_load(second->x)) : NULL;
    return wrong ? FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, axes->loc, "%s", wrong) : FLX_OK;
}

static flx_status read_axes(flx_env *e, const flx_item *joint, flx_joint_data *d)
{
    flx_joint *def = &d->def;
    flx_graph *g = e->b->g;
    flx_num3 a = {.x = {0, 0, 1}}, second = a;
    FLX_TRY(read_directions(e, joint, d, &a, &second));
    flx_num9 F = flx_num9_identity();
    if (def->has_axis) F = axes_about(g, a, e->b->m->dimension == 2);
    for (int i = 0; i < 2; i++) {
        flx_num3 position;
        flx_num9 R;
        flx_body_frame(d->body[i], &position, &R);
        d->frame[i] = flx_num9_tmul(g, R, F);
        d->axis[i] = flx_num9_col(d->frame[i], 2);
        if (i == 1 && takes(e, d, "axes")) d->axis[1] = flx_num9_tmul_v(g, R, second);
        FLX_TRY(flx_num9_store(&d->frame[i], def->frame[i], def->frame_open[i]));
        FLX_TRY(flx_num3_store(&d->axis[i], def->axis[i], def->axis_open[i]));
    }
    return FLX_OK;
}

static flx_status read_places(flx_env *e, const flx_item *joint, flx_joint_data *d)
{
    flx_joint *def = &d->def;
    const flx_entry *at = flx_entry_get(joint->def, "at");
    bool pair = false;
    flx_graph *g = e->b->g;
    flx_num3 p[2], position;
    flx_num9 R;
    if (!at && !takes(e, d, "at")->needed) { // where the second body is drawn
        flx_body_frame(d->body[1], &p[1], &R);
        d->at[0] = flx_ground_to_body(e->b, d->body[0], p[1]);
    } else {
        FLX_TRY(flx_build_need(e->b, joint, "at", &at));
        FLX_TRY(flx_build_at(e, at, d->body, d->at, &pair));
        FLX_TRY(turn_nodes(e->b, joint, d));
        if (!pair && flx_joint_kind_needs_pair(def->kind)) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, at->loc,
                            "joint '%s' needs two places, one on each body", joint->full);
        }
    }
    for (int i = 0; i < 2; i++) {
        def->body[i] = d->body[i]->number;
        flx_body_frame(d->body[i], &position, &R);
        p[i] = flx_num3_add(g, position, flx_num9_mul_v(g, R, d->at[i]));
        FLX_TRY(flx_num3_store(&d->at[i], def->at[i], def->at_open[i]));
    }
    flx_body_frame(d->body[0], &position, &R);
    d->drawn = flx_num9_tmul_v(g, R, flx_num3_sub(g, p[1], p[0]));
    return FLX_OK;
}

static flx_status read_length(flx_env *e, const flx_item *joint, flx_joint_data *d)
{
    flx_joint *def = &d->def;
    const flx_entry *length = flx_entry_get(joint->def, "length");
    if (length) {
        return flx_build_of_joint(e, length, "the distance", &def->length, &def->length_open);
    }
    FLX_TRY(flx_num_store(flx_num3_norm(e->b->g, d->drawn), &def->length, &def->length_open));
    if (def->length > 0) return FLX_OK;
    return FLX_FAIL(
        e->b->ctx, FLX_ERR_MODEL, joint->loc,
        "the two places of joint '%s' coincide in the initial configuration; a distance must be "
        "positive",
        joint->full);
}

static flx_status read_pitch(flx_env *e, const flx_item *joint, flx_joint *def)
{
    const flx_entry *y = NULL;
    FLX_TRY(flx_build_need(e->b, joint, "pitch", &y));
    FLX_TRY(flx_build_of_joint(e, y, NULL, &def->pitch, &def->pitch_open));
    if (def->pitch != 0) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "a screw without pitch is a revolute joint");
}

static flx_status read_radius(flx_env *e, const flx_item *joint, flx_joint *def)
{
    const flx_entry *y = NULL;
    FLX_TRY(flx_build_need(e->b, joint, "radius", &y));
    return flx_build_of_joint(e, y, "the radius", &def->radius, &def->radius_open);
}

static flx_status read_normal(flx_env *e, const flx_item *joint, flx_joint_data *d)
{
    const flx_entry *y = NULL;
    flx_num3 n, position;
    flx_num9 R;
    FLX_TRY(flx_build_need(e->b, joint, "normal", &y));
    FLX_TRY(
        flx_build_direction(e, y, NULL, &n)); // of the plane: `frame` is for the axis of the disc
    flx_body_frame(d->body[0], &position, &R);
    n = flx_num9_tmul_v(e->b->g, R, n);
    return flx_num3_store(&n, d->def.normal, d->def.normal_open);
}

// A point of the curve, in the frame of the first body.
static flx_status read_curve_point(flx_env *e, const flx_entry *y, const flx_item *frame,
                                   const flx_joint_data *d, double out[3])
{
    flx_operand v;
    flx_place p;
    FLX_TRY(flx_build_value(e, y, &v));
    bool framed = frame && frame->kind != FLX_KIND_GROUND;
    if (framed &&
        !flx_operand_get_item(&v)) { // not in the axes of the part, but in those of the frame
        flx_num3 position, x;
        flx_num9 R;
        FLX_TRY(flx_operand_to_num3(e, &v, y->loc, &x));
        FLX_TRY(flx_item_initial_frame(e->b, frame, y->loc, &position, &R));
        p.position = flx_num3_add(e->b->g, position, flx_num9_mul_v(e->b->g, R, x));
    } else {
        FLX_TRY(flx_operand_to_place(e, &v, y->loc, &p));
    }
    p.position = flx_ground_to_body(e->b, d->body[0], p.position);
    for (int k = 0; k < 3; k++) {
        if (p.position.n[k]) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                            "a point of a curve cannot follow from open parameters");
        }
    }
    memcpy(out, p.position.x, sizeof p.position.x);
    return FLX_OK;
}

static flx_status read_curve(flx_env *e, const flx_item *joint, flx_joint_data *d)
{
    const flx_entry *y = NULL, *frame = flx_entry_get(joint->def, "frame");
    const flx_entry *flag = flx_entry_get(joint->def, "closed");
    const flx_item *in = NULL;
    bool closed = false;
    FLX_TRY(flx_build_need(e->b, joint, "curve", &y));
    if (frame) FLX_TRY(flx_build_frame(e, frame, &in));
    if (flag) FLX_TRY(flx_build_flag(e->b, flag, "closed", &closed));
    if (y->kind != FLX_ENTRY_LIST || y->count < (closed ? 3 : 2)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "a %scurve goes through %s points or more", closed ? "closed " : "",
                        closed ? "three" : "two");
    }
    double *points = flx_take(e->b, 3 * (size_t)y->count, sizeof *points);
    if (!points) return FLX_ERR_MEMORY;
    for (int i = 0; i < y->count; i++) {
        FLX_TRY(read_curve_point(e, y->items[i], in, d, points + 3 * (size_t)i));
    }
    const char *wrong;
    int at;
    d->def.curve =
        flx_curve_create(e->b->ctx, e->b->m->arena, y->count, points, closed, &wrong, &at);
    if (d->def.curve) return FLX_OK;
    return !wrong ? FLX_ERR_MEMORY
                  : FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->items[at]->loc,
                             "this point of the curve %s", wrong);
}

static flx_status read_sizes(flx_env *e, const flx_item *joint, flx_joint_data *d)
{
    if (takes(e, d, "length")) FLX_TRY(read_length(e, joint, d));
    if (takes(e, d, "pitch")) FLX_TRY(read_pitch(e, joint, &d->def));
    if (takes(e, d, "radius")) FLX_TRY(read_radius(e, joint, &d->def));
    if (takes(e, d, "normal")) FLX_TRY(read_normal(e, joint, d));
    if (takes(e, d, "curve")) FLX_TRY(read_curve(e, joint, d));
    return FLX_OK;
}

// Which of its coordinates a motion or start speaks of. *said: it was said before.
static flx_status choose_coordinate(flx_env *e, const flx_item *joint, flx_joint_data *d,
                                    const flx_entry *block, const char *what, bool *said)
{
    const flx_entry *angle = flx_entry_get(block, "angle");
    const flx_entry *displacement = flx_entry_get(block, "displacement");
    const flx_joint_kind *k = d->def.kind;
    if (d->point_pin) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, block->loc,
                        "joint '%s' has no angle for '%s': a body of type 'point' does not rotate",
                        joint->full, what);
    }
    if (!k->angle && !k->displacement) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, block->loc,
                        "joint '%s' (%s) has no angle or displacement for '%s'", joint->full,
                        k->says.word, what);
    }
    const flx_entry *given = angle ? angle : displacement;
    if (!given) return FLX_OK;
    if ((angle && !k->angle) || (displacement && !k->displacement)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, given->loc, "joint '%s' (%s) has no %s; use '%s'",
                        joint->full, k->says.word, angle ? "angle" : "displacement",
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
    const flx_entry *motion = flx_entry_get(joint->def, "motion");
    const flx_entry *start = flx_entry_get(joint->def, "initial");
    bool said = false;
    d->displacement = d->def.kind->own == FLX_COORDINATE_DISPLACEMENT;
    if (motion && motion->kind == FLX_ENTRY_MAP) {
        FLX_TRY(choose_coordinate(e, joint, d, motion, "motion", &said));
    }
    if (start && start->kind == FLX_ENTRY_MAP) {
        FLX_TRY(choose_coordinate(e, joint, d, start, "initial", &said));
    }
    return FLX_OK;
}

static flx_status place_joint(flx_builder *b, flx_item *joint)
{
    flx_joint_data *d = joint->data;
    flx_env e;
    flx_env_of(&e, b, joint, FLX_MODE_CONSTANT);
    d->def = (flx_joint){.name = joint->full,
                         .loc = joint->loc,
                         .body = {FLX_BODY_GROUND, FLX_BODY_GROUND},
                         .joint = {-1, -1},
                         .motion_value = -1,
                         .coordinate = -1,
                         .rate = -1};
    FLX_TRY(read_kind(b, joint, &d->def));
    FLX_TRY(read_bodies(&e, joint, d));
    if (d->def.kind->on_joints) return read_gear(&e, joint, d);
    FLX_TRY(read_places(&e, joint, d));
    FLX_TRY(joint_on_point(b, joint, d));
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

// ---- motion and start -------------------------------------------------------------------------

static bool is_not_time(void *user, flx_leaf leaf)
{
    (void)user;
    return !flx_leaf_is(leaf, FLX_QUANTITY_TIME | FLX_QUANTITY_PARAMETER);
}

static flx_status read_motion(flx_builder *b, flx_item *joint)
{
    flx_joint_data *d = joint->data;
    const flx_entry *block = flx_entry_get(joint->def, "motion");
    static const char *const words[] = {"angle", "displacement", "rate"};
    static const flx_motion_kind kinds[] = {FLX_MOTION_ANGLE, FLX_MOTION_DISPLACEMENT,
                                            FLX_MOTION_RATE};
    if (!block || block->kind != FLX_ENTRY_MAP) return FLX_OK;
    flx_env e;
    flx_env_of(&e, b, joint, FLX_MODE_TIME);
    for (int i = 0; i < 3; i++) {
        const flx_entry *y = flx_entry_get(block, words[i]);
        if (!y) continue;
        if (d->def.motion != FLX_MOTION_NONE) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                            "a motion has one of angle, displacement and rate");
        }
        d->def.motion = kinds[i];
        d->def.motion_loc = y->loc;
        FLX_TRY(flx_build_node(&e, y, &d->def.motion_value));
        FLX_TRY(flx_inputs_move(b, d->def.motion_value, is_not_time, joint, y->loc));
        if (flx_graph_depends(b->g, d->def.motion_value, is_not_time, NULL)) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                            "a motion may depend on the time t alone");
        }
        FLX_TRY(flx_path_check_motion(b, d->def.motion_value, kinds[i] == FLX_MOTION_RATE, joint,
                                      y->loc));
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
    const flx_entry *block = flx_entry_get(joint->def, "initial");
    if (!block || block->kind != FLX_ENTRY_MAP) return FLX_OK;
    const flx_entry *value = flx_entry_get(block, d->displacement ? "displacement" : "angle");
    const flx_entry *other = flx_entry_get(block, d->displacement ? "angle" : "displacement");
    const flx_entry *rate = flx_entry_get(block, "rate");
    if (value && other) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, other->loc,
                        "`initial` has one of angle and displacement");
    }
    flx_env e;
    flx_env_of(&e, b, joint, FLX_MODE_CONSTANT);
    def->start_loc = block->loc;
    def->start_coordinate = value != NULL;
    def->start_rate = rate != NULL;
    bool moved = def->motion == FLX_MOTION_ANGLE || def->motion == FLX_MOTION_DISPLACEMENT;
    if ((moved && value) || (def->motion != FLX_MOTION_NONE && rate)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, block->loc,
                        "the motion of joint '%s' already says its initial coordinate and rate",
                        joint->full);
    }
    if (value) FLX_TRY(flx_build_open(&e, value, &def->start_value, &def->start_value_open));
    if (value && !d->displacement) flx_note_degrees(b, value, def->start_value);
    if (rate)
        FLX_TRY(flx_build_open(&e, rate, &def->start_rate_value, &def->start_rate_value_open));
    return flx_joint_coordinate(b, joint, joint->loc);
}

flx_status flx_joint_finish(flx_builder *b, flx_item *joint)
{
    FLX_TRY(flx_joint_place(b, joint, joint->loc));
    FLX_TRY(read_motion(b, joint));
    FLX_TRY(read_start(b, joint));
    FLX_TRY(flx_joint_friction(b, joint));
    return flx_joint_limits(b, joint);
}
