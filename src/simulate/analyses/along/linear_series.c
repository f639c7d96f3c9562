// linear_series.c - linear models along a motion; see linear_series.h.
#include "simulate/analyses/along/linear_series.h"
#include "base/number.h"
#include "simulate/analyses/along/reference_motion.h"
#include "simulate/linear/linear_about.h"

#include <string.h>

#define MOST_NUMBERS 2e7 // of a series

typedef struct walk {
    flx_task *t;
    const flx_io_keys *keys;
    flx_linear_series *out;
    flx_io_signals io;
    flx_formulas formulas;
    flx_signals inputs; // as they are at a state
    flx_reference way;
    flx_state *x;
} walk;

// ---- what is at a state -------------------------------------------------------------------------------

static flx_status watch_inputs(walk *w)
{
    const flx_model *m = w->t->sim->model;
    flx_node *nodes = flx_arena_take(w->out->arena, (size_t)w->keys->nin + 1, sizeof *nodes);
    if (!nodes) return FLX_ERR_MEMORY;
    for (int k = 0; k < w->keys->nin; k++) nodes[k] = m->inputs[w->keys->inputs[k]].node;
    FLX_TRY(flx_formulas_create(m->graph, w->keys->nin, nodes, &w->formulas));
    return flx_signals_create(w->t->sim->ctx, &w->formulas, &w->inputs);
}

static flx_status take_place(walk *w, int k)
{
    const flx_io_keys *keys = w->keys;
    size_t nstate = (size_t)keys->nstate, nin = (size_t)keys->nin;
    FLX_TRY(flx_signals_eval(&w->inputs, w->t->sim, w->x, 0.0));
    if (nin > 0) memcpy(w->out->inputs_at + (size_t)k * nin, w->inputs.out, nin * sizeof(double));
    if (nstate == 0) return FLX_OK;
    FLX_TRY(flx_signals_eval(&w->io.signals, w->t->sim, w->x, 0.0));
    memcpy(w->out->states_at + (size_t)k * nstate, w->io.signals.out + keys->nout,
           nstate * sizeof(double));
    return FLX_OK;
}

// ---- the models ---------------------------------------------------------------------------------------

static flx_status make_room(walk *w, const flx_linear_model *m)
{
    flx_linear_series *s = w->out;
    size_t n = (size_t)m->n, nin = (size_t)m->nin, nout = (size_t)m->nout, nt = (size_t)w->way.n;
    double size = (double)nt * (double)((n + nout) * (n + nin));
    if (size > MOST_NUMBERS) {
        return FLX_FAIL(w->t->sim->ctx, FLX_ERR_CANNOT, w->t->a->loc,
                        "the series has %.2g numbers, and %.2g at most are kept: name fewer "
                        "`states` and `outputs`, or take a longer `every`",
                        size, MOST_NUMBERS);
    }
    s->n = m->n;
    s->nin = m->nin;
    s->nout = m->nout;
    s->A = flx_arena_take(s->arena, nt * n * n + 1, sizeof *s->A);
    s->B = flx_arena_take(s->arena, nt * n * nin + 1, sizeof *s->B);
    s->C = flx_arena_take(s->arena, nt * nout * n + 1, sizeof *s->C);
    s->D = flx_arena_take(s->arena, nt * nout * nin + 1, sizeof *s->D);
    s->states = flx_arena_take(s->arena, n + 1, sizeof *s->states);
    if (!s->A || !s->B || !s->C || !s->D || !s->states) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->n; i++) {
        s->states[i] = m->states[i];
        s->states[i].item = flx_arena_printf(s->arena, "%s", m->states[i].item);
        s->states[i].part = flx_arena_printf(s->arena, "%s", m->states[i].part);
        if (!s->states[i].item || !s->states[i].part) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

// The series is of one state alone where all its models have the same coordinates.
static flx_status check_same(const walk *w, const flx_linear_model *m, int k)
{
    const flx_linear_series *s = w->out;
    bool same = m->n == s->n;
    for (int i = 0; same && i < m->n; i++)
        same =
            m->states[i].kind == s->states[i].kind && m->states[i].unknown == s->states[i].unknown;
    if (same) return FLX_OK;
    return FLX_FAIL(w->t->sim->ctx, FLX_ERR_CANNOT, w->t->a->loc,
                    "the coordinates that constraints leave free are others at t = %.9g than at "
                    "the start: name `states`",
                    w->way.t[k]);
}

static flx_status take_model(walk *w, int k)
{
    flx_linear_series *s = w->out;
    flx_linear_model m = {0};
    flx_status status = flx_io_signals_linear(&w->io, w->t->sim, w->x, &m);
    if (status == FLX_OK && k == 0) status = make_room(w, &m);
    if (status == FLX_OK) status = check_same(w, &m, k);
    if (status == FLX_OK) {
        size_t n = (size_t)m.n, nin = (size_t)m.nin, nout = (size_t)m.nout, at = (size_t)k;
        memcpy(s->A + at * n * n, m.A, n * n * sizeof *m.A);
        if (nin > 0) memcpy(s->B + at * n * nin, m.B, n * nin * sizeof *m.B);
        if (nout > 0) memcpy(s->C + at * nout * n, m.C, nout * n * sizeof *m.C);
        if (nin * nout > 0) memcpy(s->D + at * nout * nin, m.D, nout * nin * sizeof *m.D);
        s->rates = s->rates || m.D1 || m.D2;
        if (w->io.shifts >= 0) s->shifts = w->io.shifts;
    }
    flx_linear_model_clear(&m);
    return status;
}

static flx_status go(walk *w, const flx_way_keys *way)
{
    flx_simulation *sim = w->t->sim;
    flx_linear_series *s = w->out;
    FLX_TRY(flx_io_signals_create(sim, w->keys, &w->io));
    FLX_TRY(watch_inputs(w));
    FLX_TRY(flx_reference_begin(sim, way, &w->way));
    FLX_TRY(flx_state_create(sim->sys, &w->x));
    size_t nt = (size_t)w->way.n;
    s->nt = w->way.n;
    s->t = flx_arena_take(s->arena, nt, sizeof *s->t);
    s->states_at = flx_arena_take(s->arena, nt * (size_t)w->keys->nstate + 1, sizeof *s->states_at);
    s->inputs_at = flx_arena_take(s->arena, nt * (size_t)w->keys->nin + 1, sizeof *s->inputs_at);
    if (!s->t || !s->states_at || !s->inputs_at) return FLX_ERR_MEMORY;
    for (int k = 0; k < s->nt; k++) {
        s->t[k] = w->way.t[k];
        FLX_TRY(flx_reference_take(&w->way, k, w->x));
        FLX_TRY(take_place(w, k));
        FLX_TRY(flx_reference_check(&w->way, k, w->keys->nin, w->keys->inputs,
                                    s->inputs_at + (size_t)k * (size_t)w->keys->nin));
        FLX_TRY(take_model(w, k));
    }
    return FLX_OK;
}

flx_status flx_linear_series_find(flx_task *t, const flx_io_keys *keys, const flx_way_keys *way,
                                  flx_linear_series *out)
{
    walk w = {.t = t, .keys = keys, .out = out};
    *out = (flx_linear_series){.arena = flx_arena_create(t->sim->ctx), .shifts = -1};
    flx_status status = out->arena ? go(&w, way) : FLX_ERR_MEMORY;
    flx_state_destroy(&w.x);
    flx_reference_end(&w.way);
    flx_signals_clear(&w.inputs);
    flx_formulas_clear(&w.formulas);
    flx_io_signals_clear(&w.io);
    return status;
}

void flx_linear_series_clear(flx_linear_series *s)
{
    flx_arena_destroy(&s->arena);
    *s = (flx_linear_series){0};
}

flx_status flx_linear_series_put(flx_simulation *sim, flx_finding *out, flx_finding_table *table,
                                 int at, const char *name, int nrow, int ncolumn,
                                 const double *values)
{
    size_t size = (size_t)nrow * (size_t)ncolumn;
    for (int i = 0; i < nrow; i++) {
        for (int j = 0; j < ncolumn; j++) {
            char head[80];
            int column = at + i * ncolumn + j;
            flx_snprintf(head, sizeof head, "%s(%d, %d)", name, i + 1, j + 1);
            FLX_TRY(flx_finding_column(sim, out, table, column, head, ""));
            for (int k = 0; k < table->nrow; k++)
                table->values[(size_t)k * (size_t)table->ncolumn + (size_t)column] =
                    values[(size_t)k * size + (size_t)(i * ncolumn + j)];
        }
    }
    return FLX_OK;
}
