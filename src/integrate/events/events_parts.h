// events_parts.h - what the files of events share: events.c their life and the instant itself,
// events_find.c instants in a step, events_step.c steps up to one, events_meet.c velocities and
// accelerations after one.
#pragma once

#include "integrate/accelerate.h"
#include "integrate/events/events.h"
#include "integrate/relax.h"
#include "integrate/saddle.h"

#include <float.h>

typedef struct flx_repeat { // of one indicator or event
    double last, interval;
    int close, brief;
} flx_repeat;

#define FLX_SHORTEST_FLIGHT 1e-10 // away from a border, as a part of a look, and of the run
#define FLX_NOTHING (DBL_MIN / DBL_EPSILON) // numbers so small have lost their digits
// Intervals of a step at whose ends indicators that turn fast are looked at.
#define FLX_MANY_LOOKS 50
#define FLX_MOST_DIPS 16
// Switches on their border at one instant are tried in so many ways.
#define FLX_MOST_TRIES 64

typedef struct flx_event_contacts flx_event_contacts;

struct flx_events {
    const flx_event_ops *ops; // borrowed from the system; NULL: it has neither switches nor events
    flx_event_contacts *contacts; // NULL: it has none
    int n, nown;                  // indicators: those of ops, then two for each group of contacts
    int nevent, nrow;
    bool repeats;                   // steps are made again up to an instant
    double *at, *from, *to, *grace; // (n) indicators
    double *noise;                  // (nown) of those that begin on their border
    double *slope, *range;          // (n) of them, about
    double *looks;                  // ((FLX_MANY_LOOKS + 1) n) at equal parts of the step
    int nlook, ndip;
    double dips[FLX_MOST_DIPS]; // where they are negative between looks
    double *size;               // (n) what their values have been so far
    bool sized;                 // ... in steps that tell it
    signed char *changed;       // (n)
    signed char *behind;        // (n) it is negative at the beginning of the step
    signed char *alone, *first; // (n) one of them, those that were found first
    bool starts;                // contacts touch where the run starts
    bool located;               // they change at the end of the last step
    bool doubtful;              // ... though what is known there says that they do not
    // Switches that were tried at the state where the motion is now, and led back to it at once.
    double *tried; // (FLX_MOST_TRIES * nswitch)
    int ntried;
    bool cycled;  // all that could be tried were
    bool intends; // the last one that was tried is to be, and has not been yet
    flx_state *begin, *probe, *prior;
    flx_state *settled; // with multipliers and accelerations of its own; NULL: nobody asks for them
    bool reads;         // indicators of ops do
    flx_repeat *history; // (n + nevent)
    long votes;          // for what the statistics name
    long count;          // instants that changed something; the last of them:
    bool was_located;
    signed char *was, *marked; // (n)
    flx_event_report what;
    // velocities and accelerations
    flx_accelerator *acc;
    flx_relaxer *relaxer; // where the masses do not determine them; NULL: not yet
    flx_saddle *saddle;
    flx_blocks blocks;
    double *r, *d, *rows, *rows_before; // (unknowns)
    double *asked;                      // (unknowns) where velocities can be set
    double *Z, *S, *rhs;                // (nrow x nv) (nrow x nrow) (nrow)
};

// ---- contacts (events_contact.c) ---------------------------------------------------------------

// *c is NULL where the system has none.
flx_status flx_events_make_contacts(flx_integrator *it, flx_event_contacts **c);
void flx_events_destroy_contacts(flx_event_contacts **c);
int flx_events_contact_count(const flx_system *s);
// Two values for each group at p, of which multipliers are those of the equations.
flx_status flx_contacts_indicate(flx_integrator *it, const flx_state *x, double *value);
bool flx_contacts_read_forces(const flx_event_contacts *c, const double *switches);
// What the groups do from x on; marked (2 for each group, or NULL): whose indicator changes there. Impacts change
// Before a step of length h at most: directions of what slides in two dimensions, held where that ends.
flx_status flx_contacts_steer(flx_integrator *it, flx_state *x, double h);
// flx_events_step beside contacts.
flx_status flx_contacts_step(flx_integrator *it, flx_state *x, double h, double *taken);
// velocities, and the report says what was changed.
flx_status flx_contacts_happen(flx_integrator *it, flx_state *x, const signed char *marked);
// ... at the start of a run.
flx_status flx_contacts_begin(flx_integrator *it, const flx_state *x, bool *decide);
// Groups that are held in touch by others and have come off are open. After a step; their rows are the same.
flx_status flx_contacts_part(flx_integrator *it, flx_state *x);
// A group that forces of x, which are those of the equations, contradict; its indicator is marked. False: none.
bool flx_contacts_wrong(flx_integrator *it, const flx_state *x, signed char *marked);
// x without forces, so that masses and rows alone are linearised: friction reads forces, and in an instant of time it does
// nothing.
void flx_contacts_rest(flx_integrator *it, const flx_state *x, flx_state *out);
// Factors of masses and velocities' rows at x, without those of groups, into e->saddle.
flx_status flx_contacts_factor(flx_integrator *it, const flx_state *x);
// What of an indicator is rounding: of a gap.
double flx_contacts_noise(const flx_event_contacts *c, const flx_state *x, int indicator);
const char *flx_contacts_name(const flx_event_contacts *c, int indicator, flx_loc *loc);
void flx_contacts_memory(flx_event_contacts *c, flx_memory *m);

// ---- velocities, indicators ----------------------------------------------------------------------

// After what has happened at x, from e->prior on: velocities that the constraints allow (EVE-4), *moved:
// whether they are others now; and accelerations and multipliers that follow.
flx_status flx_events_meet_velocities(flx_integrator *it, flx_state *x, bool *moved);
// Velocities that index 3 leaves off the constraints, onto them, with the factors of flx_contacts_factor at x.
flx_status flx_events_close_velocities(flx_integrator *it, flx_state *x);
flx_status flx_events_find_accelerations(flx_integrator *it, flx_state *x);

// Indicators at x; the least of those that are marked, (EVE-3), and which it is; the first instant of the
// step from e->begin to x: *found, then near *t, with what changes there marked.
flx_status flx_events_indicate(flx_integrator *it, const flx_state *x, double *value);
bool flx_events_tell_size(flx_integrator *it, double h); // steps of length h do
// What an indicator is called, and whether the changes that are marked do nothing but change.
const char *flx_events_indicator(flx_integrator *it, int i, flx_loc *loc);
bool flx_events_idle(flx_integrator *it, const flx_state *x);
double flx_events_smallest(const flx_events *e, const double *value, int *which);
flx_status flx_events_find(flx_integrator *it, flx_state *x, double *t, bool *found);
