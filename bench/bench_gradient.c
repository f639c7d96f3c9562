// bench_gradient.c - what derivatives of a run cost, in runs of the same model in the same process: a chain with as many masses as
// parameters, by (SEN-2), and some of them by (SEN-1). CPU seconds beside the marks.
#include "flexion/flexion.h"
#include "flexion/sensitivity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MASSES 1000
#define STEPS 2000
#define SOME 5

static double seconds(void)
{
    return (double)clock() / (double)CLOCKS_PER_SEC;
}

// Points on springs, all in motion; masses are parameters of their own.
static char *chain(void)
{
    size_t room = 400 * (size_t)MASSES + 4000, at = 0;
    char *text = malloc(room);
    if (!text) return NULL;
    at += (size_t)snprintf(text + at, room - at, "flexion: 1\ndimension: 2\nparameters:\n");
    for (int i = 1; i <= MASSES; i++)
        at += (size_t)snprintf(text + at, room - at, "  m%d: %.1f\n", i, 1.0 + 0.1 * (i % 7));
    at += (size_t)snprintf(text + at, room - at, "bodies:\n");
    for (int i = 1; i <= MASSES; i++)
        at += (size_t)snprintf(text + at, room - at,
                               "  b%d: {type: point, mass: m%d, position: [%.1f, 0], velocity: "
                               "[%.1f, %.2f]}\n",
                               i, i, 0.1 * i, 0.1 * (i * 7 % 5 - 2), 0.05 * (i * 3 % 7 - 3));
    at += (size_t)snprintf(text + at, room - at, "forces:\n");
    for (int i = 1; i <= MASSES; i++) {
        char from[20] = "ground", place[20] = "[0, 0]";
        if (i > 1) snprintf(from, sizeof from, "b%d", i - 1);
        if (i > 1) snprintf(place, sizeof place, "b%d", i - 1);
        at += (size_t)snprintf(text + at, room - at,
                               "  s%d: {type: spring, on: [%s, b%d], at: [%s, b%d], stiffness: "
                               "1e5, length: 0.09, damping: 1}\n",
                               i, from, i, place, i);
    }
    snprintf(text + at, room - at,
             "simulate: {until: %g, method: generalized-alpha, step: 1e-3}\n"
             "outputs: {metrics: {J: integral(b%d.position.y^2)}}\n",
             1e-3 * STEPS, MASSES);
    return text;
}

static flx_status find(flx_run *run, flx_gradient_method method, int nparam, const int *params,
                       double *needed, double *value)
{
    const int metric = 0;
    flx_gradient g;
    flx_gradient_def def = flx_gradient_def_default();
    def.method = method;
    def.nparam = nparam;
    def.param = params;
    def.nmetric = 1;
    def.metric = &metric;
    double begun = seconds();
    flx_status status = flx_gradient_find(run, &def, &g);
    *needed = seconds() - begun;
    for (int i = 0; i < nparam && status == FLX_OK; i++) value[i] = g.slope[i];
    flx_gradient_clear(&g);
    return status;
}

static flx_status measure(flx_ctx *ctx)
{
    static int params[MASSES];
    static double back[MASSES], along[MASSES];
    flx_model *model = NULL;
    flx_system *system = NULL;
    flx_run *run = NULL;
    double plain, adjoint = 0.0, direct = 0.0, most = 0.0, off = 0.0;
    char *text = chain();
    for (int i = 0; i < MASSES; i++) params[i] = i;
    flx_read_def read = flx_read_def_default();
    read.text = text;
    read.length = text ? strlen(text) : 0;
    flx_status status = text ? flx_model_read_by(ctx, "chain", &read, &model) : FLX_ERR_MEMORY;
    flx_compile_def compile = flx_compile_def_default();
    flx_run_def def = flx_run_def_default();
    if (status == FLX_OK) status = flx_system_compile(model, &compile, ctx, &system);
    if (status == FLX_OK) status = flx_run_create(system, &def, ctx, &run);
    double begun = seconds();
    if (status == FLX_OK) status = flx_run_finish(run);
    plain = seconds() - begun;
    if (status == FLX_OK) status = find(run, FLX_GRADIENT_ADJOINT, MASSES, params, &adjoint, back);
    if (status == FLX_OK)
        status = find(run, FLX_GRADIENT_DIRECT, SOME, params + MASSES - SOME, &direct, along);
    for (int i = 0; i < SOME; i++) {
        double d = back[MASSES - SOME + i] - along[i];
        if (along[i] > most || -along[i] > most) most = along[i] > 0.0 ? along[i] : -along[i];
        if (d > off || -d > off) off = d > 0.0 ? d : -d;
    }
    if (status == FLX_OK) {
        printf("%-52s %8.3f s\n", "a run of 1000 masses, 2000 steps", plain);
        printf("%-52s %8.3f s  %6.2f runs  mark 3\n", "adjoint gradient by 1000 masses", adjoint,
               adjoint / plain);
        printf("%-52s %8.3f s  %6.2f runs  mark %.1f\n", "direct gradient by the last 5 of them",
               direct, direct / plain, 1.0 + 0.2 * SOME);
        printf("%-52s %8.1e\n", "adjoint against direct", off / most);
    }
    if (status != FLX_OK && flx_ctx_error_count(ctx) > 0) puts(flx_ctx_error(ctx, 0)->text);
    flx_run_destroy(&run);
    flx_system_destroy(&system);
    flx_model_destroy(&model);
    free(text);
    return status;
}

int main(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_status status = ctx ? measure(ctx) : FLX_ERR_MEMORY;
    flx_ctx_destroy(&ctx);
    return status == FLX_OK ? 0 : 1;
}
