// flexion/run.h - a model compiled once, and any number of motions of it.
//
//     flx_model, flx_model_read or calls   what there is            one thread
//     flx_system, flx_system_compile       the equations, const     any number of threads share it
//     flx_run, flx_run_create              one motion               one thread at a time
//
// A system needs its model no more, and lives until its last run has ended, if it is destroyed before; a context
// outlives all that was made with it. Each thread has a context of its own. docs/library.md is the guide to this file.
#pragma once

#include "flexion/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- compile -----------------------------------------------------------------------------------

// Begin with flx_compile_def_default(), which sets size.
typedef struct flx_compile_def {
    size_t size;
    // "auto", "index-3", "ggl", "index-1", "tree"; NULL: what the model says
    const char *formulation;
    // The method of runs that name none; method.method NULL: the model's, or `auto`.
    flx_integrator_def method;
} flx_compile_def;
static inline flx_compile_def flx_compile_def_default(void)
{
    flx_compile_def def;
    memset(&def, 0, sizeof def);
    def.size = sizeof def;
    def.method = flx_integrator_def_default();
    def.method.method = NULL;
    return def;
}

// The model as a system that nobody changes any more: redundant constraints are found and left out, reductions made,
// coordinates and method chosen, the start is consistent. Messages go to ctx: what was changed, and what is wrong.
// def NULL: the default. flx_system_destroy ends it, at once or with its last run; no further run can be made of it then.
FLX_API flx_status flx_system_compile(flx_model *model, const flx_compile_def *def, flx_ctx *ctx,
                                      flx_system **s);

// Outputs: the signals of the model, in the order of flx_run_outputs; -1, with the nearest name in ctx: there is none.
// An output of several numbers has one for each: "rod.position.x".
FLX_API int flx_system_output(const flx_system *s, const char *name, flx_ctx *ctx);

// Inputs and parameters likewise.
FLX_API int flx_system_input(const flx_system *s, const char *name, flx_ctx *ctx);
FLX_API int flx_system_parameter(const flx_system *s, const char *name, flx_ctx *ctx);

// What a system has by number: 0 where i is out of range.
typedef enum flx_port {
    FLX_PORT_OUTPUT,
    FLX_PORT_METRIC, // of the whole run: flx_run_ledger has their values
    FLX_PORT_EVENT,
    FLX_PORT_INPUT,
    FLX_PORT_PARAMETER, // a list has one for each entry: "k(2)"
} flx_port;
typedef struct flx_port_info {
    const char *name;
    const char *unit;    // "": none, or not known
    double value;        // of inputs and parameters: as the model says it; NaN: an expression
    double lower, upper; // of inputs: the value saturates there; infinite: it does not
    int tunable;         // of parameters: 0: structural, only a new compile changes it
} flx_port_info;
FLX_API int flx_system_describe(const flx_system *s, flx_port port, int i, flx_port_info *out);
// Title, method and signals, as they go to a result file. NULL: the system was not compiled from a model.
FLX_API const flx_result_info *flx_system_info(const flx_system *s);
// Whether `auto` chose the method, which with other parameters may have been another one.
FLX_API int flx_system_has_chosen(const flx_system *s);
// Counts of bodies, joints, constraints, freedoms; NULL: the system was not compiled from a model.
FLX_API const flx_summary *flx_system_summary(const flx_system *s);

// ---- run ---------------------------------------------------------------------------------------

typedef struct flx_run flx_run;

// Callbacks get what they need: calls that move, change, save or look at their own run are refused.
// A warning when it arises; it is also kept in the context.
typedef void (*flx_log_callback)(void *user, const flx_message *message);
// An event of the model happened: its number and name. Non-zero: the run stops there.
typedef int (*flx_event_callback)(void *user, double t, int event, const char *name);
// A row of outputs, when the model's `outputs` asks for one. Non-zero: the run is interrupted at the end of the step.
typedef int (*flx_row_callback)(void *user, double t, int n, const double *outputs);

// Begin with flx_run_def_default(), which sets size.
typedef struct flx_run_def {
    size_t size;
    flx_integrator_def method; // method.method NULL: that of the system
    double until;              // where the run is expected to end; 0: the model's
    int no_ledger;             // non-zero: no account is kept, which makes steps cheaper
    flx_log_callback log;      // NULL: none, and so for the others
    flx_event_callback event;
    flx_row_callback row;
    flx_progress_callback progress; // at most every 50 ms of wall clock; non-zero: interrupt
    void *user;                     // of all callbacks
} flx_run_def;
static inline flx_run_def flx_run_def_default(void)
{
    flx_run_def def;
    memset(&def, 0, sizeof def);
    def.size = sizeof def;
    def.method = flx_integrator_def_default();
    def.method.method = NULL;
    return def;
}

// A motion at its start. Of a system of one's own it begins with zeros: flx_run_set_state. def NULL: the default.
FLX_API flx_status flx_run_create(const flx_system *s, const flx_run_def *def, flx_ctx *ctx,
                                  flx_run **run);
FLX_API void flx_run_destroy(flx_run **run);
// Back to the start, with inputs and parameters as they are now. FLX_ERR_MODEL: these cannot be; FLX_ERR_CANNOT: with these
// the model has to be compiled again. The run then has no start, and goes on after a reset with other ones, or a restore.
FLX_API flx_status flx_run_reset(flx_run *run);
// Positions (nq), velocities (nv), states (nx), each NULL: as they are; made consistent by the least change, which report
// (may be NULL) tells. Time goes on, the account begins anew. Not FLX_OK: nothing has changed.
FLX_API flx_status flx_run_set_state(flx_run *run, const double *q, const double *v,
                                     const double *x, flx_start_report *report);

// To the time t, exactly; events on the way happen. The method's own step size is kept for what comes after, and
// multiples of a fixed step are met as in one go; a way that is rounding beside the method's steps is made without one.
// FLX_STOPPED: an event or a callback has ended the motion, now or
// before. Other positive status: it failed at flx_run_time, and goes on only after reset, restore or set_state.
FLX_API flx_status flx_run_advance(flx_run *run, double t);
// To the end that the definition or the model names.
FLX_API flx_status flx_run_finish(flx_run *run);
// One step of the method, of at most `most` seconds (0: as it likes); taken may be NULL.
FLX_API flx_status flx_run_step(flx_run *run, double most, double *taken);
FLX_API double flx_run_time(const flx_run *run);

// An input from here on: n = 1: held at u[0]; 2: with the slope u[1]; 3: with the curvature u[2] too; 0: what the model
// says. Where the value jumps this is an instant: events happen, accelerations and multipliers follow, multistep methods
// begin anew. FLX_ERR_ARGUMENT, and nothing changes: the input moves a joint, which would jump. Of a motion that was stopped
// or has failed nothing changes but the input, which counts from the next reset on.
FLX_API flx_status flx_run_set_input(flx_run *run, int input, int n, const double *u);
// The numbers as they are now: value, slope, curvature at flx_run_time.
FLX_API flx_status flx_run_get_input(const flx_run *run, int input, double u[3]);

// A parameter, from the next reset on: it makes masses, places, stiffnesses, the start and all else that follows. FLX_ERR_CANNOT:
// it is structural, or this kind of system does not follow; the message says why. Values that cannot be are refused by
// flx_run_reset. Structural ones can be read, those that are expressions of others cannot.
FLX_API flx_status flx_run_set_parameter(flx_run *run, int parameter, double value);
FLX_API flx_status flx_run_get_parameter(const flx_run *run, int parameter, double *value);

// The value of an output here, found when it is asked for, then remembered; NaN: it has none, and a message says why.
FLX_API double flx_run_get(flx_run *run, int output);
// All of them: (n); the pointer never moves, and the values are those of the last call. NULL: as above.
FLX_API const double *flx_run_outputs(flx_run *run, int *n);

// The unknowns themselves: (n) numbers that follow the run; the pointer never moves. Accelerations, algebraic unknowns and
// multipliers are those that the method carries.
typedef enum flx_view {
    FLX_VIEW_Q,
    FLX_VIEW_V,
    FLX_VIEW_A,
    FLX_VIEW_X,
    FLX_VIEW_W,
    FLX_VIEW_LAMBDA,
    FLX_VIEW_MU,
} flx_view;
FLX_API const double *flx_run_view(const flx_run *run, flx_view what, int *n);

// What there is to see of the run: scene, nmotion, meshes and surfaces of the info are set then; NULL: no memory, and a
// message says so. The scene is NULL where the model has no bodies.
FLX_API const flx_result_info *flx_run_scene(flx_run *run);
// Where all of it is now: (n) numbers, as result files keep them (flexion/scene.h); the pointer never moves. NULL: there is
// nothing to see, or it cannot be told, and a message says why.
FLX_API const double *flx_run_motion(flx_run *run, int *n);

// ---- save and restore ----------------------------------------------------------------------------

// The run as a block of bytes: how many it needs; nothing is written where room is short (room 0 asks). What comes after a
// restore is bit for bit what would have come, in this process or another one, on the same type of processor. Methods whose
// memory is not ours (bdf, adams) begin anew there, at order 1; a warning says so.
FLX_API size_t flx_run_save(const flx_run *run, void *buffer, size_t room);
// Into a run of the same system with the same method. FLX_ERR_ARGUMENT, with a message: the block is of another one, or
// damaged; then nothing has changed.
FLX_API flx_status flx_run_restore(flx_run *run, const void *buffer, size_t size);
// A run of its own at the same place, with the same callbacks; the original is only read.
FLX_API flx_status flx_run_clone(const flx_run *run, flx_ctx *ctx, flx_run **copy);

// As flx_run_set_state, at another time: of a state of another run of the same unknowns, such as one with other parameters.
FLX_API flx_status flx_run_set_state_at(flx_run *run, double t, const double *q, const double *v,
                                        const double *x, flx_start_report *report);

// ---- reports -------------------------------------------------------------------------------------

// Work so far.
FLX_API flx_statistics flx_run_statistics(const flx_run *run);
// The account so far, with the metrics; a warning says where it fails. It changes nothing.
FLX_API const flx_ledger *flx_run_ledger(flx_run *run);
// The context that the run writes its messages to.
FLX_API flx_ctx *flx_run_messages(const flx_run *run);
// The event that ended the motion; NULL: none has.
FLX_API const char *flx_run_stopped_by(const flx_run *run);

#ifdef __cplusplus
}
#endif
