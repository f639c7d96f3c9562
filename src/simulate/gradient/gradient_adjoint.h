// gradient_adjoint.h - what gradient_adjoint.c, which carries weights back, and gradient_meet.c, where parameters meet them, share.
#pragma once

#include "simulate/gradient/gradient_parts.h"

typedef struct flx_adjoint {
    gradient *g;
    flx_slopes *sl;                  // borrowed
    int m, nprobe, size, nchange, n; // n: rows of a step
    int inner;                       // points inside a step that the method's own polynomials give
    int points, most_inner;          // points of the run; inside one step, at most
    int *node, *at_node;             // (points) where their steps begin; (nodes) their points
    double *place;                   // (points) in their steps, from 0 on
    void *points_block;              // owned: of what is kept for points
    flx_state *ends[2];              // owned; of a step, without polynomials of the method
    int from, to;                    // nodes of the stretch that is looked at
    double *probe;                   // (points nprobe) values
    double *rule;                    // (points) weights in an integral
    double *by;                      // (m nprobe) slopes of metrics by single measures
    double *w;                       // (m size)
    double *eta;                     // (steps m n) of a stretch
    double *first;                   // (m nchange) by the state at the start
    int *reach
        [2]; // (nchange) changes of states that probes depend on: of ends of steps, of points inside
    int nreach[2];
    double *weights; // (1 + most_inner, m, nchange) of changes at the end of a step, and inside
    double
        *begin; // (m nchange) of those at the begin of the step after, by points between its ends
    double *change, *z, *step; // (nchange) (size) (nchange) scratch, sizes of steps
    double *rp;                // (steps n) of one parameter, of a stretch
    flx_gradient_rates *rates; // owned
    double *slopes;            // (nprobe) of one change
    double largest, rough;     // slopes of probes by states, and how far they are off
    double *parts,
        *before; // (m nparam) what slopes are sums of, in size; slopes before one of these
    size_t nu;   // unknowns of the system
    flx_slopes_instants instants; // states are owned
    double *start_eta;            // (m instants nu)
    double *start_rp;             // (instants nu)
    double *crossings;            // (events) see crossing_of
    flx_gradient_groups *groups;  // owned
    void *block;
} flx_adjoint;

static inline int steps_of(const flx_adjoint *a)
{
    return a->g->n - 1;
}

// Points in their order: node i, then those inside the step that begins there.
static inline int point_of(const flx_adjoint *a, int node)
{
    return a->at_node[node];
}

static inline int points_of(const flx_adjoint *a)
{
    return a->points;
}

// Whether a point lies between ends of a step that give the state there.
static inline bool flx_adjoint_is_between(const flx_adjoint *a, int point)
{
    return a->inner == 0 && a->place[point] > 0.0;
}

// gradient_points.c: points and their weights in integrals.
flx_status flx_adjoint_lay_out(flx_adjoint *a);
// The state at a point into g->moved, moved by e times the change; between ends of a step: these are moved.
void flx_adjoint_place_moved(const flx_adjoint *a, int point, const double *change, double e,
                             const bool moves[2]);

// The state at a point; inside, before joints are closed. Probes there, joints closed: x is changed. How measure i changes with its
// probe at point k. Of an event: weights of the state after it (m nchange), then of its time (m).
void flx_adjoint_place(const flx_adjoint *a, int point, flx_state *x);
flx_status flx_adjoint_observe(const flx_adjoint *a, flx_simulation *sim, int point, flx_state *x,
                               double *out);
double flx_adjoint_weight(const flx_adjoint *a, int i, int k, double value);
double *flx_adjoint_crossing(const flx_adjoint *a, const flx_gradient_jump *jump);

// gradient_meet.c: slope += of the stretch that has been carried back; the first of the run is the last that is.
flx_status flx_adjoint_meet(flx_adjoint *a, const double *measures, double *slope);
