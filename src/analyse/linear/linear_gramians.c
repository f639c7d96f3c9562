// linear_gramians.c - gramians of a linear model whose modes all decay (flexion/linear.h).
#include "analyse/linear/linear_dense.h"
#include "base/number.h"
#include "base/refuse.h"

#include <float.h>
#include <math.h>
#include <string.h>

// In states D^-1 z, of like size, A W + W A^T + B B^T = 0 with A = Q S Q^T: S X + X S^T = -(Q^T B)(Q^T B)^T, W = Q X Q^T.
static flx_status find(flx_ctx *ctx, flx_arena *arena, int n, int m, const double *A,
                       const double *B, double *W)
{
    double *S = flx_linear_take(arena, n, n), *Q = flx_linear_take(arena, n, n);
    double *X = flx_linear_take(arena, n, n), *QB = flx_linear_take(arena, n, m);
    double *re = flx_linear_take(arena, n, 1), *im = flx_linear_take(arena, n, 1);
    double *d = flx_linear_take(arena, n, 1), *own = flx_linear_take(arena, n, m), size = 0.0;
    if (!S || !Q || !X || !QB || !re || !im || !d || !own) return FLX_ERR_MEMORY;
    memcpy(S, A, (size_t)n * (size_t)n * sizeof *S);
    FLX_TRY(flx_dense_balance(ctx, n, S, d));
    for (int k = 0; k < n * m; k++) own[k] = B[k] / d[k % n];
    FLX_TRY(flx_dense_schur(ctx, n, S, re, im, Q));
    for (int i = 0; i < n; i++) size = fmax(size, hypot(re[i], im[i]));
    for (int i = 0; i < n; i++) {
        if (re[i] < -(double)n * DBL_EPSILON * size) continue;
        return FLX_FAIL(ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "there are no gramians: the mode with s = %.6g%+.6gi does not decay", re[i],
                        im[i]);
    }
    flx_dense_multiply(true, false, n, m, n, Q, own, QB);
    flx_dense_multiply(false, true, n, n, m, QB, QB, X);
    for (int i = 0; i < n * n; i++) X[i] = -X[i];
    FLX_TRY(flx_dense_lyapunov(ctx, n, S, X));
    flx_dense_multiply(false, true, n, n, n, X, Q, S);
    flx_dense_multiply(false, false, n, n, n, Q, S, X);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            W[i * n + j] = 0.5 * d[i] * d[j] * (X[i * n + j] + X[j * n + i]);
    }
    return FLX_OK;
}

flx_status flx_linear_find_gramians(flx_ctx *ctx, const flx_linear_model *model, double *reach,
                                    double *sight)
{
    if (!ctx || !model) return flx_refuse_null(ctx, __func__);
    int n = model->n;
    flx_arena *arena = flx_arena_create(ctx);
    flx_status status = arena ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK && reach) {
        double *A = flx_linear_take(arena, n, n), *B = flx_linear_take(arena, n, model->nin);
        if (A && B) {
            flx_linear_turn(n, n, model->A, A);
            flx_linear_turn(n, model->nin, model->B, B);
        }
        status = A && B ? find(ctx, arena, n, model->nin, A, B, reach) : FLX_ERR_MEMORY;
    }
    // by rows C is C^T by columns, and so is A
    if (status == FLX_OK && sight)
        status = find(ctx, arena, n, model->nout, model->A, model->C, sight);
    flx_arena_destroy(&arena);
    return status;
}
