// block_forces.c - forces as they are read: where they act, and the constants of springs and bushings.
// Their values: force_values.c; their signals: force_signals.c.
#include "language/contact/contact_parts.h"
#include "language/scope/nums.h"

#include <string.h>

// ---- where ------------------------------------------------------------------------------------

static flx_status read_on(flx_env *e, const flx_item *force, flx_force_data *d)
{
    flx_builder *b = e->b;
    const flx_entry *on = NULL;
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
    const flx_entry *on = flx_entry_get(force->def, "on");
    for (int i = 0; i < 2; i++) {
        if (flx_body_is_ancf_node(d->body[i])) {
            FLX_TRY(flx_beam_section(b, d->body[i], false, &d->body[i]));
            d->def.body[i] = d->body[i]->number;
        }
        if (d->body[i]->kind != FLX_KIND_BODY || flx_body_turns(d->body[i])) continue;
        bool two = on->kind == FLX_ENTRY_LIST && on->count == 2;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, two ? on->items[i]->loc : on->loc,
                        "a torque cannot act on '%s': a point has no rotation", d->body[i]->full);
    }
    return FLX_OK;
}

// A force in the axes of a node that is a point: it is on the section there.
static bool turns_with_node(const flx_item *force, const flx_force_data *d)
{
    const flx_entry *frame = flx_entry_get(force->def, "frame");
    return frame && frame->kind == FLX_ENTRY_SCALAR && strcmp(frame->text, "body") == 0 &&
           flx_body_is_ancf_node(d->body[1]);
}

// The places of `at`, and the bodies that they are on: nodes of flexible bodies stand for these.
static flx_status build_at(flx_env *e, const flx_entry *at, flx_force_data *d, bool *pair)
{
    FLX_TRY(flx_build_at(e, at, d->body, d->at, pair));
    for (int i = 0; i < 2; i++) {
        d->def.body[i] = d->body[i]->number;
        FLX_TRY(flx_num3_store(&d->at[i], d->def.at[i], d->def.at_open[i]));
    }
    return FLX_OK;
}

// Two places: the line of a spring or actuator, or the two sides of a bushing.
static flx_status read_places(flx_env *e, const flx_item *force, flx_force_data *d, bool line)
{
    const flx_entry *at = NULL;
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
    const flx_entry *at = flx_entry_get(force->def, "at");
    const flx_entry *on = flx_entry_get(force->def, "on");
    bool pair = false, two = on->kind == FLX_ENTRY_LIST && on->count == 2;
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
                            "force '%s' acts on a flexible body: say 'at' which node", force->full);
        }
        d->at[i] = ((const flx_point_data *)body->com->data)->at;
        FLX_TRY(flx_num3_store(&d->at[i], d->def.at[i], d->def.at_open[i]));
    }
    return FLX_OK;
}

// The node of a deformable body that a torque is on; others it turns wherever it acts.
static flx_status read_node(flx_env *e, const flx_item *force, flx_force_data *d)
{
    if (flx_entry_get(force->def, "at")) return read_place(e, force, d);
    for (int i = 0; i < 2; i++) {
        if (!flx_body_is_beam(e->b, d->body[i]) && !flx_body_is_solid(e->b, d->body[i])) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, force->loc,
                        "torque '%s' acts on '%s', which bends: say 'at' which node", force->full,
                        d->body[i]->full);
    }
    return FLX_OK;
}

// ---- constants --------------------------------------------------------------------------------

static flx_num drawn_length(flx_builder *b, const flx_force_data *d)
{
    flx_num3 p[2];
    for (int i = 0; i < 2; i++) {
        flx_num3 position;
        flx_num9 R;
        flx_body_frame(d->body[i], &position, &R);
        p[i] = flx_num3_add(b->g, position, flx_num9_mul_v(b->g, R, d->at[i]));
    }
    return flx_num3_norm(b->g, flx_num3_sub(b->g, p[1], p[0]));
}

// A number, or the word for the limit.
static bool is_infinite(const flx_entry *y)
{
    return y->kind == FLX_ENTRY_SCALAR && strcmp(y->text, "infinite") == 0;
}

static flx_status read_coefficient(flx_env *e, const flx_entry *y, double *out, flx_open *open)
{
    if (!is_infinite(y)) return flx_build_open(e, y, out, open);
    *out = HUGE_VAL;
    *open = 0;
    return FLX_OK;
}

static flx_status read_spring(flx_env *e, const flx_item *force, flx_force_data *d)
{
    static const char *const words[] = {"length", "angle", "displacement"};
    const flx_entry *k = flx_entry_get(force->def, "stiffness");
    const flx_entry *c = flx_entry_get(force->def, "damping");
    const flx_entry *law = flx_entry_get(force->def, "force"),
                    *form = flx_entry_get(force->def, "form");
    if (law) d->def.kind = d->joint ? &flx_force_joint_spring_law : &flx_force_spring_law;
    if (law && (k || c || form)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL,
                        (k   ? k
                         : c ? c
                             : form)
                            ->loc,
                        "'%s' says by 'force' how it pulls: leave out '%s'", force->full,
                        k   ? "stiffness"
                        : c ? "damping"
                            : "form");
    }
    if (k) FLX_TRY(read_coefficient(e, k, &d->def.stiffness[0], &d->def.stiffness_open[0]));
    if (c) FLX_TRY(read_coefficient(e, c, &d->def.damping[0], &d->def.damping_open[0]));
    if (!d->joint) {
        FLX_TRY(read_places(e, force, d, true));
        FLX_TRY(flx_num_store(drawn_length(e->b, d), &d->def.length, &d->def.length_open));
    }
    d->def.ncomponent = 1;
    for (int i = 0; i < 3; i++) {
        const flx_entry *y = flx_entry_get(force->def, words[i]);
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
                        "the two places of spring '%s' coincide in the initial configuration; give "
                        "its 'length', "
                        "or use a bushing",
                        force->full);
    }
    return FLX_OK;
}

static flx_status read_coefficients(flx_env *e, const flx_entry *y, int *n, double out[6],
                                    flx_open kept[6])
{
    int count = 0, dim = e->b->m->dimension;
    double *x = NULL, single[6];
    flx_open *open = NULL, single_open[6];
    bool words = is_infinite(y);
    for (int i = 0; y->kind == FLX_ENTRY_LIST && i < y->count; i++) {
        words = words || is_infinite(y->items[i]);
    }
    if (words) {
        x = single;
        open = single_open;
        count = y->kind == FLX_ENTRY_LIST ? y->count : 1;
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
    const flx_entry *k = NULL, *c = flx_entry_get(force->def, "damping");
    int n = 0;
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
    flx_num3 position;
    flx_num9 R[2];
    for (int i = 0; i < 2; i++) flx_body_frame(d->body[i], &position, &R[i]);
    FLX_TRY(flx_space_place(e->b, e->space));
    bool own = flx_body_turns(d->body[0]);
    flx_num9 F = own ? R[0] : e->space->R;
    for (int i = 0; i < 2; i++) {
        flx_num9 frame = own && i == 0 ? flx_num9_identity() : flx_num9_tmul(e->b->g, R[i], F);
        FLX_TRY(flx_num9_store(&frame, def->frame[i], def->frame_open[i]));
    }
    return FLX_OK;
}

bool flx_force_slides(const flx_item *force, const flx_force_data *d)
{
    if (flx_entry_get(force->def, "angle")) return false;
    if (flx_entry_get(force->def, "displacement")) return true;
    return ((const flx_joint_data *)d->joint->data)->displacement;
}

// A line spring without length has no direction where it vanishes, and stays plain by itself; so does
// what an expression gives, whose slopes only a motion would tell.
static flx_status read_form(flx_env *e, const flx_item *force, flx_force_data *d)
{
    const bool elastic = d->word->law == FLX_LAW_ELASTIC;
    enum { PLAIN, MIXED, AUTO };
    static const char *const words[] = {"plain", "mixed", "auto", NULL};
    const flx_entry *form = flx_entry_get(force->def, "form");
    bool line = elastic && d->def.kind->line;
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
    if (k == AUTO && !limit && elastic && d->def.kind->parts && !(line && d->def.length == 0.0)) {
        bool slides = d->joint && flx_force_slides(force, d);
        d->def.mixed = flx_force_is_stiff(e->b, d, slides);
    }
    if (d->def.mixed && !d->def.kind->mixed) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, form->loc,
                        "only a force along a line or on a joint can be an unknown");
    }
    if (!line || d->def.length > 0.0 || !d->def.mixed) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, form ? form->loc : force->loc,
                    "spring '%s' has no direction where its length is zero, so its force cannot be "
                    "an unknown; use a bushing",
                    force->full);
}

static flx_status read_word(flx_builder *b, const flx_entry *type, flx_force_data *d)
{
    const char *words[FLX_MOST_FORCE_WORDS];
    int k = 0;
    flx_force_list_words(words);
    FLX_TRY(flx_build_word(b, type, "type of force", words, &k));
    d->word = flx_force_get_word(k);
    d->def.kind = d->word->kind ? d->word->kind : d->word->on_solid;
    return FLX_OK;
}

static flx_status read_target(flx_env *e, const flx_item *force, const flx_entry *type,
                              flx_force_data *d)
{
    FLX_TRY(read_on(e, force, d));
    if (!d->joint) return FLX_OK;
    d->def.kind = d->word->on_joint;
    if (d->def.kind) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, type->loc,
                    "a force of type '%s' is on bodies, not on a joint", d->word->row.word);
}

// A beam takes its load node by node, when the value is known.
static flx_status read_load(flx_env *e, flx_item *force, flx_force_data *d)
{
    d->unavailable = e->b->m->nunavailable > 0;
    if ((d->word->kind && flx_body_is_beam(e->b, d->body[1])) || d->unavailable) return FLX_OK;
    return flx_solid_load_place(e, force, d);
}

static flx_status read_vector_place(flx_env *e, const flx_item *force, flx_force_data *d)
{
    FLX_TRY(d->word->at == FLX_AT_NODE ? read_node(e, force, d) : read_place(e, force, d));
    bool turns = d->word->at == FLX_AT_NODE ||
                 (d->word->law == FLX_LAW_BOTH && flx_entry_get(force->def, "torque"));
    return turns || turns_with_node(force, d) ? check_turns(e->b, force, d) : FLX_OK;
}

// Where it acts, and its numbers.
static flx_status read_numbers(flx_env *e, flx_item *force, flx_force_data *d)
{
    if (d->word->law == FLX_LAW_ELASTIC && d->word->at == FLX_AT_LINE) {
        return read_spring(e, force, d);
    }
    switch (d->word->at) {
    case FLX_AT_LINE:
        return d->joint ? FLX_OK : read_places(e, force, d, true);
    case FLX_AT_SIDES:
        return read_bushing(e, force, d);
    case FLX_AT_PLACE:
    case FLX_AT_NODE:
        return d->joint ? FLX_OK : read_vector_place(e, force, d);
    case FLX_AT_LOAD:
        return read_load(e, force, d);
    case FLX_AT_ROAD:
        return flx_tyre_place(e, force, d);
    case FLX_AT_THROUGH:
        return flx_force_line_place(e, force, d);
    case FLX_AT_SURFACES:
    case FLX_AT_NOTHING:
        break;
    }
    return FLX_OK;
}

// Surfaces of bodies that bend are on nodes, which are there when all of the model is.
static flx_status read_contact(flx_env *e, flx_item *force, flx_force_data *d)
{
    d->unavailable = e->b->m->nunavailable > 0;
    return d->unavailable ? FLX_OK : flx_contact_place(e, force, d);
}

static flx_status place_force(flx_builder *b, flx_item *force)
{
    flx_force_data *d = force->data;
    const flx_entry *type = NULL, *y = NULL;
    flx_env e;
    flx_env_of(&e, b, force, FLX_MODE_CONSTANT);
    d->def = (flx_force){.name = force->full,
                         .loc = force->loc,
                         .body = {FLX_BODY_GROUND, FLX_BODY_GROUND},
                         .joint = -1,
                         .value = -1,
                         .stored = -1,
                         .lost = -1,
                         .bound = -1,
                         .force = {-1, -1, -1},
                         .torque = {-1, -1, -1}};
    d->scalar = d->length = d->rate = -1;
    FLX_TRY(flx_build_need(b, force, "type", &type));
    FLX_TRY(read_word(b, type, d));
    if ((y = flx_entry_get(force->def, "dissipative"))) {
        FLX_TRY(flx_build_flag(b, y, "dissipative", &d->def.dissipative));
    }
    if (d->def.kind->attracts) {
        FLX_TRY(flx_build_need(b, force, "G", &y));
        FLX_TRY(flx_build_open(&e, y, &d->def.G, &d->def.G_open));
    }
    if (d->word->at == FLX_AT_SURFACES) return read_contact(&e, force, d);
    if (flx_force_word_has_key(d->word, "on")) FLX_TRY(read_target(&e, force, type, d));
    d->unavailable = d->unavailable || d->word->row.later;
    if (d->word->row.later) return FLX_OK;
    FLX_TRY(read_numbers(&e, force, d));
    return flx_force_word_has_key(d->word, "form") ? read_form(&e, force, d) : FLX_OK;
}

flx_status flx_force_place(flx_builder *b, flx_item *force, flx_loc loc)
{
    flx_force_data *d = force->data;
    bool skip = false;
    FLX_TRY(flx_item_enter(b, force, &d->placed, "forces", loc, &skip));
    if (skip) return FLX_OK;
    return flx_item_leave(b, &d->placed, place_force(b, force));
}
