// frontal_solve.c - substitutions for several right sides at once: the factors are read once for all of
// them. Right sides are kept row by row, so that a row is one piece of memory.
#include "math/blas.h"
#include "math/frontal/frontal_parts.h"

#include <string.h>

// X and Y hold k numbers for each row: matrices k x rows by columns. Columns of a front are taken in the
// strips that its panel is made of.
static void forward(const flx_frontal *f, int k)
{
    const int width = FLX_FRONTAL_BLOCK;
    for (int s = 0; s < f->nfront; s++) {
        int cols = f->ncol[s], rows = f->nrow[s], m = cols + rows;
        double *x = f->X + (size_t)f->group_start[f->front_group[s]] * k, *y = f->Y;
        for (int c = 0; c < cols; c += width) {
            int some = cols - c < width ? cols - c : width, after = c + some, ld = m - c;
            const double *corner = f->numbers + f->panel[s] + flx_trapezoid_strip(m, c, width);
            double *part = x + (size_t)c * k;
            FLX_ONE_THREAD cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasUnit,
                                       k, some, 1.0, corner, ld, part, k);
            if (after < cols) {
                FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, k, cols - after,
                                           some, -1.0, part, k, corner + some, ld, 1.0,
                                           x + (size_t)after * k, k);
            }
            if (rows > 0) {
                FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, k, rows, some,
                                           1.0, part, k, corner + (cols - c), ld,
                                           c == 0 ? 0.0 : 1.0, y, k);
            }
        }
        for (int64_t p = f->below_start[s]; p < f->below_start[s + 1]; p++) {
            int j = f->below[p];
            int size = (f->group_start[j + 1] - f->group_start[j]) * k;
            double *to = f->X + (size_t)f->group_start[j] * k;
            for (int i = 0; i < size; i++) to[i] -= y[i];
            y += size;
        }
    }
}

static void backward(const flx_frontal *f, int k)
{
    const int width = FLX_FRONTAL_BLOCK;
    for (int s = f->nfront - 1; s >= 0; s--) {
        int cols = f->ncol[s], rows = f->nrow[s], m = cols + rows;
        double *x = f->X + (size_t)f->group_start[f->front_group[s]] * k, *y = f->Y;
        for (int64_t p = f->below_start[s]; p < f->below_start[s + 1]; p++) {
            int j = f->below[p];
            int size = (f->group_start[j + 1] - f->group_start[j]) * k;
            memcpy(y, f->X + (size_t)f->group_start[j] * k, (size_t)size * sizeof *y);
            y += size;
        }
        for (int c = (cols - 1) / width * width; c >= 0; c -= width) {
            int some = cols - c < width ? cols - c : width, after = c + some, ld = m - c;
            const double *corner = f->numbers + f->panel[s] + flx_trapezoid_strip(m, c, width);
            double *part = x + (size_t)c * k;
            for (int j = 0; j < some; j++) {
                double d = 1 / corner[(size_t)j * ld + j];
                for (int i = 0; i < k; i++) part[(size_t)j * k + i] *= d;
            }
            if (rows > 0) {
                FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, k, some, rows,
                                           -1.0, f->Y, k, corner + (cols - c), ld, 1.0, part, k);
            }
            if (after < cols) {
                FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, k, some,
                                           cols - after, -1.0, x + (size_t)after * k, k,
                                           corner + some, ld, 1.0, part, k);
            }
            FLX_ONE_THREAD cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans,
                                       CblasUnit, k, some, 1.0, corner, ld, part, k);
        }
    }
}

flx_status flx_frontal_reserve(flx_frontal *f, int k)
{
    if (k <= f->rhs_capacity) return FLX_OK;
    flx_free(f->X);
    flx_free(f->Y);
    f->X = flx_alloc(f->ctx, (size_t)f->n * k, sizeof *f->X);
    f->Y = flx_alloc(f->ctx, (size_t)f->max_row * k, sizeof *f->Y);
    f->rhs_capacity = f->X && f->Y ? k : 0;
    return f->rhs_capacity ? FLX_OK : FLX_ERR_MEMORY;
}

// order NULL: X is in the order of elimination already.
static void solve(flx_frontal *f, int k, const int *order, double *X)
{
    size_t n = (size_t)f->n;
    FLX_ASSERT(f->factored && k <= f->rhs_capacity);
    for (int i = 0; i < f->n; i++) {
        const double *x = X + (order ? order[i] : i);
        for (int v = 0; v < k; v++) f->X[(size_t)i * k + v] = x[v * n];
    }
    forward(f, k);
    backward(f, k);
    for (int i = 0; i < f->n; i++) {
        double *x = X + (order ? order[i] : i);
        for (int v = 0; v < k; v++) x[v * n] = f->X[(size_t)i * k + v];
    }
}

void flx_frontal_solve(flx_frontal *f, int k, double *X)
{
    solve(f, k, f->order, X);
}

void flx_frontal_solve_ordered(flx_frontal *f, int k, double *X)
{
    solve(f, k, NULL, X);
}

const int *flx_frontal_order(const flx_frontal *f)
{
    return f->order;
}
