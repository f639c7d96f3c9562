// events.c - instants at which switches change and events happen: what they need, and the instant
// itself. After it the method begins anew.
#include "integrate/events/events_parts.h"
#include "integrate/newton_matrix.h"

#include <math.h>
#include <string.h>

// Instants of one switch or event in a row that are nearer to each other than this part of the run,
// and come nearer, or are one: so many end it.
#define CLOSE 1e-9
#define NO_TIME 1e-13
#define SHORTER 0.99
#define MOST_CLOSE 3
#define BRIEF 4.0 // shortest flights: what is held on its border by an event that stops it there
#define MOST_BRIEF 1000
#define ALONG 1e-6 // how far indicators are followed, of the scales and of the run
// So often an instant is gone through until its forces and its switches agree.
#define MOST_ROUNDS 10

// ---- life -----------------------------------------------------------------------------------

void flx_events_destroy(flx_events **events)
{
    flx_events *e = *events;
    if (!e) return;
    double *const numbers[] = {e->looks,  e->range,      e->size,  e->at,          e->from,
                               e->to,     e->grace,      e->slope, e->r,           e->d,
                               e->noise,  e->rows,       e->Z,     e->S,           e->rhs,
                               e->what.Y, e->what.value, e->tried, e->rows_before, e->asked};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) flx_free(numbers[i]);
    flx_free(e->changed);
    flx_free(e->behind);
    flx_free(e->alone);
    flx_free(e->first);
    flx_free(e->was);
    flx_free(e->marked);
    flx_free(e->history);
    flx_free(e->what.events);
    flx_state_destroy(&e->begin);
    flx_state_destroy(&e->probe);
    flx_state_destroy(&e->settled);
    flx_state_destroy(&e->prior);
    flx_accelerator_destroy(&e->acc);
    flx_relaxer_destroy(&e->relaxer);
    flx_saddle_destroy(&e->saddle);
    flx_blocks_destroy(&e->blocks);
    flx_events_destroy_contacts(&e->contacts);
    flx_free(e);
    *events = NULL;
}

// Where masses are missing, as far as one can see without a state, accelerations will be relaxed to:
// their memory is taken now.
static flx_status expect_missing_masses(flx_integrator *it, flx_events *e)
{
    const flx_system *s = it->sys;
    flx_point p = flx_state_point(s, e->begin);
    bool missing = false;
    FLX_TRY(s->ops->linearise(s, it->work, &p, &e->blocks));
    flx_blocks_masses(s, &e->blocks, e->d);
    for (int i = 0; i < s->dims.nv; i++) missing |= e->d[i] == 0.0;
    if (!missing) return FLX_OK;
    FLX_TRY(flx_relaxer_create(s, &e->relaxer));
    return flx_relaxer_warm(e->relaxer, &e->blocks);
}

static flx_status make(flx_integrator *it, flx_events *e)
{
    const flx_system *s = it->sys;
    size_t n = (size_t)e->n, m = (size_t)e->nrow, nv = (size_t)s->dims.nv;
    size_t unknowns = (size_t)flx_dims_unknowns(&s->dims);
    const struct {
        double **at;
        size_t n;
    } want[] = {{&e->looks, (FLX_MANY_LOOKS + 1) * n},
                {&e->range, n},
                {&e->size, n},
                {&e->tried, FLX_MOST_TRIES * (size_t)s->dims.nswitch},
                {&e->at, n},
                {&e->from, n},
                {&e->to, n},
                {&e->grace, n},
                {&e->noise, (size_t)e->nown},
                {&e->slope, n},
                {&e->r, unknowns},
                {&e->d, unknowns},
                {&e->rows, unknowns},
                {&e->rows_before, unknowns},
                {&e->asked, m > 0 ? unknowns : 0},
                {&e->Z, m * nv},
                {&e->S, m * m},
                {&e->rhs, m},
                {&e->what.Y, m * nv},
                {&e->what.value, m}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        *want[i].at = flx_alloc(s->ctx, want[i].n, sizeof(double));
        if (!*want[i].at) return FLX_ERR_MEMORY;
    }
    size_t most = FLX_MOST_EVENT_ROUNDS * (size_t)e->nevent;
    e->changed = flx_alloc(s->ctx, n, 1);
    e->behind = flx_alloc(s->ctx, n, 1);
    e->alone = flx_alloc(s->ctx, n, 1);
    e->first = flx_alloc(s->ctx, n, 1);
    e->was = flx_alloc(s->ctx, n, 1);
    e->marked = flx_alloc(s->ctx, n, 1);
    e->history = flx_alloc(s->ctx, n + (size_t)e->nevent, sizeof *e->history);
    e->what.events = flx_alloc(s->ctx, most, sizeof *e->what.events);
    bool marks = e->changed && e->behind && e->alone && e->first && e->was && e->marked;
    if (!marks || !e->history || !e->what.events) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < n + (size_t)e->nevent; i++) e->history[i].last = -HUGE_VAL;
    FLX_TRY(flx_state_create(s, &e->begin));
    FLX_TRY(flx_state_create(s, &e->probe));
    FLX_TRY(flx_state_create(s, &e->prior));
    e->reads = e->ops && e->ops->reads_forces && e->ops->reads_forces(s);
    if ((e->reads || e->contacts) && !it->type->settled) FLX_TRY(flx_state_create(s, &e->settled));
    FLX_TRY(flx_accelerator_create(s, &e->acc));
    FLX_TRY(flx_saddle_create(s, &e->saddle));
    FLX_TRY(flx_blocks_create(s, &e->blocks));
    return expect_missing_masses(it, e);
}

static flx_status create(flx_integrator *it, flx_events **events)
{
    const flx_event_ops *ops = it->sys->ops->events;
    flx_events *e = flx_alloc(it->ctx, 1, sizeof *e);
    if (!e) return FLX_ERR_MEMORY;
    e->ops = ops;
    e->nown = ops ? ops->indicators(it->sys) : 0;
    e->n = e->nown + 2 * flx_events_contact_count(it->sys);
    e->nevent = ops ? ops->events(it->sys) : 0;
    e->nrow = ops ? ops->rows(it->sys) : 0;
    flx_coefficients c = {0};
    bool known = it->type->coefficients && it->type->coefficients(&it->def, &c);
    e->repeats = !(known && c.scheme == FLX_SCHEME_MULTISTEP);
    flx_status status = flx_events_make_contacts(it, &e->contacts);
    if (status == FLX_OK) status = make(it, e);
    if (status != FLX_OK) flx_events_destroy(&e);
    *events = e;
    return status;
}

flx_status flx_events_create(flx_integrator *it, flx_events **events)
{
    const flx_event_ops *ops = it->sys->ops->events;
    *events = NULL;
    int own = ops ? ops->indicators(it->sys) + ops->events(it->sys) : 0;
    if (own + flx_events_contact_count(it->sys) == 0) return FLX_OK;
    return create(it, events);
}

flx_status flx_events_expect_jumps(flx_integrator *it)
{
    flx_method *m = flx_method_of(it);
    if (m->events || m->input_jumps || !it->sys->ops->events) return FLX_OK;
    return create(it, &m->input_jumps);
}

double flx_events_next(flx_integrator *it, const flx_state *x)
{
    const flx_events *e = flx_method_of(it)->events;
    return e->ops ? e->ops->next(it->sys, it->work, x) : HUGE_VAL;
}

const char *flx_events_indicator(flx_integrator *it, int i, flx_loc *loc)
{
    const flx_events *e = flx_method_of(it)->events;
    return i < e->nown ? e->ops->indicator(it->sys, i, loc)
                       : flx_contacts_name(e->contacts, i - e->nown, loc);
}

// ---- too often ------------------------------------------------------------------------------

// Short intervals that become shorter still, or vanish. A relay that works fast has its own pace.
// stays: it has not been away from its border in between, however long that was.
static bool is_too_close(flx_repeat *r, double t, double span, bool stays)
{
    double interval = t - r->last;
    bool shorter = interval < SHORTER * r->interval || interval <= NO_TIME * span;
    r->close = stays || (interval <= CLOSE * span && shorter) ? r->close + 1 : 0;
    r->brief = interval <= BRIEF * FLX_SHORTEST_FLIGHT * span ? r->brief + 1 : 0;
    r->interval = interval;
    r->last = t;
    return r->close >= MOST_CLOSE || r->brief >= MOST_BRIEF;
}

static bool stays_on_border(const flx_events *e, int i)
{
    return e->behind[i] && e->grace[i] > 0.0;
}

static flx_status watch(flx_integrator *it, const flx_state *x, double span, bool changed)
{
    flx_events *e = flx_method_of(it)->events;
    flx_loc loc;
    bool stays = false;
    for (int i = 0; i < e->nown && changed; i++) stays |= e->changed[i] && stays_on_border(e, i);
    for (int i = 0; i < e->what.nevent; i++) {
        int k = e->what.events[i];
        // one that happens where its condition is about to turn false has no time left in between
        if (!is_too_close(&e->history[e->n + k], x->t, span, stays) && !e->doubtful) continue;
        const char *name = e->ops->event(it->sys, k, &loc);
        return FLX_FAIL(it->ctx, FLX_STEP_TOO_SMALL, loc,
                        "event '%s' happens at ever shorter intervals, which end at t = %.9g; let "
                        "the model say what follows: an event that stops the run, or that brings "
                        "it to rest, before that",
                        name, x->t);
    }
    for (int i = 0; i < e->nown && changed; i++) {
        // at one state all ways are tried before it is given up
        if (!e->changed[i] || (e->ntried > 0 && !e->cycled)) continue;
        bool there = stays_on_border(e, i);
        if (!is_too_close(&e->history[i], x->t, span, there) && !e->cycled) continue;
        const char *name = flx_events_indicator(it, i, &loc);
        return FLX_FAIL(it->ctx, FLX_STEP_TOO_SMALL, loc,
                        "a condition in '%s' changes back and forth at t = %.9g: each of its "
                        "branches leads to the other, and the motion slides along the border. Make "
                        "the jump steep but continuous, as in tanh(v/1e-3) for sign(v), or use an "
                        "event and a discrete variable with two borders",
                        name, x->t);
    }
    return FLX_OK;
}

// ---- turned the wrong way -------------------------------------------------------------------

// e->probe, and e->from and e->to, the indicators at x and there: positions and states have gone on by a small part of their
// scales, with the rates that they have; by time where indicators depend on it, for no more than this.
static flx_status look_along(flx_integrator *it, const flx_state *x, double time)
{
    const flx_system *s = it->sys;
    flx_method *m = flx_method_of(it);
    flx_events *e = m->events;
    double speed = 0.0;
    for (int i = 0; i < s->dims.nv + s->dims.nx; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        double rate = i < s->dims.nv ? x->v[i] : x->dx[i - s->dims.nv];
        speed = fmax(speed, fabs(rate) / (u.scale > 0.0 ? u.scale : 1.0));
    }
    double dt = speed > 0.0 ? ALONG / speed : 0.0;
    if (time > 0.0) dt = fmin(dt, time);
    FLX_TRY(flx_events_indicate(it, x, e->from));
    flx_state_copy(e->probe, x);
    for (int i = 0; i < s->dims.nv; i++) m->theta[i] = dt * x->v[i];
    s->ops->retract(s, x->q, m->theta, e->probe->q);
    for (int i = 0; i < s->dims.nx; i++) e->probe->x[i] += dt * x->dx[i];
    if (time > 0.0) e->probe->t += dt;
    return flx_events_indicate(it, e->probe, e->to);
}

// Whether what is marked depends on time; what depends on velocities, which do not show by positions where it goes, is taken
// out of e->alone.
static flx_status look_beside(flx_integrator *it, const flx_state *x, double span, bool *timed)
{
    flx_events *e = flx_method_of(it)->events;
    FLX_TRY(flx_events_indicate(it, x, e->from));
    flx_state_copy(e->probe, x);
    for (int i = 0; i < it->sys->dims.nv; i++) e->probe->v[i] *= 1.0 + ALONG;
    FLX_TRY(flx_events_indicate(it, e->probe, e->at));
    for (int i = 0; i < e->nown; i++) e->alone[i] = e->marked[i] && e->at[i] == e->from[i];
    flx_state_copy(e->probe, x);
    e->probe->t += ALONG * span;
    FLX_TRY(flx_events_indicate(it, e->probe, e->at));
    *timed = false;
    for (int i = 0; i < e->nown; i++) *timed |= e->alone[i] && e->at[i] != e->from[i];
    return FLX_OK;
}

// An event turns what comes to its border. One that turns what goes away from it, for the time in between is below rounding,
// sends it across, where nobody sees it.
static flx_status refuse_turned(flx_integrator *it, const flx_state *x, double span)
{
    flx_events *e = flx_method_of(it)->events;
    flx_loc loc;
    bool timed = false;
    int away = 0;
    if (e->what.nevent == 0) return FLX_OK;
    FLX_TRY(look_beside(it, e->prior, span, &timed));
    double time = timed ? ALONG * span : 0.0;
    FLX_TRY(look_along(it, e->prior, time));
    for (int i = 0; i < e->nown; i++) {
        e->alone[i] = e->alone[i] && e->to[i] > e->from[i];
        away += e->alone[i];
    }
    if (away == 0) return FLX_OK;
    FLX_TRY(look_along(it, x, time));
    memcpy(e->probe->switches, e->prior->switches, (size_t)it->sys->dims.nswitch * sizeof(double));
    FLX_TRY(flx_events_indicate(it, e->probe, e->at));
    for (int i = 0; i < e->nown; i++) {
        if (!e->alone[i] || !(e->to[i] > e->from[i]) || !(e->at[i] < 0.0)) continue;
        const char *name = e->ops->event(it->sys, e->what.events[0], &loc);
        return FLX_FAIL(it->ctx, FLX_STEP_TOO_SMALL, loc,
                        "event '%s' happens at ever shorter intervals, which end at t = %.9g; let "
                        "the model say what follows: an event that stops the run, or that brings "
                        "it to rest, before that",
                        name, x->t);
    }
    return FLX_OK;
}

// Whose switches end most of the steps, if more than half of them are one's (Boyer and Moore).
static void count_instant(flx_integrator *it)
{
    flx_events *e = flx_method_of(it)->events;
    flx_statistics *s = &it->stats;
    if (!e->what.changed || !e->what.item) return;
    s->instants++;
    if (e->votes == 0) s->governed_by = e->what.item;
    e->votes += s->governed_by == e->what.item ? 1 : -1;
}

// ---- the instant ----------------------------------------------------------------------------

// What is set off at x: events and switches, with the velocities that they leave.
static flx_status set_off(flx_integrator *it, flx_state *x, const signed char *changed)
{
    flx_events *e = flx_method_of(it)->events;
    flx_event_report *h = &e->what;
    for (int round = 0; round < FLX_MOST_EVENT_ROUNDS; round++) {
        bool moved = false;
        int had = h->nevent;
        const flx_method *m = flx_method_of(it);
        if (e->ops) FLX_TRY(e->ops->happen(it->sys, it->work, x, changed, h));
        h->settle = 0;
        if (m->outside && h->nevent > had) FLX_TRY(m->outside(m->outside_user, x, h, had));
        if (h->changed) FLX_TRY(flx_events_meet_velocities(it, x, &moved));
        h->again = 1; // switches may depend on velocities
        if (!moved && !h->settle) break;
        changed = NULL;
    }
    return FLX_OK;
}

int flx_events_wrong(flx_integrator *it, const flx_state *x)
{
    flx_events *e = flx_method_of(it)->events;
    return e->ops ? e->ops->judge(it->sys, it->work, x, e->size) : -1;
}

flx_status flx_events_check(flx_integrator *it, flx_state *x)
{
    const flx_method *m = flx_method_of(it);
    flx_events *e = m->events;
    size_t n = (size_t)e->n * sizeof *e->size;
    memcpy(e->at, e->size, n);
    int wrong = flx_events_wrong(it, x);
    if (!flx_events_tell_size(it, x->t - m->before->t)) memcpy(e->size, e->at, n);
    if (wrong < 0) return e->contacts ? flx_contacts_part(it, x) : FLX_OK;
    flx_loc loc;
    const char *name = flx_events_indicator(it, wrong, &loc);
    return FLX_FAIL(it->ctx, FLX_INCONSISTENT, loc,
                    "a condition or a table in '%s' is not what its own value says at t = %.9g: it "
                    "has changed unseen. Take smaller steps (max_step), or another method",
                    name, x->t);
}

static flx_status refuse_contradiction(flx_integrator *it, const flx_state *x, int wrong)
{
    flx_loc loc;
    const char *name = flx_events_indicator(it, wrong, &loc);
    return FLX_FAIL(it->ctx, FLX_INCONSISTENT, loc,
                    "the conditions at t = %.9g contradict each other: whichever way the one in "
                    "'%s' is taken, the forces that follow ask for the other. Make the jump steep "
                    "but continuous, as in tanh(v/1e-3) for sign(v)",
                    x->t, name);
}

// What contacts do from x on, then accelerations and multipliers. Where these contradict the contacts, for friction of
// joints reads them, once more. changed: marked contacts, NULL: none.
static flx_status touch(flx_integrator *it, flx_state *x, const signed char *changed)
{
    flx_events *e = flx_method_of(it)->events;
    bool any = e->what.changed || e->starts;
    for (int i = e->nown; i < e->n && changed; i++) any = any || e->changed[i];
    if (e->contacts && any) FLX_TRY(flx_contacts_happen(it, x, changed));
    e->starts = false;
    if (e->what.changed) FLX_TRY(flx_events_find_accelerations(it, x));
    if (!e->contacts || !e->what.changed) return FLX_OK;
    for (int round = 0; flx_contacts_wrong(it, x, e->changed + e->nown); round++) {
        if (round == MOST_ROUNDS) return refuse_contradiction(it, x, e->nown);
        FLX_TRY(flx_contacts_happen(it, x, e->changed + e->nown));
        FLX_TRY(flx_events_find_accelerations(it, x));
    }
    return FLX_OK;
}

bool flx_events_begins(flx_integrator *it, const flx_state *x, flx_status *status)
{
    flx_events *e = flx_method_of(it)->events;
    *status = FLX_OK;
    if (!e || !e->contacts) return false;
    *status = flx_contacts_begin(it, x, &e->starts);
    return *status == FLX_OK && e->starts;
}

flx_status flx_events_steer(flx_integrator *it, flx_state *x, double h)
{
    const flx_events *e = flx_method_of(it)->events;
    return e && e->contacts ? flx_contacts_steer(it, x, h) : FLX_OK;
}

flx_status flx_events_step(flx_integrator *it, flx_state *x, double h, double *taken)
{
    const flx_events *e = flx_method_of(it)->events;
    return e && e->contacts ? flx_contacts_step(it, x, h, taken)
                            : flx_integrator_step(it, x, h, taken);
}

static void note_last(flx_events *e, bool located)
{
    if (!e->what.changed) return;
    e->count++;
    e->was_located = located;
    memcpy(e->was, e->marked, (size_t)e->n * sizeof *e->was);
}

flx_status flx_events_happen(flx_integrator *it, flx_state *x, double span,
                             const flx_state **before, const flx_event_report **what)
{
    flx_method *m = flx_method_of(it);
    flx_events *e = m->events;
    flx_event_report *h = &e->what;
    h->again = h->jumped = h->stop = h->nevent = h->nrow = 0;
    h->changed = m->input_jumped; // something else has changed the equations
    h->item = NULL;
    h->size = e->size;
    h->lost = 0.0;
    flx_state_copy(e->prior, x);
    bool located = e->located;
    if (located) memcpy(e->marked, e->changed, (size_t)e->n * sizeof *e->marked);
    FLX_TRY(set_off(it, x, e->located ? e->changed : NULL));
    FLX_TRY(watch(it, x, span, e->located));
    if (located) FLX_TRY(refuse_turned(it, x, span));
    FLX_TRY(touch(it, x, e->located ? e->changed + e->nown : NULL));
    e->located = false;
    // forces, algebraic values and velocities without inertia have jumped: so may what reads them
    for (int round = 0, wrong; (wrong = flx_events_wrong(it, x)) >= 0; round++) {
        if (round == MOST_ROUNDS) return refuse_contradiction(it, x, wrong);
        FLX_TRY(set_off(it, x, NULL));
        FLX_TRY(touch(it, x, NULL));
    }
    if (!h->changed && m->stepped && x->t == m->after->t) {
        // nothing that the method has seen: it goes on
        memcpy(m->after->switches, x->switches, (size_t)it->sys->dims.nswitch * sizeof(double));
    }
    if (h->jumped) e->ntried = 0;
    note_last(e, located);
    count_instant(it);
    *before = e->prior;
    *what = h;
    return FLX_OK;
}

flx_status flx_events_jump(flx_integrator *it, flx_state *x, double span, const flx_state **before,
                           const flx_event_report **what)
{
    flx_method *m = flx_method_of(it);
    flx_events *own = m->events;
    if (!own) m->events = m->input_jumps;
    m->input_jumped = true;
    m->events->located = false;
    flx_status status = flx_events_happen(it, x, span, before, what);
    m->events = own;
    return status;
}

// ---- for derivatives ------------------------------------------------------------------------

flx_events_last flx_events_last_of(const flx_integrator *it)
{
    const flx_events *e = ((const flx_method *)it)->events;
    if (!e) return (flx_events_last){0};
    return (flx_events_last){e->count, e->was_located, e->n, e->was};
}

flx_status flx_events_replay(flx_integrator *it, flx_state *x, const signed char *changed)
{
    flx_events *e = flx_method_of(it)->events;
    flx_event_report *h = &e->what;
    h->again = h->jumped = h->stop = h->nevent = h->nrow = h->changed = 0;
    h->item = NULL;
    h->size = e->size;
    h->lost = 0.0;
    flx_state_copy(e->prior, x);
    if (changed) memcpy(e->changed, changed, (size_t)e->n * sizeof *e->changed);
    FLX_TRY(set_off(it, x, changed ? e->changed : NULL));
    FLX_TRY(touch(it, x, changed ? e->changed + e->nown : NULL));
    return h->changed ? FLX_OK : FLX_STOPPED;
}

flx_status flx_events_values(flx_integrator *it, const flx_state *x, double *value)
{
    return flx_events_indicate(it, x, value);
}

const char *flx_events_name(flx_integrator *it, int i, flx_loc *loc)
{
    return flx_events_indicator(it, i, loc);
}

double flx_events_size(const flx_integrator *it, int i)
{
    return ((const flx_method *)it)->events->size[i];
}

bool flx_events_reads_forces(const flx_integrator *it, int i)
{
    const flx_events *e = ((const flx_method *)it)->events;
    return i < e->nown ? e->reads : (i - e->nown) % 2 == 1;
}
