// run.c - the time loop: rows to the sinks, the account of energy and constraints, measures.
//
// The account is kept at the ends of steps, where the method itself vouches for the values; rows
// between them come from the interpolation. With E = T + V + U,
//     error(t) = E(t) - E(0) + int (dissipated - supplied) dt                             (LED-1)
// is zero for the exact motion; what an event does to E counts as supplied. Where nothing dissipates or supplies, E alone is followed, and only
// as often as there is output.
#include "analyse/run.h"

#include <float.h>
#include <math.h>
#include <string.h>

// A result fails its ledger when the energy is off by more than this part of what was exchanged ...
#define ENERGY_OFF 0.02
// ... or a constraint by more than this, in metres or radians.
#define CONSTRAINT_OFF 1e-5
// Redundant rows of a geometry that is a little off part as the mechanism moves: by some times what
// the closure left of them at the start.
#define PARTING 100.0
// Of a geometry without such errors this is what rounding may leave.
#define PARTING_FLOOR 1e-8
// Energies are sums of terms that cancel: below this part of them a change is rounding.
#define ENERGY_FLOOR 1e-9
// Output times closer to a step's end than this part of the step are that end, as in flx_integrate.
#define SAME 1e-9
// Rows more than this are a slip of the pen.
#define MOST_ROWS 2e9
#define MOST_STRIKES 1e9 // of a clock
#define MOST_STEPS 1e13  // of a given length: months

typedef flx_run run;

enum { DISSIPATED, SUPPLIED, FIRST_PROBE };

// ---- courses ------------------------------------------------------------------------------------

static bool has_course(const flx_simulation *sim)
{
    return sim->powered || sim->model->outputs.nprobe > 0;
}

// Energies and powers. Those of the run's own state, which a step asks for twice, are kept until forget_energies.
static flx_status find_energies(flx_simulation *sim, const flx_state *x, flx_energies *e)
{
    bool own = x == sim->state;
    if (!own || !sim->energy_known) {
        if (sim->powers_settle && x != sim->inner) {
            FLX_TRY(flx_simulation_settle(sim, sim->it, &x));
        }
        flx_point p = flx_state_point(sim->sys, x);
        FLX_TRY(sim->sys->ops->energy(sim->sys, sim->work, &p, e));
        if (!own) return FLX_OK;
        sim->energy_now = *e;
        sim->energy_known = true;
    }
    *e = sim->energy_now;
    return FLX_OK;
}

static void forget_energies(flx_simulation *sim)
{
    sim->energy_known = false;
    flx_simulation_forget_settled(sim);
}

// Signals at a state of the run; `inner` is settled where it is made.
static flx_status find_signals(flx_signals *s, flx_simulation *sim, const flx_state *x,
                               double dissipated)
{
    if (s->settles && x != sim->inner) FLX_TRY(flx_simulation_settle(sim, sim->it, &x));
    return flx_signals_eval(s, sim, x, dissipated);
}

// Powers and probes at a state.
static flx_status observe_course(flx_simulation *sim, const flx_state *x, double *out)
{
    int nprobe = sim->model->outputs.nprobe;
    out[DISSIPATED] = out[SUPPLIED] = 0.0;
    if (sim->powered) {
        flx_energies e;
        FLX_TRY(find_energies(sim, x, &e));
        out[DISSIPATED] = e.dissipated_power;
        out[SUPPLIED] = e.supplied_power;
    }
    if (nprobe == 0) return FLX_OK;
    FLX_TRY(find_signals(&sim->probes, sim, x, sim->course.sum[DISSIPATED]));
    for (int i = 0; i < nprobe; i++) {
        double value = sim->probes.out[i];
        flx_probe_value *v = &sim->probe_values[i];
        v->last = value;
        v->low = fmin(v->low, value);
        v->high = fmax(v->high, value);
        out[FIRST_PROBE + i] = value;
        out[FIRST_PROBE + nprobe + i] = value * value;
    }
    return FLX_OK;
}

// Values inside the interval from the last step end to t, where the method can give them.
static flx_status observe_inner(flx_simulation *sim, double from, double t, const double **inner)
{
    *inner = NULL;
    if (!sim->course.inner || !(t > from)) return FLX_OK;
    for (int k = 0; k < sim->course.inner; k++) {
        double at = from + flx_quadrature_place(&sim->course, k) * (t - from);
        FLX_TRY(flx_integrator_interpolate(sim->it, at, sim->inner));
        if (sim->courses_settle) FLX_TRY(flx_simulation_settle_here(sim, sim->inner));
        FLX_TRY(observe_course(sim, sim->inner, sim->course_inner + k * sim->course.n));
    }
    *inner = sim->course_inner;
    return FLX_OK;
}

static flx_status start_course(run *r, const flx_state *x)
{
    flx_simulation *sim = r->sim;
    for (int i = 0; i < sim->model->outputs.nprobe; i++)
        sim->probe_values[i] = (flx_probe_value){.low = HUGE_VAL, .high = -HUGE_VAL};
    memset(sim->course.sum, 0, (size_t)sim->course.n * sizeof *sim->course.sum);
    FLX_TRY(observe_course(sim, x, sim->course_value));
    flx_quadrature_start(&sim->course, x->t, sim->course_value);
    return FLX_OK;
}

static flx_status advance_course(run *r, const flx_state *x)
{
    flx_simulation *sim = r->sim;
    const double *inner;
    if (!has_course(sim)) return FLX_OK;
    FLX_TRY(observe_inner(sim, r->step_end, x->t, &inner));
    FLX_TRY(observe_course(sim, x, sim->course_value));
    sim->energy_turnover += (x->t - r->step_end) * fabs(sim->course_value[SUPPLIED]);
    flx_quadrature_step(&sim->course, x->t, inner, sim->course_value);
    return FLX_OK;
}

// Energy dissipated up to a state inside the step.
static flx_status dissipated_until(run *r, const flx_state *x, double *out)
{
    flx_simulation *sim = r->sim;
    const double *inner;
    *out = sim->course.sum[DISSIPATED];
    if (!sim->powered || !sim->shows_dissipated || !(x->t > r->step_end)) return FLX_OK;
    FLX_TRY(observe_inner(sim, r->step_end, x->t, &inner));
    FLX_TRY(observe_course(sim, x, sim->course_value));
    flx_quadrature_extend(&sim->course, x->t, inner, sim->course_value, sim->course_sum);
    *out = sim->course_sum[DISSIPATED];
    return FLX_OK;
}

// ---- account ------------------------------------------------------------------------------------

static double total(const flx_energies *e)
{
    return e->kinetic + e->potential + e->strain;
}

static void account_energy(flx_simulation *sim, const flx_energies *e)
{
    const flx_energies *e0 = &sim->energy_start;
    double dissipated = sim->course.sum[DISSIPATED], supplied = sim->course.sum[SUPPLIED];
    double error = total(e) - total(e0) + dissipated - supplied;
    double size = fabs(e->kinetic) + fabs(e->potential) + fabs(e->strain);
    double exchanged = fmax(fmax(fabs(e->kinetic), fabs(e->potential - e0->potential)),
                            fabs(e->strain - e0->strain));
    exchanged = fmax(exchanged, fmax(fabs(dissipated), sim->energy_turnover));
    double least = fmax(ENERGY_FLOOR * size, sim->judge.floor / ENERGY_OFF);
    sim->energy_scale = fmax(sim->energy_scale, fmax(exchanged, least));
    // written so that a NaN stays
    if (!(fabs(error) <= sim->energy_error)) sim->energy_error = fabs(error);
}

// Rows left out that open are no redundant ones: the motion from here on is not that of the mechanism.
static flx_status check_left_out(const flx_simulation *sim, const flx_residuals *r, double t)
{
    double expected = PARTING * fmax(sim->dropped_start, sim->kept_residual);
    if (sim->plan->summary.redundant == 0 || !(r->dropped > expected + sim->plan->dropped_most))
        return FLX_OK;
    return FLX_FAIL(sim->ctx, FLX_INCONSISTENT, FLX_NOWHERE,
                    "at t = %.6g '%s', which was left out since it follows from the other "
                    "constraints at the start, is open by %.2g: from here on it is a constraint of "
                    "its own, and the motion is not that of the mechanism; remove a joint that is "
                    "not needed, or begin elsewhere",
                    t, r->dropped_item ? r->dropped_item : "?", r->dropped);
}

static flx_status account_constraints(flx_simulation *sim, const flx_state *x, bool first)
{
    flx_ledger *l = &sim->ledger;
    flx_residuals r;
    flx_simulation_residuals(sim, x, &r);
    if (!(r.position <= l->position_residual)) {
        l->position_residual = r.position;
        l->position_item = r.position_item;
    }
    if (!(r.velocity <= l->velocity_residual)) {
        l->velocity_residual = r.velocity;
        l->velocity_item = r.velocity_item;
    }
    if (!(r.dropped <= l->dropped_residual)) l->dropped_residual = r.dropped;
    if (!(r.kept <= sim->kept_residual)) sim->kept_residual = r.kept;
    flx_judge_rates(sim, r.kept_rate);
    if (first) sim->dropped_start = r.dropped;
    return check_left_out(sim, &r, x->t);
}

// Of an elastic body from data the mass matrix is a series in its deformation: far out it has no meaning, and
// the motion is lost within a few steps. Others keep the sign of their mass (FLX-7).
static flx_status check_masses(const flx_simulation *sim, const flx_energies *e, double t)
{
    const flx_model *m = sim->model;
    const flx_modal *body = NULL;
    int count = 0;
    for (int i = m->nmodal - 1; i >= 0; i--) {
        if (!m->modals[i].e->stiffened || m->modals[i].e->ngrain > 0) continue;
        body = m->modals + i;
        count++;
    }
    if (!body || !(e->kinetic < -ENERGY_FLOOR * sim->energy_scale)) return FLX_OK;
    return FLX_FAIL(sim->ctx, FLX_SINGULAR, body->loc,
                    "at t = %.6g the kinetic energy is negative: the elastic body '%s'%s bends "
                    "more than its data describe; cut it into several bodies",
                    t, m->bodies[body->body].name, count > 1 ? " or another one" : "");
}

// One entry: energy, constraints, momentum.
static flx_status account(flx_simulation *sim, const flx_state *x, bool first)
{
    flx_ledger *l = &sim->ledger;
    if (sim->no_ledger) return FLX_OK;
    FLX_TRY(account_constraints(sim, x, first));
    if (!sim->accounts) return FLX_OK;
    flx_energies e;
    FLX_TRY(find_energies(sim, x, &e));
    if (first) {
        sim->energy_start = e;
        l->energy_start = total(&e);
    }
    account_energy(sim, &e);
    FLX_TRY(check_masses(sim, &e, x->t));
    l->energy_end = total(&e);
    for (int i = 0; i < 3; i++) {
        l->momentum_change[i] = e.linear[i] - sim->energy_start.linear[i];
        l->momentum_change[3 + i] = e.angular[i] - sim->energy_start.angular[i];
    }
    return FLX_OK;
}

static void open_ledger(flx_simulation *sim)
{
    for (int i = 0; i < sim->info.nevent; i++) sim->events[i] = (flx_event_course){0, 0.0};
    sim->accounts = sim->sys->ops->energy != NULL && !sim->no_ledger;
    const double nothing = sim->accounts ? 0.0 : (double)NAN;
    sim->energy_scale = sim->energy_error = sim->energy_turnover = 0.0;
    sim->kept_residual = sim->dropped_start = 0.0;
    sim->ledger = (flx_ledger){.t = sim->start->t,
                               .energy_start = nothing,
                               .energy_end = nothing,
                               .nmeasure = sim->info.nmeasure,
                               .measures = sim->measures};
    for (int i = 0; i < 6; i++) sim->ledger.momentum_change[i] = nothing;
}

// ---- measures -----------------------------------------------------------------------------------

static double single_measure(const flx_simulation *sim, int i)
{
    const flx_probe_value *v = &sim->probe_values[i];
    int nprobe = sim->model->outputs.nprobe;
    double duration = sim->state->t - sim->start->t;
    const double *sum = sim->course.sum + FIRST_PROBE;
    switch (sim->model->outputs.probes[i].kind) {
    case FLX_MEASURE_FINAL:
        return v->last;
    case FLX_MEASURE_MAXIMUM:
        return v->high;
    case FLX_MEASURE_MINIMUM:
        return v->low;
    case FLX_MEASURE_MEAN:
        return duration > 0.0 ? sum[i] / duration : v->last;
    case FLX_MEASURE_RMS:
        return duration > 0.0 ? sqrt(fmax(sum[nprobe + i], 0.0) / duration) : fabs(v->last);
    }
    return (double)NAN;
}

static void measure(flx_simulation *sim)
{
    for (int i = 0; i < sim->model->outputs.nprobe; i++)
        sim->measure_in[i] = single_measure(sim, i);
    flx_program_eval(sim->plan->measure_program, sim->measure_in, sim->measure_scratch,
                     sim->measures);
}

// ---- the ledger ---------------------------------------------------------------------------------

// Rows that were left out need not be redundant: a constraint may nearly follow from the others and yet hold
// something, and the geometry alone does not say which. Whether it parts does.
static void warn_of_parting(const flx_simulation *sim)
{
    double off = sim->ledger.dropped_residual;
    double expected = PARTING * fmax(sim->dropped_start, sim->kept_residual) + PARTING_FLOOR;
    expected += sim->plan->dropped_share; // told at the start
    if (sim->plan->summary.redundant == 0 || !(off > expected)) return;
    flx_ctx_warn(sim->ctx, FLX_NOWHERE,
                 "%s was left out, since it seemed to follow from the other constraints, but is "
                 "off by %.2g in the motion: either the places of the joints are not accurate, or "
                 "it is a constraint of its own and the motion is wrong; draw the joints with more "
                 "digits, or remove the one that is not needed",
                 sim->plan->summary.redundant == 1 ? sim->plan->redundant[0]
                                                   : "a redundant constraint",
                 off);
}

void flx_running_close_ledger(run *r, flx_status status)
{
    flx_simulation *sim = r->sim;
    if (r->started) {
        measure(sim);
        // the last step may have ended after the last entry
        forget_energies(sim);
        if (status == FLX_OK && !sim->powered) status = account(sim, sim->state, false);
    }
    flx_ledger *l = &sim->ledger;
    l->status = status;
    l->t = sim->state->t;
    l->seconds = r->seconds;
    l->work = *flx_integrator_statistics(sim->it);
    flx_watch_add_work(&r->watch, &l->work);
    l->allocations_in_loop = r->allocations - r->watch.allocations - r->kept_allocations;
    l->dissipated = sim->course.sum[DISSIPATED];
    l->supplied = sim->course.sum[SUPPLIED];
    l->energy_drift = sim->energy_error > 0.0 || isnan(sim->energy_error)
                          ? sim->energy_error / fmax(sim->energy_scale, DBL_MIN)
                          : 0.0;
    bool energy = !sim->accounts || l->energy_drift <= ENERGY_OFF;
    l->balanced = flx_judge_close(sim) && energy && sim->kept_residual <= CONSTRAINT_OFF &&
                  l->dropped_residual <= CONSTRAINT_OFF + PARTING * sim->dropped_start;
    warn_of_parting(sim);
}

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
    FLX_TRY(dissipated_until(r, x, &dissipated));
    FLX_TRY(find_signals(&sim->columns, sim, x, dissipated));
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
    if (!r->def.row) return FLX_OK;
    return r->def.row(r->def.user, x->t, sim->info.ncolumn, sim->columns.out) ? FLX_INTERRUPTED
                                                                              : FLX_OK;
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
    FLX_TRY(start_course(r, x));
    FLX_TRY(account(r->sim, x, true));
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
    FLX_TRY(advance_course(r, x));
    pass_step(r, x);
    if (is_due(r, x->t, SAME * r->step)) FLX_TRY(pass_row(r, x));
    if (r->row_since || r->sim->powered) FLX_TRY(account(r->sim, x, false));
    r->row_since = false;
    return FLX_OK;
}

// ---- events -------------------------------------------------------------------------------------

static flx_status energy_of(flx_simulation *sim, const flx_state *x, double *out)
{
    flx_energies e;
    *out = 0.0;
    if (!sim->accounts) return FLX_OK;
    FLX_TRY(find_energies(sim, x, &e));
    *out = total(&e);
    return FLX_OK;
}

// The courses up to the instant, and from what they are after it.
static flx_status cross(run *r, const flx_state *before, const flx_state *after)
{
    flx_simulation *sim = r->sim;
    double e0, e1;
    FLX_TRY(advance_course(r, before));
    pass_step(r, before);
    if (r->schedule.steps) FLX_TRY(pass_row(r, before));
    FLX_TRY(account(sim, before, false));
    FLX_TRY(energy_of(sim, before, &e0));
    FLX_TRY(energy_of(sim, after, &e1));
    sim->course.sum[SUPPLIED] += e1 - e0;
    sim->energy_turnover += fabs(e1 - e0);
    if (!has_course(sim)) return FLX_OK;
    FLX_TRY(observe_course(sim, after, sim->course_value));
    flx_quadrature_jump(&sim->course, after->t, sim->course_value);
    return FLX_OK;
}

static flx_status keep_events(run *r, const flx_state *before, const flx_state *after,
                              const flx_happening *what)
{
    flx_simulation *sim = r->sim;
    const double dissipated = sim->course.sum[DISSIPATED];
    if (what->nevent == 0) return FLX_OK;
    if (r->rows) {
        FLX_TRY(find_signals(&sim->columns, sim, before, dissipated));
        memcpy(sim->columns_before, sim->columns.out,
               (size_t)sim->columns.of->nnode * sizeof(double));
        FLX_TRY(find_signals(&sim->columns, sim, after, dissipated));
    }
    for (int i = 0; i < what->nevent; i++) {
        int k = what->events[i];
        sim->events[k].count++;
        sim->events[k].last = after->t;
        if (sim->model->events[k].stop) sim->ledger.stopped_by = sim->info.events[k];
        if (r->def.event && r->def.event(r->def.user, after->t, k, sim->info.events[k])) {
            sim->ledger.stopped_by = sim->info.events[k];
            r->stopped = true;
        }
        for (int j = 0; j < r->nsink; j++) {
            const flx_sink_type *type = r->sinks[j]->type;
            if (!type->event) continue;
            FLX_TRY(type->event(r->sinks[j], after->t, k, sim->columns_before, sim->columns.out));
        }
    }
    return FLX_OK;
}

static int on_instant(void *user, const flx_state *before, const flx_state *after,
                      const flx_happening *what)
{
    run *r = user;
    forget_energies(r->sim);
    if (r->started) r->status = cross(r, before, after);
    if (r->status == FLX_OK) r->status = keep_events(r, before, after, what);
    if (what->stop) r->schedule.until = after->t; // its row is the last
    return r->status != FLX_OK || r->stopped;
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
    forget_energies(r->sim);
    if (!r->started) {
        r->status = start(r, x);
    } else if (whole) {
        r->status = end_of_step(r, x);
    } else if (!r->schedule.steps) {
        is_due(r, x->t, 0.0);
        r->status = put_row(r, x);
    }
    if (r->status == FLX_OK && whole && !r->sim->no_ledger) r->status = flx_judge_step(r->sim, x);
    if (r->status == FLX_OK && whole) r->status = flx_watch_look(&r->watch, r->sim, x);
    if (r->status == FLX_OK && whole) r->status = flx_running_keep(r, false);
    if (r->status != FLX_OK || must_change(r)) return 1;
    if (!whole || !r->progress || !r->progress(r->user, x->t, r->schedule.until)) return 0;
    r->status = flx_running_keep(r, true);
    return 1;
}

// ---- the run ------------------------------------------------------------------------------------

// What would never end: steps, or strikes of a clock, that are too many for any patience.
static flx_status check_counts(const flx_simulation *sim, double span)
{
    const flx_model *m = sim->model;
    double step = sim->def.step > 0.0 ? sim->def.step : sim->def.largest_step;
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
    return flx_watch_change(&r->watch, sim);
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
        schedule->resume = 0;
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
    forget_energies(sim);
    return find_signals(&sim->columns, sim, sim->state, sim->course.sum[DISSIPATED]);
}

flx_status flx_running_begin(flx_simulation *sim)
{
    if (!sim->it) {
        return FLX_FAIL(sim->ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                        "the model does not say what to compute; add 'simulate: {until: 5}'");
    }
    if (sim->used) FLX_TRY(flx_simulation_create_method(sim));
    sim->used = true;
    flx_state_copy(sim->state, sim->start);
    open_ledger(sim);
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
    flx_running_close(&r, status);
    return status;
}
