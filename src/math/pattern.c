// pattern.c - block patterns from lists of their entries.
#include "math/pattern.h"

#include <stdlib.h>

static int compare_keys(const void *a, const void *b)
{
    long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

int flx_pattern_find(const flx_pattern *p, int row, int col)
{
    int low = p->row[row], high = p->row[row + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->col[middle] < col) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < p->row[row + 1] && p->col[low] == col ? low : -1;
}

flx_status flx_pattern_make(flx_arena *arena, int nblock, const int *start, int n, long long *keys,
                            flx_pattern *out)
{
    int nentry = 0;
    qsort(keys, (size_t)n, sizeof *keys, compare_keys);
    for (int i = 0; i < n; i++) {
        if (i == 0 || keys[i] != keys[i - 1]) keys[nentry++] = keys[i];
    }
    int *row = flx_arena_take(arena, (size_t)nblock + 1, sizeof *row);
    int *col = flx_arena_take(arena, (size_t)nentry, sizeof *col);
    int *offset = flx_arena_take(arena, (size_t)nentry + 1, sizeof *offset);
    int *transpose = flx_arena_take(arena, (size_t)nentry, sizeof *transpose);
    if (!row || !col || !offset || !transpose) return FLX_ERR_MEMORY;
    for (int e = 0; e < nentry; e++) {
        int i = (int)(keys[e] / nblock), j = (int)(keys[e] % nblock);
        row[i + 1] = e + 1;
        col[e] = j;
        offset[e + 1] = offset[e] + (start[i + 1] - start[i]) * (start[j + 1] - start[j]);
    }
    *out = (flx_pattern){.nblock = nblock,
                         .start = start,
                         .row = row,
                         .col = col,
                         .offset = offset,
                         .transpose = transpose};
    for (int e = 0; e < nentry; e++) {
        transpose[e] = flx_pattern_find(out, col[e], (int)(keys[e] / nblock));
    }
    return FLX_OK;
}

flx_status flx_pattern_select(flx_ctx *ctx, const flx_pattern *p, const unsigned char *keep,
                              int **owned, flx_pattern *out)
{
    size_t n = (size_t)p->nblock + 1, count = 0, all = (size_t)p->row[p->nblock];
    for (size_t e = 0; e < all; e++) count += keep[e] != 0;
    int *row = *owned = flx_alloc(ctx, n + 3 * count + 1 + all, sizeof *row);
    if (!row) return FLX_ERR_MEMORY;
    int *col = row + n, *transpose = col + count, *offset = transpose + count;
    int *place = offset + count + 1; // of an entry of p
    int k = 0;
    for (int b = 0; b < p->nblock; b++) {
        for (int e = p->row[b]; e < p->row[b + 1]; e++) {
            if (!keep[e]) continue;
            place[e] = k;
            col[k] = p->col[e];
            offset[k++] = p->offset[e];
        }
        row[b + 1] = k;
    }
    offset[k] = p->offset[all];
    for (size_t e = 0; e < all; e++) {
        if (keep[e]) transpose[place[e]] = place[p->transpose[e]];
    }
    *out = *p;
    out->row = row;
    out->col = col;
    out->offset = offset;
    out->transpose = transpose;
    out->parts = NULL;
    out->plans = NULL; // of the whole one
    return FLX_OK;
}

int flx_pattern_block(const flx_pattern *p, int unknown)
{
    int low = 0, high = p->nblock - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (p->start[middle] <= unknown) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

double flx_pattern_value(const flx_pattern *p, const double *A, int row, int col)
{
    int bi = flx_pattern_block(p, row), bj = flx_pattern_block(p, col),
        e = flx_pattern_find(p, bi, bj);
    if (e < 0) return 0.0;
    int width = p->start[bj + 1] - p->start[bj];
    return A[p->offset[e] + (row - p->start[bi]) * width + col - p->start[bj]];
}
