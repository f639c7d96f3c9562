// Signals that are vectors in the axes of a body or of a point on it.
#include "case_table.h"
#include "check.h"

#include <math.h>
#include <stdio.h>

// A rod on a hinge: along it the tip is accelerated by -w^2 L, across it by w' L.
static int an_accelerometer_on_a_rod(void)
{
    const char *text =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies: {rod: {type: rigid, mass: 1, inertia: 0.1, com: [0.5, 0], points: {tip: [2, "
        "0]}}}\n"
        "joints: {hinge: {type: revolute, on: [ground, rod], at: [0, 0]}}\n"
        "signals: {felt: {value: rod.tip.acceleration, frame: rod, unit: m/s^2},\n"
        "          same: {value: rod.tip.acceleration, frame: ground}}\n"
        "simulate: {until: 1, method: radau, rtol: 1e-9}\n"
        "outputs: {every: 0.25, signals: [felt, same, hinge.rate, rod.angular_acceleration,\n"
        "                                 rod.tip.acceleration]}\n";
    case_table t = {0};
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    for (int i = 0; i <= 4; i++) {
        double x, y, w, dw, sx, ax, at = 0.25 * i;
        CHECK(case_table_value(&t, "felt.x", at, &x) && case_table_value(&t, "felt.y", at, &y));
        CHECK(case_table_value(&t, "hinge.rate", at, &w));
        CHECK(case_table_value(&t, "rod.angular_acceleration", at, &dw));
        CHECK(case_table_value(&t, "same.x", at, &sx));
        CHECK(case_table_value(&t, "rod.tip.acceleration.x", at, &ax));
        CHECK_NEAR(x, -2 * w * w, 1e-10);
        CHECK_NEAR(y, 2 * dw, 1e-10);
        CHECK_NEAR(sx, ax, 0);
    }
    case_table_clear(&t);
    return 0;
}

// In space: entries are products with the axes of the body, and of a point with axes of its own; what a repeated
// signal names follows its index, and expressions may use it.
static int axes_of_bodies_and_points_in_space(void)
{
    const char *text =
        "flexion: 1\ngravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  top: {repeat: {i: [1, 2]}, type: rigid, mass: 1, inertia: [0.2, 0.3, 0.1 + 0.1*i],\n"
        "        orientation: {axis: [1, 2, 3], angle: 0.4*i}, angular_velocity: [1, 2, 3],\n"
        "        velocity: [1, -2, 0.5],\n"
        "        points: {box: {at: [0, 0.1, 0], orientation: {axis: [1, 0, 0], angle: pi/2}}}}\n"
        "signals:\n"
        "  seen: {repeat: {i: [1, 2]}, value: top(i).velocity, frame: top(i)}\n"
        "  boxed: {value: top(1).velocity, frame: top(1).box}\n"
        "  twice: 2*seen(2).x\n"
        "simulate: {until: 1, method: dopri5, rtol: 1e-9}\n"
        "outputs: {every: 0.5, signals: [seen, boxed, twice, top.velocity, top.ex, top.ey, "
        "top.ez]}\n";
    case_table t = {0};
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    for (int i = 1; i <= 2; i++) {
        double v[3], seen[3], boxed[3], twice;
        for (int k = 0; k < 3; k++) {
            char name[64];
            double sum = 0;
            for (int j = 0; j < 3; j++) {
                double e;
                snprintf(name, sizeof name, "top(%d).velocity.%c", i, 'x' + j);
                CHECK(case_table_value(&t, name, 1, &v[j]));
                snprintf(name, sizeof name, "top(%d).e%c.%c", i, 'x' + k, 'x' + j);
                CHECK(case_table_value(&t, name, 1, &e));
                sum += v[j] * e;
            }
            snprintf(name, sizeof name, "seen(%d).%c", i, 'x' + k);
            CHECK(case_table_value(&t, name, 1, &seen[k]));
            CHECK_NEAR(seen[k], sum, 1e-12);
            snprintf(name, sizeof name, "boxed.%c", 'x' + k);
            CHECK(case_table_value(&t, name, 1, &boxed[k]));
        }
        if (i == 1) { // its y is the body's z, its z the body's -y
            CHECK_NEAR(boxed[0], seen[0], 1e-12);
            CHECK_NEAR(boxed[1], seen[2], 1e-12);
            CHECK_NEAR(boxed[2], -seen[1], 1e-12);
        }
        CHECK(case_table_value(&t, "twice", 1, &twice));
        if (i == 2) CHECK_NEAR(twice, 2 * seen[0], 1e-12);
    }
    case_table_clear(&t);
    return 0;
}

// Where something turns that is no rigid body, an axis seen in its own frame, and a force given along it, are
// still along it: nodes of beams in every formulation, nodes of a body that bends, bodies of a part that is turned.
static int axes_of_nodes_and_parts_move(void)
{
    static const char *const bodies[] = {
        "b: {type: beam, formulation: geometrically-exact, from: [0, 0, 0], to: [1, 0, 0],"
        " elements: 4, section: {EA: 1e4, GA: 1e4, EI: 2, GJ: 2, mass: 1}}",
        "b: {type: beam, formulation: ancf, from: [0, 0, 0], to: [1, 0, 0], elements: 4,"
        " section: {EA: 1e4, GA: 1e4, EI: 2, GJ: 2, mass: 1}}",
        "b: {type: beam, formulation: ancf-cable, from: [0, 0, 0], to: [1, 0, 0], elements: 4,"
        " section: {EA: 1e4, EI: 2, mass: 1}}",
        "b: {type: beam, formulation: segments, from: [0, 0, 0], to: [1, 0, 0], elements: 4,"
        " section: {EA: 1e4, GA: 1e4, EI: 2, GJ: 2, mass: 1}}",
        "b: {type: flexible, fe: {line: [[0, 0, 0], [1, 0, 0]], elements: 4, section: {radius: "
        "0.01},"
        " material: {E: 1e8, density: 1000}}, reduce: {type: craig-bampton, interfaces: [start, "
        "end],"
        " modes: 2}}"};
    for (int i = 0; i < 5; i++) {
        char text[1500];
        case_table t = {0};
        snprintf(text, sizeof text,
                 "flexion: 1\n"
                 "models:\n"
                 "  arm:\n"
                 "    bodies:\n      %s\n"
                 "    joints: {clamp: {type: fixed, on: [ground, b], at: b.start}}\n"
                 "    signals:\n"
                 "      seen: {value: b.end.ex, frame: b.end}\n"
                 "    forces:\n"
                 "      push: {type: force, on: b, at: b.end, value: [0, 0, 0.4]}\n"
                 "      pull: {type: force, on: b, at: b.end, frame: b.end, value: [0.2, 0, 0]}\n"
                 "parts: {left: {model: arm, orientation: {axis: [0.3, 1, -0.5], angle: 1.1}}}\n"
                 "simulate: {until: 0.2, method: radau, rtol: 1e-6}\n"
                 "outputs: {every: 0.1, signals: [left.seen, left.pull.value, left.b.end.ex]}\n",
                 bodies[i]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        for (int k = 0; k < 3; k++) {
            double seen, pull, axis;
            char name[64];
            snprintf(name, sizeof name, "left.seen.%c", 'x' + k);
            CHECK(case_table_value(&t, name, 0.2, &seen));
            snprintf(name, sizeof name, "left.pull.value.%c", 'x' + k);
            CHECK(case_table_value(&t, name, 0.2, &pull));
            snprintf(name, sizeof name, "left.b.end.ex.%c", 'x' + k);
            CHECK(case_table_value(&t, name, 0.2, &axis));
            CHECK_NEAR(seen, k == 0 ? 1 : 0, 1e-3); // axes of a body that bends are of first order
            CHECK_NEAR(pull, 0.2 * axis, 1e-12);
        }
        case_table_clear(&t);
    }
    return 0;
}

TEST_MAIN(TEST(an_accelerometer_on_a_rod), TEST(axes_of_bodies_and_points_in_space),
          TEST(axes_of_nodes_and_parts_move))
