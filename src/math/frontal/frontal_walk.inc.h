// frontal_walk.inc.h - the fronts one after the other for one type of number, frontal_number.inc.h.
#include "math/frontal/frontal_number.inc.h"

// Entries of A whose column is in group x and whose row, of a higher number, in group y; one of the two
// is a pivot of the front. Unknowns of a group mostly follow each other in A.
static void FRONT(add_block)(const flx_frontal_walker *w, const FRONT(flx_frontal_sum) * m, int x,
                             int y, number *panel, int64_t rows)
{
    const flx_frontal *f = w->f;
    const int *column = f->order + f->group_start[x], *row = f->order + f->group_start[y];
    int ncol = f->group_start[x + 1] - f->group_start[x];
    int nrow = f->group_start[y + 1] - f->group_start[y];
    for (int c = 0; c < ncol; c++) {
        int64_t next = m->A[0]->start[column[c] + 1], end = next;
        for (int r = 0; r < nrow; r++) {
            if (row[r] < column[c]) continue;
            int64_t k = next;
            if (k >= end || m->A[0]->row[k] != row[r]) {
                k = flx_symmetric_place(m->A[0], row[r], column[c]);
            }
            if (k < 0) continue;
            next = k + 1;
            number value = m->factor[0] * m->A[0]->value[k];
            for (int t = 1; t < m->n; t++) value += m->factor[t] * m->A[t]->value[k];
            int i = w->local[x] + c, j = w->local[y] + r;
            panel[flx_trapezoid_column(rows, i < j ? i : j, FLX_FRONTAL_BLOCK) + (i < j ? j : i)] +=
                value;
            if (row[r] == column[c]) f->diagonal[f->group_start[x] + c] = FRONT_SIZE(value);
        }
    }
}

static void FRONT(add_matrix)(const flx_frontal_walker *w, int s, const FRONT(flx_frontal_sum) * m,
                              number *panel)
{
    const flx_frontal *f = w->f;
    int64_t rows = (int64_t)f->ncol[s] + f->nrow[s];
    for (int j = f->front_group[s]; j < f->front_group[s + 1]; j++) {
        FRONT(add_block)(w, m, j, j, panel, rows);
        for (int64_t p = f->near_start[j]; p < f->near_start[j + 1]; p++) {
            FRONT(add_block)(w, m, j, f->near[p], panel, rows);
            FRONT(add_block)(w, m, f->near[p], j, panel, rows);
        }
    }
}

// target[relative[i] - base] += source[i], in runs of neighbours.
static void FRONT(add_scattered)(int n, const int *relative, int base, const number *source,
                                 number *target)
{
    for (int i = 0; i < n;) {
        int end = i + 1, shift = relative[i] - i;
        while (end < n && relative[end] - end == shift) end++;
        number *to = target + (shift - base);
        for (; i < end; i++) to[i] += source[i];
    }
}

// Columns of a child's update that go to the panel, where they are pivots, or else to the update of its parent.
typedef struct FRONT(adding) {
    int n, first, count; // rows of the child; which columns
    int rows, base;      // of what they go to, and the first of them
    int width;           // of its strips
    const int *relative;
    const number *from;
    number *to;
} FRONT(adding);

static void FRONT(add_columns)(void *user, int part, double *scratch)
{
    const FRONT(adding) *a = user;
    int c = a->first + part * COLUMNS;
    int end = c + COLUMNS < a->first + a->count ? c + COLUMNS : a->first + a->count;
    (void)scratch;
    for (; c < end; c++) {
        FRONT(add_scattered)
        (a->n - c, a->relative + c, a->base,
         a->from + flx_trapezoid_column(a->n, c, FLX_FRONTAL_STRIP) + c,
         a->to + flx_trapezoid_column(a->rows, a->relative[c] - a->base, a->width));
    }
}

static void FRONT(add)(const flx_frontal_walker *w, FRONT(adding) * a)
{
    double numbers = (double)a->count * (a->n - a->first - 0.5 * a->count);
    flx_front_share(&w->hands, (a->count + COLUMNS - 1) / COLUMNS, WORK_OF_ADDING * numbers,
                    FRONT(add_columns), a);
}

// Columns of the child's update that are pivots here go to the panel, before they are eliminated.
static void FRONT(add_to_panel)(const flx_frontal_walker *w, int s, int child, number *panel)
{
    const flx_frontal *f = w->f;
    int n = f->nrow[child], count = 0;
    while (count < n && w->relative[count] < f->ncol[s]) count++;
    FRONT(add)
    (w, &(FRONT(adding)){n, 0, count, f->ncol[s] + f->nrow[s], 0, FLX_FRONTAL_BLOCK, w->relative,
                         (const number *)f->update[child], panel});
}

static void FRONT(add_to_update)(const flx_frontal_walker *w, int s, int child, number *target)
{
    const flx_frontal *f = w->f;
    int n = f->nrow[child], c = 0;
    while (c < n && w->relative[c] < f->ncol[s]) c++;
    FRONT(add)
    (w, &(FRONT(adding)){n, c, n - c, f->nrow[s], f->ncol[s], FLX_FRONTAL_STRIP, w->relative,
                         (const number *)f->update[child], target});
}

static void FRONT(note_pivots)(flx_frontal_walker *w, int k, const number *panel)
{
    const flx_frontal *f = w->f;
    int s = f->sequence[k];
    int first = f->group_start[f->front_group[s]], m = f->ncol[s] + f->nrow[s];
    for (int c = 0; c < f->ncol[s]; c++) {
        number d = panel[flx_trapezoid_column(m, c, FLX_FRONTAL_BLOCK) + c];
        double ratio =
            FRONT_SIZE(d) / (f->size ? f->size[f->order[first + c]] : f->diagonal[first + c]);
#if !FRONT_COMPLEX
        if (d < 0) w->report.negative++;
#endif
        if (!(ratio > 64 * DBL_EPSILON)) w->report.small++; // differences of about as many terms
        if (!(ratio >= w->report.ratio)) {
            w->report.ratio = ratio;
            w->report.smallest = f->order[first + c];
            w->at = k;
        }
    }
}

// Where the update of front s is made: below those of its children, the last on the stack, or by itself.
static number *FRONT(place_update)(const flx_frontal_walker *w, int s)
{
    int64_t size = flx_frontal_update_size(w->f, s);
    if (w->stack) return (number *)w->stack + (w->low - size);
    return flx_alloc_unset(w->f->ctx, (size_t)size, sizeof(number));
}

// ... and moved to where they were; the youngest child is the lowest.
static void FRONT(keep_update)(flx_frontal_walker *w, int s, const int *children, int nchild,
                               number *U)
{
    flx_frontal *f = w->f;
    int64_t size = flx_frontal_update_size(f, s);
    if (w->stack) {
        number *high = (number *)w->stack + w->low, *first = high;
        if (nchild > 0)
            first = (number *)f->update[children[0]] + flx_frontal_update_size(f, children[0]);
        w->low += (first - high) - size;
        if (size > 0) memmove(first - size, U, (size_t)size * sizeof *U);
        f->update[s] = (double *)(first - size);
        return;
    }
    for (int k = 0; k < nchild; k++) {
        flx_free(f->update[children[k]]);
        f->update[children[k]] = NULL;
    }
    f->update[s] = (double *)U;
}

// The front in place k of the sequence; its children are the last that wait.
static flx_status FRONT(eliminate_front)(flx_frontal_walker *w, int k, const int *children,
                                         int nchild, number *panel)
{
    flx_frontal *f = w->f;
    int s = f->sequence[k], m = f->ncol[s] + f->nrow[s], rows = f->nrow[s];
    for (int i = 0; i < nchild; i++) {
        relate(w, children[i]);
        FRONT(add_to_panel)(w, s, children[i], panel);
    }
    flx_frontal_pivots guard = {
        .unknown = f->order + f->group_start[f->front_group[s]], .sign = f->sign, .size = f->size};
    int bad =
        FRONT(flx_frontal_eliminate)(m, f->ncol[s], panel, (number *)w->work, &guard, &w->hands);
    w->report.moved += guard.moved;
    if (bad >= 0) {
        w->report.ratio = 0;
        w->report.smallest = f->order[f->group_start[f->front_group[s]] + bad];
        w->at = k;
        return FLX_SINGULAR;
    }
    FRONT(note_pivots)(w, k, panel);
    number *U = NULL;
    if (rows > 0) {
        U = FRONT(place_update)(w, s);
        if (!U) return FLX_ERR_MEMORY;
        FRONT(flx_frontal_update)(rows, f->ncol[s], panel, U, (number *)w->work, &w->hands);
        for (int i = 0; i < nchild; i++) {
            relate(w, children[i]);
            FRONT(add_to_update)(w, s, children[i], U);
        }
    }
    FRONT(keep_update)(w, s, children, nchild, U);
    return FLX_OK;
}

flx_status FRONT(flx_frontal_walk)(flx_frontal_walker *w, const FRONT(flx_frontal_sum) * m,
                                   int begin, int end)
{
    flx_frontal *f = w->f;
    for (int k = begin; k < end; k++) {
        int s = f->sequence[k], n = f->nchild[s];
        int64_t size = flx_frontal_panel_size(f, s), first = w->panel ? 0 : f->panel[s];
        number *panel = (w->panel ? (number *)w->panel : (number *)f->numbers) + first;
        int64_t between = w->low - flx_frontal_update_size(f, s);
        if (w->floor < 0) { // the stack and the panels share one piece
            between -= first + size;
            if (between < f->least) f->least = between;
        }
        FLX_ASSERT(!w->stack || between >= 0);
#if FRONT_COMPLEX
        memset(panel, 0, (size_t)size * sizeof *panel);
#else
        flx_frontal_clear(size, panel, &w->hands);
#endif
        place_groups(w, s);
        FRONT(add_matrix)(w, s, m, panel);
        FLX_TRY(FRONT(eliminate_front)(w, k, w->waiting + w->top - n, n, panel));
        w->top -= n;
        if (f->nrow[s] > 0) w->waiting[w->top++] = s;
    }
    return FLX_OK;
}
