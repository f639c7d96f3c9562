// model_data.h - the model: what the user said, read, checked, repeated items unrolled, names resolved,
// constants evaluated, and expressions that move in time left as nodes of one graph.
//
// Plain data with source positions. All of it lives in the model's arena. Bodies are numbered from
// 0; ground is body -1. Vectors have three entries also in planar models (z = 0, rotation about z).
#pragma once

#include "base/common.h"
#include "flexion/extend/method_table.h"
#include "flexion/model.h"
#include "model/model_items.h"
#include "model/optimise_data.h"

#include <stdatomic.h>

typedef struct flx_simulate {
    bool given;
    flx_loc loc;
    double until;
    flx_integrator_def def; // method, formulation, step or tolerances, method's keys
    const char *method;     // "auto" when not given
    flx_loc method_loc, formulation_loc;
    bool tree;         // formulation: tree
    bool partitioning; // loops: partitioning
    bool steps;        // rigid contacts are met step by step, and are no rows of the system
    int start;         // the equilibrium at which it begins; -1: the initial configuration
} flx_simulate;

// A key of a block and its value, as a file says them.
typedef struct flx_option {
    const char *key, *value;
} flx_option;
#define FLX_MOST_OPTIONS 24
// The block `simulate` with these keys (build.c), at most FLX_MOST_OPTIONS, read with the messages of a model.
flx_status flx_simulate_read(flx_ctx *ctx, int n, flx_option *options, flx_simulate *out);

typedef struct flx_column {
    const char *name; // "crank.position.x"
    const char *unit; // "m", "rad", "N", ... or ""
    flx_node node;
} flx_column;

typedef enum flx_measure_kind {
    FLX_MEASURE_FINAL,
    FLX_MEASURE_MAXIMUM,
    FLX_MEASURE_MINIMUM,
    FLX_MEASURE_MEAN,
    FLX_MEASURE_RMS,
    FLX_MEASURE_INTEGRAL,
    FLX_MEASURE_AT, // at a time
} flx_measure_kind;

typedef struct flx_outputs {
    double every;
    int ntimes;
    double *times;
    bool steps;
    int ncolumn;
    flx_column *columns;
    double particles; // interval of places of particles; 0: with the rows
    // measures: an expression over single measures, which are leaves of their own graph
    int nmetric;
    struct flx_measure {
        const char *name;
        flx_loc loc;
        flx_node value; // over leaves FLX_LEAF_MEASURE
    } * metrics;
    int nprobe; // the single measures: kind of a node's course
    struct flx_probe {
        flx_measure_kind kind;
        flx_node node;
        double time; // of FLX_MEASURE_AT
    } * probes;
} flx_outputs;

// A part of the language whose physics is not there yet, as the model uses it.
typedef struct flx_unavailable {
    const char *what;    // "reduce", "forces.C: type contact", "simulate.method: bdf"
    const char *instead; // what can be done until then; "": nothing
    flx_loc loc;
} flx_unavailable;

// A body, a variable of second order, or, in joint coordinates, a joint, whose inertia is neglected.
typedef struct flx_reduced {
    bool variable, joint;
    int number;
    double moves; // how much of its inertia its neighbours get; negative: they give it
    flx_loc loc;  // where `reduce` says it
} flx_reduced;

// What to find out besides the run.
typedef enum flx_analysis_kind {
#define FLX_ANALYSIS(name) FLX_ANALYSIS_##name,
#include "model/analyses.def"
#undef FLX_ANALYSIS
    FLX_ANALYSIS_KINDS
} flx_analysis_kind;
#define FLX_ABOUT_START (-1)
#define FLX_ABOUT_END (-2)
#define FLX_ABOUT_TIME (-3)
#define FLX_ABOUT_RUN (-4) // all of it
typedef struct flx_analysis {
    const char *name, *type; // type: the word of its kind
    flx_loc loc;
    flx_analysis_kind kind;
    bool rest;       // it ends at an equilibrium, from which others can go on
    int about;       // number of an equilibrium or path, FLX_ABOUT_START, FLX_ABOUT_END, ...
    double instant;  // of FLX_ABOUT_TIME
    int count;       // of modes; 0: all
    const void *own; // what a kind knows of its own, by a struct of its own in src/model; arena
    // loads: a path, buckling
    bool gravity;    // is one
    double from, to; // factor
    double time;     // at which forces and motions are taken
    int steps, max_steps;
    bool most_given; // and the end of the path, then
    bool arc_length;
    int branch; // bifurcation at which the path is left, from 1; 0: none
    int nfactor;
    const double *factors; // (nfactor) at which positions are asked for
} flx_analysis;

// A reduction that changes inertia before some is neglected.
typedef struct flx_cutoff {
    int n;
    flx_reduced *items;  // 0: all variables of second order that keep their inertia
    double frequency;    // Hz; 0: by the factor
    double factor;       // of inertia that the others do not carry
    double mass_damping; // 1/s
    flx_loc loc;
} flx_cutoff;

typedef struct flx_parameter {
    const char *name;
    flx_loc loc;
    int count; // numbers: 1 for a scalar
    double *values;
    bool list;
    int leaf;                      // it is open: index of its leaf; else one of these
#define FLX_PARAMETER_FIXED (-1)   // a number
#define FLX_PARAMETER_FOLLOWS (-2) // an expression of open ones
    int tunable;                   // number of its first value in p (numbers.h); -1: not open
    flx_loc needed;                // structural: where its number is needed; else nowhere
} flx_parameter;

// One number of the vector p: an open parameter, or an entry of one that is a list.
typedef struct flx_tunable {
    const char *name; // "k", "k(2)"
    flx_leaf leaf;
    double value; // as read
    int parameter;
} flx_tunable;

// What a run takes from outside, of inputs. The leaves FLX_LEAF_INPUT have these as components.
typedef enum flx_input_part {
    FLX_INPUT_VALUE,
    FLX_INPUT_SLOPE,
    FLX_INPUT_CURVATURE,
    FLX_INPUT_SINCE, // the time at which these three are the value and its derivatives
    FLX_INPUT_FREE,  // 1: its expression counts; 0: it was set from outside
    FLX_INPUT_NUMBERS,
} flx_input_part;

// What is told of an item that the equations know only by what it has become: a path, a controller.
typedef struct flx_told {
    const char *name, *text;
} flx_told;

typedef struct flx_input_item {
    const char *name, *unit; // unit "": not known
    flx_loc loc;
    flx_node node;       // what it is in expressions: saturated
    flx_node expression; // its value in a run, -1: a number
    double value;        // FLX_INPUT_VALUE as the model says it; 0 where it has an expression
    double lower, upper; // infinite: none
    const char *moves;   // joint whose motion contains it: its value must not jump; NULL: none
    int unknown; // it is sought: number of the algebraic unknown + 1; 0: it is a number from outside
} flx_input_item;

// What open parameters must leave as it is: a number that stands in expressions alone, positive or not negative.
typedef struct flx_limit {
    const char *what, *name; // "coefficient of friction" of this item
    flx_loc loc;
    double value;
    flx_open value_open;
    bool positive;
} flx_limit;

// The block `fe`: a structure, or the files of its matrices.
typedef struct flx_fe_block {
    struct flx_structure *structure; // owned by the model; NULL: none
    flx_symmetric K, M;              // of files; owned by the model; n = 0: none
    flx_loc loc;
    bool lumped;
    double rayleigh[2];
    int nhistory;
    flx_node *histories; // (nhistory) of the time: factors of loads
} flx_fe_block;

// Values of one parameter, all memory is the model's.
typedef struct flx_swept {
    const char *name;
    int count;
    double *values;
} flx_swept;

typedef struct flx_sweep {
    bool zip; // side by side; else every combination
    int nparameter;
    flx_swept *parameters;
    int nrun;
    int nanalysis; // done for each; 0: the run
    int *analyses; // their numbers
    // a sample instead of a grid: rows (0: none), its seed, and what is told of it (flexion/sample.h)
    int rows, report;
    int sample_method; // flx_sample_method
    unsigned seed;
} flx_sweep;

// The factors of loads in a transient. fe_history.c
typedef struct flx_histories flx_histories;
flx_status flx_histories_create(const struct flx_model *m, flx_histories **out);
void flx_histories_destroy(flx_histories **h);
const double *flx_histories_at(flx_histories *h, double t); // (nhistory)

typedef struct flx_numbers flx_numbers;
typedef struct flx_varied flx_varied;

// A count stands before its array. NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct flx_model {
    flx_ctx *ctx;
    flx_arena *arena; // owned
    flx_graph *graph; // owned
    const char *path; // interned
    const char *text; // the file's text; arena
    size_t text_length;
    int nset;                    // texts "name=value" that were put over it
    const char *const *settings; // (nset) arena
    const char *title;
    int dimension; // 2 or 3
    double gravity[3];
    flx_fe_block fe;
    flx_open gravity_open[3];
    int nparameter;
    flx_parameter *parameters;
    int ntunable;
    flx_tunable *tunables; // by their leaves
    int ninput;
    flx_input_item *inputs;
    int npath, ncontrol;
    flx_told *paths, *controls;
    flx_numbers *numbers; // that follow from p (numbers.h); owned unless it is varied
    flx_varied *varied;   // of a model made by flx_model_vary, which the arena holds
    int nlimit, limit_capacity;
    flx_limit *limits; // owned
    int nbody, nattached;
    flx_body *
        bodies; // (nbody + nattached) the last are attached frames, without mass, in the initial configuration
    flx_attached *attached; // (nattached)
    int nsurface, surface_capacity;
    flx_surface_file *surfaces; // owned
    int nmodal;
    flx_modal *modals; // by their first variable
    int nbeam;
    flx_beam *beams;
    int nsolid;
    flx_solid *solids;
    int njoint;
    flx_joint *joints;
    int nforce, nspread; // the last so many are further parts of loads along beams
    flx_force *forces;
    int nfriction;
    flx_force *frictions; // of joints
    int nstop;
    flx_stop *stops; // of joints
    int nstick;
    flx_stick *sticks; // of joints
    int ncontact;
    flx_contact *contacts; // one per force of that type
    int nvariable, nmode;  // the last so many are coordinates of flexible bodies
    flx_variable *variables;
    int nfirst, nstate, nalgebraic; // nfirst = nstate + nalgebraic
    flx_first_order *firsts;
    int nconstraint;
    flx_constraint *constraints;
    int ncoupling;
    flx_coupling *couplings;
    int ndiscrete;
    flx_discrete *discretes;
    int nswitch; // inner ones first: the value of a switch depends on earlier ones alone
    flx_switch *switches;
    int nevent;
    flx_event *events;
    int nparticles; // sets
    struct flx_particles_block *particles;
    int nfmu;
    struct flx_fmu_item *fmus; // their infos are owned
    bool reduces; // a system may be made of the model's: rows have derivatives of their bias
    bool spreads; // all numbers of its matrices are asked for, one by one
    int nreduced;
    flx_reduced *reduced;
    bool reduce_auto;        // also what is found
    double reduce_tolerance; // of that: largest error, as a part of the size of coordinates
    bool reduce_else_full;   // when a condition fails during the run, the full system goes on
    bool reduce_corrected;   // the start, to first order
    bool reduce_layer;       // signals have the boundary layer
    flx_loc reduce_loc;      // of the first reduction
    int nanalysis;
    flx_analysis *analyses;
    char *
        awaited; // (nanalysis) 1: expressions use what it finds, and it is not known yet; NULL: none
    int nload;   // load factors: one each analysis, or none at all
    double reduced_damping; // mass_damping of what is neglected, 1/s
    int ncutoff;
    flx_cutoff *cutoffs; // in order
    int nscaled;
    bool reduce_scaled;  // the scaled coordinates lose their inertia, not the given ones
    flx_reduced *scaled; // stiff coordinates that are scaled together before what is fast is sought
    int ncondensed;
    flx_reduced *condensed; // they follow the rest by their stiffness
    flx_simulate simulate;
    flx_outputs outputs;
    flx_sweep sweep;
    flx_optimise optimise;
    int nunavailable;
    flx_unavailable *unavailable;
    const struct flx_entry *tree;        // what it was built of; arena
    struct flx_description *description; // of a user's model (description.h); owned
    flx_model *core;                     // whose members these are; NULL: its own
    atomic_int *users;                   // of a core: how many hold it beside the first; arena
    flx_model *handle; // of a core: the user's model that is it now; NULL: that is gone or changed
};

// A user's model is a handle (description.h), whose members are those of its core, as it was built last.
bool flx_model_is_handle(const flx_model *m);
// Build what calls have changed: members are those of the description then. What calls were refused, or what
// is wrong: FLX_ERR_MODEL, with all messages. Nothing to do for models that are no handles.
flx_status flx_model_refresh(const flx_model *m);
flx_status flx_model_refresh_for(const flx_model *m, flx_ctx *ctx); // the messages in ctx as well
// What an analysis has found is copied, and the model built anew with it.
struct flx_known;
flx_status flx_model_know(const flx_model *m, const struct flx_known *found);
// FLX_ERR_CANNOT where expressions use what no analysis has found yet.
flx_status flx_model_refuse_awaited(const flx_model *m);
// External functions of m are bound as those of another model of its text; one that is not bound is told.
flx_status flx_model_bind_like(flx_model *m, const flx_model *other);
flx_status flx_model_refuse_unbound(const flx_model *m);
// The core, up to date, which stays as it is; the caller ends it by flx_model_destroy. NULL: the model was made by
// hand, and is borrowed.
flx_status flx_model_share(const flx_model *m, flx_model **core);

// Frames that scenes show and joints use: of bodies, then of attached frames.
static inline int flx_model_frames(const flx_model *m)
{
    return m->nbody + m->nattached;
}

// The body that the frame of this number belongs to; the ground is its own.
static inline int flx_model_carrier(const flx_model *m, int body)
{
    return body < m->nbody ? body : m->attached[body - m->nbody].carrier;
}

// Whether a body can have the inertia that it has. block_bodies.c
flx_status flx_body_check_inertia(flx_ctx *ctx, int dimension, const flx_body *body, flx_loc loc);

// The name of an item whose inertia is neglected; NULL: no such item.
const char *flx_model_reduced(const flx_model *m, int i);
const char *flx_reduced_name(const flx_model *m, const flx_reduced *r);

// A typical step of the run: the fixed one, or a thousandth of the time asked for.
double flx_model_typical_step(const flx_model *m);
