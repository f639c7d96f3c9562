// test_gradient_structural.c - slopes by parameters that a model is made of: it is read anew for them.
#include "check.h"
#include "findings.h"

#include <math.h>

#define ARM                                                                                        \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {L: 0.8, h: 0.008, m: 0.3}\n"      \
    "bodies:\n  arm:\n    type: flexible\n"                                                        \
    "    fe: {line: [[0, 0], [L, 0]], theory: euler-bernoulli, section: {width: 0.02, height: "    \
    "h}, material: {E: 7e10, nu: 0.3, density: 2700}}\n"                                           \
    "    reduce: {type: shapes, shapes: [[0, s^2], [0, s^3]]}\n"                                   \
    "    damping: {rayleigh: [0.1, 1e-3]}\n"                                                       \
    "  tip: {type: point, mass: m, position: [L, 0]}\n"                                            \
    "joints: {A: {type: revolute, on: [ground, arm], at: arm.start}, B: {type: fixed, on: "        \
    "[arm, tip], at: arm.end}}\n"                                                                  \
    "forces: {s: {type: spring, on: A, stiffness: 30, damping: 0.5}}\n"                            \
    "simulate: {until: 0.6, method: radau, rtol: 1e-9}\n"                                          \
    "outputs: {metrics: {low: final(tip.position.y), bent: \"integral(arm.mode(1)^2)\"}}\n"

// Metrics of the arm with a parameter elsewhere.
static int metrics_with(const char *setting, double value[2])
{
    const char *const set[] = {setting};
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    CHECK(flx_model_read_text(ctx, "model", ARM, strlen(ARM), 1, set, &m) == FLX_OK);
    CHECK(flx_simulation_create(m, &sim) == FLX_OK);
    CHECK(flx_simulation_run(sim, 0, NULL, NULL, NULL) == FLX_OK);
    for (int i = 0; i < 2; i++) CHECK(flx_simulation_metric(sim, i, value + i));
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int slope_by_runs(const char *name, double at, double slope[2])
{
    static const double places[] = {-2, -1, 1, 2}, weights[] = {1, -8, 8, -1};
    double e = 5e-3 * at;
    slope[0] = slope[1] = 0.0;
    for (int i = 0; i < 4; i++) {
        char set[60];
        double value[2];
        snprintf(set, sizeof set, "%s=%.17g", name, at + places[i] * e);
        CHECK(metrics_with(set, value) == 0);
        for (int k = 0; k < 2; k++) slope[k] += weights[i] * value[k] / (12.0 * e);
    }
    return 0;
}

static int a_length_and_a_thickness(void)
{
    static const struct {
        const char *name;
        double at;
    } params[] = {{"m", 0.3}, {"L", 0.8}, {"h", 0.008}}; // what a run may change comes first
    findings w = findings_of(ARM "analyse: {g: {type: sensitivity, parameters: [L, m, h]}}\n");
    CHECK(w.status == FLX_OK && w.f.ntable == 1);
    const flx_finding_table *t = w.f.tables;
    CHECK(t->nrow == 2 && t->ncolumn == 4);
    for (int k = 0; k < 3; k++) {
        double slope[2];
        CHECK(slope_by_runs(params[k].name, params[k].at, slope) == 0);
        CHECK_REL(t->values[1 + k], slope[0], 1e-5);
        CHECK_REL(t->values[5 + k], slope[1], 1e-5);
    }
    findings_clear(&w);
    // alone, without one that a run may change
    w = findings_of(ARM "analyse: {g: {type: sensitivity, parameters: [h], of: [bent]}}\n");
    CHECK(w.status == FLX_OK && w.f.tables[0].ncolumn == 2 && w.f.tables[0].nrow == 1);
    findings_clear(&w);
    return 0;
}

static int what_cannot_be(void)
{
    static const char *const keys[] = {"parameters: [L], method: direct",
                                       "parameters: [L], of: [md]"};
    for (int i = 0; i < 2; i++) {
        char text[2000];
        snprintf(text, sizeof text, "%sanalyse: {g: {type: sensitivity, %s}, md: {type: modes}}\n",
                 ARM, keys[i]);
        findings w = findings_of(text);
        CHECK(w.status == FLX_ERR_CANNOT);
        CHECK_TEXT(flx_ctx_error(w.ctx, 0)->text, "'L' is structural");
        findings_clear(&w);
    }
    // left out where nobody names them, and told
    findings w = findings_of(ARM "analyse: {g: {type: sensitivity}}\n");
    CHECK(w.status == FLX_OK && w.f.tables[0].ncolumn == 2);
    bool told = false;
    for (int i = 0; i < w.f.nline; i++) told = told || strstr(w.f.lines[i], "'L' and 'h'");
    CHECK(told);
    findings_clear(&w);
    return 0;
}

TEST_MAIN(TEST(a_length_and_a_thickness), TEST(what_cannot_be))
