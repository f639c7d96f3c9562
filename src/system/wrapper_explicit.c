// wrapper_explicit.c - z' = F(t, z), z = (q, v, x), of wrappers that leave every velocity an inertia:
// accelerations with algebraic unknowns and multipliers by (IDX-1), projections by the base.
#include "base/common.h"
#include "system/pack.h"
#include "system/wrapper.h"

static flx_wrapper_work *work_of(flx_work *w)
{
    return (flx_wrapper_work *)w;
}

static flx_status prepare(const flx_system *s, flx_work *w)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    const flx_explicit *form = base->ops->explicit_form;
    if (work_of(w)->index1) return FLX_OK;
    if (form->prepare) FLX_TRY(form->prepare(base, flx_wrapper_inner(w)));
    return flx_index1_create(s, &work_of(w)->index1);
}

static flx_status rate(const flx_system *s, flx_work *w, double t, const double *z, flx_state *x,
                       double *dz)
{
    long residuals = 0, linearisations = 0; // the method counts calls of this function
    FLX_TRY(prepare(s, w));
    flx_unpack(s, t, z, x);
    FLX_TRY(flx_index1_solve(work_of(w)->index1, w, x, &residuals, &linearisations));
    return flx_pack_rate(s, x, z, dz);
}

static flx_status project(const flx_system *s, flx_work *w, double t, double *z, flx_state *x,
                          double *moved_q, double *moved_v)
{
    const flx_system *base = flx_wrapper_of(s)->base;
    return base->ops->explicit_form->project(base, flx_wrapper_inner(w), t, z, x, moved_q, moved_v);
}

static int worst(const flx_system *s, const flx_work *w)
{
    const flx_wrapper_work *k = (const flx_wrapper_work *)w;
    (void)s;
    return k->index1 ? flx_index1_worst(k->index1) : -1;
}

static const flx_explicit form = {.size = flx_pack_size,
                                  .prepare = prepare,
                                  .pack = flx_pack,
                                  .unpack = flx_unpack,
                                  .rate = rate,
                                  .project = project,
                                  .worst = worst};

const flx_explicit *flx_wrapper_explicit(const flx_wrapper *z)
{
    const flx_system_ops *b = z->base->ops;
    bool plain = b->explicit_form && !b->explicit_form->fill && b->components;
    return plain ? &form : NULL;
}
