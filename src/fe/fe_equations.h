// fe_equations.h - a linear structure as equations: its unknowns, stiffness, mass and loads.
//
//     M x'' + D x' + K x = f,   u = T x + u0                                                    (FE-14)
// u: displacements and rotations of the nodes (nnode, 6: ux uy uz rx ry rz, structure's axes). Supports
// and rigid links are eliminated: a component of a node is an unknown, prescribed, or a combination
// of unknowns. Theory: docs/theory/fe.md.
#pragma once

#include "fe/element.h"
#include "math/symmetric.h"

#define FLX_DOF_NONE (-1)  // the node has no such component
#define FLX_DOF_FIXED (-2) // prescribed: constant[]
#define FLX_DOF_TIED (-3)  // -3 - k: row k of the ties

typedef struct flx_fe_options {
    bool lumped;      // masses
    bool no_supports; // the supports of the structure are left out: a free body
} flx_fe_options;

typedef struct flx_fe {
    flx_ctx *ctx;
    const flx_structure *s; // borrowed
    flx_fe_options options;
    int nnode, n;  // nodes, unknowns
    int *dof;      // (nnode, 6): unknown, or FLX_DOF_*
    double *fixed; // (nnode, 6): prescribed values
    int *node_of;  // (n): 6 node + component of an unknown
    // u of tied component k = constant + sum of weight * x[unknown]
    int ntie;
    int *tie_start, *tie_count; // (ntie) terms of a tie
    int *tie_unknown;
    double *tie_weight, *tie_constant;
    flx_symmetric K, M;              // one pattern
    double loss;                     // of all elements; these by flx_fe_find_damping
    flx_symmetric S, D;              // imaginary stiffness beside it, damping; n = 0: none
    double *f;                       // (n) loads, gravity and prescribed displacements included
    double *edge;                    // (npressure) thickness there; NULL: in space
    double mass, com[3], inertia[6]; // of the whole: xx yy zz xy yz xz about the centre of mass,
                                     // xy = -integral of x y dm
    flx_cell_tables *tables[FLX_CELL_COUNT]; // owned; NULL where there is no such element
} flx_fe;

// Numbers unknowns, checks elements, assembles. The structure is borrowed and must live as long.
// FLX_ERR_MODEL with a message for each broken element (up to the limit).
flx_status flx_fe_create(flx_ctx *ctx, const flx_structure *s, const flx_fe_options *options,
                         flx_fe **out);
void flx_fe_destroy(flx_fe **fe);
// Loss factors and dashpots: loss, S, D, which are left out until then.
flx_status flx_fe_find_damping(flx_fe *fe);
// Refuse those that resist the rigid motions R (nrigid, n) of a free structure.
flx_status flx_fe_check_dashpots(const flx_fe *fe, int nrigid, const double *R, flx_loc loc);

// Warn where lengths, stiffness or density look like those of other units. loc: where the model asks for it.
void flx_fe_warn_of_units(const flx_fe *fe, flx_loc loc);
// Whether elements, masses or links reach a node.
bool flx_fe_has_mechanics(const flx_fe *fe, int node);

// u (nnode, 6) from x: u = T x + u0. homogeneous: without the prescribed part u0, for modes.
void flx_fe_expand(const flx_fe *fe, const double *x, bool homogeneous, double *u);
// f (n) += T^T F of forces and moments at nodes (nnode, 6).
void flx_fe_add_force(const flx_fe *fe, const double *F, double *f);
// F (nnode, 6) += loads and pressures, not gravity. history: only those that it multiplies; 0: all.
void flx_fe_nodal_loads(const flx_fe *fe, int history, double *F);
// The six rigid motions about a place as vectors of unknowns (6, n): translations, rotations. Exact
// where nothing is supported. In the plane those out of it are zero.
void flx_fe_rigid_motions(const flx_fe *fe, const double about[3], double *X);

// Forces at nodes (nnode, 6) that hold the structure at u: K_all u - loads; zero but at supports and
// links in equilibrium. loads: subtract those of the structure, gravity included.
flx_status flx_fe_reactions(const flx_fe *fe, const double *u, bool loads, double *F);

// Of displacements u at nodes (nnode, 6), each may be NULL: stresses (nnode, 6: xx yy zz xy yz xz, structure's axes), strains
// alike, whose shears are half the angles, and small rotations, the first three of (nnode, 6). They are means of the elements at
// the node; beams and trusses give no stresses. A node that has rotations turns by these, others by half the curl of the
// displacements. Linear in u, so stress modes are stresses of modes.
flx_status flx_fe_recover(const flx_fe *fe, const double *u, double *sigma, double *eps,
                          double *turn);
// Forces within beams and trusses at both ends (nelement, 2, 6): pull, shear along y and z of the section, torque,
// moments about y and z, as they act on the end of the part towards the first node. Others have zeros.
flx_status flx_fe_members(const flx_fe *fe, const double *u, double *forces);
