// events_find.c - instants found and located in the steps of any method.
//
// A step is made with frozen switches, so it sees smooth functions also beyond an instant. Then the
// indicators v_i (EVE-2) are looked at inside the step and at its end. Where one has become
// negative, the first zero of
//     G(t) = min_i v_i(t),  over those that are negative at the far end                 (EVE-3)
// is bracketed on the method's interpolant, and the step is made again up to there (events_step.c).
#include "integrate/events/events_parts.h"

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
// An indicator that is negative at the beginning of a step counts from so much of that.
#define GRACE 1.25
// Rounding of indicators is what changes them where positions and velocities change by this part, in so many ways; it is
// no more than a part of what their values have been.
#define LAST_DIGITS (4.0 * DBL_EPSILON)
#define WAYS 3
#define MOST_NOISE 1e-9
// Between looks an indicator is looked at where it is least, if that is below this part of its range.
#define SHALLOW 0.05
#define DEPTH 1e-9 // below zero; less is the interpolant's
#define MOST_GLANCES 6
// Multipliers and accelerations of steps shorter than this part of the run are rounding, divided by the
// step or its square: they tell no size.
#define TELLING 1e-7
#define PARTS 8 // of an interval, at which the polynomial through the looks is seen for that

// ---- indicators -----------------------------------------------------------------------------

// Where indicators may read multipliers and accelerations that a method carries, they are those of the
// equations at x: after very short steps the carried ones are rounding, divided by the square of the step.
flx_status flx_events_indicate(flx_integrator *it, const flx_state *x, double *value)
{
    flx_events *e = flx_method_of(it)->events;
    bool settle = e->settled && (e->reads || flx_contacts_read_forces(e->contacts, x->switches));
    if (settle) {
        flx_state_copy(e->settled, x);
        flx_status status = flx_accelerator_eval(e->acc, it->work, e->settled, &it->stats.residuals,
                                                 &it->stats.linearisations);
        if (status < FLX_OK) return status;
        if (status == FLX_OK) x = e->settled;
    }
    flx_point p = flx_state_point(it->sys, x);
    if (e->ops) FLX_TRY(e->ops->indicate(it->sys, it->work, &p, value));
    return e->contacts ? flx_contacts_indicate(it, x, value + e->nown) : FLX_OK;
}

bool flx_events_idle(flx_integrator *it, const flx_state *x)
{
    const flx_events *e = flx_method_of(it)->events;
    for (int i = e->nown; i < e->n; i++) {
        if (e->changed[i]) return false;
    }
    return e->ops && e->ops->idle(it->sys, it->work, x, e->changed);
}

// Switches as looks have found them up to here; those of the step, which its equations read, stay.
static void look_with_present(flx_integrator *it, flx_state *to)
{
    const flx_state *begin = flx_method_of(it)->events->begin;
    memcpy(to->switches, begin->switches, (size_t)it->sys->dims.nswitch * sizeof(double));
}

// The state inside the step, as the method gives it.
static flx_status probe_state(flx_integrator *it, double t)
{
    flx_method *m = flx_method_of(it);
    flx_state *to = m->events->probe;
    FLX_TRY(flx_integrator_interpolate(it, t, to));
    look_with_present(it, to);
    return FLX_OK;
}

// ... and the indicators there.
static flx_status probe(flx_integrator *it, double t, double *value)
{
    FLX_TRY(probe_state(it, t));
    return flx_events_indicate(it, flx_method_of(it)->events->probe, value);
}

// Mark those that are negative; what was so at the beginning of the step is rounding, until it is
// more, or until it has been positive.
static int mark(flx_events *e, const double *value)
{
    int count = 0;
    for (int i = 0; i < e->n; i++) {
        e->changed[i] = value[i] < -fmax(e->grace[i], FLX_NOTHING);
        count += e->changed[i];
    }
    return count;
}

// (EVE-3) over those that are marked
double flx_events_smallest(const flx_events *e, const double *value, int *which)
{
    double g = HUGE_VAL;
    for (int i = 0; i < e->n; i++) {
        if (!e->changed[i] || !(value[i] + e->grace[i] < g)) continue;
        g = value[i] + e->grace[i];
        if (which) *which = i;
    }
    return g;
}

// Rounding of an indicator: of one that begins on its border, of a gap that has just opened, or not closed.
static double noise_of(const flx_events *e, int i)
{
    return i < e->nown ? e->noise[i] : flx_contacts_noise(e->contacts, e->begin, i - e->nown);
}

static double last_digits(int i, int way)
{
    return ((i * (way + 1) + way) % 3 - 1) * LAST_DIGITS;
}

// The state at the beginning of the step, with other last digits.
static void change_last_digits(flx_integrator *it, int way, flx_state *to)
{
    const flx_system *s = it->sys;
    flx_method *m = flx_method_of(it);
    flx_state_copy(to, m->events->begin);
    for (int i = 0; i < s->dims.nq; i++) to->q[i] += last_digits(i, way) * to->q[i];
    for (int i = 0; i < s->dims.nv; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        m->theta[i] = last_digits(i + 1, way) * u.scale;
        to->v[i] += last_digits(i + 2, way) * to->v[i];
    }
    s->ops->retract(s, to->q, m->theta, to->q);
    for (int i = 0; i < s->dims.nx; i++) to->x[i] += last_digits(i, way) * to->x[i];
}

// Rounding of those that begin on their border, or nearly: what is no more has not crossed it.
static flx_status listen(flx_integrator *it)
{
    flx_events *e = flx_method_of(it)->events;
    bool any = false;
    memset(e->noise, 0, (size_t)e->nown * sizeof *e->noise);
    for (int i = 0; i < e->nown; i++) any = any || fabs(e->from[i]) <= MOST_NOISE * e->size[i];
    for (int way = 0; way < WAYS && any; way++) {
        change_last_digits(it, way, e->probe);
        FLX_TRY(flx_events_indicate(it, e->probe, e->at));
        for (int i = 0; i < e->nown; i++) {
            double change = fabs(e->at[i] - e->from[i]); // NaN of those that are none
            e->noise[i] = fmin(fmax(e->noise[i], change), MOST_NOISE * e->size[i]);
        }
    }
    return FLX_OK;
}

// What is positive was not wrong before: nothing is left to forgive. Whether there was.
static bool forgive(flx_events *e, const double *value)
{
    bool any = false;
    for (int i = 0; i < e->n; i++) {
        if (!(value[i] >= noise_of(e, i)) || e->grace[i] == 0.0) continue;
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
    for (double part = 0.1; part > FLX_SHORTEST_FLIGHT; part *= 0.1) {
        double t = begin + part * length;
        FLX_TRY(probe(it, t, e->at));
        double g = flx_events_smallest(e, e->at, NULL), **end = g > 0.0 ? &e->from : &e->to;
        swap = *end;
        *end = e->at;
        e->at = swap;
        *(g > 0.0 ? a : b) = t;
        if (!(g > 0.0)) continue;
        (void)forgive(e, e->from);
        *ga = flx_events_smallest(e, e->from, NULL);
        *gb = flx_events_smallest(e, e->to, NULL);
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
    double ga = flx_events_smallest(e, e->from, NULL), gb = flx_events_smallest(e, e->to, NULL),
           *swap;
    int side = 0;
    if (!(ga > 0.0)) FLX_TRY(leave_border(it, a, b, &ga, &gb));
    if (!(*a < *b)) return probe_state(it, *b);
    for (int k = 0; k < MOST_BISECTIONS && tolerance < *b - *a; k++) {
        double c = k % 4 == 3 ? 0.5 * (*a + *b) : *b - gb * (*b - *a) / (gb - ga);
        c = fmin(fmax(c, *a + 0.25 * tolerance), *b - 0.25 * tolerance);
        FLX_TRY(probe(it, c, e->at));
        double g = flx_events_smallest(e, e->at, NULL);
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
                ga = flx_events_smallest(e, e->from, NULL);
                gb = flx_events_smallest(e, e->to, NULL);
                side = 0;
            }
        }
    }
    for (int i = 0; i < e->n; i++) e->slope[i] = (e->to[i] - e->from[i]) / (*b - *a);
    return probe(it, *b, e->to);
}

// Change switches without an end of the step. The step was made with those before: a contact that opens in it pressed until
// then, and what is found inside the step must see that.
static void change_idly(flx_integrator *it, const flx_state *at, flx_state *x)
{
    flx_method *m = flx_method_of(it);
    const flx_events *e = m->events;
    double *const all[] = {x->switches, m->after->switches, e->begin->switches};
    for (int i = 0; i < 3; i++) e->ops->change(it->sys, it->work, at, e->changed, all[i]);
}

// The state in the middle of the step, for a look: as the method gives it where that costs little. Where
// joints would have to be closed, Hermite's polynomial is good enough, unless the method is of first
// order: then its positions and velocities do not fit each other.
static flx_status glance(flx_integrator *it, const flx_state *x, double t, double *value)
{
    flx_method *m = flx_method_of(it);
    const flx_dims *d = &it->sys->dims;
    if (!(t < x->t)) return flx_events_indicate(it, x, value);
    if (it->type->interpolate && (d->nlam + d->nmu == 0 || it->type->order == 1)) {
        return probe(it, t, value);
    }
    flx_hermite(it->sys, m->before, m->after, t, m->theta, m->rate, m->events->probe);
    look_with_present(it, m->events->probe);
    return flx_events_indicate(it, m->events->probe, value);
}

// Of the marked ones, those that are negative at a place, or the first to be.
static void narrow(flx_events *e, const double *value)
{
    int first = -1;
    (void)flx_events_smallest(e, value, &first);
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
        if (count == 1 && flx_events_idle(it, far)) {
            change_idly(it, far, x); // at which moment does not matter
            continue;
        }
        *t = b;
        FLX_TRY(shorten(it, &a, t, tolerance));
        if (a < *t && *t - m->before->t <= 2.0 * tolerance) { // so short a step is not made in vain
            FLX_TRY(shorten(it, &a, t, 4.0 * DBL_EPSILON * fabs(*t)));
        }
        narrow(e, e->to);
        if (!flx_events_idle(it, e->probe)) {
            *found = true;
            return FLX_OK;
        }
        change_idly(it, e->probe, x);
        a = *t;
        FLX_TRY(probe(it, a, e->from));
    }
    return FLX_OK;
}

// ---- looks ----------------------------------------------------------------------------------

static double time_of_look(const flx_events *e, const flx_state *x, int k)
{
    double begin = e->begin->t;
    return k == e->nlook ? x->t : begin + (x->t - begin) * k / e->nlook;
}

bool flx_events_tell_size(flx_integrator *it, double h)
{
    const flx_method *m = flx_method_of(it);
    return !m->events->sized || h > TELLING * m->span;
}

// The sizes that the indicators have had, up to the end of the step at x. Those of the first steps, if
// they are short, count until there are others.
static void measure(flx_integrator *it, const flx_state *x)
{
    const flx_method *m = flx_method_of(it);
    flx_events *e = m->events;
    double h = x->t - e->begin->t;
    if (!flx_events_tell_size(it, h)) return;
    bool anew = !e->sized && h > TELLING * m->span;
    e->sized = e->sized || anew;
    for (int i = 0; i < e->n; i++) {
        if (isfinite(e->range[i])) e->size[i] = fmax(anew ? 0.0 : e->size[i], e->range[i]);
    }
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
    }
    measure(it, x);
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
        // what the course is in the middle is a guess to begin with
        if (!(*t > p.t[0] && *t < p.t[2]) || (k > 0 && *t == p.t[1])) return FLX_OK;
        if (!(least <= SHALLOW * e->range[i])) return FLX_OK;
        FLX_TRY(glance(it, x, *t, e->to));
        *found = e->to[i] < -fmax(e->grace[i], DEPTH * e->range[i]);
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

// The polynomial through the usual looks of one indicator, at a place from 0 to LOOKS.
static double polynomial(const double *v, size_t stride, double place)
{
    double sum = 0.0;
    for (int k = 0; k <= LOOKS; k++) {
        double part = v[(size_t)k * stride];
        for (int j = 0; j <= LOOKS; j++) {
            if (j != k) part *= (place - j) / (k - j);
        }
        sum += part;
    }
    return sum;
}

// The course of an indicator between looks, for a first guess: at `parts` places from look to look.
static int trace(const flx_events *e, int i, double *out)
{
    const double *v = e->looks + i;
    size_t n = (size_t)e->n;
    int parts = e->nlook == LOOKS ? PARTS : 1, count = parts * e->nlook;
    for (int j = 0; j <= count; j++) {
        out[j] = j % parts == 0 ? v[(size_t)(j / parts) * n] : polynomial(v, n, (double)j / parts);
    }
    return count;
}

// Where indicators become negative between two looks at which they are not: times, ascending.
static flx_status list_dips(flx_integrator *it, const flx_state *x)
{
    flx_events *e = flx_method_of(it)->events;
    double course[FLX_MANY_LOOKS + 1], begin = e->begin->t;
    e->ndip = 0;
    for (int i = 0; i < e->n; i++) {
        if (!isfinite(e->range[i]) || e->range[i] == 0.0) continue;
        int count = trace(e, i, course);
        double part = (x->t - begin) / count;
        // what begins on its border leaves it as the interpolant can tell, at the first look
        int first = course[0] <= DEPTH * e->range[i] ? count / e->nlook + 1 : 1;
        for (int j = first; j < count; j++) {
            const double *v = course + j;
            // at the ends also what is least beyond the middle of three
            bool least = v[0] <= v[-1] && v[0] <= v[1], end = j == 1 || j == count - 1;
            if ((!least && !end) || !(v[0] <= SHALLOW * e->range[i] || end)) continue;
            valley p = {{begin + part * (j - 1), begin + part * j, begin + part * (j + 1)},
                        {v[-1], v[0], v[1]}};
            double t;
            bool found;
            FLX_TRY(descend(it, x, i, p, &t, &found));
            if (found) insert(t, &e->ndip, e->dips);
        }
    }
    return FLX_OK;
}

// The first instant of the step that ends at x.
flx_status flx_events_find(flx_integrator *it, flx_state *x, double *t, bool *found)
{
    flx_events *e = flx_method_of(it)->events;
    bool resolved, any = false;
    int dip = 0;
    *found = false;
    FLX_TRY(flx_events_indicate(it, e->begin, e->from));
    FLX_TRY(sample(it, x, LOOKS));
    FLX_TRY(listen(it));
    for (int i = 0; i < e->n; i++) {
        double noise = noise_of(e, i);
        e->behind[i] = e->from[i] < 0.0;
        e->grace[i] = fmax(e->from[i] < noise ? noise : 0.0, -GRACE * e->from[i]);
    }
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
