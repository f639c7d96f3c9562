// riccati_unreached.c - modes that do not decay and that nothing reaches, which no gains can change (riccati.h).
#include "math/blas.h"
#include "math/eigen.h"
#include "math/riccati/balance.h"
#include "math/riccati/riccati.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define UNREACHED 1e-9

static double norm_of(size_t n, const double *x)
{
    double most = 0.0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// The direction of the least singular value of [A - s I, B] (n x (n + m)), over the size of A and B.
static flx_status least_direction(flx_ctx *ctx, int n, int m, const double *A, const double *B,
                                  const double s[2], double *least, double *w_re, double *w_im)
{
    int columns = n + m;
    size_t room = (size_t)n * (size_t)columns, nn = (size_t)n * (size_t)n;
    size_t more = 10 * (size_t)columns;
    lapack_complex_double *M = flx_alloc(ctx, room + nn + more, sizeof *M);
    double *real = flx_alloc(ctx, 6 * (size_t)columns, sizeof *real);
    lapack_int info = -1;
    if (M && real) {
        lapack_complex_double *U = M + room, *work = U + nn;
        double *values = real, *scratch = real + n, b = norm_of((size_t)n * (size_t)m, B);
        double a = fmax(norm_of(nn, A), hypot(s[0], s[1])),
               scale = b > 0.0 && a > 0.0 ? a / b : 1.0;
        for (int j = 0; j < columns; j++) {
            for (int i = 0; i < n; i++) {
                double x = j < n ? A[i + n * j] : scale * B[i + n * (j - n)];
                lapack_complex_double v = i == j ? lapack_make_complex_double(x - s[0], -s[1])
                                                 : lapack_make_complex_double(x, 0.0);
                M[i + n * j] = v;
            }
        }
        FLX_ONE_THREAD info =
            LAPACKE_zgesvd_work(LAPACK_COL_MAJOR, 'A', 'N', n, columns, M, n, values, U, n, NULL, 1,
                                work, (lapack_int)more, scratch);
        *least = a > 0.0 ? values[n - 1] / a : 1.0;
        if (b == 0.0) *least = 0.0;
        for (int i = 0; i < n; i++) {
            w_re[i] = lapack_complex_double_real(U[i + n * (n - 1)]);
            w_im[i] = lapack_complex_double_imag(U[i + n * (n - 1)]);
        }
    }
    bool memory = M && real;
    flx_free(M);
    flx_free(real);
    return !memory ? FLX_ERR_MEMORY : info == 0 ? FLX_OK : FLX_SINGULAR;
}

// Whether a simple eigenvalue is plainly reached: its left eigenvector, row i (and the next, of a pair) of those of A^T,
// meets B. The singular values, which cost n^3 each, are for what is left.
static bool is_plain(int n, int m, const double *B, const double *re, const double *im,
                     const double *V, int i, double scale)
{
    double met = 0.0, size = 0.0, most = norm_of((size_t)n * (size_t)m, B);
    for (int k = 0; k < n; k++) {
        bool partner = im[i] != 0.0 && re[k] == re[i] && im[k] == -im[i];
        if (k != i && !partner && hypot(re[k] - re[i], im[k] - im[i]) < 1e-6 * scale) return false;
        size += V[k + n * i] * V[k + n * i];
        if (im[i] != 0.0) size += V[k + n * (i + 1)] * V[k + n * (i + 1)];
    }
    for (int j = 0; j < m; j++) {
        double a = 0.0, b = 0.0;
        for (int k = 0; k < n; k++) {
            a += V[k + n * i] * B[k + n * j];
            if (im[i] != 0.0) b += V[k + n * (i + 1)] * B[k + n * j];
        }
        met = fmax(met, hypot(a, b));
    }
    return met > 1e-5 * most * sqrt(size);
}

static flx_status seek_unreached(flx_ctx *ctx, int n, int m, const double *A, const double *B,
                                 bool discrete, bool *found, double s[2], double *w_re,
                                 double *w_im)
{
    size_t nn = (size_t)n * (size_t)n;
    double *W = flx_alloc(ctx, 2 * nn + 2 * (size_t)n, sizeof *W);
    if (!W) return FLX_ERR_MEMORY;
    double *V = W + nn, *re = V + nn, *im = re + n;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) W[j + n * i] = A[i + n * j];
    }
    flx_status status = flx_dense_eigenvectors(ctx, n, W, re, im, V);
    // a pair of zeros that are not quite zero counts as not stable
    double margin = 1e-9 * fmax(norm_of(nn, A), DBL_MIN);
    for (int i = 0; i < n && status == FLX_OK && !*found; i++) {
        double size = hypot(re[i], im[i]), least = 1.0;
        if (discrete ? size < 1.0 - 1e-9 : re[i] < -margin) continue;
        if (im[i] < 0.0) continue; // its partner tells it
        if (is_plain(n, m, B, re, im, V, i, margin * 1e9)) continue;
        s[0] = re[i];
        s[1] = im[i];
        status = least_direction(ctx, n, m, A, B, s, &least, w_re, w_im);
        *found = status == FLX_OK && least < UNREACHED;
    }
    flx_free(W);
    return status;
}

flx_status flx_riccati_unreached(flx_ctx *ctx, int n, int m, const double *A, const double *B,
                                 bool discrete, bool *found, double s[2], double *w_re,
                                 double *w_im)
{
    size_t nn = (size_t)n * (size_t)n;
    double *copy = flx_alloc(ctx, nn + (size_t)n * (size_t)(m + 1), sizeof *copy);
    double *to_B = copy + nn, *unit = to_B + (size_t)n * (size_t)m;
    *found = false;
    if (!copy) return FLX_ERR_MEMORY;
    // what is not reached does not depend on units, and fast modes do not hide slow ones
    double rate;
    flx_status status = flx_balance_find(ctx, n, A, false, unit, &rate);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) copy[i + n * j] = A[i + n * j] * unit[j] / unit[i];
    }
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < n; i++) to_B[i + n * j] = B[i + n * j] / unit[i];
    }
    if (status == FLX_OK)
        status = seek_unreached(ctx, n, m, copy, to_B, discrete, found, s, w_re, w_im);
    flx_free(copy);
    return status;
}
