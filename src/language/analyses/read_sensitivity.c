// read_sensitivity.c - analyses of type sensitivity: derivatives of metrics of the run by parameters.
#include "language/analyses/analysis_reader.h"
#include "model/sensitivity_data.h"

static flx_status read_names(flx_env *e, const flx_entry *y, int *n, flx_sensitivity_name **out)
{
    if (!y || y->kind != FLX_ENTRY_LIST) return FLX_OK;
    *out = flx_arena_take(e->b->m->arena, (size_t)y->count, sizeof **out);
    if (!*out) return FLX_ERR_MEMORY;
    for (int i = 0; i < y->count; i++) {
        (*out)[i] = (flx_sensitivity_name){.name = y->items[i]->text, .loc = y->items[i]->loc};
    }
    *n = y->count;
    return FLX_OK;
}

static flx_status check_parameters(flx_env *e, const flx_sensitivity_ask *ask)
{
    flx_builder *b = e->b;
    for (int i = 0; i < ask->nparameter; i++) {
        const flx_sensitivity_name *p = ask->parameters + i;
        const flx_item *item = flx_names_find(&b->top->names, p->name);
        if (item && item->kind == FLX_KIND_PARAMETER) continue;
        flx_nearest near;
        flx_nearest_start(&near, p->name);
        for (int k = 0; k < b->m->nparameter; k++)
            flx_nearest_offer(&near, b->m->parameters[k].name);
        const char *best = flx_nearest_best(&near);
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, p->loc, "the model has no parameter '%s'%s%s%s",
                        p->name, best ? "; did you mean '" : "", best ? best : "",
                        best ? "'?" : "");
    }
    return FLX_OK;
}

static flx_status read(flx_env *e, const flx_item *item, flx_analysis *out)
{
    static const char *const words[] = {"auto", "direct", "adjoint", "differences", NULL};
    const flx_entry *method = flx_entry_get(item->def, "method"),
                    *check = flx_entry_get(item->def, "check");
    flx_sensitivity_ask *ask = flx_arena_take(e->b->m->arena, 1, sizeof *ask);
    if (!ask) return FLX_ERR_MEMORY;
    out->own = ask;
    FLX_TRY(
        read_names(e, flx_entry_get(item->def, "parameters"), &ask->nparameter, &ask->parameters));
    FLX_TRY(read_names(e, flx_entry_get(item->def, "of"), &ask->nmetric, &ask->metrics));
    if (method) FLX_TRY(flx_build_word(e->b, method, "method", words, &ask->method));
    if (check) FLX_TRY(flx_build_flag(e->b, check, "check", &ask->check));
    return check_parameters(e, ask);
}

static const flx_key_row keys[] = {
    {"parameters", "[name;1..]", .initial = "all",
     .doc = "Parameters that the metrics are differentiated by: masses, lengths, stiffnesses, "
            "values that the run begins with."},
    {"of", "[name;1..]", .initial = "all",
     .doc = "Metrics of `outputs`, and analyses of type `equilibrium` (the signals of `outputs` "
            "there) and `modes` (frequencies and damping)."},
    {"method", "name", .initial = "auto",
     .doc = "`direct` or `adjoint`: derivatives of the steps as they were made; `differences`: of "
            "runs with other parameters; `auto`: the first that the run has."},
    {"check", "bool", .initial = "false",
     .doc = "Compares with differences of runs, and tells how far apart they are."},
    {0}};

const flx_analysis_reader flx_reader_SENSITIVITY = {
    .says = {.word = "sensitivity",
             .dimensions = "23",
             .doc = "derivatives by parameters of metrics of the run, of the steps as they were "
                    "made, and of equilibria and eigenvalues",
             .example = "g: {type: "
                        "sensitivity, parameters: [m, l], of: [last], check: true}",
             .keys = keys},
    .motion = true,
    .read = read,
};
