// simulation_parts.h - the inside of a simulation: what its files share.
#pragma once

#include "base/common.h"
#include "descriptor/descriptor.h"
#include "expr/expr.h"
#include "flexion/analysis.h"
#include "flexion/simulation.h"
#include "model/model_data.h"
#include "model/numbers.h"
#include "reduced/added_mass.h"
#include "reduced/condensed.h"
#include "reduced/quasistatic.h"
#include "reduced/rotated.h"
#include "system/wrapper.h"
#include "tree/tree.h"

// ---- signals -----------------------------------------------------------------------------------

// Nodes of the model as one program, whose leaves the system fills.
typedef struct flx_formulas {
    int nnode, nleaf;
    flx_program *program; // owned
    flx_leaf *leaves;     // (nleaf) owned
    bool reactions;       // forces of joints or constraints are among the leaves
} flx_formulas;

flx_status flx_formulas_create(const flx_graph *graph, int n, const flx_node *nodes,
                               flx_formulas *f);
void flx_formulas_clear(flx_formulas *f);

// Their values at a state of one run.
typedef struct flx_signals {
    const flx_formulas *of;     // borrowed
    double *in, *scratch, *out; // (nleaf) (.) (nnode) owned
    bool settles;               // they read more of a state than its motion (settled.c)
} flx_signals;

flx_status flx_signals_create(flx_ctx *ctx, const flx_formulas *of, flx_signals *s);
void flx_signals_clear(flx_signals *s);
// out of the nodes at x; dissipated: the energy dissipated so far, which no state knows.
flx_status flx_signals_eval(flx_signals *s, flx_simulation *sim, const flx_state *x,
                            double dissipated);
// The same at a state of the system, or of the system of its bodies.
flx_status flx_signals_eval_in(flx_signals *s, flx_simulation *sim, const flx_system *sys,
                               const flx_state *x);
// Values of leaves at x; reactions: forces of joints or constraints are among them.
flx_status flx_simulation_observe(flx_simulation *sim, const flx_state *x, bool reactions, int n,
                                  const flx_leaf *leaves, double *out);

// settled.c: what is shown, measured and put into the ledger has the accelerations, algebraic unknowns and forces that
// follow from positions and velocities, not those that the method carries. For runs with `it`; NULL: with any method.
flx_status flx_simulation_prepare_settling(flx_simulation *sim, const flx_integrator *it);
// The state *x of a run with `it` becomes such a state: a copy, kept until it is forgotten or another one is asked for.
flx_status flx_simulation_settle(flx_simulation *sim, flx_integrator *it, const flx_state **x);
void flx_simulation_forget_settled(flx_simulation *sim);
// A run begins again: what the one before left behind decides no digit of it.
flx_status flx_simulation_settle_anew(flx_simulation *sim);
// The state itself, of the simulation's own run.
flx_status flx_simulation_settle_here(flx_simulation *sim, flx_state *x);
// Forces of contacts that are met step by step, of joints and accelerations with them, at the start of a run.
flx_status flx_simulation_settle_start(flx_simulation *sim, flx_state *x);

bool flx_equations_settle(const flx_model *m);

// Residuals of all rows of the bodies' joints.
void flx_simulation_residuals(flx_simulation *sim, const flx_state *x, flx_residuals *out);

// ---- motion ------------------------------------------------------------------------------------

// Where the bodies' frames are at a state, as the scene wants them (scene/model_scene.h).
typedef struct flx_motion {
    int nleaf;
    flx_leaf *leaves; // owned
    double *in, *out; // (nleaf) (info.nmotion) owned
    flx_arena *arena; // owned: the scene
    flx_scene *scene;
    flx_scene_surface *surfaces; // (info.nsurface) owned; their arrays are the model's
    flx_result_mesh *meshes;     // (info.nmesh) owned; their arrays are the model's
} flx_motion;

// Also fills scene, nmotion and surfaces of sim->info. Nothing without bodies.
flx_status flx_motion_create(flx_simulation *sim);
void flx_motion_clear(flx_motion *m);
flx_status flx_motion_eval(flx_simulation *sim, const flx_state *x);

// ---- quadrature --------------------------------------------------------------------------------

// Integrals over the run of n courses, from their values at the ends of steps and, where the method
// has dense output, at four places inside (theory/results.md):
//     Lobatto, 6 points:  degree 9 exact, error O(h^11) a step on the interpolant        (LED-2)
//     Lobatto, 4 points:  degree 5 exact, error O(h^7)                                   (LED-4)
//     Adams-Moulton:      polynomial through the last four or six step ends, error O(h^5) or O(h^7)
//                         a step                                                         (LED-3)
#define FLX_LOBATTO_INNER 4
#define FLX_QUADRATURE_PAST 5
typedef struct flx_quadrature {
    int n;
    int inner;    // values inside the steps that are given: 4, 2 or none
    double *sum;  // (n) integrals up to the end of the last step
    double *past; // (5 n) courses at the last step ends, the newest first
    double times[FLX_QUADRATURE_PAST];
    int known, most; // step ends seen, and at most
} flx_quadrature;

// past: step ends before the newest that its polynomial takes, 3 or 5.
flx_status flx_quadrature_create(flx_ctx *ctx, int n, int inner, int past, flx_quadrature *q);
void flx_quadrature_clear(flx_quadrature *q);
// The courses at the start of the run.
void flx_quadrature_start(flx_quadrature *q, double t, const double *value);
// The courses jump at t: the integrals go on from these values.
void flx_quadrature_jump(flx_quadrature *q, double t, const double *value);
// Places inside the interval to t where values are wanted, in [0, 1].
double flx_quadrature_place(const flx_quadrature *q, int k);
// The integral from the last step end to t, added to the sum up to there: out (n). inner: values at
// the inner places, one after another, or NULL; end: at t.
void flx_quadrature_extend(const flx_quadrature *q, double t, const double *inner,
                           const double *end, double *out);
// ... of course i alone, without that sum.
double flx_quadrature_passes(const flx_quadrature *q, int i, double t, const double *inner,
                             const double *end);
// The mean of course i over an interval, by the rule.
double flx_quadrature_mean(const flx_quadrature *q, int i, const double *begin, const double *inner,
                           const double *end);
// As flx_quadrature_extend, and t becomes the last step end.
void flx_quadrature_step(flx_quadrature *q, double t, const double *inner, const double *end);

// The energy dissipated within the last step, where measures read it (course/course_dissipated.c).
typedef struct flx_passing {
    bool open; // measures of the step are being taken: the sums are those at its begin
    double from, to, begin, end;
    int n; // places, the ends among them
    double place[FLX_LOBATTO_INNER + 2], power[FLX_LOBATTO_INNER + 2];
} flx_passing;

// gradient/halves.c: how steps were halved for measures, so that runs that are compared with this one take the same parts.
typedef struct flx_halves {
    bool keeps;     // parts are noted; else those that were are taken
    int step, next; // steps that were begun, and the cut that comes next
    int ncut, room_cut;
    bool *
        cuts; // (ncut) owned; of each part that was looked at, the first half after it: whether it was halved
    int nstep, room_step;
    struct flx_halved_step {
        int first; // cut of its own: where there is none it is left whole by the rule of its ends
        bool anew; // polynomials through ends of steps begin anew after it
    } * steps;     // (nstep) owned
} flx_halves;
void flx_halves_clear(flx_halves *h);
void flx_halves_start(flx_halves *h);
// These do nothing without one. The next step begins; a cut is noted by what keeps them. Whether those that were noted are taken.
flx_status flx_halves_step(flx_halves *h, flx_ctx *ctx);
bool flx_halves_takes(const flx_halves *h);
flx_status flx_halves_note(flx_halves *h, flx_ctx *ctx, bool cut);
// Whether there are some in this step; the next of them.
bool flx_halves_any(const flx_halves *h);
bool flx_halves_next(flx_halves *h);
// Whether polynomials through ends of steps begin anew after this step: as it is found, which is noted by what keeps them, or as it
// was noted.
bool flx_halves_anew(flx_halves *h, bool found);
// Whether any step was halved, or followed between its ends; or polynomials began anew.
bool flx_halves_cut(const flx_halves *h);
bool flx_halves_differ(const flx_halves *h);

// How many numbers steps that are halved need, of n courses with so many measures.
size_t flx_course_room(int n, int nprobe, int inner);

// ---- reduction -----------------------------------------------------------------------------------

// Velocities of the system without reduction whose inertia is neglected.
typedef struct flx_neglect {
    int n;
    int *J; // (n) ascending
    int nname;
    const char **names; // (nname) of bodies, variables and shapes
    const char *reason; // why `auto` took them, or none; NULL: the model names them
} flx_neglect;

// reduce_auto.c: what `velocities: auto` of the model stands for, along a pilot of the full one. Memory is the
// arena's.
flx_status flx_reduction_find(flx_simulation *full, const flx_model *model, flx_arena *arena,
                              flx_neglect *out);
// reduce_blocks.c: what the model asks for, in the place of its system *s; fills sim->reduction.
flx_status flx_simulation_reduce(flx_simulation *sim, const flx_state *drawn, flx_system **s);
// What the split into what it names and the rest is like at a state of the reduced system; not FLX_OK,
// without a message but for want of memory: it cannot be told.
struct flx_split;
flx_status flx_reduction_split(const flx_simulation *sim, flx_work *work, const flx_state *at,
                               struct flx_split *split);
// The message where velocities without inertia do not follow from the rest: why.
flx_status flx_reduction_refuse(const flx_simulation *sim, flx_work *work, flx_status why);
// The same model as if it had no `reduce`; `copy` must live as long as the simulation.
flx_status flx_simulation_create_full(const flx_model *model, flx_model *copy,
                                      flx_simulation **full);

typedef struct flx_boundary_layer flx_boundary_layer;
// layer.c: the start of the reduced system shifted by what the boundary layer does to the slow motion; given:
// (nv) velocities before it.
flx_status flx_layer_correct(flx_simulation *sim, const double *given);
// What the layer adds to a state of the innermost system, in arrays of its own; nothing where the model
// does not ask for it.
void flx_layer_add(const flx_simulation *sim, const flx_system *base, flx_state *x);

// signals.c: columns, metrics and events of the model.
flx_status flx_signals_plan(flx_simulation *sim);
// force_bounds.c: bounds of forces, of the plan; and at the start and the ends of steps.
flx_status flx_bounds_plan(flx_simulation *sim);
flx_status flx_bounds_check(flx_simulation *sim, const flx_state *x);

// A reduced run that looks whether its conditions hold (watch.c).
typedef struct flx_watch {
    double next, every;   // times of looking; every 0: the end of the run is not known
    bool failed;          // a condition did not hold; told
    long allocations;     // of looking and changing, which are no part of the time loop
    flx_simulation *full; // owned; once changed it keeps what ran before
} flx_watch;
void flx_watch_start(flx_watch *w, const flx_simulation *sim);
// At the end of a step.
flx_status flx_watch_look(flx_watch *w, flx_simulation *sim, const flx_state *at);
// The full system takes the place of the reduced one, from the state on.
flx_status flx_watch_change(flx_watch *w, flx_simulation *sim);
// What was done before the change.
void flx_watch_add_work(const flx_watch *w, flx_statistics *to);
void flx_watch_end(flx_watch *w, flx_simulation *sim);

// ---- the simulation ----------------------------------------------------------------------------

// One event's.
typedef struct flx_event_course {
    long count;
    double last;
} flx_event_course;

// One single measure's course so far.
typedef struct flx_probe_value {
    double last, low, high;
    double at; // at the time that is asked for; NaN: not yet
} flx_probe_value;

// Forces of joints from a motion, where bodies have no mass: the state y of the tree gets its accelerations, in an array
// of the simulation; then the multipliers of the state x of the bodies.
typedef struct flx_reactions flx_reactions;
flx_status flx_reactions_create(flx_simulation *sim);
flx_status flx_reactions_accelerate(flx_simulation *sim, const flx_system *tree, flx_work *work,
                                    flx_state *y);
flx_status flx_reactions_find(flx_simulation *sim, flx_state *x);
void flx_reactions_destroy(flx_reactions **made);

// settled.c: whether measure i needs accelerations, algebraic unknowns or forces that settle.
bool flx_simulation_probe_settles(flx_simulation *sim, int i);

// judge.c: what the ledger holds a run to beside its energy.
typedef struct flx_judge {
    double speed;                // largest velocity, by the scales
    double rate_off;             // largest rate of the constraints that are kept
    double floor;                // energies below are rounding
    double moved, missed;        // sums over the steps looked at
    double moved_x, missed_x;    // ... of the states
    long next;                   // step to look at
    double *r, *scale, *theta;   // (n) (nv) (nv) owned
    double *rates;               // (nv + nx) owned
    flx_state *end[2];           // owned
    struct flx_settler *settler; // owned; where the method settles its states itself; else NULL
    double *rate[2], *slope[2];  // (nv) owned
} flx_judge;
flx_status flx_judge_create(flx_simulation *sim);
// What finds rates within steps; NULL: nothing does.
struct flx_settler *flx_judge_settler(const flx_simulation *sim);
void flx_judge_destroy(flx_judge *j);
// The arrays of one for those of the other; what each has found stays where it is.
void flx_judge_swap(flx_judge *a, flx_judge *b);
void flx_judge_open(flx_simulation *sim);
// The end of a step; the largest rate of the constraints at a state of the account.
flx_status flx_judge_step(flx_simulation *sim, const flx_state *x);
void flx_judge_rates(flx_simulation *sim, double residual);
// Fills in the ledger; false: it fails.
bool flx_judge_close(flx_simulation *sim);
// Refuses tolerances that the rounding of coordinates does not carry.
flx_status flx_judge_tolerance(flx_simulation *sim);

// What compile makes of a model: no run changes it, and any number of them share it.
typedef struct flx_plan {
    atomic_int holders;     // of a compiled system: runs, and its owner, less one
    const flx_model *model; // borrowed
    flx_arena *arena;       // owned: names
    flx_system *sys;        // owned; without the redundant rows
    flx_system *bodies; // owned; in joint coordinates: the same in coordinates of bodies; else NULL
    flx_state *start;   // owned; consistent; NULL: the simulation that made the plan has it ...
    flx_state *bodies_start; // ... and the same in coordinates of bodies, where they are others
    bool equations_settle;   // energies of equations read more of a state than its motion
    bool to_analyse;         // a structure without freedom has an equilibrium, and no run
    bool chosen;             // `auto` has chosen the method
    bool choose_form;        // `auto` may take joint coordinates
    const char *form_reason; // why it did; NULL: it did not
    bool reactions;          // forces of joints follow from the motion: bodies without mass
    flx_integrator_def def;  // of the model, with what `auto` stands for
    double until;            // 0: the model does not say
    flx_summary summary;
    const char **redundant, **singular; // names; arena
    flx_topology tree;                  // owned
    flx_neglect reduction;              // arena
    struct flx_boundary_layer *layer;   // arena; NULL: signals go without it
    flx_result_info info;               // without what one run adds
    double **findings; // (nanalysis) re, im, frequency, damping of modes that are signals; arena
    flx_formulas columns, probes;
    flx_formulas bounds;          // of forces, in order
    flx_formulas balanced;        // of what begins at rest (balanced_states.c)
    flx_program *measure_program; // owned
    bool *not_unique;             // (njoint) arena or NULL: reactions that are one choice of many
    bool *pressed_not_unique;     // ... and those of them that friction of the joint would follow
    bool balances;                // what neither mass nor damping holds begins in balance
    bool determined;              // masses determine accelerations at the start
    bool form_settles;            // ... and so does the form for explicit methods
    flx_system *held
        [2]; // owned: with starts of joints held, for positions and velocities; NULL: there are none
    double dropped_open;            // what the start left of redundant constraints
    double dropped_share;           // how far the own shares of redundant constraints let them open
    double dropped_most;            // from where on they are not redundant: the run stops
    struct flx_unseen_plan *unseen; // owned; NULL: nothing changes with the time
    bool by_hand;                   // the system is not of a model, and not owned
    flx_model *own_model;  // owned: the model as compile was asked for it; NULL: the caller's
    flx_model *core;       // held: what the model's arrays belong to
    flx_graph *own_graph;  // owned: of a system made by hand
    flx_model *full_model; // owned: the model without `reduce`, where a run may go back to it ...
    struct flx_plan *full; // ... and what is made of it; owned
} flx_plan;
// By who holds it last.
void flx_plan_destroy(flx_plan **plan);
// What a simulation made, for others; it can be destroyed then, and nothing else.
flx_plan *flx_simulation_take_plan(flx_simulation *sim);
// A further run of a plan, which must outlive it; def: NULL: the plan's method.
flx_status flx_simulation_create_of(const flx_plan *plan, const flx_integrator_def *def,
                                    bool no_ledger, flx_ctx *ctx, flx_simulation **sim);
// The same of a system, also of one made by hand.
flx_status flx_simulation_create_for(const flx_system *s, const flx_integrator_def *def,
                                     bool no_ledger, flx_ctx *ctx, flx_simulation **sim);

// Where what begins at rest does so, in a start whose positions are found; s: its coordinates are those of bodies.
flx_status flx_balanced_plan(flx_simulation *sim);
flx_status flx_balanced_find(flx_simulation *sim, const flx_system *s);

// One run of a plan.
struct flx_simulation {
    const flx_plan *plan;   // borrowed, unless it is made here
    flx_plan *making;       // the same, where this simulation makes and owns it; else NULL
    flx_plan *held;         // the same, where it lives as long as this simulation; else NULL
    const flx_model *model; // borrowed
    flx_ctx *ctx;           // borrowed
    flx_arena *arena;       // owned: names; the plan's where that is made here
    bool owns;              // the systems are its own: no plan has them, or they are instances
    flx_system *sys;
    flx_work *work;   // owned
    flx_state *start; // owned; consistent
    // In joint coordinates: the same in coordinates of bodies, through which the motion is observed.
    // NULL: the system itself has them.
    flx_system *bodies;
    flx_work *bodies_work;       // owned
    flx_state *bodies_state;     // owned
    double *bodies_z;            // owned; scratch of its explicit form, twice
    flx_reactions *reactions;    // owned; where bodies have no mass; else NULL
    flx_state *state;            // owned; as far as the run came
    flx_state *inner;            // owned; scratch: inside a step
    flx_integrator *it;          // owned; NULL: the model does not say what to run
    struct flx_settler *settler; // owned; NULL: nothing asks for it, or the method does so itself
    flx_state *settled;          // owned; of the state settled_of
    const flx_state *settled_of; // NULL: of none
    bool powers_settle;          // energies and powers read more of a state than its motion
    bool losses_settle;          // ... or dissipated powers alone do
    bool courses_settle;         // ... or measures do
    bool shows_dissipated;       // a column reads the energy dissipated so far
    bool measures_dissipated;    // ... and a measure
    bool warned_unsettled;
    bool used; // the integrator has run
    flx_integrator_def def;
    double until;
    flx_result_info info;
    double **findings; // the plan's, or found again for other parameters; arena

    flx_signals columns, probes, bounds;
    flx_motion motion;
    double *measure_in, *measure_scratch, *metrics;
    flx_probe_value *probe_values; // (nprobe) owned
    const bool *
        idle; // (nprobe) measures that nobody asks for: not sought inside steps; NULL: all are. Borrowed
    flx_event_course *events; // (nevent) owned
    double *columns_before;   // (ncolumn) owned: signals before an event

    // the account of the run
    bool no_ledger; // it is not asked for
    bool sharp;     // extremes are sought to rounding, for derivatives
    struct flx_halves
        *halves;           // of such a run: how its steps are halved; borrowed. NULL: they are not
    bool accounts;         // the system knows its energies
    bool powers;           // something dissipates or supplies ...
    bool powered;          // ... and is followed in this run
    flx_quadrature course; // powers dissipated and supplied, probes, squares of probes
    flx_passing passing;   // ... where measures read what is dissipated
    double *course_value, *course_inner, *course_sum; // scratch
    double
        *course_parts; // ... of steps that are halved for measures (flx_course_room); NULL: none is
    bool course_lost;  // a measure was not followed, and that was told
    bool energy_known; // energy_now is that of the state
    flx_energies energy_now;
    flx_energies energy_start;
    double energy_scale, energy_error;
    double energy_turnover; // supplied and taken back, each counted
    double lost_in_impacts; // energy
    double dropped_start;   // what the closure left of redundant constraints
    flx_judge judge;
    double kept_residual; // largest residual of the others met at an output
    flx_ledger ledger;
    struct flx_exchange *exchange; // owned; of particles; NULL: there are none, or nothing runs
    struct flx_fmu_steps *fmus;    // owned; NULL: there are none, or nothing runs
    struct flx_unseen *unseen;   // owned; what no step sees (unseen/unseen.h); NULL: nothing can be
    struct flx_keeper *keeper;   // owned; NULL: the run leaves no checkpoints
    struct flx_starter *starter; // owned; what starts are made again with; NULL: none was yet
    const struct flx_given_state
        *from;          // where it begins, while it is made; NULL: the initial configuration
    double *kept_state; // (info.nstate) arena
};

// states.c: a state to begin from, instead of the drawing; borrowed.
typedef struct flx_given_state {
    const char *structure;
    int n;
    const double *values; // (n)
} flx_given_state;
// It, of a descriptor system with all its rows; refuses another structure.
flx_status flx_states_apply(const flx_simulation *sim, const flx_system *s, flx_state *x);
// What info says of states; the state x as sinks take it, into kept_state.
flx_status flx_states_create(flx_simulation *sim);
void flx_states_take(flx_simulation *sim, const flx_state *x);
// The state x of a simulation in the coordinates of another one of the same model, with its accelerations and multipliers.
flx_status flx_states_convert(flx_simulation *by, const flx_state *x, flx_simulation *to,
                              flx_state *y);
// As flx_simulation_create, from a state.
flx_status flx_simulation_create_at(const flx_model *model, const flx_given_state *from,
                                    flx_simulation **sim);

// run_checkpoint.c
void flx_keeper_destroy(struct flx_keeper **keeper);

// tell.c: what was changed of the drawing; what was left out although `weakest` of it is its own; reactions asked for
// that are one choice of many.
flx_status flx_simulation_tell_changes(flx_simulation *sim, const flx_state *drawn);
void flx_simulation_tell_left_out(flx_simulation *sim, double weakest);
void flx_simulation_tell_not_unique(flx_simulation *sim);
// ... that motions of joints follow tables with corners, or records that the run goes beyond.
void flx_simulation_tell_corners(flx_simulation *sim);
// At the end of a run: friction that others or joints could carry as well, where forces are asked for.
void flx_simulation_tell_shared_friction(flx_simulation *sim);

// A method from the definition, in the place of the one that is there.
flx_status flx_simulation_create_method(flx_simulation *sim);
// form.c: what the way from joint coordinates to bodies needs beside their states and workspaces.
flx_status flx_simulation_carries(flx_simulation *sim);
// The change to joint coordinates, where it is asked for or faster.
flx_status flx_simulation_choose_form(flx_simulation *sim);
// As flx_simulation_create, in the form that the model names: for all methods in turn.
flx_status flx_simulation_create_as_it_is(const flx_model *model, flx_simulation **sim);
// choose.c: the method that `auto` stands for, with the reason.
flx_status flx_simulation_choose_method(flx_simulation *sim);
// Whether something dissipates or supplies energy.
bool flx_simulation_is_powered(const flx_simulation *sim);

// statics.c: the load factors of the analyses (nload), in the system of the bodies; all of them 1 again;
// the path of analysis i from x, a state of that system, with a row to every sink; signals at x.
double *flx_simulation_loads(flx_simulation *sim);
void flx_simulation_unload(flx_simulation *sim);
flx_status flx_simulation_follow(flx_simulation *sim, int i, flx_state *x, int nsink,
                                 flx_sink *const *sinks, flx_path_report *p);
flx_status flx_simulation_observe_rest(flx_simulation *sim, const flx_state *x);

// For analyses, with zeros in the place of what others find.
flx_status flx_simulation_create_unsettled(const flx_model *model, flx_simulation **sim);
// analyses/settle_model.c: the analyses whose results expressions use are done, and the model is built anew with them.
// needed: without them there is no run; else one that fails is a warning.
flx_status flx_model_settle(const flx_model *m, bool needed);
// analyses/performers.c: the modes that signals ask for; room for them that is not the plan's.
flx_status flx_simulation_find_signals(flx_simulation *sim);
flx_status flx_simulation_own_findings(flx_simulation *sim);

// reduce_cutoff.c: what blocks of type cutoff make of the system *s, initially; velocities of items, as many
// as it returns.
flx_status flx_simulation_cut_off(flx_simulation *sim, const flx_state *drawn, flx_system **s);
// reduce_condense.c: the same of blocks of type guyan; reduce_lump.c: of masses that are moved to neighbours.
flx_status flx_simulation_condense(flx_simulation *sim, const flx_state *drawn, flx_system **s);
// ... whose start is then that of parts at rest between the others.
flx_status flx_simulation_settle_condensed(flx_simulation *sim);
flx_status flx_simulation_lump(flx_simulation *sim, const flx_state *drawn, flx_system **s);
// The equations frozen at rest, initially; the arena's.
struct flx_frozen;
flx_status flx_simulation_freeze(const flx_simulation *sim, const flx_system *s,
                                 const flx_state *drawn, flx_arena *arena, struct flx_frozen *f);
static inline bool flx_is_listed(int n, const int *list, int i)
{
    for (int k = 0; k < n; k++) {
        if (list[k] == i) return true;
    }
    return false;
}
int flx_reduced_find(const flx_simulation *sim, const flx_system *s, int n,
                     const flx_reduced *items, int *J);

// statics.c: for the while of an analysis the system is that of the bodies, whatever the run's is.
typedef struct flx_in_bodies {
    flx_system *sys, *bodies;
    flx_work *work, *bodies_work;
} flx_in_bodies;
flx_in_bodies flx_in_bodies_take(flx_simulation *sim);
void flx_in_bodies_give_back(flx_simulation *sim, const flx_in_bodies *kept);

// prepare.c: all that `reduce` makes of the system *s, and, in the place of accelerations at the start, what
// follows of it for velocities, scales and accelerations.
flx_status flx_simulation_recast(flx_simulation *sim, const flx_state *drawn, flx_system **s);
flx_status flx_simulation_start_recast(flx_simulation *sim);
// Positions, velocities, states and switches; d: of the smaller system.
void flx_simulation_copy_motion(const flx_dims *d, flx_state *to, const flx_state *from);

// begin.c: the start of sim->sys, whose rows are chosen, from the initial configuration; closed: its positions where they are known, or
// NULL. Needs a starter.
flx_status flx_starter_create(flx_simulation *sim, bool again, struct flx_starter **starter);
void flx_starter_destroy(struct flx_starter **starter);
flx_status flx_simulation_begin(flx_simulation *sim, const flx_state *drawn,
                                const flx_state *closed);
// The start of a further run made again, after parameters or inputs of its systems were set: sim->start. FLX_ERR_CANNOT: rows
// that were left out, or kept, are not what they were: the model has to be compiled again.
flx_status flx_simulation_start_again(flx_simulation *sim);
// How far what begins in balance was moved, (nv); NULL: nothing was.
const double *flx_simulation_balance(const flx_simulation *sim);
// What rows left out ask must follow from the rest; how far the start leaves them open.
flx_status flx_simulation_check_left_out(flx_simulation *sim, double *open);
double flx_system_largest_scale(const flx_system *s);
// form.c: the start in joint coordinates from that of bodies, in sim->bodies_state.
flx_status flx_simulation_change_form(flx_simulation *sim);

// prepare.c: summary and names of redundant constraints; to run, also the system without these rows and its
// consistent start.
flx_status flx_simulation_prepare(flx_simulation *sim, bool to_run);
