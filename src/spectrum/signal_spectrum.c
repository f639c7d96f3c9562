// signal_spectrum.c - amplitudes and densities of a series, averaged over segments (Welch); see flexion/signal_spectrum.h.
//
//     A_k = c_k |X_k| / sum w,   S_k = c_k |X_k|^2 / (r sum w^2),   c_k = 2, at 0 and at half the rate 1   (PSD-2)
#include "base/refuse.h"
#include "math/fourier/fourier.h"
#include "spectrum/uniform_series.h"

#include <math.h>
#include <string.h>

#define ALONE 1e-6 // of a line: less beside it is rounding

static flx_status take_lines(flx_ctx *ctx, const flx_uniform_series *u, flx_signal_spectrum *s)
{
    size_t n = (size_t)(u->segment / 2 + 1);
    double *memory = flx_alloc(ctx, 4 * n, sizeof *memory);
    if (!memory) return FLX_ERR_MEMORY;
    *s = (flx_signal_spectrum){.n = (int)n,
                               .frequency = memory,
                               .amplitude = memory + n,
                               .phase = memory + 2 * n,
                               .density = memory + 3 * n,
                               .nsegment = u->nsegment,
                               .rate = 1.0 / u->step,
                               .resolution = 1.0 / (u->step * u->segment),
                               .resampled = u->resampled,
                               .memory = memory};
    for (int k = 0; k < s->n; k++) s->frequency[k] = k * s->resolution;
    return FLX_OK;
}

// x (2 segment), y (segment): room.
static void add_segment(const flx_uniform_series *u, flx_trend trend, int k, flx_fourier *f,
                        double *x, double *y, flx_signal_spectrum *s)
{
    flx_uniform_take(u, trend, k, y);
    for (int i = 0; i < u->segment; i++) {
        s->rms += y[i] * y[i] / ((double)u->segment * u->nsegment);
        x[2 * i] = u->window[i] * y[i];
        x[2 * i + 1] = 0.0;
    }
    flx_fourier_apply(f, x);
    for (int i = 0; i < s->n; i++) {
        double square = x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1];
        bool single = i == 0 || 2 * i == u->segment;
        double c = single ? 1.0 : 2.0;
        s->amplitude[i] += c * c * square / (u->sum * u->sum) / u->nsegment;
        s->density[i] += c * square / (s->rate * u->square) / u->nsegment;
        if (k == 0) s->phase[i] = atan2(x[2 * i + 1], x[2 * i]);
    }
}

flx_status flx_signal_spectrum_find(flx_ctx *ctx, int n, const double *x, const double *y,
                                    const flx_signal_spectrum_def *def, flx_signal_spectrum *out)
{
    if (!ctx || !out || (n > 0 && (!x || !y))) return flx_refuse_null(ctx, __func__);
    const flx_signal_spectrum_def usual = flx_signal_spectrum_def_default();
    flx_uniform_series u;
    flx_fourier f = {0};
    *out = (flx_signal_spectrum){0};
    if (!def) def = &usual;
    flx_status status = flx_uniform_create(ctx, n, x, y, def, 0.0, &u);
    double *work = NULL;
    if (status == FLX_OK) {
        work = flx_alloc(ctx, 3 * (size_t)u.segment, sizeof *work);
        status = work ? flx_fourier_create(ctx, u.segment, &f) : FLX_ERR_MEMORY;
    }
    if (status == FLX_OK) status = take_lines(ctx, &u, out);
    for (int k = 0; status == FLX_OK && k < u.nsegment; k++)
        add_segment(&u, def->trend, k, &f, work, work + 2 * (size_t)u.segment, out);
    for (int i = 0; status == FLX_OK && i < out->n; i++)
        out->amplitude[i] = sqrt(out->amplitude[i]);
    out->rms = sqrt(out->rms);
    flx_fourier_clear(&f);
    flx_free(work);
    flx_uniform_clear(&u);
    return status;
}

void flx_signal_spectrum_clear(flx_signal_spectrum *s)
{
    if (!s) return;
    flx_free(s->memory);
    *s = (flx_signal_spectrum){0};
}

// ---- peaks --------------------------------------------------------------------------------------------

static flx_signal_spectrum_peak peak_at(const flx_signal_spectrum *s, int i)
{
    const double *a = s->amplitude + i;
    flx_signal_spectrum_peak p = {s->frequency[i], a[0]};
    if (!(a[-1] > ALONE * a[0] && a[1] > ALONE * a[0])) return p;
    double l = log(a[-1] / a[0]), r = log(a[1] / a[0]), bend = l + r;
    if (!(bend < 0.0)) return p;
    double by = 0.5 * (l - r) / bend;
    p.frequency += by * s->resolution;
    p.amplitude = a[0] * exp(-0.25 * (l - r) * by);
    return p;
}

int flx_signal_spectrum_find_peaks(const flx_signal_spectrum *s, double part, int most,
                                   flx_signal_spectrum_peak *peaks)
{
    if (!s) return 0;
    int n = 0;
    double top = 0.0;
    for (int i = 1; i + 1 < s->n; i++) top = fmax(top, s->amplitude[i]);
    for (int i = 1; i + 1 < s->n && most > 0; i++) {
        const double *a = s->amplitude + i;
        if (!(a[0] > a[-1] && a[0] >= a[1] && a[0] > part * top)) continue;
        flx_signal_spectrum_peak p = peak_at(s, i);
        int at = n < most ? n : most;
        while (at > 0 && peaks[at - 1].amplitude < p.amplitude) at--;
        if (at == most) continue;
        if (n < most) n++;
        memmove(peaks + at + 1, peaks + at, (size_t)(n - 1 - at) * sizeof *peaks);
        peaks[at] = p;
    }
    return n;
}
