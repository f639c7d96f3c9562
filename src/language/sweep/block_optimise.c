// block_optimise.c - the block `optimise`: parameters with their bounds, and measured data; goals: optimise_goals.c.
#include "base/text_file.h"
#include "language/sweep/optimise_goals.h"
#include "read/table_file.h"

#include <math.h>

#define ITERATIONS 50

static flx_status read_parameter(flx_env *e, const flx_entry *key, const flx_entry *y,
                                 flx_optimised *out)
{
    flx_builder *b = e->b;
    const flx_item *item = flx_names_find(&b->top->names, key->text);
    const flx_entry *from = flx_entry_get(y, "from"), *to = flx_entry_get(y, "to"),
                    *initial = flx_entry_get(y, "initial");
    *out = (flx_optimised){.name = key->text, .loc = key->loc};
    if (!item || item->kind != FLX_KIND_PARAMETER) {
        flx_nearest near;
        flx_nearest_start(&near, key->text);
        for (int k = 0; k < b->m->nparameter; k++)
            flx_nearest_offer(&near, b->m->parameters[k].name);
        const char *best = flx_nearest_best(&near);
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, key->loc, "the model has no parameter '%s'%s%s%s",
                        key->text, best ? "; did you mean '" : "", best ? best : "",
                        best ? "'?" : "");
    }
    if (!from || !to) return FLX_OK; // said by the schema
    FLX_TRY(flx_build_number(e, from, &out->from));
    FLX_TRY(flx_build_number(e, to, &out->to));
    if (!(out->from < out->to)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, to->loc, "'to' must be above 'from', %g", out->from);
    }
    out->initial = (double)NAN; // as the model has it
    if (!initial) return FLX_OK;
    FLX_TRY(flx_build_number(e, initial, &out->initial));
    if (out->initial >= out->from && out->initial <= out->to) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, initial->loc,
                    "'initial' lies outside the bounds, %g and %g", out->from, out->to);
}

static flx_status number_or(flx_env *e, const flx_entry *y, const char *key, double other,
                            double *out)
{
    const flx_entry *value = flx_entry_get(y, key);
    *out = other;
    return value ? flx_build_number(e, value, out) : FLX_OK;
}

static flx_status points_of(flx_env *e, const flx_entry *y, const flx_measured *m, int *n,
                            double **t, double **values)
{
    flx_builder *b = e->b;
    const flx_entry *columns = flx_entry_get(y, "columns"), *points = flx_entry_get(y, "points");
    if (points) return flx_build_points(e, points, n, t, values);
    const char *path = flx_file_beside(b->scratch, m->loc.file, m->file);
    if (!path) return FLX_ERR_MEMORY;
    bool named = columns && columns->kind == FLX_ENTRY_LIST && columns->count == 2;
    return flx_table_read(b->ctx, b->scratch, path, m->loc, named ? columns->items[0]->text : NULL,
                          named ? columns->items[1]->text : NULL, n, t, values);
}

static flx_status read_measured(flx_env *e, const flx_entry *y, flx_measured *out)
{
    flx_builder *b = e->b;
    const flx_entry *file = flx_entry_get(y, "file"), *signal = flx_entry_get(y, "signal"),
                    *points = flx_entry_get(y, "points"), *data = file ? file : points;
    double *t = NULL, *values = NULL;
    if (!data || !signal) return FLX_OK; // said by the schema
    *out = (flx_measured){.signal = signal->text,
                          .file = file ? file->text : NULL,
                          .loc = data->loc,
                          .signal_loc = signal->loc};
    FLX_TRY(number_or(e, y, "weight", 1.0, &out->weight));
    FLX_TRY(number_or(e, y, "shift", 0.0, &out->shift));
    FLX_TRY(number_or(e, y, "factor", 1.0, &out->factor));
    if (!(out->weight > 0.0)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, flx_entry_get(y, "weight")->loc,
                        "a weight must be positive");
    }
    FLX_TRY(points_of(e, y, out, &out->n, &t, &values));
    out->t = flx_arena_take(b->m->arena, 2 * (size_t)out->n, sizeof *out->t);
    if (!out->t) return FLX_ERR_MEMORY;
    out->y = out->t + out->n;
    for (int i = 0; i < out->n; i++) {
        out->t[i] = t[i] + out->shift;
        out->y[i] = values[i] * out->factor;
    }
    if (out->t[0] >= 0.0) return FLX_OK;
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, data->loc,
                    "the first value is at t = %g, before the run begins: 'shift' is added to the "
                    "times",
                    out->t[0]);
}

static const char *const of_goals[] = {"subject_to", "method", "runs",
                                       "restarts",   "points", "seed"};

static flx_status read(flx_builder *b, const flx_entry *block, flx_optimise *out)
{
    const flx_entry *parameters = flx_entry_get(block, "parameters"),
                    *fit = flx_entry_get(block, "fit"),
                    *iterations = flx_entry_get(block, "iterations");
    flx_env e;
    flx_env_init(&e, b, b->top, NULL, FLX_MODE_CONSTANT);
    out->loc = block->loc;
    out->iterations = ITERATIONS;
    if (iterations) FLX_TRY(flx_build_integer(&e, iterations, &out->iterations));
    if (out->iterations < 1) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, iterations->loc, "'iterations' must be at least 1");
    }
    if (!parameters || parameters->kind != FLX_ENTRY_MAP || (fit && fit->kind != FLX_ENTRY_LIST))
        return FLX_OK; // said by the schema
    size_t np = (size_t)parameters->count, nf = fit ? (size_t)fit->count : 0;
    out->parameters = flx_arena_take(b->m->arena, np, sizeof *out->parameters);
    out->measured = flx_arena_take(b->m->arena, nf + 1, sizeof *out->measured);
    if (!out->parameters || !out->measured) return FLX_ERR_MEMORY;
    for (int i = 0; i < parameters->count; i++) {
        FLX_TRY(read_parameter(&e, parameters->keys[i], parameters->items[i],
                               out->parameters + out->nparameter));
        out->nparameter++;
    }
    if (!fit) return flx_goals_read(b, block, out);
    for (size_t k = 0; k < sizeof of_goals / sizeof of_goals[0]; k++) {
        const flx_entry *y = flx_entry_get(block, of_goals[k]);
        if (!y) continue;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "'%s' is a key of goals ('minimise', 'objectives'), not of a fit",
                        of_goals[k]);
    }
    for (int i = 0; i < fit->count; i++) {
        FLX_TRY(read_measured(&e, fit->items[i], out->measured + out->nmeasured));
        out->nmeasured++;
    }
    return FLX_OK;
}

flx_status flx_optimise_finish(flx_builder *b)
{
    const flx_entry *block = flx_entry_get(b->top->def, "optimise");
    if (block && block->kind == FLX_ENTRY_MAP) GO_ON(read(b, block, &b->m->optimise));
    return FLX_OK;
}
