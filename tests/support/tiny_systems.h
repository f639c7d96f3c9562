// tiny_systems.h - small systems of every kind, filled into the table of flexion/system.h by hand:
// what methods and analyses are tried on, and the proof that the table carries them.
//
// Every constructor returns NULL when there is no memory. Destroy with flx_system_destroy.
#pragma once

#include "flexion/extend/system_table.h"

// Points in a plane under gravity, constraints between them or to the ground. Gravity acts along -y.
//     g = (|d|^2 - L^2) / (2 L),   d = r_i - r_j   (or r_i - anchor)
typedef struct net_constraint {
    int i, j; // points; j < 0: the anchor
    double anchor[2];
    double length;
    double sigma, tau, C; // (1, 0, 0) is a rod
} net_constraint;
flx_system *net_create(flx_ctx *ctx, int npoint, const double *mass, double gravity,
                       int nconstraint, const net_constraint *constraints);
// One point on one rod from the origin.
flx_system *pendulum_create(flx_ctx *ctx, double mass, double length, double gravity);

// A rigid body that turns about a fixed point: q = (r, quaternion), v = (r', omega), three constraints
//     g = r + R s,   s the fixed point in body axes from the centre of mass.
typedef struct top_numbers {
    double mass, J[3], s[3], gravity;
} top_numbers;
flx_system *top_create(flx_ctx *ctx, const top_numbers *numbers);

// One oscillator with a first-order state and an algebraic unknown, unsymmetric and nonlinear:
//     m q'' = -k q - c q' + w,   x' = -a x + q - e w,   0 = w + b w^3 - x - d q'
typedef struct mixed_numbers {
    double m, k, c, a, e, b, d;
} mixed_numbers;
flx_system *mixed_create(flx_ctx *ctx, const mixed_numbers *numbers);

// A knife edge (x, y, angle) on an inclined plane, gravity g sin(slope) along x, a torsion spring:
//     A = (sin phi, -cos phi, 0),   J phi'' = -k phi
flx_system *skate_create(flx_ctx *ctx, double mass, double inertia, double slope_gravity, double k);

// Linear oscillators M q'' = -K q - D q' (row-major n x n, n <= 8), M symmetric.
flx_system *linear_create(flx_ctx *ctx, int n, const double *M, const double *D, const double *K);

// The same system with its own (dense) factor and solve. The table of s itself is changed.
void tiny_own_algebra(flx_system *s);
// ... or without an entry, for refusals.
void tiny_without_explicit(flx_system *s);
// ... or with a residual that is not a number from time t on.
void tiny_break_after(flx_system *s, double t);
