// gradient_run.c - a run whose steps are kept, and values that are asked for along it.
#include "simulate/gradient/gradient_parts.h"

#include "integrate/events/events.h"
#include "integrate/method.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST_AT_FIRST 1e7 // nodes that there is room for at once,
#define SPARE 64          // ... and so many more

// ---- steps --------------------------------------------------------------------------------------

void flx_gradient_node(gradient *g, int i, flx_state *x)
{
    flx_gradient_bring(g, i, false);
    memcpy(x->block, g->states + (size_t)(i - g->first) * g->size, g->size * sizeof *x->block);
    x->t = g->times[i];
}

// The arrays of a state in another block.
static void view(const gradient *g, int i, flx_state *x)
{
    const flx_state *like = g->from;
    double *block = g->states + (size_t)(i - g->first) * g->size;
    *x = (flx_state){.t = g->times[i],
                     .q = block + (like->q - like->block),
                     .v = block + (like->v - like->block),
                     .a = block + (like->a - like->block),
                     .x = block + (like->x - like->block),
                     .dx = block + (like->dx - like->block),
                     .w = block + (like->w - like->block),
                     .lam = block + (like->lam - like->block),
                     .mu = block + (like->mu - like->block),
                     .switches = block + (like->switches - like->block),
                     .block = block,
                     .size = like->size};
}

void flx_gradient_ends(gradient *g, int i, flx_state *from, flx_state *to)
{
    flx_gradient_bring(g, i, true);
    view(g, i, from);
    view(g, i + 1, to);
}

const double *flx_gradient_record(gradient *g, int i)
{
    flx_gradient_bring(g, i, true);
    return g->records + (size_t)(i - g->first) * g->record;
}

// *array (n size) with room for more.
static bool widen(gradient *g, double **array, size_t size, int n, int room)
{
    double *wider = flx_alloc(g->ctx, (size_t)room * size + 1, sizeof *wider);
    if (wider && n > 0 && size > 0) memcpy(wider, *array, (size_t)n * size * sizeof *wider);
    flx_free(*array);
    *array = wider;
    return wider != NULL;
}

// Nodes that a run with a given step comes to, and some events; else a beginning.
static int first_room(const gradient *g)
{
    double h = g->run->sim->it->def.step, nodes = h > 0.0 ? g->run->horizon / h : 0.0;
    return nodes < MOST_AT_FIRST ? (int)fmax(nodes + SPARE, 1024.0) : 1024;
}

static flx_status make_room(gradient *g)
{
    int room = g->room == 0 ? first_room(g) : 2 * g->room;
    int *orders = flx_alloc(g->ctx, (size_t)room, sizeof *orders);
    if (orders && g->n > 0) memcpy(orders, g->orders, (size_t)g->n * sizeof *orders);
    flx_free(g->orders);
    g->orders = orders;
    g->room = room;
    return orders && widen(g, &g->times, 1, g->n, room) ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status make_wide(gradient *g)
{
    int wide = g->wide == 0 ? first_room(g) : 2 * g->wide, most = flx_gradient_most_nodes(g);
    if (wide > most && g->wide < most) wide = most; // at last, all there is
    if (wide > most) {
        g->cannot = FLX_GRADIENT_TOO_MUCH;
        return FLX_OK;
    }
    g->wide = wide;
    bool good = widen(g, &g->states, g->size, g->held, wide) &&
                widen(g, &g->records, g->record, g->held, wide);
    return good ? FLX_OK : FLX_ERR_MEMORY;
}

// The step that `it` has made last, which leads to node i.
static void keep_step(gradient *g, flx_integrator *it, int i, const flx_state *x)
{
    int at = i - g->first;
    memcpy(g->states + (size_t)at * g->size, x->block, g->size * sizeof *x->block);
    if (at > 0 && g->sl && !flx_gradient_jump_at(g, i - 1))
        flx_slopes_record(g->sl, it, g->records + (size_t)(at - 1) * g->record);
}

flx_status flx_gradient_keep(gradient *g, const flx_state *x)
{
    flx_integrator *it = (g->tracer ? g->tracer : g->run)->sim->it;
    if (!g->keeps || g->cannot) return FLX_OK;
    if (g->held == g->wide) FLX_TRY(make_wide(g));
    if (g->cannot) return FLX_OK;
    int i = g->first + g->held;
    keep_step(g, it, i, x);
    g->held++;
    if (g->again) return FLX_OK;
    if (g->n == g->room) FLX_TRY(make_room(g));
    if (i > 0) g->orders[i - 1] = flx_method_of(it)->order_made;
    g->times[g->n++] = x->t;
    return FLX_OK;
}

// ---- values -------------------------------------------------------------------------------------

flx_status flx_gradient_observe(gradient *g, flx_run *r, double t, double *value)
{
    flx_simulation *sim = r->sim;
    const flx_gradient_def *def = g->def;
    const flx_state *x = sim->state;
    if (t != x->t) {
        FLX_TRY(flx_integrator_interpolate(sim->it, t, sim->inner));
        if (sim->columns.settles) FLX_TRY(flx_simulation_settle_here(sim, sim->inner));
        x = sim->inner;
    }
    flx_account_forget(sim);
    FLX_TRY(flx_account_signals(&sim->columns, sim, x, flx_course_dissipated_at(sim, t)));
    for (int i = 0; i < def->noutput; i++) value[i] = sim->columns.out[def->output[i]];
    return FLX_OK;
}

static bool is_end(double t, double end)
{
    return fabs(t - end) <= 1e-9 * fmax(fabs(end), DBL_MIN) || t == end;
}

// Outputs at all times up to that of the state.
static flx_status observe_up_to(gradient *g, flx_run *r, int *next, double *value)
{
    const flx_gradient_def *def = g->def;
    double end = r->sim->state->t;
    while (*next < def->ntime && (def->times[*next] <= end || is_end(def->times[*next], end))) {
        double t = is_end(def->times[*next], end) ? end : def->times[*next];
        FLX_TRY(flx_gradient_observe(g, r, t, value + def->nmetric + *next * def->noutput));
        (*next)++;
    }
    return FLX_OK;
}

// Whether switches have changed where the run began, as where a joint that was held lets go: the first step is made with others
// than its beginning has.
static bool changed_at_start(gradient *g, const flx_simulation *sim)
{
    size_t n = (size_t)sim->sys->dims.nswitch;
    if (!g->keeps || g->cannot || g->n != 2 || n == 0) return false;
    flx_gradient_node(g, 0, g->from);
    return memcmp(g->from->switches, sim->state->switches, n * sizeof(double)) != 0;
}

void flx_gradient_sharpen(flx_simulation *sim)
{
    flx_method *m = flx_method_of(sim->it);
    sim->sharp = true;
    m->own_normals = true;
    // rows that are open stay so where states are closed before a step is made
    if (sim->sys->ops->contacts && m->read_rows) m->read_rows(sim->it, sim->state->switches);
}

void flx_gradient_sharpen_twin(gradient *g)
{
    flx_simulation *sim = g->twin->sim;
    flx_gradient_sharpen(sim);
    sim->halves = &g->halves;
    flx_halves_start(&g->halves);
    if (g->def->noutput == 0 && !sim->measures_dissipated) sim->powered = false;
}

// After a step of the run that has been at `count` events so far: the state, and that before an event which ended it.
flx_status flx_gradient_keep_end(gradient *g, const flx_simulation *sim, long count)
{
    const flx_method *m = flx_method_of(sim->it);
    long now = flx_events_last_of(sim->it).count;
    if (now != count) {
        g->events = true;
        if (!g->sl || !flx_slopes_jumps(g->sl))
            g->cannot = "events happen in it";
        else if (now > count + 1)
            g->cannot = "events follow each other at one instant of it";
        FLX_TRY(flx_gradient_keep(g, m->after));
        if (g->keeps && !g->cannot && !g->again)
            FLX_TRY(flx_gradient_note_jump(g, m->after, sim->state));
    }
    FLX_TRY(flx_gradient_keep(g, sim->state));
    if (now == count && !g->again && changed_at_start(g, sim))
        g->cannot = "something switches at its start";
    return FLX_OK;
}

// Whether other runs that make their own steps make as many at the same times, and take the parts of steps that the run took.
bool flx_gradient_same_parts(const gradient *g)
{
    return g->run->sim->it->def.step > 0.0 && !g->events;
}

flx_status flx_gradient_march(gradient *g, flx_run *r, double *value)
{
    flx_simulation *sim = r->sim;
    const flx_gradient_def *def = g->def;
    flx_status status = FLX_OK;
    int next = 0;
    FLX_TRY(flx_gradient_begin(g, r));
    flx_gradient_sharpen(sim);
    g->halves.keeps = r == g->run;
    sim->halves = g->halves.keeps || flx_gradient_same_parts(g) ? &g->halves : NULL;
    flx_halves_start(&g->halves);
    FLX_TRY(flx_gradient_keep(g, sim->state));
    FLX_TRY(observe_up_to(g, r, &next, value));
    while (r->t < r->horizon && status == FLX_OK) {
        long count = flx_events_last_of(sim->it).count;
        status = flx_run_step(r, 0.0, NULL);
        if (status != FLX_OK && status != FLX_STOPPED) return status;
        if (status == FLX_STOPPED) g->cannot = "an event ends it";
        if (r->watch.full) g->cannot = "it leaves its reduction";
        FLX_TRY(flx_gradient_keep_end(g, sim, count));
        FLX_TRY(observe_up_to(g, r, &next, value));
        FLX_TRY(flx_gradient_go_on(g, r));
        if (r->horizon - r->t <= 16.0 * DBL_EPSILON * r->horizon) break;
    }
    if (next < def->ntime) {
        return FLX_FAIL(g->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the run ends at t = %.9g, and an output is asked for at t = %.9g", r->t,
                        def->times[next]);
    }
    sim->halves = NULL;
    g->halves.keeps = false;
    const flx_ledger *l = flx_run_ledger(r);
    for (int i = 0; i < def->nmetric; i++) value[i] = l->metrics[def->metric[i]];
    return FLX_OK;
}

flx_status flx_gradient_follow(gradient *g, double *value)
{
    flx_run *r = g->twin;
    flx_method *m = flx_method_of(r->sim->it);
    const flx_gradient_def *def = g->def;
    flx_status status = FLX_OK;
    int next = 0;
    flx_gradient_sharpen_twin(g);
    FLX_TRY(observe_up_to(g, r, &next, value));
    m->frozen = true;
    for (int i = 1; i < g->n && status == FLX_OK; i++) {
        m->order = g->orders[i - 1];
        status = flx_run_step(r, g->times[i] - r->sim->state->t, NULL);
        if (status == FLX_OK && m->begin != r->sim->start->t) status = FLX_STOPPED; // an event
        if (status == FLX_OK && g->retraces) keep_step(g, r->sim->it, i, r->sim->state);
        if (status == FLX_OK) status = observe_up_to(g, r, &next, value);
    }
    m->frozen = false;
    if (status != FLX_OK) return status;
    const flx_ledger *l = flx_run_ledger(r);
    for (int i = 0; i < def->nmetric; i++) value[i] = l->metrics[def->metric[i]];
    return next == def->ntime ? FLX_OK : FLX_STOPPED;
}

// ---- the second run -----------------------------------------------------------------------------

double flx_gradient_reach(const gradient *g, int k, double part)
{
    double size = g->def->scale ? fabs(g->def->scale[k]) : fabs(g->p[k]);
    double e = part * (size > 0.0 ? size : 1.0);
    volatile double moved = g->p[k] + e; // a difference that is one of numbers
    return moved - g->p[k];
}

static flx_status hand_on(gradient *g, flx_status status)
{
    const flx_message *m = flx_ctx_error(g->quiet, 0);
    if (!m) return status;
    return FLX_FAIL(g->ctx, status, m->loc, "%s", m->text);
}

flx_status flx_gradient_shift(gradient *g, int k, double e)
{
    flx_status status = FLX_OK;
    int last = g->shifted - 1;
    flx_ctx_clear_messages(g->quiet);
    if (last >= 0 && last != k)
        status = flx_run_set_parameter(g->twin, g->def->param[last], g->p[last]);
    if (status == FLX_OK) status = flx_run_set_parameter(g->twin, g->def->param[k], g->p[k] + e);
    g->shifted = k + 1;
    if (status == FLX_OK) status = flx_run_reset(g->twin);
    return status == FLX_OK ? status : hand_on(g, status);
}
