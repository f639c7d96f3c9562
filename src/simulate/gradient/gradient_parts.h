// gradient_parts.h - what the files of this folder share: a run with its steps, and a second one beside it whose parameters
// are moved.
#pragma once

#include "flexion/sensitivity.h"
#include "integrate/slopes/five_points.h"
#include "integrate/slopes/slopes.h"
#include "simulate/run_parts.h"

typedef struct gradient {
    flx_run *run;
    const flx_gradient_def *def;
    flx_ctx *ctx, *quiet; // of the run; of the second one, owned
    flx_run *twin;        // owned
    double *p;            // (nparam) values
    double *error;        // (nvalue nparam) of slopes that are differences
    int nvalue;
    const double *value; // (nvalue) of the run
    int shifted;         // 1 + the parameter of the second run that is moved; 0: none
    // the steps that were made
    bool keeps;                   // they are wanted
    const char *cannot;           // why they have no derivatives; NULL: they have
    bool events;                  // some happen
    bool wander;                  // ... over the ends of given steps, with the parameters
    int n, room;                  // nodes
    size_t size;                  // numbers of a state
    double *states, *times;       // (room size) (room) owned
    int *orders;                  // (room) of the steps that begin at the nodes; owned
    flx_slopes *sl;               // owned; NULL: steps of the method have no derivatives
    size_t record;                // numbers that a step is known by,
    double *records;              // (room record) ... of the steps that begin at the nodes; owned
    bool retraces;                // the second run makes the steps anew, more sharply solved
    flx_state *from, *to, *moved; // owned; scratch
} gradient;

// gradient_run.c: a run from its start to its end, value (nvalue) receives what is asked for. Steps are kept where they are
// wanted.
flx_status flx_gradient_march(gradient *g, flx_run *r, double *value);
// The same of the second run, whose steps are those that were kept.
flx_status flx_gradient_follow(gradient *g, double *value);
// Values of this run are functions of its states, also where these are moved. After each start: that makes the method anew.
void flx_gradient_sharpen(flx_simulation *sim);
// What is asked for of the outputs at one time, by the state in sim->inner.
flx_status flx_gradient_observe(gradient *g, flx_run *r, double t, double *value);
// What the step from node i on is known by.
static inline const double *flx_gradient_record(const gradient *g, int i)
{
    return g->records + (size_t)i * g->record;
}
// The node i.
void flx_gradient_node(const gradient *g, int i, flx_state *x);
// The second run, at its start with parameter k moved by e.
flx_status flx_gradient_shift(gradient *g, int k, double e);
// How far parameter k is moved: `part` of its size.
double flx_gradient_reach(const gradient *g, int k, double part);

// gradient_differences.c: slope, and how far it is off, (nvalue x nparam); adds to runs. Frozen: along the steps of the run.
flx_status flx_gradient_differences(gradient *g, bool frozen, double *slope, double *error,
                                    int *runs);
// gradient_residuals.c: rp (steps x rows), how the equations of the steps change with parameter k, and how far that was moved for
// it, as a part of its size.
typedef struct flx_gradient_rates flx_gradient_rates;
flx_status flx_gradient_rates_create(gradient *g, flx_gradient_rates **out);
void flx_gradient_rates_destroy(flx_gradient_rates **r);
flx_status flx_gradient_rates_find(flx_gradient_rates *r, int k, double *rp, double *part);
// gradient_direct.c: slope (nvalue x nparam)
flx_status flx_gradient_direct(gradient *g, double *slope);
// gradient_adjoint.c. Whether there is one for what is asked for.
bool flx_gradient_has_adjoint(const gradient *g);
flx_status flx_gradient_adjoint(gradient *g, double *slope);
