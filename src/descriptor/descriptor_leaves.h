// descriptor_leaves.h - what the leaves of expressions are in a descriptor system: the unknowns along which they are
// differentiated, the places where programs find their values, their values at a state. One table, descriptor_leaves.c.
#pragma once

#include "descriptor/descriptor_parts.h"

// The system whose rows are read, and its multipliers.
typedef struct flx_row_view {
    const flx_descriptor *d;
    flx_descriptor_work *w;
    flx_point p;
    const double *lam, *mu;
} flx_row_view;

// A state that is looked at, with its frames in the work.
typedef struct flx_observation {
    const flx_descriptor *d;
    flx_descriptor_work *w;
    const flx_state *x;
    flx_point p;
    flx_row_view rows;
    flx_energies energy;
    flx_residuals residuals;
    int joint;  // whose reaction is in wrench; -1: none
    int node;   // whose section force is in wrench; -1: none
    bool loads; // those of attached frames are in the rows of the work
    double wrench[6];
    int contact; // force whose signals are in touching; -1: none
    double touching[FLX_CONTACT_SIGNALS];
    int inertia_of; // leaf whose numbers these are; -1: none
    double inertia[FLX_INERTIA_NUMBERS];
} flx_observation;

// The directions that a leaf stands for: at most three.
int flx_leaf_directions(const flx_descriptor *d, flx_leaf leaf, flx_direction out[3]);
// Where programs find it. Nowhere (zero): accelerations, a bias is what remains without them.
flx_expr_input flx_leaf_input(const flx_descriptor *d, flx_leaf leaf);
double flx_leaf_value(flx_observation *o, flx_leaf leaf);
