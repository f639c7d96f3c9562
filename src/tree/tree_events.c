// tree_events.c - switches and events of the tree: those of the descriptor inside, at the same motion
// in coordinates of bodies. Switches, discrete values and states are the same numbers in both.
#include "tree/tree_parts.h"

static const flx_event_ops *inner_of(const flx_tree *t)
{
    return t->inner->ops->events;
}

// The state as the descriptor inside sees it.
static flx_state *carried(const flx_system *s, flx_work *work, const flx_state *x)
{
    flx_tree_work *w = flx_tree_work_of(work);
    flx_tree_to_bodies(s, work, x, w->body);
    memcpy(w->body->lam, x->lam, (size_t)s->dims.nlam * sizeof *x->lam);
    memcpy(w->body->mu, x->mu, (size_t)s->dims.nmu * sizeof *x->mu);
    return w->body;
}

static int indicators(const flx_system *s)
{
    const flx_tree *t = flx_tree_of(s);
    return inner_of(t)->indicators(t->inner);
}

static int events(const flx_system *s)
{
    const flx_tree *t = flx_tree_of(s);
    return inner_of(t)->events(t->inner);
}

static int rows(const flx_system *s)
{
    const flx_tree *t = flx_tree_of(s);
    return inner_of(t)->rows(t->inner);
}

static flx_status indicate(const flx_system *s, flx_work *work, const flx_point *p, double *value)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    flx_point b = flx_tree_carry(t, w, p);
    return inner_of(t)->indicate(t->inner, w->inner, &b, value);
}

static double next(const flx_system *s, flx_work *work, const flx_state *x)
{
    const flx_tree *t = flx_tree_of(s);
    const flx_state *b = carried(s, work, x);
    return inner_of(t)->next(t->inner, flx_tree_work_of(work)->inner, b);
}

static int idle(const flx_system *s, flx_work *work, const flx_state *x, const signed char *changed)
{
    const flx_tree *t = flx_tree_of(s);
    const flx_state *b = carried(s, work, x);
    return inner_of(t)->idle(t->inner, flx_tree_work_of(work)->inner, b, changed);
}

static void change(const flx_system *s, flx_work *work, const flx_state *x,
                   const signed char *changed, double *switches)
{
    const flx_tree *t = flx_tree_of(s);
    const flx_state *b = carried(s, work, x);
    inner_of(t)->change(t->inner, flx_tree_work_of(work)->inner, b, changed, switches);
}

// Switches, states and variables after an instant, which changed them in the state of the bodies.
static void take_back(const flx_system *s, flx_tree_work *w, flx_state *x)
{
    const flx_tree *t = flx_tree_of(s);
    const flx_descriptor *d = flx_tree_inner(t);
    const flx_state *b = w->body;
    w->moved.placed = false;
    size_t n = (size_t)t->nvariable;
    memcpy(x->q + t->t.k.nq, b->q + d->variable_q, n * sizeof *x->q);
    memcpy(x->v + t->t.k.nv, b->v + d->variable_v, n * sizeof *x->v);
    memcpy(x->x, b->x, (size_t)s->dims.nx * sizeof *x->x);
    memcpy(x->switches, b->switches, (size_t)s->dims.nswitch * sizeof *x->switches);
}

static flx_status happen(const flx_system *s, flx_work *work, flx_state *x,
                         const signed char *changed, flx_event_report *h)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    flx_state *b = carried(s, work, x);
    double *Y = h->Y;
    h->Y = w->set;
    flx_status status = inner_of(t)->happen(t->inner, w->inner, b, changed, h);
    h->Y = Y;
    for (int i = 0; i < h->nrow; i++) { // rows along bodies become rows along joints
        const double *row = w->set + (size_t)t->inner->dims.nv * (size_t)i;
        flx_tree_pull(t, w, row, Y + (size_t)s->dims.nv * (size_t)i);
    }
    take_back(s, w, x);
    return status;
}

static int judge(const flx_system *s, flx_work *work, const flx_state *x, double *size)
{
    const flx_tree *t = flx_tree_of(s);
    const flx_state *b = carried(s, work, x);
    return inner_of(t)->judge(t->inner, flx_tree_work_of(work)->inner, b, size);
}

static void settle(const flx_system *s, flx_work *work, flx_state *x)
{
    const flx_tree *t = flx_tree_of(s);
    flx_state *b = carried(s, work, x);
    inner_of(t)->settle(t->inner, flx_tree_work_of(work)->inner, b);
    take_back(s, flx_tree_work_of(work), x);
}

static const char *indicator(const flx_system *s, int i, flx_loc *loc)
{
    const flx_tree *t = flx_tree_of(s);
    return inner_of(t)->indicator(t->inner, i, loc);
}

static const char *event(const flx_system *s, int i, flx_loc *loc)
{
    const flx_tree *t = flx_tree_of(s);
    return inner_of(t)->event(t->inner, i, loc);
}

static int reads_forces(const flx_system *s)
{
    const flx_tree *t = flx_tree_of(s);
    return inner_of(t)->reads_forces(t->inner);
}

const flx_event_ops flx_tree_events = {.indicators = indicators,
                                       .events = events,
                                       .rows = rows,
                                       .indicate = indicate,
                                       .next = next,
                                       .idle = idle,
                                       .change = change,
                                       .happen = happen,
                                       .judge = judge,
                                       .settle = settle,
                                       .indicator = indicator,
                                       .event = event,
                                       .reads_forces = reads_forces};

// ---- rows that hold or not ------------------------------------------------------------------------

static int count(const flx_system *s)
{
    const flx_tree *t = flx_tree_of(s);
    return t->inner->ops->contacts->count(t->inner);
}

static void group(const flx_system *s, int i, flx_contact_group *out)
{
    const flx_tree *t = flx_tree_of(s);
    t->inner->ops->contacts->group(t->inner, i, out); // rows and switches have the same numbers
}

static int of_unknown(const flx_system *s, int unknown, int *tangent)
{
    const flx_tree *t = flx_tree_of(s);
    *tangent = -1;
    if (unknown < s->dims.nv) return -1;
    return t->inner->ops->contacts->of_unknown(t->inner, unknown + flx_tree_shift(t), tangent);
}

static flx_status gaps(const flx_system *s, flx_work *work, const flx_point *p, double *gap,
                       double *rate, double *slip)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    flx_point b = flx_tree_carry(t, w, p);
    return t->inner->ops->contacts->gaps(t->inner, w->inner, &b, gap, rate, slip);
}

static flx_status limits(const flx_system *s, flx_work *work, const flx_point *p, double *limit)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    flx_point b = flx_tree_carry(t, w, p);
    const flx_contacts *of = t->inner->ops->contacts;
    if (of->limits) return of->limits(t->inner, w->inner, &b, limit);
    for (int i = 0; i < of->count(t->inner); i++) limit[i] = HUGE_VAL;
    return FLX_OK;
}

const flx_contacts flx_tree_contacts = {
    .count = count, .group = group, .of_unknown = of_unknown, .gaps = gaps, .limits = limits};
