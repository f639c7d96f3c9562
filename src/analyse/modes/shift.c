// shift.c - products with T and P of a quadratic eigenvalue problem about a shift; see shift.h.
#include "analyse/modes/shift.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Of residuals: forces as work, any other row in parts of its largest number.
static void set_weights(flx_shift *w)
{
    const flx_quadratic *q = w->q;
    const flx_pattern *p = &q->pattern;
    for (int b = 0; b < p->nblock; b++) {
        for (int e = p->row[b]; e < p->row[b + 1]; e++) {
            int at = p->offset[e], cols = p->start[p->col[e] + 1] - p->start[p->col[e]];
            for (int i = p->start[b]; i < p->start[b + 1]; i++) {
                for (int j = 0; j < cols; j++, at++) {
                    w->weight[i] = fmax(w->weight[i], fmax(fabs(q->Q[0][at]), fabs(q->Q[1][at])));
                }
            }
        }
    }
    for (int i = 0; i < q->n; i++) {
        w->weight[i] = i < q->nv ? q->scale[i] : w->weight[i] > 0.0 ? 1.0 / w->weight[i] : 1.0;
    }
}

flx_status flx_shift_create(flx_quadratic *q, flx_shift *out)
{
    size_t n = (size_t)q->n;
    *out = (flx_shift){.q = q, .m = 2 * q->nv + q->nx};
    out->unit = flx_arena_take(q->arena, (size_t)out->m, sizeof(double));
    out->z = flx_arena_take(q->arena, 6 * n, sizeof(double));
    if (!out->unit || !out->z) return FLX_ERR_MEMORY;
    out->b = out->z + n;
    out->c = out->b + n;
    out->d = out->c + n;
    out->e = out->d + n;
    out->weight = out->e + n;
    set_weights(out);
    return FLX_OK;
}

flx_status flx_shift_move(flx_shift *w, double shift)
{
    const flx_quadratic *q = w->q;
    int nv = q->nv, first = nv + q->nx;
    for (int i = 0; i < first; i++) w->unit[i] = q->ease[i];
    for (int i = 0; i < nv; i++) w->unit[first + i] = shift * q->ease[i];
    return flx_quadratic_factor(w->q, shift);
}

// b += factor Q_k part, of the first n numbers in units.
static void add_product(flx_shift *w, int k, double factor, const double *part, int n, double *b)
{
    const flx_quadratic *q = w->q;
    memset(w->z, 0, (size_t)q->n * sizeof *w->z);
    for (int i = 0; i < n; i++) w->z[i] = part[i] * q->ease[i];
    flx_quadratic_multiply(q, k, w->z, w->c);
    for (int i = 0; i < q->n; i++) b[i] += factor * w->c[i];
}

// The solution of Q(shift) z = b as out; its rates over the shift are theta + other.
static void finish(flx_shift *w, const double *other, double *out)
{
    const flx_quadratic *q = w->q;
    int first = q->nv + q->nx;
    flx_quadratic_solve(q, w->b);
    memcpy(w->z, w->b, (size_t)q->n * sizeof *w->z);
    for (int i = 0; i < q->nv; i++) {
        double theta = w->z[i] / q->ease[i];
        out[first + i] = theta + other[i];
        out[i] = theta;
    }
    for (int i = q->nv; i < first; i++) out[i] = w->z[i] / q->ease[i];
}

void flx_shift_apply(flx_shift *w, const double *y, double *out)
{
    const flx_quadratic *q = w->q;
    double shift = q->shift;
    const double *rate = y + q->nv + q->nx;
    memset(w->b, 0, (size_t)q->n * sizeof *w->b);
    add_product(w, 1, -shift, y, q->nv + q->nx, w->b);
    add_product(w, 2, -shift * shift, y, q->nv, w->b);
    add_product(w, 2, -shift * shift, rate, q->nv, w->b);
    finish(w, y, out);
}

void flx_shift_apply_slow(flx_shift *w, const double *y, double *out)
{
    const flx_quadratic *q = w->q;
    const double *rate = y + q->nv + q->nx;
    memset(w->b, 0, (size_t)q->n * sizeof *w->b);
    add_product(w, 0, 1.0, y, q->nv + q->nx, w->b);
    add_product(w, 2, -q->shift * q->shift, rate, q->nv, w->b);
    finish(w, rate, out);
}

void flx_shift_to_units(const flx_shift *w, int k, double *C)
{
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < w->m; i++) C[(size_t)j * (size_t)w->m + (size_t)i] /= w->unit[i];
    }
}

void flx_shift_from_units(const flx_shift *w, int k, double *C)
{
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < w->m; i++) C[(size_t)j * (size_t)w->m + (size_t)i] *= w->unit[i];
    }
}

// ---- how good a mode is -------------------------------------------------------------------------

// Terms that are less than this part of what they are the difference of are rounding, or soon will be.
#define HARDLY 1e-10

static double norm(const double *weight, int from, int to, const double *a)
{
    double sum = 0.0;
    for (int i = from; i < to; i++) sum += weight[i] * weight[i] * a[i] * a[i];
    return sum;
}

// Sizes of z and of its largest number, or of reach, in the scales: into w->e.
static void find_sizes(flx_shift *w, const double *re, const double *im, double reach)
{
    const flx_quadratic *q = w->q;
    int n = q->nv + q->nx;
    for (int i = 0; i < q->n; i++) {
        w->e[i] = im ? hypot(re[i], im[i]) : fabs(re[i]);
        if (i < n) reach = fmax(reach, w->e[i] / q->scale[i]);
    }
    for (int i = 0; i < n; i++) w->e[i] += reach * q->scale[i];
}

double flx_shift_residual(flx_shift *w, const double s[2], const double *re, const double *im)
{
    const flx_quadratic *q = w->q;
    int n = q->n, nv = q->nv;
    double power[2] = {1.0, 0.0}, motion = 0.0, terms[2] = {0.0, 0.0};
    double *sums[2] = {w->b, w->z}, *bound = w->d;
    memset(w->b, 0, (size_t)n * sizeof *w->b);
    memset(w->z, 0, (size_t)n * sizeof *w->z);
    memset(bound, 0, (size_t)n * sizeof *bound);
    find_sizes(w, re, im, 0.0);
    for (int k = 0; k < 3; k++) {
        const double *const parts[2] = {re, im};
        double size = hypot(power[0], power[1]), term = 0.0;
        for (int j = 0; j < 2; j++) {
            flx_quadratic_multiply(q, k, parts[j], w->c);
            term += size * size * norm(w->weight, 0, nv, w->c);
            double along = power[0], across = j == 0 ? power[1] : -power[1];
            for (int i = 0; i < n; i++) sums[j][i] += along * w->c[i];
            for (int i = 0; i < n; i++) sums[1 - j][i] += across * w->c[i];
        }
        flx_quadratic_multiply_sizes(q, k, w->e, w->c);
        for (int i = 0; i < n; i++) bound[i] += size * w->c[i];
        motion = fmax(motion, sqrt(term));
        double next = power[0] * s[0] - power[1] * s[1];
        power[1] = power[0] * s[1] + power[1] * s[0];
        power[0] = next;
    }
    for (int j = 0; j < 2; j++) {
        int from = j == 0 ? 0 : nv, to = j == 0 ? nv : n;
        double size = sqrt(norm(w->weight, from, to, bound));
        double left = sqrt(norm(w->weight, from, to, sums[0]) + norm(w->weight, from, to, sums[1]));
        double of = j == 0 ? fmax(motion, HARDLY * size) : size;
        terms[j] = of > 0.0 ? left / of : 0.0;
    }
    return fmax(terms[0], terms[1]);
}

void flx_shift_rounding(flx_shift *w, const double *z, double reach, double *out)
{
    find_sizes(w, z, NULL, reach);
    flx_quadratic_multiply_sizes(w->q, 0, w->e, out);
    for (int i = 0; i < w->q->n; i++) out[i] *= DBL_EPSILON;
}
