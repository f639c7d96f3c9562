// zeros.c - zeros of a system with its outputs held, and the index.
//
//     E s' = F s,  s = (theta, nu, others); rows without rate restrict s and are dropped            (INV-3)
//
// Each turn is one differentiation: the number of turns is the index. What is left has an E that can be inverted, and its
// eigenvalues are the zeros.
#include "analyse/grid/zeros.h"

#include "integrate/newton_matrix.h"
#include "math/dense.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

#define DEPENDENT 1e-10 // singular values below this part of the largest
#define MOST_TURNS 12
#define NEUTRAL 1e-7  // zeros below this part of the rate count as 0
#define INFINITE 1e10 // zeros above so many rates are what rounding left of a row that is zero

typedef struct finder {
    flx_grid *g;
    flx_ctx *ctx;
    flx_arena *arena;
    int n, nr;         // unknowns of the system; rows and columns that count
    double *A[3];      // (n x n) by rows
    double rate;       // unit of rates
    double *row, *col; // (nr) scales
} finder;

static double *take(const finder *f, int m, int n)
{
    return flx_arena_take(f->arena, (size_t)m * (size_t)n, sizeof(double));
}

static flx_status no_memory(const finder *f)
{
    return FLX_FAIL(f->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
}

// ---- the matrices ------------------------------------------------------------------------------------

static flx_status linearise(finder *f)
{
    flx_grid *g = f->g;
    flx_grid_state(g, 0, g->state);
    memset(g->state->v, 0, (size_t)g->s->dims.nv * sizeof(double));
    memset(g->state->a, 0, (size_t)g->s->dims.nv * sizeof(double));
    flx_point p = flx_state_point(g->s, g->state);
    FLX_TRY(g->s->ops->linearise(g->s, g->work, &p, &g->b));
    for (int k = 0; k < 3; k++) {
        f->A[k] = take(f, f->n, f->n);
        if (!f->A[k]) return no_memory(f);
        flx_blocks_spread(g->s, g->work, &g->b, k, g->column, f->A[k]);
    }
    f->rate = 0.0;
    for (int i = 0; i < g->s->dims.nv; i++) {
        double m = fabs(f->A[2][i * f->n + i]), k = fabs(f->A[0][i * f->n + i]);
        if (m > 0.0) f->rate = fmax(f->rate, sqrt(k / m));
    }
    if (!(f->rate > 0.0)) f->rate = 1.0;
    return FLX_OK;
}

static double value(const finder *f, int k, int row, int col)
{
    return f->A[k][f->g->rows[row] * f->n + f->g->cols[col]];
}

// Rows and columns by turns, of all that there is.
static flx_status equilibrate(finder *f)
{
    int nr = f->nr;
    f->row = take(f, nr, 1);
    f->col = take(f, nr, 1);
    if (!f->row || !f->col) return no_memory(f);
    for (int i = 0; i < nr; i++) f->row[i] = f->col[i] = 1.0;
    for (int sweep = 0; sweep < 12; sweep++) {
        bool rows = sweep % 2 == 0;
        for (int i = 0; i < nr; i++) {
            double most = 0.0;
            for (int j = 0; j < nr; j++) {
                int r = rows ? i : j, c = rows ? j : i;
                double v = fabs(value(f, 0, r, c)) + f->rate * fabs(value(f, 1, r, c)) +
                           f->rate * f->rate * fabs(value(f, 2, r, c));
                most = fmax(most, v * f->row[r] * f->col[c]);
            }
            if (most > 0.0) *(rows ? f->row + i : f->col + i) /= sqrt(most);
        }
    }
    return FLX_OK;
}

// ---- the pencil --------------------------------------------------------------------------------------

typedef struct pencil {
    int n;
    double *E, *F; // (n x n) column-major
} pencil;

static bool is_velocity(const finder *f, int i)
{
    return f->g->cols[i] < f->g->s->dims.nv;
}

static bool is_state(const finder *f, int i, const int *list)
{
    const flx_dims *d = &f->g->s->dims;
    return list[i] >= d->nv && list[i] < d->nv + d->nx;
}

// s = (columns, nu of those that are positions); rows of the system, then theta' = nu. In units of the rate.
static flx_status make_pencil(finder *f, pencil *p)
{
    int nr = f->nr, nv = 0;
    for (int i = 0; i < nr; i++) nv += is_velocity(f, i); // the first ones
    int n = p->n = nr + nv;
    p->E = take(f, n, n);
    p->F = take(f, n, n);
    if (!p->E || !p->F) return no_memory(f);
    for (int c = 0; c < nr; c++) {
        for (int r = 0; r < nr; r++) {
            double s = f->row[r] * f->col[c];
            double A2 = f->rate * f->rate * value(f, 2, r, c), A1 = f->rate * value(f, 1, r, c);
            bool rates = is_state(f, r, f->g->rows) && is_state(f, c, f->g->cols);
            p->F[c * n + r] = -s * value(f, 0, r, c);
            if (c < nv) {
                p->F[(nr + c) * n + r] = -s * A1;
                p->E[(nr + c) * n + r] = s * A2;
            } else if (rates) {
                p->E[c * n + r] = s * A1;
            }
        }
    }
    for (int i = 0; i < nv; i++) {
        p->E[i * n + nr + i] = 1.0;
        p->F[(nr + i) * n + nr + i] = 1.0;
    }
    return FLX_OK;
}

static double *multiply(const finder *f, bool turned, int m, int n, int k, const double *A,
                        const double *B)
{
    double *C = take(f, m > 0 ? m : 1, n > 0 ? n : 1);
    if (C && m > 0 && n > 0 && k > 0) flx_dense_multiply(turned, false, m, n, k, A, B, C);
    return C;
}

// E = U diag(w) V^T: where w is zero, U2^T F s = 0 restricts s.
static flx_status turn(finder *f, pencil *p, bool *done)
{
    int n = p->n, rank = 0;
    double *w = take(f, n, 1), *U = take(f, n, n), *V = take(f, n, n), *copy = take(f, n, n);
    if (!w || !U || !V || !copy) return no_memory(f);
    memcpy(copy, p->E, (size_t)n * (size_t)n * sizeof *copy);
    FLX_TRY(flx_dense_svd(f->ctx, n, n, copy, w, U, V));
    while (rank < n && w[rank] > DEPENDENT * fmax(w[0], 1e-300)) rank++;
    *done = rank == n;
    if (*done) return FLX_OK;
    int m = n - rank;
    double *rows = multiply(f, true, m, n, n, U + (size_t)rank * (size_t)n, p->F);
    double *s = take(f, m, 1), *left = take(f, m, m), *Q = take(f, n, n);
    if (!rows || !s || !left || !Q) return no_memory(f);
    for (int i = 0; i < m; i++) { // each to length 1
        double sum = 0.0;
        for (int j = 0; j < n; j++) sum += rows[j * m + i] * rows[j * m + i];
        for (int j = 0; sum > 0.0 && j < n; j++) rows[j * m + i] /= sqrt(sum);
    }
    FLX_TRY(flx_dense_svd(f->ctx, m, n, rows, s, left, Q));
    if (!(s[m - 1] > DEPENDENT * fmax(s[0], 1e-300))) return FLX_SINGULAR;
    double *free_part = Q + (size_t)m * (size_t)n;
    double *EQ = multiply(f, false, n, rank, n, p->E, free_part);
    double *FQ = multiply(f, false, n, rank, n, p->F, free_part);
    if (!EQ || !FQ) return no_memory(f);
    p->E = multiply(f, true, rank, rank, n, U, EQ);
    p->F = multiply(f, true, rank, rank, n, U, FQ);
    p->n = rank;
    return p->E && p->F ? FLX_OK : no_memory(f);
}

static flx_status find_eigenvalues(finder *f, pencil *p, flx_zeros *out)
{
    int n = p->n;
    out->re = take(f, n > 0 ? n : 1, 1);
    out->im = take(f, n > 0 ? n : 1, 1);
    if (!out->re || !out->im) return no_memory(f);
    out->n = n;
    if (n == 0) return FLX_OK;
    FLX_TRY(flx_dense_solve(f->ctx, n, n, p->E, p->F));
    FLX_TRY(flx_dense_eigenvalues(f->ctx, n, p->F, out->re, out->im));
    out->n = 0;
    for (int k = 0; k < n; k++) {
        int i = out->n;
        if (!(hypot(out->re[k], out->im[k]) < INFINITE)) continue;
        out->n++;
        out->re[i] = out->re[k] * f->rate;
        out->im[i] = out->im[k] * f->rate;
        double size = hypot(out->re[i], out->im[i]);
        bool real = fabs(out->re[i]) > NEUTRAL * fmax(f->rate, size);
        if (real && (out->slowest == 0.0 || fabs(out->re[i]) < out->slowest))
            out->slowest = fabs(out->re[i]);
        out->most = fmax(out->most, out->re[i]);
    }
    return FLX_OK;
}

// ---- S = C P B -----------------------------------------------------------------------------------------

static int list_roles(const flx_grid *g, signed char role, int *list)
{
    int n = 0;
    for (int k = 0; k < g->s->dims.nw; k++) {
        if (g->role[k] == role) list[n++] = g->s->dims.nv + g->s->dims.nx + k;
    }
    return n;
}

// X = [M G^T; G 0]^-1 [-B; 0] by the columns of the inputs; S = C X, of rows scaled to 1. s2: a number to make the matrix that
// of the response at that rate, which says what inputs reach: s2 = 0 takes M alone.
static flx_status find_response(finder *f, double rate, double **S, int *nout, int *nin)
{
    const flx_grid *g = f->g;
    const flx_dims *d = &g->s->dims;
    int n = f->n, *in = flx_arena_take(f->arena, (size_t)d->nw, sizeof *in);
    int *out = flx_arena_take(f->arena, (size_t)d->nw, sizeof *out);
    int *keep = flx_arena_take(f->arena, (size_t)n, sizeof *keep), m = 0;
    if (!in || !out || !keep) return no_memory(f);
    *nin = list_roles(g, FLX_GRID_INPUT, in);
    *nout = list_roles(g, FLX_GRID_OUTPUT, out);
    for (int i = 0; i < n; i++) {
        bool w = i >= d->nv + d->nx && i < d->nv + d->nx + d->nw;
        bool plain = !w || g->role[i - d->nv - d->nx] == FLX_GRID_PLAIN;
        bool state = i >= d->nv && i < d->nv + d->nx;
        if (!plain || (rate == 0.0 && (state || w)) || (i < d->nv && g->fixed[i])) continue;
        keep[m++] = i;
    }
    double *K = take(f, m, m), *X = take(f, m, *nin);
    *S = take(f, *nout, *nin);
    if (!K || !X || !*S) return no_memory(f);
    for (int c = 0; c < m; c++) {
        for (int r = 0; r < m; r++) {
            int at = keep[r] * n + keep[c];
            bool both = keep[r] < d->nv && keep[c] < d->nv;
            K[c * m + r] = rate > 0.0 ? rate * rate * f->A[2][at] + rate * f->A[1][at] + f->A[0][at]
                           : both     ? f->A[2][at]
                                      : f->A[0][at];
        }
    }
    for (int c = 0; c < *nin; c++) {
        for (int r = 0; r < m; r++) X[c * m + r] = -f->A[0][keep[r] * n + in[c]];
    }
    FLX_TRY(flx_dense_solve(f->ctx, m, *nin, K, X));
    for (int k = 0; k < *nout; k++) {
        double size = 0.0;
        for (int r = 0; r < m; r++) {
            if (keep[r] < d->nv) size = fmax(size, fabs(f->A[0][out[k] * n + keep[r]]));
        }
        for (int c = 0; c < *nin; c++) {
            double sum = 0.0;
            for (int r = 0; r < m; r++) {
                int at = out[k] * n + keep[r];
                double C = f->A[0][at] + rate * f->A[1][at] + rate * rate * f->A[2][at];
                sum += C * X[c * m + r];
            }
            (*S)[c * *nout + k] = size > 0.0 ? sum / size : sum;
        }
    }
    for (int c = 0; c < *nin; c++) { // by the sizes of what inputs do
        double size = 0.0;
        for (int r = 0; r < m; r++) {
            if (keep[r] < d->nv) size = fmax(size, fabs(X[c * m + r]));
        }
        for (int k = 0; size > 0.0 && k < *nout; k++) (*S)[c * *nout + k] /= size;
    }
    return FLX_OK;
}

static flx_status find_regularity(finder *f, flx_zeros *out)
{
    double *S = NULL;
    int nout = 0, nin = 0;
    flx_status status = find_response(f, 0.0, &S, &nout, &nin);
    if (status != FLX_OK) return status < 0 ? status : FLX_OK;
    int n = nin < nout ? nin : nout;
    if (n == 0) return FLX_OK;
    double *w = take(f, n, 1), *V = take(f, nin, nin);
    if (!w || !V) return no_memory(f);
    FLX_TRY(flx_dense_svd(f->ctx, nout, nin, S, w, NULL, V));
    out->regular = w[0] > 0.0 ? w[n - 1] / w[0] : 0.0;
    return FLX_OK;
}

static flx_status find_unreached(finder *f, flx_zeros *out)
{
    double *S = NULL;
    int nout = 0, nin = 0, of = 0;
    flx_status status = find_response(f, 1.37 * f->rate, &S, &nout, &nin);
    if (status != FLX_OK) return status < 0 ? status : FLX_OK;
    for (int k = 0; k < f->g->s->dims.nw; k++) {
        double size = 0.0;
        if (f->g->role[k] != FLX_GRID_OUTPUT) continue;
        for (int c = 0; c < nin; c++) size = fmax(size, fabs(S[c * nout + of]));
        if (size <= 1e-12 && out->unreached < 0) out->unreached = k;
        of++;
    }
    return FLX_OK;
}

// ---- together ------------------------------------------------------------------------------------------

flx_status flx_zeros_find(flx_grid *g, flx_arena *arena, flx_zeros *out)
{
    finder f = {.g = g, .ctx = g->ctx, .arena = arena, .n = flx_dims_unknowns(&g->s->dims)};
    pencil p;
    bool done = false;
    *out = (flx_zeros){.unreached = -1, .most = -HUGE_VAL};
    f.nr = g->nrow;
    FLX_TRY(linearise(&f));
    out->rate = f.rate;
    FLX_TRY(find_regularity(&f, out));
    FLX_TRY(find_unreached(&f, out));
    if (g->ncol != g->nrow || out->unreached >= 0) return FLX_OK;
    FLX_TRY(equilibrate(&f));
    FLX_TRY(make_pencil(&f, &p));
    for (int k = 0; k <= MOST_TURNS; k++) {
        FLX_TRY(turn(&f, &p, &done));
        if (!done) continue;
        out->index = k;
        return find_eigenvalues(&f, &p, out);
    }
    return FLX_SINGULAR;
}
