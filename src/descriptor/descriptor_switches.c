// descriptor_switches.c - switches of expressions: their values, when they change, and which side they
// take where several are on their border at one instant (docs/theory/events.md).
//
// With g the value of a switch and s what the state holds, the indicator is
//     s != 0: g,  s = 0: -g      of a comparison                                        (EVE-2)
//     (g - a)(b - g)/(b - a)     of a whole number or a piece, which holds g from a to b
// A value that is linear in the time alone tells beforehand when it changes, t - g/g', and takes
// there the side that the time moves to.
#include "descriptor/descriptor_parts.h"

#include <float.h>

// Times and values within rounding of each other: some operations on numbers of their size.
#define ROUNDING (16 * DBL_EPSILON)
// A value nearer to its border than this part of the size that it has had is on it.
#define BORDER (64 * DBL_EPSILON)
// One that other switches or events move by more than this part has jumped.
#define JUMPED 1e-7
// One that is on the wrong side by more than this part is held against its own value. Steps end at a
// border as exactly as their iteration does.
#define WRONG 1e-6

// ---- plan -----------------------------------------------------------------------------------

static bool is_time(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_get_kind(leaf) == FLX_LEAF_TIME;
}

static bool moves_otherwise(void *user, flx_leaf leaf)
{
    (void)user; // turns follow the angle
    return flx_leaf_get_kind(leaf) == FLX_LEAF_TURNS ||
           !flx_leaf_is(leaf, FLX_QUANTITY_TIME | FLX_QUANTITY_PARAMETER | FLX_QUANTITY_HELD);
}

// Slopes of values that are linear in the time and depend on nothing else that moves.
static flx_status plan_slope(flx_descriptor *d, flx_node value, int *slope)
{
    flx_graph *g = d->model->graph;
    flx_leaf time = flx_leaf_make(FLX_LEAF_TIME, 0, 0);
    *slope = -1;
    if (flx_graph_depends(g, value, moves_otherwise, NULL)) return FLX_OK;
    flx_node n = flx_graph_derive(g, value, flx_leaf_partial, &time);
    if (n < 0) return FLX_ERR_MEMORY;
    if (flx_graph_depends(g, n, is_time, NULL)) return FLX_OK;
    return flx_expr_add(d, FLX_GROUP_SWITCH, n, slope);
}

// Rates of values that depend on positions, which velocities tell, and on states, whose rates are
// expressions themselves.
static bool has_no_rate(void *user, flx_leaf leaf)
{
    return !flx_leaf_is(leaf, FLX_QUANTITY_POSITION | FLX_QUANTITY_STATE) &&
           flx_leaf_get_kind(leaf) != FLX_LEAF_TURNS && moves_otherwise(user, leaf);
}

static flx_node rate_of_leaf(flx_graph *g, void *user, flx_leaf leaf)
{
    const flx_model *m = user;
    // whole turns keep an angle without jumps: between them they stand still
    if (flx_leaf_get_kind(leaf) == FLX_LEAF_TURNS) return flx_graph_const(g, 0.0);
    if (flx_leaf_get_kind(leaf) != FLX_LEAF_STATE) return flx_leaf_time_rate(g, user, leaf);
    for (int i = 0; i < m->nfirst; i++) {
        const flx_first_order *f = m->firsts + i;
        if (!f->algebraic && f->number == flx_leaf_get_index(leaf)) return f->derivative;
    }
    return -1;
}

static flx_status plan_rate(flx_descriptor *d, flx_node value, int *rate)
{
    flx_graph *g = d->model->graph;
    void *user = (void *)(uintptr_t)d->model; // the rules read the model only
    *rate = -1;
    if (flx_graph_depends(g, value, has_no_rate, user)) return FLX_OK;
    flx_node n = flx_graph_derive(g, value, rate_of_leaf, user);
    return n < 0 ? FLX_ERR_MEMORY : flx_expr_add(d, FLX_GROUP_SWITCH, n, rate);
}

flx_status flx_switches_plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    flx_switching *k = &d->switching;
    unsigned forces = FLX_QUANTITY_FORCE;
    k->slope = flx_arena_take(d->arena, (size_t)m->nswitch, sizeof *k->slope);
    k->rate = flx_arena_take(d->arena, (size_t)m->nswitch, sizeof *k->rate);
    if (!k->slope || !k->rate) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nswitch; i++) {
        FLX_TRY(flx_expr_add(d, FLX_GROUP_SWITCH, m->switches[i].value, NULL));
    }
    for (int i = 0; i < m->nswitch; i++) {
        FLX_TRY(plan_slope(d, m->switches[i].value, &k->slope[i]));
        k->linear = k->linear || k->slope[i] >= 0;
        if (flx_graph_depends(m->graph, m->switches[i].value, flx_leaf_is_any, &forces)) {
            k->reads_forces = true;
        }
        FLX_TRY(plan_rate(d, m->switches[i].value, &k->rate[i]));
    }
    return FLX_OK;
}

// ---- values ---------------------------------------------------------------------------------

// Values of the switches, then slopes and rates, at a point.
static const double *values_at(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p)
{
    (void)flx_eval_begin(d, w, p);
    flx_eval_group(d, w, FLX_GROUP_SWITCH);
    return flx_eval_output(d, w, FLX_GROUP_SWITCH);
}

static const double *values_of(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x)
{
    flx_point p = flx_state_point(&d->base, x);
    return values_at(d, w, &p);
}

// What a whole number, or a piece, reaches from and to.
static void bounds(const flx_descriptor *d, const flx_switch *k, double s, double *from, double *to)
{
    *from = s;
    *to = s + 1.0;
    if (k->kind == FLX_SWITCH_PIECE) flx_cut_bounds(d->model->graph, k->cut, (int)s, from, to);
}

static bool is_whole(const flx_switch *k)
{
    return k->kind == FLX_SWITCH_FLOOR || k->kind == FLX_SWITCH_PIECE;
}

static double agreement(const flx_descriptor *d, const flx_switch *k, double g, double s)
{
    double from, to;
    if (!is_whole(k)) return s != 0.0 ? g : -g;
    bounds(d, k, s, &from, &to);
    if (isinf(from)) return to - g;
    return isinf(to) ? g - from : (g - from) * (to - g) / (to - from);
}

// How far the value is beyond what the switch holds; negative: within it.
static double beyond(const flx_descriptor *d, const flx_switch *k, double g, double s)
{
    double from, to;
    if (!is_whole(k)) return s != 0.0 ? -g : g;
    bounds(d, k, s, &from, &to);
    return fmax(from - g, g - to);
}

flx_status flx_switches_indicate(const flx_system *s, flx_work *work, const flx_point *p,
                                 double *value)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    const flx_switching *k = &d->switching;
    const double *g = values_at(d, w, p);
    for (int i = 0; i < d->model->nswitch; i++) {
        value[i] = k->slope[i] >= 0
                       ? HUGE_VAL
                       : agreement(d, d->model->switches + i, g[i], p->switches[k->first + i]);
    }
    return FLX_OK;
}

static double whole(const flx_descriptor *d, const flx_switch *k, double g)
{
    if (k->kind == FLX_SWITCH_PIECE) return flx_cut_piece(d->model->graph, k->cut, g);
    return floor(g);
}

// What a switch is where its value is g and moves at this rate; within `near` of a change the side
// that it moves to.
static double truth(const flx_descriptor *d, const flx_switch *k, double g, double rate,
                    double near)
{
    if (is_whole(k)) return whole(d, k, rate > 0.0 ? g + near : rate < 0.0 ? g - near : g);
    if (rate != 0.0 && fabs(g) <= near) return rate > 0.0;
    return k->kind == FLX_SWITCH_ABOVE ? g > 0.0 : g >= 0.0;
}

// ... where all that is known is the slope in time.
static double truth_of_time(const flx_descriptor *d, int i, const double *g, double t)
{
    int at = d->switching.slope[i];
    double slope = at < 0 ? 0.0 : g[at];
    return truth(d, d->model->switches + i, g[i], slope, ROUNDING * fabs(slope * t));
}

// ---- times known beforehand -----------------------------------------------------------------

// Time until a switch with this value and slope changes.
static double time_left(const flx_descriptor *d, const flx_switch *k, double g, double slope,
                        double s)
{
    double left, from, to;
    if (is_whole(k)) {
        bounds(d, k, s, &from, &to);
        left = slope > 0.0 ? (to - g) / slope : slope < 0.0 ? (g - from) / -slope : HUGE_VAL;
    } else {
        double rate = s != 0.0 ? slope : -slope;
        left = rate < 0.0 ? (s != 0.0 ? g : -g) / -rate : HUGE_VAL;
    }
    return left > 0.0 ? left : 0.0;
}

double flx_switches_next(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x)
{
    const flx_switching *k = &d->switching;
    const flx_model *m = d->model;
    double t = HUGE_VAL;
    if (!k->linear) return t;
    const double *g = values_of(d, w, x);
    for (int i = 0; i < m->nswitch; i++) {
        if (k->slope[i] < 0) continue;
        double left =
            time_left(d, m->switches + i, g[i], g[k->slope[i]], x->switches[k->first + i]);
        if (x->t + left < t) t = x->t + left;
    }
    return t;
}

// ---- changes --------------------------------------------------------------------------------

void flx_switches_change(const flx_system *s, flx_work *work, const flx_state *x,
                         const signed char *changed, double *switches)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    const double *g = values_of(d, w, x);
    for (int i = 0; i < d->model->nswitch; i++) {
        double *at = switches + d->switching.first + i;
        if (!changed[i]) continue;
        if (is_whole(d->model->switches + i)) {
            double from, to;
            bounds(d, d->model->switches + i, *at, &from, &to);
            *at += to - g[i] < g[i] - from ? 1.0 : -1.0;
        } else {
            *at = *at == 0.0;
        }
    }
}

// Whether events that do not happen with switch i as it is would with this value.
static bool sets_off(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x, int i,
                     double value)
{
    double *at = x->switches + d->switching.first + i, was = *at;
    const double *before = w->truth, *after = w->truth + d->model->nevent;
    bool any = false;
    flx_event_conditions(d, w, x, x->switches, w->truth);
    *at = value;
    flx_event_conditions(d, w, x, x->switches, w->truth + d->model->nevent);
    *at = was;
    for (int e = 0; e < d->model->nevent; e++) any = any || (after[e] != 0.0 && before[e] == 0.0);
    return any;
}

void flx_switches_settle(const flx_system *s, flx_work *work, flx_state *x)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    const flx_switching *k = &d->switching;
    const flx_model *m = d->model;
    bool more = m->nswitch > 0;
    // the value of a switch depends on earlier ones: each round settles one more at least
    for (int round = 0; more && round <= m->nswitch; round++) {
        const double *g = values_of(d, w, x);
        more = false;
        for (int i = 0; i < m->nswitch; i++) {
            double now = truth_of_time(d, i, g, x->t);
            more = more || now != x->switches[k->first + i];
            x->switches[k->first + i] = now;
        }
    }
    // conditions on the time that become true at once have not been: what they set off happens
    for (int i = 0; i < m->nswitch; i++) {
        if (k->slope[i] < 0 || is_whole(m->switches + i)) continue;
        double *at = x->switches + k->first + i, after = *at;
        *at = truth(d, m->switches + i, values_of(d, w, x)[i], 0.0, 0.0);
        if (*at != after && !sets_off(d, w, x, i, after)) *at = after;
    }
}

// ---- at an instant --------------------------------------------------------------------------

static void note_switch(const flx_descriptor *d, int i, flx_event_report *h)
{
    const flx_switch *k = d->model->switches + i;
    if (!k->acts) return;
    h->changed = 1;
    h->item = k->item;
    h->loc = k->loc;
}

void flx_switches_begin(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x,
                        const signed char *changed)
{
    const flx_switching *k = &d->switching;
    int n = d->model->nswitch;
    memcpy(w->switches, x->switches, (size_t)d->base.dims.nswitch * sizeof *w->switches);
    if (changed) flx_switches_change(&d->base, &w->base, x, changed, w->switches);
    const double *g = values_of(d, w, x);
    for (int i = 0; i < n; i++) {
        w->border[i] = g[i];
        w->rate[i] = k->rate[i] < 0 ? (double)NAN : g[k->rate[i]];
        w->was[i] = x->switches[k->first + i];
        w->side[i] = changed && changed[i] ? w->switches[k->first + i] : (double)NAN;
    }
}

static bool has_jumped(const flx_descriptor_work *w, const flx_event_report *h, int i, double g)
{
    return !(fabs(g - w->border[i]) <= JUMPED * h->size[i]);
}

// What switch i is at an instant, where the values are g.
static double choose(const flx_descriptor *d, const flx_descriptor_work *w, const flx_state *x,
                     int i, const double *g, const flx_event_report *h)
{
    const flx_switching *k = &d->switching;
    const flx_switch *sw = d->model->switches + i;
    double now = x->switches[k->first + i];
    if (k->slope[i] >= 0) return truth_of_time(d, i, g, x->t);
    if (isnan(g[i])) return now;
    bool jumped = has_jumped(w, h, i, g[i]);
    if (!jumped && !isnan(w->side[i])) return w->side[i]; // it is on the border that was found
    double off = beyond(d, sw, g[i], now), near = BORDER * h->size[i];
    if (off < -near || (!jumped && off <= WRONG * h->size[i])) return now;
    return truth(d, sw, g[i], k->rate[i] < 0 ? 0.0 : g[k->rate[i]], near);
}

void flx_switches_decide(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x,
                         flx_event_report *h)
{
    const double *g = NULL;
    for (int i = 0; i < d->model->nswitch; i++) {
        double *at = x->switches + d->switching.first + i;
        if (!g) g = values_of(d, w, x);
        double now = choose(d, w, x, i, g, h);
        if (now == *at) continue;
        *at = now;
        note_switch(d, i, h);
        g = NULL; // later ones depend on it
    }
}

// The side that it came from lies to the side of larger values.
static bool came_from_above(const flx_descriptor *d, const flx_descriptor_work *w, int i)
{
    bool whole_number = is_whole(d->model->switches + i);
    return whole_number ? w->was[i] > w->side[i] : w->was[i] != 0.0;
}

// What a switch is on the border between two of its values.
static double on_border(const flx_switch *k, double a, double b)
{
    return is_whole(k) ? fmax(a, b) : k->kind == FLX_SWITCH_NOT_BELOW;
}

void flx_switches_turn_back(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x,
                            flx_event_report *h)
{
    const flx_switching *k = &d->switching;
    const double *g = NULL; // what turns back changes values of later ones
    bool any = false;
    for (int i = 0; i < d->model->nswitch; i++) {
        double *at = x->switches + k->first + i;
        if (isnan(w->side[i]) || k->rate[i] < 0) continue;
        if (!g) g = values_of(d, w, x);
        if (any) *at = choose(d, w, x, i, g, h);
        if (*at != w->side[i]) continue;
        double rate = g[k->rate[i]];
        // what the instant has brought to rest on the border is as the border is
        if (rate == 0.0 && fabs(w->rate[i]) > 0.0 && !has_jumped(w, h, i, g[i])) {
            double there = on_border(d->model->switches + i, w->was[i], w->side[i]);
            if (there == *at) continue;
            *at = w->side[i] = there;
            note_switch(d, i, h);
            any = true;
            g = NULL;
            continue;
        }
        // only what the instant itself has turned round: a slow passage is none
        bool turned = rate * w->rate[i] < 0.0 && (rate > 0.0) == came_from_above(d, w, i);
        if (!turned || has_jumped(w, h, i, g[i])) continue;
        *at = w->side[i] = w->was[i];
        note_switch(d, i, h);
        any = true;
        g = NULL;
    }
    if (any) flx_switches_decide(d, w, x, h);
}

int flx_switches_judge(const flx_system *s, flx_work *work, const flx_state *x, double *size)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    const flx_switching *k = &d->switching;
    const double *g = values_of(d, w, x);
    int wrong = -1;
    for (int i = d->model->nswitch - 1; i >= 0; i--) {
        if (isnan(g[i])) continue;
        size[i] = fmax(size[i], fabs(g[i]));
        double off = beyond(d, d->model->switches + i, g[i], x->switches[k->first + i]);
        if (k->slope[i] < 0 && off > WRONG * size[i]) wrong = i;
    }
    return wrong;
}
