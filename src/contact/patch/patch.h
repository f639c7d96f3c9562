// patch.h - places of bodies that deform, and of rigid ones beside them, as functions of vectors of the configuration: points,
// segments, pieces of the line of a beam, faces of a mesh. Two patches touch where their distance is least.
//
//     c(s) = sum_i N_i(s) z_i,    gap = |c_2(s_2) - c_1(s_1)| - r_1 - r_2                                     (PAT-1)
#pragma once

#include "math/small.h"

#include <stdbool.h>

typedef enum flx_patch_kind {
    FLX_PATCH_POINT,   // z_1
    FLX_PATCH_SEGMENT, // from z_1 to z_2
    FLX_PATCH_CUBIC,   // from z_1 to z_3 with the derivatives z_2 and z_4 by s
    FLX_PATCH_FACE, // bilinear, corners z_1 to z_4 in order; of a triangle the last two are the same
} flx_patch_kind;

#define FLX_PATCH_VECTORS 4

// Numbers of vectors, and of parameters, which are from 0 to 1.
int flx_patch_vectors(flx_patch_kind kind);
int flx_patch_parameters(flx_patch_kind kind);

// The functions at a place, their first derivatives, and the second ones: by s_1^2, s_1 s_2, s_2^2.
typedef struct flx_patch_shape {
    double N[FLX_PATCH_VECTORS], first[2][FLX_PATCH_VECTORS], second[3][FLX_PATCH_VECTORS];
} flx_patch_shape;
void flx_patch_shape_at(flx_patch_kind kind, const double s[2], flx_patch_shape *out);

// Where two patches are nearest to each other: of the first and of the second.
typedef struct flx_patch_place {
    double s[2][2];
    int border[2][2]; // of every parameter: -1 and 1 where it is held at 0 and at 1, 0: it is free
    double distance;
    double normal[3]; // from the first to the second; 0 where the distance is 0
    double c[2][3];   // the places
} flx_patch_place;

// The least distance: the best of some places, followed by Newton's method. z: vectors of both, ground axes.
void flx_patch_nearest(const flx_patch_kind kind[2], v3 z[2][FLX_PATCH_VECTORS],
                       flx_patch_place *out);
// A box that holds a patch without its radius.
void flx_patch_bounds(flx_patch_kind kind, const v3 z[FLX_PATCH_VECTORS], double low[3],
                      double high[3]);
