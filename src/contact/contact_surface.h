// contact_surface.h - surfaces of bodies that touch each other: what each is, and what its kind says of itself.
//
// To add one: a file with its flx_surface_kind, and its name in FLX_SURFACE_KINDS.
#pragma once

#include "base/common.h"
#include "model/contact_data.h"
#include "model/kind_rows.h"

#define FLX_SURFACE_KINDS(X)                                                                       \
    X(sphere)                                                                                      \
    X(plane)                                                                                       \
    X(capsule)                                                                                     \
    X(cylinder)                                                                                    \
    X(disc)                                                                                        \
    X(box)                                                                                         \
    X(curve)                                                                                       \
    X(profile)                                                                                     \
    X(hull)                                                                                        \
    X(mesh)                                                                                        \
    X(heights)                                                                                     \
    X(line)                                                                                        \
    X(nodes)                                                                                       \
    X(faces)

// What the language reads after the word of a kind.
typedef enum flx_surface_value {
    FLX_SURFACE_RADIUS,   // a number: size[0]; 0 is a point
    FLX_SURFACE_NORMAL,   // a direction: the third axis
    FLX_SURFACE_ROUND,    // {radius, length, axis}: size[0], size[1], the third axis
    FLX_SURFACE_DISC,     // {radius, axis}: size[0], the third axis
    FLX_SURFACE_EDGES,    // three lengths: size
    FLX_SURFACE_FILE,     // of triangles
    FLX_SURFACE_GRID,     // {x, y, z}: heights over a grid
    FLX_SURFACE_FUNCTION, // of one number, or of two
    FLX_SURFACE_CURVE,    // [x, y] of s = 0..1
    FLX_SURFACE_LINE,     // true: the line of a beam, radius size[0]
    FLX_SURFACE_NODES,    // true, or names: spheres at nodes
    FLX_SURFACE_FACES,    // true, or names: faces of a solid, data: their flx_solid_faces
} flx_surface_value;

// FLX_SURFACE_NUMBER_sphere, ...: places in the table of pairs.
enum {
#define X(name) FLX_SURFACE_NUMBER_##name,
    FLX_SURFACE_KINDS(X)
#undef X
        FLX_SURFACE_COUNT
};

struct flx_frame;
struct flx_polytope_room;

typedef struct flx_surface_kind {
    int number;      // FLX_SURFACE_NUMBER_...
    flx_key_row row; // its key in a mapping of the language
    flx_surface_value value;
    bool turns;      // `orientation` has a meaning
    bool open_ended; // without end: two such cannot touch
    bool flat;       // without a skin it has no inside: what has none either goes through its face
    bool sharp;      // it has corners, edges or rims, which a skin makes round
    // It touches lines of beams, and faces of solids, anywhere between their nodes.
    bool touches_lines, touches_faces;
    // Where it is everywhere the same, skin included; NULL or false: it is not.
    bool (*curvature)(const flx_surface *s, double *curvature);
    // Box round it, skin included, in ground axes; NULL: it has no end.
    void (*bounds)(const flx_surface *s, const struct flx_frame *f, double low[3], double high[3]);
    // Its core as a convex solid in the axes of the surface (contact/convex/polytope.h); returns the skin round it. NULL: it is none.
    double (*core)(const flx_surface *s, struct flx_polytope_room *room);
    // Its data from the triangles of a file, in the arena; NULL: it has none. loc: where the file is named.
    flx_status (*make)(flx_ctx *ctx, flx_arena *arena, flx_loc loc, int npoint,
                       const double *points, int ntriangle, const int *corners, const void **data);
} flx_surface_kind;

struct flx_surface {
    const flx_surface_kind *kind;
    double at[3];   // from the centre of mass, body axes
    double axes[9]; // of the surface, in body axes: columns
    double size[3];
    double skin; // radius round the core
    const void *data;
};

#define X(name) extern const flx_surface_kind flx_surface_##name;
FLX_SURFACE_KINDS(X)
#undef X

// The kinds by number, in the order of the list; NULL after the last.
const flx_surface_kind *flx_surface_get_kind(int i);
