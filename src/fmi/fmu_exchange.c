// fmu_exchange.c - whether a model is one for model exchange.
#include "fmi/fmu_exchange.h"

const char *flx_fmu_not_exchanged(const flx_run *run)
{
    const flx_system *s = run->sim->sys;
    if (!s->ops->explicit_form) {
        return "the equations of this model have no explicit form z' = F(t, z): export it for "
               "co-simulation";
    }
    if (flx_fmu_is_constrained(run) && !s->ops->explicit_form->project) {
        return "the model has constraints that its equations cannot lead back to after the steps "
               "of another program: export it for co-simulation";
    }
    if (s->ops->contacts || s->ops->touches) {
        return "the model has contacts that collide, which its own method has to meet: export it "
               "for co-simulation";
    }
    if (run->sim->exchange) {
        return "the model has particles, which take steps of their own: export it for "
               "co-simulation";
    }
    return NULL;
}

bool flx_fmu_is_constrained(const flx_run *run)
{
    const flx_system *s = run->sim->sys;
    return s->dims.nlam + s->dims.nmu > 0;
}

bool flx_fmu_gives_rates(const flx_run *run)
{
    const flx_simulation *sim = run->sim;
    return !(sim->sys->ops->touches && sim->it->type->meets_touches);
}

bool flx_fmu_follows_steps(const flx_run *run)
{
    return flx_fmu_is_constrained(run) || run->sim->sys->ops->accept;
}

int flx_fmu_state_count(const flx_run *run)
{
    const flx_system *s = run->sim->sys;
    return s->ops->explicit_form->size(s);
}

int flx_fmu_indicator_count(const flx_run *run)
{
    const flx_system *s = run->sim->sys;
    return s->ops->events ? s->ops->events->indicators(s) : 0;
}
