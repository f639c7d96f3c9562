// Where models with contacts come to rest, and what moves there: closed contacts as joints, sticking, opening, refusals.
#include "case_table.h"
#include "check.h"
#include "findings.h"

#include "base/common.h"

#include <math.h>
#include <stdio.h>

#define G 9.81

// A ball on a floor, another on it by a spring and damper.
#define BALLS(law, analyses)                                                                       \
    "flexion: 1\ngravity: [0, 0, -9.81]\n"                                                         \
    "bodies:\n"                                                                                    \
    "  b: {repeat: {i: [1, 2]}, type: rigid, mass: 1, inertia: [4e-3, 4e-3, 4e-3],\n"              \
    "      position: [0, 0, 0.2 + 0.1*i], surface: {sphere: 0.1}}\n"                               \
    "joints:\n"                                                                                    \
    "  guide: {repeat: {i: [1, 2]}, type: prismatic, on: [ground, b(i)], at: 'b(i)', axis: [0, "   \
    "0, 1]}\n"                                                                                     \
    "forces:\n"                                                                                    \
    "  floor: {type: contact, connected: true, on: [ground, b(1)], law: " law "}\n"                \
    "  both: {type: contact, on: [b(1), b(2)], law: penalty, stiffness: 1e5, damping: 10}\n"       \
    "outputs: {every: 1, signals: [b(1).position.z, b(2).position.z, floor.value]}\n"              \
    "simulate: {until: 1, method: radau}\nanalyse: {" analyses "}\n"

static bool is_told(const flx_finding *f, const char *what)
{
    for (int i = 0; i < f->nline; i++) {
        if (strstr(f->lines[i], what)) return true;
    }
    return false;
}

static int balls_lie_on_a_floor(void)
{
    const double depth = pow(2 * G / 1e7, 2.0 / 3.0), upper = G / 1e5;
    static const char *const laws[] = {"restitution", "'hertz', stiffness: 1e7",
                                       "'hertz', stiffness: 1e7, form: mixed"};
    static const char *const texts[] = {
        BALLS("restitution", "rest: {type: equilibrium}"),
        BALLS("hertz, stiffness: 1e7", "rest: {type: equilibrium}"),
        BALLS("hertz, stiffness: 1e7, form: mixed", "rest: {type: equilibrium}")};
    for (int i = 0; i < 3; i++) {
        findings w = findings_of(texts[i]);
        double low = 0.1 - (i == 0 ? 0 : depth);
        if (w.status != FLX_OK) printf("%s\n", laws[i]);
        CHECK(w.status == FLX_OK);
        CHECK_NEAR(w.f.signals[0], low, 1e-10);
        CHECK_NEAR(w.f.signals[1], low + 0.2 - upper, 1e-10);
        CHECK_NEAR(w.f.signals[2], 2 * G, 1e-6);
        findings_clear(&w);
    }
    return 0;
}

// The lower ball is fixed while its contact holds: the upper one swings on its spring.
static int closed_contacts_are_joints_of_modes(void)
{
    findings w = findings_of(BALLS("restitution", "m: {type: modes, about: rest}, rest: {type: "
                                                  "equilibrium}"));
    CHECK(w.status == FLX_OK && w.f.modes.nmode == 1);
    CHECK_NEAR(hypot(w.f.modes.modes[0].re, w.f.modes.modes[0].im), sqrt(1e5), 1e-6);
    CHECK(is_told(&w.f, "'floor' is closed: it counts as a joint"));
    findings_clear(&w);
    w = findings_of(BALLS("hunt-crossley, stiffness: 1e7, restitution: 0.5",
                          "m: {type: modes, about: rest}, rest: {type: equilibrium}"));
    CHECK(w.status == FLX_OK && is_told(&w.f, "that of 0.1*sqrt(g*d)"));
    findings_clear(&w);
    return 0;
}

#define BLOCK(f, more)                                                                             \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                              \
    "bodies: {b: {type: rigid, mass: 3, inertia: 0.1, position: [0.02, 0.16], orientation: "       \
    "0.3}}\n"                                                                                      \
    "forces:\n"                                                                                    \
    "  s: {type: contact, on: [ground, b], surfaces: [{plane: ['-sin(0.3)', 'cos(0.3)']}, "        \
    "{box: [0.4, 0.2]}], law: restitution, friction: " f "}\n" more                                \
    "outputs: {every: 1, signals: [s.value, s.friction.x, s.friction.y, s.gap]}\n"                 \
    "simulate: {until: 1, method: radau}\nanalyse: {rest: {type: equilibrium}}\n"

// It holds by friction what its weight pulls down the slope; without enough it is said that it slides.
static int friction_holds_on_a_slope(void)
{
    findings w = findings_of(BLOCK("0.4", ""));
    CHECK(w.status == FLX_OK);
    CHECK_NEAR(w.f.signals[0], 3 * G * cos(0.3), 1e-6);
    CHECK_NEAR(hypot(w.f.signals[1], w.f.signals[2]), 3 * G * sin(0.3), 1e-6);
    CHECK_NEAR(w.f.signals[3], 0, 1e-12);
    findings_clear(&w);
    w = findings_of(BLOCK("0.2", ""));
    CHECK(w.status > FLX_OK);
    CHECK(strstr(flx_ctx_error(w.ctx, 0)->text, "slides"));
    findings_clear(&w);
    return 0;
}

// What is drawn on its stop opens where a spring pulls it off; what hangs above falls on it.
static int one_sided_constraints_open_and_close(void)
{
    static const double stiffness[] = {5.0, 40.0};
    for (int i = 0; i < 2; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                 "bodies: {b: {type: rigid, mass: 1, inertia: 1, position: [0, %s]}}\n"
                 "joints: {A: {type: prismatic, on: [ground, b], at: [0, 0], axis: [0, 1], "
                 "limits: {lower: -0.5, restitution: 0.5}}}\n"
                 "forces: {k: {type: spring, on: A, stiffness: %g}}\n"
                 "outputs: {every: 1, signals: [A.displacement]}\n"
                 "simulate: {until: 1, method: radau}\nanalyse: {rest: {type: equilibrium}}\n",
                 i ? "-0.5" : "0", stiffness[i]);
        findings w = findings_of(text);
        CHECK(w.status == FLX_OK);
        CHECK_NEAR(w.f.signals[0], i ? -G / stiffness[i] : -0.5, 1e-9);
        findings_clear(&w);
    }
    return 0;
}

// ---- rows that depend on one another --------------------------------------------------------------------

// A table on n feet, in space turned by c about the x axis, with a load on a bushing beside its middle; the numbers of the feet are
// turned round by p.
static int modes_on_feet(double c, int n, int p, const char *friction, double *out)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "flexion: 1\nparameters: {c: %.17g}\ngravity: [0, 9.81*sin(c), -9.81*cos(c)]\n"
        "bodies:\n"
        "  table: {type: rigid, mass: 2, inertia: [0.02, 0.03, 0.04], position: [0, "
        "-0.1*sin(c), 0.1*cos(c)], orientation: {axis: [1, 0, 0], angle: c}}\n"
        "  load: {type: rigid, mass: 1, inertia: [0.02, 0.03, 0.05], position: [0.03, "
        "0.02*cos(c) - 0.3*sin(c), 0.02*sin(c) + 0.3*cos(c)], orientation: {axis: [1, 0, 0], "
        "angle: c}}\n"
        "forces:\n"
        "  b: {type: bushing, on: [table, load], at: load, stiffness: [1e4, 3e4, 2e4, 1e3, "
        "2e3, 3e3]}\n"
        "  foot: {repeat: {i: [1, %d]}, type: contact, on: [ground, table], surfaces: "
        "[{plane: [0, '-sin(c)', 'cos(c)']}, {sphere: 0.01, at: [0.2*cos(0.3 + 2*(i + %d)*pi/%d), "
        "0.2*sin(0.3 + 2*(i + %d)*pi/%d), -0.09]}], law: restitution%s}\n"
        "simulate: {until: 1, method: radau}\n"
        "analyse: {m: {type: modes, about: rest}, rest: {type: equilibrium}}\n",
        c, n, p, n, p, n, friction);
    findings w = findings_of(text);
    int count = w.status == FLX_OK ? w.f.modes.nmode : -1;
    for (int i = 0; i < count && i < 8; i++) out[i] = w.f.modes.modes[i].frequency;
    findings_clear(&w);
    return count;
}

// Four feet hold what three hold: six modes, whether they slip freely or stick, and none of rounding.
static int four_feet_hold_as_three(void)
{
    static const char *const friction[] = {"", ", friction: 0.5"};
    for (int k = 0; k < 2; k++) {
        double three[8], four[8];
        CHECK(modes_on_feet(0, 3, 0, friction[k], three) == 6);
        for (int p = 0; p < 3; p++) {
            CHECK(modes_on_feet(0.4 * p, 4, p, friction[k], four) == 6);
            for (int i = 0; i < 6; i++) CHECK_NEAR(four[i], three[i], 1e-8 * three[i]);
        }
        if (k == 1) CHECK_NEAR(three[0], sqrt(1e4) / (2 * FLX_PI), 1e-8);
    }
    return 0;
}

// ---- a rod that jams ------------------------------------------------------------------------------

// A rod on a pin comes down on the floor at the angle a, cos a = 0.89/0.9; the levers of the normal force and of friction are
// 0.9 sin a and 0.99. Above their ratio, 0.13514, friction stops every motion back: whatever the restitution, the rod stays there;
// below it bounces. Neither takes energy from nowhere.
static int rod_comes_down_and_jams(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies: {rod: {type: rigid, mass: 1, com: [0, -0.5], inertia: 0.1, points: {tip: [0, "
        "-0.9]}}}\n"
        "joints: {pin: {type: revolute, on: [ground, rod], at: [0, 0], initial: {angle: 60*deg, "
        "rate: -1}}}\n"
        "forces:\n"
        "  floor: {type: contact, connected: true, on: [ground, rod], law: restitution, "
        "restitution: 0.6,\n"
        "    surfaces: [{plane: [0, 1], at: [0, -0.99]}, {sphere: 0.1, at: rod.tip}], friction: "
        "{coefficient: %s}}\n"
        "simulate: {until: 0.4, rtol: 1e-9, %s}\n"
        "outputs: {every: 0.2, signals: [pin.angle, pin.rate, energy.total]}\n";
    static const char *const ways[] = {"method: dop853",
                                       "method: dop853, formulation: tree",
                                       "method: radau, formulation: index-3",
                                       "method: radau, formulation: ggl",
                                       "method: bdf",
                                       "method: hht, formulation: index-3"};
    const double a = acos(0.89 / 0.9), inertia = 0.35;
    const double before = inertia / 2 - 9.81 * 0.5 * 0.5;
    const double speed = sqrt(2 / inertia * (before + 9.81 * 0.5 * cos(a)));
    for (int f = 0; f < 2; f++) {
        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
            char model[1500];
            case_table t = {0};
            flx_ledger ledger = {0};
            double angle, rate, energy;
            snprintf(model, sizeof model, text, f == 0 ? "0.1355" : "0.13", ways[i]);
            CHECK(case_run_ledger(model, NULL, &t, &ledger));
            CHECK(case_table_value(&t, "pin.angle", 0.4, &angle));
            CHECK(case_table_value(&t, "pin.rate", 0.4, &rate));
            CHECK(case_table_value(&t, "energy.total", 0.4, &energy));
            CHECK(fabs(ledger.supplied) < 1e-9);
            double left = f == 0 ? 0.0 : 0.6 * speed;
            CHECK_NEAR(energy, inertia / 2 * left * left - 9.81 * 0.5 * cos(a), 1e-6);
            if (f == 0) CHECK(fabs(angle - a) < 1e-6 && fabs(rate) < 1e-9);
            case_table_clear(&t);
        }
    }
    return 0;
}

// ---- units --------------------------------------------------------------------------------------

// What is slow, so that damping by restitution is bounded, is so in every system of units: a ball that rolls from where it just
// touches, and two that a spring presses together where nothing has weight.
static int slow_speeds_have_no_unit(void)
{
    static const char *const models[] = {
        "gravity: [0, -9.81*L/T^2]\n"
        "bodies: {b: {type: rigid, mass: 0.5*M, inertia: 2e-3*M*L^2, position: [0, 0.1*L], "
        "velocity: [0.3*L/T, 0]}}\n"
        "forces: {c: {type: contact, on: [ground, b], surfaces: [{plane: [0, 1]}, {sphere: "
        "0.1*L}], "
        "law: hunt-crossley, stiffness: 1e5*M*L/T^2/L^1.5, exponent: 1.5, restitution: 0.6, "
        "friction: {coefficient: 0.3, velocity: 1e-3*L/T}}}\n",
        "bodies:\n"
        "  b: {type: rigid, mass: 0.5*M, inertia: 2e-3*M*L^2, position: [0.2*L, 0]}\n"
        "  a: {type: rigid, mass: 2*M, inertia: 8e-3*M*L^2, position: [0, 0], velocity: [0, "
        "0.1*L/T]}\n"
        "forces:\n"
        "  s: {type: spring, on: [a, b], at: [[0, 0], [0.2*L, 0]], stiffness: 50*M/T^2, length: "
        "0.1*L}\n"
        "  c: {type: contact, on: [a, b], surfaces: [{sphere: 0.1*L}, {sphere: 0.1*L}], "
        "law: flores, stiffness: 1e5*M/T^2, exponent: 1, restitution: 0.7}\n"};
    // m kg s, mm t s, um kg ms, ft slug s
    static const double units[][3] = {
        {1, 1, 1}, {1e3, 1e-3, 1}, {1e6, 1, 1e3}, {3.2808, 0.068522, 1}};
    for (int i = 0; i < 2; i++) {
        double first[2] = {0};
        for (int u = 0; u < 4; u++) {
            const double *unit = units[u];
            case_table t = {0};
            char model[2048];
            snprintf(model, sizeof model,
                     "flexion: 1\ndimension: 2\nparameters: {L: %.17g, M: %.17g, T: %.17g}\n%s"
                     "outputs: {times: [%.17g], signals: [b.position, c.force]}\n"
                     "simulate: {until: %.17g, method: radau, rtol: 1e-9, atol: %.17g}\n",
                     unit[0], unit[1], unit[2], models[i], 0.2 * unit[2], 0.2 * unit[2],
                     1e-12 * unit[0]);
            double x = 0, y = 0;
            CHECK(case_run(model, NULL, &t, NULL, NULL));
            CHECK(case_table_value(&t, "b.position.x", 0.2 * unit[2], &x));
            CHECK(case_table_value(&t, "b.position.y", 0.2 * unit[2], &y));
            if (u == 0) first[0] = x, first[1] = y;
            CHECK_NEAR(x / unit[0], first[0], 1e-9);
            CHECK_NEAR(y / unit[0], first[1], 1e-9);
            case_table_clear(&t);
        }
    }
    return 0;
}

TEST_MAIN(TEST(four_feet_hold_as_three), TEST(balls_lie_on_a_floor),
          TEST(closed_contacts_are_joints_of_modes), TEST(friction_holds_on_a_slope),
          TEST(one_sided_constraints_open_and_close), TEST(rod_comes_down_and_jams),
          TEST(slow_speeds_have_no_unit))
