// twin.h - the slope of a residual by a parameter, by differences: an instance beside the system whose parameters are moved.
// Five points; masses, stiffnesses and places enter residuals as polynomials of low degree, for which that is exact but for rounding.
#pragma once

#include "flexion/extend/system_table.h"

typedef struct flx_twin {
    flx_system *own; // owned, and so are the others; NULL: none yet
    flx_work *work;
    double *numbers; // param, p, and residuals
} flx_twin;

void flx_twin_clear(flx_twin *t);
// out (n) = dr/dp_k of s at the point. The twin is made when it is first needed, and kept.
flx_status flx_twin_slope(const flx_system *s, flx_twin *t, const flx_point *at, int k,
                          double *out);
