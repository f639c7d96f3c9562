// shapes_residual.c - what the shapes of a basis leave out of the compliance at its interfaces.
//
// Forces f_i along the axes at one place, less the inertia of the rigid motion that they cause, so that
// they are in equilibrium, g_i = f_i - M R (R^T M R)^-1 R^T f_i:
//
//     r_ij = g_i . K^+ g_j - sum_k (V_k . g_i) (V_k . g_j) / (V_k . K V_k)                        (REC-1)
//
// the deflection of the whole structure less that of the shapes, both without their rigid motion. Shapes may
// be those of any frame: rigid motions among them do no work on g.
#include "math/blas.h"
#include "reduce/shapes_parts.h"

#include <string.h>

// Interfaces are taken in turns, so that many of them need no more room than some.
#define AT_ONCE 64

static void put_forces(const flx_shape_search *q, int first, int n, double *F)
{
    memset(F, 0, 3 * (size_t)n * q->n * sizeof *F);
    for (int i = 0; i < 3 * n; i++) {
        const flx_interface *f = q->s->interfaces + first + i / 3;
        double *x = F + (size_t)i * q->n;
        int c = i % 3;
        for (int k = 0; k < f->count[c]; k++) x[f->unknown[c][k]] += f->weight[c][k];
    }
}

static void subtract_shapes(const flx_shape_search *q, const flx_shapes *v, const double *F,
                            double out[9])
{
    int n = q->s->K->n;
    for (int k = 0; k < v->count; k++) {
        const double *V = v->V + (size_t)k * q->n;
        double work[3];
        for (int c = 0; c < 3; c++) work[c] = flx_blas_dot(n, V, F + (size_t)c * q->n);
        for (int c = 0; c < 9; c++) out[c] -= work[c / 3] * work[c % 3] / v->omega2[k];
    }
}

static flx_status find(const flx_shape_search *q, const flx_shapes *v, double *F, double *out,
                       double *whole)
{
    int m = q->s->ninterface, n = q->s->K->n;
    double *X = F + 3 * AT_ONCE * q->n, *Y = X + 3 * AT_ONCE * q->n;
    for (int first = 0; first < m; first += AT_ONCE) {
        int some = m - first < AT_ONCE ? m - first : AT_ONCE;
        put_forces(q, first, some, F);
        flx_shapes_relieve(q, 3 * some, F);
        FLX_TRY(flx_shapes_solve_free(q, 3 * some, F, X, Y));
        for (int i = 0; i < some; i++) {
            double *r = out + 9 * (first + i);
            const double *f = F + 3 * (size_t)i * q->n, *x = X + 3 * (size_t)i * q->n;
            for (int c = 0; c < 9; c++) {
                r[c] = 0.5 * (flx_blas_dot(n, f + c / 3 * q->n, x + c % 3 * q->n) +
                              flx_blas_dot(n, f + c % 3 * q->n, x + c / 3 * q->n));
            }
            if (whole) memcpy(whole + 9 * (first + i), r, 9 * sizeof *r);
            subtract_shapes(q, v, f, r);
        }
    }
    return FLX_OK;
}

flx_status flx_shapes_residual(const flx_free_structure *s, const flx_shapes *shapes, double *out,
                               double *whole)
{
    flx_shape_search q = {.s = s, .n = (size_t)s->K->n, .lowest = shapes->omega2[0]};
    double *F = flx_alloc(s->ctx, 9 * AT_ONCE * q.n, sizeof *F);
    flx_status status = F ? flx_shapes_prepare(&q) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = find(&q, shapes, F, out, whole);
    flx_free(F);
    flx_free(q.MR);
    return status;
}
