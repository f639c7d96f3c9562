// motion_filter.c - low-pass filter without a shift in time.
//
//     y_k = b0 x_k + b1 x_k-1 + b2 x_k-2 - a1 y_k-1 - a2 y_k-2                                  (MOT-1)
// with w = tan(pi f_c/f_s), f_c = f/(sqrt 2 - 1)^(1/4) for two passes, D = 1 + sqrt 2 w + w^2,
//     b0 = b2 = w^2/D, b1 = 2 b0, a1 = 2 (w^2 - 1)/D, a2 = (1 - sqrt 2 w + w^2)/D.
// At both ends the values are continued by a reflection in the last point, over the time that the filter remembers.
#include "read/motion/motion_file.h"

#include <math.h>
#include <string.h>

// Steps may differ by this part: files have few digits.
#define UNEQUAL 0.02

static void pass(int n, double *x, double w)
{
    double D = 1.0 + sqrt(2.0) * w + w * w, b0 = w * w / D;
    double a1 = 2.0 * (w * w - 1.0) / D, a2 = (1.0 - sqrt(2.0) * w + w * w) / D;
    double x1 = x[0], x2 = x[0], y1 = x[0], y2 = x[0]; // at rest with the first value
    for (int k = 0; k < n; k++) {
        double y = b0 * (x[k] + 2.0 * x1 + x2) - a1 * y1 - a2 * y2;
        x2 = x1;
        x1 = x[k];
        y2 = y1;
        y1 = y;
        x[k] = y;
    }
}

static void reverse(int n, double *x)
{
    for (int i = 0, j = n - 1; i < j; i++, j--) {
        double a = x[i];
        x[i] = x[j];
        x[j] = a;
    }
}

flx_status flx_motion_filter(flx_ctx *ctx, flx_loc loc, int n, const double *t, double *y,
                             double frequency)
{
    double h = (t[n - 1] - t[0]) / (n - 1);
    for (int i = 1; i < n; i++) {
        if (fabs(t[i] - t[i - 1] - h) <= UNEQUAL * h) continue;
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                        "a filter needs values at equal steps; here one is %g, and the mean %g",
                        t[i] - t[i - 1], h);
    }
    double cut = frequency / pow(sqrt(2.0) - 1.0, 0.25);
    if (!(frequency > 0) || !(cut < 0.5 / h)) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                        "the frequency of the filter, %g Hz, is positive and below %g Hz for "
                        "values at %g Hz",
                        frequency, 0.5 / h * pow(sqrt(2.0) - 1.0, 0.25), 1.0 / h);
    }
    double more = ceil(3.0 / (cut * h));
    int pad = more < n - 1 ? (int)more : n - 1, total = n + 2 * pad;
    double *x = flx_alloc(ctx, (size_t)total, sizeof *x);
    if (!x) return FLX_ERR_MEMORY;
    for (int i = 0; i < pad; i++) {
        x[i] = 2.0 * y[0] - y[pad - i];
        x[pad + n + i] = 2.0 * y[n - 1] - y[n - 2 - i];
    }
    memcpy(x + pad, y, (size_t)n * sizeof *y);
    double w = tan(3.14159265358979323846 * cut * h);
    for (int k = 0; k < 2; k++) {
        pass(total, x, w);
        reverse(total, x);
    }
    memcpy(y, x + pad, (size_t)n * sizeof *y);
    flx_free(x);
    return FLX_OK;
}
