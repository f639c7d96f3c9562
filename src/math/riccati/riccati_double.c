// riccati_double.c - the discrete Riccati equation by doubling; see riccati.h.
#include "math/dense.h"
#include "math/eigen.h"
#include "math/riccati/riccati.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST 60 // doublings: 2^60 samples

static double largest(size_t n, const double *x)
{
    double most = 0.0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// to += (X + X^T)/2
static void add_symmetric(int n, const double *X, double *to)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) to[i + n * j] += 0.5 * (X[i + n * j] + X[j + n * i]);
    }
}

// One doubling (RIC-9): A <- A W^-1 A, G <- G + A W^-1 G A^T, P <- P + A^T P W^-1 A with W = 1 + G P. work: 5 n n.
static flx_status double_once(flx_ctx *ctx, int n, double *A, double *G, double *P, double *work)
{
    size_t nn = (size_t)n * (size_t)n;
    double *W = work, *X = W + nn, *T = X + 2 * nn, *V = T + nn; // X: W^-1 (A, G)
    flx_dense_multiply(false, false, n, n, n, G, P, W);
    for (int i = 0; i < n; i++) W[i + n * i] += 1.0;
    memcpy(X, A, nn * sizeof *X);
    memcpy(X + nn, G, nn * sizeof *X);
    FLX_TRY(flx_dense_solve(ctx, n, 2 * n, W, X));
    flx_dense_multiply(false, false, n, n, n, A, X + nn, T); // A W^-1 G
    flx_dense_multiply(false, true, n, n, n, T, A, V);
    add_symmetric(n, V, G);
    flx_dense_multiply(false, false, n, n, n, P, X, T); // P W^-1 A
    flx_dense_multiply(true, false, n, n, n, A, T, V);
    flx_dense_multiply(false, false, n, n, n, A, X, T);
    memcpy(A, T, nn * sizeof *A);
    add_symmetric(n, V, P);
    return FLX_OK;
}

flx_status flx_riccati_double(flx_ctx *ctx, int n, double *A, double *G, double *Q, double *P)
{
    size_t nn = (size_t)n * (size_t)n;
    double *work = flx_alloc(ctx, 6 * nn, sizeof *work), *before = work + 5 * nn;
    flx_status status = work ? FLX_OK : FLX_ERR_MEMORY;
    bool done = false;
    if (work) memcpy(P, Q, nn * sizeof *P);
    for (int k = 0; status == FLX_OK && k < MOST && !done; k++) {
        memcpy(before, P, nn * sizeof *P);
        status = double_once(ctx, n, A, G, P, work);
        double size = largest(nn, P);
        if (status == FLX_OK && !isfinite(size)) status = FLX_SINGULAR;
        for (size_t i = 0; status == FLX_OK && i < nn; i++) before[i] -= P[i];
        done = status == FLX_OK && largest(nn, before) <= 4.0 * DBL_EPSILON * size;
    }
    flx_free(work);
    return status == FLX_OK && !done ? FLX_SINGULAR : status;
}
