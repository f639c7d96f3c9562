// test_judge.c - what the ledger holds a run to: velocities where the form closes them, the tolerance, the error of
// single steps; and scales that do not come from rounding.
#include "case_table.h"
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"

#include <stdlib.h>

// ---- joints at common centres of mass -----------------------------------------------------------

// Two bodies at one place, a joint there and off by `e`, a third body to keep it from being the size of everything.
static const char pair[] =
    "flexion: 1\nbodies:\n"
    "  a: {type: rigid, mass: 0.6, inertia: [0.05, 0.07, 0.06], points: {q: [0.4, 0, 0.1]}, "
    "angular_velocity: [0.3, 0.2, 1]}\n"
    "  b: {type: rigid, mass: 0.5, inertia: [0.04, 0.03, 0.05], angular_velocity: [0.3, 0.2, 1]}\n"
    "joints:\n  j: {on: [a, b], at: [%s, 0, 0], %s}\n"
    "forces:\n  f: {type: actuator, on: [ground, a], at: [[0, 1, 0.2], a.q], value: 1}\n"
    "simulate: {until: 0.5, %s}\n"
    "outputs: {every: 0.5, signals: [a.angular_velocity, b.angular_velocity, a.position]}\n";

static const char *const joints[] = {"type: fixed",
                                     "type: revolute, axis: [0, 0.6, 0.8]",
                                     "type: spherical",
                                     "type: universal, axes: [[1, 0, 0], [0, 1, 0]]",
                                     "type: cylindrical, axis: [0.6, 0, 0.8]",
                                     "type: prismatic, axis: [0, 0, 1]"};
static const char *const offsets[] = {"0", "1e-17", "-3e-17", "1e-12", "1e-9"};
static const char *const implicit[] = {"method: radau, formulation: ggl, rtol: 1e-7",
                                       "method: implicit-euler, formulation: ggl, step: 1e-4",
                                       "method: lobatto, step: 2e-3", "method: bdf, rtol: 1e-7",
                                       "method: radau, formulation: tree, rtol: 1e-7"};

static int joints_at_centres(void)
{
    for (size_t k = 0; k < sizeof joints / sizeof joints[0]; k++) {
        char text[1400];
        case_table right = {0};
        snprintf(text, sizeof text, pair, "0", joints[k],
                 "method: dopri5, rtol: 1e-10, atol: 1e-12");
        CHECK(case_run(text, NULL, &right, NULL, NULL));
        for (size_t e = 0; e < sizeof offsets / sizeof offsets[0]; e++) {
            size_t m = (k + e) % (sizeof implicit / sizeof implicit[0]);
            for (size_t w = 0; w < 2; w++) { // by the first always
                const char *method = implicit[w ? m : 0];
                case_table found = {0};
                flx_ledger l = {0};
                snprintf(text, sizeof text, pair, offsets[e], joints[k], method);
                CHECK(case_run_ledger(text, NULL, &found, &l));
                double tolerance = strstr(method, "euler") ? 2e-3 : 2e-5;
                for (int i = 1; i < right.columns; i++) {
                    size_t at = (size_t)(right.rows - 1) * (size_t)right.columns + (size_t)i;
                    if (fabs(found.values[at] - right.values[at]) > tolerance)
                        printf("    %s, at %s, %s\n", joints[k], offsets[e], method);
                    CHECK_NEAR(found.values[at], right.values[at], tolerance);
                }
                case_table_clear(&found);
                CHECK(l.balanced && l.velocity_residual < 1e-6 && l.work.steps < 6000);
            }
        }
        case_table_clear(&right);
    }
    return 0;
}

static int gimbals_in_a_part(void)
{
    static const char model[] =
        "flexion: 1\nmodels:\n  gyro:\n    bodies:\n"
        "      outer: {type: rigid, mass: 1, inertia: [0.02, 0.01, 0.01], position: [0.3, 0.1, "
        "0.2]}\n"
        "      inner: {type: rigid, mass: 1, inertia: [0.01, 0.02, 0.01], position: [0.1+0.2, 0.1, "
        "0.2]}\n"
        "      rotor: {type: rigid, mass: 1, inertia: [0.01, 0.01, 0.02], position: [0.3, 0.1, "
        "0.3-0.1]}\n"
        "    joints:\n"
        "      A: {type: revolute, on: [ground, outer], at: [0.3, 0.1, 0.2], axis: [1, 0, 0]}\n"
        "      B: {type: revolute, on: [outer, inner], at: inner, axis: [0, 1, 0], initial: {rate: "
        "0.3}}\n"
        "      C: {type: revolute, on: [inner, rotor], at: rotor, axis: [0, 0, 1], initial: {rate: "
        "50}}\n"
        "parts: {g: {model: gyro, position: [0.1, 0.2, 0.3], orientation: {axis: [1, 2, 3], angle: "
        "0.7}}}\n"
        "simulate: {until: 1, method: radau, formulation: %s, rtol: 1e-6}\n"
        "outputs: {every: 1, signals: [g.A.angle, g.B.angle]}\n";
    static const char *const forms[] = {"ggl", "index-3"};
    for (int k = 0; k < 2; k++) {
        char text[1600];
        case_table table = {0};
        flx_ledger l = {0};
        double A = 0.0;
        snprintf(text, sizeof text, model, forms[k]);
        CHECK(case_run_ledger(text, NULL, &table, &l));
        CHECK(case_table_value(&table, "g.A.angle", 1.0, &A));
        case_table_clear(&table);
        printf("    %s: %ld steps\n", forms[k], l.work.steps);
        CHECK_NEAR(A, -0.016464, 1e-5);
        CHECK(l.work.steps < 1000);
    }
    return 0;
}

// ---- tolerances ---------------------------------------------------------------------------------

static const char far_away[] =
    "flexion: 1\ngravity: [0, 0, -9.81]\nparameters: {X: 2700}\nbodies:\n"
    "  a: {type: rigid, mass: 0.5, inertia: [0.04, 0.03, 0.03], position: [X + 0.3, -X, X]}\n"
    "  b: {type: rigid, mass: 0.8, inertia: [0.04, 0.03, 0.03], position: [X + 0.9, -X, X]}\n"
    "joints:\n  A: {type: revolute, on: [ground, a], at: [X, -X, X], axis: [0, 1, 0]}\n"
    "  B: {type: revolute, on: [a, b], at: [X + 0.6, -X, X], axis: [0, 1, 0], friction: "
    "{coefficient: "
    "0.2, velocity: 0.05, radius: 0.1}}\n"
    "simulate: {until: 0.3, method: radau, formulation: ggl, %s}\n"
    "outputs: {every: 0.3, signals: [A.angle]}\n";

static int tolerances_below_rounding_are_refused(void)
{
    char text[1400], said[1000];
    case_table near = {0}, far = {0};
    double a = 0.0, b = 1.0;
    snprintf(text, sizeof text, far_away, "rtol: 1e-10, atol: 1e-12");
    CHECK(!case_run_said(text, NULL, said, sizeof said));
    CHECK_TEXT(said, "is below what rounding allows");
    snprintf(text, sizeof text, far_away, "rtol: 1e-8, atol: 1e-10");
    CHECK(case_run(text, "X=1", &near, NULL, NULL));
    CHECK(case_run(text, NULL, &far, NULL, NULL));
    CHECK(case_table_value(&near, "A.angle", 0.3, &a) &&
          case_table_value(&far, "A.angle", 0.3, &b));
    CHECK_NEAR(a, b, 1e-6);
    case_table_clear(&near);
    case_table_clear(&far);
    return 0;
}

// ---- errors of steps ----------------------------------------------------------------------------

static int steps_far_too_large_are_told(void)
{
    static const char model[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
        "  a: {type: rigid, mass: 1, inertia: 0.01, position: [0.1, 0]}\n"
        "  b: {type: rigid, mass: 1, inertia: 0.01, position: [0.3, 0]}\n"
        "joints:\n  A: {type: revolute, on: [ground, a], at: [0, 0]}\n"
        "  B: {type: revolute, on: [a, b], at: [0.2, 0]}\n"
        "simulate: {until: 1, method: %s, step: %g}\noutputs: {every: 0.1, signals: [A.angle]}\n";
    static const char *const methods[] = {"generalized-alpha", "hht",
                                          "newmark",           "midpoint",
                                          "trapezoidal",       "energy-momentum",
                                          "variational",       "lobatto, stages: 2",
                                          "implicit-euler"};
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        for (int fine = 0; fine < 2; fine++) {
            char text[1000], said[2000];
            bool first = strstr(methods[k], "euler") != NULL;
            snprintf(text, sizeof text, model, methods[k], fine ? (first ? 1e-4 : 1e-3) : 0.05);
            CHECK(case_run_said(text, NULL, said, sizeof said));
            bool told = strstr(said, "the error of a step is") != NULL;
            if (told == (fine != 0))
                printf("    %s, %s step: %s\n", methods[k], fine ? "fine" : "long", said);
            CHECK(told != (fine != 0));
        }
    }
    return 0;
}

static int errors_of_steps_are_those_of_the_method(void)
{
    static const char model[] = "flexion: 1\nequations: {second_order: {q: {at: 1, force: -q}}}\n"
                                "simulate: {until: 6, method: generalized-alpha, step: "
                                "%g}\noutputs: {every: 1, signals: [q]}\n";
    double last = 0.0;
    for (int k = 0; k < 3; k++) {
        char text[400];
        case_table table = {0};
        flx_ledger l = {0};
        snprintf(text, sizeof text, model, 0.1 / (1 << k));
        CHECK(case_run_ledger(text, NULL, &table, &l));
        case_table_clear(&table);
        printf("    step %g: %.2e\n", 0.1 / (1 << k), l.step_error);
        if (k > 0) CHECK_NEAR(log2(last / l.step_error), 2.0, 0.2); // h^3 of a move of h
        last = l.step_error;
    }
    return 0;
}

// ---- energies that are rounding -----------------------------------------------------------------

static int rest_is_no_failure(void)
{
    static const char model[] =
        "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  a: {type: rigid, mass: 1.3, inertia: [0.1, 0.2, 0.3], position: [0, 0, 0]}\n"
        "  b: {type: rigid, mass: 0.7, inertia: [0.01, 0.02, 0.03], position: [0.1, 0.2, 0]}\n"
        "joints:\n  A: {type: fixed, on: [ground, a], at: [0.3, 0.1, 0]}\n"
        "  B: {type: revolute, on: [a, b], at: [0.1, 0.2, 0.3], axis: [0.6, 0.8, 0]}\n"
        "forces:\n  s: {type: spring, on: B, stiffness: 40, damping: 1e-3}\n"
        "simulate: {until: 1, %s}\noutputs: {every: 0.1, signals: [B.angle, energy]}\n";
    static const char *const ways[] = {"method: radau",
                                       "method: dopri5",
                                       "method: bdf",
                                       "method: generalized-alpha, step: 0.01",
                                       "method: energy-momentum, step: 0.01",
                                       "method: radau, formulation: tree"};
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        char text[1000];
        case_table table = {0};
        flx_ledger l = {0};
        snprintf(text, sizeof text, model, ways[k]);
        CHECK(case_run_ledger(text, NULL, &table, &l));
        case_table_clear(&table);
        printf("    %s: drift %.1e\n", ways[k], l.energy_drift);
        CHECK(l.balanced);
    }
    return 0;
}

// ---- what happens within a step -----------------------------------------------------------------

static const char *const driven[] = {
    "equations: {first_order: {x: {at: 0, derivative: \"%s - 0*x\"}}}\n%soutputs: {every: 1, "
    "signals: [x]}\n",
    "equations: {second_order: {x: {at: 0, rate: 0, mass: 1, force: \"%s\"}}}\n%soutputs: {every: "
    "1, "
    "signals: [x']}\n",
    "dimension: 2\ngravity: [0, 0]\nbodies: {m: {type: rigid, mass: 1, inertia: 1}}\n"
    "joints: {s: {type: prismatic, on: [ground, m], at: [0, 0], axis: [1, 0]}}\n"
    "forces: {f: {type: force, on: m, value: [\"%s\", 0]}}\n%soutputs: {every: 1, signals: "
    "[m.x']}\n",
    "dimension: 2\ngravity: [0, 0]\nbodies: {m: {type: rigid, mass: 1, inertia: 1}}\n"
    "forces: {f: {type: force, on: m, value: [\"(1 + 0*m.x)*(%s)\", 0]}}\n%soutputs: {every: 1, "
    "signals: [m.x']}\n"};

// Pulses of 2 ms in 10 s, and what they add up to.
static const struct {
    const char *text;
    double sum;
} pulses[] = {{"100*exp(-((t - 3.05)/1e-3)^2)", 0.1772453850905516},
              {"100*exp(-((t - 3)/1e-3)^2)", 0.1772453850905516},
              {"100*exp(-((t - 3.0271)/1e-6)^2)", 1.772453850905516e-4},
              {"50*(tanh((t - 3.05)/1e-4) - tanh((t - 3.052)/1e-4))", 0.2},
              {"100/(1 + ((t - 3.05)/1e-3)^2)", 0.3141120899858},
              {"p(t)", 0.1},
              {"if((t - 3.05)^2 < 1e-6, 100, 0)", 0.2},
              {"if(exp(-((t - 3.05)/1e-3)^2) > 0.5, 100, 0)", 0.1665109222315395}};
#define SMOOTH 5 // the first ones: no step ends at them by itself

static int run_pulse(size_t model, size_t pulse, const char *method, double *last, flx_ledger *l)
{
    static const char table[] =
        "functions: {p: {points: [[0, 0], [3.05, 0], [3.051, 100], [3.052, 0], [10, 0]]}}\n";
    char text[1600], part[200];
    case_table t = {0};
    snprintf(part, sizeof part, "simulate: {until: 10, %s}\n", method);
    int n = snprintf(text, sizeof text, "flexion: 1\n%s", table);
    snprintf(text + n, sizeof text - (size_t)n, driven[model], pulses[pulse].text, part);
    *l = (flx_ledger){0};
    if (!case_run_ledger(text, NULL, &t, l)) return 0;
    *last = t.values[(size_t)t.rows * (size_t)t.columns - 1];
    case_table_clear(&t);
    return 1;
}

static int pulses_between_steps_are_followed(void)
{
    static const char *const ways[] = {"method: radau",
                                       "method: dopri5",
                                       "method: bdf",
                                       "method: adams",
                                       "method: generalized-alpha, rtol: 1e-5",
                                       "method: dop853, rtol: 1e-8",
                                       "method: gauss, rtol: 1e-6",
                                       "method: radau, rtol: 1e-3"};
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        for (size_t p = 0; p < sizeof pulses / sizeof pulses[0]; p++) {
            for (size_t m = 0; m < sizeof driven / sizeof driven[0]; m++) {
                double last, tolerance = 2e-3;
                if (m == 0 && strstr(ways[w], "generalized")) continue; // of first order there
                flx_ledger l;
                if (m == 2 && strstr(ways[w], "gauss")) continue;      // it holds no joints
                if (p == 2 && strstr(ways[w], "rtol: 1e-3")) continue; // below the tolerance
                CHECK(run_pulse(m, p, ways[w], &last, &l));
                if (fabs(last / pulses[p].sum - 1.0) > tolerance)
                    printf("    %s, model %zu: %s\n", ways[w], m, pulses[p].text);
                CHECK_NEAR(last, pulses[p].sum, tolerance * pulses[p].sum);
            }
        }
    }
    return 0;
}

static int pulses_that_given_steps_pass_over_are_told(void)
{
    static const char *const ways[] = {"method: generalized-alpha, step: 0.1",
                                       "method: newmark, step: 0.1",
                                       "method: radau, step: 0.1",
                                       "method: rk4, step: 0.1",
                                       "method: euler, step: 0.1",
                                       "method: dop853, step: 0.1",
                                       "method: variational, step: 0.1",
                                       "method: midpoint, step: 0.1"};
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        for (size_t p = 0; p < sizeof pulses / sizeof pulses[0]; p++) {
            for (size_t m = 0; m < sizeof driven / sizeof driven[0]; m++) {
                double last;
                flx_ledger l;
                if (m == 0 && strstr(ways[w], "variational")) continue; // it takes no states
                if (!run_pulse(m, p, ways[w], &last, &l)) continue;     // refused by name
                bool right = fabs(last / pulses[p].sum - 1.0)<2e-2, told = l.step_error> 0.01;
                if (right == told)
                    printf("    %s, model %zu: %s: %g\n", ways[w], m, pulses[p].text, last);
                CHECK(right != told);
                CHECK(p < SMOOTH || right);
            }
        }
    }
    return 0;
}

// A motion that begins with all derivatives zero is followed by steps that are short beside it; one that goes there and back
// between them is not.
static int motions_within_steps(void)
{
    static const char *const courses[] = {"(t/4)^6/(1 + (t/4)^6)", "0.2*exp(-((t - 3.05)/1e-2)^2)"};
    for (int k = 0; k < 2; k++) {
        char text[700];
        case_table t = {0};
        flx_ledger l = {0};
        snprintf(
            text, sizeof text,
            "flexion: 1\ndimension: 2\ngravity: [0, 0]\nbodies: {a: {type: rigid, mass: 1, "
            "inertia: "
            "1, com: [0.5, 0]}}\njoints: {d: {type: revolute, on: [ground, a], at: [0, 0], motion: "
            "{angle: \"%s\"}}}\nsimulate: {until: 10, method: generalized-alpha, step: 0.05}\n"
            "outputs: {every: 1, signals: [d.angle]}\n",
            courses[k]);
        CHECK(case_run_ledger(text, NULL, &t, &l));
        case_table_clear(&t);
        printf("    %s: %.1e\n", courses[k], l.step_error);
        CHECK((l.step_error > 0.01) == (k > 0));
    }
    return 0;
}

// Conditions of time that are true for microseconds, once and 48 times in a row: each of them counts.
static int short_conditions_are_met(void)
{
    static const char *const ways[] = {"method: radau",
                                       "method: dopri5",
                                       "method: bdf",
                                       "method: generalized-alpha, step: 0.1",
                                       "method: rk4, step: 0.07",
                                       "method: variational, step: 0.1",
                                       "method: gauss, rtol: 1e-6"};
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        char text[1000];
        case_table t = {0};
        snprintf(
            text, sizeof text,
            "flexion: 1\nequations: {second_order: {x: {at: 0, rate: 0, mass: 1, force: 0*x}}}\n"
            "events:\n  a: {when: \"(t - 3.1234)^2 < 1e-10\", set: {\"x'\": \"x' + 1\"}}\n"
            "  b: {when: \"exp(-((t - 5.5)/1e-6)^2) > 0.3\", set: {\"x'\": \"x' + 100\"}}\n"
            "  c: {when: \"sin(300*t) > 0.9999999 and t > 9\", set: {\"x'\": \"x' + 10000\"}}\n"
            "simulate: {until: 10, %s}\noutputs: {every: 10, signals: [x']}\n",
            ways[w]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        double last = t.values[(size_t)t.rows * (size_t)t.columns - 1];
        case_table_clear(&t);
        if (fabs(last - 480101.0) > 1e-6) printf("    %s: %g\n", ways[w], last);
        CHECK_NEAR(last, 480101.0, 1e-6);
    }
    return 0;
}

// A force that is followed is none that is passed over; one whose periods are the steps is.
static int periods_of_steps(void)
{
    static const struct {
        const char *text, *method;
        bool told;
    } cases[] = {{"sin(t)", "method: generalized-alpha, step: 0.1", false},
                 {"sin(2*t)*exp(-t/3)", "method: rk4, step: 0.1", false},
                 {"1 + 1e-9*sin(2*pi*10*t)", "method: newmark, step: 0.1", false},
                 {"sin(2*pi*10*t)", "method: generalized-alpha, step: 0.1", true},
                 {"sin(2*pi*10*t)", "method: rk4, step: 0.1", true}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        for (size_t m = 0; m < sizeof driven / sizeof driven[0]; m++) {
            char text[1400], part[200];
            case_table t = {0};
            flx_ledger l = {0};
            snprintf(part, sizeof part, "simulate: {until: 10, %s}\n", cases[k].method);
            int n = snprintf(text, sizeof text, "flexion: 1\n");
            snprintf(text + n, sizeof text - (size_t)n, driven[m], cases[k].text, part);
            CHECK(case_run_ledger(text, NULL, &t, &l));
            case_table_clear(&t);
            if ((l.step_error > 0.01) != cases[k].told)
                printf("    %s, %s, model %zu: %.1e\n", cases[k].text, cases[k].method, m,
                       l.step_error);
            CHECK((l.step_error > 0.01) == cases[k].told);
        }
    }
    return 0;
}

TEST_MAIN(SLOW_TEST(joints_at_centres), TEST(gimbals_in_a_part),
          TEST(tolerances_below_rounding_are_refused), TEST(steps_far_too_large_are_told),
          TEST(errors_of_steps_are_those_of_the_method), TEST(rest_is_no_failure),
          TEST(pulses_between_steps_are_followed), TEST(pulses_that_given_steps_pass_over_are_told),
          TEST(periods_of_steps), TEST(short_conditions_are_met), TEST(motions_within_steps))
