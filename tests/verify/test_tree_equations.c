// test_tree_equations.c - joint coordinates beside equations of all orders, and joints whose forces are read: the
// same motion as in coordinates of bodies, by an explicit and an implicit method.
#include "case_table.h"
#include "check.h"
#include "model_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const methods[] = {"dopri5", "radau"}, *const forms[] = {"index-1", "index-3"};

// Sanitizers take their time.
static double end_of_runs(void)
{
    return short_runs() ? 0.125 : 1.0;
}

static bool run(const char *text, const char *method, const char *form, const char *signals,
                case_table *table)
{
    char model[4096];
    snprintf(model, sizeof model,
             "%ssimulate: {until: %g, method: %s, rtol: 1e-10, atol: 1e-12, formulation: %s}\n"
             "outputs: {every: %g, signals: [%s]}\n",
             text, end_of_runs(), method, form, 0.5 * end_of_runs(), signals);
    return case_run(model, NULL, table, NULL, NULL);
}

// All signals, which are numbers and separated by commas.
static int agrees(const char *text, const char *signals, double tolerance)
{
    for (int k = 0; k < 2; k++) {
        case_table tree = {0}, bodies = {0};
        char list[200], *name;
        CHECK(run(text, methods[k], "tree", signals, &tree));
        CHECK(run(text, methods[k], forms[k], signals, &bodies));
        snprintf(list, sizeof list, "%s", signals);
        for (name = strtok(list, ", "); name; name = strtok(NULL, ", ")) {
            double a = 0.0, b = 1.0;
            for (int i = 0; i < 3; i++) {
                CHECK(case_table_value(&tree, name, 0.5 * i * end_of_runs(), &a));
                CHECK(case_table_value(&bodies, name, 0.5 * i * end_of_runs(), &b));
                CHECK_NEAR(a, b, tolerance * (1.0 + fabs(b)));
            }
        }
        case_table_clear(&tree);
        case_table_clear(&bodies);
    }
    return 0;
}

#define ARM                                                                                        \
    "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"                                                \
    "  a: {type: rigid, mass: 2, inertia: [0.1, 0.2, 0.2], position: [0.4, 0, 0]}\n"               \
    "  b: {type: rigid, mass: 1, inertia: [0.02, 0.05, 0.05], position: [1.2, 0, 0],\n"            \
    "      com: [0.1, 0.05, 0]}\n"

static const char arm[] =
    ARM "joints:\n"
        "  A: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  B: {type: universal, on: [a, b], at: [0.8, 0, 0], axes: [[0, 1, 0], [0, 0, 1]]}\n";

// A mass matrix that moves, an algebraic equation, all of them with the arm.
static int an_arm_with_equations_of_all_kinds(void)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s", arm,
             "forces: {drive: {type: torque, on: A, value: u}}\n"
             "equations:\n"
             "  second_order:\n"
             "    s: {at: 0.1, rate: 0.2, mass: 2 + cos(g), force: -5*s - 0.3*s' + z + A.angle}\n"
             "    g: {at: -0.3, rate: 0, mass: 1.5, force: -7*g + sin(2*t) + u}\n"
             "  first_order:\n"
             "    z: {at: 0.1, mass: 2, derivative: s - z + g' + A.rate}\n"
             "    u: {at: 0.2, mass: 0, derivative: u + 0.2*u^3 - 3*s*g + A.angle}\n"
             "  coupling: [[s, g, 0.4*sin(s)]]\n");
    return agrees(text, "A.angle, A.rate, s, g, z, u", 1e-7);
}

// A variable tied to a joint by a constraint, whose multiplier an event and another equation read.
static int a_constraint_ties_a_variable_to_a_joint(void)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s", arm,
             "equations:\n"
             "  second_order:\n"
             "    s: {at: 0, rate: 0, mass: 3, force: -8*s}\n"
             "    p: {at: 0.2, rate: 0, mass: 1, force: -40*p}\n"
             "  first_order: {m: {at: 0, derivative: gear.multiplier - m}}\n"
             "  constraints: {gear: s - 0.5*A.angle}\n"
             "events: {kick: {when: t > 0.3, set: {p: 0.1, p': 1}}}\n");
    return agrees(text, "A.angle, s, p, m", 1e-7);
}

// Friction follows the load of its joint, in a joint that carries others and in one that is carried.
static int friction_in_some_joints(void)
{
    static const char first[] =
        ARM "joints:\n"
            "  A: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 1, 0],\n"
            "      friction: {coefficient: 0.3, radius: 0.05, velocity: 0.5}}\n"
            "  B: {type: revolute, on: [a, b], at: [0.8, 0, 0], axis: [0, 1, 0]}\n";
    static const char second[] =
        ARM "joints:\n"
            "  A: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
            "  B: {type: revolute, on: [a, b], at: [0.8, 0, 0], axis: [0, 1, 0],\n"
            "      friction: {coefficient: 0.3, radius: 0.05, velocity: 0.5}}\n";
    CHECK(agrees(first, "A.angle, B.angle", 1e-7) == 0);
    return agrees(second, "A.angle, B.angle", 1e-7);
}

// A force that reads the force of a joint, and a switch. From t = 0.7826 on the reaction would undo its own
// switch, so that no motion exists: the torque ends before.
static int forces_of_joints_are_read(void)
{
    char text[2048];
    snprintf(
        text, sizeof text, "%s%s", arm,
        "forces:\n"
        "  brake: {type: torque, on: A, value: -0.02*A.rate*abs(B.reaction.x)}\n"
        "  help: {type: torque, on: A, value: 'if(B.reaction.z > 9.5 and t < 0.7, 1, 0.5)'}\n");
    return agrees(text, "A.angle, A.rate", 1e-6);
}

// ... by fixed steps as well: the multipliers that such methods carry are rounding after the short steps to a
// switch, and let it change back and forth.
static int switches_see_the_reactions_of_the_equations(void)
{
    static const char *const all[] = {"dopri5, formulation: index-1, rtol: 1e-9",
                                      "generalized-alpha, formulation: index-3, step: 1e-3",
                                      "generalized-alpha, formulation: tree, step: 1e-3",
                                      "generalized-alpha, formulation: ggl, step: 1e-3",
                                      "hht, formulation: index-3, step: 1e-3",
                                      "radau, formulation: index-3, step: 1e-3"};
    double first = 0.0, angle = 0.0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char text[2048];
        case_table table = {0};
        snprintf(text, sizeof text,
                 "%sforces:\n"
                 "  brake: {type: torque, on: A, value: -0.02*A.rate*abs(B.reaction.x)}\n"
                 "  help: {type: torque, on: A,\n"
                 "         value: 'if(B.reaction.z > 9.5 and t < 0.7, 1, 0.5)'}\n"
                 "simulate: {until: 1, method: %s}\n"
                 "outputs: {every: 0.5, signals: [A.angle]}\n",
                 arm, all[i]);
        flx_ledger ledger = {0};
        CHECK(case_run_ledger(text, NULL, &table, &ledger));
        CHECK(ledger.allocations_in_loop == 0);
        CHECK(case_table_value(&table, "A.angle", 1.0, &angle));
        printf("  %s: %.9f\n", all[i], angle);
        if (i == 0) first = angle;
        CHECK_NEAR(angle, first, 1e-4);
        case_table_clear(&table);
    }
    return 0;
}

// Where the torque that a reaction switches off raises this reaction again, neither branch is what its
// own condition says: that is refused where it begins, whatever the coordinates, as multipliers of very
// short steps are rounding and must not hide it.
static int a_switch_that_its_own_force_undoes_is_refused(void)
{
    static const char *const all[] = {"dopri5, formulation: tree",   "dopri5, formulation: index-1",
                                      "radau, formulation: tree",    "radau, formulation: ggl",
                                      "radau, formulation: index-3", "bdf, formulation: ggl"};
    double first = 0.0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char text[2048], said[1024];
        snprintf(text, sizeof text,
                 "%sforces:\n"
                 "  brake: {type: torque, on: A, value: -0.02*A.rate*abs(B.reaction.x)}\n"
                 "  help: {type: torque, on: A, value: 'if(B.reaction.z > 9.3, 1, 0.5)'}\n"
                 "simulate: {until: 1, rtol: 1e-10, atol: 1e-12, method: %s}\n",
                 arm, all[i]);
        bool ran = case_run_said(text, NULL, said, sizeof said);
        const char *at = strstr(said, "'help' changes back and forth at t = ");
        printf("  %s: %s\n", all[i], ran ? "ran" : said);
        CHECK(!ran && at);
        double t = strtod(strstr(at, "t = ") + 4, NULL);
        if (i == 0) first = t;
        CHECK_NEAR(t, first, 1e-7);
    }
    return 0;
}

// Long enough that the Newton matrix is taken apart link by link.
static int a_long_chain_with_a_controller(void)
{
    return agrees(model_text("long_chain_with_controller"), "A.angle, s, w, p", 1e-6);
}

// A state that begins at zero and reads a multiplier asks for no first step so short that nothing but
// rounding is left of the multiplier.
static int a_state_begins_at_zero(void)
{
    static const char text[] =
        "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  a: {type: rigid, mass: 2, inertia: [0.01, 0.2, 0.2], position: [0.4, 0, 0]}\n"
        "  b: {type: rigid, mass: 1, inertia: [0.01, 0.1, 0.1], position: [1.1, 0, 0]}\njoints:\n"
        "  A: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0.1, 1, 0.2]}\n"
        "  B: {type: universal, on: [a, b], at: [0.8, 0, 0], axes: [[0, 1, 0], [0, 0, 1]]}\n"
        "equations:\n"
        "  second_order: {s: {mass: 3, force: -8*s}}\n"
        "  first_order: {m: {derivative: gear.multiplier - m}}\n"
        "  constraints: {gear: s - 0.5*A.angle}\n";
    case_table found[2] = {{0}};
    static const char *const tried[] = {"ggl", "tree"};
    for (int i = 0; i < 2; i++) CHECK(run(text, "radau", tried[i], "A.angle, m", &found[i]));
    for (int k = 0; k < 2; k++) {
        double a = 0, b = 0;
        CHECK(case_table_value(&found[0], k ? "m" : "A.angle", end_of_runs(), &a));
        CHECK(case_table_value(&found[1], k ? "m" : "A.angle", end_of_runs(), &b));
        CHECK_NEAR(a, b, 1e-8);
    }
    for (int i = 0; i < 2; i++) case_table_clear(&found[i]);
    return 0;
}

TEST_MAIN(TEST(an_arm_with_equations_of_all_kinds), TEST(a_constraint_ties_a_variable_to_a_joint),
          TEST(friction_in_some_joints), TEST(forces_of_joints_are_read),
          SLOW_TEST(switches_see_the_reactions_of_the_equations),
          SLOW_TEST(a_switch_that_its_own_force_undoes_is_refused),
          SLOW_TEST(a_long_chain_with_a_controller), TEST(a_state_begins_at_zero))
