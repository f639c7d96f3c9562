// trajectory.h - motions and inputs of least cost on a grid, as a nonlinear program (theory/inversion.md).
//
//     least sum_n h omega_n c_n  with (GRID-1) at all nodes, rest at both ends, bounds on algebraic unknowns      (OPT-1)
//
// Cost, limits and conditions at the end are algebraic unknowns with rows of their own, so that all derivatives are those of
// `linearise`: the Jacobian exactly; second derivatives by differences of the node's gradient along the directions in which
// rows are curved: positions, velocities, states, inputs.
#pragma once

#include "analyse/grid/grid.h"
#include "math/nlp/nlp.h"

typedef struct flx_trajectory_def {
    int nodes;                   // N + 1
    double time;                 // T, or its guess
    bool free_time;              // T is sought ...
    double least, most;          // ... between these
    const signed char *role;     // (nw): inputs; the cost is an output, all else is plain
    const signed char *linear;   // (nw) algebraic unknowns in which all rows are linear: outputs
    int cost;                    // algebraic unknown that is integrated
    const double *lower, *upper; // (nw) of algebraic unknowns
    const double *end_lower, *end_upper; // (nw) at the last node
    const double *end_q;                 // (nq) guess of the last position
    int iterations;                      // at most
    double tolerance;
} flx_trajectory_def;

typedef struct flx_trajectory {
    flx_grid *grid; // owned
    flx_nlp_report report;
    double cost, time;
    double
        differ; // largest difference of accelerations between order 4 and order 2, of the largest acceleration
} flx_trajectory;

// From the state x, at rest. FLX_ERR_CANNOT, by name: rotations in space that are no joint coordinates, starts that move.
flx_status flx_trajectory_find(const flx_system *s, const flx_state *x,
                               const flx_trajectory_def *def, flx_trajectory *out);
void flx_trajectory_clear(flx_trajectory *t);
// q (nq) from x: the nearest position at which algebraic unknowns with end bounds are between them, constraints closed.
flx_status flx_trajectory_find_end(const flx_system *s, const flx_state *x,
                                   const flx_trajectory_def *def, double *q);
