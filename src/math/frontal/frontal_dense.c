// frontal_dense.c - the arithmetic of one front, in blocks so that nearly all of it is matrix products.
#include "math/blas.h"
#include "math/frontal/frontal_parts.h"

#include <float.h>
#include <math.h>

// As in ldl.c: a pivot below the first number's part of what it is made of is rounding, and moved to the
// second's.
#define ROUNDING (64.0 * DBL_EPSILON)
#define REGULARISATION 1e-8

static double guarded(flx_frontal_pivots *g, int column, double d)
{
    int i = g->unknown[column];
    if (!(fabs(d) <= ROUNDING * g->size[i])) return d;
    g->moved++;
    return g->sign[i] * REGULARISATION * g->size[i];
}

// L D L^T of a small block in place (k x k, ld), without exchanges; its first column is number `at` of
// the front.
static int eliminate_block(int k, double *A, size_t ld, int at, flx_frontal_pivots *guard)
{
    for (int j = 0; j < k; j++) {
        double *column = A + j * ld;
        for (int p = 0; p < j; p++) {
            const double *left = A + p * ld;
            double v = left[j] * left[p];
            for (int i = j; i < k; i++) column[i] -= left[i] * v;
        }
        if (guard->sign) column[j] = guarded(guard, at + j, column[j]);
        double d = column[j];
        if (d == 0 || !isfinite(d)) return j;
        for (int i = j + 1; i < k; i++) column[i] /= d;
    }
    return -1;
}

int flx_frontal_eliminate(int m, int ncol, double *panel, double *work, flx_frontal_pivots *guard)
{
    const int width = FLX_FRONTAL_BLOCK;
    for (int k0 = 0; k0 < ncol; k0 += width) {
        int kb = ncol - k0 < width ? ncol - k0 : width, after = k0 + kb, ld = m - k0;
        double *corner = panel + flx_trapezoid_strip(m, k0, width), *below = corner + kb;
        int rows = m - after, bad = eliminate_block(kb, corner, (size_t)ld, k0, guard);
        if (bad >= 0) return k0 + bad;
        if (rows == 0) continue;
        FLX_ONE_THREAD cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasUnit,
                                   rows, kb, 1.0, corner, ld, below, ld); // L21 D
        for (int j = 0; j < kb; j++) {
            double *column = below + (size_t)j * ld, *kept = work + (size_t)j * rows;
            double d = 1 / corner[(size_t)j * ld + j];
            for (int i = 0; i < rows; i++) {
                kept[i] = column[i];
                column[i] *= d;
            }
        }
        for (int c = after; c < ncol; c += width) {
            FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, m - c,
                                       ncol - c < width ? ncol - c : width, kb, -1.0,
                                       corner + (c - k0), ld, work + (c - after), rows, 1.0,
                                       panel + flx_trapezoid_strip(m, c, width), m - c);
        }
    }
    return -1;
}

void flx_frontal_update(int nrow, int ncol, const double *panel, double *U, double *work)
{
    const int width = FLX_FRONTAL_BLOCK, strip = FLX_FRONTAL_STRIP;
    int m = nrow + ncol;
    for (int c = 0; c < nrow; c += strip) {
        int some = nrow - c < strip ? nrow - c : strip;
        for (int j = 0; j < ncol; j++) { // D L21^T of the strip's columns
            const double *column = panel + flx_trapezoid_column(m, j, width);
            double d = column[j], *scaled = work + (size_t)j * some;
            for (int i = 0; i < some; i++) scaled[i] = d * column[ncol + c + i];
        }
        for (int k0 = 0; k0 < ncol; k0 += width) {
            FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, nrow - c, some,
                                       ncol - k0 < width ? ncol - k0 : width, -1.0,
                                       panel + flx_trapezoid_strip(m, k0, width) + (ncol + c - k0),
                                       m - k0, work + (size_t)k0 * some, some, k0 == 0 ? 0.0 : 1.0,
                                       U + flx_trapezoid_strip(nrow, c, strip), nrow - c);
        }
    }
}
