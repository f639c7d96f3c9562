// bench_expr.c - time an instruction of a program takes, for random expressions of twelve inputs
// with their twelve derivatives, without and with sines and cosines. Median and minimum of many
// repeats; a wide gap between them says that the machine was busy.
#include "base/common.h"
#include "expr/expr.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 21, INPUTS = 12 };

static double sink;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static flx_node random_expression(flx_graph *g, uint32_t *seed, int depth, bool trig)
{
    static const flx_op ops[] = {FLX_OP_ADD, FLX_OP_SUB, FLX_OP_MUL, FLX_OP_MUL};
    *seed = *seed * 1664525u + 1013904223u;
    uint32_t k = *seed >> 16;
    if (depth == 0) return flx_graph_leaf(g, k % INPUTS);
    flx_node a = random_expression(g, seed, depth - 1, trig);
    flx_node b = random_expression(g, seed, depth - 1, trig);
    if (trig && k % 9 == 0) return flx_graph_unary(g, k & 1024 ? FLX_OP_SIN : FLX_OP_COS, a);
    return flx_graph_binary(g, ops[k % 4], a, b);
}

// Nanoseconds an instruction, sorted.
static void measure(const flx_program *p, double *scratch, double *ns)
{
    int length = flx_program_length(p), calls = 1 + 2000000 / (length + 1);
    double in[INPUTS], out[INPUTS + 1];
    for (int r = -3; r < REPEATS; r++) { // negative rounds warm up caches and clocks
        double t0 = now();
        for (int c = 0; c < calls; c++) {
            for (int i = 0; i < INPUTS; i++) in[i] = 0.3 + 0.01 * i + 1e-9 * c;
            flx_program_eval(p, in, scratch, out);
            sink += out[c % (INPUTS + 1)];
        }
        if (r >= 0) ns[r] = (now() - t0) / calls / length;
    }
    qsort(ns, REPEATS, sizeof *ns, by_value);
}

static void bench(int depth, bool trig)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_graph *g = ctx ? flx_graph_create(ctx) : NULL;
    flx_program *p = NULL;
    flx_leaf leaves[INPUTS];
    flx_node out[INPUTS + 1];
    double ns[REPEATS], *scratch = NULL;
    uint32_t seed = 7;
    if (g) {
        out[0] = random_expression(g, &seed, depth, trig);
        double t0 = now();
        for (int i = 0; i < INPUTS; i++) {
            leaves[i] = (flx_leaf)i;
            out[i + 1] = flx_graph_derive(g, out[0], flx_leaf_partial, &leaves[i]);
        }
        double derive = now() - t0;
        t0 = now();
        flx_status status = flx_program_compile(g, INPUTS, leaves, INPUTS + 1, out, &p);
        double compile = now() - t0;
        if (status == FLX_OK) {
            scratch = flx_alloc(ctx, (size_t)flx_program_scratch(p), sizeof(double));
        }
        if (scratch) {
            measure(p, scratch, ns);
            printf("%s,%d,%.1f,%.1f,%.2f,%.2f\n", trig ? "with sin and cos" : "polynomial",
                   flx_program_length(p), 1e-3 * derive, 1e-3 * compile, ns[REPEATS / 2], ns[0]);
        }
    }
    flx_free(scratch);
    flx_program_destroy(&p);
    flx_graph_destroy(&g);
    flx_ctx_destroy(&ctx);
}

int main(void)
{
    printf("expression,instructions,derive_us,compile_us,median_ns,least_ns\n");
    for (int depth = 4; depth <= 12; depth += 2) bench(depth, false);
    for (int depth = 4; depth <= 12; depth += 2) bench(depth, true);
    return sink == 0.0;
}
