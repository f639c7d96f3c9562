// work_check.c - a text is checked, and drawn as it starts: messages with their places, what the model is made of, and the
// picture, as a result of one row.
#include "page/page_data.h"
#include "studio/example_files.h"
#include "studio/work.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MANY 1500        // bodies
#define MOST_SECONDS 120 // a check that takes longer ends

static void put_ports(flx_text *t, const char *key, const flx_system *s, flx_port port)
{
    flx_port_info p;
    flx_text_print(t, ", \"%s\": [", key);
    for (int i = 0; flx_system_describe(s, port, i, &p); i++) {
        flx_text_put(t, i > 0 ? ", {\"name\": " : "{\"name\": ");
        flx_text_put_string(t, p.name);
        flx_text_put(t, ", \"unit\": ");
        flx_text_put_string(t, p.unit);
        const double numbers[] = {p.value, p.lower, p.upper};
        flx_text_put(t, ", \"numbers\": ");
        flx_text_put_numbers(t, 3, numbers);
        flx_text_print(t, ", \"tunable\": %s}", p.tunable ? "true" : "false");
    }
    flx_text_put(t, "]");
}

static void put_summary(flx_text *t, const flx_model *m, const flx_system *s)
{
    const char *method = flx_model_get_text(m, "simulate.method");
    const flx_summary *sum = flx_system_summary(s);
    const flx_result_info *info = flx_system_info(s);
    if (!sum || !info) return;
    flx_text_print(t,
                   ", \"summary\": {\"bodies\": %d, \"joints\": %d, \"forces\": %d, "
                   "\"constraints\": %d, \"redundant\": %d, \"freedoms\": %d, \"method\": ",
                   sum->bodies, sum->joints, sum->forces, sum->constraints, sum->redundant,
                   sum->freedoms);
    flx_text_put_string(t, method ? info->method : "auto");
    flx_text_put(t, "}");
}

// What a result of it has columns of.
static void put_signals(flx_run *run, flx_text *t)
{
    const flx_result_info *info = flx_run_scene(run);
    flx_text_put(t, ", \"signals\": [");
    for (int i = 0; info && i < info->ncolumn; i++) {
        if (i > 0) flx_text_put(t, ", ");
        flx_text_put_string(t, info->names[i]);
    }
    flx_text_put(t, "]");
}

// Of so many bodies that it takes a while, only when it is asked for: else how many there are.
static flx_status put_picture(flx_ctx *ctx, const flx_chore *task, flx_run *run, flx_text *t)
{
    int n;
    const flx_result_info *info = flx_run_scene(run);
    const flx_page_start at = {.t = flx_run_time(run),
                               .motion = flx_run_motion(run, NULL),
                               .outputs = flx_run_outputs(run, &n)};
    if (!info || !info->scene || !at.motion || !at.outputs || n < info->ncolumn) return FLX_OK;
    if (info->scene->nbody > MANY && strcmp(task->option, "all") != 0) {
        flx_text_print(t, ", \"large\": %d", info->scene->nbody);
        return FLX_OK;
    }
    flx_text data;
    flx_text_start(&data, ctx);
    flx_status status = flx_page_put_start(ctx, info, &at, &data);
    flx_text_put(t, ", \"data\": ");
    flx_text_put(t, status == FLX_OK ? data.data : "null");
    flx_text_clear(&data);
    return status;
}

static void put_analyses(flx_text *t, const flx_model *m)
{
    int n = flx_model_count(m, "analyse"), put = 0;
    flx_text_put(t, ", \"analyses\": [");
    for (int i = 0; i < n; i++) {
        const char *name = flx_model_key(m, "analyse", i);
        if (!name) continue;
        if (put++ > 0) flx_text_put(t, ", ");
        flx_text_put_string(t, name);
    }
    flx_text_print(t, "], \"sweep\": %d", flx_model_sweep_count(m));
}

// To choose a method takes longer than all else: where the model leaves the choice open, another one stands in for it, unless
// it refuses.
static flx_status compile(flx_ctx *ctx, flx_model *model, flx_system **s)
{
    const char *method = flx_model_get_text(model, "simulate.method");
    flx_compile_def def = flx_compile_def_default();
    if (!method || strcmp(method, "auto") == 0) {
        def.method.method = "generalized-alpha";
        if (flx_system_compile(model, &def, ctx, s) == FLX_OK) return FLX_OK;
        flx_ctx_clear_messages(ctx);
    }
    return flx_system_compile(model, NULL, ctx, s);
}

// An example of the gallery is read where the files are that it needs: in the scratch folder. Owned; NULL: where the model is.
static char *example_path(flx_ctx *ctx, const flx_chore *task)
{
    static const char of[] = "example:";
    if (strncmp(task->option, of, sizeof of - 1) != 0) return NULL;
    char *path = flx_work_scratch(task, "example.yaml");
    if (path && flx_example_files_write(ctx, task->option + sizeof of - 1, path) != FLX_OK) {
        flx_ctx_clear_messages(ctx); // the reader tells what it misses
    }
    return path;
}

static void check(flx_ctx *ctx, const flx_chore *task, flx_text *t)
{
    flx_model *model = NULL;
    flx_system *s = NULL;
    flx_run *run = NULL;
    flx_run_def def = flx_run_def_default();
    def.no_ledger = 1;
    flx_text_put(t, "{\"ok\": ");
    flx_text picture;
    flx_text_start(&picture, ctx);
    flx_status status = flx_work_read(ctx, task, true, &model);
    if (status == FLX_OK) put_analyses(&picture, model);
    if (status == FLX_OK) status = compile(ctx, model, &s);
    if (status == FLX_OK) {
        put_summary(&picture, model, s);
        put_ports(&picture, "inputs", s, FLX_PORT_INPUT);
        put_ports(&picture, "parameters", s, FLX_PORT_PARAMETER);
        status = flx_run_create(s, &def, ctx, &run);
    }
    if (status == FLX_OK) put_signals(run, &picture);
    if (status == FLX_OK) status = put_picture(ctx, task, run, &picture);
    flx_text_put(t, status == FLX_OK ? "true, \"messages\": " : "false, \"messages\": ");
    flx_work_put_messages(t, ctx, task->path);
    if (picture.length > 0) flx_text_put_bytes(t, picture.data, picture.length);
    flx_text_put(t, "}");
    flx_text_clear(&picture);
    flx_run_destroy(&run);
    flx_system_destroy(&s);
    flx_model_destroy(&model);
}

void flx_work_check(flx_desk *d, void *task)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_text t;
    if (!ctx) return;
    alarm(MOST_SECONDS);
    flx_text_start(&t, ctx);
    flx_chore own = *(const flx_chore *)task;
    char *example = example_path(ctx, &own);
    if (example) own.path = example;
    check(ctx, &own, &t);
    free(example);
    if (!t.failed) flx_desk_tell(d, "answer", t.data, t.length);
    flx_text_clear(&t);
    flx_ctx_destroy(&ctx);
}
