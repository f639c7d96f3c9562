// grid_newton.c - Newton's method on all nodes of a grid at once, damped; with a weight where rows leave something open.
//
//     J dz = -r,    or    [W J^T; J 0] (dz, eta) = -(W (z - z_rest), r)                             (GRID-3)
//
// A step is judged by the correction that the same factors find behind it (the natural measure, which no scaling of rows
// changes), over positions by their scales; multipliers and inputs enter nearly linearly and follow.
#include "analyse/grid/grid.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define DONE 1e-10      // correction of positions, of their scales
#define STALLED 1e-6    // ... that rounding may leave
#define LEAST_PART 1e-3 // of a step
#define SETTLED 1e-3    // corrections below which switches stay as they are

typedef struct newton {
    flx_grid *g;
    const flx_grid_weight *weight;
    int n, nz; // of the whole matrix; unknowns of the grid
    flx_sparse_lu *lu;
    int *begin, *row;   // of the whole, with a weight
    double *values;     //
    int *from;          // values that are entries of J, by J's number; -1 - k: of W, number k
    double *d, *next;   // (n)
    double *keep;       // copy of what is sought
    double *scale;      // (nv)
    flx_arena *arena;
} newton;

// ---- with a weight -----------------------------------------------------------------------------------

// Columns of z: W's diagonal and, of positions, the stiffness; then J. Columns of eta: J^T.
// W of a node is taken as its entries among positions, in the order of g->entries.
static int count_weight(const flx_grid *g)
{
    int n = 0;
    for (int e = 0; e < g->nentry; e++)
        n += g->entries[e].row < g->s->dims.nv && g->entries[e].col < g->s->dims.nv;
    return n;
}

static flx_status make_whole(newton *w)
{
    flx_grid *g = w->g;
    int nz = g->total_cols, nj = g->begin_of[nz], nv = g->s->dims.nv;
    int all = g->nodes + (g->open ? g->left + g->right : 0), nw = count_weight(g);
    size_t most = 2 * (size_t)nj + (size_t)nz + (size_t)all * (size_t)nw;
    w->begin = flx_arena_take(w->arena, (size_t)w->n + 1, sizeof *w->begin);
    w->row = flx_arena_take(w->arena, most, sizeof *w->row);
    w->from = flx_arena_take(w->arena, most, sizeof *w->from);
    w->values = flx_arena_take(w->arena, most, sizeof *w->values);
    int *count = flx_arena_take(w->arena, (size_t)g->total_rows + 1, sizeof *count);
    int *number = flx_arena_take(w->arena, (size_t)nv * (size_t)nv, sizeof *number);
    if (!w->begin || !w->row || !w->from || !w->values || !count || !number) return FLX_ERR_MEMORY;
    for (int e = 0, seen = 0; w->weight->stiffness && e < g->nentry; e++) { // 0: not there
        const flx_grid_entry *o = g->entries + e;
        if (o->row < nv && o->col < nv) number[o->row * nv + o->col] = ++seen;
    }
    int at = 0, first = g->open ? -g->left : 0;
    for (int k = 0; k < all; k++) {
        int n = first + k, c0 = flx_grid_col(g, n);
        int width = n < 0 || n >= g->nodes ? g->nghost_col : g->ncol;
        for (int c = 0; c < width; c++) {
            int unknown = g->cols[c];
            w->begin[c0 + c] = at;
            for (int r = 0; r < width; r++) { // rows of W in this column, ascending
                int found = unknown < nv && g->cols[r] < nv ? number[g->cols[r] * nv + unknown] : 0;
                if (found == 0 && r != c) continue;
                w->row[at] = c0 + r;
                w->from[at++] = found > 0 ? -2 - (k * nw + found - 1) : -1;
            }
            for (int e = g->begin_of[c0 + c]; e < g->begin_of[c0 + c + 1]; e++) {
                w->row[at] = nz + g->row_at[e];
                w->from[at++] = e;
            }
        }
    }
    // J^T: rows of J as columns
    for (int e = 0; e < nj; e++) count[g->row_at[e] + 1]++;
    for (int r = 0; r < g->total_rows; r++) count[r + 1] += count[r];
    for (int r = 0; r < g->total_rows; r++) w->begin[nz + r] = at + count[r];
    w->begin[w->n] = at + nj;
    for (int c = 0; c < nz; c++) {
        for (int e = g->begin_of[c]; e < g->begin_of[c + 1]; e++) {
            int to = at + count[g->row_at[e]]++;
            w->row[to] = c;
            w->from[to] = e;
        }
    }
    return FLX_OK;
}

static double diagonal_of(const newton *w, int col_in_node)
{
    const double *d = w->weight->diagonal;
    return d ? d[w->g->cols[col_in_node]] : 0.0;
}

static void fill_whole(newton *w)
{
    flx_grid *g = w->g;
    int nz = w->nz, all = g->nodes + (g->open ? g->left + g->right : 0), first = g->open ? -g->left : 0;
    for (int k = 0; k < all; k++) {
        int n = first + k, c0 = flx_grid_col(g, n);
        int width = n < 0 || n >= g->nodes ? g->nghost_col : g->ncol;
        for (int c = 0; c < width; c++) {
            for (int e = w->begin[c0 + c]; e < w->begin[c0 + c + 1]; e++) {
                int f = w->from[e];
                if (f >= 0) {
                    w->values[e] = g->values[f];
                    continue;
                }
                w->values[e] = f <= -2 ? w->weight->stiffness[-2 - f] : 0.0;
                if (w->row[e] == c0 + c) w->values[e] += diagonal_of(w, c);
            }
        }
    }
    for (int e = w->begin[nz]; e < w->begin[w->n]; e++) w->values[e] = g->values[w->from[e]];
}

// W (z - z_rest) of the unknowns, into b (nz).
static void weigh(newton *w, double *b)
{
    flx_grid *g = w->g;
    const flx_dims *d = &g->s->dims;
    int all = g->nodes + (g->open ? g->left + g->right : 0), first = g->open ? -g->left : 0;
    int nw = count_weight(g);
    memset(b, 0, (size_t)w->nz * sizeof *b);
    for (int k = 0; k < all; k++) {
        int n = first + k, c0 = flx_grid_col(g, n);
        bool ghost = n < 0 || n >= g->nodes;
        int width = ghost ? g->nghost_col : g->ncol;
        if (w->weight->q_rest) {
            const double *rest = w->weight->q_rest + (size_t)(n + g->left) * (size_t)d->nq;
            g->s->ops->difference(g->s, rest, flx_grid_q(g, n), g->theta);
        } else {
            memset(g->theta, 0, (size_t)d->nv * sizeof *g->theta);
        }
        for (int e = 0, seen = 0; w->weight->stiffness && e < g->nentry; e++) {
            const flx_grid_entry *o = g->entries + e;
            if (o->row >= d->nv || o->col >= d->nv) continue;
            double value = w->weight->stiffness[k * nw + seen++];
            b[c0 + g->col_of[o->row]] += value * g->theta[o->col];
        }
        for (int c = 0; c < width; c++) {
            int i = g->cols[c], u = i - d->nv - d->nx;
            double z = i < d->nv ? g->theta[i] : u >= 0 && u < d->nw ? g->w[n * d->nw + u] : 0.0;
            b[c0 + c] += diagonal_of(w, c) * z;
        }
    }
}

// ---- steps -------------------------------------------------------------------------------------------

static flx_status find_step(newton *w, double *d)
{
    flx_grid *g = w->g;
    double *r = w->weight ? d + w->nz : d;
    FLX_TRY(flx_grid_residual(g, r));
    if (w->weight) weigh(w, d);
    for (int i = 0; i < w->n; i++) d[i] = -d[i];
    flx_sparse_lu_solve(w->lu, d);
    for (int i = 0; i < w->n; i++) {
        if (!isfinite(d[i])) return FLX_NOT_FINITE;
    }
    return FLX_OK;
}

// Root of the mean square and the largest over positions by their scales.
static double measure(const newton *w, const double *d, double *largest, int *worst)
{
    const flx_grid *g = w->g;
    double sum = 0.0;
    long count = 0;
    *largest = 0.0;
    for (int n = g->open ? -g->left : 0; n < g->nodes + (g->open ? g->right : 0); n++) {
        const double *own = d + flx_grid_col(g, n);
        for (int i = 0; i < g->s->dims.nv; i++) {
            if (g->col_of[i] < 0) continue;
            double e = fabs(own[g->col_of[i]]) / w->scale[i];
            sum += e * e;
            count++;
            if (e > *largest) {
                *largest = e;
                *worst = n;
            }
        }
    }
    return count > 0 ? sqrt(sum / (double)count) : 0.0;
}

static void keep_values(newton *w, bool back)
{
    flx_grid *g = w->g;
    const flx_dims *d = &g->s->dims;
    size_t all = (size_t)(g->nodes + g->left + g->right), nodes = (size_t)g->nodes;
    struct {
        double *a;
        size_t n;
    } lists[] = {{g->q, all * (size_t)d->nq},
                 {g->x, nodes * (size_t)d->nx},
                 {g->w, nodes * (size_t)d->nw},
                 {g->lam, nodes * (size_t)d->nlam},
                 {g->mu, nodes * (size_t)d->nmu}};
    double *k = w->keep;
    for (int i = 0; i < 5; i++) {
        memcpy(back ? lists[i].a : k, back ? k : lists[i].a, lists[i].n * sizeof *k);
        k += lists[i].n;
    }
}

static flx_status make(newton *w)
{
    flx_grid *g = w->g;
    const flx_dims *d = &g->s->dims;
    w->nz = g->total_cols;
    w->n = w->nz + (w->weight ? g->total_rows : 0);
    if (!w->weight && g->total_rows != g->total_cols) return FLX_SINGULAR;
    w->arena = flx_arena_create(g->ctx);
    if (!w->arena) return FLX_ERR_MEMORY;
    size_t all = (size_t)(g->nodes + g->left + g->right) * (size_t)d->nq;
    size_t rest = (size_t)g->nodes * (size_t)(d->nx + d->nw + d->nlam + d->nmu);
    w->keep = flx_arena_take(w->arena, all + rest, sizeof *w->keep);
    w->d = flx_arena_take(w->arena, (size_t)w->n, sizeof *w->d);
    w->next = flx_arena_take(w->arena, (size_t)w->n, sizeof *w->next);
    w->scale = flx_arena_take(w->arena, (size_t)d->nv, sizeof *w->scale);
    if (!w->keep || !w->d || !w->next || !w->scale) return FLX_ERR_MEMORY;
    for (int i = 0; i < d->nv; i++) {
        flx_unknown u;
        g->s->ops->unknown(g->s, i, &u);
        w->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
    }
    if (!w->weight)
        return flx_sparse_lu_create(g->ctx, w->n, g->begin_of, g->row_at, &w->lu);
    FLX_TRY(make_whole(w));
    return flx_sparse_lu_create(g->ctx, w->n, w->begin, w->row, &w->lu);
}

static flx_status factor(newton *w)
{
    FLX_TRY(flx_grid_linearise(w->g));
    if (w->weight) fill_whole(w);
    return flx_sparse_lu_factor(w->lu, w->weight ? w->values : w->g->values, NULL);
}

static flx_status iterate(newton *w, int most, flx_grid_report *report)
{
    flx_grid *g = w->g;
    double largest = HUGE_VAL, before = HUGE_VAL;
    for (int k = 0; k < most; k++) {
        if (largest > SETTLED) flx_grid_settle(g);
        FLX_TRY(factor(w));
        FLX_TRY(find_step(w, w->d));
        double size = measure(w, w->d, &largest, &report->worst), part = 1.0;
        report->iterations = k + 1;
        report->correction = largest;
        if (!isfinite(size)) return FLX_NOT_FINITE;
        if (largest <= DONE || (largest <= STALLED && largest >= 0.5 * before)) {
            flx_grid_add(g, w->d, 1.0);
            return FLX_OK;
        }
        before = largest;
        keep_values(w, false);
        for (;; part *= 0.5) {
            double most_next = 0.0;
            int node = 0;
            if (part < LEAST_PART) return FLX_NO_CONVERGENCE;
            flx_grid_add(g, w->d, part);
            flx_status status = FLX_OK;
            // near the solution the full step is right; looking behind it would cost a residual
            if (largest < 1e-3 && part == 1.0) break;
            status = find_step(w, w->next);
            if (status < 0) return status;
            double next = status == FLX_OK ? measure(w, w->next, &most_next, &node) : HUGE_VAL;
            if (next <= (1.0 - 0.25 * part) * size) break;
            keep_values(w, true);
        }
    }
    return report->correction <= STALLED ? FLX_OK : FLX_NO_CONVERGENCE;
}

flx_status flx_grid_solve(flx_grid *g, const flx_grid_weight *weight, int most,
                          flx_grid_report *report)
{
    newton w = {.g = g, .weight = weight};
    *report = (flx_grid_report){0};
    flx_status status = make(&w);
    if (status == FLX_OK) status = iterate(&w, most, report);
    flx_sparse_lu_destroy(&w.lu);
    if (w.arena) flx_arena_destroy(&w.arena);
    return status;
}
