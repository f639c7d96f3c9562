// frontal_solve.inc.h - substitutions for one type of number, frontal_number.inc.h.
#include "math/frontal/frontal_number.inc.h"

// X and Y hold k numbers for each row: matrices k x rows by columns. Columns of a front are taken in the
// strips that its panel is made of.
static void FRONT(forward)(const flx_frontal *f, int k)
{
    const int width = FLX_FRONTAL_BLOCK;
    for (int s = 0; s < f->nfront; s++) {
        int cols = f->ncol[s], rows = f->nrow[s], m = cols + rows;
        number *x = ((number *)f->X) + (size_t)f->group_start[f->front_group[s]] * k,
               *y = ((number *)f->Y);
        for (int c = 0; c < cols; c += width) {
            int some = cols - c < width ? cols - c : width, after = c + some, ld = m - c;
            const number *corner =
                (const number *)f->numbers + f->panel[s] + flx_trapezoid_strip(m, c, width);
            number *part = x + (size_t)c * k;
            FRONT_SUBSTITUTE(CblasTrans, k, some, corner, ld, part, k);
            if (after < cols) {
                FRONT_PRODUCT(CblasTrans, k, cols - after, some, -1.0, part, k, corner + some, ld,
                              1.0, x + (size_t)after * k, k);
            }
            if (rows > 0) {
                FRONT_PRODUCT(CblasTrans, k, rows, some, 1.0, part, k, corner + (cols - c), ld,
                              c == 0 ? 0.0 : 1.0, y, k);
            }
        }
        for (int64_t p = f->below_start[s]; p < f->below_start[s + 1]; p++) {
            int j = f->below[p];
            int size = (f->group_start[j + 1] - f->group_start[j]) * k;
            number *to = ((number *)f->X) + (size_t)f->group_start[j] * k;
            for (int i = 0; i < size; i++) to[i] -= y[i];
            y += size;
        }
    }
}

static void FRONT(backward)(const flx_frontal *f, int k)
{
    const int width = FLX_FRONTAL_BLOCK;
    for (int s = f->nfront - 1; s >= 0; s--) {
        int cols = f->ncol[s], rows = f->nrow[s], m = cols + rows;
        number *x = ((number *)f->X) + (size_t)f->group_start[f->front_group[s]] * k,
               *y = ((number *)f->Y);
        for (int64_t p = f->below_start[s]; p < f->below_start[s + 1]; p++) {
            int j = f->below[p];
            int size = (f->group_start[j + 1] - f->group_start[j]) * k;
            memcpy(y, ((number *)f->X) + (size_t)f->group_start[j] * k, (size_t)size * sizeof *y);
            y += size;
        }
        for (int c = (cols - 1) / width * width; c >= 0; c -= width) {
            int some = cols - c < width ? cols - c : width, after = c + some, ld = m - c;
            const number *corner =
                (const number *)f->numbers + f->panel[s] + flx_trapezoid_strip(m, c, width);
            number *part = x + (size_t)c * k;
            for (int j = 0; j < some; j++) {
                number d = 1 / corner[(size_t)j * ld + j];
                for (int i = 0; i < k; i++) part[(size_t)j * k + i] *= d;
            }
            if (rows > 0) {
                FRONT_PRODUCT(CblasNoTrans, k, some, rows, -1.0, ((number *)f->Y), k,
                              corner + (cols - c), ld, 1.0, part, k);
            }
            if (after < cols) {
                FRONT_PRODUCT(CblasNoTrans, k, some, cols - after, -1.0, x + (size_t)after * k, k,
                              corner + some, ld, 1.0, part, k);
            }
            FRONT_SUBSTITUTE(CblasNoTrans, k, some, corner, ld, part, k);
        }
    }
}

// order NULL: X is in the order of elimination already.
static void FRONT(solve)(flx_frontal *f, int k, const int *order, number *X)
{
    size_t n = (size_t)f->n;
    FLX_ASSERT(f->factored && f->paired == FRONT_COMPLEX && FRONT_PARTS * k <= f->rhs_capacity);
    for (int i = 0; i < f->n; i++) {
        const number *x = X + (order ? order[i] : i);
        for (int v = 0; v < k; v++) ((number *)f->X)[(size_t)i * k + v] = x[v * n];
    }
    FRONT(forward)(f, k);
    FRONT(backward)(f, k);
    for (int i = 0; i < f->n; i++) {
        number *x = X + (order ? order[i] : i);
        for (int v = 0; v < k; v++) x[v * n] = ((number *)f->X)[(size_t)i * k + v];
    }
}
