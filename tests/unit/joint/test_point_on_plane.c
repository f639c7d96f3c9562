// A point on a plane, in space and in the plane, by both of its words.
#include "case_table.h"
#include "check.h"

static const char *const ways[] = {"radau, formulation: ggl", "radau, formulation: tree",
                                   "dopri5, rtol: 1e-10"};

// A bead of 2 kg on a slope of 30 degrees: it slides by 10 sin(30 deg)/2 in the first second.
static int slides(int dimension, const char *word, const char *way)
{
    char text[2000];
    case_table t = {0};
    const char *z = dimension == 2 ? "" : ", 0";
    double x, y, fx, fy, c = cos(M_PI / 6), s = sin(M_PI / 6);
    snprintf(text, sizeof text,
             "flexion: 1\ndimension: %d\ngravity: [0, -10%s]\n"
             "bodies: {bead: {type: point, mass: 2}}\n"
             "joints: {floor: {type: %s, on: [ground, bead], at: [0, 0%s],\n"
             "                 axis: [-sin(30*deg), cos(30*deg)%s]}}\n"
             "simulate: {until: 1, method: %s}\n"
             "outputs: {every: 0.5, signals: [bead.position, floor.reaction]}\n",
             dimension, z, word, z, z, way);
    printf("%s, %dD, %s\n", way, dimension, word);
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    CHECK(case_table_value(&t, "bead.position.x", 1.0, &x));
    CHECK(case_table_value(&t, "bead.position.y", 1.0, &y));
    CHECK(case_table_value(&t, "floor.reaction.x", 1.0, &fx));
    CHECK(case_table_value(&t, "floor.reaction.y", 1.0, &fy));
    CHECK_NEAR(x, -2.5 * c, 1e-9);
    CHECK_NEAR(y, -2.5 * s, 1e-9);
    CHECK_NEAR(fx, -20 * c * s, 1e-8);
    CHECK_NEAR(fy, 20 * c * c, 1e-8);
    case_table_clear(&t);
    return 0;
}

static int beads_slide_on_slopes(void)
{
    for (int k = 0; k < 12; k++) {
        CHECK(slides(2 + k % 2, k / 2 % 2 ? "in-plane" : "point-on-plane", ways[k / 4]) == 0);
    }
    return 0;
}

TEST_MAIN(TEST(beads_slide_on_slopes))
