// tree_border.c - the structure of what is left of the Newton matrix when all links are out of it.
//
// Other unknowns are coupled where the descriptor couples them, and where the last link of a part of the tree had both of
// them outboard. Loops that are closed on the ground, one beside the other, leave a narrow band.
#include "math/pattern.h"
#include "tree/tree_parts.h"

#include <stdlib.h>

// Where so large a part of the matrix is not zero, it is taken as full.
#define FULL 0.25
// Products for each number of a sparse matrix, about.
#define SPARSE_PRODUCTS 60.0

void flx_tree_border_clear(flx_tree_border *b)
{
    flx_free(b->numbers);
    flx_free(b->places);
    flx_free(b->first_place);
    *b = (flx_tree_border){0};
}

typedef struct keys { // row and column in one number
    int n, capacity;
    uint64_t *list; // owned
} keys;

static flx_status add(const flx_tree *t, keys *k, int i, int j)
{
    FLX_TRY(flx_grow(t->base.ctx, (void **)&k->list, &k->capacity, k->n + 1, sizeof *k->list));
    k->list[k->n++] = ((uint64_t)(uint32_t)i << 32) | (uint32_t)j;
    return FLX_OK;
}

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void settle(keys *k)
{
    int kept = 0;
    if (k->n > 0) qsort(k->list, (size_t)k->n, sizeof *k->list, compare);
    for (int i = 0; i < k->n; i++) {
        if (kept == 0 || k->list[i] != k->list[kept - 1]) k->list[kept++] = k->list[i];
    }
    k->n = kept;
}

// Entries of the descriptor between other unknowns, and the diagonal.
static flx_status list_own(const flx_tree *t, const flx_tree_fronts *f, keys *k)
{
    const flx_pattern *p = &t->inner->pattern;
    int first = flx_tree_inner(t)->variable_v;
    for (int bi = 0; bi < p->nblock; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1] && p->start[bi] >= first; e++) {
            int bj = p->col[e];
            if (p->start[bj] < first) continue;
            for (int i = p->start[bi]; i < p->start[bi + 1]; i++) {
                for (int j = p->start[bj]; j < p->start[bj + 1]; j++) {
                    int r = f->in_border[i - first], c = f->in_border[j - first];
                    if (r >= 0 && c >= 0) FLX_TRY(add(t, k, r, c));
                }
            }
        }
    }
    return FLX_OK;
}

static flx_status list_fronts(const flx_tree *t, const flx_tree_fronts *f, keys *k, size_t *places)
{
    for (int i = 0; i < f->nfront; i++) {
        const flx_front *x = f->fronts + i;
        if (x->next >= 0) continue;
        for (int a = 0; a < x->nother; a++) {
            for (int b = 0; b < x->nother; b++)
                FLX_TRY(add(t, k, x->other_place[a], x->other_place[b]));
        }
        *places += (size_t)x->nother * (size_t)x->nother;
    }
    return FLX_OK;
}

static flx_status make_pattern(const flx_tree *t, const flx_tree_fronts *f, const keys *k,
                               size_t places, flx_tree_border *b)
{
    flx_ctx *ctx = t->base.ctx;
    size_t n = (size_t)f->nborder, entries = (size_t)k->n;
    b->numbers = flx_alloc(ctx, 2 * (n + 1) + 3 * entries + 1, sizeof *b->numbers);
    b->places = flx_alloc(ctx, places, sizeof *b->places);
    b->first_place = flx_alloc(ctx, (size_t)f->nfront, sizeof *b->first_place);
    int *next = flx_alloc(ctx, n, sizeof *next);
    if (!b->numbers || !b->places || !b->first_place || !next) {
        flx_free(next);
        return FLX_ERR_MEMORY;
    }
    int *start = b->numbers, *row = start + n + 1, *col = row + n + 1, *offset = col + entries;
    int *transpose = offset + entries + 1;
    for (size_t i = 0; i <= n; i++) start[i] = (int)i;
    for (int e = 0; e < k->n; e++) {
        row[(int)(k->list[e] >> 32) + 1] = e + 1;
        col[e] = (int)(uint32_t)k->list[e];
        offset[e + 1] = e + 1;
    }
    memcpy(next, row, n * sizeof *next);
    for (int i = 0; i < f->nborder; i++) { // structurally symmetric
        for (int e = row[i]; e < row[i + 1]; e++) transpose[next[col[e]]++] = e;
    }
    b->pattern = (flx_pattern){.nblock = f->nborder,
                               .start = start,
                               .row = row,
                               .col = col,
                               .offset = offset,
                               .transpose = transpose};
    for (int i = 0, at = 0; i < f->nfront; i++) {
        const flx_front *x = f->fronts + i;
        b->first_place[i] = x->next < 0 ? at : -1;
        for (int c = 0; c < x->nother && x->next < 0; c++) {
            for (int r = 0; r < x->nother; r++) {
                b->places[at++] =
                    flx_pattern_find(&b->pattern, x->other_place[r], x->other_place[c]);
            }
        }
    }
    flx_free(next);
    return FLX_OK;
}

flx_status flx_tree_border_create(const flx_tree *t, const flx_tree_fronts *f, flx_tree_border *b)
{
    double m = f->nborder;
    keys k = {0};
    size_t places = 0;
    *b = (flx_tree_border){.work = m * m * m / 3.0};
    if (f->nborder <= FLX_TREE_FEW) return FLX_OK;
    flx_status status = list_own(t, f, &k);
    if (status == FLX_OK) status = list_fronts(t, f, &k, &places);
    if (status == FLX_OK) settle(&k);
    if (status == FLX_OK && k.n < FULL * m * m) {
        b->sparse = true;
        b->work = SPARSE_PRODUCTS * k.n;
        status = make_pattern(t, f, &k, places, b);
    }
    flx_free(k.list);
    return status;
}
