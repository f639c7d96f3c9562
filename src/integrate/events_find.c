// events_find.c - instants found and located in the steps of any method.
//
// A step is made with frozen switches, so it sees smooth functions also beyond an instant. Then the
// indicators v_i (EVE-2) are looked at inside the step and at its end. Where one has become
// negative, the first zero of
//     G(t) = min_i v_i(t),  over those that are negative at the far end                 (EVE-3)
// is bracketed on the method's interpolant, and the step is made again up to there. The end of that
// step is a function of its length h, and so is G: secant steps on h make G(h) = 0 to rounding. So
// the instant has the accuracy of the method, whatever its interpolant has.
#include "integrate/events_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Intervals of a step at whose ends the indicators are looked at; and where the polynomial through
// them is off in the middle by more than a part of their size.
#define LOOKS 5
#define MANY_LOOKS 50
#define UNRESOLVED 0.02
// Where the step is made again, its interpolant brackets the instant to this part of the step.
#define BRACKET 1e-6
#define MOST_BISECTIONS 80
#define SHORTEST_FLIGHT 1e-10 // away from a border, as a part of a look
// An indicator that is negative at the beginning of a step counts from so much of that.
#define GRACE 1.25
#define MOST_REPETITIONS 8
// Numbers so small have lost their digits.
#define NOTHING (DBL_MIN / DBL_EPSILON)
// An instant nearer to the step's beginning than this part of the step is at the beginning.
#define BEGINNING 1e-12

// ---- indicators -----------------------------------------------------------------------------

static flx_status indicate(flx_integrator *it, const flx_state *x, double *value)
{
    const flx_events *e = flx_method_of(it)->events;
    flx_point p = flx_state_point(it->sys, x);
    return e->ops->indicate(it->sys, it->work, &p, value);
}

// The state inside the step, as the method gives it, and the indicators there.
static flx_status probe(flx_integrator *it, double t, double *value)
{
    flx_method *m = flx_method_of(it);
    flx_events *e = m->events;
    FLX_TRY(flx_integrator_interpolate(it, t, e->probe));
    memcpy(e->probe->switches, m->before->switches, (size_t)it->sys->dims.nswitch * sizeof(double));
    return indicate(it, e->probe, value);
}

// Mark those that are negative; what was so at the beginning of the step is rounding, until it is
// more, or until it has been positive.
static int mark(flx_events *e, const double *value)
{
    int count = 0;
    for (int i = 0; i < e->n; i++) {
        e->changed[i] = value[i] < -fmax(e->grace[i], NOTHING);
        count += e->changed[i];
    }
    return count;
}

// (EVE-3) over those that are marked
static double smallest(const flx_events *e, const double *value, int *which)
{
    double g = HUGE_VAL;
    for (int i = 0; i < e->n; i++) {
        if (!e->changed[i] || !(value[i] + e->grace[i] < g)) continue;
        g = value[i] + e->grace[i];
        if (which) *which = i;
    }
    return g;
}

// What is positive was not wrong before: nothing is left to forgive. Whether there was.
static bool forgive(flx_events *e, const double *value)
{
    bool any = false;
    for (int i = 0; i < e->n; i++) {
        if (!(value[i] >= 0.0) || e->grace[i] == 0.0) continue;
        e->grace[i] = 0.0;
        any = true;
    }
    return any;
}

// ---- location -------------------------------------------------------------------------------

// At a something is on its border. If it leaves it, as a ball does for a short flight, the bracket
// begins where it is away; else what happens begins at a.
static flx_status leave_border(flx_integrator *it, double *a, double *b, double *ga, double *gb)
{
    flx_events *e = flx_method_of(it)->events;
    double begin = *a, length = *b - *a, *swap;
    for (double part = 0.1; part > SHORTEST_FLIGHT; part *= 0.1) {
        double t = begin + part * length;
        FLX_TRY(probe(it, t, e->at));
        double g = smallest(e, e->at, NULL), **end = g > 0.0 ? &e->from : &e->to;
        swap = *end;
        *end = e->at;
        e->at = swap;
        *(g > 0.0 ? a : b) = t;
        if (!(g > 0.0)) continue;
        (void)forgive(e, e->from);
        *ga = smallest(e, e->from, NULL);
        *gb = smallest(e, e->to, NULL);
        return FLX_OK;
    }
    *b = *a;
    return FLX_OK;
}

// A bracket of (EVE-3) from a, where e->from are the indicators, to b, where e->to are, made shorter
// than a tolerance. Regula falsi, with the value of an end that stays halved (Illinois), and
// bisection now and then. The state at b is left in e->probe.
static flx_status shorten(flx_integrator *it, double *a, double *b, double tolerance)
{
    flx_events *e = flx_method_of(it)->events;
    double ga = smallest(e, e->from, NULL), gb = smallest(e, e->to, NULL), *swap;
    int side = 0;
    if (!(ga > 0.0)) FLX_TRY(leave_border(it, a, b, &ga, &gb));
    for (int k = 0; k < MOST_BISECTIONS && tolerance < *b - *a; k++) {
        double c = k % 4 == 3 ? 0.5 * (*a + *b) : *b - gb * (*b - *a) / (gb - ga);
        c = fmin(fmax(c, *a + 0.25 * tolerance), *b - 0.25 * tolerance);
        FLX_TRY(probe(it, c, e->at));
        double g = smallest(e, e->at, NULL);
        double **end = g < 0.0 ? &e->to : &e->from;
        swap = *end;
        *end = e->at;
        e->at = swap;
        if (g < 0.0) {
            *b = c;
            gb = g;
            if (side == 1) ga *= 0.5;
            side = 1;
        } else {
            *a = c;
            ga = g;
            if (side == -1) gb *= 0.5;
            side = -1;
            if (forgive(e, e->from)) {
                ga = smallest(e, e->from, NULL);
                gb = smallest(e, e->to, NULL);
                side = 0;
            }
        }
    }
    if (*a < *b) {
        for (int i = 0; i < e->n; i++) e->slope[i] = (e->to[i] - e->from[i]) / (*b - *a);
    }
    return probe(it, *b, e->to);
}

// Change switches that no equation reads, without an end of the step.
static void change_idly(flx_integrator *it, const flx_state *at, flx_state *x)
{
    flx_method *m = flx_method_of(it);
    const flx_events *e = m->events;
    double *const all[] = {x->switches, m->after->switches, e->begin->switches,
                           m->before->switches};
    for (int i = 0; i < 4; i++) e->ops->change(it->sys, it->work, at, e->changed, all[i]);
}

// The state in the middle of the step by Hermite's polynomial, which is good enough for a look.
static flx_status glance(flx_integrator *it, const flx_state *x, double t, double *value)
{
    flx_method *m = flx_method_of(it);
    if (!(t < x->t)) return indicate(it, x, value);
    flx_hermite(it->sys, m->before, m->after, t, m->theta, m->rate, m->events->probe);
    return indicate(it, m->events->probe, value);
}

// Of the marked ones, those that are negative at a place, or the first to be.
static void narrow(flx_events *e, const double *value)
{
    int first = -1;
    (void)smallest(e, value, &first);
    for (int i = 0; i < e->n; i++) {
        e->changed[i] = i == first || (e->changed[i] && value[i] < -e->grace[i]);
    }
}

// What happens first between a, where e->from are the indicators, and b. *found: at *t, with what
// changes there marked and e->to the indicators. Idle changes are made.
static flx_status search(flx_integrator *it, flx_state *x, double a, double b, double *t,
                         bool *found)
{
    flx_method *m = flx_method_of(it);
    flx_events *e = m->events;
    double tolerance = e->repeats ? BRACKET * (x->t - m->before->t) : 4.0 * DBL_EPSILON * fabs(b);
    *found = false;
    for (int idle = 0; idle <= 2 * e->n; idle++) {
        FLX_TRY(glance(it, x, b, e->to));
        int count = mark(e, e->to);
        if (count > 0 && b < x->t) { // the method's own values decide
            FLX_TRY(probe(it, b, e->to));
            count = mark(e, e->to);
        }
        if (count == 0) return FLX_OK;
        const flx_state *far = b < x->t ? e->probe : x;
        if (count == 1 && e->ops->idle(it->sys, it->work, far, e->changed)) {
            change_idly(it, far, x); // at which moment does not matter
            continue;
        }
        *t = b;
        FLX_TRY(shorten(it, &a, t, tolerance));
        if (*t - m->before->t <= 2.0 * tolerance) { // a step so short must not be made in vain
            FLX_TRY(shorten(it, &a, t, 4.0 * DBL_EPSILON * fabs(*t)));
        }
        narrow(e, e->to);
        if (!e->ops->idle(it->sys, it->work, e->probe, e->changed)) {
            *found = true;
            return FLX_OK;
        }
        change_idly(it, e->probe, x);
        a = *t;
        FLX_TRY(probe(it, a, e->from));
    }
    return FLX_OK;
}

// ---- steps made again -----------------------------------------------------------------------

// From the beginning of the step to t. The step made before it does not count.
static flx_status step_again(flx_integrator *it, flx_state *x, double t, double *taken)
{
    flx_method *m = flx_method_of(it);
    double first = it->def.first_step, h = t - m->events->begin->t;
    flx_state_copy(x, m->events->begin);
    it->stats.steps--;
    it->stats.rejected++;
    it->def.first_step = h;
    flx_status status = flx_integrator_step(it, x, h, taken);
    it->def.first_step = first;
    return status;
}

// The step made again until it ends at the instant that is near t. *reached: whether a step of that
// length could be made.
static flx_status step_onto(flx_integrator *it, flx_state *x, double t, double *taken,
                            bool *reached)
{
    flx_events *e = flx_method_of(it)->events;
    double begin = e->begin->t, last_t = 0.0, last_g = HUGE_VAL, far = x->t;
    for (int k = 0; k < MOST_REPETITIONS; k++) {
        FLX_TRY(step_again(it, x, t, taken));
        *reached = fabs(x->t - t) <= fmax(1e-9 * (t - begin), 4.0 * DBL_EPSILON * fabs(t));
        if (!*reached) return FLX_OK;
        FLX_TRY(indicate(it, x, e->at));
        int which = -1;
        double g = smallest(e, e->at, &which);
        if (which < 0 || !(fabs(g) < fabs(last_g))) return FLX_OK; // rounding
        double slope = k == 0 ? e->slope[which] : (g - last_g) / (x->t - last_t);
        double to = x->t - g / slope;
        last_t = x->t;
        last_g = g;
        if (!(fabs(to - x->t) > 2.0 * DBL_EPSILON * fabs(to)) || !(to > begin) || !(to <= far)) {
            return FLX_OK;
        }
        t = to;
    }
    return FLX_OK;
}

// Which of the marked ones change here: all that are zero within rounding of the time, and the
// first of them in any case.
static void mark_here(flx_events *e, const flx_state *x, const double *value)
{
    int first = -1;
    (void)smallest(e, value, &first);
    for (int i = 0; i < e->n; i++) {
        double left = (value[i] + e->grace[i]) / fmax(fabs(e->slope[i]), DBL_MIN);
        e->changed[i] = i == first || (e->changed[i] && left <= 1e-12 * fabs(x->t));
    }
}

// How many looks a step needs: none where nothing changes, more where the indicators turn faster
// than the polynomial through the usual ones can follow.
static flx_status count_looks(flx_integrator *it, const flx_state *x, int *looks)
{
    static const double middle[LOOKS + 1] = {3.0 / 256,   -25.0 / 256, 150.0 / 256,
                                             150.0 / 256, -25.0 / 256, 3.0 / 256};
    flx_events *e = flx_method_of(it)->events;
    double begin = e->begin->t, h = x->t - begin;
    bool changed = false;
    for (int i = 0; i < e->n; i++) {
        e->course[i] = middle[0] * e->from[i];
        e->size[i] = fabs(e->from[i]);
    }
    for (int k = 1; k <= LOOKS; k++) {
        FLX_TRY(glance(it, x, k == LOOKS ? x->t : begin + h * k / LOOKS, e->to));
        changed = changed || mark(e, e->to) > 0;
        for (int i = 0; i < e->n; i++) {
            e->course[i] += middle[k] * e->to[i];
            e->size[i] = fmax(e->size[i], fabs(e->to[i]));
        }
    }
    FLX_TRY(glance(it, x, begin + 0.5 * h, e->to));
    *looks = changed || mark(e, e->to) > 0 ? LOOKS : 0;
    for (int i = 0; i < e->n; i++) {
        if (fabs(e->to[i] - e->course[i]) > UNRESOLVED * e->size[i]) *looks = MANY_LOOKS;
    }
    return FLX_OK;
}

// The first instant of the step that ends at x.
static flx_status find(flx_integrator *it, flx_state *x, double *t, bool *found)
{
    flx_events *e = flx_method_of(it)->events;
    double begin = e->begin->t, h = x->t - begin;
    int looks;
    *found = false;
    FLX_TRY(indicate(it, e->begin, e->from));
    for (int i = 0; i < e->n; i++) e->grace[i] = fmax(0.0, -GRACE * e->from[i]);
    FLX_TRY(count_looks(it, x, &looks));
    for (int k = 1; k <= looks; k++) {
        double a = begin + h * (k - 1) / looks, b = k == looks ? x->t : begin + h * k / looks;
        FLX_TRY(search(it, x, a, b, t, found));
        if (*found) break;
        memcpy(e->from, e->to, (size_t)e->n * sizeof *e->from);
        (void)forgive(e, e->from);
    }
    return FLX_OK;
}

static flx_status look(flx_integrator *it, flx_state *x, double *taken, bool *here)
{
    flx_method *m = flx_method_of(it);
    flx_events *e = m->events;
    *here = false;
    if (e->n == 0) return FLX_OK;
    flx_state_copy(e->begin, m->before);
    for (bool again = true; again;) {
        double begin = e->begin->t, end = x->t, t = begin;
        again = false;
        FLX_TRY(find(it, x, &t, here));
        if (!*here) return FLX_OK;
        if (t - begin <= fmax(BEGINNING * (end - begin), 4.0 * DBL_EPSILON * fabs(begin))) {
            flx_state_copy(x, e->begin);
            *taken = 0.0;
            it->stats.steps--;
            it->stats.rejected++;
            return FLX_OK;
        }
        if (e->repeats) {
            FLX_TRY(step_onto(it, x, t, taken, here));
            again = !*here; // not so far: look at what there is
            if (*here) mark_here(e, x, e->at);
        } else {
            flx_state_copy(x, e->probe);
            *taken = x->t - begin;
            mark_here(e, x, e->to);
        }
    }
    return FLX_OK;
}

flx_status flx_events_look(flx_integrator *it, flx_state *x, double *taken, bool *here)
{
    flx_status status = look(it, x, taken, here);
    flx_method_of(it)->events->located = status == FLX_OK && *here;
    return status;
}
