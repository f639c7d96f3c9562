// run_alone.c - a run that its owner advances: flexion/run.h. The loop is that of run.c, a piece at a time.
#include "base/log.h"
#include "base/refuse.h"
#include "integrate/events/events.h"
#include "simulate/exchange/exchange.h"
#include "simulate/exchange/fmu_steps.h"
#include "simulate/run_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PROGRESS_SECONDS 0.05
#define CRUMB 1e-4 // of the method's usual step
#define SAME 1e-9  // of it: times that differ by less are one

flx_status flx_running_enter(flx_run *r)
{
    if (r->busy) {
        return FLX_FAIL(r->sim->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a callback cannot move, change, save or look at the run that calls it: do "
                        "so when the call has returned");
    }
    r->busy = true;
    return FLX_OK;
}

// ---- life ---------------------------------------------------------------------------------------

// A definition of this or an earlier version of the library.
static flx_status take_def(flx_ctx *ctx, const flx_run_def *def, flx_run_def *out)
{
    *out = flx_run_def_default();
    if (!def) return FLX_OK;
    if (def->size < offsetof(flx_run_def, until) || def->size > sizeof *out) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the definition of a run has no valid size: begin with "
                        "flx_run_def_default()");
    }
    memcpy(out, def, def->size);
    if (out->method.type) out->method.method = out->method.type->name;
    FLX_TRY(flx_check_named(ctx, &out->method));
    if (!(out->until >= 0.0) || !isfinite(out->until)) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the end of a run cannot be at t = %g",
                        out->until);
    }
    return FLX_OK;
}

// Where the state is: nothing was computed, and nothing is in the account.
static flx_status begin_here(flx_run *r)
{
    flx_simulation *sim = r->sim;
    FLX_TRY(flx_running_plan(r, r->horizon));
    flx_watch_start(&r->watch, sim);
    r->every = r->time = 0;
    r->started = r->row_since = r->begun = r->stopped = r->known = r->doubted = false;
    r->met = r->ended = false;
    r->ndue = 0;
    r->status = r->failed = FLX_OK;
    r->step = r->seconds = 0.0;
    r->allocations = r->kept_allocations = 0;
    r->t = r->step_end = sim->state->t;
    r->looked = flx_clock_seconds();
    return FLX_OK;
}

// From the start, made again where numbers were set that it may depend on.
static flx_status restart(flx_run *r)
{
    flx_simulation *sim = r->sim;
    flx_watch_end(&r->watch, sim);
    if (r->tuned) FLX_TRY(flx_running_tune(r, r->parameters));
    if (r->tuned || r->stale) FLX_TRY(flx_simulation_start_again(sim));
    if (r->tuned) FLX_TRY(flx_simulation_find_signals(sim));
    if (r->placed) FLX_TRY(flx_quasistatic_measure(sim->sys, sim->start)); // it was, elsewhere
    double *scales;
    if (flx_quasistatic_scales(sim->sys, &scales) > 0)
        sim->used = true; // methods are made with them
    FLX_TRY(flx_simulation_settle_anew(sim));
    r->tuned = r->stale = r->placed = false;
    FLX_TRY(flx_running_begin(sim));
    FLX_TRY(begin_here(r));
    return flx_running_meet_start(r);
}

flx_status flx_running_restart(flx_run *r)
{
    flx_ctx *ctx = r->sim->ctx;
    int told = flx_ctx_error_count(ctx);
    flx_status status = restart(r);
    if (status == FLX_OK || flx_ctx_error_count(ctx) > told) return status;
    return FLX_FAIL(ctx, status, FLX_NOWHERE,
                    "with these inputs and parameters the start cannot be made: %s",
                    flx_status_text(status));
}

static flx_status make(flx_run *r, const flx_system *s, flx_ctx *ctx)
{
    const flx_integrator_def *method = r->def.method.method ? &r->def.method : NULL;
    FLX_TRY(flx_simulation_create_for(s, method, r->def.no_ledger, ctx, &r->sim));
    r->horizon = r->def.until > 0.0 ? r->def.until : r->sim->until;
    r->sim->until = r->horizon;
    r->shown = r->sim->state;
    r->rows = r->def.row != NULL;
    r->outputs = flx_alloc(ctx, (size_t)r->sim->info.ncolumn, sizeof *r->outputs);
    return r->outputs ? flx_running_restart(r) : FLX_ERR_MEMORY;
}

flx_status flx_run_create(const flx_system *s, const flx_run_def *def, flx_ctx *ctx, flx_run **run)
{
    if (!ctx || !run) return flx_refuse_null(ctx, __func__);
    *run = NULL;
    flx_run_def d;
    if (!s) return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the system is NULL");
    FLX_TRY(take_def(ctx, def, &d));
    flx_run *r = flx_alloc(ctx, 1, sizeof *r);
    if (!r) return FLX_ERR_MEMORY;
    r->def = d;
    r->of = s;
    flx_log_guard log = flx_log_begin(ctx, d.log, d.user);
    flx_status status = make(r, s, ctx);
    flx_log_end(&log);
    if (status != FLX_OK) flx_run_destroy(&r);
    *run = r;
    return status;
}

void flx_run_destroy(flx_run **run)
{
    flx_run *r = run ? *run : NULL;
    if (!r || (r->busy && flx_running_enter(r) != FLX_OK)) return;
    if (r->sim) flx_watch_end(&r->watch, r->sim);
    flx_simulation_destroy(&r->sim);
    flx_free(r->outputs);
    flx_free(r->parameters);
    flx_free(r->due);
    flx_free(r);
    *run = NULL;
}

flx_status flx_run_reset(flx_run *r)
{
    if (!r) return flx_refuse_null(NULL, __func__);
    FLX_TRY(flx_running_enter(r));
    flx_log_guard log = flx_log_begin(r->sim->ctx, r->def.log, r->def.user);
    flx_status status = flx_running_restart(r);
    flx_log_end(&log);
    if (status != FLX_OK) r->failed = status;
    flx_running_show(r);
    r->busy = false;
    return status;
}

// ---- a state of the owner's -----------------------------------------------------------------------

// Positions, velocities and states as given, made consistent in the metric of the masses; the rest follows.
static flx_status place(flx_simulation *sim, flx_start_report *report)
{
    const flx_system *s = sim->sys;
    flx_state *x = sim->state, *start = sim->start;
    flx_start_report velocities = {0};
    FLX_TRY(flx_start_positions(s, x, NULL, report));
    FLX_TRY(flx_start_velocities(s, x, NULL, &velocities));
    report->moved_v = velocities.moved_v;
    report->item_v = velocities.item_v;
    report->residual_v = velocities.residual_v;
    report->iterations += velocities.iterations;
    if (s->ops->events) s->ops->events->settle(s, sim->work, x);
    sim->start = x;
    flx_status status = flx_simulation_start_recast(sim);
    sim->start = start;
    if (status == FLX_OK && s->ops->accept) s->ops->accept(s, sim->work, x);
    return status;
}

// The same; what cannot be leaves the scales of the system as they were.
static flx_status place_or_stay(flx_simulation *sim, flx_start_report *report)
{
    double *scales, *kept;
    size_t n = (size_t)flx_quasistatic_scales(sim->sys, &scales);
    if (n == 0) return place(sim, report);
    kept = flx_alloc(sim->ctx, n, sizeof *kept);
    if (!kept) return FLX_ERR_MEMORY;
    memcpy(kept, scales, n * sizeof *kept);
    flx_status status = place(sim, report);
    if (status != FLX_OK) memcpy(scales, kept, n * sizeof *kept);
    flx_free(kept);
    return status;
}

static flx_status set_state(flx_run *r, double t, const double *q, const double *v, const double *x,
                            flx_start_report *report)
{
    flx_simulation *sim = r->sim;
    const flx_dims *d = &sim->sys->dims;
    flx_state *to = sim->state;
    flx_state_copy(sim->inner, to); // as it was
    // what was due at the start is due where the state is set
    const bool again = !r->begun && r->met;
    if (again) {
        flx_state_copy(to, sim->start);
        FLX_TRY(flx_simulation_settle_start(sim, to));
    }
    to->t = t;
    if (q) memcpy(to->q, q, (size_t)d->nq * sizeof *q);
    if (v) memcpy(to->v, v, (size_t)d->nv * sizeof *v);
    if (x) memcpy(to->x, x, (size_t)d->nx * sizeof *x);
    flx_status status = place_or_stay(sim, report);
    if (status != FLX_OK) {
        flx_state_copy(to, sim->inner);
        return status;
    }
    if (sim->plan->by_hand && !r->begun) flx_state_copy(sim->start, to);
    if (again) FLX_TRY(flx_exchange_begin(sim)); // particles had gone on
    FLX_TRY(flx_simulation_create_method(sim));
    sim->used = true;
    flx_account_open(sim);
    flx_judge_open(sim);
    r->placed = true;
    return begin_here(r);
}

static bool are_finite(const double *x, int n)
{
    for (int i = 0; x && i < n; i++) {
        if (!isfinite(x[i])) return false;
    }
    return true;
}

flx_status flx_run_set_state(flx_run *r, const double *q, const double *v, const double *x,
                             flx_start_report *report)
{
    if (!r) return flx_refuse_null(NULL, __func__);
    return flx_run_set_state_at(r, r->sim->state->t, q, v, x, report);
}

flx_status flx_run_set_state_at(flx_run *r, double t, const double *q, const double *v,
                                const double *x, flx_start_report *report)
{
    if (!r) return flx_refuse_null(NULL, __func__);
    flx_simulation *sim = r->sim;
    const flx_dims *d = &sim->sys->dims;
    flx_start_report unasked;
    if (!report) report = &unasked;
    *report = (flx_start_report){.item_q = -1, .item_v = -1};
    if (!are_finite(&t, 1) || !are_finite(q, d->nq) || !are_finite(v, d->nv) ||
        !are_finite(x, d->nx)) {
        return FLX_FAIL(sim->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a state cannot have values that are not finite");
    }
    FLX_TRY(flx_running_enter(r));
    flx_log_guard log = flx_log_begin(sim->ctx, r->def.log, r->def.user);
    flx_status status = set_state(r, t, q, v, x, report);
    flx_log_end(&log);
    flx_running_show(r);
    r->busy = false;
    return status;
}

// ---- on -----------------------------------------------------------------------------------------

// Between steps, at most every so many seconds.
static int tell_progress(void *user, double t, double until)
{
    flx_run *r = user;
    double now = flx_clock_seconds();
    if (now - r->looked < PROGRESS_SECONDS) return 0;
    r->looked = now;
    return r->def.progress(r->def.user, t, until);
}

void flx_running_show(flx_run *r)
{
    const flx_state *from = r->sim->state;
    flx_state *to = r->shown;
    if (from == to) return;
    const flx_dims *d = &r->sim->sys->dims, *had = &r->sim->plan->sys->dims;
    const struct {
        double *to;
        const double *from;
        int n, had;
    } parts[] = {{to->q, from->q, d->nq, had->nq},    {to->v, from->v, d->nv, had->nv},
                 {to->a, from->a, d->nv, had->nv},    {to->x, from->x, d->nx, had->nx},
                 {to->w, from->w, d->nw, had->nw},    {to->lam, from->lam, d->nlam, had->nlam},
                 {to->mu, from->mu, d->nmu, had->nmu}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        int n = parts[i].n < parts[i].had ? parts[i].n : parts[i].had;
        memcpy(parts[i].to, parts[i].from, (size_t)n * sizeof(double));
        for (; n < parts[i].had; n++)
            parts[i].to[n] = (double)NAN; // there is no such unknown any more
    }
}

flx_status flx_running_refuse_failed(const flx_run *r)
{
    return FLX_FAIL(r->sim->ctx, r->failed, FLX_NOWHERE,
                    "the run has failed at t = %.9g and cannot go on: reset it, restore it, or set "
                    "its state",
                    r->t);
}

static flx_status drive(flx_run *r, double until, bool single)
{
    flx_simulation *sim = r->sim;
    FLX_TRY(flx_running_enter(r));
    flx_schedule schedule = {
        .until = until, .horizon = r->horizon, .piece = 1, .single = single, .resume = r->begun};
    if (r->rows) {
        schedule.every = r->schedule.every;
        schedule.times = r->schedule.times;
        schedule.ntimes = r->schedule.ntimes;
    }
    r->progress = r->def.progress ? tell_progress : NULL;
    r->user = r;
    r->known = r->interrupt = false;
    flx_log_guard log = flx_log_begin(sim->ctx, r->def.log, r->def.user);
    if (!r->begun) flx_running_tell_start(r);
    flx_status status = r->stopped ? FLX_OK : flx_running_drive(r, &schedule);
    flx_log_end(&log);
    r->busy = false;
    r->begun = true;
    r->t = sim->state->t;
    r->status = FLX_OK;
    flx_running_show(r);
    if (sim->ledger.stopped_by) r->stopped = true;
    if (r->stopped && (status == FLX_OK || status == FLX_INTERRUPTED)) return FLX_STOPPED;
    if (status != FLX_OK && status != FLX_INTERRUPTED) r->failed = status;
    if (status > FLX_OK) flx_fmu_steps_tell(sim->fmus);
    return status;
}

// The length of steps that the method makes where nothing cuts them; 0: not known.
static double usual_step(const flx_run *r)
{
    const flx_simulation *sim = r->sim;
    const flx_statistics *made = flx_integrator_statistics(sim->it);
    if (sim->def.step > 0.0) return sim->def.step;
    if (made->steps == 0) return 0.0;
    // it may have begun later than the run
    return fmin((sim->state->t - sim->start->t) / (double)made->steps, made->largest_step);
}

// Times that differ by less are one to the method, whose state stays until there is more of it.
static double rounding(const flx_run *r, double t)
{
    double span = fmax(r->horizon, r->sim->def.step);
    return 16.0 * DBL_EPSILON * fmax(fabs(t), span > 0.0 ? span : 1.0);
}

// One that was due where the run is, but for rounding (as where a loop adds up its times), has been told.
static bool row_is_due(const flx_run *r, double from, double to)
{
    const flx_schedule *s = &r->schedule;
    if (!r->rows) return false;
    double told = from + SAME * usual_step(r);
    if (s->every > 0.0 && floor(told / s->every) < floor(to / s->every)) return true;
    for (int i = 0; i < s->ntimes; i++) {
        if (s->times[i] > told && s->times[i] <= to) return true;
    }
    return false;
}

// Whether a way to t is so short beside the steps of the method that a step of it would be rounding over its square.
static bool is_crumb(const flx_run *r, double t)
{
    const flx_simulation *sim = r->sim;
    double from = sim->state->t;
    return r->begun && t - from < CRUMB * usual_step(r) && sim->sys->ops->events &&
           !row_is_due(r, from, t);
}

// There by accelerations as they are, whose change over the crumb is rounding; the method begins anew.
static flx_status nudge(flx_run *r, double t)
{
    flx_simulation *sim = r->sim;
    const flx_system *s = sim->sys;
    flx_state *x = sim->state;
    double h = t - x->t, *theta = sim->inner->v;
    FLX_TRY(flx_running_enter(r));
    flx_log_guard log = flx_log_begin(sim->ctx, r->def.log, r->def.user);
    flx_status status = flx_events_expect_jumps(sim->it);
    if (status == FLX_OK) {
        for (int i = 0; i < s->dims.nv; i++) theta[i] = h * (x->v[i] + 0.5 * h * x->a[i]);
        s->ops->retract(s, x->q, theta, x->q);
        for (int i = 0; i < s->dims.nv; i++) x->v[i] += h * x->a[i];
        for (int i = 0; i < s->dims.nx; i++) x->x[i] += h * x->dx[i];
        x->t = r->t = t;
        flx_account_forget(sim);
        status = flx_account_crumb(r, x);
        if (status == FLX_OK) status = flx_running_jump(r);
    }
    flx_log_end(&log);
    r->busy = false;
    return status == FLX_OK && r->stopped ? FLX_STOPPED : status;
}

flx_status flx_run_advance(flx_run *r, double t)
{
    if (!r) return flx_refuse_null(NULL, __func__);
    if (r->failed != FLX_OK) return flx_running_refuse_failed(r);
    if (!isfinite(t) || t < r->t) {
        return FLX_FAIL(r->sim->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a run at t = %.9g cannot advance to t = %.9g", r->t, t);
    }
    if (r->stopped) return FLX_STOPPED;
    if (t > r->sim->state->t + rounding(r, t))
        FLX_TRY(is_crumb(r, t) ? nudge(r, t) : drive(r, t, false));
    r->t = t;
    return FLX_OK;
}

flx_status flx_run_finish(flx_run *r)
{
    if (!r) return flx_refuse_null(NULL, __func__);
    if (r->horizon > 0.0) return r->t < r->horizon ? flx_run_advance(r, r->horizon) : FLX_OK;
    return FLX_FAIL(r->sim->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "neither the model nor the run says when it ends: give 'until'");
}

flx_status flx_run_step(flx_run *r, double most, double *taken)
{
    if (!r) return flx_refuse_null(NULL, __func__);
    if (taken) *taken = 0.0;
    if (r->failed != FLX_OK) return flx_running_refuse_failed(r);
    if (!(most >= 0.0) || !isfinite(most)) {
        return FLX_FAIL(r->sim->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "a step cannot be %g s long",
                        most);
    }
    if (r->stopped) return FLX_STOPPED;
    double from = r->sim->state->t, until = from + most;
    if (most == 0.0) until = r->horizon > from ? r->horizon : from + fmax(1.0, r->horizon);
    if (until <= from + rounding(r, until)) return FLX_OK;
    flx_status status = is_crumb(r, until) ? nudge(r, until) : drive(r, until, true);
    if (taken) *taken = r->sim->state->t - from;
    return status;
}

double flx_run_time(const flx_run *r)
{
    if (!r) return (double)NAN;
    return r->t;
}

// ---- values -------------------------------------------------------------------------------------

flx_status flx_running_know_outputs(flx_run *r)
{
    flx_simulation *sim = r->sim;
    if (r->known || sim->info.ncolumn == 0) return FLX_OK;
    FLX_TRY(flx_running_find_outputs(r));
    memcpy(r->outputs, sim->columns.out, (size_t)sim->info.ncolumn * sizeof *r->outputs);
    r->known = true;
    return FLX_OK;
}

const double *flx_run_outputs(flx_run *r, int *n)
{
    if (!r) return NULL;
    flx_simulation *sim = r->sim;
    if (n) *n = sim->info.ncolumn;
    if (r->known || sim->info.ncolumn == 0) return r->outputs;
    if (flx_running_enter(r) != FLX_OK) return NULL;
    flx_status status = flx_running_know_outputs(r);
    r->busy = false;
    return status == FLX_OK ? r->outputs : NULL;
}

double flx_run_get(flx_run *r, int output)
{
    if (!r) return (double)NAN;
    int n;
    const double *all = flx_run_outputs(r, &n);
    if (output >= 0 && output < n) return all ? all[output] : (double)NAN;
    (void)FLX_FAIL(r->sim->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                   "the system has %d outputs, and no number %d", n, output);
    return (double)NAN;
}

const double *flx_run_view(const flx_run *r, flx_view what, int *n)
{
    if (!r) return NULL;
    const flx_dims *d = &r->sim->plan->sys->dims;
    const flx_state *x = r->shown;
    const struct {
        const double *at;
        int n;
    } views[] = {{x->q, d->nq}, {x->v, d->nv},     {x->a, d->nv},  {x->x, d->nx},
                 {x->w, d->nw}, {x->lam, d->nlam}, {x->mu, d->nmu}};
    bool known = (unsigned)what < sizeof views / sizeof views[0];
    if (n) *n = known ? views[what].n : 0;
    return known ? views[what].at : NULL;
}

flx_statistics flx_run_statistics(const flx_run *r)
{
    if (!r) return (flx_statistics){0};
    flx_statistics s = *flx_integrator_statistics(r->sim->it);
    flx_watch_add_work(&r->watch, &s);
    return s;
}

// Where the account fails and nothing else has told why.
static void tell_doubt(flx_run *r, int told)
{
    const flx_ledger *l = &r->sim->ledger;
    if (l->balanced || r->doubted) return;
    r->doubted = true;
    if (flx_ctx_warning_count(r->sim->ctx) > told) return;
    flx_ctx_warn(r->sim->ctx, FLX_NOWHERE,
                 "the run fails its own account: the energy is off by %.2g of it, constraints by "
                 "%.2g; a smaller step or tolerance may help",
                 l->energy_drift, fmax(l->position_residual, l->dropped_residual));
}

const flx_ledger *flx_run_ledger(flx_run *r)
{
    if (!r) return NULL;
    flx_simulation *sim = r->sim;
    if (flx_running_enter(r) != FLX_OK) return &sim->ledger;
    flx_log_guard log = flx_log_begin(sim->ctx, r->def.log, r->def.user);
    int told = flx_ctx_warning_count(sim->ctx);
    flx_running_close_ledger(r, r->failed);
    tell_doubt(r, told);
    flx_log_end(&log);
    r->busy = false;
    return &sim->ledger;
}

flx_ctx *flx_run_messages(const flx_run *r)
{
    if (!r) return NULL;
    return r->sim->ctx;
}

const char *flx_run_stopped_by(const flx_run *r)
{
    if (!r) return NULL;
    return r->sim->ledger.stopped_by;
}
