// gradient_parts.h - what the files of this folder share: a run with its steps, and a second one beside it whose parameters
// are moved.
#pragma once

#include "flexion/sensitivity.h"
#include "integrate/slopes/five_points.h"
#include "integrate/slopes/slopes.h"
#include "simulate/run_parts.h"

// An event between two nodes of one time.
typedef struct flx_gradient_jump {
    int node;     // before it
    bool located; // by an indicator, `which`; else at a time known beforehand
    int which;
    double rate;          // of that indicator, along the motion before
    signed char *changed; // (indicators) owned
} flx_gradient_jump;

// Where a stretch of a run begins whose steps are made again: its first node, and the run there.
typedef struct flx_gradient_mark {
    int node;
    void *saved; // owned
    size_t size;
} flx_gradient_mark;

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
    flx_halves halves;   // of the run's steps, for its measures; owned
    // the steps that were made
    bool keeps;               // they are wanted
    const char *cannot;       // why they have no derivatives; NULL: they have
    bool events;              // some happen
    bool wander;              // ... over the ends of given steps, with the parameters
    int n, room;              // nodes
    size_t size;              // numbers of a state
    double *times;            // (room) owned
    int *orders;              // (room) of the steps that begin at the nodes; owned
    int first, held, wide;    // nodes whose states are here, and room for them
    double *states;           // (wide size) owned
    flx_slopes *sl;           // owned; NULL: steps of the method have no derivatives
    size_t record;            // numbers that a step is known by,
    double *records;          // (wide record) ... of the steps that begin at these; owned
    flx_gradient_mark *marks; // (nmark) owned; none: all states are here
    int nmark, room_mark;
    flx_run
        *tracer; // owned: it makes steps again along those of the run; NULL: the run itself does
    flx_gradient_mark start, last; // the run at its end, where there are marks
    bool again;                    // steps are made again
    flx_status lost;               // a stretch could not be
    int njump, room_jump;
    flx_gradient_jump *jumps;     // (njump) owned
    bool retraces;                // the second run makes the steps anew, more sharply solved
    flx_state *from, *to, *moved; // owned; scratch
} gradient;

// gradient_run.c: a run from its start to its end, value (nvalue) receives what is asked for. Steps are kept where they are
// wanted.
flx_status flx_gradient_march(gradient *g, flx_run *r, double *value);
// The same of the second run, whose steps are those that were kept.
flx_status flx_gradient_follow(gradient *g, double *value);
bool flx_gradient_same_parts(const gradient *g);
// Values of this run are functions of its states, also where these are moved. After each start: that makes the method anew.
void flx_gradient_sharpen(flx_simulation *sim);
// ... of the second run, which follows no powers that nothing asked for is made of.
void flx_gradient_sharpen_twin(gradient *g);
// What is asked for of the outputs at one time, by the state in sim->inner.
flx_status flx_gradient_observe(gradient *g, flx_run *r, double t, double *value);
// What the step from node i on is known by.
const double *flx_gradient_record(gradient *g, int i);
// gradient_stretches.c: states of a run that would take too much are kept stretch by stretch, and made again from where each of
// them began. begin: the run is at its start; go_on: after a step of it, another stretch begins where it has to; bring: node i, and
// the step from it where `step` says so, are among those that are here. The part of a stretch that step i is in, whose weights meet
// parameters together: its nodes from *from to *to; most_steps: of the longest one. end: the run is where it ended.
#define FLX_GRADIENT_TOO_MUCH "its steps would take more than 1 GiB"
flx_status flx_gradient_begin(gradient *g, const flx_run *r);
flx_status flx_gradient_go_on(gradient *g, const flx_run *r);
void flx_gradient_bring(gradient *g, int i, bool step);
void flx_gradient_stretch(const gradient *g, int i, int *from, int *to);
int flx_gradient_most_steps(const gradient *g);
int flx_gradient_most_nodes(const gradient *g); // that there is room for
flx_status flx_gradient_end(gradient *g);
// From now on g->tracer makes steps again, along the steps of the run.
flx_status flx_gradient_retrace(gradient *g);
void flx_gradient_clear_marks(gradient *g);
// gradient_run.c: the step that the run has made last, and an event that ended it; count: events before.
flx_status flx_gradient_keep_end(gradient *g, const flx_simulation *sim, long count);
flx_status flx_gradient_keep(gradient *g, const flx_state *x);
// Whether a metric that is asked for is made of measure i.
bool flx_gradient_reads(const gradient *g, int i);
// The event that the "step" from node i on is; NULL: it is a step.
const flx_gradient_jump *flx_gradient_jump_at(const gradient *g, int i);
// gradient_events.c: an event has happened after the last step of the run: it is kept, or g->cannot says why not.
flx_status flx_gradient_note_jump(gradient *g, const flx_state *before, const flx_state *after);
// After the run: how fast indicators change there. FLX_ERR_CANNOT, with a message: an event that grazes.
flx_status flx_gradient_judge_jumps(gradient *g);
void flx_gradient_clear_jumps(gradient *g);
// Over an event, (SEN-13): the change of the state of parameter k, and *dt, of the time.
flx_status flx_gradient_cross(gradient *g, const flx_gradient_jump *j, int k, const double *before,
                              double *after, double *dt);
// ... and weights back, of m metrics: after, (m change), by_time (m): of the time; before (m change).
flx_status flx_gradient_cross_back(gradient *g, const flx_gradient_jump *j, int m,
                                   const double *after, const double *by_time, double *before);
// The node i.
void flx_gradient_node(gradient *g, int i, flx_state *x);
// Both ends of the step from node i on, to be read where they are kept: until other nodes are asked for.
void flx_gradient_ends(gradient *g, int i, flx_state *from, flx_state *to);
// The second run, at its start with parameter k moved by e.
flx_status flx_gradient_shift(gradient *g, int k, double e);
// How far parameter k is moved: `part` of its size.
double flx_gradient_reach(const gradient *g, int k, double part);

// gradient_differences.c: slope, and how far it is off, (nvalue x nparam); adds to runs. Frozen: along the steps of the run.
flx_status flx_gradient_differences(gradient *g, bool frozen, double *slope, double *error,
                                    int *runs);
// (SEN-5), (SEN-6) of values at -3 e to 3 e without the centre.
void flx_gradient_of_points(const double *value, double centre, double e, double *slope,
                            double *error);
// gradient_residuals.c: rp (steps x rows), how the equations of the steps change with parameter k, and how far that was moved for
// it, as a part of its size.
typedef struct flx_gradient_rates flx_gradient_rates;
flx_status flx_gradient_rates_create(gradient *g, int steps, flx_gradient_rates **out);
void flx_gradient_rates_destroy(flx_gradient_rates **r);
// Steps `from` to before `to`, at first all of them.
void flx_gradient_rates_take(flx_gradient_rates *r, int from, int to);
flx_status flx_gradient_rates_find(flx_gradient_rates *r, int k, double *rp, double *part);
// The parts that parameters of a group are moved by, and the first that one is alone.
#define FLX_GRADIENT_PART 1e-3
// Step of differences of values, as a part of the size of a parameter.
#define FLX_GRADIENT_VALUE_PART 1e-4
// gradient_groups.c: parameters that no equation has two of are moved together.
typedef struct flx_gradient_groups flx_gradient_groups;
flx_status flx_gradient_groups_create(gradient *g, const flx_slopes_instants *instants,
                                      flx_gradient_groups **out);
void flx_gradient_groups_destroy(flx_gradient_groups **groups);
int flx_gradient_groups_count(const flx_gradient_groups *x);
int flx_gradient_groups_size(const flx_gradient_groups *x, int group);
bool flx_gradient_groups_has(const flx_gradient_groups *x, int group, int k);
// (rows of a step, then of the instants) 1 + the parameter that is in a row, 0: none is
const int *flx_gradient_groups_owner(const flx_gradient_groups *x, int group);
// Whether a parameter moves what the run begins with; whether probes contain it themselves.
bool flx_gradient_groups_moves(const flx_gradient_groups *x, int k);
bool flx_gradient_groups_seen(const flx_gradient_groups *x, int k);
// The second system with those of a group moved by so many steps, without a start; of these only such with this bit in their
// numbers, -1: all. Group -1: none.
flx_status flx_gradient_groups_move(flx_gradient_groups *x, int group, double places, int bit);
int flx_gradient_groups_bits(const flx_gradient_groups *x);
bool flx_gradient_groups_bit(int k, int bit);
// gradient_residuals.c: the same as flx_gradient_rates_find for a group. rp (steps x rows), eta (instants x unknowns) receives the
// rows of instants. *good: false: they have to be found one by one.
flx_status flx_gradient_rates_find_group(flx_gradient_rates *r, flx_gradient_groups *x, int group,
                                         const flx_slopes_instants *instants, double *rp,
                                         double *at_instants, bool *good);
// gradient_direct.c: slope (nvalue x nparam)
flx_status flx_gradient_direct(gradient *g, double *slope);
// gradient_adjoint.c. Whether there is one for what is asked for.
bool flx_gradient_has_adjoint(const gradient *g);
flx_status flx_gradient_adjoint(gradient *g, double *slope);
