// Quasi-static reduction of whole models: the reduced trajectories of the two-mass oscillator and of
// the Mobot to the digits of their references, by every implicit method; the error proportional to
// the inertia neglected; constraints; what is refused at its place.
#include "case_table.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// eps, reduce, method.
static const char two_mass[] =
    "flexion: 1\n"
    "parameters: {eps: %.17g}\n"
    "equations:\n"
    "  second_order:\n"
    "    q1: {at: 0, mass: eps, force: \"-0.02*q1' + 0.02*(q2' - q1') - 10*q1 + 10*(q2 - q1)\"}\n"
    "    q2: {at: 0.1, mass: 1, force: \"-0.02*(q2' - q1') - 10*(q2 - q1) + 0.1\"}\n"
    "%s"
    "simulate: {until: 5, method: %s}\n"
    "outputs: {every: 0.05, signals: [q1, q2, q2']}\n";

static const char q1_reduced[] = "reduce: {type: quasistatic, neglect_inertia: [q1]}\n";

static bool run_two_mass(double eps, const char *reduce, const char *method, case_table *table)
{
    char text[1200];
    snprintf(text, sizeof text, two_mass, eps, reduce, method);
    return case_run(text, NULL, table, NULL, NULL);
}

// Largest difference of columns that two tables name differently, from a time on.
static double distance(const case_table *a, const char *of_a, const case_table *b, const char *of_b,
                       double from)
{
    double largest = 0.0;
    for (int i = 0; i < a->rows; i++) {
        double t = a->values[i * a->columns], x, y;
        if (t < from) continue;
        if (!case_table_value(a, of_a, t, &x) || !case_table_value(b, of_b, t, &y))
            return (double)NAN;
        largest = fmax(largest, fabs(x - y));
    }
    return largest;
}

static int two_mass_by(const char *method, double tolerance)
{
    case_table run = {0}, reference = {0};
    CHECK(case_table_read_csv(&reference, FLX_TESTS "/reference/digest/two_mass.csv"));
    CHECK(run_two_mass(0.005, q1_reduced, method, &run));
    CHECK(run.rows == reference.rows);
    CHECK(distance(&reference, "red_q1", &run, "q1", 0.0) <= tolerance);
    CHECK(distance(&reference, "red_q2", &run, "q2", 0.0) <= tolerance);
    CHECK(distance(&reference, "red_v2", &run, "q2'", 0.0) <= 3.0 * tolerance);
    case_table_clear(&run);
    case_table_clear(&reference);
    return 0;
}

// Methods of order 2 are as near as (omega h)^2 of the fastest rate, 500/s.
static int two_masses_move_as_in_the_reference(void)
{
    CHECK(two_mass_by("radau, rtol: 1e-11, atol: 1e-13", 1e-12) == 0);
    CHECK(two_mass_by("radau, step: 0.001", 1e-13) == 0);
    CHECK(two_mass_by("gauss, step: 0.001", 1e-13) == 0);
    CHECK(two_mass_by("lobatto, step: 0.001", 1e-12) == 0);
    CHECK(two_mass_by("generalized-alpha, step: 0.001", 1e-6) == 0);
    CHECK(two_mass_by("newmark, step: 0.001", 1e-6) == 0);
    CHECK(two_mass_by("hht, step: 0.001", 1e-6) == 0);
    CHECK(two_mass_by("trapezoidal, step: 0.001", 1e-6) == 0);
    CHECK(two_mass_by("midpoint, step: 0.001", 1e-6) == 0);
    CHECK(two_mass_by("implicit-euler, step: 0.001", 1e-3) == 0);
    return 0;
}

// The velocity without inertia is solved for. Stability holds the steps at a few times 1/500 s; between
// their ends dop853 is as near as its output of order 7 lets it.
static int explicit_methods_solve_for_velocities(void)
{
    CHECK(two_mass_by("dopri5, rtol: 1e-11, atol: 1e-13", 2e-12) == 0);
    CHECK(two_mass_by("dop853, rtol: 1e-11, atol: 1e-13", 3e-8) == 0);
    CHECK(two_mass_by("adams, rtol: 1e-9, atol: 1e-11", 1e-7) == 0);
    CHECK(two_mass_by("euler, step: 1e-3", 1e-3) == 0);
    return 0;
}

// After the layer, in q2.
static int error_is_proportional_to_the_inertia(void)
{
    enum { LEVELS = 4 };
    static const char method[] = "radau, rtol: 1e-11, atol: 1e-13";
    case_table reduced = {0};
    double x[LEVELS], y[LEVELS], sx = 0, sy = 0, sxx = 0, sxy = 0;
    CHECK(run_two_mass(1.0, q1_reduced, method, &reduced)); // whatever the mass neglected is
    for (int i = 0; i < LEVELS; i++) {
        case_table full = {0};
        double eps = 0.002 * pow(0.5, i);
        CHECK(run_two_mass(eps, "", method, &full));
        x[i] = log(eps);
        y[i] = log(distance(&full, "q2", &reduced, "q2", 2.5));
        case_table_clear(&full);
        sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
    }
    double slope = (LEVELS * sxy - sx * sy) / (LEVELS * sxx - sx * sx);
    printf("slope of the error over eps: %.4f, at eps = 0.002 %.3g\n", slope, exp(y[0]));
    CHECK(fabs(slope - 1.0) <= 0.02);
    case_table_clear(&reduced);
    return 0;
}

static int the_mobot_moves_as_in_the_reference(void)
{
    static const char *const columns[][2] = {{"red_xS", "platform.position.x"},
                                             {"red_yS", "platform.position.y"},
                                             {"red_phiS", "platform.angle"},
                                             {"red_N1x", "foot(1).position.x"},
                                             {"red_N1y", "foot(1).position.y"},
                                             {"red_N2x", "foot(2).position.x"},
                                             {"red_N2y", "foot(2).position.y"},
                                             {"red_I11", "I(1)(1)"},
                                             {"red_I12", "I(1)(2)"},
                                             {"red_I21", "I(2)(1)"},
                                             {"red_I22", "I(2)(2)"}};
    case_table run = {0}, reference = {0};
    static char text[8192];
    FILE *f = fopen(FLX_TESTS "/models/08-mobot.yaml", "r");
    CHECK(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    CHECK(n > 0 && n < sizeof text - 1);
    CHECK(case_table_read_csv(&reference, FLX_TESTS "/reference/digest/mobot.csv"));
    CHECK(case_run(text, NULL, &run, NULL, NULL));
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        CHECK(distance(&reference, columns[i][0], &run, columns[i][1], 0.0) <= 1e-11);
    }
    case_table_clear(&run);
    case_table_clear(&reference);
    return 0;
}

// A pendulum in x and y, and z coupled to it through the mass; the same with its angle. The constraint holds
// no z, so that both must lose the same inertia. The latter is the reference: by fixed steps, which leave 1e-14; what
// error control leaves of rtol 1e-11 depends on the steps that it takes.
static const char pendulum_constraint[] = "flexion: 1\n"
                                          "equations:\n"
                                          "  second_order:\n"
                                          "    x: {at: 0.8, mass: 1, force: 0}\n"
                                          "    y: {at: -0.6, mass: 1, force: -9.81}\n"
                                          "    z: {at: 0.01, mass: 0.3, force: -100*z - 5*z'}\n"
                                          "  coupling: [[x, z, 0.4]]\n"
                                          "  constraints: {rod: x^2 + y^2 - 1}\n"
                                          "reduce: {type: quasistatic, neglect_inertia: z}\n"
                                          "simulate: {until: 2, method: %s}\n"
                                          "outputs: {every: 0.1, signals: [x, x', z, z']}\n";
static const char pendulum_angle[] =
    "flexion: 1\n"
    "equations:\n"
    "  second_order:\n"
    "    a: {at: asin(0.8), mass: 1, force: -9.81*sin(a)}\n"
    "    z: {at: 0.01, mass: 0.3, force: \"-100*z - 5*z' + 0.4*sin(a)*a'^2\"}\n"
    "  coupling: [[a, z, 0.4*cos(a)]]\n"
    "signals: {x: sin(a), u: cos(a)*a'}\n"
    "reduce: {type: quasistatic, neglect_inertia: z}\n"
    "simulate: {until: 2, method: gauss, step: 0.0005}\n"
    "outputs: {every: 0.1, signals: [x, u, z, z']}\n";

static int constraints_lose_the_same_inertia(const char *method, double tolerance)
{
    case_table constraint = {0}, angle = {0};
    char text[1200];
    snprintf(text, sizeof text, pendulum_constraint, method);
    CHECK(case_run(text, NULL, &constraint, NULL, NULL));
    CHECK(case_run(pendulum_angle, NULL, &angle, NULL, NULL));
    double dx = distance(&constraint, "x", &angle, "x", 0.0),
           du = distance(&constraint, "x'", &angle, "u", 0.0);
    double dz = distance(&constraint, "z", &angle, "z", 0.0);
    double dw = distance(&constraint, "z'", &angle, "z'", 0.0);
    printf("%s: x %.2g, x' %.2g, z %.2g, z' %.2g\n", method, dx, du, dz, dw);
    CHECK(dx <= tolerance && dz <= tolerance);
    CHECK(du <= 30.0 * tolerance && dw <= 30.0 * tolerance);
    case_table_clear(&constraint);
    case_table_clear(&angle);
    return 0;
}

// The balance with the inertia that is left, where M and a constraint link z to the rest: the mass that is
// left changes with the motion.
static int energies_balance(void)
{
    case_table table = {0};
    flx_ledger ledger = {0};
    char text[1200];
    snprintf(text, sizeof text, pendulum_constraint, "radau, rtol: 1e-11, atol: 1e-13");
    CHECK(case_run_ledger(text, NULL, &table, &ledger));
    printf("energy drift %.2g\n", ledger.energy_drift);
    CHECK(ledger.energy_drift <= 1e-12);
    case_table_clear(&table);
    return 0;
}

static int constrained_systems_are_reduced(void)
{
    CHECK(constraints_lose_the_same_inertia("radau, formulation: index-3, rtol: 1e-11, atol: 1e-13",
                                            1e-12) == 0);
    CHECK(constraints_lose_the_same_inertia("dopri5, rtol: 1e-11, atol: 1e-13", 1e-12) == 0);
    CHECK(constraints_lose_the_same_inertia("dop853, rtol: 1e-11, atol: 1e-13", 1e-12) == 0);
    CHECK(constraints_lose_the_same_inertia("generalized-alpha, step: 0.001", 1e-5) == 0);
    return 0;
}

// x = exp(-c t) has no inertia: the accelerations that are shown are limits of short steps, at the start and later.
static int accelerations_of_decays_are_exact(void)
{
    static const char text[] = "flexion: 1\nequations:\n  second_order:\n"
                               "    x: {at: 1, mass: 0, force: -%g*x - x'}\n"
                               "    y: {at: 1, mass: 1, force: -y + x}\n"
                               "simulate: {until: 0.02, method: radau, rtol: 1e-11, atol: 1e-13}\n"
                               "outputs: {every: 0.01, signals: [\"x''\", \"y''\", x, y]}\n";
    for (double c = 20.0; c < 300.0; c *= 10.0) {
        case_table table = {0};
        char model[600];
        snprintf(model, sizeof model, text, c);
        CHECK(case_run(model, NULL, &table, NULL, NULL));
        for (int i = 0; i < 3; i++) {
            double t = 0.01 * i, part = pow(c * 1e-4, 3.0), a = 0.0, b = 0.0, x = 0.0, y = 0.0;
            CHECK(case_table_value(&table, "x''", t, &a) && case_table_value(&table, "x", t, &x));
            CHECK(case_table_value(&table, "y''", t, &b) && case_table_value(&table, "y", t, &y));
            CHECK_NEAR(a, c * c * exp(-c * t), (part + 1e-9) * c * c * exp(-c * t));
            CHECK_NEAR(b, x - y, part + 1e-9);
        }
        case_table_clear(&table);
    }
    return 0;
}

// Without dissipation, and it is not friction that reads reactions.
static int refusals_say_what_reads_reactions(void)
{
    char text[1200], said[1000];
    snprintf(text, sizeof text, pendulum_constraint, "newmark, step: 0.001, formulation: index-3");
    CHECK(!case_run_said(text, NULL, said, sizeof said));
    CHECK_TEXT(said, "parts without inertia move as they balance them");
    CHECK(strstr(said, "friction") == NULL);
    return 0;
}

// Two arms: of what is held to an arm that hinges hold as well, the inertia is needed. `%s`: reductions.
static const char two_arms[] =
    "flexion: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, com: [0.5, 0], inertia: 0.1}\n"
    "  b: {type: rigid, mass: 0.001, com: [0.05, 0], inertia: 1e-6, position: [1, 0]}\n"
    "joints:\n"
    "  A: {type: revolute, on: [ground, a], at: [0, 0]}\n"
    "  B: {type: %s, on: [a, b], at: [1, 0]%s}\n"
    "forces:\n"
    "  s: {type: %s, on: %s, stiffness: 50, damping: %s}\n"
    "simulate: {until: 0.01, method: radau, rtol: 1e-6}\n"
    "reduce: %s\n"
    "outputs: {every: 0.01, signals: [A.angle]}\n";

static bool arms_say(const char *joint, const char *more, const char *force, const char *on,
                     const char *damping, const char *reduce, char *said, size_t size)
{
    char text[1200];
    snprintf(text, sizeof text, two_arms, joint, more, force, on, damping, reduce);
    return case_run_said(text, NULL, said, size);
}

static int refusals_tell_reactions_from_damping(void)
{
    char said[1000];
    static const char b[] = "{type: quasistatic, neglect_inertia: [b]}";
    // the hinge on a hinged arm: two rows on one motion
    CHECK(!arms_say("revolute", "", "spring", "B", "0.5", b, said, sizeof said));
    CHECK_TEXT(said, "cannot bear the reactions of 'b'");
    CHECK_TEXT(said, "lacks full rank");
    CHECK(strstr(said, "give 'b'") == NULL);
    // a second reduction of what hangs together
    CHECK(!arms_say("revolute", "", "spring", "B", "0.5",
                    "[{type: cutoff, raise_inertia: [b], factor: 2}, "
                    "{type: quasistatic, neglect_inertia: [b]}]",
                    said, sizeof said));
    CHECK_TEXT(said, "another reduction changes the inertia");
    CHECK(strstr(said, "friction") == NULL);
    return 0;
}

// A stage that fails leaves nothing behind that later ones begin with: with a first step as long as the
// whole run the solution is that of short ones.
static int failed_stages_are_forgotten(void)
{
    static const char *const methods[] = {"method: dopri5, rtol: 1e-7, atol: 1e-9",
                                          "method: dop853, rtol: 1e-7, atol: 1e-9",
                                          "method: radau, rtol: 1e-9, atol: 1e-12"};
    static char text[16384];
    case_table runs[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        char simulate[200];
        snprintf(simulate, sizeof simulate, "until: 2e-3, initial_step: 2e-3, %s", methods[i]);
        const case_change changes[] = {
            {"until: 0.5, method: radau, rtol: 1e-7, atol: 1e-9", simulate},
            {"every: 0.01", "every: 1e-3"}};
        CHECK(case_example(FLX_EXAMPLES "/four_bar_flexible.yaml", 2, changes, text, sizeof text));
        CHECK(case_run(text, NULL, &runs[i], NULL, NULL));
    }
    for (int i = 0; i < 2; i++) {
        CHECK(distance(&runs[i], "phi2", &runs[2], "phi2", 0.0) < 1e-6);
        CHECK(distance(&runs[i], "z3", &runs[2], "z3", 0.0) < 1e-6);
    }
    for (int i = 0; i < 3; i++) case_table_clear(&runs[i]);
    return 0;
}

// A foot without inertia on spring and damper: where the force on it jumps, so does its velocity, to F/c, and
// methods with error control go on with steps that see no jump.
static int velocities_jump_with_forces(void)
{
    static const char *const methods[] = {"radau", "generalized-alpha", "hht", "bdf"};
    for (int i = 0; i < 4; i++) {
        case_table run = {0};
        char text[1024];
        double q = (double)NAN, v = (double)NAN;
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\nparameters: {k: 40, c: 10}\nbodies:\n"
                 "  foot: {type: point, mass: 0.01, position: [0, 0]}\n"
                 "  block: {type: point, mass: 2, position: [3, 0], velocity: [0.5, 0]}\nforces:\n"
                 "  push: {type: force, on: foot, value: ['if(t < 0.4, 0, 6)', 0]}\n"
                 "  soil: {type: bushing, on: [ground, foot], at: [[0, 0], foot],"
                 " stiffness: [k, k], damping: [c, c]}\n"
                 "reduce: {type: quasistatic, neglect_inertia: [foot]}\n"
                 "simulate: {until: 1, method: %s, rtol: 1e-5, atol: 1e-7}\n"
                 "outputs: {times: [0.4, 1], signals: [foot.position, foot.velocity]}\n",
                 methods[i]);
        CHECK(case_run(text, NULL, &run, NULL, NULL));
        CHECK(case_table_value(&run, "foot.velocity.x", 0.4, &v));
        CHECK(case_table_value(&run, "foot.position.x", 1.0, &q));
        printf("    %s: %.9g m/s, %.9g m\n", methods[i], v, q);
        CHECK_NEAR(v, 0.6, 1e-7);
        CHECK_NEAR(q, 0.15 * (1.0 - exp(-2.4)), 3e-5);
        case_table_clear(&run);
    }
    return 0;
}

TEST_MAIN(TEST(velocities_jump_with_forces), TEST(two_masses_move_as_in_the_reference),
          TEST(explicit_methods_solve_for_velocities), TEST(error_is_proportional_to_the_inertia),
          TEST(the_mobot_moves_as_in_the_reference), SLOW_TEST(constrained_systems_are_reduced),
          TEST(accelerations_of_decays_are_exact), SLOW_TEST(failed_stages_are_forgotten),
          TEST(energies_balance), TEST(refusals_say_what_reads_reactions),
          TEST(refusals_tell_reactions_from_damping))
