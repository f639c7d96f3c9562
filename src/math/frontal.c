// frontal.c - the multifrontal factorisation: fronts from the leaves of the tree to its roots. The update
// of a front waits on a stack until its parent takes it in.
//
//     [A11 .; A21 A22] = [L11 .; L21 I] diag(D, A22 - L21 D L21^T) [L11 .; L21 I]^T            (LIN-10)
#include "math/dense_parts.h"
#include "math/frontal_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

flx_status flx_frontal_create(flx_ctx *ctx, const flx_symmetric *A, const int *group,
                              flx_frontal **out)
{
    flx_dense_use_one_thread();
    *out = NULL;
    flx_frontal *f = flx_alloc(ctx, 1, sizeof *f);
    if (!f) return FLX_ERR_MEMORY;
    *f = (flx_frontal){.ctx = ctx, .n = A->n};
    flx_status status = flx_frontal_analyse(f, A, group);
    if (status == FLX_OK) {
        f->diagonal = flx_alloc(ctx, (size_t)f->n, sizeof *f->diagonal);
        f->relative = flx_alloc(ctx, (size_t)f->max_row, sizeof *f->relative);
        if (!f->diagonal || !f->relative) status = FLX_ERR_MEMORY;
    }
    if (status != FLX_OK) {
        flx_frontal_destroy(&f);
        return status;
    }
    *out = f;
    return FLX_OK;
}

void flx_frontal_destroy(flx_frontal **frontal)
{
    if (!frontal || !*frontal) return;
    flx_frontal *f = *frontal;
    void *owned[] = {f->order,  f->group_start, f->group_of,    f->start, f->row,      f->source,
                     f->parent, f->front_group, f->below,       f->ncol,  f->nrow,     f->panel,
                     f->L,      f->stack,       f->work,        f->local, f->diagonal, f->relative,
                     f->X,      f->Y,           f->below_start, f->first, f->waiting,  f->nchild};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) flx_free(owned[i]);
    flx_free(f);
    *frontal = NULL;
}

// ---- one front ----------------------------------------------------------------------------------

// Where each group of the front is, counted in unknowns from its first pivot.
static void place_groups(flx_frontal *f, int s)
{
    int first = f->group_start[f->front_group[s]], at = f->ncol[s];
    for (int j = f->front_group[s]; j < f->front_group[s + 1]; j++) {
        f->local[j] = f->group_start[j] - first;
    }
    for (int64_t p = f->below_start[s]; p < f->below_start[s + 1]; p++) {
        int j = f->below[p];
        f->local[j] = at;
        at += f->group_start[j + 1] - f->group_start[j];
    }
}

static void add_matrix(flx_frontal *f, int s, double a, const flx_symmetric *A, double b,
                       const flx_symmetric *B, double *panel)
{
    int first = f->group_start[f->front_group[s]], m = f->ncol[s] + f->nrow[s];
    for (int c = 0; c < f->ncol[s]; c++) {
        double *column = panel + (size_t)c * m;
        for (int64_t p = f->start[first + c]; p < f->start[first + c + 1]; p++) {
            int64_t k = f->source[p];
            int i = f->row[p], g = f->group_of[i];
            double value = a * A->value[k] + (B ? b * B->value[k] : 0);
            column[f->local[g] + (i - f->group_start[g])] += value;
            if (i == first + c) f->diagonal[i] = value;
        }
    }
}

// Rows of a child in the current front.
static void relate(flx_frontal *f, int child)
{
    int k = 0;
    for (int64_t p = f->below_start[child]; p < f->below_start[child + 1]; p++) {
        int j = f->below[p], size = f->group_start[j + 1] - f->group_start[j];
        for (int q = 0; q < size; q++) f->relative[k++] = f->local[j] + q;
    }
}

// target[relative[i]] += source[i], in runs of neighbours.
static void add_scattered(int n, const int *relative, const double *source, double *target)
{
    for (int i = 0; i < n;) {
        int end = i + 1, shift = relative[i] - i;
        while (end < n && relative[end] - end == shift) end++;
        double *to = target + shift;
        for (; i < end; i++) to[i] += source[i];
    }
}

// Updates that wait are packed: the lower triangle by columns.
static int64_t packed_size(int n)
{
    return (int64_t)n * (n + 1) / 2;
}

static const double *packed_column(const double *U, int n, int c)
{
    return U + (int64_t)c * n - (int64_t)c * (c - 1) / 2;
}

// The square U (n x n) to where it waits, which is below it and may overlap.
static void pack(int n, const double *U, double *to)
{
    for (int c = 0; c < n; to += n - c, c++) {
        memmove(to, U + (size_t)c * n + c, (size_t)(n - c) * sizeof *to);
    }
}

// Columns of the child's update that are pivots here go to the panel, before they are eliminated;
// returns how many those are.
static int add_to_panel(flx_frontal *f, int s, int child, const double *U, double *panel)
{
    int m = f->ncol[s] + f->nrow[s], n = f->nrow[child], c = 0;
    for (; c < n && f->relative[c] < f->ncol[s]; c++) {
        add_scattered(n - c, f->relative + c, packed_column(U, n, c),
                      panel + (size_t)f->relative[c] * m);
    }
    return c;
}

static void add_to_update(flx_frontal *f, int s, int child, const double *U, double *target)
{
    int n = f->nrow[child], rows = f->nrow[s], cols = f->ncol[s], c = 0;
    while (c < n && f->relative[c] < cols) c++;
    for (int i = c; i < n; i++) f->relative[i] -= cols;
    for (; c < n; c++) {
        add_scattered(n - c, f->relative + c, packed_column(U, n, c),
                      target + (size_t)f->relative[c] * rows);
    }
}

static void note_pivots(flx_frontal *f, int s, const double *panel)
{
    int first = f->group_start[f->front_group[s]], m = f->ncol[s] + f->nrow[s];
    for (int c = 0; c < f->ncol[s]; c++) {
        double d = panel[(size_t)c * m + c];
        double ratio =
            fabs(d) / (f->size ? f->size[f->order[first + c]] : fabs(f->diagonal[first + c]));
        if (d < 0) f->report.negative++;
        if (!(ratio > 64 * DBL_EPSILON)) f->report.small++; // differences of about as many terms
        if (!(ratio >= f->report.ratio)) {
            f->report.ratio = ratio;
            f->report.smallest = f->order[first + c];
        }
    }
}

// The children of front s are the last on the stack, the youngest on top; first[] is where the update of
// each front lies.
static flx_status eliminate_front(flx_frontal *f, int s, const int *children, int nchild,
                                  int64_t *first, double *panel)
{
    int m = f->ncol[s] + f->nrow[s], rows = f->nrow[s];
    int64_t bottom = nchild > 0 ? first[children[0]] : f->stack_top;
    for (int k = 0; k < nchild; k++) {
        relate(f, children[k]);
        add_to_panel(f, s, children[k], f->stack + first[children[k]], panel);
    }
    flx_frontal_pivots guard = {
        .unknown = f->order + f->group_start[f->front_group[s]], .sign = f->sign, .size = f->size};
    int bad = flx_frontal_eliminate(m, f->ncol[s], panel, f->work, &guard);
    f->report.moved += guard.moved;
    if (bad >= 0) {
        f->report.ratio = 0;
        f->report.smallest = f->order[f->group_start[f->front_group[s]] + bad];
        return FLX_SINGULAR;
    }
    note_pivots(f, s, panel);
    if (rows > 0) {
        double *U = f->stack + f->stack_top;
        flx_frontal_update(rows, f->ncol[s], panel, U, f->work);
        for (int k = 0; k < nchild; k++) {
            relate(f, children[k]);
            add_to_update(f, s, children[k], f->stack + first[children[k]], U);
        }
        pack(rows, U, f->stack + bottom);
    }
    first[s] = bottom;
    f->stack_top = bottom + packed_size(rows);
    return FLX_OK;
}

// ---- the walk -----------------------------------------------------------------------------------

static flx_status prepare(flx_frontal *f)
{
    size_t n = (size_t)f->nfront;
    if (!f->stack) {
        f->stack = flx_alloc(f->ctx, (size_t)f->stack_size, sizeof *f->stack);
        f->work = flx_alloc(f->ctx, (size_t)f->max_work, sizeof *f->work);
        f->first = flx_alloc(f->ctx, n, sizeof *f->first);
        f->waiting = flx_alloc(f->ctx, n, sizeof *f->waiting);
        f->nchild = flx_alloc(f->ctx, n, sizeof *f->nchild);
    }
    if (!f->stack || !f->work || !f->first || !f->waiting || !f->nchild) return FLX_ERR_MEMORY;
    f->stack_top = 0;
    f->report.negative = f->report.small = f->report.moved = f->report.smallest = 0;
    f->report.ratio = (double)INFINITY;
    memset(f->nchild, 0, n * sizeof *f->nchild);
    for (int s = 0; s < f->nfront; s++) {
        if (f->parent[s] >= 0) f->nchild[f->parent[s]]++;
    }
    return FLX_OK;
}

// What waits is needed while factoring alone; solutions need the panels.
static void let_go(flx_frontal *f)
{
    flx_free(f->stack);
    flx_free(f->work);
    flx_free(f->first);
    flx_free(f->waiting);
    flx_free(f->nchild);
    f->stack = f->work = NULL;
    f->first = NULL;
    f->waiting = f->nchild = NULL;
}

static flx_status walk(flx_frontal *f, double a, const flx_symmetric *A, double b,
                       const flx_symmetric *B)
{
    int top = 0;
    for (int s = 0; s < f->nfront; s++) {
        double *panel = f->scratch ? f->scratch : f->L + f->panel[s];
        memset(panel, 0, (size_t)(f->panel[s + 1] - f->panel[s]) * sizeof *panel);
        place_groups(f, s);
        add_matrix(f, s, a, A, b, B, panel);
        int n = f->nchild[s];
        FLX_TRY(eliminate_front(f, s, f->waiting + top - n, n, f->first, panel));
        top -= n;
        if (f->nrow[s] > 0) f->waiting[top++] = s;
    }
    return FLX_OK;
}

static flx_status eliminate_all(flx_frontal *f, double a, const flx_symmetric *A, double b,
                                const flx_symmetric *B)
{
    flx_status status = prepare(f);
    if (status == FLX_OK) status = walk(f, a, A, b, B);
    if (!f->sign || status < 0) let_go(f);
    return status;
}

void flx_frontal_guard(flx_frontal *f, const signed char *sign, const double *size)
{
    f->sign = sign;
    f->size = size;
}

flx_status flx_frontal_factor(flx_frontal *f, double a, const flx_symmetric *A, double b,
                              const flx_symmetric *B)
{
    f->factored = false;
    if (!f->L) f->L = flx_alloc(f->ctx, (size_t)f->panel[f->nfront], sizeof *f->L);
    if (!f->L) return FLX_ERR_MEMORY;
    flx_status status = eliminate_all(f, a, A, b, B);
    f->factored = status == FLX_OK;
    return status;
}

flx_status flx_frontal_count(flx_frontal *f, double a, const flx_symmetric *A, double b,
                             const flx_symmetric *B, int *negative)
{
    flx_frontal_report kept = f->report;
    int64_t most = 0;
    for (int s = 0; s < f->nfront; s++) {
        if (f->panel[s + 1] - f->panel[s] > most) most = f->panel[s + 1] - f->panel[s];
    }
    f->scratch = flx_alloc(f->ctx, (size_t)most, sizeof *f->scratch);
    flx_status status = f->scratch ? eliminate_all(f, a, A, b, B) : FLX_ERR_MEMORY;
    *negative = f->report.negative;
    f->report = kept;
    flx_free(f->scratch);
    f->scratch = NULL;
    return status;
}

flx_frontal_report flx_frontal_get_report(const flx_frontal *f)
{
    return f->report;
}
