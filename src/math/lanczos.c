// lanczos.c - block Lanczos with full orthogonalisation and thick restarts, in the inner product of M.
//
//     (K - s M)^-1 M Q = Q H + Q_next B E^T,   Q^T M Q = I                                    (LIN-11)
//     H y = theta y,   lambda = s + 1/theta,   residual |B y_last|                            (LIN-12)
// Grimes, Lewis and Simon, SIAM J. Matrix Anal. Appl. 15, 1994, 228-272; Wu and Simon, same, 22, 2000,
// 602-616. The factors are read once for a whole block, which is what a solution costs.
#include "math/blas.h"
#include "math/dense.h"
#include "math/lowest_modes_parts.h"

#include <math.h>
#include <string.h>

#define NOTHING 1e-13 // what rounding leaves of a vector that depends on others

flx_status flx_lanczos_init(flx_lanczos *l, flx_ctx *ctx, const flx_symmetric *M,
                            flx_frontal *factor, int p, int room)
{
    *l = (flx_lanczos){.ctx = ctx, .M = M, .factor = factor, .n = M->n, .p = p, .room = room};
    size_t n = (size_t)M->n, r = (size_t)room, k = (size_t)p;
    l->Q = flx_alloc_unset(ctx, n * (r + k), sizeof(double));
    l->MQ = flx_alloc(ctx, n * k, sizeof(double));
    l->H = flx_alloc(ctx, r * r, sizeof(double));
    l->B = flx_alloc(ctx, k * k, sizeof(double));
    l->h = flx_alloc(ctx, (r + k) * k, sizeof(double));
    l->Y = flx_alloc(ctx, r * r, sizeof(double));
    l->theta = flx_alloc(ctx, r, sizeof(double));
    l->error = flx_alloc(ctx, r, sizeof(double));
    l->copy = flx_alloc(ctx, 256 * r, sizeof(double));
    l->seed = 88172645463325252u;
    bool there = l->Q && l->MQ && l->H && l->B && l->h && l->Y && l->theta && l->error && l->copy;
    flx_status status = there ? flx_frontal_reserve(factor, p) : FLX_ERR_MEMORY;
    if (status != FLX_OK) flx_lanczos_clear(l);
    return status;
}

void flx_lanczos_clear(flx_lanczos *l)
{
    void *owned[] = {l->Q, l->MQ, l->H, l->B, l->h, l->Y, l->theta, l->error, l->copy};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) flx_free(owned[i]);
    *l = (flx_lanczos){0};
}

static void fill_random(flx_lanczos *l, double *x)
{
    for (int i = 0; i < l->n; i++) { // xorshift, the same on every machine
        l->seed ^= l->seed << 13;
        l->seed ^= l->seed >> 7;
        l->seed ^= l->seed << 17;
        x[i] = (double)(l->seed >> 11) / 9007199254740992.0 - 0.5;
    }
}

static double *block(const flx_lanczos *l, int m) // the vectors behind the first m
{
    return l->Q + (size_t)m * l->n;
}

static void apply(flx_lanczos *l, int k, double *X) // X = (K - s M)^-1 X
{
    flx_frontal_solve_ordered(l->factor, k, X);
    l->solves += k;
}

// W (n, k) -= Q Q^T M W over the first m vectors; coefficients are added to h (ld). MW is scratch on
// entry and M W before the step.
static void project(flx_lanczos *l, int m, int k, double *W, double *MW, double *h, int ld)
{
    flx_symmetric_multiply(l->M, k, W, MW);
    if (m == 0) return;
    double *c = l->Y; // free between Ritz problems; room >= m, k
    FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, m, k, l->n, 1.0, l->Q, l->n,
                               MW, l->n, 0.0, c, m);
    FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, l->n, k, m, -1.0, l->Q,
                               l->n, c, m, 1.0, W, l->n);
    for (int j = 0; h && j < k; j++) {
        for (int i = 0; i < m; i++) h[(size_t)j * ld + i] += c[(size_t)j * m + i];
    }
}

// One vector against the block before it, with M times both kept up to date.
static double orthogonalise(flx_lanczos *l, int j, double *W, double *MW, double *B)
{
    int n = l->n;
    double *w = W + (size_t)j * n, *mw = MW + (size_t)j * n;
    for (int sweep = 0; sweep < 2; sweep++) {
        for (int i = 0; i < j; i++) {
            double c = flx_blas_dot(n, MW + (size_t)i * n, w);
            FLX_ONE_THREAD cblas_daxpy(n, -c, W + (size_t)i * n, 1, w, 1);
            FLX_ONE_THREAD cblas_daxpy(n, -c, MW + (size_t)i * n, 1, mw, 1);
            if (B) B[j * l->p + i] += c;
        }
    }
    double square = flx_blas_dot(n, w, mw);
    return square > 0 ? sqrt(square) : 0;
}

// A random vector in the place of one that depends on the others: in the range of the operator, free of
// the first m vectors and of the block before it. Returns its size in proportion, 0 when there is none.
static double renew(flx_lanczos *l, int m, int j, double *W)
{
    int n = l->n;
    double *w = W + (size_t)j * n, *mw = l->MQ + (size_t)j * n;
    fill_random(l, mw);
    flx_symmetric_multiply(l->M, 1, mw, w);
    apply(l, 1, w);
    flx_symmetric_multiply(l->M, 1, w, mw);
    double whole = sqrt(fabs(flx_blas_dot(n, w, mw)));
    for (int sweep = 0; sweep < 2; sweep++) project(l, m, 1, w, mw, NULL, 0);
    flx_symmetric_multiply(l->M, 1, w, mw);
    double size = orthogonalise(l, j, W, l->MQ, NULL);
    return size > NOTHING * whole ? size : 0;
}

// The block W behind the first m vectors, free of them: Q_next B = W, in its place. A vector that depends on the others is
// replaced by a random one, with nothing in B; where the whole space is used up, by zero.
static void normalise(flx_lanczos *l, int m, double scale)
{
    int n = l->n, p = l->p;
    double *W = block(l, m);
    memset(l->B, 0, (size_t)p * p * sizeof *l->B);
    flx_symmetric_multiply(l->M, p, W, l->MQ);
    for (int j = 0; j < p; j++) {
        double *w = W + (size_t)j * n, *mw = l->MQ + (size_t)j * n;
        double size = orthogonalise(l, j, W, l->MQ, l->B);
        l->B[j * p + j] = size;
        if (!(size > NOTHING * scale)) {
            l->B[j * p + j] = 0;
            size = l->exhausted ? 0 : renew(l, m, j, W);
            if (!(size > 0)) l->exhausted = true;
        }
        FLX_ONE_THREAD cblas_dscal(n, size > 0 ? 1 / size : 0, w, 1);
        FLX_ONE_THREAD cblas_dscal(n, size > 0 ? 1 / size : 0, mw, 1);
    }
}

static void begin(flx_lanczos *l)
{
    double *W = block(l, 0);
    for (int j = 0; j < l->p; j++) fill_random(l, l->MQ + (size_t)j * l->n);
    flx_symmetric_multiply(l->M, l->p, l->MQ, W);
    apply(l, l->p, W); // unknowns without mass follow the others from the start
    double scale = 0;
    flx_symmetric_multiply(l->M, l->p, W, l->MQ);
    for (int j = 0; j < l->p; j++) {
        size_t at = (size_t)j * l->n;
        scale = fmax(scale, sqrt(fabs(flx_blas_dot(l->n, W + at, l->MQ + at))));
    }
    normalise(l, 0, scale);
}

// Ritz pairs of H and their residuals |B y_last|.
static flx_status find_ritz(flx_lanczos *l)
{
    int m = l->m, p = l->p;
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < m; i++) {
            l->Y[(size_t)j * m + i] =
                -(l->H[(size_t)j * l->room + i] + l->H[(size_t)i * l->room + j]) / 2;
        }
    }
    FLX_TRY(flx_dense_symmetric_eigen(l->ctx, m, l->Y, l->theta)); // of -H: the largest first
    for (int j = 0; j < m; j++) {
        double sum = 0;
        const double *last = l->Y + (size_t)j * m + (m - p);
        l->theta[j] = -l->theta[j];
        for (int r = 0; r < p; r++) {
            double v = 0;
            for (int c = 0; c < p; c++) v += l->B[c * p + r] * last[c];
            sum += v * v;
        }
        l->error[j] = sqrt(sum);
    }
    return FLX_OK;
}

// Q = Q Y for the first `count` Ritz vectors, in strips of rows.
static void mix(flx_lanczos *l, int count)
{
    for (int first = 0; first < l->n; first += 256) {
        int rows = l->n - first < 256 ? l->n - first : 256;
        FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows, count, l->m,
                                   1.0, l->Q + first, l->n, l->Y, l->m, 0.0, l->copy, rows);
        for (int j = 0; j < count; j++) {
            memcpy(l->Q + (size_t)j * l->n + first, l->copy + (size_t)j * rows,
                   (size_t)rows * sizeof *l->Q);
        }
    }
}

// Keep the best Ritz vectors and the next block; H becomes diagonal.
static void restart(flx_lanczos *l, int keep)
{
    mix(l, keep);
    memmove(l->Q + (size_t)keep * l->n, l->Q + (size_t)l->m * l->n,
            (size_t)l->n * l->p * sizeof *l->Q);
    memset(l->H, 0, (size_t)l->room * l->room * sizeof *l->H);
    for (int j = 0; j < keep; j++) l->H[(size_t)j * l->room + j] = l->theta[j];
    l->m = keep;
    l->restarts++;
}

flx_status flx_lanczos_step(flx_lanczos *l, int keep)
{
    int n = l->n, p = l->p;
    if (l->blocks == 0) begin(l);
    if (l->m + p > l->room) restart(l, keep);
    int m = l->m + p;
    double *W = block(l, m);
    memcpy(W, l->MQ, (size_t)n * p * sizeof *W);
    apply(l, p, W);
    double scale = 0;
    memset(l->h, 0, (size_t)(l->room + p) * p * sizeof *l->h);
    for (int sweep = 0; sweep < 2; sweep++) { // twice is enough (Kahan, Parlett)
        project(l, m, p, W, l->MQ, l->h, l->room + p);
    }
    for (int j = 0; j < p; j++) {
        double *column = l->H + (size_t)(l->m + j) * l->room, sum = 0;
        for (int i = 0; i < m; i++) {
            column[i] = l->h[(size_t)j * (l->room + p) + i];
            l->H[(size_t)i * l->room + l->m + j] = column[i];
            sum += column[i] * column[i];
        }
        scale = fmax(scale, sqrt(sum));
    }
    normalise(l, m, scale);
    l->m = m;
    l->blocks++;
    return find_ritz(l);
}

void flx_lanczos_vectors(const flx_lanczos *l, int count, double *X)
{
    FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, l->n, count, l->m, 1.0,
                               l->Q, l->n, l->Y, l->m, 0.0, X, l->n);
}
