// events_step.c - steps that end at an instant: made again up to it, and what changes there.
//
// The end of a step is a function of its length h, and so is G (EVE-3): secant steps on h make G(h) = 0 to
// rounding. So the instant has the accuracy of the method, whatever its interpolant has. Where nothing
// leads away from the beginning of a step, the switches change there, in all ways until one does.
#include "integrate/events/events_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

// So often a step is made again for one instant.
#define MOST_REPETITIONS 60
// An instant nearer to the step's beginning than this part of the step is at the beginning.
#define BEGINNING 1e-12
// No shorter part of a step is made again: over less, positions move by no more than their last digits, which implicit
// methods take for velocities.
#define SHORTEST_PART 1e-8
// Where something goes is seen after this part of the step; a step that is too long to show it, or that
// ends off the border by this part of the size, is made again, so much shorter.
#define AHEAD 1e-6
#define MISSED 1e-7
#define SHORTER 0.1

// ---- steps made again -----------------------------------------------------------------------

// From the beginning of the step to t. The step made before it does not count.
static flx_status step_again(flx_integrator *it, flx_state *x, double t, double *taken)
{
    flx_method *m = flx_method_of(it);
    double first = it->def.initial_step, h = t - m->events->begin->t;
    flx_state_copy(x, m->events->begin);
    it->stats.steps--;
    it->stats.rejected++;
    it->def.initial_step = h;
    flx_status status = flx_events_step(it, x, h, taken);
    it->def.initial_step = first;
    return status;
}

// The next length to try: by the secant, or the middle of the bracket where that leads out of it, or
// has led nowhere.
static double next_try(double secant, double low, double high, bool stuck)
{
    if (!stuck && secant > low && secant < high) return secant;
    return isinf(high) ? secant : 0.5 * (low + high);
}

// The step made again until it ends at the instant that is near t, no sooner than `soonest`. *reached: whether a step of
// that length could be made.
static flx_status step_onto(flx_integrator *it, flx_state *x, double t, double soonest,
                            double *taken, bool *reached)
{
    flx_events *e = flx_method_of(it)->events;
    double begin = e->begin->t, last_t = 0.0, last_g = HUGE_VAL, far = x->t;
    t = fmax(t, soonest);
    double low = begin, high = HUGE_VAL, slope = 0.0;
    for (int k = 0; k < MOST_REPETITIONS; k++) {
        FLX_TRY(step_again(it, x, t, taken));
        *reached = fabs(x->t - t) <= fmax(1e-9 * (t - begin), 4.0 * DBL_EPSILON * fabs(t));
        if (!*reached) return FLX_OK;
        FLX_TRY(flx_events_indicate(it, x, e->at));
        int which = -1;
        double g = flx_events_smallest(e, e->at, &which);
        if (which < 0) return FLX_OK;
        *(g > 0.0 ? &low : &high) = x->t;
        bool stuck = !(fabs(g) < fabs(last_g));
        double rounding = fmax(4.0 * DBL_EPSILON * fabs(t), BEGINNING * (t - begin));
        if (stuck && !(high - low > rounding && !isinf(high))) return FLX_OK;
        slope = k == 0 ? e->slope[which] : (g - last_g) / (x->t - last_t);
        double to = fmax(next_try(x->t - g / slope, low, high, stuck), soonest);
        last_t = x->t;
        last_g = g;
        if (!(fabs(to - x->t) > 2.0 * DBL_EPSILON * fabs(to)) || !(to > begin) || !(to <= far)) {
            return FLX_OK;
        }
        t = to;
    }
    return FLX_OK;
}

// Whether something that is not marked is over its border at the end of the step, which was another
// step when it was looked at.
static bool is_overtaken(const flx_events *e, const double *value)
{
    for (int i = 0; i < e->n; i++) {
        if (!e->changed[i] && value[i] < -fmax(e->grace[i], FLX_NOTHING)) return true;
    }
    return false;
}

// Which of the marked ones change here: all that are zero within rounding of the time, and the
// first of them in any case.
static void mark_here(flx_events *e, const flx_state *x, const double *value)
{
    int first = -1;
    (void)flx_events_smallest(e, value, &first);
    for (int i = 0; i < e->n; i++) {
        double left = (value[i] + e->grace[i]) / fmax(fabs(e->slope[i]), DBL_MIN);
        e->changed[i] = i == first || (e->changed[i] && left <= 1e-12 * fabs(x->t));
    }
}

// ---- at the beginning -----------------------------------------------------------------------

// What is marked at x, from where a step of length h was or is made, goes on by the velocities and
// rates of x to the side that it is on: the step is too long to show its way.
static flx_status is_doubtful(flx_integrator *it, const flx_state *x, double h, bool *doubtful)
{
    const flx_system *s = it->sys;
    flx_method *m = flx_method_of(it);
    flx_events *e = m->events;
    flx_state *to = e->probe;
    double dt = AHEAD * h;
    FLX_TRY(flx_events_indicate(it, x, e->from));
    flx_state_copy(to, x);
    for (int i = 0; i < s->dims.nv; i++) m->theta[i] = dt * x->v[i];
    s->ops->retract(s, x->q, m->theta, to->q);
    for (int i = 0; i < s->dims.nv; i++) to->v[i] += dt * x->a[i];
    for (int i = 0; i < s->dims.nx; i++) to->x[i] += dt * x->dx[i];
    to->t += dt;
    FLX_TRY(flx_events_indicate(it, to, e->at));
    *doubtful = false;
    for (int i = 0; i < e->n; i++) {
        if (e->changed[i] && e->at[i] > e->from[i]) *doubtful = true;
    }
    return FLX_OK;
}

// Whether a step may be made again from its beginning to t, shorter.
static bool can_be_shorter(flx_integrator *it, double t)
{
    const flx_method *m = flx_method_of(it);
    double h = t - m->events->begin->t;
    return h > fmax(FLX_SHORTEST_FLIGHT * m->span, 64.0 * DBL_EPSILON * fabs(t));
}

static bool was_tried(const flx_integrator *it, const flx_events *e, const double *switches)
{
    size_t n = (size_t)it->sys->dims.nswitch;
    for (int k = 0; k < e->ntried; k++) {
        if (memcmp(e->tried + (size_t)k * n, switches, n * sizeof *switches) == 0) return true;
    }
    return false;
}

static void note_tried(const flx_integrator *it, flx_events *e, const double *switches)
{
    size_t n = (size_t)it->sys->dims.nswitch;
    if (was_tried(it, e, switches)) return;
    if (e->ntried < FLX_MOST_TRIES) {
        memcpy(e->tried + (size_t)e->ntried++ * n, switches, n * sizeof *switches);
    } else {
        e->cycled = true;
    }
}

// What was to be tried last has not been where a switch that reads another one went elsewhere, which is new.
static void drop_intention(const flx_integrator *it, flx_events *e, const double *switches)
{
    if (e->intends && e->ntried > 0 && !was_tried(it, e, switches)) e->ntried--;
    e->intends = false;
}

// The switches as they are at x lead back to it at once. All that are marked change, unless that was
// tried: then one alone, whose change was not, of those that are on their border: others follow these. A change that the
// forces undo at the instant is tried too.
static void choose_way(flx_integrator *it, const flx_state *x)
{
    flx_events *e = flx_method_of(it)->events;
    size_t n = (size_t)it->sys->dims.nswitch;
    double *then = e->probe->switches;
    for (int i = e->nown; i < e->n; i++) {
        if (e->changed[i]) return; // forces decide what contacts do
    }
    drop_intention(it, e, x->switches);
    note_tried(it, e, x->switches);
    memcpy(then, x->switches, n * sizeof(double));
    e->ops->change(it->sys, it->work, x, e->changed, then);
    if (!was_tried(it, e, then)) {
        note_tried(it, e, then);
        e->intends = !e->cycled;
        return;
    }
    for (int i = 0; i < e->n; i++) {
        if (!e->changed[i] || fabs(e->at[i]) > MISSED * e->size[i]) continue;
        memset(e->alone, 0, (size_t)e->n);
        e->alone[i] = 1;
        memcpy(then, x->switches, n * sizeof(double));
        e->ops->change(it->sys, it->work, x, e->alone, then);
        if (was_tried(it, e, then)) continue;
        note_tried(it, e, then);
        memcpy(e->changed, e->alone, (size_t)e->n);
        return;
    }
    e->cycled = true;
}

// The step is not made: the switches change where it began.
static flx_status stay(flx_integrator *it, flx_state *x, double *taken)
{
    flx_events *e = flx_method_of(it)->events;
    flx_state_copy(x, e->begin);
    *taken = 0.0;
    it->stats.steps--;
    it->stats.rejected++;
    FLX_TRY(flx_events_indicate(it, x, e->at));
    choose_way(it, x);
    return FLX_OK;
}

// The instant that was found at the beginning of the step is there. Where that is in doubt the step is
// made again, shorter, *again; where it stays so, the first look at it counts.
static flx_status begin_here(flx_integrator *it, flx_state *x, int tries, double *taken,
                             bool *again)
{
    flx_events *e = flx_method_of(it)->events;
    double begin = e->begin->t, t = begin + SHORTER * (x->t - begin);
    FLX_TRY(is_doubtful(it, e->begin, x->t - begin, &e->doubtful));
    if (tries == 0) memcpy(e->first, e->changed, (size_t)e->n);
    *again = e->doubtful && can_be_shorter(it, t);
    if (*again) return step_again(it, x, t, taken);
    if (e->doubtful) memcpy(e->changed, e->first, (size_t)e->n);
    return stay(it, x, taken);
}

// Whether no length of the step ends where something marked changes, for it is too long: what is marked
// at its end, where the indicators have these values, is off its border.
static bool is_missed(const flx_events *e, const double *value)
{
    for (int i = 0; i < e->n; i++) {
        if (e->changed[i] && fabs(value[i]) > MISSED * e->size[i]) return true;
    }
    return false;
}

// The shortest part of the step to x that ends where switches change; contacts have ways of their own.
static double shortest_part(const flx_integrator *it, const flx_state *x)
{
    const flx_method *m = (const flx_method *)it;
    const flx_events *e = m->events;
    for (int i = e->nown; i < e->n; i++) {
        if (e->changed[i]) return 0.0;
    }
    return fmin(SHORTEST_PART * (x->t - e->begin->t), FLX_SHORTEST_FLIGHT * m->span);
}

// The step ends at the instant near t. *again: it does not, and what there is of it is to be looked at.
static flx_status end_here(flx_integrator *it, flx_state *x, double t, double *taken, bool *again)
{
    flx_events *e = flx_method_of(it)->events;
    bool reached = true;
    if (e->repeats) {
        FLX_TRY(step_onto(it, x, t, e->begin->t + shortest_part(it, x), taken, &reached));
        *again = !reached || is_overtaken(e, e->at);
        if (*again) return FLX_OK;
        mark_here(e, x, e->at);
    } else {
        flx_state_copy(x, e->probe);
        *taken = x->t - e->begin->t;
        mark_here(e, x, e->to);
    }
    FLX_TRY(is_doubtful(it, x, *taken, &e->doubtful));
    t = e->begin->t + SHORTER * *taken;
    bool missed = is_missed(e, e->from);
    *again = (e->doubtful || missed) && can_be_shorter(it, t);
    if (*again) return step_again(it, x, t, taken);
    if (!missed) return FLX_OK;
    // forces at the end of so short a step are rounding: what is on its border at the beginning is there
    FLX_TRY(flx_events_indicate(it, e->begin, e->at));
    return is_missed(e, e->at) ? FLX_OK : stay(it, x, taken);
}

static flx_status look(flx_integrator *it, flx_state *x, double *taken, bool *here)
{
    flx_events *e = flx_method_of(it)->events;
    int tries = 0;
    *here = e->doubtful = false;
    if (e->n == 0) return FLX_OK;
    flx_state_copy(e->begin, flx_method_of(it)->before);
    for (bool again = true; again;) {
        double begin = e->begin->t, end = x->t, t = begin;
        again = false;
        FLX_TRY(flx_events_find(it, x, &t, here));
        if (!*here) break;
        if (t - begin <= fmax(BEGINNING * (end - begin), 4.0 * DBL_EPSILON * fabs(begin))) {
            FLX_TRY(begin_here(it, x, tries++, taken, &again));
            if (!again) return FLX_OK;
        } else {
            FLX_TRY(end_here(it, x, t, taken, &again));
            if (!again && *taken == 0.0) return FLX_OK;
        }
    }
    e->ntried = 0;
    e->cycled = e->intends = false;
    return FLX_OK;
}

flx_status flx_events_look(flx_integrator *it, flx_state *x, double *taken, bool *here)
{
    flx_status status = look(it, x, taken, here);
    flx_method_of(it)->events->located = status == FLX_OK && *here;
    return status;
}
