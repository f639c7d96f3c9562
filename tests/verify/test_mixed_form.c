// Stiff elements whose force is an unknown: what a run costs, and what it finds, does not depend on
// stiffness and damping, up to the limit where they are infinite.
//
// The rod pendulum on a strongly damped bushing (T. Stumpp, dissertation, Tuebingen 2004, chapter 4)
// and the pendulum on a stiff spring (chapter 1). References: 128-bit Radau IIA of order 13 (rod),
// elliptic functions (stiffness without end), Runge-Kutta in 80 bits with 6 million steps (stiff).
#include "case_table.h"
#include "check.h"

#include <math.h>
#include <string.h>

// The last row of a run and its statistics.
typedef struct outcome {
    long steps, rejected;
    double drift;
    case_table table;
} outcome;

static bool simulate(const char *text, const char *setting, outcome *out)
{
    flx_ledger l = {0};
    *out = (outcome){0};
    if (!case_run_ledger(text, setting, &out->table, &l)) return false;
    out->steps = l.work.steps;
    out->rejected = l.work.rejected;
    out->drift = l.energy_drift;
    return l.allocations_in_loop == 0;
}

static double last(const outcome *o, const char *signal)
{
    double value = (double)NAN;
    case_table_value(&o->table, signal, case_table_last_time(&o->table), &value);
    return value;
}

// ---- rod pendulum -------------------------------------------------------------------------------

static const char rod_text[] =
    "flexion: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {m: 1, l: 1, r: 0.01, k: 1e5, d: 1e4, psi: 2*pi/9}\n"
    "bodies:\n"
    "  rod:\n"
    "    type: rigid\n"
    "    mass: m\n"
    "    inertia: [0.4*m*r^2, 0.4*m*r^2, 0.4*m*r^2]\n"
    "    position: [sin(psi), -cos(psi), 0]\n"
    "    orientation: {axis: [0, 0, 1], angle: psi}\n"
    "    points: {P2: [0, l, 0]}\n"
    "forces:\n"
    "  joint: {type: bushing, on: [ground, rod], at: [[0, 0, 0], rod.P2],\n"
    "          stiffness: [k, k, k], damping: [d, d, d], form: %s}\n"
    "simulate: {until: 1, method: radau, stages: 3, rtol: 1e-6, atol: 1e-8}\n"
    "outputs: {steps: true, signals: [rod.position, rod.angular_velocity, joint.value,\n"
    "                                 joint.displacement, joint.power, energy]}\n";

// d, the place of the rod and its angular velocity at the end, accepted steps of the published
// RADAU5. Beyond 1e8 the limit, which is approached as 1/d.
static const struct rod_case {
    double d, x, y, omega;
    int published, most; // 0: none; what we allow ourselves
} rod_cases[] = {
    {1e1, -0.63994736763260450, -0.76851774221453292, -0.21765228696584661, 209, 331},
    {1e2, -0.63994658158136570, -0.76851815772305334, -0.21765185585326194, 46, 72},
    {1e3, -0.63994016978514438, -0.76852412575088402, -0.21764522017538853, 37, 42},
    {1e4, -0.63989197540165429, -0.76857723500142306, -0.21747390575382280, 60, 40},
    {1e5, -0.63988585790719615, -0.76853798880455706, -0.21713520114143858, 128, 40},
    {1e6, -0.63990875578917772, -0.76846033539706962, -0.21714738011794042, 185, 40},
    {1e7, -0.63991197770644930, -0.76844919324975406, -0.21714965861553704, 291, 40},
    {1e8, -0.63991231109202044, -0.76844803651479697, -0.21714988812097172, 583, 40},
    {1e9, -0.63991234454, -0.76844792041, -0.21714991107, 0, 40},
    {1e10, -0.63991234789, -0.76844790879, -0.21714991337, 0, 40},
};

static int rod_pendulum_costs_the_same_for_every_damping(void)
{
    char text[2048], setting[64];
    snprintf(text, sizeof text, rod_text, "mixed");
    for (size_t i = 0; i < sizeof rod_cases / sizeof rod_cases[0]; i++) {
        const struct rod_case *c = rod_cases + i;
        outcome o;
        snprintf(setting, sizeof setting, "d=%g", c->d);
        CHECK(simulate(text, setting, &o));
        double dx = hypot(last(&o, "rod.position.x") - c->x, last(&o, "rod.position.y") - c->y);
        double dw = fabs(last(&o, "rod.angular_velocity.z") - c->omega);
        printf("d = %5.0e: %3ld steps (%ld rejected), published %d; off by %.1e m, %.1e rad/s\n",
               c->d, o.steps, o.rejected, c->published, dx, dw);
        CHECK(o.steps <= c->most);
        // the tolerance is 1e-6 a step
        CHECK(dx < 1e-6 && dw < 5e-6);
        CHECK(o.drift < 1e-5);
        case_table_clear(&o.table);
    }
    return 0;
}

// What the element does is in its force, also where its stretch is nothing but rounding: it carries
// the rod, at the end of the swing m g cos(psi) along it.
static int force_of_a_stiff_bushing_is_right(void)
{
    char text[2048];
    outcome o;
    snprintf(text, sizeof text, rod_text, "mixed");
    CHECK(simulate(text, "d=1e10", &o));
    double v[3], a = -9.81 * 0.63991234789, w = 0.21714991337;
    const char *const names[] = {"joint.value.x", "joint.value.y", "joint.power"};
    for (int i = 0; i < 3; i++) v[i] = last(&o, names[i]);
    // compound pendulum: length 1, inertia 1.00004 about the joint; the value pulls the rod
    double psi = asin(-0.63991234789), alpha = a / 1.00004 * -1.0;
    double fx = -(alpha * cos(psi) - w * w * sin(psi));
    double fy = -(alpha * sin(psi) + w * w * cos(psi) + 9.81);
    CHECK_NEAR(v[0], fx, 1e-3);
    CHECK_NEAR(v[1], fy, 1e-3);
    CHECK_NEAR(v[2], 0.0, 1e-5);
    case_table_clear(&o.table);
    return 0;
}

// Stiffness or damping without end: the bushing is a joint, or cannot move from where it is.
static int limits_are_ordinary_cases(void)
{
    static const char *const changes[][2] = {
        {"stiffness: [k, k, k]", "stiffness: infinite "},
        {"damping: [d, d, d]", "damping: infinite "},
        {"both", ""},
    };
    static const char *const methods[] = {"radau, stages: 3", "dopri5          "};
    for (int i = 0; i < 6; i++) {
        char text[2048];
        outcome o;
        snprintf(text, sizeof text, rod_text, "mixed");
        const char *const *change = changes[i / 2];
        char *place = strstr(text, change[0]);
        if (!place) { // over two lines of the model
            place = strstr(text, "stiffness: [");
            change = changes[0];
            memcpy(strstr(text, "damping: ["), changes[1][1], strlen(changes[1][1]));
        }
        memcpy(place, change[1], strlen(change[1]));
        memcpy(strstr(text, methods[0]), methods[i % 2], strlen(methods[0]));
        CHECK(simulate(text, NULL, &o));
        // the compound pendulum
        CHECK_NEAR(last(&o, "rod.position.x"), -0.63991234826, 2e-6);
        CHECK_NEAR(last(&o, "rod.angular_velocity.z"), -0.21714991362, 5e-6);
        CHECK_NEAR(last(&o, "energy.dissipated"), 0.0, 1e-12);
        CHECK(o.steps <= 60);
        case_table_clear(&o.table);
    }
    return 0;
}

// The choice is the model's own where the form is not given; the plain form, for comparison.
static int form_is_found_where_it_matters(void)
{
    char text[2048];
    long steps[3];
    static const char *const forms[] = {"plain", "mixed", "auto"};
    for (int i = 0; i < 3; i++) {
        outcome o;
        snprintf(text, sizeof text, rod_text, forms[i]);
        CHECK(simulate(text, "d=1e7", &o));
        steps[i] = o.steps;
        case_table_clear(&o.table);
    }
    printf("plain %ld, mixed %ld, auto %ld steps\n", steps[0], steps[1], steps[2]);
    CHECK(steps[2] == steps[1]);
    return 0;
}

// What `form: auto` makes of a spring of stiffness 1e4 on a mass of 1 (100 rad/s), and of others.
static int choice_follows_step_masses_and_method(void)
{
    static const struct {
        const char *spring, *simulate, *type;
    } cases[] = {
        {"stiffness: 1e4", "until: 10, method: radau, step: 0.01", "spring"},
        {"stiffness: 1e4", "until: 10, method: radau, step: 0.2", "spring, mixed"},
        {"stiffness: 1e4", "until: 10, method: radau", "spring"}, // a thousandth: 0.01
        {"stiffness: 1e4", "until: 200, method: radau", "spring, mixed"},
        {"stiffness: 1e4", "until: 200, method: dopri5", "spring"},
        {"stiffness: 1e4", "until: 200, method: galerkin, step: 0.2", "spring"},
        {"stiffness: 1e4, form: plain", "until: 200, method: radau", "spring"},
        {"stiffness: 1, form: mixed", "until: 1, method: dopri5", "spring, mixed"},
        {"stiffness: 1, damping: 1e4", "until: 1, method: radau", "spring"},
        {"stiffness: 1, damping: 1e6", "until: 1, method: generalized-alpha, step: 1e-3",
         "spring, mixed"},
        {"stiffness: infinite", "until: 1, method: dopri5", "spring, mixed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        const char *type = NULL;
        snprintf(text, sizeof text,
                 "flexion: 1\nbodies: {m: {type: point, mass: 1, position: [1, 0, 0]}}\n"
                 "forces: {s: {type: spring, on: [ground, m], at: [[0, 0, 0], m], %s}}\n"
                 "simulate: {%s}\n",
                 cases[i].spring, cases[i].simulate);
        flx_ctx *ctx = flx_ctx_create();
        flx_model *model = NULL;
        CHECK(flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &model) == FLX_OK);
        CHECK(flx_model_item(model, FLX_ITEM_FORCE, 0, &type) != NULL);
        if (strcmp(type, cases[i].type) != 0)
            printf("%s; %s\n", cases[i].spring, cases[i].simulate);
        CHECK(strcmp(type, cases[i].type) == 0);
        flx_model_destroy(&model);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// ---- spring pendulum ------------------------------------------------------------------------------

// delta, the place at t = 10; stiffness 1/delta^2.
static const struct spring_case {
    double delta, x, y;
} spring_cases[] = {
    {1e-3, -0.8115763726510980, -0.5842493447457151},
    {1e-4, -0.8115863454577213, -0.5842325212794389},
    {1e-5, -0.8115864451839, -0.5842323530447},
    {1e-6, -0.8115864461812, -0.5842323513624},
    {1e-8, -0.8115864461913, -0.5842323513454},
    {0.0, -0.81158644619130383, -0.58423235134539570},
};

static const char as_bodies[] =
    "flexion: 1\n"
    "dimension: 2\n"
    "gravity: [0, -1]\n"
    "parameters: {delta: 1e-5}\n"
    "bodies: {m: {type: point, mass: 1, position: [1, 0]}}\n"
    "%s"
    "simulate: {until: 10, method: radau, stages: 3, rtol: 4e-6, atol: 4e-6,\n"
    "           formulation: index-3}\n"
    "outputs: {times: [10], signals: [m.position, energy]}\n";

static const char as_equations[] =
    "flexion: 1\n"
    "parameters: {delta: 1e-5}\n"
    "equations:\n"
    "  second_order:\n"
    "    x: {at: 1, mass: 1, force: 0}\n"
    "    y: {at: 0, mass: 1, force: -1}\n"
    "  constraints: {s: {value: sqrt(x^2 + y^2) - 1, compliance: delta^2}}\n"
    "simulate: {until: 10, method: radau, stages: 3, rtol: 4e-6, atol: 4e-6,\n"
    "           formulation: index-3}\n"
    "outputs: {times: [10], signals: [x, y, energy]}\n";

static int spring_pendulum_costs_the_same_for_every_stiffness(void)
{
    static const char spring[] = "forces: {s: {type: spring, on: [ground, m], at: [[0, 0], m], "
                                 "stiffness: 1/delta^2, length: 1, form: mixed}}\n";
    static const char joint[] =
        "joints: {s: {type: distance, on: [ground, m], at: [[0, 0], m], length: 1}}\n";
    char text[2048], setting[64];
    long least = 1000, most = 0;
    for (int k = 0; k < 12; k++) {
        const struct spring_case *c = spring_cases + k / 2;
        bool bodies = k % 2 == 0;
        outcome o;
        snprintf(setting, sizeof setting, "delta=%g", c->delta);
        snprintf(text, sizeof text, as_bodies, c->delta > 0 ? spring : joint);
        CHECK(simulate(bodies ? text : as_equations, setting, &o));
        double x = last(&o, bodies ? "m.position.x" : "x");
        double y = last(&o, bodies ? "m.position.y" : "y");
        double digits = -log10(fmax(fabs(x - c->x), fabs(y - c->y)));
        long attempts = o.steps + o.rejected;
        printf("%s, delta = %5.0e: %ld + %ld steps, %.1f digits\n",
               bodies ? "spring   " : "equations", c->delta, o.steps, o.rejected, digits);
        CHECK(digits >= 6.0);
        CHECK(o.drift < 1e-5);
        CHECK(attempts <= 150);
        least = attempts < least ? attempts : least;
        most = attempts > most ? attempts : most;
        case_table_clear(&o.table);
    }
    CHECK((double)most <= 1.05 * (double)least);
    return 0;
}

// The spring written as an actuator, and a law that is none of springs: hard stops of a slider, by a
// force that is exponential in its place.
static int steep_laws_cost_no_more(void)
{
    static const char actuator[] =
        "forces: {s: {type: actuator, on: [ground, m], at: [[0, 0], m], form: mixed,\n"
        "             value: (s.length - 1)/delta^2}}\n";
    static const char slider[] =
        "flexion: 1\n"
        "bodies: {slider: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {rail: {type: prismatic, on: [ground, slider], at: slider, axis: [1, 0, 0],\n"
        "                initial: {rate: 1}}}\n"
        "forces:\n"
        "  stops: {type: force, on: rail, form: %s,\n"
        "          value: -1e3*sinh(50*rail.displacement) - 2*rail.rate}\n"
        "simulate: {until: 1, method: %s}\n"
        "outputs: {times: [1], signals: [rail.displacement, rail.rate, stops.value, stops.power,\n"
        "                                energy]}\n";
    char text[2048];
    outcome o;
    snprintf(text, sizeof text, as_bodies, actuator);
    CHECK(simulate(text, NULL, &o));
    printf("actuator: %ld + %ld steps\n", o.steps, o.rejected);
    CHECK(o.steps + o.rejected <= 137);
    CHECK_NEAR(last(&o, "m.position.x"), spring_cases[2].x, 1e-6);
    case_table_clear(&o.table);
    double place = 0.0;
    static const char *const methods[] = {"dopri5, rtol: 1e-10, atol: 1e-12",
                                          "radau, rtol: 1e-9, atol: 1e-11"};
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text, slider, i % 2 ? "mixed" : "plain", methods[i / 2]);
        CHECK(simulate(text, NULL, &o));
        double u = last(&o, "rail.displacement"), v = last(&o, "rail.rate");
        if (i == 0) place = u;
        CHECK_NEAR(u, place, 1e-7);
        CHECK_NEAR(last(&o, "stops.value"), -1e3 * sinh(50 * u) - 2 * v, 1e-5);
        CHECK_NEAR(last(&o, "stops.power"), last(&o, "stops.value") * v, 1e-9);
        CHECK(o.drift < 1e-6);
        case_table_clear(&o.table);
    }
    return 0;
}

// Constraints that give way, soft enough to see it: on positions a spring, here with an end that
// moves, on rates a damper. Energies balance in every method, and the methods agree.
static int soft_constraints_are_springs_and_dampers(void)
{
    static const char model[] =
        "flexion: 1\n"
        "equations:\n"
        "  second_order:\n"
        "    x: {at: 1, mass: 1, force: 0}\n"
        "    y: {at: 0, mass: 1, force: -1}\n"
        "    z: {at: 0, rate: 1, mass: 2, force: 0}\n"
        "  constraints:\n"
        "    spring: {value: sqrt(x^2 + y^2) - 1 - 0.1*sin(2*t), compliance: 0.01}\n"
        "    damper: {value: \"z' - y'\", compliance: 0.5}\n"
        "simulate: {until: 3, method: %s}\n"
        "outputs: {times: [3], signals: [x, y, z, spring.multiplier, damper.multiplier, energy]}\n";
    static const char *const methods[] = {
        "dopri5, rtol: 1e-10, atol: 1e-11", "radau, rtol: 1e-9, atol: 1e-10",
        "radau, rtol: 1e-9, atol: 1e-10, formulation: index-3", "generalized-alpha, step: 1e-3"};
    static const char *const names[] = {"x", "y", "z", "spring.multiplier", "damper.multiplier"};
    double first[5];
    for (int i = 0; i < 4; i++) {
        char text[2048];
        outcome o;
        snprintf(text, sizeof text, model, methods[i]);
        CHECK(simulate(text, NULL, &o));
        for (int k = 0; k < 5; k++) {
            double value = last(&o, names[k]);
            if (i == 0) first[k] = value;
            CHECK_NEAR(value, first[k], i < 3 ? 1e-6 : 1e-3);
        }
        double x = last(&o, "x"), y = last(&o, "y"), l = last(&o, "spring.multiplier");
        CHECK_NEAR(0.01 * l, hypot(x, y) - 1 - 0.1 * sin(6.0), 1e-8);
        CHECK_NEAR(last(&o, "energy.strain"), 0.005 * l * l, 1e-12);
        CHECK(last(&o, "energy.dissipated") > 0.1);
        CHECK(o.drift < (i < 3 ? 1e-6 : 1e-4));
        case_table_clear(&o.table);
    }
    return 0;
}

// What a mixed force stores is known in joint coordinates, too, where nobody asks for its value.
static int stored_energy_in_joint_coordinates(void)
{
    static const char *const methods[] = {"radau, rtol: 1e-9, atol: 1e-11, formulation: tree",
                                          "dop853, rtol: 1e-9, atol: 1e-11, formulation: tree",
                                          "radau, rtol: 1e-9, atol: 1e-11, formulation: ggl"};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        char text[2048];
        case_table t = {0};
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                 "bodies:\n"
                 "  a: {type: rigid, mass: 1, inertia: 0.1, com: [0.5, 0], points: {e: [1, 0]}}\n"
                 "  b: {type: rigid, mass: 1, inertia: 0.1, com: [0.5, 0], position: a.e,\n"
                 "      points: {e: [1, 0]}}\n"
                 "joints:\n"
                 "  h: {type: revolute, on: [ground, a], at: [0, 0]}\n"
                 "  k: {type: revolute, on: [a, b], at: a.e}\n"
                 "forces:\n"
                 "  s: {type: spring, on: [ground, b], at: [[2, 1], b.e], stiffness: 300,\n"
                 "      damping: 0.5, form: mixed}\n"
                 "signals: {stored: 150*(s.length - 1)^2}\n"
                 "simulate: {until: 1, method: %s}\n"
                 "outputs: {every: 0.25, signals: [energy, stored]}\n",
                 methods[i]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        for (int k = 1; k <= 4; k++) {
            double strain, stored, total, parts[2];
            CHECK(case_table_value(&t, "energy.strain", 0.25 * k, &strain));
            CHECK(case_table_value(&t, "stored", 0.25 * k, &stored));
            CHECK(case_table_value(&t, "energy.total", 0.25 * k, &total));
            CHECK(case_table_value(&t, "energy.kinetic", 0.25 * k, &parts[0]));
            CHECK(case_table_value(&t, "energy.potential", 0.25 * k, &parts[1]));
            CHECK(stored > 1e-3);
            CHECK_REL(strain, stored, 1e-9);
            CHECK_NEAR(total, parts[0] + parts[1] + strain, 1e-12);
        }
        case_table_clear(&t);
    }
    return 0;
}

TEST_MAIN(TEST(stored_energy_in_joint_coordinates),
          TEST(rod_pendulum_costs_the_same_for_every_damping),
          TEST(force_of_a_stiff_bushing_is_right), TEST(limits_are_ordinary_cases),
          TEST(form_is_found_where_it_matters), TEST(choice_follows_step_masses_and_method),
          TEST(spring_pendulum_costs_the_same_for_every_stiffness),
          SLOW_TEST(steep_laws_cost_no_more), TEST(soft_constraints_are_springs_and_dampers))
