// tree_links.h - a model as a tree of links: what the recursions of tree_dynamics.h run over, and
// where the bodies are on it.
//
// Floating bodies and free joints have the coordinates of the descriptor: place of the centre of
// mass, then quaternion or angle. All others count from the drawing, by the motion of the body that
// the joint carries: where that is the joint's first, against the joint's own angle and displacement.
#pragma once

#include "model/model_data.h"
#include "tree/recursion/tree_dynamics.h"
#include "tree/topology/tree_topology.h"

// Where a body is: its axes and its centre of mass in the frame of its link.
typedef struct flx_mount {
    int link; // -1: on the ground
    m33 R;
    v3 p;
    double angle; // planar: of the body, less those of all turns
    int first;    // first link of the joint that carries it; link + 1: none
} flx_mount;

// A link that moves by the coordinates of an elastic body: from its frame to a node, or from the node to its frame.
typedef struct flx_bend {
    const flx_elastic *e;
    const flx_elastic_node *node;
    int first; // variable of the model
    int link;
    bool inward;
} flx_bend;

typedef struct flx_tree_links {
    flx_linkage k;
    flx_link *links;   // owned
    flx_mount *mounts; // (nbody) owned
    double *drawn;     // (nq) owned; initial coordinates
    int nbend;
    flx_bend *bends; // (nbend) owned; links ascending
} flx_tree_links;

flx_status flx_tree_links_create(const flx_model *m, const flx_topology *t, flx_tree_links *out);
void flx_tree_links_clear(flx_tree_links *t);
// The same in two steps: arrays, then what the model says, as often as its numbers change; scratch: bytes.
flx_status flx_tree_links_take(flx_ctx *ctx, const flx_model *m, const flx_topology *t,
                               flx_tree_links *out);
void flx_tree_links_fill(const flx_model *m, const flx_topology *t, void *scratch,
                         flx_tree_links *out);
size_t flx_tree_links_scratch(const flx_topology *t);

// The link that a velocity is of: bends have none.
static inline const flx_link *flx_tree_link_of(const flx_tree_links *t, int velocity)
{
    int low = 0, high = t->k.n;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        *(t->links[middle].v <= velocity ? &low : &high) = middle;
    }
    while (t->links[low].kind == FLX_LINK_BEND) low--;
    return t->links + low;
}
