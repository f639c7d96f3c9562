// io_signals.c - outputs and named states of an analysis; see io_signals.h.
#include "simulate/analyses/io_signals.h"

#include "base/number.h"
#include "reduced/condensed.h"
#include "simulate/linear/linear_check.h"
#include "simulate/linear/massless_states.h"

#include <math.h>

#define MOVES 1e-9 // rates of states as a part of what A makes of states of their size
#define LOST 1e-8  // differences from the response of the equations, as a part of it
#define BETTER 0.1 // times as far off

static void list(flx_io_signals *s, const flx_column *columns, int n, flx_node *nodes)
{
    for (int k = 0; k < n; k++) {
        s->names[s->n] = columns[k].name;
        s->units[s->n] = columns[k].unit;
        s->places[s->n] = s->n;
        nodes[s->n++] = columns[k].node;
    }
}

static flx_status make(flx_simulation *sim, flx_io_signals *s)
{
    const flx_io_keys *keys = s->keys;
    const flx_model *m = sim->model;
    size_t n = (size_t)(keys->nout + keys->nstate) + 1;
    flx_node *nodes = flx_arena_take(s->arena, n, sizeof *nodes);
    s->names = flx_arena_take(s->arena, n, sizeof *s->names);
    s->units = flx_arena_take(s->arena, n, sizeof *s->units);
    s->places = flx_arena_take(s->arena, n, sizeof *s->places);
    s->inputs = flx_arena_take(s->arena, (size_t)keys->nin + 1, sizeof *s->inputs);
    if (!nodes || !s->names || !s->units || !s->places || !s->inputs) return FLX_ERR_MEMORY;
    list(s, keys->outputs, keys->nout, nodes);
    list(s, keys->states, keys->nstate, nodes);
    for (int k = 0; k < keys->nin; k++) s->inputs[k] = m->inputs[keys->inputs[k]].name;
    FLX_TRY(flx_formulas_create(m->graph, s->n, nodes, &s->formulas));
    return flx_signals_create(sim->ctx, &s->formulas, &s->signals);
}

flx_status flx_io_signals_create(flx_simulation *sim, const flx_io_keys *keys, flx_io_signals *out)
{
    *out = (flx_io_signals){.keys = keys, .arena = flx_arena_create(sim->ctx)};
    flx_status status = out->arena ? make(sim, out) : FLX_ERR_MEMORY;
    if (status != FLX_OK) flx_io_signals_clear(out);
    return status;
}

// Differences that have lost digits, beside parts that are far faster than others, give way to slopes of the equations as they stand.
static flx_status hold(flx_io_signals *s, flx_simulation *sim, const flx_state *at,
                       flx_linear_model *out)
{
    flx_linear_check check, other;
    flx_linear_model exact;
    FLX_TRY(flx_linear_check_response(sim, s->keys, at, out, &check));
    if (!check.known || !(check.off > LOST)) return FLX_OK;
    int shifts = s->shifts, errors = flx_ctx_error_count(sim->ctx);
    int warnings = flx_ctx_warning_count(sim->ctx);
    bool better = flx_massless_linear(s, sim, at, &exact) == FLX_OK;
    flx_ctx_forget_errors(sim->ctx, errors);
    flx_ctx_forget_warnings(sim->ctx, warnings);
    if (better) {
        FLX_TRY(flx_linear_check_response(sim, s->keys, at, &exact, &other));
        better = other.known && other.off < BETTER * check.off;
        flx_linear_model_clear(better ? out : &exact);
    }
    if (better) {
        *out = exact;
        check = other;
    } else {
        s->shifts = shifts;
    }
    flx_linear_check_tell(sim, s, &check);
    return FLX_OK;
}

flx_status flx_io_signals_linear(flx_io_signals *s, flx_simulation *sim, const flx_state *at,
                                 flx_linear_model *out)
{
    const flx_io_keys *keys = s->keys;
    const flx_linear_request request = {.sim = sim,
                                        .at = at,
                                        .signals = &s->signals,
                                        .names = s->names,
                                        .nin = keys->nin,
                                        .nout = keys->nout,
                                        .nstate = keys->nstate,
                                        .inputs = keys->inputs,
                                        .outputs = s->places,
                                        .states = s->places + keys->nout,
                                        .closed = keys->closed,
                                        .motion = s->turns ? &s->motion : NULL,
                                        .shifts = &s->shifts};
    const int *following;
    int told = flx_ctx_error_count(sim->ctx), warned = flx_ctx_warning_count(sim->ctx);
    if (flx_condensed_list(sim->sys, &following) > 0) {
        if (flx_massless_linear(s, sim, at, out) == FLX_OK) return FLX_OK;
        flx_ctx_forget_errors(sim->ctx, told); // it moves
    }
    flx_status status = flx_linear_find(&request, out);
    if (status == FLX_OK && flx_ctx_warning_count(sim->ctx) > warned) return FLX_OK; // of a corner
    if (status == FLX_OK) return hold(s, sim, at, out);
    if (status != FLX_SINGULAR && status != FLX_NO_CONVERGENCE) return status;
    int more = flx_ctx_error_count(sim->ctx);
    if (flx_massless_linear(s, sim, at, out) == FLX_OK) {
        flx_linear_check check;
        flx_ctx_forget_errors(sim->ctx, told);
        FLX_TRY(flx_linear_check_response(sim, keys, at, out, &check));
        flx_linear_check_tell(sim, s, &check);
        return FLX_OK;
    }
    flx_ctx_forget_errors(sim->ctx, more);
    return status;
}

void flx_name_state(const flx_state_info *s, size_t size, char *text)
{
    const char *rate = s->kind == FLX_STATE_VELOCITY ? "'" : "";
    flx_snprintf(text, size, s->part[0] ? "%s %s%s" : "%s%s%s", s->item, s->part, rate);
}

flx_status flx_io_signals_tell_moving(const flx_io_signals *s, flx_simulation *sim,
                                      const flx_linear_model *m, flx_finding *out)
{
    int worst = 0;
    double most = 0.0;
    char name[60];
    if (s->motion.steady) return FLX_OK;
    for (int i = 0; i < m->n; i++) {
        double size = 0.0;
        for (int j = 0; j < m->n; j++) size += fabs(m->A[i * m->n + j]);
        double part = fabs(m->rate[i]) / fmax(size, 1e-3);
        if (part <= most) continue;
        most = part;
        worst = i;
    }
    if (most <= MOVES) return FLX_OK;
    flx_name_state(m->states + worst, sizeof name, name);
    return flx_finding_line(sim, out,
                            "the state moves (%s changes by %.4g per second): the coefficients are "
                            "those of this instant",
                            name, m->rate[worst]);
}

void flx_io_signals_clear(flx_io_signals *s)
{
    flx_signals_clear(&s->signals);
    flx_formulas_clear(&s->formulas);
    flx_arena_destroy(&s->arena);
}
