// placement.c - where things are drawn: frames of parts and bodies, points, places.
//
// Inside a part the part's frame takes the place of the ground axes. Everything here is turned into
// ground coordinates of the initial configuration: p = p_part + R_part x, and with the part's motion (v, w)
//     velocity = v + w x (p - p_part) + R_part v_x.
#include "language/flexible/deformable.h"
#include "language/scope/nums.h"

#include <string.h>

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double origin[3] = {0, 0, 0};

static flx_num3 space_to_ground(flx_builder *b, const flx_space *s, flx_num3 x)
{
    return flx_num3_add(b->g, s->position, flx_num9_mul_v(b->g, s->R, x));
}

// ---- frames of parts and bodies ---------------------------------------------------------------

typedef struct frame {
    flx_num3 position;
    flx_num9 R;
    flx_num angle;
} frame;

// `position` and `orientation` of a definition, seen from the ground.
static flx_status draw_frame(flx_env *e, const flx_entry *def, frame *f)
{
    const flx_entry *position = flx_entry_get(def, "position");
    const flx_entry *orientation = flx_entry_get(def, "orientation");
    flx_space *s = e->space;
    FLX_TRY(flx_space_place(e->b, s));
    flx_num9 R = flx_num9_identity();
    flx_num angle = {0, 0};
    flx_place place;
    f->position = s->position;
    if (position) {
        FLX_TRY(flx_build_place(e, position, &place));
        f->position = place.position;
    }
    if (orientation) FLX_TRY(flx_build_orientation(e, orientation, &R, &angle));
    f->angle = flx_num_add(e->b->g, s->angle, angle);
    f->R = s->plain ? R : flx_num9_mul(e->b->g, s->R, R);
    return FLX_OK;
}

static flx_status place_part(flx_builder *b, flx_space *s)
{
    flx_env e;
    frame f;
    const flx_entry *def = s->part->def;
    flx_env_of(&e, b, s->part, FLX_MODE_CONSTANT);
    FLX_TRY(draw_frame(&e, def, &f));
    s->position = f.position;
    s->R = f.R;
    s->angle = f.angle;
    s->plain = v3_norm(v3_load(s->position.x)) == 0 && !flx_num3_is_open(&s->position) &&
               !flx_num9_is_open(&s->R);
    for (int i = 0; i < 9; i++) s->plain = s->plain && s->R.x[i] == identity[i];
    return flx_build_motion(&e, def, &f.position, &s->start);
}

// What the start of a part or body says, as numbers with their expressions.
static flx_num3 of_start(const double x[3], const flx_open n[3])
{
    return (flx_num3){.x = {x[0], x[1], x[2]}, .n = {n[0], n[1], n[2]}};
}

flx_status flx_build_motion(flx_env *e, const flx_entry *def, const flx_num3 *position,
                            flx_body_start *out)
{
    flx_graph *g = e->b->g;
    const flx_entry *v = flx_entry_get(def, "velocity");
    const flx_entry *w = flx_entry_get(def, "angular_velocity");
    flx_space *s = e->space;
    flx_num3 given_v = {.n = {0}}, given_w = {.n = {0}};
    FLX_TRY(flx_space_place(e->b, s));
    if (v) FLX_TRY(flx_build_open_vector(e, v, given_v.x, given_v.n));
    if (w && e->b->m->dimension == 2) {
        FLX_TRY(flx_build_open(e, w, &given_w.x[2], &given_w.n[2]));
    } else if (w) {
        FLX_TRY(flx_build_open_vector(e, w, given_w.x, given_w.n));
    }
    const flx_body_start *from = &s->start;
    flx_num3 spin = of_start(from->angular_velocity, from->angular_velocity_open);
    flx_num3 arm = flx_num3_sub(g, *position, s->position);
    flx_num3 carried = flx_num3_add(g, of_start(from->velocity, from->velocity_open),
                                    flx_num3_cross(g, spin, arm));
    flx_num3 velocity = flx_num3_add(g, carried, flx_num9_mul_v(g, s->R, given_v));
    flx_num3 turning = flx_num3_add(g, spin, flx_num9_mul_v(g, s->R, given_w));
    bool part = s->start.moves || s->start.turns;
    FLX_TRY(flx_num3_store(&velocity, out->velocity, out->velocity_open));
    FLX_TRY(flx_num3_store(&turning, out->angular_velocity, out->angular_velocity_open));
    FLX_TRY(flx_num3_store(position, out->origin, out->origin_open));
    FLX_TRY(flx_num3_store(&spin, out->carried, out->carried_open));
    out->moves = part || v;
    out->turns = part || w;
    return FLX_OK;
}

flx_status flx_space_place(flx_builder *b, flx_space *s)
{
    bool skip = false;
    if (s->placed == FLX_ITEM_DONE) return FLX_OK;
    FLX_TRY(flx_item_enter(b, s->part, &s->placed, "drawing", s->part->loc, &skip));
    return flx_item_leave(b, &s->placed, place_part(b, s));
}

// The ends of a body that deforms, which joints ask for.
static flx_status place_beam(flx_env *e, const flx_item *body, flx_body_data *d)
{
    const flx_entry *from = flx_entry_get(body->def, "from"), *to = flx_entry_get(body->def, "to");
    const flx_entry *curve = flx_entry_get(body->def, "curve");
    flx_place ends[2] = {{.item = NULL}, {.item = NULL}};
    if (from && to) {
        FLX_TRY(flx_build_place(e, from, &ends[0]));
        FLX_TRY(flx_build_place(e, to, &ends[1]));
    } else if (curve) {
        for (int i = 0; i < 2; i++) {
            flx_local s = {"s", flx_operand_number(flx_graph_const(e->b->g, i)), body->locals};
            flx_env at = *e;
            at.scope.user = &at;
            at.locals = &s;
            FLX_TRY(flx_build_place(&at, curve, &ends[i]));
        }
    }
    for (int i = 0; i < 2; i++) flx_num3_fix(e->b, &ends[i].position, body->loc);
    memcpy(d->def.position, ends[0].position.x, sizeof d->def.position);
    memcpy(d->def.R, identity, sizeof identity);
    d->def.angle = 0;
    for (int i = 0; i < 3; i++) d->end[i] = ends[1].position.x[i] - ends[0].position.x[i];
    return FLX_OK;
}

static flx_status place_line(flx_env *e, const flx_item *body, flx_body_data *d)
{
    const flx_entry *fe = flx_entry_get(body->def, "fe");
    const flx_entry *line = fe && fe->kind == FLX_ENTRY_MAP ? flx_entry_get(fe, "line") : NULL;
    if (!line || line->kind != FLX_ENTRY_LIST || line->count < 2) return FLX_OK;
    FLX_TRY(flx_build_vector(e, line->items[0], d->start));
    return flx_build_vector(e, line->items[line->count - 1], d->end);
}

static flx_status place_body(flx_builder *b, flx_item *body)
{
    flx_body_data *d = body->data;
    flx_env e;
    frame f;
    flx_env_of(&e, b, body, FLX_MODE_CONSTANT);
    FLX_TRY(flx_space_place(b, body->space));
    if (d->beam) return flx_beam_place(b, body);
    if (strcmp(d->word, "beam") == 0) return place_beam(&e, body, d);
    FLX_TRY(draw_frame(&e, body->def, &f));
    if (d->def.type == FLX_BODY_POINT &&
        !d->solid) { // its axes are the ground's, whatever the part's
        f.R = flx_num9_identity();
        f.angle = (flx_num){0, 0};
    }
    if (d->deformable) { // what is made of the frame is kept as numbers
        flx_num3_fix(b, &f.position, body->loc);
        flx_num9_fix(b, &f.R, body->loc);
        flx_num_fix(b, &f.angle, body->loc);
    }
    FLX_TRY(flx_num3_store(&f.position, d->def.position, d->def.position_open));
    FLX_TRY(flx_num9_store(&f.R, d->def.R, d->def.R_open));
    FLX_TRY(flx_num_store(f.angle, &d->def.angle, &d->def.angle_open));
    if (d->solid) return flx_solid_place(b, body);
    return d->deformable ? place_line(&e, body, d) : FLX_OK;
}

flx_status flx_body_place(flx_builder *b, flx_item *body, flx_loc loc)
{
    if (body->kind == FLX_KIND_GROUND) return FLX_OK;
    flx_body_data *d = body->data;
    bool skip = false;
    if (flx_body_is_beam_node(body) && d->carrier) return flx_body_place(b, d->carrier, loc);
    FLX_TRY(flx_item_enter(b, body, &d->placed, "drawing", loc, &skip));
    if (skip) return FLX_OK;
    return flx_item_leave(b, &d->placed, place_body(b, body));
}

void flx_body_frame(const flx_item *body, flx_num3 *position, flx_num9 *R)
{
    const flx_body_data *d = body->data;
    *position = flx_num3_of(origin);
    *R = flx_num9_identity();
    if (body->kind == FLX_KIND_GROUND) return;
    memcpy(position->x, d->def.position, sizeof position->x);
    memcpy(position->n, d->def.position_open, sizeof position->n);
    memcpy(R->x, d->def.R, sizeof R->x);
    memcpy(R->n, d->def.R_open, sizeof R->n);
}

bool flx_body_turns(const flx_item *body)
{
    return body->kind == FLX_KIND_BODY &&
           ((const flx_body_data *)body->data)->def.type != FLX_BODY_POINT;
}

flx_num3 flx_ground_to_body(flx_builder *b, const flx_item *body, flx_num3 p)
{
    flx_num3 position;
    flx_num9 R;
    flx_body_frame(body, &position, &R);
    return flx_num9_tmul_v(b->g, R, flx_num3_sub(b->g, p, position));
}

// ---- points -----------------------------------------------------------------------------------

static flx_status resolve_point(flx_builder *b, flx_item *point, flx_point_data *d)
{
    const flx_entry *def = point->def, *orientation = NULL;
    flx_num angle = {0, 0};
    flx_env e;
    flx_operand v;
    d->R = flx_num9_identity();
    const flx_body_data *body = d->body->data;
    if (body && body->com == point && flx_entry_get(d->body->def, "density"))
        return flx_body_weigh(b, d->body, &d->at);
    if (!def) return FLX_OK; // the centre of mass at the origin
    flx_env_of(&e, b, point, FLX_MODE_CONSTANT);
    if (def->kind == FLX_ENTRY_MAP) {
        orientation = flx_entry_get(def, "orientation");
        FLX_TRY(flx_build_need(b, point, "at", &def));
    }
    FLX_TRY(flx_build_value(&e, def, &v));
    const flx_item *other = flx_operand_get_item(&v);
    if (other && !other->family) { // a place by name: where it is drawn
        flx_num3 p;
        flx_num9 R;
        FLX_TRY(flx_body_place(b, d->body, def->loc));
        FLX_TRY(flx_item_initial_frame(b, other, def->loc, &p, &R));
        d->at = flx_ground_to_body(b, d->body, p);
    } else {
        FLX_TRY(flx_operand_to_num3(&e, &v, def->loc, &d->at));
        flx_space *s = point->space;
        if (!flx_body_turns(d->body)) { // axes of a point are the ground's
            FLX_TRY(flx_space_place(b, s));
            d->at = flx_num9_mul_v(b->g, s->R, d->at);
        }
    }
    if (orientation) FLX_TRY(flx_build_orientation(&e, orientation, &d->R, &angle));
    if (!d->body->data || !((const flx_body_data *)d->body->data)->deformable) return FLX_OK;
    flx_num3_fix(b, &d->at, def->loc);
    flx_num9_fix(b, &d->R, def->loc);
    return FLX_OK;
}

flx_status flx_point_resolve(flx_builder *b, flx_item *point, flx_loc loc)
{
    flx_point_data *d = point->data;
    bool skip = false;
    FLX_TRY(flx_item_enter(b, point, &d->state, "drawing", loc, &skip));
    if (skip) return FLX_OK;
    return flx_item_leave(b, &d->state, resolve_point(b, point, d));
}

flx_status flx_body_ready(flx_builder *b, flx_item *body, flx_loc loc)
{
    if (body->kind == FLX_KIND_GROUND) return FLX_OK;
    FLX_TRY(flx_body_place(b, body, loc));
    return flx_point_resolve(b, ((flx_body_data *)body->data)->com, loc);
}

flx_status flx_item_frame(flx_builder *b, const flx_item *item, flx_loc loc, flx_item **body,
                          flx_num3 *at, flx_num9 *R)
{
    *at = flx_num3_of(origin);
    *R = flx_num9_identity();
    *body = (flx_item *)item;
    if (item->kind == FLX_KIND_POINT && !item->family) {
        flx_point_data *d = item->data;
        FLX_TRY(flx_point_resolve(b, (flx_item *)item, loc));
        *at = d->at;
        *R = d->R;
        *body = d->body;
        return FLX_OK;
    }
    if (item->family || (item->kind != FLX_KIND_BODY && item->kind != FLX_KIND_GROUND)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "%s '%s' is not a place",
                        flx_item_word(item->kind), item->full);
    }
    return FLX_OK;
}

flx_status flx_item_initial_frame(flx_builder *b, const flx_item *item, flx_loc loc,
                                  flx_num3 *position, flx_num9 *R)
{
    flx_item *body = NULL;
    flx_num3 at, p;
    flx_num9 turned, F;
    FLX_TRY(flx_item_frame(b, item, loc, &body, &at, &turned));
    FLX_TRY(flx_body_place(b, body, loc));
    flx_body_frame(body, &p, &F);
    *position = flx_num3_add(b->g, p, flx_num9_mul_v(b->g, F, at));
    *R = flx_num9_mul(b->g, F, turned);
    return FLX_OK;
}

// ---- places -----------------------------------------------------------------------------------

flx_status flx_operand_to_place(flx_env *e, const flx_operand *v, flx_loc loc, flx_place *out)
{
    flx_num3 x;
    flx_num9 R;
    out->item = NULL;
    const flx_item *item = flx_operand_get_item(v);
    if (item && item->kind != FLX_KIND_PART) {
        if (item->family) {
            flx_operand held;
            return flx_env_coerce(&e->scope, v, loc, &held); // says which of the family
        }
        FLX_TRY(flx_item_initial_frame(e->b, item, loc, &out->position, &R));
        out->item = item;
        return FLX_OK;
    }
    FLX_TRY(flx_operand_to_num3(e, v, loc, &x));
    FLX_TRY(flx_space_place(e->b, e->space));
    out->position = e->space->plain ? x : space_to_ground(e->b, e->space, x);
    return FLX_OK;
}

flx_status flx_build_place(flx_env *e, const flx_entry *y, flx_place *out)
{
    flx_operand v;
    FLX_TRY(flx_build_value(e, y, &v));
    return flx_operand_to_place(e, &v, y->loc, out);
}

flx_status flx_build_frame(flx_env *e, const flx_entry *y, const flx_item **out)
{
    flx_operand v;
    FLX_TRY(flx_build_value(e, y, &v));
    *out = flx_operand_get_item(&v);
    if (*out && !(*out)->family &&
        ((*out)->kind == FLX_KIND_BODY || (*out)->kind == FLX_KIND_POINT ||
         (*out)->kind == FLX_KIND_GROUND)) {
        return FLX_OK;
    }
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                    "'frame' takes the name of a body, of a point, or ground");
}
