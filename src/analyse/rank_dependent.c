// rank_dependent.c - which constraints are dependent at one position.
//
// 1 G is equilibrated, so that units and small bodies do not matter.
// 2 A body whose rows, all together, have full rank in its own columns takes no part in any
//   dependence: it is taken away with them, and so is every tree, in O(N).
// 3 What is left falls into connected parts. Small ones: QR with pivoting of G^T. Large ones:
//   Gaussian elimination body by body (rank_eliminate.c).
//
// A small pivot counts as zero when it is rounding, or when it lies below SMALL and a wide gap above
// it says that it would be zero but for the accuracy of the geometry. Whether that is so is seen at a position that the
// other rows allow (rank.c).
#include "analyse/rank_parts.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

#define SMALL 2e-3
#define GAP 50.0
#define FULL 0.05 // smallest pivot of a body that is taken away
#define SWEEPS 9  // of the equilibration

// ---- equilibration --------------------------------------------------------------------------

// Ruiz: rows and columns are divided by the square root of their largest entry, again and again. Both begin with the scales of
// the geometry, so that levers keep their part beside places whatever the unit of lengths is; columns above that, such as of
// modes, are divided whole once.
static flx_status equilibrate(flx_rank_analysis *a)
{
    const flx_pattern *p = &a->sys->pattern;
    int nv = a->sys->dims.nv;
    double *big = flx_alloc(a->ctx, (size_t)(a->nrow + nv), sizeof *big);
    if (!big) return FLX_ERR_MEMORY;
    for (int i = 0; i < a->nrow; i++) {
        flx_unknown u;
        a->sys->ops->unknown(a->sys, a->first + i, &u);
        a->row[i] = u.scale > 0.0 ? 1.0 / u.scale : 1.0;
    }
    for (int i = 0; i < nv; i++) a->col[i] = a->p->scale[i];
    for (int k = 0; k < SWEEPS; k++) {
        memset(big, 0, (size_t)(a->nrow + nv) * sizeof *big);
        for (int i = 0; i < p->nblock; i++) {
            if (!flx_rank_is_constraint(a, i)) continue;
            for (int e = p->row[i]; e < p->row[i + 1]; e++) {
                if (!flx_rank_is_body(a, p->col[e])) continue;
                flx_rank_patch x = flx_rank_patch_at(a, i, e);
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
            if (big[i] > 0.0 && k > 0) a->row[i] /= sqrt(big[i]);
        }
        // a column that is nothing but rounding stays that
        for (int i = 0; i < nv; i++) {
            double v = big[a->nrow + i];
            if (k == 0) v = fmax(v * v, 1.0);
            if (v > RANK_ROUNDING) a->col[i] /= sqrt(v);
        }
    }
    flx_free(big);
    return FLX_OK;
}

// ---- taking bodies away ---------------------------------------------------------------------

#define MAX_OWN 32 // rows of a body that are looked at

// Whether the rows in play that touch body b have full rank in its columns, by the scaled
// entries.
static bool stands_alone(const flx_rank_analysis *a, int b, int *nrows)
{
    const flx_pattern *p = &a->sys->pattern;
    int nc = p->start[b + 1] - p->start[b], m = 0;
    double A[MAX_OWN * MAX_OWN] = {0};
    *nrows = 0;
    if (nc < 1 || nc > MAX_OWN) return false;
    for (int e = p->row[b]; e < p->row[b + 1]; e++) {
        if (!flx_rank_is_constraint(a, p->col[e])) continue;
        flx_rank_patch x = flx_rank_patch_at(a, p->col[e], p->transpose[e]);
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
    return flx_dense_is_full(m, nc, A, FULL);
}

// Every body is looked at, and again when a neighbour has gone.
static void take_away(flx_rank_analysis *a)
{
    const flx_pattern *p = &a->sys->pattern;
    int head = 0, count = 0, nbody = 0;
    memset(a->taken, 0, (size_t)p->nblock * sizeof *a->taken);
    for (int b = 0; b < p->nblock; b++) {
        a->queued[b] = flx_rank_is_body(a, b);
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
            int constraint = p->col[e];
            if (!flx_rank_is_constraint(a, constraint)) continue;
            for (int i = p->start[constraint]; i < p->start[constraint + 1]; i++)
                a->gone[i - a->first] = true;
            for (int f = p->row[constraint]; f < p->row[constraint + 1]; f++) {
                int o = p->col[f];
                if (!flx_rank_is_body(a, o) || a->taken[o] || a->queued[o]) continue;
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

// Bodies and constraint blocks that hang together; a constraint block without rows in play belongs to none.
static void find_parts(flx_rank_analysis *a)
{
    const flx_pattern *p = &a->sys->pattern;
    for (int i = 0; i < p->nblock; i++) a->part[i] = i;
    for (int i = 0; i < p->nblock; i++) {
        if (!flx_rank_is_constraint(a, i)) continue;
        bool any = false;
        for (int r = p->start[i]; r < p->start[i + 1]; r++) any |= !a->gone[r - a->first];
        if (!any) continue;
        for (int e = p->row[i]; e < p->row[i + 1]; e++) {
            int j = p->col[e];
            if (flx_rank_is_body(a, j)) a->part[root(a->part, i)] = root(a->part, j);
        }
    }
    for (int i = 0; i < p->nblock; i++) a->part[i] = root(a->part, i);
}

// ---- deciding the rank ----------------------------------------------------------------------

static int count_pivots(int n, const double *pivot, bool strict)
{
    for (int k = 0; k < n; k++) {
        if (!(pivot[k] > RANK_ROUNDING * pivot[0])) return k;
        if (strict || k == 0) continue;
        if (pivot[k] <= SMALL * pivot[0] && pivot[k] * GAP <= pivot[k - 1]) return k;
    }
    return n;
}

int flx_rank_count_pivots(flx_rank_analysis *a, int n, const double *pivot, bool strict)
{
    int k = count_pivots(n, pivot, strict);
    if (k > 0 && k < n) a->weakest = fmax(a->weakest, pivot[k] / pivot[0]);
    return k;
}

// ---- small parts ----------------------------------------------------------------------------

// Dependent rows of one part, by QR with pivoting of its G^T.
static flx_status dense_part(flx_rank_analysis *a, int part, int nrow, int ncol, bool *dependent,
                             int *count)
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
        if (!flx_rank_is_body(a, b) || a->part[b] != part) continue;
        for (int c = p->start[b]; c < p->start[b + 1]; c++) place[c] = nc++;
    }
    for (int i = 0; i < p->nblock; i++) {
        if (!flx_rank_is_constraint(a, i) || a->part[i] != part) continue;
        int before = nr;
        for (int r = p->start[i] - a->first; r < p->start[i + 1] - a->first; r++) {
            if (!a->gone[r]) rows[nr++] = r;
        }
        for (int e = p->row[i]; e < p->row[i + 1] && nr > before; e++) {
            if (!flx_rank_is_body(a, p->col[e])) continue;
            flx_rank_patch x = flx_rank_patch_at(a, i, e);
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
        double f = norm > 0.0 ? (1.0 - RANK_BIAS * k / nr) / sqrt(norm) : 0.0;
        for (int c = 0; c < ncol; c++) v[c] *= f;
    }
    status = flx_dense_rank(a->ctx, ncol, nr, A, 0.0, perm, &rank);
    if (status != FLX_OK) goto done;
    int most = nr < ncol ? nr : ncol;
    for (int k = 0; k < most; k++) pivot[k] = fabs(A[(size_t)k * (size_t)ncol + (size_t)k]);
    bool strict = false;
    for (int k = 0; k < nr; k++) strict = strict || a->strict[rows[k]];
    rank = flx_rank_count_pivots(a, most, pivot, strict);
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

// ---- one position ---------------------------------------------------------------------------

static flx_status evaluate(flx_rank_analysis *a, const flx_state *x)
{
    double gap;
    int worst;
    FLX_TRY(flx_projector_gap(a->p, x, FLX_ROWS_VELOCITY, &gap, &worst));
    FLX_TRY(flx_projector_correct(a->p, FLX_ROWS_VELOCITY, RANK_DAMPING, NULL)); // for its matrix
    a->values = flx_saddle_values(a->p->saddle);
    return equilibrate(a);
}

static flx_status decide(flx_rank_analysis *a, const bool *leave_out, bool *dependent, int *count)
{
    const flx_pattern *p = &a->sys->pattern;
    *count = 0;
    memset(dependent, 0, (size_t)a->nrow * sizeof *dependent);
    a->rigid = 0;
    a->weakest = 0.0;
    for (int i = 0; i < a->nrow; i++) {
        bool rigid = flx_saddle_active(a->p->saddle, a->first + i);
        a->gone[i] = !rigid || (leave_out && leave_out[i]);
        a->rigid += rigid;
    }
    take_away(a);
    find_parts(a);

    flx_status status = FLX_ERR_MEMORY;
    int *rows = flx_alloc(a->ctx, (size_t)p->nblock, sizeof *rows);
    int *cols = flx_alloc(a->ctx, (size_t)p->nblock, sizeof *cols);
    if (!rows || !cols) goto done;
    for (int i = 0; i < p->nblock; i++) {
        int size = p->start[i + 1] - p->start[i];
        if (flx_rank_is_body(a, i)) cols[a->part[i]] += size;
        for (int r = p->start[i]; flx_rank_is_constraint(a, i) && r < p->start[i + 1]; r++) {
            rows[a->part[i]] += !a->gone[r - a->first];
        }
    }
    status = FLX_OK;
    for (int i = 0; i < p->nblock && status == FLX_OK; i++) {
        if (rows[i] > 0 && rows[i] <= a->dense) {
            status = dense_part(a, i, rows[i], cols[i], dependent, count);
        }
    }
    bool large = false;
    for (int i = 0; i < p->nblock; i++) large |= rows[i] > a->dense;
    if (status == FLX_OK && large) status = flx_rank_eliminate_parts(a, rows, dependent, count);

done:
    flx_free(rows);
    flx_free(cols);
    return status;
}

// A row of velocities alone that depends on rows of positions goes before any of them: without one of those the
// mechanism could be where it cannot, and its freedoms would depend on the order of the joints. left: how many
// more than the rows of positions among themselves are dependent.
static flx_status exchange(flx_rank_analysis *a, const bool *leave_out, bool *out, bool *dependent,
                           int *left)
{
    int nlam = a->sys->dims.nlam, n = 0, all = *left;
    bool *found = flx_alloc(a->ctx, (size_t)a->nrow, sizeof *found);
    if (!found) return FLX_ERR_MEMORY;
    for (int i = 0; i < a->nrow; i++) out[i] = i >= nlam || (leave_out && leave_out[i]);
    flx_status status = decide(a, out, found, &n);
    if (status != FLX_OK || n >= all) goto done;
    memcpy(dependent, found, (size_t)a->nrow * sizeof *found);
    for (int i = 0; i < a->nrow; i++) out[i] = dependent[i] || (leave_out && leave_out[i]);
    *left = all - n;
    for (int i = a->nrow - 1; i >= nlam && *left > 0 && status == FLX_OK; i--) {
        if (out[i] || !flx_saddle_active(a->p->saddle, a->first + i)) continue;
        out[i] = true;
        status = decide(a, out, found, &n);
        if (status == FLX_OK && n < *left) {
            dependent[i] = true;
            --*left;
        } else {
            out[i] = false;
        }
    }

done:
    flx_free(found);
    return status;
}

flx_status flx_rank_find_dependent(flx_rank_analysis *a, const flx_state *x, const bool *leave_out,
                                   bool *dependent, int *count)
{
    int nlam = a->sys->dims.nlam, left;
    FLX_TRY(evaluate(a, x));
    FLX_TRY(decide(a, leave_out, dependent, count));
    bool position = false;
    for (int i = 0; i < nlam; i++) position = position || dependent[i];
    if (!position || a->sys->dims.nmu == 0) return FLX_OK;
    double weakest = a->weakest;
    left = *count;
    bool *out = flx_alloc(a->ctx, (size_t)a->nrow, sizeof *out);
    bool *first = flx_alloc(a->ctx, (size_t)a->nrow, sizeof *first);
    flx_status status = out && first ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) memcpy(first, dependent, (size_t)a->nrow * sizeof *first);
    if (status == FLX_OK) status = exchange(a, leave_out, out, dependent, &left);
    // what rounding does not tell apart stays as it was
    if (status == FLX_OK && left > 0) memcpy(dependent, first, (size_t)a->nrow * sizeof *first);
    a->weakest = weakest;
    flx_free(out);
    flx_free(first);
    return status;
}
