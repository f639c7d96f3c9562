// descriptor_events.c - events of the model at instants (docs/theory/events.md).
//
// The switches of a state are: turns of joints, switches of expressions (descriptor_switches.c),
// discrete variables, counts of events, strikes of clocks, points of compliant contacts (descriptor_watches.c).
#include "descriptor/descriptor_parts.h"

#include <float.h>

// Times within rounding of each other: some operations on numbers of their size.
#define ROUNDING (16 * DBL_EPSILON)
#define CLOCK_SLACK 1e-9 // of a period: a strike that is due now

// ---- plan -----------------------------------------------------------------------------------

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
        const flx_expr_group *g = d->expr.group + i;
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

flx_status flx_descriptor_events_plan(flx_descriptor *d)
{
    const flx_model *m = d->model;
    flx_switching *k = &d->switching;
    if (d->whole) {
        flx_select_events(d);
        return FLX_OK;
    }
    for (int i = 0; i < m->nstick; i++) {
        FLX_TRY(flx_expr_add(d, FLX_GROUP_LIMIT, m->sticks[i].limit, NULL));
    }
    k->first = d->nturn;
    k->discrete = k->first + m->nswitch;
    k->count = k->discrete + m->ndiscrete;
    k->clock = k->count + m->nevent;
    k->watch = k->clock + m->nevent;
    d->base.dims.nswitch = k->watch + 2 * flx_watches_count(d);
    if (k->watch == d->nturn) return FLX_OK;
    FLX_TRY(find_acting(d));
    k->when = flx_arena_take(d->arena, (size_t)m->nevent, sizeof *k->when);
    k->sets = flx_arena_take(d->arena, (size_t)m->nevent, sizeof *k->sets);
    if (!k->when || !k->sets) return FLX_ERR_MEMORY;
    FLX_TRY(flx_switches_plan(d));
    for (int i = 0; i < m->nevent; i++) FLX_TRY(plan_event(d, i));
    return FLX_OK;
}

void flx_descriptor_events_start(const flx_descriptor *d, flx_state *x)
{
    const flx_model *m = d->model;
    for (int i = 0; i < m->ndiscrete; i++) {
        x->switches[d->switching.discrete + i] = m->discretes[i].at;
    }
}

int flx_descriptor_first_discrete(const flx_system *s)
{
    return flx_descriptor_of(s)->switching.discrete;
}

// ---- values ---------------------------------------------------------------------------------

static int n_indicators(const flx_system *s)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    return d->model->nswitch + flx_watches_count(d);
}

static flx_status indicate(const flx_system *s, flx_work *work, const flx_point *p, double *value)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    if (d->model->nswitch > 0) FLX_TRY(flx_switches_indicate(s, &w->base, p, value));
    flx_watches_indicate(d, w, p, value + d->model->nswitch);
    return FLX_OK;
}

static int n_events(const flx_system *s)
{
    return flx_descriptor_of(s)->model->nevent;
}

static int n_rows(const flx_system *s)
{
    return flx_descriptor_of(s)->switching.nrow;
}

// ---- times known beforehand -----------------------------------------------------------------

static double strike(const flx_descriptor *d, const flx_state *x, int event)
{
    const flx_event *e = d->model->events + event;
    if (!(e->every > 0.0)) return HUGE_VAL;
    return e->start + x->switches[d->switching.clock + event] * e->every;
}

// A clock that struck on time has done so once at most per period; with another period it is set to its next strike.
flx_status flx_descriptor_resume(const flx_system *s, flx_state *x)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    for (int i = 0; i < d->model->nevent; i++) {
        const flx_event *e = d->model->events + i;
        if (!(e->every > 0.0)) continue;
        double slack = CLOCK_SLACK * e->every, at = strike(d, x, i);
        bool due = at >= x->t - slack && (at <= x->t + e->every + slack || at <= e->start);
        if (due) continue;
        x->switches[d->switching.clock + i] = fmax(ceil((x->t - slack - e->start) / e->every), 0.0);
    }
    return FLX_OK;
}

static double next(const flx_system *s, flx_work *work, const flx_state *x)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    double t = HUGE_VAL;
    for (int i = 0; i < d->model->nevent; i++) t = fmin(t, strike(d, x, i));
    return fmin(t, flx_switches_next(d, w, x));
}

// ---- changes --------------------------------------------------------------------------------

void flx_event_conditions(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x,
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

static void change(const flx_system *s, flx_work *work, const flx_state *x,
                   const signed char *changed, double *switches)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    if (d->model->nswitch > 0) flx_switches_change(s, &w->base, x, changed, switches);
    flx_watches_change(d, w, x, changed + d->model->nswitch, switches);
}

static int idle(const flx_system *s, flx_work *work, const flx_state *x, const signed char *changed)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    const flx_model *m = d->model;
    if (!flx_watches_idle(d, x, changed + m->nswitch)) return 0;
    for (int i = 0; i < m->nswitch; i++) {
        if (changed[i] && m->switches[i].acts) return 0;
    }
    flx_event_conditions(d, w, x, x->switches, w->truth);
    memcpy(w->switches, x->switches, (size_t)s->dims.nswitch * sizeof *w->switches);
    flx_switches_change(s, &w->base, x, changed, w->switches);
    flx_event_conditions(d, w, x, w->switches, w->truth + m->nevent);
    for (int i = 0; i < m->nevent; i++) {
        if (w->truth[m->nevent + i] != 0.0 && w->truth[i] == 0.0) return 0;
    }
    return 1;
}

// ---- instants -------------------------------------------------------------------------------

static void add_row(const flx_descriptor *d, const flx_set *set, const double *out,
                    const flx_state *x, flx_event_report *h)
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
                   flx_event_report *h)
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
static flx_status happen_once(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x, int i,
                              flx_event_report *h)
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
static flx_status happen_round(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x,
                               bool *any, flx_event_report *h)
{
    const flx_model *m = d->model;
    double *before = w->truth, *now = w->truth + m->nevent;
    flx_event_conditions(d, w, x, x->switches, now);
    *any = false;
    for (int i = 0; i < m->nevent; i++) {
        bool due = now[i] != 0.0 && before[i] == 0.0;
        before[i] = now[i];
        for (; is_due(d, x, i); due = true) x->switches[d->switching.clock + i] += 1.0;
        if (!due || h->nevent >= FLX_MOST_EVENT_ROUNDS * m->nevent) continue;
        FLX_TRY(happen_once(d, w, x, i, h));
        *any = true;
    }
    return FLX_OK;
}

static flx_status happen(const flx_system *s, flx_work *work, flx_state *x,
                         const signed char *changed, flx_event_report *h)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    h->nrow = 0;
    if (!h->again) {
        flx_event_conditions(d, w, x, x->switches, w->truth);
        flx_switches_begin(d, w, x, changed);
        if (changed) flx_watches_happen(d, w, x, changed + d->model->nswitch, h);
    }
    bool any = true;
    flx_switches_decide(d, w, x, h);
    for (int round = 0; any; round++) {
        FLX_TRY(happen_round(d, w, x, &any, h));
        if (any) flx_switches_decide(d, w, x, h);
        if (h->nrow > 0) return FLX_OK; // velocities first
        if (round < FLX_MOST_EVENT_ROUNDS) continue;
        return FLX_FAIL(s->ctx, FLX_INCONSISTENT, h->loc,
                        "events at t = %.9g set each other off without end; the last was '%s'",
                        x->t, h->item ? h->item : "?");
    }
    flx_switches_turn_back(d, w, x, h);
    return FLX_OK;
}

static int judge(const flx_system *s, flx_work *work, const flx_state *x, double *size)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    int n = d->model->nswitch, wrong = n > 0 ? flx_switches_judge(s, &w->base, x, size) : -1;
    int watch = flx_watches_judge(d, w, x, size + n);
    return wrong >= 0 || watch < 0 ? wrong : n + watch;
}

static void settle(const flx_system *s, flx_work *work, flx_state *x)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    flx_switches_settle(s, &w->base, x);
    flx_watches_settle(flx_descriptor_of(s), w, x);
}

static const char *indicator_name(const flx_system *s, int i, flx_loc *loc)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    const flx_contact_point *of;
    (void)flx_contacts_points(d, &of);
    if (i >= d->model->nswitch) {
        const flx_contact *c = d->model->contacts + of[i - d->model->nswitch].contact;
        *loc = c->loc;
        return c->name;
    }
    const flx_switch *k = d->model->switches + i;
    *loc = k->loc;
    return k->item;
}

static const char *event_name(const flx_system *s, int i, flx_loc *loc)
{
    const flx_event *e = flx_descriptor_of(s)->model->events + i;
    *loc = e->loc;
    return e->name;
}

static int reads_forces(const flx_system *s)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    return d->switching.reads_forces;
}

const flx_event_ops flx_descriptor_events = {
    .indicators = n_indicators,
    .events = n_events,
    .rows = n_rows,
    .indicate = indicate,
    .next = next,
    .idle = idle,
    .change = change,
    .happen = happen,
    .judge = judge,
    .settle = settle,
    .reads_forces = reads_forces,
    .indicator = indicator_name,
    .event = event_name,
};
