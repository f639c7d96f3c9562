// Contact of beams and of nodes: the force along two lines that cross and that lie along each other, by closed forms; a point
// that does not depend on where elements end; momentum and the ledger; nodes of a beam, a solid and a flexible body on the
// ground.
#include "case_table.h"
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double value_at(const case_table *t, const char *signal, double time)
{
    double x = 0;
    return case_table_value(t, signal, time, &x) ? x : HUGE_VAL;
}

static bool start(const char *bodies, const char *law, case_table *t)
{
    char text[4096];
    snprintf(text, sizeof text,
             "flexion: 1\nbodies:\n%sforces: {k: {type: contact, among: [a, b], %s}}\n"
             "simulate: {until: 1e-6, method: radau, rtol: 1e-6}\n"
             "outputs: {every: 1e-6, signals: [k.value, k.force, k.gap, k.contacts]}\n",
             bodies, law);
    return case_run(text, NULL, t, NULL, NULL);
}

#define SECTION "section: {EA: 1e4, GA: 1e4, EI: 10, GJ: 10, mass: 1, inertia: 1e-3}"

// Lines of radius r = 0.1 that cross at a right angle at the distance D = 0.15: with R = 2 r the depth is R - sqrt(D^2 + s^2)
// over the length s of the first, and its integral k (R l - D^2 asinh(l/D)), l^2 = R^2 - D^2. Each part pushes along its own
// normal.
static int force_of_crossing_lines_is_the_integral(void)
{
    static const char *const formulations[] = {"geometrically-exact", "ancf", "segments",
                                               "ancf-cable"};
    for (int k = 0; k < 16; k++) {
        char bodies[1024];
        case_table t = {0};
        const double R = 0.2, D = 0.15, l = sqrt(R * R - D * D);
        int cable = k % 4 == 3;
        snprintf(bodies, sizeof bodies,
                 "  a: {type: beam, formulation: %s, from: [-1, 0, 0], to: [1, 0, 0], elements: "
                 "%d,\n      surface: {line: true, round: 0.1}, %s}\n"
                 "  b: {type: beam, from: [0.03, -1, 0.15], to: [0.03, 1, 0.15], elements: %d,\n"
                 "      surface: {line: true, round: 0.1}, " SECTION "}\n",
                 formulations[k % 4], 3 + k / 4,
                 cable ? "section: {EA: 1e4, EI: 10, mass: 1}" : SECTION, 2 + k / 4);
        CHECK(start(bodies, "law: penalty, stiffness: 1000", &t));
        CHECK_REL(value_at(&t, "k.value", 0), 1000 * (R * l - D * D * asinh(l / D)), 2e-4);
        CHECK_REL(value_at(&t, "k.force.z", 0), 2000 * (R * D * asinh(l / D) - D * l), 2e-4);
        CHECK_NEAR(value_at(&t, "k.gap", 0), D - R, 1e-12);
        CHECK(value_at(&t, "k.contacts", 0) == 1);
        case_table_clear(&t);
    }
    return 0;
}

// Along each other the whole length that they share is inside.
static int lines_along_each_other_touch_along_their_length(void)
{
    case_table t = {0};
    CHECK(start("  a: {type: beam, from: [-1, 0, 0], to: [1, 0, 0], elements: 5,\n"
                "      surface: {line: true, round: 0.1}, " SECTION "}\n"
                "  b: {type: beam, from: [-0.3, 0, -0.15], to: [1.5, 0, -0.15], elements: 4,\n"
                "      surface: {line: true, round: 0.1}, " SECTION "}\n",
                "law: penalty, stiffness: 1000", &t));
    // 1.3 m side by side, and the round end of the second: its distance is that of a point
    const double R = 0.2, D = 0.15, l = sqrt(R * R - D * D);
    double end = 0.5 * (R * l - D * D * asinh(l / D));
    CHECK_REL(value_at(&t, "k.value", 0), 1000 * (1.3 * (R - D) + end), 1e-3);
    CHECK(value_at(&t, "k.contacts", 0) == 1);
    case_table_clear(&t);
    return 0;
}

// A ball on a line, Hertz: one place wherever elements begin and end.
static int ball_touches_a_line_once(void)
{
    for (int n = 1; n < 7; n++) {
        char bodies[1024];
        case_table t = {0};
        snprintf(bodies, sizeof bodies,
                 "  a: {type: beam, from: [-1, 0, 0], to: [1, 0, 0], elements: %d,\n"
                 "      surface: {line: true, round: 0.1}, " SECTION "}\n"
                 "  b: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.25], surface: "
                 "{sphere: 0.2}}\n",
                 n);
        CHECK(start(bodies, "law: hertz, stiffness: 1e5", &t));
        CHECK_REL(value_at(&t, "k.value", 0), 1e5 * pow(0.05, 1.5), 1e-9);
        CHECK(value_at(&t, "k.contacts", 0) == 1);
        case_table_clear(&t);
    }
    return 0;
}

// Two free rods that hit each other aslant.
static int free_rods_keep_momentum_and_energy(void)
{
    static const char model[] =
        "flexion: 1\n"
        "bodies:\n"
        "  a: {type: beam, from: [-1, 0, 0], to: [1, 0.2, 0], elements: 4, velocity: [0, 0, 1],\n"
        "      surface: {line: true, round: 0.05}, " SECTION "}\n"
        "  b: {type: beam, from: [0.1, -1, 0.13], to: [0.3, 0.7, 0.2], elements: 3,\n"
        "      surface: {line: true, round: 0.05}, " SECTION "}\n"
        "forces: {k: {type: contact, among: [a, b], law: hunt-crossley, exponent: 1, stiffness: "
        "2e5,\n      damping: 0.3, friction: {coefficient: 0.3, velocity: 0.05}}}\n"
        "simulate: {until: 0.15, method: radau, rtol: 1e-6}\n"
        "outputs: {every: 0.01, signals: [k.value, k.gap, momentum]}\n";
    case_table t = {0};
    flx_ledger ledger;
    CHECK(case_run_ledger(model, NULL, &t, &ledger));
    double most = 0;
    for (int i = 0; i <= 15; i++) most = fmax(most, value_at(&t, "k.value", 0.01 * i));
    CHECK(most > 1);
    CHECK(ledger.energy_start - ledger.energy_end > 1e-3);
    CHECK(ledger.energy_drift < 2e-5);
    for (int i = 0; i < 6; i++) CHECK_NEAR(ledger.momentum_change[i], 0, i < 3 ? 1e-10 : 1e-6);
    case_table_clear(&t);
    return 0;
}

// What a power of the depth that is not whole stores along a line is what its force took: with a rule for polynomials
// 8e-4 of it were missing while they touch, with every method and step.
static int force_along_a_line_is_the_slope_of_its_energy(void)
{
    static const char *const laws[] = {"law: penalty, exponent: 1.5, stiffness: 2e6",
                                       "law: penalty, exponent: 1.3, stiffness: 1e6",
                                       "law: hunt-crossley, damping: 0, stiffness: 2e6",
                                       "law: penalty, exponent: 2.5, stiffness: 2e7"};
    for (int k = 0; k < 4; k++) {
        char text[1024];
        case_table t = {0};
        flx_ledger ledger;
        snprintf(
            text, sizeof text,
            "flexion: 1\nbodies:\n  a: {type: beam, from: [-1, 0, 0], to: [1, 0, 0], elements: 2, "
            "surface: {line: true, round: 0.1}, " SECTION "}\n"
            "  b: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0.1, 0, 0.301], velocity: "
            "[0, 0, -2], surface: {sphere: 0.2}}\n"
            "forces: {k: {type: contact, on: [a, b], %s}}\n"
            "simulate: {until: 0.01, method: radau, rtol: 1e-8}\n"
            "outputs: {every: 1e-3, signals: [energy, k.value]}\n",
            laws[k]);
        CHECK(case_run_ledger(text, NULL, &t, &ledger));
        double most = 0;
        for (int i = 0; i <= 10; i++) most = fmax(most, value_at(&t, "energy.strain", 1e-3 * i));
        CHECK(most > 0.2);
        CHECK(ledger.energy_drift < 5e-6);
        case_table_clear(&t);
    }
    return 0;
}

// What comes to rest on the ground by its nodes has its weight there.
static int nodes_carry_the_weight(void)
{
    static const char *const bodies[] = {
        "b: {type: beam, from: [-1, 0, 0.099], to: [1, 0, 0.099], elements: 4, surface: {line: "
        "true, round: 0.1}, damping: {rayleigh: [20, 1e-3]}, " SECTION "}",
        "b: {type: beam, formulation: ancf-cable, from: [-1, 0, 0.099], to: [1, 0, 0.099], "
        "elements: 4, surface: {nodes: true, round: 0.1}, damping: {rayleigh: [20, 1e-3]}, "
        "section: {EA: 1e4, EI: 10, mass: 1}}",
        "b: {type: flexible, fe: {line: [[-1, 0, 0.099], [1, 0, 0.099]], elements: 4, section: "
        "{radius: 0.05}, material: {E: 1e9, nu: 0.3, density: 127.3239544735}}, reduce: {type: "
        "modal, modes: 4}, damping: {rayleigh: [20, 1e-3]}, surface: {nodes: true, round: 0.1}}"};
    for (int k = 0; k < 3; k++) {
        char text[2048];
        case_table t = {0};
        snprintf(text, sizeof text,
                 "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n  %s\n"
                 "forces: {k: {type: contact, among: [ground, b], law: hunt-crossley, stiffness: "
                 "1e5,\n    damping: 20}}\n"
                 "simulate: {until: 1, method: radau, rtol: 1e-5}\n"
                 "outputs: {every: 0.5, signals: [k.value, k.contacts]}\n",
                 bodies[k]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK_REL(value_at(&t, "k.value", 1.0), 2 * 9.81, 0.02);
        CHECK(value_at(&t, "k.contacts", 1.0) >= 2);
        case_table_clear(&t);
    }
    return 0;
}

// ---- a line that touches itself ---------------------------------------------------------------------

#define LOOP_SECTION                                                                               \
    "section: {radius: 0.02}, material: {E: 2e6, nu: 0.3, density: 1000},\n"                       \
    "    damping: {rayleigh: [1, 1e-3]}, surface: {line: true}}\n"
#define LOOP_END                                                                                   \
    ", law: penalty, stiffness: 1e6, damping: 1e4,\n"                                              \
    "    damping_exponent: 1, friction: {coefficient: 0.2, velocity: 0.02}}\n"                     \
    "simulate: {until: 0.04, method: radau, rtol: 1e-6}\n"                                         \
    "outputs: {every: 0.01, signals: [k.value, k.gap"

// The ends of a coil are pressed onto each other: as one line, and as three that are welded, of which the first and the last touch.
static int coil_touches_itself(void)
{
    static const char one[] =
        "flexion: 1\nbodies:\n"
        "  a: {type: beam, curve: [0.2*cos(2*pi*1.15*s), 0.2*sin(2*pi*1.15*s), 0.06*s],\n"
        "    elements: 23, " LOOP_SECTION "forces:\n"
        "  up: {type: force, on: a, at: a.start, value: [0, 0, 3]}\n"
        "  down: {type: force, on: a, at: a.end, value: [0, 0, -3]}\n"
        "  k: {type: contact, among: [a], self: true" LOOP_END ", a.end.position]}\n";
    static const char three[] =
        "flexion: 1\nbodies:\n"
        "  a: {type: beam, curve: [0.2*cos(pi/2*s), 0.2*sin(pi/2*s), 0.06*5/23*s],\n"
        "    elements: 5, " LOOP_SECTION
        "  m: {type: beam, curve: [0.2*cos(pi/2 + 1.3*pi*s), 0.2*sin(pi/2 + 1.3*pi*s),\n"
        "    0.06*(5 + 13*s)/23], elements: 13, " LOOP_SECTION
        "  b: {type: beam, curve: [0.2*cos(pi*(1.8 + s/2)), 0.2*sin(pi*(1.8 + s/2)),\n"
        "    0.06*(18 + 5*s)/23], elements: 5, " LOOP_SECTION "joints:\n"
        "  p: {type: fixed, on: [a, m], at: a.end}\n  q: {type: fixed, on: [m, b], at: b.start}\n"
        "forces:\n"
        "  up: {type: force, on: a, at: a.start, value: [0, 0, 3]}\n"
        "  down: {type: force, on: b, at: b.end, value: [0, 0, -3]}\n"
        "  k: {type: contact, among: [a, b]" LOOP_END ", b.end.position]}\n";
    case_table t[2] = {{0}};
    flx_ledger l = {0};
    double most = 0.0;
    CHECK(case_run_ledger(one, NULL, &t[0], &l));
    CHECK(case_run(three, NULL, &t[1], NULL, NULL));
    for (int i = 0; i < 5; i++) {
        static const char *const signals[2][4] = {
            {"k.value", "k.gap", "a.end.position.x", "a.end.position.z"},
            {"k.value", "k.gap", "b.end.position.x", "b.end.position.z"}};
        for (int k = 0; k < 4; k++) {
            double x, y;
            CHECK(case_table_value(&t[0], signals[0][k], 0.01 * i, &x));
            CHECK(case_table_value(&t[1], signals[1][k], 0.01 * i, &y));
            CHECK_NEAR(x, y, k == 0 ? 2e-2 : 1e-5);
            if (k == 0) most = fmax(most, x);
        }
    }
    CHECK(most > 3.0);
    CHECK(l.energy_drift < 1e-4);
    for (int k = 0; k < 3; k++) CHECK(fabs(l.momentum_change[k]) < 1e-12);
    case_table_clear(&t[0]);
    case_table_clear(&t[1]);
    return 0;
}

TEST_MAIN(TEST(coil_touches_itself), TEST(force_of_crossing_lines_is_the_integral),
          TEST(lines_along_each_other_touch_along_their_length), TEST(ball_touches_a_line_once),
          TEST(force_along_a_line_is_the_slope_of_its_energy),
          TEST(free_rods_keep_momentum_and_energy), TEST(nodes_carry_the_weight))
