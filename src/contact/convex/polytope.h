// polytope.h - convex solids with flat faces (boxes, hulls, and the segment and the point inside capsules and spheres), and
// where two of them touch. Each is a core with a skin: the gap is the distance of the cores less the skins, so that a contact
// shallower than the skins is a distance, exact and smooth; deeper ones are measured along the axis of least depth, which is
// the normal of a face or of a pair of edges.
//
// What touches is a pair of parts (vertex, edge, face), one of each, which meet in one point. The pair is the feature of a touch;
// frozen, it is a smooth function of the pose:
//     face, vertex    gap = n_face . (p_vertex - p_face)
//     edge, edge      gap = n . (p_2 - p_1),  n along d_1 x d_2, outwards of the first
//     vertex, edge or vertex    gap = distance
#pragma once

#include "contact/convex/manifold.h"
#include "contact/pair.h"
#include "math/small.h"

// A convex solid in the axes of its surface. Owns nothing.
typedef struct flx_polytope {
    int nvertex, nedge, nface;
    const double *vertices; // (nvertex x 3)
    const int *edges;       // (nedge x 4): two vertices; the faces on its two sides, -1: none
    const double *normals;  // (nface x 3): unit, outwards
    const int *first;       // (nface + 1): where the corners of a face begin
    const int *corners;     // vertices of the faces, counterclockwise seen from outside
    double size;            // largest distance of two vertices, or a bound of it
} flx_polytope;

// A polytope at its place.
typedef struct flx_convex {
    const flx_polytope *of;
    m33 R; // its axes
    v3 x;  // its origin
    double skin;
    const v3 *
        placed; // (nvertex) places of the vertices, where they are known already; NULL: R and x say them
} flx_convex;

typedef enum flx_part_kind { FLX_PART_VERTEX, FLX_PART_EDGE, FLX_PART_FACE } flx_part_kind;

// A vertex, an edge or a face, of a solid at its place or of a mesh.
typedef struct flx_part {
    flx_part_kind kind;
    int number;
    v3 p;   // a place on it
    v3 d;   // of an edge its unit direction, of a face its outward normal
    v3 out; // of an edge: any direction outwards; zero: none (a segment by itself)
} flx_part;

static inline v3 flx_convex_vertex(const flx_convex *s, int i)
{
    if (s->placed) return s->placed[i];
    return v3_add(s->x, m33_mul_v(s->R, v3_load(s->of->vertices + 3 * (size_t)i)));
}
flx_part flx_convex_part(const flx_convex *s, flx_part_kind kind, int number);
uint64_t flx_part_feature(const flx_part *a, const flx_part *b);
void flx_feature_parts(uint64_t feature, flx_part_kind kind[2], int number[2]);

// Where two parts meet, with the skins of their surfaces; gap, normal, places, curvatures and feature of out. false: they
// have no normal by themselves (coincident vertices, parallel edges), or meet in more than a point.
bool flx_parts_touch(const flx_part *a, double skin_a, const flx_part *b, double skin_b,
                     flx_touch *out);

// The room that the core of a box, a capsule or a sphere needs; a hull has its own.
typedef struct flx_polytope_room {
    flx_polytope p; // filled by the kind of the surface
    double numbers[24];
} flx_polytope_room;

// The solid of a surface at a frame; false: the surface is none (a plane, a mesh, a curve).
bool flx_convex_place(const flx_surface *s, const flx_frame *f, flx_polytope_room *room,
                      flx_convex *out);
// Whether u lies between m and n, seen along m x n; within: sine of what it may be beyond.
bool flx_v3_is_between(v3 m, v3 n, v3 u, double within);
// Whether the part, a vertex or an edge, is that of the solid which is furthest along u.
bool flx_convex_sees(const flx_convex *s, const flx_part *part, v3 u, double within);
// The vertex furthest along d.
int flx_convex_support(const flx_convex *s, v3 d);

// ---- how far they are apart ---------------------------------------------------------------------

// What separates two solids most: an axis of ground, and the parts whose distance along it is the gap of the cores.
typedef struct flx_separation {
    double gap; // of the cores
    v3 n;       // unit, from the first to the second
    v3 p[2];    // nearest places of the cores
    flx_part_kind kind[2];
    int number[2];
} flx_separation;

// Distance of the cores (Gilbert, Johnson, Keerthi, IEEE J. Robotics Automation 4, 1988, 193-203). false: they are further apart
// than `most`, or nearer than the rounding of `size` allows to tell a direction; then *near is true.
bool flx_convex_distance(const flx_convex *a, const flx_convex *b, double most, flx_separation *out,
                         bool *near);
// Axis of least depth of cores that overlap: exact, by all faces and pairs of edges.
// last: parts that are preferred as long as they are within 1e-3 of the size; NULL: none.
void flx_convex_depth(const flx_convex *a, const flx_convex *b, const flx_manifold *last,
                      flx_separation *out);

// ---- touches ------------------------------------------------------------------------------------

// As flx_pair_touch, of two solids. last: see flx_manifold; may be NULL.
int flx_convex_touch(const flx_convex *a, const flx_convex *b, double reach, int most,
                     flx_manifold *last, flx_touch *out);
// Solid on a plane that bounds the half space below it: each vertex is a feature of its own.
int flx_plane_convex_touch(const flx_part *plane, double skin, const flx_convex *b, double reach,
                           int most, flx_manifold *last, flx_touch *out);
