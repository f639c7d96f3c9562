// wrapper.c - operations that a wrapper leaves to its base, and its life.
#include "system/wrapper.h"

#include "math/pattern.h"
#include "math/plans.h"

#include <math.h>
#include <string.h>

// ---- chart and constraints -------------------------------------------------------------------------------

static void retract(const flx_system *s, const double *q, const double *theta, double *out)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    base->ops->retract(base, q, theta, out);
}

static void difference(const flx_system *s, const double *q0, const double *q1, double *theta)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    base->ops->difference(base, q0, q1, theta);
}

static void chart_velocity(const flx_system *s, const double *th, const double *dth, double *v)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    base->ops->velocity(base, th, dth, v);
}

static void chart_rate(const flx_system *s, const double *th, const double *v, double *dth)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    base->ops->rate(base, th, v, dth);
}

static void chart_velocity_t(const flx_system *s, const double *th, const double *u, double *out)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    base->ops->velocity_t(base, th, u, out);
}

static void chart_rate_t(const flx_system *s, const double *th, const double *u, double *out)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    base->ops->rate_t(base, th, u, out);
}

static void velocity_slope_t(const flx_system *s, const double *th, const double *dth,
                             const double *u, double *out)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    base->ops->velocity_slope_t(base, th, dth, u, out);
}

static void component_rate(const flx_system *s, const double *q, const double *v, double *dq)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    base->ops->components->rate(base, q, v, dq);
}

static void component_velocity(const flx_system *s, const double *q, const double *dq, double *v)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    base->ops->components->velocity(base, q, dq, v);
}

static void component_normalise(const flx_system *s, double *q)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    base->ops->components->normalise(base, q);
}

static const flx_components components = {component_rate, component_velocity, component_normalise};

static flx_status constraint_rate(const flx_system *s, flx_work *w, const flx_point *p, double *gd)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    return base->ops->constraint_rate(base, flx_wrapper_inner(w), p, gd);
}

static flx_status constraint_force(const flx_system *s, flx_work *w, const flx_point *p,
                                   const double *eta, double *out)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    return base->ops->constraint_force(base, flx_wrapper_inner(w), p, eta, out);
}

static flx_status constraint_bias(const flx_system *s, flx_work *w, const flx_point *p,
                                  double *bias)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    return base->ops->constraint_bias(base, flx_wrapper_inner(w), p, bias);
}

static flx_status constraint_slope(const flx_system *s, flx_work *w, const flx_point *p,
                                   const double *theta, double *out)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    return base->ops->constraint_slope(base, flx_wrapper_inner(w), p, theta, out);
}

// ---- states and instants ------------------------------------------------------------------------

// The state as the base sees it: arrays are shared.
static flx_state base_state(const flx_system *s, flx_work *w, const flx_state *x)
{
    const flx_wrapper *z = flx_wrapper_of(s);
    flx_state y = *x;
    if (z->state) z->state(s, w, &y);
    return y;
}

static void accept(const flx_system *s, flx_work *w, flx_state *x)
{
    const flx_wrapper *z = flx_wrapper_of(s);
    flx_state y = base_state(s, w, x);
    z->base->ops->accept(z->base, flx_wrapper_inner(w), &y);
}

static double longest_step(const flx_system *s, flx_work *w, const flx_state *x)
{
    const flx_wrapper *z = flx_wrapper_of(s);
    flx_state y = base_state(s, w, x);
    return z->base->ops->longest_step(z->base, flx_wrapper_inner(w), &y);
}

static int indicators(const flx_system *s)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    return base->ops->events->indicators(base);
}

static int events(const flx_system *s)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    return base->ops->events->events(base);
}

static int rows(const flx_system *s)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    return base->ops->events->rows(base);
}

static flx_status indicate(const flx_system *s, flx_work *w, const flx_point *p, double *value)
{
    const flx_wrapper *z = flx_wrapper_of(s);
    flx_point at = *p;
    if (z->point) z->point(s, w, &at);
    return z->base->ops->events->indicate(z->base, flx_wrapper_inner(w), &at, value);
}

static double next(const flx_system *s, flx_work *w, const flx_state *x)
{
    const flx_wrapper *z = flx_wrapper_of(s);
    flx_state y = base_state(s, w, x);
    return z->base->ops->events->next(z->base, flx_wrapper_inner(w), &y);
}

static int idle(const flx_system *s, flx_work *w, const flx_state *x, const signed char *changed)
{
    const flx_wrapper *z = flx_wrapper_of(s);
    flx_state y = base_state(s, w, x);
    return z->base->ops->events->idle(z->base, flx_wrapper_inner(w), &y, changed);
}

static void change(const flx_system *s, flx_work *w, const flx_state *x, const signed char *changed,
                   double *switches)
{
    const flx_wrapper *z = flx_wrapper_of(s);
    flx_state y = base_state(s, w, x);
    z->base->ops->events->change(z->base, flx_wrapper_inner(w), &y, changed, switches);
}

static flx_status happen(const flx_system *s, flx_work *w, flx_state *x, const signed char *changed,
                         flx_event_report *h)
{
    const flx_wrapper *z = flx_wrapper_of(s);
    flx_state y = base_state(s, w, x);
    return z->base->ops->events->happen(z->base, flx_wrapper_inner(w), &y, changed, h);
}

static int judge(const flx_system *s, flx_work *w, const flx_state *x, double *size)
{
    const flx_wrapper *z = flx_wrapper_of(s);
    flx_state y = base_state(s, w, x);
    return z->base->ops->events->judge(z->base, flx_wrapper_inner(w), &y, size);
}

static void settle(const flx_system *s, flx_work *w, flx_state *x)
{
    const flx_wrapper *z = flx_wrapper_of(s);
    flx_state y = base_state(s, w, x);
    z->base->ops->events->settle(z->base, flx_wrapper_inner(w), &y);
}

static const char *indicator(const flx_system *s, int i, flx_loc *loc)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    return base->ops->events->indicator(base, i, loc);
}

static const char *event(const flx_system *s, int i, flx_loc *loc)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    return base->ops->events->event(base, i, loc);
}

static int reads_forces(const flx_system *s)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    const flx_event_ops *k = base->ops->events;
    return k->reads_forces ? k->reads_forces(base) : 0;
}

static const flx_event_ops instants = {
    .indicators = indicators,
    .events = events,
    .rows = rows,
    .indicate = indicate,
    .next = next,
    .idle = idle,
    .change = change,
    .happen = happen,
    .judge = judge,
    .settle = settle,
    .reads_forces = reads_forces,
    .indicator = indicator,
    .event = event,
};

static void unknown(const flx_system *s, int i, flx_unknown *u)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    base->ops->unknown(base, i, u);
}

// ---- made ---------------------------------------------------------------------------------------

static void destroy(flx_system *s)
{
    flx_wrapper *z = (flx_wrapper *)s;
    if (!z) return;
    if (!z->borrowed) flx_system_destroy(&z->base);
    if (!z->compiled) flx_plans_destroy(&z->sys.pattern.plans);
    flx_arena_destroy(&z->arena);
    flx_free(z);
}

// Numbers of its own that follow from those of the base.
static flx_status renew(flx_wrapper *z)
{
    z->sys.param = z->base->param;
    return z->renew ? z->renew(z) : FLX_OK;
}

static flx_status set_parameters(flx_system *s, const double *p)
{
    flx_wrapper *z = (flx_wrapper *)s;
    size_t bytes = (size_t)s->nparameter * sizeof *p;
    bool same = s->nparameter == 0 || memcmp(s->param + s->first_parameter, p, bytes) == 0;
    if (z->frozen && !same) {
        return FLX_FAIL(s->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "%s is found with the parameters that the model was compiled with: "
                        "compile again with other ones",
                        z->frozen);
    }
    flx_status status = flx_system_set_parameters(z->base, p);
    flx_status own = renew(z);
    return status != FLX_OK ? status : own;
}

static flx_status parameter_slope(const flx_system *s, flx_work *w, const flx_point *at, int k,
                                  double *out)
{
    const flx_wrapper *z = flx_wrapper_of(s);
    if (z->frozen) {
        return FLX_FAIL(s->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "%s is found with the parameters that the model was compiled with: "
                        "there are no slopes by them",
                        z->frozen);
    }
    return flx_twin_slope(s, &((flx_wrapper_work *)w)->twin, at, k, out);
}

static flx_status own_arrays(flx_wrapper *z)
{
    if (!z->own) return FLX_OK;
    z->arena = flx_arena_create(z->sys.ctx);
    return z->arena ? z->own(z) : FLX_ERR_MEMORY;
}

static flx_status instance(const flx_system *s, flx_ctx *ctx, flx_system **own)
{
    const flx_wrapper *from = flx_wrapper_of(s);
    flx_wrapper *z = flx_alloc(ctx, 1, from->size);
    if (!z) return FLX_ERR_MEMORY;
    memcpy(z, from, from->size);
    z->sys.ctx = ctx;
    z->sys.ops = &z->ops;
    z->compiled = from->compiled ? from->compiled : from;
    z->arena = NULL;
    flx_status status = flx_system_instance(from->base, ctx, &z->base);
    if (status == FLX_OK) status = own_arrays(z);
    if (status != FLX_OK) {
        destroy(&z->sys);
        return status;
    }
    z->sys.param = z->base->param;
    *own = &z->sys;
    return FLX_OK;
}

static void init(flx_wrapper *z, const char *name, flx_system *base)
{
    const flx_system_ops *b = base->ops;
    z->base = base;
    z->sys.ctx = base->ctx;
    z->sys.dims = base->dims;
    z->sys.param = base->param;
    z->sys.nparameter = base->nparameter;
    z->sys.first_parameter = base->first_parameter;
    z->sys.title = base->title;
    z->sys.reads_multipliers = base->reads_multipliers;
    z->sys.ops = &z->ops;
    z->ops = (flx_system_ops){
        .name = name,
        .retract = retract,
        .difference = difference,
        .velocity = chart_velocity,
        .rate = chart_rate,
        .velocity_t = chart_velocity_t,
        .rate_t = chart_rate_t,
        .velocity_slope_t = b->velocity_slope_t ? velocity_slope_t : NULL,
        .constraint_rate = b->constraint_rate ? constraint_rate : NULL,
        .constraint_force = b->constraint_force ? constraint_force : NULL,
        .constraint_bias = b->constraint_bias ? constraint_bias : NULL,
        .constraint_slope = b->constraint_slope ? constraint_slope : NULL,
        .components = b->components ? &components : NULL,
        .events = b->events ? &instants : NULL,
        .accept = b->accept ? accept : NULL,
        .longest_step = b->longest_step ? longest_step : NULL,
        .unknown = unknown,
        .work_destroy = flx_wrapper_work_destroy,
        .work_memory = flx_wrapper_work_memory,
        .destroy = destroy,
        .instance = b->instance ? instance : NULL,
        .set_parameters = b->set_parameters ? set_parameters : NULL,
        .parameter_slope = b->parameter_slope ? parameter_slope : NULL,
    };
}

void *flx_wrapper_create_beside(const flx_system *base, const char *name, size_t size)
{
    flx_wrapper *z = flx_alloc(base->ctx, 1, size);
    if (!z) return NULL;
    init(z, name, (flx_system *)base);
    z->borrowed = true;
    z->size = size;
    z->arena = flx_arena_create(base->ctx);
    if (z->arena) return z;
    destroy(&z->sys);
    return NULL;
}

void *flx_wrapper_create(flx_system *base, const char *name, size_t size)
{
    flx_wrapper *z = flx_wrapper_create_beside(base, name, size);
    if (!z) flx_system_destroy(&base);
    if (z) z->borrowed = false;
    return z;
}

// Which velocities follow from others changes where a contact opens or closes.
static flx_status refuse_contacts(const flx_wrapper *z)
{
    const flx_contacts *c = z->base->ops->contacts;
    const flx_touches *t = z->base->ops->touches;
    flx_loc loc;
    if (t) {
        const char *item = t->item(z->base, 0, &loc);
        return FLX_FAIL(z->sys.ctx, FLX_ERR_CANNOT, loc,
                        "a reduction (%s) does not take '%s', which opens and closes: leave the "
                        "reduction out, or give the contact a compliant law",
                        z->ops.name, item);
    }
    if (!c || c->count(z->base) == 0) return FLX_OK;
    flx_contact_group g;
    c->group(z->base, 0, &g);
    return FLX_FAIL(z->sys.ctx, FLX_ERR_CANNOT, g.loc,
                    "a reduction (%s) does not take '%s', which opens and closes: leave the "
                    "reduction out, or give the contact a compliant law",
                    z->ops.name, g.item ? g.item : "?");
}

flx_status flx_wrapper_finish(flx_wrapper *z, flx_status status, flx_system **s)
{
    if (status == FLX_OK) status = refuse_contacts(z);
    if (status == FLX_OK) {
        z->sys.pattern.plans = flx_plans_create(z->sys.ctx);
        if (!z->sys.pattern.plans) status = FLX_ERR_MEMORY;
    }
    if (status == FLX_OK) {
        *s = &z->sys;
    } else {
        destroy(&z->sys);
    }
    return status;
}

flx_status flx_wrapper_make_pattern(flx_wrapper *z, int n, long long *keys, int **entry)
{
    const flx_pattern *p = &z->base->pattern;
    flx_pattern *here = &z->sys.pattern;
    int *own = *entry = flx_arena_take(z->arena, (size_t)p->row[p->nblock], sizeof *own);
    if (!own) return FLX_ERR_MEMORY;
    FLX_TRY(flx_pattern_make(z->arena, p->nblock, p->start, n, keys, here));
    here->pair = p->pair;
    for (int bi = 0; bi < p->nblock; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            own[e] = flx_pattern_find(here, bi, p->col[e]);
        }
    }
    return FLX_OK;
}

void flx_wrapper_copy_entry(const flx_wrapper *z, const flx_blocks *from, int e, int to,
                            flx_blocks *b)
{
    const flx_pattern *there = &z->base->pattern;
    size_t at = (size_t)there->offset[e], here = (size_t)z->sys.pattern.offset[to];
    size_t n = (size_t)(there->offset[e + 1] - there->offset[e]) * sizeof(double);
    memcpy(b->A0 + here, from->A0 + at, n);
    memcpy(b->A1 + here, from->A1 + at, n);
    memcpy(b->A2 + here, from->A2 + at, n);
}

// ---- work ---------------------------------------------------------------------------------------

void *flx_wrapper_work_create(const flx_system *s, size_t size)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    flx_wrapper_work *w = flx_alloc(s->ctx, 1, size);
    if (!w) return NULL;
    w->base.system = s;
    w->inner = base->ops->work_create(base);
    w->arena = flx_arena_create(s->ctx);
    if (w->inner && w->arena) return w;
    flx_wrapper_work_destroy(&w->base);
    return NULL;
}

void flx_wrapper_work_destroy(flx_work *work)
{
    flx_wrapper_work *w = (flx_wrapper_work *)work;
    if (!w) return;
    if (w->inner) w->inner->system->ops->work_destroy(w->inner);
    flx_index1_destroy(&w->index1);
    flx_twin_clear(&w->twin);
    flx_arena_destroy(&w->arena);
    flx_free(w);
}

void flx_wrapper_work_memory(flx_work *work, flx_memory *m)
{
    flx_wrapper_work *w = (flx_wrapper_work *)work;
    const flx_system_ops *inner = w->inner->system->ops;
    if (inner->work_memory) inner->work_memory(w->inner, m);
    if (w->index1) flx_index1_memory(w->index1, m);
}

// ---- plain coordinates --------------------------------------------------------------------------

static int find_place(const flx_system *s, const double *q, double *theta, double *moved, int i)
{
    int place = -1;
    theta[i] = 1.0;
    s->ops->retract(s, q, theta, moved);
    theta[i] = 0.0;
    for (int k = 0; k < s->dims.nq; k++) {
        if (moved[k] == q[k] || isnan(moved[k])) continue; // quaternions of zeros are no rotations
        if (place >= 0 || moved[k] - q[k] != 1.0) return -1;
        place = k;
    }
    return place;
}

flx_status flx_wrapper_places(const flx_wrapper *z, int n, const int *J, int *place)
{
    const flx_system *inner = flx_wrapper_innermost(z->base);
    flx_state *x = NULL;
    double *theta = flx_arena_take(z->arena, (size_t)inner->dims.nv, sizeof *theta);
    double *moved = flx_arena_take(z->arena, (size_t)inner->dims.nq, sizeof *moved);
    if (!theta || !moved) return FLX_ERR_MEMORY;
    FLX_TRY(flx_state_create(inner, &x));
    for (int i = 0; i < n; i++) place[i] = find_place(inner, x->q, theta, moved, J[i]);
    flx_state_destroy(&x);
    return FLX_OK;
}

flx_status flx_wrapper_plain(const flx_wrapper *z, int n, const int *J, bool *plain)
{
    int *place = flx_arena_take(z->arena, (size_t)n, sizeof *place);
    if (!place) return FLX_ERR_MEMORY;
    FLX_TRY(flx_wrapper_places(z, n, J, place));
    *plain = true;
    for (int i = 0; i < n; i++) *plain = *plain && place[i] >= 0;
    return FLX_OK;
}

// ---- which --------------------------------------------------------------------------------------

int flx_wrapper_is(const flx_system *s)
{
    return s->ops->velocity_t == chart_velocity_t;
}

const char *flx_wrapper_frozen(const flx_system *s)
{
    while (flx_wrapper_is(s)) {
        if (flx_wrapper_of(s)->frozen) return flx_wrapper_of(s)->frozen;
        s = flx_wrapper_of(s)->base;
    }
    return NULL;
}

const flx_system *flx_wrapper_innermost(const flx_system *s)
{
    while (flx_wrapper_is(s)) s = flx_wrapper_of(s)->base;
    return s;
}

const flx_system *flx_wrapper_base(const flx_system *s, flx_work **w, flx_state *x)
{
    while (flx_wrapper_is(s)) {
        *x = base_state(s, *w, x);
        *w = flx_wrapper_inner(*w);
        s = flx_wrapper_of(s)->base;
    }
    return s;
}
