// scalar.h - scalar functions of the frames of two bodies: what single rows of joints, motions,
// gears, springs and actuators are made of. One evaluation gives the value, the gradient G along
// the unit motions of both bodies, and its derivative K = dG^T/dq along q (+) theta, from which
//     rate = G v,   (G v)_q = v^T K,   bias = v^T K v                          (SCA-1)
// Rows on velocity level (rolling, knife edge) have no value: G is then their row A.
#pragma once

#include "joint/rows.h"

typedef enum flx_scalar_kind {
    FLX_SCALAR_DOT,    // a_A . b_B
    FLX_SCALAR_PLANE,  // a_A . (p_B - p_A)
    FLX_SCALAR_LENGTH, // |p_B - p_A|
    FLX_SCALAR_SQUARE, // (|p_B - p_A|^2 - L^2) / (2 L): smooth, unit gradient where it is 0
    FLX_SCALAR_ANGLE,  // of x_B about the axis, from x_A towards y_A; any number of turns
    FLX_SCALAR_TOUCH,  // height of a disc's lowest rim point over a plane of the first
    FLX_SCALAR_ROLL,   // velocity of that point along a direction of the first; no value
    FLX_SCALAR_KNIFE,  // velocity of p_B relative to the first along b_B; no value
    FLX_SCALAR_TWIST,  // b . (rotation vector between two frames)
    FLX_SCALAR_GAP,    // depth of two surfaces, -gap; also planar
    FLX_SCALAR_SLIP,   // velocity of the second relative to the first where they touch; no value
    FLX_SCALAR_CURVE,  // of p_B from a curve of the first, or where along it; also planar
    FLX_SCALAR_SWING,  // angle between a_A and b_B, 0 to pi
    FLX_SCALAR_TURN,   // the rest: of two frames about their z axes, -pi to pi
    FLX_SCALAR_ANGLE2, // planar: the same
    FLX_SCALAR_PLANE2,
    FLX_SCALAR_LENGTH2,
    FLX_SCALAR_SQUARE2,
    FLX_SCALAR_ROLL2,
    FLX_SCALAR_KNIFE2,
    FLX_SCALAR_COUNT
} flx_scalar_kind;

typedef struct flx_scalar {
    flx_scalar_kind kind;
    int body[2];    // -1: ground
    flx_ends e;     // filled when the system is made
    int turn;       // ANGLE, CURVE: switch that holds the last angle or s, -1: none
    double s[2][3]; // places from the centres of mass, body axes
    double a[2][3]; // directions in the first: a_A, plane's normal, x_A; a[1]: y_A, direction
    double b[3];    // direction in the second: b_B, x_B, disc's axis (zero: a ball)
        // TWIST, TURN: a and s hold the x and y axes of the two frames, b a direction in them
    double length;             // SQUARE: L; TOUCH, ROLL: radius
    double offset;             // subtracted from the value
    const struct flx_gap *gap; // GAP, SLIP: contact/gap.h, which says their signs
    int along; // SLIP: 0 or 1, along t_1 or t_2; 2, 3, 4: angular velocity about t_1, t_2, the normal; 5: the mean one (CON-11); CURVE: 0 or 1 of (CRV-1), 2: its s
    const struct flx_curve *curve; // CURVE: math/curve/curve.h
} flx_scalar;

typedef struct flx_jet {
    double value;
    double g[2][6];
    double K[2][2][36]; // block (i, j): row-major 6 x 6, also for smaller bodies
} flx_jet;

// switches: of the point; may be NULL when no scalar has a turn. The parts that a body does not
// have (rotation of a point) are filled and must not be read.
void flx_scalar_value(const flx_scalar *s, flx_frames f, const double *switches, flx_jet *j);
// Value and gradient.
void flx_scalar_gradient(const flx_scalar *s, flx_frames f, const double *switches, flx_jet *j);
// All of it.
void flx_scalar_jet(const flx_scalar *s, flx_frames f, const double *switches, flx_jet *j);

// G v and v^T K (out: 2 x 6) over the bodies that move.
double flx_jet_rate(const flx_scalar *s, const flx_jet *j, const double *v);
void flx_jet_rate_gradient(const flx_scalar *s, const flx_jet *j, const double *v,
                           double out[2][6]);
double flx_jet_bias(const flx_scalar *s, const flx_jet *j, const double *v);

// force += f G^T;  blocks of A += k K;  blocks of A += k G^T h (h: 2 x 6);  blocks of A += k K + G^T h.
void flx_jet_add_force(const flx_scalar *s, const flx_jet *j, double f, double *force);
void flx_jet_add_stiffness(const flx_scalar *s, const flx_jet *j, double k, double *A);
void flx_jet_add_bent(const flx_scalar *s, const flx_jet *j, double k, double (*h)[6], double *A);
void flx_jet_add_outer(const flx_scalar *s, const flx_jet *j, double k, double (*h)[6], double *A);
// The row c h in the block (row, bodies), and the column c G^T in (bodies, row).
void flx_scalar_add_row(const flx_scalar *s, const flx_row_place *p, double c, double (*h)[6],
                        double *A);
void flx_scalar_add_column(const flx_scalar *s, const flx_row_place *p, double c, double (*h)[6],
                           double *A);

// Rotation vector th from a frame of A to one of B, exp(th~) = (R_A F_A)^T R_B F_B, its derivatives
// along rotations about the axes of each body, and the slope D(u) = d(B^-1(th) u)/dth; sign -1: of
// B^-T. Equations: rotation_vector.c.
typedef struct flx_rotation_vector {
    v3 th;
    m33 G[2];
} flx_rotation_vector;
void flx_rotation_vector_eval(const flx_frame *A, const flx_frame *B, m33 FA, m33 FB,
                              flx_rotation_vector *out);
m33 flx_rotation_vector_slope(v3 th, v3 u, double sign);

// Planar part, called by the three above.
void flx_scalar_eval2(const flx_scalar *s, const flx_frame2 *f, int order, flx_jet *j);
