// events.h - instants at which switches change and events happen, found and located in the steps of
// any method (docs/theory/events.md).
#pragma once

#include "integrate/method.h"

typedef struct flx_events flx_events;

// *e is NULL where the system has neither switches nor events.
flx_status flx_events_create(flx_integrator *it, flx_events **e);
void flx_events_destroy(flx_events **e);

// The next time at which something is known to happen.
double flx_events_next(flx_integrator *it, const flx_state *x);

// Before a step from x, of length h at most: what the step has to know of contacts that slide.
flx_status flx_events_steer(flx_integrator *it, flx_state *x, double h);
// That step. One of given length that cannot be solved since slips turn in it is made in parts: the first of them.
flx_status flx_events_step(flx_integrator *it, flx_state *x, double h, double *taken);

// Look for instants inside the step that has just been made and ends at x. If there is one, x ends
// there instead: by the step made again, shorter, or by interpolation where the method has a memory
// that a repetition would lose. *taken is the step's length, *here whether x is at an instant.
flx_status flx_events_look(flx_integrator *it, flx_state *x, double *taken, bool *here);

// The instant at x: after flx_events_look, or at a time known beforehand. Velocities and
// accelerations of x are consistent afterwards. *before is the state as it was. span: length of the
// run, against which instants that follow each other too closely are judged.
flx_status flx_events_happen(flx_integrator *it, flx_state *x, double span,
                             const flx_state **before, const flx_event_report **what);

// Numbers from outside that the equations read may be set between steps (inputs, parameters). To be said before the
// first step.
flx_status flx_events_expect_jumps(flx_integrator *it);
// They were: an instant at x. Velocities are met, switches and events follow, then accelerations and multipliers; the
// method begins anew there, with the step that was at hand. *before, *what: as above.
flx_status flx_events_jump(flx_integrator *it, flx_state *x, double span, const flx_state **before,
                           const flx_event_report **what);

// A switch of x that is not what its own value says, or -1; and the error that this is after a step.
int flx_events_wrong(flx_integrator *it, const flx_state *x);
flx_status flx_events_check(flx_integrator *it, flx_state *x);
// Whether contacts that touch at x, where a run starts, are to be decided; they may not be inside each other.
bool flx_events_begins(flx_integrator *it, const flx_state *x, flx_status *status);

// For derivatives: the last instant that changed something. located: where indicators changed, which are marked (n); else its time
// was known.
typedef struct flx_events_last {
    long count; // of such instants so far
    bool located;
    int n;
    const signed char *changed;
} flx_events_last;
flx_events_last flx_events_last_of(const flx_integrator *it);
// The same instant at another state: what is marked changes, NULL: what is due at x->t happens; velocities, accelerations and
// multipliers follow.
flx_status flx_events_replay(flx_integrator *it, flx_state *x, const signed char *changed);
// Indicators at x (n), what they are called, the largest that they have been; whether one reads forces.
flx_status flx_events_values(flx_integrator *it, const flx_state *x, double *value);
const char *flx_events_name(flx_integrator *it, int i, flx_loc *loc);
double flx_events_size(const flx_integrator *it, int i);
bool flx_events_reads_forces(const flx_integrator *it, int i);
