// perform_modes.c - analyses of type modes, about rest or a steady motion.
#include "base/log.h"
#include "simulate/analyses/response.h"
#include "simulate/analyses/shapes/play_modes.h"
#include "simulate/linear/corners.h"
#include "system/wrapper.h"

static flx_status perform(flx_task *t, flx_finding *out)
{
    FLX_TRY(flx_analysis_find_place(t));
    const flx_analysis_place *p = &t->place;
    const flx_system *s = p->sys;
    FLX_TRY(flx_corners_tell(t->sim, s, p->x));
    if (t->sim->bodies && flx_wrapper_is(t->sim->sys)) {
        flx_ctx_warn(t->sim->ctx, t->sim->model->reduce_loc,
                     "`reduce` is of joint coordinates here, and left out: these are modes of the "
                     "whole model; `linear` has the poles of the reduced one");
    }
    bool steady = true;
    double *turn = NULL;
    flx_status status = flx_turn_of(s, p->x, &turn, out->turning, &steady);
    if (status == FLX_OK) status = flx_modes_find(s, p->x, turn, t->a->count, &out->modes);
    out->steady = steady;
    out->balanced = turn || flx_is_balanced(s, p->x, out->modes.unbalance);
    flx_free(turn);
    return status == FLX_OK ? flx_modes_play(t, &out->modes) : status;
}

const flx_analysis_performer flx_performer_MODES = {.settled = true, .perform = perform};
