// element.h - matrices of single elements, one file a kind. Each node of an element has up to six
// components ux uy uz rx ry rz, in the structure's axes; an element says which ones it uses.
// Theory: docs/theory/fe.md.
#pragma once

#include "model/cell_shape.h"

#define FLX_ELEMENT_DOFS 60 // most unknowns of one element

// Elastic constants as an element needs them.
typedef struct flx_hooke {
    double lambda, mu; // Lame's; plane stress: lambda of the plane
    double density;    // plane elements: times the thickness
    double thickness;  // 1 for solids
    bool incompatible; // with modes of its own: quadrilaterals with 4, hexahedra with 8 nodes
} flx_hooke;

// Matrices of one element.
typedef struct flx_element_matrices {
    int n;
    int node[FLX_ELEMENT_DOFS];                    // local number of the node
    int comp[FLX_ELEMENT_DOFS];                    // its component, 0 ... 5
    double K[FLX_ELEMENT_DOFS * FLX_ELEMENT_DOFS]; // row-major, symmetric
    double M[FLX_ELEMENT_DOFS * FLX_ELEMENT_DOFS];
} flx_element_matrices;

// Tables of one cell, filled once.
typedef struct flx_cell_tables {
    flx_shape_table stiffness, mass, nodes;
} flx_cell_tables;

// element.c: components (bit c) of nodes in the plane or in space; those that an element's nodes have.
unsigned flx_components_mask(const flx_structure *s, bool rotations);
unsigned flx_element_mask(const flx_structure *s, const flx_element *e);
// All components of so many nodes as unknowns; matrices zero.
void flx_element_components(int dimension, int nodes, flx_element_matrices *out);

// continuum.c: solids and plane elements. x (nodes, 3). FLX_SINGULAR: the element is inverted or flat
// at an integration point.
flx_status flx_continuum_eval(const flx_cell_tables *t, const flx_hooke *c, const double *x,
                              flx_element_matrices *out);
// What displacements u (nodes, 3) do at a node of the element.
typedef struct flx_node_gradient {
    double G[3][3]; // gradient, with that of incompatible modes
    double turn[3]; // half the curl
} flx_node_gradient;
flx_status flx_continuum_gradients(const flx_cell_tables *t, const flx_hooke *c, const double *x,
                                   const double *u, flx_node_gradient *out);
// Stresses in the order xx yy zz xy yz xz. FLX_FAMILY_PLANE_STRESS has none across, PLANE_STRAIN has.
void flx_continuum_stress(const flx_hooke *c, flx_family family, double nu, const double G[3][3],
                          double sigma[6]);
// Strains alike; shears are half the angles.
void flx_continuum_strain(flx_family family, double nu, const double G[3][3], double eps[6]);

// Nodal forces (nodes, 3) += - integral of the stress of the strain sym(grad a^T grad b), for each pair a <= b
// of n displacements u (n, nodes, 3): (n (n + 1)/2, nodes, 3). FLX_SINGULAR as above.
flx_status flx_continuum_stretch(const flx_cell_tables *t, const flx_hooke *c, const double *x,
                                 int n, const double *u, double *force);

// beam_element.c: straight beams with two nodes, in space (12 unknowns) or in the plane (6).
// Axes of the beam as rows (x along it, y, z of the section); false: its nodes coincide.
bool flx_beam_axes(const double *x, const flx_section *c, int dimension, double R[9],
                   double *length);
// material: of a section that varies; may be NULL where sections give stiffnesses.
flx_status flx_beam_eval(const flx_beam_law *law, const double *x, const flx_section *c,
                         const flx_material *material, int dimension, flx_element_matrices *out);
// Displacement of the axis and rotation of the section at s = 0 to 1, by those of both ends (2, 6); all along the
// structure's axes. R, length: as above.
void flx_beam_move(const flx_beam_law *law, const flx_section *c, const flx_material *material,
                   const double R[9], double length, double s, const double ends[12],
                   double out[6]);

// truss_element.c: two nodes, translations only.
flx_status flx_truss_eval(double EA, double mass, const double *x, int dimension,
                          flx_element_matrices *out);

// Lumped instead of consistent masses: the diagonal of M scaled so that each direction has the mass of
// the element (Hinton, Rock and Zienkiewicz); rotations keep their diagonal.
void flx_element_lump(flx_element_matrices *m);
