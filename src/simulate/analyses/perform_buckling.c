// perform_buckling.c - analyses of type buckling.
#include "simulate/analyses/performer.h"

static flx_status perform(flx_task *t, flx_finding *out)
{
    FLX_TRY(flx_analysis_find_place(t));
    t->place.x->t = t->a->time;
    return flx_buckling_find(t->place.sys, t->place.x, flx_simulation_loads(t->sim) + t->number,
                             t->a->count > 0 ? t->a->count : 1, &out->buckling);
}

const flx_analysis_performer flx_performer_BUCKLING = {.perform = perform};
