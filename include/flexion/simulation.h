// flexion/simulation.h - a model's run from start to ledger: what `flexion run` does.
#pragma once

#include "flexion/analysis.h"
#include "flexion/integrator.h"
#include "flexion/model.h"
#include "flexion/results.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct flx_simulation flx_simulation;

// Compile the model into a system, find redundant constraints and leave them out, make the start
// consistent, create the method. Messages in the model's context tell what was changed.
FLX_API flx_status flx_simulation_create(const flx_model *model, flx_simulation **sim);
// The same, but the run begins in the state that the result holds at time t (NaN: its last one) instead of the model's
// initial configuration. The model has the structure of the one that the result is of: the same names and kinds of bodies, joints and
// variables, in the same order; parameters may differ. The state is made consistent, and messages tell what was
// moved. FLX_ERR_MODEL, FLX_ERR_ARGUMENT: another structure, no such time. The result may be closed afterwards.
FLX_API flx_status flx_simulation_create_from(const flx_model *model, const flx_result *r, double t,
                                              flx_simulation **sim);
// Results keep the whole state at every row, so that runs can begin at any of them; otherwise the last one alone.
FLX_API void flx_simulation_keep_states(flx_simulation *sim);
// For the summary alone, also of a model that needs parts of the language which are not available
// yet, as long as its bodies and joints do not. Such a simulation cannot run.
FLX_API flx_status flx_simulation_examine(const flx_model *model, flx_simulation **sim);
FLX_API void flx_simulation_destroy(flx_simulation **sim);

// What the model is made of, known after create.
typedef struct flx_summary {
    int bodies, joints, forces, variables, states;
    int coordinates; // nv
    int constraints; // constraints and velocity-level constraints before redundant ones were left out
    int redundant, singular; // rows
    int freedoms;            // degrees of freedom (velocity level)
    int reduced;             // bodies and variables whose inertia is neglected
} flx_summary;
FLX_API const flx_summary *flx_simulation_summary(const flx_simulation *sim);
// Names "joint A, row 3 (rotation about y)" of redundant (or singular) rows.
FLX_API const char *flx_simulation_redundant(const flx_simulation *sim, int i);
FLX_API const char *flx_simulation_singular(const flx_simulation *sim, int i);
// Positions that velocity-level constraints leave reachable, at the start; flx_reach_clear it.
FLX_API flx_status flx_simulation_find_reach(flx_simulation *sim, flx_reach *out);
// What can be told before the run of impacts of compliant contacts: those that the state at the start leads to.
typedef struct flx_impact_forecast {
    double speed;     // at which the surfaces meet, by the velocities and accelerations of the start
    double lasts;     // s, an elastic impact of both bodies as if they were free
    double steps;     // given steps in it; 0: steps are chosen by error control
    double frequency; // Hz, the highest that flexible bodies in it have; 0: none is flexible
} flx_impact_forecast;
// The name of contact i; NULL: no more. *speed is 0 where nothing meets, or it is of the rigid law.
FLX_API const char *flx_simulation_impact(flx_simulation *sim, int i, flx_impact_forecast *out);
// Names of bodies and variables whose inertia is neglected.
FLX_API const char *flx_simulation_reduced(const flx_simulation *sim, int i);
// Why `velocities: auto` took these, or none; NULL: the model names them.
FLX_API const char *flx_simulation_reduction(const flx_simulation *sim);
// The tree of bodies, each before all that hangs on it, then the joints that close loops. 0: no more.
typedef struct flx_tree_line {
    int depth;         // joints to the ground; 0: a joint that closes a loop
    const char *body;  // NULL: a joint that closes a loop
    const char *joint; // NULL: the body floats
    const char *type;  // of the joint
    int freedom;       // degrees of freedom of the joint in the tree
} flx_tree_line;
FLX_API int flx_simulation_tree(const flx_simulation *sim, int i, flx_tree_line *line);
// Title, method, settings and signals of the run, as they go to its result file.
FLX_API const flx_result_info *flx_simulation_info(const flx_simulation *sim);
// Run to another time than the model says. FLX_ERR_ARGUMENT unless it is positive.
FLX_API flx_status flx_simulation_set_until(flx_simulation *sim, double until);

// The ledger: every run ends with it.
typedef struct flx_ledger {
    flx_status status; // how the run ended
    double t;          // reached
    double seconds;    // wall clock of the time loop
    flx_statistics work;
    double energy_start, energy_end; // kinetic + potential + strain
    double dissipated, supplied;     // integrals of the powers
    double lost_in_impacts;          // energy, of contacts
    double energy_drift;             // largest |E + dissipated + lost - supplied - E0| / scale
    double momentum_change[6];       // linear, angular: end minus start
    double position_residual, velocity_residual; // largest met at an output
    const char *position_item, *velocity_item;   // borrowed
    double dropped_residual;                     // of the redundant rows
    double step_error; // of a step, in proportion to its move; 0: not known
    int balanced;      // 0: the result fails its own ledger
    long allocations_in_loop;
    int nmetric;
    const double *metrics;  // (nmetric) borrowed
    const char *stopped_by; // the event that ended the run; NULL: none; borrowed
    long particles, particle_steps, particle_rebuilds; // at the end; of all their own steps
    double particle_energy_start, particle_energy_end; // kinetic + potential + elastic
    double particle_dissipated, particle_supplied;     // supplied: work of the walls
    double particle_defect; // work of their forces on bodies less what they gave: the error of the exchange
    double particle_overlap; // the deepest one met at an exchange, over the smaller radius
} flx_ledger;
FLX_API const flx_ledger *flx_simulation_ledger(const flx_simulation *sim);

// Events of the model: name, how often it happened in the run and when last. NULL: no more.
FLX_API const char *flx_simulation_event(const flx_simulation *sim, int i, long *count,
                                         double *last);

// Called now and then with the time reached; a non-zero return stops the run.
typedef int (*flx_progress_callback)(void *user, double t, double until);

// Run to the end, handing every output row to each sink. Everything computed before a failure has
// reached the sinks. Positive status: the computation failed; the message says when, where and
// what to try.
FLX_API flx_status flx_simulation_run(flx_simulation *sim, int nsink, flx_sink *const *sinks,
                                      flx_progress_callback progress, void *user);

// Metrics of the run (outputs.metrics), known after it.
FLX_API int flx_simulation_metric_count(const flx_simulation *sim);
FLX_API const char *flx_simulation_metric(const flx_simulation *sim, int i, double *value);

// Analyses of the model (`analyse`), in the order of the file. NULL: no more. type: the word of
// the model language ("equilibrium", "modes", ...); about: where.
FLX_API const char *flx_simulation_analysis(const flx_simulation *sim, int i, const char **type,
                                            const char **about);

// A table of numbers that an analysis found: columns with names and units, or a matrix.
typedef struct flx_finding_table {
    const char *name; // "poles", "A"
    int nrow, ncolumn;
    const char **columns, **units; // (ncolumn) NULL: a matrix
    double *values;                // (nrow x ncolumn) by rows
} flx_finding_table;

// What an analysis found.
typedef struct flx_finding {
    flx_equilibrium_report rest; // of an equilibrium
    flx_path_report path;        // of type static
    const double *signals; // (columns of the run) at that position, the last of a path; borrowed
    flx_buckling buckling; // of type buckling
    flx_modes modes;       // of modes
    double turning[3];     // of modes: rad/s of the axes in which they are, in the ground's
    int steady;            // 0: the motion is not steady, the coefficients are those of an instant
    int balanced;          // 0: nothing moves, and the forces are not in balance either
    // of any type: what it has to say, line by line; its tables
    int nline, ntable;
    const char **lines;
    flx_finding_table *tables;
    void *memory; // owned
} flx_finding;
// Do analysis i (-1: modes about the start, of a model without any). One about the end of the run
// needs the run before, and does it where there was none.
FLX_API flx_status flx_simulation_analyse(flx_simulation *sim, int i, flx_finding *out);
// The same; of a path every position is a row of the sinks: the length of the path as t, the load factor
// as `load`, then the signals; modes swing one after the other, a second each, with the number of the mode, its frequency and
// damping as signals. What was found before a failure is in `out`.
FLX_API flx_status flx_simulation_analyse_to(flx_simulation *sim, int i, int nsink,
                                             flx_sink *const *sinks, flx_finding *out);
FLX_API void flx_finding_clear(flx_finding *f);
// Its lines, matrices and tables as an HDF5 file, under /analyses/NAME: a matrix is an array, a table a group of `values`,
// `columns` and `units`.
FLX_API flx_status flx_finding_write(flx_ctx *ctx, const char *path, const char *name,
                                     const flx_finding *f);
// For analyses alone, also of a model whose run needs parts of the language that are not supported yet.
FLX_API flx_status flx_simulation_create_to_analyse(const flx_model *model, flx_simulation **sim);

#ifdef __cplusplus
}
#endif
