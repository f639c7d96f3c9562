// krylov.c - GMRES with restarts, its rotations and its vectors.
#include "integrate/krylov.h"

#include "math/pattern.h"

#include <math.h>

enum { MOST_VECTORS = 30, MOST_CYCLES = 3 };
// Part of the first correction that may be left: Newton's iteration goes on from there.
#define LEFT 1e-10

struct flx_krylov {
    int n;
    double *V;                                // (MOST_VECTORS + 1, n) orthonormal
    double *x, *sum;                          // (n)
    double H[MOST_VECTORS][MOST_VECTORS + 1]; // by columns, upper triangle after rotations
    double c[MOST_VECTORS], s[MOST_VECTORS];
    double g[MOST_VECTORS + 1]; // right side
};

flx_status flx_krylov_create(flx_ctx *ctx, int n, flx_krylov **out)
{
    flx_krylov *k = flx_alloc(ctx, 1, sizeof *k);
    *out = k;
    if (!k) return FLX_ERR_MEMORY;
    k->n = n;
    k->V = flx_alloc(ctx, (MOST_VECTORS + 3) * (size_t)n, sizeof *k->V);
    if (!k->V) {
        flx_krylov_destroy(out);
        return FLX_ERR_MEMORY;
    }
    k->x = k->V + (size_t)(MOST_VECTORS + 1) * (size_t)n;
    k->sum = k->x + n;
    return FLX_OK;
}

void flx_krylov_destroy(flx_krylov **k)
{
    if (!k || !*k) return;
    flx_free((*k)->V);
    flx_free(*k);
    *k = NULL;
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static double *vector(flx_krylov *k, int j)
{
    return k->V + (size_t)j * (size_t)k->n;
}

// The new vector j + 1 made orthogonal to those before; its column of H, rotated.
static void take_in(flx_krylov *k, int j)
{
    double *w = vector(k, j + 1), *h = k->H[j];
    for (int i = 0; i <= j; i++) {
        const double *v = vector(k, i);
        h[i] = dot(w, v, k->n);
        for (int q = 0; q < k->n; q++) w[q] -= h[i] * v[q];
    }
    h[j + 1] = sqrt(dot(w, w, k->n));
    double inverse = h[j + 1] > 0.0 ? 1.0 / h[j + 1] : 0.0;
    for (int q = 0; q < k->n; q++) w[q] *= inverse;
    for (int i = 0; i < j; i++) {
        double up = k->c[i] * h[i] + k->s[i] * h[i + 1];
        h[i + 1] = k->c[i] * h[i + 1] - k->s[i] * h[i];
        h[i] = up;
    }
    double length = hypot(h[j], h[j + 1]);
    k->c[j] = length > 0.0 ? h[j] / length : 1.0;
    k->s[j] = length > 0.0 ? h[j + 1] / length : 0.0;
    h[j] = length;
    k->g[j + 1] = -k->s[j] * k->g[j];
    k->g[j] *= k->c[j];
}

// x += V y, H y = g of `count` vectors.
static void move(flx_krylov *k, int count)
{
    double y[MOST_VECTORS];
    for (int i = count - 1; i >= 0; i--) {
        double sum = k->g[i];
        for (int j = i + 1; j < count; j++) sum -= k->H[j][i] * y[j];
        y[i] = sum / k->H[i][i];
    }
    for (int j = 0; j < count; j++) {
        const double *v = vector(k, j);
        for (int q = 0; q < k->n; q++) k->x[q] += y[j] * v[q];
    }
}

bool flx_krylov_solve(flx_krylov *k, const flx_pattern *p, const double *A, const flx_ldl *factors,
                      double *b)
{
    size_t bytes = (size_t)k->n * sizeof *b;
    double wanted = 0.0;
    memset(k->x, 0, bytes);
    for (int cycle = 0; cycle < MOST_CYCLES; cycle++) {
        double *r = vector(k, 0);
        flx_pattern_apply(p, A, k->x, k->sum);
        for (int i = 0; i < k->n; i++) r[i] = b[i] - k->sum[i];
        flx_ldl_solve(factors, r);
        double size = sqrt(dot(r, r, k->n));
        if (cycle == 0) wanted = LEFT * size;
        if (!isfinite(size)) return false;
        if (size <= wanted) { // of zeros, too
            memcpy(b, k->x, bytes);
            return true;
        }
        for (int i = 0; i < k->n; i++) r[i] /= size;
        k->g[0] = size;
        int count = 0;
        while (count < MOST_VECTORS && fabs(k->g[count]) > wanted) {
            flx_pattern_apply(p, A, vector(k, count), vector(k, count + 1));
            flx_ldl_solve(factors, vector(k, count + 1));
            take_in(k, count++);
            if (!(k->H[count - 1][count - 1] > 0.0)) return false; // singular, or not a number
        }
        move(k, count);
        if (fabs(k->g[count]) <= wanted) {
            memcpy(b, k->x, bytes);
            return true;
        }
    }
    return false;
}
