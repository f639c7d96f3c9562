// test_modes.c - eigenvalues and equilibria against closed forms: oscillators, spinning and rolling bodies.
#include "base/common.h"
#include "check.h"
#include "findings.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"

#include <stdlib.h>

#define G 9.81

typedef struct found {
    flx_ctx *ctx;
    flx_model *model;
    flx_simulation *sim;
    flx_finding f;
    flx_status status;
} found;

// Analysis `number` of the model.
static void find(found *a, const char *text, int number)
{
    *a = (found){.ctx = flx_ctx_create()};
    a->status = flx_model_read_text(a->ctx, "model", text, strlen(text), 0, NULL, &a->model);
    if (a->status == FLX_OK) a->status = flx_simulation_create_to_analyse(a->model, &a->sim);
    if (a->status == FLX_OK) a->status = flx_simulation_analyse(a->sim, number, &a->f);
    const flx_message *m = a->status != FLX_OK ? flx_ctx_error(a->ctx, 0) : NULL;
    if (m) printf("  %s\n", m->text);
}

static void done(found *a)
{
    flx_modes_clear(&a->f.modes);
    flx_simulation_destroy(&a->sim);
    flx_model_destroy(&a->model);
    flx_ctx_destroy(&a->ctx);
}

// Modes s = re +- i im in this order, and no others.
static int check_modes(const char *text, int number, int n, const double (*s)[2], int neutral,
                       double tolerance)
{
    found a;
    find(&a, text, number);
    CHECK(a.status == FLX_OK);
    CHECK(a.f.steady && a.f.balanced);
    CHECK(a.f.modes.nmode == n || (printf("  %d modes\n", a.f.modes.nmode), 0));
    CHECK(a.f.modes.nneutral == neutral || (printf("  %d neutral\n", a.f.modes.nneutral), 0));
    for (int i = 0; i < n; i++) {
        double size = hypot(s[i][0], s[i][1]);
        CHECK_NEAR(a.f.modes.modes[i].re, s[i][0], tolerance * size);
        CHECK_NEAR(a.f.modes.modes[i].im, s[i][1], tolerance * size);
        CHECK_NEAR(a.f.modes.modes[i].damping, -s[i][0] / size, tolerance);
    }
    done(&a);
    return 0;
}

#define TWO_MASSES(mass)                                                                           \
    "flexion: 1\nparameters: {c: 10, d: 0.02}\nequations:\n  second_order:\n"                      \
    "    q1: {mass: " mass ", force: -d*q1' + d*(q2' - q1') - c*q1 + c*(q2 - q1)}\n"               \
    "    q2: {at: 0, mass: 1, force: -d*(q2' - q1') - c*(q2 - q1)}\nsimulate: {until: 1}\n"

// Roots of the characteristic polynomial (computed with 30 digits).
static int two_masses_oscillate(void)
{
    const double s[][2] = {{-0.0049937500097655945, 2.2346644204950403},
                           {-4.0050062499902344, 63.158262918859426}};
    return check_modes(TWO_MASSES("0.005"), -1, 2, s, 0, 1e-12);
}

// Without mass one equation is of first order: (s^2 + d s/2 + c/2)(2 d s + 2 c) = 0.
static int without_mass_the_order_is_lower(void)
{
    const double s[][2] = {{-0.005, sqrt(5.0 - 0.005 * 0.005)}, {-500.0, 0.0}};
    return check_modes(TWO_MASSES("0"), -1, 2, s, 0, 1e-12);
}

// Neither mass nor damping: the position follows, two springs of 10 N/m in a row.
static int without_mass_and_damping_the_position_follows(void)
{
    const char *text = "flexion: 1\nequations:\n  second_order:\n    q1: {mass: 0, force: -10*q1 + "
                       "10*(q2 - q1)}\n    q2: {force: -10*(q2 - q1)}\n";
    const double s[][2] = {{0.0, sqrt(5.0)}};
    return check_modes(text, -1, 1, s, 0, 1e-12);
}

static int nothing_holds_it(void)
{
    found a;
    find(&a,
         "flexion: 1\nequations:\n  second_order:\n    q1: {mass: 1, force: -q1}\n"
         "    lost: {mass: 0, force: 0*lost}\n",
         -1);
    CHECK(a.status != FLX_OK);
    CHECK_TEXT(flx_ctx_error(a.ctx, 0)->text, "lost");
    done(&a);
    return 0;
}

#define PENDULUM(formulation, analyses)                                                            \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"                                     \
    "  a: {type: rigid, mass: 2, inertia: 0.3, position: [0.8, 0.1]}\njoints:\n"                   \
    "  h: {type: revolute, on: [ground, a], at: [0, 0.1]}\noutputs: {signals: [a.position, "       \
    "h.reaction]}\nsimulate: {until: 1" formulation "}\nanalyse: {" analyses "}\n"

// Hung from the horizontal, in both kinds of coordinates.
static int a_pendulum_comes_to_rest(void)
{
    const char *texts[] = {PENDULUM("", "rest: {type: equilibrium}, m: {type: modes, about: rest}"),
                           PENDULUM(", method: dopri5, formulation: tree",
                                    "rest: {type: equilibrium}, m: {type: modes, about: rest}")};
    const double s[][2] = {{0.0, sqrt(2.0 * G * 0.8 / (0.3 + 2.0 * 0.64))}};
    for (int i = 0; i < 2; i++) {
        found a;
        find(&a, texts[i], 0);
        CHECK(a.status == FLX_OK);
        CHECK(a.f.rest.residual < 1e-9);
        CHECK_NEAR(a.f.signals[0], 0.0, 1e-12);
        CHECK_NEAR(a.f.signals[1], -0.7, 1e-12);
        CHECK_NEAR(a.f.signals[3], 2.0 * G, 1e-10);
        done(&a);
        CHECK(check_modes(texts[i], 1, 1, s, 0, 1e-11) == 0);
    }
    return 0;
}

// Forces that cancel in every coordinate: nothing is left to measure by but the stiffness.
static int what_hangs_in_springs_is_in_balance(void)
{
    found a;
    find(&a,
         "flexion: 1\ngravity: [0, 0, -9.81]\n"
         "bodies: {b: {type: point, mass: 1, position: [0.5, 0, -1]}}\nforces:\n"
         "  p: {type: spring, on: [ground, b], at: [[0, 0, 0], b], stiffness: 20, length: 1}\n"
         "  q: {type: spring, on: [ground, b], at: [[1, 0.2, 0], b], stiffness: 30, length: 1}\n"
         "  r: {type: spring, on: [ground, b], at: [[1, -0.9, 0], b], stiffness: 20, length: 1}\n"
         "analyse: {rest: {type: equilibrium}}\n",
         0);
    CHECK(a.status == FLX_OK);
    CHECK(a.f.rest.residual < 1e-13);
    done(&a);
    return 0;
}

static int what_is_not_at_rest_says_so(void)
{
    found a;
    find(&a, PENDULUM("", "m: {type: modes}"), 0);
    CHECK(a.status == FLX_OK && !a.f.balanced);
    done(&a);
    find(&a, PENDULUM("", "m: {type: modes, about: end}"), 0);
    CHECK(a.status == FLX_OK && !a.f.steady);
    done(&a);
    return 0;
}

static int nothing_rests_that_falls(void)
{
    found a;
    find(&a,
         "flexion: 1\ngravity: [0, 0, -9.81]\nbodies: {stone: {type: point, mass: 1}}\n"
         "analyse: {rest: {type: equilibrium}}\n",
         0);
    CHECK(a.status == FLX_NO_CONVERGENCE);
    CHECK_TEXT(flx_ctx_error(a.ctx, 0)->text, "stone");
    done(&a);
    return 0;
}

// The run begins at rest and stays, whatever finds its accelerations: these are rounding.
static int stays(const char *form, const char *method)
{
    static const char model[] =
        "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  a: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.5, 0, 0]}\n"
        "  b: {type: rigid, mass: 2, inertia: [0.1, 0.2, 0.3], position: [1, 0, 0], com: [0.5, "
        "0, 0]}\njoints:\n  s: {type: spherical, on: [ground, a], at: [0, 0, 0]}\n"
        "  r: {type: revolute, on: [a, b], at: b, axis: [0, 1, 0]}\nforces:\n"
        "  k: {type: spring, on: [ground, b], at: [[2, 1, 1], b.com], stiffness: 40, length: 0.5}\n"
        "  d: {type: bushing, on: [ground, a], at: [0, 0, 0], stiffness: [0, 0, 0, 3, 3, 3]}\n"
        "analyse: {rest: {type: equilibrium}}\nsimulate: {start: rest, until: 2, method: %s, "
        "formulation: %s}\noutputs: {metrics: {dx: maximum(norm(b.velocity)), dw: "
        "maximum(norm(a.angular_velocity))}}\n";
    char text[2000];
    flx_ctx *ctx = flx_ctx_create();
    flx_model *read = NULL;
    flx_simulation *sim = NULL;
    double speed, spin;
    snprintf(text, sizeof text, model, method, form);
    CHECK(flx_model_read_text(ctx, "m", text, strlen(text), 0, NULL, &read) == FLX_OK);
    CHECK(flx_simulation_create(read, &sim) == FLX_OK);
    CHECK(flx_simulation_run(sim, 0, NULL, NULL, NULL) == FLX_OK);
    flx_simulation_metric(sim, 0, &speed);
    flx_simulation_metric(sim, 1, &spin);
    CHECK(speed < 1e-8 && spin < 1e-8);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&read);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int a_run_begins_at_rest(void)
{
    CHECK(stays("index-1", "dopri5, rtol: 1e-9") == 0);
    CHECK(stays("index-3", "midpoint, step: 0.01") == 0);
    CHECK(stays("tree", "dopri5, rtol: 1e-9") == 0);
    CHECK(stays("tree", "midpoint, step: 0.01") == 0);
    CHECK(stays("tree", "gauss, rtol: 1e-9") == 0);
    return 0;
}

// ---- steady motions -----------------------------------------------------------------------------

// Lean and yaw of a disc that rolls straight on:
//     (I_t + m r^2) It s^2 = m g r It - I_s (I_s + m r^2) w^2
static int a_disc_rolls_straight(void)
{
    static const char text[] =
        "flexion: 1\nparameters: {v: 3, r: 0.5}\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  disc: {type: rigid, mass: 2, inertia: [0.125, 0.25, 0.125], position: [0, 0, r], "
        "velocity: [v, 0, 0], angular_velocity: [0, v/r, 0]}\njoints:\n  touch: {type: rolling, "
        "on: [ground, disc], at: [[0, 0, 0], disc], normal: [0, 0, 1], axis: [0, 1, 0], radius: "
        "r}\nanalyse: {m: {type: modes}}\n";
    double It = 0.125, Is = 0.25, mrr = 0.5, w = 6.0;
    double square = (Is * (Is + mrr) * w * w / It - 2.0 * G * 0.5) / (It + mrr);
    const double s[][2] = {{0.0, sqrt(square)}};
    return check_modes(text, 0, 1, s, 6, 1e-12);
}

// Centre of mass ahead of the blade: s = -m a v / (J + m a^2); behind, it turns over.
static int a_sleigh_slides_straight(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\nbodies:\n  s: {type: rigid, mass: 2, inertia: 0.6, com: [%g, "
        "0], velocity: [1.5, 0]}\njoints:\n  blade: {type: knife-edge, on: [ground, s], at: [0, "
        "0], axis: [0, 1]}\nanalyse: {m: {type: modes}}\n";
    for (double ahead = -0.3; ahead < 0.5; ahead += 0.6) {
        char model[400];
        snprintf(model, sizeof model, text, ahead);
        const double s[][2] = {{-2.0 * ahead * 1.5 / (0.6 + 2.0 * 0.09), 0.0}};
        CHECK(check_modes(model, 0, 1, s, 4, 1e-12) == 0);
    }
    return 0;
}

// About its middle axis: s^2 = w^2 (B - C)(B - A)/(A C). In axes that turn with the body, free
// directions turn backwards: +-i w.
static int a_free_body_spins_about_its_middle_axis(void)
{
    found a;
    find(&a,
         "flexion: 1\nbodies:\n  a: {type: rigid, mass: 2, inertia: [1, 2, 2.5], "
         "angular_velocity: [0, 4, 0]}\nanalyse: {m: {type: modes}}\n",
         0);
    CHECK(a.status == FLX_OK && a.f.steady);
    CHECK_REL(fabs(a.f.modes.modes[0].re), sqrt(16.0 * 0.5 / 2.5), 1e-13);
    CHECK_REL(fabs(a.f.modes.modes[1].re), sqrt(16.0 * 0.5 / 2.5), 1e-13);
    CHECK(a.f.modes.nmode == 5);
    for (int i = 2; i < 5; i++) CHECK_NEAR(a.f.modes.modes[i].im, 4.0, 1e-6);
    done(&a);
    return 0;
}

// A top that sleeps: A s^2 - i C n s - m g l = 0, s = i (C n +- sqrt(C^2 n^2 - 4 A m g l)) / (2 A).
static int a_sleeping_top_nods(void)
{
    static const char text[] =
        "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n  top: {type: rigid, mass: 1, com: [0, 0, "
        "0.1], inertia: [0.002, 0.002, 0.003], angular_velocity: [0, 0, 90]}\njoints:\n  tip: "
        "{type: spherical, on: [ground, top], at: [0, 0, 0]}\nanalyse: {m: {type: modes}}\n";
    double A = 0.002 + 0.01, C = 0.003 * 90.0, root = sqrt(C * C - 4.0 * A * G * 0.1);
    const double s[][2] = {{0.0, (C - root) / (2.0 * A)}, {0.0, (C + root) / (2.0 * A)}};
    return check_modes(text, 0, 2, s, 2, 1e-12);
}

// A conical pendulum, whose axes turn with it: w^2 = Omega^2 (1 + 3 cos^2), Omega^2 = g/(l cos).
static int a_conical_pendulum_wobbles(void)
{
    static const char text[] =
        "flexion: 1\nparameters: {a: 0.6, l: 0.7, W: sqrt(9.81/(l*cos(a)))}\ngravity: [0, 0, "
        "-9.81]\nbodies:\n  bob: {type: point, mass: 2, position: [l*sin(a), 0, -l*cos(a)], "
        "velocity: [0, W*l*sin(a), 0]}\njoints:\n  rod: {type: distance, on: [ground, bob], at: "
        "[[0, 0, 0], bob]}\nanalyse: {m: {type: modes}}\n";
    double c = cos(0.6), W = sqrt(G / (0.7 * c));
    const double s[][2] = {{0.0, W * sqrt(1.0 + 3.0 * c * c)}};
    return check_modes(text, 0, 1, s, 2, 1e-12);
}

// ---- words --------------------------------------------------------------------------------------

static int wrong_analyses_are_told(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"analyse: {m: {type: modes}}\nsimulate: {until: 1, start: m}", "'m' is no equilibrium"},
        {"analyse: {m: {type: modes, about: end}}", "no run whose end"},
        {"analyse: {m: {type: modes, count: 0}}", "at least 1"},
        {"analyse: {rest: {type: equilibrium}, m: {type: modes, about: rset}}",
         "did you mean 'rest'?"},
        {"analyse: {a: {type: equilibrium, about: b}, b: {type: equilibrium}}", "before it"},
        {"analyse: {m: {type: modes}}\nsimulate: {until: 1}\noutputs: {signals: [m.eigenvalues]}",
         "give 'm' a count"},
        {"analyse: {m: {type: equilibrium}}\nsimulate: {until: 1}\noutputs: {signals: "
         "[m.eigenvalues]}",
         "eigenvalues"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[400];
        found a;
        snprintf(text, sizeof text,
                 "flexion: 1\nequations: {second_order: {x: {at: 1, force: -x}}}\n%s\n",
                 cases[i].text);
        find(&a, text, 0);
        CHECK(a.status == FLX_ERR_MODEL);
        CHECK_TEXT(flx_ctx_error(a.ctx, 0)->text, cases[i].message);
        done(&a);
    }
    return 0;
}

// A table of lines has its own slope everywhere, also between corners too low to end steps at.
static int a_table_is_as_stiff_as_its_line(void)
{
    static const double x[] = {0.0, 0.15, 0.3, 0.45, 0.65}, y[] = {0.0, -2.2, 1.45, 5.23, -3.55};
    for (int i = 0; i < 4; i++) {
        for (int side = -1; side <= 1; side += 2) {
            char text[900];
            found a;
            double slope = (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
            snprintf(text, sizeof text,
                     "flexion: 1\ndimension: 2\nfunctions: {g: {interpolation: linear, "
                     "extrapolation: linear, points: [[-0.65, 3.55], [-0.45, -5.23], [-0.3, "
                     "-1.45], [-0.15, 2.2], [0, 0], [0.15, -2.2], [0.3, 1.45], [0.45, 5.23], "
                     "[0.65, -3.55]]}}\n"
                     "bodies: {b: {type: rigid, mass: 1, inertia: 1}}\n"
                     "joints: {j: {type: revolute, on: [ground, b], at: [0, 0]}}\n"
                     "forces: {f: {type: torque, on: j, value: \"-g(j.angle + %g) - "
                     "60*j.angle\"}}\nanalyse: {m: {type: modes}}\n",
                     side * 0.5 * (x[i] + x[i + 1]));
            find(&a, text, 0);
            CHECK(a.status == FLX_OK && a.f.modes.nmode == 1);
            CHECK_REL(a.f.modes.modes[0].im, sqrt(60.0 + slope), 1e-10);
            done(&a);
        }
    }
    return 0;
}

// What begins to fall, with hardly any velocity, turns about nothing: modes are those at rest.
static int what_begins_to_move_does_not_turn(void)
{
    static const double speeds[] = {0.0, 1e-9, 1e-6, 1e-3};
    for (int i = 0; i < 4; i++) {
        char text[500];
        found a;
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ngravity: [3, -9]\n"
                 "bodies: {b: {type: rigid, mass: 2, inertia: 0.3, position: [0, 0], velocity: "
                 "[%g, 0]}}\n"
                 "forces: {f: {type: spring, on: [ground, b], at: [[1, 0], b], stiffness: 8, "
                 "length: 1}}\nanalyse: {m: {type: modes}}\n",
                 speeds[i]);
        find(&a, text, 0);
        CHECK(a.status == FLX_OK && a.f.modes.nmode == 1);
        CHECK_NEAR(a.f.modes.modes[0].im, 2.0, 1e-9);
        CHECK_NEAR(a.f.turning[2], 0.0, 1e-9);
        done(&a);
    }
    return 0;
}

// A cart on a wheel that does not slip sideways, drawn beside its springs: where it comes to rest depends on the way.
static int equilibria_of_what_rolls_are_many(void)
{
    findings w = findings_of(
        "flexion: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {cart: {type: rigid, mass: 3, inertia: [0.1, 0.1, 0.2], position: [0, 0, 0.2]},\n"
        "  wheel: {type: rigid, mass: 1, inertia: [0.01, 0.02, 0.01], position: [0.3, 0, 0.2]}}\n"
        "joints: {lie: {type: planar, on: [ground, cart], at: cart, axis: [0, 0, 1]},\n"
        "  axle: {type: revolute, on: [cart, wheel], at: wheel, axis: [0, 1, 0]},\n"
        "  tyre: {type: rolling, on: [ground, wheel], at: [[0, 0, 0], wheel], normal: [0, 0, 1], "
        "axis: [0, 1, 0], radius: 0.2}}\n"
        "forces: {s: {type: spring, on: [ground, cart], at: [[1, 0.5, 0.2], [0, 0.1, 0.2]], "
        "stiffness: 200, length: 0.1}}\n"
        "analyse: {rest: {type: equilibrium}}\n");
    CHECK(w.status == FLX_OK && w.f.nline == 1);
    CHECK_TEXT(w.f.lines[0], "'tyre' constrains velocities");
    findings_clear(&w);
    return 0;
}

TEST_MAIN(TEST(equilibria_of_what_rolls_are_many), TEST(a_table_is_as_stiff_as_its_line),
          TEST(what_begins_to_move_does_not_turn), TEST(two_masses_oscillate),
          TEST(without_mass_the_order_is_lower),
          TEST(without_mass_and_damping_the_position_follows), TEST(nothing_holds_it),
          TEST(a_pendulum_comes_to_rest), TEST(what_hangs_in_springs_is_in_balance),
          TEST(what_is_not_at_rest_says_so), TEST(nothing_rests_that_falls),
          TEST(a_run_begins_at_rest), TEST(a_disc_rolls_straight), TEST(a_sleigh_slides_straight),
          TEST(a_free_body_spins_about_its_middle_axis), TEST(a_sleeping_top_nods),
          TEST(a_conical_pendulum_wobbles), TEST(wrong_analyses_are_told))
