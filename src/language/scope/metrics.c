// metrics.c - numbers of a whole run: final(..), maximum(..) and the like as functions of expressions, and the list of a model.
#include "language/builder.h"

#include <string.h>

const char *const flx_measure_words[] = {"final", "maximum",  "minimum", "mean",
                                         "rms",   "integral", "at",      NULL};

static bool is_measure_leaf(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_get_kind(leaf) == FLX_LEAF_MEASURE;
}

static bool is_other_leaf(void *user, flx_leaf leaf)
{
    return !is_measure_leaf(user, leaf) && flx_leaf_get_kind(leaf) != FLX_LEAF_PARAMETER;
}

static flx_status add_probe(flx_env *e, flx_measure_kind kind, double time, const flx_operand *v,
                            flx_loc loc, flx_operand *out)
{
    flx_builder *b = e->b;
    flx_outputs *o = &b->m->outputs;
    if (v->kind == FLX_OPERAND_LIST) {
        *out = *v;
        out->items = flx_take(b, (size_t)v->count, sizeof *out->items);
        if (!out->items) return FLX_ERR_MEMORY;
        for (int i = 0; i < v->count; i++) {
            FLX_TRY(add_probe(e, kind, time, &v->items[i], loc, &out->items[i]));
        }
        return FLX_OK;
    }
    if (flx_graph_depends(b->g, v->node, is_measure_leaf, NULL)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "a metric cannot be inside a metric");
    }
    int k = 0;
    while (k < o->nprobe &&
           (o->probes[k].kind != kind || o->probes[k].node != v->node || o->probes[k].time != time))
        k++;
    if (k == b->probe_capacity) {
        int capacity = 2 * b->probe_capacity + 8;
        struct flx_probe *list = flx_arena_take(b->m->arena, (size_t)capacity, sizeof *list);
        if (!list) return FLX_ERR_MEMORY;
        if (o->nprobe > 0) memcpy(list, o->probes, (size_t)o->nprobe * sizeof *list);
        o->probes = list;
        b->probe_capacity = capacity;
    }
    if (k == o->nprobe) o->probes[o->nprobe++] = (struct flx_probe){kind, v->node, time};
    return flx_operand_set_node(flx_graph_leaf(b->g, flx_leaf_make(FLX_LEAF_MEASURE, k, 0)), out);
}

// at(signal, time)
static flx_status read_time(flx_env *e, int n, const flx_operand *args, flx_loc loc, double *out)
{
    flx_builder *b = e->b;
    double until = b->m->simulate.until;
    if (n != 2) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "'at' takes a signal and a time, as in at(rod.angle, 0.5)");
    }
    flx_node node;
    FLX_TRY(flx_operand_to_number(e, &args[1], loc, &node));
    if (!flx_build_constant(b, node, loc, out)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "the time of 'at' must be a number");
    }
    if (*out >= 0.0 && (!(until > 0.0) || *out <= until)) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "the time of 'at', %g, lies outside the run%s",
                    *out, *out < 0.0 ? "" : ", which ends before");
}

flx_status flx_measure_call(flx_env *e, const char *word, int n, const flx_operand *args,
                            flx_loc loc, flx_operand *out)
{
    int kind = 0;
    while (strcmp(flx_measure_words[kind], word) != 0) kind++;
    double time = 0.0;
    if (kind == FLX_MEASURE_AT) {
        FLX_TRY(read_time(e, n, args, loc, &time));
    } else if (n != 1) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "'%s' takes one signal, not %d", word, n);
    }
    flx_operand v = args[0];
    if (v.kind == FLX_OPERAND_HANDLE) {
        flx_operand held;
        FLX_TRY(flx_env_coerce(&e->scope, &v, loc, &held));
        v = held;
    }
    if (v.kind == FLX_OPERAND_FUNCTION) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc, "'%s' takes a signal", word);
    }
    return add_probe(e, (flx_measure_kind)kind, time, &v, loc, out);
}

static flx_status read_measure(flx_env *e, const flx_entry *key, const flx_entry *y,
                               struct flx_measure *out)
{
    flx_builder *b = e->b;
    *out = (struct flx_measure){.name = key->text, .loc = key->loc, .value = -1};
    FLX_TRY(flx_build_node(e, y, &out->value));
    if (flx_graph_depends(b->g, out->value, is_other_leaf, NULL)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "a metric is one number per run: what changes in time stands inside "
                        "final(..), maximum(..), minimum(..), mean(..), "
                        "rms(..), integral(..) or at(.., time)");
    }
    return FLX_OK;
}

flx_status flx_metrics_read(flx_env *e, const flx_entry *y)
{
    flx_builder *b = e->b;
    flx_outputs *o = &b->m->outputs;
    if (!y || y->kind != FLX_ENTRY_MAP) return FLX_OK;
    o->metrics = flx_arena_take(b->m->arena, (size_t)y->count, sizeof *o->metrics);
    if (!o->metrics) return FLX_ERR_MEMORY;
    e->measure = true;
    for (int i = 0; i < y->count; i++) {
        flx_status status = read_measure(e, y->keys[i], y->items[i], &o->metrics[o->nmetric]);
        if (status == FLX_ERR_MEMORY) return status;
        if (status != FLX_OK) b->failed = true;
        o->nmetric++;
    }
    e->measure = false;
    return FLX_OK;
}
