// tree_pseudo.h - the recursion with pseudo-inverses over the links of a tree, for links without inertia along some of
// their freedoms; in the ground's axes, at frames that are placed (f: the first link's, f[-1] the ground's).
//
//     P_i = (J_i^T M_i J_i)^+,   M_p += Gamma^T (M_i - M_i J_i P_i J_i^T M_i) Gamma            (TREE-17)
// M_i: inertia of a link with all that hangs on it, positive semidefinite; J_i: motions of its freedoms; Gamma: the
// parent's motion at the link. It solves M y = tau but for the null space of the mass matrix, which has one vector for
// each direction that a P_i leaves out.
#pragma once

#include "system/tree_bodies.h"

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

static inline double flx_dot6(flx_spatial6 a, flx_spatial6 b)
{
    return v3_dot(a.n, b.n) + v3_dot(a.f, b.f);
}
static inline flx_spatial6 flx_axpy6(double k, flx_spatial6 a, flx_spatial6 b)
{
    return (flx_spatial6){v3_axpy(k, a.n, b.n), v3_axpy(k, a.f, b.f)};
}
static inline flx_spatial6 flx_load6(const double *x)
{
    return (flx_spatial6){v3_load(x), v3_load(x + 3)};
}
static inline void flx_store6(double *x, flx_spatial6 a)
{
    v3_store(x, a.n);
    v3_store(x + 3, a.f);
}
// A motion of the parent at r from its origin; a force at r seen from there.
static inline flx_spatial6 flx_move_out6(flx_spatial6 a, v3 r)
{
    return (flx_spatial6){a.n, v3_add(a.f, v3_cross(a.n, r))};
}
static inline flx_spatial6 flx_move_in6(flx_spatial6 a, v3 r)
{
    return (flx_spatial6){v3_add(a.n, v3_cross(r, a.f)), a.f};
}
flx_spatial6 flx_times6(double M[6][6], flx_spatial6 a);

// Steps of the recursion, link by link, for who has links of other kinds between: its own inertia and motions; what it
// leaves to its parent, with the number of directions without inertia returned; forces inwards; motion outwards (null:
// which of its own null vectors is added, -1: none; tau: whether there are forces).
void flx_pseudo_set(const flx_tree_links *t, flx_pseudo_link *links, const flx_link_frame *f,
                    int i);
int flx_pseudo_reduce(const flx_tree_links *t, flx_pseudo_link *links, const flx_link_frame *f,
                      int i);
void flx_pseudo_pull(const flx_tree_links *t, flx_pseudo_link *links, const flx_link_frame *f,
                     int i, const double *tau);
void flx_pseudo_move(const flx_tree_links *t, flx_pseudo_link *links, const flx_link_frame *f,
                     int i, bool tau, int null, double *y);
// parent's M += x's, less what n freedoms give way, at r from the parent's origin (TREE-6)
void flx_pseudo_hand_on(int n, v3 r, const flx_pseudo_link *x, flx_pseudo_link *parent);

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
