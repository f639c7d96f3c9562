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
// Whether threads may call it at once.
int flx_front_product_shares(void);
