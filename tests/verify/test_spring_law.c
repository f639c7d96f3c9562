// test_spring_law.c - springs by a function: what they store and lose, against closed forms and linear springs.
#include "check.h"
#include "findings.h"
#include "kept_run.h"

#include <math.h>

enum { MOST = 12 };

static int run(const char *text, int n, double *out, flx_ledger *ledger)
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
    for (int i = 0; i < n; i++) out[i] = kept_last(r, i + 1);
    if (ledger) *ledger = *flx_simulation_ledger(sim);
    flx_result_close(&r);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

#define RUN "simulate: {until: 3, method: radau, rtol: 1e-10, atol: 1e-13%s}\n"

// The cart on its rail, a lever on its pin.
static int cart(const char *spring, const char *twist, const char *how, int n, double *out,
                flx_ledger *ledger)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "flexion: 1\nfunctions: {bump: {points: [[-0.3, -500], [-0.1, 0], [0.1, 0], [0.3, 500]], "
        "extrapolation: linear}}\nbodies:\n"
        "  cart: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [1.25, 0, 0]}\n"
        "  lever: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 3, 0]}\n"
        "joints:\n  rail: {type: prismatic, on: [ground, cart], at: cart, axis: [1, 0, 0]}\n"
        "  pin: {type: revolute, on: [ground, lever], at: lever, axis: [0, 0, 1]}\n"
        "forces:\n"
        "  S: {type: spring, on: [ground, cart], at: [[0, 0, 0], cart], length: 1, %s}\n"
        "  T: {type: spring, on: pin, angle: 0.5, %s}\n" RUN
        "outputs: {times: [3], signals: [cart.position.x, pin.angle, energy.strain, energy.total,"
        " energy.dissipated, S.value, T.value]}\n",
        spring, twist, how);
    return run(text, n, out, ledger);
}

static int linear_laws_are_linear_springs(void)
{
    double a[7], b[7];
    CHECK(cart("stiffness: 40, damping: 0.7", "stiffness: 3, damping: 0.1", "", 7, a, NULL) == 0);
    CHECK(cart("force: 40*x + 0.7*v", "force: 3*x + 0.1*v", "", 7, b, NULL) == 0);
    for (int i = 0; i < 7; i++) CHECK_NEAR(b[i], a[i], 1e-8);
    return 0;
}

// U = 40 x^2/2 + 900 x^4/4 and 3 (1 - cos x), kept together with what is kinetic.
static int what_is_stored_comes_back(void)
{
    static const char *const how[] = {"", ", formulation: tree", ", formulation: index-3"};
    double last[7] = {0};
    for (int i = 0; i < 3; i++) {
        double x[7];
        flx_ledger l;
        CHECK(cart("force: 40*x + 900*x^3", "force: 3*sin(x)", how[i], 7, x, &l) == 0);
        double far = x[0] - 1, turn = x[1] - 0.5;
        double stored = 20 * far * far + 225 * far * far * far * far + 3 * (1 - cos(turn));
        CHECK_REL(x[2], stored, 1e-10);
        CHECK_REL(x[3], 20 * 0.0625 + 225 * pow(0.25, 4) + 3 * (1 - cos(0.5)), 1e-8);
        CHECK_NEAR(x[4], 0, 1e-12);
        CHECK_REL(x[5], 40 * far + 900 * far * far * far, 1e-12);
        CHECK(l.energy_drift < 1e-8);
        for (int k = 0; i > 0 && k < 7; k++) CHECK_NEAR(x[k], last[k], 1e-6);
        memcpy(last, x, sizeof last);
    }
    return 0;
}

// Corners of tables are met, wherever they lie in the integral.
static int tables_are_stored(void)
{
    double x[7];
    flx_ledger l;
    CHECK(cart("force: 100*x + bump(x)", "force: 2*x", "", 7, x, &l) == 0);
    double far = fabs(x[0] - 1), turn = x[1] - 0.5, over = fmax(0, far - 0.1);
    CHECK_REL(x[2], 50 * far * far + 1250 * over * over + turn * turn, 1e-10);
    CHECK_REL(x[3], 50 * 0.0625 + 1250 * 0.15 * 0.15 + 0.25, 1e-8);
    CHECK(l.energy_drift < 1e-7);
    return 0;
}

static int what_the_rate_adds_is_lost(void)
{
    double x[7];
    flx_ledger l;
    CHECK(cart("force: 40*x + 900*x^3 + 2*v*abs(v) + x^2*v", "force: 3*sin(x) + 0.4*v^3", "", 7, x,
               &l) == 0);
    double first = 20 * 0.0625 + 225 * pow(0.25, 4) + 3 * (1 - cos(0.5));
    CHECK(x[4] > 0.2 * first && x[4] < first);
    CHECK_REL(x[3] + x[4], first, 1e-6);
    CHECK(l.energy_drift < 1e-6 && fabs(l.supplied) < 1e-12);
    return 0;
}

// About x = 0.3 under a weight: w^2 = f'(x)/m.
static int its_slope_is_the_stiffness(void)
{
    findings w = findings_of(
        "flexion: 1\ndimension: 2\nbodies:\n"
        "  load: {type: point, mass: 2, position: [0, -1]}\n"
        "joints: {rail: {type: point-on-line, on: [ground, load], at: load, axis: [0, 1]}}\n"
        "forces:\n"
        "  S: {type: spring, on: [ground, load], at: [[0, 0], load], length: 1, force: \"50*x + "
        "1000*x^3 "
        "+ 4*v\"}\n  G: {type: force, on: load, value: [0, -42]}\n"
        "analyse: {m: {type: modes, about: e}, e: {type: equilibrium}}\n");
    CHECK(w.status == FLX_OK && w.f.modes.nmode == 1);
    double k = 50 + 3000 * 0.09, re = -1, im = sqrt(k / 2 - 1);
    CHECK_REL(w.f.modes.modes[0].re, re, 1e-6);
    CHECK_REL(w.f.modes.modes[0].im, im, 1e-6);
    findings_clear(&w);
    return 0;
}

static int refused(const char *spring, const char *message)
{
    char text[1000];
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    snprintf(text, sizeof text,
             "flexion: 1\nbodies: {b: {type: point, mass: 1, position: [1, 0, 0]}}\n"
             "forces: {S: {type: spring, on: [ground, b], at: [[0, 0, 0], b], %s}}\n",
             spring);
    CHECK(flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &m) != FLX_OK);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, message);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int what_is_no_law_is_refused(void)
{
    CHECK(refused("stiffness: 3, force: 2*x", "leave out 'stiffness'") == 0);
    CHECK(refused("force: 2*x, form: mixed", "leave out 'form'") == 0);
    CHECK(refused("force: 2*x + t", "only constants") == 0);
    CHECK(refused("force: 2*y", "y") == 0);
    return 0;
}

TEST_MAIN(TEST(linear_laws_are_linear_springs), TEST(what_is_stored_comes_back),
          TEST(tables_are_stored), TEST(what_the_rate_adds_is_lost),
          TEST(its_slope_is_the_stiffness), TEST(what_is_no_law_is_refused))
