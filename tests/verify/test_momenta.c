// test_momenta.c - momenta and mass centres of bodies that deform, of parts and of all: sums, closed forms, conservation.
#include "check.h"
#include "flexion/flexion.h"
#include "kept_run.h"

#include <math.h>
#include <string.h>

enum { MOST = 60 };

// First and last row.
static int run(const char *text, int n, double (*out)[MOST])
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_result *r = NULL;
    flx_status status = flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &m);
    if (status == FLX_OK) status = flx_simulation_create(m, &sim);
    if (status == FLX_OK) status = kept_run(ctx, sim, &r);
    if (status != FLX_OK && flx_ctx_error_count(ctx) > 0)
        printf("  %s\n", flx_ctx_error(ctx, 0)->text);
    CHECK(status == FLX_OK);
    for (int i = 0; i < n; i++) {
        out[0][i] = flx_result_column(r, i + 1)[0];
        out[1][i] = kept_last(r, i + 1);
    }
    flx_result_close(&r);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

#define STEEL "material: {E: 1e7, nu: 0.3, density: 1000}"
#define MOVES "velocity: [0.5, 0, 1], angular_velocity: [0, 2, 1]"
#define LINE                                                                                       \
    "fe: {line: [[0, 0, 0], [1, 0, 0]], elements: 8, section: {width: 0.02, height: 0.03}, " STEEL \
    "}"

static const char flight[] =
    "flexion: 1\nbodies:\n"
    "  r: {type: rigid, mass: 2, com: [0.1, 0.2, 0], inertia: [1, 2, 2.5], position: [3, 0, 0], "
    "velocity: "
    "[1, 2, 3], angular_velocity: [0.3, -0.2, 1]}\n"
    "  b: {type: beam, formulation: ancf, from: [0, 0, 2], to: [1, 0, 2], elements: 4, section: "
    "{width: "
    "0.02, height: \"0.03*(1 - 0.5*s)\"}, " STEEL ", " MOVES "}\n"
    "  c: {type: beam, formulation: segments, from: [0, 2, 2], to: [1, 2, 2], elements: 4, "
    "section: {width: "
    "0.02, height: \"0.03*(1 - 0.5*s)\"}, " STEEL ", " MOVES "}\n"
    "  x: {type: beam, from: [0, 1, 2], to: [1, 1, 2], elements: 4, section: {width: 0.02, height: "
    "0.03}, " STEEL ", " MOVES "}\n"
    "  f: {type: flexible, stiffening: true, position: [0, 0, 7], " MOVES
    ", modes: [0.01, 0.02, 0, 0], "
    "mode_rates: [0.3, -0.4, 0.1, 0], " LINE ", reduce: {type: modal, modes: 4}}\n"
    "simulate: {until: 0.2, method: radau, rtol: 1e-7, atol: 1e-9}\n"
    "outputs: {every: 0.2, signals: [momentum.linear, momentum.angular, r.momentum, "
    "r.angular_momentum, "
    "b.momentum, b.angular_momentum, c.momentum, c.angular_momentum, x.momentum, "
    "x.angular_momentum, "
    "f.momentum, f.angular_momentum, b.com.position, c.com.position, f.com.position, "
    "f.com.velocity, "
    "momentum.centre]}\n";

static int all_is_the_sum_of_its_parts_and_stays(void)
{
    double v[2][MOST];
    CHECK(run(flight, 51, v) == 0);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 6; i++) {
            double sum = 0;
            for (int b = 0; b < 5; b++) sum += v[k][6 + 6 * b + i];
            CHECK_NEAR(v[k][i], sum, 1e-12);
        }
    }
    for (int i = 0; i < 36; i++) CHECK_NEAR(v[1][i], v[0][i], 2e-6); // nothing acts on any of them
    // tapered: int s (1 - s/2) / int (1 - s/2); they have the same mass, and move alike
    double at[3] = {4.0 / 9, 0, 2};
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(v[0][36 + i], at[i], 1e-12);
        CHECK_NEAR(v[0][39 + i], at[i] + (i == 1 ? 2 : 0), 1e-12);
        CHECK_NEAR(v[0][12 + i], v[0][18 + i], 1e-12);
    }
    CHECK_REL(v[0][14], 0.45 * (1 - 2 * 4.0 / 9),
              1e-12); // mass times (1 - 2 x)
    for (int i = 0; i < 3; i++) {
        CHECK_REL(v[0][45 + i], v[0][30 + i] / 0.6, 1e-12);                // P/m
        CHECK_NEAR(v[1][42 + i], v[0][42 + i] + 0.2 * v[0][45 + i], 2e-6); // it flies straight
    }
    return 0;
}

// A rigid body: m v of its centre, r x m v + R J w.
static int rigid_ones_are_those_of_the_textbook(void)
{
    double v[2][MOST], P[3] = {2 * (1 - 0.2), 2 * (2 + 0.1), 2 * (3 + 0.06 + 0.02)};
    CHECK(run(flight, 51, v) == 0);
    for (int i = 0; i < 3; i++) CHECK_NEAR(v[0][6 + i], P[i], 1e-12);
    double c[3] = {3.1, 0.2, 0}, L[3] = {0.3, -0.4, 2.5};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        CHECK_NEAR(v[0][9 + i], L[i] + c[j] * P[k] - c[k] * P[j], 1e-12);
    }
    return 0;
}

// Joint coordinates, parts and the plane; a solid would be as slow as it is long.
static int parts_and_planes_have_them(void)
{
    static const char *const forms[] = {"tree", "index-3"};
    double v[2][2][MOST];
    for (int k = 0; k < 2; k++) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "flexion: 1\ndimension: 2\nmodels:\n  arm:\n    bodies:\n"
            "      hub: {type: rigid, mass: 1, inertia: 0.1}\n"
            "      rod: {type: flexible, fe: {line: [[0, 0], [1, 0]], elements: 6, section: "
            "{width: "
            "0.02, height: 0.03}, " STEEL "}, reduce: {type: modal, modes: 2}, modes: [0.02, 0]}\n"
            "    joints: {fix: {type: fixed, on: [hub, rod], at: hub}}\n"
            "parts: {one: {model: arm}}\n"
            "joints: {pin: {type: revolute, on: [ground, one.hub], at: [0, 0], initial: {rate: "
            "1}}}\n"
            "simulate: {until: 0.1, method: radau, rtol: 1e-8, atol: 1e-10, formulation: %s}\n"
            "outputs: {every: 0.1, signals: [momentum.angular, one.angular_momentum, one.momentum, "
            "one.com.position, momentum.centre, one.rod.com.position]}\n",
            forms[k]);
        CHECK(run(text, 10, v[k]) == 0);
        CHECK_NEAR(v[k][0][0], v[k][0][1], 1e-12);
        CHECK_NEAR(v[k][1][0], v[k][0][0], 1e-8); // the pin gives no moment about it
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(v[k][1][4 + i], v[k][1][6 + i], 1e-12);
            CHECK_NEAR(v[k][1][4 + i], v[k][1][8 + i] * 0.6 / 1.6, 1e-12);
        }
    }
    for (int i = 0; i < 10; i++) CHECK_NEAR(v[0][1][i], v[1][1][i], 1e-6);
    return 0;
}

static int refused(const char *more, const char *message)
{
    char text[1000];
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    snprintf(text, sizeof text,
             "flexion: 1\nbodies:\n  f: {type: flexible, " LINE
             ", reduce: {type: modal, modes: 4}}\n%s",
             more);
    CHECK(flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &m) != FLX_OK);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, message);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int they_are_results(void)
{
    CHECK(refused("forces: {F: {type: force, on: f, at: f.end, value: [f.com.position.x, 0, 0]}}\n",
                  "is no point of it") == 0);
    CHECK(refused("simulate: {until: 1}\noutputs: {signals: [f.com.acceleration]}\n",
                  "it deforms") == 0);
    CHECK(refused("simulate: {until: 1}\noutputs: {signals: [momentum.middle]}\n", "centre") == 0);
    return 0;
}

TEST_MAIN(TEST(all_is_the_sum_of_its_parts_and_stays), TEST(rigid_ones_are_those_of_the_textbook),
          TEST(parts_and_planes_have_them), TEST(they_are_results))
