// fmu_steps.c - the strike of the clock of an FMU.
//
// At t the equations know the inputs u(t); the FMU is at t - H, the strike before. Where it takes slopes of inputs it goes from there along
//     u(t - H) + (u(t) - u(t - H)) s/H        (FMU-1)
// of FMI 3.0, where outputs go on with slopes, along the mean of both; else, and in its first step, with u(t) as it is. Its outputs
// at t are
//     y(t + s) = y(t)  or  y(t) + y'(t) s     (FMU-2), (FMU-3)
// in the equations until t + H. So the FMU sees what has happened, the equations look ahead: errors are of the first order in H, with slopes of the
// second.
#include "simulate/exchange/fmu_steps.h"
#include "base/checkpoint_walk.h"
#include "base/fmu_runner.h"
#include "model/fmu/fmu_live.h"
#include "simulate/run_parts.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void flx_ctx_host_fmus(flx_ctx *ctx, const flx_fmu_host *host)
{
    if (ctx) *flx_ctx_fmus(ctx) = host;
}

// Bytes that an FMU gave as its state are written; where they are read, true: so many lie at m->at.
static bool bytes_are_there(flx_memory *m, const void *bytes, size_t size)
{
    if (!flx_memory_loads(m)) {
        flx_memory_pass(m, (void *)(uintptr_t)bytes, size); // read alone
        return false;
    }
    if (m->status != FLX_OK) return false;
    if (size <= m->left) return true;
    flx_memory_fail(m, FLX_ERR_MODEL);
    return false;
}

#define NEVER 1e300 // no event is due
// Outputs that are off by more from each exchange to the next, by this part of their values, until it is so many times as much.
#define FAR 0.1
#define EVER_MORE 1e9

// What a call of the host failed with, as a message; FLX_OK: it did not.
static flx_status told(const flx_fmu_steps *s, const flx_fmu_guest *g, flx_status status,
                       const char *what, double t)
{
    if (status == FLX_OK) return FLX_OK;
    const char *why = s->host->why ? s->host->why(g->instance) : NULL;
    return FLX_FAIL(s->ctx, g->started ? FLX_INTERRUPTED : FLX_ERR_CANNOT, g->item->loc,
                    "the FMU '%s' %s at t = %.9g%s%s", g->item->name, what, t,
                    why && *why ? ": " : "", why && *why ? why : "");
}

// ---- model exchange -----------------------------------------------------------------------------

static flx_status told_live(const flx_fmu_steps *s, const flx_fmu_guest *g, flx_status status,
                            double t)
{
    char why[600];
    if (status == FLX_OK || status == FLX_ERR_MEMORY) return status;
    flx_fmu_live_why(g->item->live, why, sizeof why);
    return FLX_FAIL(s->ctx, status, g->item->loc, "the FMU '%s' %s at t = %.9g", g->item->name, why,
                    t);
}

static flx_status create_live(flx_fmu_steps *s, const flx_model *m, flx_fmu_guest *g)
{
    const flx_fmu_item *f = g->item;
    if (s->host->size < sizeof *s->host || !s->host->create_exchange) {
        return FLX_FAIL(s->ctx, FLX_ERR_CANNOT, f->loc,
                        "the FMU '%s' is for model exchange, which this program does not run",
                        f->name);
    }
    g->state = -1;
    for (int i = 0; i < m->nfirst; i++) {
        if (strcmp(m->firsts[i].name, f->state) == 0) g->state = m->firsts[i].number;
    }
    return flx_fmu_live_host(f->live, s->host, f->isolated);
}

static flx_status start_live(flx_fmu_steps *s, flx_fmu_guest *g, flx_fmu_moment *m)
{
    const flx_fmu_item *f = g->item;
    for (int i = 0; i < f->nset; i++) {
        g->ports[i] = f->settings[i].port;
        g->values[i] = f->settings[i].value;
    }
    return flx_fmu_live_start(f->live, f->nset, g->ports, g->values, f->tolerance, s->until, m);
}

// The start of an FMU for model exchange, or one of its events.
static flx_status meet(flx_fmu_steps *s, flx_fmu_guest *g, int sign, double t, double *D, double *x,
                       flx_event_report *h)
{
    const flx_fmu_item *f = g->item;
    flx_fmu_moment m = {.t = t,
                        .mode = D[f->mode],
                        .x = g->state >= 0 ? x + g->state : NULL,
                        .u = D + f->u,
                        .sign = sign};
    size_t bytes = g->state >= 0 ? (size_t)flx_fmu_live_states(f->live) * sizeof *x : 0;
    bool begins = m.mode == 0.0;
    memcpy(g->work, m.x ? m.x : g->work, bytes);
    FLX_TRY(told_live(s, g, begins ? start_live(s, g, &m) : flx_fmu_live_event(f->live, &m), t));
    D[f->mode] = g->mode = m.mode;
    D[f->next] = fmin(m.next, NEVER);
    g->started = true;
    h->settle = 1;
    if (m.ended) h->stop = 1;
    if (bytes > 0 && memcmp(g->work, m.x, bytes) != 0) h->jumped = 1;
    return FLX_OK;
}

void flx_fmu_steps_tell(flx_fmu_steps *s)
{
    char why[600];
    for (int i = 0; s && i < s->n; i++) {
        const flx_fmu_item *f = s->guests[i].item;
        if (!f->live) continue;
        flx_fmu_live_why(f->live, why, sizeof why);
        if (*why) (void)FLX_FAIL(s->ctx, FLX_INTERRUPTED, f->loc, "the FMU '%s' %s", f->name, why);
    }
}

static void live_memory(flx_fmu_steps *s, flx_fmu_guest *g, flx_memory *m)
{
    const void *bytes = NULL;
    size_t size = 0;
    const flx_fmu_item *f = g->item;
    if (!flx_memory_loads(m) && g->started &&
        flx_fmu_live_mode(f->live, g->mode, &bytes, &size) != FLX_OK) {
        flx_memory_fail(m, FLX_FAIL(s->ctx, FLX_ERR_CANNOT, f->loc,
                                    "the FMU '%s' cannot give its state as bytes: a run with it "
                                    "cannot be saved, and leaves no checkpoints",
                                    f->name));
    }
    FLX_PASS(m, g->started);
    FLX_PASS(m, g->mode);
    FLX_PASS(m, size);
    if (!bytes_are_there(m, bytes, size)) return;
    if (g->started) {
        flx_status status = flx_fmu_live_know(f->live, g->mode, m->at, size);
        if (status == FLX_OK && !flx_fmu_live_runs(f->live)) { // to be one that has a state
            flx_fmu_moment any = {.x = g->work, .u = g->u};
            status = told_live(s, g, start_live(s, g, &any), 0.0);
        }
        if (status != FLX_OK) flx_memory_fail(m, status);
    }
    m->at += size;
    m->left -= size;
    m->size += size;
}

// ---- life ---------------------------------------------------------------------------------------

static flx_status create(flx_fmu_steps *s, const flx_model *m, const flx_fmu_item *item,
                         flx_fmu_guest *g)
{
    g->item = item;
    g->u = flx_alloc(s->ctx, (size_t)item->ninput + 1, sizeof *g->u);
    size_t room = (size_t)(item->ninput + item->nvalue + item->info->nstate) + 1;
    g->work = flx_alloc(s->ctx, room, sizeof *g->work);
    g->ports = flx_alloc(s->ctx, (size_t)item->nset + 1, sizeof *g->ports);
    g->values = flx_alloc(s->ctx, (size_t)item->nset + 1, sizeof *g->values);
    g->missed = flx_alloc(s->ctx, (size_t)item->nvalue + 1, sizeof *g->missed);
    g->least = flx_alloc(s->ctx, (size_t)item->nvalue + 1, sizeof *g->least);
    if (!g->u || !g->work || !g->ports || !g->values || !g->missed || !g->least)
        return FLX_ERR_MEMORY;
    if (item->live) return create_live(s, m, g);
    FLX_TRY(told(s, g, s->host->create(s->host->user, item->info, item->isolated, &g->instance),
                 "cannot be loaded", 0.0));
    for (int i = 0; i < item->nset; i++) {
        const flx_fmu_setting *set = item->settings + i;
        if (s->host->set(g->instance, 1, &set->port, &set->value) == FLX_OK) continue;
        return FLX_FAIL(s->ctx, FLX_ERR_CANNOT, item->loc,
                        "the FMU '%s' does not take the value %g of '%s'", item->name, set->value,
                        item->info->ports[set->port].name);
    }
    return FLX_OK;
}

flx_status flx_fmu_steps_begin(struct flx_simulation *sim, int first)
{
    const flx_model *m = sim->model;
    const flx_fmu_host *host = *flx_ctx_fmus(sim->ctx);
    if (!host || host->size < offsetof(flx_fmu_host, create_exchange)) {
        return FLX_FAIL(sim->ctx, FLX_ERR_CANNOT, m->fmus[0].loc,
                        "the FMU '%s' is a program, which runs where it is trusted alone: with "
                        "`flexion run --trust`, in C after flx_ctx_host_fmus",
                        m->fmus[0].name);
    }
    flx_fmu_steps *s = sim->fmus = flx_alloc(sim->ctx, 1, sizeof *s);
    if (!s) return FLX_ERR_MEMORY;
    *s = (flx_fmu_steps){.ctx = sim->ctx, .host = host, .until = m->simulate.until, .first = first};
    s->guests = flx_alloc(s->ctx, (size_t)m->nfmu, sizeof *s->guests);
    if (!s->guests) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nfmu; i++) {
        s->n = i + 1;
        FLX_TRY(create(s, m, m->fmus + i, s->guests + i));
    }
    return FLX_OK;
}

void flx_fmu_steps_destroy(flx_fmu_steps **steps)
{
    flx_fmu_steps *s = *steps;
    *steps = NULL;
    if (!s) return;
    for (int i = 0; i < s->n; i++) {
        if (s->guests[i].instance) s->host->destroy(s->guests[i].instance);
        flx_free(s->guests[i].u);
        flx_free(s->guests[i].work);
        flx_free(s->guests[i].missed);
        flx_free(s->guests[i].least);
        flx_free(s->guests[i].ports);
        flx_free(s->guests[i].values);
    }
    flx_free(s->guests);
    flx_free(s);
}

// ---- the strike ---------------------------------------------------------------------------------

static flx_status start(flx_fmu_steps *s, flx_fmu_guest *g, double t, const double *u)
{
    const flx_fmu_item *f = g->item;
    FLX_TRY(told(s, g, s->host->set(g->instance, f->ninput, f->inputs, u),
                 "does not take its inputs", t));
    FLX_TRY(told(s, g, s->host->start(g->instance, t, f->tolerance, s->until),
                 "cannot be initialised", t));
    g->started = true;
    return FLX_OK;
}

// FMI 3.0 has no slopes of inputs: along their mean the step has errors of the second order, too. Its outputs are asked for at the
// inputs of the end. In work (ninput); false: none of them is continuous.
static bool find_mean(const flx_fmu_guest *g, const double *u, double *mean)
{
    const flx_fmu_item *f = g->item;
    bool any = false;
    for (int i = 0; i < f->ninput; i++) {
        bool continuous = strcmp(f->info->ports[f->inputs[i]].variability, "continuous") == 0;
        mean[i] = continuous ? 0.5 * (g->u[i] + u[i]) : u[i];
        any = any || continuous;
    }
    return any;
}

static flx_status advance(flx_fmu_steps *s, flx_fmu_guest *g, double t, const double *u)
{
    const flx_fmu_item *f = g->item;
    double h = t - g->t;
    int ended = 0;
    // inputs at the start may have been made of outputs that were not known yet
    bool slopes = f->info->interpolates && f->info->version == 2 && g->moved;
    if (!(h > 0.0) || g->ended) return FLX_OK;
    bool mean = f->linear && f->info->version == 3 && g->moved && find_mean(g, u, g->work);
    const double *along = mean ? g->work : slopes ? g->u : u;
    FLX_TRY(told(s, g, s->host->set(g->instance, f->ninput, f->inputs, along),
                 "does not take its inputs", t));
    if (slopes) {
        for (int i = 0; i < f->ninput; i++) g->work[i] = (u[i] - g->u[i]) / h;
        FLX_TRY(told(s, g, s->host->set_slopes(g->instance, f->ninput, f->inputs, g->work),
                     "does not take slopes of its inputs", t));
    }
    FLX_TRY(told(s, g, s->host->step(g->instance, g->t, h, &ended), "failed in its step", t));
    g->moved = true;
    g->ended = ended != 0;
    if (mean && !ended)
        FLX_TRY(told(s, g, s->host->set(g->instance, f->ninput, f->inputs, u),
                     "does not take its inputs", t));
    if (ended)
        flx_ctx_warn(s->ctx, f->loc, "the FMU '%s' ended at t = %.9g; its outputs stay", f->name,
                     t);
    return FLX_OK;
}

// An FMU of FMI 3.0, which has no slopes of its inputs, gives those of its outputs as if the inputs stayed: where outputs follow
// inputs at once differences are better.
static flx_status find_slopes(flx_fmu_steps *s, flx_fmu_guest *g, double t, const double *before,
                              const double *y, double *slope)
{
    const flx_fmu_item *f = g->item;
    double h = t - g->t;
    if (g->ended) {
        memset(slope, 0, (size_t)f->nvalue * sizeof *slope);
    } else if (f->info->output_slopes > 0 && (f->info->version == 2 || f->ninput == 0)) {
        return told(s, g, s->host->get_slopes(g->instance, f->noutput, f->outputs, slope),
                    "gives no slopes of its outputs", t);
    } else {
        for (int i = 0; i < f->nvalue; i++) slope[i] = h > 0.0 ? (y[i] - before[i]) / h : 0.0;
    }
    return FLX_OK;
}

// Where outputs follow inputs at once and go round a loop, what the equations took them to be can be off by ever more, as where a
// load is held that is stiff beside the interval.
static void watch(const flx_fmu_steps *s, flx_fmu_guest *g, double t, const double *before,
                  const double *y, const double *slope)
{
    const flx_fmu_item *f = g->item;
    for (int k = 0; k < f->nvalue; k++) {
        double missed = fabs(y[k] - before[k] - (slope ? slope[k] * (t - g->t) : 0.0));
        bool grows = missed > g->missed[k] && missed > FAR * fabs(y[k]);
        if (!grows || g->missed[k] == 0.0) g->least[k] = missed;
        g->missed[k] = missed;
        if (g->told || !(missed > EVER_MORE * g->least[k])) continue;
        g->told = true;
        flx_ctx_warn(
            s->ctx, f->loc,
            "what the FMU '%s' gives is off by ever more from one exchange to the next, up "
            "to t = %.9g, as where outputs follow inputs at once and go round a loop: "
            "'hold: constant', 'type: model-exchange' or a shorter 'every' may help",
            f->name, t);
    }
}

flx_status flx_fmu_step(flx_fmu_steps *s, const flx_event *event, double t, double *D, double *x,
                        flx_event_report *h)
{
    flx_fmu_guest *g = s->guests + event->fmu - 1;
    const flx_fmu_item *f = g->item;
    if (f->live) return meet(s, g, event->fmu_sign, t, D, x, h);
    const double *u = D + f->u;
    double *y = D + f->y, *before = g->work + f->ninput;
    if (!g->started) {
        FLX_TRY(start(s, g, t, u));
        g->t = t;
    } else {
        FLX_TRY(advance(s, g, t, u));
    }
    memcpy(before, y, (size_t)f->nvalue * sizeof *y);
    FLX_TRY(
        told(s, g, s->host->get(g->instance, f->noutput, f->outputs, y), "gives no outputs", t));
    for (int k = 0; k < f->nvalue; k++) {
        if (isfinite(y[k])) continue;
        return FLX_FAIL(s->ctx, FLX_INTERRUPTED, f->loc,
                        "an output of the FMU '%s' is not finite at t = %.9g", f->name, t);
    }
    if (g->moved) watch(s, g, t, before, y, f->linear ? D + f->slope : NULL);
    if (f->linear) {
        FLX_TRY(find_slopes(s, g, t, before, y, D + f->slope));
        D[f->at] = t;
    }
    g->t = t;
    memcpy(g->u, u, (size_t)f->ninput * sizeof *u);
    return FLX_OK;
}

// ---- as bytes -----------------------------------------------------------------------------------

static flx_status load(flx_fmu_steps *s, flx_fmu_guest *g, bool started, const void *bytes,
                       size_t size)
{
    if (!started) {
        if (!g->started) return FLX_OK;
        return FLX_FAIL(s->ctx, FLX_ERR_CANNOT, g->item->loc,
                        "the FMU '%s' has begun, and does not go back to before its start: make "
                        "another run",
                        g->item->name);
    }
    if (!g->started) FLX_TRY(start(s, g, 0.0, g->u)); // to be one that has a state
    return told(s, g, s->host->restore(g->instance, bytes, size),
                "does not go on from a saved state", g->t);
}

static void guest_memory(flx_fmu_steps *s, flx_fmu_guest *g, flx_memory *m)
{
    const void *bytes = NULL;
    size_t size = 0;
    bool started = g->started;
    if (!flx_memory_loads(m) && started) {
        flx_status status = FLX_ERR_CANNOT;
        if (!g->item->info->writes_states) {
            (void)FLX_FAIL(s->ctx, status, g->item->loc,
                           "the FMU '%s' cannot give its state as bytes: a run with it cannot be "
                           "saved, and leaves no checkpoints",
                           g->item->name);
        } else {
            status = told(s, g, s->host->save(g->instance, &bytes, &size), "gives no state", g->t);
        }
        if (status != FLX_OK) flx_memory_fail(m, status);
    }
    FLX_PASS(m, started);
    FLX_PASS(m, g->moved);
    FLX_PASS(m, g->ended);
    FLX_PASS(m, g->t);
    FLX_PASS(m, size);
    flx_memory_numbers(m, g->u, (size_t)g->item->ninput);
    if (!bytes_are_there(m, bytes, size)) return;
    flx_status status = load(s, g, started, m->at, size);
    if (status != FLX_OK) flx_memory_fail(m, status);
    m->at += size;
    m->left -= size;
    m->size += size;
}

void flx_fmu_steps_memory(flx_fmu_steps *s, flx_memory *m)
{
    for (int i = 0; s && i < s->n; i++) {
        flx_fmu_guest *g = s->guests + i;
        if (g->item->live) {
            live_memory(s, g, m);
        } else {
            guest_memory(s, g, m);
        }
    }
}
