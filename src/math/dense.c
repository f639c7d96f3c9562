// dense.c - dense factorisations on LAPACK, one thread.
#include "math/dense.h"

#include "math/blas.h"
#include "math/dense_parts.h"

#include <float.h>
#include <math.h>

flx_status flx_dense_report(flx_ctx *ctx, int info, const char *what)
{
    if (info == 0) return FLX_OK;
    if (info > 0) {
        return FLX_FAIL(ctx, FLX_NO_CONVERGENCE, FLX_NOWHERE, "%s did not converge", what);
    }
    return FLX_FAIL(ctx, FLX_NOT_FINITE, FLX_NOWHERE,
                    "%s: the matrix has entries that are not finite", what);
}

bool flx_dense_is_finite(size_t n, const double *a)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] - a[i]; // 0, or NaN
    return sum == 0;
}

flx_status flx_dense_rank(flx_ctx *ctx, int m, int n, double *A, double tol, int *perm, int *rank)
{
    *rank = 0;
    for (int j = 0; j < n; j++) perm[j] = j;
    if (m == 0 || n == 0) return FLX_OK;
    if (!flx_dense_is_finite((size_t)m * (size_t)n, A))
        return flx_dense_report(ctx, -1, "the rank of a matrix");
    double size;
    for (int j = 0; j < n; j++) perm[j] = 0; // every column is free to move
    lapack_int info = 0;
    FLX_ONE_THREAD info = LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, m, n, A, m, perm, NULL, &size, -1);
    if (info != 0) return flx_dense_report(ctx, info, "the rank of a matrix");
    int lwork = (int)size, most = m < n ? m : n;
    double *work = flx_alloc(ctx, (size_t)(lwork + most), sizeof *work);
    if (!work) return FLX_ERR_MEMORY;
    FLX_ONE_THREAD info =
        LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, m, n, A, m, perm, work + lwork, work, lwork);
    flx_free(work);
    if (info != 0) return flx_dense_report(ctx, info, "the rank of a matrix");
    for (int j = 0; j < n; j++) perm[j]--;
    while (*rank < most && fabs(A[*rank * m + *rank]) > tol * fabs(A[0])) (*rank)++;
    return FLX_OK;
}

bool flx_dense_is_full(int m, int n, double *A, double smallest)
{
    if (m > n) return false;
    for (int k = 0; k < m; k++) {
        int pr = k, pc = k;
        for (int i = k; i < m; i++) {
            for (int j = k; j < n; j++) {
                if (fabs(A[n * i + j]) > fabs(A[n * pr + pc])) pr = i, pc = j;
            }
        }
        if (!(fabs(A[n * pr + pc]) > smallest)) return false;
        for (int j = 0; j < n; j++) {
            double t = A[n * k + j];
            A[n * k + j] = A[n * pr + j];
            A[n * pr + j] = t;
        }
        for (int i = 0; i < m; i++) {
            double t = A[n * i + k];
            A[n * i + k] = A[n * i + pc];
            A[n * i + pc] = t;
        }
        for (int i = k + 1; i < m; i++) {
            double f = A[n * i + k] / A[n * k + k];
            for (int j = k; j < n; j++) A[n * i + j] -= f * A[n * k + j];
        }
    }
    return true;
}

flx_status flx_dense_least_norm(flx_ctx *ctx, int m, int n, double *A, double *b, double rcond)
{
    int most = m < n ? m : n, rows = m > n ? m : n;
    if (!flx_dense_is_finite((size_t)m * (size_t)n, A) || !flx_dense_is_finite((size_t)m, b))
        return flx_dense_report(ctx, -1, "a least-norm solution");
    if (most == 0) {
        for (int i = 0; i < rows; i++) b[i] = 0;
        return FLX_OK;
    }
    double size;
    lapack_int rank, isize;
    lapack_int info = 0;
    FLX_ONE_THREAD info = LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, m, n, 1, A, m, b, rows, NULL, rcond,
                                              &rank, &size, -1, &isize);
    if (info != 0) return flx_dense_report(ctx, info, "a least-norm solution");
    int lwork = (int)size;
    double *work = flx_alloc(ctx, (size_t)(lwork + most), sizeof *work);
    lapack_int *iwork = flx_alloc(ctx, (size_t)isize, sizeof *iwork);
    flx_status status = FLX_ERR_MEMORY;
    if (work && iwork) {
        FLX_ONE_THREAD info = LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, m, n, 1, A, m, b, rows,
                                                  work + lwork, rcond, &rank, work, lwork, iwork);
        status = flx_dense_report(ctx, info, "a least-norm solution");
    }
    flx_free(work);
    flx_free(iwork);
    return status;
}

flx_status flx_dense_least_squares(flx_ctx *ctx, int m, int n, int nb, double *A, double *B)
{
    static const char what[] = "a least-squares solution";
    if (n == 0 || nb == 0) return FLX_OK;
    if (!flx_dense_is_finite((size_t)m * (size_t)n, A) ||
        !flx_dense_is_finite((size_t)m * (size_t)nb, B))
        return flx_dense_report(ctx, -1, what);
    lapack_int size = n + 64 * (n > nb ? n : nb), info = 0;
    double *work = flx_alloc(ctx, (size_t)size, sizeof *work);
    if (!work) return FLX_ERR_MEMORY;
    FLX_ONE_THREAD info =
        LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', m, n, nb, A, m, B, m, work, size);
    flx_free(work);
    return flx_dense_report(ctx, info, what);
}

flx_status flx_dense_symmetric_eigen(flx_ctx *ctx, int n, double *A, double *w)
{
    if (n == 0) return FLX_OK;
    if (!flx_dense_is_finite((size_t)n * (size_t)n, A))
        return flx_dense_report(ctx, -1, "the eigenvalues of a matrix");
    double size;
    lapack_int isize;
    lapack_int info = 0;
    FLX_ONE_THREAD info =
        LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, A, n, w, &size, -1, &isize, -1);
    if (info != 0) return flx_dense_report(ctx, info, "the eigenvalues of a matrix");
    int lwork = (int)size;
    double *work = flx_alloc(ctx, (size_t)lwork, sizeof *work);
    lapack_int *iwork = flx_alloc(ctx, (size_t)isize, sizeof *iwork);
    flx_status status = FLX_ERR_MEMORY;
    if (work && iwork) {
        FLX_ONE_THREAD info =
            LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, A, n, w, work, lwork, iwork, isize);
        status = flx_dense_report(ctx, info, "the eigenvalues of a matrix");
    }
    flx_free(work);
    flx_free(iwork);
    return status;
}

flx_status flx_dense_symmetric_pencil(flx_ctx *ctx, int n, double *A, double *B, double *w)
{
    const char *what = "the eigenvalues of a pair of matrices";
    if (n == 0) return FLX_OK;
    size_t entries = (size_t)n * (size_t)n;
    if (!flx_dense_is_finite(entries, A) || !flx_dense_is_finite(entries, B)) {
        return flx_dense_report(ctx, -1, what);
    }
    double size;
    lapack_int isize;
    lapack_int info = 0;
    FLX_ONE_THREAD info =
        LAPACKE_dsygvd_work(LAPACK_COL_MAJOR, 1, 'V', 'L', n, A, n, B, n, w, &size, -1, &isize, -1);
    if (info != 0) return flx_dense_report(ctx, info, what);
    int lwork = (int)size;
    double *work = flx_alloc(ctx, (size_t)lwork, sizeof *work);
    lapack_int *iwork = flx_alloc(ctx, (size_t)isize, sizeof *iwork);
    flx_status status = FLX_ERR_MEMORY;
    if (work && iwork) {
        FLX_ONE_THREAD info = LAPACKE_dsygvd_work(LAPACK_COL_MAJOR, 1, 'V', 'L', n, A, n, B, n, w,
                                                  work, lwork, iwork, isize);
        status = flx_dense_report(ctx, info, what);
    }
    flx_free(work);
    flx_free(iwork);
    return status;
}

flx_status flx_dense_eigenvalues(flx_ctx *ctx, int n, double *A, double *re, double *im)
{
    if (n == 0) return FLX_OK;
    if (!flx_dense_is_finite((size_t)n * (size_t)n, A))
        return flx_dense_report(ctx, -1, "the eigenvalues of a matrix");
    double size;
    lapack_int info = 0;
    FLX_ONE_THREAD info = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', n, A, n, re, im, NULL, 1,
                                             NULL, 1, &size, -1);
    if (info != 0) return flx_dense_report(ctx, info, "the eigenvalues of a matrix");
    int lwork = (int)size;
    double *work = flx_alloc(ctx, (size_t)lwork, sizeof *work);
    if (!work) return FLX_ERR_MEMORY;
    FLX_ONE_THREAD info = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', n, A, n, re, im, NULL, 1,
                                             NULL, 1, work, lwork);
    flx_free(work);
    return flx_dense_report(ctx, info, "the eigenvalues of a matrix");
}

// Rows are compared after division by their largest entry, so that units do not choose the pivot.
bool flx_dense_lu(int n, double *A, int *pivot)
{
    double scale[FLX_DENSE_LU_MOST];
    FLX_ASSERT(n <= FLX_DENSE_LU_MOST);
    for (int i = 0; i < n; i++) {
        double largest = 0;
        for (int j = 0; j < n; j++) largest = fmax(largest, fabs(A[i * n + j]));
        if (!(largest > 0) || !(largest <= DBL_MAX)) return false;
        scale[i] = 1 / largest;
    }
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++) {
            if (fabs(A[i * n + k]) * scale[i] > fabs(A[best * n + k]) * scale[best]) best = i;
        }
        // n roundings of entries of size 1
        if (!(fabs(A[best * n + k]) * scale[best] > n * DBL_EPSILON)) return false;
        pivot[k] = best;
        if (best != k) {
            for (int j = 0; j < n; j++) {
                double x = A[k * n + j];
                A[k * n + j] = A[best * n + j];
                A[best * n + j] = x;
            }
            scale[best] = scale[k];
        }
        for (int i = k + 1; i < n; i++) {
            double l = A[i * n + k] /= A[k * n + k];
            for (int j = k + 1; j < n; j++) A[i * n + j] -= l * A[k * n + j];
        }
    }
    return true;
}

void flx_dense_lu_solve(int n, const double *LU, const int *pivot, double *b)
{
    for (int k = 0; k < n; k++) { // rows were exchanged whole, so all exchanges come first
        double x = b[pivot[k]];
        b[pivot[k]] = b[k];
        b[k] = x;
    }
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) b[i] -= LU[i * n + k] * b[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= LU[k * n + j] * b[j];
        b[k] /= LU[k * n + k];
    }
}

bool flx_dense_cholesky(int n, double *A, double least)
{
    for (int j = 0; j < n; j++) {
        double rest = A[n * j + j], smallest = least * rest;
        for (int k = 0; k < j; k++) rest -= A[n * j + k] * A[n * j + k];
        if (!(rest > smallest) || !(rest > 0.0)) return false;
        double root = A[n * j + j] = sqrt(rest);
        for (int i = j + 1; i < n; i++) {
            double sum = A[n * i + j];
            for (int k = 0; k < j; k++) sum -= A[n * i + k] * A[n * j + k];
            A[n * i + j] = sum / root;
        }
    }
    return true;
}

void flx_dense_cholesky_solve(int n, const double *L, double *b, int step)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) b[step * i] -= L[n * i + k] * b[step * k];
        b[step * i] /= L[n * i + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) b[step * i] -= L[n * k + i] * b[step * k];
        b[step * i] /= L[n * i + i];
    }
}
