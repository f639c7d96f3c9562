// ritz_blocks.c - blocks of Lanczos vectors: made orthogonal, measured, kept.
#include "reduce/ritz/ritz_parts.h"

#include "math/blas.h"
#include "math/dense.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

#define DEPENDENT 1e-12 // of a Gram matrix of unit vectors: what depends on the others
#define VANISHED 1e-11  // a vector of which the others leave less than this is rounding

typedef flx_ritz_blocks lanczos;

void flx_ritz_blocks_mass(const lanczos *l, int k, const double *X, double *Y)
{
    flx_symmetric_multiply(l->q->s->M, k, X, Y);
}

void flx_ritz_blocks_center(const lanczos *l, int k, double *X)
{
    for (int i = 0; i < k && l->q->s->nrigid > 0; i++) {
        flx_shapes_take_mean_away(l->q, X + (size_t)i * l->n);
    }
}

void flx_ritz_blocks_solve(lanczos *l, int k, double *X)
{
    flx_frontal_solve(l->r->factor, k, X);
    flx_ritz_blocks_center(l, k, X);
    l->r->solutions += k;
}

flx_status flx_ritz_blocks_reserve(lanczos *l, int more)
{
    if (l->m + more <= l->room) return FLX_OK;
    int room = 2 * l->room > l->m + more ? 2 * l->room : l->m + more;
    size_t r = (size_t)room, old = (size_t)l->m, p = (size_t)l->p;
    double *Q = flx_alloc(l->ctx, r * l->n, sizeof *Q), *K = flx_alloc(l->ctx, r * r, sizeof *K);
    double *G = flx_alloc(l->ctx, r * r, sizeof *G), *b = flx_alloc(l->ctx, p * r, sizeof *b);
    double *c = flx_alloc(l->ctx, p * r, sizeof *c);
    if (!Q || !K || !G || !b || !c) {
        flx_free(Q);
        flx_free(K);
        flx_free(G);
        flx_free(b);
        flx_free(c);
        return FLX_ERR_MEMORY;
    }
    if (old > 0) memcpy(Q, l->Q, old * l->n * sizeof *Q);
    for (size_t j = 0; j < old; j++) {
        memcpy(K + j * r, l->K + j * (size_t)l->room, old * sizeof *K);
        memcpy(G + j * r, l->G + j * (size_t)l->room, old * sizeof *G);
    }
    for (size_t j = 0; j < p && old > 0; j++) {
        memcpy(b + j * r, l->b + j * (size_t)l->room, old * sizeof *b);
        memcpy(c + j * r, l->c + j * (size_t)l->room, old * sizeof *c);
    }
    flx_free(l->Q);
    flx_free(l->K);
    flx_free(l->G);
    flx_free(l->b);
    flx_free(l->c);
    l->Q = Q;
    l->K = K;
    l->G = G;
    l->b = b;
    l->c = c;
    l->room = room;
    return FLX_OK;
}

// X (k, n) less what it has of Q, MX: scratch.
static flx_status project(lanczos *l, int k, double *X, double *MX)
{
    if (l->m == 0) return FLX_OK;
    double *h = flx_alloc(l->ctx, (size_t)l->m * (size_t)k, sizeof *h);
    if (!h) return FLX_ERR_MEMORY;
    int n = (int)l->n;
    flx_ritz_blocks_mass(l, k, X, MX);
    flx_dense_multiply(true, false, l->m, k, n, l->Q, MX, h);
    FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, k, l->m, -1.0, l->Q, n,
                               h, l->m, 1.0, X, n);
    flx_free(h);
    return FLX_OK;
}

// Lengths of the columns of X.
static void measure(lanczos *l, int k, const double *X, double *MX, double *size)
{
    flx_ritz_blocks_mass(l, k, X, MX);
    for (int j = 0; j < k; j++) {
        double square = flx_blas_dot((int)l->n, X + (size_t)j * l->n, MX + (size_t)j * l->n);
        size[j] = square > 0 ? sqrt(square) : 0;
    }
}

// Columns of X to unit length; those of which less than a part of `before` is left go, where it is given. now (k): scratch.
// Returns how many stay.
static int normalise(lanczos *l, int k, double *X, double *MX, const double *before, double *now)
{
    int kept = 0;
    measure(l, k, X, MX, now);
    for (int j = 0; j < k; j++) {
        double *x = X + (size_t)j * l->n;
        if (!(now[j] > (before ? VANISHED * before[j] : 0))) continue;
        FLX_ONE_THREAD cblas_dscal((int)l->n, 1 / now[j], x, 1);
        if (kept != j) memcpy(X + (size_t)kept * l->n, x, l->n * sizeof *x);
        kept++;
    }
    return kept;
}

// Orthonormal columns of unit columns X, without those that depend on the others: W. Returns how many.
static flx_status gram(lanczos *l, int k, double *X, double *MX, double *W, int *kept)
{
    size_t kk = (size_t)k * (size_t)k;
    double *G = flx_alloc(l->ctx, kk + (size_t)k, sizeof *G);
    if (!G) return FLX_ERR_MEMORY;
    double *w = G + kk;
    int first = 0, n = (int)l->n;
    flx_ritz_blocks_mass(l, k, X, MX);
    flx_dense_multiply(true, false, k, k, n, X, MX, G);
    flx_status status = flx_dense_symmetric_eigen(l->ctx, k, G, w);
    if (status == FLX_OK) {
        while (first < k && !(w[first] > DEPENDENT * w[k - 1])) first++;
        *kept = k - first;
        for (int j = first; j < k; j++)
            FLX_ONE_THREAD cblas_dscal(k, 1 / sqrt(w[j]), G + (size_t)j * (size_t)k, 1);
        if (*kept > 0)
            flx_dense_multiply(false, false, n, *kept, k, X, G + (size_t)first * (size_t)k, W);
    }
    flx_free(G);
    return status;
}

// The columns of X (k, n) that are new become the next block, and no more of them than there are directions left. Rigid
// motions go again: rounding leaves some in Q, and what little is left beside Q has more of them from block to block.
static flx_status add_columns(lanczos *l, int k, double *X, double *size)
{
    int kept = 0, left = (int)l->n - l->q->s->nrigid - l->m;
    measure(l, k, X, l->Y, size);
    FLX_TRY(project(l, k, X, l->Y));
    flx_ritz_blocks_center(l, k, X);
    FLX_TRY(project(l, k, X, l->Y));
    k = normalise(l, k, X, l->Y, size, size + k);
    l->last = 0;
    if (k == 0 || left <= 0) return FLX_OK;
    FLX_TRY(gram(l, k, X, l->Y, l->W, &kept)); // the largest are the last
    if (kept > left) {
        memmove(l->W, l->W + (size_t)(kept - left) * l->n, (size_t)left * l->n * sizeof *X);
        kept = left;
    }
    FLX_TRY(project(l, kept, l->W, l->Y));
    flx_ritz_blocks_center(l, kept, l->W);
    k = normalise(l, kept, l->W, l->Y, NULL, size);
    FLX_TRY(gram(l, k, l->W, l->Y, X, &kept));
    FLX_TRY(flx_ritz_blocks_reserve(l, kept));
    memcpy(l->Q + (size_t)l->m * l->n, X, (size_t)kept * l->n * sizeof *X);
    l->last = kept;
    l->m += kept;
    l->r->blocks++;
    return FLX_OK;
}

flx_status flx_ritz_blocks_take(lanczos *l, int k, double *X)
{
    double *size = flx_alloc(l->ctx, 2 * (size_t)k, sizeof *size);
    flx_status status = size ? add_columns(l, k, X, size) : FLX_ERR_MEMORY;
    flx_free(size);
    return status;
}

// What the last block has of K, M N^-1 M and B; X becomes N^-1 M Q of it.
flx_status flx_ritz_blocks_measure(lanczos *l)
{
    int k = l->last, first = l->m - k, n = (int)l->n, room = l->room;
    const double *Q = l->Q + (size_t)first * l->n;
    double *h = flx_alloc(l->ctx, (size_t)l->m * (size_t)k + (size_t)k * (size_t)l->p, sizeof *h);
    if (!h) return FLX_ERR_MEMORY;
    flx_symmetric_multiply(l->q->s->K, k, Q, l->Y);
    flx_dense_multiply(true, false, l->m, k, n, l->Q, l->Y, h);
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < l->m; i++) {
            l->K[(size_t)(first + j) * room + i] = l->K[(size_t)i * room + first + j] =
                h[j * l->m + i];
        }
    }
    flx_dense_multiply(true, false, k, l->p, n, Q, l->r->ports.B, h);
    for (int j = 0; j < l->p; j++) {
        for (int i = 0; i < k; i++) l->b[(size_t)j * room + first + i] = h[j * k + i];
    }
    flx_ritz_blocks_mass(l, k, Q, l->X);
    flx_ritz_blocks_solve(l, k, l->X);
    flx_ritz_blocks_mass(l, k, l->X, l->Y);
    flx_dense_multiply(true, false, k, k, n, l->X, l->Y, l->E);
    flx_dense_multiply(true, false, l->m, k, n, l->Q, l->Y, h);
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < l->m; i++) {
            double mean = h[j * l->m + i];
            if (i >= first) mean = 0.5 * (mean + h[(i - first) * l->m + first + j]);
            l->G[(size_t)(first + j) * room + i] = l->G[(size_t)i * room + first + j] = mean;
        }
    }
    flx_dense_multiply(true, false, k, l->p, n, l->X, l->r->ports.B, h);
    for (int j = 0; j < l->p; j++) {
        for (int i = 0; i < k; i++) l->c[(size_t)j * room + first + i] = h[j * k + i];
    }
    flx_free(h);
    return FLX_OK;
}

flx_status flx_ritz_blocks_add(lanczos *l, int k, double *X)
{
    int known = l->m;
    FLX_TRY(flx_ritz_blocks_take(l, k, X));
    return l->m > known ? flx_ritz_blocks_measure(l) : FLX_OK;
}
