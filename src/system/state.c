// state.c - what every system shares: its end, and states of its size.
#include "base/checkpoint_walk.h"
#include "base/common.h"
#include "base/refuse.h"
#include "flexion/extend/system_table.h"

#include <string.h>

void flx_system_destroy(flx_system **s)
{
    if (!s || !*s) return;
    struct flx_plan *plan = (*s)->plan;
    if (plan) {
        (*s)->plan_destroy(&plan); // with the system, when its last run has ended
    } else {
        (*s)->ops->destroy(*s);
    }
    *s = NULL;
}

flx_status flx_system_instance(const flx_system *s, flx_ctx *ctx, flx_system **own)
{
    if (!s || !ctx || !own) return flx_refuse_null(ctx, __func__);
    *own = NULL;
    if (s->ops->instance) {
        flx_status status = s->ops->instance(s, ctx, own);
        if (status == FLX_OK) (*own)->plan = NULL; // that of s
        return status;
    }
    return FLX_FAIL(ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                    "a system '%s' cannot be shared: it has no instances, and is used by one run",
                    s->ops->name);
}

flx_status flx_system_set_parameters(flx_system *own, const double *p)
{
    if (!own) return flx_refuse_null(NULL, __func__);
    if (own->ops->set_parameters) return own->ops->set_parameters(own, p);
    return FLX_FAIL(own->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                    "a system '%s' has no parameters that can be set", own->ops->name);
}

flx_status flx_system_parameter_slope(const flx_system *s, flx_work *w, const flx_point *at, int k,
                                      double *out)
{
    if (!s) return flx_refuse_null(NULL, __func__);
    if (k < 0 || k >= s->nparameter) {
        return FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "there is no parameter %d", k);
    }
    if (s->ops->parameter_slope) return s->ops->parameter_slope(s, w, at, k, out);
    return FLX_FAIL(s->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                    "a system '%s' has no slopes by parameters", s->ops->name);
}

// Number of doubles in a state.
static size_t state_size(const flx_dims *d)
{
    return (size_t)d->nq + 2 * (size_t)d->nv + 2 * (size_t)d->nx + (size_t)d->nw + (size_t)d->nlam +
           (size_t)d->nmu + (size_t)d->nswitch;
}

// The next n numbers of the block.
static double *cut(double **next, int n)
{
    double *p = *next;
    *next += n;
    return p;
}

flx_status flx_state_create(const flx_system *s, flx_state **x)
{
    if (!s || !x) return flx_refuse_null(NULL, __func__);
    const flx_dims *d = &s->dims;
    *x = NULL;
    flx_state *y = flx_alloc(s->ctx, 1, sizeof *y);
    if (!y) return FLX_ERR_MEMORY;
    y->size = state_size(d);
    y->block = flx_alloc(s->ctx, y->size, sizeof *y->block);
    if (!y->block) {
        flx_free(y);
        return FLX_ERR_MEMORY;
    }
    double *next = y->block;
    y->q = cut(&next, d->nq);
    y->v = cut(&next, d->nv);
    y->a = cut(&next, d->nv);
    y->x = cut(&next, d->nx);
    y->dx = cut(&next, d->nx);
    y->w = cut(&next, d->nw);
    y->lam = cut(&next, d->nlam);
    y->mu = cut(&next, d->nmu);
    y->switches = cut(&next, d->nswitch);
    *x = y;
    return FLX_OK;
}

void flx_state_destroy(flx_state **x)
{
    if (!x || !*x) return;
    flx_free((*x)->block);
    flx_free(*x);
    *x = NULL;
}

void flx_state_copy(flx_state *to, const flx_state *from)
{
    if (!to || !from) return;
    FLX_ASSERT(to->size == from->size); // of one system
    to->t = from->t;
    memcpy(to->block, from->block, from->size * sizeof *from->block);
}

flx_point flx_state_point(const flx_system *s, const flx_state *x)
{
    if (!s || !x) return (flx_point){0};
    return (flx_point){.t = x->t,
                       .q = x->q,
                       .v = x->v,
                       .a = x->a,
                       .x = x->x,
                       .dx = x->dx,
                       .w = x->w,
                       .lam = x->lam,
                       .mu = x->mu,
                       .param = s->param,
                       .switches = x->switches};
}

void flx_state_memory(flx_state *x, flx_memory *m)
{
    FLX_PASS(m, x->t);
    flx_memory_numbers(m, x->block, x->size);
}
