// bench_reduction.c - the arm of examples/elastic_arm.msh reduced to shapes with a known error: how many are needed, what a number
// of them leaves, and what it costs. Marks: errors 1.5 times those of the prototype that the method was made by.
#ifndef BENCH_EXAMPLES
#define BENCH_EXAMPLES "examples"
#endif

#include "flexion/flexion.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char text[] = "flexion: 1\n"
                           "bodies:\n"
                           "  arm:\n"
                           "    type: flexible\n"
                           "    fe: {mesh: " BENCH_EXAMPLES
                           "/elastic_arm.msh, material: {E: 7e10, nu: 0.33, density: 2700, "
                           "loss: 0.02}}\n"
                           "    reduce: {type: band, to: 2000, %s, interfaces: [hub, tip]}\n"
                           "simulate: {until: 1}\n";

// Reads the arm with some keys of `reduce`; seconds of this thread. NULL: refused.
static const flx_reduction_report *reduce(flx_ctx *ctx, const char *keys, flx_model **model,
                                          double *seconds)
{
    char whole[1000];
    clock_t start = clock();
    snprintf(whole, sizeof whole, text, keys);
    if (flx_model_read_text(ctx, "arm.yaml", whole, strlen(whole), 0, NULL, model) != FLX_OK)
        return NULL;
    *seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    return flx_model_elastic_report(*model, 0);
}

static double worst_of(const flx_reduction_report *p)
{
    double most = 0;
    for (int i = 0; i < p->ncondition; i++) most = fmax(most, p->conditions[i].error);
    return most;
}

int main(void)
{
    static const struct {
        const char *keys;
        double mark; // of the error; 0: of the number of shapes
        int shapes;
    } rows[] = {{"shapes: 20", 5.2e-3, 0},  {"shapes: 23", 6.6e-4, 0},
                {"shapes: 24", 1.4e-4, 0},  {"shapes: 26", 3.5e-5, 0},
                {"tolerance: 1e-3", 0, 24}, {"tolerance: 1e-3, conditions: [hub]", 0, 16}};
    int missed = 0;
    printf("%-36s %6s %9s %9s %9s %9s %7s\n", "band to 2000 Hz", "shapes", "error", "mark",
           "estimate", "proof", "CPU s");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_model *model = NULL;
        double seconds = 0;
        const flx_reduction_report *p = reduce(ctx, rows[i].keys, &model, &seconds);
        if (!p) {
            printf("%s: refused\n", rows[i].keys);
            return 1;
        }
        double error = worst_of(p);
        bool met = rows[i].mark > 0 ? error <= rows[i].mark : p->shapes <= rows[i].shapes;
        printf("%-36s %6d %9.1e", rows[i].keys, p->shapes, error);
        if (rows[i].mark > 0) {
            printf(" %9.1e", rows[i].mark);
        } else {
            printf(" %9d", rows[i].shapes);
        }
        printf(" %9.0e %9.0e %7.2f%s\n", p->known, p->proved, seconds, met ? "" : "  MISSED");
        missed += !met;
        flx_model_destroy(&model);
        flx_ctx_destroy(&ctx);
    }
    return missed > 0;
}
