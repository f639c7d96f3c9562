// gmres.c - see gmres.h.
#include "integrate/slopes/gmres.h"

#include "base/arrays.h"

#include <math.h>
#include <string.h>

#define MOST 40  // directions
#define CYCLES 4 // from which it begins anew
#define CLOSE 1e-15
#define ENOUGH 1e-14 // another cycle is made above this

struct flx_gmres {
    double *V;     // (MOST + 1, n) orthonormal directions
    double *r, *u; // (n)
    double *H;     // (MOST + 1, MOST) by columns
    double *c, *s; // (MOST) rotations
    double *y;     // (MOST + 1)
    void *block;
};

flx_status flx_gmres_create(flx_ctx *ctx, int n, flx_gmres **out)
{
    flx_gmres *g = flx_alloc(ctx, 1, sizeof *g);
    *out = g;
    if (!g) return FLX_ERR_MEMORY;
    size_t m = (size_t)n;
    const flx_array arrays[] = {
        FLX_ARRAY(g->V, (MOST + 1) * m),    FLX_ARRAY(g->r, m),    FLX_ARRAY(g->u, m),
        FLX_ARRAY(g->H, (MOST + 1) * MOST), FLX_ARRAY(g->c, MOST), FLX_ARRAY(g->s, MOST),
        FLX_ARRAY(g->y, MOST + 1)};
    g->block = flx_alloc_arrays(ctx, arrays, sizeof arrays / sizeof arrays[0]);
    if (!g->block) flx_gmres_destroy(out);
    return *out ? FLX_OK : FLX_ERR_MEMORY;
}

void flx_gmres_destroy(flx_gmres **g)
{
    if (!g || !*g) return;
    flx_free((*g)->block);
    flx_free(*g);
    *g = NULL;
}

static double dot(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static double norm(const double *x, int n)
{
    return sqrt(dot(x, x, n));
}

// Column k of H, and the direction k + 1, out of u.
static void orthogonalise(flx_gmres *g, int n, int k)
{
    double *h = g->H + (size_t)k * (MOST + 1), *next = g->V + (size_t)(k + 1) * (size_t)n;
    memset(h, 0, (MOST + 1) * sizeof *h);
    for (int twice = 0; twice < 2; twice++) {
        for (int j = 0; j <= k; j++) {
            const double *v = g->V + (size_t)j * (size_t)n;
            double a = dot(v, g->u, n);
            h[j] += a;
            for (int i = 0; i < n; i++) g->u[i] -= a * v[i];
        }
    }
    h[k + 1] = norm(g->u, n);
    for (int i = 0; i < n; i++) next[i] = h[k + 1] > 0.0 ? g->u[i] / h[k + 1] : 0.0;
}

static void rotate(flx_gmres *g, int k)
{
    double *h = g->H + (size_t)k * (MOST + 1);
    for (int j = 0; j < k; j++) {
        double a = h[j], b = h[j + 1];
        h[j] = g->c[j] * a + g->s[j] * b;
        h[j + 1] = -g->s[j] * a + g->c[j] * b;
    }
    double size = hypot(h[k], h[k + 1]);
    g->c[k] = size > 0.0 ? h[k] / size : 1.0;
    g->s[k] = size > 0.0 ? h[k + 1] / size : 0.0;
    h[k] = size;
    h[k + 1] = 0.0;
    g->y[k + 1] = -g->s[k] * g->y[k];
    g->y[k] *= g->c[k];
}

// One cycle from the residual r, whose size is `size`.
static flx_status cycle(flx_gmres *g, int n, const flx_gmres_system *s, double size, double goal,
                        double *x)
{
    int k = 0;
    memset(g->y, 0, (MOST + 1) * sizeof *g->y);
    g->y[0] = size;
    for (int i = 0; i < n; i++) g->V[i] = g->r[i] / size;
    while (k < MOST && k < n && fabs(g->y[k]) > goal) {
        double *v = g->r; // scratch now
        memcpy(v, g->V + (size_t)k * (size_t)n, (size_t)n * sizeof *v);
        s->solve(s->user, v);
        FLX_TRY(s->product(s->user, v, g->u));
        orthogonalise(g, n, k);
        rotate(g, k++);
    }
    for (int i = k - 1; i >= 0; i--) {
        for (int j = i + 1; j < k; j++) g->y[i] -= g->H[(size_t)j * (MOST + 1) + i] * g->y[j];
        double pivot = g->H[(size_t)i * (MOST + 1) + i];
        g->y[i] = pivot != 0.0 ? g->y[i] / pivot : 0.0;
    }
    memset(g->u, 0, (size_t)n * sizeof *g->u);
    for (int j = 0; j < k; j++) {
        const double *v = g->V + (size_t)j * (size_t)n;
        for (int i = 0; i < n; i++) g->u[i] += g->y[j] * v[i];
    }
    s->solve(s->user, g->u);
    for (int i = 0; i < n; i++) x[i] += g->u[i];
    return FLX_OK;
}

flx_status flx_gmres_solve(flx_gmres *g, int n, const flx_gmres_system *s, const double *b,
                           double *x, double *left)
{
    double first = norm(b, n), last = first;
    memset(x, 0, (size_t)n * sizeof *x);
    memcpy(g->r, b, (size_t)n * sizeof *b);
    *left = 0.0;
    if (!(first > 0.0)) return FLX_OK;
    for (int k = 0; k < CYCLES && last > ENOUGH * first; k++) {
        FLX_TRY(cycle(g, n, s, last, CLOSE * first, x));
        FLX_TRY(s->product(s->user, x, g->u));
        for (int i = 0; i < n; i++) g->r[i] = b[i] - g->u[i];
        double now = norm(g->r, n);
        bool gained = now < 0.5 * last;
        last = now;
        if (!gained) break;
    }
    // as a change of the solution: what is left of a large one may be rounding, however small the right side is
    s->solve(s->user, g->r);
    double size = norm(x, n);
    *left = size > 0.0 ? norm(g->r, n) / size : last / first;
    return FLX_OK;
}
