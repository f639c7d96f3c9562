// test_elastic_loops.c - flexible bodies in closed chains, in the coordinates of the bodies (index 3, GGL) and of the
// joints: one held at three interfaces, and one that a rope joins to itself. All move alike and keep the energy.
#include "check.h"
#include "flexion/flexion.h"
#include "kept_run.h"

#include <math.h>
#include <string.h>

enum { SIGNALS = 4 }; // a place, and the energy

#define BAR(modes)                                                                                 \
    "type: flexible, fe: {line: [[0, 0, 0], [1.2, 0, 0]], elements: 12, section: {width: 0.03, "   \
    "height: 0.01}, material: {E: 7e10, nu: 0.3, density: 2700}}, reduce: " modes

// A bar on three legs, two of them at its ends and one at a node between: a chain with two loops.
static const char legs[] =
    "flexion: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  bar: {position: [0, 0, 0.4], " BAR(
        "{type: craig-bampton, interfaces: [start, node(6), end], modes: 2}, "
        "frame: chord, stiffening: true, modes: [1e-3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
        "0, 0]") "}\n"
                 "  a: {type: rigid, mass: 0.5, inertia: [7e-3, 7e-3, 1e-4], position: "
                 "[bar.start.x, 0, 0.2], "
                 "points: {low: [0, 0, -0.2]}}\n"
                 "  b: {type: rigid, mass: 0.5, inertia: [7e-3, 7e-3, 1e-4], position: "
                 "[bar.node(6).x, 0, 0.2], "
                 "points: {low: [0, 0, -0.2]}}\n"
                 "  c: {type: rigid, mass: 0.5, inertia: [7e-3, 7e-3, 1e-4], position: "
                 "[bar.end.x, 0, 0.2], "
                 "points: {low: [0, 0, -0.2]}}\n"
                 "joints:\n"
                 "  pa: {type: spherical, on: [ground, a], at: a.low}\n"
                 "  pb: {type: spherical, on: [ground, b], at: b.low}\n"
                 "  pc: {type: spherical, on: [ground, c], at: c.low}\n"
                 "  qa: {type: universal, on: [a, bar], at: bar.start, axes: [[1, 0, 0], "
                 "[0, 1, 0]]}\n"
                 "  qb: {type: revolute, on: [b, bar], at: bar.node(6), axis: [0, 1, 0]}\n"
                 "  qc: {type: universal, on: [c, bar], at: bar.end, axes: [[1, 0, 0], "
                 "[0, 1, 0]]}\n"
                 "forces:\n"
                 "  push: {type: force, on: bar, at: bar.node(10), value: [0.5, "
                 "0.2*sin(60*t), 0]}\n"
                 "simulate: {until: 0.05, method: radau, formulation: %s, rtol: 1e-8, "
                 "atol: 1e-10}\n"
                 "outputs: {times: [0.05], signals: [bar.node(10).position, "
                 "energy.dissipated]}\n";

// A bow that flies and turns; the rope keeps the distance of its ends.
static const char bow[] =
    "flexion: 1\n"
    "bodies:\n"
    "  bow: {angular_velocity: [1, 2, 3], " BAR(
        "{type: modal, modes: 6}, frame: buckens, "
        "stiffening: true, modes: [3e-3, 1e-3, 0, 0, 0, 0]") "}\n"
                                                             "joints:\n"
                                                             "  rope: {type: distance, on: [bow, "
                                                             "bow], at: [bow.start, bow.end]}\n"
                                                             "simulate: {until: 0.04, method: "
                                                             "radau, formulation: %s, rtol: 1e-8, "
                                                             "atol: 1e-10}\n"
                                                             "outputs: {times: [0.04], signals: "
                                                             "[bow.node(7).position, "
                                                             "energy.total]}\n";

static int run(const char *format, const char *formulation, double out[SIGNALS], double *drift)
{
    char text[4000];
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_result *r = NULL;
    snprintf(text, sizeof text, format, formulation);
    CHECK(flx_model_read_text(ctx, "loop", text, strlen(text), 0, NULL, &m) == FLX_OK);
    CHECK(flx_simulation_create(m, &sim) == FLX_OK);
    CHECK(kept_run(ctx, sim, &r) == FLX_OK && flx_result_columns(r) == 1 + SIGNALS);
    for (int i = 0; i < SIGNALS; i++) out[i] = kept_last(r, 1 + i);
    *drift = flx_simulation_ledger(sim)->energy_drift;
    flx_result_close(&r);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int compare(const char *format, double tolerance)
{
    static const char *const formulations[3] = {"ggl", "index-3", "tree"};
    double known[SIGNALS], x[SIGNALS], drift = 0;
    for (int i = 0; i < 3; i++) {
        CHECK(run(format, formulations[i], i == 0 ? known : x, &drift) == 0);
        CHECK(fabs(drift) < 1e-7);
        for (int k = 0; i > 0 && k < SIGNALS; k++) CHECK_NEAR(x[k], known[k], tolerance);
    }
    return 0;
}

// A wire on two pins: its torsion and its ends turn through revolutions while its middle hardly moves.
static const char wire[] =
    "flexion: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  wire:\n"
    "    type: flexible\n"
    "    fe: {line: [[0, 0, 0], [1.5, 0, 0]], elements: 12, section: {radius: 5e-4}, material: "
    "{E: 2.1e11, nu: 0.3, density: 7800}}\n"
    "    reduce: {type: craig-bampton, interfaces: [start, end], modes: 2}\n"
    "    frame: chord\n"
    "joints:\n"
    "  left: {type: spherical, on: [ground, wire], at: wire.start}\n"
    "  right: {type: point-on-line, on: [ground, wire], at: wire.end, axis: [1, 0, 0]}\n"
    "simulate: {until: 0.05, method: radau, formulation: %s, rtol: 1e-8, atol: 1e-10}\n"
    "outputs: {times: [0.05], signals: [wire.node(7).position, energy.dissipated]}\n";

static int three_interfaces_close_two_loops(void)
{
    return compare(legs, 1e-8);
}

static int a_body_may_be_joined_to_itself(void)
{
    return compare(bow, 1e-8);
}

static int wires_have_a_start(void)
{
    return compare(wire, 1e-8);
}

TEST_MAIN(TEST(wires_have_a_start), SLOW_TEST(three_interfaces_close_two_loops),
          TEST(a_body_may_be_joined_to_itself))
