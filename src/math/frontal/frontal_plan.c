// frontal_plan.c - in which sequence the fronts are eliminated, and how much memory that takes. Panels are
// kept, updates wait on a stack until their parents take them in: a front whose subtree needs much and
// leaves little comes before its siblings.
//
//     p_s = max(max_k (p_ck + sum_{i<k} r_ci), o_s + sum_i r_ci),  p_c - r_c descending         (LIN-13)
// Liu, ACM Trans. Math. Softw. 12, 1986, 249-264.
#include "math/frontal/frontal_parts.h"

#include <stdlib.h>
#include <string.h>

typedef struct ranked {
    int64_t excess;
    int node;
} ranked;

typedef struct tree {
    int *start, *child; // (n + 2), (n) children by parent; roots hang on n
    int64_t *peak;      // (n + 1) of a subtree
    int64_t *after;     // (n + 1) what a subtree leaves
    int *count;         // (n + 1) nodes of a subtree, then the first place of it in the sequence
    ranked *ranked;     // (n) the children of a node, to be sorted
} tree;

static void clear_tree(tree *t)
{
    void *owned[] = {t->start, t->child, t->peak, t->after, t->count, t->ranked};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) flx_free(owned[i]);
}

static flx_status hang(flx_ctx *ctx, int n, const int *parent, tree *t)
{
    t->start = flx_alloc(ctx, (size_t)n + 3, sizeof *t->start);
    t->child = flx_alloc(ctx, (size_t)n, sizeof *t->child);
    t->peak = flx_alloc(ctx, (size_t)n + 1, sizeof *t->peak);
    t->after = flx_alloc(ctx, (size_t)n + 1, sizeof *t->after);
    t->count = flx_alloc(ctx, (size_t)n + 1, sizeof *t->count);
    t->ranked = flx_alloc(ctx, (size_t)n, sizeof *t->ranked);
    if (!t->start || !t->child || !t->peak || !t->after || !t->count || !t->ranked) {
        return FLX_ERR_MEMORY;
    }
    for (int i = 0; i < n; i++) t->start[(parent[i] < 0 ? n : parent[i]) + 2]++;
    for (int i = 0; i <= n; i++) t->start[i + 2] += t->start[i + 1];
    for (int i = 0; i < n; i++) t->child[t->start[(parent[i] < 0 ? n : parent[i]) + 1]++] = i;
    return FLX_OK;
}

// Descending by what they need beyond what they leave; equal ones stay in the order of their numbers.
static int compare(const void *x, const void *y)
{
    const ranked *a = x, *b = y;
    if (a->excess != b->excess) return a->excess > b->excess ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static void sort_children(const tree *t, int s)
{
    int *child = t->child + t->start[s], m = t->start[s + 1] - t->start[s];
    for (int k = 0; k < m; k++) {
        t->ranked[k] = (ranked){t->peak[child[k]] - t->after[child[k]], child[k]};
    }
    if (m > 1) qsort(t->ranked, (size_t)m, sizeof *t->ranked, compare);
    for (int k = 0; k < m; k++) child[k] = t->ranked[k].node;
}

flx_status flx_frontal_sequence(flx_ctx *ctx, int n, const int *parent, const int64_t *own,
                                const int64_t *left, const int64_t *kept, int *sequence,
                                int64_t *most)
{
    tree t = {0};
    flx_status status = hang(ctx, n, parent, &t);
    for (int s = 0; s <= n && status == FLX_OK; s++) {
        int64_t before = 0, goes = 0, peak = 0;
        int count = s < n;
        sort_children(&t, s);
        for (int k = t.start[s]; k < t.start[s + 1]; k++) {
            int c = t.child[k];
            if (before + t.peak[c] > peak) peak = before + t.peak[c];
            before += t.after[c];
            goes += left[c];
            count += t.count[c];
        }
        if (s < n && before + own[s] > peak) peak = before + own[s];
        t.peak[s] = peak;
        t.after[s] = before - goes + (s < n ? left[s] + kept[s] : 0);
        t.count[s] = count;
    }
    if (status == FLX_OK) {
        *most = t.peak[n];
        t.count[n] = 0; // parents have higher numbers: places from the root down
        for (int s = n; s >= 0; s--) {
            int at = t.count[s];
            for (int k = t.start[s]; k < t.start[s + 1]; k++) {
                int c = t.child[k], size = t.count[c];
                sequence[at + size - 1] = c;
                t.count[c] = at;
                at += size;
            }
        }
    }
    clear_tree(&t);
    return status;
}

static void find_sizes(flx_frontal *f)
{
    for (int s = 0; s < f->nfront; s++) {
        int64_t rows = 0,
                cols = f->group_start[f->front_group[s + 1]] - f->group_start[f->front_group[s]];
        for (int64_t p = f->below_start[s]; p < f->below_start[s + 1]; p++) {
            rows += f->group_start[f->below[p] + 1] - f->group_start[f->below[p]];
        }
        f->ncol[s] = (int)cols;
        f->nrow[s] = (int)rows;
        if (rows > f->max_row) f->max_row = (int)rows;
        int64_t work = (rows + cols) * FLX_FRONTAL_BLOCK, strip = cols * FLX_FRONTAL_STRIP;
        if (work > f->max_work) f->max_work = work;
        if (strip > f->max_work) f->max_work = strip;
        double c = (double)cols, r = (double)rows;
        f->report.fill += c * (c + 1) / 2 + c * r;
        f->report.flops += c * c * c / 3 + c * c * r + c * r * r;
    }
    f->report.fronts = f->nfront;
}

// The walk over the fronts with sizes alone: where panels lie, and the room for counting, where one panel
// is there at a time.
static void lay_out(flx_frontal *f, int64_t *waiting)
{
    int64_t stack = 0;
    memset(waiting, 0, (size_t)f->nfront * sizeof *waiting);
    for (int k = 0; k < f->nfront; k++) {
        int s = f->sequence[k];
        int64_t panel = flx_frontal_panel_size(f, s), update = flx_frontal_update_size(f, s);
        f->panel[s] = f->factors;
        f->factors += panel;
        if (stack + panel + update > f->count_room) f->count_room = stack + panel + update;
        stack += update - waiting[s];
        if (f->parent[s] >= 0) waiting[f->parent[s]] += update;
    }
}

flx_status flx_frontal_plan(flx_frontal *f)
{
    size_t n = (size_t)f->nfront;
    f->ncol = flx_alloc(f->ctx, n, sizeof *f->ncol);
    f->nrow = flx_alloc(f->ctx, n, sizeof *f->nrow);
    f->panel = flx_alloc(f->ctx, n, sizeof *f->panel);
    f->sequence = flx_alloc(f->ctx, n, sizeof *f->sequence);
    int64_t *own = flx_alloc(f->ctx, n, sizeof *own);
    int64_t *left = flx_alloc(f->ctx, n, sizeof *left);
    int64_t *kept = flx_alloc(f->ctx, n, sizeof *kept);
    bool there = f->ncol && f->nrow && f->panel && f->sequence && own && left && kept;
    flx_status status = there ? FLX_OK : FLX_ERR_MEMORY;
    if (there) {
        find_sizes(f);
        for (int s = 0; s < f->nfront; s++) {
            kept[s] = flx_frontal_panel_size(f, s);
            left[s] = flx_frontal_update_size(f, s);
            own[s] = kept[s] + left[s];
        }
        status = flx_frontal_sequence(f->ctx, f->nfront, f->parent, own, left, kept, f->sequence,
                                      &f->room);
    }
    if (status == FLX_OK) {
        lay_out(f, own);
        f->report.bytes = (double)f->factors * sizeof *f->numbers;
        f->report.most = (double)(f->room + f->max_work) * sizeof *f->numbers;
    }
    flx_free(own);
    flx_free(left);
    flx_free(kept);
    return status;
}
