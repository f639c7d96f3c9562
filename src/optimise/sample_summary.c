// sample_summary.c - flexion/sample.h: mean, deviation, quantiles, and indices of Sobol with Saltelli's design.
//
// Two samples A and B, and of each parameter i the sample AB_i that is A but for its column i, which is B's:
//     S_i = mean(f_B (f_ABi - f_A)) / V,   T_i = mean((f_A - f_ABi)^2) / 2V,   V over A and B              (SMP-2)
#include "flexion/sample.h"

#include "base/common.h"
#include "base/refuse.h"
#include "math/sample/sample_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RESAMPLES 200

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Of n ascending values, between two of them where it lies there.
static double quantile(int n, const double *y, double p)
{
    double at = p * (n - 1);
    int k = (int)floor(at);
    if (k >= n - 1) return y[n - 1];
    return y[k] + (at - k) * (y[k + 1] - y[k]);
}

flx_status flx_sample_summarise(flx_ctx *ctx, int n, const double *y, flx_sample_summary *out)
{
    if (!ctx || !out || (n > 0 && !y)) return flx_refuse_null(ctx, __func__);
    if (n < 0) return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "a sample of %d runs", n);
    static const double p[FLX_SAMPLE_QUANTILE_COUNT] = {0.025, 0.25, 0.5, 0.75, 0.975};
    double *good = flx_alloc(ctx, (size_t)n + 1, sizeof *good);
    *out = (flx_sample_summary){.mean = (double)NAN, .deviation = (double)NAN};
    if (!good) return FLX_ERR_MEMORY;
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < n; i++) {
        if (isfinite(y[i])) good[out->n++] = y[i];
    }
    out->failed = n - out->n;
    for (int i = 0; i < out->n; i++) sum += good[i];
    if (out->n > 0) out->mean = sum / out->n;
    for (int i = 0; i < out->n; i++) squares += (good[i] - out->mean) * (good[i] - out->mean);
    if (out->n > 1) out->deviation = sqrt(squares / (out->n - 1));
    out->mean_error = out->n > 1 ? out->deviation / sqrt(out->n) : (double)NAN;
    qsort(good, (size_t)out->n, sizeof *good, ascending);
    for (int k = 0; k < FLX_SAMPLE_QUANTILE_COUNT; k++)
        out->quantiles[k] = out->n > 0 ? quantile(out->n, good, p[k]) : (double)NAN;
    flx_free(good);
    return FLX_OK;
}

// ---- indices ------------------------------------------------------------------------------------

typedef struct design {
    int rows, n, count;
    const double *y; // (rows (n + 2))
    int *good;       // (count) rows without a failure
    double mean;
} design;

static double value(const design *d, int block, int row)
{
    return d->y[(size_t)block * (size_t)d->rows + (size_t)row] - d->mean;
}

// (SMP-2) over the rows `pick` of the good ones; NULL: all. Values less their mean, which changes no index and spares digits.
static void estimate(const design *d, const int *pick, double *first, double *total)
{
    double sum = 0.0, squares = 0.0;
    for (int k = 0; k < d->count; k++) {
        int row = d->good[pick ? pick[k] : k];
        double a = value(d, 0, row), b = value(d, 1, row);
        sum += a + b;
        squares += a * a + b * b;
    }
    double mean = sum / (2.0 * d->count), variance = squares / (2.0 * d->count) - mean * mean;
    for (int i = 0; i < d->n; i++) {
        double s = 0.0, t = 0.0;
        for (int k = 0; k < d->count; k++) {
            int row = d->good[pick ? pick[k] : k];
            double a = value(d, 0, row), b = value(d, 1, row), ab = value(d, 2 + i, row);
            s += b * (ab - a);
            t += (a - ab) * (a - ab);
        }
        first[i] = variance > 0.0 ? s / d->count / variance : 0.0;
        total[i] = variance > 0.0 ? t / d->count / (2.0 * variance) : 0.0;
    }
}

static void find_good(design *d)
{
    double sum = 0.0;
    for (int row = 0; row < d->rows; row++) {
        bool good = true;
        for (int k = 0; k < d->n + 2; k++) good = good && isfinite(value(d, k, row));
        if (!good) continue;
        d->good[d->count++] = row;
        sum += value(d, 0, row) + value(d, 1, row);
    }
    if (d->count > 0) d->mean = sum / (2.0 * d->count);
}

flx_status flx_sample_indices(flx_ctx *ctx, int rows, int n, const double *y, unsigned seed,
                              flx_sample_index *index, int *failed)
{
    if (!ctx || !index || !y || !failed) return flx_refuse_null(ctx, __func__);
    if (rows < 0 || n < 0) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "a sample of %d rows, %d parameters",
                        rows, n);
    }
    size_t all = (size_t)n * (RESAMPLES + 1);
    design d = {.rows = rows, .n = n, .y = y};
    d.good = flx_alloc(ctx, 2 * (size_t)rows + 1, sizeof *d.good);
    double *first = flx_alloc(ctx, 2 * all + RESAMPLES, sizeof *first);
    flx_status status = d.good && first ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        double *total = first + all, *sorted = total + all;
        int *pick = d.good + rows;
        find_good(&d);
        *failed = rows - d.count;
        estimate(&d, NULL, first, total);
        for (int r = 1; r <= RESAMPLES; r++) {
            for (int k = 0; k < d.count; k++) {
                uint64_t z = flx_sample_hash(((uint64_t)seed << 32) + (uint64_t)r, (uint64_t)k);
                pick[k] = (int)(z % (uint64_t)d.count);
            }
            estimate(&d, pick, first + r * n, total + r * n);
        }
        for (int i = 0; i < n; i++) {
            index[i] = (flx_sample_index){.first = first[i], .total = total[i]};
            for (int r = 0; r < RESAMPLES; r++) sorted[r] = first[(r + 1) * n + i];
            qsort(sorted, RESAMPLES, sizeof *sorted, ascending);
            index[i].first_low = quantile(RESAMPLES, sorted, 0.025);
            index[i].first_high = quantile(RESAMPLES, sorted, 0.975);
            for (int r = 0; r < RESAMPLES; r++) sorted[r] = total[(r + 1) * n + i];
            qsort(sorted, RESAMPLES, sizeof *sorted, ascending);
            index[i].total_low = quantile(RESAMPLES, sorted, 0.025);
            index[i].total_high = quantile(RESAMPLES, sorted, 0.975);
        }
    }
    flx_free(d.good);
    flx_free(first);
    return status;
}
