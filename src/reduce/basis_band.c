// basis_band.c - as few shapes as a tolerance of the responses allows, up to a frequency, in every condition.
//
// Responses in the Ritz model at the points of a quadrature of the band and at the half-power points of every resonance,
// each weighted by 1/sqrt|H| in its condition, are snapshots; what is left of them beside the static shapes is ordered by
// the singular values in the norm of the energy:
//
//     z = L^(1/2) sqrt(weight/|H_c|_F) (p L - w^2 + i w alpha)^-1 b T_c,   Z = U S W^T             (RED-8)
#include "math/blas.h"
#include "math/eigen.h"
#include "math/quadrature.h"
#include "reduce/bases.h"
#include "reduce/ritz/ritz_choice.h"

#include <math.h>
#include <string.h>

#define PANELS 5 // of the band, of
#define GAUSS 12 // points each
#define PEAK                                                                                       \
    0.1 // weight of a point at a resonance in that of the mean point: they are seen, and do not rule
#define NOTHING 1e-14 // singular values in proportion, below which vectors are rounding

// Snapshots as rows, whose triangular factor is kept: R^T R = Z Z^T.
typedef struct snapshots {
    flx_ctx *ctx;
    int m, rows, room;
    double *A; // (m columns, room rows) by columns
    double *tau;
} snapshots;

// The rows become the m of their triangular factor.
static flx_status compress(snapshots *s)
{
    if (s->rows <= s->m) return FLX_OK;
    int info = 0;
    FLX_ONE_THREAD info =
        (int)LAPACKE_dgeqrf(LAPACK_COL_MAJOR, s->rows, s->m, s->A, s->room, s->tau);
    if (info != 0) return FLX_ERR_MEMORY;
    for (int j = 0; j < s->m; j++) {
        for (int i = j + 1; i < s->m; i++) s->A[(size_t)j * s->room + i] = 0;
    }
    s->rows = s->m;
    return FLX_OK;
}

static flx_status add_row(snapshots *s, const double *x)
{
    if (s->rows == s->room) FLX_TRY(compress(s));
    for (int k = 0; k < s->m; k++) s->A[(size_t)k * s->room + s->rows] = x[k];
    s->rows++;
    return FLX_OK;
}

typedef struct sampler {
    const flx_ritz *r;
    snapshots s;
    flx_port_work w;
    double *re, *im; // (m)
} sampler;

static flx_status sample(sampler *a, double hz, double weight)
{
    const flx_ritz *r = a->r;
    double omega = 2 * FLX_PI * hz;
    int m = r->m, p = r->model.p;
    if (!flx_port_respond(&r->model, &r->damping, omega, &a->w)) return FLX_OK;
    flx_port_add_rigid(&r->ports, &r->damping, omega, &a->w);
    for (int i = 0; i < r->conditions.count; i++) {
        const flx_port_condition *c = r->conditions.items + i;
        if (!flx_port_hold(&r->ports, c, &a->w)) continue;
        int size = c->all ? p * p : a->w.columns * a->w.columns;
        double norm = flx_port_norm(size, a->w.C);
        if (!(norm > 0)) continue;
        double factor = sqrt(weight / norm);
        for (int j = 0; j < a->w.columns; j++) {
            for (int k = 0; k < m; k++) {
                double complex sum = 0;
                for (int l = 0; l < p; l++) sum += a->w.y[l * m + k] * a->w.T[j * p + l];
                sum *= factor * sqrt(r->model.L[k]);
                a->re[k] = creal(sum);
                a->im[k] = cimag(sum);
            }
            FLX_TRY(add_row(&a->s, a->re));
            FLX_TRY(add_row(&a->s, a->im));
        }
    }
    return FLX_OK;
}

static flx_status sample_resonances(sampler *a)
{
    const flx_ritz *r = a->r;
    int room = r->m + r->ports.nrigid, found = 0;
    double weight = PEAK * (r->to - r->from) / (PANELS * GAUSS);
    double *w2 = flx_alloc(r->ports.ctx, (size_t)room, sizeof *w2);
    flx_status status = w2 ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = 0; i < r->conditions.count && status == FLX_OK; i++) {
        status =
            flx_port_resonances(&r->ports, &r->model, r->conditions.items + i, room, w2, &found);
        for (int k = 0; k < found && status == FLX_OK; k++) {
            double w = sqrt(w2[k]), hz = w / (2 * FLX_PI);
            if (!(hz > 1e-3 * r->to) || hz < r->from || hz > r->to) continue;
            double half = 0.5 * (r->damping.loss + w * r->damping.beta + r->damping.alpha / w);
            if (half > 0.3) half = 0.3;
            for (int side = -1; side <= 1 && status == FLX_OK; side++) {
                status = sample(a, hz * (1 + side * half), weight);
            }
        }
    }
    flx_free(w2);
    return status;
}

static flx_status take_samples(sampler *a)
{
    const flx_ritz *r = a->r;
    double x[GAUSS], w[GAUSS], width = (r->to - r->from) / PANELS;
    flx_quadrature_gauss(GAUSS, x, w);
    for (int k = 0; k < PANELS * GAUSS; k++) {
        double hz = r->from + width * (k / GAUSS + x[k % GAUSS]);
        FLX_TRY(sample(a, hz, w[k % GAUSS] * width));
    }
    FLX_TRY(sample_resonances(a));
    return compress(&a->s);
}

// Z (m, m) with Z Z^T that of all snapshots.
static flx_status find_snapshots(const flx_ritz *r, double *Z)
{
    size_t m = (size_t)r->m;
    flx_ctx *ctx = r->ports.ctx;
    sampler a = {.r = r, .s = {.ctx = ctx, .m = r->m, .room = 6 * r->m + 64}};
    a.s.A = flx_alloc(ctx, m * (size_t)a.s.room, sizeof *a.s.A);
    a.s.tau = flx_alloc(ctx, 3 * m, sizeof *a.s.tau);
    flx_status status =
        a.s.A && a.s.tau ? flx_port_work_init(ctx, r->m, r->model.p, &a.w) : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        a.re = a.s.tau + m;
        a.im = a.re + m;
        status = take_samples(&a);
    }
    if (status == FLX_OK) {
        for (size_t j = 0; j < m; j++) { // Z = R^T
            for (size_t i = 0; i < (size_t)a.s.rows; i++)
                Z[i * m + j] = a.s.A[j * (size_t)a.s.room + i];
        }
    }
    flx_port_work_clear(&a.w);
    flx_free(a.s.A);
    flx_free(a.s.tau);
    return status;
}

flx_status flx_basis_band(flx_shape_search *q, const flx_ritz *r, flx_ritz_choice *c)
{
    double *Z = flx_alloc(q->s->ctx, (size_t)r->m * (size_t)r->m, sizeof *Z);
    flx_status status = Z ? flx_ritz_choice_init(r, q->b->statics, c) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = find_snapshots(r, Z);
    if (status == FLX_OK) status = flx_ritz_choice_add(c, r->m, Z, NOTHING);
    flx_free(Z);
    return status;
}
