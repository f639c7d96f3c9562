// test_tree_variational.c - variational methods in joint coordinates: their orders on a chain, on a body
// with a ball joint and a loop and beside equations, the solution of coordinates of bodies, long chains
// whose tangent is kept by links, and a rest at which all forces cancel.
#include "check.h"
#include "watch.h"

#include <string.h>

#define GRAVITY "flexion: 1\ngravity: [0, 0, -9.81]\n"

// Turns about different axes, a slide and a screw, from rest anywhere; nothing dissipates.
static const char chain[] =
    GRAVITY "bodies:\n"
            "  a: {type: rigid, mass: 1.5, com: [0.3, 0, 0.1], inertia: [0.02, 0.1, 0.1],\n"
            "      angular_velocity: [0, 0, 0], points: {p: [0.6, 0, 0]}}\n"
            "  b: {type: rigid, mass: 0.9, com: [0.2, 0.1, 0], inertia: [0.05, 0.04, 0.06],\n"
            "      position: a.p, points: {p: [0.5, 0, 0.1]}}\n"
            "  c: {type: rigid, mass: 0.7, com: [0.25, 0, 0], inertia: [0.03, 0.02, 0.04],\n"
            "      position: b.p, points: {p: [0.4, 0.1, 0]}}\n"
            "  d: {type: rigid, mass: 0.4, com: [0.1, 0, 0.2], inertia: [0.02, 0.02, 0.03],\n"
            "      position: c.p}\n"
            "joints:\n"
            "  A: {type: universal, on: [ground, a], at: [0, 0, 0], axes: [[0, 0, 1], [0, 1, 0]]}\n"
            "  B: {type: cylindrical, on: [a, b], at: a.p, axis: [0, 1, 0.2],\n"
            "      initial: {rate: 1.1}}\n"
            "  C: {type: screw, on: [b, c], at: b.p, axis: [1, 0, 0.3], pitch: 0.4,\n"
            "      initial: {rate: 2}}\n"
            "  D: {type: spherical, on: [c, d], at: c.p}\n"
            "forces:\n"
            "  s: {type: spring, on: [a, b], at: [a, b.p], stiffness: 60, length: 0.9}\n";

// A body on a ball joint, held by a rod to another one on a hinge; a cord to a body that floats.
static const char loop[] = GRAVITY
    "bodies:\n"
    "  a: {type: rigid, mass: 1.2, com: [0.3, 0, 0.05], inertia: [0.1, 0.2, 0.15],\n"
    "      angular_velocity: [0.4, 1, 0.5], points: {p: [0.8, 0, 0], e: [0.5, 0.2, 0]}}\n"
    "  b: {type: rigid, mass: 0.8, com: [0.2, 0, 0], inertia: [0.02, 0.06, 0.05],\n"
    "      position: [0.2, 1, 0], points: {p: [0.5, 0, 0.1]}}\n"
    "  c: {type: rigid, mass: 0.5, inertia: [0.02, 0.03, 0.04], position: [1.2, 0.4, 0.3],\n"
    "      angular_velocity: [1, -2, 0.5]}\n"
    "joints:\n"
    "  ball: {type: spherical, on: [ground, a], at: [0, 0, 0]}\n"
    "  hinge: {type: revolute, on: [ground, b], at: [0.2, 1, 0], axis: [0.2, 1, 0]}\n"
    "  rod: {type: distance, on: [a, b], at: [a.p, b.p]}\n"
    "forces:\n"
    "  cord: {type: spring, on: [a, c], at: [a.e, c], stiffness: 20, length: 0.6}\n";

// An arm with a variable of second order whose mass moves, and a spring between the two.
static const char beside[] =
    GRAVITY "bodies:\n"
            "  a: {type: rigid, mass: 2, inertia: [0.1, 0.2, 0.2], com: [0.4, 0, 0],\n"
            "      points: {p: [0.8, 0, 0]}}\n"
            "  b: {type: rigid, mass: 1, inertia: [0.02, 0.05, 0.05], com: [0.3, 0.05, 0],\n"
            "      position: a.p, angular_velocity: [0.5, 1, 0.2]}\n"
            "joints:\n"
            "  A: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
            "  B: {type: spherical, on: [a, b], at: a.p}\n"
            "forces: {drive: {type: torque, on: A, value: \"3*(u - A.angle)\"}}\n"
            "equations:\n"
            "  second_order:\n"
            "    u: {at: 0.3, rate: 0.5, mass: \"0.4 + 0.1*sin(u)\",\n"
            "        force: \"-3*(u - A.angle) - 2*u - 0.05*cos(u)*u'^2\"}\n";

// The end of a run.
static bool end_of(const char *model, const char *method, const char *signals, double until,
                   watch *w)
{
    static char text[20000];
    snprintf(text, sizeof text,
             "%ssimulate: {until: %.17g, method: %s}\noutputs: {times: [%.17g], signals: [%s]}\n",
             model, until, method, until, signals);
    return watch_run(text, w);
}

static double difference(const watch *a, const watch *b)
{
    double most = 0.0;
    for (int j = 0; j < a->columns; j++) {
        most = fmax(most, fabs(a->last[j] - b->last[j]) / fmax(1.0, fabs(b->last[j])));
    }
    return a->columns == b->columns ? most : HUGE_VAL;
}

// Order 2s of degree s, by the errors of two steps against one of order 12.
static int orders_of(const char *name, const char *model, const char *signals)
{
    static const double step[] = {0.005, 0.02, 0.025, 0.05};
    watch exact, w;
    CHECK(
        end_of(model, "galerkin, degree: 6, step: 0.01, formulation: tree", signals, 0.4, &exact));
    for (int s = 1; s <= 4; s++) {
        double e[2];
        for (int k = 0; k < 2; k++) {
            char method[160];
            snprintf(method, sizeof method, "galerkin, degree: %d, step: %.17g, formulation: tree",
                     s, step[s - 1] / (1 << k));
            CHECK(end_of(model, method, signals, 0.4, &w));
            e[k] = difference(&w, &exact);
        }
        double order = log2(e[0] / e[1]);
        printf("    %-8s degree %d: order %.2f, errors %.1e %.1e\n", name, s, order, e[0], e[1]);
        CHECK_NEAR(order, 2.0 * s, 0.35);
    }
    return 0;
}

static const char chain_signals[] = "a.com.position, d.com.position, d.angular_velocity, B.angle";
static const char loop_signals[] = "a.com.position, a.angular_velocity, b.angular_velocity, "
                                   "c.position, rod.reaction";
static const char beside_signals[] = "a.com.position, b.angular_velocity, u, u'";

static int orders_on_chains_loops_and_equations(void)
{
    CHECK(orders_of("chain", chain, chain_signals) == 0);
    CHECK(orders_of("loop", loop, loop_signals) == 0);
    CHECK(orders_of("beside", beside, beside_signals) == 0);
    return 0;
}

// One solution in both coordinates, and by a method that knows nothing of momenta.
static int solution_is_that_of_bodies(void)
{
    const struct {
        const char *model, *signals;
    } all[] = {{chain, chain_signals}, {loop, loop_signals}, {beside, beside_signals}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        watch tree, bodies, radau;
        const char *m = all[i].model, *s = all[i].signals;
        CHECK(end_of(m, "galerkin, degree: 5, step: 0.02, formulation: tree", s, 0.4, &tree));
        CHECK(end_of(m, "galerkin, degree: 5, step: 0.02", s, 0.4, &bodies));
        CHECK(end_of(m, "radau, rtol: 1e-11, atol: 1e-12", s, 0.4, &radau));
        printf("    %.1e from bodies, %.1e from radau\n", difference(&tree, &bodies),
               difference(&tree, &radau));
        CHECK(difference(&tree, &bodies) < 1e-9 && difference(&tree, &radau) < 1e-8);
    }
    return 0;
}

// Forty links that float: the tangent is kept by links. All momenta stay, and alpha = 1/2 has its order.
static int long_chains_keep_their_momenta(void)
{
    static const char text[] =
        "flexion: 1\n"
        "bodies:\n"
        "  link: {repeat: {i: [1, 40]}, type: rigid, mass: 1, inertia: [0.02, 0.1, 0.1],\n"
        "         position: [i, 0, 0], velocity: [0, 0, \"0.3*sin(i)\"],\n"
        "         angular_velocity: [0.3, \"cos(i)\", \"sin(2*i)\"]}\n"
        "joints:\n"
        "  ball: {repeat: {i: [1, 39]}, type: spherical, on: [\"link(i)\", \"link(i+1)\"],\n"
        "         at: [i + 0.5, 0, 0]}\n"
        "simulate: {until: 0.5, step: 0.01, method: %s, formulation: tree}\n"
        "outputs: {steps: true, signals: [energy.total, momentum.linear, momentum.angular]}\n";
    static const char *const methods[] = {"variational", "galerkin, degree: 2"};
    for (int i = 0; i < 2; i++) {
        char model[2048];
        watch w;
        snprintf(model, sizeof model, text, methods[i]);
        CHECK(watch_run(model, &w));
        double linear = watch_drift(&w, "momentum.linear");
        double angular = watch_drift(&w, "momentum.angular"), energy = watch_drift(&w, "energy");
        printf("    %-20s linear %.1e, angular %.1e, energy %.1e of %.2f\n", methods[i], linear,
               angular, energy, w.first[0]);
        CHECK(linear < 1e-12 && angular < 1e-10 && energy < (i ? 1e-5 : 1e-2) * w.first[0]);
    }
    return 0;
}

// energy-momentum: energy to the end of the iteration, linear momentum, too, the angular one to order 2.
static int energy_momentum_keeps_energy(void)
{
    static const char text[] =
        "flexion: 1\n"
        "bodies:\n"
        "  a: {type: rigid, mass: 1.5, inertia: [0.2, 0.3, 0.4], velocity: [0.3, -0.2, 0.5],\n"
        "      angular_velocity: [1.1, -0.7, 2.3], points: {p: [0.5, 0.1, 0]}}\n"
        "  b: {type: rigid, mass: 0.9, inertia: [0.1, 0.15, 0.12], position: [1, 0.2, 0],\n"
        "      com: [0.05, 0, 0.02], angular_velocity: [1.1, 2.0, 2.3]}\n"
        "joints:\n"
        "  ball: {type: spherical, on: [a, b], at: a.p}\n"
        "forces:\n"
        "  string: {type: spring, on: [a, b], at: [a, b], stiffness: 8, length: 1.5}\n"
        "simulate: {until: 3, step: %g, method: energy-momentum, formulation: tree}\n"
        "outputs: {steps: true, signals: [energy.total, momentum.linear, momentum.angular]}\n";
    double angular[2];
    for (int i = 0; i < 2; i++) {
        char model[2048];
        watch w;
        snprintf(model, sizeof model, text, i ? 0.005 : 0.01);
        CHECK(watch_run(model, &w));
        double energy = watch_drift(&w, "energy"), linear = watch_drift(&w, "momentum.linear");
        angular[i] = watch_drift(&w, "momentum.angular");
        printf("    energy %.1e, linear %.1e, angular %.1e\n", energy, linear, angular[i]);
        CHECK(energy < 1e-9 && linear < 1e-9);
    }
    CHECK_NEAR(log2(angular[0] / angular[1]), 2.0, 0.2);
    return 0;
}

// Springs carry the weight exactly, at coordinates zero: nothing but rounding moves.
static int rest_is_rest(void)
{
    static const char model[] =
        GRAVITY "bodies:\n"
                "  a: {type: rigid, mass: 1.3, inertia: [0.1, 0.01, 0.1], com: [0.37, 0, 0],\n"
                "      points: {e: [0.7, 0, 0]}}\n"
                "  b: {type: rigid, mass: 0.7, inertia: [0.1, 0.01, 0.1], com: [0.31, 0, 0],\n"
                "      position: a.e}\n"
                "joints:\n"
                "  J: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                "  K: {type: revolute, on: [a, b], at: a.e, axis: [0, 1, 0]}\n"
                "forces:\n"
                "  s: {type: spring, on: K, stiffness: 1000, angle: -0.7*9.81*0.31/1000}\n"
                "  r: {type: spring, on: J, stiffness: 3000,\n"
                "      angle: -(1.3*9.81*0.37 + 0.7*9.81*1.01)/3000}\n";
    static const char *const methods[] = {"variational", "variational, alpha: 0",
                                          "galerkin, degree: 3", "galerkin, degree: 6"};
    for (int i = 0; i < 4; i++) {
        char method[120];
        watch w;
        snprintf(method, sizeof method, "%s, step: 0.01, formulation: tree", methods[i]);
        CHECK(end_of(model, method, "a.com.position, b.com.position", 0.5, &w));
        CHECK_NEAR(w.last[2], 0.0, 1e-15);
        CHECK_NEAR(w.last[5], 0.0, 1e-15);
    }
    return 0;
}

// ---- examples -----------------------------------------------------------------------------------

// The text of an example without its blocks `simulate` and `outputs`.
static bool read_example(const char *name, char *text, size_t size)
{
    char path[512], line[2048];
    size_t n = 0;
    bool skips = false;
    snprintf(path, sizeof path, FLX_EXAMPLES "/%s.yaml", name);
    FILE *f = fopen(path, "r");
    if (!f) return false;
    while (fgets(line, sizeof line, f)) {
        bool begins = line[0] != ' ' && line[0] != '\n' && line[0] != '#';
        if (begins) skips = !strncmp(line, "simulate:", 9) || !strncmp(line, "outputs:", 8);
        size_t length = strlen(line);
        if (skips || n + length >= size) continue;
        memcpy(text + n, line, length);
        n += length;
    }
    text[n] = 0;
    fclose(f);
    return true;
}

// What runs in coordinates of bodies runs in those of joints: momenta and energies agree.
static int examples_run_in_both_coordinates(void)
{
    static const struct {
        const char *name;
        double until, step, within;
    } all[] = {{"andrews_squeezer", 0.01, 1e-4, 1e-6}, {"bricard", 0.5, 0.005, 1e-9},
               {"car_axis", 0.5, 0.005, 1e-9},         {"double_pendulum", 0.5, 0.005, 1e-8},
               {"double_rocker", 0.5, 0.005, 1e-6},    {"four_bar", 0.5, 0.005, 1e-6},
               {"hanging_arm", 0.5, 0.005, 1e-8},      {"heavy_top", 0.1, 0.001, 1e-8},
               {"joint_friction", 0.5, 0.005, 1e-8},   {"metronomes", 0.5, 0.005, 1e-9},
               {"n_four_bar", 0.5, 0.005, 1e-8},       {"pendulum_wave", 0.5, 0.005, 1e-9},
               {"rolling_coin", 0.2, 0.002, 1e-7},     {"slider_crank", 0.5, 0.005, 1e-8},
               {"spatial_crank", 0.5, 0.005, 1e-8},    {"tumbling_chain", 0.5, 0.005, 1e-9}};
    static char text[16384];
    int bad = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        watch w[2];
        char method[160];
        CHECK(read_example(all[i].name, text, sizeof text));
        for (int k = 0; k < 2; k++) {
            snprintf(method, sizeof method, "galerkin, degree: 3, step: %.17g%s", all[i].step,
                     k ? ", formulation: tree" : "");
            CHECK(end_of(text, method, "energy.total, momentum.linear, momentum.angular",
                         all[i].until, w + k));
        }
        double apart = difference(w, w + 1);
        if (!(apart <= all[i].within)) printf("  ! %-18s %.1e\n", all[i].name, apart);
        bad += !(apart <= all[i].within);
    }
    return bad;
}

TEST_MAIN(SLOW_TEST(examples_run_in_both_coordinates),
          SLOW_TEST(orders_on_chains_loops_and_equations), TEST(solution_is_that_of_bodies),
          SLOW_TEST(long_chains_keep_their_momenta), TEST(energy_momentum_keeps_energy),
          TEST(rest_is_rest))
