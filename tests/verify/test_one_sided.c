// test_one_sided.c - geometric stiffening in the elastic equations alone, as the literature of Standard Input Data
// has it, beside the quadratic field of displacements: the same deflection where the motion is given, another drive,
// and an energy that does not come out.
#include "check.h"
#include "flexion/flexion.h"
#include "kept_run.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define SID "data: " FLX_TESTS "/models/clamped_beam_exact_geo.SID_FEM"
#define LINE                                                                                       \
    "fe: {line: [[0, 0, 0], [0, -1, 0]], elements: 20, theory: euler-bernoulli, section: {width: " \
    "0.01, height: 0.01}, material: {E: 7e10, density: 2750}}, reduce: {type: shapes, shapes: "    \
    "[[s^2, 0, 0], [s^3, 0, 0]]}"

#define SPIN                                                                                       \
    "flexion: 1\n"                                                                                 \
    "parameters: {W: 60, T: 2}\n"                                                                  \
    "bodies:\n"                                                                                    \
    "  beam: {type: flexible, %s, stiffening: %s, damping: {ratio: 0.02}}\n"                       \
    "joints:\n"                                                                                    \
    "  hub: {type: revolute, on: [ground, beam], at: beam, axis: [0, 0, 1],\n"                     \
    "        motion: {rate: \"if(t < T, W/T*(t - T/(2*pi)*sin(2*pi*t/T)), W)\"}}\n"                \
    "signals: {tip: \"dot(beam.node(%d).deflection, beam.ex)\"}\n"                                 \
    "simulate: {until: 2, method: radau, rtol: 1e-8, atol: 1e-11}\n"                               \
    "outputs: {times: [0.96, 2], signals: [tip, hub.drive]}\n"

// Free in space, bent at first: nothing acts.
#define FLIGHT                                                                                     \
    "flexion: 1\n"                                                                                 \
    "bodies:\n"                                                                                    \
    "  beam: {type: flexible, %s, stiffening: %s, damping: {ratio: 0}, angular_velocity: [0, 0, "  \
    "30],\n"                                                                                       \
    "         modes: [0.01, 0]}\n"                                                                 \
    "simulate: {until: 0.5, method: %s}\n"                                                         \
    "outputs: {times: [0.25, 0.5], signals: [energy.total, energy.kinetic]}\n"

typedef struct ran {
    flx_status status;
    double at[2], drive; // the first signal at both times; the second at the first
    double drift;
    char error[200];
} ran;

static int run(const char *text, ran *out)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_result *r = NULL;
    *out = (ran){.status = flx_model_read_text(ctx, "beam", text, strlen(text), 0, NULL, &m)};
    if (out->status == FLX_OK) out->status = flx_simulation_create(m, &sim);
    if (out->status == FLX_OK) out->status = kept_run(ctx, sim, &r);
    if (out->status == FLX_OK) {
        for (int i = 0; i < 2; i++) out->at[i] = flx_result_column(r, 1)[i];
        out->drive = flx_result_column(r, 2)[0];
        out->drift = flx_simulation_ledger(sim)->energy_drift;
    } else {
        snprintf(out->error, sizeof out->error, "%s", flx_ctx_error(ctx, 0)->text);
    }
    flx_result_close(&r);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int spin(const char *data, int node, const char *stiffening, ran *out)
{
    char text[1500];
    snprintf(text, sizeof text, SPIN, data, stiffening, node);
    CHECK(run(text, out) == 0 && out->status == FLX_OK);
    return 0;
}

// The rows of the elastic coordinates are the same, those of the frame are not: the motor feels it, and so
// does the balance of energy.
static int spun_up(const char *data, int node, bool reference, double apart)
{
    ran both, one;
    CHECK(spin(data, node, "true", &both) == 0);
    CHECK(spin(data, node, "one-sided", &one) == 0);
    if (reference) CHECK_NEAR(one.at[0], -0.0244289, 1e-6);
    if (reference) CHECK_NEAR(one.at[1], 2.5574e-5, 1e-8);
    CHECK_NEAR(one.at[0], both.at[0], apart);
    CHECK_NEAR(one.at[1], both.at[1], apart);
    CHECK(fabs(one.drive - both.drive) > 1e-4 * fabs(both.drive));
    CHECK(both.drift < 1e-9 && one.drift > 1e-5);
    printf("energy drift: quadratic field %.1e, one-sided %.1e; drive %.6g and %.6g N m\n",
           both.drift, one.drift, both.drive, one.drive);
    return 0;
}

static int data_is_spun_up(void)
{
    return spun_up(SID, 2, true, 1e-8);
}

static int a_line_is_spun_up(void)
{
    return spun_up(LINE, 21, false, 2e-5); // grains have the squares of the field too
}

static int fly(const char *stiffening, const char *method, ran *out)
{
    char text[1200];
    snprintf(text, sizeof text, FLIGHT, SID, stiffening, method);
    return run(text, out);
}

static int free_flight_does_not_keep_the_energy(void)
{
    ran both, one, explicitly;
    CHECK(fly("true", "radau, rtol: 1e-10, atol: 1e-13", &both) == 0 && both.status == FLX_OK);
    CHECK(fly("one-sided", "radau, rtol: 1e-10, atol: 1e-13", &one) == 0 && one.status == FLX_OK);
    CHECK(both.drift < 1e-9);
    CHECK(one.drift > 1e-6);
    printf("free flight, energy drift: quadratic field %.1e, one-sided %.1e\n", both.drift,
           one.drift);
    // accelerations of a mass matrix that is not symmetric
    CHECK(fly("one-sided", "dop853, rtol: 1e-11, atol: 1e-14", &explicitly) == 0);
    CHECK(explicitly.status == FLX_OK);
    CHECK_NEAR(explicitly.at[1], one.at[1], 1e-8 * one.at[1]);
    return 0;
}

static int methods_of_energies_refuse_it(void)
{
    ran r;
    CHECK(fly("one-sided", "variational, step: 1e-3", &r) == 0);
    CHECK(r.status != FLX_OK);
    CHECK_TEXT(r.error, "inertia that is not symmetric has none");
    CHECK(fly("one-sided", "energy-momentum, step: 1e-3", &r) == 0);
    CHECK(r.status != FLX_OK);
    return 0;
}

// A column of two modes under its end's weight buckles where the digest says, with both kinds; the interface load
// acts through the node alone.
static int interface_loads_buckle(void)
{
    static const char *const kinds[] = {"true", "one-sided"};
    for (int i = 0; i < 4; i++) {
        char text[1000];
        ran r;
        double load = i < 2 ? 144.5 : 145.0; // 144.764 N of two modes
        snprintf(text, sizeof text,
                 "flexion: 1\n"
                 "bodies:\n"
                 "  beam: {type: flexible, " SID ", stiffening: %s, damping: {ratio: 0}, modes: "
                 "[1e-9, 0]}\n"
                 "joints: {clamp: {type: fixed, on: [ground, beam], at: beam}}\n"
                 "forces: {weight: {type: force, on: beam, at: beam.node(2), value: [0, %g, 0]}}\n"
                 "signals: {tip: beam.node(2).x, other: beam.mode(2)}\n"
                 "simulate: {until: 5, method: radau, rtol: 1e-9, atol: 1e-16}\n"
                 "outputs: {times: [2.5, 5], signals: [tip, other]}\n",
                 kinds[i % 2], load);
        CHECK(run(text, &r) == 0 && r.status == FLX_OK);
        double far = fmax(fabs(r.at[0]), fabs(r.at[1]));
        if (i < 2) CHECK(far < 2e-8);
        if (i >= 2) CHECK(far > 1e-6);
    }
    return 0;
}

TEST_MAIN(TEST(data_is_spun_up), TEST(a_line_is_spun_up),
          SLOW_TEST(free_flight_does_not_keep_the_energy), TEST(methods_of_energies_refuse_it),
          TEST(interface_loads_buckle))
