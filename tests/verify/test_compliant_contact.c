// Compliant contact: closed forms and separate integrations, every method, both coordinates, plane and space, turned copies,
// friction, energies, contacts that are short in a long flight.
#include "case_table.h"
#include "check.h"

#include "contact/law.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GRAVITY 9.81

static bool run_model(const char *model, const char *method, double until, case_table *t)
{
    char text[8192];
    snprintf(text, sizeof text, "%ssimulate: {until: %.17g, method: %s}\n", model, until, method);
    return case_run(text, NULL, t, NULL, NULL);
}

// ---- a ball that bounces ------------------------------------------------------------------------

#define DROP 0.25
#define STIFF 1e8

// Height above the place where it touches, of a mass 1 that is let go DROP above stiff ground, F = k d^1.5: flights are
// parabolas, contacts by Runge and Kutta's method in many steps.
static double bounce(double until)
{
    double t = sqrt(2 * DROP / GRAVITY), v = GRAVITY * t;
    for (;;) {
        double d = 0, r = v, h = 2e-8;
        if (until < t) {
            double left = t - until; // the flight seen from its end
            return v * left - 0.5 * GRAVITY * left * left;
        }
        while (d >= 0) {
            double kd[4], kr[4], x = d, y = r;
            for (int s = 0; s < 4; s++) {
                double step = s == 2 ? h : 0.5 * h;
                kd[s] = y;
                kr[s] = GRAVITY - (x > 0 ? STIFF * x * sqrt(x) : 0);
                x = d + step * kd[s];
                y = r + step * kr[s];
            }
            d += h / 6 * (kd[0] + 2 * kd[1] + 2 * kd[2] + kd[3]);
            r += h / 6 * (kr[0] + 2 * kr[1] + 2 * kr[2] + kr[3]);
            t += h;
        }
        t -= d / r; // to where it parts
        v = -(r - GRAVITY * d / r);
        t += 2 * v / GRAVITY;
    }
}

#define BALL                                                                                       \
    "flexion: 1\ngravity: [0, 0, -9.81]\n"                                                         \
    "bodies: {b: {type: rigid, mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [0, 0, 0.3], "      \
    "surface: {sphere: 0.05}}}\n"                                                                  \
    "forces: {c: {type: contact, on: [ground, b], law: hertz, stiffness: 1e8}}\n"                  \
    "outputs: {every: 0.5, signals: [c.gap, energy]}\n"
// Along (2, -1, 2)/3, the ball first, with a centre of mass off its origin.
#define TURNED                                                                                     \
    "flexion: 1\ngravity: [-9.81*2/3, 9.81/3, -9.81*2/3]\n"                                        \
    "bodies: {b: {type: rigid, mass: 1, inertia: [1e-3, 2e-3, 1e-3], com: [0.1, 0.2, 0.3], "       \
    "position: [0.3*2/3 - 0.1, -0.3/3 - 0.2, 0.3*2/3 - 0.3], "                                     \
    "surface: {sphere: 0.05, at: [0.1, 0.2, 0.3]}}}\n"                                             \
    "forces: {c: {type: contact, on: [b, ground], law: hertz, stiffness: 1e8}}\n"                  \
    "outputs: {every: 0.5, signals: [c.gap, energy]}\n"
#define PLANAR                                                                                     \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                              \
    "bodies: {b: {type: point, mass: 1, position: [0.7, 0.3]}}\n"                                  \
    "forces: {c: {type: contact, on: [ground, b], surfaces: [{plane: [0, 1]}, {sphere: 0.05}], "   \
    "law: hertz, stiffness: 1e8}}\n"                                                               \
    "outputs: {every: 0.5, signals: [c.gap, energy]}\n"

static int a_ball_bounces_with_every_method(void)
{
    static const struct {
        const char *model, *method;
        double height, energy; // tolerances
    } runs[] = {
        {BALL, "radau, rtol: 1e-6", 1e-4, 1e-4},
        {BALL, "radau, rtol: 1e-3", 5e-3, 1e-2},
        {BALL, "radau, rtol: 1e-10, atol: 1e-12", 1e-6, 1e-7},
        {BALL, "radau, rtol: 1e-6, formulation: tree", 1e-4, 1e-4},
        {TURNED, "radau, rtol: 1e-8, atol: 1e-10", 1e-5, 1e-5},
        {TURNED, "radau, rtol: 1e-8, atol: 1e-10, formulation: tree", 1e-5, 1e-5},
        {PLANAR, "radau, rtol: 1e-8, atol: 1e-10", 1e-5, 1e-5},
        {BALL, "bdf, rtol: 1e-7", 1e-3, 1e-3},
        {BALL, "dopri5, rtol: 1e-8", 1e-4, 1e-4},
        {BALL, "dop853, rtol: 1e-9", 1e-3, 1e-3},
        {PLANAR, "adams, rtol: 1e-8", 1e-3, 1e-3},
        {BALL, "gauss, rtol: 1e-6", 1e-3, 1e-3},
        {BALL, "hht, rtol: 1e-6", 1e-3, 1e-3},
        {BALL, "generalized-alpha, rtol: 1e-6", 1e-4, 1e-4},
        {BALL, "generalized-alpha, rtol: 1e-6, spectral_radius: 0.3", 1e-4, 1e-4},
        {PLANAR, "generalized-alpha, rtol: 1e-5, spectral_radius: 0.95", 1e-3, 1e-3},
        {BALL, "gauss, stages: 2, step: 5e-5", 1e-3, 1e-3},
        {PLANAR, "energy-momentum, step: 5e-5", 1e-3, 1e-4},
    };
    double until = 2.5, exact = bounce(until), at_rest = GRAVITY * DROP;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        case_table t = {0};
        double gap = 0, start = 0, total = 0;
        CHECK(run_model(runs[i].model, runs[i].method, until, &t));
        CHECK(case_table_value(&t, "c.gap", until, &gap));
        CHECK(case_table_value(&t, "energy.total", 0, &start));
        CHECK(case_table_value(&t, "energy.total", until, &total));
        if (!(fabs(gap - exact) <= runs[i].height)) printf("%s\n", runs[i].method);
        CHECK_NEAR(gap, exact, runs[i].height);
        CHECK_NEAR(total - start, 0, runs[i].energy * at_rest);
        case_table_clear(&t);
    }
    return 0;
}

// Steps longer than the impact cannot follow it: that is said.
static int given_steps_that_are_too_long_are_remarked_on(void)
{
    char said[2000];
    CHECK(case_run_said(BALL "simulate: {until: 0.3, method: radau, step: 1e-3}\n", NULL, said,
                        sizeof said));
    CHECK_TEXT(said, "contact 'c': at t = 0.22");
    CHECK_TEXT(said, "lasts about 0.0017");
    CHECK(case_run_said(BALL "simulate: {until: 0.3, method: radau, step: 1e-4}\n", NULL, said,
                        sizeof said));
    CHECK(!strstr(said, "lasts"));
    // bodies that are apart at the start: nothing is told of then
    CHECK(case_run_said(
        "flexion: 1\nbodies:\n"
        "  a: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [-1, 0, 0], velocity: [2, 0, "
        "0]}\n"
        "  b: {type: rigid, mass: 1, inertia: [1, 1, 1]}\n"
        "joints: {s: {type: prismatic, on: [ground, a], at: a, axis: [1, 0, 0]}}\n"
        "forces: {c: {type: contact, on: [b, a], surfaces: [{sphere: 0.1}, {sphere: 0.1}], law: "
        "hertz, stiffness: 1e7}}\nsimulate: {until: 0.5, method: radau, step: 1e-3}\n",
        NULL, said, sizeof said));
    CHECK_TEXT(said, "contact 'c': at t = 0.4");
    CHECK(!strstr(said, "at t = 0 "));
    return 0;
}

// ---- restitution --------------------------------------------------------------------------------

// The damping of a restitution follows the speed at which the surfaces meet, each time anew.
static int restitution_holds_at_every_speed(void)
{
    static const char *const speeds[] = {"0.05", "1", "20"};
    static const char *const laws[] = {"hunt-crossley", "flores", "lankarani-nikravesh"};
    static const double asked[] = {0.7, 0.7, 0.9}, av[] = {0, 1.6 * 0.3 / 0.7, 0.75 * 0.19};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            char text[2000];
            double v = 0, speed = atof(speeds[i]), e = asked[k],
                   kept = k > 0 ? flx_law_restitution(av[k]) : e;
            case_table t = {0};
            // two walls: it comes back, slower, and the damping is another one
            snprintf(text, sizeof text,
                     "flexion: 1\n"
                     "bodies: {b: {type: rigid, mass: 0.3, inertia: [1, 1, 1], velocity: [-%s, 0, "
                     "0], surface: {sphere: 0.1}}}\n"
                     "forces:\n"
                     "  c: {type: contact, on: [ground, b], ground: [{plane: [1, 0, 0], at: [-0.2, "
                     "0, 0]}, {plane: [-1, 0, 0], at: [0.2, 0, 0]}], law: %s, stiffness: 1e10, "
                     "exponent: 1.8, restitution: %g}\n"
                     "simulate: {until: %g, method: radau, rtol: 1e-9, atol: 1e-12}\n"
                     "outputs: {every: %g, signals: [b.velocity.x, c.value]}\n",
                     speeds[i], laws[k], e, 0.48 / speed, 0.24 / speed);
            CHECK(case_run(text, NULL, &t, NULL, NULL));
            CHECK(case_table_value(&t, "b.velocity.x", 0.24 / speed, &v));
            CHECK_NEAR(v / speed, kept, 1e-6);
            CHECK(case_table_value(&t, "b.velocity.x", 0.48 / speed, &v));
            CHECK_NEAR(-v / speed, kept * kept, 2e-6);
            case_table_clear(&t);
        }
    }
    return 0;
}

// ---- rows of balls ------------------------------------------------------------------------------

// The first of five equal balls that touch each other arrives: momentum and energy stay, the last leaves with nearly all.
// What begins pressed into the ground met it at the speed of all that the contact stores, in any unit: by (LAW-2) it leaves
// with w, where -a w - ln(1 - a w) = (a v)^2/2. It crept out at some mm/s, as if it had met at 1 mm/s.
static int what_begins_pressed_leaves(void)
{
    static const double units[] = {1.0, 1e3, 1e-2, 1e6}; // of length
    static const char *const methods[] = {"auto", "radau, formulation: tree", "dop853, rtol: 1e-8",
                                          "generalized-alpha, rtol: 1e-8"};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            double e = 0.3 + 0.15 * k, L = units[i], depth = 0.05, stiff = 4e3, n = 1.5, m = 1.7;
            double av = flx_law_damping(e), v = sqrt(2 * stiff * pow(depth, n + 1) / (n + 1) / m);
            double low = 0.0, high = 1.0; // a w
            for (int bit = 0; bit < 60; bit++) {
                double x = 0.5 * (low + high);
                *(-x - log(1 - x) < 0.5 * av * av ? &low : &high) = x;
            }
            char model[1000];
            case_table t = {0};
            double w = 0.0;
            snprintf(model, sizeof model,
                     "flexion: 1\ndimension: 2\n"
                     "bodies: {b: {type: rigid, mass: %g, inertia: %.17g, position: [0, %.17g]}}\n"
                     "forces: {c: {type: contact, on: [ground, b], surfaces: [{plane: [0, 1]},"
                     " {sphere: %.17g}], law: hunt-crossley, stiffness: %.17g, restitution: %g}}\n"
                     "outputs: {every: 0.5, signals: [b.velocity.y]}\n",
                     m, 0.1 * L * L, 0.15 * L, 0.2 * L, stiff * pow(L, 1 - n), e);
            CHECK(run_model(model, methods[k], 1.0, &t));
            CHECK(case_table_value(&t, "b.velocity.y", 1.0, &w));
            CHECK_NEAR(w / L, low * v / av, 2e-5 * v);
            case_table_clear(&t);
        }
    }
    return 0;
}

static int a_row_of_balls_keeps_momentum_and_energy(void)
{
    static const char *const methods[] = {"radau, rtol: 1e-9, atol: 1e-13",
                                          "radau, rtol: 1e-9, atol: 1e-13, formulation: tree",
                                          "dop853, rtol: 1e-9, atol: 1e-13"};
    for (int i = 0; i < 3; i++) {
        case_table t = {0};
        double v[6], p = 0, e = 0;
        CHECK(run_model("flexion: 1\ndimension: 2\n"
                        "bodies:\n"
                        "  b: {repeat: {i: [1, 5]}, type: rigid, mass: 0.2, inertia: 1e-5, "
                        "position: [0.02*i, 0], velocity: [\"if(i == 1, 1, 0)\", 0], "
                        "surface: {sphere: 0.01}}\n"
                        "forces: {c: {type: contact, among: [b], law: hertz, stiffness: 1e9}}\n"
                        "outputs: {every: 1e-3, signals: [b.velocity.x, c.contacts]}\n",
                        methods[i], 2e-3, &t));
        for (int k = 1; k <= 5; k++) {
            char name[40];
            snprintf(name, sizeof name, "b(%d).velocity.x", k);
            CHECK(case_table_value(&t, name, 2e-3, &v[k]));
            p += v[k];
            e += v[k] * v[k];
        }
        CHECK_NEAR(p, 1, 1e-9);
        CHECK_NEAR(e, 1, 1e-6);
        for (int k = 1; k < 5; k++) CHECK(v[k] < v[k + 1]); // they part
        CHECK(v[5] > 0.97 && v[5] < 1 && v[1] < 0);
        case_table_clear(&t);
    }
    return 0;
}

// ---- friction -----------------------------------------------------------------------------------

// A sphere that slides begins to roll, at 5/7 of its speed whatever the friction is; the rest is dissipated. In a plane it is
// a disc: 2/3.
static int sliding_becomes_rolling(void)
{
    static const char space[] =
        "flexion: 1\ngravity: [0, 0, -9.81]\n"
        "parameters: {r: 0.1, m: 2, k: 1e9, d: (m*9.81/k)^(2/3)}\n"
        "bodies: {b: {type: rigid, mass: m, inertia: [0.4*m*r^2, 0.4*m*r^2, 0.4*m*r^2], "
        "position: [0, 0, r - d], velocity: [0.6, 0.8, 0], surface: {sphere: r}}}\n"
        "forces: {c: {type: contact, on: [ground, b], law: hertz, stiffness: k, friction: "
        "{coefficient: 0.3, velocity: 1e-5}}}\n"
        "outputs: {every: 0.1, signals: [b.velocity, b.angular_velocity, c.friction, c.slip, "
        "energy]}\n";
    static const char plane[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "parameters: {r: 0.1, m: 2, k: 1e9, d: (m*9.81/k)^(2/3)}\n"
        "bodies: {b: {type: rigid, mass: m, inertia: 0.5*m*r^2, "
        "position: [0, r - d], velocity: [1, 0], surface: {sphere: r}}}\n"
        "forces: {c: {type: contact, on: [b, ground], surfaces: [{sphere: r}, {plane: [0, 1]}], "
        "law: hertz, stiffness: k, friction: {coefficient: 0.3, velocity: 1e-5}}}\n"
        "outputs: {every: 0.1, signals: [b.velocity, b.angular_velocity, c.friction, c.slip, "
        "energy]}\n";
    case_table t = {0};
    double x, y, start, total, lost;
    CHECK(run_model(space, "radau, rtol: 1e-8, atol: 1e-10", 0.5, &t));
    CHECK(case_table_value(&t, "c.friction.x", 0, &x));
    CHECK(case_table_value(&t, "c.friction.y", 0, &y));
    CHECK_NEAR(x, -0.6 * 0.3 * 2 * GRAVITY, 1e-3);
    CHECK_NEAR(y, -0.8 * 0.3 * 2 * GRAVITY, 1e-3);
    CHECK(case_table_value(&t, "b.velocity.x", 0.5, &x));
    CHECK(case_table_value(&t, "b.velocity.y", 0.5, &y));
    CHECK_NEAR(x, 0.6 * 5 / 7, 1e-3); // the ground gives way: the arm is shorter
    CHECK_NEAR(y, 0.8 * 5 / 7, 1e-3);
    CHECK(case_table_value(&t, "energy.total", 0, &start));
    CHECK(case_table_value(&t, "energy.total", 0.5, &total));
    CHECK(case_table_value(&t, "energy.dissipated", 0.5, &lost));
    CHECK_NEAR(total + lost, start, 1e-6);
    CHECK_NEAR(lost, 0.5 * 2 * 2 / 7.0, 2e-3);
    case_table_clear(&t);
    CHECK(run_model(plane, "radau, rtol: 1e-8, atol: 1e-10", 0.5, &t));
    CHECK(case_table_value(&t, "c.friction.x", 0, &x)); // on the second, the ground
    CHECK_NEAR(x, 0.3 * 2 * GRAVITY, 1e-3);
    CHECK(case_table_value(&t, "b.velocity.x", 0.5, &x));
    CHECK(case_table_value(&t, "b.angular_velocity", 0.5, &y));
    CHECK_NEAR(x, 2.0 / 3, 1e-3);
    CHECK_NEAR(y, -x / 0.1, 0.02);
    CHECK(case_table_value(&t, "energy.total", 0, &start));
    CHECK(case_table_value(&t, "energy.total", 0.5, &total));
    CHECK(case_table_value(&t, "energy.dissipated", 0.5, &lost));
    CHECK_NEAR(total + lost, start, 1e-6);
    case_table_clear(&t);
    return 0;
}

// ---- bodies that bend ---------------------------------------------------------------------------

// A ball falls on the tip of a cantilever, a modal body and a beam of large deformation: the energy balances, and in both
// coordinates it is the same motion.
static int a_ball_falls_on_a_cantilever(void)
{
#define FALL                                                                                       \
    "  ball: {type: rigid, mass: 0.5, inertia: [1e-4, 1e-4, 1e-4], position: [1, 0, 0.12], "       \
    "surface: {sphere: 0.02}}\n"                                                                   \
    "forces:\n"                                                                                    \
    "  hit: {type: contact, on: [rod, ball], surfaces: [{sphere: 0.05, at: rod.end}, {sphere: "    \
    "0.02}], law: hunt-crossley, stiffness: 1e6, damping: 0.4}\n"                                  \
    "outputs: {every: 0.1, signals: [ball.position.z, hit.value, energy]}\n"
    static const char modal[] =
        "flexion: 1\ngravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  rod: {type: flexible, fe: {line: [[0, 0, 0], [1, 0, 0]], elements: 6, section: {width: "
        "0.05, height: 0.01}, material: {E: 7e10, density: 2700}}, reduce: {type: craig-bampton, "
        "interfaces: [start, end], modes: 2}, damping: {ratio: 0.02}}\n" FALL
        "joints: {J: {type: fixed, on: [ground, rod], at: rod.start}}\n";
    static const char beam[] =
        "flexion: 1\ngravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  rod: {type: beam, from: [0, 0, 0], to: [1, 0, 0], elements: 4, section: {width: 0.05, "
        "height: 0.01}, material: {E: 7e10, density: 2700}}\n" FALL
        "joints: {J: {type: fixed, on: [ground, rod], at: rod.start}}\n";
    static const struct {
        const char *model, *method;
    } runs[] = {{modal, "radau, rtol: 1e-7, atol: 1e-9"},
                {modal, "radau, rtol: 1e-7, atol: 1e-9, formulation: tree"},
                {beam, "radau, rtol: 1e-6, atol: 1e-8"}};
    double first = 0;
    for (int i = 0; i < 3; i++) {
        case_table t = {0};
        double start, total, lost, z;
        CHECK(run_model(runs[i].model, runs[i].method, 0.3, &t));
        CHECK(case_table_value(&t, "energy.total", 0, &start));
        CHECK(case_table_value(&t, "energy.total", 0.3, &total));
        CHECK(case_table_value(&t, "energy.dissipated", 0.3, &lost));
        CHECK(case_table_value(&t, "ball.position.z", 0.3, &z));
        CHECK_NEAR(total + lost, start, 1e-4);
        CHECK(lost > 1e-3 && z > -0.2);
        if (i == 0) first = z;
        if (i == 1) CHECK_NEAR(z, first, 1e-5);
        case_table_clear(&t);
    }
    return 0;
}

// ---- fast and small -----------------------------------------------------------------------------

// A pellet that crosses the place of a ball within a step is not through it.
static int a_pellet_does_not_pass_through_a_ball(void)
{
    static const char model[] =
        "flexion: 1\n"
        "bodies:\n"
        "  ball: {type: rigid, mass: 5, inertia: [1, 1, 1], surface: {sphere: 0.03}}\n"
        "  pellet: {type: point, mass: 0.01, position: [-5, 0.01, 0], velocity: [300, 0, 0], "
        "surface: {sphere: 0.001}}\n"
        "forces: {c: {type: contact, on: [ball, pellet], law: hertz, stiffness: 1e9}}\n"
        "outputs: {every: 0.05, signals: [pellet.velocity.x, energy]}\n";
    static const char *const methods[] = {"radau, rtol: 1e-6", "dopri5, rtol: 1e-6",
                                          "bdf, rtol: 1e-7", "radau, rtol: 1e-3"};
    for (int i = 0; i < 4; i++) {
        case_table t = {0};
        double v = 0, start = 0, total = 0;
        CHECK(run_model(model, methods[i], 0.05, &t));
        CHECK(case_table_value(&t, "pellet.velocity.x", 0.05, &v));
        CHECK(v < 0);
        CHECK(case_table_value(&t, "energy.total", 0, &start));
        CHECK(case_table_value(&t, "energy.total", 0.05, &total));
        CHECK_REL(total, start, i == 3 ? 1e-2 : 1e-3);
        case_table_clear(&t);
    }
    return 0;
}

// Before the run: how fast surfaces meet and how long that lasts; in how many given steps, and waves of the highest mode.
static int impacts_are_foreseen(void)
{
    static const char *const models[] = {
        BALL "simulate: {until: 1, method: radau}\n",
        TURNED "simulate: {until: 1, method: generalized-alpha, step: 1e-3}\n",
        PLANAR "simulate: {until: 1, method: radau, formulation: tree}\n"};
    const double speed = sqrt(2 * GRAVITY * DROP);
    const double lasts = flx_law_duration(STIFF, 1.5, 1.0, speed);
    for (int i = 0; i < 3; i++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_model *m = NULL;
        flx_simulation *sim = NULL;
        flx_impact_forecast f;
        const char *text = models[i];
        CHECK(flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &m) == FLX_OK);
        CHECK(flx_simulation_create(m, &sim) == FLX_OK);
        const char *name = flx_simulation_impact(sim, 0, &f);
        CHECK(name && strcmp(name, "c") == 0);
        CHECK_REL(f.speed, speed, 1e-9);
        CHECK_REL(f.lasts, lasts, 1e-9);
        CHECK_NEAR(f.steps, i == 1 ? lasts / 1e-3 : 0, 1e-9);
        CHECK(f.frequency == 0);
        CHECK(!flx_simulation_impact(sim, 1, &f));
        flx_simulation_destroy(&sim);
        flx_model_destroy(&m);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// A step changes the slip by more than the velocity that regularises friction: whole corrections of Newton's method go to and
// fro across it, shortened ones get there. The ball rolls with 5/7 of its speed, but for what the first millimetres take.
static int friction_sharper_than_a_step_is_solved(void)
{
    static const char *const methods[] = {"generalized-alpha", "hht", "newmark"};
    for (int i = 0; i < 6; i++) {
        char text[2000];
        case_table t = {0};
        double v, w;
        snprintf(text, sizeof text,
                 "flexion: 1\ngravity: [0, 0, -9.81]\n"
                 "bodies: {b: {type: rigid, mass: 1, inertia: [4e-3, 4e-3, 4e-3], position: [0, 0, "
                 "0.1], velocity: [1, 0, 0], surface: {sphere: 0.1}}}\n"
                 "forces: {c: {type: contact, on: [ground, b], law: hunt-crossley, stiffness: 1e6, "
                 "damping: 2, friction: {coefficient: 0.3, velocity: %s}}}\n"
                 "outputs: {every: 0.2, signals: [b.velocity.x, b.angular_velocity.y]}\n"
                 "simulate: {until: 0.4, method: %s, step: 1e-3}\n",
                 i < 3 ? "1e-3" : "2e-4", methods[i % 3]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "b.velocity.x", 0.4, &v));
        CHECK(case_table_value(&t, "b.angular_velocity.y", 0.4, &w));
        CHECK_NEAR(v, 5.0 / 7.0, 2e-3);
        CHECK_NEAR(0.1 * w, v, 0.1 * w * 3e-3);
        case_table_clear(&t);
    }
    return 0;
}

// What begins on the border, or presses on it, goes on from there.
static int rest_stays_rest(void)
{
    static const char *const laws[] = {"hertz, stiffness: 1e7",
                                       "hunt-crossley, stiffness: 1e7, restitution: 0.5",
                                       "penalty, stiffness: 1e6, damping: 2000",
                                       ("penalty, stiffness: 1e6, exponent: 2, damping: 1e6, "
                                        "damping_exponent: 1, damping_on: approach")};
    for (int i = 0; i < 4; i++) {
        char text[2000];
        case_table t = {0};
        double gap, force, last = i == 1 ? 2.0 : 1.0;
        snprintf(text, sizeof text,
                 "flexion: 1\ngravity: [0, 0, -9.81]\n"
                 "bodies: {b: {type: rigid, mass: 2, inertia: [1, 1, 1], position: [0, 0, 0.1], "
                 "surface: {sphere: 0.1}}}\n"
                 "forces: {c: {type: contact, on: [ground, b], law: %s}}\n"
                 "outputs: {every: 0.5, signals: [c.gap, c.value, c.state]}\n",
                 laws[i]);
        CHECK(run_model(text, "radau, rtol: 1e-7, atol: 1e-10", last, &t));
        CHECK(case_table_value(&t, "c.gap", last, &gap));
        CHECK(case_table_value(&t, "c.value", last, &force));
        CHECK(gap > -5e-3 && gap < 1e-9);
        if (i == 1 || i == 2) CHECK_NEAR(force, 2 * GRAVITY, 1e-3 * 2 * GRAVITY);
        case_table_clear(&t);
    }
    return 0;
}

// A step goes on over the end of a contact. Inside it the force is that of the gap until the surfaces part, for every method.
static int rows_inside_steps_have_the_force_of_their_gap(void)
{
    static const char *const methods[] = {"dop853, rtol: 1e-3, atol: 1e-3",
                                          "dopri5, rtol: 1e-5, atol: 1e-5",
                                          "dop853, formulation: tree, rtol: 1e-5, atol: 1e-5",
                                          "radau, rtol: 1e-3, atol: 1e-3",
                                          "radau, formulation: tree, rtol: 1e-5, atol: 1e-5",
                                          "generalized-alpha, rtol: 1e-3, atol: 1e-3",
                                          "bdf, rtol: 1e-4, atol: 1e-4"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        int pressed = 0;
        case_table t = {0};
        CHECK(run_model("flexion: 1\ngravity: [0, 0, -9.81]\n"
                        "bodies: {b: {type: rigid, mass: 1, inertia: [0.01, 0.01, 0.01], position: "
                        "[0, 0, 0.11], velocity: [0.3, 0, 0], surface: {sphere: 0.1}}}\n"
                        "forces: {c: {type: contact, on: [ground, b], law: hertz, stiffness: 5000, "
                        "friction: {coefficient: 0.3, velocity: 0.1}}}\n"
                        "outputs: {every: 1e-3, signals: [c.gap, c.value]}\n",
                        methods[m], 1.0, &t));
        for (int i = 0; i < t.rows; i++) {
            const double *row = t.values + (size_t)i * (size_t)t.columns;
            double depth = fmax(-row[1], 0.0);
            CHECK_NEAR(row[2], 5000 * depth * sqrt(depth), 1e-9);
            pressed += depth > 0;
        }
        CHECK(pressed > 100);
        case_table_clear(&t);
    }
    return 0;
}

// Spin about the normal is slowed down by the torque f R N, rolling by 5/7 f g; both in a frame that is turned.
static int spin_and_rolling_are_slowed_down(void)
{
    static const char model[] =
        "flexion: 1\ngravity: [3.924, 0, -5.886]\n"
        "bodies: {b: {type: rigid, mass: 2, inertia: [2e-3, 2e-3, 2e-3], position: "
        "[-0.02773500981, 0, 0.04160251472],\n"
        "  velocity: [0, 0.5, 0], angular_velocity: [-8.32050294338 - 5.547001962252292, 0, "
        "-5.547001962252292 + 8.32050294338], surface: {sphere: 0.05}}}\n"
        "forces: {c: {type: contact, on: [ground, b], law: hunt-crossley, stiffness: 1e9, damping: "
        "1,\n"
        "  friction: {coefficient: 0.5, velocity: 1e-4, rolling: 0.02, spinning: 0.01}}}\n"
        "signals: {spin: (-2*b.angular_velocity.x + 3*b.angular_velocity.z)/sqrt(13)}\n"
        "outputs: {every: 0.5, signals: [spin, b.velocity, energy]}\n";
    case_table t = {0};
    double x, y, z, spin, g = sqrt(3.924 * 3.924 + 5.886 * 5.886), vy;
    CHECK(run_model(model, "radau, rtol: 1e-8", 0.5, &t));
    CHECK(case_table_value(&t, "spin", 0.5, &spin));
    CHECK(case_table_value(&t, "b.velocity.x", 0.5, &x));
    CHECK(case_table_value(&t, "b.velocity.y", 0.5, &vy));
    CHECK(case_table_value(&t, "b.velocity.z", 0.5, &z));
    CHECK(case_table_value(&t, "spin", 0.0, &y));
    CHECK_NEAR(y - spin, 0.5 * 0.01 * 0.05 * 2 * g / 2e-3, 1e-3);
    CHECK_NEAR(vy, 0.5 - 0.5 * 5.0 / 7 * 0.02 * g, 1e-4);
    CHECK_NEAR(hypot(x, z), 0, 1e-3);
    case_table_clear(&t);
    return 0;
}

static int rolling_is_refused_where_it_has_no_radius(void)
{
    char said[1024];
    CHECK(!case_run_said(
        "flexion: 1\ngravity: [0, 0, -9.81]\nbodies: {b: {type: rigid, mass: 1, inertia: [1, 1, "
        "1], position: [0, 0, 1], surface: {capsule: {radius: 0.1, length: 1}}}}\n"
        "forces: {k: {type: contact, on: [ground, b], law: hertz, stiffness: 1, friction: "
        "{coefficient: 0.3, velocity: 1e-3, rolling: 0.1}}}\n"
        "simulate: {until: 1, method: radau, rtol: 1e-6}\n",
        NULL, said, sizeof said));
    CHECK_TEXT(said, "'rolling' and 'spinning' are of spheres and planes alone");
    CHECK(!case_run_said(
        "flexion: 1\ndimension: 2\nbodies: {b: {type: rigid, mass: 1, inertia: 1, position: [0, "
        "1], surface: {sphere: 0.1}}}\n"
        "forces: {k: {type: contact, on: [ground, b], law: hertz, stiffness: 1, friction: "
        "{coefficient: 0.3, velocity: 1e-3, spinning: 0.1}}}\n"
        "simulate: {until: 1, method: radau, rtol: 1e-6}\n",
        NULL, said, sizeof said));
    CHECK_TEXT(said, "in the plane nothing spins about the normal");
    return 0;
}

TEST_MAIN(TEST(a_ball_bounces_with_every_method),
          TEST(given_steps_that_are_too_long_are_remarked_on),
          TEST(restitution_holds_at_every_speed), TEST(what_begins_pressed_leaves),
          TEST(a_row_of_balls_keeps_momentum_and_energy), TEST(sliding_becomes_rolling),
          TEST(spin_and_rolling_are_slowed_down), TEST(rolling_is_refused_where_it_has_no_radius),
          TEST(a_ball_falls_on_a_cantilever), TEST(a_pellet_does_not_pass_through_a_ball),
          TEST(friction_sharper_than_a_step_is_solved), TEST(impacts_are_foreseen),
          TEST(rest_stays_rest), TEST(rows_inside_steps_have_the_force_of_their_gap))
