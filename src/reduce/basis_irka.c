// basis_irka.c - interpolation at mirrored poles along the loads of the reduced body, until they stand still: what is best
// in the mean square over all frequencies fulfils it.
//
//     x_k = (s_k^2 + s_k D + K)^-1 B b_k,   s_k = -conj(pole k),   b_k: what shape k has of the ports   (RED-11)
#include "math/blas.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "reduce/bases.h"

#include <math.h>
#include <string.h>

#define TURNS 50
#define STILL 1e-8

typedef struct irka {
    const flx_ritz *r;
    int m, n;      // Ritz vectors, shapes
    double *V;     // (n, m) orthonormal
    double *L, *b; // (n), (p, n) of the shapes
    double *X;     // (2 n, m)
} irka;

static double damping_of(const flx_ritz *r, double L)
{
    return r->damping.alpha + r->damping.beta * L + r->damping.loss * sqrt(L);
}

// The shapes by their own frequencies.
static flx_status reduce(irka *a)
{
    flx_ctx *ctx = a->r->ports.ctx;
    int m = a->m, n = a->n, p = a->r->model.p;
    double *W = flx_alloc(ctx, 2 * (size_t)m * (size_t)n + (size_t)n * (size_t)n, sizeof *W);
    if (!W) return FLX_ERR_MEMORY;
    double *Y = W + (size_t)m * (size_t)n, *G = Y + (size_t)m * (size_t)n;
    for (int i = 0; i < m * n; i++) W[i] = a->V[i] * a->r->model.L[i % m];
    flx_dense_multiply(true, false, n, n, m, a->V, W, G);
    flx_status status = flx_dense_symmetric_eigen(ctx, n, G, a->L);
    if (status == FLX_OK) {
        flx_dense_multiply(false, false, m, n, n, a->V, G, Y);
        memcpy(a->V, Y, (size_t)m * (size_t)n * sizeof *Y);
        flx_dense_multiply(true, false, n, p, m, a->V, a->r->model.b, a->b);
    }
    flx_free(W);
    return status;
}

// (RED-11), real and imaginary parts of unit size.
static void interpolate(irka *a)
{
    int m = a->m, n = a->n, p = a->r->model.p;
    for (int k = 0; k < n; k++) {
        double d = damping_of(a->r, a->L[k]), w2 = a->L[k] - 0.25 * d * d;
        double complex s = flx_complex(0.5 * d, sqrt(fmax(w2, 0.0)));
        double *re = a->X + 2 * (size_t)k * (size_t)m, *im = re + m;
        for (int i = 0; i < m; i++) {
            double load = 0, L = a->r->model.L[i];
            for (int j = 0; j < p; j++) load += a->r->model.b[j * m + i] * a->b[j * n + k];
            double complex x = load / (s * s + s * damping_of(a->r, L) + L);
            re[i] = creal(x) * sqrt(L);
            im[i] = cimag(x) * sqrt(L);
        }
        double size = hypot(flx_blas_norm(m, re), flx_blas_norm(m, im));
        if (size > 0) FLX_ONE_THREAD cblas_dscal(2 * m, 1 / size, re, 1);
    }
}

// Leading left singular vectors of X, in coordinates whose sum of squares is the energy: by mass little of a stiff mode beside the
// lowest counts nothing, and makes it much too stiff.
static flx_status span(irka *a)
{
    flx_ctx *ctx = a->r->ports.ctx;
    int m = a->m, k = 2 * a->n;
    double *w = flx_alloc(ctx, (size_t)(m < k ? m : k), sizeof *w);
    double *U = flx_alloc(ctx, (size_t)m * (size_t)m, sizeof *U);
    double *V = flx_alloc(ctx, (size_t)k * (size_t)k, sizeof *V);
    flx_status status = w && U && V ? flx_dense_svd(ctx, m, k, a->X, w, U, V) : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        for (int i = 0; i < m * a->n; i++) a->V[i] = U[i] / sqrt(a->r->model.L[i % m]);
        status = flx_dense_orthonormalise(ctx, m, a->n, a->V);
    }
    flx_free(w);
    flx_free(U);
    flx_free(V);
    return status;
}

static flx_status iterate(irka *a, double *before, bool *still)
{
    for (int turn = 0; turn < TURNS && !*still; turn++) {
        memcpy(before, a->L, (size_t)a->n * sizeof *before);
        interpolate(a);
        FLX_TRY(span(a));
        FLX_TRY(reduce(a));
        double change = 0;
        for (int k = 0; k < a->n; k++) {
            change = fmax(change, fabs(sqrt(a->L[k]) - sqrt(before[k])) / sqrt(a->L[k]));
        }
        *still = change < STILL;
    }
    return FLX_OK;
}

flx_status flx_basis_irka(flx_shape_search *q, const flx_ritz *r, flx_ritz_choice *c)
{
    flx_ctx *ctx = q->s->ctx;
    irka a = {.r = r, .m = r->m, .n = q->b->shapes > 0 ? q->b->shapes : 2 * r->modes + 1};
    if (a.n > r->m) a.n = r->m;
    size_t m = (size_t)a.m, n = (size_t)a.n, p = (size_t)r->model.p;
    double *all = flx_alloc(ctx, 3 * m * n + 2 * n + p * n, sizeof *all);
    bool still = false;
    if (!all) return FLX_ERR_MEMORY;
    a.V = all;
    a.X = a.V + m * n;
    a.L = a.X + 2 * m * n;
    a.b = a.L + n;
    double *before = a.b + p * n;
    for (size_t k = 0; k < n; k++) a.V[k * m + k] = 1; // the lowest Ritz vectors to begin with
    flx_status status = reduce(&a);
    if (status == FLX_OK) status = iterate(&a, before, &still);
    if (status == FLX_OK && !still) {
        flx_ctx_warn(ctx, q->s->loc, "irka: the poles of %d shapes still move after %d turns", a.n,
                     TURNS);
    }
    if (status == FLX_OK) status = flx_ritz_choice_init(r, -1, c);
    if (status == FLX_OK) {
        for (size_t i = 0; i < m * n; i++) a.V[i] *= sqrt(r->model.L[i % m]);
        status = flx_ritz_choice_add(c, a.n, a.V, 1e-12);
    }
    flx_free(all);
    return status;
}
