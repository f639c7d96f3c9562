// perform_equilibrium.c - analyses of type equilibrium.
#include "simulate/analyses/performer.h"

// At an equilibrium no time passes: sampled controllers and FMUs hold what they have at the start.
static flx_status tell_clocks(flx_simulation *sim, flx_finding *out)
{
    const flx_model *m = sim->model;
    for (int i = 0; i < m->nevent; i++) {
        const flx_event *e = m->events + i;
        if (e->when >= 0 || (e->nset == 0 && e->fmu == 0 && e->particles == 0)) continue;
        return flx_finding_line(
            sim, out,
            "no clock strikes: what '%s' changes in a run, every %g s, stays as "
            "it is at the start",
            e->name, e->every);
    }
    return FLX_OK;
}

static flx_status perform(flx_task *t, flx_finding *out)
{
    FLX_TRY(flx_analysis_find_state(t->sim, t->number, &t->place, &out->rest));
    FLX_TRY(tell_clocks(t->sim, out));
    return flx_analysis_observe(t->sim, &t->place, out);
}

const flx_analysis_performer flx_performer_EQUILIBRIUM = {.perform = perform};
