// rows.h - the primitive rows that joints are made of, as kernels over arrays of one kind.
//
// Fast kinds, several rows at once: coincidence of two points (3 rows, planar 2) and two parallel
// axes (2 rows). Every other row is a scalar function of two frames (see scalar.h), or a linear
// combination of two of them minus a function of time.
//
// A row has a multiplier l; the forces on the bodies are -G^T l. K = d(G^T l)/dq along q (+) theta.
#pragma once

#include "body/frame.h"
#include "math/small.h"

#include <stdbool.h>

// The two bodies of an item, and where it writes.
typedef struct flx_ends {
    int frame[2];    // numbers of the frames
    int v[2];        // first velocity of each; -1: the ground
    int nv[2];       // velocities: 6 rigid, 3 point; planar 3 and 2; 0 ground
    int block[2][2]; // offset of the tangent's block of bodies (i, j); -1: none
} flx_ends;

// Where the rows of one primitive stand.
typedef struct flx_row_place {
    int row;   // number among the constraints (or velocity-level constraints)
    int g[2];  // offset of the first row in the block (rows, body i); -1: ground
    int gt[2]; // offset of the first column in the block (body i, rows); -1: ground
    int width; // columns of that block
} flx_row_place;

// (ROW-1) g = p_B - p_A in ground axes, p = r + R s.
typedef struct flx_row_point {
    flx_ends e;
    flx_row_place p;
    double s[2][3]; // from the centre of mass, body axes
} flx_row_point;

// (ROW-2) g_i = a_i . b, i = 1, 2: b of the second is parallel to a_1 x a_2 of the first.
typedef struct flx_row_axis {
    flx_ends e;
    flx_row_place p;
    double a[2][3]; // in the first's axes
    double b[3];    // in the second's
} flx_row_axis;

// residual: g, and force += G^T lam. rate: G v. bias: second time derivative of g at v' = 0.
// jacobian: G and G^T written into the values of the tangent; stiffness: K added.
void flx_row_point_residual(int n, const flx_row_point *r, const flx_frame *f, const double *lam,
                            double *g, double *force);
void flx_row_point_rate(int n, const flx_row_point *r, const flx_frame *f, double *gd);
void flx_row_point_bias(int n, const flx_row_point *r, const flx_frame *f, double *bias);
void flx_row_point_jacobian(int n, const flx_row_point *r, const flx_frame *f, double *A);
void flx_row_point_stiffness(int n, const flx_row_point *r, const flx_frame *f, const double *lam,
                             double *A);

void flx_row_axis_residual(int n, const flx_row_axis *r, const flx_frame *f, const double *lam,
                           double *g, double *force);
void flx_row_axis_rate(int n, const flx_row_axis *r, const flx_frame *f, double *gd);
void flx_row_axis_bias(int n, const flx_row_axis *r, const flx_frame *f, double *bias);
void flx_row_axis_jacobian(int n, const flx_row_axis *rows, const flx_frame *f, double *out);
void flx_row_axis_stiffness(int n, const flx_row_axis *rows, const flx_frame *f, const double *lam,
                            double *out);

// Planar coincidence: 2 rows; s has two entries a body.
void flx_row_point2_residual(int n, const flx_row_point *r, const flx_frame2 *f, const double *lam,
                             double *g, double *force);
void flx_row_point2_rate(int n, const flx_row_point *r, const flx_frame2 *f, double *gd);
void flx_row_point2_bias(int n, const flx_row_point *r, const flx_frame2 *f, double *bias);
void flx_row_point2_jacobian(int n, const flx_row_point *r, const flx_frame2 *f, double *A);
void flx_row_point2_stiffness(int n, const flx_row_point *r, const flx_frame2 *f, const double *lam,
                              double *A);
