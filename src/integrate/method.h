// method.h - what the methods of this folder share: the integrator behind its public face, the
// list of methods, and how a failure is remembered until it becomes a message.
#pragma once

#include "base/common.h"
#include "flexion/extend/method_table.h"

#include <math.h>

// Why a step failed; the top level makes the message.
typedef struct flx_trouble {
    int unknown;        // row or unknown at fault, -1: none
    double size;        // of its residual or correction, in units of its scale; 0: not known
    int iterations;     // made, 0: not an iteration
    const char *what;   // "Newton's iteration did not converge"
    const char *advice; // "a smaller step"; NULL: none
} flx_trouble;

// How far a motion has come on its schedule (integrate.c).
typedef struct flx_course {
    double start;
    long grid;  // the next multiple of a fixed step
    bool cut;   // the last step was cut off beside one
    long every; // the next multiple of the time between outputs
    int time;   // the next of the listed times
    bool joins; // where another method was: conditions are looked at as at a start
    bool met;   // what is due at the start has happened (flx_integrate_start),
    bool ended; // ... and ended the motion
} flx_course;

// The integrator as it is made. `before` and `after` are the ends of the last step.
typedef struct flx_method {
    flx_integrator base;
    flx_state *before, *after, *output; // owned; output: scratch of flx_integrate
    double *theta, *rate;               // (nv) scratch of the interpolation
    bool stepped;                       // there is a last step
    bool continues;                     // the caller's state is the end of the last step
    bool warned;                        // of steps too long for the switches
    bool warned_stiff;                  // ... and for what is stiff
    bool warned_many;                   // ... of steps that will not end
    bool closes_velocities;             // of constraints on positions, at the ends of steps
    bool within; // it begins from a state of a motion, where bodies may overlap as steps leave them
    double longest;             // step that the switches can follow
    double supplied_in_impacts; // by what drives joints, of contacts met step by step
    flx_course course;          // of flx_integrate
    double span, begin; // longest time asked for in one go; where the motion last began anew
    // Closes the joints of an interpolated state, for methods without their own dense output; NULL:
    // they stay as the polynomial leaves them.
    flx_status (*close)(flx_integrator *it, flx_state *x);
    // Reads what rows are with these switches, where the motion begins anew (flx_unknown_at); asked only of systems
    // whose rows open and close. NULL: the method keeps nothing of rows.
    void (*read_rows)(flx_integrator *it, const double *switches);
    flx_trouble trouble;
    // What events do beside the system's own assignments, to its switches; from: the first of the report that is new. NULL: nothing.
    flx_status (*outside)(void *user, flx_state *x, flx_event_report *h, int from);
    void *outside_user;
    // Where the next step from x, which would end at `goal`, is to end at the latest. NULL: there.
    double (*ahead)(void *user, const flx_state *x, double goal);
    void *ahead_user;
    struct flx_events *events; // owned; NULL: none can happen
    struct flx_events *
        input_jumps; // owned; in their place, where numbers may be set from outside; NULL: they are not
    bool input_jumped; // the next step begins anew, with the length that was at hand
    bool rates_jumped; // within the last step: nothing goes on smoothly from before it
    // Steps that follow those of another run: as long as they are asked for, whatever their error is. Of methods that choose
    // their order, too: the one to take.
    bool frozen;
    // Joints between steps are closed along the normals there, not along those of a linearisation that is at hand: values are
    // then functions of the state alone, with derivatives.
    bool own_normals;
    // Makes what that needs, before the run; NULL: nothing does.
    flx_status (*prepare_normals)(flx_integrator *it);
    int order;      // the next step's, of a frozen run; -1: the method chooses
    int order_made; // the last step's
    bool identified;
    uint64_t identity[2]; // hashes of the system and of the method, for checkpoints
} flx_method;

static inline flx_method *flx_method_of(flx_integrator *it)
{
    return (flx_method *)it;
}

// integrate.c: what is due at x, where a motion of about this length starts, before anyone asks for its first step: a clock's first
// strike, conditions, contacts. Its flx_integrate leaves it out where the course says that it was met. *ended: by an event.
flx_status flx_integrate_start(flx_integrator *it, flx_state *x, double span,
                               flx_instant_callback instant, void *user, bool *ended);

// checkpoint_method.c: hashes that tell systems, and methods with their settings, from others.
uint64_t flx_system_identity(const flx_system *s);
uint64_t flx_integrator_identity(const flx_integrator *it);
// A contact that stuck where other contacts or joints hold its slip too, so that its friction is one choice of many;
// NULL: there was none.
const struct flx_contact_group *flx_integrator_shared_contact(const flx_integrator *it);

// As flx_integrator_save and _restore; summed false: what they are a part of has a sum of its own.
size_t flx_method_save(flx_integrator *it, const flx_state *x, bool summed, void *buffer,
                       size_t room);
flx_status flx_method_restore(flx_integrator *it, flx_state *x, bool summed, const void *buffer,
                              size_t size);

// For methods that do: a warning where it is given.
void flx_method_ignores_newton_tolerance(flx_integrator *it);

// For methods whose rows always hold: a refusal of systems whose rows open and close.
flx_status flx_method_refuse_contacts(flx_integrator *it);

// Remember why, and return the status.
flx_status flx_method_fail(flx_integrator *it, flx_status status, int unknown, double size,
                           int iterations, const char *what, const char *advice);

// ... that the matrix of Newton's iteration cannot be factored, by its worst unknown.
flx_status flx_method_singular(flx_integrator *it, flx_status status, int worst);

// ... why Newton's iteration did not lead anywhere: whose unknown is worst, after how many iterations.
flx_status flx_method_diverged(flx_integrator *it, flx_status status, int worst, int iterations);

// Whether a constraint is one on positions: neither compliant nor on their rates.
static inline bool flx_constraint_on_position(const flx_unknown *u)
{
    return u->kind == FLX_UNKNOWN_CONSTRAINT && u->sigma != 0.0 && u->tau == 0.0 && u->C == 0.0;
}

// The largest so far of sizes e and its number; a size that is no number stays.
static inline void flx_take_worst(double e, int i, double *most, int *worst)
{
    if (isnan(*most) || e <= *most) return;
    *most = e;
    *worst = i;
}

// Cubic Hermite polynomial on the chart at `before`, between the ends of a step: q of order 4, v of
// order 3; a, lambda, mu and w are linear.
void flx_hermite(const flx_system *s, const flx_state *before, const flx_state *after, double t,
                 double *theta, double *rate, flx_state *out);

extern const flx_integrator_type flx_generalized_alpha;
extern const flx_integrator_type flx_hht;
extern const flx_integrator_type flx_newmark;
extern const flx_integrator_type flx_radau;
extern const flx_integrator_type flx_implicit_euler;
extern const flx_integrator_type flx_bdf;
extern const flx_integrator_type flx_euler;
extern const flx_integrator_type flx_rk4;
extern const flx_integrator_type flx_dopri5;
extern const flx_integrator_type flx_dop853;
extern const flx_integrator_type flx_adams;
extern const flx_integrator_type flx_midpoint;
extern const flx_integrator_type flx_trapezoidal;
extern const flx_integrator_type flx_gauss;
extern const flx_integrator_type flx_lobatto;
extern const flx_integrator_type flx_variational;
extern const flx_integrator_type flx_galerkin;
extern const flx_integrator_type flx_energy_momentum;
extern const flx_integrator_type flx_moreau;

// The method that `auto` stands for with this system and definition.
const flx_integrator_type *flx_integrator_choose(const flx_system *s, const flx_integrator_def *d);
