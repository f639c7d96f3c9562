// The angle of a planar joint is a coordinate like any other: it can be driven, begun with, geared and loaded, whichever body
// comes first.
#include "case_table.h"
#include "check.h"

static const char *const ways[] = {"radau, formulation: ggl", "radau, formulation: tree",
                                   "dopri5, rtol: 1e-10", "dopri5, formulation: tree, rtol: 1e-10"};
static const char *const on[] = {"ground, puck", "puck, ground"};

static int run(int k, const char *keys, const char *more, double *angle, double *rate)
{
    char text[2000];
    case_table t = {0};
    snprintf(
        text, sizeof text,
        "flexion: 1\ngravity: [0.5, -0.3, -9.81]\n"
        "bodies: {puck: {type: rigid, mass: 2, inertia: [0.02, 0.03, 0.04], com: [0.1, 0.05, 0]}}\n"
        "joints:\n"
        "  table: {type: planar, on: [%s], at: [0, 0, 0], axis: [0, 0, 1]%s}\n"
        "%s"
        "simulate: {until: 1, method: %s}\n"
        "outputs: {every: 0.5, signals: [table.angle, table.rate]}\n",
        on[k % 2], keys, more, ways[k / 2]);
    printf("%s, on %s\n", ways[k / 2], on[k % 2]);
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    CHECK(case_table_value(&t, "table.angle", 1.0, angle));
    CHECK(case_table_value(&t, "table.rate", 1.0, rate));
    case_table_clear(&t);
    return 0;
}

static int angle_is_driven(void)
{
    for (int k = 0; k < 8; k++) {
        double angle, rate;
        CHECK(run(k, ", motion: {angle: \"7*t + 0.2*sin(t)\"}", "", &angle, &rate) == 0);
        CHECK_NEAR(angle, 7 + 0.2 * sin(1), 1e-10);
        CHECK_NEAR(rate, 7 + 0.2 * cos(1), 1e-8);
    }
    return 0;
}

// About the centre of mass nothing but the torque turns it: 0.04 angle'' = 0.1.
static int angle_begins_and_is_loaded(void)
{
    for (int k = 0; k < 8; k++) {
        double angle, rate;
        CHECK(run(k, ", initial: {angle: 0.4, rate: -2}",
                  "forces: {load: {type: torque, on: table, value: 0.1}}\n", &angle, &rate) == 0);
        CHECK_NEAR(angle, 0.4 - 2 + 0.5 * 2.5, 1e-6);
        CHECK_NEAR(rate, -2 + 2.5, 1e-6);
    }
    return 0;
}

TEST_MAIN(TEST(angle_is_driven), TEST(angle_begins_and_is_loaded))
