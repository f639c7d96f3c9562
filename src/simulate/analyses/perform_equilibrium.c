// perform_equilibrium.c - analyses of type equilibrium.
#include "simulate/analyses/performer.h"

#define MOVED 1e-6 // of the size of the model

// Constraints on velocities that follow from no places leave as many equilibria as there are of them, like a ball that may lie
// anywhere: masses, too, decide to which one the way leads.
static flx_status tell_of_many(flx_task *t, flx_finding *out)
{
    const flx_system *s = t->place.sys;
    flx_unknown u;
    if (s->dims.nmu == 0 || !(out->rest.moved > MOVED)) return FLX_OK;
    s->ops->unknown(s, flx_dims_first_constraint(&s->dims) + s->dims.nlam, &u);
    return flx_finding_line(t->sim, out,
                            "'%s' constrains velocities: unless places follow from that, "
                            "equilibria are many, and this is the one to which the way from the "
                            "start leads",
                            u.item ? u.item : "?");
}

static flx_status perform(flx_task *t, flx_finding *out)
{
    FLX_TRY(flx_analysis_find_state(t->sim, t->number, &t->place, &out->rest));
    FLX_TRY(tell_of_many(t, out));
    FLX_TRY(flx_analysis_tell_clocks(t->sim, "stays as it is at the start", out));
    return flx_analysis_observe(t->sim, &t->place, out);
}

const flx_analysis_performer flx_performer_EQUILIBRIUM = {.perform = perform};
