// beam_exact.h - kernels of geometrically exact beams: the strain energy of a line of sections between
// the frames of p + 1 nodes. The nodes are bodies, with the mass; an element is a potential, and a
// dissipation of the rates of the same strains.
#pragma once

#include "body/frame.h"
#include "flexion/extend/system_table.h"
#include "math/small.h"

#include <stdbool.h>

#define FLX_BEAM_NODES 9 // most nodes of one element

// Polynomials of an element and their derivatives by the part of its length, at the points where its
// strains are taken.
typedef struct flx_beam_rule {
    int nnode, npoint;
    double w[FLX_BEAM_NODES];
    double N[FLX_BEAM_NODES][FLX_BEAM_NODES], dN[FLX_BEAM_NODES][FLX_BEAM_NODES];
} flx_beam_rule;

// One element. Strains are axial, shear along the section's y and z, twist, bending about y and z; in
// the plane axial, shear, bending.
typedef struct flx_beam_exact {
    const flx_beam_rule *rule;
    const int *frame, *v; // (nnode) numbers of the frames, first velocities
    int *block;           // (nnode, nnode) offsets of the blocks in the tangent
    double length;        // unstressed
    const double *C;      // (6, 6); planar: (3, 3)
    int next;             // from C at one point to that at the next; 0: one for all
    double viscosity;     // of the rates of the strains, a part of C; s
    bool viscous;         // it is not zero, or may be set
    const double *rest;   // (npoint, 6); planar: (npoint, 3): stretch and curvature without stress
} flx_beam_exact;

// Points of an element with so many nodes: at those of Lobatto, strains at as many Gauss points less one.
// x: places of the nodes, weight: parts of the length that their masses are of.
void flx_beam_rule_make(int nnode, flx_beam_rule *rule, double *x, double *weight);

// In the plane. rest: the stretch and curvature of the element as it is, for each point.
void flx_beam_exact2_rest(const flx_beam_exact *e, const flx_frame2 *f, double *rest);
// Forces of the nodes on the element, (nnode, 3): what holds it as it is.
void flx_beam_exact2_forces(const flx_beam_exact *e, const flx_frame2 *f, double *out);
void flx_beam_exact2_residual(int n, const flx_beam_exact *e, const flx_frame2 *f, double *r);
void flx_beam_exact2_linearise(int n, const flx_beam_exact *e, const flx_frame2 *f, double *A0,
                               double *A1);
void flx_beam_exact2_energy(int n, const flx_beam_exact *e, const flx_frame2 *f, flx_energies *out);

// In space; moments are in the axes of the nodes.
void flx_beam_exact_rest(const flx_beam_exact *e, const flx_frame *f, double *rest);
void flx_beam_exact_forces(const flx_beam_exact *e, const flx_frame *f, double *out);
void flx_beam_exact_residual(int n, const flx_beam_exact *e, const flx_frame *f, double *r);
void flx_beam_exact_linearise(int n, const flx_beam_exact *e, const flx_frame *f, double *A0,
                              double *A1);
void flx_beam_exact_energy(int n, const flx_beam_exact *e, const flx_frame *f, flx_energies *out);
