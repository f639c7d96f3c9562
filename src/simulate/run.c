// run.c - the time loop: rows to the sinks, events, and the account at the ends of steps (account.c). Rows between them
// come from the interpolation.
#include "base/refuse.h"
#include "integrate/method.h"
#include "simulate/exchange/exchange.h"
#include "simulate/exchange/fmu_steps.h"
#include "simulate/run_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Output times closer to a step's end than this part of the step are that end, as in flx_integrate.
#define SAME 1e-9
// Rows more than this are a slip of the pen.
#define MOST_ROWS 2e9
#define MOST_STRIKES 1e9 // of a clock
#define MOST_STEPS 1e13  // of a given length: months

typedef flx_run run;

// ---- rows ---------------------------------------------------------------------------------------

static double next_row(const run *r)
{
    const flx_schedule *s = &r->schedule;
    double t = HUGE_VAL;
    if (s->every > 0.0) t = r->sim->start->t + (double)r->every * s->every;
    if (r->time < s->ntimes) t = fmin(t, s->times[r->time]);
    return t;
}

// Whether a row is due at a step's end; times up to there are passed.
static bool is_due(run *r, double t, double slack)
{
    const flx_schedule *s = &r->schedule;
    bool due = s->steps || next_row(r) <= t + slack || (s->every > 0.0 && t >= s->until);
    while (s->every > 0.0 && r->sim->start->t + (double)r->every * s->every <= t + slack)
        r->every++;
    while (r->time < s->ntimes && s->times[r->time] <= t + slack) r->time++;
    return due;
}

static flx_status put_row(run *r, const flx_state *x)
{
    flx_simulation *sim = r->sim;
    double dissipated;
    FLX_TRY(flx_account_dissipated(r, x, &dissipated));
    FLX_TRY(flx_account_signals(&sim->columns, sim, x, dissipated));
    if (sim->info.scene) FLX_TRY(flx_motion_eval(sim, x));
    if (sim->info.state_rows && sim->kept_state) flx_states_take(sim, x);
    for (int i = 0; i < r->nsink; i++) {
        const flx_sink_type *type = r->sinks[i]->type;
        if (sim->info.scene && type->motion) {
            FLX_TRY(type->motion(r->sinks[i], sim->motion.out));
        }
        if (sim->info.state_rows && type->state) {
            FLX_TRY(type->state(r->sinks[i], sim->kept_state));
        }
        FLX_TRY(type->row(r->sinks[i], x->t, sim->columns.out));
    }
    r->row_since = true;
    // rows that are left in the step would be lost if it ended here
    if (r->def.row && r->def.row(r->def.user, x->t, sim->info.ncolumn, sim->columns.out)) {
        r->interrupt = true;
    }
    return FLX_OK;
}

// ... or only its time has come.
static flx_status pass_row(run *r, const flx_state *x)
{
    r->row_since = true;
    return r->rows ? put_row(r, x) : FLX_OK;
}

static flx_status start(run *r, const flx_state *x)
{
    r->started = true;
    r->step_end = x->t;
    FLX_TRY(flx_account_start(r, x));
    FLX_TRY(flx_account_enter(r->sim, x, true));
    return is_due(r, x->t, 0.0) ? pass_row(r, x) : FLX_OK;
}

// Where an instant ends a step, the step's end is met twice: before and after it.
static void pass_step(run *r, const flx_state *x)
{
    if (x->t > r->step_end) r->step = x->t - r->step_end;
    r->step_end = x->t;
}

static flx_status end_of_step(run *r, const flx_state *x)
{
    FLX_TRY(flx_account_step(r, x));
    pass_step(r, x);
    if (is_due(r, x->t, SAME * r->step)) FLX_TRY(pass_row(r, x));
    if (r->row_since || r->sim->powered) FLX_TRY(flx_account_enter(r->sim, x, false));
    r->row_since = false;
    return FLX_OK;
}

// ---- events -------------------------------------------------------------------------------------

// The courses up to the instant, and from what they are after it.
static flx_status cross(run *r, const flx_state *before, const flx_state *after, double lost)
{
    flx_simulation *sim = r->sim;
    double e0, e1;
    FLX_TRY(flx_account_step(r, before));
    pass_step(r, before);
    if (r->schedule.steps) FLX_TRY(pass_row(r, before));
    FLX_TRY(flx_account_enter(sim, before, false));
    FLX_TRY(flx_account_energy(sim, before, &e0));
    FLX_TRY(flx_account_energy(sim, after, &e1));
    // work of surfaces that move is what impacts do not lose
    double given = e1 - e0 + lost;
    sim->lost_in_impacts += lost;
    sim->course.sum[FLX_COURSE_SUPPLIED] += given;
    sim->energy_turnover += fabs(given);
    return flx_account_jump(sim, after);
}

// Exchanges with particles and FMUs are none of the user's events.
static bool is_exchange(const flx_simulation *sim, int k)
{
    return sim->model->events[k].particles || sim->model->events[k].fmu;
}

static void count_event(flx_simulation *sim, int k, double t)
{
    sim->events[k].count++;
    sim->events[k].last = t;
    if (sim->model->events[k].stop) sim->ledger.stopped_by = sim->info.events[k];
}

static void tell_event(run *r, int k, double t)
{
    flx_simulation *sim = r->sim;
    if (!r->def.event || !r->def.event(r->def.user, t, k, sim->info.events[k])) return;
    sim->ledger.stopped_by = sim->info.events[k];
    r->stopped = true;
}

static flx_status keep_events(run *r, const flx_state *before, const flx_state *after,
                              const flx_event_report *what)
{
    flx_simulation *sim = r->sim;
    const double dissipated = flx_course_dissipated(sim, sim->course.sum[FLX_COURSE_DISSIPATED]);
    int told = 0;
    for (int i = 0; i < what->nevent; i++) told += !is_exchange(sim, what->events[i]);
    if (r->rows && told > 0) {
        FLX_TRY(flx_account_signals(&sim->columns, sim, before, dissipated));
        memcpy(sim->columns_before, sim->columns.out,
               (size_t)sim->columns.of->nnode * sizeof(double));
        FLX_TRY(flx_account_signals(&sim->columns, sim, after, dissipated));
    }
    for (int i = 0; i < what->nevent; i++) {
        int k = what->events[i];
        count_event(sim, k, after->t);
        if (is_exchange(sim, k)) continue;
        tell_event(r, k, after->t);
        for (int j = 0; j < r->nsink; j++) {
            const flx_sink_type *type = r->sinks[j]->type;
            if (!type->event) continue;
            FLX_TRY(type->event(r->sinks[j], after->t, k, sim->columns_before, sim->columns.out));
        }
    }
    return FLX_OK;
}

static int on_instant(void *user, const flx_state *before, const flx_state *after,
                      const flx_event_report *what)
{
    run *r = user;
    flx_account_forget(r->sim);
    if (r->started) r->status = cross(r, before, after, what->lost);
    if (r->status == FLX_OK) r->status = keep_events(r, before, after, what);
    if (what->stop) r->schedule.until = after->t; // its row is the last
    return r->status != FLX_OK || r->stopped;
}

flx_status flx_running_tell_instant(run *r, const flx_state *before, const flx_event_report *what)
{
    if (!what->changed && what->nevent == 0) return FLX_OK;
    (void)on_instant(r, before, r->sim->state, what);
    flx_status status = r->status;
    r->status = FLX_OK;
    return status;
}

// ---- the start ------------------------------------------------------------------------------------

static int on_start(void *user, const flx_state *before, const flx_state *after,
                    const flx_event_report *what)
{
    (void)before;
    run *r = user;
    int n = r->ndue + what->nevent;
    r->status = flx_grow(r->sim->ctx, (void **)&r->due, &r->room_due, n, sizeof *r->due);
    if (r->status != FLX_OK) return 1;
    for (int i = 0; i < what->nevent; i++) {
        count_event(r->sim, what->events[i], after->t);
        r->due[r->ndue++] = what->events[i];
    }
    return 0;
}

// Where it cannot be, the state stays as it was, and the first step says why.
flx_status flx_running_meet_start(run *r)
{
    flx_simulation *sim = r->sim;
    double span = fmax(r->horizon - sim->state->t, 0.0);
    if (sim->fmus) return FLX_OK; // they move on with it
    int errors = flx_ctx_error_count(sim->ctx), warnings = flx_ctx_warning_count(sim->ctx);
    flx_status status = flx_integrate_start(sim->it, sim->state, span, on_start, r, &r->ended);
    if (r->status != FLX_OK) status = r->status;
    r->status = FLX_OK;
    r->met = status == FLX_OK;
    flx_account_forget(sim);
    if (r->met || status == FLX_ERR_MEMORY) return status;
    r->ndue = 0;
    flx_ctx_forget_errors(sim->ctx, errors);
    flx_ctx_forget_warnings(sim->ctx, warnings);
    return flx_running_begin(sim);
}

void flx_running_tell_start(run *r)
{
    flx_method_of(r->sim->it)->course.met = r->met;
    flx_method_of(r->sim->it)->course.ended = r->ended;
    for (int i = 0; i < r->ndue; i++) tell_event(r, r->due[i], r->sim->state->t);
    r->met = r->ended = false;
    r->ndue = 0;
}

// ---- callbacks ----------------------------------------------------------------------------------

// Whether the full system is to go on.
static bool must_change(const run *r)
{
    return r->watch.failed && !r->watch.full && r->sim->model->reduce_else_full;
}

// flx_integrate hands over the state itself at the start and at the ends of steps, and another one
// inside a step.
static int on_output(void *user, const flx_state *x)
{
    run *r = user;
    bool whole = x == r->sim->state;
    flx_account_forget(r->sim);
    if (!r->started) {
        r->status = start(r, x);
    } else if (whole) {
        r->status = end_of_step(r, x);
    } else if (!r->schedule.steps) {
        is_due(r, x->t, 0.0);
        r->status = put_row(r, x);
    }
    if (r->status == FLX_OK && whole && !r->sim->no_ledger) r->status = flx_judge_step(r->sim, x);
    if (r->status == FLX_OK && whole) r->status = flx_bounds_check(r->sim, x);
    if (r->status == FLX_OK && whole) r->status = flx_watch_look(&r->watch, r->sim, x);
    if (r->status == FLX_OK && whole) r->status = flx_running_keep(r, false);
    if (r->status != FLX_OK || must_change(r) || (whole && r->interrupt)) return 1;
    if (!whole || !r->progress || !r->progress(r->user, x->t, r->schedule.until)) return 0;
    r->status = flx_running_keep(r, true);
    return 1;
}

// ---- the run ------------------------------------------------------------------------------------

// What would never end: steps, or strikes of a clock, that are too many for any patience.
static flx_status check_counts(const flx_simulation *sim, double span)
{
    const flx_model *m = sim->model;
    double step = sim->def.step > 0.0 ? sim->def.step : sim->def.max_step;
    if (step > 0.0 && !(span / step < MOST_STEPS)) {
        return FLX_FAIL(sim->ctx, FLX_ERR_ARGUMENT, m->simulate.loc,
                        "steps of %g s until %g s would be %.3g steps", step, sim->until,
                        span / step);
    }
    for (int i = 0; i < m->nevent; i++) {
        const flx_event *e = m->events + i;
        if (!(e->every > 0.0) || span / e->every < MOST_STRIKES) continue;
        return FLX_FAIL(sim->ctx, FLX_ERR_ARGUMENT, e->loc,
                        "a clock every %g s until %g s would strike %.3g times", e->every,
                        sim->until, span / e->every);
    }
    return FLX_OK;
}

flx_status flx_running_plan(run *r, double until)
{
    flx_simulation *sim = r->sim;
    const flx_outputs *o = &sim->model->outputs;
    double span = until > 0.0 ? until - sim->start->t : 0.0;
    if (until > 0.0 && !(span > 0.0)) {
        return FLX_FAIL(sim->ctx, FLX_ERR_ARGUMENT, sim->model->simulate.loc,
                        "the run begins at t = %.9g and would end at %.9g: give it a later end "
                        "('until')",
                        sim->start->t, until);
    }
    FLX_TRY(check_counts(sim, span));
    r->schedule = (flx_schedule){.until = until > 0.0 ? until : HUGE_VAL,
                                 .every = o->every,
                                 .times = o->times,
                                 .ntimes = o->ntimes,
                                 .steps = o->steps};
    bool unsaid = !(o->every > 0.0) && o->ntimes == 0 && !o->steps;
    if (unsaid) r->schedule.every = span / 1000.0;
    sim->info.rows = o->steps ? 0 : o->ntimes;
    if (!(r->schedule.every > 0.0)) return FLX_OK;
    double rows = span / r->schedule.every;
    if (!(rows < MOST_ROWS)) {
        return FLX_FAIL(sim->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "outputs every %g s until %g s would be %.3g rows", r->schedule.every,
                        sim->until, rows);
    }
    long whole = (long)floor(rows * (1.0 + SAME));
    bool rest = span - (double)whole * r->schedule.every > SAME * r->schedule.every;
    sim->info.rows = whole + 1 + rest;
    return FLX_OK;
}

// The inertia that was neglected comes back: no account of energy goes over that.
static flx_status go_on_full(run *r)
{
    flx_simulation *sim = r->sim;
    sim->accounts = sim->powered = false;
    sim->energy_error = 0.0;
    sim->ledger.energy_start = sim->ledger.energy_end = (double)NAN;
    flx_course course = flx_method_of(sim->it)->course; // rows and steps are due as before
    FLX_TRY(flx_watch_change(&r->watch, sim));
    course.joins = true;
    flx_method_of(sim->it)->course = course;
    return FLX_OK;
}

// With callbacks at every step: the account, the measures and the interrupt need them.
flx_status flx_running_drive(run *r, flx_schedule *schedule)
{
    flx_simulation *sim = r->sim;
    schedule->steps = 1;
    schedule->instant = on_instant;
    long before = flx_ctx_allocation_count(sim->ctx);
    double clock = flx_clock_seconds();
    flx_status status = flx_integrate(sim->it, sim->state, schedule, on_output, r);
    if (status == FLX_INTERRUPTED && r->status == FLX_OK && must_change(r)) {
        status = go_on_full(r);
        schedule->resume = 1;
        if (status == FLX_OK) status = flx_integrate(sim->it, sim->state, schedule, on_output, r);
    }
    r->seconds += flx_clock_seconds() - clock;
    r->allocations += flx_ctx_allocation_count(sim->ctx) - before;
    return r->status != FLX_OK ? r->status : status;
}

static flx_status loop(run *r)
{
    flx_simulation *sim = r->sim;
    flx_watch_start(&r->watch, sim);
    flx_exchange_keep(sim, r->nsink, r->sinks, r->schedule.every);
    FLX_TRY(flx_running_resume(r));
    flx_schedule schedule = r->schedule;
    flx_status status = flx_running_drive(r, &schedule);
    flx_running_close_ledger(r, status);
    if (status == FLX_OK) status = sim->ledger.status;
    flx_watch_end(&r->watch, sim);
    return status;
}

flx_status flx_running_find_outputs(run *r)
{
    flx_simulation *sim = r->sim;
    flx_account_forget(sim);
    return flx_account_signals(&sim->columns, sim, sim->state,
                               flx_course_dissipated(sim, sim->course.sum[FLX_COURSE_DISSIPATED]));
}

flx_status flx_running_begin(flx_simulation *sim)
{
    if (!sim->it) {
        return FLX_FAIL(sim->ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                        "the model has no run; add 'simulate: {until: 5}'%s",
                        sim->model->nanalysis > 0
                            ? ". It has analyses: 'flexion analyse MODEL' does them"
                            : "");
    }
    if (sim->used) FLX_TRY(flx_simulation_create_method(sim));
    sim->used = true;
    flx_state_copy(sim->state, sim->start);
    FLX_TRY(flx_simulation_settle_start(sim, sim->state));
    FLX_TRY(flx_exchange_begin(sim));
    flx_account_open(sim);
    flx_judge_open(sim);
    return flx_judge_tolerance(sim);
}

static flx_status make_motion(run *r)
{
    for (int i = 0; i < r->nsink; i++) {
        if (r->sinks[i]->type->motion) FLX_TRY(flx_motion_create(r->sim));
        if (r->sinks[i]->type->state) FLX_TRY(flx_states_create(r->sim));
    }
    return FLX_OK;
}

// Where the run came to, from which others can go on.
static flx_status put_last_state(run *r)
{
    flx_simulation *sim = r->sim;
    if (!r->started || sim->info.state_rows || !sim->kept_state) return FLX_OK;
    flx_states_take(sim, sim->state);
    for (int i = 0; i < r->nsink; i++) {
        const flx_sink_type *type = r->sinks[i]->type;
        if (type->state) FLX_TRY(type->state(r->sinks[i], sim->kept_state));
    }
    return FLX_OK;
}

flx_status flx_simulation_run(flx_simulation *sim, int nsink, flx_sink *const *sinks,
                              flx_progress_callback progress, void *user)
{
    if (!sim) return flx_refuse_null(NULL, __func__);
    for (int i = 0; i < nsink; i++) {
        if (!sinks || !sinks[i]) return flx_refuse_null(sim->ctx, __func__);
    }
    run r = {.sim = sim,
             .nsink = nsink,
             .sinks = sinks,
             .progress = progress,
             .user = user,
             .rows = true};
    FLX_TRY(flx_running_begin(sim));
    FLX_TRY(flx_running_plan(&r, sim->until));
    FLX_TRY(flx_running_open(&r));
    flx_status status = make_motion(&r);
    int begun = 0;
    for (; begun < r.nsink && status == FLX_OK; begun++)
        status = r.sinks[begun]->type->begin(r.sinks[begun], &sim->info);
    if (status == FLX_OK) {
        status = loop(&r);
        flx_status last = put_last_state(&r);
        if (status == FLX_OK) status = last;
    }
    for (int i = 0; i < begun; i++) {
        flx_status end = r.sinks[i]->type->end(r.sinks[i], r.started ? &sim->ledger : NULL);
        if (status == FLX_OK) status = end;
    }
    if (status > FLX_OK) flx_fmu_steps_tell(sim->fmus);
    flx_running_close(&r, status);
    return status;
}
