// Events, switches and discrete variables in whole runs: closed forms, published digits, orders of
// convergence through instants, and what is refused.
#include "base/common.h"
#include "case_table.h"
#include "check.h"
#include "flexion/flexion.h"

#include <math.h>
#include <string.h>

#define G 9.81

// Methods that make steps of all kinds, tight enough for closed forms.
static const char *const tight[] = {
    "dopri5, rtol: 1e-12, atol: 1e-14",
    "dop853, rtol: 1e-12, atol: 1e-14",
    "radau, rtol: 1e-11, atol: 1e-13",
    "gauss, rtol: 1e-11, atol: 1e-13",
    "radau, step: 0.01",
    "dopri5, step: 0.01",
};
enum { N_TIGHT = sizeof tight / sizeof tight[0] };

// A column in the last row; NaN when there is none.
static double last(const case_table *t, const char *column)
{
    for (int j = 0; j < t->columns && t->rows > 0; j++) {
        if (strcmp(t->names[j], column) != 0) continue;
        return t->values[(size_t)(t->rows - 1) * (size_t)t->columns + (size_t)j];
    }
    return (double)NAN;
}

static bool run(const char *model, const char *rest, case_table *t)
{
    char text[4096];
    snprintf(text, sizeof text, "flexion: 1\n%s%s", model, rest);
    return case_run(text, NULL, t, NULL, NULL);
}

// To `end` by a method, with one row there.
static bool run_to(const char *model, double end, const char *method, const char *signals,
                   case_table *t)
{
    char rest[512];
    *t = (case_table){0};
    snprintf(rest, sizeof rest,
             "simulate: {until: %.17g, method: %s}\noutputs: {times: [%.17g], signals: [%s]}\n",
             end, method, end, signals);
    return run(model, rest, t);
}

// ---- closed forms -------------------------------------------------------------------------------

static const char ball[] = "parameters: {e: 0.8}\n"
                           "equations:\n"
                           "  second_order: {y: {at: 1, rate: 0, mass: 3, force: -3*9.81}}\n"
                           "  discrete: {moment: {at: 0}}\n"
                           "events:\n"
                           "  bounce: {when: y < 0, set: {y': -e*y', moment: t}}\n";

static int ball_bounces_in_time(void)
{
    double t = sqrt(2.0 / G), flight = t, end = 3.9;
    int count = 1;
    while (t + 1.6 * flight < end) {
        flight *= 0.8;
        t += 2.0 * flight;
        count++;
    }
    for (int i = 0; i < N_TIGHT; i++) {
        case_table table;
        CHECK(run_to(ball, end, tight[i], "y, y', moment, bounce.count", &table));
        double v = 0.8 * G * flight, since = end - t;
        CHECK(last(&table, "bounce.count") == count);
        CHECK_NEAR(last(&table, "moment"), t, 1e-10);
        CHECK_NEAR(last(&table, "y"), v * since - G / 2 * since * since, 1e-10);
        CHECK_NEAR(last(&table, "y'"), v - G * since, 1e-9);
        case_table_clear(&table);
    }
    return 0;
}

// First-order lag under a relay with hysteresis: z' = -z + u, u = -1 above 0.3, 1 below -0.3.
static int relay_oscillates(void)
{
    const char model[] = "equations:\n"
                         "  first_order: {z: {at: 0, derivative: -z + u}}\n"
                         "  discrete: {u: {at: 1}, moment: {at: 0}}\n"
                         "events:\n"
                         "  high: {when: z > 0.3, set: {u: -1, moment: t}}\n"
                         "  low: {when: z < -0.3, set: {u: 1}}\n";
    // from 0 to 0.3, then half periods log(1.3/0.7)
    double first = -log(0.7), half = log(1.3 / 0.7);
    int count = 1 + (int)((10.0 - first) / (2 * half));
    for (int i = 0; i < N_TIGHT; i++) {
        case_table table;
        CHECK(run_to(model, 10, tight[i], "z, u, moment, high.count, low.count", &table));
        CHECK(last(&table, "high.count") == count);
        CHECK_NEAR(last(&table, "moment"), first + 2 * half * (count - 1), 1e-9);
        case_table_clear(&table);
    }
    return 0;
}

// A block on a spring on a belt of speed 1, static friction 2, sliding friction 1:
// it sticks until x = 2, slides back, x'' = -x + 1 from (2, 1), and sticks again where x' = 1.
static int block_sticks_and_slips(void)
{
    const char model[] =
        "equations:\n"
        "  second_order: {x: {at: 0, rate: 1, force: \"if(stuck > 0.5, 0, 1 - x)\"}}\n"
        "  discrete: {stuck: {at: 1}, slow: {at: 0}, free: {at: 0}, held: {at: 0}}\n"
        "events:\n"
        "  slip: {when: x > 2, set: {stuck: 0, free: t}}\n"
        "  back: {when: x' < 0.5, set: {slow: 1}}\n"
        "  stick: {when: x' > 1 and slow > 0.5, set: {stuck: 1, slow: 0, x': 1, held: t}}\n";
    // x - 1 = cos s + sin s; x' = 1 again at s = 3 pi/2, where x = 0
    double slide = 1.5 * FLX_PI;
    for (int i = 0; i < N_TIGHT; i++) {
        case_table table;
        CHECK(run_to(model, 14, tight[i], "x, x', free, held, slip.count", &table));
        CHECK(last(&table, "slip.count") == 2);
        CHECK_NEAR(last(&table, "held"), 2 * (2 + slide), 1e-8);
        CHECK_NEAR(last(&table, "free"), 4 + slide, 1e-8);
        CHECK_NEAR(last(&table, "x"), 14 - 2 * (2 + slide), 1e-8);
        case_table_clear(&table);
    }
    return 0;
}

// A motion so simple that steps are long, and conditions that change many times in them.
static int fast_conditions_are_seen(void)
{
    const char model[] = "equations:\n"
                         "  first_order: {x: {at: 0, derivative: 1}}\n"
                         "  second_order: {y: {force: \"if(sin(20*t) > 0.5, 1, 0)\"}}\n"
                         "events:\n"
                         "  a: {when: sin(20*x) > 0.5}\n"
                         "  b: {when: sin(20*t) > 0.5}\n"
                         "  c: {when: cos(7*x)*x > 0.5}\n";
    const double pi = FLX_PI;
    double y = 0, v = 0, t = 0; // on from (pi/6 + 2 pi k)/20 to (5 pi/6 + 2 pi k)/20
    for (int k = 0; k < 32; k++) {
        double on = (pi / 6 + 2 * pi * k) / 20, off = fmin((5 * pi / 6 + 2 * pi * k) / 20, 10);
        y += v * (off - t) + (off - on) * (off - on) / 2;
        v += off - on;
        t = off;
    }
    y += v * (10 - t);
    for (int i = 0; i < N_TIGHT; i++) {
        case_table table;
        CHECK(run_to(model, 10, tight[i], "y, a.count, b.count, c.count", &table));
        CHECK(last(&table, "a.count") == 32 && last(&table, "b.count") == 32);
        CHECK(last(&table, "c.count") == 11); // counted on a fine grid
        CHECK_NEAR(last(&table, "y"), y, 1e-11);
        case_table_clear(&table);
    }
    return 0;
}

// A ball that just reaches a height, late in a run and within a long step: it is there for 9 ms, which no look sees by
// chance. The height is missed by 1e-4 m as well: then nothing happens.
static int grazing_conditions_are_seen(void)
{
    static const char *const ways[] = {
        "dopri5, rtol: 1e-6", "radau, rtol: 1e-6", "dop853",
        "radau, step: 1",     "gauss, step: 1",    "dopri5, step: 0.7"};
    for (int i = 0; i < 6; i++) {
        for (int miss = 0; miss < 2; miss++) {
            char model[400];
            case_table table;
            snprintf(model, sizeof model,
                     "equations:\n  second_order: {y: {at: 0, rate: 70, force: -10}}\n"
                     "  discrete: {moment: {at: 0}}\n"
                     "events: {top: {when: y > %.17g, set: {moment: t}}}\n",
                     miss ? 245.0001 : 244.9999);
            CHECK(run_to(model, 10, ways[i], "moment, top.count", &table));
            CHECK(last(&table, "top.count") == !miss);
            if (!miss) CHECK_NEAR(last(&table, "moment"), 7.0 - sqrt(2e-5), 1e-8);
            case_table_clear(&table);
        }
    }
    return 0;
}

// ---- sampled control ----------------------------------------------------------------------------

// x'' = -2 d x' - w^2 x + u, u held over T: the exact step by the exponential of the matrix.
static void exact_sample(double x[2], double u, double T)
{
    const double d = 0.3, w2 = 9.0, a = sqrt(w2 - d * d);
    double c = exp(-d * T) * cos(a * T), s = exp(-d * T) * sin(a * T) / a, rest = u / w2;
    double y = x[0] - rest, v = x[1];
    x[0] = rest + (c + d * s) * y + s * v;
    x[1] = -w2 * s * y + (c - d * s) * v;
}

static int sampled_control_is_exact(void)
{
    const char model[] = "equations:\n"
                         "  second_order: {x: {at: 1, rate: 0, force: -0.6*x' - 9*x + u}}\n"
                         "  discrete: {u: {at: 0}}\n"
                         "events: {sample: {every: 0.07, set: {u: 5*(0.5 - x) - 1.5*x'}}}\n";
    double x[2] = {1, 0};
    for (int k = 0; k < 100; k++) exact_sample(x, 5 * (0.5 - x[0]) - 1.5 * x[1], 0.07);
    static const struct {
        const char *method;
        double tolerance;
    } methods[] = {{"dop853, rtol: 1e-13, atol: 1e-15", 1e-13},
                   {"dopri5, step: 0.01", 1e-10},
                   {"radau, rtol: 1e-12, atol: 1e-14", 1e-12},
                   {"radau, step: 0.01", 1e-12},
                   {"generalized-alpha, step: 0.001", 1e-5}};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        case_table table;
        CHECK(run_to(model, 7, methods[i].method, "x, x', u, sample.count", &table));
        CHECK(last(&table, "sample.count") == 101); // at 0 and at the end, too
        CHECK_NEAR(last(&table, "x"), x[0], methods[i].tolerance);
        CHECK_NEAR(last(&table, "x'"), x[1], 10 * methods[i].tolerance);
        case_table_clear(&table);
    }
    return 0;
}

static int clock_has_a_start(void)
{
    const char model[] = "equations: {first_order: {z: {at: 0, derivative: 1}}}\n"
                         "events:\n"
                         "  a: {every: 0.25, start: 0.1}\n"
                         "  b: {every: 0.1, set: {z: 0}}\n"
                         "  c: {when: a.count >= 3, set: {z: 100}}\n"
                         "  d: {when: z > 50, stop: true}\n";
    const char rest[] = "simulate: {until: 1, method: generalized-alpha, step: 0.03}\n"
                        "outputs: {every: 0.05, signals: [z, a.count, b.count, c.count]}\n";
    case_table table = {0};
    double t;
    CHECK(run(model, rest, &table));
    t = case_table_last_time(&table);
    CHECK_NEAR(t, 0.6, 1e-15); // the third of a; b sets z to 0 first, as written
    CHECK(last(&table, "a.count") == 3 && last(&table, "b.count") == 7);
    CHECK(last(&table, "z") == 100);
    double z;
    CHECK(case_table_value(&table, "z", 0.25, &z));
    CHECK_NEAR(z, 0.05, 1e-14);
    case_table_clear(&table);
    return 0;
}

// ---- published digits ---------------------------------------------------------------------------

// A point that meets soft ground; k = 4e4, d = 4e3, from 1 m with 10 m/s downwards.
static int collision_has_the_published_digits(void)
{
    const char model[] =
        "parameters: {k: 4e4, d: 4e3}\n"
        "equations:\n"
        "  second_order:\n"
        "    y: {at: 1, rate: -10,\n"
        "        force: \"-9.81 + if(y < 0, k*y^2 + if(y' < 0, d*y*y', 0), 0)\"}\n"
        "  discrete: {depth: {at: 0}, t_depth: {at: 0}, height: {at: 0}, t_height: {at: 0}}\n"
        "events:\n"
        "  deepest: {when: y' > 0, set: {depth: y, t_depth: t}}\n"
        "  highest: {when: y' < 0 and deepest.count == 1, set: {height: y, t_height: t},\n"
        "    stop: true}\n";
    static const char *const methods[] = {"dop853, rtol: 1e-13, atol: 1e-15",
                                          "dopri5, rtol: 1e-13, atol: 1e-15",
                                          "radau, rtol: 1e-12, atol: 1e-14"};
    for (int i = 0; i < 3; i++) {
        char rest[256];
        case_table table = {0};
        snprintf(rest, sizeof rest,
                 "simulate: {until: 0.6, method: %s}\n"
                 "outputs: {every: 0.1, signals: [depth, t_depth, height, t_height]}\n",
                 methods[i]);
        CHECK(run(model, rest, &table));
        CHECK_NEAR(last(&table, "depth"), -6.847832047625e-2, 1e-12);
        CHECK_NEAR(last(&table, "t_depth"), 0.110253812, 5e-10);
        CHECK_NEAR(last(&table, "height"), 36.79661842322e-2, 1e-10);
        CHECK_NEAR(last(&table, "t_height"), 0.418457074, 5e-10);
        case_table_clear(&table);
    }
    return 0;
}

// The harder collision, 100 m/s, with damping from 1e4 to 5e7: end states at 0.6 s.
static int collision_ends_where_published(void)
{
    char path[512];
    case_table reference = {0};
    snprintf(path, sizeof path, "%s/reference/digest/collision_v100.csv", FLX_TESTS);
    CHECK(case_table_read_csv(&reference, path));
    for (int i = 0; i < reference.rows; i++) {
        const double *row = reference.values + (size_t)i * (size_t)reference.columns;
        for (int method = 0; method < 2; method++) {
            char text[1024];
            case_table table = {0};
            if (method == 1 && row[0] > 1e6) continue; // stiff: dopri5 takes thousands of steps
            snprintf(text, sizeof text,
                     "parameters: {k: 1e5, d: %.17g}\n"
                     "equations:\n"
                     "  second_order:\n"
                     "    y: {at: 1, rate: -100,\n"
                     "        force: \"-9.81 + if(y < 0, k*y^2 + if(y' < 0, d*y*y', 0), 0)\"}\n"
                     "simulate: {until: 0.6, method: %s, rtol: 1e-6, atol: 1e-8}\n"
                     "outputs: {times: [0.6], signals: [y, y']}\n",
                     row[0], method == 0 ? "radau" : "dopri5");
            CHECK(run(text, "", &table));
            // the seed's own errors are 1e-9 to 1e-4, largest where it ends in free flight
            CHECK_NEAR(last(&table, "y"), row[1], 1e-5);
            CHECK_NEAR(last(&table, "y'"), row[2], 1e-5);
            case_table_clear(&table);
        }
    }
    CHECK(reference.rows == 8);
    case_table_clear(&reference);
    return 0;
}

// ---- orders -------------------------------------------------------------------------------------

// Swing with a kink (a second spring below -0.3) and a jump (a wall at 0.8).
static const char swing[] =
    "equations:\n"
    "  second_order: {x: {at: 0.5, rate: 1, force: \"-4*sin(x) + 30*max(0, -0.3 - x)\"}}\n"
    "events: {wall: {when: x > 0.8, set: {x': -0.7*x'}}}\n";

static double swing_at(const char *method, double end, double *rate)
{
    case_table table;
    double x = run_to(swing, end, method, "x, x'", &table) ? last(&table, "x") : (double)NAN;
    *rate = last(&table, "x'");
    case_table_clear(&table);
    return x;
}

static int orders_survive_instants(void)
{
    static const struct {
        const char *method;
        int steps;
        double order, within;
    } methods[] = {{"generalized-alpha", 100, 2, 0.25},
                   {"trapezoidal", 100, 2, 0.25},
                   {"midpoint", 100, 2, 0.25},
                   {"radau", 20, 5, 0.6},
                   {"dopri5", 25, 5, 0.6},
                   {"rk4", 50, 4, 0.4},
                   {"euler", 400, 1, 0.25}};
    double end = 4.0, v, x = swing_at("dop853, rtol: 1e-13, atol: 1e-15", end, &v);
    CHECK(isfinite(x));
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        double error[4];
        for (int k = 0; k < 4; k++) {
            char text[100];
            double rate, h = end / (methods[i].steps << k);
            snprintf(text, sizeof text, "%s, step: %.17g", methods[i].method, h);
            error[k] = fabs(swing_at(text, end, &rate) - x);
        }
        // over all halvings: single errors pass through zero
        double order = log2(error[0] / error[3]) / 3.0;
        printf("%s: %.2e %.2e %.2e %.2e, order %.2f\n", methods[i].method, error[0], error[1],
               error[2], error[3], order);
        CHECK(order > methods[i].order - methods[i].within);
    }
    return 0;
}

// ---- bodies -------------------------------------------------------------------------------------

static const char two_rods[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, com: [0.5, 0, 0], inertia: [0.001, 0.1, 0.1],\n"
    "    points: {tip: [1, 0, 0]}}\n"
    "  b: {type: rigid, mass: 1, com: [0.5, 0, 0], inertia: [0.001, 0.1, 0.1],\n"
    "    position: [1, 0, 0]}\n"
    "joints:\n"
    "  A: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  B: {type: revolute, on: [a, b], at: a.tip, axis: [0, 1, 0]}\n";

// Velocities are set by the least impulse: what is set is met, joints hold, and the momentum that
// the impulse leaves alone stays. An impulse along the rate of B is a couple between the rods: about
// the pin at the ground it adds nothing.
static int velocities_are_set_by_impulses(void)
{
    static const char *const methods[] = {"dopri5, rtol: 1e-9", "radau, rtol: 1e-9",
                                          "generalized-alpha, step: 0.002",
                                          "midpoint, step: 0.002"};
    for (int i = 0; i < 4; i++) {
        char rest[1024];
        case_table table = {0};
        snprintf(rest, sizeof rest,
                 "events:\n"
                 "  couple: {when: t > 0.2, set: {B.rate: -3}}\n"
                 "  push: {when: t > 0.4, set: {b.com.velocity: [1, 0, 2]}}\n"
                 "simulate: {until: 0.4, method: %s}\n"
                 "outputs: {steps: true, signals: [A.rate, B.rate, b.com.velocity,\n"
                 "  momentum.angular.y, constraints]}\n",
                 methods[i]);
        CHECK(run(two_rods, rest, &table));
        int seen = 0;
        for (int r = 1; r < table.rows; r++) {
            const double *now = table.values + (size_t)r * (size_t)table.columns;
            const double *before = now - table.columns;
            if (now[0] != 0.2 || before[0] != 0.2) continue;
            seen++;
            CHECK_NEAR(now[2], -3, 1e-12);
            CHECK_NEAR(now[6], before[6], 1e-5 * fabs(before[6]));
            CHECK_NEAR(now[8], 0, 1e-12);
        }
        CHECK(seen == 1);
        CHECK_NEAR(last(&table, "b.com.velocity.x"), 1, 1e-12);
        CHECK_NEAR(last(&table, "b.com.velocity.z"), 2, 1e-12);
        CHECK_NEAR(last(&table, "constraints.velocity"), 0, 1e-12);
        case_table_clear(&table);
    }
    return 0;
}

// Motions and forces with breaks in time: methods agree, and a force of steps is integrated exactly.
static int breaks_of_motions_are_met(void)
{
    const char more[] =
        "functions:\n"
        "  ramp: {points: [[0, 0], [0.3, 0.1], [0.55, 0.1], [0.9, -0.2]], extrapolation: "
        "constant}\n"
        "bodies:\n"
        "  a: {type: rigid, mass: 1, com: [0.5, 0, 0], inertia: [0.001, 0.1, 0.1],\n"
        "    points: {tip: [1, 0, 0]}}\n"
        "  b: {type: rigid, mass: 1, com: [0.5, 0, 0], inertia: [0.001, 0.1, 0.1],\n"
        "    position: [1, 0, 0]}\n"
        "  c: {type: point, mass: 1}\n"
        "gravity: [0, 0, -9.81]\n"
        "joints:\n"
        "  A: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 1, 0],\n"
        "    motion: {angle: ramp(t)}}\n"
        "  B: {type: revolute, on: [a, b], at: a.tip, axis: [0, 1, 0]}\n"
        "forces:\n"
        "  F: {type: force, on: c, value: [\"if(t < 0.25, 1, if(t < 0.6, -2, 0)) + \n"
        "    0.3*floor(7*t) + mod(t, 0.4)\", 0, 9.81]}\n";
    double cut[] = {0, 1 / 7., .25, 2 / 7., .4, 3 / 7., 4 / 7., .6, 5 / 7., .8, 6 / 7., 1};
    double x = 0, v = 0;
    for (int i = 0; i < 11; i++) { // the force is a straight line of slope 1 in each
        double h = cut[i + 1] - cut[i], m = cut[i] + h / 2;
        double f = (m < .25 ? 1 : m < .6 ? -2 : 0) + .3 * floor(7 * m) + fmod(m, .4) - h / 2;
        x += v * h + f * h * h / 2 + h * h * h / 6;
        v += f * h + h * h / 2;
    }
    double angle[3];
    static const char *const methods[] = {"dopri5, rtol: 1e-11, atol: 1e-13",
                                          "radau, rtol: 1e-10, atol: 1e-12",
                                          "dop853, rtol: 1e-11, atol: 1e-13"};
    for (int i = 0; i < 3; i++) {
        char rest[256];
        case_table table = {0};
        double rate;
        snprintf(rest, sizeof rest,
                 "simulate: {until: 1, method: %s}\n"
                 "outputs: {every: 0.1, signals: [A.angle, A.rate, B.angle, c.position.x,\n"
                 "  c.velocity.x]}\n",
                 methods[i]);
        CHECK(run(more, rest, &table));
        CHECK_NEAR(last(&table, "c.position.x"), x, 1e-12);
        CHECK_NEAR(last(&table, "c.velocity.x"), v, 1e-12);
        CHECK(case_table_value(&table, "A.rate", 0.3, &rate)); // after the break
        CHECK_NEAR(rate, 0, 1e-9);
        CHECK(case_table_value(&table, "A.rate", 0.6, &rate));
        CHECK_NEAR(rate, -0.3 / 0.35, 1e-9);
        angle[i] = last(&table, "B.angle");
        case_table_clear(&table);
    }
    printf("B.angle %.12f %.12f %.12f\n", angle[0], angle[1], angle[2]);
    CHECK_NEAR(angle[1], angle[0], 1e-8);
    CHECK_NEAR(angle[2], angle[0], 1e-8);
    return 0;
}

// ---- refused ------------------------------------------------------------------------------------

// Whether a run fails with a message that contains this.
static bool fails_with(const char *model, const char *rest, const char *part)
{
    char text[2048];
    snprintf(text, sizeof text, "flexion: 1\n%s%s", model, rest);
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_status status = flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &m);
    if (status == FLX_OK) status = flx_simulation_create(m, &sim);
    if (status == FLX_OK) status = flx_simulation_run(sim, 0, NULL, NULL, NULL);
    const flx_message *e = flx_ctx_error(ctx, 0);
    bool good = status != FLX_OK && e && strstr(e->text, part) != NULL;
    if (!good) printf("status %d: %s\n", (int)status, e ? e->text : "no message");
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return good;
}

static int endless_events_end(void)
{
    const char slide[] =
        "equations: {second_order: {x: {at: 0, rate: 1, force: \"0.5 - 2*sign(x')\"}}}\n";
    const char loop[] = "equations: {first_order: {z: {at: 0, derivative: 1}}, \n"
                        "  discrete: {u: {at: 0}}}\n"
                        "events:\n"
                        "  a: {when: z > 0.5 and u < 0.5, set: {u: 1}}\n"
                        "  b: {when: u > 0.5, set: {u: 0}}\n";
    const char jump[] = "equations:\n"
                        "  second_order: {x: {at: 1, force: 0}, y: {at: 0, rate: 1, force: 0}}\n"
                        "  constraints: [x^2 + y^2 - 1]\n"
                        "events: {a: {when: t > 0.5, set: {x: 2}}}\n";
    static const char *const methods[] = {
        "simulate: {until: 9, method: dopri5}\n", "simulate: {until: 9, method: radau}\n",
        "simulate: {until: 9, method: generalized-alpha, step: 0.01}\n"};
    for (int i = 0; i < 3; i++) {
        CHECK(fails_with(ball, methods[i], "'bounce' happens at ever shorter intervals"));
        CHECK(fails_with(slide, methods[i], "changes back and forth"));
        CHECK(fails_with(loop, methods[i], "set each other off without end"));
        CHECK(fails_with(jump, methods[i], "a position cannot jump"));
    }
    return 0;
}

// What is false at the start and true at once happens, on the time as on what moves.
static int conditions_at_the_start_are_alike(void)
{
    static const struct {
        const char *when;
        double end, count;
    } all[] = {{"t > 0", 6.0, 1.0},        {"z > 0", 6.0, 1.0},     {"0 < 2*t and z < 3", 6.0, 1.0},
               {"t >= 0", 1.0, 0.0},       {"z >= 0", 1.0, 0.0},    {"t <= 0", 1.0, 0.0},
               {"not (t <= 0)", 6.0, 1.0}, {"t > 0.25", 5.75, 1.0}, {"z > 0.25", 5.75, 1.0}};
    static const char *const methods[] = {"dopri5", "radau", "generalized-alpha, step: 0.01"};
    for (int i = 0; i < 27; i++) {
        char text[1024];
        case_table t = {0};
        double z = 0.0, count = 0.0;
        snprintf(text, sizeof text,
                 "flexion: 1\n"
                 "equations: {first_order: {z: {at: 0, derivative: 1}}}\n"
                 "events: {a: {when: %s, set: {z: 5}}}\n"
                 "simulate: {until: 1, method: %s}\n"
                 "outputs: {every: 0.5, signals: [z, a.count]}\n",
                 all[i % 9].when, methods[i / 9]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "z", 1.0, &z) && case_table_value(&t, "a.count", 1.0, &count));
        printf("    %s: %g, %g times\n", all[i % 9].when, z, count);
        CHECK_NEAR(z, all[i % 9].end, 1e-9);
        CHECK(count == all[i % 9].count);
        case_table_clear(&t);
    }
    return 0;
}

// A force that the same condition switches is there from the start, and nothing is lost of it.
static int forces_switched_at_the_start_act(void)
{
    case_table t = {0};
    double x = 0.0, n = 0.0;
    CHECK(case_run("flexion: 1\n"
                   "equations: {second_order: {x: {force: \"if(t > 0, 2, 0)\"}},\n"
                   "            discrete: {u: {at: 0}}}\n"
                   "events: {a: {when: t > 0, set: {u: 1}}}\n"
                   "simulate: {until: 1, method: radau, rtol: 1e-9}\n"
                   "outputs: {times: [1], signals: [x, a.count]}\n",
                   NULL, &t, NULL, NULL));
    CHECK(case_table_value(&t, "x", 1.0, &x) && case_table_value(&t, "a.count", 1.0, &n));
    CHECK_NEAR(x, 1.0, 1e-9);
    CHECK(n == 1.0);
    case_table_clear(&t);
    return 0;
}

// ---- the loop -----------------------------------------------------------------------------------

static int loop_allocates_nothing(void)
{
    static const char *const methods[] = {"dopri5", "radau", "generalized-alpha, step: 0.01"};
    for (int i = 0; i < 3; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "flexion: 1\n%s"
                 "events:\n"
                 "  push: {every: 0.1, set: {B.rate: 1}}\n"
                 "  done: {when: A.angle > 1.2, stop: true}\n"
                 "simulate: {until: 2, method: %s}\n"
                 "outputs: {every: 0.05, signals: [A.angle, push.count]}\n",
                 two_rods, methods[i]);
        flx_ctx *ctx = flx_ctx_create();
        flx_model *m = NULL;
        flx_simulation *sim = NULL;
        CHECK(flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &m) == FLX_OK);
        CHECK(flx_simulation_create(m, &sim) == FLX_OK);
        CHECK(flx_simulation_run(sim, 0, NULL, NULL, NULL) == FLX_OK);
        const flx_ledger *l = flx_simulation_ledger(sim);
        long count;
        double moment;
        CHECK(l->allocations_in_loop == 0);
        CHECK(l->balanced);
        CHECK(l->stopped_by && strcmp(l->stopped_by, "done") == 0);
        const char *name = flx_simulation_event(sim, 1, &count, &moment);
        CHECK(name && strcmp(name, "done") == 0 && count == 1 && moment == l->t);
        CHECK(!flx_simulation_event(sim, 2, &count, &moment));
        flx_simulation_destroy(&sim);
        flx_model_destroy(&m);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// Accelerations of parts without inertia, after an instant.
static int reduced_loop_allocates_nothing(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    CHECK(flx_model_read(ctx, FLX_TESTS "/models/08-mobot.yaml", 0, NULL, &m) == FLX_OK);
    CHECK(flx_simulation_create(m, &sim) == FLX_OK);
    CHECK(flx_simulation_run(sim, 0, NULL, NULL, NULL) == FLX_OK);
    CHECK(flx_simulation_ledger(sim)->allocations_in_loop == 0);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Bounces about a hinge pile up as those of a ball do, whatever the coordinates: its angle counts whole turns, and these
// stand still.
static int bounces_of_a_hinge_end_where_they_pile_up(void)
{
    static const char *const ways[] = {"dop853, formulation: index-1",
                                       "radau, formulation: index-3", "dopri5, formulation: tree"};
    for (int k = 0; k < 6; k++) {
        bool space = k % 2;
        char text[900], said[1200];
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: %d\ngravity: [0, -10%s]\n"
                 "bodies: {b: {type: rigid, mass: 1, inertia: %s, position: [0.5, 0%s]}}\n"
                 "joints: {p: {type: revolute, on: [ground, b], at: [0, 0%s]%s, initial: {angle: "
                 "0.1}}}\n"
                 "forces: {f: {type: torque, on: p, value: \"-3*(1 + 20*t^3)\"}}\n"
                 "events: {w: {when: p.angle < 0, set: {p.rate: -0.5*p.rate}}}\n"
                 "simulate: {until: 4, method: %s}\noutputs: {every: 1, signals: [p.angle]}\n",
                 space ? 3 : 2, space ? ", 0" : "", space ? "[0.1, 0.1, 0.1]" : "0.1",
                 space ? ", 0" : "", space ? ", 0" : "", space ? ", axis: [0, 0, 1]" : "",
                 ways[k / 2]);
        CHECK(!case_run_said(text, NULL, said, sizeof said));
        CHECK_TEXT(said, "ever shorter intervals");
    }
    return 0;
}

TEST_MAIN(TEST(bounces_of_a_hinge_end_where_they_pile_up), TEST(ball_bounces_in_time),
          TEST(relay_oscillates), TEST(block_sticks_and_slips), TEST(fast_conditions_are_seen),
          TEST(grazing_conditions_are_seen), TEST(sampled_control_is_exact),
          TEST(clock_has_a_start), TEST(collision_has_the_published_digits),
          TEST(collision_ends_where_published), TEST(orders_survive_instants),
          TEST(velocities_are_set_by_impulses), TEST(breaks_of_motions_are_met),
          TEST(endless_events_end), TEST(conditions_at_the_start_are_alike),
          TEST(forces_switched_at_the_start_act), TEST(loop_allocates_nothing),
          TEST(reduced_loop_allocates_nothing))
