// test_dissipated_measures.c - metrics of the energy dissipated: at the end, at a time, on average, and their slopes.
#include "run_rig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define METRICS 4
#define PARAMS 3

// A mass that a damper brakes: D = m v^2/2 (1 - exp(-2 c t/m)).
#define SLIDE                                                                                      \
    "flexion: 1\nparameters: {m: 2, c: 3, v: 4}\ndimension: 2\n"                                   \
    "bodies: {b: {type: rigid, mass: m, inertia: 1, velocity: [v, 0]}}\n"                          \
    "joints: {r: {type: prismatic, on: [ground, b], at: b, axis: [1, 0]}}\n"                       \
    "forces: {s: {type: spring, on: r, stiffness: 0, damping: c}}\n"                               \
    "outputs:\n  every: 0.05\n  signals: [energy.dissipated]\n"                                    \
    "  metrics: {end: final(energy.dissipated), mid: \"at(energy.dissipated, 0.333)\", "           \
    "mean: mean(energy.dissipated), most: maximum(energy.dissipated)}\n"

static int read_text(rig *r, const char *model, const char *simulate)
{
    char text[2000];
    snprintf(text, sizeof text, "%ssimulate: {until: 1, %s}\n", model, simulate);
    *r = (rig){.ctx = flx_ctx_create()};
    flx_read_def read = flx_read_def_default();
    read.text = text;
    read.length = strlen(text);
    return rig_compile(r, flx_model_read_by(r->ctx, "text", &read, &r->model), true);
}

static void closed_form(const double p[PARAMS], double out[METRICS])
{
    double e = 0.5 * p[0] * p[2] * p[2], rate = 2.0 * p[1] / p[0];
    out[0] = out[3] = e * (1.0 - exp(-rate));
    out[1] = e * (1.0 - exp(-rate * 0.333));
    out[2] = e * (1.0 - (1.0 - exp(-rate)) / rate);
}

static flx_status find(rig *r, flx_gradient_method method, flx_gradient *g)
{
    static const int all[METRICS] = {0, 1, 2, 3};
    flx_gradient_def def = flx_gradient_def_default();
    def.method = method;
    def.nparam = PARAMS;
    def.param = all;
    def.nmetric = METRICS;
    def.metric = all;
    return flx_gradient_find(r->run, &def, g);
}

static int slopes_are_exact(rig *r, double tolerance)
{
    static const double p[PARAMS] = {2.0, 3.0, 4.0};
    flx_gradient g;
    CHECK(find(r, FLX_GRADIENT_DIRECT, &g) == FLX_OK && g.method == FLX_GRADIENT_DIRECT);
    for (int k = 0; k < PARAMS; k++) {
        double high[METRICS], low[METRICS], moved[PARAMS] = {p[0], p[1], p[2]}, e = 1e-5 * p[k];
        moved[k] = p[k] + e;
        closed_form(moved, high);
        moved[k] = p[k] - e;
        closed_form(moved, low);
        for (int i = 0; i < METRICS; i++)
            CHECK_NEAR(g.slope[i * PARAMS + k], (high[i] - low[i]) / (2.0 * e), tolerance * 16.0);
    }
    flx_gradient_clear(&g);
    // what no state knows has no adjoint, which is told, and is not zero
    CHECK(find(r, FLX_GRADIENT_ADJOINT, &g) == FLX_ERR_CANNOT);
    CHECK_TEXT(flx_ctx_error(r->ctx, 0)->text, "has no adjoint");
    return 0;
}

// Values were those of the end of the step before (6 % off in long steps), and means took a second of halving.
static int closed_forms(void)
{
    static const struct {
        const char *simulate;
        double tolerance, slope;
    } cases[] = {{"method: radau, rtol: 1e-9", 1e-8, 1e-6},
                 {"method: dopri5, rtol: 1e-9", 1e-8, -1.0},
                 {"method: radau, step: 0.1", 1e-6, 1e-5},
                 {"method: dopri5, step: 0.05", 1e-6, 1e-5},
                 {"method: bdf, rtol: 1e-9", 1e-7, -1.0},
                 {"method: generalized-alpha, step: 2e-3", 1e-5, 1e-4},
                 {"method: generalized-alpha, rtol: 1e-6", 1e-6, -1.0}};
    static const double p[PARAMS] = {2.0, 3.0, 4.0};
    double exact[METRICS];
    closed_form(p, exact);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rig r;
        CHECK(read_text(&r, SLIDE, cases[i].simulate) == 0);
        CHECK(flx_run_finish(r.run) == FLX_OK);
        const flx_ledger *l = flx_run_ledger(r.run);
        printf("%-40s", cases[i].simulate);
        for (int k = 0; k < METRICS; k++) printf(" %8.1e", l->metrics[k] / exact[k] - 1.0);
        printf(", %ld residuals\n", (long)l->work.residuals);
        for (int k = 0; k < METRICS; k++) CHECK_REL(l->metrics[k], exact[k], cases[i].tolerance);
        CHECK_REL(l->metrics[0], l->dissipated, 1e-13);
        if (cases[i].slope > 0.0) CHECK(slopes_are_exact(&r, cases[i].slope) == 0);
        put_away(&r);
    }
    return 0;
}

// Kicks by a clock whose period is a parameter: power jumps with the velocity, and the jump moves.
static int over_kicks(void)
{
    static const char model[] =
        "flexion: 1\nparameters: {c: 2, every: 0.217, e: 0.7}\ndimension: 2\n"
        "bodies: {b: {type: rigid, mass: 1, inertia: 1, velocity: [1, 0]}}\n"
        "joints: {r: {type: prismatic, on: [ground, b], at: b, axis: [1, 0]}}\n"
        "forces: {s: {type: spring, on: r, stiffness: 30, damping: c}}\n"
        "events: {clock: {every: every, set: {r.rate: -e*r.rate}}}\n"
        "outputs:\n  every: 0.05\n  signals: [energy.dissipated]\n"
        "  metrics: {end: final(energy.dissipated), mean: mean(energy.dissipated), "
        "twice: \"mean(energy.dissipated^2)\", x: integral(r.rate^2)}\n";
    rig r;
    flx_gradient g[2];
    CHECK(read_text(&r, model, "method: radau, rtol: 1e-10, atol: 1e-13") == 0);
    CHECK(find(&r, FLX_GRADIENT_DIRECT, &g[0]) == FLX_OK);
    CHECK(find(&r, FLX_GRADIENT_DIFFERENCES, &g[1]) == FLX_OK);
    CHECK_REL(g[0].value[0], 2.0 * g[0].value[3], 1e-9); // D = int c v^2
    for (int i = 0; i < METRICS; i++) {
        for (int k = 0; k < PARAMS; k++)
            CHECK_NEAR(g[0].slope[i * PARAMS + k], g[1].slope[i * PARAMS + k], 2e-7);
    }
    for (int k = 0; k < 2; k++) flx_gradient_clear(&g[k]);
    put_away(&r);
    return 0;
}

TEST_MAIN(TEST(closed_forms), TEST(over_kicks))
