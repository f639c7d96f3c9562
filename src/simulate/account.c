// account.c - the account of a run: energy, constraints, momentum, measures.
//
// It is kept at the ends of steps, where the method itself vouches for the values. With E = T + V + U,
//     error(t) = E(t) - E(0) + int (dissipated - supplied) dt                             (LED-1)
// is zero for the exact motion; impacts dissipate what they lose, and what else an event does to E counts as supplied. Where nothing dissipates or supplies, E alone
// is followed, and only as often as there is output.
#include "math/quadrature.h"
#include "simulate/exchange/exchange.h"
#include "simulate/run_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

// A result fails its ledger when the energy is off by more than this part of what was exchanged ...
#define ENERGY_OFF 0.02
// ... or a constraint by more than this, in metres or radians.
#define CONSTRAINT_OFF 1e-5
// Where a power ends within a step is found by so many halvings, and it is integrated with so many places.
#define POWER_HALVINGS 30
#define POWER_PLACES 6
// Redundant rows of a geometry that is a little off part as the mechanism moves: by some times what
// the closure left of them at the start.
#define PARTING 100.0
// Of a geometry without such errors this is what rounding may leave.
#define PARTING_FLOOR 1e-8
// Constraints of velocities contradict each other beyond this part of the speed, and beyond what a start may leave.
#define LEVEL_OFF 1e-3
#define LEVEL_FLOOR 1e-5
// Energies are sums of terms that cancel: below this part of them a change is rounding.
#define ENERGY_FLOOR 1e-9

typedef flx_run run;

enum {
    DISSIPATED = FLX_COURSE_DISSIPATED,
    SUPPLIED = FLX_COURSE_SUPPLIED,
    FIRST_PROBE = FLX_COURSE_PROBES
};

// ---- energies and signals -----------------------------------------------------------------------

// Energies and powers. Those of the run's own state, which a step asks for twice, are kept until forget_energies.
flx_status flx_account_find_energies(flx_simulation *sim, const flx_state *x, flx_energies *e)
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

void flx_account_forget(flx_simulation *sim)
{
    sim->energy_known = false;
    flx_simulation_forget_settled(sim);
}

// Signals at a state of the run; `inner` is settled where it is made.
flx_status flx_account_signals(flx_signals *s, flx_simulation *sim, const flx_state *x,
                               double dissipated)
{
    if (s->settles && x != sim->inner) FLX_TRY(flx_simulation_settle(sim, sim->it, &x));
    return flx_signals_eval(s, sim, x, dissipated);
}

// ---- account ------------------------------------------------------------------------------------

static double total(const flx_energies *e)
{
    return e->kinetic + e->potential + e->strain;
}

flx_status flx_account_energy(flx_simulation *sim, const flx_state *x, double *out)
{
    flx_energies e;
    *out = 0.0;
    if (!sim->accounts) return FLX_OK;
    FLX_TRY(flx_account_find_energies(sim, x, &e));
    *out = total(&e);
    return FLX_OK;
}

static void account_energy(flx_simulation *sim, const flx_energies *e)
{
    const flx_energies *e0 = &sim->energy_start;
    double dissipated =
        flx_course_dissipated(sim, sim->course.sum[DISSIPATED]) + sim->lost_in_impacts;
    double supplied = flx_course_supplied(sim);
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

static double speed_of(const flx_system *s, const flx_state *x)
{
    double speed = 0.0;
    for (int i = 0; i < s->dims.nv; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        speed = fmax(speed, fabs(x->v[i]) / u.scale);
    }
    return speed;
}

// Constraints of velocities, which no method lets drift: where one of them was left out, one of them is off.
static flx_status check_velocities(const flx_simulation *sim, const flx_state *x,
                                   const flx_residuals *r)
{
    if (!(r->level > LEVEL_FLOOR)) return FLX_OK;
    double most = LEVEL_OFF * speed_of(sim->sys, x) * flx_system_largest_scale(sim->sys);
    if (!(r->level > LEVEL_FLOOR + most)) return FLX_OK;
    return FLX_FAIL(sim->ctx, FLX_INCONSISTENT, FLX_NOWHERE,
                    "at t = %.6g what '%s' asks contradicts the other constraints, from which one "
                    "of them followed at the start: its rate is off by %.2g; remove a motion or a "
                    "joint, or begin elsewhere",
                    x->t, r->level_item ? r->level_item : "?", r->level);
}

// Rows left out that open are no redundant ones: the motion from here on is not that of the mechanism.
static flx_status check_left_out(const flx_simulation *sim, const flx_state *x,
                                 const flx_residuals *r)
{
    double expected = PARTING * fmax(sim->dropped_start, sim->kept_residual), t = x->t;
    if (sim->plan->summary.redundant == 0) return FLX_OK;
    FLX_TRY(check_velocities(sim, x, r));
    if (!(r->dropped > expected + sim->plan->dropped_most)) return FLX_OK;
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
    return check_left_out(sim, x, &r);
}

// Of a flexible body from data the mass matrix is a series in its deformation: far out it has no meaning, and
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
                    "at t = %.6g the kinetic energy is negative: the flexible body '%s'%s bends "
                    "more than its data describe; cut it into several bodies",
                    t, m->bodies[body->body].name, count > 1 ? " or another one" : "");
}

// One entry: energy, constraints, momentum.
flx_status flx_account_enter(flx_simulation *sim, const flx_state *x, bool first)
{
    flx_ledger *l = &sim->ledger;
    if (sim->no_ledger) return FLX_OK;
    FLX_TRY(account_constraints(sim, x, first));
    if (!sim->accounts) return FLX_OK;
    flx_energies e;
    FLX_TRY(flx_account_find_energies(sim, x, &e));
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

void flx_account_open(flx_simulation *sim)
{
    for (int i = 0; i < sim->info.nevent; i++) sim->events[i] = (flx_event_course){0, 0.0};
    sim->accounts = sim->sys->ops->energy != NULL && !sim->no_ledger;
    sim->powered = sim->powers;
    const double nothing = sim->accounts ? 0.0 : (double)NAN;
    sim->energy_scale = sim->energy_error = sim->energy_turnover = sim->lost_in_impacts = 0.0;
    sim->kept_residual = sim->dropped_start = 0.0;
    sim->ledger = (flx_ledger){.t = sim->start->t,
                               .energy_start = nothing,
                               .energy_end = nothing,
                               .nmetric = sim->info.nmetric,
                               .metrics = sim->metrics};
    for (int i = 0; i < 6; i++) sim->ledger.momentum_change[i] = nothing;
    memset(sim->course.sum, 0, (size_t)sim->course.n * sizeof *sim->course.sum);
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
    case FLX_MEASURE_INTEGRAL:
        return sum[i];
    case FLX_MEASURE_AT:
        return v->at;
    }
    return (double)NAN;
}

static void measure(flx_simulation *sim)
{
    for (int i = 0; i < sim->model->outputs.nprobe; i++)
        sim->measure_in[i] = single_measure(sim, i);
    const flx_system *s = sim->sys;
    for (int k = 0; k < s->nparameter; k++) { // of this run
        sim->measure_in[sim->model->outputs.nprobe + k] = s->param[s->first_parameter + k];
    }
    flx_program_eval(sim->plan->measure_program, sim->measure_in, sim->measure_scratch,
                     sim->metrics);
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
        flx_account_forget(sim);
        if (status == FLX_OK && !sim->powered) status = flx_account_enter(sim, sim->state, false);
    }
    flx_ledger *l = &sim->ledger;
    l->status = status;
    l->t = sim->state->t;
    l->seconds = r->seconds;
    l->work = *flx_integrator_statistics(sim->it);
    flx_watch_add_work(&r->watch, &l->work);
    l->allocations_in_loop = r->allocations - r->watch.allocations - r->kept_allocations;
    l->dissipated = flx_course_dissipated(sim, sim->course.sum[DISSIPATED]);
    l->supplied = flx_course_supplied(sim);
    l->lost_in_impacts = sim->lost_in_impacts;
    l->energy_drift = sim->energy_error > 0.0 || isnan(sim->energy_error)
                          ? sim->energy_error / fmax(sim->energy_scale, DBL_MIN)
                          : 0.0;
    bool energy = !sim->accounts || l->energy_drift <= ENERGY_OFF;
    l->balanced = flx_judge_close(sim) && energy && sim->kept_residual <= CONSTRAINT_OFF &&
                  l->dropped_residual <= CONSTRAINT_OFF + PARTING * sim->dropped_start;
    flx_exchange_close(sim->exchange, l);
    flx_exchange_tell(sim->exchange);
    warn_of_parting(sim);
    flx_simulation_tell_shared_friction(sim);
}

// ---- dissipated powers alone ----------------------------------------------------------------------

// They need no accelerations and forces of their own, where rows lie within a step.
static flx_status find_loss(flx_simulation *sim, const flx_state *x, double *course)
{
    flx_energies e;
    flx_point p = flx_state_point(sim->sys, x);
    FLX_TRY(sim->sys->ops->energy(sim->sys, sim->work, &p, &e));
    course[DISSIPATED] = e.dissipated_power;
    course[SUPPLIED] = 0.0;
    return FLX_OK;
}

flx_status flx_account_losses(flx_simulation *sim, double from, const flx_state *x,
                              const double **inner)
{
    const flx_quadrature *q = &sim->course;
    *inner = q->inner > 0 && x->t > from ? sim->course_inner : NULL;
    for (int k = 0; *inner && k < q->inner; k++) {
        double t = from + flx_quadrature_place(q, k) * (x->t - from);
        FLX_TRY(flx_integrator_interpolate(sim->it, t, sim->inner));
        FLX_TRY(find_loss(sim, sim->inner, sim->course_inner + k * q->n));
    }
    return find_loss(sim, x, sim->course_value);
}

// ---- powers that end within a step ----------------------------------------------------------------

flx_status flx_account_power(flx_simulation *sim, double t, double *power)
{
    flx_energies e;
    FLX_TRY(flx_integrator_interpolate(sim->it, t, sim->inner));
    if (sim->courses_settle) FLX_TRY(flx_simulation_settle_here(sim, sim->inner));
    FLX_TRY(flx_account_find_energies(sim, sim->inner, &e));
    *power = e.dissipated_power;
    return FLX_OK;
}

// As where surfaces part in a long step: up to the place where it ends, or from where it begins.
flx_status flx_account_split_power(flx_simulation *sim, double from, double t, bool ends,
                                   double *sum)
{
    double acts = ends ? from : t, none = ends ? t : from, power;
    double x[POWER_PLACES], w[POWER_PLACES];
    for (int k = 0; k < POWER_HALVINGS; k++) {
        double middle = 0.5 * (acts + none);
        FLX_TRY(flx_account_power(sim, middle, &power));
        *(power != 0.0 ? &acts : &none) = middle;
    }
    double begin = ends ? from : acts, h = ends ? acts - from : t - acts;
    flx_quadrature_gauss(POWER_PLACES, x, w);
    for (int k = 0; k < POWER_PLACES && h > 0.0; k++) {
        FLX_TRY(flx_account_power(sim, begin + x[k] * h, &power));
        *sum += w[k] * h * power;
    }
    return FLX_OK;
}
