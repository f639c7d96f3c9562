// bench_steps - time a step of generalized-alpha, index 3, in descriptor form.
//
//   chain: N links with revolute joints in space, axes alternately y and z, hanging from the ground
//   and swinging under gravity, h = 1 ms. The time per body should not grow with N.
//   four-bars: IFToMM's N-four-bar, planar, h = 1 ms, through its singular positions for 10 s; the
//   joints stay closed to rounding and the couplers stay parallel to the ground.
//
// Prints one table each and the ratios to the best peers' published figures.
#include "flexion/flexion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Steps a second of the best published peer on a spatial chain of 400 bodies; microseconds a step
// of the best peer with exact constraints on the N-four-bar with N = 1, 10, 40.
static const double peer_chain_400 = 193.0;
static const double peer_four_bar[3] = {23.0, 203.0, 797.0};

typedef struct run_result {
    double step;     // seconds
    double residual; // largest position residual
    double extreme;  // largest |value| of the first measure
    flx_statistics work;
} run_result;

static int complain(flx_ctx *ctx)
{
    for (int i = 0; flx_ctx_error(ctx, i); i++)
        fprintf(stderr, "%s\n", flx_ctx_error(ctx, i)->text);
    return 0;
}

// The best of `repeats` runs: other load on the machine only ever adds time.
static int run(const char *text, int repeats, run_result *r)
{
    *r = (run_result){.step = (double)INFINITY};
    for (int k = 0; k < repeats; k++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_model *model = NULL;
        flx_simulation *sim = NULL;
        flx_status s = flx_model_read_text(ctx, "bench", text, strlen(text), 0, NULL, &model);
        if (s == FLX_OK) s = flx_simulation_create(model, &sim);
        if (s == FLX_OK) s = flx_simulation_run(sim, 0, NULL, NULL, NULL);
        if (s == FLX_OK) {
            const flx_ledger *l = flx_simulation_ledger(sim);
            r->step = fmin(r->step, l->seconds / (double)l->work.steps);
            r->residual = l->position_residual;
            r->work = l->work;
            if (flx_simulation_metric_count(sim)) flx_simulation_metric(sim, 0, &r->extreme);
        }
        flx_simulation_destroy(&sim);
        flx_model_destroy(&model);
        int ok = s == FLX_OK || complain(ctx);
        flx_ctx_destroy(&ctx);
        if (!ok) return 0;
    }
    return 1;
}

static const char chain_text[] =
    "flexion: 1\n"
    "parameters: {N: %d, l: 0.1, m: 0.2}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  link: {repeat: {i: [1, N]}, type: rigid, mass: m, com: [l/2, 0, 0],"
    " inertia: [1e-5, m*l^2/12, m*l^2/12], position: [(i - 1)*l, 0, 0], points: {end: [l, 0, 0]}}\n"
    "joints:\n"
    "  first: {type: revolute, on: [ground, link(1)], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  pin: {repeat: {i: [2, N]}, type: revolute, on: [link(i-1), link(i)], at: link(i),"
    " axis: [0, \"mod(i, 2)\", \"1 - mod(i, 2)\"]}\n"
    "simulate: {until: %g, method: generalized-alpha, formulation: index-3, step: 1e-3}\n"
    "outputs: {every: %g, signals: [link(1).angle]}\n";

static int run_chain(int n, double until, run_result *r)
{
    char text[4096];
    snprintf(text, sizeof text, chain_text, n, until, until);
    return run(text, n < 1000 ? 40 : 5, r); // short runs are the noisy ones
}

static void bench_chain(void)
{
    const int size[] = {10, 100, 1000, 10000};
    double step[4];
    run_result r;
    printf("chain of N bodies, revolute joints in space, generalized-alpha, h = 1 ms, 0.1 s\n");
    printf("%8s %12s %14s %12s %10s %10s\n", "N", "us/step", "us/step/body", "steps/s", "iter/step",
           "fact/step");
    for (int i = 0; i < 4; i++) {
        if (!run_chain(size[i], 0.1, &r)) return;
        step[i] = r.step;
        printf("%8d %12.1f %14.3f %12.1f %10.2f %10.3f\n", size[i], 1e6 * r.step,
               1e6 * r.step / size[i], 1.0 / r.step,
               (double)r.work.newton_iterations / (double)r.work.steps,
               (double)r.work.factorisations / (double)r.work.steps);
    }
    printf("time per body at 10 000 over that at 100: %.2f (mark: at most 1.5)\n",
           step[3] / 10000 / (step[1] / 100));
    if (!run_chain(400, 1.0, &r)) return;
    printf("N = 400 over 1 s: %.0f steps/s, the best published peer's %.0f times %.1f "
           "(mark: at least 10)\n\n",
           1.0 / r.step, peer_chain_400, 1.0 / r.step / peer_chain_400);
}

static const char four_bar_text[] =
    "flexion: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "parameters: {N: %d}\n"
    "bodies:\n"
    "  crank: {repeat: {i: [0, N]}, type: rigid, mass: 1, com: [0.5, 0], inertia: 1/12,"
    " position: [i, 0], orientation: 90*deg, angular_velocity: -1, points: {end: [1, 0]}}\n"
    "  coupler: {repeat: {i: [1, N]}, type: rigid, mass: 1, com: [0.5, 0], inertia: 1/12,"
    " position: [i - 1, 1], velocity: [1, 0], points: {end: [1, 0]}}\n"
    "joints:\n"
    "  foot: {repeat: {i: [0, N]}, type: revolute, on: [ground, crank(i)], at: crank(i)}\n"
    "  left: {repeat: {i: [1, N]}, type: revolute, on: [crank(i-1), coupler(i)],"
    " at: crank(i-1).end}\n"
    "  right: {repeat: {i: [1, N]}, type: revolute, on: [crank(i), coupler(i)],"
    " at: [crank(i).end, coupler(i).end]}\n"
    "simulate: {until: 10, method: generalized-alpha, formulation: index-3, step: 1e-3}\n"
    "outputs: {every: 0.1, signals: [coupler(1).angle],"
    " metrics: {turned: maximum(abs(coupler(N).angle))}}\n";

static void bench_four_bar(void)
{
    const int size[] = {1, 10, 40};
    printf("N four-bars, planar, index 3, generalized-alpha, h = 1 ms, 10 s\n");
    printf("%8s %12s %12s %10s %10s %12s %14s\n", "N", "us/step", "peer us", "ratio", "fact/step",
           "closure m", "coupler rad");
    for (int i = 0; i < 3; i++) {
        char text[4096];
        snprintf(text, sizeof text, four_bar_text, size[i]);
        run_result r;
        if (!run(text, 3, &r)) return;
        printf("%8d %12.1f %12.0f %10.1f %10.3f %12.1e %14.1e\n", size[i], 1e6 * r.step,
               peer_four_bar[i], peer_four_bar[i] / (1e6 * r.step),
               (double)r.work.factorisations / (double)r.work.steps, r.residual, r.extreme);
    }
    printf("mark at N = 40: at most 160 us, goal 80 us\n");
}

int main(void)
{
    bench_chain();
    bench_four_bar();
    return 0;
}
