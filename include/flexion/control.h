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
