// pencil_dense.c - dense matrices in the memory of a pencil: products, transposes, null spaces.
#include "analyse/modes/pencil_parts.h"
#include "math/eigen.h"

#include <math.h>

double *flx_pencil_take(flx_arena *arena, int m, int n)
{
    return flx_arena_take(arena, (size_t)m * (size_t)n, sizeof(double));
}

double *flx_pencil_product(const flx_linearised *l, bool turned, int m, int n, int k,
                           const double *A, const double *B)
{
    double *C = A && B ? flx_pencil_take(l->arena, m, n) : NULL;
    if (C) flx_dense_multiply(turned, false, m, n, k, A, B, C);
    return C;
}

double *flx_pencil_transpose(const flx_linearised *l, int m, int n, const double *A)
{
    double *out = A ? flx_pencil_take(l->arena, n, m) : NULL;
    for (int j = 0; out && j < n; j++) {
        for (int i = 0; i < m; i++) out[i * n + j] = A[j * m + i];
    }
    return out;
}

flx_status flx_pencil_null(const flx_linearised *l, int m, int n, double *J, double **V, int *rank)
{
    int most = m < n ? m : n;
    double *w = flx_pencil_take(l->arena, most, 1);
    *V = flx_pencil_take(l->arena, n, n);
    *rank = 0;
    if (!J || !w || !*V) return flx_pencil_no_memory(l->ctx);
    for (int i = 0; i < m; i++) {
        double size = 0.0;
        for (int j = 0; j < n; j++) size = fmax(size, fabs(J[j * m + i]));
        for (int j = 0; size > 0.0 && j < n; j++) J[j * m + i] /= size;
    }
    FLX_TRY(flx_dense_svd(l->ctx, m, n, J, w, NULL, *V));
    while (*rank < most && w[*rank] > FLX_PENCIL_DEPENDENT * w[0]) (*rank)++;
    return FLX_OK;
}
