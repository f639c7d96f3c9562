// test_cylinder_contact.c - cylinders, discs, capsules and curves of space that touch: standing, lying, crossing and side by side, by
// events and step by step, in turned copies.
#include "case_table.h"
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const methods[] = {"method: radau, rtol: 1e-7", "method: dopri5, rtol: 1e-7",
                                      "method: moreau, step: 1e-3",
                                      "method: generalized-alpha, step: 1e-3, contacts: steps"};
enum { NMETHOD = sizeof methods / sizeof *methods };

// A can on the floor or held by it, and something above it, of 1 kg, that falls by 1 mm; `lies` is its height at rest.
static int it_rests(const char *below, const char *above, const char *method, double lies)
{
    char text[1600];
    case_table t = {0};
    double at[3] = {0}, speed = (double)NAN, force = (double)NAN;
    snprintf(
        text, sizeof text,
        "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  a: {type: rigid, mass: 2, inertia: [0.05, 0.04, 0.03], %s}\n"
        "  b: {type: rigid, mass: 1, inertia: [0.02, 0.03, 0.025], %s}\n"
        "forces: {c: {type: contact, among: [ground, a, b], law: restitution, friction: 0.4}}\n"
        "simulate: {until: 0.5, %s}\n"
        "outputs: {times: [0.5], signals: [b.position, b.velocity, c.value]}\n",
        below, above, method);
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    CHECK(case_table_value(&t, "b.position.x", 0.5, &at[0]));
    CHECK(case_table_value(&t, "b.position.z", 0.5, &at[2]));
    CHECK(case_table_value(&t, "b.velocity.z", 0.5, &speed));
    CHECK(case_table_value(&t, "c.value", 0.5, &force));
    case_table_clear(&t);
    CHECK_NEAR(at[0], 0.05, 1e-5);
    CHECK_NEAR(at[2], lies, 1e-8);
    CHECK_NEAR(speed, 0.0, 1e-8);
    CHECK_NEAR(force, 4.0 * 9.81, 1e-6);
    return 0;
}

#define CAN                                                                                        \
    "position: [0, 0, 0.15], surface: {cylinder: {radius: 0.2, length: 0.3, axis: [0, 0, 1]}}"

static int they_rest_on_each_other(void)
{
    static const struct {
        const char *above;
        double lies;
    } some[] = {
        // inside the end below, beyond it, on its side along a chord; a coin that is thick by its skin; a capsule
        {"position: [0.05, 0.02, 0.401], surface: {cylinder: {radius: 0.1, length: 0.2, axis: [0, "
         "0, 1]}}",
         0.4},
        {"position: [0.05, 0.06, 0.401], surface: {cylinder: {radius: 0.2, length: 0.2, axis: [0, "
         "0, 1]}}",
         0.4},
        {"position: [0.05, 0.02, 0.401], surface: {cylinder: {radius: 0.1, length: 1, axis: [1, "
         "0.2, 0]}}",
         0.4},
        {"position: [0.05, 0.02, 0.321], surface: {disc: {radius: 0.15, axis: [0, 0, 1]}, round: "
         "0.02}",
         0.32},
        {"position: [0.05, 0.02, 0.351], surface: {capsule: {radius: 0.05, length: 0.2, axis: [1, "
         "-0.3, 0]}}",
         0.35}};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        for (int m = 0; m < NMETHOD; m++) {
            if (it_rests(CAN, some[i].above, methods[m], some[i].lies) == 0) continue;
            printf("%s, %s\n", some[i].above, methods[m]);
            return 1;
        }
    }
    return 0;
}

// On a box and under one, step by step: standing, overhanging, lying, across an edge of it; a can on a roof of a hull.
static int they_rest_on_solids(void)
{
    static const struct {
        const char *below, *above;
        double lies;
    } some[] = {
        {"position: [0, 0, 0.15], surface: {box: [0.4, 0.4, 0.3]}",
         "position: [0.05, 0.02, 0.401], surface: {cylinder: {radius: 0.1, length: 0.2, axis: [0, "
         "0, 1]}}",
         0.4},
        {"position: [0, 0, 0.15], surface: {box: [0.4, 0.4, 0.3], round: 0.01}",
         "position: [0.05, 0.02, 0.401], surface: {cylinder: {radius: 0.3, length: 0.2, axis: [0, "
         "0, 1]}}",
         0.4},
        {"position: [0, 0, 0.15], surface: {box: [0.4, 0.4, 0.3]}",
         "position: [0.05, 0.02, 0.401], surface: {cylinder: {radius: 0.1, length: 1, axis: [1, "
         "0.3, 0]}}",
         0.4},
        {"position: [0, 0, 0.15], surface: {hull: [[-0.2, -0.2, -0.15], [0.2, -0.2, -0.15], [0.2, "
         "0.2, -0.15], [-0.2, 0.2, -0.15], [-0.2, -0.2, 0.15], [0.2, -0.2, 0.15], [0.2, 0.2, "
         "0.15], [-0.2, 0.2, 0.15]]}",
         "position: [0.05, 0.02, 0.321], surface: {disc: {radius: 0.15, axis: [0, 0, 1]}, round: "
         "0.02}",
         0.32},
        {"position: [0, 0, 0.15], surface: {cylinder: {radius: 0.2, length: 0.3, axis: [0, 0, 1]}}",
         "position: [0.05, 0.02, 0.401], orientation: {axis: [0, 0, 1], angle: 0.3}, surface: "
         "{box: [0.5, 0.3, 0.2]}",
         0.4}};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        for (int m = 2; m < NMETHOD; m++) {
            if (it_rests(some[i].below, some[i].above, methods[m], some[i].lies) == 0) continue;
            printf("%s, %s\n", some[i].above, methods[m]);
            return 1;
        }
    }
    return 0;
}

// Rollers that meet along a line, without gravity, in axes that are turned: as two masses on a line.
static int rollers_meet_along_a_line(void)
{
    for (int m = 0; m < NMETHOD; m++) {
        for (int turned = 0; turned < 2; turned++) {
            char text[1600];
            case_table t = {0};
            double v[2] = {(double)NAN, (double)NAN};
            const char *turn = turned ? "orientation: {axis: [0, 0, 1], angle: 0.6}," : "";
            double c = turned ? cos(0.6) : 1.0, s = turned ? sin(0.6) : 0.0;
            snprintf(
                text, sizeof text,
                "flexion: 1\nbodies:\n"
                "  a: {type: rigid, mass: 2, inertia: [0.05, 0.04, 0.03], %s surface: "
                "{cylinder: {radius: 0.2, length: 0.6, axis: [0, 1, 0]}}}\n"
                "  b: {type: rigid, mass: 1, inertia: [0.02, 0.03, 0.025], position: [%.17g, "
                "%.17g, 0], velocity: [%.17g, %.17g, 0], %s surface: {cylinder: {radius: 0.1, "
                "length: 0.4, axis: [0, 1, 0]}}}\n"
                "forces: {c: {type: contact, on: [a, b], law: restitution, restitution: 0.5}}\n"
                "simulate: {until: 0.2, %s}\n"
                "outputs: {times: [0.2], signals: [a.velocity, b.velocity]}\n",
                turn, 0.35 * c, 0.35 * s, -c, -s, turn, methods[m]);
            CHECK(case_run(text, NULL, &t, NULL, NULL));
            CHECK(case_table_value(&t, "a.velocity.x", 0.2, &v[0]));
            CHECK(case_table_value(&t, "b.velocity.x", 0.2, &v[1]));
            case_table_clear(&t);
            CHECK_NEAR(v[0], -0.5 * c, 1e-9);
            CHECK_NEAR(v[1], 0.0, 1e-9);
        }
    }
    return 0;
}

// A compliant law acts where they cross, as between a sphere and a plane.
static int crossed_cylinders_press_each_other(void)
{
    static const char *const other[] = {
        "{plane: [0, 0, 1]}",
        "{cylinder: {radius: 0.1, length: 1, axis: [0, 1, 0]}, at: [0, 0, -0.1]}"};
    static const char *const own[] = {"{sphere: 0.1}",
                                      "{cylinder: {radius: 0.1, length: 1, axis: [1, 0, 0]}}"};
    double force[2] = {0, (double)NAN};
    for (int i = 0; i < 2; i++) {
        char text[1200];
        case_table t = {0};
        snprintf(text, sizeof text,
                 "flexion: 1\nbodies:\n"
                 "  b: {type: rigid, mass: 1, inertia: [0.02, 0.03, 0.025], position: [0, 0, "
                 "0.0999], surface: %s}\n"
                 "forces: {c: {type: contact, on: [ground, b], ground: %s, law: hertz, "
                 "stiffness: 1e7}}\n"
                 "simulate: {until: 0.001, method: radau, rtol: 1e-8}\n"
                 "outputs: {times: [0.001], signals: [c.value]}\n",
                 own[i], other[i]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "c.value", 0.001, &force[i]));
        case_table_clear(&t);
    }
    CHECK(force[0] > 1.0);
    CHECK_NEAR(force[1], force[0], 1e-9 * force[0]);
    return 0;
}

// A curve of space goes on along its axis: a ball lies on it far from its plane, in any axes.
static int curves_have_no_end_across_their_plane(void)
{
    static const struct {
        const char *turn, *position;
    } some[] = {{"", "position: [0, 0.15, 7]"},
                {", orientation: {axis: [0, 1, 0], angle: 0.7}",
                 "position: [4.509523810663837, 0.15, 5.35389531099142]"}};
    for (int i = 0; i < 2; i++) {
        for (int m = 0; m < NMETHOD; m++) {
            char text[1200];
            case_table t = {0};
            double y = (double)NAN;
            snprintf(text, sizeof text,
                     "flexion: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
                     "  b: {type: rigid, mass: 1, inertia: [0.02, 0.03, 0.025], %s, surface: "
                     "{sphere: 0.05}}\n"
                     "forces: {c: {type: contact, on: [ground, b], ground: {curve: [2*cos(2*pi*s), "
                     "0.1*sin(2*pi*s)]%s}, law: restitution}}\n"
                     "simulate: {until: 0.05, %s}\n"
                     "outputs: {times: [0.05], signals: [b.position]}\n",
                     some[i].position, some[i].turn, methods[m]);
            CHECK(case_run(text, NULL, &t, NULL, NULL));
            CHECK(case_table_value(&t, "b.position.y", 0.05, &y));
            case_table_clear(&t);
            CHECK_NEAR(y, 0.15, 1e-3);
        }
    }
    return 0;
}

// Two bodies that fly into each other and spin; in turned axes (turn about z) and with the second named first. v: velocities of both
// after it in the axes of the first copy, and the energy that is left.
static bool they_collide(const char *const surface[2], const char *law, const char *method,
                         double turn, bool other_order, double v[7])
{
    static const char *const names[] = {"a.velocity.x",       "a.velocity.y", "a.velocity.z",
                                        "b.velocity.x",       "b.velocity.y", "b.velocity.z",
                                        "drift(energy.total)"};
    char text[1600];
    case_table t = {0};
    double c = cos(turn), s = sin(turn);
    snprintf(
        text, sizeof text,
        "flexion: 1\nbodies:\n"
        "  a: {type: rigid, mass: 2, inertia: [0.05, 0.04, 0.03], orientation: {axis: [0, 0, 1], "
        "angle: %.17g}, surface: %s}\n"
        "  b: {type: rigid, mass: 1, inertia: [0.02, 0.03, 0.025], position: [%.17g, %.17g, 0.29], "
        "velocity: [%.17g, %.17g, -1], angular_velocity: [%.17g, %.17g, 1.5], "
        "orientation: {euler: {sequence: zxz, angles: [%.17g, 0.3, 0.2]}}, surface: %s}\n"
        "forces: {c: {type: contact, on: [%s], %s}}\n"
        "simulate: {until: 0.25, %s}\n"
        "outputs: {times: [0, 0.25], signals: [a.velocity, b.velocity, energy]}\n",
        turn, surface[0], 0.03 * c + 0.02 * s, 0.03 * s - 0.02 * c, 0.3 * c + 0.2 * s,
        0.3 * s - 0.2 * c, c - 2 * s, s + 2 * c, 1.1 + turn, surface[1],
        other_order ? "b, a" : "a, b", law, method);
    bool good = case_run(text, NULL, &t, NULL, NULL);
    for (int i = 0; i < 7 && good; i++) good = case_table_value(&t, names[i], 0.25, &v[i]);
    case_table_clear(&t);
    for (int i = 0; i < 6; i += 3) {
        double x = v[i], y = v[i + 1];
        v[i] = c * x + s * y;
        v[i + 1] = c * y - s * x;
    }
    return good;
}

// Sharp rims that meet press each other along what is across both: the same in any axes, order and method, with the energy that the
// law leaves. A place that takes over from another while they press has the speed at which the surfaces met.
static int sharp_rims_meet(void)
{
    static const char *const some[][2] = {
        {"{cylinder: {radius: 0.12, length: 0.2, axis: [0.1, 0.05, 1]}}",
         "{cylinder: {radius: 0.12, length: 0.2, axis: [0.1, 0.05, 1]}}"},
        {"{cylinder: {radius: 0.12, length: 0.2, axis: [0.1, 0.05, 1]}}",
         "{cylinder: {radius: 0.15, length: 0.1, axis: [0.5, 0.05, 1]}, round: 0.02}"},
        {"{disc: {radius: 0.15, axis: [0.3, 0.05, 1]}, at: [0, 0, 0.17]}",
         "{disc: {radius: 0.15, axis: [0.3, 0.05, 1]}, round: 0.02}"},
        {"{cylinder: {radius: 0.12, length: 0.2, axis: [0.1, 0.05, 1]}}", "{box: [0.3, 0.4, 0.2]}"},
        {"{hull: [[-0.15, -0.1, -0.1], [0.15, 0, -0.1], [0, 0.12, -0.1], [0, 0, 0.1]]}",
         "{cylinder: {radius: 0.12, length: 0.2, axis: [0.1, 0.05, 1]}}"}};
    static const struct {
        const char *law, *method;
        bool keeps; // the energy
    } ways[] = {
        {"law: hertz, stiffness: 1e6", "method: radau, rtol: 1e-8", true},
        {"law: hertz, stiffness: 1e6", "method: dopri5, rtol: 1e-8", true},
        {"law: hunt-crossley, stiffness: 1e6, restitution: 0.6", "method: dopri5, rtol: 1e-8",
         false},
        {"law: restitution, restitution: 0.5, friction: 0.3", "method: radau, rtol: 1e-8", false}};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            double v[3][7];
            bool rigid = strstr(ways[k].law, "law: restitution") != NULL;
            if (rigid && i >= 3) continue; // step by step alone
            for (int n = 0; n < 3; n++)
                CHECK(they_collide(some[i], ways[k].law, ways[k].method, n == 1 ? 0.7 : 0.0, n == 2,
                                   v[n]));
            printf("%d %s: %.6f %.6f, drift %.1e\n", (int)i, ways[k].law, v[0][2], v[0][5],
                   v[0][6]);
            CHECK(fabs(v[0][5] + 1.0) > 0.05); // they have met
            if (ways[k].keeps) CHECK_NEAR(v[0][6], 0, 1e-6);
            for (int n = 0; n < 6; n++) {
                CHECK_NEAR(v[1][n], v[0][n], 3e-6);
                CHECK_NEAR(v[2][n], v[0][n], 3e-6);
            }
        }
    }
    return 0;
}

// By an elastic law a body falls onto the other as it leans by `tilt`, and rocks: places that press come and go without a jump, so that
// its energy stays.
static bool keeps_energy(const char *below, const char *above, double height, double tilt,
                         double allowed)
{
    char text[1600];
    case_table t = {0};
    flx_ledger ledger = {0};
    snprintf(
        text, sizeof text,
        "flexion: 1\ngravity: [0, 0, -9.81]\nparameters: {tilt: %.17g}\nbodies:\n"
        "  below: {type: rigid, mass: 2, inertia: [0.01, 0.01, 0.01], position: [0, 0, -0.1], "
        "surface: %s}\n"
        "  above: {type: rigid, mass: 1, inertia: [2e-3, 0.01, 0.01], position: [0.01, 5e-3, "
        "%.17g], velocity: [0, 0, -0.2], orientation: {x: [0.98*cos(tilt), 0.19899749*cos(tilt), "
        "sin(tilt)], y: [-0.15220163, 0.74954516, 0.64421769]}, surface: %s}\n"
        "joints: {fix: {type: fixed, on: [ground, below], at: [0, 0, 0]}}\n"
        "forces: {c: {type: contact, on: [below, above], law: hertz, stiffness: 1e6}}\n"
        "simulate: {until: 0.25, method: radau, rtol: 1e-7}\n"
        "outputs: {times: [0.25], signals: [c.contacts]}\n",
        tilt, below, height, above);
    bool fine = case_run_ledger(text, NULL, &t, &ledger) && ledger.energy_drift < allowed;
    if (!fine) printf("%s on %s, %g: drift %.2g\n", above, below, tilt, ledger.energy_drift);
    case_table_clear(&t);
    return fine;
}

static int what_lies_may_rock(void)
{
    static const char *const above[] = {"{box: [0.3, 0.1, 0.1]}",
                                        "{capsule: {radius: 0.03, length: 0.3, axis: [1, 0, 0]}}",
                                        "{capsule: {radius: 0.03, length: 0.15, axis: [1, 0, 0]}}",
                                        "{cylinder: {radius: 0.03, length: 0.3, axis: [1, 0, 0]}}"};
    static const double height[] = {0.085, 0.05, 0.05, 0.05}, tilt[] = {0.02, 3e-4, -4e-3};
    static const char end[] = "{cylinder: {radius: 0.1, length: 0.2, axis: [0, 0, 1]}}",
                      side[] =
                          "{cylinder: {radius: 0.1, length: 0.4, axis: [0.98, 0.19899749, 0]}}",
                      capsule[] =
                          "{capsule: {radius: 0.1, length: 0.4, axis: [0.98, 0.19899749, 0]}}";
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++) {
            CHECK(keeps_energy(end, above[k], height[k], tilt[i], 1e-5));
            if (k > 0)
                CHECK(keeps_energy(side, above[k], height[k], tilt[i], k == 3 ? 1e-3 : 1e-5));
        }
        if (i < 2) CHECK(keeps_energy(side, above[0], height[0], tilt[i], 1e-5));
        CHECK(keeps_energy(capsule, above[1], height[1], tilt[i], 1e-5));
        CHECK(keeps_energy(capsule, above[2], height[2], tilt[i], 1e-5));
    }
    return 0;
}

// A can that falls onto an end, nearly flat: its rim goes round, and its feet have the stiffness of one place of it.
static int cans_may_rock(void)
{
    static const char *const below[] = {"{plane: [0, 0, 1], at: [0, 0, 0.1]}",
                                        "{box: [0.4, 0.4, 0.2]}",
                                        "{cylinder: {radius: 0.1, length: 0.2, axis: [0, 0, 1]}}"};
    static const char *const above[] = {
        "{cylinder: {radius: 0.05, length: 0.06, axis: [0, -0.64421769, 0.76484219]}}",
        "{disc: {radius: 0.05, axis: [0, -0.64421769, 0.76484219]}, round: 0.01}"};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++) {
            CHECK(keeps_energy(below[i], above[k], 0.06, 0.02, 2e-3));
            CHECK(keeps_energy(below[i], above[k], 0.06, 2e-4, 2e-3));
        }
    }
    return 0;
}

// Rims side by side, and an edge that presses the side near an end: neither is one that crosses a rim.
static int edges_do_not_cross_where_they_press_sides(void)
{
    static const struct {
        const char *below, *above, *position, *turns, *stiffness;
    } some[] = {
        {"{cylinder: {radius: 0.14683075653555233, length: 0.16590596005239358, axis: [1,0,0]}}",
         "{cylinder: {radius: 0.099917408394757601, length: 0.20873581227064847, axis: [1,0,0]}}",
         "[0.02,0.01,0.26119866267087655]",
         "[-0.96813983813166882,-1.5206769853505286,1.1785161332363976]", "44402395.05899011"},
        {"{cylinder: {radius: 0.13876559794954035, length: 0.23511279538333316, axis: [1,0,0]}}",
         "{box: [0.16589532710700858,0.13271626168560688,0.21855217054674558]}",
         "[0.02,0.01,0.25804168322291315]",
         "[1.3113901623689554,1.4885411431885065,1.8865404524619245]", "99707606.98222513"}};
    for (int i = 0; i < 2; i++) {
        char text[1600];
        case_table t = {0};
        flx_ledger ledger = {0};
        snprintf(text, sizeof text,
                 "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                 "  a: {type: rigid, mass: 2, inertia: [0.01, 0.02, 0.03], surface: %s}\n"
                 "  b: {type: rigid, mass: 1, inertia: [2e-3, 3e-3, 4e-3], position: %s, velocity: "
                 "[0, 0, -0.5], angular_velocity: %s, surface: %s}\n"
                 "joints: {fix: {type: fixed, on: [ground, a], at: [0, 0, 0]}}\n"
                 "forces: {c: {type: contact, on: [a, b], law: hertz, stiffness: %s}}\n"
                 "simulate: {until: 0.25, method: radau, rtol: 1e-7}\n"
                 "outputs: {times: [0.25], signals: [c.contacts]}\n",
                 some[i].below, some[i].position, some[i].turns, some[i].above, some[i].stiffness);
        CHECK(case_run_ledger(text, NULL, &t, &ledger));
        CHECK(ledger.energy_drift < 1e-5);
        case_table_clear(&t);
    }
    return 0;
}

TEST_MAIN(TEST(sharp_rims_meet), TEST(curves_have_no_end_across_their_plane),
          TEST(they_rest_on_each_other), TEST(they_rest_on_solids), TEST(rollers_meet_along_a_line),
          TEST(crossed_cylinders_press_each_other), TEST(what_lies_may_rock), TEST(cans_may_rock),
          TEST(edges_do_not_cross_where_they_press_sides))
