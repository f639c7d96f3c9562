// test_large_beams.c - beams of large deformation as whole models: orders of convergence, no locking, the
// elastica, invariants of a free flight, places at any part of the length, slack lines.
#include "base/common.h"
#include "case_table.h"
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"

static int value_of(const char *model, const char *signal, double t, double *out)
{
    case_table table = {0};
    CHECK(case_run(model, NULL, &table, NULL, NULL));
    CHECK(case_table_value(&table, signal, t, out));
    case_table_clear(&table);
    return 0;
}

// ---- statics ------------------------------------------------------------------------------------

// Statics by motion: the load grows in one second, and damping by the mass ends what moves in the
// one after it.
#define SLOWLY                                                                                     \
    "functions: {load: {of: [x], value: \"min(x, 1)\"}}\n"                                         \
    "simulate: {until: 2, method: generalized-alpha, step: 0.002, spectral_radius: 0}\n"           \
    "outputs: {every: 2, signals: [b.end.position, turn]}\n"

// A cantilever of length 1 in the plane, EI = 1, bent by a force of 3 across it and 1.5 against it.
static int bend(int elements, int order, double slenderness, double out[2])
{
    char model[1200];
    double EA = 12 * slenderness * slenderness;
    case_table table = {0};
    snprintf(model, sizeof model,
             "flexion: 1\ndimension: 2\nbodies:\n"
             "  b: {type: beam, from: [0, 0], to: [1, 0], elements: %d, order: %d,"
             " section: {EA: %.17g, EI: 1, GA: %.17g, mass: 1e-2}, damping: {rayleigh: [100, 0]}}\n"
             "joints: {root: {type: fixed, on: [ground, b], at: b.start}}\n"
             "forces: {F: {type: force, on: b, at: b.end, value: [-1.5*load(t), 3*load(t)]}}\n"
             "signals: {turn: b.end.angle}\n" SLOWLY,
             elements, order, EA, EA / 3);
    CHECK(case_run(model, NULL, &table, NULL, NULL));
    CHECK(case_table_value(&table, "b.end.position.x", 2, out));
    CHECK(case_table_value(&table, "b.end.position.y", 2, out + 1));
    case_table_clear(&table);
    return 0;
}

static double distance(const double a[2], const double b[2])
{
    return hypot(a[0] - b[0], a[1] - b[1]);
}

static int order_is_twice_that_of_the_polynomials(void)
{
    double exact[2], x[2];
    CHECK(bend(8, 8, 20, exact) == 0);
    for (int p = 1; p <= 3; p++) {
        double error[2];
        int n = p == 1 ? 16 : 4;
        for (int k = 0; k < 2; k++) {
            CHECK(bend(n << k, p, 20, x) == 0);
            error[k] = distance(x, exact);
        }
        CHECK_NEAR(log2(error[0] / error[1]), 2 * p, 0.35);
    }
    return 0;
}

static int slender_beams_do_not_lock(void)
{
    for (int p = 1; p <= 2; p++) {
        double error[3];
        for (int k = 0; k < 3; k++) {
            double exact[2], x[2], slenderness = pow(10, k + 1);
            CHECK(bend(6, 8, slenderness, exact) == 0);
            CHECK(bend(8, p, slenderness, x) == 0);
            error[k] = distance(x, exact);
        }
        CHECK(error[0] > 1e-9);
        CHECK(error[1] < 1.2 * error[0]);
        CHECK(error[2] < 1.2 * error[0]);
    }
    return 0;
}

// An end moment of 2 pi EI/L closes a circle, in the plane and in space, whatever the order.
static int moment_rolls_a_circle(void)
{
    for (int space = 0; space < 2; space++) {
        for (int p = 1; p <= 2; p++) {
            char model[1200];
            double x = 0, angle = 0;
            case_table table = {0};
            snprintf(model, sizeof model,
                     "flexion: 1\ndimension: %d\nparameters: {M: 2*pi}\nbodies:\n"
                     "  b: {type: beam, from: [0, 0%s], to: [1, 0%s], elements: 12, order: %d,"
                     " section: {EA: 1e5, EI: 1, mass: 1e-2}, damping: {rayleigh: [100, 0]}}\n"
                     "joints: {root: {type: fixed, on: [ground, b], at: b.start}}\n"
                     "forces: {T: {type: expression, on: b, at: b.end, torque: %s}}\n"
                     "signals: {turn: %s}\n" SLOWLY,
                     space ? 3 : 2, space ? ", 0" : "", space ? ", 0" : "", p,
                     space ? "[0, 0, load(t)*M]" : "load(t)*M",
                     space ? "b.node(7).angle*2" : "b.end.angle");
            CHECK(case_run(model, NULL, &table, NULL, NULL));
            CHECK(case_table_value(&table, "b.end.position.x", 2, &x));
            CHECK(case_table_value(&table, "turn", 2, &angle));
            case_table_clear(&table);
            CHECK_NEAR(x, 0, 1e-12);
            CHECK_NEAR(angle, 2 * FLX_PI, 1e-12);
        }
    }
    return 0;
}

// A joint may be at any part of the length: a beam held in the middle third is symmetric about it.
static int joints_are_anywhere(void)
{
    static const char model[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -10]\nbodies:\n"
        "  b: {type: beam, from: [0, 0], to: [3, 0], elements: 8,"
        " section: {EA: 1e6, EI: 50, mass: 2}}\n"
        "joints:\n"
        "  A: {type: revolute, on: [ground, b], at: b.point(0.3)}\n"
        "  B: {type: point-on-line, on: [ground, b], at: [[2.1, 0], b.point(0.7)], axis: [1, 0]}\n"
        "analyse: {rest: {type: equilibrium}}\n"
        "simulate: {until: 1e-6, start: rest, method: generalized-alpha, step: 1e-6}\n"
        "outputs: {every: 1e-6, signals: [b.start.y, b.end.y, b.point(0.3).y, A.reaction,"
        " b.point(0.5).moment, b.point(0.5).force]}\n";
    double left = 0, right = 0, y = 0, up = 0, moment = 0;
    CHECK(value_of(model, "b.start.y", 0, &left) == 0);
    CHECK(value_of(model, "b.end.y", 0, &right) == 0);
    CHECK(value_of(model, "b.point(0.3).y", 0, &y) == 0);
    CHECK(value_of(model, "A.reaction.y", 0, &up) == 0);
    CHECK(value_of(model, "b.point(0.5).moment", 0, &moment) == 0);
    CHECK(left < -0.01);
    CHECK_NEAR(left, right, 1e-12);
    CHECK_NEAR(y, 0, 1e-12);
    CHECK_NEAR(up, 30, 1e-9);
    // of the reaction and the weight to the left of it, in the straight beam
    CHECK_NEAR(moment, 20 * (0.6 * 1.5 - 1.5 * 1.5 / 2), 0.15);
    return 0;
}

// Rigid segments: the frequencies of a clamped chain of n bars, of which the last is half as long, with springs EI/h in
// the middles of the elements, and the deflection of its end by a force, computed apart from this program.
static int segments_are_the_chain(void)
{
    static const struct {
        int n;
        double f[2];
    } chain[] = {{2, {8.645929, 71.952777}},
                 {4, {8.268495, 53.736744}},
                 {8, {8.179408, 51.717905}},
                 {32, {8.151926, 51.115571}}};
    static const char text[] =
        "flexion: 1\ndimension: 2\nbodies:\n"
        "  b: {type: beam, formulation: segments, from: [0, 0], to: [1, 0], elements: %d,"
        " section: {EA: %g, GA: %g, EI: 7e10*1e-8/12, mass: 0.275, inertia: 0}}\n"
        "joints: {root: {type: fixed, on: [ground, b], at: b.start}}\n"
        "forces: {F: {type: force, on: b, at: b.end, value: [0, %g]}}\n"
        "analyse: {rest: {type: equilibrium}, m: {type: modes, about: rest, count: 2}}\n"
        "simulate: {until: 1e-6, start: rest, method: generalized-alpha, step: 1e-6}\n"
        "outputs: {every: 1e-6, signals: [b.end.deflection, m.frequencies, b.start.moment]}\n";
    const double EI = 7e10 * 1e-8 / 12, GA = 1e5, F = 0.1;
    for (int i = 0; i < 4; i++) {
        char model[1200];
        case_table table = {0};
        double x = 0, n = chain[i].n;
        snprintf(model, sizeof model, text, chain[i].n, 1e9, 1e9, 0.0);
        CHECK(case_run(model, NULL, &table, NULL, NULL));
        CHECK(case_table_value(&table, "m.frequencies(1)", 0, &x));
        CHECK_NEAR(x, chain[i].f[0], 3e-5);
        CHECK(case_table_value(&table, "m.frequencies(2)", 0, &x));
        CHECK_NEAR(x, chain[i].f[1], 6e-4);
        case_table_clear(&table);
        if (chain[i].n > 8) continue; // the balance of so small a force is rounding
        snprintf(model, sizeof model, text, chain[i].n, GA, GA, F);
        CHECK(case_run(model, NULL, &table, NULL, NULL));
        CHECK(case_table_value(&table, "b.end.deflection.y", 0, &x));
        // a hinge at s bends by F (L - s)/c and shears by F h/GA
        CHECK_REL(x, F * (1 - 1 / (4 * n * n)) / (3 * EI) + F / GA, 2e-6);
        CHECK(case_table_value(&table, "b.start.moment", 0, &x));
        CHECK_REL(x, F, 2e-6);
        case_table_clear(&table);
    }
    return 0;
}

// ---- dynamics -----------------------------------------------------------------------------------

// Thrown, bent and turning, a beam in the plane keeps its momenta and, by the midpoint rule, its energy as
// well as the step allows.
static int free_flight_keeps_momenta(void)
{
    static const char model[] =
        "flexion: 1\ndimension: 2\nfunctions:\n"
        "  p: {of: [x], value: \"if(x <= 2.5, 8, 0)\"}\n"
        "bodies:\n"
        "  rod: {type: beam, from: [6, 0], to: [0, 8], elements: 10, order: 2,"
        " section: {EA: 1e4, GA: 1e4, EI: 100, mass: 1, inertia: 10}}\n"
        "forces:\n"
        "  f: {type: expression, on: rod, at: rod.start, force: [p(t), 0], torque: -10*p(t)}\n"
        "simulate: {until: 10, method: generalized-alpha, spectral_radius: 1, step: 0.01}\n"
        "outputs: {every: 2.5, signals: [momentum, energy]}\n";
    case_table table = {0};
    double before = 0, after = 0, spin[2], energy[2];
    CHECK(case_run(model, NULL, &table, NULL, NULL));
    CHECK(case_table_value(&table, "momentum.linear.x", 2.5, &before));
    CHECK(case_table_value(&table, "momentum.linear.x", 10, &after));
    for (int i = 0; i < 2; i++) {
        CHECK(case_table_value(&table, "momentum.angular", i ? 10 : 5, &spin[i]));
        CHECK(case_table_value(&table, "energy.total", i ? 10 : 5, &energy[i]));
    }
    case_table_clear(&table);
    CHECK_NEAR(before, 20, 1e-12);
    CHECK_NEAR(after, 20, 1e-12);
    CHECK_NEAR(spin[1], spin[0], 1e-4 * fabs(spin[0]));
    CHECK_NEAR(energy[1], energy[0], 1e-4 * fabs(energy[0]));
    return 0;
}

// A start of a joint moves the beam and what hangs on it as a whole: no strain, the speed of a rigid body.
static int starts_move_the_whole(void)
{
    static const char model[] =
        "flexion: 1\nbodies:\n"
        "  rod: {type: beam, from: [0, 0, 0], to: [1, 0, 0], elements: 6,"
        " section: {EA: 4e4, EI: 1.3, mass: 0.4}}\n"
        "  ball: {type: rigid, mass: 0.2, inertia: [1e-4, 1e-4, 1e-4], position: [1, 0, 0]}\n"
        "joints:\n"
        "  pin: {type: revolute, on: [ground, rod], at: rod.start, axis: [0, 1, 0],"
        " initial: {angle: 0.5, rate: 2}}\n"
        "  tip: {type: fixed, on: [rod, ball], at: rod.end}\n"
        "simulate: {until: 1e-3, method: generalized-alpha, step: 1e-3}\n"
        "outputs: {every: 1e-3, signals: [ball.position, ball.velocity, energy]}\n";
    case_table table = {0};
    double z = 0, v = 0, strain = 1;
    CHECK(case_run(model, NULL, &table, NULL, NULL));
    CHECK(case_table_value(&table, "ball.position.z", 0, &z));
    CHECK(case_table_value(&table, "ball.velocity.x", 0, &v));
    CHECK(case_table_value(&table, "energy.strain", 0, &strain));
    case_table_clear(&table);
    CHECK_NEAR(z, -sin(0.5), 1e-14);
    CHECK_NEAR(v, -2 * sin(0.5), 1e-12);
    CHECK_NEAR(strain, 0, 1e-20);
    return 0;
}

// A slack line between pins begins at rest: half its weight on each pin, and it stays.
static int slack_lines_rest(void)
{
    static const char model[] =
        "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  c: {type: beam, from: [0, 0, 3], to: [1.5, 0, 3], length: 1.6, elements: 24,"
        " section: {EA: 1e6, EI: 0.5, mass: 1.2}}\n"
        "joints:\n"
        "  top: {type: spherical, on: [ground, c], at: c.start}\n"
        "  eye: {type: spherical, on: [ground, c], at: c.end}\n"
        "simulate: {until: 0.2, method: generalized-alpha, step: 1e-3}\n"
        "outputs: {every: 0.1, signals: [c.point(0.5).z, top.reaction]}\n";
    case_table table = {0};
    CHECK(case_run(model, NULL, &table, NULL, NULL));
    for (int i = 0; i < 3; i++) {
        double first = 0, z = 0, up = 0;
        CHECK(case_table_value(&table, "c.point(0.5).z", 0, &first));
        CHECK(case_table_value(&table, "c.point(0.5).z", 0.1 * i, &z));
        CHECK(case_table_value(&table, "top.reaction.z", 0.1 * i, &up));
        CHECK_NEAR(z, first, 7e-4);
        // the shape is that of pieces (BEA-8), whose difference from the beam starts small waves
        CHECK_NEAR(up, 0.5 * 1.6 * 1.2 * 9.81, i ? 0.15 : 0.5);
    }
    case_table_clear(&table);
    return 0;
}

TEST_MAIN(TEST(order_is_twice_that_of_the_polynomials), SLOW_TEST(slender_beams_do_not_lock),
          SLOW_TEST(moment_rolls_a_circle), TEST(joints_are_anywhere), TEST(segments_are_the_chain),
          TEST(free_flight_keeps_momenta), TEST(starts_move_the_whole), TEST(slack_lines_rest))
