// dense.h - dense factorisations on LAPACK, column-major unless said otherwise.
#pragma once

#include "base/common.h"

// QR with column pivoting of A (m x n, column-major, overwritten): rank by |R_kk| <= tol |R_00|.
// perm (n) receives the pivot order (column perm[k] is the k-th). Returns the rank in *rank.
flx_status flx_dense_rank(flx_ctx *ctx, int m, int n, double *A, double tol, int *perm, int *rank);
// Whether the rows of A (m x n, row-major, overwritten) are independent: Gaussian elimination with
// complete pivoting meets no pivot at or below `smallest`. The rows are scaled beforehand.
bool flx_dense_is_full(int m, int n, double *A, double smallest);
// Least-norm solution of A x = b (m x n, column-major, overwritten), singular values below
// rcond * largest dropped. b (max(m,n)) overwritten by x.
flx_status flx_dense_least_norm(flx_ctx *ctx, int m, int n, double *A, double *b, double rcond);
// Least squares A X = B with A of full column rank (m x n, m >= n, column-major), nb right sides; both are overwritten, B (m x nb)
// has X in its first n rows.
flx_status flx_dense_least_squares(flx_ctx *ctx, int m, int n, int nb, double *A, double *B);
// Eigenvalues of a symmetric matrix, ascending (n x n, overwritten by the eigenvectors).
flx_status flx_dense_symmetric_eigen(flx_ctx *ctx, int n, double *A, double *w);
// A x = w B x of symmetric A and positive definite B, w ascending (n x n, both overwritten; A by the
// vectors, x^T B x = 1).
flx_status flx_dense_symmetric_pencil(flx_ctx *ctx, int n, double *A, double *B, double *w);
// Eigenvalues of any matrix (n x n, column-major, overwritten), in no order.
flx_status flx_dense_eigenvalues(flx_ctx *ctx, int n, double *A, double *re, double *im);
#define FLX_DENSE_LU_MOST 64
// LU with pivoting, in place (n x n row-major small systems, n <= FLX_DENSE_LU_MOST). false: singular.
bool flx_dense_lu(int n, double *A, int *pivot);
void flx_dense_lu_solve(int n, const double *LU, const int *pivot, double *b);
// A = L L^T in its lower half (n x n row-major, small). false: a row is less than `least` of itself (as a square)
// beside the others.
bool flx_dense_cholesky(int n, double *A, double least);
// b (n, every `step`-th number) <- A^-1 b
void flx_dense_cholesky_solve(int n, const double *L, double *b, int step);
