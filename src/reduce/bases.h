// bases.h - the bases of a flexible body, one line of a table each: how they are called and who finds their shapes.
#pragma once

#include "reduce/ritz/ritz_choice.h"

typedef struct flx_basis_type {
    const char *name; // in the model language
    // Candidates for shapes among the Ritz vectors, in the order in which they are taken; NULL: the shapes come of the
    // matrices themselves (shapes.c).
    flx_status (*choose)(flx_shape_search *q, const flx_ritz *r, flx_ritz_choice *c);
    bool tight; // the Ritz model is known as well as it can; else to a tenth of the tolerance
    bool by_tolerance; // as few shapes as meet the tolerance, unless a number is given
} flx_basis_type;

const flx_basis_type *flx_basis_get(flx_basis_kind kind);
// -1: there is none of this name.
int flx_basis_named(const char *name);

// One file each: basis_band.c, basis_krylov.c, basis_balanced.c, basis_irka.c, basis_snapshots.c.
flx_status flx_basis_band(flx_shape_search *q, const flx_ritz *r, flx_ritz_choice *c);
flx_status flx_basis_krylov(flx_shape_search *q, const flx_ritz *r, flx_ritz_choice *c);
flx_status flx_basis_balanced(flx_shape_search *q, const flx_ritz *r, flx_ritz_choice *c);
flx_status flx_basis_irka(flx_shape_search *q, const flx_ritz *r, flx_ritz_choice *c);
flx_status flx_basis_snapshots(flx_shape_search *q, const flx_ritz *r, flx_ritz_choice *c);

// Shapes by the Ritz model of the body: V of the search, frequencies and errors of these, and the report.
flx_status flx_bases_find(flx_shape_search *q, flx_shapes *out);
