// modal_one_sided.h - geometric stiffening in the rows of the elastic coordinates alone (ONE-1), of bodies in
// space and in the plane.
#pragma once

#include "body/modal_grains.h"

// The inertia's part, of a body that has one: adds to the rows of the coordinates, and to the tangents as
// flx_grains_linearise does.
void flx_one_sided_residual(const flx_grain_view *x, const flx_grain_rates *a, double *own);
void flx_one_sided_linearise(const flx_grain_view *x, const flx_grain_rates *a, const int at[2][2],
                             double *A0, double *A1, double *A2);

// A node as its forces see it.
typedef struct flx_pushed_node {
    const flx_elastic_node *node;
    int n, nf;       // coordinates; 6: in space, 3: in the plane
    m33 R, own;      // axes of the frame and of the node, to ground axes
    const double *q; // (n)
} flx_pushed_node;

// J (nf x nf + n) gains what forces feel and motions do not (ONE-3).
void flx_pushed_node_add(const flx_pushed_node *x, double *J);
// K (nf + n x nf + n) gains the derivative of this part of J^T wrench. J: that of the motion.
void flx_pushed_node_tangent(const flx_pushed_node *x, const double *J, const double *wrench,
                             double *K);
