// design_rows.c - goals and conditions of a model as rows of numbers. A largest of several is cut into its parts:
//     min max_i f_i   is   min z  with  f_i <= z                                                          (DES-1)
#include "optimise/design_parts.h"

#include "expr/graph.h"

#include <string.h>

typedef struct maker {
    flx_model *m;
    flx_arena *arena;
    design_rows *r;
    flx_node *nodes;
    int room;
} maker;

static flx_status add(maker *k, flx_node node, flx_node limit, int owner, bool equal)
{
    design_rows *r = k->r;
    if (r->nrow == k->room) {
        size_t room = 2 * (size_t)k->room + 16, n = (size_t)r->nrow;
        flx_node *nodes = flx_arena_take(k->arena, room, sizeof *nodes);
        int *owners = flx_arena_take(k->arena, room, sizeof *owners);
        bool *equals = flx_arena_take(k->arena, room, sizeof *equals);
        if (!nodes || !owners || !equals) return FLX_ERR_MEMORY;
        if (n > 0) {
            memcpy(nodes, k->nodes, n * sizeof *nodes);
            memcpy(owners, r->owner, n * sizeof *owners);
            memcpy(equals, r->equal, n * sizeof *equals);
        }
        k->nodes = nodes;
        r->owner = owners;
        r->equal = equals;
        k->room = (int)room;
    }
    if (limit >= 0) node = flx_graph_binary(k->m->graph, FLX_OP_SUB, node, limit);
    if (node < 0) return FLX_ERR_MEMORY;
    k->nodes[r->nrow] = node;
    r->owner[r->nrow] = owner;
    r->equal[r->nrow++] = equal;
    return FLX_OK;
}

// What an analysis of type frequency calls its peak.
static bool is_peak(const flx_model *m, flx_node n, flx_leaf *leaf)
{
    if (!flx_graph_is_leaf(m->graph, n, leaf) || flx_leaf_get_kind(*leaf) != FLX_LEAF_MEASURE)
        return false;
    int k = flx_leaf_get_index(*leaf) - m->outputs.nmetric;
    if (k < 0) return false;
    const flx_sought *s = m->optimise.sought + k;
    return strcmp(s->text, "peak") == 0 && m->analyses[s->analysis].kind == FLX_ANALYSIS_FREQUENCY;
}

static flx_status add_parts(maker *k, flx_node node, flx_node limit, int owner)
{
    const flx_graph_node *n = k->m->graph->nodes + node;
    flx_leaf leaf;
    if (n->op == FLX_OP_MAX) {
        int a = n->a, b = n->b;
        FLX_TRY(add_parts(k, a, limit, owner));
        return add_parts(k, b, limit, owner);
    }
    if (!is_peak(k->m, node, &leaf)) return add(k, node, limit, owner, false);
    for (int i = 1; i <= DESIGN_PEAKS + 1; i++) {
        flx_leaf part = flx_leaf_make(FLX_LEAF_MEASURE, flx_leaf_get_index(leaf), i);
        FLX_TRY(add(k, flx_graph_leaf(k->m->graph, part), limit, owner, false));
    }
    return FLX_OK;
}

static flx_status add_all(maker *k)
{
    const flx_optimise *o = &k->m->optimise;
    for (int i = 0; i < o->ngoal; i++) FLX_TRY(add_parts(k, o->goals[i].node, -1, i));
    for (int i = 0; i < o->ncondition; i++) {
        const flx_goal *c = o->conditions + i;
        if (c->equal) {
            FLX_TRY(add(k, c->node, c->limit, o->ngoal + i, true));
        } else {
            FLX_TRY(add_parts(k, c->node, c->limit, o->ngoal + i));
        }
    }
    for (int i = 0; i < o->ncondition; i++)
        FLX_TRY(add(k, o->conditions[i].limit, -1, o->ngoal + o->ncondition + i, false));
    return FLX_OK;
}

flx_status flx_design_rows_make(flx_model *m, flx_arena *arena, design_rows *r)
{
    maker k = {.m = m, .arena = arena, .r = r};
    *r = (design_rows){0};
    FLX_TRY(add_all(&k));
    flx_leaf *leaves = NULL;
    FLX_TRY(flx_graph_leaves(m->graph, r->nrow, k.nodes, &r->nleaf, &leaves));
    size_t n = (size_t)r->nleaf, rows = (size_t)r->nrow;
    flx_status status =
        flx_program_compile(m->graph, r->nleaf, leaves, r->nrow, k.nodes, &r->program);
    r->leaves = flx_arena_take(arena, n + 1, sizeof *r->leaves);
    if (r->leaves && n > 0) memcpy(r->leaves, leaves, n * sizeof *leaves);
    flx_free(leaves);
    if (status != FLX_OK) return status;
    size_t scratch = (size_t)flx_program_slope_scratch(r->program);
    size_t plain = (size_t)flx_program_scratch(r->program);
    double *all = flx_arena_take(arena, 2 * n + 2 * rows + (scratch > plain ? scratch : plain) + 1,
                                 sizeof *all);
    if (!all || !r->leaves) return FLX_ERR_MEMORY;
    r->in = all;
    r->along = all + n;
    r->value = all + 2 * n;
    r->slope = r->value + rows;
    r->scratch = r->slope + rows;
    for (int i = 0; i < r->nleaf; i++) {
        flx_leaf leaf = r->leaves[i];
        bool metric = flx_leaf_is(leaf, FLX_QUANTITY_MEASURE) &&
                      flx_leaf_get_index(leaf) < m->outputs.nmetric;
        if (metric) r->metrics = true;
        if (!metric && !flx_leaf_is(leaf, FLX_QUANTITY_PARAMETER)) r->analyses = true;
    }
    return FLX_OK;
}

void flx_design_rows_clear(design_rows *r)
{
    flx_program_destroy(&r->program);
    *r = (design_rows){0};
}
