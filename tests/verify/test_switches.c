// Switches that meet: tables behind jumps, conditions on their border together, powers on held branches,
// pulses in time, and balls that come to rest, by every method.
#include "base/common.h"
#include "case_table.h"
#include "check.h"
#include "flexion/flexion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// All methods, with what they are off by at most, as a part of the result.
static const struct {
    const char *name;
    double tolerance;
    bool states; // moves first-order states
} methods[] = {
    {"radau", 1e-3, true},
    {"radau, step: 0.005", 1e-3, true},
    {"dopri5", 1e-3, true},
    {"dopri5, step: 0.002", 1e-3, true},
    {"rk4, step: 0.002", 1e-3, true},
    {"dop853", 1e-3, true},
    {"bdf", 1e-3, true},
    {"adams", 1e-3, true},
    {"implicit-euler, rtol: 1e-4", 1e-2, true},
    {"implicit-euler, step: 0.001", 1e-2, true},
    {"gauss", 1e-3, true},
    {"gauss, step: 0.005", 1e-3, true},
    {"lobatto, step: 0.005", 1e-3, true},
    {"midpoint, step: 0.002", 1e-3, true},
    {"trapezoidal, step: 0.002", 1e-3, true},
    {"generalized-alpha, rtol: 1e-4", 1e-3, true},
    {"generalized-alpha, step: 0.002", 1e-3, true},
    {"hht, step: 0.002", 1e-3, true},
    {"newmark, step: 0.002", 1e-3, true},
    {"euler, step: 0.0005", 1e-2, true},
    {"variational, step: 0.002", 1e-3, true},
    {"galerkin, step: 0.005", 1e-3, true},
    {"energy-momentum, step: 0.002", 1e-3, false},
};
enum { N_METHODS = sizeof methods / sizeof methods[0] };

static bool run_to(const char *model, double end, const char *method, const char *signal,
                   double *value)
{
    char text[4096];
    case_table t = {0};
    snprintf(text, sizeof text,
             "flexion: 1\n%ssimulate: {until: %.17g, method: %s}\n"
             "outputs: {times: [%.17g], signals: [\"%s\"]}\n",
             model, end, method, end, signal);
    bool good = case_run(text, NULL, &t, NULL, NULL) && t.rows > 0 && t.columns == 2;
    *value = good ? t.values[(size_t)(t.rows - 1) * 2 + 1] : (double)NAN;
    case_table_clear(&t);
    return good;
}

// Whether a run ends with a message that contains this.
static bool fails_with(const char *model, double end, const char *method, const char *part)
{
    char text[4096], said[4096];
    snprintf(text, sizeof text, "flexion: 1\n%ssimulate: {until: %.17g, method: %s}\n", model, end,
             method);
    bool ran = case_run_said(text, NULL, said, sizeof said);
    bool good = !ran && strstr(said, part) != NULL;
    if (!good) printf("%s: %s: %s\n", method, ran ? "ran" : "failed", said);
    return good;
}

// Each of the cases of a test is run by one in four of the methods in turn, so that the test has all of
// them; by all of them where FLX_LONG is set.
static bool has_turn(int method, size_t number)
{
    return getenv("FLX_LONG") || ((size_t)method + number) % 4 == 0;
}

// By the methods whose turn it is in case `number`; states: the model has first-order states.
static int check_all(size_t number, const char *model, double end, const char *signal, bool states,
                     double right)
{
    for (int i = 0; i < N_METHODS; i++) {
        double x;
        if (!has_turn(i, number)) continue;
        if (states && !methods[i].states) continue;
        CHECK(run_to(model, end, methods[i].name, signal, &x));
        if (!(fabs(x - right) <= methods[i].tolerance * fabs(right))) {
            printf("%s by %s: %.9g for %.9g\n", signal, methods[i].name, x, right);
        }
        CHECK_NEAR(x, right, methods[i].tolerance * fabs(right));
    }
    return 0;
}

// ---- tables ---------------------------------------------------------------------------------

// The integral of p over one period is 2.9, wherever it begins and whichever way it is gone through.
static int tables_behind_jumps_are_followed(void)
{
    static const struct {
        const char *y, *x;
    } all[] = {
        {"at: 0, derivative: 1 + 0*x", "p(mod(y, 1))"},
        {"at: 5, derivative: -1 + 0*x", "p(mod(y, 1))"},
        {"at: 0.3, derivative: 1 + 0*x", "p(y - floor(y))"},
        {"at: 0, derivative: 1 + 0*x", "p(ceil(y) - y)"},
        {"at: 0, derivative: 1 + 0*x", "p(mod(t, 1))"},
        {"at: -2.5, derivative: 1 + 0*x", "p(2*abs(mod(y, 1) - 0.5))"},
        {"at: 4, derivative: -1 + 0*x", "p(1 - abs(2*mod(y, 1) - 1))"},
        {"at: 0, derivative: 1 + 0*x", "min(p(mod(y, 1)), 30) + 0*max(mod(y, 1), 0)"},
        {"at: 0, derivative: 1 + 0*x", "if(mod(y, 1) > 0, p(mod(y, 1)), 20)"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char model[1024];
        snprintf(model, sizeof model,
                 "functions: {p: {points: [[0, 20], [0.1, 1], [0.9, 1], [1, 20]]}}\n"
                 "equations: {first_order: {y: {%s}, x: {at: 0, derivative: \"%s\"}}}\n",
                 all[i].y, all[i].x);
        printf("  %s, y {%s}\n", all[i].x, all[i].y);
        CHECK(check_all(i, model, 5.0, "x", true, 14.5) == 0);
    }
    return 0;
}

// ---- several on their border ----------------------------------------------------------------

static const char point[] = "%s"
                            "dimension: 2\n"
                            "gravity: [0, -9.81]\n"
                            "bodies: {b: {type: %s, mass: 1, position: [0, %g]}}\n"
                            "signals: {gap: b.position.y, v: b.velocity.y}\n"
                            "forces: {c: {type: force, on: b, value: [0, \"%s\"]}}\n";

// One-sided dampers and springs at rest where all their conditions have their border, or falling onto
// it; the order of arguments and the way a condition is written do not matter.
static int several_switches_meet(void)
{
    static const char *const laws[] = {
        "if(gap < 0, max(0, -2e4*gap - 80*v), 0)",
        "if(gap < 0, max(-2e4*gap - 80*v, 0), 0)",
        "if(gap >= 0, 0, max(0, -2e4*gap - 80*v))",
        "if(not (gap < 0), 0, max(0, -2e4*gap - 80*v))",
        "max(0, if(gap < 0, -2e4*gap - 80*v, 0))",
        "2e4*max(0, -gap) - if(gap < 0, 80*v, 0)",
        "2e4*max(-gap, 0) - 80*v*(gap < 0)",
        "-2e4*min(0, gap) - if(gap > 0, 0, 80*v)",
        "1e4*(abs(gap) - gap) - if(gap < 0, 80*v, 0)",
    };
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
        for (int k = 0; k < 2; k++) {
            char model[1024];
            snprintf(model, sizeof model, point, "", "point", k == 0 ? 0.0 : 0.01, laws[i]);
            printf("  %s\n", laws[i]);
            CHECK(check_all(i + (size_t)k, model, 0.5, "b.position.y", false, -9.81 / 2e4) == 0);
        }
    }
    return 0;
}

// ---- held branches --------------------------------------------------------------------------

// Hertz's contact with damping comes to rest where it carries the weight; release after release the
// branch is held beyond its border.
static int powers_of_held_branches_have_values(void)
{
    static const struct {
        const char *law;
        double rest;
    } all[] = {
        {"1e6*max(0, -gap)^1.5 - 40*v", 1.5},
        {"1e6*max(-gap, 0)^1.5 - 40*v", 1.5},
        {"if(gap < 0, 1e6*(-gap)^1.5, 0) - 40*v", 1.5},
        {"1e6*(-min(gap, 0))^1.5 - 40*v", 1.5},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char model[1024];
        snprintf(model, sizeof model, point, "", "point", 0.01, all[i].law);
        printf("  %s\n", all[i].law);
        CHECK(check_all(i, model, 1.0, "b.position.y", false, -pow(9.81e-6, 1 / all[i].rest)) == 0);
    }
    return 0;
}

// Without damping it bounces, and methods with error control agree.
static int methods_agree_on_a_bouncing_sphere(void)
{
    static const char *const laws[] = {"1e8*max(0, -gap)^1.5", "if(gap < 0, 1e8*(-gap)^1.5, 0)",
                                       "if(gap < 0, 1e8*(-gap)^1.5*max(0, 1 - 0.3*v), 0)",
                                       "3e3*max(0, -gap)^0.5 + 1e-3*max(0, -gap)^0.25"};
    static const char *const tight[] = {"radau, rtol: 1e-9", "dopri5, rtol: 1e-9",
                                        "dop853, rtol: 1e-9", "gauss, rtol: 1e-9",
                                        "generalized-alpha, rtol: 1e-7"};
    for (int i = 0; i < 4; i++) {
        char model[1024];
        double first = 0.0, y;
        snprintf(model, sizeof model, point, "", "point", 0.01, laws[i]);
        for (int k = 0; k < 5; k++) {
            CHECK(run_to(model, 0.3, tight[k], "b.position.y", &y));
            if (k == 0) first = y;
            printf("  %s by %s: %.9g\n", laws[i], tight[k], y);
            CHECK_NEAR(y, first, 2e-5);
        }
    }
    return 0;
}

// A value that the law itself has not is an error still.
static int what_has_no_value_is_an_error(void)
{
    static const char *const laws[] = {"if(t > 0.1, (gap - 1)^1.5, 0)",
                                       "sqrt(gap - 1)*max(0, 1 + gap)", "max(0, -gap)*log(gap - 1)",
                                       "if(gap < 0.5, sqrt(gap), 1)"};
    for (int i = 0; i < 4; i++) {
        char model[1024];
        snprintf(model, sizeof model, point, "", "point", 0.9, laws[i]);
        CHECK(fails_with(model, 1.0, "dopri5", "not finite") ||
              fails_with(model, 1.0, "dopri5", "not a number"));
    }
    return 0;
}

static const char beam[] =
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  b: {type: beam, formulation: geometrically-exact, from: [0, 0], to: [1, 0], elements: 30,\n"
    "    section: {width: 0.02, height: 0.01}, material: {E: 2.1e11, density: 7850},\n"
    "    damping: {rayleigh: [0, 1e-5]}}\n"
    "joints: {A: {type: fixed, on: [ground, b], at: b.start}}\n"
    "signals: {D: -0.002 - b.end.position.y}\n"
    "forces: {c: {type: force, on: b, at: b.end, value: [0, \"1e7*max(0, D)^1.5\"]}}\n";

static int beam_knocks_at_a_stop(void)
{
    double a, b;
    CHECK(run_to(beam, 0.05, "radau", "b.end.position.y", &a));
    CHECK(run_to(beam, 0.05, "generalized-alpha", "b.end.position.y", &b));
    printf("  %.9g %.9g\n", a, b);
    CHECK_NEAR(a, b, 2e-5);
    return 0;
}

// ---- short pulses ---------------------------------------------------------------------------

static int pulses_are_not_stepped_over(void)
{
    static const struct {
        const char *condition;
        double length;
    } all[] = {{"(t - 0.5)^2 < 2.5e-5", 0.01},           {"(y - 0.5)^2 < 2.5e-5", 0.01},
               {"abs(t - 0.5) < 0.005", 0.01},           {"t*(1 - t) > 0.249975", 0.01},
               {"y*(1 - y) > 0.249975", 0.01},           {"cos(6*(t - 0.5)) > cos(0.03)", 0.01},
               {"(t - 0.3)^2*(t - 0.7)^2 < 4e-8", 0.002}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char model[512];
        snprintf(model, sizeof model,
                 "equations: {first_order: {y: {at: 0, derivative: 1 + 0*x}},\n"
                 "  second_order: {x: {at: 0, force: \"if(%s, 1, 0)\"}}}\n",
                 all[i].condition);
        printf("  %s\n", all[i].condition);
        CHECK(check_all(i, model, 1.0, "x'", true, all[i].length) == 0);
    }
    return 0;
}

// ---- balls that come to rest ----------------------------------------------------------------

// A ball does not fall through the floor: it bounces until its bounces have no end.
static int ball_stays_above_the_floor(void)
{
    static const char *const when[] = {"ball.position.y < 0", "0 > ball.position.y",
                                       "not (ball.position.y >= 0)"};
    for (int i = 0; i < N_METHODS; i++) {
        char model[512];
        if (strncmp(methods[i].name, "euler", 5) == 0) continue; // gains what a bounce takes
        for (int k = 0; k < 9; k++) {
            if (!has_turn(i, (size_t)k)) continue;
            snprintf(model, sizeof model,
                     "dimension: 2\n"
                     "gravity: [0, -9.81]\n"
                     "bodies: {ball: {type: point, mass: 1, position: [0, 1]}}\n"
                     "events: {bounce: {when: %s, set: {ball.velocity.y: -%g*ball.velocity.y}}}\n",
                     when[k % 3],
                     k / 3 == 0   ? 0.5
                     : k / 3 == 1 ? 0.2
                                  : 0.05);
            CHECK(fails_with(model, 4.0, methods[i].name, "happens at ever shorter intervals"));
        }
    }
    return 0;
}

// A belted occupant begins with both belts and the seat on the borders of their laws. In turned axes rounding moves what
// they read over the border and back: the run stopped, or steps of 1e-23 s gave bodies velocities of 8 m/s.
static int turned_copies_begin_on_their_borders(void)
{
    static const char *const places[] = {"0.3, -1.7", "0, 0", "0.1, 0.2", "5, 3"};
    static const char *const by[] = {"radau, rtol: 1e-6, atol: 1e-8",
                                     "radau, rtol: 1e-9, atol: 1e-11"};
    double right = 0.0;
    for (int i = -1; i < 8; i++) {
        double turn = i < 0 ? 0.0 : 0.7, angle;
        char model[1024];
        snprintf(model, sizeof model,
                 "dimension: 2\ngravity: [%.17g, %.17g]\nparts:\n"
                 "  z: {model: %s/belt_sled.yaml, position: [%s], orientation: %.17g}\n",
                 9.81 * sin(turn), -9.81 * cos(turn), FLX_EXAMPLES, places[i < 0 ? 1 : i / 2],
                 turn);
        CHECK(run_to(model, 0.16, by[i < 0 ? 1 : i % 2], "z.head.angle", &angle));
        if (i < 0) right = angle;
        CHECK_NEAR(angle - turn, right, i >= 0 && i % 2 == 0 ? 1e-7 : 1e-9);
    }
    return 0;
}

TEST_MAIN(TEST(tables_behind_jumps_are_followed), TEST(several_switches_meet),
          TEST(powers_of_held_branches_have_values), TEST(methods_agree_on_a_bouncing_sphere),
          TEST(what_has_no_value_is_an_error), TEST(beam_knocks_at_a_stop),
          TEST(pulses_are_not_stepped_over), TEST(ball_stays_above_the_floor),
          TEST(turned_copies_begin_on_their_borders))
