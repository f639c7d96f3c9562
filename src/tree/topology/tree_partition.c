// tree_partition.c - coordinates of the joints of loops, divided into those that go on by themselves and those
// that follow from the closures.
//
//     g(q_I, q_D) = 0,   G_D v_D = -(G_I v_I + g_t),   G_D regular                      (TREE-16)
// Dependent are the columns that Gaussian elimination of G takes as its pivots, the largest first: of
// the rows that hold positions, then of those that hold velocities only. When the smallest pivot of G_D
// has become a small part of what it was at the choice, others are chosen.
#include "tree/tree_parts.h"

// A partition is reviewed when its smallest pivot is below this part of its first.
#define WORN 0.3
// Rows whose rest is smaller than this part of themselves depend on the others.
#define NO_PIVOT 1e-10

static bool is_of_positions(const flx_tree *t, int row)
{
    return row < t->base.dims.nlam && !(flx_tree_inner(t)->rows[row].tau > 0);
}

static bool is_active(const flx_tree *t, int row)
{
    return !(flx_tree_inner(t)->rows[row].C > 0);
}

// Rows of closures, in metres or radians by radians or by the length of the mechanism: into E.
static void scale_rows(const flx_tree *t, const flx_tree_work *w, double *E)
{
    int rows = flx_tree_rows(t), nv = t->base.dims.nv;
    for (int i = 0; i < rows; i++) {
        const double *g = w->G + (size_t)nv * (size_t)i;
        double *e = E + (size_t)nv * (size_t)i, most = 0.0;
        for (int k = 0; k < nv; k++) {
            e[k] = g[k] * w->partition.scale[k];
            most = fmax(most, fabs(e[k]));
        }
        for (int k = 0; k < nv && most > 0.0; k++) e[k] /= most;
    }
}

// The row and column with the largest number left, among these rows.
static bool find_pivot(const flx_tree *t, const flx_tree_work *w, const double *E, bool positions,
                       int *row, int *col)
{
    int rows = flx_tree_rows(t), nv = t->base.dims.nv;
    const flx_tree_partition *p = &w->partition;
    double most = NO_PIVOT;
    *row = -1;
    for (int i = 0; i < rows; i++) {
        if (p->column[i] >= 0 || !is_active(t, i) || is_of_positions(t, i) != positions) continue;
        for (int k = 0; k < nv; k++) {
            if (p->dependent[k] || !(fabs(E[(size_t)nv * (size_t)i + (size_t)k]) > most)) continue;
            most = fabs(E[(size_t)nv * (size_t)i + (size_t)k]);
            *row = i;
            *col = k;
        }
    }
    return *row >= 0;
}

static void eliminate(const flx_tree *t, double *E, int row, int col)
{
    int rows = flx_tree_rows(t), nv = t->base.dims.nv;
    const double *by = E + (size_t)nv * (size_t)row;
    for (int i = 0; i < rows; i++) {
        double *e = E + (size_t)nv * (size_t)i, m = e[col] / by[col];
        if (i == row || m == 0.0) continue;
        for (int k = 0; k < nv; k++) e[k] -= m * by[k];
        e[col] = 0.0;
    }
}

// By the rows that are in G. FLX_SINGULAR: the closures depend on each other here.
static flx_status choose(const flx_tree *t, flx_tree_work *w)
{
    flx_tree_partition *p = &w->partition;
    int rows = flx_tree_rows(t), nv = t->base.dims.nv, row, col = 0, left = 0;
    double *E = w->Y;
    scale_rows(t, w, E);
    for (int i = 0; i < rows; i++) p->column[i] = -1;
    for (int k = 0; k < nv; k++) p->dependent[k] = false;
    for (int positions = 1; positions >= 0; positions--) {
        while (find_pivot(t, w, E, positions, &row, &col)) {
            p->column[row] = col;
            p->dependent[col] = true;
            eliminate(t, E, row, col);
        }
    }
    for (int i = 0; i < rows; i++) left += is_active(t, i) && p->column[i] < 0;
    p->chosen = left == 0;
    p->changes++;
    return p->chosen ? FLX_OK : FLX_SINGULAR;
}

// LU of the columns of the dependent coordinates, with row pivots; S (n x n) by rows. Returns the smallest
// pivot of the scaled matrix, 0 where there is none.
static double factor(const flx_tree *t, flx_tree_work *w, bool positions)
{
    flx_tree_partition *p = &w->partition;
    int rows = flx_tree_rows(t), nv = t->base.dims.nv, n = 0;
    double least = 1.0;
    for (int i = 0; i < rows; i++) {
        if (!is_active(t, i) || (positions && !is_of_positions(t, i))) continue;
        p->row[n] = i;
        p->col[n++] = p->column[i];
    }
    p->n = n;
    for (int i = 0; i < n; i++) {
        const double *g = w->G + (size_t)nv * (size_t)p->row[i];
        double most = 0.0;
        for (int k = 0; k < nv; k++) most = fmax(most, fabs(g[k] * p->scale[k]));
        if (!(most > 0.0)) return 0.0;
        p->over[i] = 1.0 / most;
        for (int k = 0; k < n; k++) w->S[n * i + k] = g[p->col[k]] * p->scale[p->col[k]] / most;
    }
    for (int j = 0; j < n; j++) {
        int best = j;
        for (int i = j + 1; i < n; i++) {
            if (fabs(w->S[n * i + j]) > fabs(w->S[n * best + j])) best = i;
        }
        p->pivot[j] = best;
        double pivot = fabs(w->S[n * best + j]);
        if (!(pivot > NO_PIVOT)) return 0.0;
        least = fmin(least, pivot);
        for (int k = 0; k < n && best != j; k++) {
            double x = w->S[n * j + k];
            w->S[n * j + k] = w->S[n * best + k];
            w->S[n * best + k] = x;
        }
        for (int i = j + 1; i < n; i++) {
            double m = w->S[n * i + j] /= w->S[n * j + j];
            for (int k = j + 1; k < n; k++) w->S[n * i + k] -= m * w->S[n * j + k];
        }
    }
    return least;
}

flx_status flx_partition_factor(const flx_tree *t, flx_tree_work *w, bool positions)
{
    flx_tree_partition *p = &w->partition;
    if (!p->chosen) {
        FLX_TRY(choose(t, w));
        p->first = factor(t, w, false);
    }
    return factor(t, w, positions) > 0.0 ? FLX_OK : FLX_SINGULAR;
}

void flx_partition_solve(const flx_tree *t, flx_tree_work *w)
{
    const flx_tree_partition *p = &w->partition;
    int n = p->n;
    double *b = w->rows; // its numbers are in rhs
    for (int i = 0; i < n; i++) b[i] = -p->over[i] * w->rhs[p->row[i]];
    for (int j = 0; j < n; j++) { // factors were exchanged with their rows
        double x = b[p->pivot[j]];
        b[p->pivot[j]] = b[j];
        b[j] = x;
    }
    for (int j = 0; j < n; j++) {
        for (int i = j + 1; i < n; i++) b[i] -= w->S[n * i + j] * b[j];
    }
    memset(w->free_a, 0, (size_t)t->base.dims.nv * sizeof *w->free_a);
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) b[i] -= w->S[n * i + k] * b[k];
        b[i] /= w->S[n * i + i];
        w->free_a[p->col[i]] = p->scale[p->col[i]] * b[i];
    }
}

flx_status flx_partition_review(const flx_tree *t, flx_tree_work *w)
{
    flx_tree_partition *p = &w->partition;
    double now = p->chosen ? factor(t, w, false) : 0.0;
    if (now > WORN * p->first) return FLX_OK;
    FLX_TRY(choose(t, w));
    p->first = factor(t, w, false);
    return p->first > 0.0 ? FLX_OK : FLX_SINGULAR;
}

void flx_partition_clear(flx_tree_partition *p)
{
    flx_free(p->dependent);
    flx_free(p->column);
    flx_free(p->scale);
    *p = (flx_tree_partition){0};
}

flx_status flx_partition_create(const flx_tree *t, flx_tree_partition *p)
{
    size_t rows = (size_t)flx_tree_rows(t), nv = (size_t)t->base.dims.nv;
    *p = (flx_tree_partition){0};
    p->dependent = flx_alloc(t->base.ctx, nv, sizeof *p->dependent);
    p->column = flx_alloc(t->base.ctx, 4 * rows, sizeof *p->column);
    p->scale = flx_alloc(t->base.ctx, nv + rows, sizeof *p->scale);
    if (!p->dependent || !p->column || !p->scale) {
        flx_partition_clear(p);
        return FLX_ERR_MEMORY;
    }
    p->row = p->column + rows;
    p->col = p->row + rows;
    p->pivot = p->col + rows;
    p->over = p->scale + nv;
    for (int k = 0; k < t->base.dims.nv; k++) {
        flx_unknown u;
        t->base.ops->unknown(&t->base, k, &u);
        p->scale[k] = u.scale;
    }
    return FLX_OK;
}

// The choice; its factors are made anew by every use.
void flx_partition_memory(const flx_tree *t, flx_tree_partition *p, flx_memory *m)
{
    FLX_PASS(m, p->chosen);
    FLX_PASS(m, p->first);
    FLX_PASS(m, p->changes);
    flx_memory_pass(m, p->dependent, (size_t)t->base.dims.nv * sizeof *p->dependent);
    flx_memory_pass(m, p->column, (size_t)flx_tree_rows(t) * sizeof *p->column);
}
