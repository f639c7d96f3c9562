// performer.h - how a type of analysis is done, and what it may use for it.
// docs/dev/add_an_analysis.md says how to add one.
#pragma once

#include "simulate/simulation_parts.h"

// A system and a state of it, in which an analysis is done.
typedef struct flx_analysis_place {
    const flx_system *sys; // borrowed
    flx_state *x;          // owned
    flx_state *own;        // owned: of the simulation's own system; NULL: it was not asked for
    flx_state *instant;    // owned: the run at a time, where this is asked for
} flx_analysis_place;

// What an analysis is done with.
typedef struct flx_task {
    flx_simulation *sim;
    int number;               // of the analysis; -1: modes of a model without any
    const flx_analysis *a;    // never NULL
    flx_analysis_place place; // filled by flx_analysis_find_place; cleared behind the performer
    int nsink;                // where rows go
    flx_sink *const *sinks;
} flx_task;

// What a motion on a grid is shown to: the model whose inputs are unknowns, and its nodes.
struct flx_opened;
struct flx_grid;
typedef flx_status (*flx_motion_visit)(void *user, const struct flx_opened *open,
                                       struct flx_grid *grid);

typedef struct flx_analysis_performer {
    bool
        settled; // about the start it wants to know which contacts hold, so it is done about the end of the run
    flx_status (*perform)(flx_task *t, flx_finding *out);
    // In the place of perform: what it finds is a motion, which is shown; visit NULL: to nobody.
    flx_status (*show)(flx_task *t, flx_finding *out, flx_motion_visit visit, void *user);
} flx_analysis_performer;

const flx_analysis_performer *flx_analysis_get_performer(const flx_analysis *a);

// The state about which the analysis is done, in coordinates of bodies.
flx_status flx_analysis_find_place(flx_task *t);
// The same, and in the coordinates of the simulation's own system, joint coordinates too: t->place.own.
flx_status flx_analysis_find_own_state(flx_task *t);
// That where another analysis ends, or of the run: FLX_ABOUT_START, FLX_ABOUT_END. report may be NULL.
flx_status flx_analysis_find_state(flx_simulation *sim, int number, flx_analysis_place *p,
                                   flx_equilibrium_report *report);
// Where no time passes sampled controllers and FMUs hold what they have; how: what becomes of it, for the line.
flx_status flx_analysis_tell_clocks(flx_simulation *sim, const char *how, flx_finding *out);
// The signals of the run at a state of rest.
flx_status flx_analysis_observe(flx_simulation *sim, flx_analysis_place *p, flx_finding *out);

// ---- finding.c: what any type of analysis may find ------------------------------------------------
// All of it lives until flx_finding_clear.

// A line for the user.
flx_status flx_finding_line(flx_simulation *sim, flx_finding *f, const char *format, ...)
    FLX_PRINTF(3, 4);
// A table with named columns, filled with zeros; NULL: no memory. The pointer holds until the next one is added.
flx_finding_table *flx_finding_add_table(flx_simulation *sim, flx_finding *f, const char *name,
                                         int nrow, int ncolumn);
flx_status flx_finding_column(flx_simulation *sim, flx_finding *f, flx_finding_table *t, int k,
                              const char *name, const char *unit);
// A matrix, by rows.
flx_finding_table *flx_finding_add_matrix(flx_simulation *sim, flx_finding *f, const char *name,
                                          int nrow, int ncolumn);

#define FLX_ANALYSIS(name) extern const flx_analysis_performer flx_performer_##name;
#include "model/analyses.def"
#undef FLX_ANALYSIS
