// Gains of least cost: the cart and pole of the reference case, continuous and sampled, filters, refusals by name.
#include "check.h"
#include "flexion/flexion.h"

#include <string.h>

static const double A[16] = {
    0, 0, 1, 0, 0, 0, 0, 1, 0, 1.401428571428572, 0, 0, 0, 28.028571428571436, 0, 0};
static const double B[4] = {0, 0, 0.9523809523809523, 2.3809523809523814};
static const double Q[16] = {10, 0, 0, 0, 0, 100, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, R[1] = {0.1};

static int cart_and_pole(void)
{
    flx_ctx *ctx = flx_ctx_create();
    const double want[4] = {-9.999999999999902, 70.39170407568764, -11.380250438912531,
                            12.759964174412527};
    const double sampled[4] = {-8.242333770464597, 61.0599593159746, -9.4666155392551,
                               11.140821686957851};
    double K[4], P[16];
    CHECK(flx_lqr_find(ctx, 4, 1, A, B, Q, R, 0, K, P) == FLX_OK);
    for (int i = 0; i < 4; i++) CHECK_NEAR(K[i], want[i], 1e-10);
    CHECK_NEAR(P[5] * 0.15 * 0.15, 48.529350754518035 * 0.0225, 1e-10);
    CHECK(flx_lqr_find(ctx, 4, 1, A, B, Q, R, 0.02, K, P) == FLX_OK);
    for (int i = 0; i < 4; i++) CHECK_NEAR(K[i], sampled[i], 1e-9);
    CHECK_NEAR(P[5] * 0.15 * 0.15, 1.095382369771181, 1e-10);
    CHECK(flx_lqr_find(ctx, 4, 1, A, B, Q, R, 1e-5, K, NULL) == FLX_OK); // to the continuous one
    for (int i = 0; i < 4; i++) CHECK_NEAR(K[i] / want[i], 1, 1e-3);
    flx_ctx_destroy(&ctx);
    return 0;
}

// |1 + K (i w - A)^-1 B| >= 1 for all w, and this near to 1.
static int return_difference(void)
{
    flx_ctx *ctx = flx_ctx_create();
    double K[4], least = HUGE_VAL;
    CHECK(flx_lqr_find(ctx, 4, 1, A, B, Q, R, 0, K, NULL) == FLX_OK);
    for (double w = 1e-2; w < 1e4; w *= 1.02) {
        // x = (i w - A)^-1 B by hand: angle from its own equation, then the cart
        double a = -w * w - A[13], angle = B[3] / a, x = (A[9] * angle + B[2]) / (-w * w);
        double re = 1 + K[0] * x + K[1] * angle, im = w * (K[2] * x + K[3] * angle);
        least = fmin(least, hypot(re, im));
    }
    CHECK(least >= 1 - 1e-9);
    CHECK_NEAR(least, 1.0, 1e-4);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int filters(void)
{
    flx_ctx *ctx = flx_ctx_create();
    const double C[8] = {1, 0, 0, 0, 0, 1, 0, 0}, V[4] = {1e-5, 0, 0, 1e-5};
    const double want[8] = {8.970134408519703,  10.098762550339478, 10.098762550339478,
                            30.619502030683677, 91.22415817744833,  193.837368275513,
                            205.96896957790676, 519.7694548272347};
    double W[16], L[8], P[16];
    for (int i = 0; i < 16; i++) W[i] = 0.5 * B[i / 4] * B[i % 4];
    CHECK(flx_kalman_find(ctx, 4, 2, A, C, W, V, 0, L, P) == FLX_OK);
    for (int i = 0; i < 8; i++) CHECK_NEAR(L[i] / want[i], 1, 1e-9);
    // sampled often, with the noise of a sample V/T, gain/T is that of the continuous one
    double T = 1e-5, often[4] = {V[0] / T, 0, 0, V[3] / T}, Ld[8];
    CHECK(flx_kalman_find(ctx, 4, 2, A, C, W, often, T, Ld, P) == FLX_OK);
    for (int i = 0; i < 8; i++) CHECK_NEAR(Ld[i] / T / want[i], 1, 2e-3);
    // one state: x+ = x + w, y = x + v with both variances 1: X = (1 + sqrt 5)/2, L = X/(X + 1)
    const double zero[1] = {0}, one[1] = {1};
    CHECK(flx_kalman_find(ctx, 1, 1, zero, one, one, one, 1, L, P) == FLX_OK);
    CHECK_NEAR(L[0], (sqrt(5) - 1) / 2, 1e-13);
    CHECK_NEAR(P[0], (sqrt(5) - 1) / 2, 1e-13);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int refusals(void)
{
    flx_ctx *ctx = flx_ctx_create();
    const double none[4] = {0, 0, 1, 0}, blind[4] = {0, 1, 0, 0}, V[1] = {1};
    double K[4], W[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, Qw[16], Rw[1] = {0},
                 out[1];
    CHECK(flx_lqr_find(ctx, 4, 1, A, none, Q, R, 0, K, NULL) == FLX_ERR_CANNOT); // the pole falls
    CHECK(strstr(flx_ctx_error(ctx, 0)->text, "is not reached by the inputs"));
    CHECK(strstr(flx_ctx_error(ctx, 0)->text, "5.294"));
    flx_ctx_clear_messages(ctx);
    CHECK(flx_kalman_find(ctx, 4, 1, A, blind, W, V, 0, K, NULL) == FLX_ERR_CANNOT);
    CHECK(strstr(flx_ctx_error(ctx, 0)->text, "is not seen by what is measured"));
    flx_ctx_clear_messages(ctx);
    CHECK(flx_lqr_find(ctx, 4, 1, A, B, Q, Rw, 0, K, NULL) == FLX_ERR_ARGUMENT);
    memcpy(Qw, Q, sizeof Qw);
    Qw[1] = 3; // not symmetric
    CHECK(flx_lqr_find(ctx, 4, 1, A, B, Qw, R, 0, K, NULL) == FLX_ERR_ARGUMENT);
    flx_ctx_clear_messages(ctx);
    Qw[1] = Qw[4] = 1.1 * sqrt(Q[0] * Q[5]); // two of their weights are not positive together
    CHECK(flx_lqr_find(ctx, 4, 1, A, B, Qw, R, 0, K, NULL) == FLX_ERR_ARGUMENT);
    CHECK(strstr(flx_ctx_error(ctx, 0)->text, "negative along some direction"));
    Qw[1] = nan("");
    CHECK(flx_lqr_find(ctx, 4, 1, A, B, Qw, R, 0, K, NULL) == FLX_ERR_ARGUMENT);
    const double zero[1] = {0}, one[1] = {1};
    CHECK(flx_lqr_find(ctx, 1, 1, zero, one, zero, one, 0, out, NULL) ==
          FLX_ERR_CANNOT); // costs nothing
    CHECK(flx_lqr_find(ctx, 0, 1, A, B, Q, R, 0, K, NULL) == FLX_ERR_ARGUMENT);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A chain of n/2 masses between springs, pushed at its end: the first gains do not depend on the solver, and a sampled loop
// with a long interval is found, too.
static int long_chain(void)
{
    flx_ctx *ctx = flx_ctx_create();
    enum { N = 40 };
    static double a[N * N], b[N], q[N * N], K[N], P[N * N];
    int h = N / 2;
    for (int i = 0; i < h; i++) {
        a[i * N + h + i] = 1;
        for (int j = 0; j < h; j++) a[(h + i) * N + j] = i == j ? -200 : abs(i - j) == 1 ? 100 : 0;
        q[i * N + i] = 1;
    }
    b[N - 1] = 1;
    const double r[1] = {0.01};
    CHECK(flx_lqr_find(ctx, N, 1, a, b, q, r, 0, K, P) == FLX_OK);
    for (int i = 0; i < N; i++)
        CHECK_NEAR(K[i], P[(N - 1) * N + i] / r[0], 1e-9 * fabs(K[i]) + 1e-9);
    CHECK(flx_lqr_find(ctx, N, 1, a, b, q, r, 0.5, K, P) == FLX_OK);
    flx_ctx_destroy(&ctx);
    return 0;
}

// What fails in the numerics is told with the place of the analysis in the model.
static int failures_have_a_place(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ninputs: {F: 0}\n"
        "bodies: {m: {type: rigid, mass: 1, inertia: 1}}\n"
        "joints: {A: {type: prismatic, on: [ground, m], at: m, axis: [1, 0]}}\n"
        "forces: {f: {type: force, on: A, value: F}}\n"
        "analyse:\n"
        "  K: {type: lqr, states: [A.displacement, A.rate], weights: {states: 1, inputs: 0}}\n";
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_finding found;
    CHECK(flx_model_read_text(ctx, "lqr.yaml", text, strlen(text), 0, NULL, &model) == FLX_OK);
    CHECK(flx_simulation_create_to_analyse(model, &sim) == FLX_OK);
    CHECK(flx_simulation_analyse(sim, 0, &found) != FLX_OK);
    CHECK(flx_ctx_error_count(ctx) == 1);
    CHECK(flx_ctx_error(ctx, 0)->loc.line == 8 && flx_ctx_error(ctx, 0)->loc.column == 3);
    flx_finding_clear(&found); // what was found before the failure
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Controllers take the gains of an analysis whatever its name is.
static int names_may_be_long(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\n"
        "inputs: {F: {value: hold}}\n"
        "bodies: {m: {type: rigid, mass: 1, inertia: 1}}\n"
        "joints: {A: {type: prismatic, on: [ground, m], at: m, axis: [1, 0], initial: "
        "{displacement: 0.5}}}\n"
        "forces: {f: {type: force, on: A, value: F}}\n"
        "analyse:\n"
        "  gains_of_a_regulator_of_the_cart_on_its_long_rail: {type: lqr, inputs: [F], states: "
        "[A.displacement, A.rate], weights: {states: [1, 1], inputs: [1]}}\n"
        "control: {hold: {type: state-feedback, gains: "
        "gains_of_a_regulator_of_the_cart_on_its_long_rail}}\n"
        "simulate: {until: 20}\noutputs: {every: 20, signals: [A.displacement]}\n";
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    CHECK(flx_model_read_text(ctx, "long.yaml", text, strlen(text), 0, NULL, &model) == FLX_OK);
    CHECK(flx_simulation_create(model, &sim) == FLX_OK);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int observers_and_joints_may_have_long_names(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\n"
        "bodies: {m: {type: rigid, mass: 1, inertia: 1, com: [0.5, 0]}, cart: {type: rigid, mass: "
        "1, "
        "inertia: 1, position: [0, 1]}}\n"
        "joints: "
        "{the_joint_between_the_ground_and_the_first_of_all_the_long_arms_of_this_mechanism: "
        "{type: revolute, on: [ground, m], at: [0, 0]}, A: {type: prismatic, on: [ground, cart], "
        "at: "
        "cart, axis: [1, 0]}}\n"
        "inputs: {F: {value: 0}}\n"
        "forces: {f: {type: force, on: A, value: F}, g: {type: torque, on: "
        "the_joint_between_the_ground_and_the_first_of_all_the_long_arms_of_this_mechanism, value: "
        "ct}}\n"
        "analyse:\n"
        "  filter_of_the_cart_that_is_on_its_own_long_rail_beside_the_arm: {type: kalman, inputs: "
        "[F], "
        "states: [A.displacement, A.rate], measured: [A.displacement], noise: {inputs: 1, "
        "measured: "
        "1}}\n"
        "control:\n"
        "  est: {type: observer, gains: "
        "filter_of_the_cart_that_is_on_its_own_long_rail_beside_the_arm}\n"
        "  ct: {type: computed-torque, joints: "
        "[the_joint_between_the_ground_and_the_first_of_all_the_long_arms_of_this_mechanism], "
        "want: "
        "[t], p: 1, d: 1}\n"
        "simulate: {until: 1}\noutputs: {every: 1, signals: [est.state]}\n";
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    CHECK(flx_model_read_text(ctx, "long.yaml", text, strlen(text), 0, NULL, &model) == FLX_OK);
    CHECK(flx_simulation_create(model, &sim) == FLX_OK);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

// The same plant with lengths in L, masses in M and times in T: gains and filters are the same quantities.
static int units_do_not_matter(void)
{
    static const double a[16] = {0, 0, 1, 0, 0, 0, 0, 1, -30, 1.4014, -0.1, 0, 0, -28.03, 0, -0.2};
    static const double b[8] = {0, 0, 0, 0, 0.95, -0.3, 2.38, 1.7}, c[8] = {1, 0, 0, 0, 0, 1, 0, 0};
    static const double q[4] = {10, 100, 1, 1};
    static const double units[5][3] = {
        {1, 1, 1}, {1e3, 1e-3, 1}, {1e-6, 1e-15, 1e-4}, {1e-9, 1, 1}, {1e6, 1e9, 1e6}};
    flx_ctx *ctx = flx_ctx_create();
    double first[2][2][8] = {{{0}}};
    for (int e = 0; e < 5; e++) {
        double L = units[e][0], M = units[e][1], T = units[e][2];
        const double d[4] = {L, 1, L / T, 1 / T};
        const double f[2] = {M * L / (T * T), M * L * L / (T * T)}, y[2] = {L, 1};
        double A2[16], B2[8], C2[8], Q2[16] = {0}, W[16] = {0}, R2[4] = {0}, V[4] = {0};
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) A2[4 * i + j] = a[4 * i + j] * d[i] / d[j] / T;
            for (int j = 0; j < 2; j++) B2[2 * i + j] = b[2 * i + j] * d[i] / f[j] / T;
            for (int j = 0; j < 2; j++) C2[4 * j + i] = c[4 * j + i] * y[j] / d[i];
            Q2[5 * i] = q[i] / (d[i] * d[i]);
            W[5 * i] = 0.01 * q[i] * d[i] * d[i] / T;
        }
        for (int j = 0; j < 2; j++) R2[3 * j] = 0.1 / (f[j] * f[j]);
        for (int j = 0; j < 2; j++) V[3 * j] = 1e-5 * y[j] * y[j] * T;
        for (int sampled = 0; sampled < 2; sampled++) {
            double K[8], F[8], P[16], sample = sampled ? 0.02 * T : 0.0;
            CHECK(flx_lqr_find(ctx, 4, 2, A2, B2, Q2, R2, sample, K, P) == FLX_OK);
            if (sampled) V[0] /= sample, V[3] /= sample; // of a sample, no longer of a unit of time
            CHECK(flx_kalman_find(ctx, 4, 2, A2, C2, W, V, sample, F, NULL) == FLX_OK);
            for (int i = 0; i < 8; i++) {
                double gain = K[i] * d[i % 4] / f[i / 4];
                double filter = F[i] * y[i % 2] / d[i / 2] * (sampled ? 1 : T);
                if (e == 0) first[sampled][0][i] = gain;
                if (e == 0) first[sampled][1][i] = filter;
                CHECK_REL(gain, first[sampled][0][i], 1e-8);
                CHECK_REL(filter, first[sampled][1][i], 1e-8);
            }
        }
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(units_do_not_matter), TEST(observers_and_joints_may_have_long_names),
          TEST(names_may_be_long), TEST(failures_have_a_place), TEST(cart_and_pole),
          TEST(return_difference), TEST(filters), TEST(refusals), TEST(long_chain))
