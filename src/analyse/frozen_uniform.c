// frozen_uniform.c - norms of the fast part and the condition for bounds that do not grow with time.
//
//     y' = fy y + fz z,  z' = gy y + gz z,   mu[fy] <= -gamma, mu[gz] <= -beta,
//     |fz| |gy| < beta gamma                                                             (CERT-4)
// in norms that fit: those of the eigenvectors of fy and gz, in which a logarithmic norm is the
// spectral abscissa (CERT-3). The same in z + gz^-1 gy y (CERT-5), along the slow manifold, where fy
// becomes what the reduced system has.
#include "analyse/frozen.h"

#include "math/dense.h"
#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SAME 1e-12 // columns below this part of the largest do nothing

static double *take(flx_arena *arena, int m, int n)
{
    return flx_arena_take(arena, (size_t)m * (size_t)n, sizeof(double));
}

// The largest eigenvalue of the symmetric part (CERT-2).
static flx_status find_logarithmic_norm(flx_ctx *ctx, flx_arena *arena, int n, const double *A,
                                        double *out)
{
    double *S = take(arena, n, n), *w = take(arena, n, 1);
    if (!S || !w) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) S[j * n + i] = 0.5 * (A[j * n + i] + A[i * n + j]);
    }
    FLX_TRY(flx_dense_symmetric_eigen(ctx, n, S, w));
    *out = w[n - 1];
    return FLX_OK;
}

// A basis in which A is made of blocks (a b; -b a), columns of a block scaled alike, its condition
// number and the spectral abscissa.
typedef struct basis {
    double *W; // (n x n)
    double abscissa, condition;
} basis;

static flx_status find_basis(flx_ctx *ctx, flx_arena *arena, int n, const double *A, basis *out)
{
    double *copy = take(arena, n, n), *re = take(arena, n, 1), *im = take(arena, n, 1);
    double *w = take(arena, n, 1), *V = take(arena, n, n);
    out->W = take(arena, n, n);
    out->abscissa = -HUGE_VAL;
    out->condition = 1.0;
    if (!copy || !re || !im || !w || !V || !out->W) return FLX_ERR_MEMORY;
    if (n == 0) return FLX_OK;
    memcpy(copy, A, (size_t)(n * n) * sizeof *copy);
    FLX_TRY(flx_dense_eigenvectors(ctx, n, copy, re, im, out->W));
    for (int k = 0; k < n; k++) {
        int columns = im[k] > 0.0 && k + 1 < n ? 2 : 1;
        double size = 0.0;
        for (int i = 0; i < columns * n; i++) size += pow(out->W[k * n + i], 2);
        for (int i = 0; i < columns * n && size > 0.0; i++)
            out->W[k * n + i] *= sqrt(columns / size);
        out->abscissa = fmax(out->abscissa, re[k]);
        if (columns == 2) k++;
    }
    memcpy(copy, out->W, (size_t)(n * n) * sizeof *copy);
    FLX_TRY(flx_dense_svd(ctx, n, n, copy, w, NULL, V));
    out->condition = w[n - 1] > 0.0 ? w[0] / w[n - 1] : HUGE_VAL;
    return FLX_OK;
}

// |Wl^-1 A Wr| for A (m x n).
static flx_status find_norm(flx_ctx *ctx, flx_arena *arena, int m, int n, const double *A,
                            const basis *left, const basis *right, double *out)
{
    double *AW = take(arena, m, n), *copy = take(arena, m, m), *V = take(arena, n, n);
    double *w = take(arena, m + n, 1);
    *out = 0.0;
    if (!AW || !copy || !V || !w) return FLX_ERR_MEMORY;
    if (m == 0 || n == 0) return FLX_OK;
    flx_dense_multiply(false, false, m, n, n, A, right->W, AW);
    memcpy(copy, left->W, (size_t)(m * m) * sizeof *copy);
    FLX_TRY(flx_dense_solve(ctx, m, n, copy, AW));
    FLX_TRY(flx_dense_svd(ctx, m, n, AW, w, NULL, V));
    *out = w[0];
    return FLX_OK;
}

// The four blocks.
typedef struct blocks {
    int ns, nf;
    double *fy, *fz, *gy, *gz;
} blocks;

static flx_status take_blocks(flx_arena *arena, int ns, int nf, blocks *b)
{
    *b = (blocks){.ns = ns, .nf = nf};
    b->fy = take(arena, ns, ns);
    b->fz = take(arena, ns, nf);
    b->gy = take(arena, nf, ns);
    b->gz = take(arena, nf, nf);
    return b->fy && b->fz && b->gy && b->gz ? FLX_OK : FLX_ERR_MEMORY;
}

// Slow unknowns on which nothing depends are integrals of the others: without them.
static int drop_idle(int m, int ns, const double *B, int *kept)
{
    int n = ns;
    for (int i = 0; i < ns; i++) kept[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = 0; k < n; k++) {
            double own = 0.0, all = DBL_MIN;
            for (int i = 0; i < n; i++) own = fmax(own, fabs(B[kept[k] * m + kept[i]]));
            for (int i = ns; i < m; i++) own = fmax(own, fabs(B[kept[k] * m + i]));
            for (int i = 0; i < m * m; i++) all = fmax(all, fabs(B[i]));
            if (own > SAME * all) continue;
            memmove(kept + k, kept + k + 1, (size_t)(n - k - 1) * sizeof *kept);
            n--;
            changed = true;
            break;
        }
    }
    return n;
}

// (CERT-5): h = -gz^-1 gy, fy + fz h, gz - h fz, and gy becomes -h (fy + fz h).
static flx_status move_along(flx_ctx *ctx, flx_arena *arena, const blocks *b, blocks *out)
{
    int ns = b->ns, nf = b->nf;
    double *copy = take(arena, nf, nf), *h = take(arena, nf, ns), *part = take(arena, nf, nf);
    FLX_TRY(take_blocks(arena, ns, nf, out));
    if (!copy || !h || !part) return FLX_ERR_MEMORY;
    memcpy(copy, b->gz, (size_t)(nf * nf) * sizeof *copy);
    for (int i = 0; i < nf * ns; i++) h[i] = -b->gy[i];
    FLX_TRY(flx_dense_solve(ctx, nf, ns, copy, h));
    flx_dense_multiply(false, false, ns, ns, nf, b->fz, h, out->fy);
    for (int i = 0; i < ns * ns; i++) out->fy[i] += b->fy[i];
    flx_dense_multiply(false, false, nf, nf, ns, h, b->fz, part);
    for (int i = 0; i < nf * nf; i++) out->gz[i] = b->gz[i] - part[i];
    flx_dense_multiply(false, false, nf, ns, ns, h, out->fy, out->gy);
    memcpy(out->fz, b->fz, (size_t)(ns * nf) * sizeof *out->fz);
    return FLX_OK;
}

typedef struct verdict {
    double beta, gamma, product;
} verdict;

static flx_status judge(flx_ctx *ctx, flx_arena *arena, const blocks *b, verdict *v)
{
    basis slow, fast;
    double L2, L3;
    FLX_TRY(find_basis(ctx, arena, b->ns, b->fy, &slow));
    FLX_TRY(find_basis(ctx, arena, b->nf, b->gz, &fast));
    FLX_TRY(find_norm(ctx, arena, b->ns, b->nf, b->fz, &slow, &fast, &L2));
    FLX_TRY(find_norm(ctx, arena, b->nf, b->ns, b->gy, &fast, &slow, &L3));
    *v = (verdict){.beta = -fast.abscissa, .gamma = -slow.abscissa, .product = L2 * L3};
    return FLX_OK;
}

// How far the condition is met: > 1.
static double margin(const verdict *v)
{
    if (!(v->beta > 0.0) || !(v->gamma > 0.0)) return fmin(v->beta, v->gamma) > 0.0 ? 1.0 : -1.0;
    return v->product > 0.0 ? v->beta * v->gamma / v->product : HUGE_VAL;
}

flx_status flx_split_find_norms(flx_ctx *ctx, flx_arena *arena, int m, int nf, const double *B,
                                flx_split *out)
{
    int ns = m - nf;
    int *kept = flx_arena_take(arena, (size_t)ns, sizeof *kept);
    if (!kept) return FLX_ERR_MEMORY;
    blocks b, moved;
    basis fast;
    verdict plain = {0}, along = {0};
    int n = drop_idle(m, ns, B, kept);
    FLX_TRY(take_blocks(arena, n, nf, &b));
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) b.fy[j * n + i] = B[kept[j] * m + kept[i]];
        for (int i = 0; i < nf; i++) b.gy[j * nf + i] = B[kept[j] * m + ns + i];
    }
    for (int j = 0; j < nf; j++) {
        for (int i = 0; i < n; i++) b.fz[j * n + i] = B[(ns + j) * m + kept[i]];
        for (int i = 0; i < nf; i++) b.gz[j * nf + i] = B[(ns + j) * m + ns + i];
    }
    FLX_TRY(find_logarithmic_norm(ctx, arena, nf, b.gz, &out->norm));
    FLX_TRY(find_basis(ctx, arena, nf, b.gz, &fast));
    out->weighted = fast.abscissa;
    out->condition = fast.condition;
    // of defective eigenvectors no norm is made: the condition stays not met
    flx_status status = judge(ctx, arena, &b, &plain);
    if (status < 0) return status;
    status = move_along(ctx, arena, &b, &moved);
    if (status == FLX_OK) status = judge(ctx, arena, &moved, &along);
    if (status < 0) return status;
    out->along = status == FLX_OK && margin(&along) > margin(&plain);
    const verdict *v = out->along ? &along : &plain;
    out->beta = v->beta;
    out->gamma = v->gamma;
    out->product = v->product;
    return FLX_OK;
}
