// work.c - what all processes beside the server share (work.h).
#include "studio/work.h"
#include "base/number.h"
#include "page/page_data.h"

#include <stdlib.h>
#include <string.h>

static void put_message(flx_text *t, const flx_message *m, bool error, const char *path)
{
    flx_text_print(t, "{\"line\": %d, \"column\": %d, \"error\": %s, \"text\": ", m->loc.line,
                   m->loc.column, error ? "true" : "false");
    flx_text_put_string(t, m->text);
    flx_text_put(t, ", \"path\": ");
    flx_text_put_string(t, m->path);
    if (m->loc.file && strcmp(m->loc.file, path) != 0) {
        flx_text_put(t, ", \"file\": ");
        flx_text_put_string(t, m->loc.file);
    }
    flx_text_put(t, "}");
}

void flx_work_put_messages(flx_text *t, flx_ctx *ctx, const char *path)
{
    int errors = flx_ctx_error_count(ctx), n = 0;
    flx_text_put(t, "[");
    for (int i = 0; i < errors + flx_ctx_warning_count(ctx); i++) {
        const flx_message *m =
            i < errors ? flx_ctx_error(ctx, i) : flx_ctx_warning(ctx, i - errors);
        if (!m) continue;
        if (n++ > 0) flx_text_put(t, ", ");
        put_message(t, m, i < errors, path);
    }
    flx_text_put(t, "]");
}

flx_status flx_work_read(flx_ctx *ctx, const flx_chore *task, bool open, flx_model **model)
{
    flx_read_def def = flx_read_def_default();
    if (!open) def.nopen = 0;
    def.text = task->text;
    def.length = strlen(task->text);
    return flx_model_read_by(ctx, task->path, &def, model);
}

char *flx_work_scratch(const flx_chore *task, const char *name)
{
    size_t n = strlen(task->scratch) + strlen(name) + 2;
    char *path = malloc(n);
    if (path) flx_snprintf(path, n, "%s/%s", task->scratch, name);
    return path;
}

char *flx_work_beside(const flx_chore *task, const char *ending)
{
    const char *model = task->path, *slash = strrchr(model, '/'), *dot = strrchr(model, '.');
    size_t n = dot && (!slash || dot > slash + 1) ? (size_t)(dot - model) : strlen(model);
    char *path = malloc(n + strlen(ending) + 1);
    if (path) flx_snprintf(path, n + strlen(ending) + 1, "%.*s%s", (int)n, model, ending);
    return path;
}

flx_status flx_work_put_result(flx_ctx *ctx, const char *path, const char *label, flx_text *t)
{
    flx_result *r;
    FLX_TRY(flx_result_open(ctx, path, &r));
    const flx_page_def def = {.nresult = 1, .results = &r, .labels = &label};
    flx_status status = flx_page_put_data(ctx, &def, t);
    flx_result_close(&r);
    return status;
}
