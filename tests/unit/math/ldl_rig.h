// ldl_rig.h - a saddle-point matrix, its factors, and the same by dense LAPACK.
#pragma once

#include "check.h"
#include "math/ldl/ldl.h"
#include "saddle_matrix.h"

#include <float.h>
#include <lapacke.h>

typedef struct rig {
    flx_ctx *ctx;
    saddle_matrix m;
    flx_ldl *f;
} rig;

static inline rig rig_start(void)
{
    return (rig){.ctx = flx_ctx_create()};
}

static inline void rig_end(rig *r)
{
    flx_ldl_destroy(&r->f);
    sm_free(&r->m);
    flx_ctx_destroy(&r->ctx);
}

static inline flx_status make(rig *r, bool pairs, bool complex_values)
{
    if (!r->m.start) sm_finish(&r->m, pairs);
    return flx_ldl_create(r->ctx, &r->m.pattern, r->m.sign, complex_values, &r->f);
}

// The dense symmetric part, column-major.
static inline double *dense(saddle_matrix *m)
{
    double *a = sm_zeroed(m->n * m->n, sizeof *a);
    for (int i = 0; i < m->nblock; i++) {
        for (int e = m->row[i]; e < m->row[i + 1]; e++) {
            const double *v = m->values + m->offset[e];
            for (int r = m->start[i]; r < m->start[i + 1]; r++) {
                for (int c = m->start[m->col[e]]; c < m->start[m->col[e] + 1]; c++, v++) {
                    a[r + c * m->n] += 0.5 * *v;
                    a[c + r * m->n] += 0.5 * *v;
                }
            }
        }
    }
    return a;
}

// Largest difference to LAPACK's solution, against its largest entry.
static inline double solve_error(rig *r)
{
    saddle_matrix *m = &r->m;
    double *a = dense(m), *b = sm_zeroed(m->n, sizeof *b), *x = sm_zeroed(m->n, sizeof *x);
    lapack_int *pivot = sm_zeroed(m->n, sizeof *pivot);
    for (int i = 0; i < m->n; i++) b[i] = x[i] = sm_random(m);
    flx_ldl_solve(r->f, b);
    lapack_int info = LAPACKE_dgesv(LAPACK_COL_MAJOR, m->n, 1, a, m->n, pivot, x, m->n);
    double error = info ? HUGE_VAL : 0, size = 0;
    for (int i = 0; i < m->n; i++) {
        size = fmax(size, fabs(x[i]));
        if (!(fabs(b[i] - x[i]) <= error)) error = fabs(b[i] - x[i]);
    }
    free(a);
    free(b);
    free(x);
    free(pivot);
    return m->n ? error / size : 0;
}
