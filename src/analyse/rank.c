// rank.c - which bonds say the same as others, and which only do so in the position at hand.
//
// The rank of G (with A below it) is found at the start and at two displaced positions. Rows that
// are dependent at the displaced ones are redundant; what is dependent at the start only makes the
// start a singular position. Theory: docs/theory/start.md.
//
// At one position:
// 1 G is equilibrated, so that units and small bodies do not matter.
// 2 A body whose rows, all together, have full rank in its own columns takes no part in any
//   dependence: it is taken away with them, and so is every tree, in O(N).
// 3 What is left falls into connected parts. Small ones: QR with pivoting of G^T. Large ones: the
//   smallest eigenvalues of G W^-1 G^T by subspace iteration with the sparse solver.
//
// A small pivot counts as zero when it is rounding, or when it lies below SMALL and a wide gap above
// it says that it would be zero but for the accuracy of the geometry.
#include "analyse/rank.h"
#include "analyse/project.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

#define DENSE_ROWS 400
#define ROUNDING 1e-9 // pivots against the largest
#define SMALL 2e-3
#define GAP 50.0
#define FULL 0.05 // smallest pivot of a body that is taken away
#define SWEEPS 8  // of the equilibration
// Displacement against the scale of coordinates, and the damping with which it is closed again:
// rows that contradict each other a little must not pull it back.
#define DISPLACEMENT 0.1
#define DAMPING 1e-6
#define CLOSING_STEPS 6
#define BIAS 0.1 // earlier rows are kept rather than later ones

typedef struct analysis {
    const flx_system *sys; // borrowed
    flx_ctx *ctx;
    flx_projector *p;
    int first, nrow, dense; // first bond row, rows, limit of the dense method
    int rigid;              // rows without compliance
    const double *values;   // of G on the pattern, at the position in hand
    double *row, *col;      // (nrow) (nv) scale factors
    bool *gone;             // (nrow) not in play: compliant, left out, or taken away
    bool *taken;            // (nblock) of bodies
    int *part;              // (nblock) connected part of each block
    int *queue;             // (nblock)
    bool *queued;           // (nblock)
    flx_state *place;       // a displaced position
} analysis;

// ---- life -----------------------------------------------------------------------------------

static void release(analysis *a)
{
    flx_projector_destroy(&a->p);
    flx_state_destroy(&a->place);
    flx_free(a->row);
    flx_free(a->col);
    flx_free(a->gone);
    flx_free(a->taken);
    flx_free(a->part);
    flx_free(a->queue);
    flx_free(a->queued);
}

static flx_status prepare(analysis *a, const flx_system *s, int dense)
{
    const flx_dims *d = &s->dims;
    size_t nb = (size_t)s->pattern.nblock;
    *a = (analysis){.sys = s, .ctx = s->ctx, .dense = dense};
    a->first = d->nv + d->nx + d->nw;
    a->nrow = d->nlam + d->nmu;
    FLX_TRY(flx_projector_create(s, NULL, &a->p));
    FLX_TRY(flx_state_create(s, &a->place));
    a->row = flx_alloc(s->ctx, (size_t)a->nrow, sizeof *a->row);
    a->col = flx_alloc(s->ctx, (size_t)d->nv, sizeof *a->col);
    a->gone = flx_alloc(s->ctx, (size_t)a->nrow, sizeof *a->gone);
    a->taken = flx_alloc(s->ctx, nb, sizeof *a->taken);
    a->part = flx_alloc(s->ctx, nb, sizeof *a->part);
    a->queue = flx_alloc(s->ctx, nb, sizeof *a->queue);
    a->queued = flx_alloc(s->ctx, nb, sizeof *a->queued);
    bool ok = a->row && a->col && a->gone && a->taken && a->part && a->queue && a->queued;
    return ok ? FLX_OK : FLX_ERR_MEMORY;
}

// ---- walking G ------------------------------------------------------------------------------

// Entries (block row of bonds, block of a body) of the pattern: for every one, its first row, its
// first column, its sizes and its values.
typedef struct patch {
    int r0, nr, c0, nc;
    const double *g; // row-major
} patch;

static bool is_bond(const analysis *a, int block)
{
    return a->sys->pattern.start[block] >= a->first;
}

static bool is_body(const analysis *a, int block)
{
    return a->sys->pattern.start[block] < a->sys->dims.nv;
}

static patch patch_at(const analysis *a, int bond, int e)
{
    const flx_pattern *p = &a->sys->pattern;
    int j = p->col[e];
    return (patch){.r0 = p->start[bond] - a->first,
                   .nr = p->start[bond + 1] - p->start[bond],
                   .c0 = p->start[j],
                   .nc = p->start[j + 1] - p->start[j],
                   .g = a->values + p->offset[e]};
}

// Ruiz: rows and columns are divided by the square root of their largest entry, again and again.
static flx_status equilibrate(analysis *a)
{
    const flx_pattern *p = &a->sys->pattern;
    int nv = a->sys->dims.nv;
    double *big = flx_alloc(a->ctx, (size_t)(a->nrow + nv), sizeof *big);
    if (!big) return FLX_ERR_MEMORY;
    for (int i = 0; i < a->nrow; i++) a->row[i] = 1.0;
    for (int i = 0; i < nv; i++) a->col[i] = a->p->scale[i];
    for (int k = 0; k < SWEEPS; k++) {
        memset(big, 0, (size_t)(a->nrow + nv) * sizeof *big);
        for (int i = 0; i < p->nblock; i++) {
            if (!is_bond(a, i)) continue;
            for (int e = p->row[i]; e < p->row[i + 1]; e++) {
                if (!is_body(a, p->col[e])) continue;
                patch x = patch_at(a, i, e);
                for (int r = 0; r < x.nr; r++) {
                    for (int c = 0; c < x.nc; c++) {
                        double v = fabs(x.g[r * x.nc + c]) * a->row[x.r0 + r] * a->col[x.c0 + c];
                        if (v > big[x.r0 + r]) big[x.r0 + r] = v;
                        if (v > big[a->nrow + x.c0 + c]) big[a->nrow + x.c0 + c] = v;
                    }
                }
            }
        }
        for (int i = 0; i < a->nrow; i++) {
            if (big[i] > 0.0) a->row[i] /= sqrt(big[i]);
        }
        // a column that is nothing but rounding stays that
        for (int i = 0; i < nv; i++) {
            double v = big[a->nrow + i];
            if (v > ROUNDING) a->col[i] /= sqrt(v);
        }
    }
    flx_free(big);
    return FLX_OK;
}

// ---- taking bodies away ---------------------------------------------------------------------

#define MAX_OWN 32 // rows of a body that are looked at

// Whether the rows in play that touch body b have full rank in its columns. Gaussian elimination
// with complete pivoting on the scaled entries.
static bool stands_alone(const analysis *a, int b, int *nrows)
{
    const flx_pattern *p = &a->sys->pattern;
    int nc = p->start[b + 1] - p->start[b], m = 0;
    double A[MAX_OWN * MAX_OWN];
    *nrows = 0;
    if (nc > MAX_OWN) return false;
    for (int e = p->row[b]; e < p->row[b + 1]; e++) {
        if (!is_bond(a, p->col[e])) continue;
        patch x = patch_at(a, p->col[e], p->transpose[e]);
        for (int r = 0; r < x.nr; r++) {
            if (a->gone[x.r0 + r]) continue;
            if (m == nc) return false;
            for (int c = 0; c < nc; c++) {
                A[m * nc + c] = x.g[r * nc + c] * a->row[x.r0 + r] * a->col[x.c0 + c];
            }
            m++;
        }
    }
    *nrows = m;
    for (int k = 0; k < m; k++) {
        int pr = k, pc = k;
        for (int r = k; r < m; r++) {
            for (int c = k; c < nc; c++) {
                if (fabs(A[r * nc + c]) > fabs(A[pr * nc + pc])) pr = r, pc = c;
            }
        }
        if (!(fabs(A[pr * nc + pc]) > FULL)) return false;
        for (int c = 0; c < nc; c++) {
            double swap = A[k * nc + c];
            A[k * nc + c] = A[pr * nc + c];
            A[pr * nc + c] = swap;
        }
        for (int r = 0; r < m; r++) {
            double swap = A[r * nc + k];
            A[r * nc + k] = A[r * nc + pc];
            A[r * nc + pc] = swap;
        }
        for (int r = k + 1; r < m; r++) {
            double f = A[r * nc + k] / A[k * nc + k];
            for (int c = k; c < nc; c++) A[r * nc + c] -= f * A[k * nc + c];
        }
    }
    return true;
}

// Every body is looked at, and again when a neighbour has gone.
static void take_away(analysis *a)
{
    const flx_pattern *p = &a->sys->pattern;
    int head = 0, count = 0, nbody = 0;
    memset(a->taken, 0, (size_t)p->nblock * sizeof *a->taken);
    for (int b = 0; b < p->nblock; b++) {
        a->queued[b] = is_body(a, b);
        if (a->queued[b]) a->queue[nbody++] = b;
    }
    count = nbody;
    while (count > 0) {
        int b = a->queue[head], rows;
        head = (head + 1) % nbody;
        count--;
        a->queued[b] = false;
        if (a->taken[b] || !stands_alone(a, b, &rows)) continue;
        a->taken[b] = true;
        for (int e = p->row[b]; e < p->row[b + 1]; e++) {
            int bond = p->col[e];
            if (!is_bond(a, bond)) continue;
            for (int i = p->start[bond]; i < p->start[bond + 1]; i++) a->gone[i - a->first] = true;
            for (int f = p->row[bond]; f < p->row[bond + 1]; f++) {
                int o = p->col[f];
                if (!is_body(a, o) || a->taken[o] || a->queued[o]) continue;
                a->queue[(head + count++) % nbody] = o;
                a->queued[o] = true;
            }
        }
    }
}

// ---- connected parts ------------------------------------------------------------------------

static int root(int *part, int i)
{
    while (part[i] != i) i = part[i] = part[part[i]];
    return i;
}

// Bodies and bond blocks that hang together; a bond block without rows in play belongs to none.
static void find_parts(analysis *a)
{
    const flx_pattern *p = &a->sys->pattern;
    for (int i = 0; i < p->nblock; i++) a->part[i] = i;
    for (int i = 0; i < p->nblock; i++) {
        if (!is_bond(a, i)) continue;
        bool any = false;
        for (int r = p->start[i]; r < p->start[i + 1]; r++) any |= !a->gone[r - a->first];
        if (!any) continue;
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int j = p->col[e];
            if (is_body(a, j)) a->part[root(a->part, i)] = root(a->part, j);
        }
    }
    for (int i = 0; i < p->nblock; i++) a->part[i] = root(a->part, i);
}

// ---- deciding the rank ----------------------------------------------------------------------

// Pivots in descending order: how many count.
static int count_pivots(int n, const double *pivot)
{
    for (int k = 0; k < n; k++) {
        if (!(pivot[k] > ROUNDING * pivot[0])) return k;
        if (k > 0 && pivot[k] <= SMALL * pivot[0] && pivot[k] * GAP <= pivot[k - 1]) return k;
    }
    return n;
}

// ---- small parts ----------------------------------------------------------------------------

// Dependent rows of one part, by QR with pivoting of its G^T.
static flx_status dense_part(analysis *a, int part, int nrow, int ncol, bool *dependent, int *count)
{
    const flx_pattern *p = &a->sys->pattern;
    flx_status status = FLX_ERR_MEMORY;
    double *A = flx_alloc(a->ctx, (size_t)nrow * (size_t)ncol, sizeof *A);
    double *pivot = flx_alloc(a->ctx, (size_t)nrow, sizeof *pivot);
    int *perm = flx_alloc(a->ctx, (size_t)nrow, sizeof *perm);
    int *rows = flx_alloc(a->ctx, (size_t)nrow, sizeof *rows);
    int *place = flx_alloc(a->ctx, (size_t)a->sys->dims.nv, sizeof *place);
    if (!A || !pivot || !perm || !rows || !place) goto done;

    int nc = 0, nr = 0, rank = 0;
    for (int b = 0; b < p->nblock; b++) {
        if (!is_body(a, b) || a->part[b] != part) continue;
        for (int c = p->start[b]; c < p->start[b + 1]; c++) place[c] = nc++;
    }
    for (int i = 0; i < p->nblock; i++) {
        if (!is_bond(a, i) || a->part[i] != part) continue;
        int before = nr;
        for (int r = p->start[i] - a->first; r < p->start[i + 1] - a->first; r++) {
            if (!a->gone[r]) rows[nr++] = r;
        }
        for (int e = p->row[i]; e < p->row[i + 1] && nr > before; e++) {
            if (!is_body(a, p->col[e])) continue;
            patch x = patch_at(a, i, e);
            for (int k = before; k < nr; k++) {
                const double *g = x.g + (rows[k] - x.r0) * x.nc;
                for (int c = 0; c < x.nc; c++) {
                    A[(size_t)k * (size_t)ncol + (size_t)place[x.c0 + c]] =
                        g[c] * a->row[rows[k]] * a->col[x.c0 + c];
                }
            }
        }
    }
    for (int k = 0; k < nr; k++) { // unit rows, later ones a little less
        double *v = A + (size_t)k * (size_t)ncol, norm = 0.0;
        for (int c = 0; c < ncol; c++) norm += v[c] * v[c];
        double f = norm > 0.0 ? (1.0 - BIAS * k / nr) / sqrt(norm) : 0.0;
        for (int c = 0; c < ncol; c++) v[c] *= f;
    }
    status = flx_dense_rank(a->ctx, ncol, nr, A, 0.0, perm, &rank);
    if (status != FLX_OK) goto done;
    int most = nr < ncol ? nr : ncol;
    for (int k = 0; k < most; k++) pivot[k] = fabs(A[(size_t)k * (size_t)ncol + (size_t)k]);
    rank = count_pivots(most, pivot);
    for (int k = rank; k < nr; k++) dependent[rows[perm[k]]] = true;
    *count += nr - rank;

done:
    flx_free(A);
    flx_free(pivot);
    flx_free(perm);
    flx_free(rows);
    flx_free(place);
    return status;
}

// ---- large parts ----------------------------------------------------------------------------

#define ITERATIONS 8
#define SPARSE_DAMPING 1e-8
#define FIRST_WIDTH 8

// Subspace iteration for the smallest mu of  G W^-1 G^T y = mu D y,  D the diagonal of the left.
typedef struct subspace {
    int n, k;               // rows, vectors
    double *Y, *S;          // (n x k) columns: vectors, D^-1 G W^-1 G^T times them
    double *D, *mu, *H, *b; // (n) (k) (k x k) (all unknowns)
} subspace;

static double *column(double *A, int n, int j)
{
    return A + (size_t)j * (size_t)n;
}

static double dot(const subspace *u, const double *y, const double *z)
{
    double sum = 0.0;
    for (int r = 0; r < u->n; r++) sum += u->D[r] * y[r] * z[r];
    return sum;
}

// A number in (-1, 1) from a fixed sequence.
static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*seed / 9223372036854775808.0;
}

static void subspace_destroy(subspace *u)
{
    flx_free(u->Y);
    flx_free(u->S);
    flx_free(u->D);
    flx_free(u->mu);
    flx_free(u->H);
    flx_free(u->b);
}

static flx_status subspace_create(analysis *a, int k, subspace *u)
{
    size_t n = (size_t)a->nrow, m = (size_t)k;
    *u = (subspace){.n = a->nrow, .k = k};
    u->Y = flx_alloc(a->ctx, n * m, sizeof *u->Y);
    u->S = flx_alloc(a->ctx, n * m, sizeof *u->S);
    u->D = flx_alloc(a->ctx, n, sizeof *u->D);
    u->mu = flx_alloc(a->ctx, m, sizeof *u->mu);
    u->H = flx_alloc(a->ctx, m * m, sizeof *u->H);
    u->b = flx_alloc(a->ctx, (size_t)flx_dims_unknowns(&a->sys->dims), sizeof *u->b);
    if (!u->Y || !u->S || !u->D || !u->mu || !u->H || !u->b) return FLX_ERR_MEMORY;
    const double *size = flx_saddle_row_sizes(a->p->saddle);
    uint64_t seed = 20240229;
    for (int r = 0; r < u->n; r++) {
        bool in_play = flx_saddle_active(a->p->saddle, a->first + r);
        u->D[r] = in_play && size[a->first + r] > 0.0 ? size[a->first + r] : 1.0;
        for (int j = 0; j < k; j++) column(u->Y, u->n, j)[r] = in_play ? draw(&seed) : 0.0;
    }
    return FLX_OK;
}

// Y <- (G W^-1 G^T + d D)^-1 D Y; then S = D^-1 G W^-1 G^T Y = Y_old - d Y.
static void invert(analysis *a, subspace *u)
{
    size_t all = (size_t)flx_dims_unknowns(&a->sys->dims) * sizeof *u->b;
    for (int j = 0; j < u->k; j++) {
        double *y = column(u->Y, u->n, j), *s = column(u->S, u->n, j);
        memset(u->b, 0, all);
        for (int r = 0; r < u->n; r++) u->b[a->first + r] = -u->D[r] * y[r];
        flx_saddle_solve(a->p->saddle, u->b);
        for (int r = 0; r < u->n; r++) {
            s[r] = y[r] - SPARSE_DAMPING * u->b[a->first + r];
            y[r] = u->b[a->first + r];
        }
    }
}

// Gram-Schmidt in the metric D, twice, with the same combinations of S.
static void orthonormalise(subspace *u)
{
    int n = u->n;
    for (int j = 0; j < u->k; j++) {
        double *y = column(u->Y, n, j), *s = column(u->S, n, j);
        for (int i = 0; i < 2 * j; i++) {
            const double *z = column(u->Y, n, i % j), *t = column(u->S, n, i % j);
            double f = dot(u, y, z);
            for (int r = 0; r < n; r++) {
                y[r] -= f * z[r];
                s[r] -= f * t[r];
            }
        }
        double norm = sqrt(dot(u, y, y));
        for (int r = 0; r < n && norm > 0.0; r++) {
            y[r] /= norm;
            s[r] /= norm;
        }
    }
}

// Rayleigh-Ritz: mu ascending, Y turned to the eigenvectors (S is then scratch).
static flx_status ritz(analysis *a, subspace *u)
{
    int n = u->n, k = u->k;
    for (int i = 0; i < k; i++) {
        for (int j = 0; j <= i; j++) {
            double h = 0.5 * (dot(u, column(u->Y, n, i), column(u->S, n, j)) +
                              dot(u, column(u->Y, n, j), column(u->S, n, i)));
            u->H[i * k + j] = u->H[j * k + i] = h;
        }
    }
    FLX_TRY(flx_dense_symmetric_eigen(a->ctx, k, u->H, u->mu));
    size_t bytes = (size_t)n * (size_t)k * sizeof *u->Y;
    memset(u->S, 0, bytes);
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < k; i++) {
            const double *y = column(u->Y, n, i);
            double h = u->H[j * k + i], *z = column(u->S, n, j);
            for (int r = 0; r < n; r++) z[r] += h * y[r];
        }
    }
    memcpy(u->Y, u->S, bytes);
    return FLX_OK;
}

// How many of the mu, which are squares of pivots, are zero; -1: perhaps more than there are here.
static int count_zeros(const subspace *u, bool all)
{
    int zeros = 0;
    for (int j = 0; j < u->k; j++) {
        double next = j + 1 < u->k ? u->mu[j + 1] : 1.0;
        if (u->mu[j] <= ROUNDING * ROUNDING) zeros = j + 1;
        if (u->mu[j] <= SMALL * SMALL && next >= GAP * GAP * u->mu[j]) zeros = j + 1;
    }
    return zeros == u->k && !all ? -1 : zeros;
}

// The rows that take the null vectors away with them: pivots of their transpose.
static flx_status choose_rows(analysis *a, subspace *u, int zeros, bool *dependent)
{
    flx_status status = FLX_ERR_MEMORY;
    double *Z = flx_alloc(a->ctx, (size_t)zeros * (size_t)u->n, sizeof *Z);
    int *perm = flx_alloc(a->ctx, (size_t)u->n, sizeof *perm), rank;
    if (Z && perm) {
        for (int r = 0; r < u->n; r++) {
            double f = sqrt(u->D[r]) * (1.0 + BIAS * r / u->n);
            for (int j = 0; j < zeros; j++) {
                Z[(size_t)r * (size_t)zeros + (size_t)j] = f * column(u->Y, u->n, j)[r];
            }
        }
        status = flx_dense_rank(a->ctx, zeros, u->n, Z, 0.0, perm, &rank);
        for (int j = 0; j < zeros && status == FLX_OK; j++) dependent[perm[j]] = true;
    }
    flx_free(Z);
    flx_free(perm);
    return status;
}

static flx_status search(analysis *a, int width, bool all, bool *dependent, int *zeros)
{
    subspace u;
    flx_status status = subspace_create(a, width, &u);
    for (int i = 0; i < ITERATIONS && status == FLX_OK; i++) {
        invert(a, &u);
        orthonormalise(&u);
        status = ritz(a, &u);
    }
    *zeros = 0;
    if (status == FLX_OK) *zeros = count_zeros(&u, all);
    if (*zeros > 0) status = choose_rows(a, &u, *zeros, dependent);
    subspace_destroy(&u);
    return status;
}

// Dependent rows of one part, by the eigenvectors of its smallest eigenvalues.
static flx_status sparse_part(analysis *a, int part, int nrow, bool *dependent, int *count)
{
    const flx_pattern *p = &a->sys->pattern;
    int nv = a->sys->dims.nv, zeros = -1;
    bool *out = flx_alloc(a->ctx, (size_t)a->nrow, sizeof *out);
    double *shift = flx_alloc(a->ctx, (size_t)nv, sizeof *shift);
    flx_status status = out && shift ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        for (int i = 0; i < nv; i++) shift[i] = 1.0 / (a->col[i] * a->col[i]);
        for (int i = 0; i < p->nblock; i++) {
            for (int r = p->start[i]; r < p->start[i + 1] && is_bond(a, i); r++) {
                out[r - a->first] = a->gone[r - a->first] || a->part[i] != part;
            }
        }
        flx_saddle_metric metric = {
            .shift = shift, .leave_out = out, .without_mass = true, .damping = SPARSE_DAMPING};
        status = flx_saddle_factor(a->p->saddle, &a->p->blocks, FLX_ROWS_VELOCITY, &metric);
    }
    for (int k = FIRST_WIDTH; status == FLX_OK && zeros < 0; k *= 2) {
        status = search(a, k < nrow ? k : nrow, k >= nrow, dependent, &zeros);
    }
    if (status == FLX_OK) *count += zeros;
    flx_free(out);
    flx_free(shift);
    return status;
}

// ---- one position ---------------------------------------------------------------------------

// Dependent rows at x among those not left out. dependent (nrow) is overwritten.
static flx_status find_dependent(analysis *a, const flx_state *x, const bool *leave_out,
                                 bool *dependent, int *count)
{
    const flx_system *s = a->sys;
    const flx_pattern *p = &s->pattern;
    double gap;
    int worst;
    *count = 0;
    memset(dependent, 0, (size_t)a->nrow * sizeof *dependent);
    FLX_TRY(flx_projector_gap(a->p, x, FLX_ROWS_VELOCITY, &gap, &worst));
    FLX_TRY(flx_projector_correct(a->p, FLX_ROWS_VELOCITY, DAMPING, NULL)); // for its matrix
    a->values = flx_saddle_values(a->p->saddle);
    a->rigid = 0;
    for (int i = 0; i < a->nrow; i++) {
        bool rigid = flx_saddle_active(a->p->saddle, a->first + i);
        a->gone[i] = !rigid || (leave_out && leave_out[i]);
        a->rigid += rigid;
    }
    FLX_TRY(equilibrate(a));
    take_away(a);
    find_parts(a);

    flx_status status = FLX_ERR_MEMORY;
    int *rows = flx_alloc(a->ctx, (size_t)p->nblock, sizeof *rows);
    int *cols = flx_alloc(a->ctx, (size_t)p->nblock, sizeof *cols);
    if (!rows || !cols) goto done;
    for (int i = 0; i < p->nblock; i++) {
        int size = p->start[i + 1] - p->start[i];
        if (is_body(a, i)) cols[a->part[i]] += size;
        for (int r = p->start[i]; is_bond(a, i) && r < p->start[i + 1]; r++) {
            rows[a->part[i]] += !a->gone[r - a->first];
        }
    }
    status = FLX_OK;
    for (int i = 0; i < p->nblock && status == FLX_OK; i++) {
        if (rows[i] > 0 && rows[i] <= a->dense) {
            status = dense_part(a, i, rows[i], cols[i], dependent, count);
        }
    }
    // these overwrite the matrix, so they come last
    for (int i = 0; i < p->nblock && status == FLX_OK; i++) {
        if (rows[i] > a->dense) status = sparse_part(a, i, rows[i], dependent, count);
    }

done:
    flx_free(rows);
    flx_free(cols);
    return status;
}

// ---- other positions ------------------------------------------------------------------------

// A velocity that the rows admit: the driven one with a random one added, both up to the damping.
static flx_status admissible_velocity(analysis *a, flx_state *x, uint64_t *seed)
{
    const flx_system *s = a->sys;
    double gap, speed = 1.0;
    int worst;
    memset(x->v, 0, (size_t)s->dims.nv * sizeof *x->v);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < 3; k++) {
            FLX_TRY(flx_projector_gap(a->p, x, FLX_ROWS_VELOCITY, &gap, &worst));
            FLX_TRY(flx_projector_correct(a->p, FLX_ROWS_VELOCITY, DAMPING, NULL));
            for (int i = 0; i < s->dims.nv; i++) x->v[i] += a->p->d[i];
        }
        if (pass > 0) break;
        for (int i = 0; i < s->dims.nv; i++) speed = fmax(speed, fabs(x->v[i]) / a->p->scale[i]);
        for (int i = 0; i < s->dims.nv; i++) x->v[i] += speed * a->p->scale[i] * draw(seed);
    }
    return FLX_OK;
}

// Move along it and come back to the rows.
static flx_status displace(analysis *a, const flx_state *from, double distance, uint64_t *seed,
                           flx_state *to)
{
    const flx_system *s = a->sys;
    double speed = 0.0, gap;
    int worst;
    flx_state_copy(to, from);
    FLX_TRY(admissible_velocity(a, to, seed));
    for (int i = 0; i < s->dims.nv; i++) speed = fmax(speed, fabs(to->v[i]) / a->p->scale[i]);
    if (!(speed > 0.0)) return FLX_OK; // nothing moves
    double dt = distance / fmax(speed, 1.0);
    for (int i = 0; i < s->dims.nv; i++) a->p->theta[i] = dt * to->v[i];
    s->ops->retract(s, from->q, a->p->theta, to->q);
    to->t = from->t + dt;
    for (int k = 0; k < CLOSING_STEPS; k++) {
        FLX_TRY(flx_projector_gap(a->p, to, FLX_ROWS_POSITION, &gap, &worst));
        FLX_TRY(flx_projector_correct(a->p, FLX_ROWS_POSITION, DAMPING, NULL));
        s->ops->retract(s, to->q, a->p->d, to->q);
    }
    return FLX_OK;
}

// ---- report ---------------------------------------------------------------------------------

static flx_status list_rows(analysis *a, const bool *flag, int count, int **list)
{
    *list = flx_alloc(a->ctx, (size_t)count, sizeof **list);
    if (!*list) return FLX_ERR_MEMORY;
    for (int i = 0, k = 0; i < a->nrow && k < count; i++) {
        if (flag[i]) (*list)[k++] = i;
    }
    return FLX_OK;
}

static flx_status examine(analysis *a, const flx_state *x, bool *redundant, bool *other,
                          flx_rank_report *report)
{
    uint64_t seed = 4711;
    int n[3] = {0, 0, 0};
    FLX_TRY(displace(a, x, DISPLACEMENT, &seed, a->place));
    FLX_TRY(find_dependent(a, a->place, NULL, redundant, &n[1]));
    if (n[1] > 0) { // a displaced position may happen to be singular, too
        FLX_TRY(displace(a, x, 0.7 * DISPLACEMENT, &seed, a->place));
        FLX_TRY(find_dependent(a, a->place, NULL, other, &n[2]));
        if (n[2] < n[1]) {
            memcpy(redundant, other, (size_t)a->nrow * sizeof *redundant);
            n[1] = n[2];
        }
    }
    FLX_TRY(find_dependent(a, x, redundant, other, &n[0]));
    report->nredundant = n[1];
    report->nsingular = n[0];
    report->freedoms = a->sys->dims.nv - (a->rigid - n[1]);
    FLX_TRY(list_rows(a, redundant, n[1], &report->redundant));
    return list_rows(a, other, n[0], &report->singular);
}

flx_status flx_rank_bonds_by(const flx_system *s, const flx_state *x, int dense,
                             flx_rank_report *report)
{
    analysis a;
    *report = (flx_rank_report){0};
    flx_status status = prepare(&a, s, dense);
    bool *redundant = flx_alloc(s->ctx, (size_t)a.nrow, sizeof *redundant);
    bool *other = flx_alloc(s->ctx, (size_t)a.nrow, sizeof *other);
    if (status == FLX_OK && (!redundant || !other)) status = FLX_ERR_MEMORY;
    if (status == FLX_OK) status = examine(&a, x, redundant, other, report);
    if (status != FLX_OK) flx_rank_report_clear(report);
    flx_free(redundant);
    flx_free(other);
    release(&a);
    return status;
}

flx_status flx_rank_bonds(const flx_system *s, const flx_state *x, flx_rank_report *report)
{
    return flx_rank_bonds_by(s, x, DENSE_ROWS, report);
}

void flx_rank_report_clear(flx_rank_report *report)
{
    flx_free(report->redundant);
    flx_free(report->singular);
    *report = (flx_rank_report){0};
}
