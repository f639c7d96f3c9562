// Measures of a run: the largest and smallest values are found inside steps too, and are those that the outputs show; means are
// as good as the run. Long steps, given steps, both kinds of coordinates.
#include "case_table.h"
#include "check.h"
#include "flexion/flexion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct measured {
    double high, low, mean, press;
    case_table rows;
} measured;

static bool measure(const char *text, measured *out)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    case_sink sink = case_sink_make(ctx, &out->rows);
    flx_sink *sinks[] = {&sink.base};
    bool ok = flx_model_read_text(ctx, "m.yaml", text, strlen(text), 0, NULL, &model) == FLX_OK &&
              flx_simulation_create(model, &sim) == FLX_OK &&
              flx_simulation_run(sim, 1, sinks, NULL, NULL) == FLX_OK;
    double *values[] = {&out->high, &out->low, &out->mean, &out->press};
    for (int i = 0; i < 4 && ok; i++) ok = flx_simulation_metric(sim, i, values[i]) != NULL;
    if (!ok) puts(flx_ctx_error(ctx, 0) ? flx_ctx_error(ctx, 0)->text : "no measures");
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return ok;
}

// A pendulum that swings; `every`: of its rows.
static bool swing(const char *method, double every, measured *out)
{
    char text[2000];
    *out = (measured){0};
    snprintf(
        text, sizeof text,
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies: {a: {type: rigid, mass: 2, inertia: 0.3, position: [0.4, -0.3]}}\n"
        "joints: {h: {type: revolute, on: [ground, a], at: [0, 0]}}\n"
        "simulate: {until: 3, method: %s}\n"
        "outputs: {every: %g, signals: [a.position, norm(h.reaction)], metrics: {high: "
        "maximum(a.position.y), low: minimum(a.position.x), mean: mean(a.position.y^2), press: "
        "maximum(norm(h.reaction))}}\n",
        method, every);
    return measure(text, out);
}

static const char *const methods[] = {"dop853, rtol: 1e-6",
                                      "dop853, formulation: tree, rtol: 1e-9",
                                      "dopri5, rtol: 1e-5",
                                      "radau, rtol: 1e-5",
                                      "radau, formulation: tree, rtol: 1e-8",
                                      "bdf, rtol: 1e-6",
                                      "adams, formulation: tree, rtol: 1e-6",
                                      "generalized-alpha, rtol: 1e-4",
                                      "generalized-alpha, step: 0.05",
                                      "hht, formulation: tree, step: 0.05",
                                      "midpoint, step: 0.05",
                                      "variational, step: 0.05",
                                      "energy-momentum, step: 0.05",
                                      "radau, step: 0.1",
                                      "galerkin, degree: 3, step: 0.1"};

// No row exceeds them, and some row comes near.
static int extremes_are_those_of_the_rows(void)
{
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        measured fine;
        double high = -HUGE_VAL, low = HUGE_VAL, press = 0.0;
        CHECK(swing(methods[m], 1e-3, &fine));
        for (int i = 0; i < fine.rows.rows; i++) {
            const double *row = fine.rows.values + (size_t)i * (size_t)fine.rows.columns;
            low = fmin(low, row[1]);
            high = fmax(high, row[2]);
            press = fmax(press, row[3]);
        }
        bool low_order = strstr(methods[m], "step") != NULL;
        printf("%s: %.3g %.3g %.3g\n", methods[m], fine.high - high, low - fine.low,
               fine.press - press);
        CHECK(high <= fine.high + 1e-7 && fine.high <= high + 1e-5);
        CHECK(low >= fine.low - 1e-7 && fine.low >= low - 1e-5);
        CHECK(press <= fine.press + (low_order ? 1e-4 : 1e-5) * press);
        CHECK(fine.press <= press * (1 + 1e-4));
        case_table_clear(&fine.rows);
    }
    return 0;
}

// By the energy: the pendulum comes as high as it began, -0.3, and in between hangs down.
static int long_steps_miss_no_peak(void)
{
    static const char *const long_steps[] = {
        "dop853, rtol: 1e-9, atol: 1e-11", "dop853, formulation: tree, rtol: 1e-9, atol: 1e-11",
        "radau, formulation: tree, rtol: 1e-9, atol: 1e-11", "radau, rtol: 1e-9, atol: 1e-11"};
    double inertia = 0.3 + 2 * 0.25, energy = 2 * 9.81 * (0.5 - 0.3);
    for (int m = 0; m < 4; m++) {
        measured a;
        CHECK(swing(long_steps[m], 3, &a));
        CHECK_NEAR(a.high, -0.3, 1e-7);
        CHECK_NEAR(a.low, -0.4, 1e-7);
        CHECK_NEAR(a.press, 2 * 9.81 + 2 * 0.5 * 2 * energy / inertia, 1e-6);
        case_table_clear(&a.rows);
    }
    return 0;
}

// The motion is slow, its steps are long; what is measured is not: corners, jumps and fast functions of the time.
static int measures_that_change_faster_than_the_motion_are_followed(void)
{
    static const struct {
        const char *method;
        double tolerance;
    } runs[] = {{"dop853, rtol: 1e-6", 3e-6}, {"dop853, rtol: 1e-9", 1e-7},
                {"radau, rtol: 1e-7", 1e-6},  {"dopri5, rtol: 1e-7", 1e-6},
                {"bdf, rtol: 1e-8", 1e-6},    {"gauss, step: 0.25", 1e-6},
                {"hht, rtol: 1e-6", 1e-4},    {"variational, step: 0.05", 5e-4}};
    const double T = 5, r = acos(0.5);
    for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
        char text[1000];
        measured a = {0};
        snprintf(
            text, sizeof text,
            "flexion: 1\nequations: {second_order: {x: {at: 1, force: -x}}}\n"
            "simulate: {until: 5, method: %s}\noutputs: {every: 5, signals: [x], metrics: {a: "
            "\"mean(sin(40*t)^2)\", b: \"mean(abs(x))\", c: \"integral(if(x > 0.5, 1, 0))\", d: "
            "\"minimum(0.2*sin(40*t) - 0*x)\"}}\n",
            runs[k].method);
        CHECK(measure(text, &a));
        CHECK_NEAR(a.high, 0.5 - sin(80 * T) / (160 * T), runs[k].tolerance);
        CHECK_NEAR(a.low, (1 + 2 + (sin(T) + 1)) / T, runs[k].tolerance);
        CHECK_NEAR(
            a.mean, r,
            5 * runs[k].tolerance); // cos t is above it until then, and not again before 2 pi - r

        CHECK_NEAR(a.press, -0.2, runs[k].tolerance);
        case_table_clear(&a.rows);
    }
    return 0;
}

// What is zero but for rounding, as a residual is, has no course: it is not looked at in ever shorter parts of the steps.
static int residuals_are_not_followed(void)
{
    static const char *const methods_of_both[] = {"bdf, rtol: 1e-6", "radau, rtol: 1e-6",
                                                  "hht, rtol: 1e-5"};
    for (size_t m = 0; m < sizeof methods_of_both / sizeof *methods_of_both; m++) {
        char text[800], said[400];
        snprintf(text, sizeof text,
                 "flexion: 1\nequations:\n  second_order: {q: {at: 1, force: -10*q}}\n"
                 "  first_order: {z: {at: 0, mass: 0, derivative: z + 0.3*z^3 - q}}\n"
                 "simulate: {until: 0.3, method: %s}\noutputs: {every: 0.1, signals: [q], metrics: "
                 "{worst: maximum(abs(z + 0.3*z^3 - q)), size: mean(z + 0.3*z^3 - q)}}\n",
                 methods_of_both[m]);
        CHECK(case_run_said(text, NULL, said, sizeof said));
        CHECK_TEXT(said, "");
    }
    return 0;
}

TEST_MAIN(TEST(extremes_are_those_of_the_rows), TEST(residuals_are_not_followed),
          TEST(measures_that_change_faster_than_the_motion_are_followed),
          TEST(long_steps_miss_no_peak))
