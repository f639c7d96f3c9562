// fe_parts.h - what the files of this folder share: dofs.c the unknowns, check.c what is wrong with a
// mesh, assemble.c the sums over blocks, loads.c forces, recover.c what follows from a displacement.
#pragma once

#include "fe/fe_equations.h"

// dofs.c: unknowns, supports, links.
flx_status flx_fe_number(flx_fe *fe);
// The unknowns and weights that a component of a node is made of; *constant: its prescribed part.
// Returns how many.
int flx_fe_terms(const flx_fe *fe, int node, int comp, const int **unknown, const double **weight,
                 double *constant);

// check.c: a message for each element that has no material, no section, a shape that its kind does not
// take, or that is there twice; a warning where the mesh falls apart.
flx_status flx_fe_check(const flx_fe *fe);

// assemble.c. Blocks: elements, springs, point masses, pairs of nodes of given matrices.
flx_status flx_fe_assemble(flx_fe *fe);
int flx_fe_block_count(const flx_fe *fe);
int flx_fe_block_nodes(const flx_fe *fe, int block, const int **nodes); // 0: no mechanics
flx_status flx_fe_matrices(const flx_fe *fe, int block, flx_element_matrices *out);
void flx_fe_spring(const flx_fe *fe, const flx_spring_element *k, flx_element_matrices *out);
void flx_fe_scatter(const flx_fe *fe, const int *nodes, const flx_element_matrices *m,
                    const double *E, flx_symmetric *A);
// loads.c: the given accelerations of the unknowns of a block.
void flx_fe_accelerations(const flx_fe *fe, int block, const int *nodes,
                          const flx_element_matrices *m, double *a);
// What a load along a line gives its nodes (2, 6). m: room.
void flx_fe_line_forces(const flx_fe *fe, const flx_line_load *l, flx_element_matrices *m,
                        double f[12]);
flx_status flx_fe_find_edges(flx_fe *fe); // thickness at loaded edges of the plane
void flx_fe_warn_of_lost_loads(const flx_fe *fe);

void flx_fe_places(const flx_fe *fe, int element, double *x);
void flx_fe_hooke(const flx_fe *fe, const flx_element *e, flx_hooke *c);
bool flx_fe_is_member(const flx_element *e); // a beam or a truss
void flx_fe_law(const flx_fe *fe, const flx_element *e, flx_beam_law *law);

// recover.c: elements that have stresses; those at the nodes of one, by its own displacements.
bool flx_fe_is_continuum(const flx_element *e);
flx_status flx_fe_element_stress(const flx_fe *fe, int element, const double *u, double *sigma);
// fe_jumps.c: the energy of the jumps of stress between elements of one material in that of the displacements u (nnode, 6) (FE-25).
flx_status flx_fe_jumps(const flx_fe *fe, const double *u, double *part);

// ---- fe_damping.c ---------------------------------------------------------------------------------

// Refuse equations, springs and matrices that resist the rigid motions R (nrigid, n) of a free structure.
flx_status flx_fe_check_free(const flx_fe *fe, int nrigid, const double *R, flx_loc loc);
