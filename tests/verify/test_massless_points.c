// test_massless_points.c - points without mass between springs: where they go is what their forces say, by closed form.
#include "case_table.h"
#include "check.h"

#include <math.h>

// ---- velocities ---------------------------------------------------------------------------------

// It hangs on a body that turns evenly, and goes round with it.
static const char turns[] =
    "flexion: 1\ndimension: 2\nbodies:\n"
    "  b: {type: rigid, mass: 2, inertia: 0.3, position: [0, 0], velocity: [0.4, -0.3], "
    "angular_velocity: 2, points: {p: [0.9, 0], q: [0, 0.4]}}\n"
    "  m: {type: point, mass: 0, position: [0.3, 0]}\n"
    "forces:\n"
    "  f: {type: spring, on: [b, m], at: [b.p, m], stiffness: 100, length: 0.6}\n"
    "  g: {type: spring, on: [b, m], at: [b.q, m], stiffness: 80, length: 0.5}\n"
    "simulate: {until: 0.7, method: %s}\n"
    "outputs: {every: 0.35, signals: [m.position, m.velocity]}\n";

// How far it is off at the end: places, velocities.
static int find_error(const char *method, double *place, double *speed)
{
    char text[1200];
    case_table t = {0};
    double x[4];
    static const char *const names[] = {"m.position.x", "m.position.y", "m.velocity.x",
                                        "m.velocity.y"};
    snprintf(text, sizeof text, turns, method);
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    *place = *speed = 0.0;
    for (int k = 1; k <= 2; k++) {
        double at = 0.35 * k, c = 0.3 * cos(2.0 * at), s = 0.3 * sin(2.0 * at);
        const double right[] = {0.4 * at + c, -0.3 * at + s, 0.4 - 2.0 * s, -0.3 + 2.0 * c};
        for (int i = 0; i < 4; i++) CHECK(case_table_value(&t, names[i], at, x + i));
        for (int i = 0; i < 2; i++) *place = fmax(*place, fabs(x[i] - right[i]));
        for (int i = 2; i < 4; i++) *speed = fmax(*speed, fabs(x[i] - right[i]));
    }
    case_table_clear(&t);
    return 0;
}

// Steps that do not divide the time between outputs, too.
static int velocities_follow_what_carries_it(void)
{
    static const char *const methods[] = {
        "midpoint, formulation: index-3", "energy-momentum",
        "radau, formulation: index-3",    "trapezoidal, formulation: ggl",
        "hht, formulation: index-3",      "generalized-alpha, formulation: index-3",
        "newmark, formulation: index-3",  "midpoint, formulation: tree",
        "gauss, formulation: index-3"};
    for (int k = 0; k < 9; k++) {
        for (int i = 0; i < 2; i++) {
            char method[80];
            double place[2], speed[2];
            for (int j = 0; j < 2; j++) {
                double h = (i ? 3.1e-3 : 2.5e-3) / (j ? 2.0 : 1.0);
                snprintf(method, sizeof method, "%s, step: %g", methods[k], h);
                CHECK(find_error(method, place + j, speed + j) == 0);
                CHECK(place[j] < 1e-3 * h * h && speed[j] < 0.5 * h * h);
            }
        }
    }
    return 0;
}

// ---- starts -------------------------------------------------------------------------------------

// Two dampers along x and y, one that hardly leaves their plane: it says how fast the point is out of it.
static int dampers_near_a_plane_leave_it_where_it_is(void)
{
    static const char *const ways[] = {"radau, formulation: index-3", "radau, formulation: tree",
                                       "dop853, formulation: tree"};
    for (int k = 0; k < 3; k++) {
        for (int power = 1; power <= 5; power++) {
            double rise = sqrt(100.0 * pow(10.0, -power)) * 0.1, along = sqrt(1.0 - rise * rise);
            char text[1600];
            case_table t = {0};
            double z, v;
            snprintf(text, sizeof text,
                     "flexion: 1\nbodies:\n"
                     "  m: {type: point, mass: 0, position: [0, 0, 0]}\n"
                     "forces:\n"
                     "  x: {type: spring, on: [ground, m], at: [[1, 0, 0], m], stiffness: 100, "
                     "damping: 1, length: 1}\n"
                     "  y: {type: spring, on: [ground, m], at: [[0, 1, 0], m], stiffness: 100, "
                     "damping: 1, length: 1}\n"
                     "  s: {type: spring, on: [ground, m], at: [[0, %.17g, %.17g], m], stiffness: "
                     "0, damping: 1, length: 1}\n"
                     "  z: {type: spring, on: [ground, m], at: [[0, 0, 1], m], stiffness: 100, "
                     "length: 1}\n"
                     "  F: {type: force, on: m, at: m, value: [0, 0, 0.2]}\n"
                     "simulate: {until: 1e-9, method: %s, rtol: 1e-9, atol: 1e-11}\n"
                     "outputs: {every: 1e-9, signals: [m.position, m.velocity]}\n",
                     along, rise, ways[k]);
            CHECK(case_run(text, NULL, &t, NULL, NULL));
            CHECK(case_table_value(&t, "m.position.z", 0.0, &z));
            CHECK(case_table_value(&t, "m.velocity.z", 0.0, &v));
            case_table_clear(&t);
            // [1 + along^2, along rise; along rise, rise^2] (y', z') = (0, 0.2)
            double right = 0.2 * (1.0 + along * along) / (rise * rise);
            CHECK_NEAR(z, 0.0, 1e-8);
            CHECK_NEAR(v / right, 1.0, 1e-5);
        }
    }
    return 0;
}

// All falls: the point's forces are in balance, and stay so.
static int it_falls_with_what_carries_it(void)
{
    static const char *const ways[] = {"radau, formulation: index-3", "radau, formulation: tree",
                                       "dop853, formulation: tree", "bdf, formulation: ggl"};
    for (int k = 0; k < 4; k++) {
        char text[1600];
        case_table t = {0};
        double a[2], p;
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ngravity: [1, -9]\nbodies:\n"
                 "  b: {type: rigid, mass: 2, inertia: 0.3, position: [0, 0.3], points: {p: [0.1, "
                 "0.2]}}\n"
                 "  c: {type: rigid, mass: 1, inertia: 0.1, position: [1.1, 0.2], points: {p: "
                 "[-0.3, 0.1]}}\n"
                 "  m: {type: point, mass: 0, position: [0.37, -0.41]}\n"
                 "joints: {d: {type: distance, on: [b, c], at: [b, c]}}\n"
                 "forces:\n"
                 "  f: {type: spring, on: [b, m], at: [b.p, m], stiffness: 90, damping: 1.3, "
                 "length: %.17g}\n"
                 "  g: {type: spring, on: [c, m], at: [c.p, m], stiffness: 70, damping: 0.7, "
                 "length: %.17g}\n"
                 "simulate: {until: 0.1, method: %s, rtol: 1e-9, atol: 1e-11}\n"
                 "outputs: {every: 0.1, signals: [m.position, m.acceleration]}\n",
                 hypot(0.27, 0.91), hypot(0.43, 0.71), ways[k]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "m.acceleration.x", 0.0, a));
        CHECK(case_table_value(&t, "m.acceleration.y", 0.0, a + 1));
        CHECK(case_table_value(&t, "m.position.y", 0.1, &p));
        case_table_clear(&t);
        CHECK_NEAR(a[0], 1.0, 1e-5);
        CHECK_NEAR(a[1], -9.0, 1e-4);
        CHECK_NEAR(p, -0.41 - 0.045, 1e-8);
    }
    return 0;
}

// A flexible body that springs tie to it: forces of its joint are those of the coordinates of bodies.
static int flexible_bodies_beside_it_have_their_reactions(void)
{
    static const char *const ways[] = {"index-3", "tree"};
    double first[3][2] = {{0}};
    for (int k = 0; k < 2; k++) {
        char text[1600];
        case_table t = {0};
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ngravity: [0, -9]\nbodies:\n"
                 "  b: {type: flexible, fe: {line: [[0, 0], [0.6, 0]], elements: 4, section: "
                 "{width: 0.05, height: 0.04}, material: {E: 7.7e6, nu: 0.3, density: 748}}, "
                 "reduce: {type: modal, modes: 2}, position: [0, 0], damping: {ratio: 0.02}}\n"
                 "  m: {type: point, mass: 0, position: [0.6, 0.5]}\n"
                 "joints: {j: {type: revolute, on: [ground, b], at: [[0, 0], b.start]}}\n"
                 "forces:\n"
                 "  f: {type: spring, on: [ground, m], at: [[1, 1], m], stiffness: 128, damping: "
                 "2.8, length: 0.5}\n"
                 "  g: {type: spring, on: [b, m], at: [b.end, m], stiffness: 43, damping: 0.5, "
                 "length: 0.3}\n"
                 "  h: {type: spring, on: [ground, m], at: [[0.2, 0.9], m], stiffness: 90, "
                 "damping: 1.5, length: 0.4}\n"
                 "simulate: {until: 0.3, method: radau, formulation: %s, rtol: 1e-8, atol: "
                 "1e-10}\n"
                 "outputs: {every: 0.15, signals: [j.reaction]}\n",
                 ways[k]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        for (int i = 0; i < 3; i++) {
            for (int axis = 0; axis < 2; axis++) {
                double x;
                CHECK(case_table_value(&t, axis ? "j.reaction.y" : "j.reaction.x", 0.15 * i, &x));
                if (k == 0) first[i][axis] = x;
                CHECK_NEAR(x, first[i][axis], 1e-4);
            }
        }
        CHECK(fabs(first[2][1]) > 0.1);
        case_table_clear(&t);
    }
    return 0;
}

TEST_MAIN(TEST(flexible_bodies_beside_it_have_their_reactions),
          TEST(velocities_follow_what_carries_it), TEST(dampers_near_a_plane_leave_it_where_it_is),
          TEST(it_falls_with_what_carries_it))
