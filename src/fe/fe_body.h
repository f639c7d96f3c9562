// fe_body.h - a structure reduced to a flexible body. Theory: docs/theory/elastic.md.
#pragma once

#include "fe/fe_equations.h"
#include "reduce/basis.h"
#include "reduce/elastic.h"

// The body of a basis, in the structure's axes, from the arena. The supports and loads of the structure are
// left out. loc: where the model asks for it. The nodes of the body are first the interfaces, in their
// order, then all others that have mechanics.
flx_status flx_fe_reduce(flx_ctx *ctx, flx_arena *arena, const flx_structure *s, bool lumped,
                         const flx_basis *basis, flx_loc loc, flx_elastic **out);

// fe_body_key.c: 32 letters for all that such a body is made of, and the version.
void flx_fe_reduction_key(const flx_structure *s, bool lumped, const flx_basis *b, char out[33]);

// ---- fe_body_mesh.c: the mesh as it is drawn -------------------------------------------------------

// Nodes, surface and cells of a body of n shapes, with room for its modes and stresses; *out NULL: no
// surface, nothing to draw. order (nnode of the structure): the row of a node among those drawn, -1: none.
flx_status flx_fe_draw(const flx_fe *fe, flx_arena *arena, int n, int *order,
                       flx_elastic_mesh **out);

// Arrays of a mesh whose numbers of nodes and triangles are known. stressed: with room for stresses.
flx_status flx_elastic_mesh_reserve(flx_elastic_mesh *m, flx_arena *arena, int n, int ncell,
                                    int corners, bool stressed);
// Its triangles are its cells.
void flx_elastic_mesh_take_surface(flx_elastic_mesh *m);

// ---- fe_body_tubes.c: beams and trusses as they are drawn ------------------------------------------

// *out NULL: there are none.
flx_status flx_fe_draw_tubes(const flx_fe *fe, flx_arena *arena, int n, flx_elastic_mesh **out);
// Displacements of their nodes (nodes of the tubes, 3) by u (nnode, 6).
void flx_fe_move_tubes(const flx_fe *fe, const double *u, float *modes);

// ---- fe_body_mass.c: masses between nodes ----------------------------------------------------------

// Fields at the nodes of a structure, then at what turns with a node: F (rows, nf) the places and the n
// shapes, Y = m F.
typedef struct flx_fe_fields {
    int n, nf, rows;
    double *F, *Y;
} flx_fe_fields;

// Y (nnode, nf) += m F.
flx_status flx_fe_multiply_masses(const flx_fe *fe, int nf, const double *F, double *Y);
// How many inertias turn with a node, of at most three rows each; and their rows. turn (nnode, n, 3):
// rotations of all nodes by all shapes; NULL where there are none.
int flx_fe_count_spreads(const flx_fe *fe);
flx_status flx_fe_add_spreads(const flx_fe *fe, const double *turn, flx_fe_fields *o);

// ---- fe_body_stiffen.c: the quadratic field --------------------------------------------------------

typedef struct flx_fe_stiffening {
    const flx_fe *fe;
    const flx_free_structure *s;
    const flx_basis *basis;
    const flx_shapes *shapes;
    const flx_fe_fields *fields;
    const int *nodes; // (e->nnode) of the structure
    flx_arena *arena;
    flx_elastic *e; // gains S2, parts of J2 and N1, phi2, psi2 of its nodes, and grains
} flx_fe_stiffening;
flx_status flx_fe_stiffen(const flx_fe_stiffening *def);
