// attach.c - what `on` and `at` say: the bodies or joints that something is attached to, and the places
// on them.
#include "language/flexible/deformable.h"
#include "language/scope/nums.h"

#include <string.h>

const flx_item *flx_named_body(const flx_item *body)
{
    if (!flx_body_is_beam_node(body)) return body;
    const flx_item *carrier = ((const flx_body_data *)body->data)->carrier;
    return carrier ? carrier : body;
}

static const flx_item *body_of_point(const flx_item *point)
{
    return flx_named_body(((const flx_point_data *)point->data)->body);
}

// NULL, with the message recorded, when it is neither a body nor a joint.
static flx_item *body_of_value(flx_env *e, const flx_entry *y, flx_status *status)
{
    flx_operand v, held;
    *status = flx_build_value(e, y, &v);
    if (*status != FLX_OK) return NULL;
    flx_item *item = (flx_item *)flx_operand_get_item(&v);
    flx_kind kind = item ? item->kind : FLX_KIND_PARAMETER;
    bool body = kind == FLX_KIND_BODY || kind == FLX_KIND_GROUND || kind == FLX_KIND_JOINT;
    if (body && !item->family) return item;
    *status = FLX_ERR_MODEL;
    if (!item) {
        (void)FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "'on' takes names of bodies or joints");
    } else if (item->family) {
        (void)flx_env_coerce(&e->scope, &v, y->loc, &held); // says which one to choose
    } else if (kind == FLX_KIND_POINT) {
        (void)FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                       "'%s' is a point; 'on' takes its body '%s', and 'at' the point",
                       y->kind == FLX_ENTRY_SCALAR ? y->text : item->full,
                       body_of_point(item)->full);
    } else {
        (void)FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "%s '%s' is neither a body nor a joint",
                       flx_item_word(kind), item->full);
    }
    return NULL;
}

flx_status flx_build_on(flx_env *e, const flx_entry *y, int *n, flx_item *items[2])
{
    bool list = y->kind == FLX_ENTRY_LIST;
    items[0] = items[1] = NULL;
    *n = list ? y->count : 1;
    if (*n < 1 || *n > 2) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "'on' takes one name or two, not %d", *n);
    }
    for (int i = 0; i < *n; i++) {
        flx_status status = FLX_OK;
        items[i] = body_of_value(e, list ? y->items[i] : y, &status);
        if (!items[i]) return status;
    }
    bool bends = items[0]->kind == FLX_KIND_BODY &&
                 (flx_body_is_beam_node(items[0]) || flx_body_is_elastic(items[0]));
    if (*n == 2 && items[0] == items[1] && !bends) { // what bends may close on itself
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->items[1]->loc,
                        "'%s' is there twice; a %s cannot be joined to itself", items[0]->full,
                        items[0]->kind == FLX_KIND_JOINT ? "joint" : "body");
    }
    if (*n == 2 && (items[0]->kind == FLX_KIND_JOINT) != (items[1]->kind == FLX_KIND_JOINT)) {
        int k = items[1]->kind == FLX_KIND_JOINT;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->items[k]->loc,
                        "'%s' is a joint and '%s' a body; 'on' takes two of a kind", items[k]->full,
                        items[1 - k]->full);
    }
    return FLX_OK;
}

// The body that a place is on.
static const flx_item *body_of_place(const flx_place *p)
{
    if (!p->item) return NULL;
    return p->item->kind == FLX_KIND_POINT ? body_of_point(p->item) : flx_named_body(p->item);
}

// A place on a flexible body is one of its nodes, or its frame.
static flx_status place_on_elastic(flx_env *e, flx_place *p, flx_item **body, flx_loc loc,
                                   flx_num3 *out)
{
    int node = FLX_BODY_GROUND;
    memset(out, 0, sizeof *out);
    FLX_TRY(flx_body_place(e->b, *body, loc));
    if (p->item == *body) return FLX_OK;
    if (p->item && p->item->kind == FLX_KIND_POINT && body_of_place(p) == *body) {
        node = ((const flx_point_data *)p->item->data)->node;
    }
    if (node < 0) {
        flx_num3_fix(e->b, &p->position, loc);
        FLX_TRY(flx_elastic_body_node_at(e->b, *body, p->position.x, loc, &node));
    }
    return node < 0 ? FLX_OK : flx_elastic_body_attached(e->b, *body, node, loc, body);
}

// A place on a beam is one of its nodes.
static flx_status place_on_beam(flx_env *e, flx_place *p, flx_item **body, flx_loc loc,
                                flx_num3 *out)
{
    bool solid = flx_body_is_solid(e->b, *body);
    memset(out, 0, sizeof *out);
    if (p->item == *body && solid) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "say which node of '%s': %s.node(1)",
                        (*body)->full, (*body)->full);
    }
    if (p->item == *body) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "say where on '%s': %s.start, %s.end, %s.node(1) or %s.point(0.5)",
                        (*body)->full, (*body)->full, (*body)->full, (*body)->full, (*body)->full);
    }
    if (p->item && p->item->kind == FLX_KIND_POINT && body_of_place(p) == *body) {
        const flx_point_data *d = p->item->data;
        *body = d->body;
        *out = d->at;
        return FLX_OK;
    }
    flx_num3_fix(e->b, &p->position, loc);
    if (solid) return flx_solid_node_at(e->b, *body, p->position.x, loc, body);
    return flx_beam_node_at(e->b, *body, p->position.x, loc, body, out->x);
}

// A place in the frame of a body; exact when the place is a point of that body.
static flx_status place_on(flx_env *e, const flx_place *p, flx_item *body, flx_loc loc,
                           flx_num3 *out)
{
    flx_num9 R;
    flx_item *own = NULL;
    if (body_of_place(p) == body) return flx_item_frame(e->b, p->item, loc, &own, out, &R);
    FLX_TRY(flx_body_place(e->b, body, loc));
    *out = flx_ground_to_body(e->b, body, p->position);
    return FLX_OK;
}

flx_status flx_build_at(flx_env *e, const flx_entry *y, flx_item *bodies[2], flx_num3 at[2],
                        bool *pair)
{
    flx_operand v;
    flx_place p[2];
    FLX_TRY(flx_build_value(e, y, &v));
    *pair = v.kind == FLX_OPERAND_LIST && v.count == 2 && v.items[0].kind != FLX_OPERAND_NUMBER &&
            v.items[1].kind != FLX_OPERAND_NUMBER;
    for (int i = 0; i < 2; i++) {
        FLX_TRY(flx_operand_to_place(e, *pair ? &v.items[i] : &v, y->loc, &p[i]));
    }
    for (int i = 0; *pair && i < 2; i++) {
        if (!p[i].item || p[i].item->kind == FLX_KIND_GROUND || body_of_place(&p[i]) == bodies[i]) {
            continue;
        }
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL,
                        y->kind == FLX_ENTRY_LIST ? y->items[i]->loc : y->loc,
                        "'%s' is not on '%s': the places of 'at' are in the order of 'on', one on "
                        "each body",
                        p[i].item->full, bodies[i]->full);
    }
    for (int i = 0; i < 2; i++) {
        if (!bodies[i]) continue;
        if (flx_body_is_elastic(bodies[i]) && e->b->m->nunavailable == 0) {
            FLX_TRY(place_on_elastic(e, &p[i], &bodies[i], y->loc, &at[i]));
        } else if (flx_body_is_beam(e->b, bodies[i]) || flx_body_is_solid(e->b, bodies[i])) {
            FLX_TRY(place_on_beam(e, &p[i], &bodies[i], y->loc, &at[i]));
        } else {
            FLX_TRY(place_on(e, &p[i], bodies[i], y->loc, &at[i]));
        }
    }
    if (bodies[0] && bodies[0] == bodies[1]) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                        "both places are '%s': name two, as in [ring.start, ring.end]",
                        bodies[0]->full);
    }
    return FLX_OK;
}

flx_status flx_build_anchor(flx_env *e, const flx_entry *y, flx_item **body, flx_num3 *at)
{
    flx_operand v;
    flx_place p;
    flx_item *bodies[2] = {NULL, NULL};
    flx_num3 places[2];
    bool pair = false;
    FLX_TRY(flx_build_value(e, y, &v));
    FLX_TRY(flx_operand_to_place(e, &v, y->loc, &p));
    const flx_item *on = body_of_place(&p);
    bodies[1] = on ? (flx_item *)on : e->b->ground;
    FLX_TRY(flx_build_at(e, y, bodies, places, &pair));
    *body = bodies[1];
    *at = places[1];
    return flx_body_ready(e->b, *body, y->loc);
}
