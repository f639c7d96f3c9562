// spline_order.c - splines of order 3 and 5 through points with ends of three kinds, by their derivatives at the points.
//
// Unknown are the slopes d_i (order 3), or slopes and second derivatives (d_i, e_i) (order 5). A piece of length h from
// y0, d0, e0 to y1, d1, e1 has with w = y1 - y0
//     order 3: c2 = (3 w - h (2 d0 + d1))/h^2, c3 = (-2 w + h (d0 + d1))/h^3
//     order 5: c2 = e0/2, c3 = (20 w - h (12 d0 + 8 d1) - h^2 (3 e0 - e1))/(2 h^3),
//              c4 = (-30 w + h (16 d0 + 14 d1) + h^2 (3 e0 - 2 e1))/(2 h^4),
//              c5 = (12 w - 6 h (d0 + d1) - h^2 (e0 - e1))/(2 h^5)
// and the next derivatives are the same on both sides of a point (PTH-5): y'' (order 3), y''' and y'''' (order 5).
#include "math/blas.h"
#include "math/curve/profile.h"

#include <string.h>

// One equation: sum over the unknowns of two neighbouring pieces.
typedef struct band {
    int n, half; // unknowns, entries beside the diagonal on each side
    double *A, *b;
} band;

static void add(band *s, int row, int column, double v)
{
    s->A[2 * s->half + row - column + (size_t)column * (size_t)(3 * s->half + 1)] += v;
}

// The derivative `which` at the start (end = 0) or the end of piece i, times `sign`, into a row.
static void add_derivative(band *s, int order, int row, int i, int end, int which, double sign,
                           const double *x, const double *y)
{
    double h = x[i + 1] - x[i], w = y[i + 1] - y[i], u = end ? 1.0 : 0.0;
    int m = order == 3 ? 1 : 2, at = m * i;
    if (order == 3) { // which = 2
        double c = sign / (h * h);
        s->b[row] -= c * w * (6.0 - 12.0 * u);
        add(s, row, at, c * h * (-4.0 + 6.0 * u));
        add(s, row, at + 1, c * h * (-2.0 + 6.0 * u));
        return;
    }
    // columns: w, h d0, h d1, h^2 e0, h^2 e1 of h^j c_j, j = 3, 4, 5, twice
    static const double k[3][5] = {{20, -12, -8, -3, 1}, {-30, 16, 14, 3, -2}, {12, -6, -6, -1, 1}};
    double f[5], scale = sign / (2.0 * h * h * h);
    if (which == 4) scale /= h;
    for (int j = 0; j < 5; j++) {
        f[j] = which == 3 ? 6.0 * k[0][j] + 24.0 * u * k[1][j] + 60.0 * u * k[2][j]
                          : 24.0 * k[1][j] + 120.0 * u * k[2][j];
        f[j] *= scale;
    }
    s->b[row] -= f[0] * w;
    add(s, row, at, f[1] * h);
    add(s, row, at + 2, f[2] * h);
    add(s, row, at + 1, f[3] * h * h);
    add(s, row, at + 3, f[4] * h * h);
}

#define NEAR 7

// First and second derivative at the end `from` of the polynomial through NEAR points from there on, step 1 or -1 (Fornberg).
static void end_slopes(const double *x, const double *y, int from, int step, double out[2])
{
    double w[NEAR][3] = {{0}}, c1 = 1.0, c4 = 0.0, z = x[from];
    w[0][0] = 1.0;
    for (int i = 1; i < NEAR; i++) {
        double c2 = 1.0, c5 = c4, xi = x[from + step * i];
        int order = i < 2 ? i : 2;
        c4 = xi - z;
        for (int j = 0; j < i; j++) {
            double c3 = xi - x[from + step * j];
            c2 *= c3;
            if (j == i - 1) {
                for (int k = order; k > 0; k--) {
                    w[i][k] = c1 * (k * w[i - 1][k - 1] - c5 * w[i - 1][k]) / c2;
                }
                w[i][0] = -c1 * c5 * w[i - 1][0] / c2;
            }
            for (int k = order; k > 0; k--) w[j][k] = (c4 * w[j][k] - k * w[j][k - 1]) / c3;
            w[j][0] *= c4 / c3;
        }
        c1 = c2;
    }
    out[0] = out[1] = 0.0;
    for (int i = 0; i < NEAR; i++) {
        out[0] += w[i][1] * y[from + step * i];
        out[1] += w[i][2] * y[from + step * i];
    }
}

static void fill(band *s, int order, flx_spline_ends ends, int n, const double *x, const double *y)
{
    int m = order == 3 ? 1 : 2, last = n - 1, first = order == 3 ? 2 : 3;
    for (int i = 0; i < n; i++) {
        for (int d = 0; d < m; d++) {
            int row = m * i + d;
            bool end = i == 0 || i == last;
            if (end && (ends == FLX_SPLINE_REST || (ends == FLX_SPLINE_SMOOTH && n >= NEAR))) {
                add(s, row, row, 1.0);
                if (ends == FLX_SPLINE_REST) continue;
                double slopes[2];
                end_slopes(x, y, i, i == 0 ? 1 : -1, slopes);
                s->b[row] = slopes[d];
            } else {
                if (i > 0) add_derivative(s, order, row, i - 1, 1, first + d, 1.0, x, y);
                if (i < last) add_derivative(s, order, row, i, 0, first + d, -1.0, x, y);
            }
        }
    }
}

static void take_pieces(int order, int n, const double *x, const double *y, const double *d,
                        double *k)
{
    for (int i = 0; i + 1 < n; i++) {
        double h = x[i + 1] - x[i], w = y[i + 1] - y[i], *c = k + (order + 1) * i;
        c[0] = y[i];
        if (order == 3) {
            c[1] = d[i];
            c[2] = (3.0 * w - h * (2.0 * d[i] + d[i + 1])) / (h * h);
            c[3] = (-2.0 * w + h * (d[i] + d[i + 1])) / (h * h * h);
            continue;
        }
        double d0 = h * d[2 * i], d1 = h * d[2 * i + 2];
        double e0 = h * h * d[2 * i + 1], e1 = h * h * d[2 * i + 3], h3 = 2.0 * h * h * h;
        c[1] = d[2 * i];
        c[2] = 0.5 * d[2 * i + 1];
        c[3] = (20.0 * w - 12.0 * d0 - 8.0 * d1 - 3.0 * e0 + e1) / h3;
        c[4] = (-30.0 * w + 16.0 * d0 + 14.0 * d1 + 3.0 * e0 - 2.0 * e1) / (h3 * h);
        c[5] = (12.0 * w - 6.0 * (d0 + d1) - e0 + e1) / (h3 * h * h);
    }
}

flx_status flx_spline_through(flx_ctx *ctx, int order, flx_spline_ends ends, int n, const double *x,
                              const double *y, double *k)
{
    int m = order == 3 ? 1 : 2, half = order == 3 ? 1 : 3, unknowns = m * n;
    size_t rows = 3 * (size_t)half + 1;
    band s = {.n = unknowns, .half = half};
    s.A = flx_alloc(ctx, rows * (size_t)unknowns, sizeof(double));
    s.b = flx_alloc(ctx, (size_t)unknowns, sizeof(double));
    // in steps of mean length 1, so that slopes and second derivatives are of one size
    double *u = flx_alloc(ctx, (size_t)n, sizeof(double)), step = (x[n - 1] - x[0]) / (n - 1);
    lapack_int *pivot = flx_alloc(ctx, (size_t)unknowns, sizeof *pivot), info = 0;
    flx_status status = s.A && s.b && pivot && u ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        for (int i = 0; i < n; i++) u[i] = (x[i] - x[0]) / step;
        fill(&s, order, ends, n, u, y);
        FLX_ONE_THREAD info = LAPACKE_dgbsv_work(LAPACK_COL_MAJOR, unknowns, half, half, 1, s.A,
                                                 (lapack_int)rows, pivot, s.b, unknowns);
        if (info != 0) status = FLX_SINGULAR;
    }
    if (status == FLX_OK) take_pieces(order, n, u, y, s.b, k);
    for (int i = 0; status == FLX_OK && i + 1 < n; i++) {
        double unit = 1.0;
        for (int j = 0; j <= order; j++, unit *= step) k[(order + 1) * i + j] /= unit;
    }
    flx_free(u);
    flx_free(s.A);
    flx_free(s.b);
    flx_free(pivot);
    return status;
}
