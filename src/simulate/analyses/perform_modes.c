// perform_modes.c - analyses of type modes, about rest or a steady motion.
#include "simulate/analyses/shapes/play_modes.h"
#include "simulate/linear/corners.h"
#include "simulate/steady.h"

#include <math.h>

#define AT_REST 1e-12       // velocities as a part of their scales, 1/s
#define OUT_OF_BALANCE 1e-6 // accelerations at rest, as a part of their scales, 1/s^2
#define ROUNDED 100.0       // ... or forces, in parts of their rounding

static double largest(const flx_system *s, const double *v)
{
    double size = 0.0;
    for (int i = 0; i < s->dims.nv; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        size = fmax(size, fabs(v[i]) / (u.scale > 0.0 ? u.scale : 1.0));
    }
    return size;
}

static flx_status perform(flx_task *t, flx_finding *out)
{
    FLX_TRY(flx_analysis_find_place(t));
    const flx_analysis_place *p = &t->place;
    const flx_system *s = p->sys;
    int nv = s->dims.nv;
    FLX_TRY(flx_corners_tell(t->sim, s, p->x));
    bool steady = true;
    double *turn = NULL;
    flx_status status = FLX_OK;
    flx_body_axes body;
    if (largest(s, p->x->v) > AT_REST && flx_descriptor_body_axes(s, p->x->q, 0, &body)) {
        turn = flx_alloc(s->ctx, (size_t)nv * (size_t)nv, sizeof *turn);
        status = turn ? flx_steady_find(s, p->x, turn, out->turning, &steady) : FLX_ERR_MEMORY;
    }
    if (status == FLX_OK) status = flx_modes_find(s, p->x, turn, t->a->count, &out->modes);
    out->steady = steady;
    out->balanced =
        turn || largest(s, p->x->a) <= OUT_OF_BALANCE || out->modes.unbalance <= ROUNDED;
    flx_free(turn);
    return status == FLX_OK ? flx_modes_play(t, &out->modes) : status;
}

const flx_analysis_performer flx_performer_MODES = {.settled = true, .perform = perform};
