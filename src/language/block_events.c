// block_events.c - events of the model, and the switches that decide what jumps in its expressions.
//
// A switch is a comparison (or a floor, EVE-1) of something that moves. All of them are numbered
// when every expression is there: those of motions, forces and equations act on the motion, those
// of conditions of events only set events off. What outputs and new values contain besides is
// evaluated as it stands.
#include "language/builder.h"
#include "language/scope/nums.h"

#include <stdlib.h>
#include <string.h>

#define USUAL_TOLERANCE 1e-6 // of corners of tables, where the steps are given

// ---- names --------------------------------------------------------------------------------------

flx_status flx_event_member(flx_env *e, const flx_item *event, const char *name, flx_loc loc,
                            flx_operand *out)
{
    static const char *const words[] = {"count", NULL};
    if (strcmp(name, "count") != 0) {
        return flx_member_unknown(e, event->full, name, loc, words, NULL);
    }
    FLX_TRY(flx_env_require(e, FLX_MODE_MOVING, event->full, name, loc));
    flx_leaf leaf = flx_leaf_make(FLX_LEAF_COUNT, event->number, 0);
    return flx_operand_set_node(flx_graph_leaf(e->b->g, leaf), out);
}

// ---- new values ---------------------------------------------------------------------------------

static bool is_velocity(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_is(leaf, FLX_QUANTITY_VELOCITY);
}

// Whether a node is linear in the velocities: *linear, if there is no other failure.
static flx_status find_linear(flx_builder *b, flx_node n, bool *linear)
{
    int nleaf = 0;
    flx_leaf *leaves = NULL;
    *linear = false;
    FLX_TRY(flx_graph_leaves(b->g, 1, &n, &nleaf, &leaves));
    bool any = false, all = true, memory = true;
    for (int i = 0; i < nleaf && memory && all; i++) {
        if (!is_velocity(NULL, leaves[i])) continue;
        flx_node d = flx_graph_derive(b->g, n, flx_leaf_partial, &leaves[i]);
        memory = d >= 0;
        any = true;
        all = memory && !flx_graph_depends(b->g, d, is_velocity, NULL);
    }
    flx_free(leaves);
    *linear = any && all;
    return memory ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status refuse_target(flx_builder *b, const flx_entry *key, const char *why)
{
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, key->loc, "'%s' cannot be set: %s", key->text, why);
}

static flx_status find_target(flx_builder *b, const flx_entry *key, flx_node n, flx_assignment *out)
{
    flx_leaf leaf;
    *out = (flx_assignment){.node = n, .value = -1, .loc = key->loc};
    if (flx_graph_is_leaf(b->g, n, &leaf)) {
        out->index = flx_leaf_get_index(leaf);
        const flx_leaf_traits *k = flx_leaf_traits_of(flx_leaf_get_kind(leaf));
        if (k->fixed) return refuse_target(b, key, k->fixed);
        if (k->target >= 0) {
            out->kind = (flx_target_kind)k->target;
            return FLX_OK;
        }
    }
    bool linear = false;
    FLX_TRY(find_linear(b, n, &linear));
    out->kind = FLX_TARGET_VELOCITY;
    if (linear) return FLX_OK;
    return refuse_target(b, key,
                         "an event sets variables of equations, their rates, discrete variables, "
                         "and velocities of bodies and joints");
}

// One key of `set`: as many numbers as the target has.
static flx_status add_assignments(flx_env *e, const flx_entry *key, const flx_entry *y,
                                  flx_event *out)
{
    flx_builder *b = e->b;
    flx_operand target, value;
    flx_assignment *at = out->sets + out->nset;
    FLX_TRY(flx_build_value(e, key, &target));
    FLX_TRY(flx_build_value(e, y, &value));
    if (target.kind == FLX_OPERAND_NUMBER) {
        FLX_TRY(find_target(b, key, target.node, at));
        FLX_TRY(flx_operand_to_number(e, &value, y->loc, &at->value));
        out->nset++;
        return FLX_OK;
    }
    if (target.kind != FLX_OPERAND_LIST || target.count < 1 || target.count > 3) {
        return refuse_target(b, key,
                             "an event sets variables of equations, their rates, discrete "
                             "variables, and velocities of bodies and joints");
    }
    flx_node v[3];
    FLX_TRY(flx_operand_to_vector(e, &value, y->loc, v));
    for (int i = 0; i < target.count; i++) {
        double zero;
        if (target.items[i].kind != FLX_OPERAND_NUMBER)
            return refuse_target(b, key, "it is a list");
        // in the plane the third is not there
        if (flx_graph_is_const(b->g, target.items[i].node, &zero)) continue;
        FLX_TRY(find_target(b, key, target.items[i].node, out->sets + out->nset));
        out->sets[out->nset++].value = v[i];
    }
    return FLX_OK;
}

static flx_status check_twice(flx_builder *b, const flx_event *ev)
{
    for (int i = 0; i < ev->nset; i++) {
        for (int k = 0; k < i; k++) {
            if (ev->sets[i].node != ev->sets[k].node) continue;
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, ev->sets[i].loc,
                            "event '%s' sets the same thing twice", ev->name);
        }
    }
    return FLX_OK;
}

static flx_status read_sets(flx_env *e, const flx_entry *set, flx_event *out)
{
    if (!set || set->kind != FLX_ENTRY_MAP) return FLX_OK;
    out->sets = flx_arena_take(e->b->m->arena, 3 * (size_t)set->count, sizeof *out->sets);
    if (!out->sets) return FLX_ERR_MEMORY;
    for (int i = 0; i < set->count; i++) {
        FLX_TRY(add_assignments(e, set->keys[i], set->items[i], out));
    }
    return check_twice(e->b, out);
}

// ---- events -------------------------------------------------------------------------------------

static flx_status finish_event(flx_builder *b, flx_item *item, flx_event *out)
{
    const flx_entry *when = flx_entry_get(item->def, "when"),
                    *stop = flx_entry_get(item->def, "stop");
    const flx_entry *every = flx_entry_get(item->def, "every");
    const flx_entry *start = flx_entry_get(item->def, "start");
    flx_env e, constants;
    flx_env_of(&e, b, item, FLX_MODE_MOVING);
    flx_env_of(&constants, b, item, FLX_MODE_CONSTANT);
    *out = (flx_event){.name = item->full, .loc = item->loc, .when = -1};
    if (when) {
        FLX_TRY(flx_build_node(&e, when, &out->when));
        if (!flx_graph_is_condition(b->g, out->when)) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, when->loc,
                            "a condition compares, as in 'y < 0'; this is a number");
        }
    }
    if (every) {
        FLX_TRY(flx_build_kept_positive(&constants, every, "the interval", &out->every,
                                        &out->every_open));
    }
    if (start) FLX_TRY(flx_build_kept(&constants, start, &out->start, &out->start_open));
    if (start && !(out->start >= 0)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, start->loc,
                        "a clock cannot begin before the run, at t = 0");
    }
    if (stop) FLX_TRY(flx_build_flag(b, stop, "stop", &out->stop));
    return read_sets(&e, flx_entry_get(item->def, "set"), out);
}

flx_status flx_events_finish(flx_builder *b)
{
    flx_model *m = b->m;
    m->events = flx_arena_take(m->arena, (size_t)b->events.count, sizeof *m->events);
    if (!m->events) return FLX_ERR_MEMORY;
    m->nevent = b->events.count;
    for (int i = 0; i < m->nevent; i++) {
        GO_ON(finish_event(b, b->events.items[i], &m->events[i]));
    }
    return FLX_OK;
}

// ---- switches -----------------------------------------------------------------------------------

typedef struct collector {
    flx_builder *b;
    const char *item; // being looked at
    flx_loc loc;
    bool acts, add; // in the equations; new ones are made
    int capacity;
    flx_switch *switches; // owned until all are there
} collector;

// Along a path of loads the factor moves.
static bool moves(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_get_kind(leaf) == FLX_LEAF_FACTOR ||
           !flx_leaf_is(leaf, FLX_QUANTITY_PARAMETER | FLX_QUANTITY_HELD);
}

static bool is_time(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_get_kind(leaf) == FLX_LEAF_TIME;
}

static bool is_same(const flx_switch *s, flx_switch_kind kind, flx_node value, int cut)
{
    return s->kind == kind && s->value == value && s->cut == cut;
}

// The leaf of the switch for a value: of the one that is there, or a new one.
static bool find_switch(void *user, flx_switch_kind kind, flx_node value, int cut, flx_node *leaf)
{
    collector *c = user;
    flx_model *m = c->b->m;
    int i = 0;
    *leaf = -1;
    while (i < m->nswitch && !is_same(&c->switches[i], kind, value, cut)) i++;
    if (i == m->nswitch) {
        if (!c->add) return true;
        if (flx_grow(m->ctx, (void **)&c->switches, &c->capacity, i + 1, sizeof *c->switches) !=
            FLX_OK) {
            return false;
        }
        c->switches[m->nswitch++] =
            (flx_switch){.kind = kind, .value = value, .cut = cut, .item = c->item, .loc = c->loc};
    }
    if (c->acts) c->switches[i].acts = true;
    *leaf = flx_graph_leaf(c->b->g, flx_leaf_make(FLX_LEAF_SWITCH, i, 0));
    return *leaf >= 0;
}

static flx_status freeze(flx_freezer *f, flx_node *n)
{
    if (*n < 0) return FLX_OK;
    flx_node frozen = flx_graph_freeze(f, *n);
    if (frozen < 0) return FLX_ERR_MEMORY;
    *n = frozen;
    return FLX_OK;
}

static void look_at(collector *c, const char *item, flx_loc loc)
{
    c->item = item;
    c->loc = loc;
}

// Limits whose law has a kink: a switch for each bound.
static flx_status switch_stops(collector *c, flx_model *m)
{
    flx_graph *g = m->graph;
    for (int i = 0; i < 2 * m->nstop; i++) {
        flx_stop *s = m->stops + i / 2;
        int k = i % 2;
        flx_node leaf;
        s->switches[k] = -1;
        if (s->rigid || isinf(s->bounds[k]) || s->exponent > 1.0)
            continue; // a rigid stop is a contact
        flx_node bound = node_open(g, s->bounds[k], s->bounds_open[k]);
        flx_node excess = k ? node_sub(g, s->value, bound) : node_sub(g, bound, s->value);
        look_at(c, s->name, s->loc);
        if (!find_switch(c, FLX_SWITCH_ABOVE, excess, -1, &leaf)) return FLX_ERR_MEMORY;
        flx_leaf found;
        if (flx_graph_is_leaf(g, leaf, &found)) s->switches[k] = flx_leaf_get_index(found);
    }
    return FLX_OK;
}

static flx_status freeze_equations(flx_freezer *f, collector *c, flx_model *m)
{
    for (int i = 0; i < m->njoint; i++) {
        if (m->joints[i].motion == FLX_MOTION_NONE) continue;
        look_at(c, m->joints[i].name, m->joints[i].motion_loc);
        FLX_TRY(freeze(f, &m->joints[i].motion_value));
    }
    for (int i = 0; i < m->nforce; i++) {
        look_at(c, m->forces[i].name, m->forces[i].loc);
        FLX_TRY(freeze(f, &m->forces[i].value));
        FLX_TRY(freeze(f, &m->forces[i].stored));
        FLX_TRY(freeze(f, &m->forces[i].lost));
        for (int k = 0; k < 3; k++) {
            FLX_TRY(freeze(f, &m->forces[i].force[k]));
            FLX_TRY(freeze(f, &m->forces[i].torque[k]));
        }
    }
    for (int i = 0; i < m->nvariable; i++) {
        look_at(c, m->variables[i].name, m->variables[i].loc);
        FLX_TRY(freeze(f, &m->variables[i].mass));
        FLX_TRY(freeze(f, &m->variables[i].force));
    }
    for (int i = 0; i < m->nfirst; i++) {
        look_at(c, m->firsts[i].name, m->firsts[i].loc);
        FLX_TRY(freeze(f, &m->firsts[i].derivative));
    }
    for (int i = 0; i < m->nconstraint; i++) {
        look_at(c, m->constraints[i].name, m->constraints[i].loc);
        FLX_TRY(freeze(f, &m->constraints[i].value));
    }
    for (int i = 0; i < m->ncoupling; i++) {
        look_at(c, "coupling", m->couplings[i].loc);
        FLX_TRY(freeze(f, &m->couplings[i].value));
    }
    return switch_stops(c, m);
}

static flx_status freeze_conditions(flx_freezer *f, collector *c, flx_model *m)
{
    for (int i = 0; i < m->nevent; i++) {
        flx_event *e = &m->events[i];
        look_at(c, e->name, e->loc);
        FLX_TRY(freeze(f, &e->when));
        if (e->when < 0 || !flx_graph_depends(m->graph, e->when, moves, NULL)) continue;
        return FLX_FAIL(m->ctx, FLX_ERR_MODEL, e->loc,
                        "the condition of event '%s' asks whether two numbers that move are equal, "
                        "which they are in passing only; compare them with < or >",
                        e->name);
    }
    return FLX_OK;
}

static flx_status freeze_rest(flx_freezer *f, flx_model *m)
{
    for (int i = 0; i < m->nevent; i++) {
        for (int k = 0; k < m->events[i].nset; k++) {
            FLX_TRY(freeze(f, &m->events[i].sets[k].value));
        }
    }
    for (int i = 0; i < m->outputs.ncolumn; i++) FLX_TRY(freeze(f, &m->outputs.columns[i].node));
    for (int i = 0; i < m->outputs.nprobe; i++) FLX_TRY(freeze(f, &m->outputs.probes[i].node));
    return FLX_OK;
}

// ---- names of switches ----------------------------------------------------------------------------

typedef struct named_node {
    flx_node node;
    const flx_item *item;
} named_node;

static int by_node(const void *a, const void *b)
{
    const named_node *p = a, *q = b;
    return (p->node > q->node) - (p->node < q->node);
}

// A switch takes the name of what is looked at.
static bool name_switch(void *user, flx_switch_kind kind, flx_node value, int cut, flx_node *leaf)
{
    collector *c = user;
    if (!find_switch(user, kind, value, cut, leaf)) return false;
    for (int i = 0; i < c->b->m->nswitch; i++) {
        if (!is_same(&c->switches[i], kind, value, cut)) continue;
        c->switches[i].item = c->item;
        c->switches[i].loc = c->loc;
    }
    return true;
}

// Values of signals and inputs, those of others inside them first: nodes are numbered as they are made.
static int list_named(const flx_items *items, int n, named_node *out)
{
    for (int i = 0; i < items->count; i++) {
        const flx_item *item = items->items[i];
        const flx_operand *v = item->data ? &((const flx_signal_data *)item->data)->value : NULL;
        if (!v || item->family) continue;
        bool list = v->kind == FLX_OPERAND_LIST;
        for (int k = 0; k < (list ? v->count : 1); k++) {
            const flx_operand *x = list ? v->items + k : v;
            if (x->kind != FLX_OPERAND_NUMBER || x->node < 0) continue;
            if (out) out[n] = (named_node){x->node, item};
            n++;
        }
    }
    return n;
}

// Where a signal contains a switch, that is its name, rather than the item that reads the signal.
static flx_status name_switches(flx_freezer *f, collector *c, flx_model *m)
{
    const flx_items *items = &c->b->signals;
    int n = list_named(items, 0, NULL);
    named_node *all = m->nswitch > 0 ? flx_alloc(m->ctx, (size_t)n + 1, sizeof *all) : NULL;
    if (!all) return m->nswitch > 0 ? FLX_ERR_MEMORY : FLX_OK;
    flx_status status = FLX_OK;
    list_named(items, 0, all);
    qsort(all, (size_t)n, sizeof *all, by_node);
    for (int i = 0; i < n && status == FLX_OK; i++) {
        look_at(c, all[i].item->full, all[i].item->loc);
        status = freeze(f, &all[i].node);
    }
    flx_free(all);
    return status;
}

static flx_status keep_switches(flx_model *m, const collector *c)
{
    m->switches = flx_arena_take(m->arena, (size_t)m->nswitch, sizeof *m->switches);
    if (!m->switches) return FLX_ERR_MEMORY;
    if (c->switches) memcpy(m->switches, c->switches, (size_t)m->nswitch * sizeof *c->switches);
    return FLX_OK;
}

flx_status flx_switches_finish(flx_builder *b)
{
    flx_model *m = b->m;
    collector c = {.b = b, .acts = true, .add = true};
    double rtol = m->simulate.def.rtol;
    flx_freezer equations = {.g = b->g,
                             .user = &c,
                             .moves = moves,
                             .is_time = is_time,
                             .tolerance = rtol > 0.0 ? rtol : USUAL_TOLERANCE,
                             .find = find_switch};
    flx_freezer conditions = equations, rest = equations, names = equations;
    names.find = name_switch;
    flx_status status = freeze_equations(&equations, &c, m);
    c.acts = false;
    if (status == FLX_OK) status = freeze_conditions(&conditions, &c, m);
    c.add = false;
    if (status == FLX_OK && m->nswitch > 0) status = freeze_rest(&rest, m);
    if (status == FLX_OK) status = name_switches(&names, &c, m);
    if (status == FLX_OK) status = keep_switches(m, &c);
    flx_freezer_clear(&equations);
    flx_freezer_clear(&conditions);
    flx_freezer_clear(&names);
    flx_freezer_clear(&rest);
    flx_free(c.switches);
    return status;
}
