// flexion/integrator.h - methods that advance a state of any system.
#pragma once

#include "flexion/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum flx_formulation {
    FLX_FORMULATION_AUTO,
    FLX_FORMULATION_INDEX3, // position constraints as they are
    FLX_FORMULATION_GGL,    // stabilised index 2: q' = T (v - G^T eta)
    FLX_FORMULATION_INDEX1, // acceleration level, projected
} flx_formulation;

// How contacts that collide at one instant share it.
typedef enum flx_impacts {
    FLX_IMPACTS_SIMULTANEOUS, // one problem for all that touch
    FLX_IMPACTS_SEQUENTIAL,   // one pair after the other, until none approaches
} flx_impacts;

#define FLX_STAGES_MAX 16
#define FLX_STAGES_AUTO (-1) // the method varies its order

typedef struct flx_integrator_type flx_integrator_type; // its table: flexion/extend/method_table.h
typedef struct flx_coefficients flx_coefficients;

// What a run asks of a method. Zero means "the method's default" unless said otherwise; begin with
// flx_integrator_def_default().
typedef struct flx_integrator_def {
    const char *method; // a name of the registry: "generalized-alpha", "radau", "dopri5", ...
    flx_formulation formulation;
    double step;                   // fixed step; 0: adaptive
    double rtol, atol;             // adaptive
    int stages;                    // of a collocation method; FLX_STAGES_AUTO
    const char *family;            // of lobatto: "IIIA", "IIIC"; NULL: default
    int degree, quadrature;        // of galerkin
    int max_order;                 // of bdf (to 5) and adams (to 12)
    double alpha;                  // of variational (0 to 1) and hht (-1/3 to 0); NaN: default
    double beta, gamma;            // of newmark; NaN: default
    double spectral_radius;        // of generalized-alpha at infinity, 0 to 1; negative: default
    double newton_tolerance;       // relative to the scales of the unknowns; 0: default
    double initial_step, max_step; // adaptive; 0: chosen, none
    long max_steps;                // 0: no limit
    int drift;                     // non-zero: explicit methods do not return to the constraints
    flx_impacts impacts;           // of contacts that collide at one instant
    double
        rest_velocity; // contacts that rebound slower than this stay; 0: 1e-6 of the fastest approach
    const flx_integrator_type *type; // a method of one's own, whatever `method` says; NULL: none
} flx_integrator_def;
// The method `auto`, nothing else given: begin with it, and set what differs.
FLX_API flx_integrator_def flx_integrator_def_default(void);

// Work done so far.
typedef struct flx_statistics {
    long steps, rejected;
    long residuals, linearisations, factorisations, solves;
    long newton_iterations, newton_failures;
    long projections;        // to the constraints, by methods on acceleration level
    long singular_positions; // steps that passed a (nearly) singular position
    double smallest_step, largest_step;
    long instants;           // steps that ended where a condition or a piece of a table changed
    long impacts, jams;      // of contacts: impulses, and those without a collision
    const char *governed_by; // what most of them were of; NULL: none; borrowed from the system
    double lost_in_contacts; // energy, by friction and impacts of contacts met step by step
    // Of the same: the largest residual of their law, solutions in which it is above 1e-8, and the deepest overlap that was left.
    double law_residual;
    long law_missed;
    double overlap;
} flx_statistics;

typedef struct flx_integrator flx_integrator;

// NULL-terminated.
FLX_API const flx_integrator_type *const *flx_integrator_types(void);

// Refuses by name: a method that needs what the system cannot do, a step for a method that has
// none. FLX_ERR_ARGUMENT, FLX_ERR_CANNOT, FLX_ERR_MEMORY, FLX_ERR_UNAVAILABLE.
FLX_API flx_status flx_integrator_create(const flx_system *s, const flx_integrator_def *def,
                                         flx_integrator **it);
FLX_API void flx_integrator_destroy(flx_integrator **it);

// One step of at most h from the state; the caller's state changes only on FLX_OK. A final failure
// leaves a message that says when, which item, and what to try.
FLX_API flx_status flx_integrator_step(flx_integrator *it, flx_state *x, double h, double *h_taken);
FLX_API flx_status flx_integrator_interpolate(flx_integrator *it, double t, flx_state *out);
FLX_API const flx_statistics *flx_integrator_statistics(const flx_integrator *it);

// Checkpoint of a method and the state that it has come to: bytes needed; nothing is written where room is
// short. The state must be the end of the last step, or the start. What comes after is then bit for bit
// the same, on the same type of processor; methods whose memory is not ours (bdf, adams) begin anew at the
// state, at order 1.
FLX_API size_t flx_integrator_save(flx_integrator *it, const flx_state *x, void *buffer,
                                   size_t room);
// Into a method of the same name and definition on a system of the same kind. FLX_ERR_ARGUMENT, with a
// message: the bytes are not of such a one, or damaged; then nothing has changed.
FLX_API flx_status flx_integrator_restore(flx_integrator *it, flx_state *x, const void *buffer,
                                          size_t size);
// Whether a restored run goes on as if it had not been interrupted.
FLX_API int flx_integrator_remembers(const flx_integrator *it);

// Called at every output time; a non-zero return stops the run (FLX_INTERRUPTED).
typedef int (*flx_output_callback)(void *user, const flx_state *x);

// Called at every instant at which the equations change or events happen, with the states before and
// after it; then the output callback may follow with the state after. Non-zero: stop.
typedef int (*flx_instant_callback)(void *user, const flx_state *before, const flx_state *after,
                                    const flx_event_report *what);

// When to call back.
typedef struct flx_schedule {
    double until;
    double every;        // 0: not used
    const double *times; // ascending; or NULL
    int ntimes;
    int steps;                    // non-zero: at every step
    flx_instant_callback instant; // NULL: none
    // Non-zero: go on where the last call ended, or where a checkpoint was made: fixed steps and outputs
    // are those of a motion that was never interrupted. There is no output at the beginning.
    int resume;
    // Non-zero: the motion goes on after `until`, to about `horizon` (0: not known). Times that are multiples of a
    // fixed step, up to rounding errors, are these.
    int piece;
    double horizon;
    int single; // non-zero: one step and no more
} flx_schedule;

// Advance x to schedule->until, calling back at the start, at the output times and at the end.
// Output inside a step comes from the method's interpolation, or the step is shortened to hit it
// where the method has none (fixed-step methods: the step is never changed for output; values in
// between are interpolated by the cubic Hermite polynomial on the chart). Steps end at the instants
// of the system's switches and events, which are located; an event may end the run before its time.
FLX_API flx_status flx_integrate(flx_integrator *it, flx_state *x, const flx_schedule *schedule,
                                 flx_output_callback output, void *user);

#ifdef __cplusplus
}
#endif
