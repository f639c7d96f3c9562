// Friction of compliant contacts as it is, `friction: 0.3`: it sticks without creep, and the instants of stick and slip are found.
#include "case_table.h"
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define G 9.81

// ---- a mass that is pulled ------------------------------------------------------------------------

// It rests at its depth; the pull c t overcomes what sticks, fs m g, at t1; from then on f m g acts.
static int pulled_mass_slips_at_its_instant(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "parameters: {m: 2, fs: 0.5, f: 0.3, k: 1e5, c: 4}\n"
        "bodies: {b: {type: point, mass: m, position: [0, 0.1 - m*9.81/k], surface: {sphere: "
        "0.1}}}\n"
        "forces:\n"
        "  floor: {type: contact, on: [ground, b], law: penalty, stiffness: k%s,\n"
        "    friction: {coefficient: f, static: fs}}\n"
        "  pull: {type: expression, on: b, force: [c*t, 0]}\n"
        "signals: {lost: energy.dissipated}\n"
        "simulate: {until: 4, %s}\n"
        "outputs: {every: 1, signals: [b.position.x, b.velocity.x, floor.state, floor.friction.x, "
        "lost]}\n";
    static const struct {
        const char *form, *method;
        double error;
    } ways[] = {{"", "method: radau, rtol: 1e-9", 1e-8},
                {"", "method: radau, rtol: 1e-9, formulation: tree", 1e-8},
                {"", "method: dopri5, step: 2e-3", 1e-8},
                {", form: mixed", "method: radau, rtol: 1e-9", 1e-8},
                {"", "method: bdf, rtol: 1e-8", 1e-7},
                {"", "method: lobatto, step: 2e-3", 1e-8},
                {"", "method: rk4, step: 2e-3", 1e-8},
                {"", "method: generalized-alpha, rtol: 1e-8", 1e-7},
                {"", "method: hht, step: 2e-3", 2e-6},
                {"", "method: midpoint, step: 2e-3", 2e-6}};
    const double m = 2, fs = 0.5, f = 0.3, c = 4, t1 = fs * m * G / c, T = 4, left = T - t1;
    const double v = c / (2 * m) * (T * T - t1 * t1) - f * G * left;
    const double x = c / (6 * m) * (T * T * T - t1 * t1 * t1) - c * t1 * t1 / (2 * m) * left -
                     f * G * left * left / 2;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        char model[1500];
        case_table t = {0};
        flx_ledger ledger = {0};
        double at, rate, state, force, before, lost;
        snprintf(model, sizeof model, text, ways[i].form, ways[i].method);
        CHECK(case_run_ledger(model, NULL, &t, &ledger));
        CHECK(case_table_value(&t, "b.position.x", 4, &at));
        CHECK(case_table_value(&t, "b.velocity.x", 4, &rate));
        CHECK(case_table_value(&t, "b.position.x", 2, &before));
        CHECK(case_table_value(&t, "floor.friction.x", 2, &force));
        CHECK(case_table_value(&t, "floor.state", 2, &state));
        CHECK(case_table_value(&t, "lost", 4, &lost));
        CHECK(state == 2.0 && fabs(before) < 1e-15);
        CHECK_NEAR(force, -c * 2, 1e-9);
        CHECK_NEAR(at, x, ways[i].error);
        CHECK_NEAR(rate, v, ways[i].error);
        CHECK_NEAR(lost, f * m * G * x, 1e-4);
        case_table_clear(&t);
    }
    return 0;
}

// ---- a ball that begins to roll -------------------------------------------------------------------

// Friction acts at the middle of the overlap, with the arm a = r - d/2: J = u0/(1/m + a^2/I) stops the slip, in any direction.
static int sliding_ball_rolls(void)
{
    static const char text[] =
        "flexion: 1\nparameters: {m: 0.2, r: 0.05, k: 1e6, f: 0.12, q: %.17g, I: 0.4*m*r^2}\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {ball: {type: rigid, mass: m, inertia: [I, I, I],\n"
        "  position: [0, 0, r - (m*9.81/k)^(2/3)],\n"
        "  velocity: [cos(q) - 0.3*sin(q), sin(q) + 0.3*cos(q), 0],\n"
        "  angular_velocity: [20*sin(q), -20*cos(q), 0], surface: {sphere: r}}}\n"
        "forces: {floor: {type: contact, on: [ground, ball], law: hertz, stiffness: k, friction: "
        "f}}\n"
        "signals: {along: cos(q)*ball.velocity.x + sin(q)*ball.velocity.y,\n"
        "  aside: cos(q)*ball.velocity.y - sin(q)*ball.velocity.x}\n"
        "simulate: {until: 1, %s}\n"
        "outputs: {every: 0.5, signals: [along, aside, floor.state, floor.slip, floor.value]}\n";
    static const char *const methods[] = {"method: radau, rtol: 1e-8",
                                          "method: radau, rtol: 1e-8, formulation: tree",
                                          "method: bdf, rtol: 1e-8", "method: dopri5, rtol: 1e-8",
                                          "method: generalized-alpha, rtol: 1e-7"};
    const double m = 0.2, r = 0.05, d = pow(m * G / 1e6, 2.0 / 3), a = r - d / 2,
                 I = 0.4 * m * r * r;
    const double u[2] = {1 + 20 * a, 0.3}, part = 1 / (1 / m + a * a / I) / m;
    for (int i = 0; i < 5 + 3; i++) {
        char model[1500];
        case_table t = {0};
        double along, aside, state;
        snprintf(model, sizeof model, text, i < 5 ? 0.0 : 0.9 * i, methods[i < 5 ? i : 0]);
        CHECK(case_run(model, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "along", 1, &along));
        CHECK(case_table_value(&t, "aside", 1, &aside));
        CHECK(case_table_value(&t, "floor.state", 1, &state));
        CHECK(state == 2.0);
        CHECK_NEAR(along, 1 - part * u[0], 2e-6);
        CHECK_NEAR(aside, 0.3 - part * u[1], 2e-6);
        case_table_clear(&t);
    }
    return 0;
}

// A ball that strikes with much slip leaves with f times the normal impulse less of it, whatever the law; what rolls after some bounces goes on.
static int bouncing_ball_keeps_the_law(void)
{
    static const char text[] =
        "flexion: 1\ngravity: [0, 0, -9.81]\n"
        "parameters: {m: 0.2, r: 0.05, k: 1e6, e: 0.8, f: 0.12}\n"
        "bodies: {ball: {type: rigid, mass: m, inertia: [0.4*m*r^2, 0.4*m*r^2, 0.4*m*r^2],\n"
        "  position: [0, 0, 0.6], velocity: [1, 0.3, 0], angular_velocity: [0, -80, 0],\n"
        "  surface: {sphere: r}}}\n"
        "forces: {floor: {type: contact, on: [ground, ball], law: hunt-crossley, stiffness: k,\n"
        "  restitution: e, friction: f}}\n"
        "simulate: {until: %s, method: radau, rtol: 1e-8}\n"
        "outputs: {every: 0.6, signals: [ball.velocity, floor.state]}\n";
    char model[1200];
    case_table t = {0};
    flx_ledger ledger = {0};
    double x, y, z;
    snprintf(model, sizeof model, text, "2.4");
    CHECK(case_run_ledger(model, NULL, &t, &ledger));
    CHECK(case_table_value(&t, "ball.velocity.x", 0.6, &x));
    CHECK(case_table_value(&t, "ball.velocity.y", 0.6, &y));
    CHECK(case_table_value(&t, "ball.velocity.z", 0.6, &z));
    CHECK_NEAR(hypot(1 - x, 0.3 - y), 0.12 * (z + G * 0.6), 1e-6);
    CHECK_NEAR(z + G * 0.6, 1.8 * sqrt(2 * G * 0.55), 0.06); // and gravity during the touch
    CHECK(ledger.energy_drift < 1e-7);
    case_table_clear(&t);
    return 0;
}

// ---- a box on four corners ------------------------------------------------------------------------

// What its corners hold together does not depend on the axes; it slips where f m g is reached.
static int box_slips_as_one(void)
{
    static const char text[] =
        "flexion: 1\ngravity: [0, 0, -9.81]\nparameters: {p: 0.9, q: %g}\n"
        "bodies: {box: {type: rigid, mass: 2, inertia: [0.01, 0.01, 0.01],\n"
        "  position: [0, 0, 0.01 - 2*9.81/4e5], surface: {box: [0.2, 0.2, 0.02]}}}\n"
        "forces:\n"
        "  push: {type: force, on: box, value: ['p*2*9.81*cos(q)*t', 'p*2*9.81*sin(q)*t', 0]}\n"
        "  floor: {type: contact, on: [ground, box], law: penalty, stiffness: 1e5, damping: 400,\n"
        "    friction: 0.3}\n"
        "signals: {x: box.position.x*cos(q) + box.position.y*sin(q),\n"
        "  y: box.position.y*cos(q) - box.position.x*sin(q)}\n"
        "outputs: {every: 0.25, signals: [x, y, floor.state]}\n"
        "simulate: {until: 1, method: radau, rtol: 1e-6%s}\n";
    const double angle[] = {0.0, 0.7, 0.7, -1.9}, t1 = 0.3 / 0.9, left = 1 - t1;
    const double x =
        0.9 * G / 6 * (1 - t1 * t1 * t1) - 0.9 * G * t1 * t1 / 2 * left - 0.3 * G * left * left / 2;
    for (int i = 0; i < 4; i++) {
        char model[1500];
        case_table t = {0};
        double at, aside, before, state;
        snprintf(model, sizeof model, text, angle[i], i == 2 ? ", formulation: tree" : "");
        CHECK(case_run(model, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "x", 1, &at));
        CHECK(case_table_value(&t, "y", 1, &aside));
        CHECK(case_table_value(&t, "x", 0.25, &before));
        CHECK(case_table_value(&t, "floor.state", 0.25, &state));
        CHECK(state == 2.0 && fabs(before) < 2e-7); // it tips a little on its springs
        CHECK_NEAR(at, x, 2e-6);
        CHECK_NEAR(aside, 0.0, 1e-6);
        case_table_clear(&t);
    }
    return 0;
}

// It slides and turns until all of its corners stand still at once, though they are at different depths, on the ground and on a cart
// that brakes: every method finds the same place.
static int box_comes_to_rest(void)
{
    static const char text[] =
        "flexion: 1\ngravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  cart: {type: rigid, mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0],\n"
        "    velocity: [%g, 0, 0]}\n"
        "  box: {type: rigid, mass: 0.5, inertia: [0.004, 0.003, 0.005],\n"
        "    position: [0.05, 0.02, 0.1], velocity: [1.2, 0.3, 0], angular_velocity: [0, 0, 1.5]}\n"
        "joints: {rail: {type: prismatic, on: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0],\n"
        "  friction: {coefficient: 0.05, stick: true}}}\n"
        "forces: {top: {type: contact, on: [%s, box], law: penalty, stiffness: 2e5, damping: 300,\n"
        "  surfaces: [{plane: [0, 0, 1]}, {box: [0.3, 0.2, 0.2]}], friction: 0.35}}\n"
        "simulate: {until: 0.8, rtol: 1e-7, method: %s}\n"
        "outputs: {times: [0.8], signals: [box.position, box.velocity.y, top.state]}\n";
    static const char *const methods[] = {"radau", "radau, formulation: tree", "bdf"};
    for (int i = 0; i < 6; i++) {
        static double first[2];
        char model[1700];
        case_table t = {0};
        flx_ledger ledger = {0};
        double x, y, v, state;
        snprintf(model, sizeof model, text, i < 3 ? 0.0 : 0.9, i < 3 ? "ground" : "cart",
                 methods[i % 3]);
        CHECK(case_run_ledger(model, NULL, &t, &ledger));
        CHECK(case_table_value(&t, "box.position.x", 0.8, &x));
        CHECK(case_table_value(&t, "box.position.y", 0.8, &y));
        CHECK(case_table_value(&t, "box.velocity.y", 0.8, &v));
        CHECK(case_table_value(&t, "top.state", 0.8, &state));
        if (i % 3 == 0) first[0] = x, first[1] = y;
        CHECK(state == 2.0 && fabs(v) < 1e-9);
        CHECK_NEAR(x, first[0], 2e-7);
        CHECK_NEAR(y, first[1], 2e-7);
        printf("%d: %.9f %.9f, energy %.1e\n", i, x, y, ledger.energy_drift);
        CHECK(ledger.energy_drift < 1e-7);
        case_table_clear(&t);
    }
    return 0;
}

// A capsule that bounces, slides and comes to roll, by steps of given length: what Newton's iteration leaves where slips end and turn is
// not taken for rounding. Velocities jumped by 0.02 m/s, the energy was off by 0.05, or a value was not finite.
static int given_steps_keep_the_energy(void)
{
    static const char text[] =
        "flexion: 1\ngravity: [0, 0, -9.81]\n"
        "bodies: {cap: {type: rigid, mass: 0.5, inertia: [0.002, 0.0006, 0.002],\n"
        "  position: [0.02, 0, 0.08], velocity: [0.3, 0.1, 0], angular_velocity: [0.2, 2, 0.5]}}\n"
        "forces: {floor: {type: contact, on: [ground, cap], surfaces: [{plane: [0, 0, 1]},\n"
        "  {capsule: {radius: 0.05, length: 0.2, axis: [0, 1, 0]}}],\n"
        "  law: hunt-crossley, stiffness: 2e6, damping: 0.4, friction: 0.3}}\n"
        "simulate: {until: 0.45, step: 1e-4, method: %s}\n"
        "outputs: {times: [0.45], signals: [cap.position.x]}\n";
    static const char *const methods[] = {"generalized-alpha", "hht", "newmark"};
    for (int i = 0; i < 3; i++) {
        char model[1200];
        case_table t = {0};
        flx_ledger ledger = {0};
        double x;
        snprintf(model, sizeof model, text, methods[i]);
        CHECK(case_run_ledger(model, NULL, &t, &ledger));
        CHECK(case_table_value(&t, "cap.position.x", 0.45, &x));
        printf("%s: %.7f, energy %.1e\n", methods[i], x, ledger.energy_drift);
        CHECK(ledger.energy_drift < 1.2e-3);
        CHECK_NEAR(x, 0.1314478, 3e-5);
        case_table_clear(&t);
    }
    return 0;
}

// ---- beside friction in a joint -------------------------------------------------------------------

// How long a step may be is asked of the gap of open points, which have no row of their own; a row of the joint was read there.
static int sliding_joint_beside_a_ball(void)
{
    static const char text[] =
        "flexion: 1\ngravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  sledge: {type: rigid, mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 1, 0],\n"
        "    velocity: [0.8, 0, 0]}\n"
        "  ball: {type: rigid, mass: 0.2, inertia: [2e-4, 2e-4, 2e-4], position: [0, 0, 0.3]}\n"
        "joints: {rail: {type: prismatic, on: [ground, sledge], at: sledge, axis: [1, 0, 0],\n"
        "  friction: {coefficient: 0.2, stick: true}}}\n"
        "forces: {bump: {type: contact, on: [ground, ball], law: hertz, stiffness: 1e6,\n"
        "  surfaces: [{sphere: 0.5, at: [0, 0, -0.5]}, {sphere: 0.05}], friction: 0.1}}\n"
        "simulate: {until: 0.5, rtol: 1e-8, method: %s}\n"
        "signals: {lost: energy.dissipated, all: energy.total}\n"
        "outputs: {times: [0.5], signals: [sledge.position.x, lost, all]}\n";
    static const char *const methods[] = {"radau", "radau, formulation: tree", "dopri5", "bdf"};
    for (int i = 0; i < 4; i++) {
        char model[1500];
        case_table t = {0};
        double at, lost, all;
        snprintf(model, sizeof model, text, methods[i]);
        CHECK(case_run(model, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "sledge.position.x", 0.5, &at));
        CHECK(case_table_value(&t, "lost", 0.5, &lost));
        CHECK(case_table_value(&t, "all", 0.5, &all));
        CHECK_NEAR(at, 0.8 * 0.8 / (2 * 0.2 * G), 1e-8);
        CHECK_NEAR(lost, 0.5 * 2 * 0.8 * 0.8, 1e-7);
        CHECK_NEAR(all, 0.2 * G * 0.3, 1e-6);
        case_table_clear(&t);
    }
    return 0;
}

// Who meets contacts step by step has no such rows.
static int steps_refuse(void)
{
    char said[1000];
    CHECK(!case_run_said("flexion: 1\nbodies: {b: {type: rigid, mass: 1, inertia: [1, 1, 1],\n"
                         "  position: [0, 0, 0.1], surface: {sphere: 0.1}}}\n"
                         "forces: {k: {type: contact, on: [ground, b], law: hertz,\n"
                         "  stiffness: 1e5, friction: 0.3}}\n"
                         "simulate: {until: 1, method: moreau, step: 1e-3}\n",
                         NULL, said, sizeof said));
    CHECK(strstr(said, "friction of a compliant law needs its 'velocity' or its 'stiffness'"));
    return 0;
}

// ---- beside others --------------------------------------------------------------------------------

// Two masses slide on their own; before or behind their contacts is one without friction, of one point or of several: it takes
// nothing from theirs.
static int other_contacts_take_no_friction(void)
{
    static const char *const others[] = {"{sphere: 0.1}", "{box: [0.2, 0.2]}",
                                         "{capsule: {radius: 0.1, length: 0.2, axis: [1, 0]}}"};
    static const char other[] = "  other: {type: contact, on: [%s, box], law: penalty, stiffness: "
                                "1e5, surfaces: [%s, %s]}\n";
    static const char *const under[] = {"{plane: [0, 1]}", "{box: [4, 0.2], at: [0, -0.1]}"};
    for (int k = 0; k < 12; k++) {
        char model[2500], text[300];
        case_table t = {0};
        double a, b;
        snprintf(text, sizeof text, other, "ground", under[k / 2 % 2], others[k / 4]);
        snprintf(
            model, sizeof model,
            "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
            "  box: {type: rigid, mass: 1, inertia: 0.1, position: [1, 0.1 - 9.81/2e5]}\n"
            "  a: {type: point, mass: 1, position: [0, 0.1 - 9.81e-5], velocity: [2, 0]}\n"
            "  b: {type: point, mass: 2, position: [0, 5.1 - 2*9.81e-5], velocity: [3, 0]}\n"
            "forces:\n%s"
            "  A: {type: contact, on: [ground, a], law: penalty, stiffness: 1e5, friction: 0.2, "
            "surfaces: [{plane: [0, 1]}, {sphere: 0.1}]}\n"
            "  B: {type: contact, on: [ground, b], law: penalty, stiffness: 1e5, friction: 0.3, "
            "surfaces: [{plane: [0, 1], at: [0, 5]}, {sphere: 0.1}]}\n"
            "%s"
            "simulate: {until: 0.5, method: radau, rtol: 1e-8}\n"
            "outputs: {every: 0.5, signals: [a.velocity.x, b.velocity.x]}\n",
            k % 2 ? "" : text, k % 2 ? text : "");
        CHECK(case_run(model, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "a.velocity.x", 0.5, &a));
        CHECK(case_table_value(&t, "b.velocity.x", 0.5, &b));
        CHECK_NEAR(a, 2 - 0.2 * G * 0.5, 1e-6);
        CHECK_NEAR(b, 3 - 0.3 * G * 0.5, 1e-6);
        case_table_clear(&t);
    }
    return 0;
}

TEST_MAIN(TEST(pulled_mass_slips_at_its_instant), TEST(other_contacts_take_no_friction),
          TEST(sliding_ball_rolls), TEST(bouncing_ball_keeps_the_law), TEST(box_slips_as_one),
          TEST(box_comes_to_rest), TEST(given_steps_keep_the_energy),
          TEST(sliding_joint_beside_a_ball), TEST(steps_refuse))
