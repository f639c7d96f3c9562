// basis_snapshots.c - shapes of what a body did in a run: its displacements at nodes of the mesh are fitted by Ritz vectors and
// rigid motions,
//
//     min over x, a of |Q x + R a - u|,   z = L^(1/2) x,   Z = U S W^T                             (RED-19)
// and the leading left vectors follow the static shapes, which are kept. A run is made of other shapes and seen from another
// frame than this body: that is why rigid motions are in the fit.
#include "math/blas.h"
#include "math/dense.h"
#include "reduce/bases.h"

#include <math.h>
#include <string.h>

#define COARSE 1e-6 // what single precision leaves of a fit, and of singular values
#define STRANGE                                                                                    \
    0.01 // part of the displacements that loads at the interfaces do not make: it is told

typedef struct fit {
    int m, rigid, rows;  // Ritz vectors, rigid motions; unknowns that are seen
    int *unknown, *from; // (rows) of the structure, of a snapshot
    double *A;           // (m + rigid, rows)
    double *B;           // (snapshots, rows or m + rigid) right sides, then solutions
} fit;

static void clear(fit *f)
{
    flx_free(f->unknown);
    flx_free(f->from);
    flx_free(f->A);
    flx_free(f->B);
}

// A node stands in the result where it stands in this mesh, to the digits of single precision.
static flx_status compare_place(const flx_free_structure *s, int i, const double *at, double size)
{
    const double *x = s->at + 3 * (size_t)i;
    double far = 0;
    for (int c = 0; c < 3; c++) far = fmax(far, fabs(x[c] - at[c]));
    if (far <= 1e-4 * size) return FLX_OK;
    return FLX_FAIL(s->ctx, FLX_ERR_MODEL, s->loc,
                    "the result is of another mesh: its node %d was at (%g, %g, %g), and here it "
                    "is at (%g, %g, %g)",
                    s->label[i], at[0], at[1], at[2], x[0], x[1], x[2]);
}

// How far the unknowns reach along an axis.
static double extent(const flx_free_structure *s)
{
    double most = 0;
    for (int c = 0; c < 3; c++) {
        double low = s->at[c], high = low;
        for (int i = 0; i < s->K->n; i++) {
            low = fmin(low, s->at[3 * (size_t)i + (size_t)c]);
            high = fmax(high, s->at[3 * (size_t)i + (size_t)c]);
        }
        most = fmax(most, high - low);
    }
    return most;
}

// Unknowns that are displacements of nodes of the snapshots.
static flx_status find_rows(const flx_free_structure *s, const flx_snapshots *u, fit *f)
{
    int n = s->K->n, most = 0;
    for (int i = 0; i < n; i++) most = s->label[i] > most ? s->label[i] : most;
    int *place = flx_alloc(s->ctx, (size_t)most + 1, sizeof *place);
    f->unknown = flx_alloc(s->ctx, (size_t)n, sizeof *f->unknown);
    f->from = flx_alloc(s->ctx, (size_t)n, sizeof *f->from);
    if (!place || !f->unknown || !f->from) {
        flx_free(place);
        return FLX_ERR_MEMORY;
    }
    for (int i = 0; i < u->places; i++) {
        if (u->label[i] >= 0 && u->label[i] <= most) place[u->label[i]] = i + 1;
    }
    double size = extent(s);
    flx_status status = FLX_OK;
    for (int i = 0; i < n && status == FLX_OK; i++) {
        int k = s->label[i] >= 0 ? place[s->label[i]] : 0;
        if (k == 0 || s->component[i] > 2) continue;
        status = compare_place(s, i, u->at + 3 * (size_t)(k - 1), size);
        f->unknown[f->rows] = i;
        f->from[f->rows++] = 3 * (k - 1) + s->component[i];
    }
    flx_free(place);
    return status;
}

static flx_status solve(const flx_free_structure *s, const flx_ritz *r, const flx_snapshots *u,
                        fit *f)
{
    int columns = f->m + f->rigid, rows = f->rows, info = 0, rank = 0;
    int ldb = rows > columns ? rows : columns;
    double before = 0, after = 0;
    f->A = flx_alloc(s->ctx, (size_t)rows * (size_t)columns + (size_t)columns, sizeof *f->A);
    f->B = flx_alloc(s->ctx, (size_t)ldb * (size_t)u->count, sizeof *f->B);
    if (!f->A || !f->B) return FLX_ERR_MEMORY;
    double *w = f->A + (size_t)rows * (size_t)columns;
    for (int k = 0; k < columns; k++) {
        const double *v = k < f->m ? r->Q + (size_t)k * (size_t)r->ports.n
                                   : s->rigid + (size_t)(k - f->m) * (size_t)s->K->n;
        double size = 0; // columns of unit length, so that rounding is alike in all of them
        for (int i = 0; i < rows; i++) size += v[f->unknown[i]] * v[f->unknown[i]];
        w[k] = size > 0 ? 1 / sqrt(size) : 0;
        for (int i = 0; i < rows; i++)
            f->A[(size_t)k * (size_t)rows + (size_t)i] = w[k] * v[f->unknown[i]];
    }
    for (int j = 0; j < u->count; j++) {
        double *b = f->B + (size_t)j * (size_t)ldb;
        for (int i = 0; i < rows; i++)
            b[i] = u->u[(size_t)j * 3 * (size_t)u->places + (size_t)f->from[i]];
        for (int i = 0; i < rows; i++) before += b[i] * b[i];
    }
    double *scale = flx_alloc(s->ctx, 2 * (size_t)columns, sizeof *scale);
    if (!scale) return FLX_ERR_MEMORY;
    memcpy(scale, w, (size_t)columns * sizeof *w);
    FLX_ONE_THREAD info = (int)LAPACKE_dgelsd(LAPACK_COL_MAJOR, rows, columns, u->count, f->A, rows,
                                              f->B, ldb, scale + columns, COARSE, &rank);
    for (int j = 0; j < u->count && info == 0; j++) {
        double *b = f->B + (size_t)j * (size_t)ldb;
        for (int i = columns; i < rows && rank == columns; i++) after += b[i] * b[i];
        for (int k = 0; k < f->m; k++)
            f->B[(size_t)j * (size_t)f->m + (size_t)k] = b[k] * scale[k] * sqrt(r->model.L[k]);
    }
    flx_free(scale);
    if (info != 0)
        return FLX_FAIL(s->ctx, FLX_NO_CONVERGENCE, s->loc, "snapshots: no fit was found");
    if (after > STRANGE * STRANGE * before) {
        flx_ctx_warn(s->ctx, s->loc,
                     "%.2g %% of the displacements in the result are none that loads at the "
                     "interfaces make: is it of this body, and are all its loads at interfaces?",
                     100 * sqrt(after / before));
    }
    return FLX_OK;
}

flx_status flx_basis_snapshots(flx_shape_search *q, const flx_ritz *r, flx_ritz_choice *c)
{
    const flx_free_structure *s = q->s;
    const flx_snapshots *u = q->b->snapshots;
    fit f = {.m = r->m, .rigid = s->nrigid};
    if (!u || !s->label || !s->component) {
        return FLX_FAIL(s->ctx, FLX_ERR_MODEL, s->loc,
                        "snapshots are of a body from a mesh, whose `reduce` names a result by "
                        "`data`");
    }
    flx_status status = find_rows(s, u, &f);
    if (status == FLX_OK && (f.rows < 3 || u->count < 1)) {
        status = FLX_FAIL(s->ctx, FLX_ERR_MODEL, s->loc,
                          "the result has nothing of the nodes of this mesh: it is of another one");
    }
    if (status == FLX_OK) status = solve(s, r, u, &f);
    if (status == FLX_OK) status = flx_ritz_choice_init(r, q->b->statics, c);
    if (status == FLX_OK) status = flx_ritz_choice_add(c, u->count, f.B, COARSE);
    clear(&f);
    return status;
}
