// test_muscles.c - muscles at their extremes: paths that become short and long at once, hardly active or fully, feathered or not: they pull and never
// push, fibres stay between bounds, two methods agree, and a slack muscle that is stretched again is as before.
#include "simulation_rig.h"

#define PULLED                                                                                     \
    "flexion: 1\n"                                                                                 \
    "parameters: {from: %g, to: %g}\n"                                                             \
    "functions: {way: {of: [s], value: \"(to - from)*(tanh((s - 0.1)/%g) - tanh((t - "             \
    "0.4)/%g))/2\"}}\n"                                                                            \
    "bodies: {b: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [from, 0, 0]}}\n"            \
    "joints: {slide: {type: prismatic, on: [ground, b], at: b, axis: [1, 0, 0], motion: "          \
    "{displacement: way(t)}}}\n"                                                                   \
    "forces: {m: {type: muscle, through: [[0, 0, 0], b], force: 1000, fibre: 0.1, tendon: 0.2, "   \
    "activation: %g, excitation: %g, pennation: %g}}\n"                                            \
    "simulate: {until: 1, method: %s, rtol: 1e-8, atol: 1e-10}\n"                                  \
    "outputs: {every: 0.002, signals: [m.value, m.fibre, m.activation]}\n"

static int pull(double from, double to, double time, double a, double e, double pennation,
                const char *method, double at[3])
{
    char text[2000];
    rig r;
    snprintf(text, sizeof text, PULLED, from, to, time, time, a, e, pennation, method);
    CHECK_OK(rig_make(&r, text));
    CHECK_OK(rig_run(&r));
    for (int i = 0; i < rows.rows; i++) {
        const double *x = rows.value[i];
        CHECK(isfinite(x[0]) && x[0] > -1e-7 && x[0] < 1e5);
        CHECK(x[1] > 0.25 && x[1] < 2.5);
        CHECK(x[2] >= 0.01 - 1e-9 && x[2] <= 1.0 + 1e-9);
    }
    memcpy(at, rows.value[125], 3 * sizeof *at); // at 0.25 s
    const double *first = rows.value[0], *last = rows.value[rows.rows - 1];
    if (a == e) { // nothing but the path has changed, and it is back
        for (int c = 0; c < 2; c++) CHECK_NEAR(last[c], first[c], 1e-4 * fmax(1.0, first[0]));
    }
    rig_free(&r);
    return 0;
}

// From 20 % shorter than the slack tendon to fibres that are stretched to twice their length.
static int muscles_pull_and_never_push(void)
{
    static const double to[] = {0.16, 0.22, 0.26, 0.33, 0.36};
    static const double times[] = {0.002, 0.01};
    for (int k = 0; k < 40; k++) {
        double a = k % 4 == 0 ? 0.01 : 1.0, e = k % 4 < 2 ? a : 1.01 - a;
        double pennation = k % 4 == 3 ? 0.6 : 0.0, at[3];
        CHECK(pull(0.3, to[k / 8], times[k / 4 % 2], a, e, pennation, "radau", at) == 0);
        if (to[k / 8] < 0.2) CHECK_NEAR(at[0], 0.0, 1e-9); // slack
    }
    return 0;
}

static int methods_agree_at_extremes(void)
{
    double a[3], b[3];
    CHECK(pull(0.3, 0.19, 0.01, 1, 1, 0.2, "radau", a) == 0);
    CHECK(pull(0.3, 0.19, 0.01, 1, 1, 0.2, "bdf", b) == 0);
    for (int c = 0; c < 3; c++) CHECK_NEAR(a[c], b[c], 1e-5);
    CHECK(a[1] > 0.3 && a[1] < 0.4); // fibres of a slack muscle: a fl = -fp
    return 0;
}

// Fibres begin in balance with the tendon where the start has put the muscle: turned by a joint's start, by a loop that is closed, by another
// parameter. What hardly moves then stays as it is.
#define HUNG                                                                                       \
    "flexion: 1\n"                                                                                 \
    "parameters: {turned: %g}\n"                                                                   \
    "bodies: {b: {type: rigid, mass: 1e6, inertia: [1e6, 1e6, 1e6], position: [0.02, 0, 0], "      \
    "points: {to: [0.25, 0.05, 0]}}}\n"                                                            \
    "joints: {j: {type: revolute, on: [ground, b], at: [%g, 0, 0], axis: [0, 0, 1], initial: "     \
    "{angle: turned}}}\n"                                                                          \
    "forces: {m: {type: muscle, through: [[0, -0.1, 0], [0.1, 0.05, 0], b.to], force: 1000, "      \
    "fibre: 0.12, tendon: 0.23, activation: 0.4, excitation: 0.4, pennation: 0.3}}\n"              \
    "simulate: {until: 0.1, method: %s, rtol: 1e-10, atol: 1e-12}\n"                               \
    "outputs: {every: 0.1, signals: [m.fibre, m.value, m.length]}\n"

static int fibres_begin_in_balance(void)
{
    static const char *const methods[] = {"radau", "radau, formulation: ggl", "dopri5"};
    double lengths[3];
    for (int k = 0; k < 9; k++) {
        const double turned = 0.3 * (k / 3) - 0.2;
        char text[2000];
        rig r;
        snprintf(text, sizeof text, HUNG, turned, k / 3 == 2 ? 0.01 : 0.0, methods[k % 3]);
        CHECK_OK(rig_make(&r, text));
        CHECK_OK(rig_run(&r));
        const double *first = rows.value[0], *last = rows.value[rows.rows - 1];
        CHECK_NEAR(last[0], first[0], 1e-7);
        CHECK_NEAR(last[1], first[1], 1e-3);
        lengths[k / 3] = first[2];
        rig_free(&r);
    }
    CHECK(fabs(lengths[1] - lengths[0]) > 1e-3 && fabs(lengths[2] - lengths[1]) > 1e-3);
    return 0;
}

TEST_MAIN(TEST(muscles_pull_and_never_push), TEST(methods_agree_at_extremes),
          TEST(fibres_begin_in_balance))
