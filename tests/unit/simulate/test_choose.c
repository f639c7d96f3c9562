// test_choose.c - `method: auto` looks at the spectrum, says why, and never takes what cannot run.
#include "base/common.h"
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"

#include <stdlib.h>

typedef struct choice {
    char method[32], reason[300];
    flx_status created, run;
} choice;

static choice choose(const char *text)
{
    choice c = {.created = FLX_ERR_MEMORY, .run = FLX_ERR_MEMORY};
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    c.created = flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &model);
    if (c.created == FLX_OK) c.created = flx_simulation_create(model, &sim);
    if (c.created == FLX_OK) {
        const flx_result_info *info = flx_simulation_info(sim);
        snprintf(c.method, sizeof c.method, "%s", info->method);
        snprintf(c.reason, sizeof c.reason, "%s", info->reason ? info->reason : "");
        c.run = flx_simulation_run(sim, 0, NULL, NULL, NULL);
    } else {
        const flx_message *m = flx_ctx_error(ctx, 0);
        printf("  %s\n", m ? m->text : "?");
    }
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return c;
}

static int check_choice(const char *text, const char *method, const char *reason)
{
    choice c = choose(text);
    CHECK(c.created == FLX_OK);
    CHECK(strcmp(c.method, method) == 0 || (printf("  took %s\n", c.method), 0));
    CHECK_TEXT(c.reason, reason);
    CHECK(c.run == FLX_OK);
    return 0;
}

// An oscillator of 10 1/s: its time constant and its share of the run are told.
static int what_is_not_stiff_is_explicit(void)
{
    const char *tight = "flexion: 1\nequations: {second_order: {x: {at: 1, force: -100*x}}}\n"
                        "simulate: {until: 10, rtol: 1e-9}\n";
    const char *loose = "flexion: 1\nequations: {second_order: {x: {at: 1, force: -100*x}}}\n"
                        "simulate: {until: 10, rtol: 1e-4}\n";
    CHECK(check_choice(tight, "dop853", "not stiff: fastest time constant 0.1 s, 1/100") == 0);
    CHECK(check_choice(loose, "dopri5", "not stiff") == 0);
    return 0;
}

static int what_is_strongly_damped_is_radau(void)
{
    const char *second = "flexion: 1\nequations: {second_order: {x: {at: 1, force: -1e6*x - "
                         "1e6*x'}}}\nsimulate: {until: 10}\n";
    const char *first = "flexion: 1\nequations: {first_order: {x: {at: 1, derivative: "
                        "-1e5*(x - cos(t))}}}\nsimulate: {until: 10}\n";
    CHECK(check_choice(second, "radau", "strongly damped: fastest time constant 1e-06 s") == 0);
    CHECK(check_choice(first, "radau", "strongly damped: fastest time constant 1e-05 s") == 0);
    return 0;
}

// Two masses of 1 kg, a spring of 1e10 N/m between them and one of 1 N/m to the ground:
// sqrt(2e10) 1/s against sqrt(1/2) 1/s.
static int fast_over_slow_oscillation_is_radau(void)
{
    const char *text = "flexion: 1\nequations:\n  second_order:\n"
                       "    x: {at: 0, rate: 1, force: -1e10*(x - y)}\n"
                       "    y: {at: 0, rate: 1, force: 1e10*(x - y) - y}\n"
                       "simulate: {until: 1, rtol: 1e-3}\n";
    CHECK(check_choice(text, "radau", "stiff oscillation, 2e+05 times") == 0);
    CHECK(check_choice(text, "radau", "fastest time constant 7.07e-06 s") == 0);
    // 1e7 times: what is slow is not taken for what is free
    const char *far = "flexion: 1\nequations:\n  second_order:\n    x: {at: 1, force: -x}\n    y: "
                      "{force: -1e14*y + x}\nsimulate: {until: 10}\n";
    CHECK(check_choice(far, "radau", "1e+07 times faster than the slowest") == 0);
    return 0;
}

// A force that is zero at the start shows itself beside it.
static int what_is_hidden_at_the_start_is_seen(void)
{
    const char *text = "flexion: 1\nequations:\n  second_order:\n"
                       "    x: {at: 0, rate: 1, force: -x - 1e7*x^2*x'}\n"
                       "simulate: {until: 10, rtol: 1e-4}\n";
    CHECK(check_choice(text, "radau", "strongly damped") == 0);
    return 0;
}

static int constraints_and_algebra_are_radau(void)
{
    const char *bound = "flexion: 1\ngravity: [0, 0, -9.81]\n"
                        "bodies: {m: {type: point, mass: 1, position: [0.1, 0, -1]}}\n"
                        "joints: {rod: {type: distance, on: [ground, m], at: [[0, 0, 0], m]}}\n"
                        "simulate: {until: 1}\n";
    const char *algebraic = "flexion: 1\nequations: {first_order: {x: {at: 1, derivative: -w}, "
                            "w: {mass: 0, derivative: w - x}}}\nsimulate: {until: 1}\n";
    const char *massless = "flexion: 1\nequations: {second_order: {x: {at: 1, rate: -1, mass: 0, "
                           "force: -x - x'}}}\nsimulate: {until: 1}\n";
    CHECK(check_choice(bound, "radau", "1 constraint;") == 0);
    // a pendulum's rate on its constraint, sqrt(g/l) with l^2 = 1.01
    CHECK(check_choice(bound, "radau", "fastest time constant 0.32") == 0);
    CHECK(check_choice(algebraic, "radau", "1 algebraic equation;") == 0);
    CHECK(check_choice(massless, "radau", "without mass") == 0);
    return 0;
}

// The index-1 form is for explicit methods, stabilised constraints for radau.
static int formulations_decide_first(void)
{
    const char *pendulum = "flexion: 1\ngravity: [0, 0, -9.81]\n"
                           "bodies: {m: {type: point, mass: 1, position: [1, 0, 0]}}\n"
                           "joints: {rod: {type: distance, on: [ground, m], at: [[0, 0, 0], m]}}\n"
                           "simulate: {until: 1, formulation: %s}\n";
    char text[500];
    snprintf(text, sizeof text, pendulum, "index-1");
    CHECK(check_choice(text, "dop853", "index-1") == 0);
    snprintf(text, sizeof text, pendulum, "ggl");
    CHECK(check_choice(text, "radau", "ggl") == 0);
    snprintf(text, sizeof text, pendulum, "index-3");
    CHECK(check_choice(text, "radau", "1 constraint") == 0);
    return 0;
}

static int fixed_steps_conserve_or_damp(void)
{
    const char *free_one = "flexion: 1\nequations: {second_order: {x: {at: 1, force: -100*x%s}}}\n"
                           "simulate: {until: 10, step: 0.01}\n";
    const char *stiff = "flexion: 1\nequations: {second_order: {x: {at: 0, rate: 1, force: "
                        "-1e10*x}}}\nsimulate: {until: 1, step: 0.01}\n";
    const char *swinging = "flexion: 1\ngravity: [0, 0, -9.81]\n"
                           "bodies: {m: {type: point, mass: 1, position: [0.1, 0, -1]}}\n"
                           "joints: {rod: {type: distance, on: [ground, m], at: [[0, 0, 0], m]}}\n"
                           "simulate: {until: 30, step: 0.01}\n";
    char text[300];
    snprintf(text, sizeof text, free_one, "");
    CHECK(check_choice(text, "galerkin", "conservative, 15.9 periods") == 0);
    CHECK(check_choice(swinging, "galerkin", "conservative") == 0);
    const char *tree = "flexion: 1\ngravity: [0, 0, -9.81]\n"
                       "bodies: {a: {type: rigid, mass: 1, inertia: [1, 1, 1], com: [0.3, 0, -1],\n"
                       "             angular_velocity: [0, 0, 1]}}\n"
                       "joints: {A: {type: spherical, on: [ground, a], at: [0, 0, 0]}}\n"
                       "simulate: {until: 50, step: 0.01, formulation: tree}\n";
    CHECK(check_choice(tree, "galerkin", "conservative") == 0);
    snprintf(text, sizeof text, free_one, " - 2*x'");
    CHECK(check_choice(text, "generalized-alpha", "a fixed step; fastest time constant 0.1 s") ==
          0);
    CHECK(check_choice(stiff, "generalized-alpha", "step of 1e+03 time constants damps") == 0);
    return 0;
}

// More unknowns than are worth all eigenvalues: a chain, 2 sqrt(k/m) at most.
static int the_largest_rate_of_a_big_system_is_estimated(void)
{
    const char *text =
        "flexion: 1\nparameters: {N: 120, k: 1e4}\nbodies:\n"
        "  p: {repeat: {i: [1, N]}, type: point, mass: 1, position: [i, 0, 0]}\nforces:\n"
        "  first: {type: spring, on: [ground, p(1)], at: [[0, 0, 0], p(1)], stiffness: k, "
        "length: 1}\n"
        "  s: {repeat: {i: [2, N]}, type: spring, on: [p(i-1), p(i)], at: [p(i-1), p(i)], "
        "stiffness: k, length: 1}\n"
        "simulate: {until: 0.1}\n";
    choice c = choose(text);
    CHECK(c.created == FLX_OK && c.run == FLX_OK);
    CHECK(strcmp(c.method, "dop853") == 0);
    const char *at = strstr(c.reason, "time constant ");
    double constant = at ? strtod(at + 14, NULL) : 0.0;
    CHECK_REL(constant, 1.0 / 200.0, 0.05);
    return 0;
}

static int a_method_that_was_named_has_no_reason(void)
{
    choice c = choose("flexion: 1\nequations: {second_order: {x: {at: 1, force: -x}}}\n"
                      "simulate: {until: 1, method: radau}\n");
    CHECK(c.created == FLX_OK && strcmp(c.method, "radau") == 0);
    CHECK(c.reason[0] == '\0');
    return 0;
}

// ---- the form ------------------------------------------------------------------------------------

#define RODS                                                                                       \
    "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"                                                \
    "  a: {type: rigid, mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1],"                     \
    " points: {tip: [1, 0, 0]}}\n"                                                                 \
    "  b: {type: rigid, mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1], position: a.tip}\n"  \
    "joints:\n"                                                                                    \
    "  A: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
#define PIN "  B: {type: revolute, on: [a, b], at: a.tip, axis: [0, 1, 0]}\n"

// The form that is taken, and the end of the run.
static int form_of(const char *text, char form[16], char reason[300], double *end)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_status s = flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &model);
    if (s == FLX_OK) s = flx_simulation_create(model, &sim);
    if (s == FLX_OK) s = flx_simulation_run(sim, 0, NULL, NULL, NULL);
    if (s == FLX_OK) {
        const flx_result_info *info = flx_simulation_info(sim);
        snprintf(form, 16, "%s", info->formulation);
        snprintf(reason, 300, "%s", info->reason ? info->reason : "");
        flx_simulation_metric(sim, 0, end);
    }
    const flx_message *m = flx_ctx_error(ctx, 0);
    if (m) printf("  %s\n", m->text);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return s != FLX_OK;
}

// Joint coordinates for an open tree and a method that gains by them, the same motion as without; the
// form of bodies for everything else.
static int open_trees_take_joint_coordinates(void)
{
    static const struct {
        const char *text, *simulate;
        bool tree;
    } cases[] = {
        {RODS PIN, "method: auto, rtol: 1e-9", true},
        {RODS PIN, "method: dopri5, rtol: 1e-9", true},
        {RODS PIN, "method: radau, rtol: 1e-9", true},
        {RODS PIN, "method: dop853, formulation: index-1, rtol: 1e-9", false},
        {RODS PIN, "method: radau, formulation: ggl, rtol: 1e-9", false},
        {RODS PIN, "method: generalized-alpha, step: 1e-4", false},
        {RODS PIN, "method: galerkin, step: 1e-3", false},
        {RODS PIN, "step: 1e-3", false},
    };
    double expected = 0.0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char model[2048], form[16], reason[300];
        double end = 0.0;
        snprintf(model, sizeof model,
                 "%ssimulate: {until: 0.7, %s}\n"
                 "outputs: {every: 0.7, signals: [B.angle], metrics: {e: final(B.angle)}}\n",
                 cases[i].text, cases[i].simulate);
        CHECK(form_of(model, form, reason, &end) == 0);
        CHECK((strcmp(form, "tree") == 0) == cases[i].tree || (printf("  %s\n", model), 0));
        if (cases[i].tree) CHECK_TEXT(reason, "joint coordinates: the joints are a tree");
        if (i == 0) expected = end;
        CHECK_NEAR(end, expected, 1e-4); // fixed steps, too
    }
    return 0;
}

// Loops, motions, friction and bodies without inertia stay as they were.
static int what_a_tree_does_not_take_stays(void)
{
    static const char *const models[] = {
        RODS PIN "  C: {type: distance, on: [ground, b], at: [[0, 0, 3], b]}\n",
        RODS
        "  B: {type: revolute, on: [a, b], at: a.tip, axis: [0, 1, 0], motion: {angle: t^2}}\n",
        RODS "  B: {type: revolute, on: [a, b], at: a.tip, axis: [0, 1, 0],"
             " friction: {coefficient: 0.1, radius: 0.05}}\n"};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        char model[2048], form[16], reason[300];
        double end = 0.0;
        snprintf(model, sizeof model,
                 "%ssimulate: {until: 0.1, method: radau}\n"
                 "outputs: {every: 0.1, signals: [A.angle], metrics: {e: final(A.angle)}}\n",
                 models[i]);
        CHECK(form_of(model, form, reason, &end) == 0);
        CHECK(strcmp(form, "tree") != 0);
        CHECK_TEXT(reason, "");
    }
    return 0;
}

TEST_MAIN(TEST(what_is_not_stiff_is_explicit), TEST(what_is_strongly_damped_is_radau),
          TEST(fast_over_slow_oscillation_is_radau), TEST(what_is_hidden_at_the_start_is_seen),
          TEST(constraints_and_algebra_are_radau), TEST(formulations_decide_first),
          SLOW_TEST(fixed_steps_conserve_or_damp),
          TEST(the_largest_rate_of_a_big_system_is_estimated),
          TEST(a_method_that_was_named_has_no_reason), TEST(open_trees_take_joint_coordinates),
          TEST(what_a_tree_does_not_take_stays))
