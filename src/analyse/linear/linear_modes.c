// linear_modes.c - poles of a linear model, and which of them inputs reach and outputs see (flexion/linear.h).
#include "analyse/linear/linear_dense.h"
#include "base/refuse.h"
#include "math/dense.h"
#include "math/riccati/balance.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME 1e-7     // eigenvalues that cannot be told from each other, as a part of their size
#define ROUNDS 100.0  // how often the first estimate of their rounding they may be off
#define CHAINED 1e-4  // l^H r of vectors of length one: so near to 0 it is of a chain
#define PARALLEL 1e-3 // vectors that are one: the eigenvalue has a chain

typedef struct parts {
    flx_ctx *ctx;
    flx_arena *arena;
    int n;
    double *A;       // (n x n) column-major
    double *re, *im; // (n) as LAPACK has them
    double *left, *right;
    double size;     // largest |s|
    double *rounded; // (n) how far eigenvalues may be off by rounding, in the order of the results
} parts;

// ---- one after another, the slowest first -------------------------------------------------------------

typedef struct entry {
    double size, re, im;
    int from;
} entry;

// To nine digits, so that rounding does not order what is equally fast.
static double rounded(double size)
{
    int e;
    double part = frexp(size, &e);
    return ldexp(round(ldexp(part, 30)), e - 30);
}

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    double by[3] = {x->size - y->size, x->re - y->re, fabs(x->im) - fabs(y->im)};
    for (int k = 0; k < 3; k++) {
        if (by[k] != 0.0) return by[k] < 0.0 ? -1 : 1;
    }
    if (x->im != y->im) return x->im > y->im ? -1 : 1;
    return x->from - y->from;
}

// A vector of eigenvalue `from`, of length one, as a row.
static void take_vector(const parts *p, const double *V, int from, double *re, double *im)
{
    int n = p->n;
    bool pair = p->im[from] != 0.0, second = p->im[from] < 0.0;
    const double *a = V + (size_t)(second ? from - 1 : from) * (size_t)n, *b = a + n;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        re[i] = a[i];
        im[i] = pair ? (second ? -b[i] : b[i]) : 0.0;
        sum += re[i] * re[i] + im[i] * im[i];
    }
    double length = sum > 0.0 ? sqrt(sum) : 1.0;
    for (int i = 0; i < n; i++) {
        re[i] /= length;
        im[i] /= length;
    }
}

static flx_status put_in_order(parts *p, flx_linear_modes *out)
{
    int n = p->n;
    entry *list = flx_arena_take(p->arena, (size_t)n, sizeof *list);
    if (!list) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        double size = hypot(p->re[i], p->im[i]);
        list[i] = (entry){rounded(size), p->re[i], p->im[i], i};
        p->size = fmax(p->size, size);
    }
    if (n > 0) qsort(list, (size_t)n, sizeof *list, compare);
    for (int i = 0; i < n; i++) {
        const entry *e = list + i;
        out->re[i] = e->re;
        out->im[i] = e->im;
        double size = hypot(e->re, e->im);
        out->frequency[i] = size / (2.0 * FLX_PI);
        out->damping[i] = size > 0.0 ? -e->re / size : 0.0;
        take_vector(p, p->right, e->from, out->right_re + i * n, out->right_im + i * n);
        take_vector(p, p->left, e->from, out->left_re + i * n, out->left_im + i * n);
    }
    return FLX_OK;
}

// ---- reach and sight -----------------------------------------------------------------------------------

// |v^H b| / |b| of a vector of length one; b (n) every `step`-th number.
static double share(int n, const double *re, const double *im, const double *b, int step)
{
    double a = 0.0, c = 0.0, size = 0.0;
    for (int i = 0; i < n; i++) {
        a += re[i] * b[i * step];
        c += im[i] * b[i * step];
        size += b[i * step] * b[i * step];
    }
    return size > 0.0 ? hypot(a, c) / sqrt(size) : 0.0;
}

// An orthonormal basis Q (2 n x *rank) of what the vectors of a cluster span, complex ones as real ones of twice the length;
// S (2 n x 2 d): the vectors, and i times them.
static flx_status find_span(const parts *p, int d, const double *S, int *rank, double *Q)
{
    int n2 = 2 * p->n, d2 = 2 * d;
    double *G = flx_linear_take(p->arena, d2, d2), *w = flx_linear_take(p->arena, d2, 1);
    if (!G || !w) return FLX_ERR_MEMORY;
    flx_dense_multiply(true, false, d2, d2, n2, S, S, G);
    FLX_TRY(flx_dense_symmetric_eigen(p->ctx, d2, G, w));
    *rank = 0;
    for (int k = d2 - 1; k >= 0 && w[k] > PARALLEL * PARALLEL * w[d2 - 1]; k--) {
        double *q = Q + (size_t)(*rank)++ * (size_t)n2;
        flx_dense_apply(false, n2, d2, S, G + k * d2, q);
        for (int i = 0; i < n2; i++) q[i] /= sqrt(w[k]);
    }
    return FLX_OK;
}

// The least that all of B (n x m; steps from row to row and from column to column) reaches of any combination of the vectors
// of a cluster, with states in units that make A balanced: vectors count by v / unit, B by unit B. Its columns have units of
// their own, so each counts by its direction.
static flx_status find_least(const parts *p, int d, const int *list, const double *re,
                             const double *im, const double *unit, int m, const double *B, int row,
                             int col, double *least)
{
    int n = p->n, n2 = 2 * n, rows = 2 * m, rank = 0;
    int count = 0;
    double *S = flx_linear_take(p->arena, n2, 2 * d), *Q = flx_linear_take(p->arena, n2, 2 * d);
    double *X = flx_linear_take(p->arena, rows, 2 * d),
           *V = flx_linear_take(p->arena, 2 * d, 2 * d);
    double *w = flx_linear_take(p->arena, 2 * d, 1);
    if (!S || !Q || !X || !V || !w) return FLX_ERR_MEMORY;
    for (int k = 0; k < d; k++) {
        double *one = S + (size_t)k * 2 * (size_t)n2, *other = one + n2;
        for (int i = 0; i < n; i++) {
            one[i] = other[n + i] = re[list[k] * n + i] / unit[i];
            one[n + i] = im[list[k] * n + i] / unit[i];
            other[i] = -one[n + i];
        }
    }
    FLX_TRY(find_span(p, d, S, &rank, Q));
    for (int j = 0; j < m; j++) {
        double size = 0.0;
        for (int i = 0; i < n; i++) size = hypot(size, unit[i] * B[i * row + j * col]);
        count += size > 0.0;
        for (int i = 0; i < n && size > 0.0; i++) {
            double b = unit[i] * B[i * row + j * col] / size;
            for (int k = 0; k < rank; k++) {
                X[k * rows + j] += Q[k * n2 + i] * b;
                X[k * rows + m + j] += Q[k * n2 + n + i] * b;
            }
        }
    }
    *least = 0.0;
    if (count == 0 || rank > rows) return FLX_OK;
    FLX_TRY(flx_dense_svd(p->ctx, rows, rank, X, w, NULL, V));
    *least = rank > 0 ? w[rank - 1] / sqrt(count) : 0.0;
    return FLX_OK;
}

// |l^H r| of mode i: near to 0 where eigenvalues make a chain.
static double own_share(const flx_linear_modes *m, int i)
{
    const double *lr = m->left_re + i * m->n, *li = m->left_im + i * m->n;
    const double *rr = m->right_re + i * m->n, *ri = m->right_im + i * m->n;
    double re = 0.0, im = 0.0;
    for (int k = 0; k < m->n; k++) {
        re += lr[k] * rr[k] + li[k] * ri[k];
        im += lr[k] * ri[k] - li[k] * rr[k];
    }
    return hypot(re, im);
}

// To first order the entries of A, each off by its own rounding, move s by |l|^T |A| |r| / |l^H r| of it. That does not
// depend on units, as the largest eigenvalue of stiff parts does.
static flx_status estimate_rounding(parts *p, const flx_linear_model *model,
                                    const flx_linear_modes *m)
{
    int n = p->n;
    p->rounded = flx_linear_take(p->arena, n, 1);
    double *size = flx_linear_take(p->arena, n, 1);
    if (!p->rounded || !size) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        const double *lr = m->left_re + i * n, *li = m->left_im + i * n;
        const double *rr = m->right_re + i * n, *ri = m->right_im + i * n;
        double sum = 0.0, own = own_share(m, i);
        for (int k = 0; k < n; k++) size[k] = hypot(rr[k], ri[k]);
        for (int k = 0; k < n; k++) {
            double row = 0.0;
            for (int j = 0; j < n; j++) row += fabs(model->A[k * n + j]) * size[j];
            sum += hypot(lr[k], li[k]) * row;
        }
        double most = SAME * p->size, off = ROUNDS * DBL_EPSILON * sum;
        p->rounded[i] = off < most * own ? off / own : most;
    }
    return FLX_OK;
}

// Modes whose eigenvalues are the same: any combination of their vectors is one.
static int find_cluster(const parts *p, const flx_linear_modes *m, int i, int *list)
{
    int d = 0;
    for (int j = 0; j < p->n; j++) {
        double near = fmax(SAME * hypot(m->re[i], m->im[i]), fmin(p->rounded[i], p->rounded[j]));
        if (hypot(m->re[i] - m->re[j], m->im[i] - m->im[j]) <= near) list[d++] = j;
    }
    return d;
}

// Of the modes of a cluster together, once with the states as they are, as |l^H b| / (|l| |b|) is, and once in units that
// make A balanced: parts that are far faster make the first small, parts that are not coupled the second, and rounding
// errors neither large.
static flx_status find_least_shares(parts *p, const flx_linear_model *model,
                                    const flx_linear_modes *m, int d, const int *list,
                                    const double *unit, double *reach, double *sight)
{
    int n = p->n, nin = model->nin, nout = model->nout;
    double in, out, *one = flx_linear_take(p->arena, n, 1),
                    *inverse = flx_linear_take(p->arena, n, 1);
    if (!one || !inverse) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) one[i] = 1.0;
    for (int i = 0; i < n; i++) inverse[i] = 1.0 / unit[i];
    FLX_TRY(find_least(p, d, list, m->left_re, m->left_im, one, nin, model->B, nin, 1, reach));
    FLX_TRY(find_least(p, d, list, m->left_re, m->left_im, inverse, nin, model->B, nin, 1, &in));
    FLX_TRY(find_least(p, d, list, m->right_re, m->right_im, one, nout, model->C, 1, n, sight));
    FLX_TRY(find_least(p, d, list, m->right_re, m->right_im, unit, nout, model->C, 1, n, &out));
    *reach = fmax(*reach, in);
    *sight = fmax(*sight, out);
    return FLX_OK;
}

static flx_status find_shares(parts *p, const flx_linear_model *model, flx_linear_modes *out)
{
    int n = p->n, nin = model->nin, nout = model->nout;
    int *list = flx_arena_take(p->arena, (size_t)n, sizeof *list);
    double *unit = flx_linear_take(p->arena, n, 1), rate;
    if (!list || !unit) return FLX_ERR_MEMORY;
    FLX_TRY(flx_balance_find(p->ctx, n, model->A, true, unit, &rate));
    for (int i = 0; i < n; i++) {
        const double *lr = out->left_re, *li = out->left_im;
        const double *rr = out->right_re, *ri = out->right_im;
        for (int k = 0; k < nin; k++)
            out->reach[i * nin + k] = share(n, lr + i * n, li + i * n, model->B + k, nin);
        for (int k = 0; k < nout; k++)
            out->sight[i * nout + k] = share(n, rr + i * n, ri + i * n, model->C + k * n, 1);
        int d = find_cluster(p, out, i, list);
        if (list[0] < i) { // known from the first of them
            out->reach_all[i] = out->reach_all[list[0]];
            out->sight_all[i] = out->sight_all[list[0]];
            continue;
        }
        FLX_TRY(find_least_shares(p, model, out, d, list, unit, out->reach_all + i,
                                  out->sight_all + i));
    }
    return FLX_OK;
}

// ---- together ------------------------------------------------------------------------------------------

static flx_status take_results(flx_arena *a, const flx_linear_model *model, flx_linear_modes *out)
{
    int n = model->n, nin = model->nin, nout = model->nout;
    struct {
        double **to;
        int m, n;
    } all[] = {{&out->re, n, 1},       {&out->im, n, 1},        {&out->frequency, n, 1},
               {&out->damping, n, 1},  {&out->right_re, n, n},  {&out->right_im, n, n},
               {&out->left_re, n, n},  {&out->left_im, n, n},   {&out->reach, n, nin},
               {&out->sight, n, nout}, {&out->reach_all, n, 1}, {&out->sight_all, n, 1}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        *all[k].to = flx_linear_take(a, all[k].m, all[k].n);
        if (!*all[k].to) return FLX_ERR_MEMORY;
    }
    out->n = n;
    out->nin = nin;
    out->nout = nout;
    return FLX_OK;
}

static flx_status find(parts *p, const flx_linear_model *model, flx_linear_modes *out)
{
    int n = p->n;
    p->A = flx_linear_take(p->arena, n, n);
    p->re = flx_linear_take(p->arena, n, 1);
    p->im = flx_linear_take(p->arena, n, 1);
    p->left = flx_linear_take(p->arena, n, n);
    p->right = flx_linear_take(p->arena, n, n);
    if (!p->A || !p->re || !p->im || !p->left || !p->right) return FLX_ERR_MEMORY;
    flx_linear_turn(n, n, model->A, p->A);
    FLX_TRY(flx_dense_both_eigenvectors(p->ctx, n, p->A, p->re, p->im, p->left, p->right));
    FLX_TRY(put_in_order(p, out));
    FLX_TRY(estimate_rounding(p, model, out));
    return find_shares(p, model, out);
}

flx_status flx_linear_find_modes(flx_ctx *ctx, const flx_linear_model *model, flx_linear_modes *out)
{
    if (!ctx || !model || !out) return flx_refuse_null(ctx, __func__);
    *out = (flx_linear_modes){0};
    flx_arena *arena = flx_arena_create(ctx);
    parts p = {.ctx = ctx, .n = model->n, .arena = flx_arena_create(ctx)};
    out->memory = arena;
    flx_status status = arena && p.arena ? take_results(arena, model, out) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = find(&p, model, out);
    flx_arena_destroy(&p.arena);
    if (status != FLX_OK) flx_linear_modes_clear(out);
    return status;
}

void flx_linear_modes_clear(flx_linear_modes *modes)
{
    if (!modes) return;
    flx_arena *arena = modes->memory;
    flx_arena_destroy(&arena);
    *modes = (flx_linear_modes){0};
}

// s = 0 does not decay either; eigenvalues that are the same are known to the square root of rounding.
static int decays_elsewhere(const flx_linear_modes *m, const double *all)
{
    double most = 0.0;
    for (int i = 0; i < m->n; i++) most = fmax(most, 2.0 * FLX_PI * m->frequency[i]);
    for (int i = 0; i < m->n; i++) {
        double size = own_share(m, i) < CHAINED ? most : 2.0 * FLX_PI * m->frequency[i];
        if (m->re[i] >= -SAME * size && all[i] < FLX_LINEAR_NOT_REACHED) return 0;
    }
    return 1;
}

int flx_linear_is_stabilisable(const flx_linear_modes *modes)
{
    if (!modes) return 0;
    return decays_elsewhere(modes, modes->reach_all);
}

int flx_linear_is_detectable(const flx_linear_modes *modes)
{
    if (!modes) return 0;
    return decays_elsewhere(modes, modes->sight_all);
}
