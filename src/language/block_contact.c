// block_contact.c - forces of type contact: which surfaces may touch each other, and the law between them.
#include "contact/pair.h"
#include "language/contact_parts.h"
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

static flx_status check_pair(flx_builder *b, const flx_contact_side *one,
                             const flx_contact_side *other)
{
    const flx_surface_kind *k[] = {one->surface->kind, other->surface->kind};
    if (!k[0]->open_ended || !k[1]->open_ended) {
        bool turned;
        const flx_pair *p = flx_pair_find(k[0], k[1], &turned);
        if (p && (!p->planar || b->m->dimension == 2)) return FLX_OK;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, other->loc,
                        "contact of a '%s' with a '%s' is not computed%s", k[0]->row.key,
                        k[1]->row.key, p ? " in space" : "");
    }
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, other->loc,
                    "a '%s' and a '%s' have no end and cannot touch: one of the two must be a body "
                    "of finite size",
                    k[0]->row.key, k[1]->row.key);
}

static bool is_line(const flx_touching *t)
{
    return t->side.surface->kind == &flx_surface_line;
}

// What the whole line of a beam touches, not only its nodes.
static bool is_round(const flx_touching *t)
{
    const flx_surface_kind *k = t->side.surface->kind;
    return !t->of_line && (is_line(t) || k == &flx_surface_sphere || k == &flx_surface_capsule);
}

// Lines and what is round are a pair of their own; the nodes of a line are for everything else.
static bool is_deforming(const flx_touching *a, const flx_touching *b)
{
    return (is_line(a) || is_line(b)) && is_round(a) && is_round(b);
}

static bool is_left_out(const flx_touching *a, const flx_touching *b)
{
    if (is_line(a) || is_line(b)) return !is_deforming(a, b);
    if (a->of_line && b->of_line) return true;
    return (a->of_line && is_round(b)) || (b->of_line && is_round(a));
}

// first: number of the first side of the second body; 0: all with all.
static flx_status list_pairs(flx_builder *b, const flx_item *force, const sides *all, int first,
                             bool connected, flx_contact *c)
{
    const flx_touching *s = all->of;
    size_t most = (size_t)all->n * (size_t)(all->n - 1) / 2;
    bool tied = false;
    c->pairs = flx_arena_take(b->m->arena, most, sizeof *c->pairs);
    c->deforming = flx_arena_take(b->m->arena, most, sizeof *c->deforming);
    if (!c->pairs || !c->deforming) return FLX_ERR_MEMORY;
    for (int i = 0; i < (first ? first : all->n); i++) {
        for (int k = first ? first : i + 1; k < all->n; k++) {
            if (owner(s[i].body) == owner(s[k].body)) continue;
            if (!connected && is_connected(b, owner(s[i].body), owner(s[k].body))) {
                tied = true;
                continue;
            }
            if (is_left_out(s + i, s + k)) continue;
            if (is_deforming(s + i, s + k)) {
                c->deforming[c->ndeforming][0] = i;
                c->deforming[c->ndeforming++][1] = k;
                continue;
            }
            FLX_TRY(check_pair(b, &s[i].side, &s[k].side));
            c->pairs[c->npair][0] = i;
            c->pairs[c->npair++][1] = k;
        }
    }
    if (c->npair > 0 || c->ndeforming > 0) return FLX_OK;
    if (tied) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, force->loc,
                        "contact '%s' is between bodies that a joint ties, which do not touch; "
                        "give 'connected: true' if they are to",
                        force->full);
    }
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, force->loc,
                    "contact '%s' has no two bodies that could touch", force->full);
}

// ---- the law ------------------------------------------------------------------------------------

// What a law reads: needed (N), may be (M), or has no place (-).
typedef struct law_row {
    const char *word;
    flx_contact_law law;
    const char *stiffness, *exponent, *damping, *more, *restitution;
} law_row;

static const law_row laws[] = {
    {"restitution", FLX_CONTACT_RIGID, "-", "-", "-", "-", "M"},
    {"hertz", FLX_CONTACT_HERTZ, "N", "-", "-", "-", "-"},
    {"hunt-crossley", FLX_CONTACT_HUNT_CROSSLEY, "N", "M", "M", "-", "M"},
    {"lankarani-nikravesh", FLX_CONTACT_LANKARANI, "N", "M", "-", "-", "N"},
    {"flores", FLX_CONTACT_FLORES, "N", "M", "-", "-", "N"},
    {"penalty", FLX_CONTACT_PENALTY, "N", "M", "M", "M", "-"},
};
#define NLAW ((int)(sizeof laws / sizeof *laws))

static flx_status check_key(flx_builder *b, const flx_item *force, const law_row *law,
                            const char *key, const char *need)
{
    const flx_entry *y = flx_entry_get(force->def, key);
    if (y && need[0] == '-') {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "'%s' has no meaning with law '%s'", key,
                        law->word);
    }
    if (y || need[0] != 'N') return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, force->loc, "contact '%s' of law '%s' needs '%s'",
                    force->full, law->word, key);
}

static flx_status check_keys(flx_builder *b, const flx_item *force, const law_row *law)
{
    static const char *const more[] = {"damping_exponent", "damping_on", "pull"};
    const char *need = law->stiffness;
    bool material = flx_entry_get(force->def, "material");
    if (material && need[0] == 'N') need = "M";
    FLX_TRY(check_key(b, force, law, "material", need[0] == 'N' ? "M" : need));
    if (need[0] == 'N' && !flx_entry_get(force->def, "stiffness")) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, force->loc,
                        "contact '%s' of law '%s' needs 'stiffness', or 'material'", force->full,
                        law->word);
    }
    FLX_TRY(check_key(b, force, law, "stiffness", need));
    FLX_TRY(check_key(b, force, law, "exponent", law->exponent));
    FLX_TRY(check_key(b, force, law, "damping", law->damping));
    FLX_TRY(check_key(b, force, law, "restitution", law->restitution));
    FLX_TRY(check_key(b, force, law, "form", law->stiffness[0] == 'N' ? "M" : "-"));
    for (int i = 0; i < 3; i++) FLX_TRY(check_key(b, force, law, more[i], law->more));
    if (law->law == FLX_CONTACT_HUNT_CROSSLEY && !flx_entry_get(force->def, "damping") &&
        !flx_entry_get(force->def, "restitution")) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, force->loc,
                        "contact '%s' of law 'hunt-crossley' needs 'damping' or 'restitution'; "
                        "without either it is 'hertz'",
                        force->full);
    }
    return FLX_OK;
}

// A number of the law that stays open; limits hold for values that are set later as well.
static flx_status read_number(flx_env *e, const flx_item *force, const flx_entry *map,
                              const char *key, bool positive, double *out, flx_open *open)
{
    const flx_entry *y = flx_entry_get(map, key);
    if (!y) return FLX_OK;
    FLX_TRY(flx_build_kept(e, y, out, open));
    if (!isfinite(*out) || *out < 0 || (positive && *out == 0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, y->loc, "'%s' of contact '%s' %s, it is %g", key,
                        force->full, positive ? "must be positive" : "cannot be negative", *out);
    }
    const flx_limit l = {
        .what = key, .name = force->full, .loc = y->loc, .value_open = *open, .positive = positive};
    return flx_build_limit(e->b, &l);
}

// A number that decides about the structure of the law.
static flx_status read_fixed(flx_env *e, const flx_item *force, const char *key, double *out)
{
    const flx_entry *y = flx_entry_get(force->def, key);
    return y ? flx_build_number(e, y, out) : FLX_OK;
}

static flx_status refuse(flx_env *e, const flx_item *force, const char *key, const char *what)
{
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, flx_entry_get(force->def, key)->loc,
                    "'%s' of contact '%s' %s", key, force->full, what);
}

static flx_status read_restitution(flx_env *e, const flx_item *force, flx_contact *c)
{
    if (!flx_entry_get(force->def, "restitution")) return FLX_OK;
    FLX_TRY(read_number(e, force, force->def, "restitution", false, &c->restitution,
                        &c->restitution_open));
    if (c->restitution > 1) return refuse(e, force, "restitution", "cannot be larger than 1");
    if (c->restitution == 0 && c->law != FLX_CONTACT_RIGID && c->law != FLX_CONTACT_LANKARANI) {
        return refuse(e, force, "restitution",
                      "must be positive: no damping of this law takes all of the speed");
    }
    c->restores = c->law != FLX_CONTACT_RIGID;
    return FLX_OK;
}

static flx_status read_material(flx_env *e, const flx_item *force, flx_contact *c)
{
    const flx_entry *y = flx_entry_get(force->def, "material");
    if (!y) return FLX_OK;
    bool list = y->kind == FLX_ENTRY_LIST;
    c->material = true;
    for (int i = 0; i < 2; i++) {
        const flx_entry *one = list ? y->items[i] : y, *E = flx_entry_get(one, "E");
        const flx_entry *nu = flx_entry_get(one, "nu");
        c->nu[i] = 0.3;
        if (E->kind == FLX_ENTRY_SCALAR && strcmp(E->text, "infinite") == 0) {
            c->E[i] = HUGE_VAL;
        } else {
            FLX_TRY(read_number(e, force, one, "E", true, &c->E[i], &c->E_open[i]));
        }
        if (!nu) continue;
        FLX_TRY(flx_build_kept(e, nu, &c->nu[i], &c->nu_open[i]));
        if (c->nu[i] > -1 && c->nu[i] <= 0.5) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, nu->loc,
                        "Poisson's ratio is above -1 and at most 0.5, not %g", c->nu[i]);
    }
    if (isinf(c->E[0]) && isinf(c->E[1])) {
        return refuse(e, force, "material", "is rigid on both sides; law 'restitution' is that");
    }
    return FLX_OK;
}

static flx_status read_law(flx_env *e, const flx_item *force, flx_contact *c)
{
    static const char *const sides_of_damping[] = {"both", "approach", NULL};
    const char *words[NLAW + 1] = {0};
    const flx_entry *y, *def = force->def;
    int k = 0, on = 0;
    for (int i = 0; i < NLAW; i++) words[i] = laws[i].word;
    FLX_TRY(flx_build_need(e->b, force, "law", &y));
    FLX_TRY(flx_build_word(e->b, y, "law", words, &k));
    c->law = laws[k].law;
    FLX_TRY(check_keys(e->b, force, laws + k));
    c->exponent = c->law == FLX_CONTACT_PENALTY ? 1.0 : 1.5;
    FLX_TRY(read_fixed(e, force, "exponent", &c->exponent));
    FLX_TRY(read_fixed(e, force, "damping_exponent", &c->damping_exponent));
    if (!(c->exponent >= 1) || !isfinite(c->exponent)) {
        return refuse(e, force, "exponent", "must be at least 1");
    }
    if (!(c->damping_exponent >= 0) || !isfinite(c->damping_exponent)) {
        return refuse(e, force, "damping_exponent", "must not be negative");
    }
    FLX_TRY(read_number(e, force, def, "stiffness", true, &c->stiffness, &c->stiffness_open));
    FLX_TRY(read_number(e, force, def, "damping", false, &c->damping, &c->damping_open));
    FLX_TRY(read_material(e, force, c));
    FLX_TRY(read_restitution(e, force, c));
    if ((y = flx_entry_get(def, "pull"))) FLX_TRY(flx_build_flag(e->b, y, "pull", &c->pulls));
    if ((y = flx_entry_get(def, "damping_on"))) {
        FLX_TRY(flx_build_word(e->b, y, "damping_on", sides_of_damping, &on));
        c->approach = on == 1;
    }
    return FLX_OK;
}

static flx_status read_friction(flx_env *e, const flx_item *force, flx_contact *c)
{
    const flx_entry *y = flx_entry_get(force->def, "friction");
    flx_contact_friction *f = &c->friction;
    if (!y) return FLX_OK;
    if (y->kind != FLX_ENTRY_MAP) {
        FLX_TRY(read_number(e, force, force->def, "friction", false, &f->coefficient,
                            &f->coefficient_open));
        f->sticking = f->coefficient;
        f->sticking_open = f->coefficient_open;
        return FLX_OK;
    }
    FLX_TRY(read_number(e, force, y, "coefficient", false, &f->coefficient, &f->coefficient_open));
    f->sticking = f->coefficient;
    f->sticking_open = f->coefficient_open;
    FLX_TRY(read_number(e, force, y, "static", false, &f->sticking, &f->sticking_open));
    if (f->sticking < f->coefficient) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, flx_entry_get(y, "static")->loc,
                        "what sticks holds at least what slides: 'static' is %g, 'coefficient' %g",
                        f->sticking, f->coefficient);
    }
    FLX_TRY(read_number(e, force, y, "velocity", true, &f->velocity, &f->velocity_open));
    FLX_TRY(read_number(e, force, y, "stiffness", true, &f->stiffness, &f->stiffness_open));
    FLX_TRY(read_number(e, force, y, "rolling", false, &f->rolling, &f->rolling_open));
    FLX_TRY(read_number(e, force, y, "spinning", false, &f->spinning, &f->spinning_open));
    static const char *const soft[] = {"velocity", "stiffness"};
    for (int i = 0; i < 2 && c->law == FLX_CONTACT_RIGID; i++) {
        const flx_entry *key = flx_entry_get(y, soft[i]);
        if (!key) continue;
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, key->loc,
                        "'%s' of friction belongs to compliant laws; the rigid law has Coulomb's "
                        "friction as it is",
                        soft[i]);
    }
    return FLX_OK;
}

// Whether the normal force is an unknown.
static flx_status read_form(flx_env *e, const flx_item *force, flx_contact *c)
{
    static const char *const words[] = {"plain", "auto", "mixed", NULL};
    const flx_entry *form = flx_entry_get(force->def, "form");
    int k = 0;
    if (!form) return FLX_OK;
    FLX_TRY(flx_build_word(e->b, form, "form", words, &k));
    c->mixed = k == 2;
    if (c->mixed && c->damping > 0 && c->damping_exponent > 0) {
        return refuse(e, force, "form",
                      "cannot be 'mixed' with a 'damping_exponent': the depth does not follow from "
                      "the force then; hunt-crossley's damping grows with the depth, too");
    }
    return FLX_OK;
}

// What the lines of beams can do.
static flx_status check_lines(flx_env *e, const flx_item *force, const flx_contact *c)
{
    const flx_contact_friction *f = &c->friction;
    const char *what = NULL;
    if (c->ndeforming == 0) return FLX_OK;
    if (c->mixed) {
        what = "forces along lines of beams are no unknowns; leave 'form: mixed' out";
    } else if (c->law == FLX_CONTACT_RIGID) {
        what = "lines of beams touch spheres, capsules and each other by compliant laws alone, as "
               "in {law: penalty, stiffness: 1e5}";
    } else if (c->damping > 0 && c->law == FLX_CONTACT_PENALTY && c->damping_exponent < 1) {
        what = "damping along a line begins where it touches with nothing: 'damping_exponent' "
               "must be at least 1";
    } else if (c->restores) {
        what = "the speed at which lines of beams meet is not kept: give 'damping' in the place of "
               "'restitution'";
    } else if (c->material) {
        what = "of lines of beams Hertz's stiffness does not follow from 'material'; give "
               "'stiffness'";
    } else if (f->stiffness > 0 || f->rolling > 0 || f->spinning > 0 ||
               (f->coefficient > 0 && !(f->velocity > 0))) {
        what = "friction of lines of beams needs its 'velocity', as in {coefficient: 0.3, "
               "velocity: 1e-3}, and has nothing else";
    }
    if (!what) return FLX_OK;
    return FLX_FAIL(e->b->ctx, FLX_ERR_CANNOT, force->loc, "contact '%s': %s", force->full, what);
}

// ---- all of it ----------------------------------------------------------------------------------

flx_status flx_contact_place(flx_env *e, flx_item *force, flx_force_data *d)
{
    flx_builder *b = e->b;
    const flx_entry *on = flx_entry_get(force->def, "on"),
                    *among = flx_entry_get(force->def, "among"),
                    *tied = flx_entry_get(force->def, "connected");
    flx_contact *c = flx_arena_take(b->m->arena, 1, sizeof *c);
    sides all = {0};
    bool connected = false;
    int first = 0;
    if (!c) return FLX_ERR_MEMORY;
    *c = (flx_contact){.name = force->full, .loc = force->loc, .among = among != NULL};
    FLX_TRY(read_law(e, force, c));
    FLX_TRY(read_friction(e, force, c));
    FLX_TRY(read_form(e, force, c));
    if (tied) FLX_TRY(flx_build_flag(b, tied, "connected", &connected));
    for (int i = 0; i < b->joints.count; i++) {
        FLX_TRY(flx_joint_place(b, b->joints.items[i], force->loc));
    }
    d->body[0] = d->body[1] = b->ground;
    FLX_TRY(among ? read_among(e, force, among, &all) : read_on(e, force, d, on, &all, &first));
    c->sides = flx_arena_take(b->m->arena, (size_t)all.n, sizeof *c->sides);
    if (!c->sides) return FLX_ERR_MEMORY;
    c->nside = all.n;
    for (int i = 0; i < all.n; i++) c->sides[i] = all.of[i].side;
    FLX_TRY(list_pairs(b, force, &all, first, connected, c));
    FLX_TRY(check_lines(e, force, c));
    d->contact = c;
    d->def.mixed = c->mixed;
    return FLX_OK;
}
