// heights.c - bicubic interpolation on a grid: Hermite polynomials along both directions.
#include "contact/mesh/heights.h"

#include <math.h>
#include <string.h>

// Slope at a node from its neighbours, the parabola's at the ends.
static double slope(const double *z, int i, int n, int stride, double h)
{
    const double *a = z + (ptrdiff_t)i * stride;
    if (n == 2) return (z[stride] - z[0]) / h;
    if (i == 0) return (-3.0 * a[0] + 4.0 * a[stride] - a[2 * (ptrdiff_t)stride]) / (2.0 * h);
    if (i == n - 1) return (3.0 * a[0] - 4.0 * a[-stride] + a[-2 * (ptrdiff_t)stride]) / (2.0 * h);
    return (a[stride] - a[-stride]) / (2.0 * h);
}

static void fill(const int n[2], const double step[2], const double *z, double *out)
{
    for (int i = 0; i < n[0]; i++) {
        for (int j = 0; j < n[1]; j++) {
            double *o = out + 4 * ((size_t)i * (size_t)n[1] + (size_t)j);
            o[0] = z[(size_t)i * (size_t)n[1] + (size_t)j];
            o[1] = slope(z + j, i, n[0], n[1], step[0]);
            o[2] = slope(z + (size_t)i * (size_t)n[1], j, n[1], 1, step[1]);
        }
    }
    for (int i = 0; i < n[0]; i++) { // slope along y of the slope along x
        for (int j = 0; j < n[1]; j++) {
            double *row = out + 4 * (size_t)i * (size_t)n[1];
            row[4 * (size_t)j + 3] = slope(row + 1, j, n[1], 4, step[1]);
        }
    }
}

flx_status flx_heights_make(flx_ctx *ctx, flx_arena *arena, flx_loc loc, const int n[2],
                            const double from[2], const double step[2], const double *z,
                            const flx_heights **out)
{
    for (int k = 0; k < 2; k++) {
        if (n[k] < 2)
            return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                            "heights need two nodes in each direction, there are %d", n[k]);
        if (!(step[k] > 0.0) || !isfinite(step[k]) || !isfinite(from[k])) {
            return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                            "nodes of heights must be apart by a positive step, not %g", step[k]);
        }
    }
    size_t count = (size_t)n[0] * (size_t)n[1];
    flx_heights *h = flx_arena_take(arena, 1, sizeof *h);
    double *values = flx_arena_take(arena, 4 * count, sizeof *values);
    if (!h || !values) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(z[i]))
            return FLX_FAIL(ctx, FLX_ERR_MODEL, loc, "height %zu is no number", i + 1);
    }
    fill(n, step, z, values);
    *h = (flx_heights){
        .n = {n[0], n[1]}, .from = {from[0], from[1]}, .step = {step[0], step[1]}, .z = values};
    h->low = h->high = z[0];
    for (size_t i = 0; i < count; i++) {
        // between nodes it may go beyond them by an eighth of what the slopes rise over a cell, along both directions
        double over =
            0.25 * (fabs(values[4 * i + 1]) * step[0] + fabs(values[4 * i + 2]) * step[1]) +
            0.0625 * fabs(values[4 * i + 3]) * step[0] * step[1];
        h->low = fmin(h->low, z[i] - over);
        h->high = fmax(h->high, z[i] + over);
    }
    *out = h;
    return FLX_OK;
}

// Cubics of Hermite on [0, 1] of a cell of length h: values, slopes of the two ends; derivative 0, 1, 2 along x.
static void hermite(double t, double h, double w[3][4])
{
    double s = 1.0 - t;
    const double value[4] = {s * s * (1.0 + 2.0 * t), t * t * (3.0 - 2.0 * t), h * t * s * s,
                             -h * t * t * s};
    const double first[4] = {-6.0 * t * s / h, 6.0 * t * s / h, s * (s - 2.0 * t),
                             t * (t - 2.0 * s)};
    const double second[4] = {(12.0 * t - 6.0) / (h * h), (6.0 - 12.0 * t) / (h * h),
                              (6.0 * t - 4.0) / h, (6.0 * t - 2.0) / h};
    memcpy(w[0], value, sizeof value);
    memcpy(w[1], first, sizeof first);
    memcpy(w[2], second, sizeof second);
}

static double sum(const double *const z[4], const double wx[4], const double wy[4])
{
    double s = 0.0;
    for (int a = 0; a < 2; a++) {
        for (int b = 0; b < 2; b++) {
            const double *n = z[2 * a + b];
            s += wx[a] * wy[b] * n[0] + wx[2 + a] * wy[b] * n[1] + wx[a] * wy[2 + b] * n[2] +
                 wx[2 + a] * wy[2 + b] * n[3];
        }
    }
    return s;
}

bool flx_heights_at(const flx_heights *h, double x, double y, flx_height *out)
{
    const double at[2] = {(x - h->from[0]) / h->step[0], (y - h->from[1]) / h->step[1]};
    int cell[2];
    double w[2][3][4];
    for (int k = 0; k < 2; k++) {
        if (!(at[k] >= 0.0 && at[k] <= h->n[k] - 1)) return false;
        cell[k] = (int)at[k];
        if (cell[k] > h->n[k] - 2) cell[k] = h->n[k] - 2;
        hermite(at[k] - cell[k], h->step[k], w[k]);
    }
    const double *z[4];
    for (int a = 0; a < 2; a++) {
        for (int b = 0; b < 2; b++) {
            z[2 * a + b] =
                h->z + 4 * ((size_t)(cell[0] + a) * (size_t)h->n[1] + (size_t)(cell[1] + b));
        }
    }
    *out = (flx_height){.z = sum(z, w[0][0], w[1][0]),
                        .x = sum(z, w[0][1], w[1][0]),
                        .y = sum(z, w[0][0], w[1][1]),
                        .xx = sum(z, w[0][2], w[1][0]),
                        .xy = sum(z, w[0][1], w[1][1]),
                        .yy = sum(z, w[0][0], w[1][2])};
    return true;
}
