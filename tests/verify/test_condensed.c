// Static condensation and masses moved to neighbours: closed solutions, the Mobot with its feet's masses
// on the platform, methods of every kind, what is refused.
#include "case_table.h"
#include "check.h"

#include <math.h>
#include <string.h>

// q1 between a wall and q2: T = 1/2, so that 1 + eps/4 swings on 5 N/m about f/5.
static const char two_mass[] =
    "flexion: 1\n"
    "equations:\n"
    "  second_order:\n"
    "    q1: {at: 0.05, mass: 0.02, force: -10*q1 + 10*(q2 - q1)}\n"
    "    q2: {at: 0.1, mass: 1, force: -10*(q2 - q1) + 0.1}\n"
    "reduce: {type: %s, velocities: [q1]%s}\n" // the key of older versions, of every type
    "simulate: {until: 5, method: %s}\n"
    "outputs: {every: 0.25, signals: [q1, q2, q2', energy.total]}\n";

static int swings(const char *type, const char *more, const char *method, double mass, double T,
                  double within)
{
    char text[900];
    case_table run = {0};
    flx_ledger ledger = {0};
    snprintf(text, sizeof text, two_mass, type, more, method);
    CHECK(case_run_ledger(text, NULL, &run, &ledger));
    double omega = sqrt(5.0 / mass), largest = 0.0;
    for (int i = 0; i < run.rows; i++) {
        double t = run.values[i * run.columns], q1, q2, v2;
        double exact = 0.02 + 0.08 * cos(omega * t), rate = -0.08 * omega * sin(omega * t);
        CHECK(case_table_value(&run, "q1", t, &q1) && case_table_value(&run, "q2", t, &q2) &&
              case_table_value(&run, "q2'", t, &v2));
        largest = fmax(largest, fmax(fabs(q2 - exact), fabs(v2 - rate) / omega));
        if (T > 0.0) largest = fmax(largest, fabs(q1 - T * exact));
    }
    printf("%s, %s: %.1e, energy %.1e\n", type, method, largest, ledger.energy_drift);
    CHECK(largest <= within);
    CHECK(ledger.energy_drift <= 20.0 * within);
    case_table_clear(&run);
    return 0;
}

static int condensed_masses_swing_in_every_method(void)
{
    CHECK(swings("guyan", "", "radau, rtol: 1e-11, atol: 1e-13", 1.005, 0.5, 1e-11) == 0);
    CHECK(swings("guyan", "", "gauss, step: 0.01", 1.005, 0.5, 1e-9) == 0);
    CHECK(swings("guyan", "", "dopri5, rtol: 1e-10, atol: 1e-12", 1.005, 0.5, 1e-9) == 0);
    CHECK(swings("guyan", "", "dop853, rtol: 1e-10, atol: 1e-12", 1.005, 0.5, 1e-7) == 0);
    CHECK(swings("guyan", "", "bdf, rtol: 1e-9, atol: 1e-11", 1.005, 0.5, 1e-6) == 0);
    CHECK(swings("guyan", "", "adams, rtol: 1e-9, atol: 1e-11", 1.005, 0.5, 1e-7) == 0);
    CHECK(swings("guyan", "", "generalized-alpha, step: 1e-3", 1.005, 0.5, 1e-5) == 0);
    return 0;
}

// The order of blocks does not matter, and a second reduction takes the condensed system as any other:
// q1 follows with 1/2, and 20 times the inertia of q2 is 20 times that of what q2 carries.
static int blocks_work_together(void)
{
    static const char reduce[] = "reduce: [{type: cutoff, raise_inertia: [q2], frequency: "
                                 "sqrt(5)/(2*pi)}, {type: guyan, condense: [q1]}]";
    char text[900], *at;
    case_table run = {0};
    snprintf(text, sizeof text, two_mass, "guyan", "", "radau, rtol: 1e-11, atol: 1e-13");
    at = strstr(text, "reduce:");
    char rest[400];
    snprintf(rest, sizeof rest, "%s", strchr(at, '\n'));
    snprintf(at, sizeof text - (size_t)(at - text), "%s%s", reduce, rest);
    CHECK(case_run(text, NULL, &run, NULL, NULL));
    // alone q2 swings at sqrt(10): twice its mass makes that sqrt(5)
    double q2;
    CHECK(case_table_value(&run, "q2", 5.0, &q2));
    CHECK_NEAR(q2, 0.02 + 0.08 * cos(5.0 * sqrt(5.0 / 2.005)), 1e-10);
    case_table_clear(&run);
    return 0;
}

// With a damping that determines its velocity; where the damping vanishes with it, 1.02 swings.
static int moved_masses_keep_the_sum(void)
{
    static const char model[] =
        "flexion: 1\n"
        "equations:\n"
        "  second_order:\n"
        "    q1: {at: 0.05, mass: 0.02, force: -10*q1 + 10*(q2 - q1) - 1e-7*q1'}\n"
        "    q2: {at: 0.1, mass: 1, force: -10*(q2 - q1) + 0.1}\n"
        "reduce: {type: %s, neglect_inertia: [q1]}\n"
        "simulate: {until: 5, method: radau, rtol: 1e-11, atol: 1e-13}\n"
        "outputs: {every: 5, signals: [q2]}\n";
    static const struct {
        const char *type;
        double mass;
    } kinds[] = {{"mass-lumping", 1.02},
                 {"quasistatic, conserve_mass: true", 1.02},
                 {"quasistatic, conserve_mass: false", 1.0}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char text[700];
        case_table run = {0};
        double q2;
        snprintf(text, sizeof text, model, kinds[i].type);
        CHECK(case_run(text, NULL, &run, NULL, NULL));
        CHECK(case_table_value(&run, "q2", 5.0, &q2));
        CHECK_NEAR(q2, 0.02 + 0.08 * cos(5.0 * sqrt(5.0 / kinds[i].mass)), 1e-8);
        case_table_clear(&run);
    }
    return 0;
}

// The mean over time of the sum of errors of the platform.
static double mean_error(const case_table *a, const case_table *b)
{
    static const char *const names[] = {"platform.position.x", "platform.position.y",
                                        "platform.angle"};
    double sum = 0.0;
    for (int i = 0; i < a->rows; i++) {
        double t = a->values[i * a->columns], x, y;
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            if (!case_table_value(a, names[k], t, &x) || !case_table_value(b, names[k], t, &y))
                return (double)NAN;
            sum += fabs(x - y);
        }
    }
    return sum / a->rows;
}

static bool run_mobot(const char *reduce, const char *weight, const char *setting, case_table *run)
{
    static char text[16384];
    const case_change changes[] = {
        {"reduce: {type: quasistatic, neglect_inertia: auto}", reduce},
        {"value: [0, -9.81]", weight},
        {"every: 0.1, signals: [platform.position, platform.angle, foot.position, I]",
         "every: 0.005, signals: [platform.position, platform.angle]"}};
    return case_example(FLX_EXAMPLES "/mobot.yaml", 3, changes, text, sizeof text) &&
           case_run(text, setting, run, NULL, NULL);
}

// Section 4.5.2: with the feet's masses and their weight on the platform, m = J = 1.04, the error is
// larger than without them, 2.36e-3 against 2.107e-4, 2.9e-4 against 7.82e-5 with more damping.
static int masses_of_the_feet_on_the_platform(void)
{
    static const struct {
        const char *setting;
        double error, conserving;
    } kinds[] = {{"kD=80", 2.107e-4, 2.36e-3}, {"kD=580", 7.82e-5, 2.9e-4}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        case_table full = {0}, plain = {0}, moved = {0};
        CHECK(run_mobot("", "value: [0, -9.81]", kinds[i].setting, &full));
        CHECK(run_mobot("reduce: {type: quasistatic, neglect_inertia: [foot]}", "value: [0, -9.81]",
                        kinds[i].setting, &plain));
        CHECK(run_mobot("reduce: {type: mass-lumping, neglect_inertia: [foot]}",
                        "value: [0, -9.81*1.04]", kinds[i].setting, &moved));
        double a = mean_error(&full, &plain), b = mean_error(&full, &moved);
        printf("%s: %.4g without, %.4g with the masses on the platform\n", kinds[i].setting, a, b);
        CHECK_NEAR(a, kinds[i].error, 0.01 * kinds[i].error);
        CHECK_NEAR(b, kinds[i].conserving, 0.02 * kinds[i].conserving);
        case_table_clear(&full);
        case_table_clear(&plain);
        case_table_clear(&moved);
    }
    return 0;
}

// The share at a distance turns with the body: 1 N m makes 1/(0.5 + 0.1 (0.5)^2) rad/s^2, in space with
// two thirds of that about every axis.
static int shares_turn_with_bodies(void)
{
    static const char model[] =
        "flexion: 1\n"
        "dimension: %d\n"
        "bodies:\n"
        "  wheel: {type: rigid, mass: 2, inertia: %s, points: {P: %s}}\n"
        "  bob: {type: point, mass: 0.1, position: %s}\n"
        "forces:\n"
        "  M: {type: torque, on: wheel, value: %s}\n"
        "  tie: {type: bushing, on: [wheel, bob], at: [wheel.P, bob], stiffness: %s, damping: %s}\n"
        "reduce: {type: mass-lumping, neglect_inertia: [bob]}\n"
        "simulate: {until: 1, method: radau, rtol: 1e-9, atol: 1e-11}\n"
        "outputs: {every: 1, signals: [wheel.rate, energy.kinetic]}\n";
    for (int dimension = 2; dimension <= 3; dimension++) {
        bool flat = dimension == 2;
        char text[900];
        case_table run = {0};
        double rate, energy, J = 0.5 + 0.1 * 0.25 * (flat ? 1.0 : 2.0 / 3.0);
        snprintf(text, sizeof text, model, dimension, flat ? "0.5" : "[0.5, 0.5, 0.5]",
                 flat ? "[0.5, 0]" : "[0.5, 0, 0]", flat ? "[0.5, 0]" : "[0.5, 0, 0]",
                 flat ? "1" : "[0, 0, 1]", flat ? "[1, 1]" : "[1, 1, 1]",
                 flat ? "[9, 9]" : "[9, 9, 9]");
        CHECK(case_run(text, NULL, &run, NULL, NULL));
        CHECK(case_table_value(&run, "wheel.rate", 1.0, &rate));
        CHECK(case_table_value(&run, "energy.kinetic", 1.0, &energy));
        CHECK_NEAR(rate, 1.0 / J, 1e-8);
        CHECK_NEAR(energy, 0.5 * J * rate * rate, 1e-8);
        case_table_clear(&run);
    }
    return 0;
}

static int refusals_name_their_reason(void)
{
    static const char arm[] = "flexion: 1\n"
                              "dimension: 2\n"
                              "bodies:\n"
                              "  a: {type: point, mass: 1, position: [1, 0]}\n"
                              "  b: {type: point, mass: %s, position: [2, 0]}\n"
                              "joints:\n"
                              "  A: {type: distance, on: [ground, a], at: [[0, 0], a], length: 1}\n"
                              "forces:\n"
                              "  s: {type: spring, on: [%s, b], at: [%s, b], stiffness: 50}\n"
                              "  h: {type: bushing, on: [ground, a], at: [[1, 0], a], stiffness: "
                              "[5, 5]}\n"
                              "reduce: %s\n"
                              "simulate: {until: 1, method: radau, rtol: 1e-6}\n"
                              "outputs: {every: 1, signals: [a.position]}\n";
    char text[900], said[900];
    snprintf(text, sizeof text, arm, "1", "ground", "[3, 0]", "{type: guyan, condense: [a]}");
    CHECK(!case_run_said(text, NULL, said, sizeof said));
    CHECK_TEXT(said, "'A' holds 'a', which is condensed");
    snprintf(text, sizeof text, arm, "1", "ground", "[3, 0]", "{type: guyan, condense: [b]}");
    CHECK(!case_run_said(text, NULL, said, sizeof said)); // across the spring nothing holds it
    CHECK_TEXT(said, "can move without any stiffness");
    snprintf(text, sizeof text, arm, "1", "ground", "[3, 0]",
             "{type: mass-lumping, neglect_inertia: [b]}");
    CHECK(!case_run_said(text, NULL, said, sizeof said));
    CHECK_TEXT(said, "no joint and no force links it to another body");
    snprintf(text, sizeof text, arm, "1", "a", "a",
             "{type: cutoff, factor: 3, raise_inertia: [b], conserve_mass: true}");
    CHECK(!case_run_said(text, NULL, said, sizeof said));
    CHECK_TEXT(said, "cannot give");
    return 0;
}

TEST_MAIN(TEST(condensed_masses_swing_in_every_method), TEST(blocks_work_together),
          TEST(moved_masses_keep_the_sum), TEST(masses_of_the_feet_on_the_platform),
          TEST(shares_turn_with_bodies), TEST(refusals_name_their_reason))
