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
#define UNRESOLVED 0.02
// Where the step is made again, its interpolant brackets the instant to this part of the step.
#define BRACKET 1e-6
#define MOST_BISECTIONS 80
#define SHORTEST_FLIGHT 1e-10 // away from a border, as a part of a look, and of the run
// An indicator that is negative at the beginning of a step counts from so much of that.
#define GRACE 1.25
#define MOST_REPETITIONS 60
// Numbers so small have lost their digits.
#define NOTHING (DBL_MIN / DBL_EPSILON)
// An instant nearer to the step's beginning than this part of the step is at the beginning.
#define BEGINNING 1e-12
// Where something goes is seen after this part of the step; a step that is too long to show it is made
// again, so much shorter.
#define AHEAD 1e-6
#define MISSED 1e-7
#define SHORTER 0.1
// Between looks an indicator is looked at where it is least, if that is below this part of its range.
#define SHALLOW 0.05
#define MOST_GLANCES 6

// ---- indicators -----------------------------------------------------------------------------

static flx_status indicate(flx_integrator *it, const flx_state *x, double *value)
{
    const flx_events *e = flx_method_of(it)->events;
    flx_point p = flx_state_point(it->sys, x);
    return e->ops->indicate(it->sys, it->work, &p, value);
}

// The state inside the step, as the method gives it.
static flx_status probe_state(flx_integrator *it, double t)
{
    flx_method *m = flx_method_of(it);
    flx_state *to = m->events->probe;
    FLX_TRY(flx_integrator_interpolate(it, t, to));
    memcpy(to->switches, m->before->switches, (size_t)it->sys->dims.nswitch * sizeof(double));
    return FLX_OK;
}

// ... and the indicators there.
static flx_status probe(flx_integrator *it, double t, double *value)
{
    FLX_TRY(probe_state(it, t));
    return indicate(it, flx_method_of(it)->events->probe, value);
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
// begins where it is away; else what happens begins at a, *b = *a, and e->to is shortly after it.
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
    if (!(*a < *b)) return probe_state(it, *b);
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
    for (int i = 0; i < e->n; i++) e->slope[i] = (e->to[i] - e->from[i]) / (*b - *a);
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

// The state in the middle of the step, for a look: as the method gives it where that costs little. Where
// joints would have to be closed, Hermite's polynomial is good enough, unless the method is of first
// order: then its positions and velocities do not fit each other.
static flx_status glance(flx_integrator *it, const flx_state *x, double t, double *value)
{
    flx_method *m = flx_method_of(it);
    const flx_dims *d = &it->sys->dims;
    if (!(t < x->t)) return indicate(it, x, value);
    if (it->type->interpolate && (d->nlam + d->nmu == 0 || it->type->order == 1)) {
        return probe(it, t, value);
    }
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
        if (a < *t && *t - m->before->t <= 2.0 * tolerance) { // so short a step is not made in vain
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

// The next length to try: by the secant, or the middle of the bracket where that leads out of it, or
// has led nowhere.
static double next_try(double secant, double low, double high, bool stuck)
{
    if (!stuck && secant > low && secant < high) return secant;
    return isinf(high) ? secant : 0.5 * (low + high);
}

// The step made again until it ends at the instant that is near t. *reached: whether a step of that
// length could be made.
static flx_status step_onto(flx_integrator *it, flx_state *x, double t, double *taken,
                            bool *reached)
{
    flx_events *e = flx_method_of(it)->events;
    double begin = e->begin->t, last_t = 0.0, last_g = HUGE_VAL, far = x->t;
    double low = begin, high = HUGE_VAL, slope = 0.0;
    for (int k = 0; k < MOST_REPETITIONS; k++) {
        FLX_TRY(step_again(it, x, t, taken));
        *reached = fabs(x->t - t) <= fmax(1e-9 * (t - begin), 4.0 * DBL_EPSILON * fabs(t));
        if (!*reached) return FLX_OK;
        FLX_TRY(indicate(it, x, e->at));
        int which = -1;
        double g = smallest(e, e->at, &which);
        if (which < 0) return FLX_OK;
        *(g > 0.0 ? &low : &high) = x->t;
        bool stuck = !(fabs(g) < fabs(last_g));
        double rounding = fmax(4.0 * DBL_EPSILON * fabs(t), BEGINNING * (t - begin));
        if (stuck && !(high - low > rounding && !isinf(high))) return FLX_OK;
        slope = k == 0 ? e->slope[which] : (g - last_g) / (x->t - last_t);
        double to = next_try(x->t - g / slope, low, high, stuck);
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
        if (!e->changed[i] && value[i] < -fmax(e->grace[i], NOTHING)) return true;
    }
    return false;
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

// ---- looks ----------------------------------------------------------------------------------

static double time_of_look(const flx_events *e, const flx_state *x, int k)
{
    double begin = e->begin->t;
    return k == e->nlook ? x->t : begin + (x->t - begin) * k / e->nlook;
}

// Indicators at equal parts of the step, from its beginning, where they are e->from.
static flx_status sample(flx_integrator *it, const flx_state *x, int looks)
{
    flx_events *e = flx_method_of(it)->events;
    e->nlook = looks;
    memcpy(e->looks, e->from, (size_t)e->n * sizeof *e->from);
    for (int k = 1; k <= looks; k++) {
        FLX_TRY(glance(it, x, time_of_look(e, x, k), e->looks + (size_t)k * (size_t)e->n));
    }
    for (int i = 0; i < e->n; i++) {
        e->range[i] = 0.0;
        for (int k = 0; k <= looks; k++) {
            e->range[i] = fmax(e->range[i], fabs(e->looks[(size_t)k * (size_t)e->n + (size_t)i]));
        }
        if (isfinite(e->range[i])) e->size[i] = fmax(e->size[i], e->range[i]);
    }
    return FLX_OK;
}

// Whether the polynomial through the usual looks is right in the middle between two of them.
static flx_status is_resolved(flx_integrator *it, const flx_state *x, bool *resolved)
{
    static const double middle[LOOKS + 1] = {3.0 / 256,   -25.0 / 256, 150.0 / 256,
                                             150.0 / 256, -25.0 / 256, 3.0 / 256};
    flx_events *e = flx_method_of(it)->events;
    double begin = e->begin->t;
    *resolved = true;
    FLX_TRY(glance(it, x, begin + 0.5 * (x->t - begin), e->to));
    for (int i = 0; i < e->n; i++) {
        double course = 0.0;
        for (int k = 0; k <= LOOKS; k++) {
            course += middle[k] * e->looks[(size_t)k * (size_t)e->n + (size_t)i];
        }
        if (fabs(e->to[i] - course) > UNRESOLVED * e->range[i]) *resolved = false;
    }
    return FLX_OK;
}

// Three places and the values of an indicator there, the middle one the least or nearly so.
typedef struct valley {
    double t[3], v[3];
} valley;

// Where the parabola through them is least, and what it is there; NaN: it has no least value.
static double lowest(const valley *p, double *value)
{
    double a = p->t[0] - p->t[1], b = p->t[2] - p->t[1];
    double va = (p->v[0] - p->v[1]) / a, vb = (p->v[2] - p->v[1]) / b;
    double curve = (vb - va) / (b - a), slope = va - curve * a;
    double u = -0.5 * slope / curve;
    *value = p->v[1] + 0.5 * slope * u;
    return curve > 0.0 ? p->t[1] + u : (double)NAN;
}

static void move_into(valley *p, double t, double v)
{
    int left = t < p->t[1], better = v < p->v[1];
    // the place that drops out: the far end, or the end on this side
    int end = left == better ? 2 : 0;
    if (better) {
        p->t[end] = p->t[1];
        p->v[end] = p->v[1];
        p->t[1] = t;
        p->v[1] = v;
    } else {
        p->t[end] = t;
        p->v[end] = v;
    }
}

// Follow indicator i down to where it is least. *found: it is negative at *t.
static flx_status descend(flx_integrator *it, const flx_state *x, int i, valley p, double *t,
                          bool *found)
{
    flx_events *e = flx_method_of(it)->events;
    double least;
    *found = false;
    for (int k = 0; k < MOST_GLANCES; k++) {
        *t = lowest(&p, &least);
        if (!(*t > p.t[0] && *t < p.t[2]) || *t == p.t[1]) return FLX_OK;
        if (!(least <= SHALLOW * e->range[i])) return FLX_OK;
        FLX_TRY(glance(it, x, *t, e->to));
        *found = e->to[i] < -fmax(e->grace[i], NOTHING);
        if (*found) return FLX_OK;
        move_into(&p, *t, e->to[i]);
    }
    return FLX_OK;
}

static void insert(double t, int *count, double *times)
{
    if (*count == FLX_MOST_DIPS) return;
    int k = (*count)++;
    for (; k > 0 && times[k - 1] > t; k--) times[k] = times[k - 1];
    times[k] = t;
}

// Where indicators become negative between two looks at which they are not: times, ascending.
static flx_status list_dips(flx_integrator *it, const flx_state *x)
{
    flx_events *e = flx_method_of(it)->events;
    size_t n = (size_t)e->n;
    e->ndip = 0;
    for (int k = 1; k < e->nlook; k++) {
        for (int i = 0; i < e->n; i++) {
            const double *v = e->looks + (size_t)(k - 1) * n + (size_t)i;
            double t, least;
            bool found;
            if (!(v[0] >= 0.0 && v[n] >= 0.0 && v[2 * n] >= 0.0) || isinf(v[0])) continue;
            valley p = {{time_of_look(e, x, k - 1), time_of_look(e, x, k), time_of_look(e, x, k + 1)},
                        {v[0], v[n], v[2 * n]}};
            t = lowest(&p, &least);
            if (!(t > p.t[0] && t < p.t[2]) || !(least <= SHALLOW * e->range[i])) continue;
            FLX_TRY(descend(it, x, i, p, &t, &found));
            if (found) insert(t, &e->ndip, e->dips);
        }
    }
    return FLX_OK;
}

// The first instant of the step that ends at x.
static flx_status find(flx_integrator *it, flx_state *x, double *t, bool *found)
{
    flx_events *e = flx_method_of(it)->events;
    bool resolved, any = false;
    int dip = 0;
    *found = false;
    FLX_TRY(indicate(it, e->begin, e->from));
    for (int i = 0; i < e->n; i++) e->grace[i] = fmax(0.0, -GRACE * e->from[i]);
    FLX_TRY(sample(it, x, LOOKS));
    FLX_TRY(is_resolved(it, x, &resolved));
    any = mark(e, e->to) > 0;
    if (!resolved) FLX_TRY(sample(it, x, FLX_MANY_LOOKS));
    for (int k = 1; k <= e->nlook && !any; k++) {
        any = mark(e, e->looks + (size_t)k * (size_t)e->n) > 0;
    }
    FLX_TRY(list_dips(it, x));
    if (!any && e->ndip == 0) return FLX_OK;
    double a = e->begin->t;
    for (int k = 1; k <= e->nlook;) {
        double b = time_of_look(e, x, k);
        bool at_dip = dip < e->ndip && e->dips[dip] < b;
        if (at_dip) b = e->dips[dip];
        if (b > a) FLX_TRY(search(it, x, a, b, t, found));
        if (*found) break;
        if (b > a) memcpy(e->from, e->to, (size_t)e->n * sizeof *e->from);
        (void)forgive(e, e->from);
        a = b;
        if (at_dip) {
            dip++;
        } else {
            k++;
        }
    }
    return FLX_OK;
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
    FLX_TRY(indicate(it, x, e->from));
    flx_state_copy(to, x);
    for (int i = 0; i < s->dims.nv; i++) m->theta[i] = dt * x->v[i];
    s->ops->retract(s, x->q, m->theta, to->q);
    for (int i = 0; i < s->dims.nv; i++) to->v[i] += dt * x->a[i];
    for (int i = 0; i < s->dims.nx; i++) to->x[i] += dt * x->dx[i];
    to->t += dt;
    FLX_TRY(indicate(it, to, e->at));
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
    return h > fmax(SHORTEST_FLIGHT * m->span, 64.0 * DBL_EPSILON * fabs(t));
}

static bool was_tried(const flx_integrator *it, const flx_events *e, const double *switches)
{
    size_t n = (size_t)it->sys->dims.nswitch;
    for (int k = 0; k < e->ntried; k++) {
        if (memcmp(e->tried + (size_t)k * n, switches, n * sizeof *switches) == 0) return true;
    }
    return false;
}

// The switches as they are at x lead back to it at once. All that are marked change, unless that was
// tried: then one alone, whose change was not.
static void choose_way(flx_integrator *it, const flx_state *x)
{
    flx_events *e = flx_method_of(it)->events;
    size_t n = (size_t)it->sys->dims.nswitch;
    double *then = e->probe->switches;
    if (e->ntried < FLX_MOST_TRIES) {
        memcpy(e->tried + (size_t)e->ntried++ * n, x->switches, n * sizeof(double));
    } else {
        e->cycled = true;
    }
    memcpy(then, x->switches, n * sizeof(double));
    e->ops->change(it->sys, it->work, x, e->changed, then);
    if (!was_tried(it, e, then)) return;
    for (int i = 0; i < e->n; i++) {
        if (!e->changed[i]) continue;
        memset(e->alone, 0, (size_t)e->n);
        e->alone[i] = 1;
        memcpy(then, x->switches, n * sizeof(double));
        e->ops->change(it->sys, it->work, x, e->alone, then);
        if (was_tried(it, e, then)) continue;
        memcpy(e->changed, e->alone, (size_t)e->n);
        return;
    }
    e->cycled = true;
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
    flx_state_copy(x, e->begin);
    *taken = 0.0;
    it->stats.steps--;
    it->stats.rejected++;
    choose_way(it, x);
    return FLX_OK;
}

// Whether no length of the step ends where something marked changes, for it is too long: what is marked
// at its end is off its border.
static bool is_missed(const flx_events *e)
{
    for (int i = 0; i < e->n; i++) {
        if (e->changed[i] && fabs(e->from[i]) > MISSED * e->size[i]) return true;
    }
    return false;
}

// The step ends at the instant near t. *again: it does not, and what there is of it is to be looked at.
static flx_status end_here(flx_integrator *it, flx_state *x, double t, double *taken, bool *again)
{
    flx_events *e = flx_method_of(it)->events;
    bool reached = true;
    if (e->repeats) {
        FLX_TRY(step_onto(it, x, t, taken, &reached));
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
    *again = (e->doubtful || is_missed(e)) && can_be_shorter(it, t);
    return *again ? step_again(it, x, t, taken) : FLX_OK;
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
        FLX_TRY(find(it, x, &t, here));
        if (!*here) break;
        if (t - begin <= fmax(BEGINNING * (end - begin), 4.0 * DBL_EPSILON * fabs(begin))) {
            FLX_TRY(begin_here(it, x, tries++, taken, &again));
            if (!again) return FLX_OK;
        } else {
            FLX_TRY(end_here(it, x, t, taken, &again));
        }
    }
    e->ntried = 0;
    e->cycled = false;
    return FLX_OK;
}

flx_status flx_events_look(flx_integrator *it, flx_state *x, double *taken, bool *here)
{
    flx_status status = look(it, x, taken, here);
    flx_method_of(it)->events->located = status == FLX_OK && *here;
    return status;
}
