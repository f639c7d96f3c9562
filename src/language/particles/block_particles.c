// block_particles.c - a set of particles becomes discrete variables, a clock that sets them, forces on bodies that are walls, and signals
// (docs/theory/particles.md). What the clock does beside its own assignments is done by the run (src/simulate/exchange).
#include "language/particles/particles_parts.h"

#include <string.h>

size_t flx_particles_item_size(void)
{
    return sizeof(flx_particles_item);
}

// ---- walls --------------------------------------------------------------------------------------

static flx_status add_wall(flx_control_draft *d, const flx_entry *y, flx_item *body)
{
    flx_particles_item *p = (flx_particles_item *)d->data;
    if (body->family) {
        for (int i = 0; i < body->count; i++) FLX_TRY(add_wall(d, y, body->members[i]));
        return FLX_OK;
    }
    if (body->kind != FLX_KIND_BODY && body->kind != FLX_KIND_GROUND) {
        return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, y->loc,
                        "%s '%s' is no wall; a wall is a rigid body or the ground",
                        flx_item_word(body->kind), body->full);
    }
    for (int i = 0; i < p->nwall; i++) {
        if (p->walls[i].body != body) continue;
        return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, y->loc,
                        "'%s' is there twice among the walls; give it a list of surfaces",
                        body->full);
    }
    flx_wall_draft *all = flx_take(d->b, (size_t)p->nwall + 1, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    if (p->nwall > 0) memcpy(all, p->walls, (size_t)p->nwall * sizeof *all);
    all[p->nwall++] = (flx_wall_draft){.entry = y,
                                       .name = body->name,
                                       .body = body,
                                       .moves = body->kind == FLX_KIND_BODY,
                                       .pose = -1,
                                       .load = -1};
    p->walls = all;
    return FLX_OK;
}

static flx_status find_walls(flx_control_draft *d)
{
    const flx_entry *walls = flx_control_key(d, "walls");
    flx_env e;
    flx_env_of(&e, d->b, d->item, FLX_MODE_MOVING);
    for (int i = 0; walls && i < walls->count; i++) {
        const flx_entry *y = walls->items[i];
        const flx_entry *on = y->kind == FLX_ENTRY_MAP ? flx_entry_get(y, "on") : y;
        flx_operand v;
        FLX_TRY(flx_build_value(&e, on, &v));
        flx_item *item = (flx_item *)flx_operand_get_item(&v);
        if (!item) {
            return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, on->loc,
                            "a wall is a rigid body or the ground; '%s' is none",
                            on->text ? on->text : "this");
        }
        FLX_TRY(add_wall(d, y, item));
    }
    return FLX_OK;
}

// ---- what it becomes ----------------------------------------------------------------------------

static flx_entry *list_of(flx_control_draft *d, flx_entry *a, flx_entry *b, flx_entry *c)
{
    flx_entry *y = flx_take(d->b, 1, sizeof *y);
    if (!y || !a || !b || !c) return NULL;
    *y = (flx_entry){.kind = FLX_ENTRY_LIST, .loc = d->item->loc, .count = 3};
    y->items = flx_take(d->b, 3, sizeof(flx_entry *));
    if (!y->items) return NULL;
    y->items[0] = a;
    y->items[1] = b;
    y->items[2] = c;
    return y;
}

// A force or a torque on a wall: `on_drum`, `torque_on_drum`.
static flx_status add_load(flx_control_draft *d, const char *type, const char *name,
                           const flx_wall_draft *w, flx_entry *value)
{
    static const char *const keys[] = {"type", "on", "at", "value"};
    bool force = strcmp(type, "force") == 0;
    flx_entry *map = flx_control_map(d, 4);
    flx_entry *values[] = {flx_control_text(d, "%s", type), flx_control_text(d, "%s", w->name),
                           force ? flx_control_text(d, "%s.com", w->name) : NULL, value};
    for (int i = 0; i < 4 && map; i++) {
        flx_entry *key = flx_control_text(d, "%s", keys[i]);
        if (!force && i == 2) continue;
        if (!key || !values[i]) return FLX_ERR_MEMORY;
        flx_control_put(map, key, values[i]);
    }
    return flx_control_item(d, FLX_KIND_FORCE, name, map, d->self, &d->b->forces);
}

// Force F and moment M about the origin, which a force and a torque at the centre of mass x are: F, M - x x F (DEM-6).
static flx_status push_wall(flx_control_draft *d, flx_wall_draft *w, int number)
{
    static const char axes[] = "xyz";
    char name[96];
    size_t n = strlen(w->name);
    if (n > 60) {
        return FLX_FAIL(d->b->ctx, FLX_ERR_MODEL, w->entry->loc,
                        "the name of wall '%s' is too long", w->name);
    }
    memcpy(name, w->name, n + 1);
    for (size_t i = 0; i < n; i++) {
        if (name[i] == '(' || name[i] == ')' || name[i] == ',' || name[i] == ' ') name[i] = '_';
    }
    while (n > 0 && name[n - 1] == '_') name[--n] = '\0';
    const char *force = flx_arena_printf(d->b->m->arena, "on_%s", name);
    const char *torque = flx_arena_printf(d->b->m->arena, "torque_on_%s", name);
    if (!force || !torque) return FLX_ERR_MEMORY;
    flx_entry *F[3], *M[3];
    int at = FLX_WALL_LOAD * number;
    for (int c = 0; c < 3; c++) {
        int a = (c + 1) % 3, b = (c + 2) % 3;
        F[c] = flx_control_text(d, "self.load(%d)", at + c + 1);
        M[c] = flx_control_text(
            d,
            "self.load(%d) - (%s.com.position.%c*self.load(%d) - %s.com.position.%c*self.load(%d))",
            at + c + 4, w->name, axes[a], at + b + 1, w->name, axes[b], at + a + 1);
    }
    FLX_TRY(add_load(d, "force", force, w, list_of(d, F[0], F[1], F[2])));
    FLX_TRY(add_load(d, "torque", torque, w, list_of(d, M[0], M[1], M[2])));
    static const char *const parts[] = {"com.position", "ex", "ey", "com.velocity",
                                        "angular_velocity"};
    for (int k = 0; k < FLX_WALL_POSE; k++) {
        FLX_TRY(
            flx_control_set(d, flx_control_text(d, "self.pose(%d)", FLX_WALL_POSE * number + k + 1),
                            flx_control_text(d, "%s.%s.%c", w->name, parts[k / 3], axes[k % 3])));
    }
    return FLX_OK;
}

static flx_status add_signal(flx_control_draft *d, const char *name, int sum, bool vector)
{
    if (!vector) return flx_control_signal(d, name, flx_control_text(d, "self.sums(%d)", sum + 1));
    return flx_control_signal(d, name,
                              list_of(d, flx_control_text(d, "self.sums(%d)", sum + 1),
                                      flx_control_text(d, "self.sums(%d)", sum + 2),
                                      flx_control_text(d, "self.sums(%d)", sum + 3)));
}

static flx_status add_signals(flx_control_draft *d)
{
    static const struct {
        const char *name;
        int sum;
        bool vector;
    } all[] = {{"count", FLX_SUM_COUNT, false},
               {"mass", FLX_SUM_MASS, false},
               {"contacts", FLX_SUM_CONTACTS, false},
               {"kinetic", FLX_SUM_KINETIC, false},
               {"potential", FLX_SUM_POTENTIAL, false},
               {"elastic", FLX_SUM_ELASTIC, false},
               {"supplied", FLX_SUM_SUPPLIED, false},
               {"dissipated", FLX_SUM_DISSIPATED, false},
               {"defect", FLX_SUM_DEFECT, false},
               {"gone", FLX_SUM_GONE, false},
               {"speed", FLX_SUM_SPEED, false},
               {"momentum", FLX_SUM_MOMENTUM, true},
               {"angular_momentum", FLX_SUM_ANGULAR, true}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        FLX_TRY(add_signal(d, all[i].name, all[i].sum, all[i].vector));
    return flx_control_signal(d, "energy",
                              flx_control_text(d, "self.kinetic + self.potential + self.elastic"));
}

// `gravel.com`, with members of its own.
static flx_status add_centre(flx_control_draft *d)
{
    flx_particles_item *p = (flx_particles_item *)d->data;
    flx_particles_item *own = flx_take(d->b, 1, sizeof *own);
    flx_item *com = flx_take(d->b, 1, sizeof *com);
    const char *full = flx_arena_printf(d->b->m->arena, "%s.com", d->item->full);
    if (!own || !com || !full) return FLX_ERR_MEMORY;
    *com = *d->item;
    com->name = com->full = com->base = full;
    com->data = own;
    p->com = com;
    flx_control_draft of = *d;
    of.item = com;
    of.data = &own->control;
    FLX_TRY(add_signal(&of, "position", FLX_SUM_CENTRE, true));
    return add_signal(&of, "velocity", FLX_SUM_VELOCITY, true);
}

static flx_status add_clock(flx_control_draft *d)
{
    flx_entry *event = flx_control_map(d, 2), *every = flx_control_text(d, "every");
    flx_entry *set = flx_control_text(d, "set"), *one = flx_control_text(d, "1");
    if (!event || !every || !set || !one) return FLX_ERR_MEMORY;
    flx_control_put(event, every, one); // the interval follows from the numbers
    if (d->set->count > 0) flx_control_put(event, set, d->set);
    return flx_control_item(d, FLX_KIND_EVENT, "exchange", event, d->self, &d->b->events);
}

flx_status flx_particles_declare(flx_builder *b, flx_item *item)
{
    flx_particles_item *p = item->data;
    flx_control_draft d = {.b = b, .item = item, .data = &p->control, .nset = 8, .sampled = true};
    flx_local *self = flx_take(b, 1, sizeof *self);
    if (!self) return FLX_ERR_MEMORY;
    *self = (flx_local){"self", flx_operand_item(item), item->locals};
    d.self = self;
    d.set = flx_control_map(&d, d.nset);
    if (!d.set) return FLX_ERR_MEMORY;
    if (b->particles.count > 1) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, item->loc,
                        "a model has one set of particles, and '%s' is there already; spheres of "
                        "several sizes are `classes` of one set",
                        b->particles.items[0]->full);
    }
    FLX_TRY(find_walls(&d));
    int moving = 0;
    for (int i = 0; i < p->nwall; i++) moving += p->walls[i].moves;
    p->sums = b->discretes.count;
    FLX_TRY(flx_control_discrete(&d, "sums", FLX_SUMS));
    int pose = b->discretes.count, load = pose + FLX_WALL_POSE * moving;
    if (moving > 0) FLX_TRY(flx_control_discrete(&d, "pose", FLX_WALL_POSE * moving));
    if (moving > 0) FLX_TRY(flx_control_discrete(&d, "load", FLX_WALL_LOAD * moving));
    for (int i = 0, k = 0; i < p->nwall; i++) {
        flx_wall_draft *w = p->walls + i;
        if (!w->moves) continue;
        w->pose = pose + FLX_WALL_POSE * k;
        w->load = load + FLX_WALL_LOAD * k;
        FLX_TRY(push_wall(&d, w, k++));
    }
    FLX_TRY(add_signals(&d));
    FLX_TRY(add_centre(&d));
    p->event = b->events.count;
    FLX_TRY(add_clock(&d));
    // without anything else the time alone goes on
    bool alone = b->bodies.count + b->variables.count + b->firsts.count == 0;
    return alone ? flx_control_state(&d, "time", 0, flx_control_text(&d, "1")) : FLX_OK;
}

flx_status flx_particles_member(flx_env *e, flx_item *item, const char *name, flx_loc loc,
                                flx_operand *out)
{
    flx_particles_item *p = item->data;
    if (p->com && strcmp(name, "com") == 0) {
        *out = flx_operand_item(p->com);
        return FLX_OK;
    }
    return flx_control_member(e, item, name, loc, out);
}
