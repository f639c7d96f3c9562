// unseen.c - steps that end where something is that they would not see, and what steps that are given pass over.
//
// Within a step of length h a function g of the time is for a method what its values and slopes at the ends say,
//     p = cubic polynomial through g_0, g'_0, g_1, g'_1.
// With the accelerations a at the time s at which g is most off, and a_e with the functions as they are at an end of the step,
// the velocities lack
//     e = |a - a_e| / |g_s - g_e| integral |g - p| dt,                                       (UNS-2)
// or, where the step has met the pulse and g - p has one sign, the difference between that integral with its sign and what
// the step added beyond the mean of its accelerations.
#include "simulate/unseen/unseen.h"

#include "integrate/method.h"
#include "integrate/settle.h"

#include <math.h>

// Steps grow by no more than this; in the first ones anything is possible.
#define GROWTH 10.0
// A function begins to rise at this part of its height; and lengths are halved so often to find where it does.
#define ONSET 1e-3
#define MOST_HALVES 60
#define FIRST_STEPS 10
// Places in a step that is given, and parts of the integral on either side of one that is found, each half as long as the last.
#define LOOKS 17
#define PARTS 40
// Places at which the course of a function is looked at first.
#define FEW_PLACES 9
#define SLOPE 1e-4 // of a step: differences
#define ONE_SIGN 0.3
// Of a change that lasts for the whole step: a method that adds so much has met it. What is a smaller part than the second
// number of all that the function was seen to be does not count.
#define MET 0.1
#define NARROW 0.3 // of its height over the step
#define SMALL 1e-3
#define LARGE 0.01
#define HIGH_ORDER 4
#define NO_MOVE 1e-12

// ---- life ---------------------------------------------------------------------------------------

void flx_unseen_destroy(flx_unseen **made)
{
    flx_unseen *u = *made;
    if (!u) return;
    double *const all[] = {u->in,         u->low,   u->high,   u->scratch,
                           u->least,      u->most,  u->values, u->range_low,
                           u->range_high, u->rates, u->away,   u->away_at};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) flx_free(all[i]);
    flx_free(u);
    *made = NULL;
}

static flx_status make(flx_simulation *sim, flx_unseen *u)
{
    const flx_unseen_plan *p = u->plan;
    size_t n = (size_t)p->n, leaves = (size_t)p->nleaf;
    struct {
        double **at;
        size_t n;
    } want[] = {{&u->in, leaves},
                {&u->low, leaves},
                {&u->high, leaves},
                {&u->scratch, (size_t)flx_program_bounds_scratch(p->program) +
                                  (size_t)flx_program_bounds_scratch(p->wild)},
                {&u->least, n},
                {&u->most, n},
                {&u->values, n * FLX_UNSEEN_PLACES},
                {&u->range_low, n},
                {&u->range_high, n},
                {&u->away, n},
                {&u->away_at, n},
                {&u->rates, 4 * (size_t)(sim->sys->dims.nv + sim->sys->dims.nx)}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        *want[i].at = flx_alloc(sim->ctx, want[i].n + 1, sizeof(double));
        if (!*want[i].at) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

static double ahead(void *user, const flx_state *x, double goal);

// Whether the method evaluates the equations inside its steps alone.
static bool is_blind(const flx_integrator *it)
{
    flx_coefficients c = {0};
    if (!it->type->coefficients || !it->type->coefficients(&it->def, &c)) return false;
    bool ends = c.scheme != FLX_SCHEME_RUNGE_KUTTA;
    for (int i = 0; i < c.s && !ends; i++) ends = c.c[i] == 0.0 || c.c[i] == 1.0;
    return !ends;
}

flx_status flx_unseen_create(flx_simulation *sim)
{
    flx_unseen_destroy(&sim->unseen);
    if (sim->plan->by_hand || !sim->it) return FLX_OK;
    if (sim->making && !sim->making->unseen)
        FLX_TRY(flx_unseen_plan_make(sim, &sim->making->unseen));
    if (!sim->plan->unseen) return FLX_OK;
    flx_unseen *u = sim->unseen = flx_alloc(sim->ctx, 1, sizeof *u);
    if (!u) return FLX_ERR_MEMORY;
    u->plan = sim->plan->unseen;
    u->held_in = sim->bodies ? sim->bodies : flx_wrapper_innermost(sim->sys);
    u->it = sim->it;
    u->blind = is_blind(sim->it) && !(sim->it->def.step > 0.0);
    FLX_TRY(make(sim, u));
    flx_unseen_open(u);
    if (u->plan->nwild == 0) return FLX_OK;
    flx_method *m = flx_method_of(sim->it);
    m->ahead = ahead;
    m->ahead_user = u;
    return FLX_OK;
}

void flx_unseen_open(flx_unseen *u)
{
    if (!u) return;
    u->found = (flx_unseen_found){.unknown = -1};
    for (int i = 0; i < u->plan->n; i++) {
        u->range_low[i] = HUGE_VAL;
        u->range_high[i] = -HUGE_VAL;
        u->away[i] = u->away_at[i] = 0.0;
    }
}

void flx_unseen_memory(flx_unseen *u, flx_memory *m)
{
    if (!u) return;
    FLX_PASS(m, u->found);
    flx_memory_numbers(m, u->range_low, (size_t)u->plan->n);
    flx_memory_numbers(m, u->range_high, (size_t)u->plan->n);
    flx_memory_numbers(m, u->away, (size_t)u->plan->n);
    flx_memory_numbers(m, u->away_at, (size_t)u->plan->n);
}

static void hold(const flx_unseen *u, const flx_state *x)
{
    flx_descriptor_held(u->held_in, x, u->plan->nleaf, u->plan->leaves, u->in);
}

// Values at equal places from a to b.
static void sample(const flx_unseen *u, bool wild, double a, double b, int places)
{
    size_t n = (size_t)(wild ? u->plan->nwild : u->plan->n);
    for (int k = 0; k < places; k++) {
        double t = a + (b - a) * k / (places - 1);
        flx_unseen_at(u, wild, t, u->values + (size_t)k * n);
    }
}

static void see(flx_unseen *u, int i, double value)
{
    u->range_low[i] = fmin(u->range_low[i], value);
    u->range_high[i] = fmax(u->range_high[i], value);
}

// ---- steps that a method chooses ----------------------------------------------------------------

static bool is_whole_switch(const flx_unseen_function *f)
{
    return f->use == FLX_EXPRESSION_SWITCH && f->number >= 0;
}

static double wild_at(const flx_unseen *u, int i, double t)
{
    flx_unseen_at(u, true, t, u->least);
    return u->least[i];
}

// How far from t, towards `side`, it is to where the function has changed by `part` of what it changes up to there and the
// place `far`; to a factor of two.
static double change_length(const flx_unseen *u, int i, double t, double far, double part)
{
    double here = wild_at(u, i, t), all = fabs(wild_at(u, i, far) - here), whole = far - t,
           d = whole;
    for (int k = 0; k < MOST_HALVES; k++) {
        if (!(fabs(wild_at(u, i, t + 0.5 * d) - here) >= part * all)) break;
        d *= 0.5;
    }
    return fabs(d);
}

// For methods that look at neither end of a step: up to where the function rises towards its peak at t, then half way to it,
// and down again by half of the height at a time.
static double approach(flx_unseen *u, int i, double a, double peak, double end)
{
    double here = wild_at(u, i, a), rest = wild_at(u, i, end);
    see(u, i, here);
    if (peak < HUGE_VAL && peak > a) {
        double top = wild_at(u, i, peak), rise = change_length(u, i, peak, a, 1.0 - ONSET);
        see(u, i, top);
        if (rise < 0.5 * (peak - a)) return peak - rise;
        return fabs(top - here) < 0.5 * fabs(top - rest) ? peak : a + 0.5 * (peak - a);
    }
    bool low = fabs(here - rest) <= SMALL * SMALL * (u->range_high[i] - u->range_low[i]);
    return low ? HUGE_VAL : a + change_length(u, i, a, end, 0.5);
}

// Where the next step from x ends at the latest. A function of the state alone, of the goal and of the statistics of the method: a
// run that is continued takes the same steps.
static double ahead(void *user, const flx_state *x, double goal)
{
    flx_unseen *u = user;
    const flx_method *m = flx_method_of(u->it);
    bool fixed = u->it->def.step > 0.0;
    int places = 0;
    double end = goal, first = HUGE_VAL;
    if (m->frozen) return goal;
    if (u->it->stats.steps >= FIRST_STEPS)
        end = fmin(end, x->t + GROWTH * u->it->stats.largest_step);
    hold(u, x);
    flx_unseen_at(u, true, x->t, u->values);
    for (int i = 0; i < u->plan->nwild; i++) {
        if (fixed && !is_whole_switch(u->plan->list + i)) continue; // the ledger tells
        if (is_whole_switch(u->plan->list + i)) {
            double side;
            flx_leaf leaf = flx_leaf_make(FLX_LEAF_SWITCH, u->plan->list[i].number, 0);
            flx_descriptor_held(u->held_in, x, 1, &leaf, &side);
            first = fmin(first, flx_unseen_change(u, i, x->t, end, side));
            continue;
        }
        flx_unseen_between(u, true, x->t, end);
        if (flx_unseen_is_still(u, i, u->values[i])) continue;
        if (places == 0) sample(u, true, x->t, end, places = FEW_PLACES);
        double t = flx_unseen_search(u, true, i, x->t, end, places);
        if (t < HUGE_VAL && places == FEW_PLACES) {
            sample(u, true, x->t, end, places = FLX_UNSEEN_PLACES);
            flx_unseen_between(u, true, x->t, end);
            t = flx_unseen_search(u, true, i, x->t, end, places);
        }
        if (u->blind) t = approach(u, i, x->t, t, end);
        first = fmin(first, t);
    }
    return first > x->t && first < goal ? first : goal;
}

// ---- steps that are given -----------------------------------------------------------------------

// A function within a step.
typedef struct course {
    const flx_unseen *u;
    int i;
    double a, h, p0, p1, s0, s1; // values and slopes at the ends
} course;

static double value_at(const course *c, double t)
{
    flx_unseen_at(c->u, false, t, c->u->most);
    return c->u->most[c->i];
}

// g - p
static double off_at(const course *c, double t)
{
    double s = (t - c->a) / c->h, r = 1.0 - s;
    double p = r * r * (1.0 + 2.0 * s) * c->p0 + s * s * (3.0 - 2.0 * s) * c->p1 +
               s * r * (r * c->h * c->s0 - s * c->h * c->s1);
    return value_at(c, t) - p;
}

static course begin_course(const flx_unseen *u, int i, double a, double b)
{
    course c = {.u = u, .i = i, .a = a, .h = b - a};
    double e = SLOPE * (b - a);
    c.p0 = value_at(&c, a);
    c.p1 = value_at(&c, b);
    c.s0 = (value_at(&c, a + e) - c.p0) / e;
    c.s1 = (c.p1 - value_at(&c, b - e)) / e;
    return c;
}

// Integrals of g - p and of its size, and where it is largest.
typedef struct amount {
    double sum, size, most, at;
} amount;

static void add_place(amount *m, double t, double off, double weight)
{
    m->sum += weight * off;
    m->size += weight * fabs(off);
    if (!(fabs(off) > fabs(m->most))) return;
    m->most = off;
    m->at = t;
}

// Between a and b by Gauss' rule of three points.
static void add_part(const course *c, double a, double b, amount *m)
{
    static const double place[] = {-0.7745966692414834, 0.0, 0.7745966692414834};
    static const double weight[] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    for (int k = 0; k < 3; k++) {
        double t = 0.5 * (a + b) + 0.5 * (b - a) * place[k];
        add_place(m, t, off_at(c, t), weight[k] * fabs(b - a));
    }
}

static amount measure(const course *c, double peak)
{
    amount m = {0};
    double b = c->a + c->h;
    if (!(peak < HUGE_VAL)) {
        for (int k = 0; k < LOOKS; k++)
            add_part(c, c->a + c->h * k / LOOKS, c->a + c->h * (k + 1) / LOOKS, &m);
        return m;
    }
    for (int side = -1; side <= 1; side += 2) {
        double length = side < 0 ? peak - c->a : b - peak;
        for (int k = 0; k < PARTS; k++, length *= 0.5) {
            double far = peak + side * length, near = peak + 0.5 * side * length;
            for (int j = 0; j < 4; j++)
                add_part(c, far + (near - far) * j / 4.0, far + (near - far) * (j + 1) / 4.0, &m);
        }
    }
    return m;
}

// Rates at a state, or at the one within the step at time t, where the functions are as at `when`.
static flx_status settle_at(flx_simulation *sim, const flx_state *from, double t, double when,
                            double *out)
{
    const flx_dims *d = &sim->sys->dims;
    flx_state *x = sim->judge.end[1];
    double h = flx_method_of(sim->it)->after->t - flx_method_of(sim->it)->before->t;
    if (from) {
        flx_state_copy(x, from);
    } else {
        FLX_TRY(flx_integrator_interpolate(sim->it, t, x));
    }
    x->t = when;
    FLX_TRY(flx_settle(flx_judge_settler(sim), sim->work, x, h));
    memcpy(out, x->a, (size_t)d->nv * sizeof *out);
    memcpy(out + d->nv, x->dx, (size_t)d->nx * sizeof *out);
    return FLX_OK;
}

// (UNS-2) of one rate, of which a unit of the function makes `factor`; mean: of the rate at the ends, times the step; added: by it.
static double missed_of(const amount *m, double h, double factor, double mean, double added)
{
    double all = fabs(factor) * m->size, seen = added - mean, whole = fabs(m->most) * h;
    bool narrow = m->size < NARROW * whole && fabs(m->sum) > ONE_SIGN * m->size;
    bool met = narrow && fabs(seen) > MET * fabs(factor) * whole;
    double e = met ? fabs(factor * m->sum - seen) : all;
    return isfinite(e) ? e : 0.0;
}

static void note(flx_unseen *u, double missed, double t, double h, int unknown)
{
    flx_unseen_found *f = &u->found;
    if (!(missed > f->worst)) return;
    f->worst = missed;
    f->t = t;
    f->step = h;
    f->unknown = unknown;
}

static flx_status weigh(flx_simulation *sim, const course *c, const amount *m)
{
    const flx_system *s = sim->sys;
    const flx_method *method = flx_method_of(sim->it);
    const flx_state *from = method->before, *to = method->after;
    int nv = s->dims.nv, nx = s->dims.nx, worst = -1;
    double h = to->t - from->t, v = 0.0, most_x = 0.0, now = value_at(c, m->at);
    bool first = fabs(now - c->p0) >= fabs(now - c->p1);
    double *begin = sim->unseen->rates, *end = begin + nv + nx, *at = end + nv + nx;
    double *without = at + nv + nx, change = now - (first ? c->p0 : c->p1);
    FLX_TRY(settle_at(sim, from, 0.0, from->t, begin));
    FLX_TRY(settle_at(sim, to, 0.0, to->t, end));
    FLX_TRY(settle_at(sim, NULL, m->at, m->at, at));
    FLX_TRY(settle_at(sim, NULL, m->at, first ? from->t : to->t, without));
    for (int i = 0; i < nv + nx; i++) {
        bool state = i >= nv;
        int k = state ? i - nv : i;
        double added = state ? to->x[k] - from->x[k] : to->v[k] - from->v[k];
        flx_unknown q;
        s->ops->unknown(s, i, &q);
        double e =
            missed_of(m, h, (at[i] - without[i]) / change, 0.5 * h * (begin[i] + end[i]), added);
        if (q.scale > 0.0) e /= q.scale;
        double *most = state ? &most_x : &v;
        if (!(e > *most)) continue;
        *most = e;
        worst = i;
    }
    sim->unseen->found.missed_v += v;
    sim->unseen->found.missed_x += most_x;
    note(sim->unseen, fmax(v, most_x), m->at, h, worst);
    return FLX_OK;
}

// A motion goes there and back within the step.
static void weigh_motion(flx_unseen *u, int i, const amount *m, double h)
{
    if (!(fabs(m->most) > u->away[i])) return;
    u->away[i] = fabs(m->most);
    u->away_at[i] = m->at;
    u->found.away_step = h;
}

// Function i, whose bounds over the step are more than its values at the ends.
static flx_status look(flx_simulation *sim, int i, double a, double b, int places)
{
    flx_unseen *u = sim->unseen;
    const flx_unseen_function *f = u->plan->list + i;
    flx_unseen_between(u, false, a, b);
    double peak = flx_unseen_search(u, false, i, a, b, places);
    if (!(peak < HUGE_VAL) && sim->it->type->order > HIGH_ORDER) return FLX_OK;
    course c = begin_course(u, i, a, b);
    amount m = measure(&c, peak);
    double range = fmax(u->range_high[i] - u->range_low[i], fabs(m.most));
    see(u, i, c.p0 + m.most);
    if (!isfinite(m.size) || !(fabs(m.most) > SMALL * range) || !(m.size > 0.0)) return FLX_OK;
    if (f->use == FLX_EXPRESSION_CONSTRAINT || f->use == FLX_EXPRESSION_MOTION) {
        weigh_motion(u, i, &m, b - a);
        return FLX_OK;
    }
    flx_status status = flx_judge_settler(sim) ? weigh(sim, &c, &m) : FLX_OK;
    return status < 0 ? status : FLX_OK;
}

static void measure_states(flx_simulation *sim)
{
    const flx_system *s = sim->sys;
    const flx_state *x = flx_method_of(sim->it)->after;
    for (int i = 0; i < s->dims.nx; i++) {
        flx_unknown q;
        s->ops->unknown(s, s->dims.nv + i, &q);
        double size = fabs(x->x[i]) / (q.scale > 0.0 ? q.scale : 1.0);
        sim->unseen->found.largest_x = fmax(sim->unseen->found.largest_x, size);
    }
}

flx_status flx_unseen_step(flx_simulation *sim)
{
    flx_unseen *u = sim->unseen;
    const flx_method *m = flx_method_of(sim->it);
    if (!u || !m->stepped || !(sim->it->def.step > 0.0)) return FLX_OK;
    double a = m->before->t, b = m->after->t;
    int n = u->plan->n;
    bool sampled = false;
    double *middle = u->values + 2 * (size_t)n;
    // what methods of high order cannot follow with the places of one step
    int places = sim->it->type->order > HIGH_ORDER ? FEW_PLACES : LOOKS;
    hold(u, m->before);
    measure_states(sim);
    flx_unseen_at(u, false, a, u->values);
    flx_unseen_at(u, false, b, u->values + n);
    flx_unseen_at(u, false, 0.5 * (a + b), middle);
    flx_unseen_between(u, false, a, b);
    for (int i = 0; i < n; i++) {
        const flx_unseen_function *f = u->plan->list + i;
        double p = u->values[i], q = u->values[sampled ? (places - 1) * n + i : n + i];
        double r = sampled ? u->values[(places / 2) * n + i] : middle[i];
        see(u, i, p);
        see(u, i, q);
        if (f->use == FLX_EXPRESSION_SWITCH && f->number >= 0) continue;
        if (sampled) flx_unseen_between(u, false, a, b);
        if (flx_unseen_is_even(u, i, p, r, q)) continue;
        if (!sampled) sample(u, false, a, b, places);
        sampled = true;
        FLX_TRY(look(sim, i, a, b, places));
    }
    return FLX_OK;
}

// ---- the verdict --------------------------------------------------------------------------------

static double share(double missed, double size)
{
    return missed > 0.0 ? missed / (missed + size) : 0.0;
}

double flx_unseen_close(const flx_simulation *sim)
{
    const flx_unseen *u = sim->unseen;
    if (!u) return 0.0;
    const flx_unseen_found *f = &u->found;
    double part = fmax(share(f->missed_v, sim->judge.speed), share(f->missed_x, f->largest_x));
    int motion = -1;
    for (int i = 0; i < u->plan->n; i++) { // a motion goes there and back, beside all of its range
        double range = u->range_high[i] - u->range_low[i] + u->away[i];
        if (!(u->away[i] > part * range)) continue;
        part = u->away[i] / range;
        motion = i;
    }
    if (!(part > LARGE)) return part;
    flx_unknown q = {0};
    const char *what = "what acts on", *name = NULL;
    bool joint = motion >= 0 && u->plan->list[motion].use == FLX_EXPRESSION_MOTION;
    if (joint && u->plan->list[motion].number >= 0) {
        what = "the motion of joint";
        name = sim->model->joints[u->plan->list[motion].number].name;
    } else if (motion < 0 && f->unknown >= 0) {
        sim->sys->ops->unknown(sim->sys, f->unknown, &q);
        name = q.item;
    } else {
        what = "the motion of a constraint";
    }
    flx_ctx_warn(sim->ctx, FLX_NOWHERE,
                 "%s: a step of %.3g s passes over what happens within it: %s%s%s%s near t = %.9g "
                 "changes and "
                 "is again as it was, or nearly, which the method does not see; use a smaller "
                 "step, or rtol in "
                 "the place of it",
                 sim->it->type->name, motion >= 0 ? f->away_step : f->step, what, name ? " '" : "",
                 name ? name : "", name ? "'" : "", motion >= 0 ? u->away_at[motion] : f->t);
    return part;
}
