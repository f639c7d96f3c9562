// fourier.h - the discrete Fourier transform of any length.
//
//     X_k = sum_j x_j exp(-2 pi i j k / n),   k = 0 .. n - 1                                        (FFT-1)
//
// Powers of two by halves. Any other length n by a convolution (Bluestein): with c_j = exp(-pi i j^2 / n) and
// j k = (j^2 + k^2 - (k - j)^2) / 2,
//     X_k = c_k sum_j (c_j x_j) conj(c_{k - j})                                                    (FFT-2)
// whose sum is a product of transforms of a power of two. j^2 is taken modulo 2 n before it becomes an angle, so that
// long series keep their digits.
#pragma once

#include "base/common.h"

typedef struct flx_fourier {
    int n, m;     // length; the power of two at work: n itself, or >= 2 n - 1
    double *turn; // (m) cos, sin of 2 pi k / m, k < m / 2
    double *c;    // (2 n) c_j; NULL: n is a power of two
    double *b;    // (2 m) the transform of conj(c), round the end
    double *work; // (2 m)
} flx_fourier;

flx_status flx_fourier_create(flx_ctx *ctx, int n, flx_fourier *f);
void flx_fourier_clear(flx_fourier *f);
// x (2 n): re, im of every number, overwritten by X.
void flx_fourier_apply(flx_fourier *f, double *x);
