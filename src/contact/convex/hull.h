// hull.h - the convex hull of points as a polytope.
#pragma once

#include "contact/convex/polytope.h"

// The hull lives in the arena; points that are nearer to a face than 1e-6 of the size are on it, corners of it or none at all.
// loc: where the points are named. Points that all lie in a plane are refused.
flx_status flx_hull_make(flx_ctx *ctx, flx_arena *arena, flx_loc loc, int npoint,
                         const double *points, const flx_polytope **out);
