// uniform_series.c - samples at equal distances, windows, trends; see uniform_series.h.
#include "spectrum/uniform_series.h"
#include "math/curve/spline.h"

#include <math.h>
#include <string.h>

#define FEWEST 8       // samples of a segment
#define EQUAL 1e-6     // of a distance: samples are equally spaced
#define MOST_FINER 4.0 // times as many samples as were given, at most
#define GAP 0.25       // of the series: within a longer one nothing is known
#define COARSE 8.0     // distances as long as this many new samples are told

// ---- windows ----------------------------------------------------------------------------------------

// w_j = sum_k (-1)^k a_k cos(2 pi k j / n)                                                       (PSD-1)
static const struct {
    const char *name;
    double a[5];
} windows[] = {
    [FLX_WINDOW_HANN] = {"hann", {0.5, 0.5}},
    [FLX_WINDOW_RECTANGULAR] = {"rectangular", {1.0}},
    [FLX_WINDOW_HAMMING] = {"hamming", {0.54, 0.46}},
    [FLX_WINDOW_BLACKMAN] = {"blackman", {0.42, 0.5, 0.08}},
    [FLX_WINDOW_FLAT_TOP] = {"flat-top",
                             {0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368}},
};
#define N_WINDOWS ((int)(sizeof windows / sizeof windows[0]))

const char *flx_window_name(int window)
{
    return window >= 0 && window < N_WINDOWS ? windows[window].name : NULL;
}

static void put_window(flx_uniform_series *s, flx_window window)
{
    const double *a = windows[window].a;
    for (int j = 0; j < s->segment; j++) {
        double w = a[0], sign = -1.0;
        for (int k = 1; k < 5; k++, sign = -sign)
            w += sign * a[k] * cos(2.0 * FLX_PI * k * j / s->segment);
        s->window[j] = w;
        s->sum += w;
        s->square += w * w;
    }
}

// ---- samples ----------------------------------------------------------------------------------------

// Those within the limits, of equal x the last one: x, y (n), *n of them.
static flx_status choose(flx_ctx *ctx, int n, const double *x, const double *y,
                         const flx_signal_spectrum_def *def, double *to_x, double *to_y, int *count)
{
    int m = 0;
    for (int i = 0; i < n; i++) {
        if (!(x[i] >= def->from && x[i] <= def->until)) continue;
        if (!isfinite(y[i]) || !isfinite(x[i])) {
            return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                            "sample %d of the series, at %g, is not a finite number", i + 1, x[i]);
        }
        if (m > 0 && x[i] < to_x[m - 1]) {
            return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                            "a series ascends, and %g comes after %g", x[i], to_x[m - 1]);
        }
        if (m > 0 && x[i] == to_x[m - 1]) m--;
        to_x[m] = x[i];
        to_y[m++] = y[i];
    }
    *count = m;
    if (m > FEWEST) return FLX_OK;
    return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "a spectrum needs %d samples at least, and there %s %d", FEWEST + 1,
                    m == 1 ? "is" : "are", m);
}

static bool is_uniform(int n, const double *x)
{
    double step = (x[n - 1] - x[0]) / (n - 1);
    for (int i = 1; i < n; i++) {
        if (fabs(x[i] - x[i - 1] - step) > EQUAL * step) return false;
    }
    return true;
}

// Nothing is known between two samples that are far from each other, and the spline swings there as it likes.
static flx_status check_gap(flx_ctx *ctx, int n, const double *x, double step)
{
    int at = 1;
    for (int i = 2; i < n; i++) {
        if (x[i] - x[i - 1] > x[at] - x[at - 1]) at = i;
    }
    double gap = x[at] - x[at - 1];
    if (gap > GAP * (x[n - 1] - x[0])) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "there is no sample between %.9g and %.9g, a large part of the series: "
                        "take what comes before or after",
                        x[at - 1], x[at]);
    }
    if (gap > COARSE * step) {
        flx_ctx_warn(ctx, FLX_NOWHERE,
                 "samples are up to %.4g apart, at %.9g: above %.4g the spectrum may be that of "
                 "the spline between them",
                 gap, x[at - 1], 0.5 / gap);
    }
    return FLX_OK;
}

// The spline through the samples at equal distances: as many as the closest samples ask for, within limits.
static flx_status resample(flx_ctx *ctx, int n, const double *x, const double *y,
                           flx_uniform_series *s)
{
    double length = x[n - 1] - x[0], step = length;
    for (int i = 1; i < n; i++) step = fmin(step, x[i] - x[i - 1]);
    step = fmax(step, length / (n - 1) / MOST_FINER);
    FLX_TRY(check_gap(ctx, n, x, step));
    s->n = 1 + (int)floor(length / step * (1.0 + EQUAL));
    s->step = step;
    s->resampled = true;
    s->y = flx_alloc(ctx, (size_t)s->n, sizeof *s->y);
    double *k = flx_alloc(ctx, 6 * (size_t)n, sizeof *k);
    if (s->y && k) {
        flx_spline_natural(n, x, y, k, k + 4 * (size_t)n);
        for (int i = 0, piece = 0; i < s->n; i++) {
            double at = fmin(x[0] + i * step, x[n - 1]);
            while (piece + 2 < n && at > x[piece + 1]) piece++;
            s->y[i] = flx_cubic_eval(k + 4 * (size_t)piece, 0, at - x[piece]);
        }
    }
    flx_free(k);
    return s->y && k ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status make_uniform(flx_ctx *ctx, int n, double *x, double *y, flx_uniform_series *s)
{
    s->from = x[0];
    // a run may end before the interval of its rows does
    if (!is_uniform(n, x) && n > FEWEST + 1 && is_uniform(n - 1, x) &&
        x[n - 1] - x[n - 2] < x[1] - x[0])
        n--;
    if (!is_uniform(n, x)) return resample(ctx, n, x, y, s);
    s->n = n;
    s->step = (x[n - 1] - x[0]) / (n - 1);
    s->y = flx_alloc(ctx, (size_t)n, sizeof *s->y);
    if (!s->y) return FLX_ERR_MEMORY;
    memcpy(s->y, y, (size_t)n * sizeof *y);
    return FLX_OK;
}

static flx_status cut(flx_ctx *ctx, const flx_signal_spectrum_def *def, double length,
                      flx_uniform_series *s)
{
    // the last sample is where the next period would begin
    double samples = length > 0.0 ? floor(length / s->step * (1.0 + EQUAL) + 0.5) : s->n - 1;
    if (!(samples <= s->n)) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a segment of %g is longer than the series, %g", length,
                        (s->n - 1) * s->step);
    }
    if (samples < FEWEST) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a segment of %g has %d samples, and needs %d at least", length,
                        (int)samples, FEWEST);
    }
    if (!(def->overlap >= 0.0 && def->overlap < 1.0)) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "segments overlap by a part from 0 to below 1, not %g", def->overlap);
    }
    s->segment = (int)samples;
    s->hop = (int)fmax(1.0, floor(s->segment * (1.0 - def->overlap) + 0.5));
    s->nsegment = 1 + (s->n - s->segment) / s->hop;
    s->window = flx_alloc(ctx, (size_t)s->segment, sizeof *s->window);
    if (!s->window) return FLX_ERR_MEMORY;
    put_window(s, def->window);
    return FLX_OK;
}

flx_status flx_uniform_create(flx_ctx *ctx, int n, const double *x, const double *y,
                              const flx_signal_spectrum_def *def, double segment,
                              flx_uniform_series *s)
{
    int m = 0;
    *s = (flx_uniform_series){0};
    if (!flx_window_name((int)def->window)) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "there is no such window");
    }
    double *own = flx_alloc(ctx, 2 * (size_t)n + 1, sizeof *own);
    flx_status status = own ? choose(ctx, n, x, y, def, own, own + n, &m) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = make_uniform(ctx, m, own, own + n, s);
    if (status == FLX_OK) status = cut(ctx, def, def->segment > 0.0 ? def->segment : segment, s);
    flx_free(own);
    return status;
}

void flx_uniform_clear(flx_uniform_series *s)
{
    flx_free(s->y);
    flx_free(s->window);
    *s = (flx_uniform_series){0};
}

void flx_uniform_take(const flx_uniform_series *s, flx_trend trend, int k, double *out)
{
    int n = s->segment;
    double mean = 0.0, slope = 0.0, middle = 0.5 * (n - 1), square = 0.0;
    memcpy(out, s->y + (size_t)k * (size_t)s->hop, (size_t)n * sizeof *out);
    if (trend == FLX_TREND_NONE) return;
    for (int i = 0; i < n; i++) mean += out[i] / n;
    for (int i = 0; trend == FLX_TREND_LINE && i < n; i++) {
        slope += (i - middle) * (out[i] - mean);
        square += (i - middle) * (i - middle);
    }
    if (square > 0.0) slope /= square;
    for (int i = 0; i < n; i++) out[i] -= mean + slope * (i - middle);
}
