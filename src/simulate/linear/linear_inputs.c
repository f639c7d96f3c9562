// linear_inputs.c - inputs as a linear model sees them; see linear_inputs.h.
#include "simulate/linear/linear_inputs.h"

#include <math.h>
#include <string.h>

// The value of an input at a state.
static flx_status find_value(flx_simulation *sim, const flx_state *at, int input, double *value)
{
    flx_formulas f;
    flx_signals s = {0};
    const flx_model *m = sim->model;
    flx_status status = flx_formulas_create(m->graph, 1, &m->inputs[input].node, &f);
    if (status == FLX_OK) status = flx_signals_create(sim->ctx, &f, &s);
    if (status == FLX_OK) status = flx_signals_eval(&s, sim, at, 0.0);
    if (status == FLX_OK) *value = s.out[0];
    flx_signals_clear(&s);
    flx_formulas_clear(&f);
    return status;
}

flx_status flx_cut_inputs_begin(flx_run *run, const flx_state *at, bool closed, int nin,
                                const int *inputs, flx_arena *arena, flx_cut_inputs *out)
{
    flx_simulation *sim = run->sim;
    const flx_model *m = sim->model;
    size_t n = (size_t)nin * FLX_INPUT_NUMBERS;
    *out = (flx_cut_inputs){.run = run, .nin = nin, .inputs = inputs};
    double *numbers = flx_arena_take(arena, n, sizeof *numbers);
    double *kept = flx_arena_take(arena, n, sizeof *kept);
    if (!numbers || !kept) return FLX_ERR_MEMORY;
    for (int k = 0; k < nin; k++)
        memcpy(kept + k * FLX_INPUT_NUMBERS, flx_running_input(run, inputs[k]),
               FLX_INPUT_NUMBERS * sizeof *kept);
    out->numbers = numbers;
    out->kept = kept;
    for (int k = 0; k < nin; k++) {
        int i = inputs[k];
        double *to = numbers + k * FLX_INPUT_NUMBERS, u[3];
        const double *from = kept + k * FLX_INPUT_NUMBERS;
        flx_running_input_at(from, at->t, u);
        memcpy(to, u, sizeof u);
        to[FLX_INPUT_SINCE] = at->t;
        to[FLX_INPUT_FREE] = from[FLX_INPUT_FREE];
        if (closed || m->inputs[i].moves || from[FLX_INPUT_FREE] == 0.0) continue;
        FLX_TRY(find_value(sim, at, i, to));
        to[FLX_INPUT_FREE] = to[FLX_INPUT_SLOPE] = to[FLX_INPUT_CURVATURE] = 0.0;
    }
    for (int k = 0; k < nin; k++)
        flx_running_put_input(run, inputs[k], numbers + k * FLX_INPUT_NUMBERS);
    return FLX_OK;
}

void flx_cut_inputs_end(const flx_cut_inputs *c)
{
    for (int k = 0; c->kept && k < c->nin; k++)
        flx_running_put_input(c->run, c->inputs[k], c->kept + k * FLX_INPUT_NUMBERS);
}

void flx_cut_inputs_change(const flx_cut_inputs *c, int k, int part, double d)
{
    double numbers[FLX_INPUT_NUMBERS];
    memcpy(numbers, c->numbers + k * FLX_INPUT_NUMBERS, sizeof numbers);
    numbers[part] += d;
    flx_running_put_input(c->run, c->inputs[k], numbers);
}

double flx_cut_inputs_size(const flx_cut_inputs *c, int k, int part)
{
    return fmax(1.0, fabs(c->numbers[k * FLX_INPUT_NUMBERS + part]));
}

bool flx_cut_inputs_moves(const flx_cut_inputs *c, int k)
{
    return c->run->sim->model->inputs[c->inputs[k]].moves != NULL;
}
