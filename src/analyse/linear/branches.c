// branches.c - eigenvalues followed over a parameter; see branches.h.
#include "analyse/linear/branches.h"

#include <math.h>
#include <string.h>

#define SHAPES 1.1

// Shortest augmenting paths with potentials of rows and columns; number 0 stands for none.
static void assign(int n, const double *cost, double *u, double *v, double *least, int *row,
                   int *way, bool *used)
{
    for (int i = 1; i <= n; i++) {
        int j0 = 0;
        row[0] = i;
        for (int j = 0; j <= n; j++) {
            least[j] = HUGE_VAL;
            used[j] = false;
        }
        do {
            int i0 = row[j0], j1 = 0;
            double delta = HUGE_VAL;
            used[j0] = true;
            for (int j = 1; j <= n; j++) {
                if (used[j]) continue;
                double rest = cost[(size_t)(i0 - 1) * (size_t)n + (size_t)(j - 1)] - u[i0] - v[j];
                if (rest < least[j]) {
                    least[j] = rest;
                    way[j] = j0;
                }
                if (least[j] < delta || j1 == 0) {
                    delta = least[j];
                    j1 = j;
                }
            }
            for (int j = 0; j <= n; j++) {
                if (used[j]) {
                    u[row[j]] += delta;
                    v[j] -= delta;
                } else {
                    least[j] -= delta;
                }
            }
            j0 = j1;
        } while (row[j0] != 0);
        do {
            int j1 = way[j0];
            row[j0] = row[j1];
            j0 = j1;
        } while (j0 != 0);
    }
}

flx_status flx_assign_least(flx_ctx *ctx, int n, const double *cost, int *to)
{
    size_t m = (size_t)n + 1;
    flx_arena *arena = flx_arena_create(ctx);
    if (!arena) return FLX_ERR_MEMORY;
    double *u = flx_arena_take(arena, 3 * m, sizeof *u);
    int *row = flx_arena_take(arena, 2 * m, sizeof *row);
    bool *used = flx_arena_take(arena, m, sizeof *used);
    flx_status status = u && row && used ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        assign(n, cost, u, u + m, u + 2 * m, row, row + m, used);
        for (int j = 1; j <= n; j++) to[row[j] - 1] = j - 1;
    }
    flx_arena_destroy(&arena);
    return status;
}

// |l_i^H r_j|
static double overlap(const flx_linear_modes *before, int i, const flx_linear_modes *now, int j)
{
    size_t n = (size_t)before->n;
    const double *a = before->left_re + (size_t)i * n, *b = before->left_im + (size_t)i * n;
    const double *c = now->right_re + (size_t)j * n, *d = now->right_im + (size_t)j * n;
    double re = 0.0, im = 0.0;
    for (size_t k = 0; k < n; k++) {
        re += a[k] * c[k] + b[k] * d[k];
        im += a[k] * d[k] - b[k] * c[k];
    }
    return hypot(re, im);
}

flx_status flx_branches_match(flx_ctx *ctx, const flx_linear_modes *before, const double *re,
                              const double *im, const flx_linear_modes *now, int *mode)
{
    int n = before->n;
    size_t nn = (size_t)n * (size_t)n;
    double *cost = flx_alloc(ctx, nn + 1, sizeof *cost);
    int *to = flx_alloc(ctx, (size_t)n + 1, sizeof *to);
    flx_status status = cost && to ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = 0; status == FLX_OK && i < n; i++) {
        double most = 0.0, *row = cost + (size_t)i * (size_t)n;
        for (int j = 0; j < n; j++) {
            row[j] = overlap(before, mode[i], now, j);
            most = fmax(most, row[j]);
        }
        for (int j = 0; j < n; j++) {
            double like = most > 0.0 ? row[j] / most : 0.0;
            row[j] = hypot(now->re[j] - re[i], now->im[j] - im[i]) * (SHAPES - like);
        }
    }
    if (status == FLX_OK) status = flx_assign_least(ctx, n, cost, to);
    if (status == FLX_OK) memcpy(mode, to, (size_t)n * sizeof *mode);
    flx_free(cost);
    flx_free(to);
    return status;
}
