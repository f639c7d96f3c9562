// fmu_states.c - an instance whose states another program integrates: z' = F(t, z) of the system's explicit form, its switches
// and events at instants that the other program finds by their indicators.
#include "fmi/fmu_exchange.h"
#include "fmi/runtime/instance.h"
#include "integrate/events/events_parts.h"

#include <math.h>

// A switch on its border is as it was until its value is beyond it by this part of what it has been: what has just changed
// there is above zero for the other program, which sees changes of sign alone.
#define BEYOND 1e-11

// States may be off the constraints by this part of the tolerance.
#define DRIFT 0.1

struct flx_fmu_exchange {
    int nz, nindicator;
    double t;
    double *z, *dz, *indicators; // owned
    bool known;                  // the run's state is that of t and z, with its accelerations
    double *near;                // (nz) owned: the nearest z that meets the constraints; NULL: none
    flx_state *trial;            // owned, where that is found
};

flx_status flx_fmu_exchange_create(flx_fmu *f)
{
    const char *why = flx_fmu_not_exchanged(f->run);
    if (why) return flx_fmu_refuse(f, "%s", why);
    flx_fmu_exchange *x = flx_alloc(f->ctx, 1, sizeof *x);
    f->exchange = x;
    if (!x) return FLX_ERR_MEMORY;
    x->nz = flx_fmu_state_count(f->run);
    x->nindicator = flx_fmu_indicator_count(f->run);
    x->z = flx_alloc(f->ctx, (size_t)x->nz, sizeof *x->z);
    x->dz = flx_alloc(f->ctx, (size_t)x->nz, sizeof *x->dz);
    x->indicators = flx_alloc(f->ctx, (size_t)x->nindicator, sizeof *x->indicators);
    if (!x->z || !x->dz || !x->indicators) return FLX_ERR_MEMORY;
    if (!flx_fmu_is_constrained(f->run)) return FLX_OK;
    x->near = flx_alloc(f->ctx, (size_t)x->nz, sizeof *x->near);
    return x->near ? flx_state_create(f->run->sim->sys, &x->trial) : FLX_ERR_MEMORY;
}

void flx_fmu_exchange_destroy(flx_fmu *f)
{
    if (!f->exchange) return;
    flx_free(f->exchange->z);
    flx_free(f->exchange->dz);
    flx_free(f->exchange->indicators);
    flx_free(f->exchange->near);
    flx_state_destroy(&f->exchange->trial);
    flx_free(f->exchange);
    f->exchange = NULL;
}

// z and t are those of the run's state.
flx_status flx_fmu_exchange_take(flx_fmu *f)
{
    flx_fmu_exchange *x = f->exchange;
    flx_simulation *sim = f->run->sim;
    const flx_explicit *form = sim->sys->ops->explicit_form;
    if (form->prepare) FLX_TRY(form->prepare(sim->sys, sim->work));
    form->pack(sim->sys, sim->state, x->z);
    if (form->fill) FLX_TRY(form->fill(sim->sys, sim->work, sim->state, x->z));
    x->t = sim->state->t;
    x->known = false;
    return FLX_OK;
}

// Inputs at the current time, which hold from here on.
static void put_inputs(flx_fmu *f)
{
    for (int i = 0; i < f->ninput; i++) {
        if (f->ngiven[i] == 0) continue;
        double numbers[FLX_INPUT_NUMBERS] = {
            [FLX_INPUT_VALUE] = f->given[3 * i], [FLX_INPUT_SINCE] = f->exchange->t};
        flx_running_put_input(f->run, i, numbers);
        f->ngiven[i] = 0;
        f->exchange->known = false;
    }
}

flx_status flx_fmu_exchange_settle(flx_fmu *f)
{
    flx_fmu_exchange *x = f->exchange;
    flx_run *r = f->run;
    flx_simulation *sim = r->sim;
    const flx_explicit *form = sim->sys->ops->explicit_form;
    put_inputs(f);
    if (x->known) return FLX_OK;
    form->unpack(sim->sys, x->t, x->z, sim->state);
    FLX_TRY(form->rate(sim->sys, sim->work, x->t, x->z, sim->state, x->dz));
    flx_account_forget(sim);
    flx_simulation_forget_settled(sim);
    r->t = x->t;
    r->known = false;
    r->begun = true;
    flx_running_show(r);
    x->known = true;
    return FLX_OK;
}

void flx_fmu_exchange_set_time(flx_fmu *f, double t)
{
    f->exchange->known = f->exchange->known && t == f->exchange->t;
    f->exchange->t = t;
}

static flx_status check_count(flx_fmu *f, size_t n, int wanted, const char *what)
{
    if (n == (size_t)wanted) return FLX_OK;
    return flx_fmu_refuse(f, "the model has %d %s, not %zu", wanted, what, n);
}

flx_status flx_fmu_exchange_set(flx_fmu *f, const double *z, size_t n)
{
    flx_fmu_exchange *x = f->exchange;
    FLX_TRY(check_count(f, n, x->nz, "states"));
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(z[i])) return flx_fmu_refuse(f, "state %zu is not finite", i + 1);
    }
    memcpy(x->z, z, n * sizeof *z);
    x->known = false;
    return FLX_OK;
}

flx_status flx_fmu_exchange_get(flx_fmu *f, flx_fmu_part part, double *out, size_t n)
{
    flx_fmu_exchange *x = f->exchange;
    flx_simulation *sim = f->run->sim;
    bool indicators = part == FLX_FMU_OF_INDICATORS;
    FLX_TRY(check_count(f, n, indicators ? x->nindicator : x->nz,
                        indicators ? "event indicators" : "states"));
    if (part == FLX_FMU_OF_STATES) {
        memcpy(out, x->z, n * sizeof *out);
        return FLX_OK;
    }
    FLX_TRY(flx_fmu_exchange_settle(f));
    if (part == FLX_FMU_OF_RATES) {
        memcpy(out, x->dz, n * sizeof *out);
    } else if (n > 0) {
        flx_point p = flx_state_point(sim->sys, sim->state);
        FLX_TRY(sim->sys->ops->events->indicate(sim->sys, sim->work, &p, out));
        const flx_events *e = flx_method_of(sim->it)->events;
        for (size_t i = 0; i < n; i++) {
            out[i] = isfinite(out[i]) ? out[i] + BEYOND * e->size[i] : 1.0; // 1: of times
        }
    }
    return FLX_OK;
}

// How large indicators have been, against which rounding is judged.
static flx_status size_up(flx_fmu *f)
{
    flx_fmu_exchange *x = f->exchange;
    flx_events *e = flx_method_of(f->run->sim->it)->events;
    if (!e || !e->ops) return FLX_OK;
    FLX_TRY(flx_fmu_exchange_get(f, FLX_FMU_OF_INDICATORS, x->indicators, (size_t)x->nindicator));
    for (int i = 0; i < e->nown; i++) e->size[i] = fmax(e->size[i], fabs(x->indicators[i]));
    e->sized = true;
    return FLX_OK;
}

// The nearest states that meet the constraints.
static flx_status come_near(flx_fmu *f)
{
    flx_fmu_exchange *x = f->exchange;
    flx_simulation *sim = f->run->sim;
    double moved_q, moved_v;
    memcpy(x->near, x->z, (size_t)x->nz * sizeof *x->z);
    flx_state_copy(x->trial, sim->state);
    return sim->sys->ops->explicit_form->project(sim->sys, sim->work, x->t, x->near, x->trial,
                                                 &moved_q, &moved_v);
}

static bool has_drifted(const flx_fmu *f)
{
    const flx_fmu_exchange *x = f->exchange;
    const flx_integrator_def *def = &f->run->sim->def;
    double own = def->rtol > 0.0 ? def->rtol : 1e-6, rtol = f->tolerance > 0.0 ? f->tolerance : own;
    double atol = def->atol > 0.0 ? def->atol : rtol;
    for (int i = 0; i < x->nz; i++) {
        if (fabs(x->z[i] - x->near[i]) > DRIFT * (atol + rtol * fabs(x->z[i]))) return true;
    }
    return false;
}

// Turns that are counted follow the motion.
flx_status flx_fmu_exchange_accept(flx_fmu *f, bool *instant)
{
    flx_simulation *sim = f->run->sim;
    *instant = false;
    FLX_TRY(flx_fmu_exchange_settle(f));
    if (sim->sys->ops->accept) sim->sys->ops->accept(sim->sys, sim->work, sim->state);
    FLX_TRY(size_up(f));
    if (!f->exchange->near) return FLX_OK;
    FLX_TRY(come_near(f));
    *instant = has_drifted(f);
    return FLX_OK;
}

static flx_status lead_back(flx_fmu *f, bool *changed)
{
    flx_fmu_exchange *x = f->exchange;
    size_t bytes = (size_t)x->nz * sizeof *x->z;
    if (!x->near) return FLX_OK;
    put_inputs(f);
    FLX_TRY(come_near(f));
    *changed = memcmp(x->z, x->near, bytes) != 0;
    memcpy(x->z, x->near, bytes);
    x->known = x->known && !*changed;
    return FLX_OK;
}

// The instant here: indicators that are below zero change, what is due happens, and what follows from that.
flx_status flx_fmu_exchange_happen(flx_fmu *f, bool *changed, double *next)
{
    flx_fmu_exchange *x = f->exchange;
    flx_run *r = f->run;
    flx_simulation *sim = r->sim;
    flx_events *e = flx_method_of(sim->it)->events;
    const flx_state *before;
    const flx_event_report *what;
    *changed = false;
    *next = HUGE_VAL;
    FLX_TRY(lead_back(f, changed));
    FLX_TRY(flx_fmu_exchange_settle(f));
    if (!e || !e->ops) return FLX_OK;
    FLX_TRY(size_up(f));
    memset(e->changed, 0, (size_t)e->n);
    e->located = false;
    for (int i = 0; i < e->nown; i++) {
        e->changed[i] = x->indicators[i] <= 0.0;
        e->located = e->located || e->changed[i];
    }
    double due = e->ops->next(sim->sys, sim->work, sim->state);
    if (e->located || due <= sim->state->t) {
        double span = fmax(r->horizon, sim->state->t) - sim->start->t;
        r->known = false;
        FLX_TRY(flx_events_happen(sim->it, sim->state, span, &before, &what));
        FLX_TRY(flx_running_tell_instant(r, before, what));
        if (sim->ledger.stopped_by) f->stopped = true;
        *changed = *changed || what->jumped || what->changed;
        FLX_TRY(flx_fmu_exchange_take(f));
        FLX_TRY(flx_fmu_exchange_settle(f));
    }
    *next = e->ops->next(sim->sys, sim->work, sim->state);
    return FLX_OK;
}
