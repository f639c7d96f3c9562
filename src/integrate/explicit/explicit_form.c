// explicit_form.c - asking a system for z' = F(t, z).
#include "integrate/explicit/explicit_form.h"

flx_status flx_explicit_open(flx_integrator *it)
{
    const flx_system *s = it->sys;
    const flx_formulation f = it->def.formulation;
    if (!s->ops->explicit_form) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "method '%s' needs explicit accelerations; system '%s' has none",
                        it->type->name, s->ops->name);
    }
    if (f != FLX_FORMULATION_AUTO && f != FLX_FORMULATION_INDEX1) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "method '%s' is explicit and solves formulation index-1 only; radau "
                        "and generalized-alpha take the constraints as they are",
                        it->type->name);
    }
    flx_method_ignores_newton_tolerance(it);
    if (!s->ops->explicit_form->prepare) return FLX_OK;
    return s->ops->explicit_form->prepare(s, it->work);
}

flx_status flx_explicit_pack(const flx_integrator *it, const flx_state *x, double *z)
{
    const flx_explicit *e = it->sys->ops->explicit_form;
    e->pack(it->sys, x, z);
    return e->fill ? e->fill(it->sys, it->work, x, z) : FLX_OK;
}

bool flx_explicit_projects(const flx_integrator *it)
{
    const flx_dims *n = &it->sys->dims;
    return (n->nlam + n->nmu > 0 || n->nq > n->nv) && !it->def.drift;
}

int flx_explicit_worst(const flx_integrator *it)
{
    const flx_explicit *e = it->sys->ops->explicit_form;
    return e->worst ? e->worst(it->sys, it->work) : -1;
}
