// events_contact.h - one-sided constraints with friction at events: events_contact.c their indicators, events_decide.c
// what they do from there on, events_impact.c impulses, events_rows.c which rows hold (docs/theory/contact.md, Events).
#pragma once

#include "integrate/events/events_parts.h"
#include "math/cone/cone.h"

#include <math.h>

// What a group may not be at this event: it has just left it.
typedef enum flx_contact_leaves {
    FLX_LEAVES_NOTHING,
    FLX_LEAVES_GROUND, // its force has come to zero
    FLX_LEAVES_STICK,  // its friction has come to the limit
    FLX_LEAVES_SLIDE,  // its slip has come to zero
} flx_contact_leaves;

// A problem of the touching groups, on velocities or accelerations: u = W p + b (CONE-1), with p = (lambda, -mu). Rows
// are those of J = (-G, A): rates of gaps and slips.
typedef struct flx_touch_problem {
    int ngroup, m;         // groups, rows
    int *group;            // (groups) which they are
    int *first;            // (groups) first row: the normal one where there is one, then tangents
    double *J, *Z;         // (rows x nv) J, and M^-1 J^T on the joints
    double *W, *b, *p, *u; // (rows x rows) (rows)
    flx_cone_group *cone;  // (groups)
    int worst;             // the group that fits the last impulses least
} flx_touch_problem;

struct flx_event_contacts {
    const flx_contacts *ops; // borrowed from the system
    int n;                   // groups
    flx_contact_group *groups;
    flx_cone *solver;
    flx_touch_problem touching;
    double *gap, *rate, *slip, *limit; // (n) (n) (2 n) (n) at the state that was looked at last
    double *scale;   // (n) of its gap, or of what slips: a length, or 1 of an angle
    double *touch;   // (n) a gap below this is none
    double *resting; // (n) rates before the event: of closed groups the residual of the method
    double *before;  // (rows) rates before an impact; sizes of the terms of accelerations
    double *e;       // (n) restitution of an impact
    double *force;   // (n) size of the terms that its force is made of, so far
    double *size;    // (rows) of terms without forces of contacts
    double *reach;   // (rows) what masses alone would let a force of 1 do
    struct {         // the problem of some of the touching groups
        int *row;    // (rows) which of all touching rows
        double *W, *b, *p, *u;
    } kept;
    // Friction alone whose slip the row of another holds: which one, -1: none, and its own slip by that one's.
    int *lends;      // (n)
    double *share;   // (n)
    double less;     // friction of sticking is divided by this where a pool begins to slide; else 1
    int *pool;       // (n) groups whose slips depend on each other have one number; -1: it is alone
    int shared;      // 1 + a group that stuck where others or joints hold its slip too; 0: none
    double *scratch; // (rows x rows + rows)
    struct {         // rows that depend on others but for short levers, as combinations of these
        bool any;
        int *row;   // (rows)
        double *of; // (rows x rows)
    } like;
    signed char *leaves;  // (n) flx_contact_leaves
    signed char *left;    // (n) the same, kept; states to come before some of them lean
    signed char *aside;   // (n) it leans, and takes no part
    signed char *kinetic; // (n) the friction is that of sliding, for it does not stick
    signed char *next;    // (n) states to come
    double *course;       // (2 n) directions to come
    double *across; // (2 n) what is left of slips that end, across the direction that was held
    double *spare;  // (2 n) what groups that stick have left of their friction, and sizes of that
    flx_state *trial;
    double *bias, *eta; // (nlam + nmu)
    // In scales per time, so that angles and lengths may be beside each other:
    double fastest;  // approach so far
    double quickest; // slip so far
    double pace;     // of the accelerations of the touching rows, along their scales
    double
        part; // the longest step that slips which turn fast let be solved, where a step is given; 0: all of it
    bool told_gain;
};

// Row of a group's tangent t.
static inline int flx_touching_tangent(const flx_event_contacts *c, int k, int t)
{
    const flx_touch_problem *T = &c->touching;
    return T->first[k] + (c->groups[T->group[k]].normal >= 0) + t;
}
static inline int flx_contact_state_of(const flx_contact_group *g, const double *switches)
{
    return (int)switches[g->state];
}
// All its rows hold.
static inline void flx_contact_hold(const flx_contact_group *g, double *switches)
{
    switches[g->state] = FLX_CONTACT_STICKS;
    for (int t = 0; t < g->ntangent; t++) switches[g->slip + t] = 0.0;
}
static inline bool flx_contact_is_closed(const flx_contact_group *g, const double *switches)
{
    return switches[g->state] >= FLX_CONTACT_SLIDES;
}

// An approach whose rebound is below this part of the fastest so far ends in contact.
#define FLX_REST 1e-6

// Friction of a joint, or of equations: of no surfaces.
static inline bool flx_contact_is_of_joint(const flx_contact_group *g)
{
    return g->normal < 0 && g->pair == 0;
}

// ... of surfaces with a compliant law.
static inline bool flx_contact_is_soft(const flx_contact_group *g)
{
    return g->normal < 0 && g->pair != 0;
}

static inline double flx_contact_length(const double *v, int n)
{
    return n == 2 ? hypot(v[0], v[1]) : n == 1 ? fabs(v[0]) : 0.0;
}
static inline double flx_contact_along(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int t = 0; t < n; t++) sum += a[t] * b[t];
    return sum;
}
static inline void flx_contact_multipliers(const flx_contact_group *g, const double *mu,
                                           double out[2])
{
    for (int t = 0; t < 2; t++) out[t] = t < g->ntangent ? mu[g->tangent[t]] : 0.0;
}
// Whether the rows of others hold its slip.
static inline bool flx_contact_leans_aside(const flx_contact_group *g, const double *switches)
{
    return flx_contact_state_of(g, switches) == FLX_CONTACT_SLIDES && g->ntangent > 0 &&
           g->sticking > 0.0 && flx_contact_length(switches + g->slip, g->ntangent) == 0.0;
}

// Gaps, rates and slips at x, into c; the most that friction may be while a group sticks, by the forces of p.
flx_status flx_contacts_look(flx_integrator *it, const flx_state *x);
flx_status flx_contacts_limits(flx_integrator *it, const flx_point *p, double *limit);
// How far what sticks in pools at x, with limits c->limit, is from its limits by the best share of forces (CONE-6), and their size.
// Without pools 0.
flx_status flx_contacts_margin(flx_integrator *it, const flx_state *x, double *margin,
                               double *size);
// W of the groups of c->touching at x; rows of joints hold.
flx_status flx_contacts_couple(flx_integrator *it, const flx_state *x);
// Velocities of the touching groups after their impact, if some approach. *moved: velocities of x are others now.
flx_status flx_contacts_collide(flx_integrator *it, flx_state *x, bool *moved);
// An impulse without a collision, where no force fits the accelerations.
flx_status flx_contacts_jam(flx_integrator *it, flx_state *x);
// Slips that have come to their end, but go on elsewhere, are zero.
flx_status flx_contacts_end_slips(flx_integrator *it, flx_state *x, double slow);
// Places that close a little above their gap, or below it, are shifted onto it.
void flx_contacts_close_gaps(flx_integrator *it, flx_state *x);
// Groups whose slip is that of one that begins to slide go with it.
void flx_contacts_take_along(flx_event_contacts *c, const flx_state *x);
// A slip that has come to zero is zero along its course; where that was held, it is zero.
void flx_contacts_stop_slips(flx_event_contacts *c, const flx_state *x);
// A slip that does not stick has not ended: it goes on across. Whether there is one.
bool flx_contacts_go_across(flx_event_contacts *c, double slow);
// Slips of a body that has one at its end are taken as zero, if all of them are as small as errors. Whether there is one.
bool flx_contacts_end_together(flx_integrator *it, const flx_state *x);
// Below this, in scales of their groups, rates are rounding.
double flx_contacts_slow(flx_integrator *it, const flx_state *x);
// Of states to come, with forces p: groups that others hold in touch lean, slips that others hold have no row.
void flx_contacts_reduce(flx_event_contacts *c);
// Slips of compliant laws that are those of others but for levers of their depths become those: J, Z and W of the touching rows.
void flx_contacts_level(flx_event_contacts *c, size_t nv);
// The same of numbers x (rows), of which each is one of a row.
void flx_contacts_level_rows(const flx_event_contacts *c, double *x);
