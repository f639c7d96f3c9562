// work_run.c - the model is run as by `flexion run`, into a result file beside it, and told to the page.
#include "base/number.h"
#include "studio/work.h"

#include <stdlib.h>
#include <string.h>

#define EVERY 0.05 // seconds between words of progress

typedef struct runner {
    flx_desk *desk;
    flx_text text;
    double told; // clock when progress was last told
} runner;

static int tell_progress(void *user, double t, double until)
{
    runner *r = user;
    char text[64];
    double now = flx_clock_seconds();
    if (now - r->told < EVERY) return 0;
    r->told = now;
    int n = flx_snprintf(text, sizeof text, "[%.9g, %.9g]", t, until > t ? until : t);
    flx_desk_tell(r->desk, "progress", text, (size_t)n);
    const char *line = flx_desk_hear(r->desk, 0);
    return r->desk->alone || (line && strcmp(line, "stop") == 0);
}

// The last row in full, since the page's curves are narrowed.
static void put_last(flx_text *t, const flx_result *r)
{
    int rows = flx_result_rows(r);
    flx_text_put(t, ", \"last\": [");
    for (int c = 0; c < flx_result_columns(r) && rows > 0; c++) {
        flx_text_put(t, c > 0 ? ", [" : "[");
        flx_text_put_string(t, flx_result_name(r, c));
        flx_text_put(t, ", ");
        flx_text_put_number(t, flx_result_column(r, c)[rows - 1]);
        flx_text_put(t, "]");
    }
    flx_text_put(t, "]");
}

static void put_ledger(flx_text *t, const flx_ledger *l)
{
    flx_text_put(t, ", \"t\": ");
    flx_text_put_number(t, l->t);
    flx_text_put(t, ", \"seconds\": ");
    flx_text_put_number(t, l->seconds);
    flx_text_print(t, ", \"steps\": %ld, \"balanced\": %s", l->work.steps,
                   l->balanced ? "true" : "false");
}

static flx_status simulate(flx_ctx *ctx, runner *r, flx_simulation *sim, const char *path)
{
    flx_sink *sink;
    FLX_TRY(flx_hdf5_sink_create(ctx, path, &sink));
    flx_status status = flx_simulation_run(sim, 1, &sink, tell_progress, r);
    flx_sink_destroy(&sink);
    return status;
}

static void tell_result(flx_ctx *ctx, runner *r, const char *path)
{
    flx_text_clear(&r->text);
    if (flx_work_put_result(ctx, path, "run", &r->text) == FLX_OK) {
        flx_desk_tell(r->desk, "result", r->text.data, r->text.length);
    }
}

static void tell_end(flx_ctx *ctx, runner *r, const flx_chore *task, const flx_simulation *sim,
                     flx_status status, const char *path)
{
    flx_text *t = &r->text;
    flx_result *result = NULL;
    bool ran = sim && flx_simulation_ledger(sim)->work.steps > 0;
    flx_text_clear(t);
    flx_text_print(t, "{\"ok\": %s, \"status\": ", status == FLX_OK ? "true" : "false");
    flx_text_put_string(t, flx_status_text(status));
    flx_text_put(t, ", \"messages\": ");
    flx_work_put_messages(t, ctx, task->path);
    if (ran) put_ledger(t, flx_simulation_ledger(sim));
    if (ran && flx_result_open(ctx, path, &result) == FLX_OK) put_last(t, result);
    flx_result_close(&result);
    if (ran) {
        flx_text_put(t, ", \"file\": ");
        flx_text_put_string(t, path);
    }
    flx_text_put(t, "}");
    if (!t->failed) flx_desk_tell(r->desk, "done", t->data, t->length);
}

void flx_work_run(flx_desk *d, void *user)
{
    const flx_chore *task = user;
    flx_ctx *ctx = flx_ctx_create();
    char *path = flx_work_beside(task, ".h5");
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    if (!ctx || !path) return;
    runner r = {.desk = d};
    flx_text_start(&r.text, ctx);
    flx_status status = flx_work_read(ctx, task, false, &model);
    if (status == FLX_OK) status = flx_simulation_create(model, &sim);
    if (status == FLX_OK) {
        status = simulate(ctx, &r, sim, path);
        if (flx_simulation_ledger(sim)->work.steps > 0) tell_result(ctx, &r, path);
    }
    tell_end(ctx, &r, task, sim, status, path);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_text_clear(&r.text);
    free(path);
    flx_ctx_destroy(&ctx);
}
