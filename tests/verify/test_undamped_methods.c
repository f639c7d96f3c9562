// test_undamped_methods.c - methods with |R(infinity)| = 1 where constraints are nearly rigid: forces of
// strong dampers are right, springs too stiff for the step are told of; constraints on velocities hold with
// every alpha of the variational method.
#include "case_table.h"
#include "check.h"

#include <math.h>
#include <string.h>

#define ARRAY_LENGTH(a) ((int)(sizeof(a) / sizeof(a)[0]))

// ---- strong dampers and stiff springs -------------------------------------------------------

// Two links whose end hangs on a damper that hardly moves.
static const char links[] =
    "flexion: 1\n"
    "dimension: 2\n"
    "gravity: [0.5, -9.81]\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, com: [0.3, 0.02], inertia: 0.03, points: {e: [0.6, 0]}}\n"
    "  b: {type: rigid, mass: 0.8, com: [0.3, 0], inertia: 0.02, position: [0.6, 0],\n"
    "      orientation: 0.4, points: {e: [0.5, 0]}}\n"
    "joints:\n"
    "  A: {type: revolute, on: [ground, a], at: a}\n"
    "  B: {type: revolute, on: [a, b], at: a.e}\n"
    "forces:\n"
    "  S: {type: spring, on: [ground, b], at: [[1.3, 0.6], b.e], %s, form: mixed}\n"
    "simulate: {until: 0.5, method: %s}\n"
    "outputs: {every: 0.05, signals: [b.position, S.value, energy]}\n";

// A point on such a damper: nothing is rigid, so that gauss takes it.
static const char point[] =
    "flexion: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  b: {type: point, mass: 0.8, position: [1, 0.2]}\n"
    "forces:\n"
    "  S: {type: spring, on: [ground, b], at: [[0, 0], b], %s, form: mixed}\n"
    "simulate: {until: 0.5, method: %s}\n"
    "outputs: {every: 0.05, signals: [b.position, S.value, energy]}\n";

// The largest difference of a signal between two tables with the same rows, over its largest value.
static double differ(const case_table *a, const case_table *b, const char *signal)
{
    double worst = 0.0, size = 0.0;
    for (int i = 0; i <= 10; i++) {
        double x = (double)NAN, y = (double)NAN;
        case_table_value(a, signal, 0.05 * i, &x);
        case_table_value(b, signal, 0.05 * i, &y);
        if (isnan(x - y)) return HUGE_VAL;
        worst = fmax(worst, fabs(x - y));
        size = fmax(size, fabs(y));
    }
    return worst / size;
}

typedef struct trial {
    const char *model, *method;
    double force, energy; // what may be wrong of the force, and of what is dissipated
} trial;

static int strong_dampers_have_their_force(void)
{
    static const trial all[] = {{links, "midpoint, step: 2e-3", 1e-3, 1e-2},
                                {links, "trapezoidal, step: 2e-3", 1e-3, 1e-2},
                                {links, "lobatto, family: IIIA, step: 2e-3", 1e-3, 1e-2},
                                {links, "galerkin, step: 2e-3", 3e-4, 1e-2},
                                {links, "variational, step: 2e-3", 5e-4, 1e-2},
                                {point, "gauss, stages: 1, step: 2e-3", 1e-3, 1e-2},
                                {point, "gauss, stages: 2, step: 2e-3", 3e-4, 1e-2},
                                {point, "gauss, stages: 3, step: 2e-3", 3e-4, 1e-2},
                                {point, "trapezoidal, step: 2e-3", 1e-3, 1e-2},
                                {point, "galerkin, degree: 3, step: 2e-3", 3e-4, 1e-2}};
    static const char *const dampers[] = {"damping: 1e8", "stiffness: 1e4, damping: 1e5"};
    for (int i = 0; i < 2 * ARRAY_LENGTH(all); i++) {
        const trial *k = &all[i / 2];
        char text[1024];
        case_table right = {0}, found = {0};
        flx_ledger l = {0};
        snprintf(text, sizeof text, k->model, dampers[i % 2], "radau, rtol: 1e-9, atol: 1e-11");
        CHECK(case_run(text, NULL, &right, NULL, NULL));
        snprintf(text, sizeof text, k->model, dampers[i % 2], k->method);
        CHECK(case_run_ledger(text, NULL, &found, &l));
        double force = differ(&found, &right, "S.value");
        double energy = differ(&found, &right, "energy.dissipated");
        printf("    %s, %s: force %.1e, dissipated %.1e\n", k->method, dampers[i % 2], force,
               energy);
        CHECK(force < k->force && energy < k->energy);
        CHECK(l.allocations_in_loop == 0);
        case_table_clear(&right);
        case_table_clear(&found);
    }
    return 0;
}

// A force that cannot be right is told of, once; and methods that damp say nothing.
static int stiff_springs_are_told_of(void)
{
    static const char *const loud[] = {"midpoint", "trapezoidal", "lobatto, family: IIIA",
                                       "newmark", "generalized-alpha, spectral_radius: 1"};
    static const char *const quiet[] = {"radau", "lobatto", "generalized-alpha", "implicit-euler"};
    char text[1024], method[80], said[2048];
    for (int i = 0; i < ARRAY_LENGTH(loud) + ARRAY_LENGTH(quiet); i++) {
        bool rings = i < ARRAY_LENGTH(loud);
        snprintf(method, sizeof method, "%s, step: 2e-3",
                 rings ? loud[i] : quiet[i - ARRAY_LENGTH(loud)]);
        snprintf(text, sizeof text, links, "stiffness: 1e10", method);
        CHECK(case_run_said(text, NULL, said, sizeof said));
        const char *where = strstr(said, "does not damp what is stiff: 'S' (pull)");
        printf("    %s: %s\n", method, rings ? where : said);
        CHECK(rings == (where != NULL));
        CHECK(!where || strstr(where + 1, "does not damp what is stiff") == NULL);
        snprintf(text, sizeof text, links, "stiffness: 1e2, damping: 1", method);
        CHECK(case_run_said(text, NULL, said, sizeof said));
        CHECK(strstr(said, "does not damp what is stiff") == NULL);
    }
    return 0;
}

// ... and where Newton's iteration fails for it, in constraints or in plain forces, it says so.
static int failures_by_stiffness_say_what_to_do(void)
{
    static const char *const methods[] = {"galerkin, step: 2e-3", "variational, step: 2e-3"};
    for (int i = 0; i < 4; i++) {
        char text[1024], said[2048], *form;
        snprintf(text, sizeof text, links, "stiffness: 1e12", methods[i / 2]);
        form = strstr(text, "form: mixed");
        if (i % 2) memcpy(form, "form: plain", 11);
        CHECK(!case_run_said(text, NULL, said, sizeof said));
        CHECK_TEXT(said, "radau or generalized-alpha, which damp what is too stiff");
    }
    return 0;
}

// ---- instants -------------------------------------------------------------------------------

// A pendulum of two links whose spring has a dead zone: steps end at its borders, and velocities across the joints, which
// nothing damps in index 3, must not keep what steps of other lengths left.
static const char dead_zone[] =
    "flexion: 1\n"
    "dimension: 2\n"
    "gravity: [0.5, -9.81]\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, com: [0.3, 0.02], inertia: 0.03, points: {e: [0.6, 0]}}\n"
    "  b: {type: rigid, mass: 0.8, com: [0.3, 0], inertia: 0.02, position: [0.6, 0], orientation: "
    "0.4}\n"
    "joints:\n"
    "  A: {type: revolute, on: [ground, a], at: a}\n"
    "  B: {type: revolute, on: [a, b], at: a.e}\n"
    "forces:\n"
    "  s: {type: torque, on: B, value: 'if(B.angle > 0.05, -60*(B.angle - 0.05), if(B.angle < "
    "-0.05, "
    "-60*(B.angle + 0.05), 0))'}\n"
    "simulate: {until: 1.5, method: newmark, formulation: index-3, step: %g}\n"
    "outputs: {every: 0.05, signals: [b.velocity]}\n";

static int instants_leave_velocities_on_the_joints(void)
{
    double left[3];
    for (int k = 0; k < 3; k++) {
        char text[1024];
        case_table t = {0};
        flx_ledger l = {0};
        snprintf(text, sizeof text, dead_zone, 2e-3 / (1 << k));
        CHECK(case_run_ledger(text, NULL, &t, &l));
        left[k] = l.velocity_residual;
        case_table_clear(&t);
    }
    printf("    velocities across the joints: %.2e %.2e %.2e\n", left[0], left[1], left[2]);
    CHECK(left[0] < 1e-3 && left[1] < 0.3 * left[0] && left[2] < 0.3 * left[1]);
    return 0;
}

// ---- constraints on velocities --------------------------------------------------------------------

static const char ball[] =
    "flexion: 1\n"
    "gravity: [0.8, 0.2, -9.81]\n"
    "bodies:\n"
    "  m: {type: rigid, mass: 0.5, com: [0.01, 0, 0.02], inertia: [0.002, 0.0025, 0.003],\n"
    "      position: [-0.8, 0, 0.1]}\n"
    "joints:\n"
    "  roll: {type: rolling, on: [ground, m], at: [[0, 0, 0], m], normal: [0, 0, 1], radius: 0.1}\n"
    "simulate: {until: 2, method: variational, alpha: %g, step: 1e-3}\n"
    "outputs: {times: [2], signals: [m.position, energy]}\n";

static const char sledge[] =
    "flexion: 1\n"
    "gravity: [0.8, 0.2, -9.81]\n"
    "bodies:\n"
    "  m: {type: rigid, mass: 2, com: [0.1, 0.05, 0], inertia: [0.1, 0.12, 0.2],\n"
    "      velocity: [1, 0, 0], angular_velocity: [0, 0, 0.7]}\n"
    "joints:\n"
    "  floor: {type: planar, on: [ground, m], at: m, axis: [0, 0, 1]}\n"
    "  edge: {type: knife-edge, on: [ground, m], at: m, axis: [0, 1, 0]}\n"
    "simulate: {until: 2, method: variational, alpha: %g, step: 1e-3}\n"
    "outputs: {times: [2], signals: [m.position, energy]}\n";

static const char driven[] =
    "flexion: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, com: [0.3, 0], inertia: 0.02, points: {e: [0.6, 0]}}\n"
    "  m: {type: rigid, mass: 1, com: [0.3, 0], inertia: 0.02, position: [0.6, 0]}\n"
    "joints:\n"
    "  A: {type: revolute, on: [ground, a], at: a, motion: {rate: 2*cos(3*t)}}\n"
    "  B: {type: revolute, on: [a, m], at: a.e}\n"
    "simulate: {until: 2, method: variational, alpha: %g, step: 1e-3}\n"
    "outputs: {times: [2], signals: [m.position, energy]}\n";

// Errors of order 1 at the ends of alpha, and no growth.
static int velocity_constraints_hold_with_every_alpha(void)
{
    static const char *const models[] = {ball, sledge, driven};
    static const double alphas[] = {0.5, 0.0, 0.25, 0.75, 1.0};
    for (int i = 0; i < 3; i++) {
        double place[2] = {0.0, 0.0};
        for (int k = 0; k < 5; k++) {
            char text[1024];
            case_table t = {0};
            flx_ledger l = {0};
            snprintf(text, sizeof text, models[i], alphas[k]);
            CHECK(case_run_ledger(text, NULL, &t, &l));
            double x = (double)NAN, y = (double)NAN;
            case_table_value(&t, "m.position.x", 2.0, &x);
            case_table_value(&t, "m.position.y", 2.0, &y);
            if (k == 0) {
                place[0] = x;
                place[1] = y;
            }
            printf("    model %d, alpha %g: moved by %.1e, drift %.1e\n", i, alphas[k],
                   hypot(x - place[0], y - place[1]), l.energy_drift);
            CHECK(hypot(x - place[0], y - place[1]) < 3e-3);
            CHECK(l.energy_drift < 4e-3);
            case_table_clear(&t);
        }
    }
    return 0;
}

TEST_MAIN(SLOW_TEST(strong_dampers_have_their_force), TEST(instants_leave_velocities_on_the_joints),
          TEST(stiff_springs_are_told_of), TEST(failures_by_stiffness_say_what_to_do),
          SLOW_TEST(velocity_constraints_hold_with_every_alpha))
