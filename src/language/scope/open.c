// open.c - parameters that stay open: leaves instead of numbers, for equations that are exported.
//
// A number of the model is evaluated with the values of the parameters. Where the model keeps its
// expression as well (masses, inertias, gravity, coefficients of springs, all that moves) a
// parameter may stay open; where it needs the number itself (places, axes, counts) the parameters in
// it are fixed. Fixed ones are found while the model is built, and then it is built once more.
#include "language/builder.h"

#include <string.h>

static flx_node number_of_leaf(flx_graph *g, void *user, flx_leaf leaf)
{
    const flx_open_set *s = user;
    int i = flx_leaf_get_index(leaf);
    bool parameter = flx_leaf_get_kind(leaf) == FLX_LEAF_PARAMETER && i < s->n;
    return parameter ? flx_graph_const(g, s->list[i].values[flx_leaf_get_component(leaf)])
                     : flx_graph_leaf(g, leaf);
}

void flx_open_start(flx_open_set *s, flx_graph *g)
{
    flx_substitution_clear(&s->numbers);
    s->numbers = (flx_substitution){.g = g, .user = s, .rule = number_of_leaf};
    s->changed = false;
    for (int i = 0; i < s->n; i++) s->list[i].open = false;
}

void flx_open_clear(flx_open_set *s)
{
    flx_substitution_clear(&s->numbers);
    for (int i = 0; i < s->n; i++) flx_free(s->list[i].values);
    flx_free(s->list);
    *s = (flx_open_set){0};
}

bool flx_open_value(flx_builder *b, flx_node n, double *out)
{
    if (flx_graph_is_const(b->g, n, out)) return true;
    if (!b->open) return false;
    flx_node number = flx_graph_substitute(&b->open->numbers, n);
    return number >= 0 && flx_graph_is_const(b->g, number, out);
}

// The parameters in a node are needed as numbers. false: no memory.
static bool fix_leaves(flx_builder *b, flx_node n, flx_loc loc)
{
    flx_leaf *leaves = NULL;
    int count = 0;
    if (flx_graph_leaves(b->g, 1, &n, &count, &leaves) != FLX_OK) return false;
    for (int i = 0; i < count; i++) {
        if (flx_leaf_get_kind(leaves[i]) != FLX_LEAF_PARAMETER) continue;
        flx_open_one *one = &b->open->list[flx_leaf_get_index(leaves[i])];
        if (!one->fixed) one->needed = loc;
        one->fixed = b->open->changed = true;
    }
    flx_free(leaves);
    return true;
}

bool flx_build_constant(flx_builder *b, flx_node n, flx_loc loc, double *out)
{
    if (flx_graph_is_const(b->g, n, out)) return true;
    return flx_open_value(b, n, out) && fix_leaves(b, n, loc);
}

flx_node flx_open_fix(flx_builder *b, flx_node n, flx_loc loc)
{
    if (n < 0 || !b->open || flx_graph_is_const(b->g, n, NULL)) return n;
    return fix_leaves(b, n, loc) ? flx_graph_substitute(&b->open->numbers, n) : -1;
}

static bool is_named(const flx_builder *b, const char *name)
{
    for (int i = 0; i < b->asked->nopen; i++) {
        if (strcmp(b->asked->open[i], name) == 0) return true;
    }
    return false;
}

flx_status flx_open_check_asked(flx_builder *b)
{
    for (int i = 0; i < b->asked->nopen; i++) {
        const char *name = b->asked->open[i];
        flx_nearest near;
        bool found = false;
        flx_nearest_start(&near, name);
        for (int k = 0; k < b->parameters.count && !found; k++) {
            const flx_item *p = b->parameters.items[k];
            if (p->space->part) continue;
            found = strcmp(p->full, name) == 0;
            flx_nearest_offer(&near, p->full);
        }
        const char *best = flx_nearest_best(&near);
        if (found) continue;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, FLX_NOWHERE, "the model has no parameter '%s'%s%s%s",
                        name, best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
    }
    return FLX_OK;
}

#define MOST_ENTRIES 256 // of a list that may be open: components of a leaf

// A list of numbers, or a number: how many; 0: lists of lists, and those that are too long.
static int count_entries(const flx_operand *v)
{
    if (v->kind == FLX_OPERAND_NUMBER) return 1;
    for (int i = 0; i < v->count; i++) {
        if (v->items[i].kind != FLX_OPERAND_NUMBER) return 0;
    }
    return v->count <= MOST_ENTRIES ? v->count : 0;
}

// Their values, where all are constants, or for one that is asked for by name of open parameters.
static flx_status take_values(flx_builder *b, const flx_operand *v, bool named, flx_open_one *one,
                              bool *constant)
{
    int n = count_entries(v);
    *constant = n > 0;
    if (n != one->count) {
        flx_free(one->values);
        one->values = flx_alloc(b->ctx, (size_t)n, sizeof *one->values);
        if (!one->values) return FLX_ERR_MEMORY;
        one->count = n;
    }
    for (int i = 0; i < n && *constant; i++) {
        flx_node node = v->kind == FLX_OPERAND_NUMBER ? v->node : v->items[i].node;
        double *x = one->values + i;
        *constant = named ? flx_open_value(b, node, x) : flx_graph_is_const(b->g, node, x);
    }
    return FLX_OK;
}

// Entries may be shared with other lists: the list gets its own.
static flx_status set_nodes(flx_builder *b, int number, const flx_open_one *one, flx_operand *v)
{
    flx_operand *items =
        v->kind == FLX_OPERAND_LIST ? flx_take(b, (size_t)one->count, sizeof *items) : v;
    if (!items) return FLX_ERR_MEMORY;
    for (int i = 0; i < one->count; i++) {
        flx_node n = one->fixed
                         ? flx_graph_const(b->g, one->values[i])
                         : flx_graph_leaf(b->g, flx_leaf_make(FLX_LEAF_PARAMETER, number, i));
        items[i] = flx_operand_number(n);
        if (n < 0) return FLX_ERR_MEMORY;
    }
    if (v->kind == FLX_OPERAND_LIST) v->items = items;
    return FLX_OK;
}

flx_status flx_build_limit(flx_builder *b, const flx_limit *l)
{
    flx_model *m = b->m;
    if (!l->value_open) return FLX_OK;
    FLX_TRY(flx_grow(b->ctx, (void **)&m->limits, &m->limit_capacity, m->nlimit + 1,
                     sizeof *m->limits));
    m->limits[m->nlimit++] = *l;
    return FLX_OK;
}

flx_status flx_open_parameter(flx_builder *b, const flx_item *parameter, flx_operand *value)
{
    flx_open_set *s = b->open;
    int number = parameter->number;
    bool named = s && is_named(b, parameter->full), constant;
    if (!s || number < 0 || (b->asked->nopen > 0 && !named)) return FLX_OK;
    if (s->exported && value->kind != FLX_OPERAND_NUMBER) return FLX_OK;
    FLX_TRY(flx_grow(b->ctx, (void **)&s->list, &s->capacity, number + 1, sizeof *s->list));
    if (number >= s->n) s->n = number + 1;
    flx_open_one *one = &s->list[number];
    FLX_TRY(take_values(b, value, named, one, &constant));
    if (!constant) return FLX_OK;
    one->open = !one->fixed;
    return set_nodes(b, number, one, value);
}

bool flx_open_is(const flx_builder *b, int number)
{
    return b->open && number < b->open->n && b->open->list[number].open;
}

flx_loc flx_open_needed(const flx_builder *b, int number)
{
    const flx_open_set *s = b->open;
    return s && number < s->n && s->list[number].fixed ? s->list[number].needed : FLX_NOWHERE;
}
