// symmetric.c - sparse symmetric matrices by their lower triangle.
#include "math/symmetric.h"
#include "base/two_widths.h"

#include <stdlib.h>
#include <string.h>

#define FOUR 4
#define SMALL 4096 // unknowns whose vectors stay near the processor in any order

// The blocks that each unknown is in: the transpose of the lists.
typedef struct incidence {
    int64_t *start; // (n + 1)
    int *block;
} incidence;

static flx_status transpose(flx_ctx *ctx, int n, int nblock, const int64_t *first, const int *list,
                            incidence *t)
{
    t->start = flx_alloc(ctx, (size_t)n + 2, sizeof *t->start);
    t->block = flx_alloc(ctx, (size_t)first[nblock], sizeof *t->block);
    if (!t->start || !t->block) return FLX_ERR_MEMORY;
    for (int64_t k = 0; k < first[nblock]; k++) t->start[list[k] + 2]++;
    for (int i = 0; i < n; i++) t->start[i + 2] += t->start[i + 1];
    for (int e = 0; e < nblock; e++) {
        for (int64_t k = first[e]; k < first[e + 1]; k++) t->block[t->start[list[k] + 1]++] = e;
    }
    return FLX_OK;
}

// Walk over the rows below the diagonal of every column, once with row NULL to count them. Rows
// come in no order.
static void walk_columns(int n, const int64_t *first, const int *list, const incidence *t,
                         int *mark, int64_t *start, int *row)
{
    int64_t count = 0;
    for (int j = 0; j < n; j++) {
        if (!row) start[j] = count;
        mark[j] = j;
        if (row) row[count] = j;
        count++;
        for (int64_t b = t->start[j]; b < t->start[j + 1]; b++) {
            int e = t->block[b];
            for (int64_t k = first[e]; k < first[e + 1]; k++) {
                int i = list[k];
                if (i <= j || mark[i] == j) continue;
                mark[i] = j;
                if (row) row[count] = i;
                count++;
            }
        }
    }
    if (!row) start[n] = count;
}

static void sift(int *a, int i, int n)
{
    for (int child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && a[child] < a[child + 1]) child++;
        if (a[i] >= a[child]) return;
        int t = a[i];
        a[i] = a[child];
        a[child] = t;
    }
}

// Most lists are short and nearly sorted: insertion for those, a heap for the long ones.
void flx_sort_ints(int *a, int n)
{
    if (n <= 48) {
        for (int i = 1; i < n; i++) {
            int v = a[i], k = i;
            for (; k > 0 && a[k - 1] > v; k--) a[k] = a[k - 1];
            a[k] = v;
        }
        return;
    }
    for (int i = n / 2 - 1; i >= 0; i--) sift(a, i, n);
    for (int m = n - 1; m > 0; m--) {
        int t = a[0];
        a[0] = a[m];
        a[m] = t;
        sift(a, 0, m);
    }
}

flx_status flx_symmetric_init(flx_ctx *ctx, int n, int nblock, const int64_t *first,
                              const int *list, flx_symmetric *A)
{
    incidence t = {0};
    *A = (flx_symmetric){.n = n};
    flx_status status = transpose(ctx, n, nblock, first, list, &t);
    int *mark = flx_alloc(ctx, (size_t)n, sizeof *mark);
    A->start = flx_alloc(ctx, (size_t)n + 1, sizeof *A->start);
    if (status == FLX_OK && (!mark || !A->start)) status = FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        for (int i = 0; i < n; i++) mark[i] = -1;
        walk_columns(n, first, list, &t, mark, A->start, NULL);
        A->row = flx_alloc(ctx, (size_t)A->start[n], sizeof *A->row);
        A->value = flx_alloc(ctx, (size_t)A->start[n], sizeof *A->value);
        if (!A->row || !A->value) status = FLX_ERR_MEMORY;
    }
    if (status == FLX_OK) {
        for (int i = 0; i < n; i++) mark[i] = -1;
        walk_columns(n, first, list, &t, mark, A->start, A->row);
        for (int j = 0; j < n; j++) {
            flx_sort_ints(A->row + A->start[j], (int)(A->start[j + 1] - A->start[j]));
        }
    }
    flx_free(t.start);
    flx_free(t.block);
    flx_free(mark);
    if (status != FLX_OK) flx_symmetric_clear(A);
    return status;
}

flx_status flx_symmetric_init_like(flx_ctx *ctx, const flx_symmetric *pattern, flx_symmetric *A)
{
    size_t n = (size_t)pattern->n, count = (size_t)pattern->start[pattern->n];
    *A = (flx_symmetric){.n = pattern->n};
    A->start = flx_alloc(ctx, n + 1, sizeof *A->start);
    A->row = flx_alloc(ctx, count, sizeof *A->row);
    A->value = flx_alloc(ctx, count, sizeof *A->value);
    if (!A->start || !A->row || !A->value) {
        flx_symmetric_clear(A);
        return FLX_ERR_MEMORY;
    }
    memcpy(A->start, pattern->start, (n + 1) * sizeof *A->start);
    memcpy(A->row, pattern->row, count * sizeof *A->row);
    return FLX_OK;
}

flx_status flx_symmetric_init_part(flx_ctx *ctx, const flx_symmetric *B, const int *map, int n,
                                   flx_symmetric *A)
{
    int64_t count = 0;
    for (int j = 0; j < B->n; j++) {
        for (int64_t k = B->start[j]; map[j] >= 0 && k < B->start[j + 1]; k++) {
            count += map[B->row[k]] >= 0;
        }
    }
    *A = (flx_symmetric){.n = n};
    A->start = flx_alloc(ctx, (size_t)n + 1, sizeof *A->start);
    A->row = flx_alloc(ctx, (size_t)count, sizeof *A->row);
    A->value = flx_alloc(ctx, (size_t)count, sizeof *A->value);
    if (!A->start || !A->row || !A->value) {
        flx_symmetric_clear(A);
        return FLX_ERR_MEMORY;
    }
    count = 0;
    for (int j = 0; j < B->n; j++) {
        if (map[j] < 0) continue;
        for (int64_t k = B->start[j]; k < B->start[j + 1]; k++) {
            if (map[B->row[k]] < 0) continue;
            A->row[count] = map[B->row[k]];
            A->value[count++] = B->value[k];
        }
        A->start[map[j] + 1] = count;
    }
    return FLX_OK;
}

void flx_symmetric_clear(flx_symmetric *A)
{
    flx_free(A->start);
    flx_free(A->row);
    flx_free(A->value);
    *A = (flx_symmetric){0};
}

int64_t flx_symmetric_place(const flx_symmetric *A, int i, int j)
{
    int64_t low = A->start[j], high = A->start[j + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (A->row[middle] < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < A->start[j + 1] && A->row[low] == i ? low : -1;
}

void flx_symmetric_add(flx_symmetric *A, int i, int j, double value)
{
    int64_t k = i >= j ? flx_symmetric_place(A, i, j) : flx_symmetric_place(A, j, i);
    FLX_ASSERT(k >= 0);
    if (k >= 0) A->value[k] += value;
}

double flx_symmetric_get(const flx_symmetric *A, int i, int j)
{
    int64_t k = i >= j ? flx_symmetric_place(A, i, j) : flx_symmetric_place(A, j, i);
    return k >= 0 ? A->value[k] : 0.0;
}

// A few vectors at a time: the matrix is read once for them.
static void multiply_some(const flx_symmetric *A, int k, const double *X, double *Y)
{
    size_t n = (size_t)A->n;
    for (int j = 0; j < A->n; j++) {
        int64_t p = A->start[j], end = A->start[j + 1];
        double d = A->value[p], x[FOUR] = {0}, y[FOUR] = {0};
        for (int v = 0; v < k; v++) {
            x[v] = X[v * n + (size_t)j];
            y[v] = d * x[v];
        }
        for (p++; p < end; p++) {
            size_t i = (size_t)A->row[p];
            double a = A->value[p];
            for (int v = 0; v < k; v++) {
                Y[v * n + i] += a * x[v];
                y[v] += a * X[v * n + i];
            }
        }
        for (int v = 0; v < k; v++) Y[v * n + (size_t)j] += y[v];
    }
}

// The same with the four numbers of an unknown side by side: one place in memory for each row instead of four.
FLX_TWO_WIDTHS static void multiply_woven(const flx_symmetric *A, const double *restrict X,
                                          double *restrict Y)
{
    for (int j = 0; j < A->n; j++) {
        int64_t p = A->start[j], end = A->start[j + 1];
        double d = A->value[p], x[FOUR], y[FOUR];
        for (size_t v = 0; v < FOUR; v++) {
            x[v] = X[FOUR * (size_t)j + v];
            y[v] = d * x[v];
        }
        for (p++; p < end; p++) {
            const double a = A->value[p], *from = X + FOUR * (size_t)A->row[p];
            double *to = Y + FOUR * (size_t)A->row[p];
            for (size_t v = 0; v < FOUR; v++) to[v] += a * x[v];
            for (size_t v = 0; v < FOUR; v++) y[v] += a * from[v];
        }
        for (size_t v = 0; v < FOUR; v++) Y[FOUR * (size_t)j + v] += y[v];
    }
}

// By way of W, room for eight numbers of each unknown.
static void weave(const flx_symmetric *A, const double *X, double *Y, double *W)
{
    size_t n = (size_t)A->n;
    double *woven = W;
    for (size_t i = 0; i < n; i++) {
        for (size_t v = 0; v < FOUR; v++) *woven++ = X[v * n + i];
    }
    memset(woven, 0, FOUR * n * sizeof *woven);
    multiply_woven(A, W, woven);
    for (size_t i = 0; i < n; i++) {
        for (size_t v = 0; v < FOUR; v++) Y[v * n + i] = *woven++;
    }
}

void flx_symmetric_multiply(const flx_symmetric *A, int k, const double *X, double *Y)
{
    size_t n = (size_t)A->n;
    // without memory for it the vectors stay as they are
    double *W = k >= FOUR && A->n > SMALL ? malloc(2 * FOUR * n * sizeof *W) : NULL;
    memset(Y, 0, (size_t)k * n * sizeof *Y);
    for (int v = 0; v < k; v += FOUR) {
        const double *x = X + (size_t)v * n;
        double *y = Y + (size_t)v * n;
        if (k - v < FOUR) {
            multiply_some(A, k - v, x, y);
        } else if (W) {
            weave(A, x, y, W);
        } else {
            multiply_some(A, FOUR, x, y);
        }
    }
    free(W);
}
