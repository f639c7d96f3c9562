// frontal.c - the multifrontal factorisation: fronts from the leaves of the tree to its roots. The update
// of a front waits on a stack until its parent takes it in. Panels and stack share one piece of memory and
// grow towards each other; what the stack had is given back when it is empty.
//
//     [A11 .; A21 A22] = [L11 .; L21 I] diag(D, A22 - L21 D L21^T) [L11 .; L21 I]^T            (LIN-10)
#include "math/frontal/frontal_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

flx_status flx_frontal_create(flx_ctx *ctx, const flx_symmetric *A, const int *group,
                              flx_frontal **out)
{
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
    void *owned[] = {f->order,       f->group_start, f->near_start, f->near,        f->parent,
                     f->front_group, f->below,       f->ncol,       f->nrow,        f->panel,
                     f->sequence,    f->numbers,     f->work,       f->local,       f->diagonal,
                     f->relative,    f->X,           f->Y,          f->below_start, f->first,
                     f->waiting,     f->nchild};
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

typedef struct sum { // a A + b B
    double a, b;
    const flx_symmetric *A, *B; // B may be NULL
} sum;

// Entries of A whose column is in group x and whose row, of a higher number, in group y; one of the two
// is a pivot of the front. Unknowns of a group mostly follow each other in A.
static void add_block(flx_frontal *f, const sum *m, int x, int y, double *panel, int64_t rows)
{
    const int *column = f->order + f->group_start[x], *row = f->order + f->group_start[y];
    int ncol = f->group_start[x + 1] - f->group_start[x];
    int nrow = f->group_start[y + 1] - f->group_start[y];
    for (int c = 0; c < ncol; c++) {
        int64_t next = m->A->start[column[c] + 1], end = next;
        for (int r = 0; r < nrow; r++) {
            if (row[r] < column[c]) continue;
            int64_t k = next;
            if (k >= end || m->A->row[k] != row[r]) {
                k = flx_symmetric_place(m->A, row[r], column[c]);
            }
            if (k < 0) continue;
            next = k + 1;
            double value = m->a * m->A->value[k] + (m->B ? m->b * m->B->value[k] : 0);
            int i = f->local[x] + c, j = f->local[y] + r;
            panel[flx_trapezoid_column(rows, i < j ? i : j, FLX_FRONTAL_BLOCK) + (i < j ? j : i)] +=
                value;
            if (row[r] == column[c]) f->diagonal[f->group_start[x] + c] = value;
        }
    }
}

static void add_matrix(flx_frontal *f, int s, const sum *m, double *panel)
{
    int64_t rows = (int64_t)f->ncol[s] + f->nrow[s];
    for (int j = f->front_group[s]; j < f->front_group[s + 1]; j++) {
        add_block(f, m, j, j, panel, rows);
        for (int64_t p = f->near_start[j]; p < f->near_start[j + 1]; p++) {
            add_block(f, m, j, f->near[p], panel, rows);
            add_block(f, m, f->near[p], j, panel, rows);
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

// Columns of the child's update that are pivots here go to the panel, before they are eliminated.
static void add_to_panel(flx_frontal *f, int s, int child, const double *U, double *panel)
{
    int m = f->ncol[s] + f->nrow[s], n = f->nrow[child];
    for (int c = 0; c < n && f->relative[c] < f->ncol[s]; c++) {
        add_scattered(n - c, f->relative + c, U + flx_trapezoid_column(n, c, FLX_FRONTAL_STRIP) + c,
                      panel + flx_trapezoid_column(m, f->relative[c], FLX_FRONTAL_BLOCK));
    }
}

static void add_to_update(flx_frontal *f, int s, int child, const double *U, double *target)
{
    int n = f->nrow[child], rows = f->nrow[s], cols = f->ncol[s], c = 0;
    while (c < n && f->relative[c] < cols) c++;
    for (int i = c; i < n; i++) f->relative[i] -= cols;
    for (; c < n; c++) {
        add_scattered(n - c, f->relative + c, U + flx_trapezoid_column(n, c, FLX_FRONTAL_STRIP) + c,
                      target + flx_trapezoid_column(rows, f->relative[c], FLX_FRONTAL_STRIP));
    }
}

static void note_pivots(flx_frontal *f, int s, const double *panel)
{
    int first = f->group_start[f->front_group[s]], m = f->ncol[s] + f->nrow[s];
    for (int c = 0; c < f->ncol[s]; c++) {
        double d = panel[flx_trapezoid_column(m, c, FLX_FRONTAL_BLOCK) + c];
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

// The children of front s are the last on the stack, the youngest lowest. Its own update is made below
// them and moved to where they were.
static flx_status eliminate_front(flx_frontal *f, int s, const int *children, int nchild,
                                  double *panel)
{
    int m = f->ncol[s] + f->nrow[s], rows = f->nrow[s];
    int64_t size = flx_frontal_update_size(f, s), high = f->low, low = f->low - size;
    if (nchild > 0) high = f->first[children[0]] + flx_frontal_update_size(f, children[0]);
    for (int k = 0; k < nchild; k++) {
        relate(f, children[k]);
        add_to_panel(f, s, children[k], f->numbers + f->first[children[k]], panel);
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
        double *U = f->numbers + low;
        flx_frontal_update(rows, f->ncol[s], panel, U, f->work);
        for (int k = 0; k < nchild; k++) {
            relate(f, children[k]);
            add_to_update(f, s, children[k], f->numbers + f->first[children[k]], U);
        }
        memmove(f->numbers + high - size, U, (size_t)size * sizeof *U);
    }
    f->first[s] = f->low = high - size;
    return FLX_OK;
}

// ---- the walk -----------------------------------------------------------------------------------

static flx_status prepare(flx_frontal *f, int64_t room)
{
    size_t n = (size_t)f->nfront;
    if (!f->numbers || f->capacity < room) { // what was there is of no use any more
        flx_free(f->numbers);
        f->numbers = NULL;
        f->capacity = 0;
        FLX_TRY(flx_memory_check(f->ctx, (double)(room + f->max_work) * sizeof *f->numbers,
                                 "the factors of %d unknowns", f->n));
        f->numbers = flx_alloc_unset(f->ctx, (size_t)room, sizeof *f->numbers);
        f->capacity = f->numbers ? room : 0;
    }
    if (!f->work) {
        f->work = flx_alloc(f->ctx, (size_t)f->max_work, sizeof *f->work);
        f->first = flx_alloc(f->ctx, n, sizeof *f->first);
        f->waiting = flx_alloc(f->ctx, n, sizeof *f->waiting);
        f->nchild = flx_alloc(f->ctx, n, sizeof *f->nchild);
    }
    if (!f->numbers || !f->work || !f->first || !f->waiting || !f->nchild) return FLX_ERR_MEMORY;
    f->low = f->least = room;
    f->report.negative = f->report.small = f->report.moved = f->report.smallest = 0;
    f->report.ratio = (double)INFINITY;
    memset(f->nchild, 0, n * sizeof *f->nchild);
    for (int s = 0; s < f->nfront; s++) {
        if (f->parent[s] >= 0) f->nchild[f->parent[s]]++;
    }
    return FLX_OK;
}

// What is needed while factoring alone; solutions need the first `kept` of the numbers.
static void let_go(flx_frontal *f, int64_t kept)
{
    flx_free(f->work);
    flx_free(f->first);
    flx_free(f->waiting);
    flx_free(f->nchild);
    f->work = NULL;
    f->first = NULL;
    f->waiting = f->nchild = NULL;
    if (kept > 0) {
        f->numbers = flx_shrink(f->numbers, (size_t)kept, sizeof *f->numbers);
    } else {
        flx_free(f->numbers);
        f->numbers = NULL;
    }
    f->capacity = kept;
}

// keep: the panels one after the other, else each in the place of the one before.
static flx_status walk(flx_frontal *f, const sum *m, bool keep)
{
    int top = 0;
    for (int k = 0; k < f->nfront; k++) {
        int s = f->sequence[k], n = f->nchild[s];
        int64_t size = flx_frontal_panel_size(f, s), first = keep ? f->panel[s] : 0;
        int64_t between = f->low - flx_frontal_update_size(f, s) - (first + size);
        if (between < f->least) f->least = between;
        FLX_ASSERT(between >= 0);
        double *panel = f->numbers + first;
        memset(panel, 0, (size_t)size * sizeof *panel);
        place_groups(f, s);
        add_matrix(f, s, m, panel);
        FLX_TRY(eliminate_front(f, s, f->waiting + top - n, n, panel));
        top -= n;
        if (f->nrow[s] > 0) f->waiting[top++] = s;
    }
    return FLX_OK;
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
    flx_status status = prepare(f, f->room);
    if (status == FLX_OK) status = walk(f, &(sum){a, b, A, B}, true);
    f->factored = status == FLX_OK;
    if (!f->sign || status < 0) let_go(f, f->factored ? f->factors : 0);
    return status;
}

flx_status flx_frontal_count(flx_frontal *f, double a, const flx_symmetric *A, double b,
                             const flx_symmetric *B, int *negative)
{
    flx_frontal_report kept = f->report;
    let_go(f, 0);
    f->factored = false;
    flx_status status = prepare(f, f->count_room);
    if (status == FLX_OK) status = walk(f, &(sum){a, b, A, B}, false);
    *negative = f->report.negative;
    f->report = kept;
    let_go(f, 0);
    return status;
}

void flx_frontal_release(flx_frontal *f)
{
    let_go(f, 0);
    flx_free(f->X);
    flx_free(f->Y);
    f->X = f->Y = NULL;
    f->rhs_capacity = 0;
    f->factored = false;
}

flx_frontal_report flx_frontal_get_report(const flx_frontal *f)
{
    return f->report;
}
