// sparse_lu.c - LU of a sparse matrix in compressed columns, by KLU. The order of the pivots is kept for the next values and
// sought anew where it has become a bad one.
#include "math/sparse/sparse_lu.h"

#include <klu.h>

#define GROWS 1e-6 // reciprocal growth of a kept order, as a part of that of the fresh one

struct flx_sparse_lu {
    flx_ctx *ctx;
    int n;
    int *begin, *row; // borrowed
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric; // NULL: none
    double growth;        // of the fresh order
};

flx_status flx_sparse_lu_create(flx_ctx *ctx, int n, int *begin, int *row, flx_sparse_order order,
                                flx_sparse_lu **out)
{
    *out = NULL;
    flx_sparse_lu *f = flx_alloc(ctx, 1, sizeof *f);
    if (!f) return FLX_ERR_MEMORY;
    *f = (flx_sparse_lu){.ctx = ctx, .n = n, .begin = begin, .row = row};
    klu_defaults(&f->common);
    if (order == FLX_SPARSE_AS_IS) {
        f->common.btf = 0;
        f->symbolic = klu_analyze_given(n, begin, row, NULL, NULL, &f->common);
    } else {
        f->common.ordering = 1; // COLAMD: zeros on the diagonal move pivots away from it
        f->symbolic = klu_analyze(n, begin, row, &f->common);
    }
    if (f->symbolic) {
        *out = f;
        return FLX_OK;
    }
    bool memory = f->common.status == KLU_OUT_OF_MEMORY;
    flx_free(f);
    if (!memory) return FLX_SINGULAR;
    return FLX_FAIL(ctx, FLX_ERR_MEMORY, FLX_NOWHERE,
                    "out of memory in analysing a matrix of %d unknowns", n);
}

void flx_sparse_lu_destroy(flx_sparse_lu **f)
{
    if (!f || !*f) return;
    if ((*f)->numeric) klu_free_numeric(&(*f)->numeric, &(*f)->common);
    klu_free_symbolic(&(*f)->symbolic, &(*f)->common);
    flx_free(*f);
    *f = NULL;
}

// Whether the factors at hand have full rank; growth: reciprocal, of the pivots.
static bool measure(flx_sparse_lu *f, double *values, double *growth)
{
    klu_common *c = &f->common;
    bool deficient = c->numerical_rank >= 0 && c->numerical_rank < f->n;
    if (deficient || c->status != KLU_OK) return false;
    if (!klu_rgrowth(f->begin, f->row, values, f->symbolic, f->numeric, c)) return false;
    *growth = c->rgrowth;
    return klu_rcond(f->symbolic, f->numeric, c) && c->rcond > 0.0;
}

flx_status flx_sparse_lu_factor(flx_sparse_lu *f, double *values, int *column)
{
    klu_common *c = &f->common;
    double growth = 0.0;
    if (column) *column = -1;
    if (f->numeric && klu_refactor(f->begin, f->row, values, f->symbolic, f->numeric, c) &&
        measure(f, values, &growth) && growth > GROWS * f->growth)
        return FLX_OK;
    if (f->numeric) klu_free_numeric(&f->numeric, c);
    f->numeric = klu_factor(f->begin, f->row, values, f->symbolic, c);
    if (!f->numeric && c->status == KLU_OUT_OF_MEMORY) {
        return FLX_FAIL(f->ctx, FLX_ERR_MEMORY, FLX_NOWHERE,
                        "out of memory in factoring a matrix of %d unknowns", f->n);
    }
    if (f->numeric && measure(f, values, &f->growth)) return FLX_OK;
    if (column && c->singular_col >= 0 && c->singular_col < f->n) *column = c->singular_col;
    if (f->numeric) klu_free_numeric(&f->numeric, c);
    return FLX_SINGULAR;
}

void flx_sparse_lu_solve(const flx_sparse_lu *f, double *b)
{
    klu_common common = f->common; // its statistics change
    klu_solve(f->symbolic, f->numeric, f->n, 1, b, &common);
}

void flx_sparse_lu_solve_t(const flx_sparse_lu *f, double *b)
{
    klu_common common = f->common;
    klu_tsolve(f->symbolic, f->numeric, f->n, 1, b, &common);
}

double flx_sparse_lu_rcond(const flx_sparse_lu *f)
{
    return f->common.rcond;
}
