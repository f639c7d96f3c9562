// profile.h - motions between points: polynomials from rest to rest, trapezoids of the speed, splines; as pieces,
// each a polynomial of the time since it began ((PTH-1) to (PTH-5), docs/theory/paths.md).
#pragma once

#include "base/common.h"

// Coefficients of 1, x, x^2, ... of the polynomial of degree 3, 5, 7 or 9 with s(0) = 0, s(1) = 1 and
// (degree - 1)/2 derivatives that vanish at both ends. NULL: another degree.
const double *flx_profile_terms(int degree);
// The largest speed, acceleration and jerk (which = 1, 2, 3) of that polynomial.
double flx_profile_peak(int degree, int which);

// A speed that rises, stays and falls, from rest to rest over the way 1 in the least time; jerk HUGE_VAL: the
// acceleration jumps. Returns the number of pieces, up to 7; each lasts duration[i], with this jerk, from
// this acceleration on.
int flx_profile_trapezoid(double speed, double acceleration, double jerk, double duration[7],
                          double jerks[7], double accelerations[7]);

// What the ends of a spline are.
typedef enum flx_spline_ends {
    FLX_SPLINE_REST,    // no speed; of order 5 no acceleration
    FLX_SPLINE_NATURAL, // no second derivative; of order 5 no third and fourth
    FLX_SPLINE_SMOOTH, // derivatives of the polynomial through the seven nearest points; of fewer points natural
} flx_spline_ends;
// Order 3 (two continuous derivatives) or 5 (four) through n >= 2 points, x ascending: k (n - 1, order + 1).
flx_status flx_spline_through(flx_ctx *ctx, int order, flx_spline_ends ends, int n, const double *x,
                              const double *y, double *k);
