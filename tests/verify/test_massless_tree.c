// test_massless_tree.c - bodies without mass on the tree: the limit of vanishing mass, and the same motion as in
// coordinates of bodies. What is left of a mass m is proportional to it.
#include "case_table.h"
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"

// A body at the end of an arm, held by a damped spring.
static const char tip[] =
    "flexion: 1\ndimension: 2\nparameters: {e: 0}\ngravity: [0, -9.81]\nbodies:\n"
    "  a: {type: rigid, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
    "  b: {type: rigid, mass: e, inertia: 0.2*e, position: [1.5, 0]}\njoints:\n"
    "  A: {type: revolute, on: [ground, a], at: [0, 0]}\n"
    "  B: {type: revolute, on: [a, b], at: [1, 0]}\nforces:\n"
    "  s: {type: spring, on: B, stiffness: 4, damping: 0.3}\n"
    "  F: {type: force, on: b, at: b, value: [0, 0.3]}\n"
    "simulate: {until: 1, method: %s, rtol: 1e-10, atol: 1e-12, formulation: %s}\n"
    "outputs: {every: 0.5, signals: [A.angle, B.angle]}\n";

// A carrier between two bodies with mass whose own joint turns about the axis of the next: the carrier has a
// slide with mass behind it, and a turn without.
static const char carrier[] =
    "flexion: 1\nparameters: {e: 0}\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  a: {type: rigid, mass: 2, inertia: [0.1, 0.2, 0.2], position: [0.4, 0, 0]}\n"
    "  m: {type: rigid, mass: e, inertia: [0.1*e, 0.1*e, 0.1*e], position: [0.8, 0, 0]}\n"
    "  c: {type: rigid, mass: 1, inertia: [0.02, 0.05, 0.05], position: [0.8, 0, 0], com: [0, 0.1, "
    "-0.2]}\njoints:\n"
    "  A: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  B: {type: cylindrical, on: [a, m], at: [0.8, 0, 0], axis: [1, 0, 0]}\n"
    "  C: {type: revolute, on: [m, c], at: [0.8, 0, 0], axis: [1, 0, 0]}\nforces:\n"
    "  b: {type: bushing, on: [a, m], at: [0.8, 0, 0], stiffness: [300, 0, 0, 5, 0, 0], damping: "
    "[2, "
    "0, 0, 0.4, 0, 0]}\n"
    "  w: {type: spring, on: C, stiffness: 3, damping: 0.2}\n"
    "simulate: {until: 0.6, method: %s, rtol: 1e-10, atol: 1e-12, formulation: %s}\n"
    "outputs: {every: 0.3, signals: [A.angle, C.angle]}\n";

// A thin rod on a ball, without inertia about its own axis, which is none of the ground's.
static const char rod[] =
    "flexion: 1\nparameters: {e: 0}\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  a: {type: rigid, mass: 2, inertia: [0.3*e, 0.2, 0.2], position: [0.3, 0.4, 0],\n"
    "      orientation: {axis: [0, 0, 1], angle: 53.13010235415598*deg}}\n"
    "joints:\n"
    "  A: {type: spherical, on: [ground, a], at: [0, 0, 0]}\nforces:\n"
    "  b: {type: bushing, on: [ground, a], at: [0, 0, 0], stiffness: [0, 0, 0, 3, 3, 3],\n"
    "      damping: [0, 0, 0, 0.5, 0.4, 0.3]}\n"
    "  T: {type: torque, on: a, value: [0.2, 0.1, 0]}\n"
    "simulate: {until: 0.5, method: %s, rtol: 1e-10, atol: 1e-12, formulation: %s}\n"
    "outputs: {every: 0.25, signals: [a.position, a.angular_velocity]}\n";

// A coupler without mass in a loop: the closure holds it, and it needs no damping.
static const char coupler[] =
    "flexion: 1\ndimension: 2\nparameters: {e: 0}\ngravity: [0, -9.81]\nbodies:\n"
    "  crank: {type: rigid, mass: 1, inertia: 0.1, position: [0, 0.5]}\n"
    "  coupler: {type: rigid, mass: e, inertia: 0.2*e, position: [1, 1.25]}\n"
    "  rocker: {type: rigid, mass: 2, inertia: 0.3, position: [2, 0.75]}\njoints:\n"
    "  A: {type: revolute, on: [ground, crank], at: [0, 0], initial: {angle: 0, rate: 1}}\n"
    "  B: {type: revolute, on: [crank, coupler], at: [0, 1]}\n"
    "  C: {type: revolute, on: [coupler, rocker], at: [2, 1.5]}\n"
    "  D: {type: revolute, on: [ground, rocker], at: [2, 0]}\nforces:\n"
    "  F: {type: force, on: coupler, at: coupler, value: [2*sin(3*t), 5]}\n"
    "simulate: {until: 0.5, method: %s, rtol: 1e-10, atol: 1e-12, formulation: %s}\n"
    "outputs: {every: 0.25, signals: [A.angle, B.angle, D.angle, B.reaction, C.reaction]}\n";

static int run(const char *text, const char *method, const char *formulation, double e, double *out,
               double until)
{
    char model[2400], setting[32];
    case_table table = {0};
    snprintf(model, sizeof model, text, method, formulation);
    snprintf(setting, sizeof setting, "e=%g", e);
    CHECK(case_run(model, setting, &table, NULL, NULL));
    bool ball = strstr(text, "spherical") != NULL, three = strstr(text, "C.angle") != NULL;
    const char *first = ball ? "a.angular_velocity.x" : "A.angle";
    const char *second = ball ? "a.position.z" : three ? "C.angle" : "B.angle";
    CHECK(case_table_value(&table, first, until, out));
    CHECK(case_table_value(&table, second, until, out + 1));
    case_table_clear(&table);
    return 0;
}

static int check_limit(const char *text, const char *explicit_method, double until)
{
    static const char *const forms[] = {"index-3", "ggl"};
    double none[2], x[2], last = 0.0;
    CHECK(run(text, "radau", "tree", 0.0, none, until) == 0);
    for (int k = 0; k < 2; k++) {
        CHECK(run(text, "radau", forms[k], 0.0, x, until) == 0);
        for (int i = 0; i < 2; i++) CHECK_NEAR(x[i], none[i], 1e-8);
    }
    CHECK(run(text, explicit_method, "tree", 0.0, x, until) == 0); // the recursion
    for (int i = 0; i < 2; i++) CHECK_NEAR(x[i], none[i], 1e-8);
    for (int k = 0; k < 3; k++) {
        double e = 1e-3 * pow(0.1, k);
        CHECK(run(text, "radau", "tree", e, x, until) == 0);
        double error = hypot(x[0] - none[0], x[1] - none[1]);
        if (k > 0) CHECK_NEAR(log10(last / error), 1.0, 0.03);
        last = error;
    }
    CHECK(last > 1e-8); // above what the tolerance leaves
    return 0;
}

static int a_tip_without_mass_is_the_limit(void)
{
    return check_limit(tip, "dop853", 1.0);
}

static int a_carrier_without_mass_is_the_limit(void)
{
    return check_limit(carrier, "dopri5", 0.6);
}

static int a_thin_rod_is_the_limit(void)
{
    return check_limit(rod, "dop853", 0.5);
}

static int a_coupler_without_mass_is_the_limit(void)
{
    return check_limit(coupler, "dop853", 0.5);
}

static int refused(const char *text, const char *first, const char *second)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    CHECK(flx_model_read_text(ctx, "m", text, strlen(text), 0, NULL, &model) == FLX_OK);
    flx_status status = flx_simulation_create(model, &sim);
    if (status == FLX_OK) status = flx_simulation_run(sim, 0, NULL, NULL, NULL);
    CHECK(status != FLX_OK);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, first);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, second);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

#define LIMP(method, forces)                                                                       \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"                                     \
    "  a: {type: rigid, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"                              \
    "  limp: {type: rigid, mass: 0, inertia: 0, position: [1.5, 0]}\njoints:\n"                    \
    "  A: {type: revolute, on: [ground, a], at: [0, 0]}\n"                                         \
    "  B: {type: revolute, on: [a, limp], at: [1, 0]}\n" forces                                    \
    "simulate: {until: 1, method: " method ", formulation: tree}\n"

// Explicit methods need damping or joints that hold, and no friction; without mass, damping and stiffness nothing does.
static int what_cannot_be_is_named(void)
{
    CHECK(refused(LIMP("dopri5", "forces: {d: {type: spring, on: B, stiffness: 1, damping: 0}}\n"),
                  "limp", "no damping") == 0);
    CHECK(
        refused(LIMP("dopri5", "  C: {type: prismatic, on: [ground, a], at: [1, 0], axis: [0, 1],\n"
                               "      friction: {coefficient: 0.2, velocity: 0.1}}\n"
                               "forces: {d: {type: spring, on: B, stiffness: 1, damping: 1}}\n"),
                "limp", "read those of joints") == 0);
    return refused(LIMP("radau", ""), "limp", "neither damping nor stiffness");
}

// Forces of joints, and variables of second order that drive the joint without inertia and are moved by it.
static const char driven[] =
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
    "  a: {type: rigid, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
    "  b: {type: rigid, mass: 0, inertia: 0, position: [1.5, 0]}\njoints:\n"
    "  A: {type: revolute, on: [ground, a], at: [0, 0]}\n"
    "  B: {type: revolute, on: [a, b], at: [1, 0]}\nforces:\n"
    "  s: {type: spring, on: B, stiffness: 4, damping: 0.3}\n"
    "  F: {type: force, on: b, at: b, value: [0.1, 0.3 + t]}\n"
    "  drive: {type: torque, on: B, value: 2*g}\nequations:\n"
    "  second_order:\n"
    "    g: {at: 0.1, rate: 0, mass: 1.5 + 0.5*cos(h), force: -7*g + B.angle}\n"
    "    h: {at: 0.3, rate: 1, mass: 2, force: -3*h + g}\n"
    "simulate: {until: 0.5, method: %s, rtol: 1e-10, atol: 1e-12, formulation: %s}\n"
    "outputs: {every: 0.25, signals: [B.angle, g, h, A.reaction.x, A.reaction.y, B.reaction.y]}\n";

static const char loaded[] =
    "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  a: {type: rigid, mass: 2, inertia: [0.1, 0.2, 0.2], position: [0.4, 0, 0]}\n"
    "  m: {type: rigid, mass: 0, inertia: [0, 0, 0], position: [0.8, 0, 0]}\n"
    "  c: {type: rigid, mass: 1, inertia: [0.02, 0.05, 0.05], position: [0.8, 0, 0],\n"
    "      com: [0, 0.1, -0.2]}\njoints:\n"
    "  A: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  B: {type: cylindrical, on: [a, m], at: [0.8, 0, 0], axis: [1, 0, 0]}\n"
    "  C: {type: revolute, on: [m, c], at: [0.8, 0, 0], axis: [1, 0, 0]}\nforces:\n"
    "  b: {type: bushing, on: [a, m], at: [0.8, 0, 0], stiffness: [300, 0, 0, 5, 0, 0],\n"
    "      damping: [2, 0, 0, 0.4, 0, 0]}\n"
    "  w: {type: spring, on: C, stiffness: 3, damping: 0.2}\n"
    "simulate: {until: 0.5, method: %s, rtol: 1e-10, atol: 1e-12, formulation: %s}\n"
    "outputs: {every: 0.25, signals: [A.reaction.x, A.reaction.z, B.reaction.z, C.reaction.y]}\n";

// A driven joint without inertia, and a tip on it with a damped spring.
static const char moved[] =
    "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  a: {type: rigid, mass: 1, inertia: [0.02, 0.1, 0.1], position: [0.5, 0, 0]}\n"
    "  m: {type: rigid, mass: 0, inertia: [0, 0, 0], position: [1, 0, 0]}\n"
    "  tip: {type: rigid, mass: 0, inertia: [0, 0, 0], position: [1.5, 0, 0]}\njoints:\n"
    "  A: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  B: {type: revolute, on: [a, m], at: [1, 0, 0], axis: [0, 0.6, 0.8],\n"
    "      motion: {angle: 0.5*sin(2*t)}}\n"
    "  C: {type: revolute, on: [m, tip], at: [1.2, 0, 0], axis: [0, 1, 0]}\nforces:\n"
    "  s: {type: spring, on: C, stiffness: 3, damping: 0.4}\n"
    "  F: {type: force, on: tip, at: tip, value: [0.3, 0.5, 1 + t]}\n"
    "simulate: {until: 0.5, method: %s, rtol: 1e-10, atol: 1e-12, formulation: %s}\n"
    "outputs: {every: 0.25, signals: [A.angle, C.angle, tip.position, B.drive, A.reaction]}\n";

// A thin rod between ball joints in a loop, which turns about its axis by its damping alone; beside a loop with mass, a
// rate that is held, and a variable.
static const char slider[] =
    "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  crank: {type: rigid, mass: 1, inertia: [0.01, 0.02, 0.02], position: [0.1, 0, 0.1]}\n"
    "  rod: {type: rigid, mass: 0, inertia: [0, 0, 0], position: [0.5, 0.1, 0.1]}\n"
    "  block: {type: rigid, mass: 2, inertia: [0.01, 0.01, 0.01], position: [1, 0.2, 0]}\n"
    "  skate: {type: rigid, mass: 3, inertia: [0.1, 0.1, 0.2], position: [0, 3, 0],\n"
    "          velocity: [1, 0, 0], angular_velocity: [0, 0, 0.5]}\njoints:\n"
    "  A: {type: revolute, on: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0],\n"
    "      initial: {angle: 0, rate: 3}}\n"
    "  B: {type: spherical, on: [crank, rod], at: [0.2, 0, 0.2]}\n"
    "  C: {type: spherical, on: [rod, block], at: [1, 0.2, 0]}\n"
    "  D: {type: prismatic, on: [ground, block], at: [1, 0.2, 0], axis: [1, 0, 0]}\n"
    "  P: {type: planar, on: [ground, skate], at: [0, 3, 0], axis: [0, 0, 1]}\n"
    "  K: {type: knife-edge, on: [ground, skate], at: [0, 3, 0], axis: [0, 1, 0]}\nforces:\n"
    "  b: {type: bushing, on: [crank, rod], at: [0.2, 0, 0.2], stiffness: [0, 0, 0, 1, 1, 1],\n"
    "      damping: [0, 0, 0, 0.3, 0.3, 0.3]}\n"
    "  k: {type: spring, on: D, stiffness: 50, damping: 1}\n"
    "  push: {type: torque, on: A, value: u}\nequations:\n"
    "  second_order: {u: {at: 0.1, rate: 0, mass: 1.5, force: -7*u + A.angle}}\n"
    "simulate: {until: 0.5, method: %s, rtol: 1e-10, atol: 1e-12, formulation: %s}\n"
    "outputs: {every: 0.25, signals: [A.angle, D.displacement, rod.position, skate.position, u,\n"
    "                                 C.reaction]}\n";

// In joint coordinates by implicit and explicit methods as in coordinates of bodies.
static int signals_agree(const char *text, int n, const char *const *names)
{
    static const char *const ways[4][2] = {
        {"radau", "index-3"}, {"radau", "tree"}, {"dopri5", "tree"}, {"bdf", "tree"}};
    double first[8] = {0};
    CHECK(n <= 8);
    for (int k = 0; k < 4; k++) {
        char model[2600];
        case_table table = {0};
        snprintf(model, sizeof model, text, ways[k][0], ways[k][1]);
        CHECK(case_run(model, NULL, &table, NULL, NULL));
        for (int i = 0; i < n; i++) {
            double value = 0.0;
            CHECK(case_table_value(&table, names[i], 0.5, &value));
            if (k == 0) first[i] = value;
            CHECK_NEAR(value, first[i], 1e-7 * (1.0 + fabs(first[i])));
        }
        case_table_clear(&table);
    }
    return 0;
}

static int forces_of_joints_and_variables(void)
{
    static const char *const of_driven[] = {"B.angle",      "g",           "h", "A.reaction.x",
                                            "A.reaction.y", "B.reaction.y"};
    static const char *const of_loaded[] = {"A.reaction.x", "A.reaction.z", "B.reaction.z",
                                            "C.reaction.y"};
    CHECK(signals_agree(driven, 6, of_driven) == 0);
    return signals_agree(loaded, 4, of_loaded);
}

// Closures and motions beside bodies without mass: some hold these, others what has mass.
static int closures_and_motions(void)
{
    static const char *const of_coupler[] = {"A.angle",      "B.angle",      "D.angle",
                                             "B.reaction.x", "C.reaction.y", "C.reaction.x"};
    static const char *const of_moved[] = {"A.angle",        "C.angle", "tip.position.x",
                                           "tip.position.z", "B.drive", "A.reaction.z"};
    static const char *const of_slider[] = {"A.angle",     "D.displacement", "rod.position.y",
                                            "u",           "C.reaction.x",   "skate.position.y",
                                            "C.reaction.z"};
    CHECK(signals_agree(coupler, 6, of_coupler) == 0);
    CHECK(signals_agree(moved, 6, of_moved) == 0);
    return signals_agree(slider, 7, of_slider);
}

// Two of four links without mass, which the loop holds, and a tip that its damping holds.
#define FOUR_LINKS(more)                                                                           \
    "flexion: 1\n"                                                                                 \
    "dimension: 2\n"                                                                               \
    "gravity: [3, -9.81]\n"                                                                        \
    "bodies:\n"                                                                                    \
    "  crank: {type: rigid, mass: 0, inertia: 0, position: [0, 0.5]}\n"                            \
    "  coupler: {type: rigid, mass: 0, inertia: 0, position: [1, 1.25]}\n"                         \
    "  rocker: {type: rigid, mass: 2, inertia: 0.3, position: [2, 0.75]}\n"                        \
    "  tip: {type: rigid, mass: 0, inertia: 0, position: [2.5, 1.5]}\n"                            \
    "joints:\n"                                                                                    \
    "  A: {type: revolute, on: [ground, crank], at: [0, 0], initial: {angle: 0, rate: 1}}\n"       \
    "  B: {type: revolute, on: [crank, coupler], at: [0, 1]}\n"                                    \
    "  C: {type: revolute, on: [coupler, rocker], at: [2, 1.5]}\n"                                 \
    "  D: {type: revolute, on: [ground, rocker], at: [2, 0]}\n"                                    \
    "  E: {type: revolute, on: [coupler, tip], at: [2, 1.5]}\n"                                    \
    "forces:\n"                                                                                    \
    "  F: {type: force, on: coupler, at: coupler, value: [2*sin(3*t), 5]}\n"                       \
    "  G: {type: force, on: tip, at: tip, value: [1, 2]}\n"                                        \
    "  s: {type: spring, on: E, stiffness: 4, damping: 0.3}\n"                                     \
    "simulate: {until: 0.5, method: %s, rtol: 1e-10, atol: 1e-12, formulation: %s}\n"              \
    "outputs: {every: 0.25, signals: [A.angle, crank.acceleration, tip.acceleration" more "]}\n"

static int accelerations_without_mass(void)
{
    static const char *const of[] = {"crank.acceleration.x",
                                     "crank.acceleration.y",
                                     "tip.acceleration.x",
                                     "tip.acceleration.y",
                                     "A.angle",
                                     "B.reaction.x",
                                     "C.reaction.y"};
    CHECK(signals_agree(FOUR_LINKS(""), 5, of) == 0);
    return signals_agree(FOUR_LINKS(", B.reaction, C.reaction"), 7, of);
}

// Equations beside a massless point go on as without it: x' = -x/2.
static int equations_beside_it(void)
{
    static const char *const ways[] = {"dop853, formulation: tree", "dopri5, formulation: tree",
                                       "adams, formulation: tree", "radau, formulation: tree"};
    for (int k = 0; k < 4; k++) {
        char text[1200];
        case_table t = {0};
        double x = 0.0;
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\nbodies: {m: {type: point, mass: 0, position: [1, 0]}}\n"
                 "forces:\n"
                 "  f: {type: spring, on: [ground, m], at: [[0, 0.2], m], stiffness: 100, length: "
                 "0.5, damping: 2}\n"
                 "  g: {type: spring, on: [ground, m], at: [[0.5, 1], m], stiffness: 100, length: "
                 "0.5, damping: 2}\n"
                 "equations: {first_order: {x: {at: 1, derivative: -x/2}}}\n"
                 "simulate: {until: 1, method: %s, rtol: 1e-9, atol: 1e-11}\n"
                 "outputs: {every: 1, signals: [x]}\n",
                 ways[k]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "x", 1.0, &x));
        case_table_clear(&t);
        CHECK_NEAR(x, exp(-0.5), 1e-7);
    }
    return 0;
}

TEST_MAIN(TEST(equations_beside_it), SLOW_TEST(closures_and_motions),
          TEST(accelerations_without_mass), TEST(a_coupler_without_mass_is_the_limit),
          TEST(forces_of_joints_and_variables), TEST(a_tip_without_mass_is_the_limit),
          TEST(a_carrier_without_mass_is_the_limit), TEST(a_thin_rod_is_the_limit),
          TEST(what_cannot_be_is_named))
