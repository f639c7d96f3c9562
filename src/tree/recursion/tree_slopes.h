// tree_slopes.h - derivatives of inverse and forward dynamics of a tree of links, exact, and M x = b
// without M.
//
// With S_i the motions of a joint in its link's axes, V and A the twist of the link and its rate (gravity
// inside), those of the parent carried to the link as V', A', and for the motion of one freedom
//     psi = V' x S,   psi2 = A' x S + V' x psi,   chi = psi + V x S                       (SLOPE-1)
// the rows of all pairs of a link i and its ancestors j follow from the composite body outboard of i:
//     dtau_i/dq_j = S_i^T (2B psi_j + I psi2_j)          j = i or inboard
//     dtau_j/dq_i = S_j^T (2B psi_i + I psi2_i + S_i x* f)     j inboard of i
//     dtau_i/dv_j = S_i^T (2B S_j + I chi_j),   dtau_j/dv_i = S_j^T (2B S_i + I chi_i)     (SLOPE-2)
// I, f: inertia and wrench of the composite body, 2B: the sum over its bodies of
//     2B (a, b) = (E a, -2 p x a),   E = 2 w~ J - tr(J) w~ - 2 h~ v~,   p = m v + w x h    (SLOPE-3)
// Every wrench is carried to the ground once: links times depth. Theory: docs/theory/tree.md.
#pragma once

#include "tree/recursion/tree_dynamics.h"

typedef struct flx_motion6 { // along and about an origin
    v3 a, b;                 // angular, linear
} flx_motion6;

// Scratch for one link.
typedef struct flx_link_slopes {
    m33 R; // axes in the parent's
    v3 r;  // place in the parent's frame
    flx_motion6 V, A, Vp, Ap;
    double m; // of the composite body
    v3 h, p;
    sym3 J;
    m33 E;
    wrench f;
    // of the factor: articulated inertia times motions, inverse of their own inertia
    spatial Ia;
    wrench U[3];
    double D[9];
    flx_motion6 motion[3]; // S
    wrench k;
    double u[3];
} flx_link_slopes;

// Scratch for one freedom.
typedef struct flx_freedom_slopes {
    flx_motion6 psi, psi2, chi;
} flx_freedom_slopes;

// dtau_dq, dtau_dv (nv x nv, row-major: row of tau), q along the chart; M (nv x nv) or NULL. states:
// (n + 1), the ground's first; freedoms: (nv).
void flx_linkage_inverse_slopes(const flx_linkage *k, flx_link_slopes *states,
                                flx_freedom_slopes *freedoms, const double *q, const double *v,
                                const double *a, const double *ext, double *dtau_dq,
                                double *dtau_dv, double *M);

// Factor M at q into the states; -1, or a link without inertia along its joint.
int flx_linkage_factor(const flx_linkage *k, flx_link_slopes *states, const double *q);
// x <- M^-1 x, every `stride`-th number.
void flx_linkage_solve(const flx_linkage *k, flx_link_slopes *states, double *x, int stride);
