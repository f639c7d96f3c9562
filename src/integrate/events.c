// events.c - instants in the steps of any method.
//
// A step is made with frozen switches, so it sees smooth functions also beyond an instant. Then the
// indicators v_i (EVE-2) are looked at inside the step and at its end. Where one has become
// negative, the first zero of
//     G(t) = min_i v_i(t),  over those that are negative at the far end                 (EVE-3)
// is bracketed on the method's interpolant, and the step is made again up to there. The end of that
// step is a function of its length h, and so is G: secant steps on h make G(h) = 0 to rounding. So
// the instant has the accuracy of the method, whatever its interpolant has.
//
// At the instant switches change and events happen. Where velocities were set, the least impulse
// that the bonds allow meets them:
//     [M G^T Y^T; G; Y] (dv, ., .) = (0, -(G v + g_t), y - Y v)                          (EVE-4)
// Accelerations and multipliers follow, and the method begins anew.
#include "integrate/events.h"

#include "integrate/accelerate.h"
#include "integrate/linear.h"
#include "integrate/relax.h"
#include "integrate/saddle.h"
#include "math/dense.h"

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
// Instants of one switch or event in a row that are nearer to each other than this part of the run,
// and come nearer, or are one: so many end it.
#define CLOSE 1e-9
#define NO_TIME 1e-13
#define SHORTER 0.99
#define MOST_CLOSE 3
// Rows of bonds and their rates that an instant moves by more than this part of their scale.
#define MOVED 1e-9

typedef struct repeat { // of one indicator or event
    double last, interval;
    int close;
} repeat;

struct flx_events {
    const flx_instants *ops; // borrowed from the system
    int n, nevent, nrow;
    bool repeats;                   // steps are made again up to an instant
    double *at, *from, *to, *grace; // (n) indicators
    double *slope, *course, *size;  // (n) of them, about
    signed char *changed;           // (n)
    bool located;                   // they change at the end of the last step
    flx_state *begin, *probe, *prior;
    repeat *history; // (n + nevent)
    flx_happening what;
    // velocities and accelerations
    flx_accelerator *acc;
    flx_relaxer *relaxer; // where the masses do not determine them; NULL: not yet
    flx_saddle *saddle;
    flx_blocks blocks;
    double *r, *d, *rows, *rows_before; // (unknowns)
    double *Z, *S, *rhs;                // (nrow x nv) (nrow x nrow) (nrow)
    int *pivot;                         // (nrow)
};

// ---- life -----------------------------------------------------------------------------------

void flx_events_destroy(flx_events **events)
{
    flx_events *e = *events;
    if (!e) return;
    double *const numbers[] = {
        e->course, e->size, e->at,          e->from, e->to, e->grace, e->slope,  e->r,
        e->d,      e->rows, e->rows_before, e->Z,    e->S,  e->rhs,   e->what.Y, e->what.value};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) flx_free(numbers[i]);
    flx_free(e->changed);
    flx_free(e->history);
    flx_free(e->pivot);
    flx_free(e->what.events);
    flx_state_destroy(&e->begin);
    flx_state_destroy(&e->probe);
    flx_state_destroy(&e->prior);
    flx_accelerator_destroy(&e->acc);
    flx_relaxer_destroy(&e->relaxer);
    flx_saddle_destroy(&e->saddle);
    flx_blocks_destroy(&e->blocks);
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
    } want[] = {{&e->course, n},
                {&e->size, n},
                {&e->at, n},
                {&e->from, n},
                {&e->to, n},
                {&e->grace, n},
                {&e->slope, n},
                {&e->r, unknowns},
                {&e->d, unknowns},
                {&e->rows, unknowns},
                {&e->rows_before, unknowns},
                {&e->Z, m * nv},
                {&e->S, m * m},
                {&e->rhs, m},
                {&e->what.Y, m * nv},
                {&e->what.value, m}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        *want[i].at = flx_alloc(s->ctx, want[i].n, sizeof(double));
        if (!*want[i].at) return FLX_ERR_MEMORY;
    }
    size_t most = FLX_MOST_HAPPENINGS * (size_t)e->nevent;
    e->changed = flx_alloc(s->ctx, n, 1);
    e->history = flx_alloc(s->ctx, n + (size_t)e->nevent, sizeof *e->history);
    e->pivot = flx_alloc(s->ctx, m, sizeof *e->pivot);
    e->what.events = flx_alloc(s->ctx, most, sizeof *e->what.events);
    if (!e->changed || !e->history || !e->pivot || !e->what.events) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < n + (size_t)e->nevent; i++) e->history[i].last = -HUGE_VAL;
    FLX_TRY(flx_state_create(s, &e->begin));
    FLX_TRY(flx_state_create(s, &e->probe));
    FLX_TRY(flx_state_create(s, &e->prior));
    FLX_TRY(flx_accelerator_create(s, &e->acc));
    FLX_TRY(flx_saddle_create(s, &e->saddle));
    FLX_TRY(flx_blocks_create(s, &e->blocks));
    return expect_missing_masses(it, e);
}

flx_status flx_events_create(flx_integrator *it, flx_events **events)
{
    const flx_instants *ops = it->sys->ops->instants;
    *events = NULL;
    if (!ops || ops->indicators(it->sys) + ops->events(it->sys) == 0) return FLX_OK;
    flx_events *e = flx_alloc(it->ctx, 1, sizeof *e);
    if (!e) return FLX_ERR_MEMORY;
    e->ops = ops;
    e->n = ops->indicators(it->sys);
    e->nevent = ops->events(it->sys);
    e->nrow = ops->rows(it->sys);
    flx_coefficients c = {0};
    bool known = it->type->coefficients && it->type->coefficients(&it->def, &c);
    e->repeats = !(known && c.scheme == FLX_SCHEME_MULTISTEP);
    flx_status status = make(it, e);
    if (status != FLX_OK) flx_events_destroy(&e);
    *events = e;
    return status;
}

double flx_events_next(flx_integrator *it, const flx_state *x)
{
    const flx_events *e = flx_method_of(it)->events;
    return e->ops->next(it->sys, it->work, x);
}

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
    for (int k = 0; k<MOST_BISECTIONS && * b - *a> tolerance; k++) {
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
    for (int i = 0; i<e->n && * b> * a; i++) e->slope[i] = (e->to[i] - e->from[i]) / (*b - *a);
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

// ---- consistency ----------------------------------------------------------------------------

static int first_bond(const flx_system *s)
{
    return s->dims.nv + s->dims.nx + s->dims.nw;
}

// Rows of the bonds without compliance at x: positions into r, their rates into `rates`.
static flx_status find_rows(flx_integrator *it, const flx_state *x, double *rates)
{
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    flx_events *e = flx_method_of(it)->events;
    int first = first_bond(s), n = flx_dims_unknowns(d);
    flx_state_copy(e->probe, x);
    memset(e->probe->lam, 0, (size_t)d->nlam * sizeof(double));
    memset(e->probe->mu, 0, (size_t)d->nmu * sizeof(double));
    flx_point p = flx_state_point(s, e->probe);
    FLX_TRY(s->ops->residual(s, it->work, &p, e->r));
    memset(rates, 0, (size_t)n * sizeof *rates);
    if (d->nlam > 0) FLX_TRY(s->ops->bond_rate(s, it->work, &p, rates + first));
    for (int i = first; i < n; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        bool bond = u.kind == FLX_UNKNOWN_BOND;
        if (!bond) rates[i] = u.E == 0.0 ? e->r[i] : 0.0;
        if (bond && u.C != 0.0) e->r[i] = rates[i] = 0.0;
        if (bond && u.tau != 0.0 && u.C == 0.0) rates[i] = e->r[i] / u.tau;
        if (!bond || u.tau != 0.0) e->r[i] = 0.0;
    }
    return FLX_OK;
}

// A position cannot jump off the bonds.
static flx_status check_positions(flx_integrator *it, const flx_state *x, const double *rows)
{
    const flx_system *s = it->sys;
    const flx_events *e = flx_method_of(it)->events;
    for (int i = first_bond(s); i < first_bond(s) + s->dims.nlam; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        if (fabs(e->r[i] - rows[i]) <= MOVED * u.scale) continue;
        return FLX_FAIL(it->ctx, FLX_INCONSISTENT, e->what.loc,
                        "'%s' at t = %.9g moves the positions off '%s' (%s) by %.3g: a position "
                        "cannot jump; set velocities, or let the motion run smoothly",
                        e->what.item ? e->what.item : "?", x->t, u.item ? u.item : "?",
                        u.part ? u.part : "?", e->r[i] - rows[i]);
    }
    return FLX_OK;
}

// What no impulse moves, as a part of what others do, and which misfit of it is rounding.
#define HELD 1e-13
#define MET 1e-10

// Velocities that the joints hold where they are set need no impulse.
static void leave_out_held(int m, double *S, double *rhs, const double *value)
{
    double most = 0.0, size = 1.0;
    for (int k = 0; k < m; k++) {
        most = fmax(most, fabs(S[k * m + k]));
        size = fmax(size, fabs(value[k]));
    }
    for (int k = 0; k < m; k++) {
        if (fabs(S[k * m + k]) > HELD * most || !(fabs(rhs[k]) <= MET * size)) continue;
        for (int j = 0; j < m; j++) S[k * m + j] = S[j * m + k] = j == k ? 1.0 : 0.0;
        rhs[k] = 0.0;
    }
}

// The multipliers of the velocities set: S = Y Z, Z = M^-1 Y^T on the bonds.
static flx_status meet_rows(flx_integrator *it, flx_state *x)
{
    const flx_system *s = it->sys;
    flx_events *e = flx_method_of(it)->events;
    int nv = s->dims.nv, n = flx_dims_unknowns(&s->dims), m = e->what.nrow;
    for (int k = 0; k < m; k++) {
        memset(e->d, 0, (size_t)n * sizeof *e->d);
        memcpy(e->d, e->what.Y + (size_t)k * (size_t)nv, (size_t)nv * sizeof *e->d);
        flx_saddle_solve(e->saddle, e->d);
        memcpy(e->Z + (size_t)k * (size_t)nv, e->d, (size_t)nv * sizeof *e->d);
    }
    for (int k = 0; k < m; k++) {
        const double *Y = e->what.Y + (size_t)k * (size_t)nv;
        e->rhs[k] = e->what.value[k];
        for (int i = 0; i < nv; i++) e->rhs[k] -= Y[i] * x->v[i];
        for (int j = 0; j < m; j++) {
            const double *Z = e->Z + (size_t)j * (size_t)nv;
            double sum = 0.0;
            for (int i = 0; i < nv; i++) sum += Y[i] * Z[i];
            e->S[k * m + j] = sum;
        }
    }
    leave_out_held(m, e->S, e->rhs, e->what.value);
    bool good = flx_dense_lu(m, e->S, e->pivot);
    if (good) flx_dense_lu_solve(m, e->S, e->pivot, e->rhs);
    for (int k = 0; k < m && good; k++) {
        for (int i = 0; i < nv; i++) x->v[i] += e->rhs[k] * e->Z[(size_t)k * (size_t)nv + i];
    }
    for (int i = 0; i < nv; i++) good = good && isfinite(x->v[i]);
    if (good) return FLX_OK;
    return FLX_FAIL(it->ctx, FLX_INCONSISTENT, e->what.loc,
                    "event '%s' at t = %.9g: no impulse gives the velocities that it sets; the "
                    "joints hold them, or two of them are the same",
                    e->what.item ? e->what.item : "?", x->t);
}

// (EVE-4); the second round removes rounding.
static flx_status meet_velocities(flx_integrator *it, flx_state *x)
{
    static const flx_saddle_metric mass = {0};
    const flx_system *s = it->sys;
    flx_events *e = flx_method_of(it)->events;
    int n = flx_dims_unknowns(&s->dims);
    flx_point p = flx_state_point(s, x);
    FLX_TRY(s->ops->linearise(s, it->work, &p, &e->blocks));
    FLX_TRY(flx_saddle_factor(e->saddle, &e->blocks, FLX_ROWS_VELOCITY, &mass));
    it->stats.projections++;
    for (int round = 0; round < 2; round++) {
        FLX_TRY(find_rows(it, x, e->rows));
        for (int i = 0; i < n; i++) e->d[i] = -e->rows[i];
        flx_saddle_solve(e->saddle, e->d);
        for (int i = 0; i < s->dims.nv; i++) x->v[i] += e->d[i];
        if (e->what.nrow > 0) FLX_TRY(meet_rows(it, x));
    }
    return FLX_OK;
}

static bool have_moved(const flx_system *s, const double *rows, const double *before)
{
    for (int i = first_bond(s); i < flx_dims_unknowns(&s->dims); i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        if (!(fabs(rows[i] - before[i]) <= MOVED * u.scale)) return true;
    }
    return false;
}

static flx_status make_velocities(flx_integrator *it, flx_state *x)
{
    const flx_system *s = it->sys;
    flx_events *e = flx_method_of(it)->events;
    bool bonds = s->dims.nlam + s->dims.nmu > 0, moved = e->what.nrow > 0;
    if (bonds) {
        FLX_TRY(find_rows(it, e->prior, e->rows_before));
        memcpy(e->d, e->r, (size_t)flx_dims_unknowns(&s->dims) * sizeof *e->d);
        FLX_TRY(find_rows(it, x, e->rows));
        FLX_TRY(check_positions(it, x, e->d));
        moved = moved || have_moved(s, e->rows, e->rows_before);
    }
    return moved ? meet_velocities(it, x) : FLX_OK;
}

static flx_status make_accelerations(flx_integrator *it, flx_state *x)
{
    flx_events *e = flx_method_of(it)->events;
    flx_status status =
        flx_accelerator_eval(e->acc, it->work, x, &it->stats.residuals, &it->stats.linearisations);
    if (status <= 0) return status;
    if (!e->relaxer) FLX_TRY(flx_relaxer_create(it->sys, &e->relaxer));
    flx_status relaxed = flx_relax_accelerations(e->relaxer, it->work, x);
    if (relaxed <= 0) return relaxed;
    return FLX_FAIL(it->ctx, status, e->what.loc,
                    "after '%s' at t = %.9g there are no consistent accelerations: %s",
                    e->what.item ? e->what.item : "?", x->t, flx_status_text(status));
}

// ---- too often ------------------------------------------------------------------------------

// Short intervals that become shorter still, or vanish. A relay that works fast has its own pace.
static bool is_too_close(repeat *r, double t, double span)
{
    double interval = t - r->last;
    bool shorter = interval < SHORTER * r->interval || interval <= NO_TIME * span;
    r->close = interval <= CLOSE * span && shorter ? r->close + 1 : 0;
    r->interval = interval;
    r->last = t;
    return r->close >= MOST_CLOSE;
}

static flx_status watch(flx_integrator *it, const flx_state *x, double span, bool changed)
{
    flx_events *e = flx_method_of(it)->events;
    flx_loc loc;
    for (int i = 0; i < e->what.nevent; i++) {
        int k = e->what.events[i];
        if (!is_too_close(&e->history[e->n + k], x->t, span)) continue;
        const char *name = e->ops->event(it->sys, k, &loc);
        return FLX_FAIL(it->ctx, FLX_STEP_TOO_SMALL, loc,
                        "event '%s' happens at ever shorter intervals, which end at t = %.9g; let "
                        "the model say what follows: an event that stops the run, or that brings "
                        "it to rest, before that",
                        name, x->t);
    }
    for (int i = 0; i < e->n && changed; i++) {
        if (!e->changed[i] || !is_too_close(&e->history[i], x->t, span)) continue;
        const char *name = e->ops->indicator(it->sys, i, &loc);
        return FLX_FAIL(it->ctx, FLX_STEP_TOO_SMALL, loc,
                        "a condition in '%s' changes back and forth at t = %.9g: each of its "
                        "branches leads to the other, and the motion slides along the border. Make "
                        "the jump steep but continuous, as in tanh(v/1e-3) for sign(v), or use an "
                        "event and a discrete variable with two borders",
                        name, x->t);
    }
    return FLX_OK;
}

// ---- the instant ----------------------------------------------------------------------------

flx_status flx_events_happen(flx_integrator *it, flx_state *x, double span,
                             const flx_state **before, const flx_happening **what)
{
    flx_method *m = flx_method_of(it);
    flx_events *e = m->events;
    const signed char *changed = e->located ? e->changed : NULL;
    flx_happening *h = &e->what;
    h->again = h->changed = h->jumped = h->stop = h->nevent = h->nrow = 0;
    h->item = NULL;
    flx_state_copy(e->prior, x);
    for (int round = 0; round < FLX_MOST_HAPPENINGS; round++) {
        FLX_TRY(e->ops->happen(it->sys, it->work, x, changed, h));
        if (h->changed) FLX_TRY(make_velocities(it, x));
        if (h->nrow == 0) break;
        h->again = 1; // switches may depend on velocities
        changed = NULL;
    }
    FLX_TRY(watch(it, x, span, e->located));
    e->located = false;
    if (h->changed) {
        FLX_TRY(make_accelerations(it, x));
    } else if (m->stepped && x->t == m->after->t) {
        // nothing that the method has seen: it goes on
        memcpy(m->after->switches, x->switches, (size_t)it->sys->dims.nswitch * sizeof(double));
    }
    *before = e->prior;
    *what = h;
    return FLX_OK;
}
