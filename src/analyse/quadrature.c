// quadrature.c - integrals of powers and measures along a run.
//
// With dense output the 6-point Lobatto rule on [0, 1], good for the long steps of methods of high order,
//     int f = (f(0) + f(1))/30 + sum b_i f(c_i),   c = (1 -+ sqrt((7 +- 2 sqrt 7)/21))/2,  (LED-2)
//     b = (14 -+ sqrt 7)/60, the smaller one at the outer two
// Without, the cubic through the last four step ends t3 < t2 < t1 < t (fewer at the beginning),
// integrated over the last step by Newton's divided differences:                        (LED-3)
//     int_{t1}^{t} f = h f1 + h^2/2 [1,0] + ...
// Both use what a step leaves behind; no step waits for the next.
#include "analyse/simulation.h"

#include <string.h>

const double flx_lobatto_inner[FLX_LOBATTO_INNER] = {0.11747233803526765, 0.35738424175967745,
                                                     0.64261575824032255, 0.88252766196473235};

static const double weight[FLX_LOBATTO_INNER] = {0.18923747814892349, 0.27742918851774318,
                                                 0.27742918851774318, 0.18923747814892349};

flx_status flx_quadrature_create(flx_ctx *ctx, int n, bool inner, flx_quadrature *q)
{
    *q = (flx_quadrature){.n = n, .inner = inner};
    q->sum = flx_alloc(ctx, (size_t)n, sizeof *q->sum);
    q->past = flx_alloc(ctx, 3 * (size_t)n, sizeof *q->past);
    return q->sum && q->past ? FLX_OK : FLX_ERR_MEMORY;
}

void flx_quadrature_clear(flx_quadrature *q)
{
    flx_free(q->sum);
    flx_free(q->past);
    *q = (flx_quadrature){0};
}

void flx_quadrature_start(flx_quadrature *q, double t, const double *value)
{
    memset(q->sum, 0, (size_t)q->n * sizeof *q->sum);
    flx_quadrature_jump(q, t, value);
}

void flx_quadrature_jump(flx_quadrature *q, double t, const double *value)
{
    memcpy(q->past, value, (size_t)q->n * sizeof *value);
    q->times[0] = t;
    q->known = 1;
}

// (LED-3) integral over [t1, t1 + h] of the polynomial through (t, f) and the step ends, the newest
// first: f1 + [1,0] s + [2,1,0] s (s - h) + [3,2,1,0] s (s - h) (s + d2), s = time since t1.
static double newest_interval(int known, const double *times, double t, const double f[3],
                              double end)
{
    double h = t - times[0], d2 = known > 1 ? times[0] - times[1] : 0.0;
    double d3 = known > 2 ? times[0] - times[2] : 0.0;
    double slope = (end - f[0]) / h, sum = h * f[0] + h * h / 2.0 * slope;
    if (known < 2) return sum;
    double slope2 = (f[0] - f[1]) / d2, second = (slope - slope2) / (h + d2);
    // int s (s - h) = -h^3/6
    sum -= h * h * h / 6.0 * second;
    if (known < 3) return sum;
    double slope3 = (f[1] - f[2]) / (d3 - d2), second3 = (slope2 - slope3) / d3;
    double third = (second - second3) / (h + d3);
    // int s (s - h) (s + d2) = -h^4/12 - d2 h^3/6
    return sum - (h * h * h * h / 12.0 + d2 * h * h * h / 6.0) * third;
}

void flx_quadrature_extend(const flx_quadrature *q, double t, const double *inner,
                           const double *end, double *out)
{
    double h = t - q->times[0];
    int n = q->n;
    for (int i = 0; i < n; i++) {
        const double f[3] = {q->past[i], q->past[n + i], q->past[2 * n + i]};
        if (!(h > 0.0)) {
            out[i] = q->sum[i];
        } else if (inner) {
            double sum = (f[0] + end[i]) / 30.0;
            for (int k = 0; k < FLX_LOBATTO_INNER; k++) sum += weight[k] * inner[k * n + i];
            out[i] = q->sum[i] + h * sum;
        } else {
            out[i] = q->sum[i] + newest_interval(q->known, q->times, t, f, end[i]);
        }
    }
}

void flx_quadrature_step(flx_quadrature *q, double t, const double *inner, const double *end)
{
    size_t bytes = (size_t)q->n * sizeof *end;
    if (!(t > q->times[0])) return;
    flx_quadrature_extend(q, t, inner, end, q->sum);
    memmove(q->past + q->n, q->past, 2 * bytes);
    memcpy(q->past, end, bytes);
    memmove(q->times + 1, q->times, 2 * sizeof *q->times);
    q->times[0] = t;
    if (q->known < 3) q->known++;
}
