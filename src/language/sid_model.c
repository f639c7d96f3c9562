// sid_model.c - a flexible body of a model as a file: Standard Input Data, or all of its numbers.
#include "base/output_file.h"
#include "base/refuse.h"
#include "model/model_data.h"
#include "read/sid/sid_file.h"
#include "results/body_file.h"

#include <stdio.h>
#include <string.h>

static flx_status find_body(const flx_model *m, const char *body, const flx_modal **out)
{
    int found = -1;
    for (int i = 0; i < m->nmodal; i++) {
        if (!body || strcmp(m->bodies[m->modals[i].body].name, body) == 0) found = i;
    }
    if (m->nmodal == 0) {
        return FLX_FAIL(m->ctx, FLX_ERR_MODEL, FLX_NOWHERE, "the model has no flexible body");
    }
    if (!body && m->nmodal > 1) {
        return FLX_FAIL(m->ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                        "the model has %d flexible bodies, '%s' among them: say which", m->nmodal,
                        m->bodies[m->modals[0].body].name);
    }
    if (found < 0) {
        return FLX_FAIL(m->ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                        "the model has no flexible body '%s'; '%s' is one", body,
                        m->bodies[m->modals[0].body].name);
    }
    *out = m->modals + found;
    return FLX_OK;
}

static flx_status write_text(flx_ctx *ctx, const char *path, const char *text, size_t length)
{
    flx_output *o;
    FLX_TRY(flx_output_create(ctx, "the body", path, &o));
    fwrite(text, 1, length, flx_output_file(o));
    return flx_output_close(&o, FLX_OK);
}

flx_status flx_model_write_sid(const flx_model *m, const char *body, const char *path)
{
    if (!m) return flx_refuse_null(NULL, __func__);
    const flx_modal *modal = NULL;
    flx_sid *sid = NULL;
    char *text = NULL;
    size_t length = 0;
    FLX_TRY(flx_model_refresh(m));
    FLX_TRY(find_body(m, body, &modal));
    const char *name = m->bodies[modal->body].name;
    if (modal->e->stiffened && modal->e->ngrain == 0) {
        return FLX_FAIL(m->ctx, FLX_ERR_MODEL, modal->loc,
                        "the stiffening of '%s' comes from data of this kind already: use its file",
                        name);
    }
    flx_arena *arena = flx_arena_create(m->ctx);
    flx_status status = arena ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_elastic_to_sid(arena, modal->e, name, &sid);
    if (status == FLX_OK) status = flx_sid_format(m->ctx, arena, sid, &text, &length);
    if (status == FLX_OK) status = write_text(m->ctx, path, text, length);
    flx_arena_destroy(&arena);
    return status;
}

flx_status flx_model_write_body(const flx_model *m, const char *body, const char *path)
{
    if (!m) return flx_refuse_null(NULL, __func__);
    const flx_modal *modal = NULL;
    FLX_TRY(flx_model_refresh(m));
    FLX_TRY(find_body(m, body, &modal));
    const flx_body_origin origin = {.body = m->bodies[modal->body].name, .key = ""};
    return flx_body_file_write(m->ctx, path, modal->e, &origin);
}
