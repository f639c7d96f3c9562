// load_factors.c - what the load factors of analyses multiply: values of forces, motions of joints, gravity and
// parameters. Every analysis with loads has a factor of its own, a leaf that is 1 outside of it.
#include "language/analyses/analysis_reader.h"
#include "model/nodes.h"

#include <string.h>

static const char *word_of(const flx_entry *map, const char *key)
{
    const flx_entry *y = flx_entry_get(map, key);
    return y && y->kind == FLX_ENTRY_SCALAR ? y->text : "";
}

bool flx_loads_has_factor(const flx_item *analysis)
{
    return flx_analysis_reader_of(analysis, NULL)->loads;
}

// A repeated item goes by the name of its family, too.
static bool is_named(const flx_entry *y, const char *full, const char *family)
{
    if (y->kind != FLX_ENTRY_SCALAR) return false;
    return strcmp(y->text, full) == 0 || (family && strcmp(y->text, family) == 0);
}

static bool names(const flx_item *analysis, const char *full, const char *family, bool parameter)
{
    const flx_entry *load = flx_entry_get(analysis->def, "load");
    if (!load) return !parameter; // all loads
    if (load->kind == FLX_ENTRY_SCALAR) return is_named(load, full, family);
    for (int i = 0; load->kind == FLX_ENTRY_LIST && i < load->count; i++) {
        if (is_named(load->items[i], full, family)) return true;
    }
    return false;
}

flx_status flx_loads_scale(flx_builder *b, const flx_item *item, int n, flx_node *nodes)
{
    bool parameter = item->kind == FLX_KIND_PARAMETER, top = !item->space->part;
    if (b->open && b->open->exported) return FLX_OK; // those equations are of the run
    for (int k = 0; k < b->analyses.count; k++) {
        const flx_item *a = b->analyses.items[k];
        if (!flx_loads_has_factor(a)) continue;
        if (!names(a, item->full, top ? item->base : NULL, parameter)) continue;
        flx_node factor = node_leaf(b->g, FLX_LEAF_FACTOR, k, 0);
        for (int i = 0; i < n; i++) {
            if (nodes[i] < 0) continue;
            nodes[i] = node_mul(b->g, factor, nodes[i]);
            if (nodes[i] < 0) return FLX_ERR_MEMORY;
        }
    }
    return FLX_OK;
}

static flx_node unit_leaf(flx_graph *g, void *user, flx_leaf leaf)
{
    (void)user;
    bool load = flx_leaf_get_kind(leaf) == FLX_LEAF_FACTOR;
    return load ? flx_graph_const(g, 1.0) : flx_graph_leaf(g, leaf);
}

bool flx_loads_value(flx_builder *b, flx_node n, double *out)
{
    flx_substitution one = {.g = b->g, .rule = unit_leaf};
    flx_node number = flx_graph_substitute(&one, n);
    flx_substitution_clear(&one);
    return number >= 0 && flx_graph_is_const(b->g, number, out);
}

// ---- the names -----------------------------------------------------------------------------------

static const char *why_no_load(const flx_item *item)
{
    const char *type = word_of(item->def, "type");
    switch (item->kind) {
    case FLX_KIND_PARAMETER:
        return NULL;
    case FLX_KIND_JOINT:
        if (!flx_entry_get(item->def, "motion")) return "the joint has no motion";
        return NULL;
    case FLX_KIND_FORCE:
        if (strcmp(type, "spring") == 0 || strcmp(type, "bushing") == 0 ||
            strcmp(type, "contact") == 0 || strcmp(type, "gravitation") == 0) {
            return "it follows from the positions, and has no value of its own";
        }
        return NULL;
    default:
        return "loads are forces with a value, joints with a motion, parameters and 'gravity'";
    }
}

static flx_status check_name(flx_builder *b, const flx_entry *y, flx_analysis *out)
{
    const char *word = y->kind == FLX_ENTRY_SCALAR ? y->text : "";
    if (strcmp(word, "gravity") == 0) {
        out->gravity = true;
        return FLX_OK;
    }
    const flx_item *item = flx_names_find(&b->top->names, word);
    const flx_items *lists[] = {&b->forces, &b->joints, &b->parameters};
    flx_nearest near;
    flx_nearest_start(&near, word);
    flx_nearest_offer(&near, "gravity");
    for (int l = 0; l < 3; l++) {
        for (int i = 0; i < lists[l]->count; i++) {
            const flx_item *one = lists[l]->items[i];
            if (strcmp(one->full, word) == 0) item = one; // also in a part
            if (!why_no_load(one)) flx_nearest_offer(&near, one->full);
        }
    }
    const char *why = item ? why_no_load(item) : NULL;
    if (item && item->family && item->count > 0) why = why_no_load(item->members[0]);
    if (item && !why) return FLX_OK;
    if (item) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "'%s' is no load: %s", word, why);
    }
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc, "there is no load '%s'%s%s%s", word,
                    best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

flx_status flx_loads_finish(flx_builder *b, const flx_item *analysis, flx_analysis *out)
{
    const flx_entry *load = flx_entry_get(analysis->def, "load");
    if (!load) {
        out->gravity = true;
        return FLX_OK;
    }
    if (load->kind == FLX_ENTRY_SCALAR) return check_name(b, load, out);
    for (int i = 0; load->kind == FLX_ENTRY_LIST && i < load->count; i++) {
        FLX_TRY(check_name(b, load->items[i], out));
    }
    return FLX_OK;
}
