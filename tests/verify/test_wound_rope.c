// Ropes whose length changes: by the time, by an input, by the drum that winds them, with a stiffness that
// follows the length; in the plane and in space, by every family of methods. Closed forms.
#include "case_table.h"
#include "check.h"

#include <math.h>
#include <stdio.h>

// ---- a load on a rope that is wound with a constant speed from its equilibrium on -------------------

#define MASS 10.0
#define STIFFNESS 1e4
#define GRAVITY 9.81
#define SPEED 0.05
#define REST (MASS * GRAVITY / STIFFNESS) // stretch in equilibrium

#define PLANE                                                                                      \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                              \
    "bodies: {load: {type: point, mass: 10, position: [0, -2]}}\n"
#define SPACE                                                                                      \
    "flexion: 1\ngravity: [9.81*2/3, -9.81/3, 9.81*2/3]\n"                                         \
    "bodies: {load: {type: point, mass: 10, position: [4/3, -2/3, 4/3]}}\n"
#define TOP_PLANE "[0, 0]"
#define TOP_SPACE "[0, 0, 0]"

static int wound_at_a_constant_speed(void)
{
    static const struct {
        const char *model, *top, *length, *more, *method;
        double tolerance;
    } runs[] = {
        {PLANE, TOP_PLANE, "2 - 98.1/1e4 - 0.05*t", "", "radau, rtol: 1e-10, atol: 1e-12", 1e-8},
        {PLANE, TOP_PLANE, "2 - 98.1/1e4 - 0.05*t", "", "dopri5, rtol: 1e-10, atol: 1e-12", 1e-8},
        {PLANE, TOP_PLANE, "2 - 98.1/1e4 - out", "inputs: {out: 0.05*t}\n",
         "radau, rtol: 1e-10, atol: 1e-12", 1e-8},
        {PLANE, TOP_PLANE, "L",
         "equations: {first_order: {L: {at: 2 - 98.1/1e4, derivative: -0.05}}}\n",
         "radau, rtol: 1e-10, atol: 1e-12", 1e-8},
        {PLANE, TOP_PLANE, "2 - 98.1/1e4 - 0.05*t", "", "generalized-alpha, step: 1e-4", 2e-5},
        {PLANE, TOP_PLANE, "2 - 98.1/1e4 - 0.05*t", "", "variational, step: 1e-4", 2e-5},
        {SPACE, TOP_SPACE, "2 - 98.1/1e4 - 0.05*t", "", "radau, rtol: 1e-10, atol: 1e-12", 1e-8},
    };
    double until = 0.4, w = sqrt(STIFFNESS / MASS);
    double stretch = REST + SPEED / w * sin(w * until);
    double length = 2 - REST - SPEED * until + stretch;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        char text[2048];
        case_table t = {0};
        double pull = 0, l = 0, start = 0, total = 0;
        snprintf(text, sizeof text,
                 "%s%s"
                 "forces: {rope: {type: cable, through: [%s, load], stiffness: 1e4, length: %s}}\n"
                 "simulate: {until: %.17g, method: %s}\n"
                 "outputs: {every: %.17g, signals: [rope.value, rope.length, energy]}\n",
                 runs[i].model, runs[i].more, runs[i].top, runs[i].length, until, runs[i].method,
                 until);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "rope.length", until, &l));
        CHECK(case_table_value(&t, "rope.value", until, &pull));
        CHECK_NEAR(l, length, runs[i].tolerance);
        CHECK_NEAR(pull, STIFFNESS * stretch, 2 * STIFFNESS * runs[i].tolerance);
        CHECK(case_table_value(&t, "energy.total", 0, &start));
        CHECK(case_table_value(&t, "energy.total", until, &total));
        CHECK(total - start > 0.5 * MASS * GRAVITY * SPEED * until); // the winch lifts it
        case_table_clear(&t);
    }
    return 0;
}

// ---- the drum: what it winds up is its angle times its radius, and the pull turns it back -----------

// m l'' = m g - k x, J phi'' = -r k x, x = l - L0 + r phi: x'' = g - k (1/m + r^2/J) x.
static int wound_by_a_drum(void)
{
    static const char *const methods[] = {"radau, rtol: 1e-10, atol: 1e-12",
                                          "radau, rtol: 1e-10, atol: 1e-12, formulation: tree",
                                          "dop853, rtol: 1e-10, atol: 1e-12, formulation: tree"};
    double k = 1e4, r = 0.2, J = 0.3, until = 0.3;
    double w2 = k * (1 / MASS + r * r / J), x = GRAVITY / w2 * (1 - cos(sqrt(w2) * until));
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        char text[2048];
        case_table t = {0};
        double pull = 0;
        snprintf(text, sizeof text,
                 "flexion: 1\ngravity: [0, 0, -9.81]\n"
                 "bodies:\n"
                 "  load: {type: point, mass: 10, position: [0, 0, -2]}\n"
                 "  drum: {type: rigid, mass: 4, inertia: [0.3, 0.3, 0.3], position: [1, 0, 0]}\n"
                 "joints:\n"
                 "  axle: {type: revolute, on: [ground, drum], at: drum, axis: [0, 1, 0]}\n"
                 "forces:\n"
                 "  rope: {type: cable, through: [[0, 0, 0], load], stiffness: 1e4,\n"
                 "         length: 2 - 0.2*axle.angle}\n"
                 "  back: {type: torque, on: axle, value: -0.2*rope.value}\n"
                 "simulate: {until: %.17g, method: %s}\n"
                 "outputs: {every: %.17g, signals: [rope.value]}\n",
                 until, methods[i], until);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "rope.value", until, &pull));
        CHECK_NEAR(pull, k * x, 1e-4);
        case_table_clear(&t);
    }
    return 0;
}

// ---- damping acts on the rate of the stretch, not on that of the line -------------------------------

// A line that both ends hold: l' = 0, l0' = -v. T = k x (1 + a v) with x = v t, and k = EA/l0.
static int damping_of_the_stretch(void)
{
    const char *text =
        "flexion: 1\ndimension: 2\nparameters: {EA: 2e4}\nsignals: {L: 2 - 0.1*t}\n"
        "bodies: {block: {type: rigid, mass: 1, inertia: 1, position: [2, 0]}}\n"
        "joints: {rail: {type: prismatic, on: [ground, block], at: block, axis: [1, 0],\n"
        "                motion: {displacement: 0}}}\n"
        "forces:\n"
        "  rope: {type: cable, through: [[0, 0], block], stiffness: EA/L, length: "
        "L, damping: 0.5}\n"
        "simulate: {until: 1, method: radau}\n"
        "outputs: {every: 1, signals: [rope.value, rail.drive]}\n";
    case_table t = {0};
    double pull = 0, reaction = 0, want = 2e4 / 1.9 * 0.1 * (1 + 0.5 * 0.1);
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    CHECK(case_table_value(&t, "rope.value", 1, &pull));
    CHECK(case_table_value(&t, "rail.drive", 1, &reaction));
    CHECK_NEAR(pull, want, 1e-9 * want);
    CHECK_NEAR(reaction, want, 1e-9 * want);
    case_table_clear(&t);
    CHECK(case_run(text, "EA=4e4", &t, NULL, NULL)); // a parameter stays one
    CHECK(case_table_value(&t, "rope.value", 1, &pull));
    CHECK_NEAR(pull, 2 * want, 1e-8 * want);
    case_table_clear(&t);
    return 0;
}

// ---- a rope that nothing winds stores what stretches it ---------------------------------------------

// Two bodies on a rope through a ring, stretched by 0.25 m at the start, taut and slack by turns: the strain is k x^(n+1)/(n+1), and what is
// stored, moves and is dissipated stays the same.
static int ropes_store_what_stretches_them(void)
{
    static const struct {
        const char *law, *method;
        double strain;
        bool damped;
    } runs[] = {
        {"stiffness: 500", "radau, rtol: 1e-10, atol: 1e-12", 15.625, false},
        {"stiffness: 500, damping: 0.3", "radau, rtol: 1e-10, atol: 1e-12", 15.625, true},
        {"stiffness: k, damping: a, exponent: 2", "radau, rtol: 1e-10, atol: 1e-12",
         2.6041666666666665, true},
        {"stiffness: 500, damping: a, exponent: 1.5",
         "radau, rtol: 1e-10, atol: 1e-12, formulation: tree", 6.25, true},
        {"stiffness: 500, damping: 0.3", "dopri5, rtol: 1e-10, atol: 1e-12", 15.625, true},
        {"stiffness: 500, damping: 0.3", "generalized-alpha, rtol: 1e-9, atol: 1e-11", 15.625,
         true},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        for (int dim = 2; dim <= 3; dim++) {
            char text[2048];
            case_table t = {0};
            flx_ledger ledger;
            const char *z = dim == 2 ? "" : ", 0";
            double strain = 0, start = 0, total = 0, dissipated = 0;
            snprintf(text, sizeof text,
                     "flexion: 1\ndimension: %d\ngravity: [0, -9.81%s]\n"
                     "parameters: {k: 500, a: 0.3}\n"
                     "bodies:\n"
                     "  arm: {type: rigid, mass: 2, inertia: %s, com: [0.3, 0%s], points: {eye: "
                     "[0.4, 0%s]}}\n"
                     "  load: {type: point, mass: 1, position: [1, -0.5%s]}\n"
                     "joints: {pin: {type: revolute, on: [ground, arm], at: arm%s}}\n"
                     "forces:\n"
                     "  rope: {type: cable, through: [[0, 0.75%s], arm.eye, [1, "
                     "0%s], load], length: 1.7, %s}\n"
                     "simulate: {until: 1.5, method: %s}\n"
                     "outputs: {every: 0.1, signals: [energy, rope.length]}\n",
                     dim, z, dim == 2 ? "0.3" : "[0.3, 0.3, 0.3]", z, z, z,
                     dim == 2 ? "" : ", axis: [0, 0, 1]", z, z, runs[i].law, runs[i].method);
            CHECK(case_run_ledger(text, NULL, &t, &ledger));
            CHECK(case_table_value(&t, "energy.strain", 0, &strain));
            CHECK_NEAR(strain, runs[i].strain, 1e-12);
            CHECK(case_table_value(&t, "energy.total", 0, &start));
            for (int k = 1; k <= 15; k++) {
                CHECK(case_table_value(&t, "energy.total", 0.1 * k, &total));
                CHECK(case_table_value(&t, "energy.dissipated", 0.1 * k, &dissipated));
                CHECK_NEAR(total + dissipated, start, 2e-6);
            }
            CHECK(runs[i].damped ? dissipated > 0.5 : fabs(dissipated) < 1e-12);
            CHECK(fabs(ledger.supplied) < 1e-12);
            case_table_clear(&t);
        }
    }
    return 0;
}

TEST_MAIN(TEST(wound_at_a_constant_speed), TEST(wound_by_a_drum), TEST(damping_of_the_stretch),
          TEST(ropes_store_what_stretches_them))
