// tree_bodies.h - between the coordinates of joints and those of bodies: positions, velocities,
// accelerations outwards, forces inwards. Bodies as in descriptor.h; ground axes between.
//
//     v_body = P(q) v,   a_body = P v' + P' v,   tau = P^T f_body                       (TREE-10)
// P is never formed: each product is one pass over the links.
#pragma once

#include "tree/topology/tree_links.h"

// A link in the ground's axes, at the coordinates of the last call of flx_tree_place.
typedef struct flx_link_frame {
    m33 R;
    v3 p;         // origin
    double angle; // planar: sum of all turns
    v3 w, v;      // angular velocity and velocity of the origin
    v3 alpha, a;  // their rates
    v3 n, f; // moment about the origin and force on the link, of flx_tree_forces of all outboard
    double *bend; // what a bend keeps of its place; borrowed (tree_bends.h)
} flx_link_frame;

// Angular velocity and velocity of a link relative to the one before and their rates, ground axes; or how they change.
typedef struct flx_link_relative {
    v3 w, v, dw, dv;
} flx_link_relative;

// Where the numbers of each body are in the arrays of the descriptor.
typedef struct flx_body_places {
    int n;
    const flx_model *m;
    const int *q, *v; // (n)
} flx_body_places;

// frames: (links + 1), the ground's first.
void flx_tree_place(const flx_tree_links *t, const double *q, flx_link_frame *frames);
// All of the following at the frames that are there; the entries of bodies are overwritten.
void flx_tree_positions(const flx_tree_links *t, const flx_body_places *b,
                        const flx_link_frame *frames, double *q);
void flx_tree_velocities(const flx_tree_links *t, const flx_body_places *b, flx_link_frame *frames,
                         const double *v, double *out);
// At the velocities v that are there.
void flx_tree_accelerations(const flx_tree_links *t, const flx_body_places *b,
                            flx_link_frame *frames, const double *v, const double *a, double *out);
void flx_tree_forces(const flx_tree_links *t, const flx_body_places *b, flx_link_frame *frames,
                     const double *f, double *tau);
// A force on one body added to moment and force of its link.
void flx_tree_add_load(const flx_tree_links *t, const flx_body_places *b, flx_link_frame *frames,
                       int body, const double *force);
// Moment and force on each link in its axes, 6 numbers a link: for the recursions.
void flx_tree_wrenches(const flx_tree_links *t, const flx_body_places *b, flx_link_frame *frames,
                       const double *f, double *ext);

// Of single links, for who finds coordinates step by step; f[-1] is the ground.
void flx_tree_place_link(const flx_tree_links *t, int i, const double *q, flx_link_frame *f);
void flx_tree_move_links(const flx_tree_links *t, flx_link_frame *f, int first, int last,
                         const double *v);
void flx_tree_relative(const flx_tree_links *t, const flx_link_frame *f, int i, const double *v,
                       const double *a, flx_link_relative *out);
// What the forces of the last flx_tree_forces do along the coordinates of elastic bodies: added to tau of variables.
void flx_tree_bend_forces(const flx_tree_links *t, const flx_link_frame *frames, double *tau);
// Relative motion in the link's axes by the rates of its joint.
void flx_tree_expand(const flx_linkage *k, const flx_link *l, const double *v, v3 *w, v3 *t);
// What a wrench in the link's axes does along its joint.
void flx_tree_restrict(const flx_linkage *k, const flx_link *l, wrench f, double *out);
// q (+) theta of one joint; out may be q.
void flx_tree_retract_link(const flx_link *l, bool planar, const double *q, const double *theta,
                           double *out);
