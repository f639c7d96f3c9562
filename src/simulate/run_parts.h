// run_parts.h - a run while it lasts: what run.c, account.c, course.c, run_alone.c and run_checkpoint.c share.
#pragma once

#include "flexion/linear.h"
#include "flexion/run.h"
#include "simulate/simulation_parts.h"

struct flx_run {
    flx_simulation *sim;
    int nsink;
    flx_sink *const *sinks;
    flx_progress_callback progress;
    void *user;
    flx_schedule schedule;
    long every;              // the next multiple of `every`
    int time;                // the next of `times`
    double step_end, step;   // the last one, and its length
    bool started, row_since; // rows since the last entry of the account
    flx_status status;       // of what the callback could not do
    flx_watch watch;         // owned: of a reduced run
    long kept_allocations;   // of checkpoints, which are no part of the time loop
    bool rows;               // they are found; else only their times count, for the account

    // of a run that its owner advances
    const flx_system *of;    // borrowed
    size_t gradient_numbers; // that steps of flx_gradient_find may take; 0: 1 GiB of them
    flx_run_def def;
    double t;        // reached, as it was asked for
    double horizon;  // where it is expected to end; 0: not known
    bool begun;      // the method has
    bool placed;     // the owner has set the state
    bool met, ended; // what is due at the start has happened; it ended the motion
    int *due, ndue;  // (ndue) owned: events of it, told with the first step
    int room_due;
    double *parameters; // (nparameter) owned: as they are to be; NULL: none was set
    bool tuned;         // they are others than those of the systems
    bool stale;         // numbers were set that the start may depend on
    bool stopped;       // by an event, or by a callback
    flx_status failed;  // it cannot go on; FLX_OK: it can
    bool busy;          // a call with it lasts: callbacks must not change it
    bool doubted;       // it was told that the account fails
    bool interrupt;     // a row said so; it is obeyed at the end of the step
    bool known;         // the outputs are those of the state
    double *outputs;    // (ncolumn) owned
    flx_state *shown;   // borrowed: the first state of the simulation, whose arrays the views are
    double looked;      // clock when progress was last told
    double seconds;     // in the time loop
    long allocations;   // there
    uint64_t identity;  // of its system, once it was asked for
};

// compile.c: settings of a method that is not named would be lost without a word.
flx_status flx_check_named(flx_ctx *ctx, const flx_integrator_def *d);

// run.c. The run anew: state, method, account; when rows and entries of the account are due, to `until` (0: no end is
// known); steps by the schedule, and by the full system where a reduced one must go back to it.
flx_status flx_running_begin(flx_simulation *sim);
flx_status flx_running_plan(flx_run *r, double until);
flx_status flx_running_drive(flx_run *r, flx_schedule *schedule);
// What is due at the start, of a run whose method has not begun: the state is that of the first row. It is told later.
flx_status flx_running_meet_start(flx_run *r);
void flx_running_tell_start(flx_run *r);
// An instant at the state, beside those that the method finds.
flx_status flx_running_tell_instant(flx_run *r, const flx_state *before,
                                    const flx_event_report *what);
// Signals of the run's own state.
flx_status flx_running_find_outputs(flx_run *r);

// course/course.c. What is followed along the run: powers, measures, their squares. At the start and at the ends of steps:
// integrals go on, extremes are sought within the step; where values jump, from these.
enum { FLX_COURSE_DISSIPATED, FLX_COURSE_SUPPLIED, FLX_COURSE_PROBES };
flx_status flx_account_start(flx_run *r, const flx_state *x);
flx_status flx_account_step(flx_run *r, const flx_state *x);
flx_status flx_account_jump(flx_simulation *sim, const flx_state *after);
// The state was moved on by a time in which nothing changes.
flx_status flx_account_crumb(flx_run *r, const flx_state *x);
// What was dissipated up to a state inside the step that ended last.
flx_status flx_account_dissipated(flx_run *r, const flx_state *x, double *out);
// The same powers at places from `from` to x, and at x (sim->course_value), where they read nothing but the motion.
flx_status flx_account_losses(flx_simulation *sim, double from, const flx_state *x,
                              const double **inner);
// ... so far: what the powers say, and what contacts took that are met step by step.
double flx_course_dissipated(const flx_simulation *sim, double by_powers);
// course/course_dissipated.c: the same at a time within the last step or at its end, where measures read it, or values that are
// differentiated; and before these are looked at, of the step that ends at x.
bool flx_course_reads_dissipated(const flx_simulation *sim);
double flx_course_dissipated_at(const flx_simulation *sim, double t);
flx_status flx_course_foresee(flx_simulation *sim, double from, const flx_state *x);
// What was supplied so far, in impacts of such contacts too.
double flx_course_supplied(const flx_simulation *sim);

// account.c. Adds the integral of a dissipated power that is nothing at one end of a step whose ends alone are known; ends: at the later one.
flx_status flx_account_power(flx_simulation *sim, double t,
                             double *power); // dissipated, at a time within the last step
flx_status flx_account_split_power(flx_simulation *sim, double from, double t, bool ends,
                                   double *sum);
// account.c. Opened with the run. Entries of energy and constraints; energy at a state, 0 where there is none.
void flx_account_open(flx_simulation *sim);
flx_status flx_account_enter(flx_simulation *sim, const flx_state *x, bool first);
flx_status flx_account_find_energies(flx_simulation *sim, const flx_state *x, flx_energies *e);
flx_status flx_account_energy(flx_simulation *sim, const flx_state *x, double *out);
// Signals at a state of the run. What is known of a state is forgotten when it changes.
flx_status flx_account_signals(flx_signals *s, flx_simulation *sim, const flx_state *x,
                               double dissipated);
void flx_account_forget(flx_simulation *sim);
// As it is now; status: how the run ended, or goes on.
void flx_running_close_ledger(flx_run *r, flx_status status);

// run_checkpoint.c. Before the first step: the journal becomes one of the sinks. At the end of a step: a checkpoint where
// its time has come, or at once. A run that goes on gets its state, after its rows so far have gone to the sinks. After
// the last step nothing is left to go on from, unless the run was cut off.
// memory: what a run remembers beside its method and its state. tell_forgetful: that the method cannot be saved whole.
flx_status flx_running_open(flx_run *r);
flx_status flx_running_keep(flx_run *r, bool now);
flx_status flx_running_resume(flx_run *r);
void flx_running_close(flx_run *r, flx_status status);
void flx_running_memory(flx_run *r, flx_memory *m);
void flx_running_tell_forgetful(flx_simulation *sim);

// run_alone.c. A call that changes the run begins, unless another one lasts, which has called back. From the start again. Views are of the state that the run began with, whatever system goes on.
flx_status flx_running_enter(flx_run *r);
flx_status flx_running_restart(flx_run *r);
// The outputs of the state, found now if they are not known.
flx_status flx_running_know_outputs(flx_run *r);
// The message of a run that has failed.
flx_status flx_running_refuse_failed(const flx_run *r);
// run_inputs.c. The systems take these parameters (nparameter), and what was made of their numbers is made anew.
flx_status flx_running_tune(flx_run *r, const double *p);
// Accelerations, multipliers, switches and events of the state as it is now, at once; the account goes over the instant.
flx_status flx_running_jump(flx_run *r);
// Numbers (FLX_INPUT_NUMBERS) of an input, in all systems of the run.
void flx_running_put_input(flx_run *r, int i, const double *numbers);
const double *flx_running_input(const flx_run *r, int i);
// Value, slope and curvature that the numbers of an input mean at t.
void flx_running_input_at(const double *numbers, double t, double u[3]);
// Something structural needs the number of the parameter, which a run cannot change.
bool flx_parameter_is_structural(const flx_parameter *p);
// run_linear.c. Inputs and outputs that there are, of a run that can be linearised.
flx_status flx_running_check_io(const flx_run *r, const flx_io *io);
void flx_running_show(flx_run *r);
