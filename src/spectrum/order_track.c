// order_track.c - revolutions of a rotation, and amplitudes of orders along a run; see flexion/signal_spectrum.h.
//
//     turns_i = turns_{i-1} + (t_i - t_{i-1}) (|rate_{i-1}| + |rate_i|) / (4 pi)                            (PSD-3)
//     A(o) = 2 |sum_j w_j y_j exp(-2 pi i o x_j)| / sum w,   x: revolutions                                (PSD-4)
#include "base/refuse.h"
#include "spectrum/uniform_series.h"

#include <math.h>

#define USUAL_TURNS 8.0 // of a segment

flx_status flx_order_turns(flx_ctx *ctx, int n, const double *t, const double *rate, double *turns)
{
    if (!ctx || (n > 0 && (!t || !rate || !turns))) return flx_refuse_null(ctx, __func__);
    double sense = 0.0;
    for (int i = 0; i < n; i++) {
        if (!isfinite(t[i]) || !isfinite(rate[i])) {
            return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                            "sample %d of the rotation is not finite", i);
        }
        if (rate[i] * sense < 0.0) {
            return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                            "the rotation changes its sense at t = %g: orders are those of a "
                            "rotation in one sense",
                            t[i]);
        }
        if (rate[i] != 0.0) sense = rate[i];
        turns[i] = i == 0 ? 0.0
                          : turns[i - 1] + (t[i] - t[i - 1]) * (fabs(rate[i - 1]) + fabs(rate[i])) /
                                               (4.0 * FLX_PI);
    }
    if (n > 0 && turns[n - 1] > 0.0) return FLX_OK;
    return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "nothing rotates: there are no orders");
}

// y between samples, by straight lines; x ascends. *i: where to begin, which goes on.
static double look_up(int n, const double *x, const double *y, double at, int *i)
{
    while (*i + 2 < n && x[*i + 1] < at) (*i)++;
    double length = x[*i + 1] - x[*i];
    double part = length > 0.0 ? (at - x[*i]) / length : 0.0;
    return y[*i] + part * (y[*i + 1] - y[*i]);
}

static double amplitude_of(const flx_uniform_series *u, int k, const double *y, double order)
{
    double re = 0.0, im = 0.0;
    for (int j = 0; j < u->segment; j++) {
        double turn = order * ((double)k * u->hop + j) * u->step;
        double angle = 2.0 * FLX_PI * (turn - floor(turn));
        re += u->window[j] * y[j] * cos(angle);
        im += u->window[j] * y[j] * sin(angle);
    }
    return 2.0 * hypot(re, im) / u->sum;
}

static flx_status check_orders(flx_ctx *ctx, const flx_uniform_series *u, int norder,
                               const double *orders)
{
    for (int k = 0; k < norder; k++) {
        if (orders[k] > 0.0 && orders[k] * u->step <= 0.5) continue;
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "order %g is not between 0 and %g, half of the samples per revolution",
                        orders[k], 0.5 / u->step);
    }
    return FLX_OK;
}

static flx_status track(flx_ctx *ctx, const flx_uniform_series *u, flx_trend trend, int n,
                        const double *t, const double *rate, const double *turns,
                        const double *orders, flx_order_track *out)
{
    int width = 2 + out->norder, at = 0, at_rate = 0;
    double *y = flx_alloc(ctx, (size_t)u->segment, sizeof *y);
    out->nrow = u->nsegment;
    out->rows = flx_alloc(ctx, (size_t)out->nrow * (size_t)width, sizeof *out->rows);
    for (int k = 0; y && out->rows && k < u->nsegment; k++) {
        double *row = out->rows + (size_t)k * (size_t)width;
        double middle = u->from + ((double)k * u->hop + 0.5 * u->segment) * u->step;
        row[0] = look_up(n, turns, t, middle, &at);
        row[1] = look_up(n, turns, rate, middle, &at_rate);
        flx_uniform_take(u, trend, k, y);
        for (int o = 0; o < out->norder; o++) row[2 + o] = amplitude_of(u, k, y, orders[o]);
    }
    flx_free(y);
    return y && out->rows ? FLX_OK : FLX_ERR_MEMORY;
}

flx_status flx_order_track_find(flx_ctx *ctx, int n, const double *t, const double *rate,
                                const double *y, int norder, const double *orders,
                                const flx_signal_spectrum_def *def, flx_order_track *out)
{
    if (!ctx || !out || !y || (norder > 0 && !orders)) return flx_refuse_null(ctx, __func__);
    if (n < 0 || norder < 0) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "%d samples, %d orders", n, norder);
    }
    const flx_signal_spectrum_def usual = flx_signal_spectrum_def_default();
    flx_uniform_series u = {0};
    *out = (flx_order_track){.norder = norder};
    if (!def) def = &usual;
    double *turns = flx_alloc(ctx, (size_t)n + 1, sizeof *turns);
    flx_status status = turns ? flx_order_turns(ctx, n, t, rate, turns) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_uniform_create(ctx, n, turns, y, def, USUAL_TURNS, &u);
    if (status == FLX_OK) status = check_orders(ctx, &u, norder, orders);
    if (status == FLX_OK) status = track(ctx, &u, def->trend, n, t, rate, turns, orders, out);
    flx_uniform_clear(&u);
    flx_free(turns);
    return status;
}

void flx_order_track_clear(flx_order_track *t)
{
    if (!t) return;
    flx_free(t->rows);
    *t = (flx_order_track){0};
}
