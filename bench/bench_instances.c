// bench_instances - what a further run of a compiled system costs before its first step: an instance, a state, a method.
//
//   chain: N links with revolute joints in space, in coordinates of bodies and of joints; springs: N free bodies, each tied
//   to the next by springs; small ones: examples. Marks: 2 ms with 1000 bodies, 50 us for small systems.
// Then all parameters are set to other values, which all bodies and joints or all springs follow. Mark: 200 us with 1000
// bodies.
// The least of many times: instances are made and destroyed again and again.
//   bench_instances [CASE [N [REPEATS]]]: the one of that number alone, for counting instructions
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"
#include "simulate/simulation_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char chain[] =
    "flexion: 1\n"
    "parameters: {L: 0.1, m: 0.2, J: 1e-4}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  link: {repeat: {i: [1, %d]}, type: rigid, mass: m, inertia: [J, 2*J, 2*J],"
    " position: [(i-0.5)*L, 0, 0]}\n"
    "joints:\n"
    "  first: {type: revolute, on: [ground, link(1)], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  hinge: {repeat: {i: [2, %d]}, type: revolute, on: [link(i-1), link(i)],"
    " at: [(i-1)*L, 0, 0], axis: [0, \"mod(i, 2)\", \"1 - mod(i, 2)\"]}\n"
    "simulate: {until: 1, method: %s, step: 1e-4, formulation: %s}\n"
    "outputs: {every: 1, signals: [energy]}\n";

static const char springs[] =
    "flexion: 1\n"
    "parameters: {k: 100, c: 0.1}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ball: {repeat: {i: [1, %d]}, type: rigid, mass: 0.2, inertia: [1e-4, 2e-4, 2e-4],"
    " position: [0.1*i, 0, 0]}\n"
    "forces:\n"
    "  first: {type: spring, on: [ground, ball(1)], at: [[0, 0.1, 0], ball(1)], stiffness: k,"
    " damping: c, length: 0.1}\n"
    "  tie: {repeat: {i: [2, %d]}, type: spring, on: [ball(i-1), ball(i)],"
    " at: [ball(i-1), ball(i)], stiffness: k, damping: c, length: 0.1}\n"
    "simulate: {until: 1, method: %s, step: 1e-4, formulation: %s}\n"
    "outputs: {every: 1, signals: [energy]}\n";

static const struct {
    const char *name, *text, *formulation, *method;
    int n;
    double most; // us; the mark
} cases[] = {
    {"chain", chain, "index-3", "generalized-alpha", 1000, 2000},
    {"chain", chain, "index-3", "radau", 1000, 2000},
    {"chain", chain, "index-1", "dopri5", 1000, 2000},
    {"chain", chain, "tree", "generalized-alpha", 1000, 2000},
    {"chain", chain, "tree", "radau", 1000, 2000},
    {"chain", chain, "tree", "dopri5", 1000, 2000},
    {"springs", springs, "index-3", "generalized-alpha", 1000, 2000},
    {"springs", springs, "index-3", "radau", 1000, 2000},
    {"springs", springs, "index-1", "dopri5", 1000, 2000},
    {"chain", chain, "index-3", "generalized-alpha", 6, 50},
    {"chain", chain, "tree", "radau", 6, 50},
    {"springs", springs, "index-1", "dopri5", 6, 50},
};

#define SET_MOST 200.0 // us
#define PARAMETERS 8   // at most

typedef struct timed {
    double instance, method, step, next; // s: the first step, and one after it
} timed;

static bool run_once(const flx_system *s, const flx_integrator_def *def, const flx_state *start,
                     timed *out)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_system *own = NULL;
    flx_integrator *it = NULL;
    flx_state *x = NULL;
    double t0 = flx_clock_seconds(), taken;
    bool fine = flx_system_instance(s, ctx, &own) == FLX_OK && flx_state_create(own, &x) == FLX_OK;
    if (fine) flx_state_copy(x, start);
    double t1 = flx_clock_seconds();
    fine = fine && flx_integrator_create(own, def, &it) == FLX_OK;
    double t2 = flx_clock_seconds();
    fine = fine && flx_integrator_step(it, x, def->step, &taken) == FLX_OK;
    double t3 = flx_clock_seconds();
    fine = fine && flx_integrator_step(it, x, def->step, &taken) == FLX_OK;
    double t4 = flx_clock_seconds();
    if (!fine && flx_ctx_error(ctx, 0)) fprintf(stderr, "%s\n", flx_ctx_error(ctx, 0)->text);
    flx_integrator_destroy(&it);
    flx_state_destroy(&x);
    flx_system_destroy(&own);
    flx_ctx_destroy(&ctx);
    out->instance = fmin(out->instance, t1 - t0);
    out->method = fmin(out->method, t2 - t1);
    out->step = fmin(out->step, t3 - t2);
    out->next = fmin(out->next, t4 - t3);
    return fine;
}

// The least time of setting all parameters of an instance to other values; -1: it failed.
static double time_setting(const char *text, int repeats)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_system *s = NULL;
    flx_read_def def = flx_read_def_default(); // all are open
    def.text = text;
    def.length = strlen(text);
    double p[PARAMETERS], least = HUGE_VAL;
    bool fine = flx_model_read_by(ctx, "setting", &def, &m) == FLX_OK &&
                flx_simulation_create_as_it_is(m, &sim) == FLX_OK &&
                flx_system_instance(sim->sys, ctx, &s) == FLX_OK && s->nparameter <= PARAMETERS;
    for (int i = 0; i < 4 * repeats && fine; i++) {
        for (int k = 0; k < s->nparameter; k++) {
            double now = s->param[s->first_parameter + k];
            p[k] = i % 2 == 0 ? 1.01 * now : now / 1.01;
        }
        double t0 = flx_clock_seconds();
        fine = flx_system_set_parameters(s, p) == FLX_OK;
        if (i > 0)
            least = fmin(least, flx_clock_seconds() - t0); // the first makes arrays of its own
    }
    if (!fine && flx_ctx_error(ctx, 0)) fprintf(stderr, "%s\n", flx_ctx_error(ctx, 0)->text);
    flx_system_destroy(&s);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return fine ? least : -1.0;
}

static bool bench(int k, int n, int repeats)
{
    char text[4096];
    snprintf(text, sizeof text, cases[k].text, n, n, cases[k].method, cases[k].formulation);
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    timed t = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
    flx_status status = flx_model_read_text(ctx, cases[k].name, text, strlen(text), 0, NULL, &m);
    double t0 = flx_clock_seconds();
    if (status == FLX_OK) status = flx_simulation_create_as_it_is(m, &sim);
    double compiled = flx_clock_seconds() - t0;
    bool fine = status == FLX_OK;
    for (int i = 0; i < repeats && fine; i++) {
        fine = run_once(sim->sys, &sim->it->def, sim->start, &t);
    }
    if (!fine) fprintf(stderr, "%s\n", flx_ctx_error(ctx, 0) ? flx_ctx_error(ctx, 0)->text : "?");
    double set = fine ? 1e6 * time_setting(text, repeats) : -1.0;
    fine = fine && set >= 0;
    double us = 1e6 * (t.instance + t.method);
    bool met = us <= cases[k].most && set <= SET_MOST;
    printf("%-8s %-8s %-18s %5d %10.1f %10.1f %10.1f %10.1f %10.1f %10.1f %10.1f  %s\n",
           cases[k].name, cases[k].formulation, cases[k].method, n, 1e3 * compiled,
           1e6 * t.instance, 1e6 * t.method, us, 1e6 * t.step, 1e6 * t.next, set,
           met ? "met" : "MISSED");
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return fine;
}

int main(int argc, char **argv)
{
    bool fine = true;
    int one = argc > 1 ? atoi(argv[1]) : -1;
    printf("%-8s %-8s %-18s %5s %10s %10s %10s %10s %10s %10s %10s\n", "model", "form", "method",
           "N", "compile ms", "inst. us", "method us", "sum us", "step 1 us", "step 2 us",
           "set us");
    for (int k = 0; k < (int)(sizeof cases / sizeof cases[0]); k++) {
        if (one >= 0 && k != one) continue;
        int n = argc > 2 ? atoi(argv[2]) : cases[k].n;
        fine = bench(k, n, argc > 3 ? atoi(argv[3]) : n > 100 ? 20 : 200) && fine;
    }
    return !fine;
}
