// row_products.c - products with many rows of numbers at once.
#include "math/row_products.h"

#include "math/blas.h"

void flx_rows_product(int m, int k, int n, const double *X, const double *A, double *C)
{
    FLX_ONE_THREAD cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0, X, k, A, n,
                               0.0, C, n);
}

void flx_rows_combine(int m, int n, const double *A, const double *x, double *y)
{
    FLX_ONE_THREAD cblas_dgemv(CblasRowMajor, CblasTrans, m, n, 1.0, A, n, x, 1, 1.0, y, 1);
}

void flx_rows_multiply(int m, int n, const double *A, const double *x, double *y)
{
    for (int k = 0; k < m; k++, y += n) {
        int rest = m - k;
        FLX_ONE_THREAD cblas_dgemv(CblasRowMajor, CblasTrans, rest, n, 1.0, A, n, x + k, 1, 1.0, y,
                                   1);
        if (rest > 1) FLX_ONE_THREAD cblas_daxpy((rest - 1) * n, x[k], A + n, 1, y + n, 1);
        A += rest * n;
    }
}

void flx_rows_dot(int m, int n, const double *A, const double *x, double *y)
{
    FLX_ONE_THREAD cblas_dgemv(CblasRowMajor, CblasNoTrans, m, n, 1.0, A, n, x, 1, 1.0, y, 1);
}

void flx_rows_gram(int m, int k, int n, const double *A, const double *B, double *C)
{
    FLX_ONE_THREAD cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, k, n, 1.0, A, n, B, n,
                               1.0, C, k);
}
