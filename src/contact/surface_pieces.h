// surface_pieces.h - surfaces as pieces of the simplest shapes: what small bodies touch from outside, or from inside.
#pragma once

#include "contact/contact_surface.h"

typedef enum flx_piece_shape {
    FLX_PIECE_PLANE,    // on the side of its third axis
    FLX_PIECE_END,      // the same
    FLX_PIECE_TUBE,     // without end, from inside: radius
    FLX_PIECE_SHELL,    // a capsule from inside: radius, half length
    FLX_PIECE_CAPSULE,  // the same from outside
    FLX_PIECE_CYLINDER, // from outside: radius, half length
    FLX_PIECE_BOX,      // from outside: half edges
} flx_piece_shape;

typedef struct flx_surface_piece {
    flx_piece_shape shape;
    double at[3], axes[9]; // as of a surface
    double size[3];
    double skin; // radius by which it is rounded; size is without it
} flx_surface_piece;

#define FLX_SURFACE_PIECES 6            // of one surface at most
enum { FLX_PIECES_ARE_TRIANGLES = -1 }; // those of its mesh

// Whether surfaces of a kind have pieces, seen from outside or from inside.
bool flx_surface_has_pieces(const flx_surface_kind *kind, bool inside);
// How many, or FLX_PIECES_ARE_TRIANGLES.
int flx_surface_get_pieces(const flx_surface *s, bool inside,
                           flx_surface_piece pieces[FLX_SURFACE_PIECES]);
