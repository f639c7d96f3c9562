// test_carried.c - constraints that read first-order variables: the motion and the reactions are those of functions of the time.
#include "check.h"
#include "flexion/flexion.h"

// An arm and a tip that hangs on it; %s: what the hinge follows, and the block of it.
static const char arm[] =
    "flexion: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  arm: {type: rigid, mass: 1, com: [0.3, 0, 0], inertia: [0.01, 0.04, 0.04]}\n"
    "  tip: {type: rigid, mass: 0.5, com: [0.1, 0, 0], inertia: [0.01, 0.02, 0.02], position: "
    "[0.6, 0, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, on: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  wrist: {type: revolute, on: [arm, tip], at: [0.6, 0, 0], axis: [0, 1, 0]}\n"
    "signals: {wanted: %s}\n"
    "equations:\n"
    "%s"
    "  constraints: {follow: hinge.angle - wanted}\n"
    "simulate: {until: 1, formulation: %s}\n"
    "outputs: {signals: [hinge.angle, hinge.rate, wrist.angle, wrist.rate, follow.multiplier]}\n";

#define COUNT 5

static int run(const char *wanted, const char *first, const char *formulation, const char *method,
               double out[COUNT])
{
    static const char *const names[COUNT] = {"hinge.angle", "hinge.rate", "wrist.angle",
                                             "wrist.rate", "follow.multiplier"};
    char text[2000];
    snprintf(text, sizeof text, arm, wanted, first, formulation);
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_system *s = NULL;
    flx_run *r = NULL;
    flx_compile_def def = flx_compile_def_default();
    def.method.method = method;
    def.method.rtol = 1e-10;
    def.method.atol = 1e-12;
    flx_status status = flx_model_read_text(ctx, "m", text, strlen(text), 0, NULL, &m);
    if (status == FLX_OK) status = flx_system_compile(m, &def, ctx, &s);
    if (status == FLX_OK) status = flx_run_create(s, NULL, ctx, &r);
    if (status == FLX_OK) status = flx_run_advance(r, 0.8);
    for (int i = 0; status == FLX_OK && i < COUNT; i++)
        out[i] = flx_run_get(r, flx_system_output(s, names[i], ctx));
    if (status != FLX_OK && flx_ctx_error(ctx, 0)) printf("%s\n", flx_ctx_error(ctx, 0)->text);
    flx_run_destroy(&r);
    flx_system_destroy(&s);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return status;
}

// Two lags one after the other: u = 1, T = 0.5 and 0.25. The second is 1 - 2 e^(-2t) + e^(-4t).
static int a_hinge_follows_a_lag(void)
{
    static const char *const cases[][2] = {
        {"auto", "radau"}, {"index-3", "generalized-alpha"}, {"index-1", "dopri5"}, {"ggl", "bdf"}};
    double known[COUNT], found[COUNT];
    CHECK(run("0.4*(1 - 2*exp(-2*t) + exp(-4*t))", "", "index-3", "radau", known) == FLX_OK);
    CHECK(fabs(known[4]) > 0.1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(run("0.4*slow",
                  "  first_order:\n"
                  "    slow: {derivative: fast - slow, mass: 0.25}\n"
                  "    fast: {derivative: 2*(1 - fast)}\n",
                  cases[i][0], cases[i][1], found) == FLX_OK);
        // the multiplier of a method of lower order is less exact
        for (int k = 0; k < COUNT; k++)
            CHECK_NEAR(found[k], known[k], 2e-6 * fmax(1.0, fabs(known[k])));
    }
    return 0;
}

// A rate that follows a state of a controller.
static int a_rate_follows_a_state(void)
{
    static const char text[] =
        "flexion: 1\n"
        "dimension: 2\n"
        "bodies: {cart: {type: rigid, mass: 2, inertia: 1}}\n"
        "joints: {rail: {type: prismatic, on: [ground, cart], at: [0, 0], "
        "axis: [1, 0]}}\n"
        "control: {lag: {type: transfer, of: 3, numerator: [1], "
        "denominator: [0.5, 1]}}\n"
        "equations: {constraints: {speed: rail.rate - lag.output}}\n"
        "outputs: {signals: [rail.rate, rail.displacement, energy.kinetic]}\n"
        "simulate: {until: 1, rtol: 1e-10, atol: 1e-12}\n";
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_system *s = NULL;
    flx_run *r = NULL;
    CHECK(flx_model_read_text(ctx, "m", text, strlen(text), 0, NULL, &m) == FLX_OK);
    CHECK(flx_system_compile(m, NULL, ctx, &s) == FLX_OK);
    CHECK(flx_run_create(s, NULL, ctx, &r) == FLX_OK && flx_run_advance(r, 1.0) == FLX_OK);
    double rate = 3.0 * (1.0 - exp(-2.0));
    CHECK_NEAR(flx_run_get(r, flx_system_output(s, "rail.rate", ctx)), rate, 1e-8);
    CHECK_NEAR(flx_run_get(r, flx_system_output(s, "rail.displacement", ctx)), 3.0 - 0.5 * rate,
               1e-8);
    CHECK_NEAR(flx_run_get(r, flx_system_output(s, "energy.kinetic", ctx)), rate * rate, 1e-7);
    flx_run_destroy(&r);
    flx_system_destroy(&s);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A start keeps the state and moves the mechanism; at rest the state is where its derivative is zero.
static int starts_and_equilibria_know_states(void)
{
    static const char text[] =
        "flexion: 1\n"
        "dimension: 2\n"
        "gravity: [0, -9.81]\n"
        "bodies: {rod: {type: rigid, mass: 1, com: [0.3, 0], inertia: 0.1}}\n"
        "joints: {hinge: {type: revolute, on: [ground, rod], at: [0, 0]}}\n"
        "equations:\n"
        "  first_order: {z: {derivative: 0.7 - z, at: 0.2}}\n"
        "  constraints: {follow: hinge.angle - z}\n"
        "analyse: {rest: {type: equilibrium}}\n"
        "outputs: {signals: [z, hinge.angle]}\n"
        "simulate: {until: 1, start: rest}\n";
    for (int rest = 0; rest < 2; rest++) {
        char whole[1000];
        snprintf(whole, sizeof whole, "%s", text);
        if (!rest) strcpy(strstr(whole, ", start: rest"), "}\n");
        flx_ctx *ctx = flx_ctx_create();
        flx_model *m = NULL;
        flx_system *s = NULL;
        flx_run *r = NULL;
        CHECK(flx_model_read_text(ctx, "m", whole, strlen(whole), 0, NULL, &m) == FLX_OK);
        CHECK(flx_system_compile(m, NULL, ctx, &s) == FLX_OK);
        CHECK(flx_run_create(s, NULL, ctx, &r) == FLX_OK);
        double z = rest ? 0.7 : 0.2;
        CHECK_NEAR(flx_run_get(r, flx_system_output(s, "z", ctx)), z, 1e-10);
        CHECK_NEAR(flx_run_get(r, flx_system_output(s, "hinge.angle", ctx)), z, 1e-10);
        flx_run_destroy(&r);
        flx_system_destroy(&s);
        flx_model_destroy(&m);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

TEST_MAIN(TEST(a_hinge_follows_a_lag), TEST(a_rate_follows_a_state),
          TEST(starts_and_equilibria_know_states))
