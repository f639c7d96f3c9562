// open.c - parameters that stay open: leaves instead of numbers, for equations that are exported.
//
// A number of the model is evaluated with the values of the parameters. Where the model keeps its
// expression as well (masses, inertias, gravity, coefficients of springs, all that moves) a
// parameter may stay open; where it needs the number itself (places, axes, counts) the parameters in
// it are fixed. Fixed ones are found while the model is built, and then it is built once more.
#include "model/builder.h"

#include <string.h>

static flx_node number_of_leaf(flx_graph *g, void *user, flx_leaf leaf)
{
    const flx_open_set *s = user;
    int i = flx_leaf_get_index(leaf);
    bool parameter = flx_leaf_get_kind(leaf) == FLX_LEAF_PARAMETER && i < s->n;
    return parameter ? flx_graph_const(g, s->list[i].value) : flx_graph_leaf(g, leaf);
}

void flx_open_start(flx_open_set *s, flx_graph *g)
{
    flx_substitution_clear(&s->numbers);
    s->numbers = (flx_substitution){.g = g, .user = s, .rule = number_of_leaf};
    s->changed = false;
}

void flx_open_clear(flx_open_set *s)
{
    flx_substitution_clear(&s->numbers);
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

flx_status flx_open_parameter(flx_builder *b, const flx_item *parameter, flx_node *node)
{
    flx_open_set *s = b->open;
    int number = parameter->number;
    double value;
    bool named = s && is_named(b, parameter->full);
    if (!s || number < 0 || (b->asked->nopen > 0 && !named)) return FLX_OK;
    bool constant =
        named ? flx_open_value(b, *node, &value) : flx_graph_is_const(b->g, *node, &value);
    if (!constant) return FLX_OK;
    FLX_TRY(flx_grow(b->ctx, (void **)&s->list, &s->capacity, number + 1, sizeof *s->list));
    if (number >= s->n) s->n = number + 1;
    s->list[number].value = value;
    if (s->list[number].fixed) {
        *node = flx_graph_const(b->g, value);
    } else {
        *node = flx_graph_leaf(b->g, flx_leaf_make(FLX_LEAF_PARAMETER, number, 0));
    }
    return *node < 0 ? FLX_ERR_MEMORY : FLX_OK;
}

flx_loc flx_open_needed(const flx_builder *b, int number)
{
    const flx_open_set *s = b->open;
    return s && number < s->n && s->list[number].fixed ? s->list[number].needed : FLX_NOWHERE;
}
