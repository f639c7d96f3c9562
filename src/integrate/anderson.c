// anderson.c - see anderson.h for the equations.
#include "integrate/anderson.h"

#include "base/arrays.h"

#include <math.h>
#include <string.h>

#define DEPTH FLX_ANDERSON_DEPTH
// Differences that are dependent to this part add nothing but rounding.
#define DEPENDENT 1e-10
// A correction is not made longer than so many times: a contraction of 0.999 asks for 1e3.
#define LEAP 1e4

flx_status flx_anderson_create(flx_ctx *ctx, int n, flx_anderson *a)
{
    *a = (flx_anderson){.n = n};
    flx_array arrays[2 * DEPTH + 3] = {FLX_ARRAY(a->weight, n), FLX_ARRAY(a->F_last, n),
                                       FLX_ARRAY(a->step_last, n)};
    for (int i = 0; i < DEPTH; i++) {
        arrays[3 + 2 * i] = (flx_array)FLX_ARRAY(a->dF[i], n);
        arrays[4 + 2 * i] = (flx_array)FLX_ARRAY(a->dU[i], n);
    }
    a->block = flx_alloc_arrays(ctx, arrays, sizeof arrays / sizeof arrays[0]);
    return a->block ? FLX_OK : FLX_ERR_MEMORY;
}

void flx_anderson_destroy(flx_anderson *a)
{
    flx_free(a->block);
    *a = (flx_anderson){0};
}

void flx_anderson_restart(flx_anderson *a)
{
    a->ndifference = 0;
    a->nproduct = 0;
    a->has_last = false;
}

static double product(const flx_anderson *a, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < a->n; i++) sum += a->weight[i] * x[i] * a->weight[i] * y[i];
    return sum;
}

// Least squares by the normal equations of columns of length one; a column that depends on newer
// ones is left out, as are all from number m on. g in the columns' own lengths.
static void least_squares(const double G[][DEPTH], const double *rhs, int m, double *g)
{
    double L[DEPTH][DEPTH] = {{0.0}}, y[DEPTH] = {0.0}, length[DEPTH];
    for (int i = 0; i < DEPTH; i++) length[i] = i < m && G[i][i] > 0.0 ? sqrt(G[i][i]) : 0.0;
    for (int i = 0; i < DEPTH; i++) {
        if (!(length[i] > 0.0)) continue;
        double pivot = 1.0, sum = rhs[i] / length[i];
        for (int j = 0; j < i; j++) {
            if (!(L[j][j] > 0.0)) continue;
            double v = G[i][j] / (length[i] * length[j]);
            for (int k = 0; k < j; k++) v -= L[i][k] * L[j][k];
            L[i][j] = v / L[j][j];
            pivot -= L[i][j] * L[i][j];
            sum -= L[i][j] * y[j];
        }
        if (!(pivot > DEPENDENT)) continue;
        L[i][i] = sqrt(pivot);
        y[i] = sum / L[i][i];
    }
    for (int i = DEPTH - 1; i >= 0; i--) {
        g[i] = 0.0;
        if (!(L[i][i] > 0.0)) continue;
        double sum = y[i];
        for (int j = i + 1; j < DEPTH; j++) sum -= L[j][i] * g[j] * length[j];
        g[i] = sum / L[i][i] / length[i];
    }
}

// Newest first: the last differences take the place of the oldest ones.
static void remember(flx_anderson *a, const double *F)
{
    double *dF = a->dF[DEPTH - 1], *dU = a->dU[DEPTH - 1];
    memmove(a->dF + 1, a->dF, (DEPTH - 1) * sizeof *a->dF);
    memmove(a->dU + 1, a->dU, (DEPTH - 1) * sizeof *a->dU);
    a->dF[0] = dF;
    a->dU[0] = a->step_last;
    a->step_last = dU;
    for (int i = 0; i < a->n; i++) dF[i] = F[i] - a->F_last[i];
    // the products move with their columns, where they are known
    if (a->nproduct == a->ndifference) {
        for (int i = DEPTH - 1; i > 0; i--) {
            memcpy(a->product[i] + 1, a->product[i - 1], (DEPTH - 1) * sizeof a->product[i][0]);
        }
    } else {
        a->nproduct = -1;
    }
    if (a->ndifference < DEPTH) a->ndifference++;
}

// Lower triangle of the products of the differences; all but those of the newest are there already,
// unless this is the first time.
static void find_products(flx_anderson *a)
{
    int m = a->ndifference;
    for (int j = 0; j < m; j++) {
        if (j > 0 && a->nproduct >= 0) break;
        for (int i = j; i < m; i++) a->product[i][j] = product(a, a->dF[i], a->dF[j]);
    }
    a->nproduct = m;
}

// Differences of corrections that are rounding say nothing, and may lead anywhere: to another solution, too.
static bool is_leap(const flx_anderson *a, const double *F)
{
    return !(product(a, F, F) <= LEAP * LEAP * product(a, a->F_last, a->F_last));
}

void flx_anderson_step(flx_anderson *a, double *F, bool use)
{
    if (a->has_last) remember(a, F);
    memcpy(a->F_last, F, (size_t)a->n * sizeof *F);
    double rhs[DEPTH] = {0.0}, g[DEPTH];
    int m = a->ndifference;
    if (use) {
        find_products(a);
        for (int i = 0; i < m; i++) rhs[i] = product(a, a->dF[i], F);
        least_squares((const double(*)[DEPTH])a->product, rhs, m, g);
    }
    for (int k = 0; k < m && use; k++) {
        if (!isfinite(g[k])) continue;
        for (int i = 0; i < a->n; i++) F[i] -= g[k] * (a->dU[k][i] + a->dF[k][i]);
    }
    if (use && m > 0 && is_leap(a, F)) {
        memcpy(F, a->F_last, (size_t)a->n * sizeof *F);
        flx_anderson_restart(a);
    }
    memcpy(a->step_last, F, (size_t)a->n * sizeof *F);
    a->has_last = true;
}
