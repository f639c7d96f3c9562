// descriptor_instants.c - switches and events of the model at instants (docs/theory/events.md).
//
// The switches of a state are: turns of joints, switches of expressions, discrete variables, counts
// of events, strikes of clocks. With g the value of a switch and s what the state holds, the
// indicator is
//     s != 0: g,  s = 0: -g      of a comparison                                        (EVE-2)
//     (g - a)(b - g)/(b - a)     of a whole number or a piece, which holds g from a to b
// A value that is linear in the time alone tells beforehand when it changes, t - g/g', and takes
// there the side that the time moves to.
#include "system/descriptor_parts.h"

#include <float.h>

// Times and values within rounding of each other: some operations on numbers of their size.
#define ROUNDING (16 * DBL_EPSILON)

// ---- plan -----------------------------------------------------------------------------------

static bool is_time(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_get_kind(leaf) == FLX_LEAF_TIME;
}

static bool moves_otherwise(void *user, flx_leaf leaf)
{
    (void)user;
    switch (flx_leaf_get_kind(leaf)) {
    case FLX_LEAF_TIME:
    case FLX_LEAF_PARAMETER:
    case FLX_LEAF_FACTOR:
    case FLX_LEAF_SWITCH:
    case FLX_LEAF_DISCRETE:
    case FLX_LEAF_COUNT:
        return false;
    default:
        return true;
    }
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

// Rates of values that depend on positions, which velocities tell.
static bool is_not_position(void *user, flx_leaf leaf)
{
    switch (flx_leaf_get_kind(leaf)) {
    case FLX_LEAF_VARIABLE:
    case FLX_LEAF_BODY_POSITION:
    case FLX_LEAF_BODY_ROTATION:
        return false;
    default:
        return moves_otherwise(user, leaf);
    }
}

static flx_status plan_rate(flx_descriptor *d, flx_node value, int *rate)
{
    flx_graph *g = d->model->graph;
    *rate = -1;
    if (flx_graph_depends(g, value, is_not_position, NULL)) return FLX_OK;
    void *user = (void *)(uintptr_t)d->model; // the rule reads the model only
    return flx_expr_add(d, FLX_GROUP_SWITCH, flx_graph_derive(g, value, flx_leaf_time_rate, user),
                        rate);
}

static flx_status plan_set(flx_descriptor *d, const flx_event *e, const flx_assignment *a,
                           flx_set *out)
{
    *out = (flx_set){.def = a};
    FLX_TRY(flx_expr_add(d, FLX_GROUP_SET, a->value, &out->value));
    if (a->kind == FLX_TARGET_VARIABLE_RATE) d->switching.nrow++;
    if (a->kind != FLX_TARGET_VELOCITY) return FLX_OK;
    d->switching.nrow++;
    FLX_TRY(flx_expr_add(d, FLX_GROUP_SET, a->node, NULL));
    return flx_expr_velocity_gradient(d, a->node, a->loc, e->name, FLX_GROUP_SET, &out->ndep,
                                      &out->along);
}

static flx_status plan_event(flx_descriptor *d, int i)
{
    const flx_event *e = d->model->events + i;
    flx_switching *k = &d->switching;
    k->when[i] = -1;
    if (e->when >= 0) FLX_TRY(flx_expr_add(d, FLX_GROUP_WHEN, e->when, &k->when[i]));
    k->sets[i] = flx_arena_take(d->arena, (size_t)e->nset, sizeof **k->sets);
    if (!k->sets[i]) return FLX_ERR_MEMORY;
    for (int j = 0; j < e->nset; j++) FLX_TRY(plan_set(d, e, e->sets + j, k->sets[i] + j));
    return FLX_OK;
}

// Whether the equations contain discrete variables, or counts.
static flx_status find_acting(flx_descriptor *d)
{
    flx_switching *k = &d->switching;
    for (int i = 0; i < FLX_GROUP_SWITCH; i++) {
        const flx_group *g = d->expr.group + i;
        flx_leaf *leaves = NULL;
        int n = 0;
        FLX_TRY(flx_graph_leaves(d->model->graph, g->n, g->nodes, &n, &leaves));
        for (int j = 0; j < n; j++) {
            flx_leaf_kind kind = flx_leaf_get_kind(leaves[j]);
            k->discrete_acts = k->discrete_acts || kind == FLX_LEAF_DISCRETE;
            k->count_acts = k->count_acts || kind == FLX_LEAF_COUNT;
        }
        flx_free(leaves);
    }
    return FLX_OK;
}

flx_status flx_instants_plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    flx_switching *k = &d->switching;
    k->first = d->nturn;
    k->discrete = k->first + m->nswitch;
    k->count = k->discrete + m->ndiscrete;
    k->clock = k->count + m->nevent;
    d->base.dims.nswitch = k->clock + m->nevent;
    if (d->base.dims.nswitch == d->nturn) return FLX_OK;
    FLX_TRY(find_acting(d));
    k->slope = flx_arena_take(d->arena, (size_t)m->nswitch, sizeof *k->slope);
    k->when = flx_arena_take(d->arena, (size_t)m->nevent, sizeof *k->when);
    k->sets = flx_arena_take(d->arena, (size_t)m->nevent, sizeof *k->sets);
    k->rate = flx_arena_take(d->arena, (size_t)m->nswitch, sizeof *k->rate);
    if (!k->slope || !k->rate || !k->when || !k->sets) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nswitch; i++) {
        FLX_TRY(flx_expr_add(d, FLX_GROUP_SWITCH, m->switches[i].value, NULL));
    }
    for (int i = 0; i < m->nswitch; i++) {
        FLX_TRY(plan_slope(d, m->switches[i].value, &k->slope[i]));
        k->linear = k->linear || k->slope[i] >= 0;
        FLX_TRY(plan_rate(d, m->switches[i].value, &k->rate[i]));
    }
    for (int i = 0; i < m->nevent; i++) FLX_TRY(plan_event(d, i));
    return FLX_OK;
}

void flx_instants_start(const flx_descriptor *d, flx_state *x)
{
    const flx_model *m = d->model;
    for (int i = 0; i < m->ndiscrete; i++) {
        x->switches[d->switching.discrete + i] = m->discretes[i].at;
    }
}

// ---- values ---------------------------------------------------------------------------------

static int n_indicators(const flx_system *s)
{
    return flx_descriptor_of(s)->model->nswitch;
}

static int n_events(const flx_system *s)
{
    return flx_descriptor_of(s)->model->nevent;
}

static int n_rows(const flx_system *s)
{
    return flx_descriptor_of(s)->switching.nrow;
}

// Values of the switches, then slopes, at a point.
static const double *values_at(const flx_descriptor *d, flx_work *w, const flx_point *p)
{
    (void)flx_eval_begin(d, w, p);
    flx_eval_group(d, w, FLX_GROUP_SWITCH);
    return flx_eval_output(d, w, FLX_GROUP_SWITCH);
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

static flx_status indicate(const flx_system *s, flx_work *w, const flx_point *p, double *value)
{
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

// What a switch is where its value is g; within rounding of a change the side that the time moves
// to.
static double truth(const flx_descriptor *d, const flx_switch *k, double g, double slope, double t)
{
    double near = ROUNDING * fabs(slope * t);
    if (is_whole(k)) return whole(d, k, slope > 0.0 ? g + near : g - near);
    if (slope != 0.0 && fabs(g) <= near) return slope > 0.0;
    return k->kind == FLX_SWITCH_ABOVE ? g > 0.0 : g >= 0.0;
}

// ---- times known beforehand -----------------------------------------------------------------

static double strike(const flx_descriptor *d, const flx_state *x, int event)
{
    const flx_event *e = d->model->events + event;
    if (!(e->every > 0.0)) return HUGE_VAL;
    return e->start + x->switches[d->switching.clock + event] * e->every;
}

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

static double next(const flx_system *s, flx_work *w, const flx_state *x)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    const flx_switching *k = &d->switching;
    const flx_model *m = d->model;
    double t = HUGE_VAL;
    for (int i = 0; i < m->nevent; i++) t = fmin(t, strike(d, x, i));
    if (!k->linear) return t;
    flx_point p = flx_state_point(s, x);
    const double *g = values_at(d, w, &p);
    for (int i = 0; i < m->nswitch; i++) {
        if (k->slope[i] < 0) continue;
        double left =
            time_left(d, m->switches + i, g[i], g[k->slope[i]], x->switches[k->first + i]);
        if (x->t + left < t) t = x->t + left;
    }
    return t;
}

// ---- changes --------------------------------------------------------------------------------

static void change(const flx_system *s, flx_work *w, const flx_state *x, const signed char *changed,
                   double *switches)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    flx_point p = flx_state_point(s, x);
    const double *g = values_at(d, w, &p);
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

// Conditions of events with these switches, into out (nevent).
static void conditions(const flx_descriptor *d, flx_work *w, const flx_state *x,
                       const double *switches, double *out)
{
    flx_point p = flx_state_point(&d->base, x);
    p.switches = switches;
    (void)flx_eval_begin(d, w, &p);
    flx_eval_group(d, w, FLX_GROUP_WHEN);
    const double *when = flx_eval_output(d, w, FLX_GROUP_WHEN);
    for (int i = 0; i < d->model->nevent; i++) {
        int at = d->switching.when[i];
        out[i] = at < 0 ? 0.0 : when[at];
    }
}

// Whether events that do not happen with switch i as it is would with this value.
static bool sets_off(const flx_descriptor *d, flx_work *w, flx_state *x, int i, double value)
{
    double *at = x->switches + d->switching.first + i, was = *at;
    const double *before = w->truth, *after = w->truth + d->model->nevent;
    bool any = false;
    conditions(d, w, x, x->switches, w->truth);
    *at = value;
    conditions(d, w, x, x->switches, w->truth + d->model->nevent);
    *at = was;
    for (int e = 0; e < d->model->nevent; e++) any = any || (after[e] != 0.0 && before[e] == 0.0);
    return any;
}

static void settle(const flx_system *s, flx_work *w, flx_state *x)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    const flx_switching *k = &d->switching;
    const flx_model *m = d->model;
    bool more = m->nswitch > 0;
    // the value of a switch depends on earlier ones: each round settles one more at least
    for (int round = 0; more && round <= m->nswitch; round++) {
        flx_point p = flx_state_point(s, x);
        const double *g = values_at(d, w, &p);
        more = false;
        for (int i = 0; i < m->nswitch; i++) {
            double slope = k->slope[i] < 0 ? 0.0 : g[k->slope[i]];
            double now = truth(d, m->switches + i, g[i], slope, x->t);
            more = more || now != x->switches[k->first + i];
            x->switches[k->first + i] = now;
        }
    }
    // conditions on the time that become true at once have not been: what they set off happens
    flx_point p = flx_state_point(s, x);
    for (int i = 0; i < m->nswitch; i++) {
        if (k->slope[i] < 0 || is_whole(m->switches + i)) continue;
        double *at = x->switches + k->first + i, after = *at;
        *at = truth(d, m->switches + i, values_at(d, w, &p)[i], 0.0, x->t);
        if (*at != after && !sets_off(d, w, x, i, after)) *at = after;
    }
}

static int idle(const flx_system *s, flx_work *w, const flx_state *x, const signed char *changed)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    const flx_model *m = d->model;
    for (int i = 0; i < m->nswitch; i++) {
        if (changed[i] && m->switches[i].acts) return 0;
    }
    conditions(d, w, x, x->switches, w->truth);
    memcpy(w->switches, x->switches, (size_t)s->dims.nswitch * sizeof *w->switches);
    change(s, w, x, changed, w->switches);
    conditions(d, w, x, w->switches, w->truth + m->nevent);
    for (int i = 0; i < m->nevent; i++) {
        if (w->truth[m->nevent + i] != 0.0 && w->truth[i] == 0.0) return 0;
    }
    return 1;
}

// ---- instants -------------------------------------------------------------------------------

static void note_switch(const flx_descriptor *d, int i, flx_happening *h)
{
    const flx_switch *k = d->model->switches + i;
    if (!k->acts) return;
    h->changed = 1;
    h->item = k->item;
    h->loc = k->loc;
}

// Switches that are not as the state is: those of the time by rounding, others where they are off
// by more than they were when they changed.
static void correct(const flx_descriptor *d, flx_work *w, flx_state *x, flx_happening *h)
{
    const flx_switching *k = &d->switching;
    const flx_model *m = d->model;
    bool more = m->nswitch > 0;
    for (int round = 0; more && round <= m->nswitch; round++) {
        flx_point p = flx_state_point(&d->base, x);
        const double *g = values_at(d, w, &p);
        more = false;
        for (int i = 0; i < m->nswitch; i++) {
            const flx_switch *sw = m->switches + i;
            double *at = x->switches + k->first + i;
            double slope = k->slope[i] < 0 ? 0.0 : g[k->slope[i]];
            double now = truth(d, sw, g[i], slope, x->t);
            // one that has just changed is at its border, unless an event has moved it
            bool kept = w->near[i] >= 0.0 && g[i] == w->border[i];
            double near = kept ? w->near[i] : 0.0;
            bool far = k->slope[i] >= 0 || !kept || agreement(d, sw, g[i], *at) < -near;
            if (now == *at || !far) continue;
            *at = now;
            note_switch(d, i, h);
            more = true;
        }
    }
}

// A switch that has just changed, and whose value is on its way back, changes back: a ball that
// leaves the ground is not in it.
static void turn_back(const flx_descriptor *d, flx_work *w, flx_state *x, flx_happening *h)
{
    const flx_switching *k = &d->switching;
    flx_point p = flx_state_point(&d->base, x);
    const double *g = values_at(d, w, &p);
    for (int i = 0; i < d->model->nswitch; i++) {
        const flx_switch *sw = d->model->switches + i;
        double *at = x->switches + k->first + i;
        if (w->near[i] < 0.0 || k->rate[i] < 0 || is_whole(sw)) continue;
        bool border = fabs(g[i]) <= w->near[i];
        if (!border || !((*at != 0.0 ? g[k->rate[i]] : -g[k->rate[i]]) < 0.0)) continue;
        *at = *at == 0.0;
        note_switch(d, i, h);
    }
}

static void add_row(const flx_descriptor *d, const flx_set *set, const double *out,
                    const flx_state *x, flx_happening *h)
{
    int nv = d->base.dims.nv;
    double *Y = h->Y + (size_t)h->nrow * (size_t)nv, sum = 0.0;
    memset(Y, 0, (size_t)nv * sizeof *Y);
    if (set->def->kind == FLX_TARGET_VARIABLE_RATE) {
        Y[d->variable_v + set->def->index] = 1.0;
        h->value[h->nrow++] = out[0];
        return;
    }
    for (int i = 0; i < set->ndep; i++) {
        Y[set->along[i]] = out[2 + i];
        sum += out[2 + i] * x->v[set->along[i]];
    }
    h->value[h->nrow++] = out[0] - (out[1] - sum); // the target may have a part without velocities
}

static void assign(const flx_descriptor *d, const flx_set *set, const double *out, flx_state *x,
                   flx_happening *h)
{
    const flx_assignment *a = set->def;
    switch (a->kind) {
    case FLX_TARGET_VARIABLE:
        x->q[d->variable_q + a->index] = out[0];
        break;
    case FLX_TARGET_VARIABLE_RATE:
        x->v[d->variable_v + a->index] = out[0];
        if (d->base.dims.nlam + d->base.dims.nmu > 0) add_row(d, set, out, x, h);
        break;
    case FLX_TARGET_STATE:
        x->x[a->index] = out[0];
        break;
    case FLX_TARGET_DISCRETE:
        x->switches[d->switching.discrete + a->index] = out[0];
        if (d->switching.discrete_acts) h->changed = 1;
        return;
    case FLX_TARGET_VELOCITY:
        add_row(d, set, out, x, h);
        break;
    }
    h->changed = h->jumped = 1;
}

// One event: its new values come from the state as it is, all together.
static flx_status happen_once(const flx_descriptor *d, flx_work *w, flx_state *x, int i,
                              flx_happening *h)
{
    const flx_event *e = d->model->events + i;
    flx_point p = flx_state_point(&d->base, x);
    (void)flx_eval_begin(d, w, &p);
    flx_eval_group(d, w, FLX_GROUP_SET);
    const double *out = flx_eval_output(d, w, FLX_GROUP_SET);
    for (int k = 0; k < e->nset; k++) {
        const flx_set *set = d->switching.sets[i] + k;
        if (!isfinite(out[set->value])) {
            return FLX_FAIL(d->base.ctx, FLX_NOT_FINITE, set->def->loc,
                            "event '%s' at t = %.9g: the new value is not a number", e->name, x->t);
        }
    }
    for (int k = 0; k < e->nset; k++) {
        const flx_set *set = d->switching.sets[i] + k;
        assign(d, set, out + set->value, x, h);
    }
    x->switches[d->switching.count + i] += 1.0;
    if (d->switching.count_acts) h->changed = 1;
    if (e->stop) h->stop = 1;
    h->item = e->name;
    h->loc = e->loc;
    h->events[h->nevent++] = i;
    return FLX_OK;
}

static bool is_due(const flx_descriptor *d, const flx_state *x, int event)
{
    return strike(d, x, event) <= x->t + ROUNDING * fabs(x->t);
}

// Events whose condition has become true since w->truth was found, and clocks that strike.
static flx_status happen_round(const flx_descriptor *d, flx_work *w, flx_state *x, bool *any,
                               flx_happening *h)
{
    const flx_model *m = d->model;
    double *before = w->truth, *now = w->truth + m->nevent;
    conditions(d, w, x, x->switches, now);
    *any = false;
    for (int i = 0; i < m->nevent; i++) {
        bool due = now[i] != 0.0 && before[i] == 0.0;
        before[i] = now[i];
        for (; is_due(d, x, i); due = true) x->switches[d->switching.clock + i] += 1.0;
        if (!due || h->nevent >= FLX_MOST_HAPPENINGS * m->nevent) continue;
        FLX_TRY(happen_once(d, w, x, i, h));
        *any = true;
    }
    return FLX_OK;
}

static flx_status happen(const flx_system *s, flx_work *w, flx_state *x, const signed char *changed,
                         flx_happening *h)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    const flx_model *m = d->model;
    h->nrow = 0;
    if (!h->again) {
        conditions(d, w, x, x->switches, w->truth);
        for (int i = 0; i < m->nswitch; i++) w->near[i] = -1.0;
    }
    if (changed) {
        change(s, w, x, changed, x->switches);
        flx_point p = flx_state_point(s, x);
        const double *g = values_at(d, w, &p);
        for (int i = 0; i < m->nswitch; i++) {
            if (!changed[i]) continue;
            double off = agreement(d, m->switches + i, g[i], x->switches[d->switching.first + i]);
            w->near[i] = 2.0 * fabs(off);
            w->border[i] = g[i];
            note_switch(d, i, h);
        }
    }
    bool any = true;
    correct(d, w, x, h);
    for (int round = 0; any; round++) {
        FLX_TRY(happen_round(d, w, x, &any, h));
        if (any) correct(d, w, x, h);
        if (h->nrow > 0) return FLX_OK; // velocities first
        if (round < FLX_MOST_HAPPENINGS) continue;
        return FLX_FAIL(s->ctx, FLX_INCONSISTENT, h->loc,
                        "events at t = %.9g set each other off without end; the last was '%s'",
                        x->t, h->item ? h->item : "?");
    }
    turn_back(d, w, x, h);
    return FLX_OK;
}

static const char *indicator_name(const flx_system *s, int i, flx_loc *loc)
{
    const flx_switch *k = flx_descriptor_of(s)->model->switches + i;
    *loc = k->loc;
    return k->item;
}

static const char *event_name(const flx_system *s, int i, flx_loc *loc)
{
    const flx_event *e = flx_descriptor_of(s)->model->events + i;
    *loc = e->loc;
    return e->name;
}

const flx_instants flx_descriptor_instants = {
    .indicators = n_indicators,
    .events = n_events,
    .rows = n_rows,
    .indicate = indicate,
    .next = next,
    .idle = idle,
    .change = change,
    .happen = happen,
    .settle = settle,
    .indicator = indicator_name,
    .event = event_name,
};
