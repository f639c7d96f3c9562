// grid_newton.c - Newton's method on all nodes of a grid at once, damped; with a weight where rows leave something open.
//
//     J dz = -r,    or    [W J^T; J 0] (dz, eta) = -(W (z - z_rest), r)                             (GRID-3)
//
// A step is judged by the correction that the same factors find behind it (the natural measure, which no scaling of rows
// changes), over positions by their scales; multipliers and inputs enter nearly linearly and follow.
#include "analyse/grid/grid.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DONE 1e-10      // correction of positions, of their scales
#define STALLED 1e-6    // ... that rounding may leave
#define LEAST_PART 1e-3 // of a step
#define NEAR 1e-3       // corrections from which on steps are not damped
#define SLOW 1e-2       // corrections with kept factors, of the one before
#define SETTLED 1e-3    // corrections below which switches stay as they are

typedef struct newton {
    flx_grid *g;
    const flx_grid_weight *weight;
    int n, nz; // of the whole matrix; unknowns of the grid
    flx_sparse_lu *lu;
    int *z_at, *eta_at; // (nz) (rows) places in the whole, node by node
    int *begin, *row;   // of the whole, with a weight
    double *values;     //
    int *from;          // values that are entries of J, by J's number; -1 - k: of W, number k
    double *d, *next;   // (n)
    double *mixed;      // (n) in the order of the whole
    double *keep;       // copy of what is sought
    double *scale;      // (nv)
    flx_arena *arena;
} newton;

static int first_node(const flx_grid *g)
{
    return g->open ? -g->left : 0;
}

static int end_node(const flx_grid *g)
{
    return g->nodes + (g->open ? g->right : 0);
}

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

// Unknowns and conditions of a node side by side: a band.
static flx_status place(newton *w)
{
    flx_grid *g = w->g;
    w->z_at = flx_arena_take(w->arena, (size_t)w->nz, sizeof *w->z_at);
    w->eta_at = flx_arena_take(w->arena, (size_t)g->total_rows, sizeof *w->eta_at);
    if (!w->z_at || !w->eta_at) return FLX_ERR_MEMORY;
    int at = 0;
    for (int n = first_node(g); n < end_node(g); n++) {
        bool ghost = n < 0 || n >= g->nodes;
        int cols = ghost ? g->nghost_col : g->ncol, rows = ghost ? g->nghost_row : g->nrow;
        for (int c = 0; c < cols; c++) w->z_at[flx_grid_col(g, n) + c] = at++;
        for (int r = 0; r < rows; r++) w->eta_at[flx_grid_row(g, n) + r] = at++;
    }
    return FLX_OK;
}

typedef struct entry {
    int row, from;
} entry;

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

// Puts the entries of a column in the order of their rows.
static void put_column(newton *w, int col, int n, entry *list, int *at)
{
    qsort(list, (size_t)n, sizeof *list, compare);
    w->begin[col] = *at;
    for (int k = 0; k < n; k++) {
        w->row[*at] = list[k].row;
        w->from[(*at)++] = list[k].from;
    }
}

static flx_status make_whole(newton *w)
{
    flx_grid *g = w->g;
    int nz = w->nz, nj = g->begin_of[nz], nv = g->s->dims.nv, all = end_node(g) - first_node(g);
    int nw = count_weight(g);
    size_t most = 2 * (size_t)nj + (size_t)nz + (size_t)all * (size_t)nw;
    FLX_TRY(place(w));
    w->begin = flx_arena_take(w->arena, (size_t)w->n + 1, sizeof *w->begin);
    w->row = flx_arena_take(w->arena, most, sizeof *w->row);
    w->from = flx_arena_take(w->arena, most, sizeof *w->from);
    w->values = flx_arena_take(w->arena, most, sizeof *w->values);
    int *count = flx_arena_take(w->arena, (size_t)g->total_rows + 2, sizeof *count);
    int *by_row = flx_arena_take(w->arena, (size_t)nj, sizeof *by_row); // entries of J by rows
    int *col_of = flx_arena_take(w->arena, (size_t)nj, sizeof *col_of);
    int *number = flx_arena_take(w->arena, (size_t)nv * (size_t)nv, sizeof *number);
    entry *list = flx_arena_take(w->arena, (size_t)w->n, sizeof *list);
    if (!w->begin || !w->row || !w->from || !w->values || !count || !by_row || !col_of || !number ||
        !list)
        return FLX_ERR_MEMORY;
    for (int e = 0, seen = 0; w->weight->stiffness && e < g->nentry; e++) { // 0: not there
        const flx_grid_entry *o = g->entries + e;
        if (o->row < nv && o->col < nv) number[o->row * nv + o->col] = ++seen;
    }
    for (int c = 0; c < nz; c++) {
        for (int e = g->begin_of[c]; e < g->begin_of[c + 1]; e++) {
            col_of[e] = c;
            count[g->row_at[e] + 2]++;
        }
    }
    for (int r = 0; r < g->total_rows; r++) count[r + 1] += count[r];
    for (int e = 0; e < nj; e++) by_row[count[g->row_at[e] + 1]++] = e;
    int at = 0;
    for (int k = 0; k < all; k++) {
        int n = first_node(g) + k, c0 = flx_grid_col(g, n), r0 = flx_grid_row(g, n);
        bool ghost = n < 0 || n >= g->nodes;
        int width = ghost ? g->nghost_col : g->ncol, rows = ghost ? g->nghost_row : g->nrow;
        for (int c = 0; c < width; c++) { // W, J
            int m = 0, unknown = g->cols[c];
            for (int r = 0; r < width; r++) {
                int other = g->cols[r];
                int found = unknown < nv && other < nv ? number[other * nv + unknown] : 0;
                if (found == 0 && r != c) continue;
                list[m++] = (entry){w->z_at[c0 + r], found > 0 ? -2 - (k * nw + found - 1) : -1};
            }
            for (int e = g->begin_of[c0 + c]; e < g->begin_of[c0 + c + 1]; e++)
                list[m++] = (entry){w->eta_at[g->row_at[e]], e};
            put_column(w, w->z_at[c0 + c], m, list, &at);
        }
        for (int r = 0; r < rows; r++) { // J^T
            int m = 0;
            for (int i = count[r0 + r]; i < count[r0 + r + 1]; i++)
                list[m++] = (entry){w->z_at[col_of[by_row[i]]], by_row[i]};
            put_column(w, w->eta_at[r0 + r], m, list, &at);
        }
    }
    w->begin[w->n] = at;
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
    for (int e = 0; e < w->begin[w->n]; e++) {
        int f = w->from[e];
        w->values[e] = f >= 0 ? g->values[f] : f <= -2 ? w->weight->stiffness[-2 - f] : 0.0;
    }
    for (int n = first_node(g); n < end_node(g); n++) {
        int c0 = flx_grid_col(g, n), width = n < 0 || n >= g->nodes ? g->nghost_col : g->ncol;
        for (int c = 0; c < width; c++) {
            int col = w->z_at[c0 + c];
            for (int e = w->begin[col]; e < w->begin[col + 1]; e++) {
                if (w->row[e] == col) w->values[e] += diagonal_of(w, c);
            }
        }
    }
}

// W (z - z_rest) of the unknowns, into b (nz).
static void weigh(newton *w, double *b)
{
    flx_grid *g = w->g;
    const flx_dims *d = &g->s->dims;
    int all = end_node(g) - first_node(g), first = first_node(g), nw = count_weight(g);
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
    if (w->weight) {
        for (int i = 0; i < w->nz; i++) w->mixed[w->z_at[i]] = -d[i];
        for (int i = 0; i < g->total_rows; i++) w->mixed[w->eta_at[i]] = -r[i];
        flx_sparse_lu_solve(w->lu, w->mixed);
        for (int i = 0; i < w->nz; i++) d[i] = w->mixed[w->z_at[i]];
        for (int i = 0; i < g->total_rows; i++) r[i] = w->mixed[w->eta_at[i]];
    } else {
        for (int i = 0; i < w->n; i++) d[i] = -d[i];
        flx_sparse_lu_solve(w->lu, d);
    }
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
    for (int n = first_node(g); n < end_node(g); n++) {
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
    w->mixed = flx_arena_take(w->arena, (size_t)w->n, sizeof *w->mixed);
    if (!w->keep || !w->d || !w->next || !w->scale || !w->mixed) return FLX_ERR_MEMORY;
    for (int i = 0; i < d->nv; i++) {
        flx_unknown u;
        g->s->ops->unknown(g->s, i, &u);
        w->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
    }
    if (!w->weight)
        return flx_sparse_lu_create(g->ctx, w->n, g->begin_of, g->row_at, FLX_SPARSE_COLUMNS,
                                    &w->lu);
    FLX_TRY(make_whole(w));
    return flx_sparse_lu_create(g->ctx, w->n, w->begin, w->row, FLX_SPARSE_AS_IS, &w->lu);
}

static flx_status factor(newton *w)
{
    FLX_TRY(flx_grid_linearise(w->g));
    if (w->weight) fill_whole(w);
    return flx_sparse_lu_factor(w->lu, w->weight ? w->values : w->g->values, NULL);
}

// Steps with the factors at hand, as long as each is a hundredth of the one before. FLX_NO_CONVERGENCE: others are needed.
static flx_status polish(newton *w, int most, flx_grid_report *report)
{
    while (report->iterations < most) {
        double largest = 0.0, last = report->correction;
        FLX_TRY(find_step(w, w->d));
        (void)measure(w, w->d, &largest, &report->worst);
        if (!(largest <= SLOW * last) && largest > DONE) return FLX_NO_CONVERGENCE;
        flx_grid_add(w->g, w->d, 1.0);
        report->iterations++;
        report->correction = largest;
        if (largest <= DONE) return FLX_OK;
    }
    return FLX_NO_CONVERGENCE;
}

static flx_status iterate(newton *w, int most, flx_grid_report *report)
{
    flx_grid *g = w->g;
    double largest = HUGE_VAL, before = HUGE_VAL;
    while (report->iterations < most) {
        if (largest > SETTLED) flx_grid_settle(g);
        FLX_TRY(factor(w));
        FLX_TRY(find_step(w, w->d));
        double size = measure(w, w->d, &largest, &report->worst), part = 1.0;
        report->iterations++;
        report->correction = largest;
        if (!isfinite(size)) return FLX_NOT_FINITE;
        if (largest <= DONE || (largest <= STALLED && largest >= 0.5 * before)) {
            flx_grid_add(g, w->d, 1.0);
            return FLX_OK;
        }
        before = largest;
        keep_values(w, false);
        // near the solution the full step is right, and the factors serve for what is left
        if (largest < NEAR) {
            flx_grid_add(g, w->d, 1.0);
            flx_status status = polish(w, most, report);
            if (status != FLX_NO_CONVERGENCE) return status;
            before = report->correction;
            continue;
        }
        for (;; part *= 0.5) {
            double most_next = 0.0;
            int node = 0;
            if (part < LEAST_PART) return FLX_NO_CONVERGENCE;
            flx_grid_add(g, w->d, part);
            flx_status status = find_step(w, w->next);
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
