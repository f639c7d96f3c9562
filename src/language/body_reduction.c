// body_reduction.c - a flexible body of a model reduced again and measured: the model is built once more, and its structure
// looked at while it is there.
#include "language/calls/description.h"
#include "reduce/body_study.h"

flx_status flx_reduction_create(flx_model *model, const char *body, const flx_reduction_def *def,
                                flx_reduction **out)
{
    if (!out) return FLX_ERR_ARGUMENT;
    *out = NULL;
    if (!model || !def) return FLX_ERR_ARGUMENT;
    flx_description *d = model->description;
    const flx_entry *tree = d ? flx_description_tree(model) : NULL;
    if (!tree) {
        return FLX_FAIL(model->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the model has no description that it could be built of again");
    }
    flx_reduction *r = NULL;
    FLX_TRY(flx_body_study_create(model->ctx, body, def, &r));
    flx_arena *arena = flx_arena_create(model->ctx);
    flx_entry *copy = arena ? flx_entry_copy(arena, tree) : NULL;
    flx_model *core = NULL;
    flx_status status = copy ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        d->study = &r->study;
        status = d->build(d, arena, copy, &core);
        d->study = NULL;
    }
    if (core) {
        flx_model_destroy(&core);
    } else {
        flx_arena_destroy(&arena);
    }
    if (status == FLX_OK && !r->done) {
        status = FLX_FAIL(model->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                          body ? "'%s' is no flexible body made of finite elements"
                               : "no body of the model is made of finite elements%s",
                          body ? body : "");
    }
    if (status != FLX_OK) flx_reduction_destroy(&r);
    *out = r;
    return status;
}
