// test_units.c - the same model in other units of length, mass and time: the same motion, freedoms and forces.
#include "case_table.h"
#include "check.h"
#include "flexion/flexion.h"

#include <math.h>
#include <string.h>

// Metres, kilograms and seconds; millimetres, grams and milliseconds; nanometres and microseconds; megametres.
static const double units[][3] = {{1, 1, 1}, {1e3, 1e3, 1e3}, {1e9, 1e12, 1e6}, {1e-6, 1e-6, 1e-4}};
#define UNITS ((int)(sizeof units / sizeof units[0]))

static void write(const char *model, int unit, size_t room, char *text)
{
    snprintf(text, room, "flexion: 1\nparameters: {L: %.17g, M: %.17g, T: %.17g}\n%s",
             units[unit][0], units[unit][1], units[unit][2], model);
}

// ---- slips ----------------------------------------------------------------------------------------

// A point that is thrown up a slope, stops, and slides back.
static const char slope[] =
    "gravity: [-3*L/T^2, 0, -8*L/T^2]\n"
    "bodies:\n"
    "  b: {type: point, mass: M, position: [0, 0, 0.2*L], velocity: [L/T, 0, 0]}\n"
    "  beside: {type: point, mass: M, position: [0, L, 3*L]}\n"
    "forces: {c: {type: contact, on: [ground, b], law: restitution, restitution: 0,\n"
    "             friction: {coefficient: 0.2}, surfaces: [{plane: [0, 0, 1], at: [0, 0, 0]},\n"
    "             {sphere: 0.2*L, at: b}]}}\n"
    "simulate: {until: 0.5*T, rtol: 1e-9, atol: 1e-9*L, method: %s}\n"
    "outputs: {times: [0.5*T], signals: [b.velocity]}\n";

// Up with -4.6, for 1/4.6, and back with -1.4.
static int a_slip_turns_back_at_once(void)
{
    static const char *const methods[] = {"dop853, formulation: index-1", "radau, formulation: ggl",
                                          "radau, formulation: index-3"};
    for (int i = 0; i < UNITS; i++) {
        for (int k = 0; k < 3; k++) {
            char model[1200], text[1600];
            case_table t = {0};
            double v, unit = units[i][0] / units[i][2];
            snprintf(model, sizeof model, slope, methods[k]);
            write(model, i, sizeof text, text);
            CHECK(case_run(text, NULL, &t, NULL, NULL));
            CHECK(case_table_value(&t, "b.velocity.x", 0.5 * units[i][2], &v));
            case_table_clear(&t);
            CHECK_NEAR(v / unit, -1.4 * (0.5 - 1.0 / 4.6), 1e-8);
        }
    }
    return 0;
}

// ---- starts ---------------------------------------------------------------------------------------

// Dampers that hardly leave a plane: out of it the point is fast at first, and slow soon.
static const char point[] =
    "bodies:\n"
    "  m: {type: point, mass: 0, position: [0, 0, 0.5*L]}\n"
    "  beside: {type: point, mass: M, position: [0, 0, -0.5*L]}\n"
    "forces:\n"
    "  x: {type: spring, on: [ground, m], at: [[L, 0, 0.5*L], m], stiffness: 100*M/T^2, damping: "
    "M/T,\n"
    "      length: L}\n"
    "  y: {type: spring, on: [ground, m], at: [[0, L, 0.5*L], m], stiffness: 100*M/T^2, damping: "
    "M/T,\n"
    "      length: L}\n"
    "  s: {type: spring, on: [ground, m], at: [[0, %.17g*L, (0.5 + %.17g)*L], m], stiffness: 0,\n"
    "      damping: M/T, length: L}\n"
    "  z: {type: spring, on: [ground, m], at: [[0, 0, 1.5*L], m], stiffness: 100*M/T^2, length: "
    "L}\n"
    "  F: {type: force, on: m, at: m, value: [0, 0, %.17g*M*L/T^2]}\n"
    "simulate: {until: 0.1*T, method: radau, rtol: 1e-9, atol: 1e-9*L}\n"
    "outputs: {every: 0.1*T, signals: [m.velocity]}\n";

static int fast_transients_begin_with_their_velocity(void)
{
    for (int i = 0; i < UNITS; i++) {
        for (int power = 4; power <= 6; power++) {
            double rise = pow(10.0, -0.5 * power), along = sqrt(1.0 - rise * rise), force = 3e-5, v;
            char model[1600], text[2000];
            case_table t = {0};
            snprintf(model, sizeof model, point, along, rise, force);
            write(model, i, sizeof text, text);
            CHECK(case_run(text, NULL, &t, NULL, NULL));
            CHECK(case_table_value(&t, "m.velocity.z", 0.0, &v));
            case_table_clear(&t);
            double right = force * (1.0 + along * along) / (rise * rise);
            CHECK_NEAR(v * units[i][2] / units[i][0] / right, 1.0, 1e-5);
        }
    }
    return 0;
}

// ---- joints ---------------------------------------------------------------------------------------

// A frame of two bars that a hinge, a line and a gear hold, near to where they would not; a point falls beside it.
static const char frame[] =
    "dimension: 2\n"
    "gravity: [5.2537148564*L/T^2, -5.7338641933*L/T^2]\n"
    "bodies:\n"
    "  a: {type: rigid, mass: M, inertia: 0.13468633674*M*L^2, orientation: 0.28498516066113133,\n"
    "      position: [0.27540315886887901*L, 0.75470534112764431*L],\n"
    "      points: {o: [0.30073190784815085*L, -0.60162837706756345*L],\n"
    "               q: [-1.0483095683498711*L, 0.65109799762960896*L],\n"
    "               r: [-0.19954542734450309*L, 0.32509704364432596*L]}}\n"
    "  b: {type: rigid, mass: M, inertia: 0.30932782666*M*L^2, orientation: 1.7847809145817437,\n"
    "      position: [-0.73838831244805792*L, 0.83821819802831121*L],\n"
    "      points: {q: [0.2781973912486615*L, 0.11892281947029737*L],\n"
    "               r: [0.15334542830053116*L, -0.81053126233133155*L]}}\n"
    "  c: {type: point, mass: M, position: [0.57*L, -0.2*L]}\n"
    "joints:\n"
    "  o: {type: revolute, on: [a, ground], at: [a.o, [0.73314902670697741*L, "
    "0.26189188253884499*L]]}\n"
    "  q: {type: revolute, on: [b, a], at: [b.q, a.q]}\n"
    "  r: {type: point-on-line, on: [b, a], at: [b.r, a.r],\n"
    "      axis: [-0.18768767393850014, -0.98222876004093629]}\n"
    "  g: {type: gear, on: [o, q], ratio: 1.6524333231569768}\n"
    "simulate: {until: 0.2*T, method: radau, atol: 1e-6*L}\n"
    "outputs: {every: 0.1*T, signals: [o.reaction, q.reaction, r.reaction]}\n";

static int a_frame_bears_the_same(void)
{
    static const char *const names[] = {"o.reaction.x", "q.reaction.x", "r.reaction.y"};
    double right[3] = {0};
    for (int i = 0; i < UNITS; i++) {
        double unit = units[i][0] * units[i][1] / (units[i][2] * units[i][2]), force;
        char text[2400];
        case_table t = {0};
        write(frame, i, sizeof text, text);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        for (int k = 0; k < 3; k++) {
            for (int row = 0; row < 3; row++) {
                CHECK(case_table_value(&t, names[k], 0.1 * row * units[i][2], &force));
                if (i == 0 && row == 2) right[k] = force;
            }
        }
        for (int k = 0; k < 3 && i > 0; k++) {
            for (int row = 0; row < 3; row++) {
                CHECK(case_table_value(&t, names[k], 0.1 * row * units[i][2], &force));
                CHECK_NEAR(force / unit / right[k], 1.0, 1e-9);
            }
        }
        case_table_clear(&t);
    }
    return 0;
}

// A cable of ANCF elements that begins in a body, which hangs on a hinge or a ball: %s.
static const char cable[] =
    "bodies:\n"
    "  a: {type: rigid, mass: M, inertia: [0.2*M*L^2, 0.3*M*L^2, 0.25*M*L^2],\n"
    "      position: [-0.18*L, -0.6*L, -0.48*L]}\n"
    "  b: {type: beam, formulation: ancf-cable, elements: 2, from: [0.49*L, -0.21*L, -0.74*L],\n"
    "      to: [0.64*L, -0.48*L, -1.44*L], section: {width: 0.05*L, height: 0.05*L},\n"
    "      material: {E: 3.4e6*M/(L*T^2), nu: 0.3, density: 2000*M/L^3}}\n"
    "joints:\n"
    "  j: {on: [a, ground], at: [0.06*L, -0.41*L, -0.48*L], %s}\n"
    "  k: {on: [a, b], at: b.start, %s}\n"
    "simulate: {until: 1e-6*T, method: radau, atol: 1e-6*L}\n"
    "outputs: {every: 1e-6*T, signals: [energy.kinetic]}\n";

static int joints_of_cables_all_count(void)
{
    static const char *const joints[] = {
        "type: fixed", "type: revolute, axis: [-0.57, 0.55, 0.61]", "type: spherical",
        "type: universal, axes: [[-0.57, 0.55, 0.61], [0.55, 0.57, 0]]"};
    for (int i = 0; i < UNITS; i++) {
        for (int k = 0; k < 16; k++) {
            char model[2000], text[2400];
            case_table t = {0};
            flx_summary made;
            snprintf(model, sizeof model, cable, joints[k / 4], joints[k % 4]);
            write(model, i, sizeof text, text);
            CHECK(case_run(text, NULL, &t, &made, NULL));
            CHECK(made.redundant == 0 && made.singular == 0);
            case_table_clear(&t);
        }
    }
    return 0;
}

// ---- events ---------------------------------------------------------------------------------------

// An arm that is thrown back, and carries a rotor of which only the inertia about its axis counts.
static const char rotor[] =
    "bodies:\n"
    "  a: {type: rigid, mass: M, inertia: [0.2*M*L^2, 0.3*M*L^2, 0.25*M*L^2],\n"
    "      position: [0.5*L, 0.1*L, 0]}\n"
    "  c: {type: rigid, mass: M, inertia: [0.4*M*L^2, 0.3*M*L^2, 0.5*M*L^2],\n"
    "      position: [1.3*L, 0.4*L, 0.2*L]}\n"
    "  b: {type: rigid, mass: 0, inertia: [0.08*M*L^2, 0.04*M*L^2, 0.08*M*L^2],\n"
    "      position: [1.4*L, 0.9*L, 0.3*L]}\n"
    "joints:\n"
    "  j: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0.3, 0.2, 1]}\n"
    "  k: {type: universal, on: [a, c], at: [0.9*L, 0.2*L, 0.1*L], axes: [[1, 0.2, 0], [-0.2, 1, "
    "0.3]]}\n"
    "  r: {type: revolute, on: [c, b], at: b, axis: [0.5, -0.8, 0.1]}\n"
    "forces: {m: {type: torque, on: j, value: -2*M*L^2/T^2}}\n"
    "events: {w: {when: j.angle < -0.13, set: {j.rate: -0.8*j.rate}}}\n"
    "simulate: {until: 0.6*T, method: radau, formulation: %s, rtol: 1e-8, atol: \"1e-9*min(1, "
    "L)\"}\n"
    "outputs: {times: [0.6*T], signals: [j.rate, r.rate]}\n";

// The same velocities behind the event, or no run: impulses that were not found were taken.
static int an_event_throws_back_alike(void)
{
    static const char *const forms[] = {"tree", "ggl"}, *const names[] = {"j.rate", "r.rate"};
    double right[2] = {0.0, 0.0};
    for (int i = 0; i < UNITS; i++) {
        if (units[i][0] > 1e6) continue; // one tolerance for lengths and angles
        for (int k = 0; k < 2; k++) {
            char model[2000], text[2400], said[1000];
            case_table t = {0};
            snprintf(model, sizeof model, rotor, forms[k]);
            write(model, i, sizeof text, text);
            if (!case_run_said(text, NULL, said, sizeof said)) {
                CHECK(k == 1 && units[i][0] < 1.0); // the tree has no such rows
                CHECK(strstr(said, "the velocities that it sets cannot be met") != NULL);
                continue;
            }
            CHECK(case_run(text, NULL, &t, NULL, NULL));
            for (int n = 0; n < 2; n++) {
                double rate;
                CHECK(case_table_value(&t, names[n], 0.6 * units[i][2], &rate));
                if (i == 0 && k == 0) right[n] = rate;
                CHECK_NEAR(rate * units[i][2], right[n], 1e-6);
            }
            case_table_clear(&t);
        }
    }
    return 0;
}

TEST_MAIN(TEST(a_slip_turns_back_at_once), TEST(fast_transients_begin_with_their_velocity),
          TEST(a_frame_bears_the_same), TEST(joints_of_cables_all_count),
          TEST(an_event_throws_back_alike))
