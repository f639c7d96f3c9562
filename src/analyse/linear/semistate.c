// semistate.c - equations without rates restrict z and are dropped, as modes do it (MODE-4), with the inputs; see semistate.h.
//
//     z = T s + sum_k t_k u^(k);   where a row has no rate,  s = Q s~ + sum_k P_k u^(k),  P_k = -(F2)^+ c_k,
//     b_k <- b_k + F P_k - E P_k-1                                                                  (STATE-10)
#include "analyse/linear/semistate.h"

#include "analyse/linear/linear_dense.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

#define ORDERS 8        // rates of inputs that may come up on the way
#define DEPENDENT 1e-11 // singular values that are none, of the largest
#define SEEN 1e-7       // of a row of z in units of itself: it is a state
#define MOVES 1e-10     // ... of all of them
#define NOTHING 1e-10   // of third rates beside the others
#define ROUNDING 1e-11  // of what inputs do
#define SWEEPS 4

typedef struct reducer {
    flx_ctx *ctx;
    flx_arena *arena;
    int n, nz, nin; // of s; of z
    double *E, *F;  // (n x n) column-major, as all here
    double *b[ORDERS];
    double *T, *t[ORDERS]; // (nz x n) (nz x nin)
    double *unit;          // (nz) of z
    double fastest;        // rate, about
} reducer;

// to (m x n) += factor op(A) B, of k terms.
static void add_product(bool turned, int m, int n, int k, double factor, const double *A,
                        const double *B, double *to)
{
    for (int j = 0; j < n; j++) {
        for (int l = 0; l < k; l++) {
            double x = factor * B[j * k + l];
            for (int i = 0; i < m && x != 0.0; i++)
                to[j * m + i] += x * (turned ? A[i * k + l] : A[l * m + i]);
        }
    }
}

static double *product(reducer *r, bool turned, int m, int n, int k, const double *A,
                       const double *B)
{
    double *to = flx_linear_take(r->arena, m, n);
    if (to) add_product(turned, m, n, k, 1.0, A, B, to);
    return to;
}

static double largest(int n, const double *x, int stride)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i * stride]));
    return most;
}

// Rows and columns of E and F together are of like size.
static void balance(reducer *r)
{
    int n = r->n;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int j = 0; j < n; j++) {
            double size = fmax(largest(n, r->E + j * n, 1), largest(n, r->F + j * n, 1));
            if (!(size > 0.0)) continue;
            double by = exp2(-round(log2(size)));
            for (int i = 0; i < n; i++) r->E[j * n + i] *= by;
            for (int i = 0; i < n; i++) r->F[j * n + i] *= by;
            r->unit[j] *= by;
        }
        for (int i = 0; i < n; i++) {
            double size = fmax(largest(n, r->E + i, n), largest(n, r->F + i, n));
            if (!(size > 0.0)) continue;
            double by = exp2(-round(log2(size)));
            for (int j = 0; j < n; j++) r->E[j * n + i] *= by;
            for (int j = 0; j < n; j++) r->F[j * n + i] *= by;
            for (int k = 0; k < ORDERS; k++) {
                for (int j = 0; j < r->nin; j++) r->b[k][j * n + i] *= by;
            }
        }
    }
}

// P_k (n x nin) = -V1 diag(1/w) U^T c_k, of F2 (m x n) = U diag(w) V^T.
static flx_status find_pushes(reducer *r, int m, const double *F2, double *const c[ORDERS],
                              double **V, double *P[ORDERS])
{
    int n = r->n;
    double *copy = flx_linear_take(r->arena, m, n), *U = flx_linear_take(r->arena, m, m);
    double *w = flx_linear_take(r->arena, n, 1);
    *V = flx_linear_take(r->arena, n, n);
    if (!copy || !U || !w || !*V) return FLX_ERR_MEMORY;
    memcpy(copy, F2, (size_t)(m * n) * sizeof *copy);
    FLX_TRY(flx_dense_svd(r->ctx, m, n, copy, w, U, *V));
    if (!(w[m - 1] > DEPENDENT * w[0])) return FLX_SINGULAR;
    for (int k = 0; k < ORDERS; k++) {
        double *x = product(r, true, m, r->nin, m, U, c[k]);
        if (!x) return FLX_ERR_MEMORY;
        for (int j = 0; j < r->nin; j++) {
            for (int i = 0; i < m; i++) x[j * m + i] /= -w[i];
        }
        P[k] = product(r, false, n, r->nin, m, *V, x);
        if (!P[k]) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

static flx_status deflate(reducer *r, bool *done)
{
    int n = r->n, nin = r->nin, rank = 0;
    double *U = flx_linear_take(r->arena, n, n), *V = flx_linear_take(r->arena, n, n);
    double *w = flx_linear_take(r->arena, n, 1), *copy = flx_linear_take(r->arena, n, n);
    double *c[ORDERS], *P[ORDERS], *V2;
    if (!U || !V || !w || !copy) return FLX_ERR_MEMORY;
    memcpy(copy, r->E, (size_t)(n * n) * sizeof *copy);
    FLX_TRY(flx_dense_svd(r->ctx, n, n, copy, w, U, V));
    while (rank < n && w[rank] > DEPENDENT * w[0]) rank++;
    *done = rank == n;
    if (*done) return FLX_OK;
    int m = n - rank;
    double *F2 = product(r, true, m, n, n, U + rank * n, r->F);
    if (!F2) return FLX_ERR_MEMORY;
    for (int k = 0; k < ORDERS; k++) {
        c[k] = product(r, true, m, nin, n, U + rank * n, r->b[k]);
        if (!c[k]) return FLX_ERR_MEMORY;
    }
    FLX_TRY(find_pushes(r, m, F2, c, &V2, P));
    const double *Q = V2 + m * n;
    double *E1 = product(r, true, rank, n, n, U, r->E);
    double *F1 = product(r, true, rank, n, n, U, r->F);
    if (!E1 || !F1) return FLX_ERR_MEMORY;
    if (largest(rank * nin, product(r, false, rank, nin, n, E1, P[ORDERS - 1]), 1) > 0.0)
        return FLX_ERR_CANNOT;
    for (int k = 0; k < ORDERS; k++) {
        double *b = product(r, true, rank, nin, n, U, r->b[k]);
        if (!b) return FLX_ERR_MEMORY;
        add_product(false, rank, nin, n, 1.0, F1, P[k], b);
        if (k > 0) add_product(false, rank, nin, n, -1.0, E1, P[k - 1], b);
        r->b[k] = b;
        add_product(false, r->nz, nin, n, 1.0, r->T, P[k], r->t[k]);
    }
    r->E = product(r, false, rank, rank, n, E1, Q);
    r->F = product(r, false, rank, rank, n, F1, Q);
    r->T = product(r, false, r->nz, rank, n, r->T, Q);
    r->n = rank;
    return r->E && r->F && r->T ? FLX_OK : FLX_ERR_MEMORY;
}

// s' = F s + sum_k b_k u^(k)
static flx_status divide(reducer *r)
{
    int n = r->n, wide = n + ORDERS * r->nin;
    double *all = flx_linear_take(r->arena, n, wide);
    if (!all) return FLX_ERR_MEMORY;
    memcpy(all, r->F, (size_t)(n * n) * sizeof *all);
    for (int k = 0; k < ORDERS; k++)
        memcpy(all + n * (n + k * r->nin), r->b[k], (size_t)(n * r->nin) * sizeof *all);
    FLX_TRY(flx_dense_solve(r->ctx, n, wide, r->E, all));
    r->F = all;
    for (int k = 0; k < ORDERS; k++) r->b[k] = all + n * (n + k * r->nin);
    return FLX_OK;
}

// Of one input the largest in all orders, each in units of the fastest rate. `unit`: of rows; NULL: ones.
static double largest_of_orders(const reducer *r, double *const x[ORDERS], int n, int input,
                                const double *unit)
{
    double most = 0.0, rate = 1.0;
    for (int k = 0; k < ORDERS; k++, rate *= r->fastest) {
        for (int i = 0; i < n; i++)
            most = fmax(most, rate * fabs(x[k][input * n + i]) / (unit ? unit[i] : 1.0));
    }
    return most;
}

// floor (nin): what counts at least; NULL: nothing.
static void clean_orders(const reducer *r, double *const x[ORDERS], int n, const double *unit,
                         const double *floor)
{
    for (int j = 0; j < r->nin; j++) {
        double most = largest_of_orders(r, x, n, j, unit), rate = 1.0;
        if (floor) most = fmax(most, floor[j]);
        for (int k = 0; k < ORDERS; k++, rate *= r->fastest) {
            for (int i = 0; i < n; i++) {
                double *at = x[k] + j * n + i;
                if (rate * fabs(*at) / (unit ? unit[i] : 1.0) <= ROUNDING * most) *at = 0.0;
            }
        }
    }
}

// What rounding leaves of inputs that move nothing at once.
static flx_status clean(reducer *r)
{
    double *moved = flx_linear_take(r->arena, r->nin, 1); // within the fastest time
    if (!moved) return FLX_ERR_MEMORY;
    r->fastest = largest(r->n * r->n, r->F, 1);
    if (r->fastest == 0.0) r->fastest = 1.0;
    clean_orders(r, r->b, r->n, NULL, NULL);
    for (int j = 0; j < r->nin; j++)
        moved[j] = largest_of_orders(r, r->b, r->n, j, NULL) / r->fastest;
    clean_orders(r, r->t, r->nz, r->unit, moved);
    return FLX_OK;
}

// ... and of outputs that contain no inputs, beside what these do to them by the states.
static void clean_outputs(const reducer *r, int nout, const double *C, double *const d[ORDERS])
{
    for (int i = 0; i < nout; i++) {
        for (int j = 0; j < r->nin; j++) {
            double sum = 0.0, rate = 1.0;
            for (int k = 0; k < ORDERS; k++, rate *= r->fastest) {
                for (int l = 0; l < r->n; l++)
                    sum += rate / r->fastest * fabs(C[l * nout + i] * r->b[k][j * r->n + l]);
            }
            rate = 1.0;
            for (int k = 0; k < ORDERS; k++, rate *= r->fastest) {
                if (rate * fabs(d[k][j * nout + i]) <= ROUNDING * sum) d[k][j * nout + i] = 0.0;
            }
        }
    }
}

// ---- numbers of z as states -------------------------------------------------------------------------

static bool is_pushed(const reducer *r, int row)
{
    for (int k = 0; k < ORDERS; k++) {
        for (int j = 0; j < r->nin; j++) {
            if (r->t[k][j * r->nz + row] != 0.0) return true;
        }
    }
    return false;
}

// Rows of T that are far from those chosen before, which are taken out of `left`: the largest first.
static void choose(const reducer *r, const flx_semistate *s, int kind, bool pushed, double *left,
                   int *count)
{
    int n = r->n, nz = r->nz;
    while (*count < n) {
        int best = -1;
        double most = 0.0, dot;
        for (int i = 0; i < nz; i++) {
            double size = 0.0;
            if (s->kind[i] != kind || is_pushed(r, i) != pushed) continue;
            for (int j = 0; j < n; j++) size = hypot(size, left[j * nz + i]);
            if (size > fmax(most, SEEN)) best = i;
            most = fmax(most, size);
        }
        if (best < 0) return;
        s->chosen[(*count)++] = best;
        double *row = left + n * nz;
        for (int j = 0; j < n; j++) row[j] = left[j * nz + best] / most;
        for (int i = 0; i < nz; i++) {
            dot = 0.0;
            for (int j = 0; j < n; j++) dot += left[j * nz + i] * row[j];
            for (int j = 0; j < n; j++) left[j * nz + i] -= dot * row[j];
        }
    }
}

// Every row in units of itself.
static flx_status choose_states(reducer *r, flx_semistate *s)
{
    int n = r->n, nz = r->nz, count = 0;
    double *left = flx_linear_take(r->arena, nz + 1, n + 1);
    s->chosen = flx_arena_take(r->arena, (size_t)n + 1, sizeof *s->chosen);
    if (!left || !s->chosen) return FLX_ERR_MEMORY;
    double most = 0.0; // of what moves at all: prescribed positions do not
    for (int i = 0; i < nz; i++) most = fmax(most, largest(n, r->T + i, nz) / r->unit[i]);
    for (int i = 0; i < nz; i++) {
        double size = largest(n, r->T + i, nz);
        if (size / r->unit[i] <= MOVES * most) continue;
        for (int j = 0; j < n; j++) left[j * nz + i] = r->T[j * nz + i] / size;
    }
    for (int kind = 0; kind < FLX_SEMISTATE_KINDS; kind++) {
        choose(r, s, kind, false, left, &count);
        choose(r, s, kind, true, left, &count);
    }
    return count == n ? FLX_OK : FLX_SINGULAR;
}

// s <- S s with S the rows of T that were chosen, in units of the model.
static flx_status take_states(reducer *r, flx_semistate *s)
{
    int n = r->n, wide = n + ORDERS * r->nin;
    double *S = flx_linear_take(r->arena, n, n), *turned = flx_linear_take(r->arena, n, n);
    double *all = flx_linear_take(r->arena, n, wide);
    if (!S || !turned || !all) return FLX_ERR_MEMORY;
    s->shifts = -1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) S[j * n + i] = r->T[j * r->nz + s->chosen[i]];
        for (int k = 0; k < ORDERS; k++) {
            for (int j = 0; j < r->nin; j++)
                if (r->t[k][j * r->nz + s->chosen[i]] != 0.0) s->shifts = j;
        }
    }
    add_product(false, n, wide, n, 1.0, S, r->F, all); // F and b_k follow one another
    for (int j = n; j < wide; j++) {                   // terms that cancel leave rounding
        for (int i = 0; i < n; i++) {
            double terms = 0.0;
            for (int l = 0; l < n; l++) terms += fabs(S[l * n + i] * r->F[j * n + l]);
            if (fabs(all[j * n + i]) <= ROUNDING * terms) all[j * n + i] = 0.0;
        }
    }
    for (int i = 0; i < n;
         i++) { // columns of F from the right, T as well: X S = Y by its transpose
        for (int j = 0; j < n; j++) turned[i * n + j] = S[j * n + i];
    }
    int rows = n + r->nz;
    double *Y = flx_linear_take(r->arena, n, rows);
    if (!Y) return FLX_ERR_MEMORY;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < n; j++) Y[i * n + j] = i < n ? all[j * n + i] : r->T[j * r->nz + i - n];
    }
    FLX_TRY(flx_dense_solve(r->ctx, n, rows, turned, Y));
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < n; j++)
            *(i < n ? all + j * n + i : r->T + j * r->nz + i - n) = Y[i * n + j];
    }
    r->F = all;
    for (int k = 0; k < ORDERS; k++) r->b[k] = all + n * (n + k * r->nin);
    return FLX_OK;
}

// ---- together -----------------------------------------------------------------------------------------

// Outputs: C (nout x n), d_k (nout x nin), column-major.
static flx_status find_outputs(reducer *r, const flx_semistate *s, double **C, double *d[ORDERS])
{
    int n = r->n, nin = r->nin, nout = s->nout, nz = r->nz;
    double *H = flx_linear_take(r->arena, nout, nz), *H1 = flx_linear_take(r->arena, nout, nz);
    double *TA = product(r, false, nz, n, n, r->T, r->F);
    if (!H || !H1 || !TA) return FLX_ERR_MEMORY;
    flx_linear_turn(nout, nz, s->H, H);
    flx_linear_turn(nout, nz, s->H1, H1);
    *C = product(r, false, nout, n, nz, H, r->T);
    if (!*C) return FLX_ERR_MEMORY;
    add_product(false, nout, n, nz, 1.0, H1, TA, *C);
    for (int k = 0; k < ORDERS; k++) {
        double *rate = product(r, false, nz, nin, n, r->T, r->b[k]);
        d[k] = product(r, false, nout, nin, nz, H, r->t[k]);
        if (!rate || !d[k]) return FLX_ERR_MEMORY;
        for (int i = 0; i < nz * nin && k > 0; i++) rate[i] += r->t[k - 1][i];
        add_product(false, nout, nin, nz, 1.0, H1, rate, d[k]);
        for (int i = 0; k < FLX_SEMISTATE_GIVEN && s->d[k] && i < nout; i++) {
            for (int j = 0; j < nin; j++) d[k][j * nout + i] += s->d[k][i * nin + j];
        }
    }
    return FLX_OK;
}

static double *by_rows(reducer *r, int m, int n, const double *A)
{
    double *to = flx_linear_take(r->arena, m, n);
    for (int i = 0; to && i < m; i++) {
        for (int j = 0; j < n; j++) to[i * n + j] = A[j * m + i];
    }
    return to;
}

// What rates of the inputs do goes into the state: z = s - sum_k beta_k u^(k-1) (STATE-3).
static flx_status fill(reducer *r, flx_semistate *s, flx_linear_model *out)
{
    int n = r->n, nin = r->nin, nout = s->nout;
    double *C, *d[ORDERS], most = 0.0;
    FLX_TRY(find_outputs(r, s, &C, d));
    clean_outputs(r, nout, C, d);
    for (int k = ORDERS - 1; k > 0; k--) {
        for (int i = 0; i < n * nin; i++) {
            if (r->b[k][i] != 0.0) s->shifts = i / (n > 0 ? n : 1);
        }
        add_product(false, nout, nin, n, 1.0, C, r->b[k], d[k - 1]);
        add_product(false, n, nin, n, 1.0, r->F, r->b[k], r->b[k - 1]);
    }
    for (int k = 0; k < FLX_SEMISTATE_GIVEN; k++) most = fmax(most, largest(nout * nin, d[k], 1));
    for (int k = FLX_SEMISTATE_GIVEN; k < ORDERS; k++) {
        if (largest(nout * nin, d[k], 1) > NOTHING * most) return FLX_ERR_CANNOT;
    }
    *out = (flx_linear_model){.n = n,
                              .nin = nin,
                              .nout = nout,
                              .A = by_rows(r, n, n, r->F),
                              .B = by_rows(r, n, nin, r->b[0]),
                              .C = by_rows(r, nout, n, C),
                              .D = by_rows(r, nout, nin, d[0]),
                              .rate = flx_linear_take(r->arena, n, 1)};
    if (largest(nout * nin, d[1], 1) > 0.0) out->D1 = by_rows(r, nout, nin, d[1]);
    if (largest(nout * nin, d[2], 1) > NOTHING * most) out->D2 = by_rows(r, nout, nin, d[2]);
    return out->A && out->B && out->C && out->D && out->rate ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status begin(reducer *r, const flx_semistate *s)
{
    int n = s->n;
    r->T = flx_linear_take(r->arena, n, n);
    r->unit = flx_linear_take(r->arena, n, 1);
    if (!r->T || !r->unit) return FLX_ERR_MEMORY;
    for (int k = 0; k < ORDERS; k++) {
        r->b[k] = k < FLX_SEMISTATE_GIVEN ? s->b[k] : NULL;
        if (!r->b[k]) r->b[k] = flx_linear_take(r->arena, n, s->nin);
        r->t[k] = flx_linear_take(r->arena, n, s->nin);
        if (!r->b[k] || !r->t[k]) return FLX_ERR_MEMORY;
    }
    for (int i = 0; i < n; i++) r->unit[i] = 1.0;
    balance(r);
    for (int i = 0; i < n; i++) r->T[i * n + i] = r->unit[i];
    return FLX_OK;
}

flx_status flx_semistate_reduce(flx_ctx *ctx, flx_arena *arena, flx_semistate *s,
                                flx_linear_model *out)
{
    reducer r = {
        .ctx = ctx, .arena = arena, .n = s->n, .nz = s->n, .nin = s->nin, .E = s->E, .F = s->F};
    bool done = false;
    FLX_TRY(begin(&r, s));
    for (int k = 0; k <= s->n && !done && r.n > 0; k++) FLX_TRY(deflate(&r, &done));
    if (r.n > 0) FLX_TRY(divide(&r));
    FLX_TRY(clean(&r));
    FLX_TRY(choose_states(&r, s));
    if (r.n > 0) FLX_TRY(take_states(&r, s));
    return fill(&r, s, out);
}
