// force_values.c - values of forces as nodes.
//
// Pull is positive: along the line between two places value = k (l - l0) + d l', on a joint
// k (c - c0) + d c'.
#include "joint/joint.h"
#include "joint/scalar_graph.h"
#include "language/force_parts.h"
#include "language/scope/nums.h"
#include "model/nodes.h"

#include <string.h>

flx_status flx_force_length(flx_builder *b, flx_force_data *d)
{
    if (d->length >= 0) return FLX_OK;
    if (d->through) return flx_force_line_length(b, d);
    flx_scalar_nodes n = {0};
    for (int i = 0; i < 2; i++) flx_node_position(b, d->body[i], &d->at[i], n.place[i].c);
    d->length = flx_scalar_graph(b->g, FLX_SCALAR_LENGTH, &n);
    d->rate = flx_node_rate(b, d->length);
    return d->rate < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

// Numbers given in the axes of `frame` to ground axes; by default the axes of the space.
static flx_status to_ground(flx_env *e, const flx_item *force, const flx_force_data *d,
                            const flx_node v[3], flx_node out[3])
{
    flx_builder *b = e->b;
    const flx_entry *frame = flx_entry_get(force->def, "frame");
    const flx_item *item = NULL;
    flx_node axes[3][3], turned[3];
    FLX_TRY(flx_space_place(b, e->space));
    if (frame && frame->kind == FLX_ENTRY_SCALAR && strcmp(frame->text, "body") == 0) {
        item = d->body[1];
    } else if (frame) {
        flx_env constants;
        flx_nearest near; // the word 'body' is no name that the scope would suggest
        flx_env_of(&constants, b, force, FLX_MODE_CONSTANT);
        flx_nearest_start(&near, frame->kind == FLX_ENTRY_SCALAR ? frame->text : "");
        flx_nearest_offer(&near, "body");
        if (flx_nearest_best(&near) && !flx_names_find(&e->space->names, frame->text)) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, frame->loc,
                            "unknown name '%s'; did you mean 'body'?", frame->text);
        }
        FLX_TRY(flx_build_frame(&constants, frame, &item));
    }
    if (!item || item->kind == FLX_KIND_GROUND) {
        flx_num9_turn3(b->g, &e->space->R, v, out);
        return FLX_OK;
    }
    if (item == d->body[1] && flx_body_is_ancf_node(item)) { // of a line: turned in distributed.c
        memcpy(out, v, sizeof turned);
        return FLX_OK;
    }
    FLX_TRY(flx_item_axes(b, item, frame->loc, axes));
    for (int i = 0; i < 3; i++) {
        turned[i] = node_const(b->g, 0);
        for (int j = 0; j < 3; j++)
            turned[i] = node_add(b->g, turned[i], node_mul(b->g, axes[j][i], v[j]));
    }
    memcpy(out, turned, sizeof turned);
    return FLX_OK;
}

flx_status flx_force_vector(flx_env *e, const flx_item *force, flx_force_data *d,
                            const flx_entry *y, bool torque, flx_node out[3])
{
    flx_builder *b = e->b;
    const flx_entry *axis = flx_entry_get(force->def, "axis");
    flx_node v[3] = {node_const(b->g, 0), node_const(b->g, 0), node_const(b->g, 0)};
    flx_operand value;
    FLX_TRY(flx_build_value(e, y, &value));
    if (torque && b->m->dimension == 2) {
        FLX_TRY(flx_operand_to_number(e, &value, y->loc, &out[2]));
        FLX_TRY(flx_loads_scale(b, force, 1, &out[2]));
        out[0] = out[1] = v[0];
        d->number = true;
        d->scalar = out[2];
        return FLX_OK;
    }
    if (axis) {
        flx_num3 n;
        flx_env constants;
        flx_env_of(&constants, b, force, FLX_MODE_CONSTANT);
        FLX_TRY(flx_operand_to_number(e, &value, y->loc, &d->scalar));
        FLX_TRY(flx_loads_scale(b, force, 1, &d->scalar));
        FLX_TRY(flx_build_num3(&constants, axis, &n));
        flx_num size = flx_num3_norm(b->g, n);
        if (!(size.x > 0)) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, axis->loc, "an axis cannot be zero");
        }
        for (int i = 0; i < 3; i++) {
            flx_node part = node_const(b->g, n.x[i] / size.x);
            if (size.n)
                part = node_div(b->g, node_open(b->g, n.x[i], n.n[i]), flx_num_node(b->g, size));
            v[i] = node_mul(b->g, part, d->scalar);
        }
        d->number = true;
    } else {
        if (value.kind == FLX_OPERAND_NUMBER) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "a %s on a body is a vector%s",
                            torque ? "torque" : "force",
                            torque ? ", or a number with the key 'axis'" : "");
        }
        FLX_TRY(flx_operand_to_vector(e, &value, y->loc, v));
        FLX_TRY(flx_loads_scale(b, force, 3, v));
    }
    return to_ground(e, force, d, v, out);
}

// A value along the other coordinate of a joint that has two: as a wrench on its bodies.
static void wrench_on_joint(flx_builder *b, flx_force_data *d, flx_node value, bool torque)
{
    const flx_joint_data *j = d->joint->data;
    flx_node axis[3];
    flx_num3 a = flx_num9_col(j->frame[0], 2);
    flx_node_direction(b, j->body[0], &a, axis);
    d->def.kind = &flx_force_wrench;
    for (int i = 0; i < 2; i++) {
        d->body[i] = j->body[i];
        d->def.body[i] = j->def.body[i];
        memcpy(d->def.at[i], j->def.at[i], sizeof d->def.at[i]);
        memcpy(d->def.at_open[i], j->def.at_open[i], sizeof d->def.at_open[i]);
        d->at[i] = j->at[i];
    }
    for (int i = 0; i < 3; i++) {
        (torque ? d->def.torque : d->def.force)[i] = node_mul(b->g, value, axis[i]);
    }
}

static bool has_both(const flx_joint_data *j)
{
    return j->def.kind->angle && j->def.kind->displacement;
}

// Angle or displacement of a joint with its rate; *own: it is the joint's own coordinate.
static flx_status coordinate_of(flx_env *e, flx_force_data *d, bool displacement, flx_loc loc,
                                flx_node *c, flx_node *rate, bool *own)
{
    flx_joint_data *j = d->joint->data;
    flx_operand v;
    FLX_TRY(flx_joint_coordinate(e->b, d->joint, loc));
    *own = j->displacement == displacement;
    *c = j->def.coordinate;
    *rate = j->def.rate;
    if (*own) return FLX_OK;
    if (!has_both(j)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "joint '%s' has %s; use type '%s'",
                        d->joint->full, j->displacement ? "a displacement" : "an angle",
                        j->displacement ? "force" : "torque");
    }
    FLX_TRY(flx_joint_member(e, d->joint, displacement ? "displacement" : "angle", loc, &v));
    *c = v.node;
    *rate = flx_node_rate(e->b, v.node);
    return *rate < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

flx_node flx_force_pull(flx_graph *g, const flx_item *force, int component)
{
    return node_leaf(g, FLX_LEAF_PULL, force->number, component);
}

static flx_status value_on_joint(flx_env *e, flx_item *force, flx_force_data *d)
{
    const flx_joint_data *j = d->joint->data;
    const flx_entry *y = NULL;
    bool own = true, displacement = j->displacement;
    if (d->word->law != FLX_LAW_NUMBER) displacement = d->word->law == FLX_LAW_FORCE;
    flx_node c, rate;
    FLX_TRY(flx_build_need(e->b, force, "value", &y));
    FLX_TRY(coordinate_of(e, d, displacement, force->loc, &c, &rate, &own));
    FLX_TRY(flx_build_node(e, y, &d->scalar));
    FLX_TRY(flx_loads_scale(e->b, force, 1, &d->scalar));
    d->number = true;
    d->def.value = d->scalar;
    if (!own && d->def.mixed) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "along the %s of joint '%s' a force cannot be an unknown",
                        displacement ? "displacement" : "angle", d->joint->full);
    }
    if (!own) wrench_on_joint(e->b, d, d->scalar, !displacement);
    if (d->def.mixed) d->scalar = flx_force_pull(e->b->g, force, 0);
    return d->scalar < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

// The expression `force` of `x` and `v`.
static flx_status law_of(flx_env *e, const flx_item *force, flx_node x, flx_node v, flx_node *out)
{
    const flx_entry *y = flx_entry_get(force->def, "force");
    flx_env at;
    flx_env_of(&at, e->b, force, FLX_MODE_CONSTANT);
    flx_local rate = {"v", flx_operand_number(v), at.locals};
    flx_local way = {"x", flx_operand_number(x), &rate};
    at.locals = &way;
    return flx_build_node(&at, y, out);
}

// By a function: its value, and its part that is stored as a program of its own.
static flx_status value_of_law(flx_env *e, const flx_item *force, flx_force_data *d,
                               flx_node stretch, flx_node rate)
{
    flx_builder *b = e->b;
    flx_leaf leaf = flx_leaf_make(FLX_LEAF_TIME, 0, 0); // x stands where the time does
    flx_node elastic = -1;
    FLX_TRY(law_of(e, force, stretch, rate, &d->scalar));
    FLX_TRY(law_of(e, force, flx_graph_leaf(b->g, leaf), node_const(b->g, 0.0), &elastic));
    elastic = flx_open_fix(b, elastic, force->loc);
    if (d->scalar < 0 || elastic < 0) return FLX_ERR_MEMORY;
    d->def.value = d->scalar;
    if (d->def.length_open) { // where it is without stretch is a number of the program's user
        (void)flx_open_fix(b, node_open(b->g, d->def.length, d->def.length_open), force->loc);
    }
    if (d->def.elastic) return FLX_OK;
    FLX_TRY(flx_program_compile(b->g, 1, &leaf, 1, &elastic, &d->def.elastic));
    if (flx_program_scratch(d->def.elastic) <= FLX_ELASTIC_SCRATCH) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_CANNOT, force->loc,
                    "the force of '%s' is too long an expression", force->full);
}

// Pull of a spring along a line, or along a joint's coordinate.
static flx_status value_of_spring(flx_env *e, flx_item *force, flx_force_data *d)
{
    flx_graph *g = e->b->g;
    flx_node c, rate;
    bool own = true, displacement = false;
    if (d->joint) {
        displacement = flx_force_slides(force, d);
        const flx_entry *rest = flx_entry_get(force->def, displacement ? "displacement" : "angle");
        const flx_joint_data *j = d->joint->data;
        if (rest && displacement != j->displacement && !has_both(j)) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, rest->loc, "joint '%s' has no %s; give '%s'",
                            d->joint->full, displacement ? "displacement" : "angle",
                            displacement ? "angle" : "displacement");
        }
        FLX_TRY(coordinate_of(e, d, displacement, force->loc, &c, &rate, &own));
    } else {
        FLX_TRY(flx_force_length(e->b, d));
        c = d->length;
        rate = d->rate;
    }
    const flx_force *f = &d->def;
    flx_node stretch = node_sub(g, c, node_open(g, f->length, f->length_open));
    d->number = true;
    if (d->joint) d->rate = rate;
    d->def.other = !own;
    if (f->kind->along) return value_of_law(e, force, d, stretch, rate);
    flx_node stiffness = node_open(g, f->stiffness[0], f->stiffness_open[0]);
    flx_node damping = node_open(g, f->damping[0], f->damping_open[0]);
    d->scalar = f->mixed ? flx_force_pull(g, force, 0)
                         : node_add(g, node_mul(g, stiffness, stretch), node_mul(g, damping, rate));
    return d->scalar < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

static flx_status value_of_expression(flx_env *e, flx_item *force, flx_force_data *d)
{
    const flx_entry *f = flx_entry_get(force->def, "force");
    const flx_entry *t = flx_entry_get(force->def, "torque");
    if (f) FLX_TRY(flx_force_vector(e, force, d, f, false, d->def.force));
    if (t) FLX_TRY(flx_force_vector(e, force, d, t, true, d->def.torque));
    return FLX_OK;
}

static flx_status value_on_line(flx_env *e, flx_item *force, flx_force_data *d)
{
    const flx_entry *y = NULL;
    FLX_TRY(flx_build_need(e->b, force, "value", &y));
    FLX_TRY(flx_build_node(e, y, &d->scalar));
    FLX_TRY(flx_loads_scale(e->b, force, 1, &d->scalar));
    d->number = true;
    d->def.value = d->scalar;
    if (d->def.mixed) d->scalar = flx_force_pull(e->b->g, force, 0);
    return d->scalar < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

static flx_status value_force(flx_builder *b, flx_item *force)
{
    flx_force_data *d = force->data;
    const flx_entry *y = NULL;
    const flx_force_law law = d->word->law;
    flx_env e;
    flx_env_of(&e, b, force, FLX_MODE_MOVING);
    if (d->joint && law != FLX_LAW_ELASTIC) return value_on_joint(&e, force, d);
    switch (law) {
    case FLX_LAW_ELASTIC:
        return d->def.kind->line || d->joint ? value_of_spring(&e, force, d) : FLX_OK;
    case FLX_LAW_NUMBER:
        return value_on_line(&e, force, d);
    case FLX_LAW_TORQUE:
    case FLX_LAW_FORCE:
        FLX_TRY(flx_build_need(b, force, "value", &y));
        return flx_force_vector(&e, force, d, y, law == FLX_LAW_TORQUE,
                                law == FLX_LAW_TORQUE ? d->def.torque : d->def.force);
    case FLX_LAW_BOTH:
        return value_of_expression(&e, force, d);
    case FLX_LAW_LOAD: // on a beam a force on each of its nodes
        if (d->word->kind && !d->load) return flx_force_spread(&e, force, d);
        return flx_solid_load_value(&e, force, d);
    case FLX_LAW_CABLE:
        return flx_cable_value(&e, force, d);
    case FLX_LAW_MUSCLE:
        return flx_muscle_value(&e, force, d);
    case FLX_LAW_TYRE:
        return flx_tyre_value(&e, force, d);
    case FLX_LAW_CONTACT:
    case FLX_LAW_NOTHING:
        break;
    }
    return FLX_OK;
}

flx_status flx_force_value(flx_builder *b, flx_item *force, flx_loc loc)
{
    flx_force_data *d = force->data;
    bool skip = false;
    FLX_TRY(flx_force_place(b, force, loc));
    FLX_TRY(flx_item_enter(b, force, &d->valued, "forces", loc, &skip));
    if (skip) return FLX_OK;
    return flx_item_leave(b, &d->valued, value_force(b, force));
}

flx_status flx_force_finish(flx_builder *b, flx_item *force)
{
    flx_force_data *d = force->data;
    FLX_TRY(flx_force_place(b, force, force->loc));
    bool kernel = d->def.kind->parts || d->def.kind->attracts;
    if (kernel && d->joint) {
        kernel = flx_force_slides(force, d) == ((flx_joint_data *)d->joint->data)->displacement;
    }
    // The nodes of springs are needed only where a signal asks for them.
    return kernel ? FLX_OK : flx_force_value(b, force, force->loc);
}
