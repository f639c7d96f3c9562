// names.c - tables of names, and the scope in which expressions of a model are elaborated.
#include "model/builder.h"

#include <math.h>
#include <string.h>

#define NESTED_LIMIT 150 // items resolved inside one another

// ---- tables -------------------------------------------------------------------------------------

static uint32_t hash_text(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

static int slot_of(const flx_names *n, const char *name)
{
    uint32_t mask = (uint32_t)n->capacity - 1, i = hash_text(name) & mask;
    while (n->slots[i].name && strcmp(n->slots[i].name, name) != 0) i = (i + 1) & mask;
    return (int)i;
}

flx_item *flx_names_find(const flx_names *n, const char *name)
{
    return n->capacity > 0 ? n->slots[slot_of(n, name)].item : NULL;
}

flx_status flx_names_add(flx_builder *b, flx_names *n, const char *name, flx_item *item)
{
    if (2 * (n->count + 1) > n->capacity) {
        flx_names old = *n;
        n->capacity = old.capacity > 0 ? 2 * old.capacity : 4;
        n->slots = flx_take(b, (size_t)n->capacity, sizeof *n->slots);
        if (!n->slots) {
            *n = old;
            return FLX_ERR_MEMORY;
        }
        for (int i = 0; i < old.capacity; i++) {
            if (old.slots[i].name) n->slots[slot_of(n, old.slots[i].name)] = old.slots[i];
        }
    }
    struct flx_name_slot *slot = &n->slots[slot_of(n, name)];
    if (!slot->name) n->count++;
    *slot = (struct flx_name_slot){name, item};
    return FLX_OK;
}

void flx_names_offer(const flx_names *n, flx_nearest *near)
{
    for (int i = 0; i < n->capacity; i++) {
        if (n->slots[i].name) flx_nearest_offer(near, n->slots[i].name);
    }
}

flx_status flx_items_add(flx_builder *b, flx_items *list, flx_item *item)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity > 0 ? 2 * list->capacity : 8;
        flx_item **items = flx_take(b, (size_t)capacity, sizeof(flx_item *));
        if (!items) return FLX_ERR_MEMORY;
        if (list->count > 0) memcpy(items, list->items, (size_t)list->count * sizeof(flx_item *));
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = item;
    return FLX_OK;
}

const char *flx_item_word(flx_kind kind)
{
    switch (kind) {
    case FLX_KIND_GROUND:
        return "ground";
    case FLX_KIND_PARAMETER:
        return "parameter";
    case FLX_KIND_FUNCTION:
        return "function";
    case FLX_KIND_SIGNAL:
        return "signal";
    case FLX_KIND_BODY:
        return "body";
    case FLX_KIND_POINT:
        return "point";
    case FLX_KIND_JOINT:
        return "joint";
    case FLX_KIND_FORCE:
        return "force";
    case FLX_KIND_VARIABLE:
    case FLX_KIND_FIRST:
        return "variable";
    case FLX_KIND_DISCRETE:
        return "discrete variable";
    case FLX_KIND_CONSTRAINT:
        return "constraint";
    case FLX_KIND_COUPLING:
        return "coupling";
    case FLX_KIND_EVENT:
        return "event";
    case FLX_KIND_ANALYSIS:
        return "analysis";
    case FLX_KIND_PART:
        return "part";
    }
    return "item";
}

// ---- resolution ---------------------------------------------------------------------------------

static flx_status fail_cycle(flx_builder *b, const flx_item *item, const char *cyclic, flx_loc loc)
{
    int first = b->busy.count - 1;
    while (first > 0 && b->busy.items[first] != item) first--;
    const char *chain = item->full;
    const flx_item *last = item;
    for (int i = first + 1; i < b->busy.count && chain; i++) {
        const flx_item *next = b->busy.items[i];
        if (next == last) continue; // two stages of one item
        chain = flx_arena_printf(b->scratch, "%s -> %s", chain, next->full);
        last = next;
    }
    if (!chain) return FLX_ERR_MEMORY;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "cyclic %s: %s -> %s", cyclic, chain, item->full);
}

flx_status flx_item_enter(flx_builder *b, flx_item *item, flx_item_state *state, const char *cyclic,
                          flx_loc loc, bool *skip)
{
    *skip = *state == FLX_ITEM_DONE;
    if (*skip) return FLX_OK;
    if (*state == FLX_ITEM_FAILED) return FLX_ERR_MODEL;
    if (*state == FLX_ITEM_BUSY) return fail_cycle(b, item, cyclic, loc);
    if (b->busy.count >= NESTED_LIMIT) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "'%s' rests on more than %d others, one on the next; begin the chain at "
                        "the item that rests on none",
                        item->full, NESTED_LIMIT);
    }
    FLX_TRY(flx_items_add(b, &b->busy, item));
    *state = FLX_ITEM_BUSY;
    return FLX_OK;
}

flx_status flx_item_leave(flx_builder *b, flx_item_state *state, flx_status status)
{
    b->busy.count--;
    *state = status == FLX_OK ? FLX_ITEM_DONE : FLX_ITEM_FAILED;
    if (status != FLX_OK) b->failed = true;
    return status;
}

// ---- env ----------------------------------------------------------------------------------------

static flx_status call(flx_scope *s, const flx_value *f, int n, const flx_value *args, flx_loc loc,
                       flx_value *out)
{
    flx_env *e = s->user;
    if (f->tag == FLX_TAG_MEASURE) return flx_measure_call(e, f->handle, n, args, loc, out);
    return flx_function_call(e, f->handle, n, args, loc, out);
}

static bool constant(flx_scope *s, flx_node n, double *value)
{
    return flx_build_constant(((flx_env *)s->user)->b, n, value);
}

void flx_env_init(flx_env *e, flx_builder *b, flx_space *s, const flx_local *locals, flx_mode mode)
{
    *e = (flx_env){.b = b, .space = s, .locals = locals, .mode = mode};
    e->scope = (flx_scope){.ctx = b->ctx,
                           .graph = b->g,
                           .arena = b->scratch,
                           .user = e,
                           .lookup = flx_env_lookup,
                           .member = flx_env_member,
                           .index = flx_env_index,
                           .call = call,
                           .rate = flx_env_rate,
                           .coerce = flx_env_coerce,
                           .constant = constant};
}

void flx_env_of(flx_env *e, flx_builder *b, const flx_item *item, flx_mode mode)
{
    flx_env_init(e, b, item->space, item->locals, mode);
}

flx_value flx_value_number(flx_node n)
{
    return (flx_value){.kind = FLX_VALUE_NUMBER, .node = n};
}

flx_value flx_value_item(const flx_item *item)
{
    return (flx_value){.kind = FLX_VALUE_HANDLE, .handle = item, .tag = FLX_TAG_ITEM, .node = -1};
}

const flx_item *flx_value_get_item(const flx_value *v)
{
    return v->kind == FLX_VALUE_HANDLE && v->tag == FLX_TAG_ITEM ? v->handle : NULL;
}

flx_status flx_env_require(flx_env *e, flx_mode mode, const char *what, const char *name,
                           flx_loc loc)
{
    if (e->mode >= mode) return FLX_OK;
    const char *dot = name ? "." : "";
    if (!name) name = "";
    switch (e->mode) {
    case FLX_MODE_CONSTANT:
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "'%s%s%s' changes in time; only constants are allowed here", what, dot,
                        name);
    case FLX_MODE_TIME:
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "'%s%s%s' depends on the motion; here only the time t may be used", what,
                        dot, name);
    default:
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "'%s%s%s' is known only when a step is done: it may be used in outputs, "
                        "not in forces, equations and events",
                        what, dot, name);
    }
}

// ---- leaves that only outputs know --------------------------------------------------------------

static bool known_in_outputs_only(void *user, flx_leaf leaf)
{
    const char *what = NULL;
    switch (flx_leaf_get_kind(leaf)) {
    case FLX_LEAF_BODY_ACCELERATION:
    case FLX_LEAF_BODY_SPIN_RATE:
    case FLX_LEAF_VARIABLE_RATE2:
        what = "an acceleration";
        break;
    case FLX_LEAF_STATE_RATE:
        what = "the rate of a first-order variable";
        break;
    case FLX_LEAF_ENERGY:
        what = "the energy";
        break;
    case FLX_LEAF_MOMENTUM:
        what = "the momentum";
        break;
    case FLX_LEAF_LOAD:
        what = "the load of a node";
        break;
    case FLX_LEAF_CONSTRAINTS:
        what = "the residual of the constraints";
        break;
    case FLX_LEAF_SECTION:
        what = "the force in a section";
        break;
    case FLX_LEAF_MODES:
        what = "the result of an analysis";
        break;
    case FLX_LEAF_STRESS:
        what = "the largest stress of a body";
        break;
    default:
        return false;
    }
    *(const char **)user = what;
    return true;
}

bool flx_value_output_only(flx_builder *b, const flx_value *v, const char **what)
{
    if (v->kind == FLX_VALUE_NUMBER) {
        return flx_graph_depends(b->g, v->node, known_in_outputs_only, (void *)what);
    }
    for (int i = 0; v->kind == FLX_VALUE_LIST && i < v->count; i++) {
        if (flx_value_output_only(b, &v->items[i], what)) return true;
    }
    return false;
}

static bool has_no_rate(void *user, flx_leaf leaf)
{
    flx_leaf_kind kind = flx_leaf_get_kind(leaf);
    if (kind == FLX_LEAF_ALGEBRAIC) {
        *(const char **)user = "an algebraic variable";
        return true;
    }
    if (kind == FLX_LEAF_REACTION || kind == FLX_LEAF_DRIVE || kind == FLX_LEAF_MULTIPLIER ||
        kind == FLX_LEAF_PULL) {
        *(const char **)user = "a reaction";
        return true;
    }
    return known_in_outputs_only(user, leaf);
}

flx_status flx_env_rate(flx_scope *s, flx_node n, flx_loc loc, flx_node *out)
{
    flx_env *e = s->user;
    const char *what = NULL;
    if (e->mode == FLX_MODE_CONSTANT) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc,
                        "a rate is not a constant; only constants are allowed here");
    }
    if (flx_graph_depends(s->graph, n, has_no_rate, (void *)&what)) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "there is no rate of %s", what);
    }
    *out = flx_graph_derive(s->graph, n, flx_leaf_time_rate, e->b->m);
    if (*out < 0) return FLX_ERR_MEMORY;
    if (e->mode < FLX_MODE_OUTPUT &&
        flx_graph_depends(s->graph, *out, known_in_outputs_only, (void *)&what)) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc,
                        "this rate contains %s, which is known only when a step is done: it may be "
                        "used in outputs, not in forces, equations and events",
                        what);
    }
    return FLX_OK;
}

// ---- names in expressions -----------------------------------------------------------------------

static flx_status signal_value(flx_env *e, flx_item *item, flx_loc loc, flx_value *out)
{
    FLX_TRY(flx_env_require(e, FLX_MODE_TIME, item->full, NULL, loc));
    FLX_TRY(flx_signal_resolve(e->b, item, loc));
    const flx_signal_data *d = item->data;
    if (d->output_only && e->mode < FLX_MODE_OUTPUT) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "signal '%s' contains %s, which is known only when a step is done: it may "
                        "be used in outputs, not in forces, equations and events",
                        item->full, d->what);
    }
    *out = d->value;
    return FLX_OK;
}

static flx_status variable_value(flx_env *e, flx_item *item, flx_loc loc, flx_value *out)
{
    FLX_TRY(flx_env_require(e, FLX_MODE_MOVING, item->full, NULL, loc));
    flx_leaf leaf = flx_leaf_make(FLX_LEAF_VARIABLE, item->number, 0);
    if (item->kind == FLX_KIND_DISCRETE) leaf = flx_leaf_make(FLX_LEAF_DISCRETE, item->number, 0);
    if (item->kind == FLX_KIND_FIRST) {
        FLX_TRY(flx_first_classify(e->b, item, loc));
        const flx_first_data *d = item->data;
        leaf = flx_leaf_make(d->algebraic ? FLX_LEAF_ALGEBRAIC : FLX_LEAF_STATE, d->number, 0);
    }
    *out = flx_value_number(flx_graph_leaf(e->b->g, leaf));
    return out->node < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

// What an item is in an expression.
static flx_status item_value(flx_env *e, flx_item *item, flx_loc loc, flx_value *out)
{
    *out = flx_value_item(item);
    if (item->broken) return FLX_ERR_MODEL;
    if (item->family) return FLX_OK;
    switch (item->kind) {
    case FLX_KIND_PARAMETER:
        FLX_TRY(flx_parameter_resolve(e->b, item, loc));
        *out = ((flx_parameter_data *)item->data)->value;
        return FLX_OK;
    case FLX_KIND_FUNCTION:
        out->kind = FLX_VALUE_FUNCTION;
        return FLX_OK;
    case FLX_KIND_SIGNAL:
        return signal_value(e, item, loc, out);
    case FLX_KIND_VARIABLE:
    case FLX_KIND_FIRST:
    case FLX_KIND_DISCRETE:
        return variable_value(e, item, loc, out);
    default:
        return FLX_OK;
    }
}

static const char *const groups[] = {"energy", "momentum", "constraints", NULL};

static flx_status fail_unknown(flx_env *e, const char *name, flx_loc loc)
{
    flx_nearest near;
    flx_nearest_start(&near, name);
    for (const flx_local *l = e->locals; l; l = l->next) flx_nearest_offer(&near, l->name);
    flx_names_offer(&e->space->names, &near);
    flx_nearest_offer(&near, "ground");
    for (const char *const *w = groups; *w; w++) flx_nearest_offer(&near, *w);
    for (const char *const *w = flx_expr_builtin_names(); *w; w++) flx_nearest_offer(&near, *w);
    for (const char *const *w = flx_measure_words; e->measure && *w; w++) {
        flx_nearest_offer(&near, *w);
    }
    const char *best = flx_nearest_best(&near), *what = e->scope.called ? "function" : "name";
    if (best && name[1]) { // every letter is near every other
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "unknown %s '%s'; did you mean '%s'?", what,
                        name, best);
    }
    const flx_item *part = e->space->part;
    if (part) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "unknown %s '%s'; part '%s' sees only the names of its own model", what,
                        name, part->full);
    }
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "unknown %s '%s'", what, name);
}

flx_status flx_env_lookup(flx_scope *s, const char *name, flx_loc loc, flx_value *out)
{
    flx_env *e = s->user;
    for (const flx_local *l = e->locals; l; l = l->next) {
        if (strcmp(l->name, name) == 0) {
            *out = l->value;
            return FLX_OK;
        }
    }
    flx_item *item = flx_names_find(&e->space->names, name);
    if (item) return item_value(e, item, loc, out);
    if (strcmp(name, "t") == 0) {
        FLX_TRY(flx_env_require(e, FLX_MODE_TIME, "t", NULL, loc));
        *out = flx_value_number(flx_graph_leaf(s->graph, flx_leaf_make(FLX_LEAF_TIME, 0, 0)));
        return out->node < 0 ? FLX_ERR_MEMORY : FLX_OK;
    }
    if (strcmp(name, "ground") == 0) {
        *out = flx_value_item(e->b->ground);
        return FLX_OK;
    }
    for (const char *const *w = groups; *w; w++) {
        if (strcmp(name, *w) != 0) continue;
        *out =
            (flx_value){.kind = FLX_VALUE_HANDLE, .handle = *w, .tag = FLX_TAG_GROUP, .node = -1};
        return FLX_OK;
    }
    for (const char *const *w = flx_measure_words; e->measure && *w; w++) {
        if (strcmp(name, *w) != 0) continue;
        *out = (flx_value){
            .kind = FLX_VALUE_FUNCTION, .handle = *w, .tag = FLX_TAG_MEASURE, .node = -1};
        return FLX_OK;
    }
    return fail_unknown(e, name, loc);
}

// ---- members ------------------------------------------------------------------------------------

flx_status flx_member_unknown(flx_env *e, const char *of, const char *name, flx_loc loc,
                              const char *const *words, const flx_names *names)
{
    flx_nearest near;
    flx_nearest_start(&near, name);
    for (const char *const *w = words; w && *w; w++) flx_nearest_offer(&near, *w);
    if (names) flx_names_offer(names, &near);
    const char *best = flx_nearest_best(&near);
    if (best) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "'%s' has no '%s'; did you mean '%s'?", of,
                        name, best);
    }
    char list[512];
    size_t used = 0;
    list[0] = 0;
    for (const char *const *w = words; w && *w; w++) {
        size_t length = strlen(*w);
        if (used + length + 3 > sizeof list) break;
        if (used > 0) {
            memcpy(list + used, ", ", 2);
            used += 2;
        }
        memcpy(list + used, *w, length + 1);
        used += length;
    }
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "'%s' has no '%s'%s%s", of, name,
                    used > 0 ? "; it has " : "", list);
}

static flx_status fail_family(flx_env *e, const flx_item *item, flx_loc loc)
{
    if (item->count == 0) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "'%s' is repeated no times: there is none",
                        item->full);
    }
    return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                    "'%s' stands for %s(%d) to %s(%d); say which one", item->full, item->full,
                    item->lo, item->full, item->lo + item->count - 1);
}

static flx_status part_member(flx_env *e, const flx_item *part, const char *name, flx_loc loc,
                              flx_value *out)
{
    flx_space *space = part->data;
    flx_item *item = flx_names_find(&space->names, name);
    if (item) return item_value(e, item, loc, out);
    if (strcmp(name, "com") == 0) {
        *out = (flx_value){
            .kind = FLX_VALUE_HANDLE, .handle = part, .tag = FLX_TAG_PART_COM, .node = -1};
        return FLX_OK;
    }
    static const char *const words[] = {"com", NULL};
    return flx_member_unknown(e, part->full, name, loc, words, &space->names);
}

static flx_status constraint_member(flx_env *e, flx_item *item, const char *name, flx_loc loc,
                                    flx_value *out)
{
    static const char *const words[] = {"multiplier", NULL};
    if (strcmp(name, "multiplier") != 0) {
        return flx_member_unknown(e, item->full, name, loc, words, NULL);
    }
    FLX_TRY(flx_env_require(e, FLX_MODE_MOVING, item->full, name, loc));
    *out = flx_value_number(
        flx_graph_leaf(e->b->g, flx_leaf_make(FLX_LEAF_MULTIPLIER, item->number, 0)));
    return out->node < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

// What modes have found, as numbers that do not change during the run.
static flx_status analysis_member(flx_env *e, const flx_item *item, const char *name, flx_loc loc,
                                  flx_value *out)
{
    static const char *const words[] = {"eigenvalues", "frequencies", "damping", NULL};
    flx_builder *b = e->b;
    const flx_analysis *a = NULL;
    int word = 0;
    while (words[word] && strcmp(name, words[word]) != 0) word++;
    for (int i = 0; i < b->m->nanalysis; i++) {
        if (b->analyses.items[i] == item) a = b->m->analyses + i;
    }
    if (!words[word] || (a && a->kind != FLX_ANALYSIS_MODES)) {
        bool modes = a && a->kind == FLX_ANALYSIS_MODES;
        return flx_member_unknown(e, item->full, name, loc, modes ? words : NULL, NULL);
    }
    FLX_TRY(flx_env_require(e, FLX_MODE_OUTPUT, item->full, name, loc));
    if (!a || a->count == 0) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "give '%s' a count: every mode is a column of the output", item->full);
    }
    if (a->about == FLX_ABOUT_END) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "'%s' is about the end of the run and is not known during it; see "
                        "'flexion analyse'",
                        item->full);
    }
    int each = word == 0 ? 2 : 1;
    *out = (flx_value){.kind = FLX_VALUE_LIST, .node = -1, .count = each * a->count};
    out->tag = word == 0 ? FLX_TAG_PAIRS : FLX_TAG_NUMBERED;
    out->items = flx_take(b, (size_t)out->count, sizeof *out->items);
    if (!out->items) return FLX_ERR_MEMORY;
    for (int i = 0; i < out->count; i++) {
        int component = word == 0 ? 4 * (i / 2) + i % 2 : 4 * i + word + 1;
        flx_leaf leaf = flx_leaf_make(FLX_LEAF_MODES, (int)(a - b->m->analyses), component);
        out->items[i] = flx_value_number(flx_graph_leaf(b->g, leaf));
        if (out->items[i].node < 0) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

const char *const flx_quaternion_parts[] = {"w", "x", "y", "z", NULL};
const char *const flx_tensor_parts[] = {"xx", "yy", "zz", "xy", "yz", "xz", NULL};

static flx_status list_member(flx_env *e, const flx_value *list, const char *of,
                              const char *const *words, const char *name, flx_loc loc,
                              flx_value *out)
{
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], name) != 0) continue;
        *out = list->items[i];
        return FLX_OK;
    }
    return flx_member_unknown(e, of, name, loc, words, NULL);
}

flx_status flx_env_member(flx_scope *s, const flx_value *of, const char *name, flx_loc loc,
                          flx_value *out)
{
    flx_env *e = s->user;
    if (of->kind == FLX_VALUE_HANDLE && of->tag == FLX_TAG_QUATERNION) {
        return list_member(e, of->handle, "orientation", flx_quaternion_parts, name, loc, out);
    }
    if (of->kind == FLX_VALUE_HANDLE && of->tag == FLX_TAG_TENSOR) {
        return list_member(e, of->handle, "it", flx_tensor_parts, name, loc, out);
    }
    if (of->kind == FLX_VALUE_HANDLE && of->tag == FLX_TAG_PART_COM) {
        return flx_part_com_member(e, of->handle, name, loc, out);
    }
    if (of->kind == FLX_VALUE_HANDLE && of->tag == FLX_TAG_GROUP) {
        return flx_group_member(e, of->handle, name, loc, out);
    }
    flx_item *item = (flx_item *)flx_value_get_item(of);
    if (!item) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "'.%s' does not belong to anything here", name);
    }
    if (item->family) return fail_family(e, item, loc);
    switch (item->kind) {
    case FLX_KIND_GROUND:
    case FLX_KIND_BODY:
    case FLX_KIND_POINT:
        return flx_body_member(e, item, name, loc, out);
    case FLX_KIND_JOINT:
        return flx_joint_member(e, item, name, loc, out);
    case FLX_KIND_FORCE:
        return flx_force_member(e, item, name, loc, out);
    case FLX_KIND_PART:
        return part_member(e, item, name, loc, out);
    case FLX_KIND_CONSTRAINT:
        return constraint_member(e, item, name, loc, out);
    case FLX_KIND_EVENT:
        return flx_event_member(e, item, name, loc, out);
    case FLX_KIND_ANALYSIS:
        return analysis_member(e, item, name, loc, out);
    default:
        return flx_member_unknown(e, item->full, name, loc, NULL, NULL);
    }
}

// ---- indices ------------------------------------------------------------------------------------

static flx_status integer_of(flx_env *e, const flx_value *v, flx_loc loc, int *out)
{
    double x;
    if (v->kind != FLX_VALUE_NUMBER || !flx_build_constant(e->b, v->node, &x)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "an index must be a constant number");
    }
    double r = round(x);
    // Rounding of an expression such as 0.3/0.1 is forgiven.
    if (!(fabs(x - r) <= 1e-9) || !(fabs(r) < 1e9)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "an index must be a whole number, not %g",
                        x);
    }
    *out = (int)r;
    return FLX_OK;
}

static flx_status index_family(flx_env *e, const flx_item *f, const flx_value *arg, flx_loc loc,
                               flx_item **out)
{
    int i = 0;
    FLX_TRY(integer_of(e, arg, loc, &i));
    if (i < f->lo || i >= f->lo + f->count) {
        if (f->count == 0) return fail_family(e, f, loc);
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "there is no %s(%d): %s has the indices %d to %d", f->full, i, f->full,
                        f->lo, f->lo + f->count - 1);
    }
    *out = f->members[i - f->lo];
    return FLX_OK;
}

static flx_status index_list(flx_env *e, const flx_value *list, const flx_value *arg, flx_loc loc,
                             flx_value *out)
{
    int i = 0;
    FLX_TRY(integer_of(e, arg, loc, &i));
    if (list->kind != FLX_VALUE_LIST) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "there are more indices than repetitions");
    }
    if (i < 1 || i > list->count) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "index %d of a list with the indices 1 to %d", i, list->count);
    }
    *out = list->items[i - 1];
    return FLX_OK;
}

// node(7) and mode(3) of an elastic body.
static flx_status index_elastic(flx_env *e, const flx_value *of, flx_item *body, int number,
                                flx_loc loc, flx_value *out)
{
    flx_builder *b = e->b;
    FLX_TRY(flx_flexible_ready(b, body, loc));
    if (of->tag == FLX_TAG_NODES) {
        flx_item *point = NULL;
        int node = 0;
        FLX_TRY(flx_flexible_find(b, body, number, loc, &node));
        FLX_TRY(flx_flexible_point(b, body, node, &point));
        *out = flx_value_item(point);
        return FLX_OK;
    }
    int n = ((const flx_body_data *)body->data)->flex.e->n;
    FLX_TRY(flx_env_require(e, FLX_MODE_MOVING, body->full, "mode", loc));
    if (number > n) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "'%s' has %d modes, and no mode(%d)",
                        body->full, n, number);
    }
    *out = flx_value_number(flx_flexible_mode(b, body, number - 1));
    return out->node < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

// node(7), point(0.5), mode(3) of a flexible body, whose physics comes later: a place on the line
// between its ends, or nothing.
static flx_status index_flexible(flx_env *e, const flx_value *of, int n, const flx_value *args,
                                 flx_loc loc, flx_value *out)
{
    flx_item *body = (flx_item *)of->handle;
    flx_body_data *d = body->data;
    double x = 0, at[3] = {0, 0, 0};
    if (n != 1 || args[0].kind != FLX_VALUE_NUMBER ||
        !flx_graph_is_const(e->b->g, args[0].node, &x)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "'%s' takes one constant number here",
                        body->full);
    }
    if (of->tag != FLX_TAG_LENGTH) {
        int i = 0;
        FLX_TRY(integer_of(e, &args[0], loc, &i));
        if (i < 1) {
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "nodes and modes are counted from 1");
        }
    } else if (!(x >= 0 && x <= 1)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "point(%g): the part of the length is between 0 and 1", x);
    }
    bool elastic = flx_body_is_elastic(body) && e->b->m->nunavailable == 0;
    if (elastic && of->tag != FLX_TAG_LENGTH)
        return index_elastic(e, of, body, (int)round(x), loc, out);
    if (of->tag == FLX_TAG_MODES && flx_body_is_beam(e->b, body)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "'%s' is a beam and has nodes, not modes",
                        body->full);
    }
    if (of->tag == FLX_TAG_MODES) {
        FLX_TRY(flx_env_require(e, FLX_MODE_MOVING, body->full, "mode", loc));
        return flx_env_stand_in(e, 1, out);
    }
    FLX_TRY(flx_body_place(e->b, body, loc));
    if (flx_body_is_beam(e->b, body)) {
        flx_item *node = NULL;
        bool length = of->tag == FLX_TAG_LENGTH;
        FLX_TRY(length ? flx_beam_point(e->b, body, x, loc, &node)
                       : flx_beam_node(e->b, body, (int)round(x), loc, &node));
        *out = flx_value_item(node);
        return FLX_OK;
    }
    if (of->tag == FLX_TAG_NODES && flx_body_is_solid(e->b, body)) {
        flx_item *node = NULL;
        FLX_TRY(flx_solid_node(e->b, body, (int)round(x), loc, &node));
        *out = flx_value_item(node);
        return FLX_OK;
    }
    if (of->tag == FLX_TAG_LENGTH) {
        for (int k = 0; k < 3; k++) at[k] = (1 - x) * d->start[k] + x * d->end[k];
    }
    const char *name =
        flx_arena_printf(e->b->scratch, "%s(%g)", of->tag == FLX_TAG_NODES ? "node" : "point", x);
    flx_item *point = NULL;
    if (!name) return FLX_ERR_MEMORY;
    FLX_TRY(flx_body_make_point(e->b, body, name, at, &point));
    ((flx_point_data *)point->data)->flexible = true;
    *out = flx_value_item(point);
    return FLX_OK;
}

flx_status flx_env_index(flx_scope *s, const flx_value *of, int n, const flx_value *args,
                         flx_loc loc, flx_value *out)
{
    flx_env *e = s->user;
    if (of->kind == FLX_VALUE_HANDLE && of->tag >= FLX_TAG_NODES && of->tag <= FLX_TAG_MODES) {
        return index_flexible(e, of, n, args, loc, out);
    }
    flx_item *item = (flx_item *)flx_value_get_item(of);
    if (!item || !item->family) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "'%s' is not repeated and takes no index",
                        item ? item->full : "this");
    }
    int k = 0;
    while (k < n && item->family) FLX_TRY(index_family(e, item, &args[k++], loc, &item));
    FLX_TRY(item_value(e, item, loc, out));
    while (k < n) {
        flx_value list = *out;
        FLX_TRY(index_list(e, &list, &args[k++], loc, out));
    }
    return FLX_OK;
}

// ---- handles as numbers -------------------------------------------------------------------------

flx_status flx_env_coerce(flx_scope *s, const flx_value *of, flx_loc loc, flx_value *out)
{
    flx_env *e = s->user;
    if (of->kind == FLX_VALUE_HANDLE &&
        (of->tag == FLX_TAG_QUATERNION || of->tag == FLX_TAG_TENSOR)) {
        *out = *(const flx_value *)of->handle;
        return FLX_OK;
    }
    if (of->kind == FLX_VALUE_HANDLE && of->tag == FLX_TAG_PART_COM) {
        return flx_part_com_member(e, of->handle, "position", loc, out);
    }
    if (of->kind == FLX_VALUE_HANDLE && of->tag == FLX_TAG_GROUP) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc,
                        "'%s' is not a number; say which, as in '%s.%s'", (const char *)of->handle,
                        (const char *)of->handle,
                        strcmp(of->handle, "energy") == 0     ? "total"
                        : strcmp(of->handle, "momentum") == 0 ? "linear"
                                                              : "position");
    }
    flx_item *item = (flx_item *)flx_value_get_item(of);
    if (!item) return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "this is not a number");
    if (item->family) return fail_family(e, item, loc);
    switch (item->kind) {
    case FLX_KIND_GROUND:
    case FLX_KIND_BODY:
    case FLX_KIND_POINT:
        return flx_body_member(e, item, "position", loc, out);
    case FLX_KIND_CONSTRAINT:
        FLX_TRY(flx_env_require(e, FLX_MODE_MOVING, item->full, NULL, loc));
        *out = flx_value_number(-1);
        return flx_constraint_value(e->b, item, loc, &out->node);
    case FLX_KIND_PART: {
        flx_space *space = item->data;
        FLX_TRY(flx_space_place(e->b, space));
        flx_node p[3];
        for (int i = 0; i < 3; i++) p[i] = flx_graph_const(s->graph, space->position[i]);
        return flx_env_point(e, p, out);
    }
    case FLX_KIND_JOINT:
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc,
                        "joint '%s' is not a number; it has signals, as in '%s.angle'", item->full,
                        item->full);
    case FLX_KIND_FORCE:
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc,
                        "force '%s' is not a number; it has signals, as in '%s.value'", item->full,
                        item->full);
    default:
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, loc, "%s '%s' is not a number",
                        flx_item_word(item->kind), item->full);
    }
}
