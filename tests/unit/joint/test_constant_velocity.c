// The constant-velocity joint: a half shaft between two of them turns out as it turns in, to rounding, at 30 degrees, while
// the angle changes, in every formulation; and what it transmits lies along the bisector of its axes.
#include "case_table.h"
#include "check.h"

static double at(const case_table *t, const char *signal, double time)
{
    double value = (double)NAN;
    if (!case_table_value(t, signal, time, &value)) printf("no signal %s\n", signal);
    return value;
}

static const char *const ways[] = {"radau, formulation: ggl",
                                   "radau, formulation: tree",
                                   "radau, formulation: index-3",
                                   "generalized-alpha, formulation: index-3, step: 2e-3",
                                   "generalized-alpha, formulation: ggl, step: 2e-3",
                                   "galerkin, step: 1e-2",
                                   "dopri5, formulation: index-1, rtol: 1e-9",
                                   "dopri5, formulation: tree, rtol: 1e-9"};
#define WAYS (int)(sizeof ways / sizeof *ways)

// A gearbox, a half shaft at 30 degrees, a wheel whose axis points elsewhere again and slides: one freedom, no redundancy.
static const char rzeppa[] =
    "flexion: 1\n"
    "parameters: {b: 30*deg, c: -20*deg, L: 0.5, P: [L*cos(b), L*sin(b), 0], T: 7}\n"
    "bodies:\n"
    "  gearbox: {type: rigid, mass: 2, inertia: [0.1, 0.1, 0.1]}\n"
    "  shaft: {type: rigid, mass: 3, inertia: [0.2, 0.2, 0.2], com: [0.5*P(1), 0.5*P(2), 0]}\n"
    "  wheel: {type: rigid, mass: 4, inertia: [0.3, 0.3, 0.3], position: P}\n"
    "joints:\n"
    "  in: {type: revolute, on: [ground, gearbox], at: [0, 0, 0], axis: [1, 0, 0], motion: {%s}}\n"
    "  J1: {type: constant-velocity, on: [gearbox, shaft], at: [0, 0, 0],\n"
    "       axes: [[1, 0, 0], [cos(b), sin(b), 0]]}\n"
    "  J2: {type: constant-velocity, on: [shaft, wheel], at: P,\n"
    "       axes: [[cos(b), sin(b), 0], [cos(c), 0, sin(c)]]}\n"
    "  out: {type: cylindrical, on: [ground, wheel], at: P, axis: [cos(c), 0, sin(c)]}\n"
    "forces: {load: {type: torque, on: out, value: -T}}\n"
    "simulate: {until: 1, method: %s}\n"
    "outputs: {every: 0.1, signals: [in.angle, out.angle, in.drive, J1.moment, J1.displacement]}\n";

static int turns_out_as_it_turns_in(void)
{
    for (int k = 0; k < WAYS; k++) {
        char text[2000];
        case_table t = {0};
        flx_summary s = {0};
        snprintf(text, sizeof text, rzeppa, "angle: \"5*t + 0.3*sin(7*t)\"", ways[k]);
        printf("%s\n", ways[k]);
        CHECK(case_run(text, NULL, &t, &s, NULL));
        CHECK(s.redundant == 0);
        for (int i = 0; i <= 10; i++) {
            double angle = at(&t, "in.angle", 0.1 * i);
            CHECK_NEAR(at(&t, "out.angle", 0.1 * i), angle, 1e-12);
            CHECK_NEAR(angle, 5 * 0.1 * i + 0.3 * sin(7 * 0.1 * i), 1e-12);
        }
        case_table_clear(&t);
    }
    return 0;
}

// At a steady rate the drive takes the load, and the joint's moment is T (a + b)/(1 + cos).
static int moment_lies_along_the_bisector(void)
{
    for (int k = 0; k < WAYS; k++) {
        char text[2000];
        case_table t = {0};
        snprintf(text, sizeof text, rzeppa, "angle: 3*t", ways[k]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        double c = cos(30 * acos(-1) / 180), s = sin(30 * acos(-1) / 180), T = 7;
        printf("%s\n", ways[k]);
        CHECK_NEAR(at(&t, "in.drive", 1.0), T, 1e-8);
        CHECK_NEAR(at(&t, "J1.moment.x", 1.0), T, 1e-8);
        CHECK_NEAR(at(&t, "J1.moment.y", 1.0), T * s / (1 + c), 1e-8);
        CHECK_NEAR(at(&t, "J1.moment.z", 1.0), 0.0, 1e-8);
        case_table_clear(&t);
    }
    return 0;
}

// The bearing of the output swings by 40 degrees while the shafts turn.
static int angles_stay_equal_while_the_shafts_swing(void)
{
    static const char model[] =
        "flexion: 1\n"
        "bodies:\n"
        "  a: {type: rigid, mass: 2, inertia: [0.1, 0.1, 0.1]}\n"
        "  yoke: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
        "  b: {type: rigid, mass: 3, inertia: [0.1, 0.2, 0.2], com: [0.3, 0.1, 0]}\n"
        "joints:\n"
        "  in: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [1, 0, 0], motion: {angle: "
        "4*t}}\n"
        "  swing: {type: revolute, on: [ground, yoke], at: [0, 0, 0], axis: [0, 0, 1],\n"
        "          motion: {angle: \"0.7*sin(3*t)\"}}\n"
        "  out: {type: revolute, on: [yoke, b], at: [0, 0, 0], axis: [cos(30*deg), sin(30*deg), "
        "0]}\n"
        "  J: {type: constant-velocity, on: [%s], at: [0, 0, 0],\n"
        "      axes: [%s]}\n"
        "simulate: {until: 1, method: %s}\n"
        "outputs: {every: 0.1, signals: [in.angle, out.angle]}\n";
    static const char *const on[] = {"a, b", "b, a"};
    static const char *const axes[] = {"[1, 0, 0], [cos(30*deg), sin(30*deg), 0]",
                                       "[cos(30*deg), sin(30*deg), 0], [1, 0, 0]"};
    for (int k = 0; k < 2 * WAYS; k++) {
        char text[2000];
        case_table t = {0};
        snprintf(text, sizeof text, model, on[k % 2], axes[k % 2], ways[k / 2]);
        printf("%s, on %s\n", ways[k / 2], on[k % 2]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        for (int i = 0; i <= 10; i++) {
            CHECK_NEAR(at(&t, "out.angle", 0.1 * i), at(&t, "in.angle", 0.1 * i), 1e-12);
        }
        case_table_clear(&t);
    }
    return 0;
}

TEST_MAIN(TEST(turns_out_as_it_turns_in), TEST(moment_lies_along_the_bisector),
          TEST(angles_stay_equal_while_the_shafts_swing))
