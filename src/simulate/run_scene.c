// run_scene.c - what there is to see of a run that its owner advances.
#include "simulate/run_parts.h"

const flx_result_info *flx_run_scene(flx_run *r)
{
    if (!r) return NULL;
    if (flx_running_enter(r) != FLX_OK) return NULL;
    flx_status status = flx_motion_create(r->sim);
    r->busy = false;
    return status == FLX_OK ? &r->sim->info : NULL;
}

const double *flx_run_motion(flx_run *r, int *n)
{
    if (!r) return NULL;
    flx_simulation *sim = r->sim;
    if (n) *n = 0;
    if (!flx_run_scene(r) || !sim->motion.scene) return NULL;
    if (flx_running_enter(r) != FLX_OK) return NULL;
    flx_status status = flx_motion_eval(sim, sim->state);
    r->busy = false;
    if (status != FLX_OK) return NULL;
    if (n) *n = sim->info.nmotion;
    return sim->motion.out;
}
