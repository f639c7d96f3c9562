// pencil_regular.c - the equations of a pencil without rates restrict s and are dropped (MODE-4).
#include "analyse/modes/pencil_parts.h"
#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROUNDING 1e-13    // of rows without rate, against the largest number
#define MOST_DEFLATIONS 4 // index of what is left after the constraints

// The unknown that moves most along a combination of the rows: rows of motion belong to directions
// N Z, those of states to themselves.
static flx_status refuse_undetermined(const flx_linearised *l, const double *row)
{
    int nv = l->nv, m = l->m, k = l->k, worst = 0;
    if (!l->s) return FLX_SINGULAR;
    double *NZ = flx_pencil_product(l, false, nv, k, m, l->N, l->Z), largest = 0.0;
    if (!NZ) return flx_pencil_no_memory(l->ctx);
    for (int i = 0; i < nv + l->nx + l->nsoft; i++) {
        double sum = 0.0;
        for (int j = 0; i < nv && j < k; j++) sum += NZ[j * nv + i] * row[m + j] / l->scale[i];
        if (i >= nv) sum = row[m + k + i - nv];
        if (!(fabs(sum) > largest)) continue;
        largest = fabs(sum);
        worst = i < nv + l->nx ? i : l->soft[i - nv - l->nx];
    }
    flx_unknown u;
    l->s->ops->unknown(l->s, worst, &u);
    return FLX_FAIL(l->ctx, FLX_SINGULAR, u.loc,
                    "the motion of '%s' (%s) is not determined: a direction without mass, damping "
                    "and stiffness",
                    u.item ? u.item : "?", u.part ? u.part : "?");
}

static flx_status refuse_rest(const flx_linearised *l)
{
    if (!l->s) return FLX_SINGULAR;
    return FLX_FAIL(l->ctx, FLX_SINGULAR, FLX_NOWHERE,
                    "the linearised equations do not determine the motion");
}

// Rows that are rounding of the others say nothing.
static void clean_rows(int m, int n, const double *F, double *rows)
{
    double size = 0.0;
    for (int i = 0; i < n * n; i++) size = fmax(size, fabs(F[i]));
    for (int i = 0; i < m; i++) {
        double largest = 0.0;
        for (int j = 0; j < n; j++) largest = fmax(largest, fabs(rows[j * m + i]));
        for (int j = 0; largest <= ROUNDING * size && j < n; j++) rows[j * m + i] = 0.0;
    }
}

// One step: E = U diag(w) V^T. Where w is zero, U2^T F s = 0 restricts s to a subspace Q, and the
// other rows U1^T stay: E <- U1^T E Q, F <- U1^T F Q. *done: E can be inverted.
static flx_status deflate(const flx_linearised *l, flx_pencil *p, double *rows, int n0, bool *done)
{
    int n = p->n, rank = 0, alone;
    double *w = flx_pencil_take(l->arena, n, 1), *U = flx_pencil_take(l->arena, n, n),
           *V = flx_pencil_take(l->arena, n, n);
    double *copy = flx_pencil_take(l->arena, n, n), *Q;
    if (!w || !U || !V || !copy) return flx_pencil_no_memory(l->ctx);
    memcpy(copy, p->E, (size_t)n * (size_t)n * sizeof *copy);
    FLX_TRY(flx_dense_svd(l->ctx, n, n, copy, w, U, V));
    while (rank < n && w[rank] > FLX_PENCIL_DEPENDENT * fmax(w[0], DBL_MIN)) rank++;
    *done = rank == n;
    if (*done) return FLX_OK;
    double *algebraic = flx_pencil_product(l, true, n - rank, n, n, U + rank * n, p->F);
    if (!algebraic) return flx_pencil_no_memory(l->ctx);
    clean_rows(n - rank, n, p->F, algebraic);
    double *turned =
        flx_pencil_transpose(l, n - rank, n, algebraic); // its null space: rows that say nothing
    double *left;
    if (!turned) return flx_pencil_no_memory(l->ctx);
    FLX_TRY(flx_pencil_null(l, n, n - rank, turned, &left, &alone));
    if (alone < n - rank) {
        double *c =
            flx_pencil_product(l, false, n, 1, n - rank, U + rank * n, left + alone * (n - rank));
        double *row = flx_pencil_product(l, false, n0, 1, n, rows, c);
        return row ? refuse_undetermined(l, row) : flx_pencil_no_memory(l->ctx);
    }
    FLX_TRY(flx_pencil_null(l, n - rank, n, algebraic, &Q, &alone));
    if (alone < n - rank) return refuse_rest(l);
    Q += (n - rank) * n;
    double *EQ = flx_pencil_product(l, false, n, rank, n, p->E, Q),
           *FQ = flx_pencil_product(l, false, n, rank, n, p->F, Q);
    double *E = flx_pencil_product(l, true, rank, rank, n, U, EQ),
           *F = flx_pencil_product(l, true, rank, rank, n, U, FQ);
    double *T = flx_pencil_product(l, false, p->nout, rank, n, p->T, Q);
    double *kept = flx_pencil_product(l, false, n0, rank, n, rows, U);
    if (!E || !F || !T || !kept) return flx_pencil_no_memory(l->ctx);
    memcpy(rows, kept, (size_t)n0 * (size_t)rank * sizeof *rows);
    *p = (flx_pencil){.n = rank, .E = E, .F = F, .nout = p->nout, .T = T};
    return FLX_OK;
}

flx_status flx_pencil_make_regular(const flx_linearised *l, flx_pencil *p)
{
    int n0 = p->n;
    double *rows = flx_pencil_take(l->arena, n0, n0);
    if (!rows) return flx_pencil_no_memory(l->ctx);
    for (int i = 0; i < n0; i++) rows[i * n0 + i] = 1.0;
    bool done = false;
    int most = l->s ? MOST_DEFLATIONS : n0;
    for (int k = 0; k <= most; k++) {
        FLX_TRY(deflate(l, p, rows, n0, &done));
        if (done) return FLX_OK;
    }
    return refuse_rest(l);
}
