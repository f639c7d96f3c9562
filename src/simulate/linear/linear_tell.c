// linear_tell.c - what the user is told of slopes: corners, digits that are not there, switches that are about to change.
#include "base/log.h"
#include "base/number.h"
#include "simulate/linear/linearising.h"

#include <math.h>

#define ROUGH 1e-4    // error of a slope as a part of it
#define SLIGHT 1e-6   // changes as a part of the largest there are
#define AT_ONCE 1e-10 // an indicator this near to zero, as a part of what a step does to it

static void name_value(const flx_linearising *l, int i, char *text, size_t size)
{
    const flx_minimal *m = l->m;
    if (i >= l->nf - l->io->nout) {
        int output = l->io->outputs[i - (l->nf - l->io->nout)];
        flx_snprintf(text, size, "output '%s'", l->names[output]);
        return;
    }
    flx_unknown u;
    int of = i < m->npos ? m->pos[i] : i < m->npos + m->nvel ? m->vel[i - m->npos] : 0;
    if (i >= m->npos + m->nvel) of = m->s->dims.nv + i - m->npos - m->nvel;
    m->s->ops->unknown(m->s, of, &u);
    flx_snprintf(text, size, "the rate of '%s' (%s)", u.item ? u.item : "?", u.part ? u.part : "?");
}

// What is known of the slopes of each value, in parts of its typical change.
void flx_linearising_note(flx_linearising *l, const flx_slope *s)
{
    double typical = s->step / FLX_LINEAR_STEP;
    for (int i = 0; i < l->nf; i++) {
        double slope = fabs(l->out[i]);
        l->change[i] = fmax(l->change[i], slope * typical);
        if (s->error[i] > ROUGH * slope) l->rough[i] = fmax(l->rough[i], s->error[i] * typical);
        l->corner[i] = fmax(l->corner[i], s->bend[i] * typical);
    }
}

void flx_linearising_tell_errors(const flx_linearising *l)
{
    char what[200];
    for (int i = 0; i < l->nf; i++) {
        bool corner = l->corner[i] > SLIGHT * l->change[i];
        if (!corner && !(l->rough[i] > SLIGHT * l->change[i])) continue;
        name_value(l, i, what, sizeof what);
        flx_ctx_warn(l->sim->ctx, FLX_NOWHERE,
                     corner ? "linearised at t = %.9g: %s has a corner there, and the slope is "
                              "the mean of both sides"
                            : "linearised at t = %.9g: the slope of %s is not smooth there, and "
                              "known to a few digits alone",
                     l->m->at->t, what);
        return;
    }
}

// Switches hold within differences: they are of one side.
void flx_linearising_tell_switches(flx_linearising *l)
{
    const flx_system *s = l->sim->sys;
    const flx_event_ops *k = s->ops->events;
    for (int i = 0; k && i < k->indicators(s); i++) {
        flx_loc loc = FLX_NOWHERE;
        if (!(fabs(l->indicators[i]) <= AT_ONCE * l->reach[i]) || l->reach[i] == 0.0) continue;
        const char *name = k->indicator(s, i, &loc);
        flx_ctx_warn(
            l->sim->ctx, loc,
            "linearised at t = %.9g, where '%s' is about to change: the slopes are those of "
            "one side",
            l->m->at->t, name ? name : "a condition");
    }
}
