// test_energy_momentum.c - energy and momenta kept to rounding over ten thousand steps, where the
// trapezoidal rule makes them grow; order 2; what the method refuses.
#include "base/common.h"
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"
#include "kept_run.h"

#define CHAIN                                                                                      \
    "flexion: 1\nparameters: {n: 6, h: 0.05}\nbodies:\n"                                           \
    "  p: {repeat: {i: [1, n]}, type: point, mass: 1, position: [i, 0.1*i^2, 0.05*sin(i)],"        \
    " velocity: [0.3, 2*(i - 3.5), 0.5*(i - 3)^2]}\nforces:\n"                                     \
    "  s: {repeat: {i: [1, n - 1]}, type: spring, on: [p(i), p(i + 1)], at: [p(i), p(i + 1)],"     \
    " stiffness: 1e4, form: plain}\n"
#define TWO_BODIES                                                                                 \
    "flexion: 1\nparameters: {h: 0.02}\nbodies:\n"                                                 \
    "  a: {type: rigid, mass: 1, inertia: [0.1, 0.2, 0.3], angular_velocity: [1, 2, 3],"           \
    " points: {e: [0.5, 0.1, 0]}}\n"                                                               \
    "  b: {type: rigid, mass: 2, inertia: [0.3, 0.2, 0.3], position: [2, 0, 0],"                   \
    " angular_velocity: [-1, 0.2, 1], velocity: [0, 1, 0], points: {e: [-0.5, 0.1, 0.2]}}\n"       \
    "forces: {s: {type: spring, on: [a, b], at: [a.e, b.e], stiffness: 300, length: 0.8}}\n"
#define PENDULUM                                                                                   \
    "flexion: 1\nparameters: {h: 0.01}\ngravity: [0, 0, -9.81]\nbodies:\n"                         \
    "  a: {type: rigid, mass: 1, inertia: [0.1, 0.2, 0.3], position: [0.5, 0, 0]}\n"               \
    "  b: {type: rigid, mass: 2, inertia: [0.3, 0.2, 0.3], position: [1.5, 0, 0]}\njoints:\n"      \
    "  A: {type: spherical, on: [ground, a], at: [0, 0, 0]}\n"                                     \
    "  B: {type: revolute, on: [a, b], at: [1, 0, 0], axis: [0, 1, 1]}\n"

typedef struct outcome {
    flx_status status;
    flx_ledger ledger;
    double last[8]; // of the signals
    char message[300];
} outcome;

static outcome run(const char *model, const char *rest, const char *set)
{
    outcome o = {0};
    char text[3000];
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_result *r = NULL;
    snprintf(text, sizeof text, "%s%s", model, rest);
    o.status = flx_model_read_text(ctx, "model", text, strlen(text), set ? 1 : 0, &set, &m);
    if (o.status == FLX_OK) o.status = flx_simulation_create(m, &sim);
    if (o.status == FLX_OK) {
        o.status = kept_run(ctx, sim, &r);
        o.ledger = *flx_simulation_ledger(sim);
    }
    for (int c = 1; r && c < flx_result_columns(r) && c <= 8; c++) o.last[c - 1] = kept_last(r, c);
    if (flx_ctx_error_count(ctx) > 0) {
        snprintf(o.message, sizeof o.message, "%s", flx_ctx_error(ctx, 0)->text);
    }
    flx_result_close(&r);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return o;
}

static int nothing_grows_where_the_trapezoidal_rule_does(void)
{
    outcome a = run(CHAIN,
                    "simulate: {until: 500, method: energy-momentum, step: h}\n"
                    "outputs: {every: 50, signals: [energy.total]}\n",
                    NULL);
    CHECK(a.status == FLX_OK && a.ledger.work.steps == 10000);
    CHECK(a.ledger.energy_drift < 2e-11);
    CHECK(a.ledger.allocations_in_loop == 0);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(a.ledger.momentum_change[i], 0.0, 1e-12);
        CHECK_NEAR(a.ledger.momentum_change[3 + i], 0.0, 2e-10);
    }
    outcome b = run(CHAIN,
                    "simulate: {until: 500, method: trapezoidal, step: h}\n"
                    "outputs: {every: 50, signals: [energy.total]}\n",
                    NULL);
    CHECK(b.ledger.energy_end > 100.0 * b.ledger.energy_start);
    return 0;
}

static int bodies_that_turn_keep_both(void)
{
    outcome a = run(TWO_BODIES,
                    "simulate: {until: 40, method: energy-momentum, step: h}\n"
                    "outputs: {every: 1, signals: [energy.total]}\n",
                    NULL);
    CHECK(a.status == FLX_OK);
    CHECK(a.ledger.energy_drift < 2e-12);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(a.ledger.momentum_change[i], 0.0, 1e-13);
        CHECK_NEAR(a.ledger.momentum_change[3 + i], 0.0, 2e-12);
    }
    return 0;
}

static int joints_do_no_work(void)
{
    outcome a = run(PENDULUM,
                    "simulate: {until: 10, method: energy-momentum, step: h}\n"
                    "outputs: {every: 1, signals: [energy.total]}\n",
                    NULL);
    CHECK(a.status == FLX_OK);
    CHECK(a.ledger.energy_drift < 2e-11);
    CHECK(a.ledger.position_residual < 1e-14);
    return 0;
}

// Halved steps: errors a quarter, against a method of high order.
static int the_order_is_two(void)
{
    const char *const models[] = {TWO_BODIES, PENDULUM};
    for (int m = 0; m < 2; m++) {
        double error[2];
        outcome exact = run(models[m],
                            "simulate: {until: 1, method: radau, rtol: 1e-10}\n"
                            "outputs: {every: 1, signals: [b.position, b.velocity]}\n",
                            NULL);
        CHECK(exact.status == FLX_OK);
        for (int k = 0; k < 2; k++) {
            outcome a = run(models[m],
                            "simulate: {until: 1, method: energy-momentum, step: h}\n"
                            "outputs: {every: 1, signals: [b.position, b.velocity]}\n",
                            k == 0 ? "h=0.005" : "h=0.0025");
            CHECK(a.status == FLX_OK);
            error[k] = 0.0;
            for (int i = 0; i < 3; i++) error[k] += fabs(a.last[i] - exact.last[i]);
        }
        CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.15);
    }
    return 0;
}

static int what_it_cannot_is_said(void)
{
    outcome a = run("flexion: 1\nequations:\n  first_order: {x: {at: 1, derivative: -x}}\n",
                    "simulate: {until: 1, method: energy-momentum, step: 0.1}\n", NULL);
    CHECK(a.status == FLX_ERR_CANNOT);
    CHECK_TEXT(a.message, "no first-order states");
    a = run(CHAIN, "simulate: {until: 1, method: energy-momentum, rtol: 1e-6}\n", NULL);
    CHECK(a.status == FLX_ERR_MODEL);
    CHECK_TEXT(a.message, "has no error control");
    return 0;
}

TEST_MAIN(SLOW_TEST(nothing_grows_where_the_trapezoidal_rule_does),
          TEST(bodies_that_turn_keep_both), TEST(joints_do_no_work), TEST(the_order_is_two),
          TEST(what_it_cannot_is_said))
