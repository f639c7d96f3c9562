// opened.h - a model whose inputs are unknowns: what inversion and optimal control are done on.
//
// Inputs u become algebraic unknowns, and outputs y others with the rows y - output = 0, so that `linearise` has the exact
// derivatives of all of it by all of it. The rows of the inputs, u - value = 0, are there for the start alone: a grid leaves
// them out (analyse/grid/grid.h).
#pragma once

#include "simulate/simulation_parts.h"

typedef struct flx_opened_def {
    int nin, nout;
    const int *inputs;        // (nin) their numbers
    const flx_node *values;   // (nin) what they are; NULL: sought, and their values for the start
    const flx_node *outputs;  // (nout)
    const char *const *names; // (nout)
    const flx_loc *locs;      // (nout)
} flx_opened_def;

typedef struct flx_opened {
    flx_arena *arena;        // owned
    flx_model model;         // borrowed arrays, but for those of the arena
    flx_simulation *sim;     // owned
    int first_in, first_out; // among the algebraic unknowns
    signed char *role;       // (nw) flx_grid_role
    signed char *elastic;    // (nv) coordinates along which bodies deform
    int nelastic;
} flx_opened;

// FLX_ERR_CANNOT, by name: inputs that move a joint.
flx_status flx_opened_create(const flx_simulation *of, const flx_opened_def *def, flx_opened *out);
void flx_opened_clear(flx_opened *o);
