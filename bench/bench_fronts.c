// bench_fronts.c - a large structure factored by 1, 2, 4, ... threads: a block of 30 x 30 x 34 nodes with three unknowns each, coupled
// to their 26 neighbours, as of hexahedra: 92 000 unknowns. Seconds of the clock, work in 10^9 operations a second; the solutions
// have the same bits. Mark: 1.8 times faster by two threads, where two processors are free. An argument: the most threads.
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): for the clock
#include "math/frontal/frontal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NX 30
#define NY 30
#define NZ 34
#define EACH 3
#define CORNERS 8

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static flx_status make_block(flx_ctx *ctx, flx_symmetric *A, int *group)
{
    int cells = (NX - 1) * (NY - 1) * (NZ - 1), width = CORNERS * EACH;
    int64_t *first = malloc(((size_t)cells + 1) * sizeof *first);
    int *list = malloc((size_t)cells * (size_t)width * sizeof *list);
    if (!first || !list) return FLX_ERR_MEMORY;
    int64_t used = 0;
    for (int e = 0; e < cells; e++) {
        int i = e % (NX - 1), j = e / (NX - 1) % (NY - 1), k = e / ((NX - 1) * (NY - 1));
        first[e] = used;
        for (int c = 0; c < CORNERS; c++) {
            int node = (i + (c & 1)) + NX * ((j + (c >> 1 & 1)) + NY * (k + (c >> 2)));
            for (int d = 0; d < EACH; d++) list[used++] = node * EACH + d;
        }
    }
    first[cells] = used;
    int n = NX * NY * NZ * EACH;
    flx_status status = flx_symmetric_init(ctx, n, cells, first, list, A);
    for (int i = 0; i < n; i++) group[i] = i / EACH;
    for (int j = 0; j < n && status == FLX_OK; j++) {
        for (int64_t p = A->start[j]; p < A->start[j + 1]; p++)
            A->value[p] = A->row[p] == j ? 60 : -0.5 + 0.01 * ((A->row[p] * 7 + j * 3) % 11);
    }
    free(first);
    free(list);
    return status;
}

int main(int argc, char **argv)
{
    static int group[NX * NY * NZ * EACH];
    static double x[NX * NY * NZ * EACH], one[NX * NY * NZ * EACH];
    int most = argc > 1 ? atoi(argv[1]) : (int)sysconf(_SC_NPROCESSORS_ONLN),
        n = NX * NY * NZ * EACH;
    flx_ctx *ctx = flx_ctx_create();
    flx_symmetric A = {0};
    flx_frontal *f = NULL;
    double single = 0;
    int differs = 0;
    flx_status status = make_block(ctx, &A, group);
    if (status == FLX_OK) status = flx_frontal_create(ctx, &A, group, &f);
    for (int threads = 1; threads <= most && status == FLX_OK; threads *= 2) {
        double best = 1e300;
        flx_frontal_set_threads(threads);
        for (int turn = 0; turn < 3 && status == FLX_OK; turn++) {
            double start = now();
            status = flx_frontal_factor(f, 1, &A, 0, NULL);
            double seconds = now() - start;
            if (seconds < best) best = seconds;
        }
        if (status == FLX_OK) status = flx_frontal_reserve(f, 1);
        if (status != FLX_OK) break;
        for (int i = 0; i < n; i++) x[i] = 1 + i % 5;
        flx_frontal_solve(f, 1, x);
        if (threads == 1) {
            single = best;
            memcpy(one, x, sizeof x);
            printf("%d unknowns, %.0f million numbers in L, %.0f Gflop\n", n,
                   flx_frontal_get_report(f).fill * 1e-6, flx_frontal_get_report(f).flops * 1e-9);
            printf("%8s %8s %8s %10s %s\n", "threads", "s", "Gflop/s", "faster by", "bits");
        }
        int same = memcmp(x, one, sizeof x) == 0;
        differs += !same;
        printf("%8d %8.2f %8.1f %10.2f %s\n", threads, best,
               1e-9 * flx_frontal_get_report(f).flops / best, single / best,
               same ? "the same" : "DIFFER");
    }
    flx_frontal_destroy(&f);
    flx_symmetric_clear(&A);
    flx_ctx_destroy(&ctx);
    return status != FLX_OK || differs > 0;
}
