// perform_static.c - analyses of type static: load paths.
#include "simulate/analyses/performer.h"

static flx_status perform(flx_task *t, flx_finding *out)
{
    FLX_TRY(flx_analysis_find_place(t));
    flx_state *x = t->place.x;
    FLX_TRY(flx_simulation_follow(t->sim, t->number, x, t->nsink, t->sinks, &out->path));
    FLX_TRY(flx_simulation_observe_rest(t->sim, x));
    out->signals = t->sim->columns.out;
    return FLX_OK;
}

const flx_analysis_performer flx_performer_STATIC = {.perform = perform};
