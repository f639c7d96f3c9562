// pivoted.c - few unknowns by singular values of the dense matrix, many by sparse LU; see pivoted.h.
#include "integrate/pivoted.h"

#include "base/common.h"
#include "math/dense.h"
#include "math/lu.h"

#include <math.h>
#include <string.h>

#define FEW 200
// A dense matrix is singular below this pivot.
#define NOTHING 1e-12

// A (n x n, column-major)
static void spread(const flx_pattern *p, const double *values, int n, double *A)
{
    memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
    for (int b = 0; b < p->nblock; b++) {
        for (int e = p->row[b]; e < p->row[b + 1]; e++) {
            int k = p->offset[e];
            for (int i = p->start[b]; i < p->start[b + 1]; i++) {
                for (int j = p->start[p->col[e]]; j < p->start[p->col[e] + 1]; j++)
                    A[(size_t)j * (size_t)n + (size_t)i] = values[k++];
            }
        }
    }
}

// What is left of b - A d, as a part of its terms.
static double find_error(const flx_pattern *p, const double *values, const double *b,
                         const double *d)
{
    double off = 0.0, size = 0.0;
    for (int r = 0; r < p->nblock; r++) {
        for (int i = p->start[r]; i < p->start[r + 1]; i++) {
            double sum = b[i], terms = fabs(sum);
            for (int e = p->row[r]; e < p->row[r + 1]; e++) {
                int c = p->col[e], width = p->start[c + 1] - p->start[c];
                const double *row = values + p->offset[e] + (i - p->start[r]) * width;
                for (int j = 0; j < width; j++) {
                    sum -= row[j] * d[p->start[c] + j];
                    terms += fabs(row[j] * d[p->start[c] + j]);
                }
            }
            off = fmax(off, fabs(sum));
            size = fmax(size, terms);
        }
    }
    return off > 0.0 ? off / size : 0.0;
}

static flx_status solve_dense(flx_ctx *ctx, const flx_pattern *p, const double *values, int n,
                              double *d, bool *solved)
{
    double *A = flx_alloc(ctx, (size_t)n * (size_t)n, sizeof *A);
    flx_status status = A ? FLX_OK : FLX_ERR_MEMORY;
    if (A) spread(p, values, n, A);
    *solved = A && flx_dense_is_full(n, n, A, NOTHING);
    if (*solved) {
        spread(p, values, n, A);
        status = flx_dense_least_norm(ctx, n, n, A, d, NOTHING);
    }
    flx_free(A);
    return status;
}

static flx_status solve_sparse(flx_ctx *ctx, const flx_pattern *p, const double *values, double *d,
                               bool *solved)
{
    flx_lu *lu = NULL;
    FLX_TRY(flx_lu_create(ctx, p, false, &lu));
    flx_status status = flx_lu_factor(lu, values);
    *solved = status == FLX_OK;
    if (*solved) flx_lu_solve(lu, d);
    flx_lu_destroy(&lu);
    return status < 0 ? status : FLX_OK;
}

flx_status flx_solve_pivoted(const flx_system *s, const double *values, double *d, double *error)
{
    const flx_pattern *p = &s->pattern;
    int n = p->start[p->nblock];
    bool solved;
    double *b = flx_alloc(s->ctx, (size_t)n, sizeof *b);
    if (!b) return FLX_ERR_MEMORY;
    memcpy(b, d, (size_t)n * sizeof *b);
    flx_status status = n <= FEW ? solve_dense(s->ctx, p, values, n, d, &solved)
                                 : solve_sparse(s->ctx, p, values, d, &solved);
    if (status == FLX_OK && solved) *error = find_error(p, values, b, d);
    flx_free(b);
    return status;
}
