// Inputs: what they are in a run, their bounds, tables from outside, and where they may stand.
#include "base/common.h"
#include "case_table.h"
#include "check.h"
#include "flexion/flexion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CART                                                                                       \
    "dimension: 2\n"                                                                               \
    "gravity: [0, -9.81]\n"                                                                        \
    "bodies:\n"                                                                                    \
    "  cart: {type: rigid, mass: 2, inertia: 0.1}\n"                                               \
    "  rod: {type: rigid, mass: 0.3, inertia: 0.01, position: [0.1, -0.5], com: [0.02, -0.03]}\n"  \
    "joints:\n"                                                                                    \
    "  rail: {type: prismatic, on: [ground, cart], at: [0, 0], axis: [1, 0]}\n"                    \
    "  pin: {type: revolute, on: [cart, rod], at: [0, 0], initial: {angle: 0.4}}\n"

// The last row of a run.
static bool run(const char *text, const char *until, const char *signals, double *out, int n)
{
    char whole[8192];
    case_table t = {0};
    snprintf(whole, sizeof whole, "flexion: 1\n%soutputs: {times: [%s], signals: [%s]}\n", text,
             until, signals);
    bool good = case_run(whole, NULL, &t, NULL, NULL) && t.rows > 0 && t.columns == n + 1;
    for (int i = 0; good && i < n; i++)
        out[i] = t.values[(size_t)(t.rows - 1) * (size_t)t.columns + 1 + (size_t)i];
    case_table_clear(&t);
    return good;
}

// An input with an expression is that expression, in both coordinates and by several methods.
static int an_input_is_its_value(void)
{
    static const char *const methods[] = {
        "radau, rtol: 1e-9", "dopri5, rtol: 1e-9", "generalized-alpha, step: 1e-3",
        "radau, rtol: 1e-9, formulation: index-3", "galerkin, step: 2e-3, formulation: index-3"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        char by_input[4096], plain[4096];
        double a[3], b[3];
        snprintf(by_input, sizeof by_input,
                 CART "inputs:\n"
                      "  F: 3*sin(2*t) - 0.4*rail.rate\n"
                      "  tau: {repeat: {i: [1, 2]}, value: 0.1*i}\n"
                      "  hook: {lower: -0.2, value: pin.angle, unit: N}\n"
                      "forces:\n"
                      "  motor: {type: force, on: rail, value: F}\n"
                      "  turn: {type: torque, on: pin, value: tau(2) - 2*tau(1) + hook}\n"
                      "simulate: {until: 1, method: %s}\n",
                 methods[i]);
        snprintf(plain, sizeof plain,
                 CART "forces:\n"
                      "  motor: {type: force, on: rail, value: 3*sin(2*t) - 0.4*rail.rate}\n"
                      "  turn: {type: torque, on: pin, value: \"max(pin.angle, -0.2)\"}\n"
                      "simulate: {until: 1, method: %s}\n",
                 methods[i]);
        CHECK(run(by_input, "1", "rail.displacement, pin.angle, pin.rate", a, 3));
        CHECK(run(plain, "1", "rail.displacement, pin.angle, pin.rate", b, 3));
        for (int k = 0; k < 3; k++) CHECK_NEAR(a[k], b[k], 1e-12);
    }
    return 0;
}

// In motions, equations, events and signals.
static int inputs_stand_everywhere(void)
{
    double a[5], b[5];
    const char *signals = "swing.angle, y, n, twice, swing.drive";
    CHECK(run(
        "dimension: 2\n"
        "inputs: {way: 0.3*sin(4*t), c: {value: 0.7}, level: {value: 0.5}}\n"
        "bodies: {rod: {type: rigid, mass: 1, inertia: 0.2, com: [0.3, 0]}}\n"
        "joints: {swing: {type: revolute, on: [ground, rod], at: [0, 0], motion: {angle: way}}}\n"
        "equations:\n"
        "  first_order: {y: {at: 0, derivative: c - y}}\n"
        "  discrete: {n: {at: 0}}\n"
        "signals: {twice: 2*way'}\n"
        "events: {over: {when: y > level, set: {n: n + c}}}\n"
        "simulate: {until: 2, rtol: 1e-10, method: radau}\n",
        "2", signals, a, 5));
    CHECK(run("dimension: 2\n"
              "bodies: {rod: {type: rigid, mass: 1, inertia: 0.2, com: [0.3, 0]}}\n"
              "joints: {swing: {type: revolute, on: [ground, rod], at: [0, 0], motion: {angle: "
              "0.3*sin(4*t)}}}\n"
              "equations:\n"
              "  first_order: {y: {at: 0, derivative: 0.7 - y}}\n"
              "  discrete: {n: {at: 0}}\n"
              "signals: {twice: 2.4*cos(4*t)}\n"
              "events: {over: {when: y > 0.5, set: {n: n + 0.7}}}\n"
              "simulate: {until: 2, rtol: 1e-10, method: radau}\n",
              "2", signals, b, 5));
    for (int k = 0; k < 5; k++) CHECK_NEAR(a[k], b[k], 1e-9);
    CHECK(a[2] == 0.7);
    return 0;
}

static bool write_table(char *path, const char *text)
{
    int file = mkstemp(path);
    if (file < 0) return false;
    bool good = write(file, text, strlen(text)) == (ssize_t)strlen(text);
    return close(file) == 0 && good;
}

static flx_status read_with(flx_ctx *ctx, const char *text, const char *asked, flx_model **m)
{
    flx_read_def def = flx_read_def_default();
    def.text = text;
    def.length = strlen(text);
    def.nopen = 0;
    def.ninput = asked ? 1 : 0;
    def.inputs = &asked;
    return flx_model_read_by(ctx, "x.yaml", &def, m);
}

// A mass of 2 kg under a force that follows a table with jumps and a bound: v = integral of F/m. A jump at
// the end holds its second value, and steps end at the jumps: an explicit method is exact to its order.
static int a_table_is_followed(void)
{
    char path[] = "inputs_XXXXXX", asked[64];
    CHECK(write_table(path, "t,F\n0.5,0\n0.5,8\n1,2\n1,-1\n1.5,-1\n1.5,1\n"));
    snprintf(asked, sizeof asked, "F=%s", path);
    const char *text = "flexion: 1\n"
                       "inputs: {F: {value: 7, upper: 5}}\n"
                       "equations: {second_order: {x: {mass: 2, force: F, at: 0, rate: 0}}}\n"
                       "simulate: {until: 2, method: dopri5, step: 0.4}\n"
                       "outputs: {times: [0.5, 1, 1.5, 2], signals: [\"x'\", F]}\n";
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_sink *sink = NULL;
    CHECK(read_with(ctx, text, asked, &m) == FLX_OK);
    CHECK(flx_simulation_create(m, &sim) == FLX_OK);
    CHECK(flx_memory_sink_create(ctx, &sink) == FLX_OK);
    CHECK(flx_simulation_run(sim, 1, &sink, NULL, NULL) == FLX_OK);
    flx_result *r = NULL;
    CHECK(flx_memory_sink_take(sink, &r) == FLX_OK);
    CHECK(flx_result_rows(r) == 4 && flx_result_columns(r) == 3);
    const double *x = flx_result_column(r, 1), *F = flx_result_column(r, 2);
    // 8 - 12 (t - 0.5) is above 5 for 0.25 s
    const double v[] = {0, (0.25 * 5 + 0.25 * 3.5) / 2, (2.125 - 0.5) / 2, (2.125 - 0.5 + 0.5) / 2};
    const double force[] = {5, -1, 1, 1};
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(x[i], v[i], 1e-13);
        CHECK_NEAR(F[i], force[i], 1e-13);
    }
    flx_result_close(&r);
    flx_sink_destroy(&sink);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    unlink(path);
    return 0;
}

// What cannot be, said with its place.
static int wrong_inputs_are_refused(void)
{
    static const char move[] =
        "flexion: 1\ndimension: 2\ninputs: {way: 0}\n"
        "bodies: {rod: {type: rigid, mass: 1, inertia: 0.2}}\n"
        "joints: {swing: {type: revolute, on: [ground, rod], at: [0, 0], motion: {angle: way}}}\n";
    static const char plain[] = "flexion: 1\ninputs: {F: 0}\n"
                                "equations: {second_order: {x: {mass: 2, force: F, at: 0}}}\n";
    static const struct {
        const char *text, *table, *said;
    } list[] = {
        {move, "0,0\n1,1\n1,2\n2,2\n", "jumps, and the motion of joint 'swing' contains it"},
        {plain, "0,0\n1,1\n1,2\n1,3\n", "1 is there three times"},
        {plain, "0,0\n1,1\n0.5,2\n", "must ascend: 0.5 comes after 1"},
        {plain, "0,0\n", "needs at least 2"},
        {plain, "0;0\n1;1,5\n", "decimal comma"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char path[] = "inputs_XXXXXX", asked[64];
        CHECK(write_table(path, list[i].table));
        snprintf(asked, sizeof asked, "%s=%s", i == 0 ? "way" : "F", path);
        flx_ctx *ctx = flx_ctx_create();
        flx_model *m = NULL;
        CHECK(read_with(ctx, list[i].text, asked, &m) == FLX_ERR_MODEL && !m);
        const flx_message *e = flx_ctx_error(ctx, 0);
        CHECK(e && strstr(e->text, list[i].said));
        flx_ctx_destroy(&ctx);
        unlink(path);
    }
    static const char *const asked[] = {"F", "=x.csv", "F=", "G=x.csv", "F=nowhere.csv"};
    static const char *const said[] = {
        "is not of the form name=file", "is not of the form name=file",
        "is not of the form name=file", "no input 'G'", "cannot be opened"};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_model *m = NULL;
        CHECK(read_with(ctx, plain, asked[i], &m) != FLX_OK && !m);
        const flx_message *e = flx_ctx_error(ctx, 0);
        CHECK(e && strstr(e->text, said[i]) && strcmp(e->loc.file, "--input") == 0);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

TEST_MAIN(TEST(an_input_is_its_value), TEST(inputs_stand_everywhere), TEST(a_table_is_followed),
          TEST(wrong_inputs_are_refused))
