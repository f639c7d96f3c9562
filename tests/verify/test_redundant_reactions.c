// test_redundant_reactions.c - reactions of redundant joints are those of least norm, whatever the geometry is off by, and the
// user is told which are not unique; structures without freedom have reactions.
#include "case_table.h"
#include "check.h"
#include "findings.h"
#include "model_text.h"

static double at_start(const char *text, const char *setting, const char *signal)
{
    case_table table = {0};
    double value = (double)NAN;
    if (!case_run(text, setting, &table, NULL, NULL)) return value;
    if (!case_table_value(&table, signal, 0.0, &value)) printf("no signal %s\n", signal);
    case_table_clear(&table);
    return value;
}

// ---- least norm ----------------------------------------------------------------------------------------------

// A door on two hinges: 1.6 f + 2 m = 50 N m, of which 2 f^2 + 2 (m/1.6)^2 is least.
static int door(void)
{
    static const char *const ways[] = {"radau, formulation: tree", "radau, formulation: ggl",
                                       "dopri5", "generalized-alpha, step: 1e-3"};
    for (int k = 0; k < 4; k++) {
        char text[1200];
        snprintf(
            text, sizeof text,
            "flexion: 1\ngravity: [0, 0, -10]\n"
            "bodies: {door: {type: rigid, mass: 10, inertia: [1, 1, 1], com: [0.5, 0, 1]}}\n"
            "joints:\n"
            "  h1: {type: revolute, on: [ground, door], at: [0, 0, 0.2], axis: [0, 0, 1]}\n"
            "  h2: {type: revolute, on: [ground, door], at: [0, 0, 1.8], axis: [0, 0, 1]}\n"
            "simulate: {until: 0.1, method: %s}\n"
            "outputs: {every: 0.1, signals: [h1.reaction, h1.moment, h2.reaction, h2.moment]}\n",
            ways[k]);
        CHECK_NEAR(at_start(text, NULL, "h1.reaction.x"), 6.25, 1e-10);
        CHECK_NEAR(at_start(text, NULL, "h2.reaction.x"), -6.25, 1e-10);
        CHECK_NEAR(at_start(text, NULL, "h1.reaction.z"), 50.0, 1e-10);
        CHECK_NEAR(at_start(text, NULL, "h2.reaction.z"), 50.0, 1e-10);
        CHECK_NEAR(at_start(text, NULL, "h1.moment.y"), -20.0, 1e-10);
        CHECK_NEAR(at_start(text, NULL, "h2.moment.y"), -20.0, 1e-10);
    }
    return 0;
}

// A door on two hinges of a post that bends: the hinges share the load as above, and together they are what moves the door.
static int door_on_a_flexible_post(void)
{
    static const char *const ways[] = {"radau, formulation: ggl", "dopri5",
                                       "radau, formulation: tree", "generalized-alpha, step: 1e-4"};
    for (int k = 0; k < 4; k++) {
        char text[1600];
        snprintf(text, sizeof text,
                 "flexion: 1\ngravity: [0, 0, -10]\nbodies:\n"
                 "  post:\n    type: flexible\n"
                 "    fe: {line: [[0, 0, 0], [0, 0, 1]], elements: 4, section: {radius: 0.02},"
                 " material: {E: 2e11, nu: 0.3, density: 7800}}\n"
                 "    reduce: {type: craig-bampton, interfaces: [start, end], modes: 2}\n"
                 "    damping: {ratio: 0.01}\n"
                 "  door: {type: rigid, mass: 10, inertia: [1, 1, 1], position: [0.5, 0, 1]}\n"
                 "joints:\n"
                 "  foot: {type: fixed, on: [ground, post], at: post.start}\n"
                 "  h1: {type: revolute, on: [post, door], at: post.end, axis: [0, 0, 1]}\n"
                 "  h2: {type: revolute, on: [post, door], at: post.end, axis: [0, 0, 1]}\n"
                 "simulate: {until: 0.01, method: %s}\n"
                 "outputs: {every: 0.01, signals: [h1.reaction, h2.reaction, h1.moment, h2.moment, "
                 "door.acceleration]}\n",
                 ways[k]);
        for (int i = 0; i < 3; i++) {
            char name[3][40];
            snprintf(name[0], sizeof name[0], "h1.reaction.%c", "xyz"[i]);
            snprintf(name[1], sizeof name[1], "h2.reaction.%c", "xyz"[i]);
            snprintf(name[2], sizeof name[2], "door.acceleration.%c", "xyz"[i]);
            double F = at_start(text, NULL, name[0]), a = at_start(text, NULL, name[2]);
            CHECK_NEAR(at_start(text, NULL, name[1]), F, 1e-9);
            CHECK_NEAR(2.0 * F, 10.0 * (a + (i == 2 ? 10.0 : 0.0)), 1e-8);
        }
    }
    return 0;
}

// Four parallel cranks carry a coupler alike; one foot is drawn too far by `off`.
static int errors_of_the_drawing_change_them_in_proportion(void)
{
    const char *text = model_text("parallel_cranks_off");
    static const double off[] = {0.0, 1e-8, 1e-6, 1e-4, 1e-3};
    static const char *const pins[] = {"pin(1)", "pin(2)", "pin(3)", "pin(4)"};
    for (int k = 0; k < 5; k++) {
        char setting[40], signal[40];
        snprintf(setting, sizeof setting, "off=%g", off[k]);
        for (int i = 0; i < 4; i++) {
            snprintf(signal, sizeof signal, "%s.reaction.x", pins[i]);
            CHECK_NEAR(at_start(text, setting, signal), 2.54871276333758, 1e-10 + 20.0 * off[k]);
            snprintf(signal, sizeof signal, "%s.reaction.y", pins[i]);
            CHECK_NEAR(at_start(text, setting, signal), 3.4335, 1e-10 + 20.0 * off[k]);
        }
    }
    return 0;
}

// A cabin between rails, hung off its middle on a rope so stiff that its force is an unknown: the rails carry what the
// rope does not.
static int unknown_forces_are_no_reactions(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -10]\n"
        "bodies: {cabin: {type: rigid, mass: 100, inertia: 50, position: [0, 1]}}\n"
        "joints:\n"
        "  l: {type: prismatic, on: [ground, cabin], at: [-1, 1], axis: [0, 1]}\n"
        "  r: {type: prismatic, on: [ground, cabin], at: [1, 1], axis: [0, 1]}\n"
        "forces:\n"
        "  rope: {type: spring, on: [ground, cabin], at: [[0.4, 5], [0.4, 2]], stiffness: %s,\n"
        "         length: \"3 - 1000/%s\"}\n"
        "simulate: {until: 0.01, method: radau, rtol: 1e-8}\n"
        "outputs: {every: 0.01, signals: [l.reaction, r.reaction, l.moment, r.moment]}\n";
    static const char *const stiffness[] = {"1e4", "1e7", "1e10", "1e12"};
    for (int k = 0; k < 4; k++) {
        char model[1600];
        snprintf(model, sizeof model, text, stiffness[k], stiffness[k]);
        CHECK_NEAR(at_start(model, NULL, "l.reaction.x"), 0.0, 1e-4);
        CHECK_NEAR(at_start(model, NULL, "r.reaction.x"), 0.0, 1e-4);
        CHECK_NEAR(at_start(model, NULL, "l.moment"), -200.0, 1e-2);
        CHECK_NEAR(at_start(model, NULL, "r.moment"), -200.0, 1e-2);
    }
    return 0;
}

// ---- which are unique ------------------------------------------------------------------------------------------

// A pendulum under a door: the hinges of the door share what they carry, that of the pendulum does not.
static int what_is_not_unique_is_told(void)
{
    static const char text[] =
        "flexion: 1\ngravity: [0, 0, -10]\n"
        "bodies:\n"
        "  door: {type: rigid, mass: 10, inertia: [1, 1, 1], com: [0.5, 0, 1]}\n"
        "  bob: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, -0.5]}\n"
        "joints:\n"
        "  h1: {type: revolute, on: [ground, door], at: [0, 0, 0.2], axis: [0, 0, 1]}\n"
        "  h2: {type: revolute, on: [ground, door], at: [0, 0, 1.8], axis: [0, 0, 1]}\n"
        "  p: {type: revolute, on: [door, bob], at: [0.5, 0, 0], axis: [0, 1, 0]}\n"
        "simulate: {until: 0.1, method: radau}\n"
        "outputs: {every: 0.1, signals: [%s]}\n";
    char model[1600], said[2000];
    snprintf(model, sizeof model, text, "h1.reaction, h2.moment, p.reaction");
    CHECK(case_run_said(model, NULL, said, sizeof said));
    CHECK_TEXT(said, "the reactions of 'h1', 'h2' are not unique");
    snprintf(model, sizeof model, text, "p.reaction, h1.angle"); // nobody asked
    CHECK(case_run_said(model, NULL, said, sizeof said));
    CHECK(!strstr(said, "unique"));
    return 0;
}

// ---- structures ------------------------------------------------------------------------------------------------

static int structure(const char *text, int n, const double *expected)
{
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK);
    for (int i = 0; i < n; i++) CHECK_NEAR(w.f.signals[i], expected[i], 1e-9);
    findings_clear(&w);
    return 0;
}

// A frame with three hinges and a beam on two supports, clamped at one of them (three constraints too many: shared).
static int structures_without_freedom_have_reactions(void)
{
    const double frame[] = {299.05, 848.1, -299.05, 348.1};
    CHECK(structure("flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
                    "  a: {type: rigid, mass: 10, inertia: 1, position: [1, 1]}\n"
                    "  b: {type: rigid, mass: 10, inertia: 1, position: [3, 1]}\njoints:\n"
                    "  A: {type: revolute, on: [ground, a], at: [0, 0]}\n"
                    "  C: {type: revolute, on: [a, b], at: [2, 2]}\n"
                    "  B: {type: revolute, on: [ground, b], at: [4, 0]}\n"
                    "forces: {F: {type: force, on: a, at: [1, 1], value: [0, -1000]}}\n"
                    "analyse: {rest: {type: equilibrium}}\n"
                    "outputs: {signals: [A.reaction, B.reaction]}\n",
                    4, frame) == 0);
    const double beam[] = {0.0, 0.0, 25.0, 75.0};
    CHECK(structure(
              "flexion: 1\ngravity: [0, 0, -10]\n"
              "bodies: {a: {type: rigid, mass: 10, inertia: [1, 1, 1], position: [1.5, 0, 0]}}\n"
              "joints:\n"
              "  A: {type: spherical, on: [ground, a], at: [0, 0, 0]}\n"
              "  B: {type: point-on-plane, on: [ground, a], at: [2, 0, 0], axis: [0, 0, 1]}\n"
              "  C: {type: point-on-plane, on: [ground, a], at: [2, 0, 0], axis: [0, 1, 0]}\n"
              "  D: {type: point-on-plane, on: [ground, a], at: [1, 0, 1], axis: [0, 1, 0]}\n"
              "analyse: {rest: {type: equilibrium}}\n"
              "outputs: {signals: [A.reaction, B.reaction.z]}\n",
              4, beam) == 0);
    const double shared[] = {50.0, 50.0, 0.0};
    return structure(
        "flexion: 1\ngravity: [0, 0, -10]\n"
        "bodies: {a: {type: rigid, mass: 10, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"
        "joints:\n"
        "  A: {type: fixed, on: [ground, a], at: [0, 0, 0]}\n"
        "  B: {type: spherical, on: [ground, a], at: [2, 0, 0]}\n"
        "analyse: {rest: {type: equilibrium}}\n"
        "outputs: {signals: [A.reaction.z, B.reaction.z, A.moment.y]}\n",
        3, shared);
}

// Friction follows what presses on a bearing: where that is one choice of many the motion is, too, and the user is told, whether
// reactions are asked for or not. In a chain of hinges that lies in a plane only forces along the axes are not unique.
static int friction_that_follows_the_choice_is_told(void)
{
    static const struct {
        const char *low, *high;
        bool told;
    } doors[] = {
        {", friction: {coefficient: 0.3, radius: 0.02}", "", true},
        {"", ", friction: {coefficient: 0.3, radius: 0.02, stick: true}", true},
        {", friction: {viscous: 0.1}", "", false},
        {"", "", false},
    };
    for (int k = 0; k < 8; k++) {
        char text[1200], low[200], high[200], said[2000];
        bool swapped = k % 2 == 1;
        snprintf(low, sizeof low,
                 "  l: {type: revolute, on: [ground, door], at: [0, 0, 0], axis: [0, 0, 1]%s}\n",
                 doors[k / 2].low);
        snprintf(high, sizeof high,
                 "  h: {type: revolute, on: [ground, door], at: [0, 0, 2], axis: [0, 0, 1]%s}\n",
                 doors[k / 2].high);
        snprintf(text, sizeof text,
                 "flexion: 1\ngravity: [0, 0, -10]\n"
                 "bodies: {door: {type: rigid, mass: 10, inertia: [1, 1, 1], com: [0.5, 0, 1], "
                 "angular_velocity: [0, 0, 1]}}\njoints:\n%s%s"
                 "simulate: {until: 0.01}\noutputs: {every: 0.01, signals: [l.angle]}\n",
                 swapped ? high : low, swapped ? low : high);
        CHECK(case_run_said(text, NULL, said, sizeof said));
        CHECK((strstr(said, "the motion is that of one choice of many") != NULL) ==
              doors[k / 2].told);
    }
    char said[2000];
    CHECK(case_run_said(
        "flexion: 1\ngravity: [0, 0, -10]\nbodies:\n"
        "  a: {type: rigid, mass: 1, com: [0, 0, 0.5], inertia: [1, 1, 1]}\n"
        "  b: {type: rigid, mass: 1, com: [1, 0, 0], inertia: [1, 1, 1], position: [0, 0, 1]}\n"
        "  c: {type: rigid, mass: 1, com: [0, 0, 0.75], inertia: [1, 1, 1], position: [2, 0, "
        "-0.5]}\n"
        "joints:\n"
        "  A: {type: revolute, on: [ground, a], at: a, axis: [0, 1, 0], friction: {coefficient: "
        "0.3, radius: 0.02}, initial: {rate: 1}}\n"
        "  B: {type: revolute, on: [a, b], at: b, axis: [0, 1, 0]}\n"
        "  C: {type: revolute, on: [b, c], at: [2, 0, 1], axis: [0, 1, 0]}\n"
        "  D: {type: revolute, on: [c, ground], at: c, axis: [0, 1, 0]}\n"
        "simulate: {until: 0.01}\noutputs: {every: 0.01, signals: [A.angle]}\n",
        NULL, said, sizeof said));
    CHECK(!strstr(said, "one choice of many"));
    return 0;
}

TEST_MAIN(TEST(door), TEST(friction_that_follows_the_choice_is_told), TEST(door_on_a_flexible_post),
          TEST(errors_of_the_drawing_change_them_in_proportion),
          TEST(unknown_forces_are_no_reactions), TEST(what_is_not_unique_is_told),
          TEST(structures_without_freedom_have_reactions))
