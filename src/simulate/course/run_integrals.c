// run_integrals.c - integrals of powers and measures along a run.
//
// With dense output the 6-point Lobatto rule on [0, 1], good for the long steps of methods of high order,
//     int f = (f(0) + f(1))/30 + sum b_i f(c_i),   c = (1 -+ sqrt((7 +- 2 sqrt 7)/21))/2,  (LED-2)
//     b = (14 -+ sqrt 7)/60, the smaller one at the outer two
// and of methods up to order 5 whose powers have to be solved for at each place the 4-point rule,
//     int f = (f(0) + f(1))/12 + 5/12 sum f(c_i),   c = (1 -+ 1/sqrt 5)/2                  (LED-4)
// Without, the polynomial through the last four or six step ends (fewer at the beginning), integrated
// over the last step, (LED-3).
// Both use what a step leaves behind; no step waits for the next.
#include "simulate/simulation_parts.h"

#include <string.h>

// A step that is longer than so many times one before it does not look back at it.
#define GROWN 8.0

typedef struct rule {
    double end; // weight of both
    double at[FLX_LOBATTO_INNER], weight[FLX_LOBATTO_INNER];
} rule;

static const rule six = {
    1.0 / 30.0,
    {0.11747233803526765, 0.35738424175967745, 0.64261575824032255, 0.88252766196473235},
    {0.18923747814892349, 0.27742918851774318, 0.27742918851774318, 0.18923747814892349}};
static const rule four = {
    1.0 / 12.0, {0.27639320225002103, 0.72360679774997897}, {5.0 / 12.0, 5.0 / 12.0}};

static const rule *rule_of(const flx_quadrature *q)
{
    return q->inner == 2 ? &four : &six;
}

double flx_quadrature_place(const flx_quadrature *q, int k)
{
    return rule_of(q)->at[k];
}

flx_status flx_quadrature_create(flx_ctx *ctx, int n, int inner, int past, flx_quadrature *q)
{
    *q = (flx_quadrature){.n = n, .inner = inner, .most = past};
    q->sum = flx_alloc(ctx, (size_t)n, sizeof *q->sum);
    q->past = flx_alloc(ctx, FLX_QUADRATURE_PAST * (size_t)n, sizeof *q->past);
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

// (LED-3) integral from the last step end to t of the polynomial through (t, end) and the step ends,
// the newest first: Newton's divided differences, at the four points of Gauss.
static double newest_interval(int known, const double *times, double t, const double *f, double end)
{
    static const double c[2] = {0.33998104358485626, 0.86113631159405258},
                        b[2] = {0.65214515486254614, 0.34785484513745386}; // on [-1, 1]
    double node[FLX_QUADRATURE_PAST + 1], d[FLX_QUADRATURE_PAST + 1], sum = 0.0;
    double half = 0.5 * (t - times[0]), middle = times[0] + half;
    node[0] = t;
    d[0] = end;
    memcpy(node + 1, times, (size_t)known * sizeof *node);
    memcpy(d + 1, f, (size_t)known * sizeof *d);
    for (int k = 1; k <= known; k++) {
        for (int i = known; i >= k; i--) d[i] = (d[i] - d[i - 1]) / (node[i] - node[i - k]);
    }
    for (int j = 0; j < 4; j++) {
        double s = middle + (j % 2 ? half : -half) * c[j / 2], value = d[known];
        for (int k = known - 1; k >= 0; k--) value = d[k] + (s - node[k]) * value;
        sum += b[j / 2] * value;
    }
    return half * sum;
}

double flx_quadrature_mean(const flx_quadrature *q, int i, const double *begin, const double *inner,
                           const double *end)
{
    const rule *l = rule_of(q);
    double sum = l->end * (begin[i] + end[i]);
    for (int k = 0; k < q->inner; k++) sum += l->weight[k] * inner[k * q->n + i];
    return sum;
}

// Step ends that the polynomial may lead through: of steps that grow it swings between the ends, the more the farther back it
// reaches (by a thousand where each is four times as long as the one before it).
static int near_ends(const flx_quadrature *q, double h)
{
    int k = 1;
    while (k < q->known && GROWN * (q->times[k - 1] - q->times[k]) >= h) k++;
    return k;
}

double flx_quadrature_passes(const flx_quadrature *q, int i, double t, const double *inner,
                             const double *end)
{
    double h = t - q->times[0], f[FLX_QUADRATURE_PAST] = {0};
    const rule *l = rule_of(q);
    if (!(h > 0.0)) return 0.0;
    for (int k = 0; k < q->known; k++) f[k] = q->past[k * q->n + i];
    if (!inner) return newest_interval(near_ends(q, h), q->times, t, f, end[i]);
    double sum = l->end * (f[0] + end[i]);
    for (int k = 0; k < q->inner; k++) sum += l->weight[k] * inner[k * q->n + i];
    return h * sum;
}

void flx_quadrature_extend(const flx_quadrature *q, double t, const double *inner,
                           const double *end, double *out)
{
    for (int i = 0; i < q->n; i++) out[i] = q->sum[i] + flx_quadrature_passes(q, i, t, inner, end);
}

void flx_quadrature_step(flx_quadrature *q, double t, const double *inner, const double *end)
{
    size_t bytes = (size_t)q->n * sizeof *end;
    if (!(t > q->times[0])) return;
    flx_quadrature_extend(q, t, inner, end, q->sum);
    memmove(q->past + q->n, q->past, (FLX_QUADRATURE_PAST - 1) * bytes);
    memcpy(q->past, end, bytes);
    memmove(q->times + 1, q->times, (FLX_QUADRATURE_PAST - 1) * sizeof *q->times);
    q->times[0] = t;
    if (q->known < q->most) q->known++;
}
