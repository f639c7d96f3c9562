// semistate.c - equations without rates restrict z and are dropped, with the inputs; see semistate.h.
//
//     where a row has no rate,  0 = f s + sum_k c_k u^(k):   s_j = -(sum_l f_l s_l + sum_k c_k u^(k)) / f_j,  l /= j
//     in all others, b_k+1 <- b_k+1 + (E_j / f_j) c_k                                          (STATE-10)
//
// One number of z is taken out after the other, and those that are left are the states. So what is zero stays zero, and parts that are
// 1e9 times faster than others do not mix with them.
#include "analyse/linear/semistate.h"

#include "analyse/linear/linear_dense.h"

#include <math.h>
#include <string.h>

#define ORDERS 8        // rates of inputs that may come up on the way
#define PREFERRED 1e-6  // of the largest of its row: it is taken out, if it shall be
#define DEPENDENT 1e-13 // ... it is none; of differences: none, beside the numbers that they are of
#define CANCELLED 2e-14
#define TOGETHER 1e3  // ... times as readily, where its position is out
#define NOTHING 1e-10 // of third rates beside the others
#define SWEEPS 4

typedef struct reducer {
    flx_ctx *ctx;
    flx_arena *arena;
    const int *kind, *position;
    int n, nin; // of z
    int nb;     // of b_0 .. b_7
    double
        *W; // (2 n x (2 n + nb)) by rows: E, F, b_k; then 0, T, t_k with z = T s + sum_k t_k u^(k)
    double *M;         // what numbers of W are differences of
    bool *row, *col;   // (n) that are left
    int *place, *turn; // (n) the row in which a number of z has its rate; the order of pivots
    int count;         // of them
    double *unit;      // (n) of z
    // of the states
    int ns;
    double *A, *B[ORDERS], *T, *t[ORDERS]; // column-major: (ns x ns) (ns x nin) (n x ns) (n x nin)
} reducer;

// to (m x n) += A B, of k terms; what cancels is zero.
static void add_product(int m, int n, int k, const double *A, const double *B, double *to)
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) {
            double sum = to[j * m + i], most = fabs(sum);
            for (int l = 0; l < k; l++) {
                double x = A[l * m + i] * B[j * k + l];
                sum += x;
                most = fmax(most, fabs(x));
            }
            to[j * m + i] = fabs(sum) <= CANCELLED * most ? 0.0 : sum;
        }
    }
}

static double largest(int n, const double *x, int stride)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i * stride]));
    return most;
}

static double *row_of(const reducer *r, const double *of, int i)
{
    return (double *)of + (size_t)i * (size_t)(2 * r->n + r->nb);
}

// Rows and columns of E and F together are of like size.
static void balance(reducer *r)
{
    int n = r->n, wide = 2 * n + r->nb;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int j = 0; j < n; j++) {
            double size = fmax(largest(n, r->W + j, wide), largest(n, r->W + n + j, wide));
            if (!(size > 0.0)) continue;
            double by = exp2(-round(log2(size)));
            for (int i = 0; i < n; i++) row_of(r, r->W, i)[j] *= by;
            for (int i = 0; i < n; i++) row_of(r, r->W, i)[n + j] *= by;
            r->unit[j] *= by;
        }
        for (int i = 0; i < n; i++) {
            double *w = row_of(r, r->W, i), size = largest(2 * n, w, 1);
            if (!(size > 0.0)) continue;
            double by = exp2(-round(log2(size)));
            for (int j = 0; j < wide; j++) w[j] *= by;
        }
    }
}

// ---- rows -------------------------------------------------------------------------------------------

// Numbers first .. end of row i -= f times those of row p, `shift` before them; what cancels is zero.
static void subtract(reducer *r, int i, int first, int end, double f, int p, int shift, double none)
{
    double *w = row_of(r, r->W, i), *m = row_of(r, r->M, i);
    const double *x = row_of(r, r->W, p), *mx = row_of(r, r->M, p);
    for (int c = first; c < end; c++) {
        if (mx[c + shift] == 0.0) continue;
        w[c] -= f * x[c + shift];
        m[c] = fmax(m[c], fabs(f) * mx[c + shift]);
        if (fabs(w[c]) <= none * m[c]) w[c] = 0.0;
    }
}

static void subtract_row(reducer *r, int i, double f, int p)
{
    int n = r->n;
    subtract(r, i, 0, n, f, p, 0, DEPENDENT);
    subtract(r, i, n, 2 * n + r->nb, f, p, 0, CANCELLED);
}

// The largest number of E in rows and columns that have no pivot yet.
static bool find_pivot(const reducer *r, const bool *used, int *row, int *col)
{
    double most = 0.0;
    for (int i = 0; i < r->n; i++) {
        const double *w = row_of(r, r->W, i);
        if (!r->row[i] || used[i]) continue;
        for (int j = 0; j < r->n; j++) {
            if (fabs(w[j]) <= most || r->place[j] >= 0) continue;
            most = fabs(w[j]);
            *row = i;
            *col = j;
        }
    }
    return most > 0.0;
}

// Pivots of E; rows that have none have no rates afterwards. used (n): rows that have one.
static void find_rates(reducer *r, bool *used)
{
    int p = 0, q = 0;
    r->count = 0;
    memset(used, 0, (size_t)r->n * sizeof *used);
    for (int j = 0; j < r->n; j++) r->place[j] = r->col[j] ? -1 : r->n;
    while (find_pivot(r, used, &p, &q)) {
        double pivot = row_of(r, r->W, p)[q];
        used[p] = true;
        r->place[q] = p;
        r->turn[r->count++] = q;
        for (int i = 0; i < r->n; i++) {
            double *w = row_of(r, r->W, i);
            if (!r->row[i] || used[i] || w[q] == 0.0) continue;
            subtract_row(r, i, w[q] / pivot, p);
            w[q] = 0.0;
        }
    }
}

// ---- numbers of z that are taken out ----------------------------------------------------------------

// First what is no state ever, then rates of what is light, first-order unknowns, rates, positions.
static int rank_of(const reducer *r, int j)
{
    return r->kind[j] < 0 ? FLX_SEMISTATE_KINDS : r->kind[j];
}

// In a row without rates: *size of its numbers, and damping that is rounding is none.
static void look_at_row(reducer *r, int i, double *size)
{
    double *f = row_of(r, r->W, i) + r->n;
    *size = largest(r->n, f, 1);
    for (int j = 0; j < r->n; j++) {
        bool rate = r->kind[j] == 1 || r->kind[j] == 3;
        if (rate && fabs(f[j]) <= DEPENDENT * *size) f[j] = 0.0;
    }
}

static bool choose(reducer *r, const bool *used, int *row, int *col)
{
    double best = 0.0;
    int rank = -1;
    for (int i = 0; i < r->n; i++) {
        double size, *f = row_of(r, r->W, i) + r->n;
        if (!r->row[i] || used[i]) continue;
        look_at_row(r, i, &size);
        for (int j = 0; j < r->n; j++) {
            bool never = r->kind[j] < 0; // a state: the largest first
            double part = f[j] != 0.0 ? fabs(f[j]) / (never ? 1.0 : size) : 0.0;
            int of = never || part >= PREFERRED ? rank_of(r, j) : -1;
            if (r->position[j] >= 0 && !r->col[r->position[j]]) part *= TOGETHER;
            if (part == 0.0 || of < rank || (of == rank && part <= best)) continue;
            best = part;
            rank = of;
            *row = i;
            *col = j;
        }
    }
    return best > 0.0;
}

static flx_status take_out(reducer *r, int row, int col)
{
    int n = r->n, end = 2 * n + r->nb;
    double pivot = row_of(r, r->W, row)[n + col];
    r->row[row] = r->col[col] = false;
    for (int i = 0; i < 2 * n; i++) {
        double *w = row_of(r, r->W, i), e = w[col] / pivot, f = w[n + col] / pivot;
        if (i < n && !r->row[i]) continue;
        if (e != 0.0) {
            if (largest(r->nin, row_of(r, r->W, row) + end - r->nin, 1) > 0.0)
                return FLX_ERR_CANNOT;
            subtract(r, i, 0, n, e, row, n, DEPENDENT);
            subtract(r, i, 2 * n + r->nin, end, -e, row, -r->nin, CANCELLED);
        }
        if (f != 0.0) subtract(r, i, n, end, f, row, 0, CANCELLED);
        w[col] = w[n + col] = 0.0;
    }
    return FLX_OK;
}

static flx_status deflate(reducer *r, bool *used, bool *done)
{
    int left = 0, row = 0, col = 0;
    find_rates(r, used);
    for (int i = 0; i < r->n; i++) left += r->row[i] && !used[i];
    *done = left == 0;
    for (; left > 0; left--) {
        if (!choose(r, used, &row, &col)) return FLX_SINGULAR;
        FLX_TRY(take_out(r, row, col));
    }
    return FLX_OK;
}

// ---- states -----------------------------------------------------------------------------------------

// s' = A s + sum_k B_k u^(k): what is above the pivots goes, too.
static void divide(reducer *r)
{
    for (int k = r->count - 1; k >= 0; k--) {
        int q = r->turn[k], p = r->place[q];
        double *w = row_of(r, r->W, p), *m = row_of(r, r->M, p), pivot = w[q];
        for (int c = 0; c < 2 * r->n + r->nb; c++) {
            w[c] /= pivot;
            m[c] /= fabs(pivot);
        }
        for (int l = 0; l < k; l++) {
            int i = r->place[r->turn[l]];
            double *to = row_of(r, r->W, i);
            if (to[q] != 0.0) subtract_row(r, i, to[q], p);
            to[q] = 0.0;
        }
    }
}

// A part of row `from`, in units of the model, to row i of `to` (m x ..).
static void put_row(const reducer *r, const flx_semistate *s, int from, double unit, int i, int m,
                    double *A, double *const b[ORDERS])
{
    const double *w = row_of(r, r->W, from);
    for (int j = 0; j < r->ns; j++)
        A[j * m + i] = unit * w[r->n + s->chosen[j]] / r->unit[s->chosen[j]];
    for (int k = 0; k < ORDERS; k++) {
        for (int j = 0; j < r->nin; j++) b[k][j * m + i] = unit * w[2 * r->n + k * r->nin + j];
    }
}

static flx_status take_states(reducer *r, flx_semistate *s)
{
    int n = r->n;
    s->chosen = flx_arena_take(r->arena, (size_t)n + 1, sizeof *s->chosen);
    if (!s->chosen) return FLX_ERR_MEMORY;
    s->shifts = -1;
    for (int j = 0; j < n; j++) {
        if (!r->col[j]) continue;
        if (r->kind[j] < 0) return FLX_SINGULAR;
        s->chosen[r->ns++] = j;
    }
    r->A = flx_linear_take(r->arena, r->ns, r->ns);
    r->T = flx_linear_take(r->arena, n, r->ns);
    if (!r->A || !r->T) return FLX_ERR_MEMORY;
    for (int k = 0; k < ORDERS; k++) {
        r->B[k] = flx_linear_take(r->arena, r->ns, r->nin);
        r->t[k] = flx_linear_take(r->arena, n, r->nin);
        if (!r->B[k] || !r->t[k]) return FLX_ERR_MEMORY;
    }
    for (int i = 0; i < r->ns; i++) {
        int z = s->chosen[i];
        put_row(r, s, r->place[z], r->unit[z], i, r->ns, r->A, r->B);
    }
    for (int i = 0; i < n; i++) put_row(r, s, n + i, 1.0, i, n, r->T, r->t);
    return FLX_OK;
}

// ---- together -----------------------------------------------------------------------------------------

// Outputs: C (nout x ns), d_k (nout x nin), column-major.
static flx_status find_outputs(reducer *r, const flx_semistate *s, double **C, double *d[ORDERS])
{
    int n = r->ns, nin = r->nin, nout = s->nout, nz = r->n;
    double *H = flx_linear_take(r->arena, nout, nz), *H1 = flx_linear_take(r->arena, nout, nz);
    double *TA = flx_linear_take(r->arena, nz, n);
    *C = flx_linear_take(r->arena, nout, n);
    if (!H || !H1 || !TA || !*C) return FLX_ERR_MEMORY;
    flx_linear_turn(nout, nz, s->H, H);
    flx_linear_turn(nout, nz, s->H1, H1);
    add_product(nz, n, n, r->T, r->A, TA);
    add_product(nout, n, nz, H, r->T, *C);
    add_product(nout, n, nz, H1, TA, *C);
    for (int k = 0; k < ORDERS; k++) {
        double *rate = flx_linear_take(r->arena, nz, nin);
        d[k] = flx_linear_take(r->arena, nout, nin);
        if (!rate || !d[k]) return FLX_ERR_MEMORY;
        if (k > 0) memcpy(rate, r->t[k - 1], (size_t)(nz * nin) * sizeof *rate);
        for (int i = 0; k < FLX_SEMISTATE_GIVEN && s->d[k] && i < nout; i++) {
            for (int j = 0; j < nin; j++) d[k][j * nout + i] = s->d[k][i * nin + j];
        }
        add_product(nz, nin, n, r->T, r->B[k], rate);
        add_product(nout, nin, nz, H, r->t[k], d[k]);
        add_product(nout, nin, nz, H1, rate, d[k]);
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
static void take_rates(reducer *r, flx_semistate *s, const double *C, double *const d[ORDERS])
{
    int n = r->ns, nin = r->nin, nout = s->nout;
    for (int k = ORDERS - 1; k > 0; k--) {
        for (int i = 0; i < n * nin; i++) {
            if (r->B[k][i] != 0.0) s->shifts = i / n;
        }
        add_product(nout, nin, n, C, r->B[k], d[k - 1]);
        add_product(n, nin, n, r->A, r->B[k], r->B[k - 1]);
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < ORDERS; k++) {
            for (int j = 0; j < nin; j++)
                if (r->t[k][j * r->n + s->chosen[i]] != 0.0) s->shifts = j;
        }
    }
}

static flx_status fill(reducer *r, flx_semistate *s, flx_linear_model *out)
{
    int n = r->ns, nin = r->nin, nout = s->nout;
    double *C, *d[ORDERS], most = 0.0;
    FLX_TRY(find_outputs(r, s, &C, d));
    take_rates(r, s, C, d);
    for (int k = 0; k < FLX_SEMISTATE_GIVEN; k++) most = fmax(most, largest(nout * nin, d[k], 1));
    for (int k = FLX_SEMISTATE_GIVEN; k < ORDERS; k++) {
        if (largest(nout * nin, d[k], 1) > NOTHING * most) return FLX_ERR_CANNOT;
    }
    *out = (flx_linear_model){.n = n,
                              .nin = nin,
                              .nout = nout,
                              .A = by_rows(r, n, n, r->A),
                              .B = by_rows(r, n, nin, r->B[0]),
                              .C = by_rows(r, nout, n, C),
                              .D = by_rows(r, nout, nin, d[0]),
                              .rate = flx_linear_take(r->arena, n, 1)};
    if (largest(nout * nin, d[1], 1) > 0.0) out->D1 = by_rows(r, nout, nin, d[1]);
    if (largest(nout * nin, d[2], 1) > 0.0) out->D2 = by_rows(r, nout, nin, d[2]);
    return out->A && out->B && out->C && out->D && out->rate ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status begin(reducer *r, const flx_semistate *s)
{
    int n = r->n, wide = 2 * n + r->nb;
    r->W = flx_linear_take(r->arena, 2 * n, wide);
    r->M = flx_linear_take(r->arena, 2 * n, wide);
    r->unit = flx_linear_take(r->arena, n, 1);
    r->row = flx_arena_take(r->arena, (size_t)n, sizeof *r->row);
    r->col = flx_arena_take(r->arena, (size_t)n, sizeof *r->col);
    r->place = flx_arena_take(r->arena, (size_t)n, sizeof *r->place);
    r->turn = flx_arena_take(r->arena, (size_t)n, sizeof *r->turn);
    if (!r->W || !r->M || !r->unit || !r->row || !r->col || !r->place || !r->turn)
        return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        double *w = row_of(r, r->W, i);
        for (int j = 0; j < n; j++) w[j] = s->E[j * n + i];
        for (int j = 0; j < n; j++) w[n + j] = s->F[j * n + i];
        for (int k = 0; k < FLX_SEMISTATE_GIVEN; k++) {
            for (int j = 0; s->b[k] && j < r->nin; j++)
                w[2 * n + k * r->nin + j] = s->b[k][j * n + i];
        }
        r->unit[i] = 1.0;
        r->row[i] = r->col[i] = true;
    }
    balance(r);
    for (int i = 0; i < n; i++) row_of(r, r->W, n + i)[n + i] = r->unit[i];
    for (size_t i = 0; i < 2 * (size_t)n * (size_t)wide; i++) r->M[i] = fabs(r->W[i]);
    return FLX_OK;
}

flx_status flx_semistate_reduce(flx_ctx *ctx, flx_arena *arena, flx_semistate *s,
                                flx_linear_model *out)
{
    reducer r = {.ctx = ctx,
                 .arena = arena,
                 .kind = s->kind,
                 .position = s->position,
                 .n = s->n,
                 .nin = s->nin,
                 .nb = ORDERS * s->nin};
    bool done = false, *used = flx_arena_take(arena, (size_t)s->n + 1, sizeof *used);
    if (!used) return FLX_ERR_MEMORY;
    FLX_TRY(begin(&r, s));
    while (!done) FLX_TRY(deflate(&r, used, &done));
    divide(&r);
    FLX_TRY(take_states(&r, s));
    return fill(&r, s, out);
}
