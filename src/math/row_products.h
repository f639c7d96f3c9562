// row_products.h - products with many rows of numbers at once, row-major, by BLAS in one thread.
#pragma once

// C (m x n) = X A, X (m x k), A (k x n)
void flx_rows_product(int m, int k, int n, const double *X, const double *A, double *C);
// y (n) += x_i A_i, of the rows of A (m x n)
void flx_rows_combine(int m, int n, const double *A, const double *x, double *y);
// y (m rows of n) += A x, of a symmetric A of which each entry a_kl with k <= l is a row of n, in this order
void flx_rows_multiply(int m, int n, const double *A, const double *x, double *y);
// y (m) += A x, A (m x n)
void flx_rows_dot(int m, int n, const double *A, const double *x, double *y);
// C (m x k) += A B^T, A (m x n), B (k x n)
void flx_rows_gram(int m, int k, int n, const double *A, const double *B, double *C);
