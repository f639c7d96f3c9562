// frontal_dense.inc.h - the arithmetic of one front for one type of number, frontal_number.inc.h.
#include "math/frontal/frontal_number.inc.h"

// L D L^T of a small block in place (k x k, ld), without exchanges; its first column is number `at` of
// the front.
static int FRONT(eliminate_block)(int k, number *A, size_t ld, int at, flx_frontal_pivots *guard)
{
    for (int j = 0; j < k; j++) {
        number *column = A + j * ld;
        for (int p = 0; p < j; p++) {
            const number *left = A + p * ld;
            number v = left[j] * left[p];
            for (int i = j; i < k; i++) column[i] -= left[i] * v;
        }
#if !FRONT_COMPLEX
        if (guard->sign) column[j] = guarded(guard, at + j, column[j]);
#else
        (void)guard, (void)at;
#endif
        number d = column[j];
        if (d == 0 || !FRONT_FINITE(d)) return j;
        for (int i = j + 1; i < k; i++) column[i] /= d;
    }
    return -1;
}

// L21 D in `work` (rows, kb), L21 below the corner.
static void FRONT(substitute)(int rows, int kb, const number *corner, int ld, number *below,
                              number *work)
{
    FRONT_SUBSTITUTE(CblasTrans, rows, kb, corner, ld, below, ld);
    for (int j = 0; j < kb; j++) {
        number *column = below + (size_t)j * ld, *kept = work + (size_t)j * rows;
        number d = 1 / corner[(size_t)j * ld + j];
        for (int i = 0; i < rows; i++) {
            kept[i] = column[i];
            column[i] *= d;
        }
    }
}

int FRONT(flx_frontal_eliminate)(int m, int ncol, number *panel, number *work,
                                 flx_frontal_pivots *guard, const flx_front_hands *hands)
{
    const int width = FLX_FRONTAL_BLOCK;
    for (int k0 = 0; k0 < ncol; k0 += width) {
        int kb = ncol - k0 < width ? ncol - k0 : width, after = k0 + kb, ld = m - k0;
        number *corner = panel + flx_trapezoid_strip(m, k0, width), *below = corner + kb;
        int rows = m - after, bad = FRONT(eliminate_block)(kb, corner, (size_t)ld, k0, guard);
        if (bad >= 0) return k0 + bad;
        if (rows == 0) continue;
#if !FRONT_COMPLEX
        if (!hands->single) {
            substituting x = {rows, kb, ld, corner, below, work};
            flx_front_share(hands, (rows + ROWS - 1) / ROWS, (double)rows * kb * kb,
                            substitute_rows, &x);
        } else
#endif
            FRONT(substitute)(rows, kb, corner, ld, below, work);
#if FRONT_COMPLEX
        (void)hands;
        for (int c = after; c < ncol; c += width) {
            FRONT_PRODUCT(CblasTrans, m - c, ncol - c < width ? ncol - c : width, kb, -1.0,
                          corner + (c - k0), ld, work + (c - after), rows, 1.0,
                          panel + flx_trapezoid_strip(m, c, width), m - c);
        }
#else
        trailing t = {m, ncol, k0, kb, panel, work};
        flx_front_share(hands, (ncol - after + width - 1) / width,
                        2.0 * kb * (ncol - after) * (m - after), subtract_strip, &t);
#endif
    }
    return -1;
}

void FRONT(flx_frontal_update)(int nrow, int ncol, const number *panel, number *U, number *work,
                               const flx_front_hands *hands)
{
    const int width = FLX_FRONTAL_BLOCK, strip = FLX_FRONTAL_STRIP;
    int m = nrow + ncol;
#if FRONT_COMPLEX
    (void)hands;
    for (int c = 0; c < nrow; c += strip) {
        int some = nrow - c < strip ? nrow - c : strip;
        for (int j = 0; j < ncol; j++) { // D L21^T of the strip's columns
            const number *column = panel + flx_trapezoid_column(m, j, width);
            number d = column[j], *scaled = work + (size_t)j * some;
            for (int i = 0; i < some; i++) scaled[i] = d * column[ncol + c + i];
        }
        for (int k0 = 0; k0 < ncol; k0 += width) {
            FRONT_PRODUCT(CblasTrans, nrow - c, some, ncol - k0 < width ? ncol - k0 : width, -1.0,
                          panel + flx_trapezoid_strip(m, k0, width) + (ncol + c - k0), m - k0,
                          work + (size_t)k0 * some, some, k0 == 0 ? 0.0 : 1.0,
                          U + flx_trapezoid_strip(nrow, c, strip), nrow - c);
        }
    }
#else
    (void)work, (void)m, (void)width;
    updating u = {nrow, ncol, panel, U};
    flx_front_share(hands, (nrow + strip - 1) / strip, (double)nrow * nrow * ncol, update_strip,
                    &u);
#endif
}
