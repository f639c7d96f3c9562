// facets.h - a surface of triangles: its vertices and edges with what meets there, and a tree of boxes to find the triangles
// near a place. Made once; nothing changes afterwards.
#pragma once

#include "base/common.h"
#include "math/small.h"

typedef struct flx_facet_box { // of the tree
    double low[3], high[3];
    int first,
        count; // count > 0: triangles order[first ..]; else the children are first and first + 1
} flx_facet_box;

typedef struct flx_facets {
    int nvertex, nedge, ntriangle, nbox;
    double *vertices; // (nvertex x 3)
    int *corners;     // (ntriangle x 3) counterclockwise seen from outside
    int *sides;       // (ntriangle x 3) edges: side k goes from corner k to the next
    double *normals;  // (ntriangle x 3) unit, outwards
    int *
        edges; // (nedge x 4): two vertices, in the order of the first triangle; the triangles on its sides, -1: none
    double *outwards;     // (nvertex x 3): mean of the normals, weighted by angles
    int *owner;           // (nvertex) a triangle of it
    int *first, *spokes;  // (nvertex + 1), (2 nedge): edges at each vertex
    flx_facet_box *boxes; // (nbox) the root first
    int *order;
    bool closed; // each edge lies between two triangles that agree on what is outside
    double size; // largest distance of two vertices, or a bound of it
} flx_facets;

// The triangles live in the arena. Points in one place become one; triangles without area are left out. loc: where they are named.
flx_status flx_facets_make(flx_ctx *ctx, flx_arena *arena, flx_loc loc, int npoint,
                           const double *points, int ntriangle, const int *corners,
                           const flx_facets **out);

// Triangles whose boxes overlap low .. high, one after the other; *state begins with depth 0 on a fresh one. -1: no more.
typedef struct flx_facet_walk {
    int depth, stack[64], at, left; // at, left: of a leaf's triangles
    double low[3], high[3];
} flx_facet_walk;
void flx_facet_walk_begin(flx_facet_walk *w, const flx_facets *t, const double low[3],
                          const double high[3]);
int flx_facet_walk_next(flx_facet_walk *w, const flx_facets *t);

static inline v3 flx_facets_vertex(const flx_facets *t, int i)
{
    return v3_load(t->vertices + 3 * (size_t)i);
}
static inline v3 flx_facets_normal(const flx_facets *t, int i)
{
    return v3_load(t->normals + 3 * (size_t)i);
}
