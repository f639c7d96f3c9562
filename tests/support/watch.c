// watch.c - see watch.h.
#include "watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct watch_sink {
    flx_sink base;
    watch *w;
} watch_sink;

static flx_status begin(flx_sink *s, const flx_result_info *info)
{
    watch *w = ((watch_sink *)s)->w;
    *w = (watch){.columns = info->ncolumn};
    if (w->columns > WATCH_COLUMNS) return FLX_ERR_ARGUMENT;
    for (int i = 0; i < w->columns; i++) {
        snprintf(w->names[i], sizeof w->names[i], "%s", info->names[i]);
        w->least[i] = HUGE_VAL;
        w->most[i] = -HUGE_VAL;
    }
    return FLX_OK;
}

static flx_status row(flx_sink *s, double t, const double *values)
{
    watch *w = ((watch_sink *)s)->w;
    size_t bytes = (size_t)w->columns * sizeof *values;
    if (w->rows++ == 0) memcpy(w->first, values, bytes);
    memcpy(w->last, values, bytes);
    w->t = t;
    for (int i = 0; i < w->columns; i++) {
        if (!(values[i] >= w->least[i])) w->least[i] = values[i]; // not a number stays
        if (!(values[i] <= w->most[i])) w->most[i] = values[i];
    }
    return FLX_OK;
}

static flx_status end(flx_sink *s, const struct flx_ledger *ledger)
{
    (void)s;
    (void)ledger;
    return FLX_OK;
}

static void destroy(flx_sink *s)
{
    (void)s;
}

static const flx_sink_type type = {
    .name = "watch", .begin = begin, .row = row, .end = end, .destroy = destroy};

bool watch_run(const char *text, watch *w)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    watch_sink sink = {{&type, ctx}, w};
    flx_sink *sinks[] = {&sink.base};
    flx_status s = flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &model);
    if (s == FLX_OK) s = flx_simulation_create(model, &sim);
    if (s == FLX_OK) s = flx_simulation_run(sim, 1, sinks, NULL, NULL);
    for (int i = 0; flx_ctx_error(ctx, i); i++) printf("%s\n", flx_ctx_error(ctx, i)->text);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return s == FLX_OK;
}

int watch_column(const watch *w, const char *name)
{
    for (int i = 0; i < w->columns; i++) {
        if (strcmp(w->names[i], name) == 0) return i;
    }
    return -1;
}

double watch_drift(const watch *w, const char *begin_of_name)
{
    double most = -1.0;
    for (int i = 0; i < w->columns; i++) {
        if (strncmp(w->names[i], begin_of_name, strlen(begin_of_name)) != 0) continue;
        double d = fmax(w->most[i] - w->first[i], w->first[i] - w->least[i]);
        if (!(d <= most)) most = d;
    }
    return most;
}

double watch_last(const watch *w, const char *name)
{
    int i = watch_column(w, name);
    return i < 0 ? (double)NAN : w->last[i];
}
