// shift.h - the slow part of a spectrum, seen from a shift near it (theory/modes.md).
//
// With y = (theta, x, theta') the equations (MODE-3) are E y' = F y. About a real shift,
//     T = shift (F - shift E)^-1 E,   eigenvalues shift / (s - shift)                  (MODE-5)
//     P = (F - shift E)^-1 F = I + T, eigenvalues s / (s - shift)
// cost one solution with Q(shift) each. Motions much faster than the shift are small in T; those much
// slower, zero included, are small in P. Multipliers and algebraic unknowns follow.
#pragma once

#include "analyse/modes/quadratic.h"

typedef struct flx_shift {
    flx_quadratic *q;      // its factors are those at the shift
    int m;                 // 2 nv + nx
    double *unit;          // (m) of y
    double *z;             // (n) the unknowns of the last product
    double *b, *c, *d, *e; // (n) scratch
    double *weight;        // (n) of residuals
} flx_shift;

flx_status flx_shift_create(flx_quadratic *q, flx_shift *out);
// Factors at another shift. FLX_SINGULAR without a message.
flx_status flx_shift_move(flx_shift *w, double shift);
// out (m) = T y, in units; w->z (n): its unknowns, not in units, multipliers too.
void flx_shift_apply(flx_shift *w, const double *y, double *out);
// The same of P.
void flx_shift_apply_slow(flx_shift *w, const double *y, double *out);
// C (m x k) *= or /= the units.
void flx_shift_to_units(const flx_shift *w, int k, double *C);
void flx_shift_from_units(const flx_shift *w, int k, double *C);

// How well s and z (n, real and imaginary parts) fulfil (MODE-3): the largest of two parts, of the rows of
// motion against the largest of their terms, and of all others.
double flx_shift_residual(flx_shift *w, const double s[2], const double *re, const double *im);

// What rounding may make of Q0 z: sizes of its terms times epsilon, the numbers of z as large as the largest of
// them, or as reach, in their scales.
void flx_shift_rounding(flx_shift *w, const double *z, double reach, double *out);
