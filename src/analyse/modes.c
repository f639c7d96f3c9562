// modes.c - eigenvalues and shapes of a system linearised about a state (theory/modes.md).
//
// From the regular pencil E s' = F s (pencil.c): S = E^-1 F. The eigenvalue zero, of free directions
// and speeds, is taken out first: it comes in Jordan chains, which rounding would spread over
// +-sqrt(eps) and further. With the null space Q1 of S and its complement Q2,
//     Q^T S Q = [0 S12; 0 S22]                                                        (MODE-4)
// and again for S22, until it can be inverted. The other eigenvalues are those of the last S22.
#include "analyse/pencil.h"
#include "analyse/rest.h"
#include "flexion/analysis.h"
#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Singular values below this part of the largest are zero, after balancing.
#define NOTHING 1e-11
#define TWO_PI 6.283185307179586

typedef struct spectrum {
    flx_ctx *ctx;
    flx_arena *arena;
    int n, nzero;
    double *S; // (n x n) Q^T S Q, the leading nzero strictly upper triangular
    double *T; // (nout x n) shapes of its coordinates
    int nout;
} spectrum;

static double *take(flx_arena *arena, int m, int n)
{
    return flx_arena_take(arena, (size_t)m * (size_t)n, sizeof(double));
}

// ---- the eigenvalue zero ------------------------------------------------------------------------

// Numbers that are rounding of their row are zero. Balancing would blow them up.
static void drop_rounding(int n, double *S)
{
    for (int i = 0; i < n; i++) {
        double size = 0.0;
        for (int j = 0; j < n; j++) size = fmax(size, fabs(S[(size_t)j * (size_t)n + i]));
        for (int j = 0; j < n; j++) {
            double *x = S + (size_t)j * (size_t)n + i;
            if (fabs(*x) <= n * DBL_EPSILON * size) *x = 0.0;
        }
    }
}

static flx_status make_matrix(spectrum *p, flx_pencil *pencil)
{
    int n = p->n = pencil->n;
    double *d = take(p->arena, n, 1);
    if (!d) return FLX_ERR_MEMORY;
    FLX_TRY(flx_dense_solve(p->ctx, n, n, pencil->E, pencil->F));
    p->S = pencil->F;
    p->T = pencil->T;
    p->nout = pencil->nout;
    drop_rounding(n, p->S);
    FLX_TRY(flx_dense_balance(p->ctx, n, p->S, d));
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < p->nout; i++) p->T[j * p->nout + i] *= d[j];
    }
    return FLX_OK;
}

// (n x n) <- diag(I, Q)^T S diag(I, Q), T <- T diag(I, Q), for Q of the trailing m.
static flx_status turn_trailing(spectrum *p, int m, const double *Q)
{
    int n = p->n, first = n - m;
    double *right = take(p->arena, n, m), *low = take(p->arena, m, m),
           *T = take(p->arena, p->nout, m);
    if (!right || !low || !T) return FLX_ERR_MEMORY;
    flx_dense_multiply(false, false, n, m, m, p->S + (size_t)first * (size_t)n, Q, right);
    double *part = take(p->arena, m, m);
    if (!part) return FLX_ERR_MEMORY;
    for (int j = 0; j < m; j++) {
        memcpy(part + j * m, right + j * n + first, (size_t)m * sizeof *part);
    }
    flx_dense_multiply(true, false, m, m, m, Q, part, low);
    for (int j = 0; j < m; j++) {
        double *to = p->S + (size_t)(first + j) * (size_t)n;
        memcpy(to, right + j * n, (size_t)first * sizeof *to);
        memcpy(to + first, low + j * m, (size_t)m * sizeof *to);
    }
    flx_dense_multiply(false, false, p->nout, m, m, p->T + first * p->nout, Q, T);
    memcpy(p->T + first * p->nout, T, (size_t)(p->nout * m) * sizeof *T);
    return FLX_OK;
}

// One level of the chains at zero. *found: how many.
static flx_status take_out_zero(spectrum *p, int *found)
{
    int n = p->n, first = p->nzero, m = n - first, rank = 0;
    double *A = take(p->arena, m, m), *V = take(p->arena, m, m), *Q = take(p->arena, m, m);
    double *w = take(p->arena, m, 1);
    *found = 0;
    if (!A || !V || !Q || !w) return FLX_ERR_MEMORY;
    for (int j = 0; j < m; j++) {
        memcpy(A + j * m, p->S + (size_t)(first + j) * (size_t)n + first, (size_t)m * sizeof *A);
    }
    FLX_TRY(flx_dense_svd(p->ctx, m, m, A, w, NULL, V));
    while (rank < m && w[rank] > NOTHING * w[0]) rank++;
    *found = m - rank;
    if (*found == 0) return FLX_OK;
    memcpy(Q, V + rank * m, (size_t)(*found * m) * sizeof *Q); // the null space first
    memcpy(Q + *found * m, V, (size_t)(rank * m) * sizeof *Q);
    FLX_TRY(turn_trailing(p, m, Q));
    for (int j = first; j < first + *found; j++) {
        for (int i = first; i < n; i++) p->S[(size_t)j * (size_t)n + i] = 0.0;
    }
    p->nzero += *found;
    return FLX_OK;
}

// ---- modes --------------------------------------------------------------------------------------

// The rest of an eigenvector in the chains at zero: s z = S z, upwards through the leading part.
static void complete(const spectrum *p, double re, double im, double *zr, double *zi)
{
    double size = re * re + im * im;
    for (int i = p->nzero - 1; i >= 0; i--) {
        double r = 0.0, c = 0.0;
        for (int j = i + 1; j < p->n; j++) {
            r += p->S[(size_t)j * (size_t)p->n + i] * zr[j];
            c += p->S[(size_t)j * (size_t)p->n + i] * zi[j];
        }
        zr[i] = (r * re + c * im) / size;
        zi[i] = (c * re - r * im) / size;
    }
}

// Shape as theta and x, turned and scaled so that its largest scaled number is 1.
static void set_shape(const flx_system *s, const spectrum *p, const double *zr, const double *zi,
                      double *shape)
{
    double largest = 0.0, a = 1.0, b = 0.0;
    int nout = p->nout;
    for (int i = 0; i < nout; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        for (int j = 0; j < p->n; j++) {
            shape[i] += p->T[j * nout + i] * zr[j];
            shape[nout + i] += p->T[j * nout + i] * zi[j];
        }
        double scale = u.scale > 0.0 ? u.scale : 1.0;
        double size = hypot(shape[i], shape[nout + i]) / scale;
        if (!(size > largest)) continue;
        largest = size;
        a = shape[i] / scale;
        b = shape[nout + i] / scale;
    }
    double d = a * a + b * b;
    for (int i = 0; i < nout; i++) {
        double r = shape[i], c = shape[nout + i];
        shape[i] = (r * a + c * b) / d;
        shape[nout + i] = (c * a - r * b) / d;
    }
}

#define HARDLY 0.01 // of the largest: not worth telling

// The unknowns that move most, largest first.
void flx_mode_find_parts(const flx_system *s, int nout, flx_mode *mode)
{
    for (int i = 0; i < nout; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        double re = mode->shape[i], im = mode->shape[nout + i];
        double size = hypot(re, im) / (u.scale > 0.0 ? u.scale : 1.0);
        if (!(size > HARDLY)) continue;
        int k = mode->npart;
        if (k == FLX_MODE_PARTS && !(size > mode->parts[k - 1].size)) continue;
        if (k < FLX_MODE_PARTS) mode->npart++;
        if (k == FLX_MODE_PARTS) k--;
        for (; k > 0 && mode->parts[k - 1].size < size; k--) mode->parts[k] = mode->parts[k - 1];
        mode->parts[k] = (flx_mode_part){u.item, u.part, size, atan2(im, re)};
    }
}

static int slower(const void *one, const void *other)
{
    const flx_mode *a = one, *b = other;
    double sa = hypot(a->re, a->im), sb = hypot(b->re, b->im);
    if (sa != sb) return sa < sb ? -1 : 1;
    return a->re < b->re ? -1 : a->re > b->re ? 1 : 0;
}

static flx_status list_modes(const flx_system *s, spectrum *p, flx_modes *out)
{
    int n = p->n, first = p->nzero, m = n - first;
    double *A = take(p->arena, m, m), *V = take(p->arena, m, m), *re = take(p->arena, m, 1);
    double *im = take(p->arena, m, 1), *zr = take(p->arena, n, 1), *zi = take(p->arena, n, 1);
    out->modes = flx_arena_take(p->arena, (size_t)m, sizeof *out->modes);
    if (!A || !V || !re || !im || !zr || !zi || !out->modes) return FLX_ERR_MEMORY;
    for (int j = 0; j < m; j++) {
        memcpy(A + j * m, p->S + (size_t)(first + j) * (size_t)n + first, (size_t)m * sizeof *A);
    }
    FLX_TRY(flx_dense_eigenvectors(p->ctx, m, A, re, im, V));
    for (int j = 0; j < m; j++) {
        if (im[j] < 0.0) continue; // the other of a pair
        flx_mode *mode = out->modes + out->nmode++;
        *mode = (flx_mode){.re = re[j], .im = im[j], .frequency = im[j] / TWO_PI};
        mode->damping = re[j] == 0.0 ? 0.0 : -re[j] / hypot(re[j], im[j]);
        mode->shape = take(p->arena, 2 * p->nout, 1);
        if (!mode->shape) return FLX_ERR_MEMORY;
        memcpy(zr + first, V + j * m, (size_t)m * sizeof *zr);
        memset(zi, 0, (size_t)n * sizeof *zi);
        if (im[j] > 0.0) memcpy(zi + first, V + (j + 1) * m, (size_t)m * sizeof *zi);
        complete(p, re[j], im[j], zr, zi);
        set_shape(s, p, zr, zi, mode->shape);
        flx_mode_find_parts(s, p->nout, mode);
    }
    qsort(out->modes, (size_t)out->nmode, sizeof *out->modes, slower);
    return FLX_OK;
}

static flx_status find(const flx_system *s, flx_work *work, const flx_state *x, const double *turn,
                       spectrum *p, flx_modes *out)
{
    flx_pencil pencil;
    FLX_TRY(flx_pencil_create(s, work, x, turn, p->arena, &pencil));
    FLX_TRY(make_matrix(p, &pencil));
    for (int found = 1; found > 0 && p->nzero < p->n;) FLX_TRY(take_out_zero(p, &found));
    out->nneutral = p->nzero;
    out->nshape = p->nout;
    return list_modes(s, p, out);
}

flx_status flx_modes_find(const flx_system *s, const flx_state *x, const double *turn, int count,
                          flx_modes *out)
{
    *out = (flx_modes){0};
    int errors = flx_ctx_error_count(s->ctx);
    spectrum p = {.ctx = s->ctx, .arena = flx_arena_create(s->ctx)};
    flx_work *work = s->ops->work_create(s);
    out->memory = p.arena;
    flx_status status = p.arena && work ? find(s, work, x, turn, &p, out) : FLX_ERR_MEMORY;
    if (work) s->ops->work_destroy(work);
    if (status != FLX_OK) {
        flx_modes_clear(out);
        if (flx_ctx_error_count(s->ctx) > errors) return status;
        return FLX_FAIL(s->ctx, status, FLX_NOWHERE, "modes: %s", flx_status_text(status));
    }
    if (count > 0 && out->nmode > count) out->nmode = count;
    return FLX_OK;
}

void flx_modes_clear(flx_modes *m)
{
    flx_arena *arena = m->memory;
    flx_arena_destroy(&arena);
    *m = (flx_modes){0};
}
