// Spectra of series: the transform against its sum, amplitudes of sines, Parseval, windows, uneven samples, orders, refusals.
#include "check.h"
#include "flexion/flexion.h"
#include "math/fourier/fourier.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static double noise(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

static int transform_is_the_sum(void)
{
    static const int lengths[] = {1, 2, 8, 64, 3, 5, 12, 97, 100, 251};
    flx_ctx *ctx = flx_ctx_create();
    for (int l = 0; l < 10; l++) {
        int n = lengths[l];
        double x[502], want[502];
        unsigned seed = 7u + (unsigned)n;
        flx_fourier f;
        for (int i = 0; i < 2 * n; i++) x[i] = noise(&seed);
        for (int k = 0; k < n; k++) {
            want[2 * k] = want[2 * k + 1] = 0;
            for (int j = 0; j < n; j++) {
                double a = 2 * PI * (j * k % n) / n, c = cos(a), s = sin(a);
                want[2 * k] += c * x[2 * j] + s * x[2 * j + 1];
                want[2 * k + 1] += c * x[2 * j + 1] - s * x[2 * j];
            }
        }
        CHECK(flx_fourier_create(ctx, n, &f) == FLX_OK);
        flx_fourier_apply(&f, x);
        for (int i = 0; i < 2 * n; i++) CHECK_NEAR(x[i], want[i], 1e-13 * (1 + n));
        flx_fourier_clear(&f);
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

enum { N = 1000 };
static double t[N + 1], y[N + 1];

// 3 sin at 50 Hz, 0.1 cos at 125 Hz, and a mean; 1 000 samples per second.
static void fill(void)
{
    for (int i = 0; i <= N; i++) {
        t[i] = 1e-3 * i;
        y[i] = 5.0 + 3.0 * sin(2 * PI * 50 * t[i]) + 0.1 * cos(2 * PI * 125 * t[i] + 0.3);
    }
}

static double sum(const flx_signal_spectrum *s)
{
    double all = 0;
    for (int i = 0; i < s->n; i++) all += s->density[i] * s->resolution;
    return all;
}

static int amplitudes(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_signal_spectrum_peak p[4];
    flx_signal_spectrum s;
    fill();
    for (int w = 0; flx_window_name(w); w++) {
        flx_signal_spectrum_def def = flx_signal_spectrum_def_default();
        def.window = (flx_window)w;
        CHECK(flx_signal_spectrum_find(ctx, N + 1, t, y, &def, &s) == FLX_OK);
        CHECK(s.n == 501 && s.nsegment == 1 && !s.resampled);
        CHECK_NEAR(s.amplitude[50], 3.0, 1e-8);
        CHECK_NEAR(s.amplitude[125], 0.1, 1e-8);
        CHECK_NEAR(s.phase[125], 0.3, 1e-6);
        CHECK_NEAR(s.phase[50], -PI / 2, 1e-6);
        CHECK_NEAR(s.rms, sqrt(4.5 + 0.005), 1e-9);
        CHECK_NEAR(sum(&s), 4.505, 1e-8); // Parseval, of windows too: sines lie on lines
        CHECK(flx_signal_spectrum_find_peaks(&s, 1e-3, 4, p) == 2);
        CHECK_NEAR(p[0].frequency, 50, 1e-6);
        CHECK_NEAR(p[1].frequency, 125, 1e-6);
        flx_signal_spectrum_clear(&s);
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

// Between two lines; the trend; segments; the short last interval of a run.
static int between_lines(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_signal_spectrum_def def = flx_signal_spectrum_def_default();
    flx_signal_spectrum_peak p[2];
    flx_signal_spectrum s;
    for (int i = 0; i <= N; i++) {
        t[i] = 1e-3 * i;
        y[i] = 2.0 * sin(2 * PI * 40.37 * t[i]) + 7.0 * t[i];
    }
    t[N] -= 4e-4;
    def.trend = FLX_TREND_LINE;
    CHECK(flx_signal_spectrum_find(ctx, N + 1, t, y, &def, &s) == FLX_OK);
    CHECK(!s.resampled && s.n == 500);
    CHECK(flx_signal_spectrum_find_peaks(&s, 0.2, 2, p) == 1);
    CHECK_NEAR(p[0].frequency, 40.37, 0.02);
    CHECK_NEAR(p[0].amplitude, 2.0, 0.05);
    flx_signal_spectrum_clear(&s);
    def.window = FLX_WINDOW_FLAT_TOP;
    CHECK(flx_signal_spectrum_find(ctx, N + 1, t, y, &def, &s) == FLX_OK);
    CHECK_NEAR(s.amplitude[40], 2.0, 2e-3);
    flx_signal_spectrum_clear(&s);
    def.window = FLX_WINDOW_HANN;
    def.segment = 0.25;
    def.from = 0.1;
    CHECK(flx_signal_spectrum_find(ctx, N + 1, t, y, &def, &s) == FLX_OK);
    CHECK(s.nsegment == 1 + (900 - 250) / 125);
    CHECK_NEAR(s.resolution, 4.0, 1e-9);
    flx_signal_spectrum_clear(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

// White noise of variance v at rate r has the density 2 v / r.
static int noise_is_flat(void)
{
    enum { M = 20000 };
    static double x[M], z[M];
    flx_ctx *ctx = flx_ctx_create();
    flx_signal_spectrum_def def = flx_signal_spectrum_def_default();
    flx_signal_spectrum s;
    unsigned seed = 1;
    double low = 0, high = 0;
    for (int i = 0; i < M; i++) {
        x[i] = i / 100.0;
        z[i] = noise(&seed);
    }
    def.segment = 2.0;
    CHECK(flx_signal_spectrum_find(ctx, M, x, z, &def, &s) == FLX_OK);
    CHECK(s.n == 101 && s.nsegment == 199);
    for (int i = 2; i < 99; i++) *(i < 50 ? &low : &high) += s.density[i];
    CHECK_NEAR(low / 48, 2.0 / 3.0 / 100, 3e-4);
    CHECK_NEAR(high / 49, 2.0 / 3.0 / 100, 3e-4);
    flx_signal_spectrum_clear(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Uneven samples; two rows at one instant.
static int uneven(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_signal_spectrum_peak p[1];
    flx_signal_spectrum s;
    unsigned seed = 3;
    for (int i = 0; i < N; i++) {
        t[i] = 1e-3 * (i + 0.4 * noise(&seed));
        if (i == 500) t[i] = t[i - 1];
        y[i] = sin(2 * PI * 20 * t[i]);
    }
    y[499] = 100; // before the jump
    CHECK(flx_signal_spectrum_find(ctx, N + 1, t, y, NULL, &s) == FLX_OK);
    CHECK(s.resampled);
    CHECK(flx_signal_spectrum_find_peaks(&s, 0.5, 1, p) == 1);
    CHECK_NEAR(p[0].frequency, 20, 0.01);
    CHECK_NEAR(p[0].amplitude, 1, 0.01);
    flx_signal_spectrum_clear(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Nothing is known within a long gap; a shorter one is told.
static int gaps(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_signal_spectrum s;
    for (int i = 0; i < 200; i++) {
        t[i] = 0.01 * i + (i < 100 ? 0.0 : 1e12);
        y[i] = sin(t[i]);
    }
    CHECK(flx_signal_spectrum_find(ctx, 200, t, y, NULL, &s) == FLX_ERR_ARGUMENT);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "no sample between 0.99 and 1e+12");
    flx_ctx_clear_messages(ctx);
    for (int i = 0; i < 200; i++) t[i] = 0.01 * i + (i < 100 ? 0.0 : 0.5);
    CHECK(flx_signal_spectrum_find(ctx, 200, t, y, NULL, &s) == FLX_OK);
    CHECK(s.resampled && flx_ctx_warning_count(ctx) == 1);
    CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "samples are up to 0.51 apart, at 0.99: above 0.9804");
    flx_signal_spectrum_clear(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A run up from 10 to 110 rad/s: order 2 grows with the square of the speed, order 3.5 is 0.2; backwards alike.
static int orders(void)
{
    enum { M = 8000 };
    static double x[M], w[M], z[M];
    static const double wanted[] = {2, 3.5};
    flx_ctx *ctx = flx_ctx_create();
    for (int sense = -1; sense <= 1; sense += 2) {
        flx_order_track k;
        flx_signal_spectrum s;
        static double turns[M];
        for (int i = 0; i < M; i++) {
            x[i] = 20.0 * i / M;
            double rate = 10 + 5 * x[i], angle = 10 * x[i] + 2.5 * x[i] * x[i];
            w[i] = sense * rate;
            z[i] = 1e-4 * rate * rate * cos(2 * angle) + 0.2 * sin(3.5 * angle);
        }
        CHECK(flx_order_track_find(ctx, M, x, w, z, 2, wanted, NULL, &k) == FLX_OK);
        CHECK(k.nrow > 40 && k.norder == 2);
        for (int i = 2; i < k.nrow; i++) {
            const double *row = k.rows + 4 * i;
            CHECK_NEAR(row[1], sense * (10 + 5 * row[0]), 1e-6);
            CHECK_NEAR(row[2] / (1e-4 * row[1] * row[1]), 1, 0.03);
            CHECK_NEAR(row[3], 0.2, 0.004);
        }
        flx_order_track_clear(&k);
        flx_signal_spectrum_peak p[2];
        CHECK(flx_order_turns(ctx, M, x, w, turns) == FLX_OK);
        CHECK_NEAR(turns[M - 1], (10 * x[M - 1] + 2.5 * x[M - 1] * x[M - 1]) / (2 * PI), 1e-6);
        CHECK(flx_signal_spectrum_find(ctx, M, turns, z, NULL, &s) == FLX_OK);
        CHECK(flx_signal_spectrum_find_peaks(&s, 0.1, 2, p) == 2);
        CHECK_NEAR(p[0].frequency, 2, 1e-3);
        CHECK_NEAR(p[1].frequency, 3.5, 1e-3);
        flx_signal_spectrum_clear(&s);
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

static bool refused(flx_ctx *ctx, flx_status status, const char *words)
{
    int n = flx_ctx_error_count(ctx);
    return status == FLX_ERR_ARGUMENT && n > 0 && strstr(flx_ctx_error(ctx, n - 1)->text, words);
}

static int refusals(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_signal_spectrum_def def = flx_signal_spectrum_def_default();
    flx_signal_spectrum s;
    flx_order_track k;
    double order = 400, w[N + 1];
    fill();
    CHECK(refused(ctx, flx_signal_spectrum_find(ctx, 8, t, y, NULL, &s), "9 samples"));
    def.segment = 2;
    CHECK(refused(ctx, flx_signal_spectrum_find(ctx, N + 1, t, y, &def, &s),
                  "longer than the series"));
    def.segment = 1e-3;
    CHECK(refused(ctx, flx_signal_spectrum_find(ctx, N + 1, t, y, &def, &s), "needs 8"));
    def.segment = 0;
    def.overlap = 1;
    CHECK(refused(ctx, flx_signal_spectrum_find(ctx, N + 1, t, y, &def, &s), "overlap"));
    y[20] = (double)NAN;
    CHECK(refused(ctx, flx_signal_spectrum_find(ctx, N + 1, t, y, NULL, &s), "sample 21"));
    fill();
    t[5] = 0;
    CHECK(refused(ctx, flx_signal_spectrum_find(ctx, N + 1, t, y, NULL, &s), "ascends"));
    fill();
    for (int i = 0; i <= N; i++) w[i] = i - 100.0;
    CHECK(refused(ctx, flx_order_track_find(ctx, N + 1, t, w, y, 1, &order, NULL, &k), "sense"));
    for (int i = 0; i <= N; i++) w[i] = 200.0;
    CHECK(
        refused(ctx, flx_order_track_find(ctx, N + 1, t, w, y, 1, &order, NULL, &k), "order 400"));
    for (int i = 0; i <= N; i++) w[i] = 0.0;
    CHECK(refused(ctx, flx_order_track_find(ctx, N + 1, t, w, y, 1, &order, NULL, &k),
                  "nothing rotates"));
    flx_ctx_clear_messages(ctx);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(transform_is_the_sum), TEST(amplitudes), TEST(between_lines), TEST(noise_is_flat),
          TEST(uneven), TEST(gaps), TEST(orders), TEST(refusals))
