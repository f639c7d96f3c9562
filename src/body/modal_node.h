// modal_node.h - nodes of elastic bodies as frames that follow from the body's own coordinates:
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
