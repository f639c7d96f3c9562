// decimate.h - a surface with fewer points, for pictures.
#pragma once

#include "base/common.h"

typedef struct flx_coarse {
    int npoint, ntriangle;
    int *points;    // (npoint) owned: which of the given points are kept
    int *triangles; // (ntriangle, 3) owned: numbers among those that are kept
} flx_coarse;

// At most `most` points of a surface (8 at least), by cubes: of all points in a cube the first one
// stands for them, and triangles with two corners in one cube vanish. Points that no triangle uses are
// left out. n: points; k: triangles.
flx_status flx_decimate(flx_ctx *ctx, int n, const float *points, int k, const int *triangles,
                        int most, flx_coarse *out);
void flx_coarse_clear(flx_coarse *c);
