// rank.c - which rows of the bonds say again what others say.
//
// The rows of G and A are scaled to unit length in units of their unknowns. Blocks of unknowns all
// of whose rows are independent on that block alone are taken away with these rows, again and again:
// a tree vanishes so in linear time, what remains are the loops. Each connected part of the rest is
// decided by QR with pivoting, at the given state and at two others near it:
//
//     q_k = projection of q (+) delta_k u_k,   u_k random with G u_k = 0, A u_k = 0      (RANK-1)
//
// Dependent at all three: redundant. Dependent at the given state only: a singular position, which
// the motion passes. A row counts as dependent below DEPENDENT, or below MISFIT times the part of
// the closure that no position removes: geometry known to eps gives G to eps.
// Theory: docs/theory/start.md.
#include "base/base.h"
#include "flexion/analysis.h"
#include "integrate/linear.h"
#include "integrate/saddle.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

#define DEPENDENT 1e-8
#define MISFIT 10.0
#define LARGEST_MISFIT 1e-3 // of the scale; a larger one is a wrong model, not a wrong digit
#define DISPLACEMENT 0.03   // of the scale: far from a singular position, near to the start
#define LARGEST_DENSE 1200  // rows of a part; above it, LDL is asked first

typedef struct rank_work {
    const flx_system *s; // borrowed
    flx_work *work;      // owned
    flx_blocks blocks;   // owned
    flx_saddle *saddle;  // owned
    int nrow, first;     // rows; the first one's number among the unknowns
    int vblocks;         // blocks of velocities: the first of the pattern
    double *scale;       // (n) of the unknowns
    double *weight;      // (nrow) 1 / length of the scaled row; 0: does not take part
    double tolerance;
    unsigned char *gone; // (nblock) taken away
    int *part;           // (nblock) connected part, -1: none
    int *queue;          // (nblock)
    int *touching;       // (nblock) blocks of rows that are still there, of a block of velocities
} rank_work;

static void free_work(rank_work *k)
{
    if (k->work) k->s->ops->work_destroy(k->work);
    flx_blocks_destroy(&k->blocks);
    flx_saddle_destroy(&k->saddle);
    flx_free(k->scale);
    flx_free(k->weight);
    flx_free(k->gone);
    flx_free(k->part);
    flx_free(k->queue);
    flx_free(k->touching);
}

static flx_status make_work(const flx_system *s, rank_work *k)
{
    const flx_dims *d = &s->dims;
    int n = flx_dims_unknowns(d), nb = s->pattern.nblock;
    *k = (rank_work){.s = s, .nrow = d->nlam + d->nmu, .first = d->nv + d->nx + d->nw};
    k->work = s->ops->work_create(s);
    k->scale = flx_alloc(s->ctx, (size_t)n, sizeof *k->scale);
    k->weight = flx_alloc(s->ctx, (size_t)k->nrow, sizeof *k->weight);
    k->gone = flx_alloc(s->ctx, (size_t)nb, sizeof *k->gone);
    k->part = flx_alloc(s->ctx, (size_t)nb, sizeof *k->part);
    k->queue = flx_alloc(s->ctx, (size_t)nb, sizeof *k->queue);
    k->touching = flx_alloc(s->ctx, (size_t)nb, sizeof *k->touching);
    if (!k->work || !k->scale || !k->weight || !k->gone || !k->part || !k->queue || !k->touching) {
        return FLX_ERR_MEMORY;
    }
    FLX_TRY(flx_blocks_create(s, &k->blocks));
    for (int i = 0; i < n; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        k->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
    }
    while (k->vblocks < nb && s->pattern.start[k->vblocks] < d->nv) k->vblocks++;
    return flx_saddle_create(s, &k->saddle);
}

// ---- rows ---------------------------------------------------------------------------------------

// Entry (row, col) of the scaled rows stands at this offset of A0 or A1 times a factor.
typedef struct row_source {
    const double *values;
    double factor;
} row_source;

static row_source source(const rank_work *k, int row)
{
    flx_unknown u;
    k->s->ops->unknown(k->s, k->first + row, &u);
    if (u.kind == FLX_UNKNOWN_VELOCITY_BOND) {
        return (row_source){k->blocks.A1, u.E == 0.0 ? 1.0 : 0.0};
    }
    if (u.C != 0.0) return (row_source){k->blocks.A0, 0.0};
    if (u.tau != 0.0) return (row_source){k->blocks.A1, 1.0 / u.tau};
    return (row_source){k->blocks.A0, u.sigma != 0.0 ? 1.0 / u.sigma : 0.0};
}

// Is the block one of bond rows?
static bool is_rows(const rank_work *k, int block)
{
    return k->s->pattern.start[block] >= k->first;
}

// Lengths of the rows, in units of the velocities' scales.
static void weigh_rows(rank_work *k)
{
    const flx_pattern *p = &k->s->pattern;
    for (int b = 0; b < p->nblock; b++) {
        if (!is_rows(k, b)) continue;
        for (int i = p->start[b]; i < p->start[b + 1]; i++) {
            row_source from = source(k, i - k->first);
            double sum = 0.0;
            for (int e = p->row[b]; e < p->row[b + 1] && p->col[e] < k->vblocks; e++) {
                int c0 = p->start[p->col[e]], width = p->start[p->col[e] + 1] - c0;
                const double *v = from.values + p->offset[e] + (i - p->start[b]) * width;
                for (int c = 0; c < width; c++) {
                    double g = from.factor * v[c] * k->scale[c0 + c];
                    sum += g * g;
                }
            }
            k->weight[i - k->first] = sum > 0.0 ? 1.0 / sqrt(sum) : 0.0;
        }
    }
}

// One scaled row on one block of velocities, with stride `step`: out[c * step].
static void scaled_row(const rank_work *k, int block, int row, int entry, double *out, int step)
{
    const flx_pattern *p = &k->s->pattern;
    int c0 = p->start[p->col[entry]], width = p->start[p->col[entry] + 1] - c0;
    row_source from = source(k, row);
    const double *v = from.values + p->offset[entry] + (row + k->first - p->start[block]) * width;
    double f = from.factor * k->weight[row];
    for (int c = 0; c < width; c++) out[c * step] = f * v[c] * k->scale[c0 + c];
}

// ---- taking away --------------------------------------------------------------------------------

#define WIDEST 6 // velocities of a block that may be taken away

// Are all rows that touch the block of velocities independent on it alone?
static bool can_go(const rank_work *k, int v)
{
    const flx_pattern *p = &k->s->pattern;
    int width = p->start[v + 1] - p->start[v], n = 0;
    double A[WIDEST][WIDEST];
    if (width > WIDEST) return k->touching[v] == 0;
    for (int e = p->row[v]; e < p->row[v + 1]; e++) {
        int b = p->col[e];
        if (!is_rows(k, b) || k->gone[b]) continue;
        for (int i = p->start[b]; i < p->start[b + 1]; i++) {
            if (k->weight[i - k->first] == 0.0) return false; // QR decides
            if (n == width) return false;
            scaled_row(k, b, i - k->first, p->transpose[e], A[n++], 1);
        }
    }
    // Gram-Schmidt: what is left of each row must not be small
    for (int i = 0; i < n; i++) {
        for (int pass = 0; pass < 2; pass++) {
            for (int j = 0; j < i; j++) {
                double dot = 0.0;
                for (int c = 0; c < width; c++) dot += A[i][c] * A[j][c];
                for (int c = 0; c < width; c++) A[i][c] -= dot * A[j][c];
            }
        }
        double norm = 0.0;
        for (int c = 0; c < width; c++) norm += A[i][c] * A[i][c];
        norm = sqrt(norm);
        if (!(norm > fmax(1e-3, k->tolerance))) return false; // clearly independent, or left to QR
        for (int c = 0; c < width; c++) A[i][c] /= norm;
    }
    return true;
}

static void take_away(rank_work *k, int v, int *end)
{
    const flx_pattern *p = &k->s->pattern;
    k->gone[v] = 1;
    for (int e = p->row[v]; e < p->row[v + 1]; e++) {
        int b = p->col[e];
        if (!is_rows(k, b) || k->gone[b]) continue;
        k->gone[b] = 1;
        for (int f = p->row[b]; f < p->row[b + 1]; f++) {
            int u = p->col[f];
            if (u >= k->vblocks || k->gone[u]) continue;
            k->touching[u]--;
            k->queue[(*end)++ % p->nblock] = u;
        }
    }
}

// Leaves of trees go, then their parents. A block may wait in the ring more than once; the ring
// cannot overflow a turn because only blocks that lost a row enter it again.
static void peel(rank_work *k)
{
    const flx_pattern *p = &k->s->pattern;
    memset(k->gone, 0, (size_t)p->nblock);
    memset(k->touching, 0, (size_t)p->nblock * sizeof *k->touching);
    for (int v = 0; v < k->vblocks; v++) {
        for (int e = p->row[v]; e < p->row[v + 1]; e++) k->touching[v] += is_rows(k, p->col[e]);
    }
    for (bool again = true; again;) {
        again = false;
        for (int v = k->vblocks - 1; v >= 0; v--) { // chains are usually drawn from the root
            if (k->gone[v] || !can_go(k, v)) continue;
            int begin = 0, end = 0;
            take_away(k, v, &end);
            while (begin < end && end - begin < p->nblock) {
                int u = k->queue[begin++ % p->nblock];
                if (!k->gone[u] && can_go(k, u)) take_away(k, u, &end);
            }
            again = end > begin; // the ring was full: look again
        }
    }
}

// ---- the rest -----------------------------------------------------------------------------------

// Mark the connected part of a block of rows; returns how many of its blocks are in the queue.
static int collect(rank_work *k, int seed, int number)
{
    const flx_pattern *p = &k->s->pattern;
    int begin = 0, end = 0;
    k->queue[end++] = seed;
    k->part[seed] = number;
    while (begin < end) {
        int b = k->queue[begin++];
        for (int e = p->row[b]; e < p->row[b + 1]; e++) {
            int c = p->col[e];
            // rows meet through velocities that are still there
            bool kind = is_rows(k, b) ? c < k->vblocks : is_rows(k, c);
            if (!kind || k->gone[c] || k->part[c] >= 0) continue;
            k->part[c] = number;
            k->queue[end++] = c;
        }
    }
    return end;
}

// LDL has found no small pivot: a large part then has full rank.
static bool clearly_independent(rank_work *k)
{
    static const flx_saddle_metric plain = {0};
    int worst;
    if (flx_saddle_factor(k->saddle, &k->blocks, FLX_ROWS_VELOCITY, &plain) != FLX_OK) return false;
    return flx_saddle_regularised(k->saddle, &worst) == 0;
}

// QR of the rows of one part: the columns of the matrix are the rows that `skip` leaves. Dependent
// ones are marked in `dependent`; those among the best pivots are kept.
static flx_status decide(rank_work *k, int nblock, const unsigned char *skip,
                         unsigned char *dependent, int *count)
{
    const flx_pattern *p = &k->s->pattern;
    flx_ctx *ctx = k->s->ctx;
    int m = 0, n = 0, rank = 0;
    int *column = flx_alloc(ctx, (size_t)p->nblock, sizeof *column);
    for (int i = 0; column && i < nblock; i++) {
        int b = k->queue[i], size = p->start[b + 1] - p->start[b];
        if (is_rows(k, b)) {
            for (int r = p->start[b]; r < p->start[b + 1]; r++) n += !skip[r - k->first];
        } else {
            column[b] = m;
            m += size;
        }
    }
    double *A = flx_alloc(ctx, (size_t)m * (size_t)n, sizeof *A);
    int *perm = flx_alloc(ctx, (size_t)n, sizeof *perm);
    int *row = flx_alloc(ctx, (size_t)n, sizeof *row);
    flx_status status = column && A && perm && row ? FLX_OK : FLX_ERR_MEMORY;
    if (status != FLX_OK) goto done;

    int j = 0;
    for (int i = 0; i < nblock; i++) {
        int b = k->queue[i];
        if (!is_rows(k, b)) continue;
        for (int r = p->start[b]; r < p->start[b + 1]; r++) {
            if (skip[r - k->first]) continue;
            for (int e = p->row[b]; e < p->row[b + 1] && p->col[e] < k->vblocks; e++) {
                // velocities that were taken away belong to rows that were, too
                if (k->gone[p->col[e]]) continue;
                scaled_row(k, b, r - k->first, e, A + (size_t)j * (size_t)m + column[p->col[e]], 1);
            }
            row[j++] = r - k->first;
        }
    }
    status = flx_dense_rank(ctx, m, n, A, k->tolerance, perm, &rank);
    for (j = rank; status == FLX_OK && j < n; j++) dependent[row[perm[j]]] = 1;
    *count += n - rank;

done:
    flx_free(column);
    flx_free(A);
    flx_free(perm);
    flx_free(row);
    return status;
}

// Mark the dependent rows at a state, those in `skip` left out; *count: how many.
static flx_status find_dependent(rank_work *k, const flx_state *x, const unsigned char *skip,
                                 unsigned char *dependent, int *count)
{
    const flx_pattern *p = &k->s->pattern;
    flx_point at = flx_state_point(k->s, x);
    *count = 0;
    memset(dependent, 0, (size_t)k->nrow);
    FLX_TRY(k->s->ops->linearise(k->s, k->work, &at, &k->blocks));
    weigh_rows(k);
    peel(k);
    for (int b = 0; b < p->nblock; b++) k->part[b] = -1;
    int number = 0, checked = -1;
    for (int b = 0; b < p->nblock; b++) {
        if (!is_rows(k, b) || k->gone[b] || k->part[b] >= 0) continue;
        int nblock = collect(k, b, number++), rows = 0;
        for (int i = 0; i < nblock; i++) {
            int c = k->queue[i];
            if (is_rows(k, c)) rows += p->start[c + 1] - p->start[c];
        }
        if (rows > LARGEST_DENSE) {
            if (checked < 0) checked = clearly_independent(k);
            if (checked) continue;
        }
        FLX_TRY(decide(k, nblock, skip, dependent, count));
    }
    return FLX_OK;
}

// ---- displaced positions ------------------------------------------------------------------------

// Numbers in [-1, 1), the same in every run.
static double next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*seed >> 11) / (double)(1ull << 52) - 1.0;
}

// (RANK-1) The state moved along an admissible direction. Leaves it where it is when there is none.
static flx_status displace(rank_work *k, const flx_state *from, uint64_t *seed, flx_state *x)
{
    const flx_system *s = k->s;
    int nv = s->dims.nv, n = flx_dims_unknowns(&s->dims);
    flx_point at = flx_state_point(s, from);
    flx_state_copy(x, from);
    double *u = flx_alloc(s->ctx, (size_t)n, sizeof *u);
    double *w = flx_alloc(s->ctx, (size_t)nv, sizeof *w);
    flx_status status = u && w ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = s->ops->linearise(s, k->work, &at, &k->blocks);
    if (status != FLX_OK) goto done;

    // least change of a random velocity, in units of the scales
    for (int i = 0; i < nv; i++) {
        w[i] = 1.0 / (k->scale[i] * k->scale[i]);
        u[i] = next_random(seed) / k->scale[i]; // W times a random velocity
    }
    const flx_saddle_metric metric = {.shift = w, .without_mass = true};
    status = flx_saddle_factor(k->saddle, &k->blocks, FLX_ROWS_VELOCITY, &metric);
    if (status > 0)
        status = FLX_OK; // rows that depend on each other leave a direction all the same
    if (status != FLX_OK) goto done;
    flx_saddle_solve(k->saddle, u);

    double size = 0.0;
    for (int i = 0; i < nv; i++) size = fmax(size, fabs(u[i]) / k->scale[i]);
    if (!(size > 1e-6) || !isfinite(size)) goto done; // no freedom: the position is all there is
    for (int i = 0; i < nv; i++) u[i] *= DISPLACEMENT / size;
    s->ops->retract(s, from->q, u, x->q);
    flx_start_report report;
    status = flx_start_positions(s, x, NULL, &report);
    if (status > 0) status = FLX_OK; // as near as it gets

done:
    flx_free(u);
    flx_free(w);
    return status;
}

// The part of the closure that is left at the state: what geometry is known to.
static flx_status find_tolerance(rank_work *k, const flx_state *x)
{
    const flx_system *s = k->s;
    double *r = flx_alloc(s->ctx, (size_t)flx_dims_unknowns(&s->dims), sizeof *r), misfit = 0.0;
    if (!r) return FLX_ERR_MEMORY;
    flx_point at = flx_state_point(s, x);
    flx_status status = s->ops->residual(s, k->work, &at, r);
    for (int i = 0; i < s->dims.nlam; i++) {
        flx_unknown u;
        s->ops->unknown(s, k->first + i, &u);
        if (u.tau == 0.0 && u.C == 0.0) {
            misfit = fmax(misfit, fabs(r[k->first + i]) / k->scale[k->first + i]);
        }
    }
    flx_free(r);
    k->tolerance = fmax(DEPENDENT, MISFIT * fmin(misfit, LARGEST_MISFIT));
    return status;
}

// ---- report -------------------------------------------------------------------------------------

static flx_status list_rows(flx_ctx *ctx, int nrow, const unsigned char *mark, int *n, int **rows)
{
    *n = 0;
    for (int i = 0; i < nrow; i++) *n += mark[i];
    *rows = flx_alloc(ctx, (size_t)*n, sizeof **rows);
    if (!*rows) return FLX_ERR_MEMORY;
    for (int i = 0, j = 0; i < nrow; i++) {
        if (mark[i]) (*rows)[j++] = i;
    }
    return FLX_OK;
}

static int count_free(const flx_system *s, int nredundant)
{
    const flx_dims *d = &s->dims;
    int rows = 0;
    for (int i = 0; i < d->nlam + d->nmu; i++) {
        flx_unknown u;
        s->ops->unknown(s, d->nv + d->nx + d->nw + i, &u);
        rows += u.kind == FLX_UNKNOWN_BOND ? u.C == 0.0 : u.E == 0.0;
    }
    return d->nv - rows + nredundant;
}

flx_status flx_rank_bonds(const flx_system *s, const flx_state *x, flx_rank_report *report)
{
    *report = (flx_rank_report){.freedoms = s->dims.nv};
    rank_work k;
    flx_state *moved = NULL;
    int nrow = s->dims.nlam + s->dims.nmu, count = 0, least = nrow + 1;
    unsigned char *none = flx_alloc(s->ctx, (size_t)nrow, 1);
    unsigned char *mark = flx_alloc(s->ctx, (size_t)nrow, 1);
    unsigned char *redundant = flx_alloc(s->ctx, (size_t)nrow, 1);
    uint64_t seed = 20u;
    flx_status status = make_work(s, &k);
    if (status == FLX_OK && (!none || !mark || !redundant)) status = FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_state_create(s, &moved);
    if (status == FLX_OK) status = find_tolerance(&k, x);

    // the generic position is the one with the fewest dependent rows
    for (int i = 0; i < 3 && status == FLX_OK && least > 0; i++) {
        const flx_state *at = x;
        if (i > 0) {
            status = displace(&k, x, &seed, moved);
            at = moved;
        }
        if (status == FLX_OK) status = find_dependent(&k, at, none, mark, &count);
        if (status == FLX_OK && count < least) {
            least = count;
            memcpy(redundant, mark, (size_t)nrow);
        }
    }
    if (status == FLX_OK) status = find_dependent(&k, x, redundant, mark, &count);
    if (status == FLX_OK) {
        status = list_rows(s->ctx, nrow, redundant, &report->nredundant, &report->redundant);
    }
    if (status == FLX_OK) {
        status = list_rows(s->ctx, nrow, mark, &report->nsingular, &report->singular);
    }
    if (status == FLX_OK) report->freedoms = count_free(s, report->nredundant);
    if (status != FLX_OK) flx_rank_report_clear(report);
    free_work(&k);
    flx_state_destroy(&moved);
    flx_free(none);
    flx_free(mark);
    flx_free(redundant);
    return status;
}

void flx_rank_report_clear(flx_rank_report *report)
{
    flx_free(report->redundant);
    flx_free(report->singular);
    *report = (flx_rank_report){0};
}
