// expression_items.h - what expressions of the residual do: the arrays of their term, shared by its files
//   expression_plan.c    items from the model
//   expression_places.c  the blocks that they couple, and where in them their derivatives are added
//   term_expression.c    evaluation
//   solid_loads.c        loads on solids
// and by who adds to them (term_pull.c) or reads them as equations (descriptor_flat.c).
#pragma once

#include "body/solid_pressure.h"
#include "descriptor/descriptor_parts.h"

// r[row] += sign * value * (a[acceleration] or 1)
typedef struct flx_expr_row {
    int channel, row, acceleration;
    double sign;
    int mass;      // offset of (row, acceleration) in A2; -1
    int mass_rate; // number in FLX_GROUP_RATE of the mass's rate; -1: none, or constant
    int *slot;     // (ndep) offsets of (row, unknown)
} flx_expr_row;

// Force and torque in ground axes at a place of the second body, oppositely on the first.
typedef struct flx_expr_wrench {
    int of; // number of the force, after all of them that of the friction; -1: a load on a solid
    int body[2];
    flx_ends e;
    double s[2][3];
    int channel[6];   // -1: none
    bool dissipative; // its work is dissipated, not supplied
    int *slot[6][2];  // (ndep) offsets of (first row of body i, unknown)
} flx_expr_wrench;

// A load on a solid: pressure on its faces, or forces on its nodes, which are among the wrenches.
typedef struct flx_expr_load {
    int force; // its number
    int nface;
    flx_solid_face *faces;
    flx_solid_pressure p; // but for what the channels give
    int channel[4];       // pressure and its gradient; -1: none
    int nbody, *body;     // that the faces hang on, if channels depend on unknowns
    int **slot[4];        // (nbody) as in wrenches
    int wrench, nwrench;
} flx_expr_load;

// Effort along a scalar: r_v += sign * value * G^T.
typedef struct flx_expr_effort {
    int of; // number of the force
    flx_scalar s;
    int channel;
    double sign;      // -1: along the scalar, +1: against it (pull)
    bool dissipative; // its work is dissipated, not supplied
    bool booked;      // neither: the model says what is stored and lost
    int *slot[2];
    double rest; // of a spring by a function: where it is without stretch
} flx_expr_effort;

typedef struct flx_expr_items {
    int nrow, nwrench, neffort, nload;
    int nbook; // pairs of FLX_GROUP_BOOK
    flx_expr_row *rows;
    flx_expr_wrench *wrenches;
    flx_expr_load *loads;
    flx_expr_effort *efforts;
} flx_expr_items;

// NULL: the model has none.
static inline flx_expr_items *flx_items_of(const flx_descriptor *d)
{
    return d->own[FLX_TERM_EXPRESSION];
}

flx_status flx_items_plan(flx_descriptor *d);
flx_status flx_items_couple(flx_descriptor *d);
flx_status flx_items_fill(flx_descriptor *d);
void flx_items_mark(flx_descriptor *d);

// Force and torque that expressions give, and turned into rows of the body `side` at its place.
void flx_wrench_value(const flx_expr_wrench *e, const flx_channel *channels, const double *values,
                      double F[6]);
void flx_wrench_on_body(const flx_descriptor *d, const flx_descriptor_work *w,
                        const flx_expr_wrench *e, int side, const double F[6], double rows[6]);

// loads on solids, whose values are expressions
size_t flx_solid_loads_wrenches(const flx_model *m); // most forces on nodes
flx_status flx_solid_loads_plan(flx_descriptor *d);
flx_solid_pressure flx_solid_loads_pressure(const flx_expr_load *o, const flx_channel *channels,
                                            const double *values);
