// bench_descriptor - time of one residual and one linearisation of the descriptor system.
//
//   chain: N links with revolute joints in space; four-bars: IFToMM's N-four-bar, planar.
// Median and minimum of many calls: a wide gap says that the machine was busy.
#include "descriptor/descriptor.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPEATS 101

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static const char chain[] =
    "flexion: 1\n"
    "parameters: {L: 0.1}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  link: {repeat: {i: [1, %d]}, type: rigid, mass: 0.2, inertia: [1e-4, 2e-4, 2e-4],"
    " position: [(i-0.5)*L, 0, 0]}\n"
    "joints:\n"
    "  first: {type: revolute, on: [ground, link(1)], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  hinge: {repeat: {i: [2, %d]}, type: revolute, on: [link(i-1), link(i)],"
    " at: [(i-1)*L, 0, 0], axis: [0, \"mod(i, 2)\", \"1 - mod(i, 2)\"]}\n"
    "simulate: {until: 1, method: generalized-alpha, step: 1e-3}\n"
    "outputs: {every: 1, signals: [energy]}\n";

static const char four_bars[] =
    "flexion: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  rod: {repeat: {i: [0, %d]}, type: rigid, mass: 1, inertia: 1/12, position: [i, 0.5],"
    " orientation: pi/2}\n"
    "  bar: {repeat: {i: [1, %d]}, type: rigid, mass: 1, inertia: 1/12, position: [i - 0.5, 1]}\n"
    "joints:\n"
    "  foot: {repeat: {i: [0, %d]}, type: revolute, on: [ground, rod(i)], at: [i, 0]}\n"
    "  left: {repeat: {i: [1, %d]}, type: revolute, on: [rod(i-1), bar(i)], at: [i-1, 1]}\n"
    "  right: {repeat: {i: [1, %d]}, type: revolute, on: [rod(i), bar(i)], at: [i, 1]}\n"
    "simulate: {until: 1, method: generalized-alpha, step: 1e-3}\n"
    "outputs: {every: 1, signals: [energy]}\n";

static int measure(const char *name, int n, const flx_system *s, flx_state *x, flx_work *w)
{
    const flx_pattern *p = &s->pattern;
    size_t nvalue = (size_t)p->offset[p->row[p->nblock]];
    size_t size = (size_t)flx_dims_unknowns(&s->dims);
    double *r = flx_alloc(s->ctx, size, sizeof *r), *A = flx_alloc(s->ctx, 3 * nvalue, sizeof *A);
    double us[2][REPEATS];
    if (r && A) {
        flx_blocks b = {A, A + nvalue, A + 2 * nvalue};
        flx_point at = flx_state_point(s, x);
        for (int i = 0; i < s->dims.nlam; i++) x->lam[i] = 0.1 * i;
        for (int k = -3; k < REPEATS; k++) { // negative rounds warm up
            x->q[0] += 1e-9;                 // a new input each call
            double t0 = flx_clock_seconds();
            s->ops->residual(s, w, &at, r);
            double t1 = flx_clock_seconds();
            s->ops->linearise(s, w, &at, &b);
            double t2 = flx_clock_seconds();
            if (k < 0) continue;
            us[0][k] = 1e6 * (t1 - t0);
            us[1][k] = 1e6 * (t2 - t1);
        }
        for (int i = 0; i < 2; i++) qsort(us[i], REPEATS, sizeof us[i][0], by_value);
        printf("%-10s %6d %8zu %10zu %10.2f %10.2f %10.2f %10.2f\n", name, n, size, nvalue,
               us[0][REPEATS / 2], us[0][0], us[1][REPEATS / 2], us[1][0]);
    }
    flx_free(r);
    flx_free(A);
    return r && A;
}

static int bench(const char *name, const char *format, int n)
{
    char text[4096];
    snprintf(text, sizeof text, format, n, n, n, n, n);
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_system *s = NULL;
    flx_state *x = NULL;
    flx_work *w = NULL;
    flx_status status = flx_model_read_text(ctx, name, text, strlen(text), 0, NULL, &m);
    if (status == FLX_OK) status = flx_descriptor_create(m, NULL, &s);
    if (status == FLX_OK) status = flx_state_create(s, &x);
    if (status == FLX_OK) status = flx_descriptor_draw(s, x);
    if (status == FLX_OK) w = s->ops->work_create(s);
    int done = w && measure(name, n, s, x, w);
    if (!done) fprintf(stderr, "%s\n", flx_ctx_error(ctx, 0) ? flx_ctx_error(ctx, 0)->text : "?");
    if (w) s->ops->work_destroy(w);
    flx_state_destroy(&x);
    flx_system_destroy(&s);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return done;
}

int main(void)
{
    printf("%-10s %6s %8s %10s %21s %21s\n", "model", "N", "unknowns", "values",
           "residual us, median min", "linearise us, median min");
    int fine = bench("chain", chain, 100) && bench("chain", chain, 400) &&
               bench("chain", chain, 10000) && bench("four-bars", four_bars, 1) &&
               bench("four-bars", four_bars, 10) && bench("four-bars", four_bars, 40);
    return !fine;
}
