// eigen.h - singular values, eigenvectors and products of dense matrices on LAPACK, column-major.
#pragma once

#include "base/common.h"

// C (m x n) = op(A) op(B), op the transpose where said; k: the inner size. C is another array.
void flx_dense_multiply(bool transpose_A, bool transpose_B, int m, int n, int k, const double *A,
                        const double *B, double *C);
// y = A x, or A^T x, of A (m x n).
void flx_dense_apply(bool transpose, int m, int n, const double *A, const double *x, double *y);
// A x = B for nb right-hand sides (n x nb), overwritten by x; A (n x n) is overwritten.
// FLX_SINGULAR without a message.
flx_status flx_dense_solve(flx_ctx *ctx, int n, int nb, double *A, double *B);
// Singular values, descending, of A (m x n, overwritten), w (min(m,n)); U (m x m) and V (n x n) with
// A = U diag(w) V^T receive all singular vectors; U may be NULL.
flx_status flx_dense_svd(flx_ctx *ctx, int m, int n, double *A, double *w, double *U, double *V);
// Eigenvalues and right eigenvectors of any matrix (n x n, overwritten), balanced inside. V (n x n): a
// real eigenvalue has one column; of a pair the first, with im > 0, has its real part in its
// column and its imaginary part in the next.
flx_status flx_dense_eigenvectors(flx_ctx *ctx, int n, double *A, double *re, double *im,
                                  double *V);
// The same with left eigenvectors L (n x n), l^H A = s l^H, as the right ones; NULL: not wanted.
flx_status flx_dense_both_eigenvectors(flx_ctx *ctx, int n, double *A, double *re, double *im,
                                       double *L, double *V);
// S X + X S^T = F of S in real Schur form; X (n x n): F, overwritten. FLX_SINGULAR without a message: s_i + s_j = 0.
flx_status flx_dense_lyapunov(flx_ctx *ctx, int n, const double *S, double *X);
// The columns of A (m x n, m >= n) become orthonormal, with the same span.
flx_status flx_dense_orthonormalise(flx_ctx *ctx, int m, int n, double *A);
// A (n x n) is overwritten by D^-1 A D with rows and columns of like size, d (n): the diagonal of D, powers of the radix. Forms
// that turn A, as that of Schur, lose small numbers beside large ones where its states are in unlike units.
flx_status flx_dense_balance(flx_ctx *ctx, int n, double *A, double *d);
// A = Q S Q^T (n x n, A overwritten by S in real Schur form), with the eigenvalues in its order.
flx_status flx_dense_schur(flx_ctx *ctx, int n, double *A, double *re, double *im, double *Q);
// The eigenvalues with first != 0, both of a pair or none, to the front of S.
flx_status flx_dense_schur_sort(flx_ctx *ctx, int n, const int *first, double *S, double *re,
                                double *im, double *Q);
// Right eigenvectors of Q S Q^T in the place of Q, as those of flx_dense_eigenvectors.
flx_status flx_dense_schur_vectors(flx_ctx *ctx, int n, const double *S, double *Q);
