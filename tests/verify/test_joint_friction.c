// Friction in joints follows the reaction, which depends on the friction: closed forms, a separate
// integration, other methods, and the same friction written out by hand.
#include "case_table.h"
#include "check.h"

#include "base/common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool value_at(const case_table *t, const char *signal, double time, double *value)
{
    return case_table_value(t, signal, time, value);
}

// ---- incline --------------------------------------------------------------------------------------

// The block slides with g (sin - mu cos); in space and in the plane.
static int block_slides_down_an_incline(void)
{
    static const char space[] =
        "flexion: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "parameters: {alpha: 30*deg, mu: 0.2}\n"
        "bodies: {block: {type: rigid, mass: 2, inertia: [0.1, 0.2, 0.3], position: [0, 0, 0.1]}}\n"
        "joints:\n"
        "  rail: {type: prismatic, on: [ground, block], at: [0, 0, 0],\n"
        "         axis: [cos(alpha), 0, -sin(alpha)],\n"
        "         friction: {coefficient: mu, velocity: 1e-6}}\n";
    static const char plane[] =
        "flexion: 1\n"
        "dimension: 2\n"
        "gravity: [0, -9.81]\n"
        "parameters: {alpha: 30*deg, mu: 0.2}\n"
        "bodies: {block: {type: rigid, mass: 2, inertia: 0.3, position: [0, 0.1]}}\n"
        "joints:\n"
        "  rail: {type: prismatic, on: [block, ground], at: [0, 0],\n"
        "         axis: [-cos(alpha), sin(alpha)],\n"
        "         friction: {coefficient: mu, velocity: 1e-6}}\n";
    static const char *const methods[] = {"radau, rtol: 1e-8", "dopri5, rtol: 1e-8",
                                          "radau, formulation: index-3, rtol: 1e-8"};
    char text[2048];
    double a = 9.81 * (sin(FLX_PI / 6) - 0.2 * cos(FLX_PI / 6));
    for (int i = 0; i < 6; i++) {
        case_table t = {0};
        double s = 0, v = 0, R = 0;
        snprintf(text, sizeof text,
                 "%ssimulate: {until: 1, method: %s}\n"
                 "outputs: {times: [1], signals: [rail.displacement, rail.rate, rail.reaction]}\n",
                 i % 2 ? plane : space, methods[i / 2]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(value_at(&t, "rail.displacement", 1, &s) && value_at(&t, "rail.rate", 1, &v));
        // it starts from rest, where friction is not full yet
        CHECK_NEAR(s, 0.5 * a, 1e-6);
        CHECK_NEAR(v, a, 1e-6);
        CHECK(value_at(&t, "rail.reaction.x", 1, &R));
        CHECK_NEAR(fabs(R), 2 * 9.81 * cos(FLX_PI / 6) * sin(FLX_PI / 6), 1e-9);
        case_table_clear(&t);
    }
    return 0;
}

// ---- pendulum -------------------------------------------------------------------------------------

#define PENDULUM                                                                                   \
    "flexion: 1\n"                                                                                 \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "parameters: {mu: 0.3, r: 0.05, v: 1e-3}\n"                                                    \
    "bodies:\n"                                                                                    \
    "  rod: {type: rigid, mass: 1, inertia: [0.01, 0.02, 0.03], position: [0.5, 0, 0]}\n"

static const char by_key[] =
    PENDULUM "joints:\n"
             "  A: {type: revolute, on: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1],\n"
             "      friction: {coefficient: mu, radius: r, velocity: v}}\n";
static const char by_hand[] = PENDULUM
    "joints:\n"
    "  A: {type: revolute, on: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  T: {type: torque, on: A, value: -mu*r*norm(A.reaction)*r*A.rate/sqrt((r*A.rate)^2 + "
    "v^2)}\n";

// At t = 1 .. 5: Runge-Kutta of order 4 in 80 bits with 2e6 steps on the one equation of motion, in
// which the reaction is found by iteration.
static const double angle[] = {-2.8450683182250360, -0.9167410663907397, -1.4050435609125223,
                               -2.3460774046474963, -0.7240746526023394};
static const double rate[] = {2.1843826312038755, -4.1363521681740923, 4.2998192955156558,
                              -2.2182894609252667, -0.6511400625955040};

static int pendulum_loses_its_swing(void)
{
    static const struct {
        const char *model, *method;
        double tolerance;
    } runs[] = {
        {by_key, "radau, rtol: 1e-9, atol: 1e-11", 2e-7},
        {by_key, "radau, rtol: 1e-7, atol: 1e-8, formulation: index-3", 2e-5},
        {by_key, "dopri5, rtol: 1e-10, atol: 1e-12", 2e-8},
        {by_key, "generalized-alpha, step: 5e-4", 2e-4},
        {by_key, "bdf, rtol: 1e-7, atol: 1e-9", 2e-4},
        {by_key, "galerkin, degree: 2, step: 2e-3", 1e-5},
        {by_hand, "radau, rtol: 1e-9, atol: 1e-11", 2e-7},
        {by_hand, "dopri5, rtol: 1e-10, atol: 1e-12", 2e-8},
    };
    char text[2048];
    int seconds = short_runs() ? 1 : 5;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        case_table t = {0};
        double worst = 0.0;
        snprintf(text, sizeof text,
                 "%ssimulate: {until: %d, method: %s}\n"
                 "outputs: {every: 1, signals: [A.angle, A.rate]}\n",
                 runs[i].model, seconds, runs[i].method);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        for (int k = 0; k < seconds; k++) {
            double q = 0, w = 0;
            CHECK(value_at(&t, "A.angle", k + 1, &q) && value_at(&t, "A.rate", k + 1, &w));
            worst = fmax(worst, fmax(fabs(q - angle[k]), fabs(w - rate[k])));
        }
        printf("%s: %.1e\n", runs[i].method, worst);
        CHECK(worst < runs[i].tolerance);
        case_table_clear(&t);
    }
    return 0;
}

// Without dissipation reactions do not settle in index 3: refused by name, and GGL is well.
static int undamped_newmark_is_refused_in_index_3(void)
{
    char text[2048];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 "%ssimulate: {until: 1, method: newmark, step: 1e-3, formulation: %s}\n"
                 "outputs: {every: 1, signals: [A.angle]}\n",
                 by_key, i ? "ggl" : "index-3");
        flx_ctx *ctx = flx_ctx_create();
        flx_model *model = NULL;
        flx_simulation *sim = NULL;
        CHECK(flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &model) == FLX_OK);
        CHECK(flx_simulation_create(model, &sim) == (i ? FLX_OK : FLX_ERR_CANNOT));
        if (!i) CHECK(strstr(flx_ctx_error(ctx, 0)->text, "formulation: ggl") != NULL);
        flx_simulation_destroy(&sim);
        flx_model_destroy(&model);
        flx_ctx_destroy(&ctx);
        case_table t = {0};
        double q = 0.0;
        if (i) CHECK(case_run(text, NULL, &t, NULL, NULL) && value_at(&t, "A.angle", 1, &q));
        if (i) CHECK_NEAR(q, angle[0], 1e-4);
        case_table_clear(&t);
    }
    return 0;
}

// ---- sticking -------------------------------------------------------------------------------------

// A block comes to rest on a ramp, and on it a link whose hinge has friction.
static const char sticking[] =
    "flexion: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {al: 0.3, v: 1e-3}\n"
    "bodies:\n"
    "  c: {type: rigid, mass: 2, inertia: [0.1, 0.1, 0.1],\n"
    "      orientation: {axis: [0, 1, 0], angle: -al}}\n"
    "  d: {type: rigid, mass: 1, inertia: [0.02, 0.02, 0.02], position: [0, 1, 0],\n"
    "      com: [0.2, 0, 0]}\n"
    "joints:\n"
    "  r: {type: prismatic, on: [ground, c], at: c, axis: \"[cos(al), 0, sin(al)]\",\n"
    "      initial: {rate: 2}, friction: {coefficient: 0.5, velocity: v}}\n"
    "  h: {type: revolute, on: [c, d], at: [0, 1, 0], axis: [0, 1, 0],\n"
    "      friction: {coefficient: 0.2, radius: 0.02, velocity: v}}\n"
    "simulate: {until: 0.6, method: %s}\n"
    "outputs: {times: [0.6], signals: [r.displacement, h.angle]}\n";

// Steps of the methods of structural dynamics follow the tolerance as those of order 2 do, and not
// the jumps of reactions where the step changes.
static int reactions_do_not_hold_down_the_steps(void)
{
    static const char *const methods[] = {"generalized-alpha", "hht"};
    double place = 0.0, angle_right = 0.0;
    char text[2048], method[80];
    snprintf(text, sizeof text, sticking, "radau, rtol: 1e-8, atol: 1e-9");
    case_table right = {0};
    CHECK(case_run(text, NULL, &right, NULL, NULL));
    CHECK(value_at(&right, "r.displacement", 0.6, &place));
    CHECK(value_at(&right, "h.angle", 0.6, &angle_right));
    case_table_clear(&right);
    for (int i = 0; i < 2; i++) {
        long steps[2];
        for (int k = 0; k < 2; k++) {
            case_table t = {0};
            flx_ledger l = {0};
            double s = 0.0, q = 0.0, tolerance = k ? 1e-5 : 1e-3;
            snprintf(method, sizeof method, "%s, rtol: %g, atol: %g", methods[i], tolerance,
                     tolerance);
            snprintf(text, sizeof text, sticking, method);
            CHECK(case_run_ledger(text, NULL, &t, &l));
            CHECK(value_at(&t, "r.displacement", 0.6, &s) && value_at(&t, "h.angle", 0.6, &q));
            steps[k] = l.work.steps;
            printf("    %s: %ld steps, errors %.1e, %.1e\n", method, steps[k], fabs(s - place),
                   fabs(q - angle_right));
            CHECK_NEAR(s, place, 30 * tolerance);
            CHECK_NEAR(q, angle_right, 30 * tolerance);
            case_table_clear(&t);
        }
        CHECK(steps[1] < 20 * steps[0]); // the root of the tolerances: 10
        CHECK(steps[1] < 3000);
    }
    return 0;
}

// Hard sticking in fixed steps: what to do is said.
static int sticking_that_fails_says_what_to_do(void)
{
    char text[2048], said[1000];
    snprintf(text, sizeof text, sticking, "generalized-alpha, step: 1e-3");
    CHECK(!case_run_said(text, "v=1e-12", said, sizeof said));
    CHECK_TEXT(said, "friction with a larger 'velocity'");
    CHECK_TEXT(said, "error control (rtol in the place of step)");
    CHECK(case_run_said(text, "v=1e-6", said,
                        sizeof said)); // a hundred times below what steps resolve
    snprintf(text, sizeof text, sticking, "radau, rtol: 1e-6"); // that helps
    CHECK(case_run_said(text, "v=1e-6", said, sizeof said));
    snprintf(text, sizeof text, sticking, "generalized-alpha, step: 1e-3"); // and that
    CHECK(case_run_said(text, "v=1e-2", said, sizeof said));
    return 0;
}

// ---- every joint ----------------------------------------------------------------------------------

// What every joint's friction takes from the energy is what the ledger says, and nothing is given to
// the momentum of two free bodies.
static int work_of_friction_is_dissipated(void)
{
    static const char *const joints[] = {
        "type: revolute, axis: [1, 0.2, 0]",
        "type: prismatic, axis: [1, 0.2, 0]",
        "type: cylindrical, axis: [1, 0.2, 0]",
        "type: screw, axis: [1, 0.2, 0], pitch: 0.3",
        "type: spherical",
        "type: universal, axes: [[1, 0, 0], [0, 1, 0]]",
        "type: point-on-line, axis: [1, 0.2, 0]",
    };
    static const char model[] =
        "flexion: 1\n"
        "bodies:\n"
        "  a: {type: rigid, mass: 2, inertia: [0.1, 0.2, 0.25], velocity: [0, 1, 0],\n"
        "      angular_velocity: [1, 2, 3]}\n"
        "  b: {type: rigid, mass: 1, inertia: [0.05, 0.1, 0.07], position: [1, 0, 0],\n"
        "      velocity: [3, 1, 2], angular_velocity: [4, -1, 2]}\n"
        "joints:\n"
        "  j: {%s, on: [a, b], at: [0.4, 0.1, 0],\n"
        "      friction: {coefficient: 0.3, radius: 0.2, velocity: 0.05, viscous: 0.05}}\n"
        "simulate: {until: 1, method: radau, rtol: 1e-9, atol: 1e-10}\n"
        "outputs: {every: 0.5, signals: [energy, momentum]}\n";
    char text[2048];
    for (size_t i = 0; i < sizeof joints / sizeof joints[0]; i++) {
        case_table t = {0};
        double lost = 0, e0 = 0, e1 = 0, drift = 1;
        snprintf(text, sizeof text, model, joints[i]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(value_at(&t, "energy.dissipated", 1, &lost));
        CHECK(value_at(&t, "energy.total", 0, &e0) && value_at(&t, "energy.total", 1, &e1));
        printf("%s: %.3g of %.3g J\n", joints[i], lost, e0);
        CHECK(lost > 1e-3 * e0);
        CHECK_NEAR(e1 + lost, e0, 1e-7 * e0);
        CHECK(value_at(&t, "drift(momentum.angular.z)", 1, &drift));
        CHECK_NEAR(drift, 0.0, 1e-8);
        CHECK(value_at(&t, "drift(momentum.linear.x)", 1, &drift));
        CHECK_NEAR(drift, 0.0, 1e-8);
        case_table_clear(&t);
    }
    return 0;
}

// ---- equations that read ----------------------------------------------------------------------------

// A filter on a reaction, an algebraic variable that is one, and a force that a motion's drive makes.
static int equations_read_what_joints_carry(void)
{
    static const char model[] =
        "flexion: 1\n"
        "dimension: 2\n"
        "gravity: [0, -9.81]\n"
        "bodies:\n"
        "  rod: {type: rigid, mass: 2, inertia: 0.1, position: [1, 0]}\n"
        "  brake: {type: point, mass: 1, position: [3, 0]}\n"
        "joints:\n"
        "  A: {type: revolute, on: [ground, rod], at: [0, 0], motion: {angle: 0.3*t^2}}\n"
        "forces:\n"
        "  F: {type: force, on: brake, value: [0.5*A.drive + load, 9.81]}\n"
        "equations:\n"
        "  first_order:\n"
        "    filtered: {at: 0, derivative: 10*(A.reaction.x - filtered)}\n"
        "    load: {at: 0, mass: 0, derivative: A.reaction.y + 0.1*A.drive - load}\n"
        "simulate: {until: 1, method: %s}\n"
        "outputs: {times: [1], signals: [A.reaction, A.drive, filtered, load, "
        "brake.acceleration]}\n";
    static const char *const methods[] = {"radau, rtol: 1e-9, atol: 1e-10",
                                          "dopri5, rtol: 1e-9, atol: 1e-10",
                                          "generalized-alpha, step: 1e-3"};
    static const double tolerance[] = {1e-6, 1e-6, 1e-3};
    double filtered[3];
    for (int i = 0; i < 3; i++) {
        char text[2048];
        case_table t = {0};
        double Rx = 0, Ry = 0, drive = 0, load = 0, a = 0;
        snprintf(text, sizeof text, model, methods[i]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(value_at(&t, "A.reaction.x", 1, &Rx) && value_at(&t, "A.reaction.y", 1, &Ry));
        CHECK(value_at(&t, "A.drive", 1, &drive) && value_at(&t, "load", 1, &load));
        CHECK(value_at(&t, "brake.acceleration.x", 1, &a) &&
              value_at(&t, "filtered", 1, &filtered[i]));
        // angle 0.3, rate 0.6, acceleration 0.6; mass 2 at 1 m
        double x = 2 * (-0.6 * sin(0.3) - 0.36 * cos(0.3));
        double y = 2 * (0.6 * cos(0.3) - 0.36 * sin(0.3) + 9.81);
        double moment = 2.1 * 0.6 + 2 * 9.81 * cos(0.3);
        CHECK_NEAR(Rx, x, 100 * tolerance[i]);
        CHECK_NEAR(Ry, y, 100 * tolerance[i]);
        CHECK_NEAR(drive, moment, 100 * tolerance[i]);
        CHECK_NEAR(load, Ry + 0.1 * drive, 1e-9);
        CHECK_NEAR(a, 0.5 * drive + load, 100 * tolerance[i]);
        CHECK_NEAR(filtered[i], filtered[0], 10 * tolerance[i]);
        case_table_clear(&t);
    }
    return 0;
}

// Beside friction an algebraic unknown that is zero but for rounding: its size says nothing about
// whether the iteration has ended.
static int an_unknown_may_be_zero(void)
{
    static const char *const forms[] = {"index-1", "tree"};
    char text[2048];
    for (int i = 1; i <= 4; i++) {
        double end[2], x = 0;
        for (int k = 0; k < 2; k++) {
            case_table t = {0};
            snprintf(text, sizeof text,
                     "flexion: 1\ndimension: 2\ngravity: [-6.9%d, 4.7%d]\nbodies:\n"
                     "  rod: {type: rigid, mass: 1.%d, inertia: 0.3%d, com: [0.4%d, 0.1%d],\n"
                     "        orientation: 0.%d, angular_velocity: -2}\n"
                     "  left: {type: rigid, mass: 1, inertia: 0.4, position: [1, 1], velocity: "
                     "[0.8, 0.1]}\n"
                     "  right: {type: rigid, mass: 1, inertia: 0.5, position: [2, 1], "
                     "angular_velocity: 1}\n"
                     "joints:\n  hinge: {type: revolute, on: [ground, rod], at: [0, 0]}\n"
                     "  rubs: {type: revolute, on: [left, right], at: [1.4, 1.3],\n"
                     "         initial: {angle: -0.2, rate: -0.8},\n"
                     "         friction: {coefficient: 0.1, radius: 0.05, velocity: 0.2, viscous: "
                     "0.4}}\n"
                     "equations: {first_order: {x: {at: 0.4, mass: 0, derivative: "
                     "\"-0.77*hinge.angle - x - 0.18*x^3\"}}}\n"
                     "simulate: {until: 0.5, method: dop853, formulation: %s, rtol: 1e-10}\n"
                     "outputs: {times: [0, 0.5], signals: [x, rubs.angle]}\n",
                     i, i, i, i, i, 3 * i, i, forms[k]);
            CHECK(case_run(text, NULL, &t, NULL, NULL));
            CHECK(value_at(&t, "x", 0, &x) && value_at(&t, "rubs.angle", 0.5, end + k));
            CHECK_NEAR(x, 0.0, 1e-15);
            case_table_clear(&t);
        }
        CHECK_NEAR(end[0], end[1], 1e-8);
    }
    return 0;
}

// Friction that is viscous alone, the only force of the model: J a = -d w, in every form.
static int viscous_friction_alone_slows_down(void)
{
    static const char *const forms[] = {"dop853", "dop853, formulation: tree",
                                        "dopri5, formulation: index-1", "radau, formulation: tree",
                                        "radau, formulation: ggl"};
    static const char *const models[] = {
        "dimension: 2\nbodies: {rotor: {type: rigid, mass: 2, inertia: 0.4, angular_velocity: 3}}\n"
        "joints:\n  hinge: {type: revolute, on: [ground, rotor], at: [0, 0], friction: {viscous: "
        "0.8}}\n",
        "bodies:\n  rotor: {type: rigid, mass: 2, inertia: [0.3, 0.2, 0.4], angular_velocity: [0, "
        "0, 3]}\n"
        "joints:\n  hinge: {type: revolute, on: [rotor, ground], at: [0, 0, 0], axis: [0, 0, -1],\n"
        "          friction: {viscous: 0.8}}\n"};
    char text[1024];
    for (int i = 0; i < 10; i++) {
        case_table t = {0};
        double w = 0;
        snprintf(text, sizeof text,
                 "flexion: 1\n%ssimulate: {until: 1, method: %s, rtol: 1e-10}\n"
                 "outputs: {times: [1], signals: [hinge.rate]}\n",
                 models[i % 2], forms[i / 2]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(value_at(&t, "hinge.rate", 1, &w));
        CHECK_NEAR(w, 3 * exp(-2.0), 1e-8);
        case_table_clear(&t);
    }
    return 0;
}

// ---- units ----------------------------------------------------------------------------------

// Two links with friction, in m, kg, s and in others, in which inertias are up to 1e18 times what the joints are made of.
static const char in_units[] =
    "flexion: 1\n"
    "parameters: {L: %g, M: %g, T: %g}\n"
    "gravity: [0.3*L/T^2, 0, -9.81*L/T^2]\n"
    "bodies:\n"
    "  a: {type: rigid, mass: M, inertia: [0.4*M*L^2, 0.5*M*L^2, 0.45*M*L^2],\n"
    "      com: [0.5*L, 0, 0.1*L], points: {e: [L, 0, 0]}}\n"
    "  b: {type: rigid, mass: M, inertia: [0.3*M*L^2, 0.5*M*L^2, 0.45*M*L^2], position: [L, 0, "
    "0],\n"
    "      com: [0.2*L, 0.1*L, 0]}\n"
    "joints:\n"
    "  A: {type: revolute, on: [ground, a], at: a, axis: [0, 1, 0.2],\n"
    "      friction: {coefficient: 0.1, radius: 0.03*L, velocity: 0.1*L/T}}\n"
    "  B: {type: revolute, on: [a, b], at: a.e, axis: [0, 1, 0.2]}\n"
    "simulate: {until: 0.3*T, method: dopri5, formulation: index-1, rtol: 1e-8, atol: 1e-11}\n"
    "outputs: {times: [0.3*T], signals: [A.angle, B.angle]}\n";

static int friction_moves_the_same_in_all_units(void)
{
    static const double units[][3] = {{1, 1, 1}, {1e3, 1e3, 1e3}, {1e6, 1e6, 1e6}, {1e-3, 1e-6, 1}};
    double right[2] = {0.0, 0.0};
    for (int i = 0; i < 4; i++) {
        char text[1200];
        case_table t = {0};
        double end[2];
        snprintf(text, sizeof text, in_units, units[i][0], units[i][1], units[i][2]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(value_at(&t, "A.angle", 0.3 * units[i][2], &end[0]));
        CHECK(value_at(&t, "B.angle", 0.3 * units[i][2], &end[1]));
        case_table_clear(&t);
        for (int k = 0; k < 2 && i == 0; k++) right[k] = end[k];
        for (int k = 0; k < 2; k++) CHECK_NEAR(end[k], right[k], 1e-9);
    }
    return 0;
}

TEST_MAIN(TEST(block_slides_down_an_incline), SLOW_TEST(pendulum_loses_its_swing),
          TEST(undamped_newmark_is_refused_in_index_3), TEST(work_of_friction_is_dissipated),
          TEST(equations_read_what_joints_carry), SLOW_TEST(reactions_do_not_hold_down_the_steps),
          TEST(sticking_that_fails_says_what_to_do), TEST(an_unknown_may_be_zero),
          TEST(viscous_friction_alone_slows_down), TEST(friction_moves_the_same_in_all_units))
