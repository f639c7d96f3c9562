// ritz_choice.h - shapes chosen among the Ritz vectors of a body: how many are needed, what they leave, the report.
#pragma once

#include "reduce/ritz/ritz.h"

// Candidates in the order in which they are taken, in coordinates L^(1/2) of the Ritz vectors, where they are orthonormal:
// the energy is the sum of squares.
typedef struct flx_ritz_choice {
    const flx_ritz *ritz;
    int count; // candidates
    int least; // these are taken in any case: the static shapes
    int taken;
    double *U; // (count, m) owned
    // (taken, m) owned: the shapes in Ritz vectors, of unit mass each, orthogonal in energy
    double *T;
    double *L;      // (taken) owned: squares of their angular frequencies
    double *worst;  // (count + 1) owned: largest error of so many; -1: not measured
    double *errors; // (conditions, grid) owned: of those taken
    double
        *spun; // (conditions, grid) owned: at the angular velocity of the basis; NULL: it has none
} flx_ritz_choice;

// Room for candidates, with the static shapes of the loads as the first: all, or those that make up all but `part` of the
// static compliance; part < 0: none.
flx_status flx_ritz_choice_init(const flx_ritz *r, double part, flx_ritz_choice *out);
void flx_ritz_choice_clear(flx_ritz_choice *c);
// Add the left singular vectors of X (k, m), less the candidates that are there, in their order, as long as the singular
// values are above `least` of the first.
flx_status flx_ritz_choice_add(flx_ritz_choice *c, int k, const double *X, double least);
// Take `shapes` of them, or, where 0, as few as meet the tolerance.
flx_status flx_ritz_choice_take(flx_ritz_choice *c, int shapes, double tolerance);
// Errors of those taken in a body that rotates, at the angular velocity of the basis, in the conditions that hold something:
// (conditions, grid) (RED-20). loose: a condition in which centrifugal forces take more of its stiffness than it has, or NULL.
flx_status flx_ritz_spin_errors(const flx_ritz_choice *c, double *out, const char **loose);
// The port model of the first r candidates.
flx_status flx_ritz_choice_model(const flx_ritz_choice *c, int r, flx_port_model *out);
// The report of a basis by the errors of its shapes against the Ritz model, in the arena of the basis.
flx_status flx_ritz_report(const flx_ritz *r, const flx_basis *b, int shapes, const double *errors,
                           double highest, int above, flx_reduction_report **out);
