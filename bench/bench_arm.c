// bench_arm.c - a million steps of a seven-axis arm under gravity with DOPRI5: how many times faster than the
// arm itself, and instructions a step; as one run, or as a loop that advances it step by step.
//
//   bench_arm [STEPS] [loop]
#define _DEFAULT_SOURCE // syscall
#include "counter.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEP 1e-3 // seconds: smooth to six digits for an arm that falls

static const char text[] =
    "flexion: 1\ntitle: Seven-axis arm under gravity\ngravity: [0, 0, -9.81]\nparameters:\n"
    "  z: [0, 0.34, 0.34, 0.74, 0.74, 1.14, 1.14, 1.266]\n"
    "  m: [5.76, 6.35, 3.5, 3.5, 3.5, 1.8, 1.2]\n"
    "  ax: [[0, 0, 1], [0, 1, 0], [0, 0, 1], [0, -1, 0], [0, 0, 1], [0, 1, 0], [0, 0, 1]]\n"
    "  q0: [0, 30*deg, 0, -60*deg, 0, 45*deg, 0]\nbodies:\n"
    "  link: {repeat: {i: [1, 7]}, type: rigid, mass: m(i), com: [0, 0, (z(i+1) - z(i))/2], "
    "inertia: "
    "[0.03, 0.03, 0.01], position: [0, 0, z(i)]}\njoints:\n"
    "  base: {type: revolute, on: [ground, link(1)], at: link(1), axis: ax(1), initial: {angle: "
    "q0(1), "
    "rate: 0.5}}\n"
    "  axis: {repeat: {i: [2, 7]}, type: revolute, on: [link(i-1), link(i)], at: link(i), axis: "
    "ax(i), "
    "initial: {angle: q0(i), rate: 0}}\n"
    "simulate: {until: %.17g, method: dopri5, formulation: tree, step: %g}\n"
    "outputs: {times: [%.17g], signals: [axis(2).angle, energy.total]}\n";

// Every step is a call of its own.
static flx_status run_loop(flx_model *m, flx_ctx *ctx, long steps, flx_ledger *out)
{
    flx_system *s = NULL;
    flx_run *run = NULL;
    flx_status status = flx_system_compile(m, NULL, ctx, &s);
    if (status == FLX_OK) status = flx_run_create(s, NULL, ctx, &run);
    for (long k = 1; k <= steps && status == FLX_OK; k++) {
        status = flx_run_advance(run, (double)k * STEP);
    }
    if (status == FLX_OK) *out = *flx_run_ledger(run);
    flx_run_destroy(&run);
    flx_system_destroy(&s);
    return status;
}

int main(int argc, char **argv)
{
    long steps = argc > 1 ? atol(argv[1]) : 1000000;
    double until = STEP * (double)steps;
    char model[2000];
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    int counter = counter_open();
    snprintf(model, sizeof model, text, until, STEP, until);
    flx_status status = flx_model_read_text(ctx, "arm", model, strlen(model), 0, NULL, &m);
    int loop = argc > 2;
    flx_ledger ledger = {0};
    if (status == FLX_OK && !loop) status = flx_simulation_create(m, &sim);
    long long before = counter_read(counter);
    clock_t t0 = clock(); // of the processor: others may be busy, too
    if (status == FLX_OK && loop) status = run_loop(m, ctx, steps, &ledger);
    if (status == FLX_OK && !loop) status = flx_simulation_run(sim, 0, NULL, NULL, NULL);
    if (sim) ledger = *flx_simulation_ledger(sim);
    long long after = counter_read(counter);
    double seconds = (double)(clock() - t0) / CLOCKS_PER_SEC;
    if (status == FLX_OK) {
        const flx_ledger *l = &ledger;
        double n = (double)l->work.steps;
        printf(
            "seven-axis arm, dopri5, step %g s: %ld steps, %.3f us a step, %.0f times real time, "
            "energy drift %.1e\n",
            STEP, l->work.steps, 1e6 * seconds / n, l->t / seconds, l->energy_drift);
        if (before >= 0) {
            printf("instructions a step: %.0f\n", (double)(after - before) / n);
        } else {
            printf("instructions are not counted here; valgrind --tool=callgrind counts them\n");
        }
    } else {
        const flx_message *e = flx_ctx_error(ctx, 0);
        fprintf(stderr, "bench_arm: %s\n", e ? e->text : flx_status_text(status));
    }
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return status == FLX_OK ? 0 : 1;
}
