// uniform_series.h - samples at equal distances, and what is done with a segment of them.
#pragma once

#include "base/common.h"
#include "flexion/signal_spectrum.h"

typedef struct flx_uniform_series {
    int n;
    double from, step;
    double *y;      // (n) owned
    bool resampled; // the samples that were given are others
    int segment;    // samples of a segment
    int hop;        // from one segment to the next
    int nsegment;
    double *window;     // (segment) owned
    double sum, square; // of the window, of its squares
} flx_uniform_series;

// Cleared by the caller, also after a failure. segment: its length where def->segment is 0; 0: all.
flx_status flx_uniform_create(flx_ctx *ctx, int n, const double *x, const double *y,
                              const flx_signal_spectrum_def *def, double segment,
                              flx_uniform_series *s);
void flx_uniform_clear(flx_uniform_series *s);
// Segment k without its trend: out (segment), not yet windowed.
void flx_uniform_take(const flx_uniform_series *s, flx_trend trend, int k, double *out);
