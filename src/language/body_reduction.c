// body_reduction.c - a flexible body of a model reduced again and measured: the model is built once more, and its structure
// looked at while it is there.
#include "language/calls/description.h"
#include "reduce/body_study.h"
#include "reduce/structure_file.h"

#include <string.h>

// The user's model behind the core that a simulation holds; NULL: it is gone, or another by now.
static flx_model *find_handle(flx_model *m)
{
    if (flx_model_is_handle(m)) return m;
    flx_model *handle = m->handle;
    return handle && !handle->description->changed ? handle : NULL;
}

// Build the model again with somebody who looks at its structures. The model is not changed.
static flx_status look_at(flx_model *model, flx_shape_study *study)
{
    const flx_model *handle = find_handle(model);
    flx_description *d = handle ? handle->description : NULL;
    const flx_entry *tree = d ? flx_description_tree(handle) : NULL;
    if (!tree) {
        return FLX_FAIL(model->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the model has no description that it could be built of again, or has been "
                        "changed since");
    }
    flx_arena *arena = flx_arena_create(model->ctx);
    flx_entry *copy = arena ? flx_entry_copy(arena, tree) : NULL;
    flx_model *core = NULL;
    flx_status status = copy ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        d->study = study;
        status = d->build(d, arena, copy, &core);
        d->study = NULL;
    }
    if (core) {
        flx_model_destroy(&core);
    } else {
        flx_arena_destroy(&arena);
    }
    return status;
}

static flx_status refuse_body(const flx_model *model, const char *body)
{
    return FLX_FAIL(model->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    body ? "'%s' is no flexible body made of finite elements"
                         : "no body of the model is made of finite elements%s",
                    body ? body : "");
}

flx_status flx_reduction_create(flx_model *model, const char *body, const flx_reduction_def *def,
                                flx_reduction **out)
{
    if (!out) return FLX_ERR_ARGUMENT;
    *out = NULL;
    if (!model || !def) return FLX_ERR_ARGUMENT;
    bool whole = def->ndirect >= 0 && (def->ndirect == 0 || def->direct) && def->shapes >= 0 &&
                 def->tolerance >= 0.0;
    for (int i = 0; whole && i < def->ndirect; i++) whole = def->direct[i] > 0.0;
    if (!whole) {
        return FLX_FAIL(model->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a reduction has a tolerance and a number of shapes that are not negative, "
                        "and direct solutions at frequencies above zero");
    }
    flx_reduction *r = NULL;
    FLX_TRY(flx_body_study_create(model->ctx, body, def, &r));
    flx_status status = look_at(model, &r->study);
    if (status == FLX_OK && !r->done) status = refuse_body(model, body);
    if (status != FLX_OK) flx_reduction_destroy(&r);
    *out = r;
    return status;
}

// ---- matrices -----------------------------------------------------------------------------------

typedef struct writer {
    const char *body, *prefix;
    bool done;
} writer;

static flx_status write_structure(void *user, const flx_free_structure *s, const flx_basis *b)
{
    writer *w = user;
    if (w->done || (w->body && (!b->body || strcmp(b->body, w->body) != 0))) return FLX_OK;
    w->done = true;
    return flx_structure_write(s, w->prefix);
}

flx_status flx_model_write_matrices(flx_model *model, const char *body, const char *prefix)
{
    if (!model || !prefix) return FLX_ERR_ARGUMENT;
    writer w = {.body = body, .prefix = prefix};
    flx_shape_study study = {.user = &w, .look = write_structure};
    FLX_TRY(look_at(model, &study));
    return w.done ? FLX_OK : refuse_body(model, body);
}
