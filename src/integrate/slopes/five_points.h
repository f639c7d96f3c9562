// five_points.h - the derivative of a smooth function by differences of five points, of which the middle one has no weight:
//     f' = (f(-2e) - 8 f(-e) + 8 f(e) - f(2e)) / 12 e,   off by e^4 f^(5) / 30
#pragma once

#define FLX_FIVE_POINTS 4 // that have a weight

// In units of e, and over e.
static const double flx_five_places[FLX_FIVE_POINTS] = {-2.0, -1.0, 1.0, 2.0};
static const double flx_five_weights[FLX_FIVE_POINTS] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0,
                                                         -1.0 / 12.0};
