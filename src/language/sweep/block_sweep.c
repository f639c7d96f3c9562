// block_sweep.c - the block `sweep`: values of parameters, and how they combine to runs.
#include "language/builder.h"
#include "language/sweep/sweep_sample.h"

#include <math.h>
#include <string.h>

#define MOST_RUNS 1e6

static flx_status read_range(flx_env *e, const flx_entry *y, flx_swept *out)
{
    static const char *const words[] = {"linear", "log", NULL};
    const flx_entry *from = flx_entry_get(y, "from"), *to = flx_entry_get(y, "to"),
                    *count = flx_entry_get(y, "count"), *spacing = flx_entry_get(y, "spacing");
    flx_builder *b = e->b;
    double ends[2] = {0, 0};
    int log_spaced = 0;
    if (!from || !to || !count) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "a range needs 'from', 'to' and 'count'; distributions belong to a "
                        "'sample'");
    }
    FLX_TRY(flx_build_number(e, from, &ends[0]));
    FLX_TRY(flx_build_number(e, to, &ends[1]));
    FLX_TRY(flx_build_integer(e, count, &out->count));
    if (spacing) FLX_TRY(flx_build_word(b, spacing, "the spacing", words, &log_spaced));
    if (out->count < 1 || out->count > MOST_RUNS) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, count->loc,
                        "'count' must be at least 1, and at most %g", MOST_RUNS);
    }
    if (log_spaced && !(ends[0] * ends[1] > 0.0)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, spacing->loc,
                        "equal ratios lead from %g to %g only where both have one sign; give "
                        "'spacing: linear'",
                        ends[0], ends[1]);
    }
    out->values = flx_arena_take(b->m->arena, (size_t)out->count, sizeof *out->values);
    if (!out->values) return FLX_ERR_MEMORY;
    for (int i = 0; i < out->count; i++) {
        double s = out->count > 1 ? (double)i / (out->count - 1) : 0.0;
        double value =
            log_spaced ? ends[0] * pow(ends[1] / ends[0], s) : ends[0] + s * (ends[1] - ends[0]);
        out->values[i] = i > 0 && i == out->count - 1 ? ends[1] : value;
    }
    return FLX_OK;
}

static flx_status read_values(flx_env *e, const flx_entry *y, flx_swept *out)
{
    double *list = NULL;
    if (y->kind == FLX_ENTRY_MAP) return read_range(e, y, out);
    FLX_TRY(flx_build_numbers(e, y, &out->count, &list));
    out->values = flx_arena_take(e->b->m->arena, (size_t)out->count, sizeof *out->values);
    if (!out->values) return FLX_ERR_MEMORY;
    memcpy(out->values, list, (size_t)out->count * sizeof *list);
    return FLX_OK;
}

static flx_status fail_unknown(flx_builder *b, const flx_entry *key)
{
    flx_nearest near;
    flx_nearest_start(&near, key->text);
    for (int k = 0; k < b->m->nparameter; k++) {
        flx_nearest_offer(&near, b->m->parameters[k].name);
    }
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, key->loc, "the model has no parameter '%s'%s%s%s",
                    key->text, best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

static flx_status read_parameters(flx_env *e, const flx_entry *y, flx_sweep *out)
{
    flx_builder *b = e->b;
    double runs = 1.0;
    out->parameters = flx_arena_take(b->m->arena, (size_t)y->count, sizeof *out->parameters);
    if (!out->parameters) return FLX_ERR_MEMORY;
    for (int i = 0; i < y->count; i++) {
        const flx_entry *key = y->keys[i];
        const flx_item *item = flx_names_find(&b->top->names, key->text);
        flx_swept *p = out->parameters + i;
        if (!item || item->kind != FLX_KIND_PARAMETER) return fail_unknown(b, key);
        p->name = item->name;
        if (out->rows > 0) {
            FLX_TRY(flx_sample_read(e, y->items[i], y->count, i, out, p));
        } else {
            FLX_TRY(read_values(e, y->items[i], p));
        }
        if (out->zip && i > 0 && p->count != out->parameters[0].count) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, key->loc,
                            "'%s' has %d values and '%s' has %d: side by side they need as many",
                            p->name, p->count, out->parameters[0].name, out->parameters[0].count);
        }
        runs = out->zip ? p->count : runs * p->count;
        if (!(runs <= MOST_RUNS)) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, key->loc,
                            "these are %g runs, and at most %g can be asked for", runs, MOST_RUNS);
        }
    }
    out->nparameter = y->count;
    out->nrun = (int)runs;
    return FLX_OK;
}

static flx_status read_analyses(flx_builder *b, const flx_entry *y, flx_sweep *out)
{
    out->analyses = flx_arena_take(b->m->arena, (size_t)y->count, sizeof *out->analyses);
    if (!out->analyses) return FLX_ERR_MEMORY;
    for (int i = 0; i < y->count; i++) {
        FLX_TRY(flx_analysis_find(b, y->items[i], false, &out->analyses[i]));
    }
    out->nanalysis = y->count;
    return FLX_OK;
}

static flx_status read(flx_builder *b, const flx_entry *block)
{
    static const char *const words[] = {"grid", "zip", NULL};
    const flx_entry *parameters = flx_entry_get(block, "parameters"),
                    *combine = flx_entry_get(block, "combine"), *run = flx_entry_get(block, "run");
    flx_sweep *s = &b->m->sweep;
    flx_env e;
    int zip = 0;
    flx_env_init(&e, b, b->top, NULL, FLX_MODE_CONSTANT);
    if (combine) FLX_TRY(flx_build_word(b, combine, "the combination", words, &zip));
    s->zip = zip == 1;
    FLX_TRY(flx_sample_begin(&e, block, s));
    if (parameters && parameters->kind == FLX_ENTRY_MAP) {
        FLX_TRY(read_parameters(&e, parameters, s));
    }
    return run && run->kind == FLX_ENTRY_LIST ? read_analyses(b, run, s) : FLX_OK;
}

flx_status flx_sweep_finish(flx_builder *b)
{
    const flx_entry *block = flx_entry_get(b->top->def, "sweep");
    if (block && block->kind == FLX_ENTRY_MAP) GO_ON(read(b, block));
    return FLX_OK;
}

// ---- queries ------------------------------------------------------------------------------------

int flx_model_sweep_count(const flx_model *model)
{
    if (!model) return 0;
    return model->sweep.nrun;
}

const char *flx_model_sweep_parameter(const flx_model *model, int i)
{
    if (!model) return NULL;
    return i >= 0 && i < model->sweep.nparameter ? model->sweep.parameters[i].name : NULL;
}

// The last parameter changes fastest.
double flx_model_sweep_value(const flx_model *model, int run, int i)
{
    if (!model) return (double)NAN;
    const flx_sweep *s = &model->sweep;
    if (run < 0 || run >= s->nrun || i < 0 || i >= s->nparameter) return (double)NAN;
    if (s->zip) return s->parameters[i].values[run];
    for (int k = s->nparameter - 1; k > i; k--) run /= s->parameters[k].count;
    return s->parameters[i].values[run % s->parameters[i].count];
}

int flx_model_sweep_analysis(const flx_model *model, int i)
{
    if (!model) return -1;
    return i >= 0 && i < model->sweep.nanalysis ? model->sweep.analyses[i] : -1;
}
