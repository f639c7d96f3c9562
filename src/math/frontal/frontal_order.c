// frontal_order.c - the order of elimination and the tree of fronts, from the pattern alone. All of it on
// groups of unknowns (the nodes of a structure), which makes it several times smaller.
//
// Order: nested dissection (METIS) where it was found, else minimum degree (AMD). Elimination tree: Liu,
// SIAM J. Matrix Anal. Appl. 11, 1990, 134-172. Fronts: fundamental ones, merged with their parent as
// long as few zeros are added.
#include "math/frontal/frontal_parts.h"

#include <amd.h>
#include <string.h>
#ifdef FLX_METIS
#include <metis.h>
#endif

typedef struct graph { // of groups, both directions, no loops
    int n;
    int *start, *to;
    int *weight; // unknowns of a group
} graph;

typedef struct analysis {
    flx_ctx *ctx;
    graph g;
    int *of;      // (n) group of an unknown, before the order
    bool *last;   // (ngroup) eliminated after the others
    int *order;   // (ngroup) k-th group eliminated
    int *inverse; // (ngroup)
    int *parent;  // (ngroup) elimination tree, in the order
    int *count;   // (ngroup) unknowns in a column of groups, its own included
    int *mark, *stack;
} analysis;

static void clear_analysis(analysis *a)
{
    void *owned[] = {a->g.start, a->g.to,  a->g.weight, a->of,    a->order, a->inverse,
                     a->parent,  a->count, a->mark,     a->stack, a->last};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) flx_free(owned[i]);
}

// ---- the graph of groups ------------------------------------------------------------------------

static flx_status number_groups(analysis *a, int n, const int *group)
{
    int most = 0;
    a->of = flx_alloc(a->ctx, (size_t)n, sizeof *a->of);
    a->last = flx_alloc(a->ctx, (size_t)n, sizeof *a->last);
    if (!a->of || !a->last) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) most = group && group[i] > most ? group[i] : most;
    int *slot = flx_alloc(a->ctx, (size_t)most + 1, sizeof *slot);
    if (!slot) return FLX_ERR_MEMORY;
    a->g.n = 0;
    for (int i = 0; i < n; i++) {
        if (!group || group[i] < 0) {
            a->last[a->g.n] = group != NULL;
            a->of[i] = a->g.n++;
        } else {
            if (slot[group[i]] == 0) slot[group[i]] = ++a->g.n;
            a->of[i] = slot[group[i]] - 1;
        }
    }
    flx_free(slot);
    return FLX_OK;
}

// Neighbours of each group, each once: count, then list. A column of A gives its rows to its group and
// its group to those rows.
static flx_status make_graph(analysis *a, const flx_symmetric *A)
{
    size_t n = (size_t)a->g.n;
    int64_t total = 0;
    a->g.start = flx_alloc(a->ctx, n + 2, sizeof *a->g.start);
    a->g.weight = flx_alloc(a->ctx, n, sizeof *a->g.weight);
    a->mark = flx_alloc(a->ctx, n, sizeof *a->mark);
    int *first = flx_alloc(a->ctx, n + 1, sizeof *first); // unknowns by group
    int *member = flx_alloc(a->ctx, (size_t)A->n, sizeof *member);
    int *pairs = NULL;
    flx_status status =
        a->g.start && a->g.weight && a->mark && first && member ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = 0; status == FLX_OK && i < A->n; i++) a->g.weight[a->of[i]]++;
    for (size_t g = 0; status == FLX_OK && g < n; g++) first[g + 1] = first[g] + a->g.weight[g];
    for (int i = 0; status == FLX_OK && i < A->n; i++) member[first[a->of[i]]++] = i;
    for (size_t g = n; status == FLX_OK && g > 0; g--) first[g] = first[g - 1];
    if (status == FLX_OK) first[0] = 0;
    // each pair of groups once, as (low, high) of the order of columns; then both directions
    for (int pass = 0; pass < 2 && status == FLX_OK; pass++) {
        int64_t k = 0;
        for (size_t g = 0; g < n; g++) a->mark[g] = -1;
        for (int g = 0; g < a->g.n; g++) {
            a->mark[g] = g;
            for (int q = first[g]; q < first[g + 1]; q++) {
                for (int64_t p = A->start[member[q]]; p < A->start[member[q] + 1]; p++) {
                    int h = a->of[A->row[p]];
                    if (a->mark[h] == g) continue;
                    a->mark[h] = g;
                    if (pass) {
                        pairs[2 * k] = g;
                        pairs[2 * k + 1] = h;
                    }
                    k++;
                }
            }
        }
        total = k;
        if (pass == 0 && !(pairs = flx_alloc(a->ctx, 2 * (size_t)k, sizeof *pairs))) {
            status = FLX_ERR_MEMORY;
        }
    }
    if (status == FLX_OK && 2 * total > INT32_MAX) {
        status = FLX_FAIL(a->ctx, FLX_ERR_MODEL, FLX_NOWHERE, "the matrix is too large to order");
    }
    if (status == FLX_OK) {
        // a group may meet another from both sides (their unknowns interleave): listed twice, which
        // costs a little time and does no harm
        for (int64_t k = 0; k < 2 * total; k++) a->g.start[pairs[k] + 2]++;
        for (size_t g = 0; g < n; g++) a->g.start[g + 2] += a->g.start[g + 1];
        a->g.to = flx_alloc(a->ctx, 2 * (size_t)total, sizeof *a->g.to);
        if (!a->g.to) status = FLX_ERR_MEMORY;
        for (int64_t k = 0; status == FLX_OK && k < total; k++) {
            int g = pairs[2 * k], h = pairs[2 * k + 1];
            a->g.to[a->g.start[g + 1]++] = h;
            a->g.to[a->g.start[h + 1]++] = g;
        }
    }
    flx_free(first);
    flx_free(member);
    flx_free(pairs);
    return status;
}

// ---- order --------------------------------------------------------------------------------------

// Groups that come last, behind the others in their order. A walk along the tree later leaves them there,
// behind all that they are connected with.
static void put_last(analysis *a)
{
    int kept = 0, moved = 0, *behind = a->inverse; // not used yet
    for (int k = 0; k < a->g.n; k++) {
        int g = a->order[k];
        if (a->last[g]) {
            behind[moved++] = g;
        } else {
            a->order[kept++] = g;
        }
    }
    memcpy(a->order + kept, behind, (size_t)moved * sizeof *behind);
}

static flx_status order_groups(analysis *a)
{
    int n = a->g.n;
    a->order = flx_alloc(a->ctx, (size_t)n, sizeof *a->order);
    a->inverse = flx_alloc(a->ctx, (size_t)n, sizeof *a->inverse);
    if (!a->order || !a->inverse) return FLX_ERR_MEMORY;
    bool done = false;
#ifdef FLX_METIS
    // Small graphs are quicker with minimum degree, and no worse.
    if (n > 200) {
        idx_t count = n, options[METIS_NOPTIONS];
        METIS_SetDefaultOptions(options);
        options[METIS_OPTION_SEED] = 1;
        options[METIS_OPTION_NSEPS] =
            2; // the better of two cuts: half a second more for 4 % of flops
        done = METIS_NodeND(&count, a->g.start, a->g.to, a->g.weight, options, a->order,
                            a->inverse) == METIS_OK;
    }
#endif
    if (!done && amd_order(n, a->g.start, a->g.to, a->order, NULL, NULL) < AMD_OK) {
        return FLX_FAIL(a->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "the matrix could not be ordered");
    }
    put_last(a);
    for (int k = 0; k < n; k++) a->inverse[a->order[k]] = k;
    return FLX_OK;
}

// Parents in the elimination tree of the order.
static flx_status find_tree(analysis *a)
{
    int n = a->g.n, *ancestor = a->mark;
    if (!a->parent) a->parent = flx_alloc(a->ctx, (size_t)n, sizeof *a->parent);
    if (!a->parent) return FLX_ERR_MEMORY;
    for (int j = 0; j < n; j++) {
        int g = a->order[j];
        a->parent[j] = ancestor[j] = -1;
        for (int p = a->g.start[g]; p < a->g.start[g + 1]; p++) {
            int i = a->inverse[a->g.to[p]];
            while (i >= 0 && i < j) {
                int next = ancestor[i];
                ancestor[i] = j;
                if (next < 0) a->parent[i] = j;
                i = next;
            }
        }
    }
    return FLX_OK;
}

// Children before parents, and each right after its last child. Deep trees: no recursion.
static flx_status order_along_tree(analysis *a)
{
    int n = a->g.n, k = 0, top = 0;
    int *head = flx_alloc(a->ctx, (size_t)n + 1, sizeof *head);
    int *next = flx_alloc(a->ctx, (size_t)n + 1, sizeof *next);
    int *old = flx_alloc(a->ctx, (size_t)n, sizeof *old);
    a->stack = flx_alloc(a->ctx, (size_t)n + 1, sizeof *a->stack);
    flx_status status = head && next && old && a->stack ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        for (int i = 0; i <= n; i++) head[i] = -1;
        for (int i = n - 1; i >= 0; i--) { // roots hang on n
            int p = a->parent[i] < 0 ? n : a->parent[i];
            next[i] = head[p];
            head[p] = i;
        }
        memcpy(old, a->order, (size_t)n * sizeof *old);
        a->stack[top++] = n;
        while (top > 0) {
            int i = a->stack[top - 1], child = head[i];
            if (child >= 0) {
                head[i] = next[child];
                a->stack[top++] = child;
            } else {
                if (i < n) a->order[k++] = old[i];
                top--;
            }
        }
        for (int i = 0; i < n; i++) a->inverse[a->order[i]] = i;
        status = find_tree(a);
    }
    flx_free(head);
    flx_free(next);
    flx_free(old);
    return status;
}

// Unknowns in each column, by walking the row subtrees.
static flx_status count_columns(analysis *a)
{
    int n = a->g.n;
    a->count = flx_alloc(a->ctx, (size_t)n, sizeof *a->count);
    if (!a->count) return FLX_ERR_MEMORY;
    for (int j = 0; j < n; j++) {
        a->count[j] = a->g.weight[a->order[j]];
        a->mark[j] = -1;
    }
    for (int j = 0; j < n; j++) {
        int g = a->order[j];
        a->mark[j] = j;
        for (int p = a->g.start[g]; p < a->g.start[g + 1]; p++) {
            for (int i = a->inverse[a->g.to[p]]; i < j && a->mark[i] != j; i = a->parent[i]) {
                a->count[i] += a->g.weight[g];
                a->mark[i] = j;
            }
        }
    }
    return FLX_OK;
}

// ---- fronts -------------------------------------------------------------------------------------

// How many zeros a merge may add, by the number of pivots of the merged front.
static bool may_merge(double pivots, double zeros, double all)
{
    double part = zeros / all;
    return pivots <= 12 || (pivots <= 48 && part < 0.5) || (pivots <= 144 && part < 0.15) ||
           part < 0.04;
}

// Fronts as runs of groups: front_group. Each starts as a fundamental one and takes in its last child
// while that adds few zeros.
static flx_status find_fronts(flx_frontal *f, const analysis *a)
{
    int n = a->g.n, top = 0;
    int *first = flx_alloc(f->ctx, (size_t)n + 1, sizeof *first);
    int *children = flx_alloc(f->ctx, (size_t)n + 1, sizeof *children);
    double *zeros = flx_alloc(f->ctx, (size_t)n + 1, sizeof *zeros);
    int *width = flx_alloc(f->ctx, (size_t)n + 1, sizeof *width);
    flx_status status = first && children && zeros && width ? FLX_OK : FLX_ERR_MEMORY;
    for (int j = 0; status == FLX_OK && j < n; j++) {
        if (a->parent[j] >= 0) children[a->parent[j]]++;
    }
    for (int j = 0; status == FLX_OK && j < n; j++) {
        int w = a->g.weight[a->order[j]];
        bool chain = j > 0 && a->parent[j - 1] == j && children[j] == 1 &&
                     a->count[j - 1] == a->count[j] + a->g.weight[a->order[j - 1]];
        if (chain) { // the same pattern: one front
            width[top - 1] += w;
        } else {
            first[top] = j;
            width[top] = w;
            zeros[top++] = 0;
        }
        // front top-1 is complete when the next group does not belong to it; then try to merge the
        // one before into it
        bool complete = j + 1 == n || !(a->parent[j] == j + 1 && children[j + 1] == 1 &&
                                        a->count[j] == a->count[j + 1] + w);
        while (complete && top > 1) {
            int s = top - 1, c = top - 2, last = first[s] - 1;
            int p = a->parent[last];
            if (p < first[s] || p > j) break; // the run before is not a child
            double wc = width[c], ws = width[s], lc = a->count[first[c]], ls = a->count[first[s]];
            // columns of the child grow to those of the parent
            double rows = wc + ls, added = wc * (rows - lc), together = zeros[c] + zeros[s] + added;
            double all = (wc + ws) * (rows + ls - ws) / 2 + 1;
            if (!may_merge(wc + ws, together, all)) break;
            width[c] += width[s];
            zeros[c] = together;
            a->count[first[c]] = (int)rows;
            top--;
        }
    }
    if (status == FLX_OK) {
        f->nfront = top;
        first[top] = n;
        f->front_group = first;
        first = NULL;
    }
    flx_free(first);
    flx_free(children);
    flx_free(zeros);
    flx_free(width);
    return status;
}

// Groups below the pivots of every front: those of the matrix and of the children.
static flx_status find_rows(flx_frontal *f, analysis *a)
{
    int n = a->g.n, capacity = 0;
    int64_t used = 0;
    int *front_of = flx_alloc(f->ctx, (size_t)n, sizeof *front_of);
    int *head = flx_alloc(f->ctx, (size_t)f->nfront + 1, sizeof *head);
    int *next = flx_alloc(f->ctx, (size_t)f->nfront + 1, sizeof *next);
    f->parent = flx_alloc(f->ctx, (size_t)f->nfront, sizeof *f->parent);
    f->below_start = flx_alloc(f->ctx, (size_t)f->nfront + 1, sizeof *f->below_start);
    flx_status status =
        front_of && head && next && f->parent && f->below_start ? FLX_OK : FLX_ERR_MEMORY;
    for (int s = 0; status == FLX_OK && s < f->nfront; s++) {
        head[s] = -1;
        for (int j = f->front_group[s]; j < f->front_group[s + 1]; j++) front_of[j] = s;
    }
    for (int j = 0; status == FLX_OK && j < n; j++) a->mark[j] = -1;
    for (int s = 0; status == FLX_OK && s < f->nfront; s++) {
        int end = f->front_group[s + 1], count = 0;
        f->below_start[s] = used;
        for (int j = f->front_group[s]; j < end; j++) {
            int g = a->order[j];
            for (int p = a->g.start[g]; p < a->g.start[g + 1]; p++) {
                int i = a->inverse[a->g.to[p]];
                if (i < end || a->mark[i] == s) continue;
                a->mark[i] = s;
                a->stack[count++] = i;
            }
        }
        for (int c = head[s]; c >= 0; c = next[c]) {
            for (int64_t p = f->below_start[c]; p < f->below_start[c + 1]; p++) {
                int i = f->below[p];
                if (i < end || a->mark[i] == s) continue;
                a->mark[i] = s;
                a->stack[count++] = i;
            }
        }
        flx_sort_ints(a->stack, count);
        if (used + count > INT32_MAX) {
            status = FLX_FAIL(f->ctx, FLX_ERR_MODEL, FLX_NOWHERE, "the matrix has too much fill");
            break;
        }
        void *below = f->below;
        status = flx_grow(f->ctx, &below, &capacity, (int)(used + count), sizeof *f->below);
        f->below = below;
        if (status != FLX_OK) break;
        if (count > 0) memcpy(f->below + used, a->stack, (size_t)count * sizeof *f->below);
        used += count;
        f->below_start[s + 1] = used;
        f->parent[s] = count > 0 ? front_of[f->below[f->below_start[s]]] : -1;
        if (count > 0) {
            next[s] = head[f->parent[s]];
            head[f->parent[s]] = s;
        }
    }
    flx_free(front_of);
    flx_free(head);
    flx_free(next);
    return status;
}

// ---- unknowns again -----------------------------------------------------------------------------

static flx_status number_unknowns(flx_frontal *f, const analysis *a)
{
    size_t n = (size_t)f->n, m = (size_t)a->g.n;
    f->ngroup = a->g.n;
    f->order = flx_alloc(f->ctx, n, sizeof *f->order);
    f->group_start = flx_alloc(f->ctx, m + 2, sizeof *f->group_start);
    f->local = flx_alloc(f->ctx, m, sizeof *f->local);
    if (!f->order || !f->group_start || !f->local) return FLX_ERR_MEMORY;
    for (size_t j = 0; j < m; j++) {
        f->group_start[j + 2] = f->group_start[j + 1] + a->g.weight[a->order[j]];
    }
    for (int i = 0; i < f->n; i++) {
        int j = a->inverse[a->of[i]], k = f->group_start[j + 1]++;
        f->order[k] = i;
    }
    return FLX_OK;
}

// What a group meets in A and what comes after it, each once.
static flx_status list_neighbours(flx_frontal *f, analysis *a)
{
    size_t m = (size_t)a->g.n;
    f->near_start = flx_alloc(f->ctx, m + 1, sizeof *f->near_start);
    f->near = flx_alloc(f->ctx, (size_t)a->g.start[m] / 2 + 1, sizeof *f->near);
    if (!f->near_start || !f->near) return FLX_ERR_MEMORY;
    int64_t used = 0;
    for (size_t j = 0; j < m; j++) a->mark[j] = -1;
    for (int j = 0; j < a->g.n; j++) {
        int g = a->order[j];
        for (int p = a->g.start[g]; p < a->g.start[g + 1]; p++) {
            int h = a->inverse[a->g.to[p]];
            if (h <= j || a->mark[h] == j) continue;
            a->mark[h] = j;
            f->near[used++] = h;
        }
        f->near_start[j + 1] = used;
    }
    return FLX_OK;
}

flx_status flx_frontal_analyse(flx_frontal *f, const flx_symmetric *A, const int *group)
{
    analysis a = {.ctx = f->ctx};
    flx_status status = number_groups(&a, f->n, group);
    if (status == FLX_OK) status = make_graph(&a, A);
    if (status == FLX_OK) status = order_groups(&a);
    if (status == FLX_OK) status = find_tree(&a);
    if (status == FLX_OK) status = order_along_tree(&a);
    if (status == FLX_OK) status = count_columns(&a);
    if (status == FLX_OK) status = find_fronts(f, &a);
    if (status == FLX_OK) status = find_rows(f, &a);
    if (status == FLX_OK) status = number_unknowns(f, &a);
    if (status == FLX_OK) status = list_neighbours(f, &a);
    if (status == FLX_OK) status = flx_frontal_plan(f);
    clear_analysis(&a);
    return status;
}
