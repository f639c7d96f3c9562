// port_errors.c - how far a model of a body is from another at its ports, in every condition and at every frequency.
//
//     eps(f) = |H - H'|_F / |H|_F, ports scaled by (b^T K^+ b)^(-1/2)                              (RED-4)
#include "math/blas.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "reduce/ritz/ports.h"
#include "reduce/shapes_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 200 // frequencies of a band, beside its resonances

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

flx_status flx_port_grid_init(const flx_ports *ports, const flx_port_model *model,
                              const flx_port_conditions *c, double from, double to,
                              flx_port_grid *out)
{
    int room = model->m + ports->nrigid, found = 0;
    *out = (flx_port_grid){0};
    out->hz = flx_alloc(ports->ctx, POINTS + (size_t)room * (size_t)c->count, sizeof *out->hz);
    double *w = flx_alloc(ports->ctx, (size_t)room, sizeof *w);
    flx_status status = out->hz && w ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        for (int k = 1; k <= POINTS; k++) out->hz[out->count++] = from + (to - from) * k / POINTS;
    }
    for (int i = 0; i < c->count && status == FLX_OK; i++) {
        status = flx_port_resonances(ports, model, c->items + i, room, w, &found);
        for (int k = 0; k < found && status == FLX_OK; k++) {
            double hz = sqrt(w[k]) / (2 * FLX_PI);
            if (hz > 1e-3 * to && hz >= from && hz <= to) out->hz[out->count++] = hz;
        }
    }
    if (status == FLX_OK) qsort(out->hz, (size_t)out->count, sizeof *out->hz, compare);
    flx_free(w);
    if (status != FLX_OK) {
        flx_free(out->hz);
        *out = (flx_port_grid){0};
    }
    return status;
}

// Of all conditions at a frequency: out (conditions), `step` apart.
static void errors_at(const flx_ports *ports, const flx_port_conditions *c, double hz,
                      const flx_damping *d, const flx_port_model *full,
                      const flx_port_model *reduced, flx_port_work *a, flx_port_work *b, int step,
                      double *out)
{
    double w = 2 * FLX_PI * hz;
    bool good = flx_port_respond(full, d, w, a) && flx_port_respond(reduced, d, w, b);
    if (good) flx_port_add_rigid(ports, d, w, a);
    if (good) flx_port_add_rigid(ports, d, w, b);
    for (int i = 0; i < c->count; i++) {
        double *error = out + (size_t)i * (size_t)step;
        *error = (double)INFINITY;
        if (!good || !flx_port_hold(ports, c->items + i, a) ||
            !flx_port_hold(ports, c->items + i, b))
            continue;
        int size = c->items[i].all ? full->p * full->p : a->columns * a->columns;
        double whole = flx_port_norm(size, a->C);
        for (int e = 0; e < size; e++) b->C[e] -= a->C[e];
        *error = whole > 0 ? flx_port_norm(size, b->C) / whole : 0;
    }
}

flx_status flx_port_errors(const flx_ports *ports, const flx_port_conditions *c,
                           const flx_port_grid *grid, const flx_damping *d,
                           const flx_port_model *full, const flx_port_model *reduced, double *out)
{
    flx_port_work a = {0}, b = {0};
    flx_status status = flx_port_work_init(ports->ctx, full->m, full->p, &a);
    if (status == FLX_OK) status = flx_port_work_init(ports->ctx, reduced->m, reduced->p, &b);
    for (int k = 0; k < grid->count && status == FLX_OK; k++)
        errors_at(ports, c, grid->hz[k], d, full, reduced, &a, &b, grid->count, out + k);
    flx_port_work_clear(&a);
    flx_port_work_clear(&b);
    return status;
}

flx_status flx_port_errors_exceed(const flx_ports *ports, const flx_port_conditions *c,
                                  const flx_port_grid *grid, const flx_damping *d,
                                  const flx_port_model *full, const flx_port_model *reduced,
                                  double known, double tolerance, int *at, bool *exceed)
{
    flx_port_work a = {0}, b = {0};
    double *errors = flx_alloc(ports->ctx, (size_t)c->count, sizeof *errors);
    flx_status status = errors ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_port_work_init(ports->ctx, full->m, full->p, &a);
    if (status == FLX_OK) status = flx_port_work_init(ports->ctx, reduced->m, reduced->p, &b);
    *exceed = false;
    for (int n = 0; n < grid->count && status == FLX_OK && !*exceed; n++) {
        int k = (*at + n) % grid->count;
        errors_at(ports, c, grid->hz[k], d, full, reduced, &a, &b, 1, errors);
        for (int i = 0; i < c->count; i++) *exceed = *exceed || errors[i] + known > tolerance;
        if (*exceed) *at = k;
    }
    flx_port_work_clear(&a);
    flx_port_work_clear(&b);
    flx_free(errors);
    return status;
}

// (V T)^T E V T of shapes V (r, n) put together by T (m, r).
static flx_status project_losses(const flx_free_structure *s, const flx_symmetric *E, int r, int m,
                                 const double *V, const double *T, double **out)
{
    size_t rr = (size_t)r * (size_t)r;
    double *EV = flx_alloc(s->ctx, (size_t)r * (size_t)E->n, sizeof *EV);
    double *A = flx_alloc(s->ctx, 2 * rr, sizeof *A);
    *out = flx_alloc(s->ctx, (size_t)m * (size_t)m, sizeof **out);
    bool there = EV && A && *out;
    if (there) {
        flx_symmetric_multiply(E, r, V, EV);
        flx_dense_multiply(true, false, r, r, E->n, V, EV, A);
        flx_dense_multiply(false, false, r, m, r, A, T, A + rr);
        flx_dense_multiply(true, false, m, m, r, T, A + rr, *out);
    }
    flx_free(EV);
    flx_free(A);
    return there ? FLX_OK : FLX_ERR_MEMORY;
}

// Shapes without mean motion, orthonormal: L and b of the scaled ports.
static flx_status project(const flx_shape_search *q, const flx_ports *ports, int r, double *V,
                          flx_port_model *out)
{
    const flx_free_structure *s = q->s;
    size_t n = q->n, rr = (size_t)r * (size_t)r;
    double *AV = flx_alloc(s->ctx, (size_t)r * n, sizeof *AV);
    double *M = flx_alloc(s->ctx, 3 * rr + (size_t)r, sizeof *M);
    flx_status status = AV && M ? FLX_OK : FLX_ERR_MEMORY;
    double *K = M ? M + rr : NULL, *T = M ? K + rr : NULL, *w = M ? T + rr : NULL;
    int first = 0, m = 0;
    if (status == FLX_OK) {
        flx_symmetric_multiply(s->M, r, V, AV);
        flx_dense_multiply(true, false, r, r, (int)n, V, AV, M);
        for (int k = 0; k < r; k++) { // of unit size each
            double size = M[k * r + k] > 0 ? 1 / sqrt(M[k * r + k]) : 0;
            FLX_ONE_THREAD cblas_dscal((int)n, size, V + (size_t)k * n, 1);
            FLX_ONE_THREAD cblas_dscal((int)n, size, AV + (size_t)k * n, 1);
        }
        flx_dense_multiply(true, false, r, r, (int)n, V, AV, M);
        flx_symmetric_multiply(s->K, r, V, AV);
        flx_dense_multiply(true, false, r, r, (int)n, V, AV, K);
        status = flx_dense_symmetric_eigen(s->ctx, r, M, w);
    }
    if (status == FLX_OK) { // M^-1/2 without what depends on the others
        while (first < r && !(w[first] > 1e-12 * w[r - 1])) first++;
        m = r - first;
        double *Y = M + (size_t)first * (size_t)r;
        for (int k = 0; k < m; k++)
            FLX_ONE_THREAD cblas_dscal(r, 1 / sqrt(w[first + k]), Y + (size_t)k * (size_t)r, 1);
        flx_dense_multiply(false, false, r, m, r, K, Y, T);
        flx_dense_multiply(true, false, m, m, r, Y, T, K);
        status = flx_port_model_init(s->ctx, m, ports->count, out);
        if (status == FLX_OK) status = flx_dense_symmetric_eigen(s->ctx, m, K, out->L);
        if (status == FLX_OK) flx_dense_multiply(false, false, r, m, m, Y, K, T);
    }
    if (status == FLX_OK) { // b = T^T V^T B
        double *VB = AV;
        int p = ports->count;
        flx_dense_multiply(true, false, r, p, (int)n, V, ports->B, VB);
        flx_dense_multiply(true, false, m, p, r, T, VB, out->b);
        for (int i = 0; i < m * p; i++) out->b[i] *= ports->scale[i / m];
        if (s->S) status = project_losses(s, s->S, r, m, V, T, &out->loss);
        if (s->D && status == FLX_OK) status = project_losses(s, s->D, r, m, V, T, &out->D);
    }
    flx_free(AV);
    flx_free(M);
    return status;
}

flx_status flx_port_model_of_shapes(const flx_shape_search *q, const flx_ports *ports, int r,
                                    const double *V, flx_port_model *out)
{
    size_t all = (size_t)r * q->n;
    double *W = flx_alloc(q->s->ctx, all, sizeof *W);
    *out = (flx_port_model){0};
    if (!W) return FLX_ERR_MEMORY;
    memcpy(W, V, all * sizeof *W);
    for (int k = 0; k < r; k++) flx_shapes_take_mean_away(q, W + (size_t)k * q->n);
    flx_status status = project(q, ports, r, W, out);
    flx_free(W);
    if (status != FLX_OK) flx_port_model_clear(out);
    return status;
}
