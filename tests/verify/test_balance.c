// test_balance.c - what has neither mass nor damping begins in balance, wherever it is drawn, and the user is told;
// rotors without mass have inertia.
#include "case_table.h"
#include "check.h"

#include <string.h>

// Massless: a point on a rail between two springs, a lever, a point in space between three springs.
static const char rail[] =
    "flexion: 1\n"
    "bodies:\n"
    "  m: {type: rigid, mass: 0, inertia: [0, 0, 0], position: [1, 0, 0]}\n"
    "  end: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0]}\n"
    "joints:\n"
    "  r: {type: prismatic, on: [ground, m], at: [1, 0, 0], axis: [1, 0, 0]}\n"
    "  r2: {type: prismatic, on: [ground, end], at: [2, 0, 0], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  s1: {type: spring, on: [ground, m], at: [[0, 0, 0], m], stiffness: 100, length: 0.5}\n"
    "  s2: {type: spring, on: [m, end], at: [m, end], stiffness: 50, length: 0.8}\n"
    "simulate: {until: 0.5, method: %s}\n"
    "outputs: {every: 0.5, signals: [m.position.x, end.position.x]}\n";

static const char lever[] =
    "flexion: 1\n"
    "dimension: 2\n"
    "bodies:\n"
    "  m: {type: rigid, mass: 0, inertia: 0}\n"
    "  end: {type: rigid, mass: 1, inertia: 0.2, position: [1, 0], angular_velocity: 1}\n"
    "joints:\n"
    "  A: {type: revolute, on: [ground, m], at: [0, 0]}\n"
    "  B: {type: revolute, on: [ground, end], at: [1, 0]}\n"
    "forces:\n"
    "  s1: {type: spring, on: A, stiffness: 10, angle: 0.3}\n"
    "  s2: {type: spring, on: [m, end], at: [[0, 0.5], [1, 0.5]], stiffness: 50, length: 0.8}\n"
    "simulate: {until: 0.5, method: %s}\n"
    "outputs: {every: 0.5, signals: [A.angle, B.angle]}\n";

static const char web[] =
    "flexion: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  m: {type: point, mass: 0, position: [1, 0.1, 0.2]}\n"
    "  end: {type: point, mass: 1, position: [2, 0, 0], velocity: [0, 1, 0]}\n"
    "forces:\n"
    "  s1: {type: spring, on: [ground, m], at: [[0, 0, 0], m], stiffness: 100, length: 0.5}\n"
    "  s2: {type: spring, on: [m, end], at: [m, end], stiffness: 50, length: 0.8}\n"
    "  s3: {type: spring, on: [m, ground], at: [m, [1, 1, 1]], stiffness: 50, length: 0.8}\n"
    "simulate: {until: 0.5, method: %s}\n"
    "outputs: {every: 0.5, signals: [m.position.y, end.position.y]}\n";

// All ways end at the same place as radau at a tight tolerance.
static int ends_agree(const char *text, const char *signal)
{
    static const char *const ways[] = {"radau, rtol: 1e-10, atol: 1e-12",
                                       "radau, formulation: tree",
                                       "radau, formulation: index-3",
                                       "radau, formulation: ggl",
                                       "bdf, formulation: tree",
                                       "bdf, formulation: ggl",
                                       "generalized-alpha, step: 1e-4",
                                       "lobatto, step: 5e-3",
                                       "auto"};
    double first = 0.0;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        char model[2400], said[2000];
        case_table table = {0};
        flx_ledger ledger = {0};
        double value = 0.0;
        snprintf(model, sizeof model, text, ways[i]);
        CHECK(case_run_ledger(model, NULL, &table, &ledger));
        CHECK(ledger.balanced);
        CHECK(case_table_value(&table, signal, 0.5, &value));
        if (i == 0) first = value;
        CHECK_NEAR(value, first, 1e-5);
        case_table_clear(&table);
        if (i > 0) continue;
        CHECK(case_run_said(model, NULL, said, sizeof said));
        CHECK_TEXT(said, "the initial state of 'm' was changed into balance");
        CHECK(!strstr(said, "could not find the velocities"));
    }
    return 0;
}

static int on_a_rail(void)
{
    case_table table = {0};
    char model[2400];
    double x = 0.0;
    snprintf(model, sizeof model, rail, "radau");
    CHECK(case_run(model, NULL, &table, NULL, NULL));
    CHECK(case_table_value(&table, "m.position.x", 0.0, &x));
    CHECK_NEAR(x, 11.0 / 15.0, 1e-13); // 100 (x - 0.5) = 50 (1.2 - x)
    CHECK(case_table_value(&table, "end.position.x", 0.0, &x));
    CHECK_NEAR(x, 2.0, 1e-15);
    case_table_clear(&table);
    return ends_agree(rail, "end.position.x");
}

static int about_a_hinge(void)
{
    return ends_agree(lever, "B.angle");
}

static int between_three_springs(void)
{
    return ends_agree(web, "end.position.y");
}

// Damping gives it a velocity and leaves it where it is drawn.
static int what_is_damped_stays(void)
{
    char said[2000];
    const char *text =
        "flexion: 1\n"
        "dimension: 2\n"
        "bodies: {m: {type: point, mass: 0, position: [1, 0]}}\n"
        "joints: {r: {type: point-on-line, on: [ground, m], at: [1, 0], axis: [1, 0]}}\n"
        "forces:\n"
        "  s: {type: spring, on: [ground, m], at: [[0, 0], m], stiffness: 100, length: 0.5, "
        "damping: 4}\n"
        "simulate: {until: 0.1, method: radau}\n"
        "outputs: {every: 0.1, signals: [m.position.x]}\n";
    case_table table = {0};
    double x = 0.0;
    CHECK(case_run(text, NULL, &table, NULL, NULL));
    CHECK(case_table_value(&table, "m.position.x", 0.0, &x));
    CHECK_NEAR(x, 1.0, 1e-14);
    CHECK(case_table_value(&table, "m.position.x", 0.1, &x));
    CHECK_NEAR(x, 0.5 + 0.5 * exp(-2.5), 1e-5);
    case_table_clear(&table);
    CHECK(case_run_said(text, NULL, said, sizeof said));
    CHECK(!strstr(said, "balance"));
    return 0;
}

// A position that an algebraic unknown is to bring about is there at the start.
static int algebraic_unknowns_begin_in_balance(void)
{
    const char *text = "flexion: 1\n"
                       "equations:\n"
                       "  second_order: {x: {at: 0.1, rate: 0, mass: 2, force: u}}\n"
                       "  first_order: {u: {at: 0, mass: 0, derivative: x - t^2}}\n"
                       "simulate: {until: 0.1, method: radau, step: 1e-3}\n"
                       "outputs: {every: 0.1, signals: [x, u]}\n";
    case_table table = {0};
    char said[2000];
    double x = 1.0, u = 0.0;
    CHECK(case_run(text, NULL, &table, NULL, NULL));
    CHECK(case_table_value(&table, "x", 0.0, &x));
    CHECK_NEAR(x, 0.0, 1e-12);
    CHECK(case_table_value(&table, "u", 0.0, &u)); // and not half of it
    CHECK_NEAR(u, 4.0, 1e-5);
    CHECK(case_table_value(&table, "u", 0.1, &u));
    CHECK_NEAR(u, 4.0, 1e-5);
    case_table_clear(&table);
    CHECK(case_run_said(text, NULL, said, sizeof said));
    CHECK_TEXT(said, "the initial state of 'x' was changed into balance");
    return 0;
}

// The rotor of a geared motor: no mass, and an inertia about its axis.
static int rotors_without_mass_have_inertia(void)
{
    static const char *const ways[] = {"radau, formulation: tree", "radau, formulation: index-3",
                                       "dopri5, formulation: tree", "dopri5", "bdf"};
    for (int k = 0; k < 10; k++) {
        bool space = k >= 5;
        char model[2400];
        case_table table = {0};
        double angle = 0.0;
        const char *axis = space ? ", axis: [0, 0, 1]" : "";
        snprintf(model, sizeof model,
                 "flexion: 1\n%sbodies:\n"
                 "  rotor: {type: rigid, mass: 0, inertia: %s}\n"
                 "  wheel: {type: rigid, mass: 2, inertia: %s, position: %s}\njoints:\n"
                 "  R: {type: revolute, on: [ground, rotor], at: rotor%s}\n"
                 "  W: {type: revolute, on: [ground, wheel], at: wheel%s}\n"
                 "  g: {type: gear, on: [R, W], ratio: 0.2}\n"
                 "forces: {T: {type: torque, on: R, value: 1}}\n"
                 "simulate: {until: 1, method: %s}\noutputs: {every: 1, signals: [W.angle]}\n",
                 space ? "" : "dimension: 2\n", space ? "[0, 0, 0.01]" : "0.01",
                 space ? "[0.1, 0.1, 0.1]" : "0.1", space ? "[1, 0, 0]" : "[1, 0]", axis, axis,
                 ways[k % 5]);
        CHECK(case_run(model, NULL, &table, NULL, NULL));
        CHECK(case_table_value(&table, "W.angle", 1.0, &angle));
        CHECK_NEAR(angle, 0.5 * 5.0 / 0.35, 1e-5);
        case_table_clear(&table);
    }
    return 0;
}

// ... and its velocity is that of the place where the springs are in balance, from the start on and by methods that carry velocities
// along. Methods of momenta have none for it, and say so.
static int it_moves_with_the_balance(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\nbodies:\n"
        "  b: {type: point, mass: 1, position: [0, 1], velocity: [1, 0]}\n"
        "  m: {type: point, mass: 0, position: [0.1, 0.5]}\n"
        "forces:\n"
        "  s: {type: spring, on: [b, m], at: [b, m], stiffness: 100, length: 0.3}\n"
        "  u: {type: spring, on: [ground, m], at: [[1, 0], m], stiffness: 100, length: 0.3}\n"
        "  w: {type: spring, on: [ground, m], at: [[-1, 0], m], stiffness: 100, length: 0.3}\n"
        "simulate: {until: 0.02, method: %s}\n"
        "outputs: {times: [0, 0.001, 0.01, 0.02], signals: [m.position.x, m.velocity.x]}\n";
    static const char *const ways[] = {"radau",
                                       "radau, formulation: tree",
                                       "bdf, formulation: ggl",
                                       "generalized-alpha, step: 1e-4",
                                       "newmark, step: 1e-4",
                                       "trapezoidal, step: 1e-4",
                                       "implicit-euler, step: 1e-6"};
    for (int k = 0; k < (int)(sizeof ways / sizeof *ways); k++) {
        char model[1500];
        case_table t = {0};
        double x[2], v[4];
        static const double at[] = {0, 0.001, 0.01, 0.02};
        snprintf(model, sizeof model, text, ways[k]);
        CHECK(case_run(model, NULL, &t, NULL, NULL));
        for (int i = 0; i < 2; i++) CHECK(case_table_value(&t, "m.position.x", at[i], &x[i]));
        for (int i = 0; i < 4; i++) CHECK(case_table_value(&t, "m.velocity.x", at[i], &v[i]));
        case_table_clear(&t);
        CHECK_REL(v[0], (x[1] - x[0]) / 0.001, 1e-4); // of what it moves by
        CHECK_REL(v[1], 0.228168983, 1e-4);
        CHECK_REL(v[2], 0.226967300, 1e-4);
    }
    char said[2000] = "", model[1500];
    snprintf(model, sizeof model, text, "variational, step: 1e-3, formulation: index-3");
    CHECK(!case_run_said(model, NULL, said, sizeof said));
    CHECK(strstr(said, "masses and joints do not determine the velocities"));
    CHECK(strstr(said, "'m'"));
    return 0;
}

// Springs of N/Mm beside a damper that is a millionth as stiff: no limit gives the velocities at the start, and that is told.
static int velocities_that_are_not_found_are_told(void)
{
    const char *text =
        "flexion: 1\ndimension: 2\ngravity: [0, -2.303e+04]\nbodies:\n"
        "  p0: {type: point, mass: 0, position: [-106.951, 1486.4]}\n"
        "  m: {type: point, mass: 86.95, position: [2347.44, 782.479], velocity: [-1755, 0]}\n"
        "forces:\n"
        "  f00: {type: spring, on: [ground, p0], at: [[1623.9, 477.39], p0], stiffness: 3.013e-05, "
        "damping: 6.4007e-08, length: 1196.8}\n"
        "  f01: {type: spring, on: [ground, p0], at: [[-2283.5, 918.49], p0], stiffness: "
        "5.5644e-06, "
        "damping: 0, length: 2256.4}\n"
        "  f10: {type: spring, on: [p0, m], at: [p0, m], stiffness: 0.010703, damping: 0.11998, "
        "length: 3245.4}\n"
        "  f11: {type: spring, on: [p0, m], at: [p0, m], stiffness: 0.0053302, damping: 0, "
        "length: 1463.7}\n"
        "simulate: {until: 1e-3}\noutputs: {every: 1e-3, signals: [p0.x']}\n";
    case_table table = {0};
    char said[2000] = "";
    double start = 1.0, later = 0.0;
    CHECK(case_run(text, NULL, &table, NULL, NULL));
    CHECK(case_table_value(&table, "p0.x'", 0.0, &start));
    CHECK(case_table_value(&table, "p0.x'", 1e-3, &later));
    case_table_clear(&table);
    CHECK(case_run_said(text, NULL, said, sizeof said));
    bool found = fabs(start / later - 1.0) < 0.05; // they change by no more in a millisecond
    printf("    %g, then %g m/s\n", start, later);
    CHECK(found != !!strstr(said, "could not find the velocities of what has no mass"));
    CHECK(found || strstr(said, "'p0'"));
    return 0;
}

TEST_MAIN(TEST(velocities_that_are_not_found_are_told), TEST(on_a_rail),
          TEST(it_moves_with_the_balance), TEST(about_a_hinge), TEST(between_three_springs),
          TEST(what_is_damped_stays), TEST(algebraic_unknowns_begin_in_balance),
          TEST(rotors_without_mass_have_inertia))
