// fmu_exchange.c - whether a model is one for model exchange.
#include "fmi/fmu_exchange.h"

const char *flx_fmu_not_exchanged(const flx_run *run)
{
    const flx_system *s = run->sim->sys;
    if (!s->ops->explicit_form) {
        return "the equations of this model have no explicit form z' = F(t, z): export it for "
               "co-simulation";
    }
    if (s->dims.nlam + s->dims.nmu > 0) {
        return "the model has constraints besides its joint coordinates, which the steps of "
               "another program would leave: export it for co-simulation";
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
