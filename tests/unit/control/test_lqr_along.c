// Gains of least cost along a motion: closed form, order of convergence, limits; linear models along a run.
#include "case_table.h"
#include "check.h"
#include "findings.h"
#include "flexion/flexion.h"

#include <math.h>
#include <string.h>

// x' = a x + u over tau = T - t: P = q sinh(s tau) / (s cosh(s tau) - a sinh(s tau)), s^2 = a^2 + q
static int scalar_of_constant_coefficients(void)
{
    flx_ctx *ctx = flx_ctx_create();
    const double a = 0.7, q = 3, s = sqrt(a * a + q), R[1] = {1};
    const double t[4] = {0, 0.5, 1.1, 2}, A[4] = {a, a, a, a}, B[4] = {1, 1, 1, 1};
    double K[4], P[4];
    flx_lqr_motion m = {.n = 1, .m = 1, .nt = 4, .t = t, .A = A, .B = B, .Q = &q, .R = R};
    CHECK(flx_lqr_along(ctx, &m, K, P) == FLX_OK);
    for (int k = 0; k < 4; k++) {
        double tau = 2 - t[k], want = q * sinh(s * tau) / (s * cosh(s * tau) - a * sinh(s * tau));
        CHECK_NEAR(P[k], want, 1e-12);
        CHECK_NEAR(K[k], want, 1e-12);
    }
    // a heavy end is held as hard as time allows: P -> s / tanh(s tau) + a
    const double end[1] = {1e12};
    m.end = end;
    CHECK(flx_lqr_along(ctx, &m, K, P) == FLX_OK);
    for (int k = 0; k < 3; k++) CHECK_REL(P[k], s / tanh(s * (2 - t[k])) + a, 1e-9);
    flx_ctx_destroy(&ctx);
    return 0;
}

// P at the start of x1' = x2, x2' = sin(3 t) x1 - x2 + (1 + cos(2 t)/2) u, by nt times.
static double start_of(flx_ctx *ctx, int nt)
{
    static double t[400], A[1600], B[800], K[800], P[1600];
    const double Q[4] = {2, 0.5, 0.5, 1}, R[1] = {0.3};
    for (int k = 0; k < nt; k++) {
        double x = t[k] = 2.0 * k / (nt - 1), to[4] = {0, 1, sin(3 * x), -1};
        memcpy(A + 4 * k, to, sizeof to);
        B[2 * k] = 0;
        B[2 * k + 1] = 1 + 0.5 * cos(2 * x);
    }
    const flx_lqr_motion m = {.n = 2, .m = 1, .nt = nt, .t = t, .A = A, .B = B, .Q = Q, .R = R};
    return flx_lqr_along(ctx, &m, K, P) == FLX_OK ? P[1] : nan("");
}

static int order_of_changing_coefficients(void)
{
    flx_ctx *ctx = flx_ctx_create();
    double fine = start_of(ctx, 385);
    double order = log2(fabs(start_of(ctx, 25) - fine) / fabs(start_of(ctx, 49) - fine));
    CHECK(order > 3.6 && order < 5.5);
    CHECK_NEAR(start_of(ctx, 97), fine, 1e-7);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Far from the end gains are those of the steady regulator, continuous and sampled.
static int steady_far_from_the_end(void)
{
    flx_ctx *ctx = flx_ctx_create();
    static double t[401], A[1604], B[802], K[802];
    const double Q[4] = {10, 0, 0, 1}, R[1] = {0.1};
    double steady[2];
    for (int k = 0; k < 401; k++) {
        const double to[4] = {0, 1, 5, -0.2};
        t[k] = 0.05 * k;
        memcpy(A + 4 * k, to, sizeof to);
        B[2 * k] = 0;
        B[2 * k + 1] = 2;
    }
    for (int sampled = 0; sampled < 2; sampled++) {
        double T = sampled ? 0.05 : 0;
        const flx_lqr_motion m = {
            .n = 2, .m = 1, .nt = 401, .t = t, .A = A, .B = B, .Q = Q, .R = R, .sample = T};
        CHECK(flx_lqr_along(ctx, &m, K, NULL) == FLX_OK);
        CHECK(flx_lqr_find(ctx, 2, 1, A, B, Q, R, T, steady, NULL) == FLX_OK);
        for (int j = 0; j < 2; j++) CHECK_REL(K[j], steady[j], 1e-9);
    }
    flx_lqr_motion bad = {.n = 2, .m = 1, .nt = 1, .t = t, .A = A, .B = B, .Q = Q, .R = R};
    CHECK(flx_lqr_along(ctx, &bad, K, NULL) == FLX_ERR_ARGUMENT);
    t[1] = 0;
    bad.nt = 3;
    CHECK(flx_lqr_along(ctx, &bad, K, NULL) == FLX_ERR_ARGUMENT);
    flx_ctx_destroy(&ctx);
    return 0;
}

#define PENDULUM                                                                                   \
    "flexion: 1\n"                                                                                 \
    "equations: {first_order: {cost: {derivative: "                                                \
    "\"2.5e5*(10*(b-a)^2+(b'-a')^2+0.1*(u1-u0)^2)\"}}, "                                           \
    "second_order: {a: {mass: 1, force: '-9.81*sin(a) + u0'},"                                     \
    " b: {at: 2e-3, mass: 1, force: '-9.81*sin(b) + u1'}}}\n"                                      \
    "simulate: {until: 2, method: radau, rtol: 1e-11, atol: 1e-13}\n"

// Entries over the time are those of the motion: A(2, 1) = -g cos(a).
static int series_of_a_pendulum(void)
{
    findings w = findings_of(
        PENDULUM
        "inputs: {u0: {value: 4*sin(3*t)}, u1: {value: 0}}\n"
        "analyse: {s: {type: linear, inputs: [u0], states: [a, \"a'\"], outputs: [\"a''\", "
        "sin(a)], every: 0.3}}\n");
    CHECK(w.status == FLX_OK);
    const flx_finding_table *t = w.f.tables;
    CHECK(w.f.ntable == 1 && t->nrow == 8 && t->ncolumn == 1 + 4 * 3);
    CHECK_NEAR(t->values[7 * t->ncolumn], 2.0, 1e-12); // the last one is the end
    CHECK(strcmp(t->columns[3], "A(2, 1)") == 0 && strcmp(t->columns[9], "C(2, 1)") == 0);
    bool moves = false;
    for (int k = 0; k < t->nrow; k++) {
        const double *row = t->values + k * t->ncolumn;
        CHECK_NEAR(row[2], 1, 1e-9);
        CHECK_NEAR(row[3], -9.81 * row[9], 1e-8); // cos(a) by the slope of sin(a)
        CHECK_NEAR(row[7], row[3], 1e-8);         // a'' has the slope of its equation
        CHECK_NEAR(row[11], 1, 1e-9);             // ... and the input itself
        moves = moves || row[9] < 0.9;
    }
    CHECK(moves);
    findings_clear(&w);
    return 0;
}

#define CART(way, formulation)                                                                     \
    "flexion: 1\n"                                                                                 \
    "dimension: 2\n"                                                                               \
    "gravity: [0, -9.81]\n"                                                                        \
    "bodies:\n"                                                                                    \
    "  cart: {type: rigid, mass: 10, inertia: 1}\n"                                                \
    "  rod: {type: rigid, mass: 2, com: [0, -0.6], inertia: 0.24}\n"                               \
    "joints:\n"                                                                                    \
    "  rail: {type: prismatic, on: [ground, cart], at: cart, axis: [1, 0]}\n"                      \
    "  hinge: {type: revolute, on: [cart, rod], at: cart, initial: {angle: 0.5}}\n"                \
    "inputs: {F: {value: 0}}\n"                                                                    \
    "forces: {push: {type: force, on: rail, value: F - 300*rail.displacement}}\n"                  \
    "analyse:\n"                                                                                   \
    "  s: {type: linear, inputs: [F], outputs: [rail.displacement], states: [rail.displacement, "  \
    "hinge.angle, rail.rate, hinge.rate], " way "}\n"                                              \
    "simulate: {until: 2, method: radau, rtol: 1e-10, atol: 1e-12" formulation "}\n"               \
    "outputs: {every: 1, signals: [hinge.angle]}\n"

// Of a mechanism of joints, in whichever coordinates it runs and is linearised: that of the instant, at each.
static int series_of_a_mechanism(void)
{
    static const char *const models[] = {CART("every: 0.5", ""),
                                         CART("every: 0.5", ", formulation: tree"),
                                         CART("every: 0.5", ", formulation: index-3")};
    findings w = findings_of(CART("about: {time: 1.5}", ""));
    CHECK(w.status == FLX_OK);
    const flx_finding_table *A = w.f.tables;
    while (A < w.f.tables + w.f.ntable && strcmp(A->name, "A") != 0) A++;
    CHECK(A < w.f.tables + w.f.ntable && A->nrow == 4);
    for (int k = 0; k < 3; k++) {
        findings v = findings_of(models[k]);
        CHECK(v.status == FLX_OK && v.f.tables->nrow == 5);
        const double *row = v.f.tables->values + 3 * v.f.tables->ncolumn;
        CHECK_NEAR(row[0], 1.5, 1e-12);
        for (int i = 0; i < 16; i++) CHECK_NEAR(row[1 + i], A->values[i], 1e-6);
        findings_clear(&v);
    }
    findings_clear(&w);
    return 0;
}

// The cost of a run that begins a little off the motion is x^T P x of the start.
static int cost_of_a_run(void)
{
    static const char *const kinds[] = {"every: 0.02", "every: 0.02, sample: 0.02"};
    for (int k = 0; k < 2; k++) {
        char text[1500];
        snprintf(text, sizeof text,
                 PENDULUM
                 "inputs: {u0: {value: 4*sin(3*t)}, u1: {value: %s}}\n"
                 "control: {follow: {type: state-feedback, gains: K, states: [b, \"b'\"]%s}}\n"
                 "analyse: {K: {type: lqr, inputs: [u0], states: [a, \"a'\"], weights: {states: "
                 "[10, 1], inputs: 0.1}, %s}}\n"
                 "signals: {p: \"K.P(1, 1)\", g: K.gains(1)}\n"
                 "outputs: {every: 1, signals: [p, g, cost]}\n",
                 k == 0 ? "follow" : "u0 + follow", k == 0 ? "" : ", offset: 0, sample: 0.02",
                 kinds[k]);
        case_table t = {0};
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        double P = 0, g = 0, cost = 0;
        CHECK(case_table_value(&t, "p", 0, &P) && case_table_value(&t, "cost", 2, &cost));
        CHECK(case_table_value(&t, "g", 0, &g));
        CHECK_REL(cost, P, 2e-3);
        CHECK(g > 1.0);
        case_table_clear(&t);
    }
    return 0;
}

// Gains about an instant of the run that uses them: the run to it is the one without.
static int gains_about_an_instant(void)
{
    static const char text[] =
        PENDULUM "inputs: {u0: {value: 4*sin(3*t)}, u1: {value: follow}}\n"
                 "control: {follow: {type: state-feedback, gains: K, states: [b, \"b'\"]}}\n"
                 "analyse: {K: {type: lqr, about: {time: 0.5}, inputs: [u0], states: [a, \"a'\"], "
                 "weights: {states: [10, 1], inputs: 0.1}}}\n"
                 "outputs: {every: 1, signals: [b]}\n";
    case_table t = {0};
    double b = 0;
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    CHECK(case_table_value(&t, "b", 2, &b) && fabs(b) < 3);
    case_table_clear(&t);
    return 0;
}

TEST_MAIN(TEST(scalar_of_constant_coefficients), TEST(order_of_changing_coefficients),
          TEST(steady_far_from_the_end), TEST(series_of_a_pendulum), TEST(series_of_a_mechanism),
          TEST(cost_of_a_run), TEST(gains_about_an_instant))
