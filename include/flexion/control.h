// flexion/control.h - gains of linear systems. Matrices are given by rows, as those of flexion/linear.h are; the theory is
// in docs/theory/control.md.
#pragma once

#include "flexion/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// The state feedback u = -K x of least cost, the integral of x^T Q x + u^T R u for x' = A x + B u: K (m x n), and P (n x n, may
// be NULL) with the cost x^T P x from a state x. A, Q (n x n), B (n x m), R (m x m); Q symmetric, not negative, R symmetric and
// positive definite. sample > 0: u is held between samples of this interval, and the cost is still that integral.
// FLX_ERR_CANNOT says which mode stands in the way: one that does not decay and that no input reaches, or that costs nothing.
FLX_API flx_status flx_lqr_find(flx_ctx *ctx, int n, int m, const double *A, const double *B,
                                const double *Q, const double *R, double sample, double *K,
                                double *P);

// The feedback u = -K(t) x of least cost over a time that ends, along a motion: x' = A(t) x + B(t) u with A (n x n), B (n x m)
// at nt ascending times, one after the other; cost the integral of x^T Q x + u^T R u and x^T end x at the last time (NULL:
// none). sample > 0: u is held from each time to the next, and these are this far apart. K (nt of m x n), P (nt of n x n, may
// be NULL) with the cost x^T P x from a state x at that time.
typedef struct flx_lqr_motion {
    int n, m, nt;
    const double *t, *A, *B;
    const double *Q, *R, *end;
    double sample;
} flx_lqr_motion;
FLX_API flx_status flx_lqr_along(flx_ctx *ctx, const flx_lqr_motion *motion, double *K, double *P);

// The steady filter z' = A z + B u + L (y - C z) of x' = A x + B u + w, y = C x + v with white noise of intensities W (n x n) and
// V (nout x nout), positive definite: L (n x nout), and P (n x n, may be NULL), the covariance of the error. sample > 0: y is
// taken at samples of this interval, z+ = Ad (z + L (y - C z)) + Bd u, with V the covariance of a sample; P is that after
// the measurement.
FLX_API flx_status flx_kalman_find(flx_ctx *ctx, int n, int nout, const double *A, const double *C,
                                   const double *W, const double *V, double sample, double *L,
                                   double *P);

// x+ = Ad x + Bd u at samples of the interval T where u is held. Ad (n x n), Bd (n x m).
FLX_API flx_status flx_sample_linear(flx_ctx *ctx, int n, int m, const double *A, const double *B,
                                     double T, double *Ad, double *Bd);

#ifdef __cplusplus
}
#endif
