// shape_kind.h - what bodies look like in pictures. Shapes never change the motion; surfaces that touch are
// kinds of their own (src/contact).
//
// To add a shape: its row in shape_kind.c, its name in FLX_SHAPE_KINDS, its triangles in draw/shape_triangles.c and, for the
// page, viewer/src/mechanism.ts.
#pragma once

#include "flexion/scene.h"
#include "model/kind_rows.h"
#include "model/open_number.h"

#include <stdbool.h>

// What a model file says of a shape.
typedef enum flx_shape_form {
    FLX_SHAPE_OF_EDGES,  // three lengths
    FLX_SHAPE_OF_ROUND,  // radius, length, axis
    FLX_SHAPE_OF_RADIUS, // radius
    FLX_SHAPE_OF_FILE,   // triangles
} flx_shape_form;

// A solid of mass 1 in its own axes, of a round one along z.
typedef struct flx_shape_solid {
    double volume, inertia[3]; // about its centre
} flx_shape_solid;

typedef struct flx_shape_kind {
    flx_key_row row; // for the language; its key is the word of pictures as well
    flx_shape_form form;
    bool rotates;                                   // it has an orientation beside its axis
    double wide;                                    // its width over the first of its sizes
    flx_shape_solid (*solid)(const double size[3]); // NULL: what its triangles bound
} flx_shape_kind;

#define FLX_SHAPE_KINDS(X)                                                                         \
    X(box)                                                                                         \
    X(cylinder)                                                                                    \
    X(capsule)                                                                                     \
    X(sphere)                                                                                      \
    X(mesh)

#define X(name) extern const flx_shape_kind flx_shape_##name;
FLX_SHAPE_KINDS(X)
#undef X

typedef struct flx_shape {
    const flx_shape_kind *kind;
    double size[3]; // box, mesh: edges round it; cylinder, capsule: radius, length; sphere: radius
    double at[3];   // centre, of a mesh the file's origin, in the body frame
    flx_open size_open[3], at_open[3];
    double axis[3]; // of a cylinder or capsule, body frame
    double turn[4]; // w x y z: of a box or mesh in the body's axes
    int surface;    // of a mesh: its number; -1: none
    double scale;   // ... and metres for one unit of its file
    int colour;     // 1 + 0xRRGGBB; 0: none is given
} flx_shape;

typedef struct flx_surface_file { // triangles, for pictures
    const char *file;             // interned
    double stretch[3];            // along the axes of the file, of what is in mesh
    flx_scene_surface mesh;       // arena
} flx_surface_file;

// The kinds by number, in the order of the list; NULL after the last. Their rows for the language.
const flx_shape_kind *flx_shape_get_kind(int i);
const flx_key_row *flx_shape_row(int i);
// The largest extent.
double flx_shape_extent(const flx_shape *s);
