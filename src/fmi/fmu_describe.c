// fmu_describe.c - the variables of an FMU from the ports of a system.
#include "fmi/fmu_describe.h"

#include "fmi/fmu_exchange.h"
#include "fmi/fmu_groups.h"

#include "simulate/run_parts.h"

#include <math.h>

static int count_ports(const flx_system *s, flx_port port)
{
    flx_port_info info;
    int n = 0;
    while (flx_system_describe(s, port, n, &info)) n++;
    return n;
}

static const flx_fmu_variable *find(const flx_fmu_description *d, const char *name)
{
    for (int i = 0; i < d->nvariable; i++) {
        if (strcmp(d->variables[i].name, name) == 0) return d->variables + i;
    }
    return NULL;
}

// Names are unique: a signal that is called like an input or a parameter gets a word before its name.
static const char *unique(flx_arena *arena, const flx_fmu_description *d, const char *name)
{
    while (name && find(d, name)) name = flx_arena_printf(arena, "output.%s", name);
    return name;
}

static flx_status add(flx_arena *arena, flx_fmu_description *d, int kind, int i, const char *name,
                      flx_fmu_variable v)
{
    v.kind = kind;
    v.group = 1;
    v.reference = flx_fmu_reference(kind, i);
    v.name = name ? unique(arena, d, name) : NULL;
    if (v.name && v.unit) v.unit = flx_arena_copy(arena, v.unit, strlen(v.unit));
    if (!v.unit) v.unit = "";
    if (!v.name) return FLX_ERR_MEMORY;
    v.name = flx_arena_copy(arena, v.name, strlen(v.name));
    if (!v.name) return FLX_ERR_MEMORY;
    d->variables[d->nvariable++] = v;
    return FLX_OK;
}

static flx_status add_inputs(flx_arena *arena, const flx_system *s, flx_run *run,
                             flx_fmu_description *d)
{
    flx_port_info info;
    for (int i = 0; flx_system_describe(s, FLX_PORT_INPUT, i, &info); i++) {
        double now[3];
        FLX_TRY(flx_run_get_input(run, i, now));
        FLX_TRY(add(arena, d, FLX_FMU_INPUT, i, info.name,
                    (flx_fmu_variable){
                        .unit = info.unit,
                        .start = now[0],
                        .low = info.lower,
                        .high = info.upper,
                        .about = isnan(info.value) ? "as the model says until it is set" : NULL}));
    }
    return FLX_OK;
}

// Parameters that are numbers. Those that follow from others are not set; lists that are structural neither.
static bool is_offered(const flx_model *m, int i, const flx_port_info *info)
{
    if (i < m->ntunable) return true;
    for (int k = 0; k < m->nparameter; k++) {
        const flx_parameter *p = m->parameters + k;
        if (p->tunable >= 0 || strcmp(p->name, info->name) != 0) continue;
        return p->leaf == FLX_PARAMETER_FIXED && !p->list && isfinite(info->value);
    }
    return false;
}

static flx_status add_parameters(flx_arena *arena, const flx_system *s, flx_fmu_description *d)
{
    flx_port_info info;
    for (int i = 0; flx_system_describe(s, FLX_PORT_PARAMETER, i, &info); i++) {
        if (!is_offered(s->plan->model, i, &info)) continue;
        FLX_TRY(add(arena, d, FLX_FMU_PARAMETER, i, info.name,
                    (flx_fmu_variable){.unit = info.unit,
                                       .start = info.value,
                                       .low = -HUGE_VAL,
                                       .high = HUGE_VAL,
                                       .about = info.tunable ? NULL : "structural"}));
    }
    return FLX_OK;
}

// The name of a vector, of that of its first component: "pin.reaction" of "pin.reaction.x".
static flx_status join_vector(flx_arena *arena, flx_fmu_description *d, int at, int n)
{
    flx_fmu_variable *v = d->variables + at;
    const char *name = flx_arena_copy(arena, v->name, strlen(v->name) - 2);
    v->vector = name ? unique(arena, d, name) : NULL;
    v->group = n;
    return v->vector ? FLX_OK : FLX_ERR_MEMORY;
}

// What an input may change at once.
static bool is_bound(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_get_kind(leaf) == FLX_LEAF_INPUT ||
           flx_leaf_is(leaf, FLX_QUANTITY_ACCELERATION | FLX_QUANTITY_STATE_RATE |
                                 FLX_QUANTITY_ALGEBRAIC | FLX_QUANTITY_FORCE | FLX_QUANTITY_RESULT |
                                 FLX_QUANTITY_MEASURE);
}

// Inputs that move joints are seen in positions too.
static bool is_apart(const flx_model *m, int output)
{
    for (int i = 0; i < m->njoint; i++) {
        if (m->joints[i].motion != FLX_MOTION_NONE) return false;
    }
    return output < m->outputs.ncolumn &&
           !flx_graph_depends(m->graph, m->outputs.columns[output].node, is_bound, NULL);
}

bool flx_fmu_is_apart(const flx_fmu_description *d, int i)
{
    int n = d->variables[i].group > 1 ? d->variables[i].group : 1;
    for (int k = i; k < i + n; k++) {
        if (!d->variables[k].apart) return false;
    }
    return true;
}

// What is summed along the run, which another program steps.
static bool is_sum(void *user, flx_leaf leaf)
{
    (void)user;
    return leaf == flx_leaf_make(FLX_LEAF_ENERGY, 0, FLX_ENERGY_DISSIPATED);
}

static bool is_summed(const flx_model *m, int output)
{
    return output < m->outputs.ncolumn &&
           flx_graph_depends(m->graph, m->outputs.columns[output].node, is_sum, NULL);
}

static flx_status add_outputs(flx_ctx *ctx, flx_arena *arena, const flx_system *s,
                              flx_fmu_description *d)
{
    const flx_model *m = s->plan->model;
    flx_port_info info;
    for (int i = 0; flx_system_describe(s, FLX_PORT_OUTPUT, i, &info); i++) {
        if (d->exchange && is_summed(m, i)) {
            flx_ctx_warn(ctx, FLX_NOWHERE,
                         "the signal '%s' is left out of the FMU: it is a sum along the steps of a "
                         "run, which in model exchange another program makes",
                         info.name);
            continue;
        }
        int at = d->nvariable, n = flx_fmu_group(s, i);
        for (int k = 0; k < n; k++) {
            flx_system_describe(s, FLX_PORT_OUTPUT, i + k, &info);
            FLX_TRY(add(arena, d, FLX_FMU_OUTPUT, i + k, info.name,
                        (flx_fmu_variable){.unit = info.unit,
                                           .low = -HUGE_VAL,
                                           .high = HUGE_VAL,
                                           .apart = is_apart(m, i + k)}));
        }
        if (n > 1) FLX_TRY(join_vector(arena, d, at, n));
        i += n - 1;
    }
    return FLX_OK;
}

// "state.v(2)" and its rate; indicators are variables in FMI 3 alone, and come last.
static flx_status add_states(flx_arena *arena, const flx_run *run, flx_fmu_description *d)
{
    const flx_dims *n = &run->sim->sys->dims;
    flx_fmu_variable plain = {.low = -HUGE_VAL, .high = HUGE_VAL};
    bool packed = d->nstate == n->nq + n->nv + n->nx;
    for (int i = 0; i < d->nstate; i++) {
        int kind = !packed ? 3 : i < n->nq ? 0 : i < n->nq + n->nv ? 1 : 2;
        int at = kind == 1 ? i - n->nq : kind == 2 ? i - n->nq - n->nv : i;
        const char *name = flx_arena_printf(arena, "state.%c(%d)", "qvxz"[kind], at + 1);
        const char *rate = name ? flx_arena_printf(arena, "der(%s)", name) : NULL;
        FLX_TRY(add(arena, d, FLX_FMU_STATE, i, name, plain));
        FLX_TRY(add(arena, d, FLX_FMU_DERIVATIVE, i, rate, plain));
    }
    for (int i = 0; i < d->nindicator; i++) {
        const char *name = flx_arena_printf(arena, "indicator(%d)", i + 1);
        FLX_TRY(add(arena, d, FLX_FMU_INDICATOR, i, name, plain));
    }
    return FLX_OK;
}

static flx_status find_units(flx_arena *arena, flx_fmu_description *d)
{
    d->units = flx_arena_take(arena, (size_t)d->nvariable, sizeof *d->units);
    if (!d->units) return FLX_ERR_MEMORY;
    for (int i = 0; i < d->nvariable; i++) {
        const char *name = d->variables[i].unit;
        int k = 0;
        while (k < d->nunit && strcmp(d->units[k].name, name) != 0) k++;
        if (k < d->nunit || !*name) continue;
        flx_fmu_unit *u = d->units + d->nunit++;
        u->name = name;
        u->known = flx_base_unit_read(name, &u->base);
    }
    return FLX_OK;
}

flx_status flx_fmu_describe(flx_ctx *ctx, flx_arena *arena, const flx_system *s, flx_run *run,
                            flx_fmu_description *d)
{
    const char *why = d->exchange ? flx_fmu_not_exchanged(run) : NULL;
    if (why) return FLX_FAIL(ctx, FLX_ERR_CANNOT, FLX_NOWHERE, "%s", why);
    d->nstate = d->exchange ? flx_fmu_state_count(run) : 0;
    d->nindicator = d->exchange ? flx_fmu_indicator_count(run) : 0;
    d->follows_steps = d->exchange && flx_fmu_follows_steps(run);
    d->gives_rates = flx_fmu_gives_rates(run);
    size_t most =
        1 + 2 * (size_t)d->nstate + (size_t)d->nindicator + (size_t)count_ports(s, FLX_PORT_INPUT) +
        (size_t)count_ports(s, FLX_PORT_PARAMETER) + (size_t)count_ports(s, FLX_PORT_OUTPUT);
    const flx_integrator_def *method = &run->sim->def;
    d->variables = flx_arena_take(arena, most, sizeof *d->variables);
    if (!d->variables) return FLX_ERR_MEMORY;
    const char *title = flx_system_info(s)->title;
    d->title = flx_arena_copy(arena, title ? title : "", title ? strlen(title) : 0);
    d->stop = run->sim->until;
    d->tolerance = method->step > 0.0 ? 0.0 : method->rtol;
    FLX_TRY(add(arena, d, FLX_FMU_TIME, 0, "time", (flx_fmu_variable){.unit = "s"}));
    FLX_TRY(add_inputs(arena, s, run, d));
    FLX_TRY(add_parameters(arena, s, d));
    FLX_TRY(add_outputs(ctx, arena, s, d));
    FLX_TRY(add_states(arena, run, d));
    return find_units(arena, d);
}
