// eigen.c - singular values, eigenvectors and products of dense matrices on LAPACK, one thread.
#include "math/eigen.h"

#include "math/dense_parts.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

void flx_dense_multiply(bool transpose_A, bool transpose_B, int m, int n, int k, const double *A,
                        const double *B, double *C)
{
    if (m == 0 || n == 0) return;
    if (k == 0) {
        memset(C, 0, (size_t)m * (size_t)n * sizeof *C);
        return;
    }
    flx_dense_use_one_thread();
    cblas_dgemm(CblasColMajor, transpose_A ? CblasTrans : CblasNoTrans,
                transpose_B ? CblasTrans : CblasNoTrans, m, n, k, 1.0, A, transpose_A ? k : m, B,
                transpose_B ? n : k, 0.0, C, m);
}

flx_status flx_dense_solve(flx_ctx *ctx, int n, int nb, double *A, double *B)
{
    if (n == 0 || nb == 0) return FLX_OK;
    if (!flx_dense_is_finite((size_t)n * (size_t)n, A)) {
        return flx_dense_report(ctx, -1, "a linear system");
    }
    flx_dense_use_one_thread();
    lapack_int *pivot = flx_alloc(ctx, (size_t)n, sizeof *pivot);
    if (!pivot) return FLX_ERR_MEMORY;
    lapack_int info = LAPACKE_dgesv_work(LAPACK_COL_MAJOR, n, nb, A, n, pivot, B, n);
    flx_free(pivot);
    return info == 0 ? FLX_OK : FLX_SINGULAR;
}

flx_status flx_dense_svd(flx_ctx *ctx, int m, int n, double *A, double *w, double *U, double *V)
{
    static const char what[] = "the singular values of a matrix";
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) V[j * n + i] = i == j ? 1.0 : 0.0;
    }
    if (U) {
        for (int j = 0; j < m; j++) {
            for (int i = 0; i < m; i++) U[j * m + i] = i == j ? 1.0 : 0.0;
        }
    }
    if (m == 0 || n == 0) return FLX_OK;
    if (!flx_dense_is_finite((size_t)m * (size_t)n, A)) return flx_dense_report(ctx, -1, what);
    flx_dense_use_one_thread();
    double size;
    char jobu = U ? 'A' : 'N';
    lapack_int info =
        LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, jobu, 'A', m, n, A, m, w, U, m, V, n, &size, -1);
    if (info != 0) return flx_dense_report(ctx, info, what);
    double *work = flx_alloc(ctx, (size_t)size, sizeof *work);
    if (!work) return FLX_ERR_MEMORY;
    info = LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, jobu, 'A', m, n, A, m, w, U, m, V, n, work,
                               (lapack_int)size);
    flx_free(work);
    for (int j = 0; j < n; j++) { // LAPACK gives V^T
        for (int i = 0; i < j; i++) {
            double x = V[j * n + i];
            V[j * n + i] = V[i * n + j];
            V[i * n + j] = x;
        }
    }
    return flx_dense_report(ctx, info, what);
}

flx_status flx_dense_eigenvectors(flx_ctx *ctx, int n, double *A, double *re, double *im, double *V)
{
    static const char what[] = "the eigenvalues of a matrix";
    if (n == 0) return FLX_OK;
    if (!flx_dense_is_finite((size_t)n * (size_t)n, A)) return flx_dense_report(ctx, -1, what);
    flx_dense_use_one_thread();
    double size, norm;
    lapack_int low, high;
    double *scale = flx_alloc(ctx, (size_t)n, sizeof *scale), *work = NULL;
    if (!scale) return FLX_ERR_MEMORY;
    lapack_int info =
        LAPACKE_dgeevx_work(LAPACK_COL_MAJOR, 'B', 'N', 'V', 'N', n, A, n, re, im, NULL, 1, V, n,
                            &low, &high, scale, &norm, NULL, NULL, &size, -1, NULL);
    flx_status status = flx_dense_report(ctx, info, what);
    if (status == FLX_OK) {
        work = flx_alloc(ctx, (size_t)size, sizeof *work);
        if (!work) status = FLX_ERR_MEMORY;
    }
    if (status == FLX_OK) {
        info = LAPACKE_dgeevx_work(LAPACK_COL_MAJOR, 'B', 'N', 'V', 'N', n, A, n, re, im, NULL, 1,
                                   V, n, &low, &high, scale, &norm, NULL, NULL, work,
                                   (lapack_int)size, NULL);
        status = flx_dense_report(ctx, info, what);
    }
    flx_free(work);
    flx_free(scale);
    return status;
}

flx_status flx_dense_balance(flx_ctx *ctx, int n, double *A, double *d)
{
    lapack_int low, high;
    if (n == 0) return FLX_OK;
    if (!flx_dense_is_finite((size_t)n * (size_t)n, A)) {
        return flx_dense_report(ctx, -1, "balancing a matrix");
    }
    lapack_int info = LAPACKE_dgebal_work(LAPACK_COL_MAJOR, 'S', n, A, n, &low, &high, d);
    return flx_dense_report(ctx, info, "balancing a matrix");
}
