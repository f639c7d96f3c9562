// compile.c - a model as a system that any number of runs share, and what it says of itself.
#include "base/refuse.h"
#include "simulate/run_parts.h"
#include "system/wrapper.h"

#include <math.h>
#include <string.h>

// Without a time in the model, `auto` chooses for a run of so many seconds.
#define TYPICAL_RUN 10.0

// ---- what is asked for ----------------------------------------------------------------------------

static const struct {
    const char *word;
    flx_formulation formulation;
    bool tree;
} formulations[] = {{"auto", FLX_FORMULATION_AUTO, false},
                    {"index-3", FLX_FORMULATION_INDEX3, false},
                    {"ggl", FLX_FORMULATION_GGL, false},
                    {"index-1", FLX_FORMULATION_INDEX1, false},
                    {"tree", FLX_FORMULATION_AUTO, true}};

static flx_status take_formulation(flx_ctx *ctx, const char *word, flx_simulate *s)
{
    flx_nearest near;
    flx_nearest_start(&near, word);
    for (size_t i = 0; i < sizeof formulations / sizeof formulations[0]; i++) {
        flx_nearest_offer(&near, formulations[i].word);
        if (strcmp(formulations[i].word, word) != 0) continue;
        s->def.formulation = formulations[i].formulation;
        s->tree = formulations[i].tree;
        return FLX_OK;
    }
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "there is no formulation '%s'%s%s%s", word,
                    best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

// The block `simulate` of the model, or what stands for it.
static flx_status take_method(flx_ctx *ctx, const flx_compile_def *d, flx_simulate *s)
{
    if (d->method.method) {
        s->def = d->method;
        s->method = d->method.method;
    } else if (!s->given) {
        s->def = flx_integrator_def_default();
        s->method = s->def.method;
    }
    if (!s->given) s->start = -1;
    s->given = true;
    return d->formulation ? take_formulation(ctx, d->formulation, s) : FLX_OK;
}

flx_status flx_check_named(flx_ctx *ctx, const flx_integrator_def *d)
{
    bool numbers = d->step != 0.0 || d->rtol != 0.0 || d->atol != 0.0 || d->initial_step != 0.0 ||
                   d->max_step != 0.0 || d->newton_tolerance != 0.0;
    bool counts = d->stages != 0 || d->degree != 0 || d->quadrature != 0 || d->max_order != 0 ||
                  d->max_steps != 0 || d->drift != 0;
    bool other = d->family || d->formulation != FLX_FORMULATION_AUTO;
    if (d->method || !(numbers || counts || other)) return FLX_OK;
    return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "settings of a method need its name: set method.method too, or leave all of "
                    "them to the model");
}

static flx_status take_def(flx_ctx *ctx, const flx_compile_def *def, flx_compile_def *out)
{
    *out = flx_compile_def_default();
    if (!def) return FLX_OK;
    if (def->size < offsetof(flx_compile_def, method) || def->size > sizeof *out) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the definition of a system has no valid size: begin with "
                        "flx_compile_def_default()");
    }
    memcpy(out, def, def->size);
    if (out->method.type) out->method.method = out->method.type->name;
    return flx_check_named(ctx, &out->method);
}

// ---- compile --------------------------------------------------------------------------------------

// The model with what is asked for, and messages to ctx; the arrays are the model's.
static flx_status copy_model(const flx_model *model, const flx_compile_def *d, flx_ctx *ctx,
                             flx_model **copy)
{
    flx_model *m = *copy = flx_alloc(ctx, 1, sizeof *m);
    if (!m) return FLX_ERR_MEMORY;
    *m = *model;
    m->ctx = ctx;
    return take_method(ctx, d, &m->simulate);
}

static flx_status make(const flx_model *m, bool timed, flx_plan **plan)
{
    flx_simulation *sim = NULL;
    FLX_TRY(flx_simulation_create(m, &sim));
    *plan = flx_simulation_take_plan(sim);
    if (!timed) (*plan)->until = 0.0;
    flx_simulation_destroy(&sim);
    return FLX_OK;
}

flx_status flx_system_compile(flx_model *model, const flx_compile_def *def, flx_ctx *ctx,
                              flx_system **s)
{
    if (!ctx || !s) return flx_refuse_null(ctx, __func__);
    flx_compile_def d;
    flx_plan *plan = NULL;
    flx_model *copy = NULL;
    *s = NULL;
    if (!model) return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the model is NULL");
    FLX_TRY(take_def(ctx, def, &d));
    FLX_TRY(flx_model_refresh_for(model, ctx));
    FLX_TRY(flx_model_settle(model, true));
    bool timed = model->simulate.given;
    flx_status status = copy_model(model, &d, ctx, &copy);
    if (status == FLX_OK && !timed) copy->simulate.until = TYPICAL_RUN;
    if (status == FLX_OK) status = make(copy, timed, &plan);
    if (status != FLX_OK) {
        flx_free(copy);
        return status;
    }
    plan->own_model = copy;
    *s = plan->sys;
    (*s)->plan = plan;
    (*s)->plan_destroy = flx_plan_destroy;
    return FLX_OK;
}

// ---- systems made by hand ---------------------------------------------------------------------------

// What a run reads of a plan, of a system that came without a model: nothing is shown, the start is zero.
static flx_status plan_by_hand(const flx_system *s, flx_ctx *ctx, flx_plan *p)
{
    p->by_hand = true;
    p->sys = (flx_system *)(uintptr_t)s; // it is only read
    p->arena = flx_arena_create(ctx);
    p->own_model = flx_alloc(ctx, 1, sizeof *p->own_model);
    if (!p->arena || !p->own_model) return FLX_ERR_MEMORY;
    p->own_model->ctx = ctx;
    p->own_model->dimension = 3;
    p->own_model->simulate.start = -1;
    p->model = p->own_model;
    p->own_graph = p->own_model->graph = flx_graph_create(ctx);
    if (!p->own_graph) return FLX_ERR_MEMORY;
    p->info = (flx_result_info){.title = s->title ? s->title : "",
                                .model_text = "",
                                .version = flx_version(),
                                .formulation = "none"};
    p->def = flx_integrator_def_default();
    FLX_TRY(flx_formulas_create(p->own_graph, 0, NULL, &p->columns));
    FLX_TRY(flx_formulas_create(p->own_graph, 0, NULL, &p->probes));
    FLX_TRY(flx_formulas_create(p->own_graph, 0, NULL, &p->bounds));
    FLX_TRY(flx_program_compile(p->own_graph, 0, NULL, 0, NULL, &p->measure_program));
    return flx_state_create(s, &p->start);
}

// The plan, and the system with it, ends with its owner or with its last run, whatever comes later.
static flx_status create_held(flx_plan *p, const flx_integrator_def *def, bool no_ledger,
                              flx_ctx *ctx, flx_simulation **sim)
{
    FLX_TRY(flx_simulation_create_of(p, def, no_ledger, ctx, sim));
    atomic_fetch_add(&p->holders, 1);
    (*sim)->held = p;
    return FLX_OK;
}

flx_status flx_simulation_create_for(const flx_system *s, const flx_integrator_def *def,
                                     bool no_ledger, flx_ctx *ctx, flx_simulation **sim)
{
    *sim = NULL;
    if (s->plan) return create_held(s->plan, def, no_ledger, ctx, sim);
    flx_plan *p = flx_alloc(ctx, 1, sizeof *p);
    if (!p) return FLX_ERR_MEMORY;
    flx_status status = plan_by_hand(s, ctx, p);
    if (status == FLX_OK) status = flx_simulation_create_of(p, def, no_ledger, ctx, sim);
    if (status == FLX_OK) {
        (*sim)->making = p;
    } else {
        flx_plan_destroy(&p);
    }
    return status;
}

// ---- what it says of itself -------------------------------------------------------------------------

const flx_result_info *flx_system_info(const flx_system *s)
{
    if (!s) return NULL;
    return s->plan ? &s->plan->info : NULL;
}

int flx_system_has_chosen(const flx_system *s)
{
    if (!s) return 0;
    return s->plan && s->plan->chosen;
}

const flx_summary *flx_system_summary(const flx_system *s)
{
    if (!s) return NULL;
    return s->plan ? &s->plan->summary : NULL;
}

static void describe_input(const flx_input_item *u, flx_port_info *out)
{
    *out = (flx_port_info){.name = u->name,
                           .unit = u->unit ? u->unit : "",
                           .value = u->expression >= 0 ? (double)NAN : u->value,
                           .lower = u->lower,
                           .upper = u->upper,
                           .tunable = 1};
}

// Those that can be set come first, by the vector p; then the structural ones.
static int describe_parameter(const flx_system *s, int i, flx_port_info *out)
{
    const flx_model *m = s->plan->model;
    if (i < m->ntunable) {
        *out = (flx_port_info){.name = m->tunables[i].name,
                               .unit = "",
                               .value = m->tunables[i].value,
                               .lower = -HUGE_VAL,
                               .upper = HUGE_VAL,
                               .tunable = !flx_wrapper_frozen(s)};
        return 1;
    }
    for (int k = 0, left = i - m->ntunable; k < m->nparameter; k++) {
        const flx_parameter *p = m->parameters + k;
        if (p->tunable >= 0 || left-- > 0) continue;
        *out = (flx_port_info){.name = p->name,
                               .unit = "",
                               .value = p->count == 1 ? p->values[0] : (double)NAN,
                               .lower = -HUGE_VAL,
                               .upper = HUGE_VAL};
        return 1;
    }
    return 0;
}

int flx_system_describe(const flx_system *s, flx_port port, int i, flx_port_info *out)
{
    if (!s || !out) return 0;
    *out = (flx_port_info){.unit = ""};
    if (!s->plan || i < 0) return 0;
    const flx_result_info *info = &s->plan->info;
    const flx_model *m = s->plan->model;
    switch (port) {
    case FLX_PORT_INPUT:
        if (i >= m->ninput) return 0;
        describe_input(m->inputs + i, out);
        return 1;
    case FLX_PORT_PARAMETER:
        return describe_parameter(s, i, out);
    case FLX_PORT_OUTPUT:
        if (i >= info->ncolumn) return 0;
        *out = (flx_port_info){.name = info->names[i], .unit = info->units[i]};
        return 1;
    case FLX_PORT_METRIC:
        if (i >= info->nmetric) return 0;
        out->name = info->metrics[i];
        return 1;
    case FLX_PORT_EVENT:
        if (i >= info->nevent) return 0;
        out->name = info->events[i];
        return 1;
    }
    return 0;
}

static int find_port(const flx_system *s, flx_port port, const char *what, const char *name,
                     flx_ctx *ctx)
{
    flx_nearest near;
    flx_port_info info;
    if (!name) name = "";
    flx_nearest_start(&near, name);
    for (int i = 0; flx_system_describe(s, port, i, &info); i++) {
        if (strcmp(info.name, name) == 0) return i;
        flx_nearest_offer(&near, info.name);
    }
    const char *best = flx_nearest_best(&near);
    (void)FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the system has no %s '%s'%s%s%s", what,
                   name, best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
    return -1;
}

int flx_system_input(const flx_system *s, const char *name, flx_ctx *ctx)
{
    if (!s || !ctx) return -1;
    return find_port(s, FLX_PORT_INPUT, "input", name, ctx);
}

int flx_system_parameter(const flx_system *s, const char *name, flx_ctx *ctx)
{
    if (!s || !ctx) return -1;
    return find_port(s, FLX_PORT_PARAMETER, "parameter", name, ctx);
}

int flx_system_output(const flx_system *s, const char *name, flx_ctx *ctx)
{
    if (!s || !ctx) return -1;
    return find_port(s, FLX_PORT_OUTPUT, "output", name, ctx);
}
