// deformable_data.h - bodies that deform, as plain data of a model: flexible bodies, large-deformation beams and solids.
#pragma once

#include "base/common.h"
#include "model/structure/given_section.h"
#include "reduce/elastic.h"

// A flexible body: its frame is a body without mass, its coordinates are variables of second order
// whose equations the material gives.
typedef struct flx_modal {
    int body;  // number of the frame
    int first; // number of its first variable
    const flx_elastic *e;
    flx_loc loc;
} flx_modal;

// A beam of large deformation: bodies along a line, its nodes, and elements between them.
typedef enum flx_beam_formulation {
    FLX_BEAM_ANCF,
    FLX_BEAM_CABLE,
    FLX_BEAM_EXACT,
    FLX_BEAM_SEGMENTS,
} flx_beam_formulation;

// A section that changes along the line, at one place of it.
typedef struct flx_beam_station {
    double stiffness[36], mass, inertia[3];
} flx_beam_station;

// Mass of a varying section is known at so many points of an element: Gauss's, of both its halves.
#define FLX_BEAM_MASS_POINTS 12
void flx_beam_mass_rule(double at[FLX_BEAM_MASS_POINTS], double weight[FLX_BEAM_MASS_POINTS]);

#define FLX_BEAM_MOST_NODES 9 // of one element

typedef struct flx_beam {
    const char *name;
    flx_loc loc;
    flx_beam_formulation formulation;
    int order, nelement;
    int nnode;
    int *nodes;      // (nnode) numbers of the bodies, from start to end: order*nelement + 1
    double *lengths; // (nelement) unstressed
    // Of an element: parts of its length at which its nodes are, and that their masses are of.
    double node_parts[FLX_BEAM_MOST_NODES], mass_parts[FLX_BEAM_MOST_NODES];
    // Segments: the rigid piece of each node, along the body's x axis about its centre, and the place of the node on it.
    double *pieces, *arms; // (nnode), (nnode, 3)
    // Stiffness of a section against stretch along x, shear along y and z, twist about x, bending about
    // y and z, in its axes; mass and rotational inertia about these axes a length.
    double stiffness[36];
    double mass, inertia[3];
    double rayleigh[2]; // damping: of the mass, of the stiffness
    // What these follow from (beam_numbers.h): the section that is given, in its middle where it varies, then those of the
    // stations; damping as it is given, by_ratio: a ratio. damped: it may be set.
    int ngiven;
    flx_given_section *given;
    double damping[2];
    flx_open damping_open[2];
    bool by_ratio, damped;
    bool follows; // some of it are expressions of open parameters
    // In absolute nodal coordinates a node has slopes: bodies, so many for each node.
    int nslope, *slopes;
    int *axes;      // (nnode) bodies with the axes of nodes, -1: none; NULL: no node has them
    bool continuum; // its elasticity is that of the material, E and nu; else that of sections
    double E, nu;
    bool
        straight; // where nothing is stressed; else as in the initial configuration, but for its length
    double scale; // unstressed length by the drawn one
    bool round;
    double size[2]; // for pictures: width along z, height along y; round: the radius. 0: not known
    // A section that varies: in each element nstation of them, where the formulation takes strains (exact: Gauss's points, of
    // order 1 one for the element; segments: one; absolute nodal coordinates: start, middle, end, whole element; cables:
    // start, middle, end, and where they bend), then FLX_BEAM_MASS_POINTS. NULL: the same all along.
    int nstation;
    flx_beam_station *stations;
} flx_beam;

// A frame that joints and forces use as they use a body, and that other unknowns give: a node of an
// flexible body. It has the number nbody + i among the bodies of joints and forces.
typedef struct flx_attached {
    int carrier; // number of the body that it belongs to
    int node;    // of its data
} flx_attached;

// Whether a body is one of a beam's: its nodes but the first are numbered one after another.
static inline bool flx_beam_has(const flx_beam *b, int body)
{
    bool among = b->nnode > 1 && body >= b->nodes[1] && body <= b->nodes[b->nnode - 1];
    return among || body == b->nodes[0];
}

// Faces of a solid: their flx_cell, the first of their nodes, nodes of its mesh in the order that turns the
// normal outwards.
typedef struct flx_solid_faces {
    int n, *cells, *first, *nodes;
} flx_solid_faces;

// A solid of large deformation: elements of a mesh between nodes, which are points or places of bodies.
typedef struct flx_solid {
    const char *name;
    flx_loc loc;
    bool neo_hookean; // else of St. Venant and Kirchhoff
    double lambda, mu;
    double rayleigh[2]; // damping: of the mass, of the stiffness
    int nnode;
    double *x;       // (nnode, 3) of the mesh
    int *body;       // (nnode) the point itself, or what it is held by
    double *arm;     // (nnode, 3) of held ones: place in the body's frame
    double *volumes; // (nnode) integrals of the nodes' functions: what loads on the volume take
    int nfree;       // nodes that are bodies: the first the solid itself,
    int free[3];     // others from the second to the third number
    int nelement;
    int *cells, *first, *nodes; // (nelement) flx_cell, first of its nodes; nodes
    flx_solid_faces surface;    // all of it
} flx_solid;
