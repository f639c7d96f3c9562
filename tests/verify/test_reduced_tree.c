// Reductions in joint coordinates: the same double pendulum as a tree of bodies and as equations in the
// same two angles moves alike, whatever is reduced and by whom.
#include "case_table.h"
#include "check.h"

#include <math.h>
#include <string.h>

// reduce, method.
static const char as_tree[] =
    "flexion: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, com: [0.5, 0], inertia: 0.1}\n"
    "  b: {type: rigid, mass: 0.01, com: [0.05, 0], inertia: 1e-5, position: [1, 0]}\n"
    "joints:\n"
    "  A: {type: revolute, on: [ground, a], at: [0, 0]}\n"
    "  B: {type: revolute, on: [a, b], at: [1, 0]}\n"
    "forces:\n"
    "  s: {type: spring, on: B, stiffness: 2, damping: 0.05}\n"
    "reduce: %s\n"
    "simulate: {until: 2, formulation: tree, method: %s}\n"
    "outputs: {every: 0.1, signals: [%s]}\n";

static const char as_equations[] =
    "flexion: 1\n"
    "parameters: {m: 0.01, I: 1e-5, c: 0.05, g: 9.81}\n"
    "equations:\n"
    "  second_order:\n"
    "    A: {at: 0, mass: 0.35 + m*(1 + c^2 + 2*c*cos(B)) + I, force: \"m*c*sin(B)*(2*A'*B' + "
    "B'^2) - g*(0.5*cos(A) + m*(cos(A) + c*cos(A + B)))\"}\n"
    "    B: {at: 0, mass: m*c^2 + I, force: \"-m*c*sin(B)*A'^2 - 2*B - 0.05*B' - "
    "g*m*c*cos(A + B)\"}\n"
    "  coupling:\n"
    "    - [A, B, m*(c^2 + c*cos(B)) + I]\n"
    "reduce: %s\n"
    "simulate: {until: 2, method: radau, rtol: 1e-11, atol: 1e-13}\n"
    "outputs: {every: 0.1, signals: [A, B, B']}\n";

static int moves_alike(const char *reduce, const char *of_equations, const char *method,
                       double within)
{
    static const char *const names[][2] = {{"A.angle", "A"}, {"B.angle", "B"}, {"B.rate", "B'"}};
    char text[2000];
    case_table tree = {0}, equations = {0};
    double largest = 0.0;
    snprintf(text, sizeof text, as_tree, reduce, method, "A.angle, B.angle, B.rate");
    CHECK(case_run(text, NULL, &tree, NULL, NULL));
    snprintf(text, sizeof text, as_equations, of_equations);
    CHECK(case_run(text, NULL, &equations, NULL, NULL));
    for (int i = 0; i < tree.rows; i++) {
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            double t = tree.values[i * tree.columns], x, y;
            CHECK(case_table_value(&tree, names[k][0], t, &x) &&
                  case_table_value(&equations, names[k][1], t, &y));
            largest = fmax(largest, fabs(x - y));
        }
    }
    printf("%s, %s: %.1e\n", reduce, method, largest);
    CHECK(largest <= within);
    case_table_clear(&tree);
    case_table_clear(&equations);
    return 0;
}

static int joint_coordinates_are_reduced(void)
{
    static const char tight[] = "radau, rtol: 1e-10, atol: 1e-12";
    static const char B[] = "{type: quasistatic, neglect_inertia: [B]}";
    CHECK(moves_alike(B, B, tight, 1e-9) == 0);
    CHECK(moves_alike("{type: quasistatic, neglect_inertia: [b]}", B, tight, 1e-9) == 0);
    CHECK(moves_alike("{type: quasistatic, neglect_inertia: auto}", B, tight, 1e-9) == 0);
    CHECK(moves_alike(B, B, "dopri5, rtol: 1e-9, atol: 1e-11", 1e-7) == 0);
    CHECK(moves_alike(B, B, "bdf, rtol: 1e-8, atol: 1e-10", 1e-5) == 0);
    static const char factor[] = "{type: cutoff, factor: 4, raise_inertia: [B]}";
    CHECK(moves_alike(factor, factor, tight, 1e-9) == 0);
    static const char guyan[] = "{type: guyan, condense: [B]}";
    CHECK(moves_alike(guyan, guyan, tight, 1e-9) == 0);
    return 0;
}

// Momenta of what is left: variational methods on the reduced system, of the tree and of equations.
static int reduced_systems_have_momenta(void)
{
    static const char galerkin[] = "galerkin, degree: 4, step: 0.01";
    static const char guyan[] = "{type: guyan, condense: [B]}";
    CHECK(moves_alike(guyan, guyan, galerkin, 1e-9) == 0);
    static const char cutoff[] = "{type: cutoff, raise_inertia: [B], frequency: 12}";
    CHECK(moves_alike(cutoff, cutoff, galerkin, 1e-9) == 0);
    CHECK(moves_alike(cutoff, cutoff, "variational, step: 0.0005", 1e-4) == 0);
    return 0;
}

static int refusals_say_what_the_tree_lacks(void)
{
    char text[2000], said[900];
    snprintf(text, sizeof text, as_tree, "{type: mass-lumping, neglect_inertia: [b]}", "radau",
             "A.angle");
    CHECK(!case_run_said(text, NULL, said, sizeof said));
    CHECK_TEXT(said, "masses are moved to bodies, and joint coordinates have none");
    snprintf(text, sizeof text, as_tree, "{type: quasistatic, neglect_inertia: [B]}", "radau",
             "A.reaction");
    CHECK(!case_run_said(text, NULL, said, sizeof said));
    CHECK_TEXT(said,
               "forces of joints are not known in joint coordinates where inertia is changed");
    snprintf(text, sizeof text, as_tree, "{type: quasistatic, neglect_inertia: [B]}",
             "variational, step: 0.01", "A.angle");
    CHECK(!case_run_said(text, NULL, said, sizeof said));
    CHECK_TEXT(said, "needs the momenta of the system; 'quasistatic' does not give them");
    return 0;
}

TEST_MAIN(TEST(joint_coordinates_are_reduced), SLOW_TEST(reduced_systems_have_momenta),
          TEST(refusals_say_what_the_tree_lacks))
