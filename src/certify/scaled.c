// scaled.c - eigenvalues of the scaled matrix of masses and constraints; see scaled.h.
#include "certify/scaled.h"

#include "math/dense.h"
#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double *take(flx_arena *arena, int m, int n)
{
    return flx_arena_take(arena, (size_t)m * (size_t)n, sizeof(double));
}

// K = R^T R in place, R upper; false: not positive definite.
static bool factor(int n, double *K)
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i <= j; i++) {
            double sum = K[j * n + i];
            for (int k = 0; k < i; k++) sum -= K[i * n + k] * K[j * n + k];
            if (i == j && !(sum > 0.0)) return false;
            K[j * n + i] = i == j ? sqrt(sum) : sum / K[i * n + i];
        }
        for (int i = j + 1; i < n; i++) K[j * n + i] = 0.0;
    }
    return true;
}

static double symmetric(const flx_frozen *f, const double *A, int i, int j)
{
    return 0.5 * (A[j * f->nv + i] + A[i * f->nv + j]);
}

flx_status flx_scaling_find(const flx_frozen *f, int n, const int *E, flx_arena *arena,
                            flx_scaling *out)
{
    double *R = take(arena, n, n), *M = take(arena, n, n), *w = take(arena, n, 1);
    double *RQ = take(arena, n, n), *copy = take(arena, n, n);
    *out = (flx_scaling){.n = n, .E = E, .inverse = take(arena, n, n)};
    if (!R || !M || !w || !RQ || !copy || !out->inverse) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            R[j * n + i] = symmetric(f, f->K, E[i], E[j]);
            M[j * n + i] = symmetric(f, f->M, E[i], E[j]);
        }
    }
    if (!factor(n, R)) return FLX_SINGULAR;
    // M <- R^-T M R^-1: forward substitution on columns, then on rows
    for (int side = 0; side < 2; side++) {
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) {
                double sum = side == 0 ? M[j * n + i] : M[i * n + j];
                for (int k = 0; k < i; k++) {
                    sum -= R[i * n + k] * (side == 0 ? M[j * n + k] : M[k * n + j]);
                }
                *(side == 0 ? &M[j * n + i] : &M[i * n + j]) = sum / R[i * n + i];
            }
        }
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < j; i++) M[j * n + i] = M[i * n + j];
    }
    FLX_TRY(flx_dense_symmetric_eigen(f->ctx, n, M, w));
    if (!(w[0] > DBL_EPSILON * w[n - 1])) return FLX_SINGULAR;
    // S^-1 = R^-1 Q w^(-1/4) Q^T
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) RQ[j * n + i] = M[j * n + i] / pow(w[j], 0.25);
    }
    flx_dense_multiply(false, true, n, n, n, RQ, M, out->inverse);
    memcpy(copy, R, (size_t)(n * n) * sizeof *copy);
    return flx_dense_solve(f->ctx, n, n, copy, out->inverse);
}

// B = A T for A (m x nv), in place; T: the identity but for S^-1.
static void turn_columns(const flx_scaling *s, int m, double *A, double *row)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < s->n; j++) {
            row[j] = 0.0;
            for (int k = 0; k < s->n; k++) row[j] += A[s->E[k] * m + i] * s->inverse[j * s->n + k];
        }
        for (int j = 0; j < s->n; j++) A[s->E[j] * m + i] = row[j];
    }
}

static void read_spectrum(const flx_frozen *f, int n, const double *w, const double *V,
                          flx_scaled *out)
{
    int first = 0;
    while (first < n && !(w[first] > 0.0)) first++;
    *out = (flx_scaled){.first = (double)NAN, .second = (double)NAN, .coordinate = -1};
    if (first >= n) return;
    out->first = w[first];
    if (first + 1 < n) out->second = w[first + 1];
    double most = 0.0;
    for (int i = 0; i < f->nv; i++) {
        double part = fabs(V[first * n + f->nh + i]);
        if (part > most) {
            most = part;
            out->coordinate = i;
        }
    }
    out->distance = sqrt(fmax(0.0, 2.0 - 2.0 * most));
}

flx_status flx_scaled_find(const flx_frozen *f, const flx_scaling *s, flx_scaled *out)
{
    int nv = f->nv, nh = f->nh, n = nv + nh;
    flx_arena *arena = flx_arena_create(f->ctx);
    if (!arena) return FLX_ERR_MEMORY;
    double *A = take(arena, n, n), *w = take(arena, n, 1), *G = take(arena, nh, nv);
    double *M = take(arena, nv, nv), *turned = take(arena, nv, nv), *row = take(arena, s->n, 1);
    flx_status status = A && w && G && M && turned && row ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        memcpy(G, f->G, (size_t)(nh * nv) * sizeof *G);
        memcpy(M, f->M, (size_t)(nv * nv) * sizeof *M);
        turn_columns(s, nh, G, row);
        turn_columns(s, nv, M, row);
        for (int i = 0; i < nv; i++) {
            for (int j = 0; j < nv; j++) turned[j * nv + i] = M[i * nv + j];
        }
        turn_columns(s, nv, turned, row);
        for (int j = 0; j < nv; j++) {
            for (int i = 0; i < nh; i++) A[(nh + j) * n + i] = A[i * n + nh + j] = G[j * nh + i];
            for (int i = 0; i < nv; i++) A[(nh + j) * n + nh + i] = turned[j * nv + i];
        }
        status = flx_dense_symmetric_eigen(f->ctx, n, A, w);
    }
    if (status == FLX_OK) read_spectrum(f, n, w, A, out);
    flx_arena_destroy(&arena);
    return status;
}

flx_status flx_scaling_take(const flx_frozen *f, const flx_model *model, int n, const int *E,
                            flx_arena *arena, flx_scaling *out)
{
    flx_status status = flx_scaling_find(f, n, E, arena, out);
    if (status != FLX_SINGULAR) return status;
    return FLX_FAIL(f->ctx, FLX_ERR_CANNOT, model->scaled[0].loc,
                    "'%s' and what is scaled with it are not stiff: the stiffness at rest is not "
                    "positive; name modes or variables that springs hold",
                    flx_reduced_name(model, model->scaled));
}

// ---- along a pilot ------------------------------------------------------------------------------

static flx_status follow(const flx_simulation *full, const flx_pilot *p, const flx_scaling *scaling,
                         flx_scaled_course *out)
{
    for (int k = 0; k < p->n; k++) {
        flx_frozen f;
        flx_scaled here;
        flx_arena *arena = flx_arena_create(full->ctx);
        if (!arena) return FLX_ERR_MEMORY;
        flx_status status = flx_frozen_create(full->sys, full->work, p->x[k], arena, &f);
        if (status == FLX_OK) status = flx_scaled_find(&f, scaling, &here);
        flx_arena_destroy(&arena);
        if (status != FLX_OK) return status;
        double ratio = here.second / here.first;
        if (k == 0) *out = (flx_scaled_course){here, ratio, ratio, here.coordinate >= 0};
        out->narrowest = fmin(out->narrowest, ratio);
        out->widest = fmax(out->widest, ratio);
        out->same = out->same && here.coordinate == out->start.coordinate;
    }
    return FLX_OK;
}

flx_status flx_scaled_course_find(const flx_simulation *full, const flx_model *model,
                                  const flx_pilot *p, flx_scaled_course *out)
{
    flx_scaling scaling;
    flx_frozen rest;
    *out = (flx_scaled_course){0};
    flx_arena *arena = flx_arena_create(full->ctx);
    int *E = arena ? flx_arena_take(arena, (size_t)full->sys->dims.nv, sizeof *E) : NULL;
    flx_status status = E ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        int n = flx_reduced_find(full, full->sys, model->nscaled, model->scaled, E);
        status = flx_simulation_freeze(full, full->sys, p->x[0], arena, &rest);
        if (status == FLX_OK) status = flx_scaling_take(&rest, model, n, E, arena, &scaling);
    }
    if (status == FLX_OK) status = follow(full, p, &scaling, out);
    flx_arena_destroy(&arena);
    return status;
}
