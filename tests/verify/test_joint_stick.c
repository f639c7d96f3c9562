// Friction of joints that sticks, and stops that do not give way: closed forms, every kind of method, both
// coordinates, plane and space.
#include "case_table.h"
#include "check.h"

#include "base/common.h"
#include "flexion/flexion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const methods[] = {
    "radau, rtol: 1e-9, atol: 1e-11",  "radau, rtol: 1e-9, atol: 1e-11, formulation: tree",
    "dopri5, rtol: 1e-9, atol: 1e-11", "generalized-alpha, step: 2e-3",
    "bdf, rtol: 1e-9, atol: 1e-11",
};
enum { METHODS = sizeof methods / sizeof methods[0] };
static const double exact[] = {1e-7, 1e-7, 1e-7, 1e-4, 1e-5};

// ---- incline --------------------------------------------------------------------------------------

#define PLANE                                                                                      \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                              \
    "bodies: {block: {type: rigid, mass: 2, inertia: 0.3, position: [0, 0.1]}}\n"                  \
    "joints:\n  rail: {type: prismatic, on: [ground, block], at: [0, 0],\n"                        \
    "      axis: [cos(alpha), sin(alpha)], friction: {coefficient: 0.3, static: 0.5, stick: "      \
    "true}}\n"
// The other way round: the block is the first.
#define SPACE                                                                                      \
    "flexion: 1\ngravity: [0, 0, -9.81]\n"                                                         \
    "bodies: {block: {type: rigid, mass: 2, inertia: [0.1, 0.2, 0.25], position: [0, 0, 0.1]}}\n"  \
    "joints:\n  rail: {type: prismatic, on: [block, ground], at: [0, 0, 0],\n"                     \
    "      axis: [-cos(alpha)*0.6, -cos(alpha)*0.8, -sin(alpha)],\n"                               \
    "      friction: {coefficient: 0.3, static: 0.5, stick: true}}\n"

static int run(const char *model, const char *more, const char *method, const char *outputs,
               case_table *t)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%ssimulate: {until: %s, method: %s}\noutputs: {%s}\n", model,
             more, strstr(outputs, "times: [100]") ? "100" : "2", method, outputs);
    CHECK(case_run(text, NULL, t, NULL, NULL));
    return 0;
}

// It holds below the static limit, tan(alpha) < 0.5, for 100 s, and slides above it with g (sin - c cos).
static int a_block_on_a_slope(void)
{
    for (int i = 0; i < 2 * METHODS; i++) {
        const char *model = i % 2 ? SPACE : PLANE, *method = methods[i / 2];
        const char *still = strstr(method, "step") ? "generalized-alpha, step: 0.1" : method;
        case_table t = {0};
        double x = 1, F = 0, state = 0, alpha = 26 * FLX_PI / 180;
        if (run(model, "parameters: {alpha: 26*deg}\n", still,
                "times: [100], signals: [rail.displacement, rail.friction, rail.state]", &t))
            return 1;
        CHECK(case_table_value(&t, "rail.displacement", 100, &x));
        CHECK(case_table_value(&t, "rail.friction", 100, &F));
        CHECK(case_table_value(&t, "rail.state", 100, &state));
        CHECK_NEAR(x, 0, 1e-12);
        CHECK_NEAR(F, 2 * 9.81 * sin(alpha), 1e-6); // up the slope
        CHECK_NEAR(state, 2, 0);
        case_table_clear(&t);
        double a = 9.81 * (sin(FLX_PI / 6) - 0.3 * cos(FLX_PI / 6)), lost = 0;
        if (run(model, "parameters: {alpha: 30*deg}\n", method,
                "times: [2], signals: [rail.displacement, rail.state, energy]", &t))
            return 1;
        CHECK(case_table_value(&t, "rail.displacement", 2, &x));
        CHECK(case_table_value(&t, "energy.dissipated", 2, &lost));
        CHECK_NEAR(x, -2 * a, exact[i / 2]);
        CHECK_NEAR(lost, 0.3 * 2 * 9.81 * cos(FLX_PI / 6) * 2 * a, 100 * exact[i / 2]);
        case_table_clear(&t);
    }
    return 0;
}

// A force that grows as t tears it loose at static friction, 0.5*2*9.81 N, and pushes it on against 0.3*2*9.81 N.
static int a_growing_force_tears_it_loose(void)
{
    for (int i = 0; i < 2 * METHODS; i++) {
        const char *model = i % 2 ? SPACE : PLANE;
        char text[4096];
        case_table t = {0};
        double x = 0, before = 1, t0 = 9.81, until = 12, s = until - t0;
        // x'' = (t - 0.3*2*9.81)/2 from t0 on
        double want = (t0 - 5.886) * s * s / 4 + s * s * s / 12;
        snprintf(text, sizeof text,
                 "%sparameters: {alpha: 0}\nforces: {F: {type: force, on: rail, value: t}}\n"
                 "simulate: {until: 12, method: %s}\n"
                 "outputs: {times: [9.8, 12], signals: [rail.displacement]}\n",
                 model, methods[i / 2]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "rail.displacement", 9.8, &before));
        CHECK(case_table_value(&t, "rail.displacement", until, &x));
        CHECK_NEAR(before, 0, 1e-12);
        CHECK_NEAR(x, want, 10 * exact[i / 2]);
        case_table_clear(&t);
    }
    return 0;
}

// ---- belt -----------------------------------------------------------------------------------------

// Stick and slip on a belt: period 1.338714124685115 s, largest 0.17375371842025122, first slip at 0.7848 s.
static int stick_and_slip_on_a_belt(void)
{
    static const char belt[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies:\n"
        "  belt: {type: rigid, mass: 1, inertia: 1}\n"
        "  mass: {type: point, mass: 1, position: [0, 0], velocity: [0.2, 0]}\n"
        "joints:\n"
        "  drive: {type: prismatic, on: [ground, belt], at: [0, 0], axis: [1, 0],\n"
        "      motion: {displacement: 0.2*t}}\n"
        "  rub: {type: point-on-line, on: [belt, mass], at: [[0, 0], mass], axis: [1, 0],\n"
        "      friction: {coefficient: 0.3, static: 0.4, stick: true}}\n"
        "forces:\n"
        "  k: {type: expression, on: mass, at: mass, force: [-25*mass.position.x, 0]}\n";
    double w = 5, D = 0.3 * 9.81 / 25 * (0.4 / 0.3 - 1), first = 0.4 * 9.81 / 25 / 0.2;
    double period = 1.338714124685115, slip = first + 3 * period;
    for (int i = 0; i < METHODS; i++) {
        char text[4096];
        case_table t = {0};
        double x[3] = {0}, rub[2] = {0};
        // in the fourth slip, and during the stick before it
        double at[3] = {slip - 0.3, slip - 0.1, slip + 0.2};
        snprintf(text, sizeof text,
                 "%ssimulate: {until: 5.2, method: %s}\n"
                 "outputs: {times: [%.17g, %.17g, %.17g], signals: [mass.position.x, "
                 "rub.displacement]}\n",
                 belt, methods[i], at[0], at[1], at[2]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        for (int k = 0; k < 3; k++) CHECK(case_table_value(&t, "mass.position.x", at[k], &x[k]));
        for (int k = 0; k < 2; k++) CHECK(case_table_value(&t, "rub.displacement", at[k], &rub[k]));
        double middle = 0.3 * 9.81 / 25;
        CHECK_NEAR(x[2], middle + D * cos(w * 0.2) + 0.2 / w * sin(w * 0.2), 10 * exact[i]);
        CHECK_NEAR(x[1], 0.4 * 9.81 / 25 - 0.2 * 0.1, 10 * exact[i]);
        CHECK_NEAR(rub[0], rub[1], 1e-10); // no creep
        case_table_clear(&t);
    }
    return 0;
}

// ---- bearing, screw -------------------------------------------------------------------------------

// A wheel runs down with c N r/I, comes to rest and stays; its axis in any direction normal to gravity.
static int a_wheel_comes_to_rest(void)
{
    static const char *const models[] = {
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies: {wheel: {type: rigid, mass: 10, inertia: 0.2}}\n"
        "joints:\n  A: {type: revolute, on: [ground, wheel], at: [0, 0], initial: {rate: 6},\n"
        "      friction: {coefficient: 0.2, radius: 0.05, stick: true}}\n",
        "flexion: 1\ngravity: [0, 0, -9.81]\n"
        "bodies: {wheel: {type: rigid, mass: 10, inertia: [0.2, 0.2, 0.2]}}\n"
        "joints:\n  A: {type: revolute, on: [ground, wheel], at: [0, 0, 0], axis: [3, 4, 0],\n"
        "      initial: {rate: 6}, friction: {coefficient: 0.2, radius: 0.05, stick: true}}\n"};
    double T = 0.2 * 10 * 9.81 * 0.05, rest = 6 * 0.2 / T, angle = 0.5 * 6 * rest;
    for (int i = 0; i < 2 * METHODS; i++) {
        case_table t = {0};
        double q = 0, r = 0, state = 0;
        CHECK(rest < 2);
        if (run(models[i % 2], "", methods[i / 2],
                "times: [1.5, 2], signals: [A.angle, A.rate, A.state]", &t))
            return 1;
        CHECK(case_table_value(&t, "A.angle", 2, &q) && case_table_value(&t, "A.rate", 2, &r));
        CHECK(case_table_value(&t, "A.state", 2, &state));
        CHECK_NEAR(q, angle, 10 * exact[i / 2]);
        CHECK_NEAR(r, 0, 1e-12);
        CHECK_NEAR(state, 2, 0);
        case_table_clear(&t);
    }
    return 0;
}

// A screw with b = p/(2 pi) holds its load where m g b < c N h, h = sqrt(r^2 + b^2), N all of the reaction; else it goes
// down with (I + m b^2) angle'' = -m g b + c N h.
static int a_screw_holds_its_load(void)
{
    for (int i = 0; i < 2 * METHODS; i++) {
        char text[2048];
        case_table t = {0};
        double q = 1, N = 0, state = 0, b = 0.005 / (2 * FLX_PI), h = hypot(0.01, b);
        double c = i % 2 ? 0.05 : 0.1;
        snprintf(text, sizeof text,
                 "flexion: 1\ngravity: [0, 0, -9.81]\n"
                 "bodies: {nut: {type: rigid, mass: 50, inertia: [1, 1, 0.5]}}\n"
                 "joints:\n  S: {type: screw, on: [ground, nut], at: [0, 0, 0], axis: [0, 0, 1],\n"
                 "      pitch: 0.005, friction: {coefficient: %g, radius: 0.01, stick: true}}\n"
                 "simulate: {until: 2, method: %s}\n"
                 "outputs: {times: [2], signals: [S.angle, S.state, S.reaction]}\n",
                 c, methods[i / 2]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "S.angle", 2, &q) && case_table_value(&t, "S.state", 2, &state));
        CHECK(case_table_value(&t, "S.reaction.z", 2, &N));
        if (i % 2 == 0) CHECK(state == 2 && fabs(q) < 1e-12);
        if (i % 2 == 1) {
            double a = (-50 * 9.81 * b + c * N * h) / (0.5 + 50 * b * b);
            CHECK_NEAR(state, 1, 0);
            CHECK_NEAR(q, 2 * a, 10 * exact[i / 2]);
            CHECK(a < -0.1);
        }
        case_table_clear(&t);
    }
    return 0;
}

// ---- two at once ----------------------------------------------------------------------------------

// A cart on a rail that sticks carries another: the upper is pulled; it moves alone where its friction is less than
// the lower one's, and the lower stays.
static int one_slides_and_one_sticks(void)
{
    static const char carts[] = "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                                "bodies:\n"
                                "  a: {type: rigid, mass: 3, inertia: 1, position: [0, 0]}\n"
                                "  b: {type: rigid, mass: 2, inertia: 1, position: [0, 0.5]}\n"
                                "joints:\n"
                                "  low: {type: prismatic, on: [ground, a], at: a, axis: [1, 0],\n"
                                "      friction: {coefficient: 0.2, stick: true}}\n"
                                "  high: {type: prismatic, on: [a, b], at: b, axis: [1, 0],\n"
                                "      friction: {coefficient: 0.3, stick: true}}\n"
                                "forces: {F: {type: force, on: b, value: [8, 0]}}\n";
    for (int i = 0; i < METHODS; i++) {
        case_table t = {0};
        double x[2], state[2];
        if (run(carts, "", methods[i],
                "times: [2], signals: [low.displacement, low.state, "
                "high.displacement, high.state]",
                &t))
            return 1;
        CHECK(case_table_value(&t, "low.displacement", 2, &x[0]));
        CHECK(case_table_value(&t, "high.displacement", 2, &x[1]));
        CHECK(case_table_value(&t, "low.state", 2, &state[0]));
        CHECK(case_table_value(&t, "high.state", 2, &state[1]));
        CHECK_NEAR(x[0], 0, 1e-12); // 5.886 N < 0.2*5*9.81 N
        CHECK_NEAR(x[1], 0.5 * (8 - 0.3 * 2 * 9.81) / 2 * 4, 10 * exact[i]);
        CHECK(state[0] == 2 && state[1] == 1);
        case_table_clear(&t);
    }
    return 0;
}

// All joints of a four-bar rub. It moves as with friction that is rounded off at 1e-6 m/s, and comes to rest, where the four
// hold its one freedom together: one alone could not.
static int a_four_bar_comes_to_rest(void)
{
    static const char bars[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies:\n"
        "  crank: {type: rigid, mass: 1, inertia: 0.05, position: [0, 0.15]}\n"
        "  rod: {type: rigid, mass: 2, inertia: 0.4, position: [0.45, 0.5]}\n"
        "  rocker: {type: rigid, mass: 1, inertia: 0.05, position: [0.95, 0.35]}\n"
        "joints:\n"
        "  A: {type: revolute, on: [ground, crank], at: [0, 0], initial: {rate: 2}, friction: "
        "{%s}}\n"
        "  B: {type: revolute, on: [crank, rod], at: [0, 0.3], friction: {%s}}\n"
        "  C: {type: revolute, on: [rod, rocker], at: [0.9, 0.7], friction: {%s}}\n"
        "  D: {type: revolute, on: [rocker, ground], at: [1, 0], friction: {%s}}\n"
        "simulate: {until: %s, method: %s}\n"
        "outputs: {times: [6, %s], signals: [A.angle%s]}\n";
    static const char exactly[] = "coefficient: 0.3, radius: 0.02, stick: true";
    static const char rounded[] = "coefficient: 0.3, radius: 0.02, velocity: 1e-6";
    double moving[2], rest[3];
    for (int i = 0; i < 3; i++) {
        char text[4096];
        case_table t = {0};
        bool own = i < 2;
        const char *key = own ? exactly : rounded, *end = own ? "60" : "12";
        double state = 0;
        snprintf(text, sizeof text, bars, key, key, key, key, end, i == 1 ? methods[1] : methods[0],
                 end, own ? ", B.state" : "");
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        if (i != 1) CHECK(case_table_value(&t, "A.angle", 6, &moving[i > 0]));
        CHECK(case_table_value(&t, "A.angle", own ? 60 : 12, &rest[i]));
        if (own) CHECK(case_table_value(&t, "B.state", 60, &state) && state == 2);
        case_table_clear(&t);
    }
    CHECK_NEAR(moving[0], moving[1], 1e-5);
    CHECK_NEAR(rest[0], rest[1], 1e-6);
    CHECK_NEAR(rest[0], rest[2], 1e-3); // which creeps
    return 0;
}

// ---- stops that do not give way -------------------------------------------------------------------

// Falls 1 m onto the stop, which throws it back with a half of its rate, and again, until it rests at
// sqrt(2/g) (1 + 2 (e + e^2 + ...)) = 3 sqrt(2/g).
static int a_slider_bounces_to_rest(void)
{
    static const char *const models[] = {
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "bodies: {b: {type: rigid, mass: 1.5, inertia: 1, position: [0, 1]}}\n"
        "joints:\n  A: {type: prismatic, on: [ground, b], at: [0, 0], axis: [0, 1],\n"
        "      limits: {lower: -1, upper: 1, restitution: 0.5}}\n",
        "flexion: 1\ngravity: [0, 0, -9.81]\n"
        "bodies: {b: {type: rigid, mass: 1.5, inertia: [1, 1, 1], position: [0, 0, 1]}}\n"
        "joints:\n  A: {type: prismatic, on: [b, ground], at: [0, 0, 0], axis: [0, 0, 1],\n"
        "      limits: {lower: -2, upper: 1, restitution: 0.5}}\n"};
    double fall = sqrt(2 / 9.81), v = 9.81 * fall;
    for (int i = 0; i < 2 * METHODS; i++) {
        case_table t = {0};
        double x[3] = {0}, limit = 0, sign = i % 2 ? -1 : 1;
        if (run(models[i % 2], "", methods[i / 2],
                "times: [0.8, 1.2, 2], signals: [A.displacement, A.limit]", &t))
            return 1;
        CHECK(case_table_value(&t, "A.displacement", 0.8, &x[0]));
        CHECK(case_table_value(&t, "A.displacement", 1.2, &x[1]));
        CHECK(case_table_value(&t, "A.displacement", 2, &x[2]));
        CHECK(case_table_value(&t, "A.limit", 2, &limit));
        double s = 0.8 - fall, u = 1.2 - 2.5 * fall; // after the first, after the third impact
        CHECK_NEAR(sign * x[0], -1 + 0.5 * v * s - 0.5 * 9.81 * s * s, 10 * exact[i / 2]);
        CHECK_NEAR(sign * x[1], -1 + 0.125 * v * u - 0.5 * 9.81 * u * u, 30 * exact[i / 2]);
        CHECK_NEAR(sign * x[2], -1, 1e-7);
        CHECK_NEAR(sign * limit, 1.5 * 9.81, 1e-4);
        case_table_clear(&t);
    }
    return 0;
}

// Turns are counted: between -200 and 560 degrees, with 0.7 of the rate.
static int a_door_knows_its_turns(void)
{
    for (int i = 0; i < METHODS; i++) {
        char text[2048];
        case_table t = {0};
        double q = 0, w = 0, first = 560 * FLX_PI / 180 / 5, back = 760 * FLX_PI / 180 / 3.5;
        snprintf(
            text, sizeof text,
            "flexion: 1\ngravity: [0, 0, 0]\n"
            "bodies: {b: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}}\n"
            "joints:\n  A: {type: revolute, on: [ground, b], at: [0, 0, 0], axis: [0, 0.6, 0.8],\n"
            "      initial: {rate: 5}, limits: {lower: -200*deg, upper: 560*deg, restitution: "
            "0.7}}\n"
            "simulate: {until: 7, method: %s}\n"
            "outputs: {times: [7], signals: [A.angle, A.rate]}\n",
            methods[i]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "A.angle", 7, &q) && case_table_value(&t, "A.rate", 7, &w));
        CHECK_NEAR(w, 2.45, 10 * exact[i]);
        CHECK_NEAR(q, -200 * FLX_PI / 180 + 2.45 * (7 - first - back), 100 * exact[i]);
        case_table_clear(&t);
    }
    return 0;
}

// ---- a joint that cannot move -----------------------------------------------------------------------

// A hinged lever whose end is on a line stands still: its friction has nothing to hold, and the line bears 3 N 0.7 m/0.9 m, in
// metres and millimetres, however it is turned.
static int a_lever_that_stands_still(void)
{
    for (int k = 0; k < 3 * METHODS; k++) {
        double turned = 0.37 * k, L = k % 2 ? 1e3 : 1.0;
        char text[2000];
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\nparameters: {c: %.17g, s: %.17g, L: %g}\n"
                 "bodies: {b: {type: rigid, mass: 1, inertia: 0.1*L^2, orientation: %.17g}, p: "
                 "{type: point, mass: 1, velocity: [1, 0]}}\n"
                 "joints:\n"
                 "  h: {type: revolute, on: [ground, b], at: [[0, 0], [0, 0]], friction: "
                 "{coefficient: 0.3, radius: 0.05*L, stick: true}}\n"
                 "  l: {type: point-on-line, on: [ground, b], at: [[0.9*L*c, 0.9*L*s], [0.9*L, "
                 "0]], axis: [c, s]}\n"
                 "forces: {f: {type: force, on: b, at: [0.7*L, 0], value: [-3*s, 3*c]}}\n"
                 "simulate: {until: 0.5, method: %s}\n"
                 "outputs: {every: 0.25, signals: [l.reaction, h.rate]}\n",
                 cos(turned), sin(turned), L, turned, methods[k % METHODS]);
        case_table t = {0};
        double x, y;
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "l.reaction.x", 0.5, &x));
        CHECK(case_table_value(&t, "l.reaction.y", 0.5, &y));
        case_table_clear(&t);
        CHECK_NEAR(hypot(x, y), 3 * 0.7 / 0.9, 1e-6);
    }
    return 0;
}

// A body on one joint whose axis points anywhere, by bdf in both coordinates: rows of its reactions meet all six of its
// freedoms, and the row of its slip some of them.
static int axes_in_space_by_bdf(void)
{
    static const char *const axes[] = {"[0, 1, 0]", "[0, 1, 1]", "[1, -0.5, 1.5]", "[1, 2, 0]"};
    static const char *const joints[] = {
        "revolute",
        "friction: {coefficient: 0.3, radius: 0.2, stick: true}",
        "angle",
        "screw",
        "pitch: 0.3, friction: {coefficient: 0.1, radius: 0.2, stick: true}",
        "angle",
        "prismatic",
        "friction: {coefficient: 0.2, static: 0.3, stick: true}",
        "displacement"};
    static const char *const ways[] = {"radau, rtol: 1e-9, atol: 1e-11, formulation: ggl",
                                       "bdf, rtol: 1e-7, formulation: ggl",
                                       "bdf, rtol: 1e-7, formulation: tree", "bdf, rtol: 1e-7"};
    for (int i = 0; i < 4 * 3; i++) {
        const char *const *joint = joints + 3 * (i / 4);
        double value[4] = {0}, lost[4] = {0};
        char model[1024], outputs[128], signal[64];
        snprintf(model, sizeof model,
                 "flexion: 1\ngravity: [1.7, 0.4, -9.81]\n"
                 "bodies: {arm: {type: rigid, mass: 1, inertia: [0.1, 0.12, 0.05], "
                 "position: %s}}\n"
                 "joints:\n  pin: {type: %s, on: [ground, arm], at: [0, 0, 0], axis: %s, %s}\n",
                 i % 4 == 3 ? "[0.5, 0.1, -0.2]" : "[0.5, 0, 0]", joint[0], axes[i % 4], joint[1]);
        snprintf(signal, sizeof signal, "pin.%s", joint[2]);
        snprintf(outputs, sizeof outputs, "times: [2], signals: [%s, energy]", signal);
        for (int k = 0; k < 4; k++) {
            case_table t = {0};
            if (run(model, "", ways[k], outputs, &t)) return 1;
            CHECK(case_table_value(&t, signal, 2, &value[k]));
            CHECK(case_table_value(&t, "energy.dissipated", 2, &lost[k]));
            CHECK_NEAR(value[k], value[0], 2e-5 * (1 + fabs(value[0])));
            CHECK_NEAR(lost[k], lost[0], 2e-5 * (1 + lost[0]));
            case_table_clear(&t);
        }
        CHECK(lost[0] > 0.1 || fabs(value[0]) < 1e-9); // two of the rails hold their block
    }
    return 0;
}

// ---- what is not there --------------------------------------------------------------------------

// Where friction holds at rest is not sought, nor on a path of loads where a stop does: no position that lies beyond it is given.
// An equilibrium finds the stop.
static int rest_is_refused(void)
{
    static const char *const keys[] = {"limits: {lower: -1, restitution: 0.5}",
                                       "friction: {coefficient: 0.2, stick: true}"};
    static const char *const analyses[] = {"{type: equilibrium}", "{type: modes}",
                                           "{type: static, load: gravity}"};
    for (int i = 0; i < 6; i++) {
        char text[2048];
        flx_ctx *ctx = flx_ctx_create();
        flx_model *m = NULL;
        flx_simulation *sim = NULL;
        flx_finding f = {0};
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ngravity: [1, -9.81]\n"
                 "bodies: {b: {type: rigid, mass: 1, inertia: 1, position: [0, 1]}}\n"
                 "joints: {A: {type: prismatic, on: [ground, b], at: [0, 0], axis: [0, 1], %s}}\n"
                 "forces: {k: {type: spring, on: A, stiffness: 5}}\n"
                 "analyse: {a: %s}\nsimulate: {until: 2, method: radau}\n",
                 keys[i % 2], analyses[i / 2]);
        CHECK(flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &m) == FLX_OK);
        CHECK(flx_simulation_create_to_analyse(m, &sim) == FLX_OK);
        CHECK(flx_simulation_analyse(sim, 0, &f) == (i == 0 ? FLX_OK : FLX_ERR_CANNOT));
        flx_finding_clear(&f);
        flx_simulation_destroy(&sim);
        flx_model_destroy(&m);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

TEST_MAIN(TEST(rest_is_refused), TEST(a_lever_that_stands_still), SLOW_TEST(a_block_on_a_slope),
          SLOW_TEST(a_growing_force_tears_it_loose), SLOW_TEST(stick_and_slip_on_a_belt),
          TEST(a_wheel_comes_to_rest), TEST(a_screw_holds_its_load),
          TEST(one_slides_and_one_sticks), SLOW_TEST(a_four_bar_comes_to_rest),
          SLOW_TEST(a_slider_bounces_to_rest), TEST(a_door_knows_its_turns),
          SLOW_TEST(axes_in_space_by_bdf))
