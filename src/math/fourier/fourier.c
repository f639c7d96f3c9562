// fourier.c - the discrete Fourier transform of any length; see fourier.h.
#include "math/fourier/fourier.h"

#include <math.h>
#include <string.h>

static bool is_power_of_two(int n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

// By halves, in place; x (2 m).
static void transform(const flx_fourier *f, double *x)
{
    int m = f->m;
    for (int i = 1, j = 0; i < m; i++) { // numbers go to the place of their reversed bits
        int bit = m >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i >= j) continue;
        double re = x[2 * i], im = x[2 * i + 1];
        x[2 * i] = x[2 * j];
        x[2 * i + 1] = x[2 * j + 1];
        x[2 * j] = re;
        x[2 * j + 1] = im;
    }
    for (int half = 1; half < m; half *= 2) {
        int stride = m / (2 * half);
        for (int from = 0; from < m; from += 2 * half) {
            for (int k = 0; k < half; k++) {
                const double *w = f->turn + 2 * (size_t)k * (size_t)stride;
                double *a = x + 2 * (from + k), *b = a + 2 * half;
                double re = w[0] * b[0] + w[1] * b[1], im = w[0] * b[1] - w[1] * b[0];
                b[0] = a[0] - re;
                b[1] = a[1] - im;
                a[0] += re;
                a[1] += im;
            }
        }
    }
}

static void put_chirp(flx_fourier *f)
{
    int n = f->n, m = f->m;
    for (int j = 0; j < n; j++) {
        long long square = (long long)j * j % (2LL * n);
        double angle = FLX_PI * (double)square / n;
        f->c[2 * j] = cos(angle);
        f->c[2 * j + 1] = -sin(angle);
    }
    memset(f->b, 0, 2 * (size_t)m * sizeof *f->b);
    for (int j = 0; j < n; j++) {
        int back = j > 0 ? m - j : 0;
        f->b[2 * j] = f->b[2 * back] = f->c[2 * j];
        f->b[2 * j + 1] = f->b[2 * back + 1] = -f->c[2 * j + 1];
    }
    transform(f, f->b);
}

flx_status flx_fourier_create(flx_ctx *ctx, int n, flx_fourier *f)
{
    *f = (flx_fourier){.n = n, .m = 1};
    while (f->m < n || (!is_power_of_two(n) && f->m < 2 * n - 1)) f->m *= 2;
    size_t m = (size_t)f->m;
    f->turn = flx_alloc(ctx, 5 * m + 2 * (size_t)n, sizeof *f->turn);
    if (!f->turn) return FLX_ERR_MEMORY;
    for (int k = 0; 2 * k < f->m; k++) {
        f->turn[2 * k] = cos(2.0 * FLX_PI * k / f->m);
        f->turn[2 * k + 1] = sin(2.0 * FLX_PI * k / f->m);
    }
    f->b = f->turn + m;
    f->work = f->b + 2 * m;
    if (is_power_of_two(n)) return FLX_OK;
    f->c = f->work + 2 * m;
    put_chirp(f);
    return FLX_OK;
}

void flx_fourier_clear(flx_fourier *f)
{
    flx_free(f->turn);
    *f = (flx_fourier){0};
}

void flx_fourier_apply(flx_fourier *f, double *x)
{
    int n = f->n, m = f->m;
    double *w = f->work;
    if (!f->c) {
        transform(f, x);
        return;
    }
    memset(w, 0, 2 * (size_t)m * sizeof *w);
    for (int j = 0; j < n; j++) {
        w[2 * j] = f->c[2 * j] * x[2 * j] - f->c[2 * j + 1] * x[2 * j + 1];
        w[2 * j + 1] = f->c[2 * j] * x[2 * j + 1] + f->c[2 * j + 1] * x[2 * j];
    }
    transform(f, w);
    for (int k = 0; k < m;
         k++) { // the product, conjugate: its transform is m times the conjugate of the way back
        double re = w[2 * k] * f->b[2 * k] - w[2 * k + 1] * f->b[2 * k + 1];
        double im = w[2 * k] * f->b[2 * k + 1] + w[2 * k + 1] * f->b[2 * k];
        w[2 * k] = re;
        w[2 * k + 1] = -im;
    }
    transform(f, w);
    for (int k = 0; k < n; k++) {
        double re = w[2 * k] / m, im = -w[2 * k + 1] / m;
        x[2 * k] = f->c[2 * k] * re - f->c[2 * k + 1] * im;
        x[2 * k + 1] = f->c[2 * k] * im + f->c[2 * k + 1] * re;
    }
}
