// work_import.c - a robot file of the model's folder as a model's text, as `flexion import` writes it.
#include "base/number.h"
#include "studio/work.h"

#include <stdlib.h>
#include <string.h>

// A file of the folder of the model; the caller frees it.
static char *path_of(const flx_chore *chore)
{
    const char *slash = strrchr(chore->path, '/');
    size_t folder = slash ? (size_t)(slash + 1 - chore->path) : 0, n = strlen(chore->option);
    char *path = malloc(folder + n + 1);
    if (!path) return NULL;
    memcpy(path, chore->path, folder);
    memcpy(path + folder, chore->option, n + 1);
    return path;
}

void flx_work_import(flx_desk *d, void *user)
{
    const flx_chore *chore = user;
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_text t;
    if (!ctx) return;
    char *path = path_of(chore);
    flx_read_def def = flx_read_def_default();
    def.nopen = 0;
    flx_status status = path ? flx_model_read_by(ctx, path, &def, &model) : FLX_ERR_MEMORY;
    const char *text = status == FLX_OK ? flx_model_write_text(model) : NULL;
    if (status == FLX_OK && !text) status = FLX_ERR_MEMORY;
    flx_text_start(&t, ctx);
    flx_text_print(&t, "{\"ok\": %s, \"status\": ", status == FLX_OK ? "true" : "false");
    flx_text_put_string(&t, flx_status_text(status));
    flx_text_put(&t, ", \"messages\": ");
    flx_work_put_messages(&t, ctx, chore->path);
    flx_text_put(&t, ", \"text\": ");
    flx_text_put_string(&t, text ? text : "");
    flx_text_put(&t, "}");
    if (!t.failed) flx_desk_tell(d, "done", t.data, t.length);
    flx_text_clear(&t);
    flx_model_destroy(&model);
    free(path);
    flx_ctx_destroy(&ctx);
}
