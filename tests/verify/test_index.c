// test_index.c - algebraic unknowns whose index is too high are refused by name before a run, for every method and in
// both coordinates; others run.
#include "case_table.h"
#include "check.h"

#include <math.h>
#include <string.h>

// Two carts with a spring between them and a force on the first; what the force has to bring about is left open.
static const char carts[] =
    "flexion: 1\n"
    "parameters: {k: 100, d: 0}\n"
    "functions:\n"
    "  s9: {of: [x], value: \"if(x < 0, 0, if(x > 1, 1,"
    " x^5*(126 - 420*x + 540*x^2 - 315*x^3 + 70*x^4)))\"}\n"
    "equations:\n"
    "  second_order:\n"
    "    x1: {at: 0, rate: 0, mass: 1, force: \"u - k*(x1 - x2) - d*(x1' - x2')\"}\n"
    "    x2: {at: 0, rate: 0, mass: 1, force: \"k*(x1 - x2) + d*(x1' - x2')\"}\n"
    "  first_order:\n"
    "    u: {at: 0, mass: 0, derivative: \"%s\"}\n"
    "simulate: {until: 0.1, method: %s}\n"
    "outputs: {every: 0.1, signals: [x1, x2, u]}\n";

// The same as bodies on rails, turned out of the axes.
static const char bodies[] =
    "flexion: 1\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1]}\n"
    "  b: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [2, 1, 2]}\n"
    "joints:\n"
    "  A: {type: prismatic, on: [ground, a], at: a, axis: [2, 1, 2]}\n"
    "  B: {type: prismatic, on: [ground, b], at: b, axis: [2, 1, 2]}\n"
    "forces:\n"
    "  s: {type: spring, on: [a, b], at: [a, b], stiffness: 100, length: 3}\n"
    "  F: {type: force, on: A, value: u}\n"
    "equations: {first_order: {u: {at: 0, mass: 0, derivative: \"%s\"}}}\n"
    "simulate: {until: 0.1, method: %s}\n"
    "outputs: {every: 0.1, signals: [A.displacement, u]}\n";

static bool refused(const char *text, const char *law, const char *method, const char *word)
{
    char model[2400], said[2000];
    snprintf(model, sizeof model, text, law, method);
    if (case_run_said(model, NULL, said, sizeof said)) return false;
    if (strstr(said, word)) return true;
    printf("%s\n", said);
    return false;
}

static const char *const methods[] = {"radau",
                                      "radau, step: 1e-2",
                                      "bdf",
                                      "implicit-euler",
                                      "gauss, step: 1e-2",
                                      "generalized-alpha, step: 1e-3",
                                      "dopri5",
                                      "dop853",
                                      "auto",
                                      "lobatto, step: 1e-2"};
#define N_METHODS (sizeof methods / sizeof methods[0])

static int refused_for_every_method(void)
{
    for (size_t i = 0; i < N_METHODS; i++) {
        CHECK(refused(carts, "x2 - s9(t)", methods[i], "'u' has index 5"));
        CHECK(refused(carts, "x2' - s9(t)", methods[i], "'u' has index 4"));
        CHECK(refused(bodies, "B.displacement - t^4", methods[i], "'u' has index 5"));
    }
    return 0;
}

static int refused_in_both_coordinates(void)
{
    static const char *const forms[] = {"radau, formulation: tree", "radau, formulation: index-3",
                                        "radau, formulation: ggl", "dopri5, formulation: tree",
                                        "bdf, formulation: tree"};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        CHECK(refused(bodies, "B.displacement - t^4", forms[i], "'u' has index 5"));
    }
    return 0;
}

// Damping between the carts makes one differentiation less; a stiff spring none.
static int index_is_that_of_the_equations(void)
{
    char model[2400], said[2000];
    snprintf(model, sizeof model, carts, "x2 - s9(t)", "radau");
    CHECK(!case_run_said(model, "d=1", said, sizeof said));
    CHECK_TEXT(said, "'u' has index 4");
    CHECK(!case_run_said(model, "k=1e12", said, sizeof said));
    CHECK_TEXT(said, "'u' has index 5");
    CHECK(!case_run_said(model, "k=1e-6", said, sizeof said));
    CHECK_TEXT(said, "'u' has index 5");
    return 0;
}

// Index 1, 2 and 3: where the force acts.
static int what_can_be_run_is_run(void)
{
    static const char *const laws[] = {"u - 3*x1 - t", "x1' - s9(t)", "x1 - s9(t)"};
    for (int i = 0; i < 3; i++) {
        char model[2400];
        case_table table = {0};
        double x1 = 0.0, s = 0.0, u = 0.0;
        snprintf(model, sizeof model, carts, laws[i], "radau, step: 1e-3");
        CHECK(case_run(model, NULL, &table, NULL, NULL));
        CHECK(case_table_value(&table, "x1", 0.1, &x1));
        CHECK(case_table_value(&table, "u", 0.1, &u));
        s = 1e-5 * (126 - 42.0 + 5.4 - 0.315 + 0.007);
        if (i == 0) CHECK_NEAR(u, 3.0 * x1 + 0.1, 1e-9);
        if (i == 2) CHECK_NEAR(x1, s, 1e-12);
        case_table_clear(&table);
    }
    return 0;
}

// Index 3: errors of positions stand in the unknown over the square of the step. What cannot keep them small is refused
// (forces were off by factors of 1e5 and 1e13), what can gives the force.
static int index_three_is_borne_or_refused(void)
{
    static const char *const cannot[] = {"bdf",
                                         "generalized-alpha",
                                         "hht",
                                         "newmark",
                                         "implicit-euler",
                                         "midpoint, step: 1e-2",
                                         "gauss, step: 1e-2",
                                         "gauss, stages: 1, step: 1e-2"};
    static const struct {
        const char *method;
        double off;
    } can[] = {{"auto", 1e-4},
               {"radau", 1e-4},
               {"radau, step: 5e-3", 1e-4},
               {"radau, stages: 5, step: 1e-2", 1e-4},
               {"lobatto, step: 5e-3", 1e-4},
               {"generalized-alpha, step: 5e-3", 2e-2},
               {"hht, step: 5e-3", 2e-2},
               {"newmark, step: 5e-3", 2e-2},
               {"trapezoidal, step: 5e-3", 2e-2}};
    for (size_t i = 0; i < sizeof cannot / sizeof cannot[0]; i++) {
        CHECK(refused(carts, "x1 - s9(t)", cannot[i], "'u' has index 3"));
    }
    for (size_t i = 0; i < sizeof can / sizeof can[0]; i++) {
        char text[2400];
        case_table table = {0};
        double x1 = 0.0, x2 = 0.0, u = 0.0, t = 0.7;
        const double c[] = {126, -420, 540, -315, 70};
        double a = 0.0; // of the first cart
        for (int k = 0; k < 5; k++) a += c[k] * (k + 5) * (k + 4) * pow(t, k + 3);
        snprintf(text, sizeof text, carts, "x1 - s9(t)", can[i].method);
        char *until = strstr(text, "until: 0.1"), *every = strstr(text, "every: 0.1");
        CHECK(until && every);
        until[9] = every[9] = '7';
        CHECK(case_run(text, NULL, &table, NULL, NULL));
        CHECK(case_table_value(&table, "x1", t, &x1) && case_table_value(&table, "x2", t, &x2));
        CHECK(case_table_value(&table, "u", t, &u));
        CHECK_NEAR(u, a + 100.0 * (x1 - x2), can[i].off);
        case_table_clear(&table);
    }
    return 0;
}

// A velocity that a force is to bring about, from rest, with nothing that says how fast things are: its start was taken with
// steps of a thousand seconds, and generalized-alpha went 7 m for 0.1.
static int begins_from_rest(void)
{
    static const char *const ways[] = {"radau",
                                       "bdf",
                                       "generalized-alpha",
                                       "implicit-euler, step: 1e-4",
                                       "hht, step: 5e-3",
                                       "newmark, step: 5e-3",
                                       "generalized-alpha, step: 5e-3",
                                       "auto"};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        char text[1200];
        case_table table = {0};
        double x = 0.0, u = 0.0, u0 = 0.0;
        snprintf(
            text, sizeof text,
            "flexion: 1\ndimension: 2\n"
            "bodies: {a: {type: rigid, mass: 1, inertia: 0.1}}\n"
            "joints: {r: {type: prismatic, on: [ground, a], at: [0, 0], axis: [1, 0]}}\n"
            "forces: {f: {type: force, on: r, value: u}}\n"
            "equations: {first_order: {u: {at: 0, mass: 0, derivative: a.velocity.x - 0.5*t^4}}}\n"
            "simulate: {until: 1, method: %s}\n"
            "outputs: {every: 0.5, signals: [u, a.position.x]}\n",
            ways[i]);
        CHECK(case_run(text, NULL, &table, NULL, NULL));
        CHECK(case_table_value(&table, "u", 0.0, &u0) && case_table_value(&table, "u", 1.0, &u));
        CHECK(case_table_value(&table, "a.position.x", 1.0, &x));
        CHECK_NEAR(x, 0.1, 3e-5);
        CHECK_NEAR(u, 2.0, 1e-8);
        CHECK_NEAR(u0, 0.0, 1e-8);
        case_table_clear(&table);
    }
    return 0;
}

// A block on a slope whose friction reads its reaction, beside two states of which the second is driven by the first and by
// the reaction: accelerations, states and multipliers together.
static int states_beside_reactions_run(void)
{
    static const char *const ways[] = {
        "dopri5, rtol: 1e-9, atol: 1e-11", "radau, rtol: 1e-9, atol: 1e-11",
        "bdf, rtol: 1e-9, atol: 1e-11", "dopri5, rtol: 1e-9, atol: 1e-11, formulation: tree",
        "generalized-alpha, step: 1e-4"};
    double slope = 0.6, N = 2 * 9.81 * cos(slope), a = 9.81 * (sin(slope) - 0.3 * cos(slope));
    for (int k = 0; k < 5; k++) {
        char text[1000];
        case_table table = {0};
        double s, p, q;
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                 "bodies: {b: {type: rigid, mass: 2, inertia: 0.1}}\n"
                 "joints: {rail: {type: prismatic, on: [ground, b], at: [0, 0],"
                 " axis: [\"cos(0.6)\", \"-sin(0.6)\"]}}\n"
                 "forces: {f: {type: force, on: rail, value: -0.3*abs(norm(rail.reaction))}}\n"
                 "equations:\n  first_order:\n    p: {at: 1, derivative: -2*p}\n"
                 "    q: {at: 0, derivative: norm(rail.reaction) - 3*p}\n"
                 "simulate: {until: 1, method: %s}\n"
                 "outputs: {every: 0.5, signals: [rail.displacement, p, q]}\n",
                 ways[k]);
        CHECK(case_run(text, NULL, &table, NULL, NULL));
        CHECK(case_table_value(&table, "rail.displacement", 1.0, &s) &&
              case_table_value(&table, "p", 1.0, &p) && case_table_value(&table, "q", 1.0, &q));
        CHECK_NEAR(s, 0.5 * a, 1e-7);
        CHECK_NEAR(p, exp(-2.0), 1e-7);
        CHECK_NEAR(q, N - 1.5 * (1.0 - exp(-2.0)), 1e-6);
        case_table_clear(&table);
    }
    return 0;
}

TEST_MAIN(TEST(states_beside_reactions_run), TEST(refused_for_every_method),
          TEST(refused_in_both_coordinates), TEST(index_is_that_of_the_equations),
          TEST(what_can_be_run_is_run), TEST(index_three_is_borne_or_refused),
          TEST(begins_from_rest))
