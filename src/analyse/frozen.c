// frozen.c - a system frozen at a state and split at J; see frozen.h.
#include "analyse/frozen.h"

#include "analyse/modes/pencil.h"
#include "integrate/newton_matrix.h"
#include "math/dense.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

#define FULL_RANK 1e-6 // singular values of G_I, as a part of the largest; squares are computed
#define MASSLESS 1e-12 // of the largest mass, after scaling
#define APART 4.0      // decay rates that many times apart belong to layer and slow motion

static double *take(flx_arena *arena, int m, int n)
{
    return flx_arena_take(arena, (size_t)m * (size_t)n, sizeof(double));
}

// ---- freeze -------------------------------------------------------------------------------------

// out (nr x nc) = rows and columns of A (n x n); NULL: from 0, or from `first` on.
static void pick(int n, const double *A, int nr, const int *rows, int first_row, int nc,
                 int first_column, double *out)
{
    for (int j = 0; j < nc; j++) {
        for (int i = 0; i < nr; i++)
            out[j * nr + i] = A[(first_column + j) * n + (rows ? rows[i] : first_row + i)];
    }
}

// Soft unknowns a follow from the others: A[i,:] -= A0[i,a] A0[a,a]^-1 A[a,:] for A0 and A1.
static flx_status eliminate(flx_ctx *ctx, flx_arena *arena, int n, int m, int na, const int *soft,
                            double *A0, double *A1)
{
    double *W = take(arena, na, na), *X = take(arena, na, 2 * m);
    if (!W || !X) return FLX_ERR_MEMORY;
    if (na == 0) return FLX_OK;
    for (int j = 0; j < na; j++) {
        for (int i = 0; i < na; i++) W[j * na + i] = A0[soft[j] * n + soft[i]];
    }
    pick(n, A0, na, soft, 0, m, 0, X);
    pick(n, A1, na, soft, 0, m, 0, X + na * m);
    FLX_TRY(flx_dense_solve(ctx, na, 2 * m, W, X));
    for (int j = 0; j < m; j++) {
        for (int a = 0; a < na; a++) {
            double x0 = X[j * na + a], x1 = X[(m + j) * na + a];
            for (int i = 0; i < m; i++) {
                A1[j * n + i] -= A0[soft[a] * n + i] * x1;
                if (x0 != 0.0) A0[j * n + i] -= A0[soft[a] * n + i] * x0;
            }
        }
    }
    return FLX_OK;
}

// Rows of rigid constraints, unknowns to eliminate.
static void sort_rows(const flx_system *s, const flx_state *x, int *hard, int *nhard, int *soft,
                      int *nsoft)
{
    const flx_dims *d = &s->dims;
    *nhard = *nsoft = 0;
    for (int i = d->nv + d->nx; i < flx_dims_unknowns(d); i++) {
        flx_unknown u;
        flx_unknown_at(s, x->switches, i, &u);
        bool rigid = (u.kind == FLX_UNKNOWN_CONSTRAINT && !(u.C > 0.0)) ||
                     (u.kind == FLX_UNKNOWN_VELOCITY_CONSTRAINT && !(u.E > 0.0));
        if (rigid) hard[(*nhard)++] = i;
        if (!rigid) soft[(*nsoft)++] = i;
    }
}

// Rigid rows hold positions by A0 or velocities by A1.
static void take_constraints(const flx_frozen *f, int n, const int *hard, const double *A0,
                             const double *A1, double *G)
{
    for (int h = 0; h < f->nh; h++) {
        double on_velocity = 0.0;
        for (int j = 0; j < f->nv; j++) on_velocity = fmax(on_velocity, fabs(A1[j * n + hard[h]]));
        for (int j = 0; j < f->nv; j++)
            G[j * f->nh + h] = (on_velocity > 0.0 ? A1 : A0)[j * n + hard[h]];
    }
}

static flx_status take_blocks(flx_frozen *f, int n, const int *hard, const double *A0,
                              const double *A1, const double *A2, flx_arena *arena)
{
    int nv = f->nv, nx = f->nx;
    double **const out[] = {&f->M, &f->D, &f->K, &f->Kx, &f->X0, &f->X1, &f->Xx, &f->G, &f->scale};
    const int rows[] = {nv, nv, nv, nv, nx, nx, nx, f->nh, nv};
    const int columns[] = {nv, nv, nv, nx, nv, nv, nx, nv, 1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *out[i] = take(arena, rows[i], columns[i]);
        if (!*out[i]) return FLX_ERR_MEMORY;
    }
    pick(n, A2, nv, NULL, 0, nv, 0, f->M);
    pick(n, A1, nv, NULL, 0, nv, 0, f->D);
    pick(n, A0, nv, NULL, 0, nv, 0, f->K);
    pick(n, A0, nv, NULL, 0, nx, nv, f->Kx);
    pick(n, A0, nx, NULL, nv, nv, 0, f->X0);
    pick(n, A1, nx, NULL, nv, nv, 0, f->X1);
    pick(n, A0, nx, NULL, nv, nx, nv, f->Xx);
    take_constraints(f, n, hard, A0, A1, f->G);
    return FLX_OK;
}

flx_status flx_frozen_create(const flx_system *s, flx_work *work, const flx_state *x,
                             flx_arena *arena, flx_frozen *f)
{
    int n = flx_dims_unknowns(&s->dims), nsoft;
    if (n > FLX_FROZEN_MOST) return FLX_ERR_CANNOT;
    *f = (flx_frozen){.ctx = s->ctx, .nv = s->dims.nv, .nx = s->dims.nx};
    int *hard = flx_arena_take(arena, (size_t)n, sizeof *hard);
    int *soft = flx_arena_take(arena, (size_t)n, sizeof *soft);
    double *A0 = take(arena, n, n), *A1 = take(arena, n, n), *A2 = take(arena, n, n);
    double *scratch = take(arena, 2, n);
    if (!hard || !soft || !A0 || !A1 || !A2 || !scratch) return FLX_ERR_MEMORY;
    sort_rows(s, x, hard, &f->nh, soft, &nsoft);
    flx_blocks b = {0};
    flx_point p = flx_state_point(s, x);
    flx_status status = flx_blocks_create(s, &b);
    if (status == FLX_OK) status = s->ops->linearise(s, work, &p, &b);
    if (status == FLX_OK) {
        flx_pencil_spread(s, work, &b, 0, scratch, A0);
        flx_pencil_spread(s, work, &b, 1, scratch, A1);
        flx_pencil_spread(s, work, &b, 2, scratch, A2);
        status = eliminate(s->ctx, arena, n, f->nv + f->nx, nsoft, soft, A0, A1);
    }
    flx_blocks_destroy(&b);
    FLX_TRY(status);
    FLX_TRY(take_blocks(f, n, hard, A0, A1, A2, arena));
    for (int i = 0; i < f->nv; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        f->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
    }
    return FLX_OK;
}

// ---- directions ---------------------------------------------------------------------------------

// The split in the making.
typedef struct splitting {
    const flx_frozen *f;
    flx_arena *arena;
    int nJ, nI, my;
    const int *J;
    int *rest;
    double *ease;  // (nv) 1 / sqrt(M_ii): moves of like energy
    double *T;     // (nv x (my + nJ)): Z, then P
    double *K, *D; // (m x m) T^T K T, T^T D T
    flx_split *out;
} splitting;

// out (na x nb) = A^T B C for A (n x na), B (n x n), C (n x nb).
static flx_status sandwich(flx_arena *arena, int n, int na, int nb, const double *A,
                           const double *B, const double *C, double *out)
{
    double *BC = take(arena, n, nb);
    if (!BC) return FLX_ERR_MEMORY;
    flx_dense_multiply(false, false, n, nb, n, B, C, BC);
    flx_dense_multiply(true, false, na, nb, n, A, BC, out);
    return FLX_OK;
}

// Rows of G with moves of like energy, each of length one.
static double *scale_constraints(const splitting *s)
{
    const flx_frozen *f = s->f;
    double *G = take(s->arena, f->nh, f->nv);
    for (int h = 0; G && h < f->nh; h++) {
        double size = 0.0;
        for (int j = 0; j < f->nv; j++) size += pow(f->G[j * f->nh + h] * s->ease[j], 2);
        for (int j = 0; j < f->nv && size > 0.0; j++)
            G[j * f->nh + h] = f->G[j * f->nh + h] * s->ease[j] / sqrt(size);
    }
    return G;
}

// From moves that the constraints leave, F: Z where J rests, P where it moves by one.
static flx_status pick_moves(splitting *s)
{
    const flx_frozen *f = s->f;
    int nv = f->nv, nJ = s->nJ, nf = f->nfree;
    double *FJ = take(s->arena, nJ, nf), *w = take(s->arena, nJ + nf, 1);
    double *U = take(s->arena, nJ, nJ), *V = take(s->arena, nf, nf);
    if (!FJ || !w || !U || !V) return FLX_ERR_MEMORY;
    s->my = nf - nJ;
    if (s->my < 0) return FLX_OK;
    for (int j = 0; j < nf; j++) {
        for (int i = 0; i < nJ; i++) FJ[j * nJ + i] = f->free[j * nv + s->J[i]] / s->ease[s->J[i]];
    }
    FLX_TRY(flx_dense_svd(f->ctx, nJ, nf, FJ, w, U, V));
    s->out->rank = w[0] > 0.0 ? w[nJ - 1] / w[0] : 0.0;
    s->out->bears = s->out->rank > FULL_RANK;
    if (!s->out->bears) return FLX_OK;
    s->T = take(s->arena, nv, nf);
    double *moves = take(s->arena, nv, nf);
    if (!s->T || !moves) return FLX_ERR_MEMORY;
    flx_dense_multiply(false, false, nv, nf, nf, f->free, V, moves);
    memcpy(s->T, moves + nJ * nv, (size_t)(nv * s->my) * sizeof *s->T);
    for (int j = 0; j < nJ; j++) {
        for (int k = 0; k < nJ; k++) {
            double much = U[k * nJ + j] / w[k];
            for (int i = 0; i < nv; i++) s->T[(s->my + j) * nv + i] += moves[k * nv + i] * much;
        }
    }
    return FLX_OK;
}

// Z from the null space of G_I, and P: J moved by one with the least that the others must follow.
static flx_status find_moves(splitting *s)
{
    const flx_frozen *f = s->f;
    int nv = f->nv, nI = s->nI, nJ = s->nJ, nh = f->nh;
    double *G = scale_constraints(s), *GI = take(s->arena, nh, nI), *GJ = take(s->arena, nh, nJ);
    double *square = take(s->arena, nI, nI), *w = take(s->arena, nI, 1);
    double *pull = take(s->arena, nI, nJ), *along = take(s->arena, nI, nJ);
    if (!G || !GI || !GJ || !square || !w || !pull || !along) return FLX_ERR_MEMORY;
    for (int h = 0; h < nh; h++) {
        for (int i = 0; i < nI; i++) GI[i * nh + h] = G[s->rest[i] * nh + h];
        for (int j = 0; j < nJ; j++) GJ[j * nh + h] = G[s->J[j] * nh + h];
    }
    flx_dense_multiply(true, false, nI, nI, nh, GI, GI, square);
    FLX_TRY(flx_dense_symmetric_eigen(f->ctx, nI, square, w));
    s->my = nI - nh;
    double largest = nI > 0 ? w[nI - 1] : 0.0;
    s->out->rank = nh == 0                         ? 1.0
                   : s->my < 0 || !(largest > 0.0) ? 0.0
                                                   : sqrt(fmax(w[s->my], 0.0) / largest);
    s->out->bears = s->out->rank > FULL_RANK;
    if (!s->out->bears) return FLX_OK;
    flx_dense_multiply(true, false, nI, nJ, nh, GI, GJ, pull);
    flx_dense_multiply(true, false, nI, nJ, nI, square, pull, along);
    s->T = take(s->arena, nv, s->my + nJ);
    if (!s->T) return FLX_ERR_MEMORY;
    for (int k = 0; k < s->my; k++) {
        for (int i = 0; i < nI; i++)
            s->T[k * nv + s->rest[i]] = s->ease[s->rest[i]] * square[k * nI + i];
    }
    for (int j = 0; j < nJ; j++) {
        double *P = s->T + (s->my + j) * nv;
        P[s->J[j]] = s->ease[s->J[j]];
        for (int k = s->my; k < nI; k++) {
            double much = along[j * nI + k] / w[k];
            for (int i = 0; i < nI; i++)
                P[s->rest[i]] -= s->ease[s->rest[i]] * square[k * nI + i] * much;
        }
    }
    return FLX_OK;
}

// Columns from `first` on become orthonormal in M; false: a direction without mass.
static flx_status normalise(const splitting *s, int first, int n, bool *massive, double *mass)
{
    const flx_frozen *f = s->f;
    int nv = f->nv;
    double *T = s->T + first * nv, *A = take(s->arena, n, n), *w = take(s->arena, n, 1);
    double *copy = take(s->arena, nv, n);
    *massive = true;
    if (!A || !w || !copy) return FLX_ERR_MEMORY;
    if (n == 0) return FLX_OK;
    FLX_TRY(sandwich(s->arena, nv, n, n, T, f->M, T, A));
    if (mass) memcpy(mass, A, (size_t)(n * n) * sizeof *mass);
    FLX_TRY(flx_dense_symmetric_eigen(f->ctx, n, A, w));
    *massive = w[0] > MASSLESS * fmax(w[n - 1], 1.0);
    if (!*massive) return FLX_OK;
    memcpy(copy, T, (size_t)(nv * n) * sizeof *copy);
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < n; j++) A[k * n + j] /= sqrt(w[k]);
    }
    flx_dense_multiply(false, false, nv, n, n, copy, A, T);
    return FLX_OK;
}

// P less its part along Z, in the metric of M (CERT-1).
static flx_status set_apart(const splitting *s)
{
    int nv = s->f->nv, my = s->my, nJ = s->nJ;
    double *P = s->T + my * nv, *C = take(s->arena, my, nJ), *ZC = take(s->arena, nv, nJ);
    if (!C || !ZC) return FLX_ERR_MEMORY;
    if (my == 0) return FLX_OK;
    FLX_TRY(sandwich(s->arena, nv, my, nJ, s->T, s->f->M, P, C));
    flx_dense_multiply(false, false, nv, nJ, my, s->T, C, ZC);
    for (int i = 0; i < nv * nJ; i++) P[i] -= ZC[i];
    return FLX_OK;
}

// z along the principal axes of its stiffness.
static flx_status turn_to_axes(const splitting *s)
{
    int nv = s->f->nv, nJ = s->nJ;
    double *P = s->T + s->my * nv, *A = take(s->arena, nJ, nJ), *w = take(s->arena, nJ, 1);
    double *copy = take(s->arena, nv, nJ), *symmetric = take(s->arena, nJ, nJ);
    if (!A || !w || !copy || !symmetric) return FLX_ERR_MEMORY;
    FLX_TRY(sandwich(s->arena, nv, nJ, nJ, P, s->f->K, P, A));
    for (int i = 0; i < nJ; i++) {
        for (int j = 0; j < nJ; j++) symmetric[j * nJ + i] = 0.5 * (A[j * nJ + i] + A[i * nJ + j]);
    }
    FLX_TRY(flx_dense_symmetric_eigen(s->f->ctx, nJ, symmetric, w));
    memcpy(copy, P, (size_t)(nv * nJ) * sizeof *copy);
    flx_dense_multiply(false, false, nv, nJ, nJ, copy, symmetric, P);
    return FLX_OK;
}

// ---- the first-order form -----------------------------------------------------------------------

// (y, y', x, z, z')' = B (...), with z in the norm of its elastic energy where it has one.
static flx_status fill(const splitting *s, int m, double *B)
{
    const flx_frozen *f = s->f;
    int nv = f->nv, nx = f->nx, my = s->my, nJ = s->nJ, nt = my + nJ;
    double *Kx = take(s->arena, nt, nx), *X0 = take(s->arena, nx, nt), *X1 = take(s->arena, nx, nt);
    if (!Kx || !X0 || !X1) return FLX_ERR_MEMORY;
    flx_dense_multiply(true, false, nt, nx, nv, s->T, f->Kx, Kx);
    flx_dense_multiply(false, false, nx, nt, nv, f->X0, s->T, X0);
    flx_dense_multiply(false, false, nx, nt, nv, f->X1, s->T, X1);
    int first_z = 2 * my + nx;
    for (int k = 0; k < nt; k++) { // places of positions and velocities
        int at = k < my ? k : first_z + k - my, rate = k < my ? my + k : first_z + nJ + k - my;
        B[rate * m + at] = 1.0;
        for (int j = 0; j < nt; j++) {
            int from = j < my ? j : first_z + j - my;
            int from_rate = j < my ? my + j : first_z + nJ + j - my;
            B[from * m + rate] = -s->K[j * nt + k];
            B[from_rate * m + rate] = -s->D[j * nt + k];
        }
        for (int j = 0; j < nx; j++) {
            B[(2 * my + j) * m + rate] = -Kx[j * nt + k];
            B[at * m + 2 * my + j] = -X0[k * nx + j];
            B[rate * m + 2 * my + j] = -X1[k * nx + j];
        }
    }
    for (int i = 0; i < nx; i++) {
        for (int j = 0; j < nx; j++) B[(2 * my + j) * m + 2 * my + i] = -f->Xx[j * nx + i];
    }
    for (int k = 0; k < nJ; k++) {
        double stiff = s->K[(my + k) * nt + my + k];
        if (!(stiff > 0.0)) continue;
        for (int i = 0; i < m; i++) B[(first_z + k) * m + i] /= sqrt(stiff);
        for (int i = 0; i < m; i++) B[i * m + first_z + k] *= sqrt(stiff);
    }
    return FLX_OK;
}

static void block(int m, const double *B, int first_row, int nr, int first_column, int nc,
                  double *out)
{
    pick(m, B, nr, NULL, first_row, nc, first_column, out);
}

static void sort_by_size(int n, double *re, double *im)
{
    for (int i = 1; i < n; i++) {
        double r = re[i], q = im[i];
        int k = i;
        for (; k > 0 && hypot(re[k - 1], im[k - 1]) < hypot(r, q); k--) {
            re[k] = re[k - 1];
            im[k] = im[k - 1];
        }
        re[k] = r;
        im[k] = q;
    }
}

// Which eigenvalues of the fast part (z, z') alone the reduction takes away: those of the velocities, where
// they are as many decay rates far above the rest; else both of every vibration.
static flx_status judge_layer(const splitting *s, int m, const double *B)
{
    int nJ = s->nJ, nf = 2 * nJ;
    double *F = take(s->arena, nf, nf), *re = take(s->arena, nf, 1), *im = take(s->arena, nf, 1);
    if (!F || !re || !im) return FLX_ERR_MEMORY;
    block(m, B, m - nf, nf, m - nf, nf, F);
    FLX_TRY(flx_dense_eigenvalues(s->f->ctx, nf, F, re, im));
    sort_by_size(nf, re, im);
    flx_split *out = s->out;
    bool decays = hypot(re[nJ - 1], im[nJ - 1]) > APART * hypot(re[nJ], im[nJ]);
    for (int i = 0; i < nJ; i++) decays = decays && fabs(im[i]) <= fabs(re[i]);
    out->vibrates = !decays;
    out->layer = decays ? nJ : nf;
    out->fastest = hypot(re[0], im[0]);
    out->fast = hypot(re[out->layer - 1], im[out->layer - 1]);
    return FLX_OK;
}

// The layer is made of the largest eigenvalues of the whole.
static flx_status judge_spectrum(const splitting *s, int m, const double *B)
{
    flx_split *out = s->out;
    double *A = take(s->arena, m, m), *re = take(s->arena, m, 1), *im = take(s->arena, m, 1);
    if (!A || !re || !im) return FLX_ERR_MEMORY;
    memcpy(A, B, (size_t)(m * m) * sizeof *A);
    FLX_TRY(flx_dense_eigenvalues(s->f->ctx, m, A, re, im));
    sort_by_size(m, re, im);
    out->all = m;
    out->decay = HUGE_VAL;
    for (int i = 0; i < out->layer; i++) out->decay = fmin(out->decay, -re[i]);
    out->next = out->layer < m ? hypot(re[out->layer], im[out->layer]) : 0.0;
    out->gap = out->next > 0.0 ? out->fast / out->next : HUGE_VAL;
    return FLX_OK;
}

static flx_status find(splitting *s, double *inertia)
{
    const flx_frozen *f = s->f;
    int nv = f->nv, nJ = s->nJ;
    bool slow_mass, fast_mass;
    FLX_TRY(f->free ? pick_moves(s) : find_moves(s));
    if (!s->out->bears || !s->T) return FLX_OK;
    FLX_TRY(normalise(s, 0, s->my, &slow_mass, NULL));
    if (!slow_mass) return FLX_OK;
    FLX_TRY(set_apart(s));
    FLX_TRY(normalise(s, s->my, nJ, &fast_mass, inertia));
    for (int j = 0; inertia && j < nJ; j++) {
        for (int i = 0; i < nJ; i++) inertia[j * nJ + i] /= s->ease[s->J[i]] * s->ease[s->J[j]];
    }
    if (!fast_mass) return FLX_OK;
    FLX_TRY(turn_to_axes(s));
    int nt = s->my + nJ, m = 2 * nt + f->nx;
    double *B = take(s->arena, m, m);
    s->K = take(s->arena, nt, nt);
    s->D = take(s->arena, nt, nt);
    if (!B || !s->K || !s->D) return FLX_ERR_MEMORY;
    FLX_TRY(sandwich(s->arena, nv, nt, nt, s->T, f->K, s->T, s->K));
    FLX_TRY(sandwich(s->arena, nv, nt, nt, s->T, f->D, s->T, s->D));
    FLX_TRY(fill(s, m, B));
    FLX_TRY(judge_layer(s, m, B));
    FLX_TRY(judge_spectrum(s, m, B));
    s->out->known = true;
    if (f->free) return FLX_OK;
    return flx_split_find_norms(f->ctx, s->arena, m, s->out->vibrates ? 2 * nJ : nJ, B, s->out);
}

// 1 / sqrt(M_ii): moves of like energy.
static double ease_of(const flx_frozen *f, int i)
{
    double mass = f->M[i * f->nv + i];
    return mass > 0.0 ? 1.0 / sqrt(mass) : f->scale[i];
}

static flx_status begin(splitting *s)
{
    const flx_frozen *f = s->f;
    s->rest = flx_arena_take(s->arena, (size_t)f->nv, sizeof *s->rest);
    s->ease = take(s->arena, f->nv, 1);
    if (!s->rest || !s->ease) return FLX_ERR_MEMORY;
    for (int i = 0, k = 0; i < f->nv; i++) {
        s->ease[i] = ease_of(f, i);
        if (k < s->nJ && s->J[k] == i) {
            k++;
        } else {
            s->rest[s->nI++] = i;
        }
    }
    return FLX_OK;
}

flx_status flx_split_basis(const flx_frozen *f, int n, const int *J, flx_arena *arena,
                           flx_split_moves *out)
{
    flx_split split = {0};
    splitting s = {.f = f, .arena = arena, .nJ = n, .J = J, .out = &split};
    *out = (flx_split_moves){0};
    FLX_TRY(begin(&s));
    FLX_TRY(find_moves(&s));
    if (!split.bears) return FLX_SINGULAR;
    bool massive;
    FLX_TRY(normalise(&s, 0, s.my, &massive, NULL));
    if (!massive) return FLX_SINGULAR;
    FLX_TRY(set_apart(&s));
    *out = (flx_split_moves){.my = s.my, .Z = s.T, .P = s.T + s.my * f->nv};
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < f->nv; i++) out->P[j * f->nv + i] /= s.ease[J[j]];
    }
    return FLX_OK;
}

flx_status flx_frozen_free(flx_frozen *f, flx_arena *arena)
{
    int nv = f->nv;
    splitting s = {.f = f, .arena = arena};
    double *square = take(arena, nv, nv), *w = take(arena, nv, 1), *moves = take(arena, nv, nv);
    s.ease = take(arena, nv, 1);
    if (!square || !w || !moves || !s.ease) return FLX_ERR_MEMORY;
    for (int i = 0; i < nv; i++) s.ease[i] = ease_of(f, i);
    double *G = scale_constraints(&s);
    if (!G) return FLX_ERR_MEMORY;
    flx_dense_multiply(true, false, nv, nv, f->nh, G, G, square);
    FLX_TRY(flx_dense_symmetric_eigen(f->ctx, nv, square, w));
    double limit = FULL_RANK * FULL_RANK * (nv > 0 ? fmax(w[nv - 1], 0.0) : 0.0);
    for (f->nfree = 0; f->nfree < nv && !(w[f->nfree] > limit); f->nfree++) {
        for (int i = 0; i < nv; i++)
            moves[f->nfree * nv + i] = s.ease[i] * square[f->nfree * nv + i];
    }
    f->free = moves;
    return FLX_OK;
}

flx_status flx_split_find(const flx_frozen *f, int n, const int *J, flx_split *out, double *inertia)
{
    *out = (flx_split){0};
    flx_arena *arena = flx_arena_create(f->ctx);
    if (!arena) return FLX_ERR_MEMORY;
    splitting s = {.f = f, .arena = arena, .nJ = n, .J = J, .out = out};
    int before = flx_ctx_error_count(f->ctx);
    flx_status status = begin(&s);
    if (status == FLX_OK) status = find(&s, inertia);
    flx_arena_destroy(&arena);
    if (status == FLX_OK || status == FLX_ERR_MEMORY) return status;
    flx_ctx_forget_errors(f->ctx, before); // nothing is known of such numbers
    out->known = false;
    return FLX_OK;
}
