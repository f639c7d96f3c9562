// body.h - a structure reduced to an elastic body. Theory: docs/theory/flexible.md.
#pragma once

#include "fe/fe.h"
#include "reduce/basis.h"
#include "reduce/elastic.h"

// The body of a basis, in the structure's axes, from the arena. The supports and loads of the structure are
// left out. loc: where the model asks for it. The nodes of the body are first the interfaces, in their
// order, then all others that have mechanics.
flx_status flx_fe_reduce(flx_ctx *ctx, flx_arena *arena, const flx_structure *s, bool lumped,
                         const flx_basis *basis, flx_loc loc, flx_elastic **out);

// ---- body_mesh.c: the mesh as it is drawn -------------------------------------------------------

// Nodes, surface and cells of a body of n shapes, with room for its modes and stresses; *out NULL: no
// surface, nothing to draw. order (nnode of the structure): the row of a node among those drawn, -1: none.
flx_status flx_fe_draw(const flx_fe *fe, flx_arena *arena, int n, int *order,
                       flx_elastic_mesh **out);
