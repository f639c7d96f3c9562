// riccati.h - Riccati and Lyapunov equations, the sampling of a linear system, column-major
// (docs/theory/control.md).
#pragma once

#include "base/common.h"

// The plant and the weights: cost integral (or sum) of x^T Q x + 2 x^T S u + u^T R u with x' = A x + B u, or
// x+ = A x + B u.
typedef struct flx_riccati {
    int n, m;
    const double *A, *B; // (n x n) (n x m)
    const double *Q, *R; // (n x n) (m x m) symmetric, R positive definite
    const double *S;     // (n x m) NULL: zero
} flx_riccati;

// K (m x n), u = -K x, and P (n x n), cost x^T P x. *residual: of the equation, over the largest of its terms
// (may be NULL). FLX_SINGULAR without a message: no solution makes the loop stable; FLX_ERR_ARGUMENT: R is not
// positive definite.
flx_status flx_riccati_continuous(flx_ctx *ctx, const flx_riccati *r, double *K, double *P,
                                  double *residual);
flx_status flx_riccati_discrete(flx_ctx *ctx, const flx_riccati *r, double *K, double *P,
                                double *residual);

// P of P = A^T P (1 + G P)^-1 A + Q by doubling (RIC-9); the least solution, which makes the loop stable where every mode
// that does not decay costs something. FLX_SINGULAR without a message: it does not converge. A, G, Q (n x n) are overwritten.
flx_status flx_riccati_double(flx_ctx *ctx, int n, double *A, double *G, double *Q, double *P);

// A^T P + P A + Q = 0, Q symmetric. FLX_SINGULAR without a message: s_i + s_j = 0 of two eigenvalues.
flx_status flx_lyapunov_continuous(flx_ctx *ctx, int n, const double *A, const double *Q,
                                   double *P);
// A^T P A - P + Q = 0 of a stable A. FLX_SINGULAR without a message: it is not stable.
flx_status flx_lyapunov_discrete(flx_ctx *ctx, int n, const double *A, const double *Q, double *P);

// The system and its cost at samples of the interval T, where u is held: x+ = Ad x + Bd u, and the integral of
// the cost over an interval as Qd, Sd, Rd (RIC-5). r->S NULL: zero.
flx_status flx_riccati_sample(flx_ctx *ctx, const flx_riccati *r, double T, double *Ad, double *Bd,
                              double *Qd, double *Rd, double *Sd);

// A mode that decides whether there is a solution: an eigenvalue that is not stable, and a direction w (n, real and
// imaginary parts) with w^H A = s w^H and w^H B = 0 to 1e-9 (RIC-6). *found: there is one. discrete: |s| < 1 is stable, else
// Re s < 0.
flx_status flx_riccati_unreached(flx_ctx *ctx, int n, int m, const double *A, const double *B,
                                 bool discrete, bool *found, double s[2], double *w_re,
                                 double *w_im);

// Least cost over a time that ends, along a motion whose coefficients change: A (n x n), B (n x m) at nt times t, ascending,
// one after the other, smooth in between (RIC-7). sample > 0: u is held from each time to the next, and these are this
// far apart (RIC-8). end (n x n): the cost of the last state; NULL: none.
typedef struct flx_riccati_motion {
    int n, m, nt;
    const double *t, *A, *B;
    const double *Q, *R, *end;
    double sample;
} flx_riccati_motion;

// K (nt of m x n), P (nt of n x n) at the times. FLX_ERR_ARGUMENT: R is not positive definite.
flx_status flx_riccati_along(flx_ctx *ctx, const flx_riccati_motion *r, double *K, double *P);

// X (m x k) <- R^-1 X. FLX_ERR_ARGUMENT: R is not positive definite.
flx_status flx_riccati_divide(flx_ctx *ctx, int m, int k, const double *R, double *X);
