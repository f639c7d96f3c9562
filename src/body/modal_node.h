// modal_node.h - nodes of flexible bodies as frames that follow from the body's own coordinates:
//
//     (v, w) of the node = J (v, w, q') of the body                                             (FLX-3)
// with w of each in its own axes. Columns of J: those of the frame, then those of the coordinates.
#pragma once

#include "body/modal.h"

// What a force (f in ground axes, m in the node's) at the node has to do with the motion of the body.
typedef struct flx_modal_node_slopes {
    const double *wrench; // (6; planar 3)
    double *Jv;           // (6 x width; planar 3) d(J u)/dq along the columns' own directions
    double *K;            // (width x width) d(J^T wrench)/dq
} flx_modal_node_slopes;

#define FLX_MODAL_NODE_KERNELS(name, frame_type)                                                   \
    /* the frame; J, and bias = J' u */                                                            \
    void flx_##name##_place(const flx_modal_data *b, const flx_elastic_node *x,                    \
                            const frame_type *f, const flx_modal_point *p, frame_type *out,        \
                            double *J, double *bias);                                              \
    void flx_##name##_tangent(const flx_modal_data *b, const flx_elastic_node *x,                  \
                              const frame_type *f, const flx_modal_point *p,                       \
                              const flx_modal_node_slopes *t);                                     \
    /* of its velocity and acceleration along theta, with those of the body held */                \
    void flx_##name##_slope(const flx_modal_data *b, const flx_elastic_node *x,                    \
                            const frame_type *f, const flx_modal_point *p, const double *theta,    \
                            double *dv, double *da);
FLX_MODAL_NODE_KERNELS(modal_node, flx_frame)
FLX_MODAL_NODE_KERNELS(modal_node2, flx_frame2)

// A node in its body, body axes: what the motion of either says of the other's. With q' = u and, where a is not NULL,
// q'' = a. planar: as modal_node2, turned about the third axis by psi itself.
typedef struct flx_node_relative {
    v3 s, sd, sa; // place, s_k q_k', s_k q_k'' + s_kl q_k' q_l'
    v3 x, xa;     // x_k q_k', x_k q_k'' + x_kl q_k' q_l'
    m33 R;        // its axes
    double angle; // planar: theirs
} flx_node_relative;

typedef struct flx_node_point {
    int n;
    bool planar;
    const flx_elastic_node *x;
    const double *q, *u, *a;
    double *scratch; // FLX_NODE_SCRATCH n
} flx_node_point;
#define FLX_NODE_SCRATCH 12

// columns (n x 6): x_k, s_k; NULL: not wanted.
void flx_node_relative_at(const flx_node_point *p, flx_node_relative *out, double *columns);
// slopes (n x 15): d/dq_k of s', s'', x and its rate, then d/du_k of that rate. Those of s'' by u_k are 2 ds'/dq_k.
#define FLX_NODE_SLOPES 15
void flx_node_relative_slopes(const flx_node_point *p, double *slopes);
// K (n x n) = d(x_k.M + s_k.F)/dq_l with F, M held in body axes
void flx_node_relative_curve(const flx_node_point *p, v3 F, v3 M, double *K);
