// bench_ldl.c - times of the block LDL^T on the matrices of mechanisms: chains of spatial bodies
// with revolute joints, and planar N-four-bars. Median and minimum of many repeats; a wide gap
// between them says that the machine was busy.
#include "base/common.h"
#include "math/ldl/ldl.h"
#include "saddle_matrix.h"

#include <stdio.h>
#include <time.h>

enum { REPEATS = 31 };

typedef struct timing {
    double median, least; // microseconds
} timing;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static timing summary(double *t)
{
    qsort(t, REPEATS, sizeof *t, by_value);
    return (timing){t[REPEATS / 2], t[0]};
}

static double sink;

static void bench(const char *name, int bodies, saddle_matrix *m)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_ldl *f = NULL;
    double *b = sm_zeroed(m->n, sizeof *b), t[REPEATS];
    double complex *z = sm_zeroed(m->nvalue, sizeof *z), *zb = sm_zeroed(m->n, sizeof *zb);
    int calls = 1 + 20000 / m->n;

    for (int r = 0; r < REPEATS; r++) {
        flx_ldl_destroy(&f);
        double t0 = now();
        if (flx_ldl_create(ctx, &m->pattern, m->sign, false, &f) != FLX_OK) return;
        t[r] = now() - t0;
    }
    timing create = summary(t);
    flx_ldl_equilibrate(f, m->values);

    flx_status status = FLX_OK;
    for (int r = -3; r < REPEATS; r++) { // negative rounds warm up caches and clocks
        double t0 = now();
        for (int c = 0; c < calls; c++) {
            m->values[0] *= 1 + 1e-12;
            status |= flx_ldl_factor(f, m->values);
        }
        if (r >= 0) t[r] = (now() - t0) / calls;
    }
    timing factor = summary(t);
    flx_ldl_report report = flx_ldl_get_report(f);

    for (int r = -3; r < REPEATS; r++) {
        for (int i = 0; i < m->n; i++) b[i] = 1.0 / (1 + i % 7);
        double t0 = now();
        for (int c = 0; c < calls; c++) {
            b[0] = 1;
            flx_ldl_solve(f, b);
            sink += b[0];
        }
        if (r >= 0) t[r] = (now() - t0) / calls;
    }
    timing solve = summary(t);
    long fill = flx_ldl_fill(f);
    double flops = flx_ldl_flops(f);

    flx_ldl_destroy(&f);
    if (flx_ldl_create(ctx, &m->pattern, m->sign, true, &f) != FLX_OK) return;
    for (int k = 0; k < m->nvalue; k++) z[k] = sm_complex(m->values[k], 0.1 * m->values[k]);
    for (int r = -3; r < REPEATS; r++) {
        double t0 = now();
        for (int c = 0; c < calls; c++) status |= flx_ldl_factor_complex(f, z);
        if (r >= 0) t[r] = (now() - t0) / calls;
    }
    timing zfactor = summary(t);
    for (int r = -3; r < REPEATS; r++) {
        for (int i = 0; i < m->n; i++) zb[i] = 1.0 / (1 + i % 7);
        double t0 = now();
        for (int c = 0; c < calls; c++) {
            zb[0] = 1;
            flx_ldl_solve_complex(f, zb);
            sink += creal(zb[0]);
        }
        if (r >= 0) t[r] = (now() - t0) / calls;
    }
    timing zsolve = summary(t);

    printf("%-10s %6d %7d %8ld %8.0f | %9.1f | %9.2f %9.2f | %8.2f %8.2f | %9.2f %8.2f | %7.1f%s\n",
           name, bodies, m->n, fill, 1e-3 * flops, create.least, factor.median, factor.least,
           solve.median, solve.least, zfactor.least, zsolve.least, 1e3 * factor.least / bodies,
           status != FLX_OK || report.regularised || report.negative != m->nconstraint_rows
               ? "  WRONG"
               : "");
    flx_ldl_destroy(&f);
    flx_ctx_destroy(&ctx);
    free(b);
    free(z);
    free(zb);
}

// Bodies of one metre along x, hinges about y at their ends, one kilogram each.
static void chain_values(saddle_matrix *m, int n)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) *sm_at(m, i, i, k, k) = 1;
        for (int k = 3; k < 6; k++) *sm_at(m, i, i, k, k) = k == 3 ? 0.01 : 1.0 / 12;
    }
    for (int j = 0; j < n; j++) {
        for (int side = 0; side < 2; side++) {
            int body = j - side;
            if (body < 0) continue;
            double s = side ? -1 : 1, arm = side ? 0.5 : -0.5;
            for (int k = 0; k < 3; k++) sm_set_both(m, n + j, body, k, k, s);
            sm_set_both(m, n + j, body, 1, 5, s * arm);
            sm_set_both(m, n + j, body, 2, 4, -s * arm);
            sm_set_both(m, n + j, body, 3, 3, s);
            sm_set_both(m, n + j, body, 4, 5, s);
        }
    }
}

int main(void)
{
    printf("microseconds; fill in numbers, work in thousand operations\n");
    printf("%-10s %6s %7s %8s %8s | %9s | %9s %9s | %8s %8s | %9s %8s | %s\n", "matrix", "bodies",
           "n", "fill", "work", "analyse", "factor", "least", "solve", "least", "z factor",
           "z solve", "ns/body");
    for (int n = 10; n <= 10000; n = n == 100 ? 400 : n == 400 ? 1000 : 10 * n) {
        saddle_matrix m = {0};
        sm_chain(&m, n);
        sm_finish(&m, true);
        chain_values(&m, n);
        bench("chain", n, &m);
        sm_free(&m);
    }
    const int loops[] = {1, 10, 40, 1000};
    for (int k = 0; k < 4; k++) {
        int n = loops[k];
        saddle_matrix m = {0};
        sm_four_bars(&m, n);
        sm_finish(&m, true);
        sm_four_bar_values(&m, n, 0.8);
        bench("four-bars", 2 * n + 1, &m);
        sm_free(&m);
    }
    return sink == 0.123;
}
