// Two parallel axes: a tray that a ball carries and that stays level turns about the vertical alone, as on a hinge; off a
// ball it is the hinge itself.
#include "case_table.h"
#include "check.h"

static int with_a_ball_it_is_a_hinge(void)
{
    static const char *const joints[] = {
        "  ball: {type: spherical, on: [%s], at: [0.1, 0.2, 0]}\n"
        "  level: {type: parallel-axes, on: [%s], axis: [0.2, -0.3, 1]}\n",
        "  level: {type: revolute, on: [%s], at: [0.1, 0.2, 0], axis: [0.2, -0.3, 1]}\n"};
    static const char *const ways[] = {"radau, formulation: ggl", "radau, formulation: tree",
                                       "dopri5, rtol: 1e-10", "radau, formulation: index-3"};
    static const char *const on[] = {"ground, tray", "tray, ground"};
    for (int k = 0; k < 8; k++) {
        double value[2][2];
        for (int i = 0; i < 2; i++) {
            char text[2000], pair[600];
            case_table t = {0};
            snprintf(pair, sizeof pair, joints[i], on[k % 2], on[k % 2]);
            snprintf(text, sizeof text,
                     "flexion: 1\ngravity: [3, -2, -9.81]\n"
                     "bodies: {tray: {type: rigid, mass: 3, inertia: [0.1, 0.2, 0.3], com: [0.5, "
                     "-0.1, 0.2]}}\n"
                     "joints:\n%s"
                     "simulate: {until: 1, method: %s}\n"
                     "outputs: {every: 0.5, signals: [level.angle, level.rate, energy]}\n",
                     pair, ways[k / 2]);
            CHECK(case_run(text, NULL, &t, NULL, NULL));
            CHECK(case_table_value(&t, "level.angle", 1.0, &value[i][0]));
            CHECK(case_table_value(&t, "level.rate", 1.0, &value[i][1]));
            case_table_clear(&t);
        }
        printf("%s, on %s: %.9f %.9f\n", ways[k / 2], on[k % 2], value[0][0], value[1][0]);
        CHECK(fabs(value[1][0]) > 0.1);
        CHECK_NEAR(value[0][0], value[1][0], 1e-5);
        CHECK_NEAR(value[0][1], value[1][1], 1e-5);
    }
    return 0;
}

// Its angle can be driven; the axis it keeps moves with the first body.
static int it_is_driven(void)
{
    static const char text[] =
        "flexion: 1\n"
        "bodies:\n"
        "  arm: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.2]}\n"
        "  tray: {type: rigid, mass: 3, inertia: [0.1, 0.2, 0.3]}\n"
        "joints:\n"
        "  A: {type: revolute, on: [ground, arm], at: [0, 0, 0], axis: [1, 0, 0], motion: {angle: "
        "2*t}}\n"
        "  ball: {type: spherical, on: [arm, tray], at: [0, 0, 0]}\n"
        "  turn: {type: parallel-axes, on: [arm, tray], axis: [0, 0, 1], motion: {angle: 3*t}}\n"
        "simulate: {until: 1, method: radau}\n"
        "outputs: {every: 1, signals: [turn.angle, turn.reaction, turn.moment, "
        "tray.angular_velocity]}\n";
    case_table t = {0};
    double v;
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    CHECK(case_table_value(&t, "turn.angle", 1.0, &v));
    CHECK_NEAR(v, 3.0, 1e-10);
    CHECK(case_table_value(&t, "turn.reaction.x", 1.0, &v)); // it holds no place
    CHECK_NEAR(v, 0.0, 1e-10);
    CHECK(case_table_value(&t, "tray.angular_velocity.x", 1.0, &v));
    CHECK_NEAR(v, 2.0, 1e-8);
    case_table_clear(&t);
    return 0;
}

TEST_MAIN(TEST(with_a_ball_it_is_a_hinge), TEST(it_is_driven))
