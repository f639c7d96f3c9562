// curve.h - a curve c(s) through points, open or closed, with two continuous derivatives; s is the length of the chords
// between the points. With it go two vectors N_1, N_2(s), as smooth, which with c' are independent everywhere. The
// nearest place s of a point x, (x - c(s)) . c'(s) = 0, makes functions of x that vanish on the curve:
//     phi_k = N_k(s) . (x - c(s)),  k = 1, 2                                    (CRV-1)
// Beyond the ends of an open curve it goes on straight.
#pragma once

#include "base/common.h"
#include "math/small.h"

typedef struct flx_curve {
    int n; // pieces
    bool closed;
    double length;   // of the chords
    const double *s; // (n + 1) at the points; s[0] = 0
    const double *k; // (n, 9, 4) coefficients of c, N_1, N_2 in a piece, of u = s - s_i
} flx_curve;

// Through n points (n, 3), in the arena. NULL: no memory, or *wrong says what is wrong with point *at.
const flx_curve *flx_curve_create(flx_ctx *ctx, flx_arena *arena, int n, const double *points,
                                  bool closed, const char **wrong, int *at);

// c, N_1 and N_2 with derivatives up to the third.
typedef struct flx_curve_point {
    v3 c[4], N[2][4];
} flx_curve_point;
void flx_curve_eval(const flx_curve *c, double s, flx_curve_point *out);
// The piece of s (-1 before, n after the ends of an open curve) and its u there.
int flx_curve_piece(const flx_curve *c, double s, double *u);

// The place of least distance from x that lies downhill from `from`; NAN: the nearest of all. On a closed curve s counts rounds.
double flx_curve_nearest(const flx_curve *c, v3 x, double from);

// Value, gradient and second derivatives in x: phi_1, phi_2, and for which = 2 the nearest s itself.
typedef struct flx_curve_jet {
    double value;
    v3 g;
    m33 H;
} flx_curve_jet;
void flx_curve_function(const flx_curve *c, int which, v3 x, double from, flx_curve_jet *out);
