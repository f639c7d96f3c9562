// gradient_direct.c - (SEN-1) along the steps of a run: one factorisation per step, one solve per step and parameter.
//
// A parameter acts on the start, on the residuals of every step, and on what is asked for. Each is differentiated by five
// points of a second run with moved parameters, which makes no step: its start, residuals at the states of the steps, and
// values along states that are moved with the parameter.
#include "simulate/gradient/gradient_parts.h"

#include "base/arrays.h"
#include "integrate/method.h"

#include <math.h>
#include <string.h>

// Numbers that are kept for parameters at a time.
#define AT_A_TIME ((size_t)1 << 27) // 1 GiB

typedef struct direct {
    gradient *g;
    flx_slopes *sl;            // borrowed
    flx_gradient_rates *rates; // owned
    int size, nchange, n;      // of z; of a state; rows of a step
    int first, count;          // parameters that are treated now
    double *rp;                // (count steps n) then changes of what is inside the steps
    double *dz;                // (count size) at the step that was come to
    double *change;            // (count nodes nchange)
    double *z0, *z, *c;        // (size) (size) (nchange) scratch
    double *value;             // (nvalue)
    bool *idle;                // (nprobe) measures that no metric is made of
    bool settles;              // another one needs settled states
    bool closes; // another one is an extreme: ends of steps are closed as what lies between them is
    void *block, *fixed;
} direct;

static int steps_of(const direct *d)
{
    return d->g->n - 1;
}

static double *change_of(const direct *d, int k, int node)
{
    return d->change + ((size_t)k * (size_t)d->g->n + (size_t)node) * (size_t)d->nchange;
}

static double *rows_of(const direct *d, int k, int step)
{
    return d->rp + ((size_t)k * (size_t)steps_of(d) + (size_t)step) * (size_t)d->n;
}

// ---- what a parameter does by itself ------------------------------------------------------------

static flx_status find_start(direct *d, int k, double weight)
{
    gradient *g = d->g;
    flx_simulation *sim = g->twin->sim;
    const flx_system *s = sim->sys;
    int nv = s->dims.nv;
    double h = g->times[1] - g->times[0], *dz = d->dz + (size_t)k * (size_t)d->size;
    flx_gradient_node(g, 0, g->from);
    flx_slopes_between(s, g->from, sim->state, d->c);
    FLX_TRY(flx_slopes_start(d->sl, sim->it, sim->state, h, d->z));
    memcpy(d->z, d->c, (size_t)nv * sizeof *d->z);
    for (int i = 0; i < d->size; i++) dz[i] += weight * d->z[i];
    double *change = change_of(d, k, 0);
    for (int i = 0; i < d->nchange; i++) change[i] += weight * d->c[i];
    return FLX_OK;
}

static flx_status find_sources(direct *d, int k)
{
    gradient *g = d->g;
    double part;
    FLX_TRY(flx_gradient_rates_find(d->rates, d->first + k, rows_of(d, k, 0), &part));
    double e = flx_gradient_reach(g, d->first + k, part);
    for (int i = 0; i < FLX_FIVE_POINTS; i++) {
        FLX_TRY(flx_gradient_shift(g, d->first + k, flx_five_places[i] * e));
        FLX_TRY(find_start(d, k, flx_five_weights[i] / e));
    }
    return FLX_OK;
}

// ---- along the steps ----------------------------------------------------------------------------

static flx_status carry(direct *d)
{
    gradient *g = d->g;
    for (int i = 0; i < steps_of(d); i++) {
        const flx_gradient_jump *jump = flx_gradient_jump_at(g, i);
        for (int k = 0; k < d->count && jump; k++) {
            double *dz = d->dz + (size_t)k * (size_t)d->size, *dt = rows_of(d, k, i);
            FLX_TRY(flx_gradient_cross(g, jump, d->first + k, dz, change_of(d, k, i + 1), dt));
            memcpy(dz, change_of(d, k, i + 1), (size_t)d->size * sizeof *dz);
        }
        if (jump) continue;
        flx_state from, to;
        flx_gradient_ends(g, i, &from, &to);
        FLX_TRY(flx_slopes_open(d->sl, &from, &to, flx_gradient_record(g, i), false));
        for (int k = 0; k < d->count; k++) {
            double *dz = d->dz + (size_t)k * (size_t)d->size;
            FLX_TRY(flx_slopes_direct(d->sl, rows_of(d, k, i), dz));
            flx_slopes_change(d->sl, dz, change_of(d, k, i + 1));
        }
    }
    return FLX_OK;
}

// ---- values -------------------------------------------------------------------------------------

// Which measures the metrics are made of, and whether these need settled states: others are left out of the replays.
static void find_idle(direct *d)
{
    gradient *g = d->g;
    flx_simulation *sim = g->run->sim;
    const flx_outputs *o = &sim->model->outputs;
    for (int i = 0; i < o->nprobe; i++) {
        d->idle[i] = !flx_gradient_reads(g, i);
        if (d->idle[i]) continue;
        flx_measure_kind kind = o->probes[i].kind;
        bool extreme = kind == FLX_MEASURE_MAXIMUM || kind == FLX_MEASURE_MINIMUM;
        if (flx_simulation_probe_settles(sim, i)) d->settles = true;
        if (extreme && flx_method_of(sim->it)->close) d->closes = sim->sys->dims.nlam > 0;
    }
}

// Over an event, whose time moves by dt: integrals lose what they were after it, and win what they were before.
static flx_status replay_jump(flx_simulation *sim, double dt)
{
    flx_quadrature *c = &sim->course;
    for (int i = 0; i < c->n; i++) c->sum[i] += dt * sim->course_value[i];
    if (sim->powered) { // measures may read what was dissipated
        flx_energies e;
        FLX_TRY(flx_account_find_energies(sim, sim->state, &e));
        c->sum[FLX_COURSE_DISSIPATED] -= dt * e.dissipated_power;
        c->sum[FLX_COURSE_SUPPLIED] -= dt * e.supplied_power;
    }
    FLX_TRY(flx_account_jump(sim, sim->state));
    for (int i = FLX_COURSE_PROBES; i < c->n; i++) c->sum[i] -= dt * sim->course_value[i];
    return FLX_OK;
}

// The states of the run, moved by e, as if the second run had made them.
static flx_status replay(direct *d, int k, double e, double *value)
{
    gradient *g = d->g;
    flx_run *r = g->twin;
    flx_simulation *sim = r->sim;
    flx_method *m = flx_method_of(sim->it);
    const flx_gradient_def *def = g->def;
    int next = 0;
    flx_gradient_sharpen_twin(g);
    sim->idle = d->idle;
    if (!d->settles && sim->probes.settles) sim->probes.settles = sim->courses_settle = false;
    for (int i = 0; i < g->n; i++) {
        flx_gradient_node(g, i, g->from);
        flx_state_copy(m->before, m->after);
        m->before->t = m->after->t;
        flx_slopes_move(sim->sys, g->from, change_of(d, k, i), e, m->after);
        m->after->t = g->times[i];
        if (d->closes) FLX_TRY(m->close(sim->it, m->after));
        m->stepped = true;
        flx_state_copy(sim->state, m->after);
        sim->state->t = g->times[i];
        flx_account_forget(sim);
        if (i > 0 && flx_gradient_jump_at(g, i - 1)) {
            FLX_TRY(replay_jump(sim, e * rows_of(d, k, i - 1)[0]));
            continue;
        }
        if (i > 0)
            FLX_TRY(flx_slopes_install(d->sl, sim->it, flx_gradient_record(g, i - 1),
                                       rows_of(d, k, i - 1), change_of(d, k, i - 1), e));
        if (i == 0) {
            r->started = true;
            r->step_end = g->times[0];
            FLX_TRY(flx_account_start(r, sim->state));
        } else {
            FLX_TRY(flx_account_step(r, sim->state));
            r->step_end = g->times[i];
        }
        double t = g->times[i];
        for (; next < def->ntime && def->times[next] <= t * (1.0 + 1e-9); next++) {
            double at = fabs(def->times[next] - t) <= 1e-9 * fabs(t) ? t : def->times[next];
            FLX_TRY(flx_gradient_observe(g, r, at, value + def->nmetric + next * def->noutput));
        }
    }
    flx_running_close_ledger(r, FLX_OK);
    for (int i = 0; i < def->nmetric; i++) value[i] = sim->metrics[def->metric[i]];
    return FLX_OK;
}

static flx_status find_values(direct *d, int k, double *slope)
{
    gradient *g = d->g;
    int at = d->first + k, np = g->def->nparam;
    double e = flx_gradient_reach(g, at, FLX_GRADIENT_VALUE_PART);
    for (int i = 0; i < FLX_FIVE_POINTS; i++) {
        double by = flx_five_places[i] * e;
        FLX_TRY(flx_gradient_shift(g, at, by));
        FLX_TRY(replay(d, k, by, d->value));
        for (int j = 0; j < g->nvalue; j++)
            slope[(size_t)j * (size_t)np + (size_t)at] += flx_five_weights[i] / e * d->value[j];
    }
    return FLX_OK;
}

// ---- all of it ----------------------------------------------------------------------------------

static flx_status make(direct *d)
{
    gradient *g = d->g;
    const flx_system *s = g->run->sim->sys;
    d->sl = g->sl;
    d->size = flx_slopes_size(d->sl);
    d->nchange = flx_slopes_change_size(s);
    d->n = flx_slopes_rows(d->sl);
    size_t one = (size_t)steps_of(d) * (size_t)d->n + (size_t)g->n * (size_t)d->nchange;
    size_t count = one > 0 ? AT_A_TIME / one : 1;
    if (count < 1) count = 1;
    if (count > (size_t)g->def->nparam) count = (size_t)g->def->nparam;
    d->count = (int)count;
    const flx_array arrays[] = {FLX_ARRAY(d->rp, count * (size_t)steps_of(d) * (size_t)d->n),
                                FLX_ARRAY(d->dz, count * (size_t)d->size),
                                FLX_ARRAY(d->change, count * (size_t)g->n * (size_t)d->nchange),
                                FLX_ARRAY(d->z, d->size),
                                FLX_ARRAY(d->c, d->nchange + d->n),
                                FLX_ARRAY(d->idle, g->run->sim->model->outputs.nprobe),
                                FLX_ARRAY(d->value, g->nvalue)};
    d->block = flx_alloc_arrays(g->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    if (!d->block) return FLX_ERR_MEMORY;
    find_idle(d);
    return flx_gradient_rates_create(g, g->n - 1, &d->rates);
}

static flx_status find_some(direct *d, double *slope)
{
    gradient *g = d->g;
    size_t count = (size_t)d->count;
    memset(d->dz, 0, count * (size_t)d->size * sizeof *d->dz);
    memset(d->change, 0, count * (size_t)g->n * (size_t)d->nchange * sizeof *d->change);
    for (int k = 0; k < d->count; k++) FLX_TRY(find_sources(d, k));
    FLX_TRY(carry(d));
    for (int k = 0; k < d->count; k++) FLX_TRY(find_values(d, k, slope));
    return FLX_OK;
}

flx_status flx_gradient_direct(gradient *g, double *slope)
{
    direct d = {.g = g};
    flx_status status = make(&d);
    int most = d.count;
    for (int k = 0; k < g->def->nparam && status == FLX_OK; k += most) {
        d.first = k;
        d.count = g->def->nparam - k < most ? g->def->nparam - k : most;
        status = find_some(&d, slope);
    }
    flx_gradient_rates_destroy(&d.rates);
    flx_free(d.block);
    return status;
}
