// frontal_walk.inc.h - the fronts one after the other for one type of number, frontal_number.inc.h.
#include "math/frontal/frontal_number.inc.h"

typedef struct FRONT(sum) { // of matrices with one pattern
    int n;
    number factor[FLX_FRONTAL_TERMS];
    const flx_symmetric *A[FLX_FRONTAL_TERMS];
} FRONT(sum);

// Entries of A whose column is in group x and whose row, of a higher number, in group y; one of the two
// is a pivot of the front. Unknowns of a group mostly follow each other in A.
static void FRONT(add_block)(flx_frontal *f, const FRONT(sum) * m, int x, int y, number *panel,
                             int64_t rows)
{
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
            int i = f->local[x] + c, j = f->local[y] + r;
            panel[flx_trapezoid_column(rows, i < j ? i : j, FLX_FRONTAL_BLOCK) + (i < j ? j : i)] +=
                value;
            if (row[r] == column[c]) f->diagonal[f->group_start[x] + c] = FRONT_SIZE(value);
        }
    }
}

static void FRONT(add_matrix)(flx_frontal *f, int s, const FRONT(sum) * m, number *panel)
{
    int64_t rows = (int64_t)f->ncol[s] + f->nrow[s];
    for (int j = f->front_group[s]; j < f->front_group[s + 1]; j++) {
        FRONT(add_block)(f, m, j, j, panel, rows);
        for (int64_t p = f->near_start[j]; p < f->near_start[j + 1]; p++) {
            FRONT(add_block)(f, m, j, f->near[p], panel, rows);
            FRONT(add_block)(f, m, f->near[p], j, panel, rows);
        }
    }
}

// target[relative[i]] += source[i], in runs of neighbours.
static void FRONT(add_scattered)(int n, const int *relative, const number *source, number *target)
{
    for (int i = 0; i < n;) {
        int end = i + 1, shift = relative[i] - i;
        while (end < n && relative[end] - end == shift) end++;
        number *to = target + shift;
        for (; i < end; i++) to[i] += source[i];
    }
}

// Columns of the child's update that are pivots here go to the panel, before they are eliminated.
static void FRONT(add_to_panel)(flx_frontal *f, int s, int child, const number *U, number *panel)
{
    int m = f->ncol[s] + f->nrow[s], n = f->nrow[child];
    for (int c = 0; c < n && f->relative[c] < f->ncol[s]; c++) {
        FRONT(add_scattered)
        (n - c, f->relative + c, U + flx_trapezoid_column(n, c, FLX_FRONTAL_STRIP) + c,
         panel + flx_trapezoid_column(m, f->relative[c], FLX_FRONTAL_BLOCK));
    }
}

static void FRONT(add_to_update)(flx_frontal *f, int s, int child, const number *U, number *target)
{
    int n = f->nrow[child], rows = f->nrow[s], cols = f->ncol[s], c = 0;
    while (c < n && f->relative[c] < cols) c++;
    for (int i = c; i < n; i++) f->relative[i] -= cols;
    for (; c < n; c++) {
        FRONT(add_scattered)
        (n - c, f->relative + c, U + flx_trapezoid_column(n, c, FLX_FRONTAL_STRIP) + c,
         target + flx_trapezoid_column(rows, f->relative[c], FLX_FRONTAL_STRIP));
    }
}

static void FRONT(note_pivots)(flx_frontal *f, int s, const number *panel)
{
    int first = f->group_start[f->front_group[s]], m = f->ncol[s] + f->nrow[s];
    for (int c = 0; c < f->ncol[s]; c++) {
        number d = panel[flx_trapezoid_column(m, c, FLX_FRONTAL_BLOCK) + c];
        double ratio =
            FRONT_SIZE(d) / (f->size ? f->size[f->order[first + c]] : f->diagonal[first + c]);
#if !FRONT_COMPLEX
        if (d < 0) f->report.negative++;
#endif
        if (!(ratio > 64 * DBL_EPSILON)) f->report.small++; // differences of about as many terms
        if (!(ratio >= f->report.ratio)) {
            f->report.ratio = ratio;
            f->report.smallest = f->order[first + c];
        }
    }
}

// The children of front s are the last on the stack, the youngest lowest. Its own update is made below
// them and moved to where they were.
static flx_status FRONT(eliminate_front)(flx_frontal *f, int s, const int *children, int nchild,
                                         number *panel)
{
    int m = f->ncol[s] + f->nrow[s], rows = f->nrow[s];
    int64_t size = flx_frontal_update_size(f, s), high = f->low, low = f->low - size;
    if (nchild > 0) high = f->first[children[0]] + flx_frontal_update_size(f, children[0]);
    for (int k = 0; k < nchild; k++) {
        relate(f, children[k]);
        FRONT(add_to_panel)(f, s, children[k], (number *)f->numbers + f->first[children[k]], panel);
    }
    flx_frontal_pivots guard = {
        .unknown = f->order + f->group_start[f->front_group[s]], .sign = f->sign, .size = f->size};
    int bad =
        FRONT(flx_frontal_eliminate)(m, f->ncol[s], panel, (number *)f->work, &guard, f->crew);
    f->report.moved += guard.moved;
    if (bad >= 0) {
        f->report.ratio = 0;
        f->report.smallest = f->order[f->group_start[f->front_group[s]] + bad];
        return FLX_SINGULAR;
    }
    FRONT(note_pivots)(f, s, panel);
    if (rows > 0) {
        number *U = (number *)f->numbers + low;
        FRONT(flx_frontal_update)(rows, f->ncol[s], panel, U, (number *)f->work, f->crew);
        for (int k = 0; k < nchild; k++) {
            relate(f, children[k]);
            FRONT(add_to_update)
            (f, s, children[k], (number *)f->numbers + f->first[children[k]], U);
        }
        memmove((number *)f->numbers + high - size, U, (size_t)size * sizeof *U);
    }
    f->first[s] = f->low = high - size;
    return FLX_OK;
}

// keep: the panels one after the other, else each in the place of the one before.
static flx_status FRONT(walk)(flx_frontal *f, const FRONT(sum) * m, bool keep)
{
    int top = 0;
    for (int k = 0; k < f->nfront; k++) {
        int s = f->sequence[k], n = f->nchild[s];
        int64_t size = flx_frontal_panel_size(f, s), first = keep ? f->panel[s] : 0;
        int64_t between = f->low - flx_frontal_update_size(f, s) - (first + size);
        if (between < f->least) f->least = between;
        FLX_ASSERT(between >= 0);
        number *panel = (number *)f->numbers + first;
#if FRONT_COMPLEX
        memset(panel, 0, (size_t)size * sizeof *panel);
#else
        flx_frontal_clear(size, panel, f->crew);
#endif
        place_groups(f, s);
        FRONT(add_matrix)(f, s, m, panel);
        FLX_TRY(FRONT(eliminate_front)(f, s, f->waiting + top - n, n, panel));
        top -= n;
        if (f->nrow[s] > 0) f->waiting[top++] = s;
    }
    return FLX_OK;
}
