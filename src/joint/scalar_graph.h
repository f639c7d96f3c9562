// scalar_graph.h - the scalar functions of scalar.h as nodes of a graph: what signals and exported equations are made of.
// A test compares the two.
#pragma once

#include "joint/scalar.h"
#include "model/node_vector.h"

// The vectors of a scalar (flx_scalar) in ground axes, as the two bodies carry them. Only what its kind has is read.
typedef struct flx_scalar_nodes {
    n3 place[2];
    n3 a[2], b;
    flx_node angle[2]; // planar kinds
    n33 frame[2];      // TWIST, TURN: the two frames; b is a direction in them
    flx_node length;
    bool ball;                          // TOUCH, ROLL: a ball, or in the plane
    n3 centre[2], velocity[2], spin[2]; // ROLL, KNIFE: motion of the bodies
} flx_scalar_nodes;

// Without the offset; of an angle without its turns.
flx_node flx_scalar_graph(flx_graph *g, flx_scalar_kind kind, const flx_scalar_nodes *n);
// (SCA-6) from the centre of a disc or ball to its lowest point; h (may be NULL): its height over the plane, as a part
// of the radius.
n3 flx_scalar_graph_rim(flx_graph *g, const flx_scalar_nodes *n, flx_node *h);
