// test_start_velocities.c - velocities at the start are the least change of what is given, whatever the order of items.
#include "case_table.h"
#include "check.h"

#include <string.h>

#define RUN "simulate: {until: 0.1, method: dop853, rtol: 1e-10}\n"

// A value at the start of a run.
static double begins(const char *text, const char *signal)
{
    case_table table = {0};
    double value = (double)NAN;
    if (!case_run(text, NULL, &table, NULL, NULL)) return value;
    if (!case_table_value(&table, signal, 0.0, &value)) printf("no signal %s\n", signal);
    case_table_clear(&table);
    return value;
}

// ---- order ---------------------------------------------------------------------------------------------

// A cart with two arms and a rod between them; one arm has a rate. Of all motions with that rate the one of least
// energy: the cart has the momentum that leaves none in its direction.
static int order_of_items_does_not_matter(void)
{
    static const char *const bodies[] = {
        "  cart: {type: rigid, mass: 1, inertia: 0.1}\n",
        "  a: {type: rigid, mass: 1, inertia: 0.1, position: [0.5, 0.5]}\n",
        "  b: {type: rigid, mass: 1, inertia: 0.1, position: [1.0, 0.6]}\n"};
    static const char *const joints[] = {
        "  rail: {type: prismatic, on: [ground, cart], at: [0, 0], axis: [1, 0]}\n",
        "  A: {type: revolute, on: [cart, a], at: [0, 0], initial: {rate: 1}}\n",
        "  B: {type: revolute, on: [cart, b], at: [1, 0]}\n",
        "  rod: {type: distance, on: [a, b], at: [[0.5, 1], [1.2, 1]]}\n"};
    int count = 0;
    for (int k = 0; k < 256; k++) {
        int order[4] = {k & 3, k >> 2 & 3, k >> 4 & 3, k >> 6}, seen = 0;
        for (int i = 0; i < 4; i++) seen |= 1 << order[i];
        if (seen != 15) continue;
        char text[1600];
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\nbodies:\n%s%s%sjoints:\n%s%s%s%s" RUN
                 "outputs: {every: 0.1, signals: [cart.velocity.x, energy.kinetic]}\n",
                 bodies[count % 3], bodies[(count + 1) % 3], bodies[(count + 2) % 3],
                 joints[order[0]], joints[order[1]], joints[order[2]], joints[order[3]]);
        CHECK_NEAR(begins(text, "cart.velocity.x"), 1.1 / 3.0, 1e-14);
        CHECK_NEAR(begins(text, "energy.kinetic"), 0.53 - 1.21 / 6.0, 1e-14);
        count++;
    }
    CHECK(count == 24);
    return 0;
}

// A double pendulum in space that is pushed at its first joint, drawn in either order and either direction: what hangs
// on it is moved as by an impulse.
static int chains_begin_as_after_an_impulse(void)
{
    static const char *const a =
        "  a: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.5, 0, 0]}\n";
    static const char *const b = "  b: {type: rigid, mass: 2, inertia: [0.2, 0.2, 0.3], com: "
                                 "[0.25, 0, 0], position: [1, 0, 0]}\n";
    static const char *const A = "  A: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0,"
                                 "0, 1], initial: {rate: 2}}\n";
    static const char *const B[] = {
        "  B: {type: revolute, on: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}\n",
        "  B: {type: revolute, on: [b, a], at: [1, 0, 0], axis: [0, 0, 1]}\n"};
    // moments about the second hinge: 2 * 0.25 * (2 + 0.25 w) + 0.3 w = 0
    const double w = -1.0 / 0.425;
    for (int k = 0; k < 4; k++) {
        char text[1600];
        snprintf(text, sizeof text,
                 "flexion: 1\nbodies:\n%s%sjoints:\n%s%s" RUN
                 "outputs: {every: 0.1, signals: [a.angular_velocity, b.angular_velocity]}\n",
                 k & 1 ? a : b, k & 1 ? b : a, k & 1 ? A : B[k / 2], k & 1 ? B[k / 2] : A);
        CHECK_NEAR(begins(text, "a.angular_velocity.z"), 2.0, 1e-14);
        CHECK_NEAR(begins(text, "b.angular_velocity.z"), w, 1e-13);
    }
    return 0;
}

// ---- what is given -----------------------------------------------------------------------------------

// Velocities are in ground axes, wherever a joint starts.
static int starts_do_not_turn_velocities(void)
{
    const char *plane =
        "flexion: 1\ndimension: 2\nbodies:\n"
        "  a: {type: rigid, mass: 1, inertia: 0.1, velocity: [1, 0]}\n"
        "  b: {type: rigid, mass: 2, inertia: 0.2, position: [1, 0], velocity: [1, 0]}\njoints:\n"
        "  j: {type: revolute, on: [a, b], at: [0.5, 0], initial: {angle: 90*deg}}\n" RUN
        "outputs: {every: 0.1, signals: [momentum]}\n";
    const char *space =
        "flexion: 1\nbodies:\n"
        "  a: {type: rigid, mass: 1, inertia: [0.1, 0.2, 0.3], velocity: [1, 0.5, 2]}\n"
        "  b: {type: rigid, mass: 2, inertia: [0.1, 0.2, 0.3], position: [1, 0, 0], velocity: [1,"
        "0.5, 2]}\n"
        "joints:\n"
        "  j: {type: revolute, on: [a, b], at: [0.5, 0, 0], axis: [1, 2, 2], initial: {angle: "
        "1}}\n" RUN "outputs: {every: 0.1, signals: [momentum, b.angular_velocity]}\n";
    CHECK_NEAR(begins(plane, "momentum.linear.x"), 3.0, 1e-14);
    CHECK_NEAR(begins(plane, "momentum.linear.y"), 0.0, 1e-14);
    CHECK_NEAR(begins(space, "momentum.linear.x"), 3.0, 1e-14);
    CHECK_NEAR(begins(space, "momentum.linear.y"), 1.5, 1e-14);
    CHECK_NEAR(begins(space, "momentum.linear.z"), 6.0, 1e-14);
    CHECK_NEAR(begins(space, "b.angular_velocity.x"), 0.0, 1e-14);
    return 0;
}

// A part that turns carries its bodies wherever their joints start.
static int parts_carry_what_starts_elsewhere(void)
{
    const char *text =
        "flexion: 1\ndimension: 2\nmodels:\n  arm:\n    bodies:\n"
        "      a: {type: rigid, mass: 1, inertia: 0.1}\n"
        "      b: {type: rigid, mass: 1, inertia: 0.1, position: [1, 0]}\n    joints:\n"
        "      j: {type: revolute, on: [a, b], at: [0.5, 0], initial: {angle: 1}}\n"
        "parts: {p: {model: arm, position: [2, 0], angular_velocity: 3}}\n" RUN
        "outputs: {every: 0.1, signals: [p.a.velocity, p.b.velocity, p.b.angular_velocity]}\n";
    CHECK_NEAR(begins(text, "p.a.velocity.x"), 0.0, 1e-14);
    CHECK_NEAR(begins(text, "p.a.velocity.y"), 0.0, 1e-14);
    CHECK_NEAR(begins(text, "p.b.angular_velocity"), 3.0, 1e-14);
    CHECK_NEAR(begins(text, "p.b.velocity.x"), -3.0 * 0.5 * sin(1.0), 1e-14);
    CHECK_NEAR(begins(text, "p.b.velocity.y"), 3.0 * (0.5 + 0.5 * cos(1.0)), 1e-14);
    return 0;
}

// What is given is met where it can be, however light; what is not given gives way.
static int given_values_weigh_more(void)
{
    char text[1200];
    const double masses[] = {1.0, 1e-3, 1e-6, 1e-9};
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\nbodies:\n"
                 "  a: {type: rigid, mass: 10, inertia: 1}\n"
                 "  b: {type: rigid, mass: %g, inertia: 1e-3, com: [0.3, 0.1], position: [1, 0.5],"
                 "velocity: [1, 2]}\n"
                 "joints:\n  j: {type: fixed, on: [a, b], at: [0.5, 0]}\n" RUN
                 "outputs: {every: 0.1, signals: [b.velocity, a.velocity, a.angular_velocity]}\n",
                 masses[i]);
        CHECK_NEAR(begins(text, "b.velocity.x"), 1.0, 1e-12);
        CHECK_NEAR(begins(text, "b.velocity.y"), 2.0, 1e-12);
    }
    // the tip of a double pendulum; two welded bodies that were given different ones keep their momentum
    const char *tip =
        "flexion: 1\ndimension: 2\nbodies:\n"
        "  a: {type: rigid, mass: 3, inertia: 0.1, com: [0.5, 0]}\n"
        "  b: {type: rigid, mass: 1, inertia: 0.1, position: [1, 1], velocity: [0.5, 2]}\njoints:\n"
        "  A: {type: revolute, on: [ground, a], at: [0, 0]}\n"
        "  B: {type: revolute, on: [a, b], at: [1, 0]}\n" RUN
        "outputs: {every: 0.1, signals: [b.velocity, a.angular_velocity]}\n";
    CHECK_NEAR(begins(tip, "b.velocity.x"), 0.5, 1e-13);
    CHECK_NEAR(begins(tip, "b.velocity.y"), 2.0, 1e-13);
    CHECK_NEAR(begins(tip, "a.angular_velocity"), 2.0, 1e-13);
    for (int k = 0; k < 2; k++) { // rotations that are given, or give way
        const char *w = k ? ", angular_velocity: [0, 0, 0]" : "";
        snprintf(text, sizeof text,
                 "flexion: 1\nbodies:\n"
                 "  a: {type: rigid, mass: 3, inertia: [0.1, 0.2, 0.3], velocity: [1, 0, 0]%s}\n"
                 "  b: {type: rigid, mass: 1, inertia: [0.3, 0.2, 0.3], position: [1, 1, 0],\n"
                 "      velocity: [0, 2, 1]%s}\n"
                 "joints: {j: {type: spherical, on: [a, b], at: [0.2, 0, 0.5]}}\n" RUN
                 "outputs: {every: 0.1, signals: [momentum, a.velocity]}\n",
                 w, w);
        CHECK_NEAR(begins(text, "momentum.linear.x"), 3.0, 1e-13);
        CHECK_NEAR(begins(text, "momentum.linear.y"), 2.0, 1e-13);
        CHECK_NEAR(begins(text, "momentum.linear.z"), 1.0, 1e-13);
        if (k == 0) CHECK_NEAR(begins(text, "a.velocity.x"), 1.0, 1e-13);
    }
    return 0;
}

// ---- deformable bodies -----------------------------------------------------------------------------------

// They begin without deforming, wherever the rate comes from.
static int beams_turn_as_a_whole(void)
{
#define LINE(word)                                                                                 \
    "type: beam, formulation: " word ", elements: 6, from: [0, 0, 0], to: [1, 0, 0],\n"            \
    "        material: {E: 2e9, density: 1000}, section: {width: 0.02, height: 0.02}"
    static const char *const kinds[] = {
        LINE("geometrically-exact"), LINE("segments"), LINE("ancf-cable"),
        "type: flexible, reduce: {type: craig-bampton, interfaces: [start, end], modes: 3},\n"
        "        fe: {line: [[0, 0, 0], [1, 0, 0]], elements: 8, section: {radius: 0.01},\n"
        "             material: {E: 2e9, nu: 0.3, density: 1000}}"};
    for (int k = 0; k < 4; k++) {
        char text[2400];
        snprintf(text, sizeof text,
                 "flexion: 1\nbodies:\n"
                 "  cart: {type: rigid, mass: 2, inertia: [1, 1, 1], velocity: [0, 0, 0.5]}\n"
                 "  rod: {%s}\n"
                 "  tip: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.2, 0,"
                 "0]}\njoints:\n"
                 "  rail: {type: prismatic, on: [ground, cart], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                 "  hub: {type: revolute, on: [cart, rod], at: rod.start, axis: [0, 0, 1], start: "
                 "{rate: 2}}\n"
                 "  end: {type: fixed, on: [rod, tip], at: rod.end}\n"
                 "simulate: {until: 1e-6, method: radau}\n"
                 "outputs: {every: 1e-6, signals: [tip.velocity, rod.end.velocity]}\n",
                 kinds[k]);
        CHECK_NEAR(begins(text, "tip.velocity.y"), 2.4, 1e-10);
        CHECK_NEAR(begins(text, "tip.velocity.z"), 0.5, 1e-10);
        CHECK_NEAR(begins(text, "tip.velocity.x"), 0.0, 1e-10);
    }
    return 0;
}

// ---- units ---------------------------------------------------------------------------------------------

// A rotor without mass on an arm between two others, with velocities that the joints do not allow: what gives way is the same in
// any unit of length, mass and time, and anywhere.
static double arm_begins(double L, double M, double T, double far)
{
    char text[2000];
    double l = L, v = L / T, J = M * L * L, w = 1 / T, x = far * L;
    snprintf(
        text, sizeof text,
        "flexion: 1\ndimension: 2\nbodies:\n"
        "  a: {type: rigid, mass: %.17g, inertia: %.17g, position: [%.17g, 0], velocity: [0, "
        "%.17g], points: {b: [%.17g, 0], r: [0, %.17g]}}\n"
        "  b: {type: rigid, mass: %.17g, inertia: %.17g, position: [%.17g, 0], "
        "angular_velocity: %.17g, points: {a: [%.17g, 0], s: [%.17g, %.17g]}}\n"
        "  r: {type: rigid, mass: 0, inertia: %.17g, position: a.r, velocity: [%.17g, %.17g], "
        "angular_velocity: %.17g}\n"
        "joints:\n"
        "  A: {type: revolute, on: [a, b], at: [a.b, b.a]}\n"
        "  R: {type: revolute, on: [a, r], at: a.r}\n"
        "  B: {type: point-on-line, on: [ground, b], at: [[%.17g, %.17g], b.s], axis: [1, 0.3]}\n"
        "simulate: {until: %.17g, method: radau}\n"
        "outputs: {every: %.17g, signals: [a.velocity]}\n",
        M, 0.3 * J, x, 0.5 * v, 0.5 * l, 0.2 * l, 2 * M, 0.4 * J, x + l, 1.3 * w, -0.5 * l, 0.5 * l,
        0.15 * l, 0.05 * J, 0.4 * v, -0.7 * v, 5 * w, x + 1.5 * l, 0.15 * l, 1e-3 * T, 1e-3 * T);
    return begins(text, "a.velocity.y") / v;
}

static int units_and_places_do_not_matter(void)
{
    double y = arm_begins(1, 1, 1, 0);
    CHECK_NEAR(arm_begins(1e3, 1e3, 1, 0), y, 1e-9);
    CHECK_NEAR(arm_begins(1e-3, 1, 1, 0), y, 1e-9);
    CHECK_NEAR(arm_begins(1e-6, 1e-6, 1e-4, 0), y, 1e-9);
    CHECK_NEAR(arm_begins(1, 1, 1, 4), y, 1e-13);
    return 0;
}

TEST_MAIN(TEST(order_of_items_does_not_matter), TEST(units_and_places_do_not_matter),
          TEST(chains_begin_as_after_an_impulse), TEST(starts_do_not_turn_velocities),
          TEST(parts_carry_what_starts_elsewhere), TEST(given_values_weigh_more),
          TEST(beams_turn_as_a_whole))
