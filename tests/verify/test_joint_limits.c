// Limits of joints: closed forms, a separate integration, every method, both coordinates, planes and
// space, turned and mirrored, joints with two coordinates, energies.
#include "case_table.h"
#include "check.h"

#include "base/common.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- a pendulum between two stops -----------------------------------------------------------------

#define MASS 2.0
#define ARM 0.5
#define INERTIA 0.05
#define GRAVITY 9.81
#define LAW "stiffness: k, exponent: n, damping: a"

static const double lower = -60 * FLX_PI / 180, upper = -10 * FLX_PI / 180;

// The one equation of motion, by hand, from -0.1 rad and at rest.
static void pendulum_rate(const double y[2], double k, double n, double a, double dy[2])
{
    double x = y[0] > upper ? y[0] - upper : y[0] < lower ? lower - y[0] : 0.0;
    double sign = y[0] > upper ? -1.0 : 1.0, grown = fmax(0.0, 1.0 - a * sign * y[1]);
    double T = x > 0 ? sign * k * pow(x, n) * grown : 0.0;
    dy[0] = y[1];
    dy[1] = (T - MASS * GRAVITY * ARM * cos(y[0])) / (INERTIA + MASS * ARM * ARM);
}

static void pendulum(double until, double k, double n, double a, double y[2])
{
    int steps = (int)(until / 2e-5);
    double h = until / steps;
    y[0] = -0.1, y[1] = 0.0;
    for (int i = 0; i < steps; i++) {
        double d[4][2], z[2];
        pendulum_rate(y, k, n, a, d[0]);
        for (int s = 1; s < 4; s++) {
            for (int c = 0; c < 2; c++) z[c] = y[c] + (s < 3 ? 0.5 : 1.0) * h * d[s - 1][c];
            pendulum_rate(z, k, n, a, d[s]);
        }
        for (int c = 0; c < 2; c++) {
            y[c] += h / 6 * (d[0][c] + 2 * d[1][c] + 2 * d[2][c] + d[3][c]);
        }
    }
}

#define PLANE                                                                                      \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                              \
    "bodies: {rod: {type: rigid, mass: 2, inertia: 0.05, position: [0.5, 0]}}\n"                   \
    "joints:\n  A: {type: revolute, on: [ground, rod], at: [0, 0], initial: {angle: -0.1},\n"      \
    "      limits: {lower: -60*deg, upper: -10*deg, " LAW "}}\n"
// The first body is the rod: the angle is the other way round.
#define MIRRORED                                                                                   \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                              \
    "bodies: {rod: {type: rigid, mass: 2, inertia: 0.05, position: [0.5, 0]}}\n"                   \
    "joints:\n  A: {type: revolute, on: [rod, ground], at: [0, 0], initial: {angle: 0.1},\n"       \
    "      limits: {lower: 10*deg, upper: 60*deg, " LAW "}}\n"
// About the axis (2, -1, 2)/3, with a first body that is a part of the ground, and two bodies as one.
#define SPACE                                                                                      \
    "flexion: 1\ngravity: [9.81/3, -9.81*2/3, -9.81*2/3]\n"                                        \
    "bodies:\n"                                                                                    \
    "  wall: {type: rigid, mass: 1, inertia: [1, 1, 1]}\n"                                         \
    "  rod: {type: rigid, mass: 2, inertia: [0.05, 0.05, 0.05], position: [0.5*2/3, 0.5*2/3, "     \
    "-0.5/3]}\n"                                                                                   \
    "joints:\n"                                                                                    \
    "  H: {type: fixed, on: [ground, wall], at: [0, 0, 0]}\n"                                      \
    "  A: {type: revolute, on: [wall, rod], at: [0, 0, 0], axis: [2, -1, 2], initial: {angle: "    \
    "-0.1},\n"                                                                                     \
    "      limits: {lower: -60*deg, upper: -10*deg, " LAW "}}\n"

static bool run(const char *model, const char *method, double until, double k, double n, double a,
                case_table *t)
{
    char text[4096];
    snprintf(text, sizeof text,
             "%sparameters: {k: %.17g, n: %.17g, a: %.17g}\n"
             "simulate: {until: %.17g, method: %s}\n"
             "outputs: {every: %.17g, signals: [A.angle, A.rate, A.limit, A.excess, energy]}\n",
             model, k, n, a, until, method, until);
    return case_run(text, NULL, t, NULL, NULL);
}

static int a_pendulum_between_stops(void)
{
    static const struct {
        const char *model, *method;
        double sign, tolerance;
    } runs[] = {
        {PLANE, "radau, rtol: 1e-10, atol: 1e-12", 1, 2e-7},
        {PLANE, "radau, rtol: 1e-10, atol: 1e-12, formulation: tree", 1, 2e-7},
        {MIRRORED, "radau, rtol: 1e-10, atol: 1e-12", -1, 2e-7},
        {MIRRORED, "radau, rtol: 1e-10, atol: 1e-12, formulation: tree", -1, 2e-7},
        {PLANE, "radau, formulation: index-3, rtol: 1e-8, atol: 1e-10", 1, 2e-5},
        {PLANE, "dopri5, rtol: 1e-10, atol: 1e-12", 1, 2e-7},
        {PLANE, "dop853, rtol: 1e-10, atol: 1e-12, formulation: tree", 1, 2e-7},
        {PLANE, "bdf, rtol: 1e-8, atol: 1e-10", 1, 2e-4},
        {PLANE, "generalized-alpha, step: 2e-4", 1, 2e-3},
        {PLANE, "gauss, stages: 2, step: 5e-4, formulation: tree", 1, 1e-4},
        {PLANE, "variational, step: 2e-4", 1, 2e-3},
        {PLANE, "galerkin, degree: 2, step: 1e-3", 1, 2e-3},
        {PLANE, "energy-momentum, step: 2e-4", 1, 2e-3},
        {SPACE, "radau, rtol: 1e-10, atol: 1e-12", 1, 2e-7},
        {SPACE, "radau, rtol: 1e-10, atol: 1e-12, formulation: tree", 1, 2e-7},
        {SPACE, "energy-momentum, step: 2e-4", 1, 2e-3},
    };
    static const double laws[][3] = {{400, 2, 0.3}, {200, 1.5, 0}, {300, 1, 0}, {300, 1, 0.2}};
    double until = short_runs() ? 1.0 : 2.0;
    for (size_t j = 0; j < sizeof laws / sizeof laws[0]; j++) {
        double k = laws[j][0], n = laws[j][1], a = laws[j][2], y[2];
        pendulum(until, k, n, a, y);
        for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
            case_table t = {0};
            double q = 0, w = 0, total = 0, start = 0, lost = 0;
            CHECK(run(runs[i].model, runs[i].method, until, k, n, a, &t));
            CHECK(case_table_value(&t, "A.angle", until, &q));
            CHECK(case_table_value(&t, "A.rate", until, &w));
            CHECK_NEAR(runs[i].sign * q, y[0], runs[i].tolerance);
            CHECK_NEAR(runs[i].sign * w, y[1], 20 * runs[i].tolerance);
            CHECK(case_table_value(&t, "energy.total", 0, &start));
            CHECK(case_table_value(&t, "energy.total", until, &total));
            CHECK(case_table_value(&t, "energy.dissipated", until, &lost));
            CHECK_NEAR(total + lost, start, 200 * runs[i].tolerance);
            if (a == 0) CHECK_NEAR(lost, 0, 1e-10);
            if (a > 0) CHECK(lost > 0.5);
            case_table_clear(&t);
        }
    }
    return 0;
}

// ---- closed forms ---------------------------------------------------------------------------------

// A slider hits the stop with the rate v and leaves it with e v, where a v (1 + e) = ln((1 + a v)/(1 - a e v)),
// whatever stiffness and mass are; 3.08708198: e = 0.3.
static int damping_is_a_restitution(void)
{
    static const struct {
        double av, e;
    } rows[] = {{0.16648195, 0.9}, {0.63482828, 0.7}, {1.43275053, 0.5}, {3.08708198, 0.3}};
    static const char *const exponents[] = {"1", "1.5", "2", "3.2"};
    for (int i = 0; i < 16; i++) {
        char text[2048];
        case_table t = {0};
        double v = 2.5, rate = 0, k = i % 3 ? 1e4 : 3e5;
        bool low = i % 2, space = i % 4 > 1;
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: %d\ngravity: %s\n"
                 "bodies: {b: {type: rigid, mass: 1.7, inertia: %s}}\n"
                 "joints:\n  A: {type: prismatic, on: [ground, b], at: %s, axis: %s,\n"
                 "      initial: {displacement: 0.1, rate: %g},\n"
                 "      limits: {%s: %g, stiffness: %g, exponent: %s, damping: %.17g}}\n"
                 "simulate: {until: 1, method: radau, rtol: 1e-10, atol: 1e-12}\n"
                 "outputs: {times: [1], signals: [A.rate]}\n",
                 space ? 3 : 2, space ? "[0, 0, 0]" : "[0, 0]", space ? "[1, 2, 3]" : "1",
                 space ? "[0, 0, 0]" : "[0, 0]", space ? "[1, 2, -2]" : "[3, 4]", low ? -v : v,
                 low ? "lower" : "upper", low ? -0.4 : 0.5, k, exponents[i / 4],
                 rows[i % 4].av / v);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "A.rate", 1, &rate));
        CHECK_NEAR(fabs(rate) / v, rows[i % 4].e, 2e-7);
        CHECK((rate > 0) == low);
        case_table_clear(&t);
    }
    return 0;
}

// A linear stop is left after half a period, pi sqrt(m/k); the event finds both ends.
static int a_linear_stop_is_located(void)
{
    static const char *const methods[] = {"radau, rtol: 1e-6", "generalized-alpha, step: 0.01",
                                          "dopri5, rtol: 1e-8, formulation: tree",
                                          "bdf, rtol: 1e-8"};
    static const double tolerance[] = {1e-9, 2e-3, 1e-7, 1e-5};
    for (int i = 0; i < 4; i++) {
        char text[2048];
        case_table t = {0};
        double q = 0, k = 1e3, m = 2, v = 1.5;
        double out = 0.2 / v + FLX_PI * sqrt(m / k); // passes 0.2 again
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ngravity: [0, 0]\n"
                 "bodies: {b: {type: rigid, mass: %g, inertia: 1}}\n"
                 "joints:\n  A: {type: prismatic, on: [ground, b], at: [0, 0], axis: [1, 0],\n"
                 "      initial: {rate: %g}, limits: {upper: 0.2, stiffness: %g, exponent: 1}}\n"
                 "simulate: {until: 1, method: %s}\n"
                 "outputs: {times: [1], signals: [A.displacement, energy]}\n",
                 m, v, k, methods[i]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "A.displacement", 1, &q));
        CHECK_NEAR(q, 0.2 - v * (1 - out), tolerance[i]);
        case_table_clear(&t);
    }
    return 0;
}

// ---- coordinates ----------------------------------------------------------------------------------

// Limits at 200 degrees count the turns: a wheel that begins with this rate is thrown back there.
static int turns_are_counted(void)
{
    static const char *const forms[] = {"", ", formulation: tree"};
    for (int i = 0; i < 4; i++) {
        char text[2048];
        case_table t = {0};
        double q = 0, w = 0;
        bool space = i / 2;
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: %d\ngravity: %s\n"
                 "bodies: {b: {type: rigid, mass: 1, inertia: %s}}\n"
                 "joints:\n  A: {type: revolute, on: [ground, b], at: %s%s, initial: {rate: 5},\n"
                 "      limits: {lower: -200*deg, upper: 560*deg, stiffness: 5e3, exponent: 2}}\n"
                 "simulate: {until: 6, method: radau, rtol: 1e-9, atol: 1e-11%s}\n"
                 "outputs: {every: 0.05, signals: [A.angle, A.rate, A.limit, energy],\n"
                 "  metrics: {most: maximum(A.angle), least: minimum(A.angle)}}\n",
                 space ? 3 : 2, space ? "[0, 0, 0]" : "[0, 0]", space ? "[1, 1, 1]" : "1",
                 space ? "[0, 0, 0]" : "[0, 0]", space ? ", axis: [1, 2, 2]" : "", forms[i % 2]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "A.angle", 1.9, &q) && case_table_value(&t, "A.rate", 1.9, &w));
        CHECK_NEAR(q, 9.5, 1e-6); // a turn and a half, 9.77 is the limit
        CHECK_NEAR(w, 5, 1e-6);
        CHECK(case_table_value(&t, "A.rate", 4, &w));
        CHECK_NEAR(w, -5, 1e-6);
        CHECK(case_table_value(&t, "A.rate", 6, &w));
        CHECK_NEAR(w, 5, 1e-6);
        case_table_clear(&t);
    }
    return 0;
}

// Both coordinates of a cylindrical joint, whose free motions do not know of each other.
static int a_cylinder_has_two(void)
{
    static const char *const forms[] = {"", ", formulation: tree"};
    for (int i = 0; i < 2; i++) {
        char text[2048];
        case_table t = {0};
        double u = 0, q = 0, e[2] = {0}, v[3] = {0};
        snprintf(
            text, sizeof text,
            "flexion: 1\ngravity: [0, 0, 0]\n"
            "bodies: {b: {type: rigid, mass: 2, inertia: [1, 1, 0.5], velocity: [0, 0, 1], "
            "angular_velocity: [0, 0, 2]}}\n"
            "joints:\n  A: {type: cylindrical, on: [ground, b], at: [0, 0, 0], axis: [0, 0, 1],\n"
            "      limits: [{coordinate: displacement, upper: 0.5, stiffness: 1e4, exponent: "
            "1},\n"
            "               {coordinate: angle, lower: -1, upper: 1.5, stiffness: 1e3, exponent: "
            "1}]}\n"
            "simulate: {until: 1, method: radau, rtol: 1e-9, atol: 1e-11%s}\n"
            "outputs: {times: [0.51, 1], signals: [A.angle, A.displacement, A.limit, A.excess, "
            "b.velocity]}\n",
            forms[i]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "A.displacement", 1, &u) &&
              case_table_value(&t, "A.angle", 1, &q));
        CHECK_NEAR(u, 0.5 - (1 - 0.5 - FLX_PI * sqrt(2 / 1e4)), 1e-8);
        CHECK_NEAR(q, 1.5 - 2 * (1 - 0.75 - FLX_PI * sqrt(0.5 / 1e3)), 1e-8);
        double depth = 1 / sqrt(1e4 / 2) * sin(sqrt(1e4 / 2) * 0.01);
        CHECK(case_table_value(&t, "A.excess.x", 0.51, &e[0]));
        CHECK(case_table_value(&t, "A.excess.y", 0.51, &e[1]));
        CHECK_NEAR(e[0], 0, 1e-15);
        CHECK_NEAR(e[1], depth, 1e-8);
        CHECK(case_table_value(&t, "A.limit.y", 0.51, &v[0]));
        CHECK_NEAR(v[0], -1e4 * depth, 1e-4);
        case_table_clear(&t);
    }
    return 0;
}

// The thread of a screw: m p^2/(4 pi^2) is added to its inertia; a limit of the displacement is one of the angle.
static int a_screw_stops(void)
{
    static const char *const limits[] = {"{upper: 3, stiffness: 2e3, exponent: 2}",
                                         "{coordinate: displacement, upper: 0.3, stiffness: 2e6, "
                                         "exponent: 2}"};
    double at[4];
    for (int i = 0; i < 4; i++) {
        char text[2048];
        case_table t = {0};
        snprintf(
            text, sizeof text,
            "flexion: 1\ngravity: [0, 0, 0]\n"
            "bodies: {b: {type: rigid, mass: 2, inertia: [1, 1, 0.5]}}\n"
            "joints:\n  A: {type: screw, on: [ground, b], at: [0, 0, 0], axis: [0, 0, 1], pitch: "
            "0.2*pi,\n"
            "      initial: {rate: 4}, limits: %s}\n"
            "simulate: {until: 0.8, method: radau, rtol: 1e-9, atol: 1e-11%s}\n"
            "outputs: {times: [0.8], signals: [A.angle]}\n",
            limits[i % 2], i / 2 ? ", formulation: tree" : "");
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "A.angle", 0.8, &at[i]));
        case_table_clear(&t);
    }
    CHECK(at[0] > 3.0); // in the stop
    for (int i = 1; i < 4; i++) CHECK_NEAR(at[i], at[0], 1e-7);
    return 0;
}

// Each angle of a cross, whose axes are not normal to each other (c = 0.6): limits of both against the torque with
// these parts along the two axes, as an expression.
#define CROSS(on, axes, limits, torque)                                                            \
    "flexion: 1\ngravity: [1, -3, -9.81]\n"                                                        \
    "bodies:\n"                                                                                    \
    "  a: {type: rigid, mass: 1, inertia: [0.4, 0.5, 0.6], position: [0, 0, 0]}\n"                 \
    "  b: {type: rigid, mass: 2, inertia: [0.1, 0.2, 0.15], position: [0.3, 0.2, -0.4],\n"         \
    "      angular_velocity: [1, 0.5, 0]}\n"                                                       \
    "joints:\n"                                                                                    \
    "  R: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [1, 2, -1]}\n"                    \
    "  A: {type: universal, on: [" on "], at: [0.1, 0, 0], axes: [" axes "]" limits "}\n" torque
#define LIMITS                                                                                     \
    ",\n      limits: [{coordinate: first, lower: -0.3, upper: 0.2, stiffness: 2000, exponent: "   \
    "2, damping: 0.3},\n"                                                                          \
    "               {coordinate: second, lower: -0.2, upper: 0.4, stiffness: 900, damping: 0.1}]"
#define BY_HAND(on, first, second)                                                                 \
    "signals:\n"                                                                                   \
    "  T1: 2000*max(0, -0.3 - A.angle.x)^2*max(0, 1 - 0.3*A.rate.x) - 2000*max(0, A.angle.x - "    \
    "0.2)^2*max(0, 1 + 0.3*A.rate.x)\n"                                                            \
    "  T2: 900*max(0, -0.2 - A.angle.y)^1.5*max(0, 1 - 0.1*A.rate.y) - 900*max(0, A.angle.y - "    \
    "0.4)^1.5*max(0, 1 + 0.1*A.rate.y)\n"                                                          \
    "forces:\n"                                                                                    \
    "  T: {type: torque, on: [" on "], value: ((T1 - 0.6*T2)*" first " + (T2 - 0.6*T1)*" second    \
    ")/0.64}\n"

static int a_cross_has_two_angles(void)
{
    static const char *const models[2][2] = {
        {CROSS("a, b", "[1, 0, 0], [0.6, 0.8, 0]", LIMITS, ""),
         CROSS("a, b", "[1, 0, 0], [0.6, 0.8, 0]", "",
               BY_HAND("a, b", "a.ex", "(0.6*b.ex + 0.8*b.ey)"))},
        {CROSS("b, a", "[0.6, 0.8, 0], [1, 0, 0]", LIMITS, ""),
         CROSS("b, a", "[0.6, 0.8, 0], [1, 0, 0]", "",
               BY_HAND("b, a", "(0.6*b.ex + 0.8*b.ey)", "a.ex"))}};
    for (int i = 0; i < 4; i++) {
        case_table t[2] = {{0}, {0}};
        double most[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            char text[4096];
            snprintf(text, sizeof text,
                     "%ssimulate: {until: 1.5, method: radau, rtol: 1e-9, atol: 1e-11%s}\n"
                     "outputs: {every: 0.1, signals: [A.angle, b.position%s]}\n",
                     models[i % 2][k], i / 2 ? ", formulation: tree" : "", k ? "" : ", A.limit");
            CHECK(case_run(text, NULL, &t[k], NULL, NULL));
        }
        for (int k = 0; k <= 15; k++) {
            static const char *const names[] = {"A.angle.x", "A.angle.y", "b.position.z"};
            for (int c = 0; c < 3; c++) {
                double x = 0, y = 0;
                CHECK(case_table_value(&t[0], names[c], 0.1 * k, &x));
                CHECK(case_table_value(&t[1], names[c], 0.1 * k, &y));
                CHECK_NEAR(x, y, 1e-6);
            }
            for (int c = 0; c < 2; c++) {
                double T = 0;
                CHECK(case_table_value(&t[0], c ? "A.limit.y" : "A.limit.x", 0.1 * k, &T));
                most[c] = fmax(most[c], fabs(T));
            }
        }
        CHECK(most[0] > 1 && most[1] > 1); // both were met
        for (int k = 0; k < 2; k++) case_table_clear(&t[k]);
    }
    return 0;
}

// A start beyond a limit is legal and told; the stop pushes from there.
static int a_start_beyond_is_told(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, 0]\n"
        "bodies: {b: {type: rigid, mass: 1, inertia: 1}}\n"
        "joints:\n  A: {type: prismatic, on: [ground, b], at: [0, 0], axis: [1, 0],\n"
        "      initial: {displacement: 0.5}, limits: {upper: 0.2, stiffness: 100, exponent: 1}}\n"
        "simulate: {until: 1, method: radau, rtol: 1e-9, atol: 1e-11}\n"
        "outputs: {times: [0, 1], signals: [A.rate, A.excess]}\n";
    char said[2000] = "";
    case_table t = {0};
    double v = 0, x = 0;
    CHECK(case_run_said(text, NULL, said, sizeof said));
    CHECK(strstr(said, "begins at 0.5, beyond its upper limit by 0.3"));
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    CHECK(case_table_value(&t, "A.rate", 1, &v) && case_table_value(&t, "A.excess", 0, &x));
    CHECK_NEAR(x, 0.3, 1e-15);
    CHECK_NEAR(v, -3, 1e-7); // 100 x^2/2 = v^2/2
    case_table_clear(&t);
    return 0;
}

// A wheel with an angular acceleration of 10 1/s^2 bounces on its stop, e = 0.5, while a ball hits the ground. What is too slow to
// bounce any more is judged for each by its own size: in seconds and milliseconds it bounces on at 1.7e-4 rad/s.
static int bounces_of_angles_and_lengths(void)
{
    const double v0 = sqrt(2 * 10 * 0.1), e = 0.5;
    const int n = 13;
    for (int k = 0; k < 4; k++) {
        double T = k % 2 ? 1e3 : 1.0, t = v0 / 10, v = v0;
        for (int i = 1; i <= n; i++) {
            v *= e;
            t += i < n ? 2 * v / 10 : 0.5 * v / 10; // at last to a quarter of its flight
        }
        char text[1500];
        snprintf(
            text, sizeof text,
            "flexion: 1\ndimension: 2\ngravity: [0, 0]\n"
            "bodies:\n  w: {type: rigid, mass: 1, inertia: 1}\n"
            "  b: {type: rigid, mass: 1, inertia: 1, position: [3, 0.11], velocity: [0, -2/%g]}\n"
            "joints: {A: {type: revolute, on: [ground, w], at: [0, 0], limits: {upper: 0.1, "
            "restitution: 0.5}}}\n"
            "forces:\n  f: {type: torque, on: w, value: 10/%g^2}\n"
            "  c: {type: contact, on: [ground, b], surfaces: [{plane: [0, 1]}, {sphere: "
            "0.1}], law: restitution, restitution: 0.9}\n"
            "simulate: {until: %.17g, method: %s, rtol: 1e-12, atol: 1e-14}\n"
            "outputs: {times: [%.17g], signals: [A.rate]}\n",
            T, T, t * T, k < 2 ? "dop853" : "radau", t * T);
        case_table table = {0};
        double rate = 0;
        CHECK(case_run(text, NULL, &table, NULL, NULL));
        CHECK(case_table_value(&table, "A.rate", t * T, &rate));
        case_table_clear(&table);
        CHECK_REL(rate * T, -v / 2, 1e-3);
    }
    return 0;
}

// A ball that swings in a plane is a hinge, and so is one that turns about its axis: positions, efforts and what is lost are the same. Two equal
// pendulums, and two equal wheels that turn about the upright axis.
#define PART "mass: 2, inertia: [0.1, 0.1, 0.02], position: [0, 0, -0.5]"
#define SWING                                                                                      \
    "velocity: \"2*[cos(az), sin(az), 0]\", angular_velocity: \"4*[sin(az), -cos(az), 0]\""
#define GIVES "stiffness: 400, exponent: %g, damping: 0.2"
#define TURNS "lower: -20*deg, upper: 40*deg, stiffness: 100, damping: 0.1"
#define BALLS                                                                                      \
    "flexion: 1\ngravity: [0, 0, -9.81]\nparameters: {az: 37*deg}\n"                               \
    "bodies:\n"                                                                                    \
    "  a: {type: rigid, " PART ", " SWING "}\n"                                                    \
    "  b: {type: rigid, " PART ", " SWING "}\n"                                                    \
    "  c: {type: rigid, " PART ", angular_velocity: [0, 0, 3]}\n"                                  \
    "  d: {type: rigid, " PART ", angular_velocity: [0, 0, 3]}\n"                                  \
    "joints:\n"                                                                                    \
    "  swings: {type: spherical, on: [ground, a], at: [0, 0, 0], axis: [0, 0, -1], limits: "       \
    "[{coordinate: swing, upper: 30*deg, " GIVES "}, {coordinate: twist, " TURNS "}]}\n"           \
    "  hinge: {type: revolute, on: [ground, b], at: [0, 0, 0], axis: [sin(az), -cos(az), 0], "     \
    "limits: {lower: -30*deg, upper: 30*deg, " GIVES "}}\n"                                        \
    "  turns: {type: spherical, on: [ground, c], at: [0, 0, 0], axis: [0, 0, 1], limits: "         \
    "{coordinate: twist, " TURNS "}}\n"                                                            \
    "  spin: {type: revolute, on: [ground, d], at: [0, 0, 0], axis: [0, 0, 1], limits: {" TURNS    \
    "}}\n"                                                                                         \
    "simulate: {until: 2, method: %s}\n"                                                           \
    "outputs: {every: 0.1, signals: [a.position, b.position, c.ex, d.ex, swings.limit, "           \
    "hinge.limit, turns.limit, spin.limit]}\n"

static int balls_swing_and_twist(void)
{
    static const struct {
        const char *method;
        double tolerance;
    } runs[] = {{"radau, rtol: 1e-9, atol: 1e-11", 1e-6},
                {"radau, rtol: 1e-9, atol: 1e-11, formulation: tree", 1e-6},
                {"dopri5, rtol: 1e-9, atol: 1e-11", 1e-6},
                {"generalized-alpha, step: 5e-4", 1e-3},
                {"energy-momentum, step: 5e-4", 1e-3}};
    static const char *const pairs[][2] = {
        {"a.position.x", "b.position.x"}, {"a.position.z", "b.position.z"}, {"c.ex.y", "d.ex.y"}};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        char text[4096];
        case_table t = {0};
        double most[2] = {0, 0};
        snprintf(text, sizeof text, BALLS, i % 2 ? 1.0 : 1.5, i % 2 ? 1.0 : 1.5, runs[i].method);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        for (int k = 1; k <= 20; k++) {
            double at = 0.1 * k, x[2];
            for (int p = 0; p < 3; p++) {
                for (int c = 0; c < 2; c++) CHECK(case_table_value(&t, pairs[p][c], at, x + c));
                CHECK_NEAR(x[0], x[1], runs[i].tolerance);
            }
            CHECK(case_table_value(&t, "swings.limit.x", at, x));
            CHECK(case_table_value(&t, "hinge.limit", at, x + 1));
            CHECK_NEAR(-fabs(x[0]), x[0], 0);
            CHECK_NEAR(fabs(x[0]), fabs(x[1]), 1e3 * runs[i].tolerance);
            most[0] = fmax(most[0], fabs(x[1]));
            CHECK(case_table_value(&t, "turns.limit.y", at, x));
            CHECK(case_table_value(&t, "spin.limit", at, x + 1));
            CHECK_NEAR(x[0], x[1], 1e3 * runs[i].tolerance);
            most[1] = fmax(most[1], fabs(x[1]));
        }
        CHECK(most[0] > 10 && most[1] > 0.5);
        case_table_clear(&t);
    }
    return 0;
}

// Where a body swings far, too, a limit of its twist holds: what limits store comes back. (By the part of the rotation vector along the axis, which is small there, it
// was passed, and left at the other side with 1e7 times the energy.)
static int twists_hold_far_from_the_axis(void)
{
    static const char *const joints[] = {
        "axis: [0.647, -0.985, 0.257], limits: [{coordinate: swing, upper: 1.84, stiffness: 2815, "
        "exponent: 1.5}, {coordinate: twist, lower: -2.036, upper: 0.708, stiffness: 2.95e4, "
        "exponent: 1.5}]",
        "axis: [0.138, -0.78, -0.838], limits: [{coordinate: swing, upper: 1.83, stiffness: 6361, "
        "exponent: 2}, {coordinate: twist, lower: -2.02, upper: 1.7, stiffness: 1.06e4, exponent: "
        "2}]"};
    static const char *const methods[] = {"radau, rtol: 1e-9, atol: 1e-11",
                                          "dopri5, rtol: 1e-10, atol: 1e-12, formulation: tree"};
    for (int k = 0; k < 4; k++) {
        char text[2000];
        case_table t = {0};
        flx_ledger ledger;
        double stored, most = 0;
        snprintf(text, sizeof text,
                 "flexion: 1\ngravity: [-1.39, 0.16, -9.81]\n"
                 "bodies: {w: {type: rigid, mass: 2, inertia: [0.0145, 0.0344, 0.0465], com: "
                 "[-0.031, -0.011, 0.166], angular_velocity: [-7.97, -7.12, -5.97]}}\n"
                 "joints: {j: {type: spherical, on: [ground, w], at: w, %s}}\n"
                 "simulate: {until: 4, method: %s}\n"
                 "outputs: {every: 0.01, signals: [energy.strain]}\n",
                 joints[k / 2], methods[k % 2]);
        CHECK(case_run_ledger(text, NULL, &t, &ledger));
        CHECK(ledger.energy_drift < 1e-5);
        for (int i = 0; i <= 400; i++) {
            CHECK(case_table_value(&t, "energy.strain", 0.01 * i, &stored));
            most = fmax(most, stored);
        }
        CHECK(most > 0.5 && most < 20);
        case_table_clear(&t);
    }
    return 0;
}

// A stiff stop beside constraints that it is not along: steps under error control were taken through it, as through a singular position.
static int stiff_stops_end_steps(void)
{
    static const char *const methods[] = {
        "radau, rtol: 1e-8", "generalized-alpha, rtol: 1e-6, formulation: index-3",
        "generalized-alpha, rtol: 1e-6, formulation: ggl", "hht, rtol: 1e-6, formulation: ggl",
        "newmark, rtol: 1e-6, formulation: ggl"};
    double rate[5] = {0};
    for (int i = 0; i < 5; i++) {
        char text[1000];
        case_table t = {0};
        flx_ledger ledger = {0};
        snprintf(text, sizeof text,
                 "flexion: 1\ngravity: [0, 0, -9.81]\n"
                 "bodies: {b: {type: rigid, mass: 2, inertia: [0.01, 0.02, 0.03]}}\n"
                 "joints: {j: {type: prismatic, on: [ground, b], at: [0, 0, 0], axis: [1, 2, 2], "
                 "initial: {rate: 1}, limits: {lower: -0.1, upper: 0.02, stiffness: 1e7, exponent: "
                 "1.5, damping: 0.2}}}\n"
                 "simulate: {until: 0.5, method: %s}\noutputs: {every: 0.1, signals: [j.rate]}\n",
                 methods[i]);
        CHECK(case_run_ledger(text, NULL, &t, &ledger));
        CHECK(ledger.energy_drift < 1e-4);
        CHECK(case_table_value(&t, "j.rate", 0.5, &rate[i]));
        case_table_clear(&t);
        CHECK_NEAR(rate[i], rate[0], 1e-4);
    }
    return 0;
}

TEST_MAIN(TEST(a_start_beyond_is_told), TEST(bounces_of_angles_and_lengths),
          SLOW_TEST(a_pendulum_between_stops), TEST(damping_is_a_restitution),
          TEST(a_linear_stop_is_located), TEST(turns_are_counted), TEST(a_cylinder_has_two),
          TEST(a_screw_stops), TEST(a_cross_has_two_angles), TEST(balls_swing_and_twist),
          TEST(twists_hold_far_from_the_axis), TEST(stiff_stops_end_steps))
