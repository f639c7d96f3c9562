// heights_nearest.h - the place of heights that is nearest to a point.
#pragma once

#include "contact/mesh/heights.h"
#include "contact/pair.h"

// In ground axes. height: of the point over the place, along the normal n; negative below.
typedef struct flx_heights_foot {
    double height;
    v3 n, place;
    flx_curvature bend; // with the skin
} flx_heights_foot;

// false: it is beyond the grid, or its nearest place is at the border.
bool flx_heights_nearest(const flx_surface *s, const flx_frame *f, v3 p, flx_heights_foot *out);
// Curvature at a place, with the skin; R: axes of the surface.
flx_curvature flx_heights_curvature(const flx_height *f, m33 R, double skin);
