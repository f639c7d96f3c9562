// draw.c - where things are drawn: frames of parts and bodies, points, places.
//
// Inside a part the part's frame takes the place of the ground axes. Everything here is turned into
// ground coordinates as drawn: p = p_part + R_part x, and with the part's motion (v, w)
//     velocity = v + w x (p - p_part) + R_part v_x.
#include "model/deformable.h"

#include <string.h>

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double origin[3] = {0, 0, 0};

static v3 space_to_ground(const flx_space *s, v3 x)
{
    return v3_add(v3_load(s->position), m33_mul_v(m33_load(s->R), x));
}

// ---- frames of parts and bodies ---------------------------------------------------------------

typedef struct frame {
    double position[3], R[9], angle;
} frame;

// `position` and `orientation` of a definition, seen from the ground.
static flx_status draw_frame(flx_env *e, const flx_entry *def, frame *f)
{
    const flx_entry *position = flx_entry_get(def, "position");
    const flx_entry *orientation = flx_entry_get(def, "orientation");
    flx_space *s = e->space;
    FLX_TRY(flx_space_place(e->b, s));
    double R[9], angle = 0;
    flx_place place;
    memcpy(R, identity, sizeof R);
    memcpy(f->position, s->position, sizeof f->position);
    if (position) {
        FLX_TRY(flx_build_place(e, position, &place));
        memcpy(f->position, place.position, sizeof f->position);
    }
    if (orientation) FLX_TRY(flx_build_orientation(e, orientation, R, &angle));
    f->angle = s->angle + angle;
    if (s->plain) {
        memcpy(f->R, R, sizeof f->R);
    } else {
        m33_store(f->R, m33_mul(m33_load(s->R), m33_load(R)));
    }
    return FLX_OK;
}

static flx_status place_part(flx_builder *b, flx_space *s)
{
    flx_env e;
    frame f;
    const flx_entry *def = s->part->def;
    flx_env_of(&e, b, s->part, FLX_MODE_CONSTANT);
    FLX_TRY(draw_frame(&e, def, &f));
    memcpy(s->position, f.position, sizeof s->position);
    memcpy(s->R, f.R, sizeof s->R);
    s->angle = f.angle;
    s->plain = v3_norm(v3_load(s->position)) == 0;
    for (int i = 0; i < 9; i++) s->plain = s->plain && s->R[i] == identity[i];
    return flx_build_motion(&e, def, f.position, &s->start);
}

flx_status flx_build_motion(flx_env *e, const flx_entry *def, const double position[3],
                            flx_body_start *out)
{
    const flx_entry *v = flx_entry_get(def, "velocity");
    const flx_entry *w = flx_entry_get(def, "angular_velocity");
    flx_space *s = e->space;
    double given_v[3] = {0, 0, 0}, given_w[3] = {0, 0, 0};
    FLX_TRY(flx_space_place(e->b, s));
    if (v) FLX_TRY(flx_build_start_vector(e, v, given_v));
    if (w && e->b->m->dimension == 2) {
        FLX_TRY(flx_build_start(e, w, &given_w[2]));
    } else if (w) {
        FLX_TRY(flx_build_start_vector(e, w, given_w));
    }
    m33 R = m33_load(s->R);
    v3 spin = v3_load(s->start.angular_velocity);
    v3 arm = v3_sub(v3_load(position), v3_load(s->position));
    v3 carried = v3_add(v3_load(s->start.velocity), v3_cross(spin, arm));
    bool part = s->start.moves || s->start.turns;
    v3_store(out->velocity, v3_add(carried, m33_mul_v(R, v3_load(given_v))));
    v3_store(out->angular_velocity, v3_add(spin, m33_mul_v(R, v3_load(given_w))));
    memcpy(out->origin, position, sizeof out->origin);
    memcpy(out->carried, s->start.angular_velocity, sizeof out->carried);
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
    flx_place ends[2] = {{NULL, {0, 0, 0}}, {NULL, {0, 0, 0}}};
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
    memcpy(d->def.position, ends[0].position, sizeof ends[0].position);
    memcpy(d->def.R, identity, sizeof identity);
    d->def.angle = 0;
    for (int i = 0; i < 3; i++) d->end[i] = ends[1].position[i] - ends[0].position[i];
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
    memcpy(d->def.position, f.position, sizeof f.position);
    memcpy(d->def.R, f.R, sizeof f.R);
    d->def.angle = f.angle;
    if (d->def.type == FLX_BODY_POINT &&
        !d->solid) { // its axes are the ground's, whatever the part's
        memcpy(d->def.R, identity, sizeof identity);
        d->def.angle = 0;
    }
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

void flx_body_frame(const flx_item *body, double position[3], double R[9])
{
    const flx_body_data *d = body->data;
    bool ground = body->kind == FLX_KIND_GROUND;
    memcpy(position, ground ? origin : d->def.position, sizeof origin);
    memcpy(R, ground ? identity : d->def.R, sizeof identity);
}

bool flx_body_turns(const flx_item *body)
{
    return body->kind == FLX_KIND_BODY &&
           ((const flx_body_data *)body->data)->def.type != FLX_BODY_POINT;
}

void flx_ground_to_body(const flx_item *body, const double p[3], double out[3])
{
    double position[3], R[9];
    flx_body_frame(body, position, R);
    v3_store(out, m33_tmul_v(m33_load(R), v3_sub(v3_load(p), v3_load(position))));
}

// ---- points -----------------------------------------------------------------------------------

static flx_status resolve_point(flx_builder *b, flx_item *point, flx_point_data *d)
{
    const flx_entry *def = point->def, *orientation = NULL;
    double angle = 0;
    flx_env e;
    flx_operand v;
    memcpy(d->R, identity, sizeof identity);
    if (!def) return FLX_OK; // the centre of mass at the origin
    flx_env_of(&e, b, point, FLX_MODE_CONSTANT);
    if (def->kind == FLX_ENTRY_MAP) {
        orientation = flx_entry_get(def, "orientation");
        FLX_TRY(flx_build_need(b, point, "at", &def));
    }
    FLX_TRY(flx_build_value(&e, def, &v));
    const flx_item *other = flx_operand_get_item(&v);
    if (other && !other->family) { // a place by name: where it is drawn
        double p[3], R[9];
        FLX_TRY(flx_body_place(b, d->body, def->loc));
        FLX_TRY(flx_item_drawn(b, other, def->loc, p, R));
        flx_ground_to_body(d->body, p, d->at);
    } else {
        FLX_TRY(flx_operand_to_constants(&e, &v, def->loc, d->at));
        flx_space *s = point->space;
        if (!flx_body_turns(d->body)) { // axes of a point are the ground's
            FLX_TRY(flx_space_place(b, s));
            v3_store(d->at, m33_mul_v(m33_load(s->R), v3_load(d->at)));
        }
    }
    return orientation ? flx_build_orientation(&e, orientation, d->R, &angle) : FLX_OK;
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
                          double at[3], double R[9])
{
    memcpy(at, origin, sizeof origin);
    memcpy(R, identity, sizeof identity);
    *body = (flx_item *)item;
    if (item->kind == FLX_KIND_POINT && !item->family) {
        flx_point_data *d = item->data;
        FLX_TRY(flx_point_resolve(b, (flx_item *)item, loc));
        memcpy(at, d->at, sizeof d->at);
        memcpy(R, d->R, sizeof d->R);
        *body = d->body;
        return FLX_OK;
    }
    if (item->family || (item->kind != FLX_KIND_BODY && item->kind != FLX_KIND_GROUND)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "%s '%s' is not a place",
                        flx_item_word(item->kind), item->full);
    }
    return FLX_OK;
}

flx_status flx_item_drawn(flx_builder *b, const flx_item *item, flx_loc loc, double position[3],
                          double R[9])
{
    flx_item *body = NULL;
    double at[3], turned[9], p[3], frame_R[9];
    FLX_TRY(flx_item_frame(b, item, loc, &body, at, turned));
    FLX_TRY(flx_body_place(b, body, loc));
    flx_body_frame(body, p, frame_R);
    m33 F = m33_load(frame_R);
    v3_store(position, v3_add(v3_load(p), m33_mul_v(F, v3_load(at))));
    m33_store(R, m33_mul(F, m33_load(turned)));
    return FLX_OK;
}

// ---- places -----------------------------------------------------------------------------------

flx_status flx_operand_to_place(flx_env *e, const flx_operand *v, flx_loc loc, flx_place *out)
{
    double x[3], R[9];
    out->item = NULL;
    const flx_item *item = flx_operand_get_item(v);
    if (item && item->kind != FLX_KIND_PART) {
        if (item->family) {
            flx_operand held;
            return flx_env_coerce(&e->scope, v, loc, &held); // says which of the family
        }
        FLX_TRY(flx_item_drawn(e->b, item, loc, out->position, R));
        out->item = item;
        return FLX_OK;
    }
    FLX_TRY(flx_operand_to_constants(e, v, loc, x));
    FLX_TRY(flx_space_place(e->b, e->space));
    v3_store(out->position, e->space->plain ? v3_load(x) : space_to_ground(e->space, v3_load(x)));
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
