// perform_equilibrium.c - analyses of type equilibrium.
#include "simulate/analyses/performer.h"

static flx_status perform(flx_task *t, flx_finding *out)
{
    FLX_TRY(flx_analysis_find_state(t->sim, t->number, &t->place, &out->rest));
    FLX_TRY(flx_analysis_tell_clocks(t->sim, "stays as it is at the start", out));
    return flx_analysis_observe(t->sim, &t->place, out);
}

const flx_analysis_performer flx_performer_EQUILIBRIUM = {.perform = perform};
