// bench_control.c - linear models: A and B of the cart with a pole against the closed form; 1 000 frequencies of a chain of
// 2 000 links (10 000 unknowns), one input, one thread; regulators with 100 and 400 states. CPU seconds beside the marks.
#include "flexion/control.h"
#include "flexion/flexion.h"
#include "flexion/linear.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    return (double)clock() / (double)CLOCKS_PER_SEC;
}

// The last analysis of a model.
static flx_status analyse(flx_ctx *ctx, const char *text, flx_finding *out)
{
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_status status = flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &model);
    if (status == FLX_OK) status = flx_simulation_create_to_analyse(model, &sim);
    if (status == FLX_OK) status = flx_simulation_analyse(sim, 0, out);
    if (status != FLX_OK && flx_ctx_error_count(ctx) > 0) puts(flx_ctx_error(ctx, 0)->text);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    return status;
}

static const double *matrix(const flx_finding *f, const char *name)
{
    for (int i = 0; i < f->ntable; i++) {
        if (strcmp(f->tables[i].name, name) == 0) return f->tables[i].values;
    }
    return NULL;
}

static void cart_pole(flx_ctx *ctx)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies:\n"
        "  cart: {type: rigid, mass: 1, inertia: 0.1}\n"
        "  rod: {type: rigid, mass: 0.2, inertia: 0.2*0.6^2/12, position: [0, 0.3]}\n"
        "joints:\n"
        "  rail: {type: prismatic, on: [ground, cart], at: [0, 0], axis: [1, 0]}\n"
        "  hinge: {type: revolute, on: [cart, rod], at: [0, 0]}\n"
        "inputs: {F: 0}\n"
        "forces: {motor: {type: force, on: rail, value: F}}\n"
        "analyse: {plant: {type: linear, states: [rail.displacement, hinge.angle, rail.rate, "
        "hinge.rate]}}\n";
    static const double A[16] = {
        0, 0, 1, 0, 0, 0, 0, 1, 0, 1.401428571428572, 0, 0, 0, 28.028571428571436, 0, 0};
    static const double B[4] = {0, 0, 0.9523809523809523, 2.3809523809523814};
    flx_finding f = {0};
    double off = 0.0, begun = seconds();
    if (analyse(ctx, text, &f) != FLX_OK) return;
    double needed = seconds() - begun;
    for (int i = 0; i < 16; i++) off = fmax(off, fabs(matrix(&f, "A")[i] - A[i]) / 28.0);
    for (int i = 0; i < 4; i++) off = fmax(off, fabs(matrix(&f, "B")[i] - B[i]) / 2.38);
    printf("%-44s %10.2g  mark 1e-9   %8.4f s\n", "A, B of cart and pole, relative error", off,
           needed);
    flx_finding_clear(&f);
}

static void chain(flx_ctx *ctx)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {n: 2000, l: 0.05}\n"
        "bodies:\n"
        "  link: {repeat: {i: [1, n]}, type: rigid, mass: 0.1, inertia: 1e-4, position: [0, -(i - "
        "0.5)*l]}\n"
        "joints:\n"
        "  top: {type: revolute, on: [ground, link(1)], at: [0, 0]}\n"
        "  pin: {repeat: {i: [2, n]}, type: revolute, on: [link(i - 1), link(i)], at: [0, -(i - "
        "1)*l]}\n"
        "inputs: {F: 0}\n"
        "forces:\n"
        "  push: {type: force, on: link(1000), value: [F, 0]}\n"
        "  rub: {repeat: {i: [1, n]}, type: force, on: link(i), value: [\"-link(i).velocity.x\", "
        "0]}\n"
        "simulate: {until: 1, method: radau, formulation: index-3, rtol: 1e-6}\n"
        "analyse: {bode: {type: frequency, outputs: [link(n).position.x], from: 0.1, to: 20, "
        "count: %d}}\n";
    char few[2000], many[2000];
    flx_finding f = {0};
    snprintf(few, sizeof few, text, 2);
    snprintf(many, sizeof many, text, 1002);
    double begun = seconds();
    if (analyse(ctx, few, &f) != FLX_OK) return;
    double fixed = seconds() - begun;
    flx_finding_clear(&f);
    begun = seconds();
    if (analyse(ctx, many, &f) != FLX_OK) return;
    printf("%-44s %10.2f  mark 6 s    (%d peaks sought as well)\n",
           "1 000 frequencies, 10 000 unknowns, s", seconds() - begun - fixed,
           f.ntable > 1 ? f.tables[1].nrow : 0);
    flx_finding_clear(&f);
}

// A chain of masses on springs and dampers, pushed at its end.
static void regulator(flx_ctx *ctx, int n, const char *mark)
{
    size_t size = (size_t)n * (size_t)n;
    double *A = calloc(size, sizeof *A), *B = calloc((size_t)n, sizeof *B);
    double *Q = calloc(size, sizeof *Q), *K = calloc((size_t)n, sizeof *K), R = 0.1;
    int m = n / 2;
    for (int i = 0; A && i < m; i++) {
        A[i * n + m + i] = 1.0;
        A[(m + i) * n + i] = -20.0;
        A[(m + i) * n + m + i] = -0.1;
        if (i > 0) A[(m + i) * n + i - 1] = 10.0;
        if (i + 1 < m) A[(m + i) * n + i + 1] = 10.0;
    }
    for (int i = 0; Q && i < n; i++) Q[i * n + i] = 1.0;
    if (B) B[n - 1] = 1.0;
    double begun = seconds();
    flx_status status =
        A && B && Q && K ? flx_lqr_find(ctx, n, 1, A, B, Q, &R, 0.0, K, NULL) : FLX_ERR_MEMORY;
    char name[60];
    snprintf(name, sizeof name, "regulator with %d states, s", n);
    printf("%-44s %10.3f  mark %-6s %s\n", name, seconds() - begun, mark,
           status == FLX_OK ? "" : "failed");
    free(A);
    free(B);
    free(Q);
    free(K);
}

int main(void)
{
    flx_ctx *ctx = flx_ctx_create();
    cart_pole(ctx);
    regulator(ctx, 100, "0.1 s");
    regulator(ctx, 400, "10 s");
    chain(ctx);
    flx_ctx_destroy(&ctx);
    return 0;
}
