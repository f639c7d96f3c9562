// quadratic.c - Q0, Q1, Q2 of a system about a state on a block pattern, and factors of Q(shift); see
// quadratic.h.
#include "analyse/modes/quadratic.h"

#include "integrate/newton_matrix.h"
#include "math/pattern.h"

#include <float.h>
#include <math.h>

#define SYMMETRIC 1e-13 // of two numbers across the diagonal: rounding
#define SWEEPS 6        // of scaling rows and columns to the same size
#define ROUNDING 1e-12  // of the stiffest and of the most damped neighbour: none of its own

static double *take(flx_arena *arena, size_t n)
{
    return flx_arena_take(arena, n, sizeof(double));
}

// ---- the pattern --------------------------------------------------------------------------------

// Where the system's pattern leaves something out: every block with every other.
static flx_status make_full_pattern(flx_quadratic *q, const flx_pattern *from)
{
    int n = from->nblock;
    long long *keys = flx_arena_take(q->arena, (size_t)n * (size_t)n, sizeof *keys);
    if (!keys) return FLX_ERR_MEMORY;
    for (long long i = 0; i < (long long)n * n; i++) keys[i] = i;
    return flx_pattern_make(q->arena, n, from->start, n * n, keys, &q->pattern);
}

static void gather(const flx_quadratic *q, const double *A, double *values)
{
    const flx_pattern *p = &q->pattern;
    size_t n = (size_t)q->n;
    for (int i = 0; i < p->nblock; i++) {
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int at = p->offset[e], j = p->col[e];
            for (int r = p->start[i]; r < p->start[i + 1]; r++) {
                for (int c = p->start[j]; c < p->start[j + 1]; c++) {
                    values[at++] = A[(size_t)r * n + (size_t)c];
                }
            }
        }
    }
}

static flx_status take_values(flx_quadratic *q, flx_work *work, const flx_blocks *b)
{
    const flx_system *s = q->s;
    bool whole = s->pattern.extra == 0;
    if (!whole) FLX_TRY(make_full_pattern(q, &s->pattern));
    if (whole) q->pattern = s->pattern;
    size_t size = flx_pattern_size(&q->pattern), n = (size_t)q->n;
    const double *const from[3] = {b->A0, b->A1, b->A2};
    double *A = whole ? NULL : flx_alloc(q->ctx, n * n + 2 * n, sizeof *A);
    flx_status status = whole || A ? FLX_OK : FLX_ERR_MEMORY;
    for (int k = 0; k < 3 && status == FLX_OK; k++) {
        q->Q[k] = take(q->arena, size);
        if (!q->Q[k]) {
            status = FLX_ERR_MEMORY;
        } else if (whole) {
            memcpy(q->Q[k], from[k], size * sizeof *from[k]);
        } else {
            flx_blocks_spread(s, work, b, k, A + n * n, A);
            gather(q, A, q->Q[k]);
        }
    }
    flx_free(A);
    return status;
}

// ---- axes that turn -----------------------------------------------------------------------------

// C(v) (MODE-2) of one block of velocities, n x n row-major, by velocity_slope_t at theta = 0, which
// couples the velocities of one block only.
static void find_bracket(const flx_quadratic *q, const flx_state *x, int first, int n,
                         double *scratch, double *C)
{
    const flx_system *s = q->s;
    double *zero = scratch, *unit = zero + q->nv, *row = unit + q->nv, *e = row + q->nv;
    memset(scratch, 0, 4 * (size_t)q->nv * sizeof *scratch);
    for (int i = 0; i < n; i++) {
        unit[first + i] = 1.0;
        s->ops->velocity_slope_t(s, zero, x->v, unit, row);
        for (int j = 0; j < n; j++) C[i * n + j] = row[first + j];
        for (int j = 0; j < n; j++) {
            e[first + j] = 1.0;
            s->ops->velocity_slope_t(s, zero, e, unit, row);
            e[first + j] = 0.0;
            for (int k = 0; k < n; k++) C[i * n + j] -= row[first + k] * x->v[first + k];
        }
        unit[first + i] = 0.0;
    }
}

// Q1 = A1 + A2 (W + L), Q0 = A0 + (A1 + A2 L) W for one block of columns; W and L row-major.
static void turn_entry(const flx_quadratic *q, int at, int rows, int n, const double *W,
                       const double *L, double *rate)
{
    double *A0 = q->Q[0] + at, *A1 = q->Q[1] + at, *sizes = q->sizes + at;
    const double *A2 = q->Q[2] + at;
    for (int i = 0; i < rows; i++, A0 += n, A1 += n, A2 += n, sizes += n) {
        for (int j = 0; j < n; j++) {
            double size = fabs(A1[j]);
            for (int k = 0; k < n; k++) size += fabs(A2[k] * L[k * n + j]);
            for (int k = 0; k < n; k++) sizes[k] += size * fabs(W[j * n + k]);
        }
        for (int j = 0; j < n; j++) { // of this row A1 + A2 L
            rate[j] = A1[j];
            for (int k = 0; k < n; k++) rate[j] += A2[k] * L[k * n + j];
        }
        for (int j = 0; j < n; j++) {
            A1[j] = rate[j];
            for (int k = 0; k < n; k++) {
                A1[j] += A2[k] * W[k * n + j];
                A0[j] += rate[k] * W[k * n + j];
            }
        }
    }
}

// W and L = W - C(v) of the block of velocities from `first` on, row-major; scratch (4 nv).
static void find_turns(const flx_quadratic *q, const flx_state *x, const double *turn, bool moves,
                       int first, int n, double *scratch, double *W, double *L)
{
    memset(L, 0, (size_t)(n * n) * sizeof *L);
    if (moves) find_bracket(q, x, first, n, scratch, L);
    for (int i = 0; i < n * n; i++) {
        size_t at = (size_t)(first + i % n) * (size_t)q->nv + (size_t)(first + i / n);
        W[i] = turn ? turn[at] : 0.0;
        L[i] = W[i] - L[i];
    }
}

flx_status flx_quadratic_brackets(const flx_quadratic *q, const flx_state *x, const double *turn,
                                  double *out)
{
    const flx_pattern *p = &q->pattern;
    double *scratch = take(q->arena, 4 * (size_t)q->nv);
    if (!scratch) return FLX_ERR_MEMORY;
    for (int b = 0; b < p->nblock && p->start[b] < q->nv; b++) {
        int first = p->start[b], n = p->start[b + 1] - first;
        find_turns(q, x, turn, q->s->ops->velocity_slope_t != NULL, first, n, scratch, out,
                   out + n * n);
        out += 2 * n * n;
    }
    return FLX_OK;
}

static flx_status turn_axes(flx_quadratic *q, const flx_state *x, const double *turn)
{
    const flx_pattern *p = &q->pattern;
    bool moves = false;
    int most = 0;
    for (int i = 0; i < q->nv; i++) moves = moves || x->v[i] != 0.0;
    if (!moves || !q->s->ops->velocity_slope_t) moves = false;
    if (!moves && !turn) return FLX_OK;
    for (int b = 0; b < p->nblock; b++) {
        int n = p->start[b + 1] - p->start[b];
        if (n > most) most = n;
    }
    double *W = take(q->arena, 2 * (size_t)(most * most) + (size_t)most + 4 * (size_t)q->nv);
    if (!W) return FLX_ERR_MEMORY;
    double *L = W + most * most, *rate = L + most * most, *scratch = rate + most;
    for (int b = 0; b < p->nblock && p->start[b] < q->nv; b++) {
        int first = p->start[b], n = p->start[b + 1] - first;
        find_turns(q, x, turn, moves, first, n, scratch, W, L);
        for (int e = p->row[b]; e < p->row[b + 1]; e++) { // columns b: rows by the transpose
            int i = p->col[e], rows = p->start[i + 1] - p->start[i];
            turn_entry(q, p->offset[p->transpose[e]], rows, n, W, L, rate);
        }
    }
    return FLX_OK;
}

// ---- sizes --------------------------------------------------------------------------------------

// The stiffness and the damping of coordinate i alone, zero where they are rounding of those that act on it.
static void find_own(const flx_quadratic *q, double *const d[3], int block, int i, double own[2])
{
    const flx_pattern *p = &q->pattern;
    double most[2] = {0.0, 0.0};
    for (int e = p->row[block]; e < p->row[block + 1]; e++) {
        int from = p->start[p->col[e]], width = p->start[p->col[e] + 1] - from;
        int at = p->offset[e] + (i - p->start[block]) * width;
        for (int c = 0; c < width && from + c < q->nv; c++) {
            double square = q->scale[from + c] * q->scale[from + c];
            if (q->Q[0][at + c] == 0.0 && q->Q[1][at + c] == 0.0) continue;
            for (int k = 0; k < 2; k++) most[k] = fmax(most[k], fabs(d[k][from + c]) * square);
        }
    }
    for (int k = 0; k < 2; k++) {
        double size = fabs(d[k][i]) * q->scale[i] * q->scale[i];
        own[k] = size > ROUNDING * most[k] ? fabs(d[k][i]) : 0.0;
    }
}

// A coordinate without mass is given one that makes its own stiffness or damping as fast as the fastest;
// one that has neither moves as far as the others do at the mean energy.
static flx_status find_sizes(flx_quadratic *q)
{
    int n = q->n, nv = q->nv;
    double *d[3], energy = 0.0, rate = 0.0;
    q->scale = take(q->arena, (size_t)n);
    q->ease = take(q->arena, (size_t)n);
    for (int k = 0; k < 3; k++) d[k] = take(q->arena, (size_t)n);
    if (!q->scale || !q->ease || !d[0] || !d[1] || !d[2]) return FLX_ERR_MEMORY;
    for (int k = 0; k < 3; k++) flx_pattern_diagonal(&q->pattern, q->Q[k], d[k]);
    for (int i = 0; i < n; i++) {
        flx_unknown u;
        q->s->ops->unknown(q->s, i, &u);
        q->scale[i] = q->ease[i] = u.scale > 0.0 ? u.scale : 1.0;
    }
    for (int i = 0; i < nv; i++) {
        if (!(d[2][i] > 0.0)) continue;
        rate = fmax(rate, fmax(sqrt(fabs(d[0][i]) / d[2][i]), fabs(d[1][i]) / d[2][i]));
        energy += d[2][i] * q->scale[i] * q->scale[i] / nv;
    }
    for (int i = nv; i < nv + q->nx; i++) {
        if (d[1][i] != 0.0) rate = fmax(rate, fabs(d[0][i] / d[1][i]));
    }
    q->fastest = rate > 0.0 && isfinite(rate) ? rate : 1.0;
    for (int i = 0, block = 0; i < nv; i++) {
        double mass = d[2][i], own[2];
        while (i >= q->pattern.start[block + 1]) block++;
        if (!(mass > 0.0)) {
            find_own(q, d, block, i, own);
            mass = fmax(own[0] / (q->fastest * q->fastest), own[1] / q->fastest);
        }
        q->ease[i] = mass > 0.0 ? 1.0 / sqrt(mass) : q->scale[i] / sqrt(energy > 0 ? energy : 1.0);
    }
    return FLX_OK;
}

// out (n): sizes of the terms of every row, as work for motions: of what K is the slope.
static flx_status find_forces(const flx_quadratic *q, const flx_state *x, double *out)
{
    const flx_dims *d = &q->s->dims;
    double *z = take(q->arena, 2 * (size_t)q->n), *sum = z ? z + q->n : NULL;
    if (!z) return FLX_ERR_MEMORY;
    for (int k = 0; k < 3; k++) {
        memset(z, 0, (size_t)q->n * sizeof *z);
        for (int i = 0; i < q->nv && k > 0; i++) z[i] = k == 1 ? x->v[i] : x->a[i];
        double *multipliers = z + q->nv + q->nx + d->nw;
        if (k == 0 && d->nlam > 0) memcpy(multipliers, x->lam, (size_t)d->nlam * sizeof *z);
        if (k == 0 && d->nmu > 0) memcpy(multipliers + d->nlam, x->mu, (size_t)d->nmu * sizeof *z);
        flx_quadratic_multiply_sizes(q, k, z, sum);
        for (int i = 0; i < q->n; i++) out[i] += (i < q->nv ? q->scale[i] : 1.0) * sum[i];
    }
    return FLX_OK;
}

// The numbers of one body's block come from each other by turns of axes, and from forces that may balance:
// what rounding makes of one of them goes by the largest, in the scales of rows and columns. Blocks of several
// items, as equations have, are left as they are. forces (n), one (nblock): the block is of one item.
static void smooth_entry(flx_quadratic *q, int bi, int e, const double *forces, const char *one)
{
    const flx_pattern *p = &q->pattern;
    int bj = p->col[e], nr = p->start[bi + 1] - p->start[bi], nc = p->start[bj + 1] - p->start[bj];
    bool motion = p->start[bi] < q->nv, moved = p->start[bj] < q->nv + q->nx;
    double *a = q->sizes + p->offset[e];
    const double *row = q->scale + p->start[bi], *col = q->scale + p->start[bj];
    double all = 0.0;
    if (!one[bi] || !one[bj]) return;
    for (int r = 0; r < nr && motion && moved; r++) {
        all = fmax(all, forces[p->start[bi] + r]);
        for (int c = 0; c < nc; c++) all = fmax(all, a[r * nc + c] * row[r] * col[c]);
    }
    for (int r = 0; r < nr && moved; r++) {
        double largest = motion ? all / row[r] : forces[p->start[bi] + r];
        for (int c = 0; c < nc && !motion; c++) largest = fmax(largest, a[r * nc + c] * col[c]);
        for (int c = 0; c < nc; c++) a[r * nc + c] = largest / col[c];
    }
    for (int c = 0; c < nc && !moved && motion; c++) { // a multiplier
        double largest = 0.0;
        for (int r = 0; r < nr; r++) largest = fmax(largest, a[r * nc + c] * row[r]);
        for (int r = 0; r < nr; r++) a[r * nc + c] = largest / row[r];
    }
}

// Whether all unknowns of a block have one name.
static bool is_of_one(const flx_quadratic *q, int b)
{
    const flx_pattern *p = &q->pattern;
    flx_unknown first, u;
    q->s->ops->unknown(q->s, p->start[b], &first);
    for (int i = p->start[b] + 1; i < p->start[b + 1]; i++) {
        q->s->ops->unknown(q->s, i, &u);
        if (!u.item || !first.item || strcmp(u.item, first.item) != 0) return false;
    }
    return true;
}

static flx_status find_terms(flx_quadratic *q, const flx_state *x)
{
    const flx_pattern *p = &q->pattern;
    double *forces = take(q->arena, (size_t)q->n);
    char *one = flx_arena_take(q->arena, (size_t)p->nblock, 1);
    if (!forces || !one) return FLX_ERR_MEMORY;
    FLX_TRY(find_forces(q, x, forces));
    for (int b = 0; b < p->nblock; b++) one[b] = p->start[b] < p->start[b + 1] && is_of_one(q, b);
    for (int b = 0; b < p->nblock; b++) {
        for (int e = p->row[b]; e < p->row[b + 1]; e++) {
            double largest = 0.0;
            for (int i = p->offset[e]; i < p->offset[e + 1]; i++)
                largest = fmax(largest, q->sizes[i]);
            if (largest > 0.0 || p->col[e] == b) smooth_entry(q, b, e, forces, one);
        }
    }
    return FLX_OK;
}

static bool find_plain(const flx_quadratic *q)
{
    const flx_pattern *p = &q->pattern;
    size_t size = flx_pattern_size(p);
    if (q->nx > 0 || q->s->dims.nw > 0 || q->s->dims.nmu > 0) return false;
    for (size_t i = 0; i < size; i++) {
        if (q->Q[1][i] != 0.0) return false;
    }
    for (int k = 0; k < 3; k += 2) {
        const double *A = q->Q[k];
        for (int b = 0; b < p->nblock; b++) {
            int nr = p->start[b + 1] - p->start[b];
            for (int e = p->row[b]; e < p->row[b + 1]; e++) {
                int nc = p->start[p->col[e] + 1] - p->start[p->col[e]];
                const double *a = A + p->offset[e], *t = A + p->offset[p->transpose[e]];
                double largest = 0.0, other = 0.0;
                for (int i = 0; i < nr * nc; i++) {
                    largest = fmax(largest, fabs(a[i]));
                    other = fmax(other, fabs(a[i] - t[i % nc * nr + i / nc]));
                }
                if (!(other <= SYMMETRIC * largest)) return false;
            }
        }
    }
    return true;
}

// Sliding has the direction of a motion, and there is none.
static flx_status refuse_sliding(const flx_system *s, const flx_state *x)
{
    const flx_contacts *c = s->ops->contacts;
    for (int i = 0; c && i < c->count(s); i++) {
        flx_contact_group g;
        c->group(s, i, &g);
        if (x->switches[g.state] != FLX_CONTACT_SLIDES || !(g.friction > 0.0)) continue;
        return FLX_FAIL(s->ctx, FLX_ERR_CANNOT, g.loc,
                        "'%s' slides with friction here: modes are those of a state in which "
                        "contacts are open, without friction, or stick",
                        g.item ? g.item : "?");
    }
    return FLX_OK;
}

flx_status flx_quadratic_create(const flx_system *s, flx_work *work, const flx_state *x,
                                const double *turn, flx_arena *arena, flx_quadratic *out)
{
    *out = (flx_quadratic){.s = s,
                           .ctx = s->ctx,
                           .arena = arena,
                           .n = flx_dims_unknowns(&s->dims),
                           .nv = s->dims.nv,
                           .nx = s->dims.nx};
    FLX_TRY(refuse_sliding(s, x));
    out->switches = take(arena, (size_t)s->dims.nswitch);
    if (!out->switches) return FLX_ERR_MEMORY;
    if (s->dims.nswitch > 0)
        memcpy(out->switches, x->switches, (size_t)s->dims.nswitch * sizeof *out->switches);
    flx_blocks b = {0};
    flx_point p = flx_state_point(s, x);
    flx_status status = flx_blocks_create(s, &b);
    if (status == FLX_OK) status = s->ops->linearise(s, work, &p, &b);
    if (status == FLX_OK) status = take_values(out, work, &b);
    flx_blocks_destroy(&b);
    size_t size = status == FLX_OK ? flx_pattern_size(&out->pattern) : 0;
    if (status == FLX_OK) out->sizes = take(arena, size);
    if (status == FLX_OK && !out->sizes) status = FLX_ERR_MEMORY;
    for (size_t i = 0; i < size && out->sizes; i++) out->sizes[i] = fabs(out->Q[0][i]);
    if (status == FLX_OK) status = turn_axes(out, x, turn);
    if (status == FLX_OK) status = find_sizes(out);
    if (status == FLX_OK) status = flx_quadratic_open_dependent(out, x);
    if (status == FLX_OK) status = find_terms(out, x);
    if (status != FLX_OK) return status;
    out->plain = find_plain(out);
    out->row = take(arena, (size_t)out->n);
    out->col = take(arena, (size_t)out->n);
    out->work = take(arena, 2 * (size_t)out->n);
    out->sum = take(arena, flx_pattern_size(&out->pattern));
    return out->row && out->col && out->work && out->sum ? FLX_OK : FLX_ERR_MEMORY;
}

void flx_quadratic_destroy(flx_quadratic *q)
{
    flx_lu_destroy(&q->lu);
}

// ---- products -----------------------------------------------------------------------------------

void flx_quadratic_multiply(const flx_quadratic *q, int k, const double *x, double *out)
{
    flx_pattern_apply(&q->pattern, q->Q[k], x, out);
}

void flx_quadratic_multiply_sizes(const flx_quadratic *q, int k, const double *x, double *out)
{
    const flx_pattern *p = &q->pattern;
    const double *a = k == 0 ? q->sizes : q->Q[k];
    memset(out, 0, (size_t)q->n * sizeof *out);
    for (int b = 0; b < p->nblock; b++) {
        for (int e = p->row[b]; e < p->row[b + 1]; e++) {
            int j0 = p->start[p->col[e]], j1 = p->start[p->col[e] + 1], at = p->offset[e];
            for (int i = p->start[b]; i < p->start[b + 1]; i++) {
                for (int j = j0; j < j1; j++) out[i] += fabs(a[at++]) * fabs(x[j]);
            }
        }
    }
}

void flx_quadratic_spread(const flx_quadratic *q, int k, double *A)
{
    const flx_pattern *p = &q->pattern;
    size_t n = (size_t)q->n;
    memset(A, 0, n * n * sizeof *A);
    for (int b = 0; b < p->nblock; b++) {
        for (int e = p->row[b]; e < p->row[b + 1]; e++) {
            int j0 = p->start[p->col[e]], j1 = p->start[p->col[e] + 1], at = p->offset[e];
            for (int i = p->start[b]; i < p->start[b + 1]; i++) {
                for (int j = j0; j < j1; j++) A[(size_t)j * n + (size_t)i] = q->Q[k][at++];
            }
        }
    }
}

// ---- factors ------------------------------------------------------------------------------------

// Rows and columns of `sum` of the same size, by powers of two, so that the factors are judged by
// themselves and not by units.
static void equilibrate(flx_quadratic *q)
{
    const flx_pattern *p = &q->pattern;
    double *rows = q->work, *cols = q->work + q->n;
    for (int i = 0; i < q->n; i++) q->row[i] = q->col[i] = 1.0;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        memset(q->work, 0, 2 * (size_t)q->n * sizeof *q->work);
        for (int b = 0; b < p->nblock; b++) {
            for (int e = p->row[b]; e < p->row[b + 1]; e++) {
                int j0 = p->start[p->col[e]], j1 = p->start[p->col[e] + 1], at = p->offset[e];
                for (int i = p->start[b]; i < p->start[b + 1]; i++) {
                    for (int j = j0; j < j1; j++) {
                        double a = fabs(q->sum[at++]) * q->row[i] * q->col[j];
                        rows[i] = fmax(rows[i], a);
                        cols[j] = fmax(cols[j], a);
                    }
                }
            }
        }
        for (int i = 0; i < q->n; i++) {
            if (rows[i] > 0.0) q->row[i] = ldexp(q->row[i], -(int)lrint(0.5 * log2(rows[i])));
            if (cols[i] > 0.0) q->col[i] = ldexp(q->col[i], -(int)lrint(0.5 * log2(cols[i])));
        }
    }
    for (int b = 0; b < p->nblock; b++) {
        for (int e = p->row[b]; e < p->row[b + 1]; e++) {
            int j0 = p->start[p->col[e]], j1 = p->start[p->col[e] + 1], at = p->offset[e];
            for (int i = p->start[b]; i < p->start[b + 1]; i++) {
                for (int j = j0; j < j1; j++) q->sum[at++] *= q->row[i] * q->col[j];
            }
        }
    }
}

flx_status flx_quadratic_factor(flx_quadratic *q, double shift)
{
    size_t size = flx_pattern_size(&q->pattern);
    q->shift = shift;
    for (size_t i = 0; i < size; i++) {
        q->sum[i] = q->Q[0][i] + shift * (q->Q[1][i] + shift * q->Q[2][i]);
        if (!isfinite(q->sum[i])) return FLX_NOT_FINITE;
    }
    equilibrate(q);
    if (!q->lu) {
        FLX_TRY(flx_lu_create(q->ctx, &q->pattern, false, &q->lu));
        flx_lu_accept_any(q->lu);
    }
    return flx_lu_factor(q->lu, q->sum);
}

void flx_quadratic_solve(const flx_quadratic *q, double *b)
{
    double *x = q->work, *r = q->work + q->n;
    for (int i = 0; i < q->n; i++) x[i] = b[i] *= q->row[i];
    flx_lu_solve(q->lu, x);
    flx_pattern_apply(&q->pattern, q->sum, x, r);
    for (int i = 0; i < q->n; i++) r[i] = b[i] - r[i];
    flx_lu_solve(q->lu, r);
    for (int i = 0; i < q->n; i++) b[i] = q->col[i] * (x[i] + r[i]);
}
