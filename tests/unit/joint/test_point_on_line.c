// The displacement of a point on a line is a coordinate like any other, in space and in the plane.
#include "case_table.h"
#include "check.h"

static const char *const ways[] = {"radau, formulation: ggl", "radau, formulation: tree",
                                   "dopri5, rtol: 1e-10"};

// A bead of 2 kg on a line that rises at 30 degrees.
static int run(int dimension, const char *word, const char *way, const char *keys, double *s,
               double *rate)
{
    char text[2000];
    case_table t = {0};
    const char *z = dimension == 2 ? "" : ", 0";
    snprintf(text, sizeof text,
             "flexion: 1\ndimension: %d\ngravity: [0, -10%s]\n"
             "bodies: {bead: {type: point, mass: 2}}\n"
             "joints: {wire: {type: %s, on: [ground, bead], at: [0, 0%s], axis: "
             "[cos(30*deg), "
             "sin(30*deg)%s], %s}}\n"
             "simulate: {until: 1, method: %s}\n"
             "outputs: {every: 0.5, signals: [wire.displacement, wire.rate]}\n",
             dimension, z, word, z, z, keys, way);
    printf("%s, %s, %dD, %s\n", word, way, dimension, keys);
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    CHECK(case_table_value(&t, "wire.displacement", 1.0, s));
    CHECK(case_table_value(&t, "wire.rate", 1.0, rate));
    case_table_clear(&t);
    return 0;
}

static int displacement_is_driven_and_begun_with(void)
{
    for (int k = 0; k < 12; k++) {
        double s, rate;
        int d = 2 + k % 2;
        const char *word = k / 2 % 2 ? "in-line" : "point-on-line", *way = ways[k / 4];
        CHECK(run(d, word, way, "motion: {displacement: \"0.2*sin(3*t)\"}", &s, &rate) == 0);
        CHECK_NEAR(s, 0.2 * sin(3), 1e-10);
        CHECK_NEAR(rate, 0.6 * cos(3), 1e-8);
        CHECK(run(d, word, way, "initial: {displacement: 0.7, rate: 3}", &s, &rate) == 0);
        CHECK_NEAR(s, 0.7 + 3 - 2.5, 1e-8);
        CHECK_NEAR(rate, 3 - 5, 1e-8);
    }
    return 0;
}

TEST_MAIN(TEST(displacement_is_driven_and_begun_with))
