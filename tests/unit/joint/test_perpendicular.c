// Two axes at a right angle: with a ball it is a universal joint whose axes are crossed.
#include "case_table.h"
#include "check.h"

static int with_a_ball_it_is_a_cross(void)
{
    static const char *const joints[] = {
        "  ball: {type: spherical, on: [%s], at: [0, 0, 0]}\n"
        "  cross: {type: perpendicular, on: [%s], axes: [%s]}\n",
        "  cross: {type: universal, on: [%s], at: [0, 0, 0], axes: [%s]}\n"};
    static const char *const ways[] = {"radau, formulation: ggl", "radau, formulation: tree",
                                       "dopri5, rtol: 1e-10", "radau, formulation: index-3"};
    static const char *const on[] = {"ground, arm", "arm, ground"};
    static const char axes[] = "[1, 0, 0.5], [0, 1, 0]";
    for (int k = 0; k < 8; k++) {
        double value[2];
        for (int i = 0; i < 2; i++) {
            char text[2000], pair[600];
            case_table t = {0};
            if (i == 0) snprintf(pair, sizeof pair, joints[0], on[k % 2], on[k % 2], axes);
            if (i == 1) snprintf(pair, sizeof pair, joints[1], on[k % 2], axes);
            snprintf(
                text, sizeof text,
                "flexion: 1\ngravity: [3, -2, -9.81]\n"
                "bodies: {arm: {type: rigid, mass: 3, inertia: [0.1, 0.2, 0.3], com: [0.5, -0.1, "
                "0.2]}}\n"
                "joints:\n%s"
                "simulate: {until: 1, method: %s}\n"
                "outputs: {every: 0.5, signals: [arm.position, arm.velocity, arm.com.position]}\n",
                pair, ways[k / 2]);
            CHECK(case_run(text, NULL, &t, NULL, NULL));
            CHECK(case_table_value(&t, "arm.com.position.y", 1.0, &value[i]));
            case_table_clear(&t);
        }
        printf("%s, on %s: %.9f %.9f\n", ways[k / 2], on[k % 2], value[0], value[1]);
        CHECK(fabs(value[1] + 0.1) > 0.01);
        CHECK_NEAR(value[0], value[1], 1e-5);
    }
    return 0;
}

TEST_MAIN(TEST(with_a_ball_it_is_a_cross))
