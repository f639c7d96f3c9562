// heights.h - a height over a grid, z(x, y), bicubic between its nodes with continuous slopes.
#pragma once

#include "base/common.h"

typedef struct flx_heights {
    int n[2];                // nodes along x and y, two or more
    double from[2], step[2]; // of x and y
    const double
        *z; // (n[0] x n[1] x 4): height, slopes along x and y, twist; of node (i, j) at i n[1] + j
    double low, high; // bounds of the height
} flx_heights;

typedef struct flx_height {
    double z, x, y, xx, xy, yy; // and its derivatives
} flx_height;

// z: (n[0] x n[1]) heights, y the fastest. Slopes are those of parabolas through three nodes. Lives in the arena.
flx_status flx_heights_make(flx_ctx *ctx, flx_arena *arena, flx_loc loc, const int n[2],
                            const double from[2], const double step[2], const double *z,
                            const flx_heights **out);
// Height and its derivatives; false: beyond the grid.
bool flx_heights_at(const flx_heights *h, double x, double y, flx_height *out);
