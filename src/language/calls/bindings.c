// bindings.c - external functions of a model: what the program that uses the library gives for them.
#include "language/calls/calls.h"

#include <string.h>

// All that have this name; told once per binding where derivatives will be differences. How many there are.
static int bind_all(flx_ctx *ctx, flx_graph *g, flx_binding *b)
{
    int count = 0;
    flx_external_info info;
    for (int i = 0; flx_graph_external_info(g, i, &info); i++) {
        if (strcmp(info.name, b->name) != 0) continue;
        flx_graph_bind(g, i, b->call, b->user);
        flx_graph_external_info(g, i, &info);
        count++;
        if (b->told || !b->call || (info.slopes && info.wrong < 0)) continue;
        b->told = true;
        if (info.slopes) {
            flx_ctx_warn(ctx, info.loc,
                         "the slope of the external function '%s' by its argument %d is %.6g at "
                         "the scales, where its values say %.6g: implicit methods and gradients "
                         "take it as it is",
                         b->name, info.wrong + 1, info.given, info.found);
            continue;
        }
        flx_ctx_warn(ctx, info.loc,
                     "derivatives of the external function '%s' are differences: it gives none "
                     "itself",
                     b->name);
    }
    return count;
}

void flx_bindings_renew(flx_ctx *ctx, flx_binding *first, flx_graph *g)
{
    for (flx_binding *b = first; b; b = b->next) bind_all(ctx, g, b);
}

static flx_binding *find_binding(flx_description *d, const char *name)
{
    for (flx_binding *b = d->bindings; b; b = b->next) {
        if (strcmp(b->name, name) == 0) return b;
    }
    flx_binding *b = d->own ? flx_arena_take(d->own, 1, sizeof *b) : NULL;
    if (!b) return NULL;
    b->name = flx_arena_copy(d->own, name, strlen(name));
    if (!b->name) return NULL;
    b->next = d->bindings;
    return d->bindings = b;
}

static flx_status no_such(flx_model *m, const char *name)
{
    flx_nearest near;
    flx_external_info info;
    flx_nearest_start(&near, name);
    for (int i = 0; flx_graph_external_info(m->graph, i, &info); i++)
        flx_nearest_offer(&near, info.name);
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(m->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "no function of the model has 'external: %s'%s%s%s", name,
                    best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

flx_status flx_model_bind(flx_model *m, const char *name, flx_function_callback call, void *user)
{
    FLX_TRY(flx_call_begin(m));
    const flx_trail none = {NULL, NULL, 0};
    if (!name || !name[0] || !call) {
        return FLX_REFUSE(m, &none, "an external function is bound by its name to a callback");
    }
    flx_description *d = m->description;
    flx_binding *b = find_binding(d, name);
    if (!b) return flx_call_end(m, FLX_ERR_MEMORY);
    b->call = call;
    b->user = user;
    b->told = false;
    if (d->changed || !m->graph) return FLX_OK; // it is bound when the model is built
    return bind_all(d->ctx, m->graph, b) > 0 ? FLX_OK : no_such(m, name);
}

flx_status flx_model_bind_like(flx_model *m, const flx_model *other)
{
    flx_external_info info;
    for (int i = 0; flx_graph_external_info(other->graph, i, &info); i++) {
        if (!info.call) continue;
        FLX_TRY(flx_call_begin(m));
        flx_binding *b = find_binding(m->description, info.name);
        if (!b) return FLX_ERR_MEMORY;
        *b = (flx_binding){b->next, b->name, info.call, info.user, true};
        bind_all(m->ctx, m->graph, b);
    }
    return FLX_OK;
}

const char *flx_model_external(const flx_model *m, int i, int *narg, flx_loc *loc)
{
    flx_external_info info;
    if (!m || !m->graph || !flx_graph_external_info(m->graph, i, &info)) return NULL;
    if (narg) *narg = info.narg;
    if (loc) *loc = info.loc;
    return info.name;
}

flx_status flx_model_refuse_unbound(const flx_model *m)
{
    flx_external_info info;
    flx_status status = FLX_OK;
    for (int i = 0; flx_graph_external_info(m->graph, i, &info); i++) {
        if (info.call) continue;
        status = FLX_FAIL(m->ctx, FLX_ERR_MODEL, info.loc,
                          "the external function '%s' is not bound: say `--plugin FILE.so`, in C "
                          "flx_model_bind, in Python Model.bind",
                          info.name);
    }
    return status;
}
