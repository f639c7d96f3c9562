// eigen.c - singular values, eigenvectors and products of dense matrices on LAPACK, one thread.
#include "math/eigen.h"

#include "math/blas.h"
#include "math/dense_parts.h"

#include <string.h>

void flx_dense_multiply(bool transpose_A, bool transpose_B, int m, int n, int k, const double *A,
                        const double *B, double *C)
{
    if (m == 0 || n == 0) return;
    if (k == 0) {
        memset(C, 0, (size_t)m * (size_t)n * sizeof *C);
        return;
    }
    FLX_ONE_THREAD cblas_dgemm(CblasColMajor, transpose_A ? CblasTrans : CblasNoTrans,
                               transpose_B ? CblasTrans : CblasNoTrans, m, n, k, 1.0, A,
                               transpose_A ? k : m, B, transpose_B ? n : k, 0.0, C, m);
}

void flx_dense_apply(bool transpose, int m, int n, const double *A, const double *x, double *y)
{
    if (m == 0 || n == 0) {
        memset(y, 0, (size_t)(transpose ? n : m) * sizeof *y);
        return;
    }
    FLX_ONE_THREAD cblas_dgemv(CblasColMajor, transpose ? CblasTrans : CblasNoTrans, m, n, 1.0, A,
                               m, x, 1, 0.0, y, 1);
}

flx_status flx_dense_solve(flx_ctx *ctx, int n, int nb, double *A, double *B)
{
    if (n == 0 || nb == 0) return FLX_OK;
    if (!flx_dense_is_finite((size_t)n * (size_t)n, A)) {
        return flx_dense_report(ctx, -1, "a linear system");
    }
    lapack_int *pivot = flx_alloc(ctx, (size_t)n, sizeof *pivot);
    if (!pivot) return FLX_ERR_MEMORY;
    lapack_int info = 0;
    FLX_ONE_THREAD info = LAPACKE_dgesv_work(LAPACK_COL_MAJOR, n, nb, A, n, pivot, B, n);
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
    double size;
    char jobu = U ? 'A' : 'N';
    lapack_int info = 0;
    FLX_ONE_THREAD info =
        LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, jobu, 'A', m, n, A, m, w, U, m, V, n, &size, -1);
    if (info != 0) return flx_dense_report(ctx, info, what);
    double *work = flx_alloc(ctx, (size_t)size, sizeof *work);
    if (!work) return FLX_ERR_MEMORY;
    FLX_ONE_THREAD info = LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, jobu, 'A', m, n, A, m, w, U, m, V,
                                              n, work, (lapack_int)size);
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
    return flx_dense_both_eigenvectors(ctx, n, A, re, im, NULL, V);
}

flx_status flx_dense_both_eigenvectors(flx_ctx *ctx, int n, double *A, double *re, double *im,
                                       double *L, double *V)
{
    static const char what[] = "the eigenvalues of a matrix";
    if (n == 0) return FLX_OK;
    if (!flx_dense_is_finite((size_t)n * (size_t)n, A)) return flx_dense_report(ctx, -1, what);
    double size, norm;
    char left = L ? 'V' : 'N';
    lapack_int low, high, ldl = L ? n : 1;
    double *scale = flx_alloc(ctx, (size_t)n, sizeof *scale), *work = NULL;
    if (!scale) return FLX_ERR_MEMORY;
    lapack_int info = 0;
    FLX_ONE_THREAD info =
        LAPACKE_dgeevx_work(LAPACK_COL_MAJOR, 'B', left, 'V', 'N', n, A, n, re, im, L, ldl, V, n,
                            &low, &high, scale, &norm, NULL, NULL, &size, -1, NULL);
    flx_status status = flx_dense_report(ctx, info, what);
    if (status == FLX_OK) {
        work = flx_alloc(ctx, (size_t)size, sizeof *work);
        if (!work) status = FLX_ERR_MEMORY;
    }
    if (status == FLX_OK) {
        FLX_ONE_THREAD info = LAPACKE_dgeevx_work(LAPACK_COL_MAJOR, 'B', left, 'V', 'N', n, A, n,
                                                  re, im, L, ldl, V, n, &low, &high, scale, &norm,
                                                  NULL, NULL, work, (lapack_int)size, NULL);
        status = flx_dense_report(ctx, info, what);
    }
    flx_free(work);
    flx_free(scale);
    return status;
}

flx_status flx_dense_lyapunov(flx_ctx *ctx, int n, const double *S, double *X)
{
    double scale = 1.0;
    lapack_int info = 0;
    if (n == 0) return FLX_OK;
    FLX_ONE_THREAD info =
        LAPACKE_dtrsyl_work(LAPACK_COL_MAJOR, 'N', 'T', 1, n, n, S, n, S, n, X, n, &scale);
    if (info != 0 || !(scale > 0.0)) return FLX_SINGULAR; // s_i + s_j = 0
    for (int i = 0; i < n * n; i++) X[i] /= scale;
    return flx_dense_report(ctx, 0, "a Lyapunov equation");
}

flx_status flx_dense_orthonormalise(flx_ctx *ctx, int m, int n, double *A)
{
    static const char what[] = "an orthonormal basis";
    if (m == 0 || n == 0) return FLX_OK;
    if (!flx_dense_is_finite((size_t)m * (size_t)n, A)) return flx_dense_report(ctx, -1, what);
    size_t room = 65 * (size_t)n;
    double *tau = flx_alloc(ctx, room, sizeof *tau), *work = tau ? tau + n : NULL;
    if (!tau) return FLX_ERR_MEMORY;
    lapack_int size = (lapack_int)(room - (size_t)n);
    lapack_int info = 0;
    FLX_ONE_THREAD info = LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, m, n, A, m, tau, work, size);
    if (info == 0)
        FLX_ONE_THREAD info = LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, m, n, n, A, m, tau, work, size);
    flx_free(tau);
    return flx_dense_report(ctx, info, what);
}

static const char schur_form[] = "the Schur form of a matrix";

flx_status flx_dense_balance(flx_ctx *ctx, int n, double *A, double *d)
{
    lapack_int low = 0, high = 0, info = 0;
    if (n == 0) return FLX_OK;
    if (!flx_dense_is_finite((size_t)n * (size_t)n, A)) {
        return flx_dense_report(ctx, -1, schur_form);
    }
    FLX_ONE_THREAD info = LAPACKE_dgebal_work(LAPACK_COL_MAJOR, 'S', n, A, n, &low, &high, d);
    return flx_dense_report(ctx, info, schur_form);
}

flx_status flx_dense_schur(flx_ctx *ctx, int n, double *A, double *re, double *im, double *Q)
{
    if (n == 0) return FLX_OK;
    if (!flx_dense_is_finite((size_t)n * (size_t)n, A)) {
        return flx_dense_report(ctx, -1, schur_form);
    }
    size_t room = 40 * (size_t)n;
    double *work = flx_alloc(ctx, room, sizeof *work);
    if (!work) return FLX_ERR_MEMORY;
    lapack_int sorted = 0;
    lapack_int info = 0;
    FLX_ONE_THREAD info = LAPACKE_dgees_work(LAPACK_COL_MAJOR, 'V', 'N', NULL, n, A, n, &sorted, re,
                                             im, Q, n, work, (lapack_int)room, NULL);
    flx_free(work);
    return flx_dense_report(ctx, info, schur_form);
}

flx_status flx_dense_schur_sort(flx_ctx *ctx, int n, const int *first, double *S, double *re,
                                double *im, double *Q)
{
    if (n == 0) return FLX_OK;
    lapack_logical *select = flx_alloc(ctx, (size_t)n, sizeof *select);
    double *work = flx_alloc(ctx, (size_t)n, sizeof *work), condition, separation;
    lapack_int count = 0, whole[1], info = 0;
    flx_status status = select && work ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        for (int i = 0; i < n; i++) select[i] = first[i] != 0;
        FLX_ONE_THREAD info =
            LAPACKE_dtrsen_work(LAPACK_COL_MAJOR, 'N', 'V', select, n, S, n, Q, n, re, im, &count,
                                &condition, &separation, work, n, whole, 1);
        status = flx_dense_report(ctx, info, schur_form);
    }
    flx_free(select);
    flx_free(work);
    return status;
}

flx_status flx_dense_schur_vectors(flx_ctx *ctx, int n, const double *S, double *Q)
{
    if (n == 0) return FLX_OK;
    double *work = flx_alloc(ctx, 3 * (size_t)n, sizeof *work);
    if (!work) return FLX_ERR_MEMORY;
    lapack_int count = 0;
    lapack_int info = 0;
    FLX_ONE_THREAD info = LAPACKE_dtrevc_work(LAPACK_COL_MAJOR, 'R', 'B', NULL, n, S, n, NULL, 1, Q,
                                              n, n, &count, work);
    flx_free(work);
    return flx_dense_report(ctx, info, "the eigenvectors of a matrix");
}
