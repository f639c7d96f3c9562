// pencil.c - from the blocks of a system to a pencil without constraints; see pencil.h.
#include "analyse/pencil.h"

#include "integrate/linear.h"
#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Singular values below this part of the largest: rows that say the same, directions without mass.
// Rows and columns are scaled before.
#define DEPENDENT 1e-11
#define ROUNDING 1e-13     // of rows without rate, against the largest number
#define MOST_UNKNOWNS 3000 // dense matrices of some hundred megabytes, some minutes
#define MOST_DEFLATIONS 4  // index of what is left after the bonds

typedef struct linearised {
    const flx_system *s;
    flx_ctx *ctx;
    flx_arena *arena;
    int n, nv, nx;
    double *A0, *A1, *A2;    // (n x n) column-major
    double *W, *L;           // (nv x nv)
    double *scale;           // (n) of unknowns
    double *ease;            // (nv) of velocities by their mass: moves of like energy
    int nhold, *hold;        // rows of rigid bonds on positions
    int nroll, *roll;        // of rigid bonds on velocities
    int nsoft, *soft;        // unknowns that are algebraic
    double *N, *NL, *Z, *ZL; // bases: (nv x m) twice, (m x k) twice
    int m, k;
    double *R; // (m x m) of y' = Z zeta + R y
} linearised;

static double *take(flx_arena *arena, int m, int n)
{
    return flx_arena_take(arena, (size_t)m * (size_t)n, sizeof(double));
}

static flx_status no_memory(flx_ctx *ctx)
{
    return FLX_FAIL(ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
}

// ---- dense blocks -------------------------------------------------------------------------------

void flx_pencil_spread(const flx_system *s, flx_work *work, const flx_blocks *b, int which,
                       double *scratch, double *A)
{
    size_t n = (size_t)flx_dims_unknowns(&s->dims);
    flx_blocks_spread(s, work, b, which, scratch, A);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            double a = A[i * n + j];
            A[i * n + j] = A[j * n + i];
            A[j * n + i] = a;
        }
    }
}

// out (nr x nc) = rows and columns of A (n x n) by number; NULL: the first ones.
static double *pick(const linearised *l, const double *A, int nr, const int *rows, int nc,
                    const int *cols)
{
    double *out = take(l->arena, nr, nc);
    for (int j = 0; out && j < nc; j++) {
        for (int i = 0; i < nr; i++) {
            out[j * nr + i] = A[(cols ? cols[j] : j) * l->n + (rows ? rows[i] : i)];
        }
    }
    return out;
}

// op(A) B in new memory; NULL where there is none, or an operand has none.
static double *product(const linearised *l, bool transpose, int m, int n, int k, const double *A,
                       const double *B)
{
    double *C = A && B ? take(l->arena, m, n) : NULL;
    if (C) flx_dense_multiply(transpose, false, m, n, k, A, B, C);
    return C;
}

static void add(int n, double factor, const double *A, double *to)
{
    for (int i = 0; A && to && i < n; i++) to[i] += factor * A[i];
}

// C(v) (MODE-2), columns that the slope of the chart gives: beta_ijk v_j theta_k by
// velocity_slope_t at theta = 0, whose block of one body couples with no other.
static flx_status add_bracket(linearised *l, const flx_state *x, double *C)
{
    const flx_system *s = l->s;
    const flx_pattern *p = &s->pattern;
    int nv = l->nv;
    double *zero = take(l->arena, nv, 1), *unit = take(l->arena, nv, 1),
           *row = take(l->arena, nv, 1);
    double *e = take(l->arena, nv, 1);
    if (!zero || !unit || !row || !e) return no_memory(l->ctx);
    if (!s->ops->velocity_slope_t) return FLX_OK;
    for (int b = 0; b < p->nblock && p->start[b] < nv; b++) {
        for (int i = p->start[b]; i < p->start[b + 1]; i++) {
            unit[i] = 1.0;
            s->ops->velocity_slope_t(s, zero, x->v, unit, row);
            for (int j = p->start[b]; j < p->start[b + 1]; j++) C[j * nv + i] += row[j];
            for (int j = p->start[b]; j < p->start[b + 1]; j++) {
                e[j] = 1.0;
                s->ops->velocity_slope_t(s, zero, e, unit, row);
                e[j] = 0.0;
                for (int k = p->start[b]; k < p->start[b + 1]; k++) {
                    C[j * nv + i] -= row[k] * x->v[k];
                }
            }
            unit[i] = 0.0;
        }
    }
    return FLX_OK;
}

static flx_status sort_rows(linearised *l)
{
    const flx_dims *d = &l->s->dims;
    l->scale = take(l->arena, l->n, 1);
    l->hold = flx_arena_take(l->arena, (size_t)l->n, sizeof(int));
    l->roll = flx_arena_take(l->arena, (size_t)l->n, sizeof(int));
    l->soft = flx_arena_take(l->arena, (size_t)l->n, sizeof(int));
    if (!l->scale || !l->hold || !l->roll || !l->soft) return no_memory(l->ctx);
    for (int i = 0; i < l->n; i++) {
        flx_unknown u;
        l->s->ops->unknown(l->s, i, &u);
        l->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
        if (i < d->nv + d->nx) continue;
        bool bond = u.kind == FLX_UNKNOWN_BOND && !(u.C > 0.0);
        if (bond && u.tau == 0.0) {
            l->hold[l->nhold++] = i;
        } else if (bond || (u.kind == FLX_UNKNOWN_VELOCITY_BOND && !(u.E > 0.0))) {
            l->roll[l->nroll++] = i;
        } else {
            l->soft[l->nsoft++] = i;
        }
    }
    return FLX_OK;
}

// A coordinate without mass moves as far as the others do at the mean energy.
static flx_status find_ease(linearised *l)
{
    double energy = 0.0;
    l->ease = take(l->arena, l->nv, 1);
    if (!l->ease) return no_memory(l->ctx);
    for (int i = 0; i < l->nv; i++) {
        energy += l->A2[i * l->n + i] * l->scale[i] * l->scale[i] / l->nv;
    }
    for (int i = 0; i < l->nv; i++) {
        double mass = l->A2[i * l->n + i];
        l->ease[i] =
            mass > 0.0 ? 1.0 / sqrt(mass) : l->scale[i] / sqrt(energy > 0.0 ? energy : 1.0);
    }
    return FLX_OK;
}

static flx_status linearise(linearised *l, flx_work *work, const flx_state *x, const double *turn)
{
    const flx_system *s = l->s;
    if (l->n > MOST_UNKNOWNS) {
        return FLX_FAIL(l->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "modes are found for at most %d unknowns, the model has %d; fewer bodies, "
                        "or `formulation: tree`, make it smaller",
                        MOST_UNKNOWNS, l->n);
    }
    flx_blocks b = {0};
    flx_point p = flx_state_point(s, x);
    FLX_TRY(sort_rows(l));
    l->A0 = take(l->arena, l->n, l->n);
    l->A1 = take(l->arena, l->n, l->n);
    l->A2 = take(l->arena, l->n, l->n);
    l->W = take(l->arena, l->nv, l->nv);
    l->L = take(l->arena, l->nv, l->nv);
    double *scratch = take(l->arena, l->n, 2);
    if (!l->A0 || !l->A1 || !l->A2 || !l->W || !l->L || !scratch) return no_memory(l->ctx);
    flx_status status = flx_blocks_create(s, &b);
    if (status == FLX_OK) status = s->ops->linearise(s, work, &p, &b);
    if (status == FLX_OK) {
        flx_pencil_spread(s, work, &b, 0, scratch, l->A0);
        flx_pencil_spread(s, work, &b, 1, scratch, l->A1);
        flx_pencil_spread(s, work, &b, 2, scratch, l->A2);
    }
    flx_blocks_destroy(&b);
    FLX_TRY(status);
    FLX_TRY(find_ease(l));
    FLX_TRY(add_bracket(l, x, l->L)); // C for now
    for (int i = 0; i < l->nv * l->nv; i++) {
        l->W[i] = turn ? turn[i] : 0.0;
        l->L[i] = l->W[i] - l->L[i];
    }
    return FLX_OK;
}

// ---- null spaces --------------------------------------------------------------------------------

// Columns of V (n x n) from the rank on span the null space of the rows J (m x n, overwritten), each
// scaled to length one.
static flx_status find_null(const linearised *l, int m, int n, double *J, double **V, int *rank)
{
    int most = m < n ? m : n;
    double *w = take(l->arena, most, 1);
    *V = take(l->arena, n, n);
    *rank = 0;
    if (!J || !w || !*V) return no_memory(l->ctx);
    for (int i = 0; i < m; i++) {
        double size = 0.0;
        for (int j = 0; j < n; j++) size = fmax(size, fabs(J[j * m + i]));
        for (int j = 0; size > 0.0 && j < n; j++) J[j * m + i] /= size;
    }
    FLX_TRY(flx_dense_svd(l->ctx, m, n, J, w, NULL, *V));
    while (*rank < most && w[*rank] > DEPENDENT * w[0]) (*rank)++;
    return FLX_OK;
}

static void scale_rows(int m, int n, const double *scale, double *A)
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) A[j * m + i] *= scale[i];
    }
}

static void scale_columns(int m, int n, const double *scale, double *A)
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) A[j * m + i] *= scale[j];
    }
}

static double *transpose(const linearised *l, int m, int n, const double *A)
{
    double *out = A ? take(l->arena, n, m) : NULL;
    for (int j = 0; out && j < n; j++) {
        for (int i = 0; i < m; i++) out[i * n + j] = A[j * m + i];
    }
    return out;
}

// theta = N y on the rigid bonds; rows of motion are combined by NL, in which the multipliers do not
// appear: the same, unless forces read multipliers.
static flx_status find_positions(linearised *l)
{
    int nv = l->nv, rank, left_rank;
    double *G = pick(l, l->A0, l->nhold, l->hold, nv, NULL), *V;
    if (!G) return no_memory(l->ctx);
    scale_columns(l->nhold, nv, l->ease, G);
    FLX_TRY(find_null(l, l->nhold, nv, G, &V, &rank));
    l->m = nv - rank;
    l->N = l->NL = V + rank * nv;
    if (l->s->reads_multipliers && l->nhold > 0) {
        double *B = transpose(l, nv, l->nhold, pick(l, l->A0, nv, NULL, l->nhold, l->hold));
        if (!B) return no_memory(l->ctx);
        scale_columns(l->nhold, nv, l->ease, B);
        FLX_TRY(find_null(l, l->nhold, nv, B, &V, &left_rank));
        if (left_rank != rank) return FLX_SINGULAR;
        l->NL = V + rank * nv;
        scale_rows(nv, l->m, l->ease, l->NL);
    }
    scale_rows(nv, l->m, l->ease, l->N);
    return FLX_OK;
}

// y' = Z zeta + R y on the rigid velocity bonds A1 u + A0 theta = 0, u = N y' + W N y.
static flx_status find_velocities(linearised *l)
{
    int m = l->m, nr = l->nroll, nv = l->nv, rank, left_rank;
    double *A1 = pick(l, l->A1, nr, l->roll, nv, NULL), *A0 = pick(l, l->A0, nr, l->roll, nv, NULL);
    double *A = product(l, false, nr, m, nv, A1, l->N);
    double *H = product(l, false, nr, m, nv, A0, l->N);
    double *WN = product(l, false, nv, m, nv, l->W, l->N), *V;
    double *B = transpose(l, nv, nr, pick(l, l->A0, nv, NULL, nr, l->roll));
    double *BN = product(l, false, nr, m, nv, B, l->NL);
    add(nr * m, 1.0, product(l, false, nr, m, nv, A1, WN), H);
    l->R = take(l->arena, m, m);
    if (!A || !H || !BN || !l->R) return no_memory(l->ctx);
    for (int i = 0; i < nr; i++) { // as find_null will
        double size = 0.0;
        for (int j = 0; j < m; j++) size = fmax(size, fabs(A[j * nr + i]));
        for (int j = 0; size > 0.0 && j < m; j++) A[j * nr + i] /= size;
        for (int j = 0; size > 0.0 && j < m; j++) H[j * nr + i] /= size;
    }
    double *copy = take(l->arena, nr, m);
    if (!copy) return no_memory(l->ctx);
    memcpy(copy, A, (size_t)(nr * m) * sizeof *copy);
    FLX_TRY(find_null(l, nr, m, copy, &V, &rank));
    l->k = m - rank;
    l->Z = V + rank * m;
    FLX_TRY(find_null(l, nr, m, BN, &l->ZL, &left_rank));
    if (left_rank != rank) return FLX_SINGULAR;
    l->ZL += rank * m;
    if (rank == 0) return FLX_OK;
    // R = -V1 (A V1)^+ H: by the normal equations of the well-scaled rows where there are more of them
    double *AV = product(l, false, nr, rank, m, A, V);
    double *P = product(l, true, rank, rank, nr, AV, AV);
    double *Q = product(l, true, rank, m, nr, AV, H);
    if (!P || !Q) return no_memory(l->ctx);
    if (rank == nr) {
        FLX_TRY(flx_dense_solve(l->ctx, nr, m, AV, H));
        memcpy(Q, H, (size_t)(nr * m) * sizeof *Q);
    } else {
        FLX_TRY(flx_dense_solve(l->ctx, rank, m, P, Q));
    }
    flx_dense_multiply(false, false, m, m, rank, V, Q, l->R);
    for (int i = 0; i < m * m; i++) l->R[i] = -l->R[i];
    return FLX_OK;
}

// ---- the pencil ---------------------------------------------------------------------------------

// M, D + M (W + L), K + D W + M L W.
static flx_status combine(const linearised *l, double *X[3])
{
    int nv = l->nv;
    double *M = pick(l, l->A2, nv, NULL, nv, NULL), *D = pick(l, l->A1, nv, NULL, nv, NULL);
    double *K = pick(l, l->A0, nv, NULL, nv, NULL);
    double *ML = product(l, false, nv, nv, nv, M, l->L),
           *MW = product(l, false, nv, nv, nv, M, l->W);
    double *rate = take(l->arena, nv, nv);
    double *DW = product(l, false, nv, nv, nv, D, l->W);
    double *MLW = product(l, false, nv, nv, nv, ML, l->W);
    if (!K || !MW || !rate || !DW || !MLW) return no_memory(l->ctx);
    memcpy(rate, D, (size_t)(nv * nv) * sizeof *rate);
    add(nv * nv, 1.0, ML, rate);
    add(nv * nv, 1.0, MW, rate);
    add(nv * nv, 1.0, DW, K);
    add(nv * nv, 1.0, MLW, K);
    X[0] = M;
    X[1] = rate;
    X[2] = K;
    return FLX_OK;
}

// Rows r0.. of F (size n) += factor A (m x nc) from column c0 on.
static void put(int n, double *F, int r0, int c0, int m, int nc, double factor, const double *A)
{
    for (int j = 0; j < nc; j++) {
        for (int i = 0; i < m; i++) F[(c0 + j) * n + r0 + i] += factor * A[j * m + i];
    }
}

// Rows `rows` of states and soft unknowns: A0 N y + A1 (N y' + W N y), with y' = Z zeta + R y.
static flx_status put_rows(const linearised *l, int nr, const int *rows, int r0, int n, double *F)
{
    int m = l->m, k = l->k, nv = l->nv;
    double *A0 = pick(l, l->A0, nr, rows, nv, NULL), *A1 = pick(l, l->A1, nr, rows, nv, NULL);
    double *WN = product(l, false, nv, m, nv, l->W, l->N);
    double *on_y = product(l, false, nr, m, nv, A0, l->N);
    double *on_rate = product(l, false, nr, m, nv, A1, l->N);
    double *by_R = product(l, false, nr, m, m, on_rate, l->R);
    double *on_zeta = product(l, false, nr, k, m, on_rate, l->Z);
    double *by_W = product(l, false, nr, m, nv, A1, WN);
    if (!on_y || !by_R || !on_zeta || !by_W) return no_memory(l->ctx);
    put(n, F, r0, 0, nr, m, -1.0, on_y);
    put(n, F, r0, 0, nr, m, -1.0, by_W);
    put(n, F, r0, 0, nr, m, -1.0, by_R);
    put(n, F, r0, m, nr, k, -1.0, on_zeta);
    return FLX_OK;
}

static void put_columns(const linearised *l, int nr, const int *rows, int r0, int n, double *F)
{
    int m = l->m, k = l->k, nx = l->nx;
    for (int i = 0; i < nr; i++) {
        for (int j = 0; j < nx; j++) {
            F[(m + k + j) * n + r0 + i] -= l->A0[(l->nv + j) * l->n + rows[i]];
        }
        for (int j = 0; j < l->nsoft; j++) {
            F[(m + k + nx + j) * n + r0 + i] -= l->A0[l->soft[j] * l->n + rows[i]];
        }
    }
}

// The rows of motion, combined by NL ZL.
static flx_status put_motion(const linearised *l, int n, double *E, double *F)
{
    int nv = l->nv, m = l->m, k = l->k, nx = l->nx;
    double *X[3], *reduced[3], *left = product(l, false, nv, k, m, l->NL, l->ZL);
    FLX_TRY(combine(l, X));
    for (int i = 0; i < 3; i++) {
        double *part = product(l, false, nv, m, nv, X[i], l->N);
        reduced[i] = product(l, true, k, m, nv, left, part);
        if (!reduced[i]) return no_memory(l->ctx);
    }
    double *MZ = product(l, false, k, k, m, reduced[0], l->Z);
    double *rate = product(l, false, k, m, m, reduced[0], l->R); // (M R + D) (Z zeta + R y)
    if (!MZ || !rate) return no_memory(l->ctx);
    add(k * m, 1.0, reduced[1], rate);
    double *on_zeta = product(l, false, k, k, m, rate, l->Z);
    double *on_y = product(l, false, k, m, m, rate, l->R);
    if (!on_zeta || !on_y) return no_memory(l->ctx);
    put(n, E, m, m, k, k, 1.0, MZ);
    put(n, F, m, 0, k, m, -1.0, reduced[2]);
    put(n, F, m, 0, k, m, -1.0, on_y);
    put(n, F, m, m, k, k, -1.0, on_zeta);
    for (int pass = 0; pass < 2; pass++) { // columns of states, then of soft unknowns
        int nc = pass == 0 ? nx : l->nsoft;
        double *cols = take(l->arena, nv, nc);
        if (!cols) return no_memory(l->ctx);
        for (int j = 0; j < nc; j++) {
            int from = pass == 0 ? nv + j : l->soft[j];
            memcpy(cols + j * nv, l->A0 + (size_t)from * (size_t)l->n, (size_t)nv * sizeof *cols);
        }
        double *part = product(l, true, k, nc, nv, left, cols);
        if (!part) return no_memory(l->ctx);
        put(n, F, m, m + k + (pass == 0 ? 0 : nx), k, nc, -1.0, part);
    }
    return FLX_OK;
}

// Reactions that states or algebraic equations read would have to be solved for.
static flx_status refuse_readers(const linearised *l)
{
    for (int i = l->nv; i < l->n; i++) {
        bool held = false;
        for (int j = 0; j < l->nhold; j++) held = held || l->hold[j] == i;
        for (int j = 0; j < l->nroll; j++) held = held || l->roll[j] == i;
        for (int j = 0; !held && j < l->nhold + l->nroll; j++) {
            int c = j < l->nhold ? l->hold[j] : l->roll[j - l->nhold];
            if (l->A0[(size_t)c * (size_t)l->n + (size_t)i] == 0.0) continue;
            flx_unknown u;
            l->s->ops->unknown(l->s, i, &u);
            return FLX_FAIL(l->ctx, FLX_ERR_CANNOT, u.loc,
                            "modes: '%s' depends on the force of a joint, which this analysis does "
                            "not follow",
                            u.item ? u.item : "?");
        }
    }
    return FLX_OK;
}

static flx_status assemble(linearised *l, flx_pencil *out)
{
    int m = l->m, k = l->k, nx = l->nx, n = m + k + nx + l->nsoft;
    int *states = flx_arena_take(l->arena, (size_t)nx, sizeof *states);
    out->n = n;
    out->nout = l->nv + nx;
    out->E = take(l->arena, n, n);
    out->F = take(l->arena, n, n);
    out->T = take(l->arena, out->nout, n);
    if (!states || !out->E || !out->F || !out->T) return no_memory(l->ctx);
    for (int i = 0; i < nx; i++) states[i] = l->nv + i;
    for (int i = 0; i < m; i++) out->E[i * n + i] = 1.0;
    put(n, out->F, 0, 0, m, m, 1.0, l->R);
    put(n, out->F, 0, m, m, k, 1.0, l->Z);
    FLX_TRY(put_motion(l, n, out->E, out->F));
    FLX_TRY(put_rows(l, nx, states, m + k, n, out->F));
    FLX_TRY(put_rows(l, l->nsoft, l->soft, m + k + nx, n, out->F));
    put_columns(l, nx, states, m + k, n, out->F);
    put_columns(l, l->nsoft, l->soft, m + k + nx, n, out->F);
    for (int i = 0; i < nx; i++) {
        for (int j = 0; j < nx; j++) {
            out->E[(m + k + j) * n + m + k + i] = l->A1[(l->nv + j) * l->n + l->nv + i];
        }
        out->T[(m + k + i) * out->nout + l->nv + i] = 1.0;
    }
    for (int i = m + k; i < m + k + nx; i++) { // any unit of states
        double size = 0.0;
        for (int j = 0; j < n; j++) size = fmax(size, fabs(out->E[j * n + i]));
        for (int j = 0; size > 0.0 && j < n; j++) {
            out->E[j * n + i] /= size;
            out->F[j * n + i] /= size;
        }
    }
    for (int j = 0; j < m; j++) {
        memcpy(out->T + j * out->nout, l->N + j * l->nv, (size_t)l->nv * sizeof(double));
    }
    return FLX_OK;
}

// ---- without rates ------------------------------------------------------------------------------

// The unknown that moves most along a combination of the rows: rows of motion belong to directions
// N Z, those of states to themselves.
static flx_status refuse_undetermined(const linearised *l, const double *row)
{
    int nv = l->nv, m = l->m, k = l->k, worst = 0;
    double *NZ = product(l, false, nv, k, m, l->N, l->Z), largest = 0.0;
    if (!NZ) return no_memory(l->ctx);
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
static flx_status deflate(const linearised *l, flx_pencil *p, double *rows, int n0, bool *done)
{
    int n = p->n, rank = 0, alone;
    double *w = take(l->arena, n, 1), *U = take(l->arena, n, n), *V = take(l->arena, n, n);
    double *copy = take(l->arena, n, n), *Q;
    if (!w || !U || !V || !copy) return no_memory(l->ctx);
    memcpy(copy, p->E, (size_t)n * (size_t)n * sizeof *copy);
    FLX_TRY(flx_dense_svd(l->ctx, n, n, copy, w, U, V));
    while (rank < n && w[rank] > DEPENDENT * fmax(w[0], DBL_MIN)) rank++;
    *done = rank == n;
    if (*done) return FLX_OK;
    double *algebraic = product(l, true, n - rank, n, n, U + rank * n, p->F);
    if (!algebraic) return no_memory(l->ctx);
    clean_rows(n - rank, n, p->F, algebraic);
    double *turned = transpose(l, n - rank, n, algebraic); // its null space: rows that say nothing
    double *left;
    if (!turned) return no_memory(l->ctx);
    FLX_TRY(find_null(l, n, n - rank, turned, &left, &alone));
    if (alone < n - rank) {
        double *c = product(l, false, n, 1, n - rank, U + rank * n, left + alone * (n - rank));
        double *row = product(l, false, n0, 1, n, rows, c);
        return row ? refuse_undetermined(l, row) : no_memory(l->ctx);
    }
    FLX_TRY(find_null(l, n - rank, n, algebraic, &Q, &alone));
    if (alone < n - rank) return FLX_SINGULAR;
    Q += (n - rank) * n;
    double *EQ = product(l, false, n, rank, n, p->E, Q),
           *FQ = product(l, false, n, rank, n, p->F, Q);
    double *E = product(l, true, rank, rank, n, U, EQ), *F = product(l, true, rank, rank, n, U, FQ);
    double *T = product(l, false, p->nout, rank, n, p->T, Q);
    double *kept = product(l, false, n0, rank, n, rows, U);
    if (!E || !F || !T || !kept) return no_memory(l->ctx);
    memcpy(rows, kept, (size_t)n0 * (size_t)rank * sizeof *rows);
    *p = (flx_pencil){.n = rank, .E = E, .F = F, .nout = p->nout, .T = T};
    return FLX_OK;
}

static flx_status make_regular(const linearised *l, flx_pencil *p)
{
    int n0 = p->n;
    double *rows = take(l->arena, n0, n0);
    if (!rows) return no_memory(l->ctx);
    for (int i = 0; i < n0; i++) rows[i * n0 + i] = 1.0;
    bool done = false;
    for (int k = 0; k <= MOST_DEFLATIONS; k++) {
        FLX_TRY(deflate(l, p, rows, n0, &done));
        if (done) return FLX_OK;
    }
    return FLX_FAIL(l->ctx, FLX_SINGULAR, FLX_NOWHERE,
                    "the linearised equations do not determine the motion");
}

static linearised begin(const flx_system *s, flx_arena *arena)
{
    return (linearised){.s = s,
                        .ctx = s->ctx,
                        .arena = arena,
                        .n = flx_dims_unknowns(&s->dims),
                        .nv = s->dims.nv,
                        .nx = s->dims.nx};
}

flx_status flx_pencil_create(const flx_system *s, flx_work *work, const flx_state *x,
                             const double *turn, flx_arena *arena, flx_pencil *out)
{
    linearised l = begin(s, arena);
    *out = (flx_pencil){0};
    FLX_TRY(linearise(&l, work, x, turn));
    FLX_TRY(refuse_readers(&l));
    FLX_TRY(find_positions(&l));
    FLX_TRY(find_velocities(&l));
    FLX_TRY(assemble(&l, out));
    return make_regular(&l, out);
}

flx_status flx_pencil_coefficients(const flx_system *s, flx_work *work, const flx_state *x,
                                   const double *turn, flx_arena *arena, double **X)
{
    linearised l = begin(s, arena);
    FLX_TRY(linearise(&l, work, x, turn));
    int nv = l.nv, nrow = l.nhold + l.nroll, rank;
    double *J = take(arena, nrow, nv), *V, *parts[3];
    *X = take(arena, nv, 3 * nv);
    if (!J || !*X) return no_memory(l.ctx);
    for (int j = 0; j < nv; j++) {
        for (int i = 0; i < l.nhold; i++) J[j * nrow + i] = l.A0[j * l.n + l.hold[i]];
        for (int i = 0; i < l.nroll; i++) J[j * nrow + l.nhold + i] = l.A1[j * l.n + l.roll[i]];
    }
    FLX_TRY(find_null(&l, nrow, nv, J, &V, &rank));
    double *N = V + rank * nv, *Pi = take(arena, nv, nv);
    if (!Pi) return no_memory(l.ctx);
    flx_dense_multiply(false, true, nv, nv, nv - rank, N, N, Pi);
    FLX_TRY(combine(&l, parts));
    for (int i = 0; i < 3; i++) {
        double *half = product(&l, false, nv, nv, nv, Pi, parts[i]);
        if (!half) return no_memory(l.ctx);
        flx_dense_multiply(false, false, nv, nv, nv, half, Pi, *X + i * nv * nv);
    }
    return FLX_OK;
}
