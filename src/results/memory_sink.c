// memory_sink.c - a sink that keeps the rows: a run becomes a result without a file.
#include "base/refuse.h"
#include "flexion/simulation.h"
#include "results/kept_rows.h"
#include "results/result.h"

#include <string.h>

typedef struct memory_sink {
    flx_sink base;
    flx_result *r; // owned until it is taken; its data once the run has ended
    flx_kept_rows rows;
} memory_sink;

static flx_status memory_begin(flx_sink *base, const flx_result_info *info)
{
    memory_sink *s = (memory_sink *)base;
    flx_result *r = s->r;
    r->columns = info->ncolumn + 1;
    r->title = flx_arena_copy(r->arena, info->title, strlen(info->title));
    r->names = flx_arena_take(r->arena, (size_t)r->columns, sizeof *r->names);
    r->units = flx_arena_take(r->arena, (size_t)r->columns, sizeof *r->units);
    if (!r->title || !r->names || !r->units) return FLX_ERR_MEMORY;
    r->names[0] = "t";
    r->units[0] = "s";
    for (int c = 1; c < r->columns; c++) {
        const char *name = info->names[c - 1], *unit = info->units[c - 1];
        r->names[c] = flx_arena_copy(r->arena, name, strlen(name));
        r->units[c] = flx_arena_copy(r->arena, unit, strlen(unit));
        if (!r->names[c] || !r->units[c]) return FLX_ERR_MEMORY;
    }
    return flx_kept_rows_begin(base->ctx, info, &s->rows);
}

static flx_status memory_row(flx_sink *base, double t, const double *values)
{
    return flx_kept_rows_add(base->ctx, &((memory_sink *)base)->rows, t, values);
}

static flx_status memory_end(flx_sink *base, const flx_ledger *ledger)
{
    memory_sink *s = (memory_sink *)base;
    flx_result *r = s->r;
    const char **names = r->names, **units = r->units;
    FLX_TRY(flx_result_reserve(r, s->rows.count, r->columns));
    for (int c = 0; c < r->columns; c++) {
        r->names[c] = names[c];
        r->units[c] = units[c];
        for (int i = 0; i < r->rows; i++) r->data[c][i] = s->rows.data[(size_t)i * r->columns + c];
    }
    if (!ledger) return FLX_OK;
    r->complete = ledger->status == FLX_OK;
    r->work = (flx_result_work){.steps = (double)ledger->work.steps,
                                .evaluations = (double)ledger->work.residuals,
                                .factorisations = (double)ledger->work.factorisations,
                                .seconds = ledger->seconds};
    return FLX_OK;
}

static void memory_destroy(flx_sink *base)
{
    memory_sink *s = (memory_sink *)base;
    flx_result_close(&s->r);
    flx_free(s->rows.data);
    flx_free(s);
}

static const flx_sink_type memory_type = {.name = "memory",
                                          .begin = memory_begin,
                                          .row = memory_row,
                                          .end = memory_end,
                                          .destroy = memory_destroy};

flx_status flx_memory_sink_create(flx_ctx *ctx, flx_sink **out)
{
    if (!ctx || !out) return flx_refuse_null(ctx, __func__);
    *out = NULL;
    memory_sink *s = flx_alloc(ctx, 1, sizeof *s);
    if (!s) return FLX_ERR_MEMORY;
    s->base = (flx_sink){&memory_type, ctx};
    flx_status status = flx_result_create(ctx, &s->r);
    if (status != FLX_OK) {
        memory_destroy(&s->base);
        return status;
    }
    *out = &s->base;
    return FLX_OK;
}

flx_status flx_memory_sink_take(flx_sink *base, flx_result **r)
{
    if (!base || !r) return flx_refuse_null(NULL, __func__);
    memory_sink *s = (memory_sink *)base;
    *r = NULL;
    if (base->type != &memory_type || !s->r || !s->r->data) {
        return FLX_FAIL(base->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the run has no result to take");
    }
    *r = s->r;
    s->r = NULL;
    return FLX_OK;
}
