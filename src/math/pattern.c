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
