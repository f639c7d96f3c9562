// forces.c - forces: where they act, their values as nodes, their signals.
//
// Pull is positive: along the line between two places value = k (l - l0) + d l', on a joint
// k (c - c0) + d c', in a bushing K u + D u' with u = p2 - p1 in the axes of the first body.
#include "model/deformable.h"
#include "model/nodes.h"

#include <string.h>

enum {
    SPRING,
    TORQUE,
    FORCE,
    ACTUATOR,
    BUSHING,
    GRAVITATION,
    EXPRESSION,
    CONTACT,
    DISTRIBUTED,
    PRESSURE,
    TRACTION
};
static const char *const type_words[] = {"spring",      "torque",      "force",      "actuator",
                                         "bushing",     "gravitation", "expression", "contact",
                                         "distributed", "pressure",    "traction",   NULL};

static int type_of(const flx_force_data *d)
{
    int k = 0;
    while (strcmp(type_words[k], d->word) != 0) k++;
    return k;
}

// ---- where --------------------------------------------------------------------------------------

static flx_status read_on(flx_env *e, const flx_item *force, flx_force_data *d)
{
    flx_builder *b = e->b;
    const flx_yaml *on = NULL;
    flx_item *items[2];
    int n = 0;
    FLX_TRY(flx_build_need(b, force, "on", &on));
    FLX_TRY(flx_build_on(e, on, &n, items));
    if (items[0]->kind == FLX_KIND_JOINT) {
        if (n == 2) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, on->loc, "a force is on one joint, not on two");
        }
        d->joint = items[0];
        d->def.joint = items[0]->number;
        FLX_TRY(flx_joint_place(b, d->joint, on->loc));
        d->unavailable = !flx_joint_turns(b, d->joint);
        if (flx_joint_has_coordinate(d->joint) || d->unavailable) return FLX_OK;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, on->loc,
                        "joint '%s' has no coordinate along which a force could act",
                        d->joint->full);
    }
    d->body[0] = n == 2 ? items[0] : b->ground;
    d->body[1] = items[n - 1];
    if (n == 1 && d->body[1]->kind == FLX_KIND_GROUND) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, on->loc, "a force on the ground moves nothing");
    }
    for (int i = 0; i < 2; i++) {
        d->def.body[i] = d->body[i]->number;
        FLX_TRY(flx_body_ready(b, d->body[i], on->loc));
    }
    return FLX_OK;
}

// A torque turns, and a point does not; a node of a beam has a section that does.
static flx_status check_turns(flx_builder *b, const flx_item *force, flx_force_data *d)
{
    const flx_yaml *on = flx_yaml_get(force->def, "on");
    for (int i = 0; i < 2; i++) {
        if (flx_body_is_ancf_node(d->body[i])) {
            FLX_TRY(flx_beam_section(b, d->body[i], false, &d->body[i]));
            d->def.body[i] = d->body[i]->number;
        }
        if (d->body[i]->kind != FLX_KIND_BODY || flx_body_turns(d->body[i])) continue;
        bool two = on->kind == FLX_YAML_LIST && on->count == 2;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, two ? on->items[i]->loc : on->loc,
                        "a torque cannot act on '%s': a point has no rotation", d->body[i]->full);
    }
    return FLX_OK;
}

// A force in the axes of a node that is a point: it is on the section there.
static bool turns_with_node(const flx_item *force, const flx_force_data *d)
{
    const flx_yaml *frame = flx_yaml_get(force->def, "frame");
    return frame && frame->kind == FLX_YAML_SCALAR && strcmp(frame->text, "body") == 0 &&
           flx_body_is_ancf_node(d->body[1]);
}

// The places of `at`, and the bodies that they are on: nodes of elastic bodies stand for these.
static flx_status build_at(flx_env *e, const flx_yaml *at, flx_force_data *d, bool *pair)
{
    FLX_TRY(flx_build_at(e, at, d->body, d->def.at, pair));
    for (int i = 0; i < 2; i++) d->def.body[i] = d->body[i]->number;
    return FLX_OK;
}

// Two places: the line of a spring or actuator, or the two sides of a bushing.
static flx_status read_places(flx_env *e, const flx_item *force, flx_force_data *d, bool line)
{
    const flx_yaml *at = NULL;
    bool pair = false;
    FLX_TRY(flx_build_need(e->b, force, "at", &at));
    FLX_TRY(build_at(e, at, d, &pair));
    if (line && !pair) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, at->loc,
                        "force '%s' acts along the line between two places: 'at' needs both, one "
                        "on each body",
                        force->full);
    }
    return FLX_OK;
}

// Where a force vector acts: the centre of mass unless said otherwise.
static flx_status read_place(flx_env *e, const flx_item *force, flx_force_data *d)
{
    const flx_yaml *at = flx_yaml_get(force->def, "at");
    const flx_yaml *on = flx_yaml_get(force->def, "on");
    bool pair = false, two = on->kind == FLX_YAML_LIST && on->count == 2;
    if (at) {
        FLX_TRY(build_at(e, at, d, &pair));
        if (!pair || two) return FLX_OK;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, at->loc,
                        "force '%s' is on one body and acts at one place", force->full);
    }
    for (int i = 0; i < 2; i++) {
        if (d->body[i]->kind != FLX_KIND_BODY) continue;
        const flx_body_data *body = d->body[i]->data;
        if (flx_body_is_elastic(d->body[i]) || flx_body_is_beam(e->b, d->body[i]) ||
            flx_body_is_solid(e->b, d->body[i])) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, force->loc,
                            "force '%s' acts on an elastic body: say 'at' which node", force->full);
        }
        memcpy(d->def.at[i], ((const flx_point_data *)body->com->data)->at, sizeof d->def.at[i]);
    }
    return FLX_OK;
}

// ---- constants ----------------------------------------------------------------------------------

static double drawn_length(const flx_force_data *d)
{
    v3 p[2];
    for (int i = 0; i < 2; i++) {
        double position[3], R[9];
        flx_body_frame(d->body[i], position, R);
        p[i] = v3_add(v3_load(position), m33_mul_v(m33_load(R), v3_load(d->def.at[i])));
    }
    return v3_norm(v3_sub(p[1], p[0]));
}

// A number, or the word for the limit.
static bool is_infinite(const flx_yaml *y)
{
    return y->kind == FLX_YAML_SCALAR && strcmp(y->text, "infinite") == 0;
}

static flx_status read_coefficient(flx_env *e, const flx_yaml *y, double *out, flx_open *open)
{
    if (!is_infinite(y)) return flx_build_open(e, y, out, open);
    *out = HUGE_VAL;
    *open = 0;
    return FLX_OK;
}

static flx_status read_spring(flx_env *e, const flx_item *force, flx_force_data *d)
{
    static const char *const words[] = {"length", "angle", "displacement"};
    const flx_yaml *k = flx_yaml_get(force->def, "stiffness");
    const flx_yaml *c = flx_yaml_get(force->def, "damping");
    if (k) FLX_TRY(read_coefficient(e, k, &d->def.stiffness[0], &d->def.stiffness_open[0]));
    if (c) FLX_TRY(read_coefficient(e, c, &d->def.damping[0], &d->def.damping_open[0]));
    if (!d->joint) {
        d->def.type = FLX_FORCE_SPRING;
        FLX_TRY(read_places(e, force, d, true));
        d->def.length = drawn_length(d);
    } else {
        d->def.type = FLX_FORCE_JOINT_SPRING;
    }
    for (int i = 0; i < 3; i++) {
        const flx_yaml *y = flx_yaml_get(force->def, words[i]);
        if (!y) continue;
        FLX_TRY(flx_build_open(e, y, &d->def.length, &d->def.length_open));
        if (!d->joint && i > 0) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                            "a spring between two places has a length, not a %s", words[i]);
        }
        if (!d->joint && !(d->def.length >= 0)) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                            "the length of a spring cannot be negative");
        }
        return FLX_OK;
    }
    if (!d->joint && !(d->def.length > 0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, force->loc,
                        "the two places of spring '%s' are drawn at one point; give its 'length', "
                        "or use a bushing",
                        force->full);
    }
    return FLX_OK;
}

static flx_status read_coefficients(flx_env *e, const flx_yaml *y, int *n, double out[6],
                                    flx_open kept[6])
{
    int count = 0, dim = e->b->m->dimension;
    double *x = NULL, single[6];
    flx_open *open = NULL, single_open[6];
    bool words = is_infinite(y);
    for (int i = 0; y->kind == FLX_YAML_LIST && i < y->count; i++) {
        words = words || is_infinite(y->items[i]);
    }
    if (words) {
        x = single;
        open = single_open;
        count = y->kind == FLX_YAML_LIST ? y->count : 1;
        for (int i = 0; i < count && i < 6; i++) {
            FLX_TRY(read_coefficient(e, count > 1 ? y->items[i] : y, &x[i], &open[i]));
        }
    } else {
        FLX_TRY(flx_build_open_numbers(e, y, &count, &x, &open));
    }
    if (count == 1) { // the same in every direction
        for (int i = 0; i < dim; i++) out[i] = x[0], kept[i] = open[0];
        *n = dim;
        return FLX_OK;
    }
    if (count != dim && count != (dim == 2 ? 3 : 6)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "a bushing in a model of dimension %d takes %d numbers, or %d with "
                        "rotation, not %d",
                        dim, dim, dim == 2 ? 3 : 6, count);
    }
    memcpy(out, x, (size_t)count * sizeof *x);
    memcpy(kept, open, (size_t)count * sizeof *open);
    *n = count;
    return FLX_OK;
}

static flx_status read_bushing(flx_env *e, const flx_item *force, flx_force_data *d)
{
    flx_force *def = &d->def;
    const flx_yaml *k = NULL, *c = flx_yaml_get(force->def, "damping");
    int n = 0;
    def->type = FLX_FORCE_BUSHING;
    FLX_TRY(read_places(e, force, d, false));
    FLX_TRY(flx_build_need(e->b, force, "stiffness", &k));
    FLX_TRY(read_coefficients(e, k, &def->ncomponent, def->stiffness, def->stiffness_open));
    if (c) {
        FLX_TRY(read_coefficients(e, c, &n, def->damping, def->damping_open));
        if (n != def->ncomponent) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, c->loc,
                            "damping has %d numbers and stiffness %d", n, def->ncomponent);
        }
    }
    bool turns = def->ncomponent > e->b->m->dimension;
    for (int i = 0; i < 2; i++) {
        if (turns && flx_body_is_ancf_node(d->body[i])) {
            FLX_TRY(flx_beam_section(e->b, d->body[i], false, &d->body[i]));
            def->body[i] = d->body[i]->number;
        }
        if (turns && d->body[i]->kind == FLX_KIND_BODY && !flx_body_turns(d->body[i])) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, k->loc,
                            "body '%s' is a point and has no rotation", d->body[i]->full);
        }
    }
    // Axes of the first; those of the ground are the part's.
    double position[3], R[2][9];
    for (int i = 0; i < 2; i++) flx_body_frame(d->body[i], position, R[i]);
    FLX_TRY(flx_space_place(e->b, e->space));
    bool own = flx_body_turns(d->body[0]);
    m33 F = m33_load(own ? R[0] : e->space->R);
    for (int i = 0; i < 2; i++) m33_store(def->frame[i], m33_tmul(m33_load(R[i]), F));
    if (own) m33_store(def->frame[0], m33_identity());
    return FLX_OK;
}

// Whether a spring on a joint is about its displacement.
static bool spring_slides(const flx_item *force, const flx_force_data *d)
{
    if (flx_yaml_get(force->def, "angle")) return false;
    if (flx_yaml_get(force->def, "displacement")) return true;
    return ((const flx_joint_data *)d->joint->data)->displacement;
}

// A line spring without length has no direction where it vanishes, and stays plain by itself; so does
// what an expression gives, whose slopes only a motion would tell.
static flx_status read_form(flx_env *e, const flx_item *force, flx_force_data *d)
{
    const bool elastic = type_of(d) == SPRING || type_of(d) == BUSHING;
    enum { PLAIN, MIXED, AUTO };
    static const char *const words[] = {"plain", "mixed", "auto", NULL};
    const flx_yaml *form = flx_yaml_get(force->def, "form");
    bool line = d->def.type == FLX_FORCE_SPRING;
    int k = AUTO;
    if (form) FLX_TRY(flx_build_word(e->b, form, "form", words, &k));
    bool limit = false;
    for (int i = 0; i < 6; i++) {
        limit = limit || isinf(d->def.stiffness[i]) || isinf(d->def.damping[i]);
    }
    if (limit && k == PLAIN) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, form->loc,
                        "what is infinite cannot be computed from positions and velocities; give "
                        "'form: mixed'");
    }
    d->def.mixed = k == MIXED || limit;
    if (k == AUTO && !limit && elastic && !(line && d->def.length == 0.0)) {
        bool slides = d->joint && spring_slides(force, d);
        d->def.mixed = flx_force_is_stiff(e->b, d, slides);
    }
    if (d->def.mixed && d->def.type == FLX_FORCE_WRENCH) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, form->loc,
                        "only a force along a line or on a joint can be an unknown");
    }
    if (!line || d->def.length > 0.0 || !d->def.mixed) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, form ? form->loc : force->loc,
                    "spring '%s' has no direction where its length is zero, so its force cannot be "
                    "an unknown; use a bushing",
                    force->full);
}

static flx_status place_force(flx_builder *b, flx_item *force)
{
    flx_force_data *d = force->data;
    const flx_yaml *type = NULL, *y = NULL;
    flx_env e;
    int word = 0;
    flx_env_of(&e, b, force, FLX_MODE_CONSTANT);
    d->def = (flx_force){.name = force->full,
                         .loc = force->loc,
                         .body = {FLX_GROUND, FLX_GROUND},
                         .joint = -1,
                         .value = -1,
                         .force = {-1, -1, -1},
                         .torque = {-1, -1, -1}};
    d->scalar = d->length = d->rate = -1;
    FLX_TRY(flx_build_need(b, force, "type", &type));
    FLX_TRY(flx_build_word(b, type, "type of force", type_words, &word));
    d->word = type_words[word];
    if (word == GRAVITATION) {
        d->def.type = FLX_FORCE_GRAVITATION;
        FLX_TRY(flx_build_need(b, force, "G", &y));
        return flx_build_open(&e, y, &d->def.G, &d->def.G_open);
    }
    FLX_TRY(read_on(&e, force, d));
    if (d->joint && word != SPRING && word != TORQUE && word != FORCE && word != ACTUATOR) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, type->loc,
                        "a force of type '%s' is on bodies, not on a joint", d->word);
    }
    d->def.type = d->joint ? FLX_FORCE_JOINT : FLX_FORCE_WRENCH;
    switch (word) {
    case SPRING:
        FLX_TRY(read_spring(&e, force, d));
        return read_form(&e, force, d);
    case ACTUATOR:
        if (!d->joint) {
            d->def.type = FLX_FORCE_ACTUATOR;
            FLX_TRY(read_places(&e, force, d, true));
        }
        return read_form(&e, force, d);
    case BUSHING:
        FLX_TRY(read_bushing(&e, force, d));
        return read_form(&e, force, d);
    case TORQUE:
        FLX_TRY(read_form(&e, force, d));
        return d->joint ? FLX_OK : check_turns(b, force, d);
    case EXPRESSION:
        FLX_TRY(read_place(&e, force, d));
        if (flx_yaml_get(force->def, "torque") || turns_with_node(force, d)) {
            return check_turns(b, force, d);
        }
        return FLX_OK;
    case FORCE:
        FLX_TRY(read_form(&e, force, d));
        if (d->joint) return FLX_OK;
        FLX_TRY(read_place(&e, force, d));
        return turns_with_node(force, d) ? check_turns(b, force, d) : FLX_OK;
    case CONTACT:
        d->unavailable = true;
        return FLX_OK;
    case DISTRIBUTED:
    case PRESSURE:
    case TRACTION:
        d->unavailable = b->m->nunavailable > 0;
        if ((word == DISTRIBUTED && flx_body_is_beam(b, d->body[1])) || d->unavailable)
            return FLX_OK;
        return flx_solid_load_place(&e, force, d);
    default:
        return FLX_OK;
    }
}

flx_status flx_force_place(flx_builder *b, flx_item *force, flx_loc loc)
{
    flx_force_data *d = force->data;
    bool skip = false;
    FLX_TRY(flx_item_enter(b, force, &d->placed, "forces", loc, &skip));
    if (skip) return FLX_OK;
    return flx_item_leave(b, &d->placed, place_force(b, force));
}

// ---- values -------------------------------------------------------------------------------------

// p2 - p1
static void way(flx_builder *b, const flx_force_data *d, flx_node out[3])
{
    flx_node p1[3], p2[3];
    flx_node_position(b, d->body[0], d->def.at[0], p1);
    flx_node_position(b, d->body[1], d->def.at[1], p2);
    node_sub3(b->g, p2, p1, out);
}

static flx_status make_length(flx_builder *b, flx_force_data *d)
{
    if (d->length >= 0) return FLX_OK;
    flx_node p[3];
    way(b, d, p);
    d->length = node_norm(b->g, p);
    d->rate = flx_node_rate(b, d->length);
    return d->rate < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

// Numbers given in the axes of `frame` to ground axes; by default the axes of the space.
static flx_status to_ground(flx_env *e, const flx_item *force, const flx_force_data *d,
                            const flx_node v[3], flx_node out[3])
{
    flx_builder *b = e->b;
    const flx_yaml *frame = flx_yaml_get(force->def, "frame");
    const flx_item *item = NULL;
    flx_item *body = NULL;
    double at[3], R[9];
    FLX_TRY(flx_space_place(b, e->space));
    if (frame && frame->kind == FLX_YAML_SCALAR && strcmp(frame->text, "body") == 0) {
        item = d->body[1];
    } else if (frame) {
        flx_env constants;
        flx_nearest near; // the word 'body' is no name that the scope would suggest
        flx_env_of(&constants, b, force, FLX_MODE_CONSTANT);
        flx_nearest_start(&near, frame->kind == FLX_YAML_SCALAR ? frame->text : "");
        flx_nearest_offer(&near, "body");
        if (flx_nearest_best(&near) && !flx_names_find(&e->space->names, frame->text)) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, frame->loc,
                            "unknown name '%s'; did you mean 'body'?", frame->text);
        }
        FLX_TRY(flx_build_frame(&constants, frame, &item));
    }
    if (!item || item->kind == FLX_KIND_GROUND) {
        node_turn3(b->g, e->space->R, v, out);
        return FLX_OK;
    }
    FLX_TRY(flx_item_frame(b, item, frame->loc, &body, at, R));
    FLX_TRY(flx_body_ready(b, body, frame->loc));
    flx_node_turn(b, body, R, v, out);
    return FLX_OK;
}

flx_status flx_force_vector(flx_env *e, const flx_item *force, flx_force_data *d, const flx_yaml *y,
                            bool torque, flx_node out[3])
{
    flx_builder *b = e->b;
    const flx_yaml *axis = flx_yaml_get(force->def, "axis");
    flx_node v[3] = {node_const(b->g, 0), node_const(b->g, 0), node_const(b->g, 0)};
    flx_value value;
    FLX_TRY(flx_build_value(e, y, &value));
    if (torque && b->m->dimension == 2) {
        FLX_TRY(flx_value_to_number(e, &value, y->loc, &out[2]));
        FLX_TRY(flx_loads_scale(b, force, 1, &out[2]));
        out[0] = out[1] = v[0];
        d->number = true;
        d->scalar = out[2];
        return FLX_OK;
    }
    if (axis) {
        double n[3];
        flx_env constants;
        flx_env_of(&constants, b, force, FLX_MODE_CONSTANT);
        FLX_TRY(flx_value_to_number(e, &value, y->loc, &d->scalar));
        FLX_TRY(flx_loads_scale(b, force, 1, &d->scalar));
        FLX_TRY(flx_build_vector(&constants, axis, n));
        double size = v3_norm(v3_load(n));
        if (!(size > 0)) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, axis->loc, "an axis cannot be zero");
        }
        for (int i = 0; i < 3; i++) v[i] = node_scale(b->g, n[i] / size, d->scalar);
        d->number = true;
    } else {
        if (value.kind == FLX_VALUE_NUMBER) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "a %s on a body is a vector%s",
                            torque ? "torque" : "force",
                            torque ? ", or a number with the key 'axis'" : "");
        }
        FLX_TRY(flx_value_to_vector(e, &value, y->loc, v));
        FLX_TRY(flx_loads_scale(b, force, 3, v));
    }
    return to_ground(e, force, d, v, out);
}

// A value along the other coordinate of a cylindrical or screw joint: as a wrench on its bodies.
static void wrench_on_joint(flx_builder *b, flx_force_data *d, flx_node value, bool torque)
{
    const flx_joint_data *j = d->joint->data;
    flx_node axis[3];
    const double a[3] = {j->def.frame[0][2], j->def.frame[0][5], j->def.frame[0][8]};
    flx_node_direction(b, j->body[0], a, axis);
    d->def.type = FLX_FORCE_WRENCH;
    for (int i = 0; i < 2; i++) {
        d->body[i] = j->body[i];
        d->def.body[i] = j->def.body[i];
        memcpy(d->def.at[i], j->def.at[i], sizeof d->def.at[i]);
    }
    for (int i = 0; i < 3; i++) {
        (torque ? d->def.torque : d->def.force)[i] = node_mul(b->g, value, axis[i]);
    }
}

static bool has_both(const flx_joint_data *j)
{
    return j->def.type == FLX_JOINT_CYLINDRICAL || j->def.type == FLX_JOINT_SCREW;
}

// Angle or displacement of a joint with its rate; *own: it is the joint's own coordinate.
static flx_status coordinate_of(flx_env *e, flx_force_data *d, bool displacement, flx_loc loc,
                                flx_node *c, flx_node *rate, bool *own)
{
    flx_joint_data *j = d->joint->data;
    flx_value v;
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

// The force itself, where it is an unknown.
static flx_node pull_node(flx_graph *g, const flx_item *force, int component)
{
    return node_leaf(g, FLX_LEAF_PULL, force->number, component);
}

static flx_status value_on_joint(flx_env *e, flx_item *force, flx_force_data *d)
{
    const flx_joint_data *j = d->joint->data;
    const flx_yaml *y = NULL;
    int type = type_of(d);
    bool own = true, displacement = type == ACTUATOR ? j->displacement : type == FORCE;
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
    if (d->def.mixed) d->scalar = pull_node(e->b->g, force, 0);
    return d->scalar < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

// Pull of a spring along a line, or along a joint's coordinate.
static flx_status value_of_spring(flx_env *e, flx_item *force, flx_force_data *d)
{
    flx_graph *g = e->b->g;
    flx_node c, rate;
    bool own = true, displacement = false;
    if (d->joint) {
        displacement = spring_slides(force, d);
        const flx_yaml *rest = flx_yaml_get(force->def, displacement ? "displacement" : "angle");
        const flx_joint_data *j = d->joint->data;
        if (rest && displacement != j->displacement && !has_both(j)) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, rest->loc, "joint '%s' has no %s; give '%s'",
                            d->joint->full, displacement ? "displacement" : "angle",
                            displacement ? "angle" : "displacement");
        }
        FLX_TRY(coordinate_of(e, d, displacement, force->loc, &c, &rate, &own));
    } else {
        FLX_TRY(make_length(e->b, d));
        c = d->length;
        rate = d->rate;
    }
    const flx_force *f = &d->def;
    flx_node stretch = node_sub(g, c, node_open(g, f->length, f->length_open));
    flx_node stiffness = node_open(g, f->stiffness[0], f->stiffness_open[0]);
    flx_node damping = node_open(g, f->damping[0], f->damping_open[0]);
    d->scalar = f->mixed ? pull_node(g, force, 0)
                         : node_add(g, node_mul(g, stiffness, stretch), node_mul(g, damping, rate));
    d->number = true;
    if (d->joint) d->rate = rate;
    d->def.other = !own;
    return d->scalar < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

static flx_status value_of_expression(flx_env *e, flx_item *force, flx_force_data *d)
{
    const flx_yaml *f = flx_yaml_get(force->def, "force");
    const flx_yaml *t = flx_yaml_get(force->def, "torque");
    if (f) FLX_TRY(flx_force_vector(e, force, d, f, false, d->def.force));
    if (t) FLX_TRY(flx_force_vector(e, force, d, t, true, d->def.torque));
    return FLX_OK;
}

static flx_status value_force(flx_builder *b, flx_item *force)
{
    flx_force_data *d = force->data;
    const flx_yaml *y = NULL;
    flx_env e;
    int type = type_of(d);
    flx_env_of(&e, b, force, FLX_MODE_MOVING);
    if (type == SPRING) return value_of_spring(&e, force, d);
    if (d->joint) return value_on_joint(&e, force, d);
    switch (type) {
    case TORQUE:
    case FORCE:
        FLX_TRY(flx_build_need(b, force, "value", &y));
        return flx_force_vector(&e, force, d, y, type == TORQUE,
                                type == TORQUE ? d->def.torque : d->def.force);
    case ACTUATOR:
        FLX_TRY(flx_build_need(b, force, "value", &y));
        FLX_TRY(flx_build_node(&e, y, &d->scalar));
        FLX_TRY(flx_loads_scale(b, force, 1, &d->scalar));
        d->number = true;
        d->def.value = d->scalar;
        if (d->def.mixed) d->scalar = pull_node(b->g, force, 0);
        return d->scalar < 0 ? FLX_ERR_MEMORY : FLX_OK;
    case EXPRESSION:
        return value_of_expression(&e, force, d);
    case DISTRIBUTED:
        return d->load ? flx_solid_load_value(&e, force, d) : flx_force_spread(&e, force, d);
    case PRESSURE:
    case TRACTION:
        return flx_solid_load_value(&e, force, d);
    default:
        return FLX_OK;
    }
}

static flx_status find_value(flx_builder *b, flx_item *force, flx_loc loc)
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
    bool kernel = d->def.type == FLX_FORCE_BUSHING || d->def.type == FLX_FORCE_GRAVITATION ||
                  d->def.type == FLX_FORCE_SPRING;
    if (d->def.type == FLX_FORCE_JOINT_SPRING) {
        kernel = spring_slides(force, d) == ((flx_joint_data *)d->joint->data)->displacement;
    }
    // The nodes of springs are needed only where a signal asks for them.
    return kernel ? FLX_OK : find_value(b, force, force->loc);
}

// ---- signals ------------------------------------------------------------------------------------

// Force (or moment) of a bushing in the first's axes, K u + D u', and u'.
static void bushing_local(flx_builder *b, const flx_item *force, bool moment, flx_node v[3],
                          flx_node rate[3])
{
    flx_graph *g = b->g;
    const flx_force_data *d = force->data;
    const flx_force *def = &d->def;
    flx_node F[2][3][3], u[3], p[3];
    for (int k = 0; k < 2; k++) {
        for (int j = 0; j < 3; j++) {
            const double c[3] = {def->frame[k][j], def->frame[k][3 + j], def->frame[k][6 + j]};
            flx_node_direction(b, d->body[k], c, F[k][j]);
        }
    }
    if (!moment) {
        way(b, d, p);
        for (int i = 0; i < 3; i++) u[i] = node_dot(g, F[0][i], p);
    } else if (b->m->dimension == 2) {
        u[0] = u[1] = node_const(g, 0);
        u[2] = flx_node_planar_angle(b, d->body[0], d->body[1]);
    } else {
        flx_node Q[9];
        for (int i = 0; i < 9; i++) Q[i] = node_dot(g, F[0][i / 3], F[1][i % 3]);
        flx_node_rotation_vector(g, Q, u);
    }
    for (int i = 0; i < 3; i++) {
        int c = !moment ? i : b->m->dimension == 2 ? 2 : 3 + i;
        bool there = c < def->ncomponent && !(moment && b->m->dimension == 2 && i < 2);
        v[i] = rate[i] = node_const(g, 0);
        if (!there) continue;
        rate[i] = flx_node_rate(b, u[i]);
        flx_node stiffness = node_open(g, def->stiffness[c], def->stiffness_open[c]);
        flx_node damping = node_open(g, def->damping[c], def->damping_open[c]);
        v[i] = def->mixed
                   ? pull_node(g, force, c)
                   : node_add(g, node_mul(g, stiffness, u[i]), node_mul(g, damping, rate[i]));
    }
}

static void bushing_effort(flx_builder *b, const flx_item *force, bool moment, flx_node out[3])
{
    const flx_force_data *d = force->data;
    flx_node v[3], rate[3];
    bushing_local(b, force, moment, v, rate);
    flx_node_turn(b, d->body[0], d->def.frame[0], v, out);
}

static flx_status bushing_member(flx_env *e, flx_item *force, const char *name, flx_loc loc,
                                 flx_value *out)
{
    static const char *const words[] = {"value", "moment", "displacement", "length", "power", NULL};
    flx_force_data *d = force->data;
    flx_builder *b = e->b;
    flx_graph *g = b->g;
    flx_node p[3], v[3];
    if (strcmp(name, "value") == 0) {
        bushing_effort(b, force, false, v);
        return flx_env_vector(e, v, out);
    }
    if (strcmp(name, "moment") == 0) {
        bushing_effort(b, force, true, v);
        return b->m->dimension == 2 ? flx_value_set_node(v[2], out) : flx_env_vector(e, v, out);
    }
    if (strcmp(name, "displacement") == 0) {
        way(b, d, p);
        return flx_env_vector(e, p, out);
    }
    if (strcmp(name, "length") == 0) {
        FLX_TRY(make_length(b, d));
        return flx_value_set_node(d->length, out);
    }
    if (strcmp(name, "power") == 0) {
        flx_node sum = node_const(g, 0), rate[3];
        for (int moment = 0; moment < 2; moment++) {
            bushing_local(b, force, moment, v, rate);
            sum = node_sub(g, sum, node_dot(g, v, rate));
        }
        return flx_value_set_node(sum, out);
    }
    return flx_member_unknown(e, force->full, name, loc, words, NULL);
}

// Power given to the bodies.
static flx_status power_member(flx_env *e, flx_force_data *d, flx_value *out)
{
    flx_builder *b = e->b;
    flx_graph *g = b->g;
    flx_node sum = node_const(g, 0);
    switch (d->def.type) {
    case FLX_FORCE_SPRING:
    case FLX_FORCE_ACTUATOR:
        FLX_TRY(make_length(b, d));
        return flx_value_set_node(node_neg(g, node_mul(g, d->scalar, d->rate)), out);
    case FLX_FORCE_JOINT_SPRING:
        return flx_value_set_node(node_neg(g, node_mul(g, d->scalar, d->rate)), out);
    case FLX_FORCE_JOINT:
        return flx_value_set_node(
            node_mul(g, d->scalar, ((flx_joint_data *)d->joint->data)->def.rate), out);
    default:
        break;
    }
    if (d->nspread > 0) return flx_value_set_node(flx_force_spread_power(b, d), out);
    for (int i = 0; i < 2; i++) {
        flx_node v[3], w[3], p = node_const(g, 0);
        flx_node_velocity(b, d->body[i], d->def.at[i], v);
        flx_node_spin(b, d->body[i], w);
        if (d->def.force[0] >= 0) p = node_add(g, p, node_dot(g, d->def.force, v));
        if (d->def.torque[0] >= 0) p = node_add(g, p, node_dot(g, d->def.torque, w));
        sum = i == 1 ? node_add(g, sum, p) : node_sub(g, sum, p);
    }
    return flx_value_set_node(sum, out);
}

static flx_status value_member(flx_env *e, flx_force_data *d, flx_value *out)
{
    if (d->number) return flx_value_set_node(d->scalar, out);
    return flx_env_vector(e, d->def.force[0] >= 0 ? d->def.force : d->def.torque, out);
}

static flx_status unavailable_member(flx_env *e, const flx_item *force, const char *name,
                                     flx_loc loc, flx_value *out)
{
    static const char *const words[] = {"value", "penetration", "impulse", "power", NULL};
    const char *const *w = words;
    while (*w && strcmp(*w, name) != 0) w++;
    if (!*w) return flx_member_unknown(e, force->full, name, loc, words, NULL);
    bool vector = strcmp(name, "value") == 0 || strcmp(name, "impulse") == 0;
    return flx_env_stand_in(e, vector ? e->b->m->dimension : 1, out);
}

flx_status flx_force_member(flx_env *e, flx_item *force, const char *name, flx_loc loc,
                            flx_value *out)
{
    static const char *const line[] = {"value", "length", "power", NULL};
    static const char *const other[] = {"value", "power", NULL};
    flx_force_data *d = force->data;
    flx_builder *b = e->b;
    FLX_TRY(flx_env_require(e, FLX_MODE_MOVING, force->full, name, loc));
    FLX_TRY(flx_force_place(b, force, loc));
    if (d->unavailable) return unavailable_member(e, force, name, loc, out);
    if (d->def.type == FLX_FORCE_BUSHING) return bushing_member(e, force, name, loc, out);
    if (d->load && strcmp(name, "value") != 0) {
        return flx_solid_load_member(e, force, name, loc, out);
    }
    bool has_line = d->def.type == FLX_FORCE_SPRING || d->def.type == FLX_FORCE_ACTUATOR;
    if (has_line && strcmp(name, "length") == 0) {
        FLX_TRY(make_length(b, d));
        return flx_value_set_node(d->length, out);
    }
    bool value = strcmp(name, "value") == 0, power = strcmp(name, "power") == 0;
    if (d->def.type == FLX_FORCE_GRAVITATION || (!value && !power)) {
        return flx_member_unknown(e, force->full, name, loc, has_line ? line : other, NULL);
    }
    FLX_TRY(find_value(b, force, loc));
    return value ? value_member(e, d, out) : power_member(e, d, out);
}
