// tree_bends.h - bends: links that move by the coordinates of an elastic body, which they share with its other bends
// and with its inertia. An outward bend leads from the body's frame to a node, on which a joint hangs; an inward one
// from the node that a joint holds to the body's frame.
//
// Relative to the link before, with s, x, s_k, x_k, s'', x' of the node in body axes and R those axes in the ground's:
//     outward:  W_k = R x_k,    V_k = R s_k,               w' = R x',    v' = R s''
//     inward:   W_k = -R x_k,   V_k = R (x_k x s - s_k),   w' = -R x',
//               v' = R (x' x s - s'' - x x (x x s) + 2 x x s')                             (BEND-1)
// rotation and displacement of the link's origin by unit rates, and rates of rotation and displacement, all as seen
// from the link before. Forces along the coordinates are W_k.n + V_k.f of all outboard; of inward bends
//     -(x_k.(M - s x F) + s_k.F),   M = R^T n, F = R^T f                                   (BEND-2)
#pragma once

#include "tree/recursion/tree_bodies.h"

// Which numbers an increment is of.
typedef enum flx_tree_level { FLX_OF_Q, FLX_OF_V, FLX_OF_A } flx_tree_level;

static inline const flx_bend *flx_bend_of(const flx_tree_links *t, const flx_link *l)
{
    return t->bends + l->bend;
}

// Frames (links + 1) with room for what bends keep of their place; for flx_free.
flx_link_frame *flx_tree_frames_create(flx_ctx *ctx, const flx_tree_links *t);

// f: frame of the first link; q, v, a: of all links, then of variables. Places are those of the last flx_bend_place.
void flx_bend_place(const flx_tree_links *t, int i, const double *q, flx_link_frame *f);
// Motion by the rates v of the coordinates, or the part of their accelerations.
void flx_bend_expand(const flx_tree_links *t, const flx_link_frame *f, int i, const double *v,
                     v3 *w, v3 *d);
// (n x 6): W_k, V_k.
const double *flx_bend_columns(const flx_link_frame *f);
// What rates have besides accelerations.
void flx_bend_bias(const flx_tree_links *t, const flx_link_frame *f, int i, const double *v, v3 *w,
                   v3 *d);
// tau (all links, then variables) += what moment and force do along the coordinates.
void flx_bend_restrict(const flx_tree_links *t, const flx_link_frame *f, int i, v3 moment, v3 force,
                       double *tau);

// Derivatives along one variable: first a link that it moves (-1: none), then all that they need at
// (v, a), then how relative motions change beside the turning of the link before.
int flx_bends_first(const flx_tree_links *t, int variable);
void flx_bend_linearise(const flx_tree_links *t, const flx_link_frame *f, int i, const double *v,
                        const double *a);
bool flx_bend_slope(const flx_tree_links *t, const flx_link_frame *f, int i, flx_tree_level level,
                    int variable, v3 *about, v3 *shift, flx_link_relative *out);

// How (BEND-2) and its like change: moment and force (and how the first does, both about the link's origin), turning
// of the link and of the one before; along: by these increments of the variables, NULL: none.
typedef struct flx_bend_load {
    v3 n, f, dn, theta, theta_before;
    const double *along;
} flx_bend_load;
// What that needs, at the moment and force of the frames.
void flx_bends_curve(const flx_tree_links *t, const flx_link_frame *f);
void flx_bend_turn(const flx_tree_links *t, const flx_link_frame *f, int i, const flx_bend_load *y,
                   double *tau);
