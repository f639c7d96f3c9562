// design_parts.h - what the files of a design share.
//
// A point has rows of numbers: parts of the goals, parts of the conditions (at most zero where they hold), limits of the
// conditions. A goal has several parts where it is the largest of some: of `max(..)`, or of the peaks of a response.
#pragma once

#include "flexion/optimise.h"

#include "base/common.h"
#include "model/model_data.h"
#include "optimise/slope_error.h"

#include <pthread.h>

// ---- design_rows.c: the rows of a model -----------------------------------------------------------

typedef struct design_rows {
    int nrow;
    int *owner; // (nrow) goal, ngoal + condition, ngoal + ncondition + condition: its limit
    bool *equal;
    int nleaf;
    flx_leaf *leaves;
    flx_program *program;                         // owned
    double *in, *along, *scratch, *value, *slope; // (nleaf) (nleaf) () (nrow) (nrow)
    bool metrics, analyses;                       // that leaves are of
} design_rows;

#define DESIGN_PEAKS 6 // of a response that are parts of a goal by themselves

// Out of the arena, but for the program; the graph of the model gets more nodes.
flx_status flx_design_rows_make(flx_model *m, flx_arena *arena, design_rows *r);
void flx_design_rows_clear(design_rows *r);

// ---- design_values.c: rows at a point ---------------------------------------------------------------

// What is known of a point. value (nrow), NaN: this part is not there; slope (nrow x n).
typedef struct design_point {
    double *x, *value, *slope;
    bool sloped, failed;
} design_point;

typedef struct design design;

// One thread's model.
typedef struct design_worker {
    design *d;
    flx_ctx *ctx;     // owned, and so are the others
    flx_arena *arena; //
    flx_model *model; // compiled once; NULL: read for every point
    flx_system *system;
    flx_run *run;
    design_rows rows;
    int *params;   // (n) of the system
    int *metrics;  // (nmetric) all
    double *rough; // (n)
    flx_slope_error slope_error;
    char why[200]; // the last run failed
    bool wrong;    // ... because a goal asks for what there is not, at this place
    flx_loc where;
} design_worker;

struct design {
    flx_ctx *ctx; // of the caller
    const flx_design_def *def;
    flx_model *model; // of the caller
    const flx_optimise *o;
    flx_arena *arena;  // owned by the result
    flx_arena *points; // owned: those that are kept
    int n, nrow;
    int *owner; // (nrow)
    bool *equal;
    const char **settings; // (n others) without those of parameters that are found
    int nsetting;
    bool again; // the model is read for every point
    bool runs;  // goals are made of metrics
    int nworker;
    design_worker *workers;
    pthread_mutex_t lock; // of what follows
    int nknown, room;
    design_point *known; // all that was evaluated
    int evaluations, failures;
    bool stopped;
    char why[300]; // of the first run that failed, with its parameters
};

// The model of the caller, its parameters open, at x (NULL: as they are).
flx_status flx_design_read(design *d, flx_ctx *ctx, flx_arena *arena, const double *x,
                           flx_model **m);
flx_status flx_design_worker_make(design *d, design_worker *w);
void flx_design_worker_clear(design_worker *w);
// FLX_OK with p->failed where the run has no values. The point stays; x (n). `team`: all workers may help.
flx_status flx_design_know(design_worker *w, const double *x, bool slopes, bool team,
                           const design_point **p);

// A point of an earlier search.
flx_status flx_design_remember(design *d, const flx_design_row *row);

// ---- design_search.c: one search --------------------------------------------------------------------

typedef struct design_search {
    design_worker *w;
    bool team;
    int goal;            // that is made small
    const double *bound; // (ngoal) of the others; NULL, HUGE_VAL: none
    unsigned seed;
    // found
    double *x;      // (n) first guess, then the best point
    double *lambda; // (nrow) multipliers of its rows
    double value;   // of the goal
    double missed;  // the largest condition that is not met, of its size
    int row;        // ... which one; -1: all are met
    double left;    // gradient that bounds and conditions do not hold, of the differences met
    bool converged, found;
    const char *why;
} design_search;

// FLX_OK, also where nothing was found.
flx_status flx_design_search(design_search *s);
// Of the rows of a point that belong to a goal the largest.
double flx_design_largest(const design *d, const design_point *p, int owner);

// ---- design_idle.c: parameters that nothing depends on ------------------------------------------------

// names: those that neither goals nor conditions depend on, out of the arena of the result; NULL: none. *all: there is no other.
// x (n): the point that was found; points beside it are evaluated where slopes leave it open.
flx_status flx_design_find_idle(design *d, const double *x, const char **names, bool *all);
