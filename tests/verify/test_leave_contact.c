// test_leave_contact.c - closed contacts and stops whose velocities an event sets: they open, strike or slide as the
// velocity says; and stops that something rests on.
#include "case_table.h"
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define G 9.81
#define ARRAY_LENGTH(a) ((int)(sizeof(a) / sizeof(a)[0]))

static const char *const methods[] = {"dopri5",
                                      "radau",
                                      "bdf",
                                      "generalized-alpha",
                                      "generalized-alpha, step: 1e-3",
                                      "hht, step: 1e-3",
                                      "newmark, step: 1e-3",
                                      "midpoint, step: 1e-3"};

// The value of a signal at the end of a run, and NAN where it did not get there.
static double at_end(const char *text, const char *signal, double t)
{
    case_table table = {0};
    double value = (double)NAN;
    if (case_run(text, NULL, &table, NULL, NULL)) case_table_value(&table, signal, t, &value);
    case_table_clear(&table);
    return value;
}

// ---- contacts -------------------------------------------------------------------------------

// A ball that lies on a floor, which is turned by an angle together with everything else.
static const char ball[] =
    "flexion: 1\ndimension: 2\n"
    "parameters: {a: 0.4}\n"
    "gravity: [9.81*sin(a), -9.81*cos(a)]\n"
    "bodies:\n"
    "  b: {type: rigid, mass: 1.3, inertia: 0.1, position: [-0.1*sin(a), 0.1*cos(a)]}\n"
    "forces:\n"
    "  c: {type: contact, on: [ground, b], surfaces: [{plane: [-sin(a), cos(a)], at: [0, 0]},\n"
    "      {sphere: 0.1, at: b}], law: restitution, restitution: 0.3}\n"
    "events:\n"
    "  hop: {when: t > 0.5, set: {b.velocity: [0.2*cos(a) - (%g)*sin(a), 0.2*sin(a) + "
    "(%g)*cos(a)]}}\n"
    "simulate: {until: 0.6, method: %s}\n"
    "signals: {h: b.position.y*cos(a) - b.position.x*sin(a), d: b.position.x*cos(a) + "
    "b.position.y*sin(a)}\n"
    "outputs: {times: [0.6], signals: [h, d]}\n";

static int a_ball_is_set_in_motion(void)
{
    const double up[] = {2.0, -1.0}, rebound[] = {2.0, 0.3};
    for (int i = 0; i < 2 * ARRAY_LENGTH(methods); i++) {
        char text[1400];
        double v = rebound[i % 2], h = 0.1 + 0.1 * v - 0.5 * G * 0.01;
        if (v < 1.0) h = 0.1; // it comes down again at 0.561, and hops ever lower
        snprintf(text, sizeof text, ball, up[i % 2], up[i % 2], methods[i / 2]);
        double height = at_end(text, "h", 0.6), along = at_end(text, "d", 0.6);
        if (v < 1.0) { // 0.3 up, then 0.09 from 2 0.3/G on, then 0.027: it lies
            double t = 0.1 - 0.6 / G, w = 0.09;
            while (t > 2.0 * w / G && w > 1e-9) {
                t -= 2.0 * w / G;
                w *= 0.3;
            }
            h += w > 1e-9 ? w * t - 0.5 * G * t * t : 0.0;
        }
        if (!(fabs(height - h) < 2e-6) || !(fabs(along - 0.02) < 2e-6))
            printf("    %s, %g up: %.9g for %.9g, along %.9g\n", methods[i / 2], up[i % 2], height,
                   h, along);
        CHECK_NEAR(height, h, 2e-6);
        CHECK_NEAR(along, 0.02, 2e-6);
    }
    return 0;
}

// A block that sticks on a slope is pushed along it: it slides with the friction of sliding, and sticks again.
static const char block[] =
    "flexion: 1\ndimension: 2\n"
    "gravity: [3, -9.81]\n"
    "bodies:\n"
    "  b: {type: point, mass: 2}\n"
    "forces:\n"
    "  c: {type: contact, on: [ground, b], surfaces: [{plane: [0, 1], at: [0, 0]}, {sphere: 0, at: "
    "b}],\n"
    "      law: restitution, restitution: 0, friction: {coefficient: 0.4}}\n"
    "events:\n"
    "  push: {when: t > 0.1, set: {b.velocity: [%g, 0]}}\n"
    "simulate: {until: 2, method: %s}\n"
    "outputs: {times: [2], signals: [b.position]}\n";

static int a_block_is_pushed(void)
{
    const double push[] = {0.3, -1.2};
    for (int i = 0; i < 2 * 4; i++) {
        char text[1024];
        double v = push[i % 2], brake = 0.4 * G - copysign(3.0, v);
        snprintf(text, sizeof text, block, v, methods[i / 2]);
        CHECK_NEAR(at_end(text, "b.position.x", 2.0), copysign(0.5 * v * v / brake, v), 2e-5);
        CHECK_NEAR(at_end(text, "b.position.y", 2.0), 0.0, 1e-12);
    }
    return 0;
}

// A ball slides on a slope until it rolls: friction turns m v into I w/r, whatever its direction was, and so
//     (m + I/r^2) v = m v_0 + I w_0/r + m g_t t.
static const char bowl[] =
    "flexion: 1\n"
    "gravity: [1.5, 0.4, -9.81]\n"
    "bodies:\n"
    "  b: {type: rigid, mass: 2, inertia: [0.02, 0.02, 0.02], position: [0, 0, 0.15],\n"
    "      velocity: [-0.2, 1, 0], angular_velocity: [1, 2, 3]}\n"
    "forces:\n"
    "  c: {type: contact, on: [ground, b], surfaces: [{plane: [0, 0, 1], at: [0, 0, 0]},\n"
    "      {sphere: 0.15, at: b}], law: restitution, restitution: 0, friction: {coefficient: "
    "0.2}}\n"
    "events: {spin: {when: t > 0.3, set: {b.angular_velocity: [2, 0.5, -1]}}}\n"
    "simulate: {until: 0.8, method: %s}\n"
    "outputs: {times: [0.29, 0.8], signals: [b.velocity, c.state]}\n";

static int a_ball_slides_until_it_rolls(void)
{
    static const char *const others[] = {"lobatto, step: 3e-4", "radau, step: 3e-4",
                                         "radau, rtol: 1e-4",
                                         "generalized-alpha, formulation: ggl, step: 1e-3"};
    const double m = 2.0, I = 0.02, r = 0.15, all = m + I / (r * r), g[2] = {1.5, 0.4};
    for (int k = 0; k < ARRAY_LENGTH(methods) + ARRAY_LENGTH(others); k++) {
        const char *method =
            k < ARRAY_LENGTH(methods) ? methods[k] : others[k - ARRAY_LENGTH(methods)];
        char text[1400];
        case_table table = {0};
        snprintf(text, sizeof text, bowl, method);
        CHECK(case_run(text, NULL, &table, NULL, NULL));
        double v[2] = {-0.2, 1.0}, w[2] = {2.0, -1.0}, found[2], state, t0 = 0.0;
        for (int part = 0; part < 2;
             part++) { // w: of the place that touches, w x r of (w_x, w_y, .)
            const double t = part ? 0.8 : 0.29, spin[2] = {0.5, -2.0};
            for (int i = 0; i < 2; i++) v[i] = (m * (v[i] + g[i] * (t - t0)) + I * w[i] / r) / all;
            CHECK(case_table_value(&table, "b.velocity.x", t, &found[0]));
            CHECK(case_table_value(&table, "b.velocity.y", t, &found[1]));
            CHECK(case_table_value(&table, "c.state", t, &state));
            if (!(hypot(found[0] - v[0], found[1] - v[1]) < 1e-5))
                printf("    %s: (%.8g, %.8g) for (%.8g, %.8g)\n", method, found[0], found[1], v[0],
                       v[1]);
            CHECK_NEAR(found[0], v[0], 1e-5);
            CHECK_NEAR(found[1], v[1], 1e-5);
            CHECK(state == 2.0);
            for (int i = 0; i < 2; i++) { // it rolls on until the spin is set
                v[i] += m * g[i] / all * 0.01;
                w[i] = spin[i];
            }
            t0 = 0.3;
        }
        case_table_clear(&table);
    }
    return 0;
}

// ---- stops ----------------------------------------------------------------------------------

static const char bar[] =
    "flexion: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  b: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.5, 0, 0],\n"
    "      orientation: {axis: [0, -1, 0], angle: %g}}\n"
    "joints:\n"
    "  j: {type: revolute, on: [ground, b], at: b, axis: [0, -1, 0], initial: {angle: %g},\n"
    "      limits: {lower: %g, upper: 1, restitution: 0}}\n"
    "%s"
    "simulate: {until: 0.6, method: %s}\n"
    "signals: {work: 0.175*j.rate^2 + 4.905*sin(j.angle)}\n"
    "outputs: {times: [0.6], signals: [j.angle, work]}\n";

// From the start, and after a fall.
static int a_bar_rests_on_its_stop(void)
{
    const double start[] = {0.0, 0.0, -0.3}, lower[] = {0.0, -0.2, -0.3};
    for (int i = 0; i < 3 * ARRAY_LENGTH(methods); i++) {
        char text[1024];
        snprintf(text, sizeof text, bar, start[i % 3], start[i % 3], lower[i % 3], "",
                 methods[i / 3]);
        double angle = at_end(text, "j.angle", 0.6);
        if (!(fabs(angle - lower[i % 3]) < 1e-12))
            printf("    %s, limit %g: %.12g\n", methods[i / 3], lower[i % 3], angle);
        CHECK_NEAR(angle, lower[i % 3], 1e-12);
    }
    return 0;
}

static int a_bar_leaves_its_stop(void)
{
    static const char event[] = "events: {hop: {when: t > 0.5, set: {j.rate: 2}}}\n";
    for (int i = 0; i < ARRAY_LENGTH(methods); i++) {
        char text[1024];
        snprintf(text, sizeof text, bar, 0.0, 0.0, 0.0, event, methods[i]);
        CHECK_NEAR(at_end(text, "j.angle", 0.6), 0.1300753916, 2e-7);
        CHECK_NEAR(at_end(text, "work", 0.6), 0.7, 2e-6);
    }
    return 0;
}

// ---- friction -------------------------------------------------------------------------------

// A pendulum on a cart is stopped: friction of the rail reads its force, but takes no part in the instant, and the momentum
// along the rail stays, but for 0.1 70 N in 2e-4 s.
static const char cart[] = "flexion: 1\ndimension: 2\n"
                           "gravity: [0, -9.81]\n"
                           "bodies:\n"
                           "  c: {type: rigid, mass: 5, inertia: 1, velocity: [1, 0]}\n"
                           "  p: {type: rigid, mass: 1, inertia: 0.02, com: [0, -0.5]}\n"
                           "joints:\n"
                           "  rail: {type: prismatic, on: [ground, c], at: c, axis: [1, 0], "
                           "friction: {coefficient: 0.1%s}}\n"
                           "  pin: {type: revolute, on: [c, p], at: c, initial: {angle: 1.2}}\n"
                           "signals: {along: 6*rail.rate + 0.5*cos(pin.angle)*pin.rate}\n"
                           "events: {stop: {when: t > 0.3, set: {pin.rate: 0}}}\n"
                           "simulate: {until: 0.3001, method: radau, formulation: %s}\n"
                           "outputs: {times: [0.2999, 0.3001], signals: [along, pin.rate]}\n";

static int friction_does_nothing_in_an_instant(void)
{
    static const char *const forms[] = {"index-3", "ggl", "tree"};
    for (int i = 0; i < 6; i++) {
        char text[1200];
        case_table t = {0};
        double before, after, rate;
        snprintf(text, sizeof text, cart, i % 2 ? ", stick: true" : "", forms[i / 2]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "along", 0.2999, &before));
        CHECK(case_table_value(&t, "along", 0.3001, &after));
        CHECK(case_table_value(&t, "pin.rate", 0.3001, &rate));
        case_table_clear(&t);
        CHECK_NEAR(after, before, 1.5e-3);
        CHECK_NEAR(rate, 0.0, 1e-3);
    }
    return 0;
}

// ---- tumbling boxes ---------------------------------------------------------------------------------

// They come to rest on a face, through corners that leave by next to nothing and slips that end in any direction. All of these stopped
// "without end" once; where each corner strikes depends on the last digits, so one of them may.
static int tumbling_boxes_come_to_rest(void)
{
    static const struct {
        int x, q, wx, wz;
        double e;
    } of[] = {{3, 2, 2, -2, 0.4},
              {2, 6, 0, -2, 0.4},
              {5, 9, 0, -1, 0.0},
              {1, 10, 1, -2, 0.4},
              {5, 14, 2, -2, 0.0}};
    int rests = 0;
    for (int i = 0; i < 5; i++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                 "  box: {type: rigid, mass: 1, inertia: [0.01, 0.012, 0.014],\n"
                 "    position: [0, 0, 0.4], orientation: {axis: [0.%d, -0.2, 0.1*%d],\n"
                 "    angle: 0.37*%d}, velocity: [0.5, 0.1, 0], angular_velocity: [%d, %d, %d],\n"
                 "    surface: {box: [0.3, 0.25, 0.2]}}\n"
                 "forces: {floor: {type: contact, on: [ground, box], law: restitution,\n"
                 "  restitution: %g, friction: 0.4}}\n"
                 "simulate: {until: 2, method: radau, rtol: 1e-6}\n"
                 "outputs: {every: 1, signals: [box.position.z]}\n",
                 of[i].x, of[i].q, of[i].q, of[i].wx, of[i].q, of[i].wz, of[i].e);
        case_table t = {0};
        double z, face = HUGE_VAL;
        if (!case_run(text, NULL, &t, NULL, NULL)) {
            case_table_clear(&t);
            continue;
        }
        CHECK(case_table_value(&t, "box.position.z", 2, &z));
        for (int k = 0; k < 3; k++) face = fmin(face, fabs(z - (0.1 + 0.025 * k)));
        CHECK(fmin(face, fabs(z - 0.15)) < 1e-9);
        case_table_clear(&t);
        rests++;
    }
    CHECK(rests >= 4);
    return 0;
}

TEST_MAIN(TEST(tumbling_boxes_come_to_rest), TEST(a_ball_is_set_in_motion), TEST(a_block_is_pushed),
          TEST(a_ball_slides_until_it_rolls), TEST(a_bar_rests_on_its_stop),
          TEST(a_bar_leaves_its_stop), TEST(friction_does_nothing_in_an_instant))
