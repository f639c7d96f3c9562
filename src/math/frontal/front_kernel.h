// front_kernel.h - the product that fronts are made of, by vector registers: faster than a BLAS built for other processors, and
// called by several threads at once, which Debian's serial OpenBLAS does not bear. Processors without the registers: BLAS.
#pragma once

#include <stddef.h>

// Numbers of scratch of a product with n columns and depth k.
#define FLX_FRONT_SCRATCH(n, k) (((size_t)(n) + 32 + 240) * (size_t)(k) + 64)

// C = beta C - A B^T with A (m, k), B (n, k), C (m, n) by columns; beta is 0 or 1. Every entry is one sum over k in ascending
// order with fused products, however the work is shared.
void flx_front_product(int m, int n, int k, const double *A, int lda, const double *B, int ldb,
                       int beta, double *C, int ldc, double *scratch);
// Numbers of scratch of a substitution of depth k.
#define FLX_FRONT_SUBSTITUTE_SCRATCH(k) (((size_t)(k) + 8) * ((size_t)(k) + 88))

// X (m, k) = B L^-T and B = X D^-1: L (k, k) is unit lower, D on its diagonal. Every row by itself, its sums in ascending order.
void flx_front_substitute(int m, int k, const double *L, int ldl, double *B, int ldb, double *X,
                          int ldx, double *scratch);
// Whether threads may call them at once.
int flx_front_product_shares(void);
