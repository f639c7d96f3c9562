// tree_short.h - a spanning forest whose loops are short: for every edge that is left out, the way through the forest
// between its ends.
#pragma once

#include "base/common.h"

typedef struct flx_short_edge {
    int end[2]; // vertices; -1: no edge
    int weight; // edges of more weight are kept first
} flx_short_edge;

typedef struct flx_short_graph {
    flx_ctx *ctx; // borrowed
    int n, nedge;
    const flx_short_edge *edges; // (nedge) borrowed
} flx_short_graph;

// kept (nedge): a maximum spanning forest, by balls of this radius.
flx_status flx_short_forest(const flx_short_graph *g, int radius, bool *kept);
// One that is left out for one that is kept, of the same weight, as long as that makes the loops together shorter.
// *length: edges of all loops then.
flx_status flx_short_improve(const flx_short_graph *g, bool *kept, double *length);
