// flexion/signal_spectrum.h - spectra of series: amplitudes and densities over frequency, or over orders of a rotation.
//
// A series of length T is cut into segments that overlap, each is multiplied by a window w and transformed, and the
// segments are averaged. docs/theory/spectrum.md has the equations.
#pragma once

#include "flexion/base.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum flx_window {
    FLX_WINDOW_HANN,
    FLX_WINDOW_RECTANGULAR,
    FLX_WINDOW_HAMMING,
    FLX_WINDOW_BLACKMAN,
    FLX_WINDOW_FLAT_TOP, // amplitudes between two lines are right to 0.1 %
} flx_window;
// The word of a window, "hann", ...; NULL when out of range.
FLX_API const char *flx_window_name(int window);
typedef enum flx_trend {
    FLX_TREND_MEAN, // the mean is taken away from every segment
    FLX_TREND_LINE, // ... the straight line of least squares
    FLX_TREND_NONE,
} flx_trend;

// Begin with flx_signal_spectrum_def_default(), which sets size.
typedef struct flx_signal_spectrum_def {
    size_t size;
    flx_window window;
    flx_trend trend;
    double
        segment; // length of a segment in the unit of x (s, or revolutions); 0: the whole, whose last sample is where the next period
    // would begin
    double overlap;     // part of a segment that the next one shares, 0 <= overlap < 1
    double from, until; // of x: what is outside is left out
} flx_signal_spectrum_def;
static inline flx_signal_spectrum_def flx_signal_spectrum_def_default(void)
{
    flx_signal_spectrum_def def;
    memset(&def, 0, sizeof def);
    def.size = sizeof def;
    def.overlap = 0.5;
    def.from = -1e300;
    def.until = 1e300;
    return def;
}

typedef struct flx_signal_spectrum {
    int n;             // lines, from 0 to half the rate of samples
    double *frequency; // (n) Hz, or orders
    double *
        amplitude; // (n) of a harmonic part there, as its peak; root of the mean square of all segments
    double *phase;   // (n) rad, of the first segment against a cosine that begins with it
    double *density; // (n) one-sided: its integral is the mean square
    int nsegment;
    double resolution; // distance of lines
    double rate;       // samples per unit
    double rms;        // of what is left when the trend is gone
    int resampled; // 1: samples were not equally spaced, and a cubic spline was sampled in their place
    void *memory; // owned
} flx_signal_spectrum;

// Of y over x (n, ascending; of rows at the same x the last one counts). FLX_ERR_ARGUMENT, with a message: fewer than 9
// samples, or a segment that is not within them.
FLX_API flx_status flx_signal_spectrum_find(flx_ctx *ctx, int n, const double *x, const double *y,
                                            const flx_signal_spectrum_def *def,
                                            flx_signal_spectrum *out);
FLX_API void flx_signal_spectrum_clear(flx_signal_spectrum *s);

// A peak: a line higher than both its neighbours, with frequency and amplitude between lines by a parabola through the
// logarithms of three.
typedef struct flx_signal_spectrum_peak {
    double frequency, amplitude;
} flx_signal_spectrum_peak;
// The highest first, at most `most`, those below `part` of the highest left out. Returns their number.
FLX_API int flx_signal_spectrum_find_peaks(const flx_signal_spectrum *s, double part, int most,
                                           flx_signal_spectrum_peak *peaks);

// Revolutions since the first sample, from a rate of rotation in rad/s: (n), by the trapezoid. FLX_ERR_ARGUMENT: the rate
// changes its sign, so that orders are not defined.
FLX_API flx_status flx_order_turns(flx_ctx *ctx, int n, const double *t, const double *rate,
                                   double *turns);

// Amplitudes of some orders along the run: a row per segment with the time of its middle, the rate of rotation there in
// rad/s, and the amplitude of each order.
typedef struct flx_order_track {
    int nrow, norder;
    double *rows; // (nrow x (2 + norder)) owned
} flx_order_track;
// def->segment: revolutions of one segment, 0: 8.
FLX_API flx_status flx_order_track_find(flx_ctx *ctx, int n, const double *t, const double *rate,
                                        const double *y, int norder, const double *orders,
                                        const flx_signal_spectrum_def *def, flx_order_track *out);
FLX_API void flx_order_track_clear(flx_order_track *t);

#ifdef __cplusplus
}
#endif
