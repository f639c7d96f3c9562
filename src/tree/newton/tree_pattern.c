// tree_pattern.c - the pattern of the tree's tangent: full, or by links.
//
// Full: everything is coupled. By links: different links are left out, other unknowns are met by the links on the way
// from the bodies that they know to where these meet (tree_paths.c), and among each other as in the descriptor. What couples links is in the
// numbers behind the entries (tree_fronts.h).
#include "math/plans.h"
#include "tree/tree_parts.h"

// Whether taking links out one by one costs less than the full matrix: columns of it are a pass over
// all links each, of so many products a link, and its factors a third of the cube.
#define PASS_PRODUCTS 150.0
// A full matrix of more unknowns is no way to a solution.
#define MOST_FULL 2000

static bool pays(const flx_tree *t)
{
    double n = flx_dims_unknowns(&t->base.dims), links = t->t.k.n;
    if (n > MOST_FULL) return true;
    double by_links = 4.0 * t->fronts.work + 1000.0 * links + t->fronts.border.work;
    return by_links < 3.0 * n * links * PASS_PRODUCTS + n * n * n / 3.0;
}

// While a pattern is made.
typedef struct layout {
    flx_tree *t;
    int n, nb;              // links that have freedoms, blocks
    int first;              // block of the descriptor that is the first of the others
    const int *other_block; // (others) block of each, counted from the first
    int *outboard, *blocks; // (n + 2) owned, owned: of each link, by numbers of the first
    int *start, *row, *col, *offset, *transpose, *block_of, *pair;
} layout;

// Blocks of others that a link has outboard, ascending: into list, or counted.
static int list_blocks(const layout *y, int link, int *list)
{
    int n = y->outboard[link + 1] - y->outboard[link];
    for (int k = 0; k < n && list; k++) list[k] = y->n + y->blocks[y->outboard[link] + k];
    return n;
}

// Blocks one after the other, each up from its links along their paths; counted, then listed.
static flx_status list_outboard(layout *y)
{
    const flx_tree *t = y->t;
    const flx_tree_fronts *f = &t->fronts;
    size_t n = (size_t)t->t.k.n;
    int *last = flx_alloc(t->base.ctx, n, sizeof *last);
    y->outboard = flx_alloc(t->base.ctx, n + 2, sizeof *y->outboard);
    for (int pass = 0; pass < 2 && last && y->outboard; pass++) {
        for (size_t i = 0; i < n; i++) last[i] = -1;
        for (int k = 0; k < f->nother; k++) {
            for (int e = f->met[k]; e < f->met[k + 1]; e++) {
                int i = f->rows[f->meetings[e]].link, block = y->other_block[k];
                for (; i != f->until[k] && last[i] != block; i = t->t.links[i].parent) {
                    last[i] = block;
                    if (pass == 0) y->outboard[i + 2]++;
                    if (pass == 1) y->blocks[y->outboard[i + 1]++] = block;
                }
            }
        }
        if (pass == 1) break;
        for (size_t i = 0; i < n; i++) y->outboard[i + 2] += y->outboard[i + 1];
        y->blocks = flx_alloc(t->base.ctx, (size_t)y->outboard[n + 1], sizeof *y->blocks);
        if (!y->blocks) break;
    }
    bool fine = last && y->outboard && y->blocks;
    flx_free(last);
    return fine ? FLX_OK : FLX_ERR_MEMORY;
}

// Of one row of others among each other.
static int list_others(const layout *y, int block, int *list)
{
    const flx_pattern *in = &y->t->inner->pattern;
    int n = 0;
    for (int e = in->row[y->first + block]; e < in->row[y->first + block + 1]; e++) {
        if (in->col[e] < y->first) continue;
        if (list) list[n] = y->n + in->col[e] - y->first;
        n++;
    }
    return n;
}

// Numbers of entries into row[i + 1]; those of links in the rows of others are counted with them.
static void count_rows(const layout *y, int *scratch)
{
    memset(y->row, 0, ((size_t)y->nb + 1) * sizeof *y->row);
    if (!y->t->by_links) {
        for (int i = 0; i < y->nb; i++) y->row[i + 1] = y->nb;
        return;
    }
    for (int i = 0; i < y->n; i++) {
        int k = list_blocks(y, i, scratch);
        y->row[i + 1] += 1 + k;
        while (k > 0) y->row[scratch[--k] + 1]++;
    }
    for (int b = y->n; b < y->nb; b++) y->row[b + 1] += list_others(y, b - y->n, NULL);
}

static void fill_columns(const layout *y, int *next, int *scratch)
{
    memcpy(next, y->row, (size_t)y->nb * sizeof *next);
    if (!y->t->by_links) {
        for (int e = 0; e < y->row[y->nb]; e++) y->col[e] = e % y->nb;
        return;
    }
    for (int i = 0; i < y->n; i++) {
        int k = list_blocks(y, i, scratch);
        y->col[next[i]++] = i;
        for (int j = 0; j < k; j++) {
            y->col[next[i]++] = scratch[j];
            y->col[next[scratch[j]]++] = i;
        }
    }
    for (int b = y->n; b < y->nb; b++) next[b] += list_others(y, b - y->n, y->col + next[b]);
}

// Rows are ascending, so the entries (j, i) of one column i are met in the order of row i.
static void fill_rest(const layout *y, int *next)
{
    memcpy(next, y->row, (size_t)y->nb * sizeof *next);
    for (int i = 0; i < y->nb; i++) {
        for (int e = y->row[i]; e < y->row[i + 1]; e++) {
            int j = y->col[e];
            y->transpose[next[j]++] = e;
            y->offset[e + 1] =
                y->offset[e] + (y->start[i + 1] - y->start[i]) * (y->start[j + 1] - y->start[j]);
        }
    }
}

static void set_starts(const layout *y)
{
    const flx_tree *t = y->t;
    const flx_pattern *in = &t->inner->pattern;
    for (int i = 0, b = 0; i < t->t.k.n; i++) {
        if (t->t.links[i].kind != FLX_LINK_BEND) y->start[b++] = t->t.links[i].v;
    }
    for (int b = y->n; b <= y->nb; b++) {
        y->start[b] = in->start[y->first + b - y->n] - flx_tree_shift(t);
    }
    for (int i = 0; i < y->nb; i++) {
        for (int u = y->start[i]; u < y->start[i + 1]; u++) y->block_of[u] = i;
    }
}

static flx_status make_pattern(flx_tree *t)
{
    const flx_pattern *in = &t->inner->pattern;
    layout y = {.t = t, .n = t->t.k.n - t->t.nbend};
    int total = flx_dims_unknowns(&t->base.dims), first = flx_tree_first_other(t);
    while (y.first < in->nblock && in->start[y.first] < first + flx_tree_shift(t)) y.first++;
    y.nb = y.n + in->nblock - y.first;
    flx_free(t->numbers);
    t->numbers = NULL;
    flx_plans_destroy(&t->base.pattern.plans); // they are of the pattern before
    t->fronts.border.pattern.plans = NULL;
    t->base.pattern = (flx_pattern){0};
    size_t nb = (size_t)y.nb;
    int *counted = flx_alloc(t->base.ctx, 3 * nb + 1 + (size_t)total, sizeof *counted);
    if (!counted) return FLX_ERR_MEMORY;
    int *next = counted + nb + 1, *scratch = next + nb, *other = scratch + nb;
    for (int u = first, b = y.first; u < total; u++) {
        while (in->start[b + 1] <= u + flx_tree_shift(t)) b++;
        other[u - first] = b - y.first;
    }
    y.other_block = other;
    y.row = counted;
    if (t->by_links && list_outboard(&y) != FLX_OK) {
        flx_free(y.outboard);
        flx_free(y.blocks);
        flx_free(counted);
        return FLX_ERR_MEMORY;
    }
    count_rows(&y, scratch);
    size_t entries = 0;
    for (int i = 0; i < y.nb; i++) entries += (size_t)y.row[i + 1];
    size_t count = 3 * nb + 2 + 3 * entries + 1 + (size_t)total;
    t->numbers = flx_alloc(t->base.ctx, count, sizeof *t->numbers);
    if (t->numbers) {
        y.start = t->numbers;
        y.row = y.start + nb + 1;
        y.col = y.row + nb + 1;
        y.transpose = y.col + entries;
        y.offset = y.transpose + entries;
        y.block_of = y.offset + entries + 1;
        y.pair = y.block_of + total;
        // one link has several blocks: no row has full rank on one of them, and none moves what it touches alike
        for (int i = 0; i < y.nb; i++) y.pair[i] = -1;
        for (int i = 0; i < y.nb; i++) y.row[i + 1] = y.row[i] + counted[i + 1];
        set_starts(&y);
        fill_columns(&y, next, scratch);
        fill_rest(&y, next);
        t->block_of = y.block_of;
        t->base.pattern = (flx_pattern){.nblock = y.nb,
                                        .start = y.start,
                                        .row = y.row,
                                        .col = y.col,
                                        .offset = y.offset,
                                        .transpose = y.transpose,
                                        .pair = y.pair,
                                        .extra = t->by_links ? (int)t->fronts.extra : 0};
    }
    flx_free(y.outboard);
    flx_free(y.blocks);
    flx_free(counted);
    return t->numbers ? FLX_OK : FLX_ERR_MEMORY;
}

flx_status flx_tree_pattern(flx_tree *t, flx_tree_tangent how)
{
    flx_tree_fronts_clear(&t->fronts);
    t->by_links = false;
    bool full = t->model->nmodal > 0; // variables move bends, which are no freedoms of a link
    if (how == FLX_TREE_CHEAPEST && full) how = FLX_TREE_FULL;
    if (how != FLX_TREE_FULL) FLX_TRY(flx_tree_fronts_create(t, t->after, &t->fronts));
    t->by_links = how == FLX_TREE_BY_LINKS || (how == FLX_TREE_CHEAPEST && pays(t));
    flx_tree_take_operations(t);
    return make_pattern(t);
}
