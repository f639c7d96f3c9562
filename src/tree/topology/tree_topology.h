// tree_topology.h - the bodies and joints of a model as a graph, and its spanning tree: which joint
// carries which body, which bodies float, and which joints close loops.
//
//     rows of all cut joints + rows of other closures = smallest,  then depth small    (TREE-1)
// or, where loops are long then, loops short (TREE-30)
#pragma once

#include "model/model_data.h"

// A body with the joint that carries it.
typedef struct flx_tree_body {
    int body;    // of the model
    int parent;  // number in the tree; -1: the ground
    int joint;   // of the model; -1: it floats
    bool first;  // the body is the joint's first, its parent the second
    int freedom; // degrees of freedom of the joint
    int depth;   // joints to the ground
} flx_tree_body;

typedef struct flx_topology {
    flx_ctx *ctx;         // borrowed
    int n;                // bodies
    flx_tree_body *nodes; // (n) owned; parents first
    int *number;          // (n) owned; of each body of the model in the tree
    int *preorder;        // (n) owned; every body right before all that hangs on it
    int ncut;
    int *cut;    // (ncut) owned; joints that close loops, ascending
    int floats;  // bodies that float
    int freedom; // of all joints of the tree
    int depth;   // of the deepest body
} flx_topology;

flx_status flx_topology_create(const flx_model *m, flx_topology *t);
// apart (njoint) or NULL: joints that carry nothing, whatever they are.
flx_status flx_topology_create_apart(const flx_model *m, const bool *apart, flx_topology *t);
void flx_topology_clear(flx_topology *t);

// Degrees of freedom that a joint leaves to one of its bodies relative to the other; -1: such a
// joint cannot carry a body and is always a closure.
int flx_topology_freedom(const flx_model *m, const flx_joint *j, int carried);
// Those of a body that nothing holds.
int flx_topology_float(const flx_model *m, int body);
