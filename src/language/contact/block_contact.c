// block_contact.c - forces of type contact: which surfaces may touch each other; the law between them is read by contact_laws.c.
#include "contact/gap.h"
#include "contact/law.h"
#include "contact/pair.h"
#include "language/contact/contact_parts.h"
#include "language/scope/nums.h"

#include <math.h>
#include <string.h>

// ---- which surfaces -----------------------------------------------------------------------------

typedef struct sides { // as they are found
    int n, capacity;
    flx_touching *of; // scratch
} sides;

static flx_status add_side(flx_builder *b, sides *to, const flx_touching *side)
{
    if (to->n == to->capacity) {
        int capacity = to->capacity ? 2 * to->capacity : 8;
        flx_touching *more = flx_take(b, (size_t)capacity, sizeof *more);
        if (!more) return FLX_ERR_MEMORY;
        if (to->n > 0) memcpy(more, to->of, (size_t)to->n * sizeof *more);
        to->of = more;
        to->capacity = capacity;
    }
    to->of[to->n++] = *side;
    return FLX_OK;
}

// What carries the ground where nothing is said: a plane against gravity.
static flx_status add_level_ground(flx_builder *b, const flx_item *force, sides *to)
{
    flx_surface *s = flx_arena_take(b->m->arena, 1, sizeof *s);
    const double *g = b->m->gravity;
    v3 n = v3_scale(-1.0, v3_load(g));
    if (!s) return FLX_ERR_MEMORY;
    if (!(v3_norm(n) > 0)) n = b->m->dimension == 2 ? v3_make(0, 1, 0) : v3_make(0, 0, 1);
    flx_loc loc = force->loc;
    for (int i = 0; i < 3; i++) { // its direction stays
        flx_num x = {g[i], b->m->gravity_open[i]};
        flx_num_fix(b, &x, loc);
    }
    s->kind = &flx_surface_plane;
    double z[3];
    v3_store(z, v3_unit(n));
    m33_store(s->axes, flx_axes_along(z));
    flx_touching side = {.body = b->ground, .named = b->ground, .side = {FLX_BODY_GROUND, s, loc}};
    return add_side(b, to, &side);
}

static flx_status add_ground(flx_env *e, const flx_item *force, sides *to)
{
    const flx_entry *y = flx_entry_get(force->def, "ground");
    if (!y) return add_level_ground(e->b, force, to);
    bool list = y->kind == FLX_ENTRY_LIST;
    for (int i = 0; i < (list ? y->count : 1); i++) {
        flx_touching side;
        FLX_TRY(flx_build_surface(e, e->b->ground, NULL, list ? y->items[i] : y, &side));
        FLX_TRY(add_side(e->b, to, &side));
    }
    return FLX_OK;
}

// The surfaces that a body has itself.
static flx_status add_body(flx_env *e, const flx_item *force, flx_item *body, const flx_entry *y,
                           sides *to)
{
    flx_builder *b = e->b;
    if (body->kind == FLX_KIND_GROUND) return add_ground(e, force, to);
    FLX_TRY(flx_body_surfaces(b, body));
    const flx_body_data *d = body->data;
    if (d->ntouching == 0) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "body '%s' has no surface that could touch: give it a 'surface', as in "
                        "{sphere: 0.1}%s",
                        body->full,
                        flx_entry_get(force->def, "on") ? ", or the contact its 'surfaces'" : "");
    }
    for (int i = 0; i < d->ntouching; i++) FLX_TRY(add_side(b, to, d->touching + i));
    return FLX_OK;
}

// A name of `on` or `among`: a body or the ground, *point: the place on it that was named, or NULL.
static flx_status find_body(flx_env *e, const flx_entry *y, const char *key, bool all,
                            flx_item **body, bool *point)
{
    flx_operand v;
    FLX_TRY(flx_build_value(e, y, &v));
    flx_item *item = (flx_item *)flx_operand_get_item(&v);
    flx_kind kind = item ? item->kind : FLX_KIND_PARAMETER;
    *point = false;
    if (item && item->family && !all) return flx_item_fail_family(e, item, y->loc);
    if (kind == FLX_KIND_POINT && !all) {
        *point = true;
        *body = (flx_item *)flx_named_body(((const flx_point_data *)item->data)->body);
        return FLX_OK;
    }
    *body = item;
    if (kind == FLX_KIND_BODY || kind == FLX_KIND_GROUND) return FLX_OK;
    if (!item) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "'%s' takes names of bodies", key);
    }
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "%s '%s' is no body that could touch another",
                    flx_item_word(kind), item->full);
}

static flx_status read_on(flx_env *e, const flx_item *force, flx_force_data *d, const flx_entry *on,
                          sides *to, int *first)
{
    const flx_entry *surfaces = flx_entry_get(force->def, "surfaces");
    flx_item *body[2];
    for (int i = 0; i < 2; i++) {
        bool point;
        const flx_entry *y = on->items[i];
        FLX_TRY(find_body(e, y, "on", false, &body[i], &point));
        if (body[i]->kind == FLX_KIND_BODY) FLX_TRY(flx_body_place(e->b, body[i], y->loc));
        if (i == 1) *first = to->n;
        if (!surfaces) {
            if (point) {
                return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc,
                                "at the point '%s' there is no surface: give the contact its "
                                "'surfaces'",
                                y->text);
            }
            FLX_TRY(add_body(e, force, body[i], y, to));
            continue;
        }
        flx_touching *own = NULL;
        int n = 0;
        FLX_TRY(flx_build_surfaces(e, body[i], point ? y : NULL, surfaces->items[i], &n, &own));
        for (int k = 0; k < n; k++) FLX_TRY(add_side(e->b, to, own + k));
    }
    if (body[0] == body[1]) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, on->items[1]->loc,
                        "'%s' is there twice; a body does not touch itself", body[0]->full);
    }
    for (int i = 0; i < 2; i++) {
        d->body[i] = to->of[i == 0 ? 0 : *first].body;
        d->def.body[i] = d->body[i]->number;
    }
    return FLX_OK;
}

// All of a family; of a body that stands there twice the second is one too many.
static flx_status add_all(flx_env *e, const flx_item *force, flx_item *item, const flx_entry *y,
                          sides *to)
{
    if (!item->family) {
        for (int i = 0; i < to->n; i++) {
            if (to->of[i].named != item) continue;
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "'%s' is there twice", item->full);
        }
        return add_body(e, force, item, y, to);
    }
    for (int i = 0; i < item->count; i++) {
        FLX_TRY(add_all(e, force, item->members[i], y, to));
    }
    return FLX_OK;
}

static flx_status read_among(flx_env *e, const flx_item *force, const flx_entry *among, sides *to)
{
    for (int i = 0; i < among->count; i++) {
        flx_item *item;
        bool point;
        FLX_TRY(find_body(e, among->items[i], "among", true, &item, &point));
        FLX_TRY(add_all(e, force, item, among->items[i], to));
    }
    return FLX_OK;
}

// ---- which pairs --------------------------------------------------------------------------------

static const flx_item *owner(const flx_item *body)
{
    const flx_body_data *d = body->kind == FLX_KIND_BODY ? body->data : NULL;
    return d && d->carrier ? d->carrier : body;
}

// Whether a joint ties the two.
static bool is_connected(const flx_builder *b, const flx_item *first, const flx_item *second)
{
    for (int i = 0; i < b->joints.count; i++) {
        const flx_joint_data *j = b->joints.items[i]->data;
        if (!j->body[0] || !j->body[1]) continue; // a gear
        const flx_item *one = owner(j->body[0]), *other = owner(j->body[1]);
        if ((one == first && other == second) || (one == second && other == first)) return true;
    }
    return false;
}

// A disc without thickness has no inside that what is sharp could be in: a point passes, edges and rims are held by its rim alone.
static flx_status check_thickness(flx_builder *b, const flx_contact_side *one,
                                  const flx_contact_side *other)
{
    const flx_surface *s = one->surface, *with = other->surface;
    if (!s->kind->flat || s->skin > 0.0 || with->skin > 0.0) return FLX_OK;
    if (with->kind->sharp) {
        flx_ctx_warn(
            b->ctx, one->loc,
            "a '%s' has no thickness: a '%s' that meets its face goes through it; give one of "
            "the two a 'round'",
            s->kind->row.key, with->kind->row.key);
        return FLX_OK;
    }
    if (!with->kind->touches_lines || with->size[0] > 0.0) return FLX_OK;
    return FLX_FAIL(
        b->ctx, FLX_ERR_MODEL, one->loc,
        "a '%s' has no thickness and a '%s' of radius 0 goes through it; give one of the "
        "two a 'round'",
        s->kind->row.key, with->kind->row.key);
}

static flx_status check_pair(flx_builder *b, const flx_contact_side *one,
                             const flx_contact_side *other)
{
    const flx_surface_kind *k[] = {one->surface->kind, other->surface->kind};
    FLX_TRY(check_thickness(b, one, other));
    FLX_TRY(check_thickness(b, other, one));
    if (!k[0]->open_ended || !k[1]->open_ended) {
        bool turned;
        const flx_pair *p = flx_pair_find(k[0], k[1], &turned);
        if (p && (!p->planar || b->m->dimension == 2)) return FLX_OK;
        int file = k[0]->make ? 0 : 1;
        bool hull = k[file]->make && flx_pair_find(&flx_surface_hull, k[1 - file], &turned);
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, other->loc,
                        "contact of a '%s' with a '%s' is not computed%s", k[0]->row.key,
                        k[1]->row.key,
                        p      ? " in space"
                        : hull ? "; give the body a 'hull' of the file"
                               : "");
    }
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, other->loc,
                    "a '%s' and a '%s' have no end and cannot touch: one of the two must be a body "
                    "of finite size",
                    k[0]->row.key, k[1]->row.key);
}

static bool is_line(const flx_touching *t)
{
    return t->side.surface->kind->value == FLX_SURFACE_LINE;
}

static bool is_faces(const flx_touching *t)
{
    return t->side.surface->kind->value == FLX_SURFACE_FACES;
}

// What the whole line of a beam touches, not only its nodes.
static bool is_round(const flx_touching *t)
{
    return !t->of_line && (is_line(t) || t->side.surface->kind->touches_lines);
}

// What touches faces between their nodes.
static bool is_ball(const flx_touching *t)
{
    return !t->of_line && !t->of_faces && t->side.surface->kind->touches_faces;
}

// Lines and what is round are a pair of their own, as faces and spheres are; nodes of lines and faces are for everything
// else: a ball that rolls over faces would be pushed aside by them.
static bool is_deforming(const flx_touching *a, const flx_touching *b)
{
    if (is_faces(a)) return is_faces(b) || is_ball(b);
    if (is_faces(b)) return is_ball(a);
    return (is_line(a) || is_line(b)) && is_round(a) && is_round(b);
}

static bool is_left_out(const flx_touching *a, const flx_touching *b)
{
    if (is_line(a) || is_line(b) || is_faces(a) || is_faces(b)) return !is_deforming(a, b);
    if ((a->of_line || a->of_faces) && (b->of_line || b->of_faces)) return true;
    if ((a->of_faces && is_ball(b)) || (b->of_faces && is_ball(a))) return true;
    return (a->of_line && is_round(b)) || (b->of_line && is_round(a));
}

// Of two sets of faces the nodes of each touch the faces of the other.
static void add_deforming(const flx_touching *s, int i, int k, flx_contact *c)
{
    c->deforming[c->ndeforming][0] = i;
    c->deforming[c->ndeforming++][1] = k;
    if (!is_faces(s + i) || !is_faces(s + k)) return;
    c->deforming[c->ndeforming][0] = k;
    c->deforming[c->ndeforming++][1] = i;
}

// Faces have a thickness where nodes touch them, and no lines do.
static flx_status check_faces(flx_builder *b, const flx_touching *one, const flx_touching *two)
{
    bool both = is_faces(one) && is_faces(two);
    if ((is_faces(one) && is_line(two)) || (is_line(one) && is_faces(two))) {
        return FLX_FAIL(b->ctx, FLX_ERR_CANNOT, two->side.loc,
                        "contact of 'faces' with a 'line' is not computed; give the solid 'nodes'");
    }
    if (!both || one->side.surface->size[0] + two->side.surface->size[0] > 0) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, two->side.loc,
                    "faces that touch faces need a thickness: give one of them 'round', as in "
                    "{faces: true, round: 0.002}");
}

static bool has_self(const flx_contact *c)
{
    for (int i = 0; i < c->ndeforming; i++) {
        if (c->deforming[i][0] == c->deforming[i][1]) return true;
    }
    return false;
}

// first: number of the first side of the second body; 0: all with all.
static flx_status list_pairs(flx_builder *b, const flx_item *force, const sides *all, int first,
                             bool connected, bool self, flx_contact *c)
{
    const flx_touching *s = all->of;
    size_t most = (size_t)all->n * (size_t)(all->n + 1) / 2;
    bool tied = false;
    c->pairs = flx_arena_take(b->m->arena, most, sizeof *c->pairs);
    c->deforming = flx_arena_take(b->m->arena, 2 * most, sizeof *c->deforming);
    if (!c->pairs || !c->deforming) return FLX_ERR_MEMORY;
    for (int i = 0; i < (first ? first : all->n); i++) {
        for (int k = first ? first : i + 1; k < all->n; k++) {
            if (owner(s[i].body) == owner(s[k].body)) continue;
            if (!connected && is_connected(b, owner(s[i].body), owner(s[k].body))) {
                tied = true;
                continue;
            }
            FLX_TRY(check_faces(b, s + i, s + k));
            if (is_left_out(s + i, s + k)) continue;
            if (is_deforming(s + i, s + k)) {
                add_deforming(s, i, k, c);
                continue;
            }
            FLX_TRY(check_pair(b, &s[i].side, &s[k].side));
            c->pairs[c->npair][0] = i;
            c->pairs[c->npair++][1] = k;
        }
    }
    for (int i = 0; i < all->n && self; i++) {
        if (is_line(s + i)) add_deforming(s, i, i, c);
    }
    if (self && !has_self(c)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, flx_entry_get(force->def, "self")->loc,
                        "'self' is for lines of beams; none is among the surfaces of contact '%s'",
                        force->full);
    }
    if (c->npair > 0 || c->ndeforming > 0) return FLX_OK;
    if (tied) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, force->loc,
                        "contact '%s' is between bodies that a joint ties, which do not touch; "
                        "give 'connected: true' if they are to",
                        force->full);
    }
    bool alone = all->n > 0;
    for (int i = 1; i < all->n; i++) alone = alone && owner(s[i].body) == owner(s[0].body);
    return FLX_FAIL(
        b->ctx, FLX_ERR_MODEL, force->loc, "contact '%s' has no two bodies that could touch%s",
        force->full,
        alone ? "; a body does not touch itself, nor does the line of a beam without 'self: true'"
              : "");
}

// ---- the form -----------------------------------------------------------------------------------

// Hertz's stiffness where it follows from radii; 0: it does not.
static double stiffness_of(const flx_contact *c, const flx_surface *const s[2])
{
    double curvature = 0.0;
    if (!c->material) return c->stiffness;
    for (int i = 0; i < 2; i++) {
        double own = 0.0;
        if (!s[i]->kind->curvature || !s[i]->kind->curvature(s[i], &own)) return 0.0;
        curvature += own;
    }
    return curvature > 0.0 ? flx_law_hertz(c->E, c->nu, curvature) : 0.0;
}

// `form: auto`: mixed where one of its pairs is too stiff for the steps.
static bool should_mix(const flx_builder *b, const sides *all, const flx_contact *c)
{
    bool grows = c->damping > 0 && (c->damping_exponent > 0 || c->law == FLX_CONTACT_MINDLIN);
    for (int k = 0; k < c->npair && !grows && c->ndeforming == 0; k++) {
        const flx_touching *one = all->of + c->pairs[k][0], *two = all->of + c->pairs[k][1];
        const flx_surface *const s[2] = {one->side.surface, two->side.surface};
        const flx_item *const body[2] = {one->body, two->body};
        double stiffness = stiffness_of(c, s);
        if (stiffness > 0 && flx_contact_is_stiff(b, body, stiffness, c->exponent)) return true;
    }
    return false;
}

// What the lines of beams can do.
static flx_status check_lines(flx_env *e, const flx_item *force, const flx_contact *c)
{
    const flx_contact_friction *f = &c->friction;
    const char *what = NULL;
    if (c->ndeforming == 0) return FLX_OK;
    if (c->mixed) {
        what =
            "forces along lines of beams, and on faces, are no unknowns; leave 'form: mixed' out";
    } else if (c->law == FLX_CONTACT_RIGID) { // step by step
        return FLX_OK;
    } else if (c->damping > 0 && c->law == FLX_CONTACT_PENALTY && c->damping_exponent < 1) {
        what = "damping along a line or on faces begins where they touch with nothing: "
               "'damping_exponent' "
               "must be at least 1";
    } else if (c->restores) {
        what = "the speed at which lines of beams and faces meet is not kept: give 'damping' in "
               "the place of "
               "'restitution'";
    } else if (c->material) { // of mindlin always
        what =
            "of lines of beams and faces Hertz's stiffness does not follow from 'material'; give "
            "'stiffness'";
    } else if (f->stiffness > 0 || f->rolling > 0 || f->spinning > 0 ||
               (f->coefficient > 0 && !(f->velocity > 0))) {
        what =
            "friction of lines of beams and faces needs its 'velocity', as in {coefficient: 0.3, "
            "velocity: 1e-3}, and has nothing else";
    }
    if (!what) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_CANNOT, force->loc, "contact '%s': %s", force->full, what);
}

// What points that come and go have no numbers of their own for.
static flx_status check_slots(flx_builder *b, const flx_item *force, const flx_contact *c)
{
    const flx_contact_friction *f = &c->friction;
    const char *what = NULL;
    if (c->mixed) {
        what = "their forces are no unknowns: leave 'form: mixed' out";
    } else if (f->stiffness > 0 || c->law == FLX_CONTACT_MINDLIN) {
        what = "friction has no memory of them: give it a 'velocity', as in {coefficient: 0.3, "
               "velocity: 1e-3}";
    } else if (flx_contact_is_coulomb(c)) {
        what = "stick and slip of them are not located: give friction a 'velocity', as in "
               "{coefficient: 0.3, velocity: 1e-3}";
    }
    for (int k = 0; what && c->law != FLX_CONTACT_RIGID && k < c->npair; k++) {
        const int *side = c->pairs[k];
        const flx_surface *one = c->sides[side[0]].surface, *two = c->sides[side[1]].surface;
        bool slots;
        (void)flx_gap_points(one, two, &slots);
        if (!slots) continue;
        return FLX_FAIL(b->ctx, FLX_ERR_CANNOT, force->loc,
                        "contact '%s': points where a '%s' and a '%s' touch come and go; %s",
                        force->full, one->kind->row.key, two->kind->row.key, what);
    }
    return FLX_OK;
}

// States of the springs with memory: one in the plane, two in space, for each point of each pair.
static flx_status add_memory(flx_builder *b, const flx_item *force, flx_contact *c)
{
    const flx_contact_friction *f = &c->friction;
    bool rubs = f->coefficient > 0 || f->coefficient_open;
    bool springs = f->stiffness > 0 || c->law == FLX_CONTACT_MINDLIN;
    int n = 0;
    if (!rubs || !springs || c->law == FLX_CONTACT_RIGID) return FLX_OK;
    for (int k = 0; k < c->npair; k++) {
        const int *side = c->pairs[k];
        n += flx_pair_points(c->sides[side[0]].surface, c->sides[side[1]].surface);
    }
    n *= b->m->dimension == 2 ? 1 : 2;
    for (int i = 0; i < n; i++) {
        int state;
        FLX_TRY(flx_force_keep_state(b, force, "stretch", &state));
        if (i == 0) c->memory = state;
    }
    return FLX_OK;
}

// ---- all of it ----------------------------------------------------------------------------------

flx_status flx_contact_place(flx_env *e, flx_item *force, flx_force_data *d)
{
    flx_builder *b = e->b;
    const flx_entry *on = flx_entry_get(force->def, "on"),
                    *among = flx_entry_get(force->def, "among"),
                    *tied = flx_entry_get(force->def, "connected"),
                    *own = flx_entry_get(force->def, "self");
    flx_contact *c = flx_arena_take(b->m->arena, 1, sizeof *c);
    sides all = {0};
    bool connected = false, chosen = false, self = false;
    int first = 0;
    if (!c) return FLX_ERR_MEMORY;
    *c =
        (flx_contact){.name = force->full, .loc = force->loc, .among = among != NULL, .memory = -1};
    FLX_TRY(flx_contact_read_law(e, force, c));
    FLX_TRY(flx_contact_read_friction(e, force, c));
    FLX_TRY(flx_contact_read_form(e, force, c, &chosen));
    if (tied) FLX_TRY(flx_build_flag(b, tied, "connected", &connected));
    if (own) FLX_TRY(flx_build_flag(b, own, "self", &self));
    for (int i = 0; i < b->joints.count; i++) {
        FLX_TRY(flx_joint_place(b, b->joints.items[i], force->loc));
    }
    d->body[0] = d->body[1] = b->ground;
    FLX_TRY(among ? read_among(e, force, among, &all) : read_on(e, force, d, on, &all, &first));
    c->sides = flx_arena_take(b->m->arena, (size_t)all.n, sizeof *c->sides);
    if (!c->sides) return FLX_ERR_MEMORY;
    c->nside = all.n;
    for (int i = 0; i < all.n; i++) c->sides[i] = all.of[i].side;
    FLX_TRY(list_pairs(b, force, &all, first, connected, self, c));
    if (chosen) c->mixed = should_mix(b, &all, c);
    FLX_TRY(check_lines(e, force, c));
    FLX_TRY(check_slots(b, force, c));
    FLX_TRY(add_memory(b, force, c));
    d->contact = c;
    d->def.mixed = c->mixed;
    return FLX_OK;
}
