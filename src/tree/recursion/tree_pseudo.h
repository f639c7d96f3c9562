// tree_pseudo.h - the recursion with pseudo-inverses over the links of a tree, for links without inertia along some of
// their freedoms; in the ground's axes, at frames that are placed (f: the first link's, f[-1] the ground's).
//
//     P_i = (J_i^T M_i J_i)^+,   M_p += Gamma^T (M_i - M_i J_i P_i J_i^T M_i) Gamma            (TREE-17)
// M_i: inertia of a link with all that hangs on it, positive semidefinite; J_i: motions of its freedoms; Gamma: the
// parent's motion at the link. It solves M y = tau but for the null space of the mass matrix, which has one vector for
// each direction that a P_i leaves out.
#pragma once

#include "tree/recursion/tree_bodies.h"

typedef struct flx_spatial6 { // a motion (rotation, displacement) or a force (moment, force)
    v3 n, f;
} flx_spatial6;

typedef struct flx_pseudo_link {
    double M[6][6];          // of all outboard, its freedoms not yet taken out
    flx_spatial6 J[3], U[3]; // motions of its freedoms, M J
    double P[3][3];          // pseudo-inverse
    int nnull;               // directions that it leaves out
    double null[3][3];       // ... by rows
    double c[3];
    flx_spatial6 p, A; // force, motion
} flx_pseudo_link;

// Returns the number of directions without inertia.
int flx_pseudo_factor(const flx_tree_links *t, flx_pseudo_link *links, const flx_link_frame *f);
// y = M^+ tau along the joints (tau NULL: zero), and one of the null vectors: the k-th of all; -1: none.
void flx_pseudo_solve(const flx_tree_links *t, flx_pseudo_link *links, const flx_link_frame *f,
                      const double *tau, int null, double *y);
// out += J'.H - J.(v_O x P), of slides J'.P (TREE-19), by the velocities in the frames.
void flx_pseudo_transport(const flx_tree_links *t, flx_pseudo_link *links, const flx_link_frame *f,
                          double *out);
// Inertias of everything outboard along the freedoms, 1 for none; after factor, whose M are lost.
void flx_pseudo_units(const flx_tree_links *t, flx_pseudo_link *links, const flx_link_frame *f,
                      double *unit);
