// Paths and profiles: values, how many derivatives are continuous, limits, splines through their points.
#include "math/curve/profile.h"
#include "model_text.h"
#include "pose.h"

static double value(const flx_model *m, const char *name, double t)
{
    return pose_value(m, name, t);
}

// A derivative of a column from one side of t.
static double derivative(const flx_model *m, const char *name, int order, double t)
{
    flx_node n = -1;
    for (int i = 0; i < m->outputs.ncolumn && n < 0; i++) {
        if (strcmp(m->outputs.columns[i].name, name) == 0) n = m->outputs.columns[i].node;
    }
    for (int i = 0; i < order; i++) {
        n = flx_graph_derive(m->graph, n, flx_leaf_time_rate, (flx_model *)m);
    }
    return pose_eval(m, n, t);
}

// k continuous derivatives at t, and a jump of the next.
static int check_smooth(const flx_model *m, const char *name, double t, int k, double size)
{
    const double e = 1e-9;
    for (int order = 0; order <= k + 1; order++) {
        double jump = derivative(m, name, order, t + e) - derivative(m, name, order, t - e);
        if (order <= k) CHECK_NEAR(jump, 0.0, size * pow(20.0, order) * 1e-7);
        if (order == k + 1) CHECK(fabs(jump) > 0.1);
    }
    return 0;
}

static int polynomials(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = pose_read(ctx, model_text("paths"));
    CHECK(m);
    CHECK_NEAR(value(m, "p5", 0.0), 1.0, 0);
    CHECK_NEAR(value(m, "p5", 3.0), 2.0, 1e-13);
    CHECK_NEAR(value(m, "p3(2)", 0.9), -2.0, 1e-13);
    double x = (0.5 - 0.2) / 0.7;
    CHECK_NEAR(value(m, "p3(2)", 0.5), -2.0 * (3 * x * x - 2 * x * x * x), 1e-14);
    CHECK_NEAR(value(m, "p5", 0.5), 1 + 2 * x * x * x * (10 - 15 * x + 6 * x * x), 1e-14);
    CHECK_NEAR(value(m, "p7", 0.5), 1 + 2 * pow(x, 4) * (35 - 84 * x + 70 * x * x - 20 * x * x * x),
               1e-13);
    CHECK_NEAR(value(m, "p7'", 0.5), 2 * 140 * pow(x * (1 - x), 3) / 0.7, 1e-12);
    CHECK_NEAR(value(m, "p9'", 0.5), 2 * 630 * pow(x * (1 - x), 4) / 0.7, 1e-12);
    CHECK_NEAR(value(m, "p9''", 0.5), 2 * 630 * 4 * pow(x * (1 - x), 3) * (1 - 2 * x) / 0.49,
               1e-11);
    const char *const names[] = {"p3(2)", "p5", "p7", "p9"};
    for (int i = 0; i < 4; i++) {
        CHECK(check_smooth(m, names[i], 0.2, i + 1, 2) == 0);
        CHECK(check_smooth(m, names[i], 0.9, i + 1, 2) == 0);
        CHECK(check_smooth(m, names[i], 1.6, i + 1, 2) == 0);
    }
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int functions_of_numbers(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = pose_read(ctx, model_text("paths"));
    CHECK(m);
    const char *const names[] = {"poly3(t)", "poly5(t)", "poly7(t)", "poly9(t)"};
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(value(m, names[i], -0.5), 0.0, 0);
        CHECK_NEAR(value(m, names[i], 0.5), 0.5, 1e-14);
        CHECK_NEAR(value(m, names[i], 1.5), 1.0, 1e-13);
        CHECK_NEAR(value(m, names[i], 0.3) + value(m, names[i], 0.7), 1.0, 1e-13); // odd about 1/2
        CHECK(check_smooth(m, names[i], 0.0, i + 1, 1) == 0);
        CHECK(check_smooth(m, names[i], 1.0, i + 1, 1) == 0);
    }
    double x = (0.35 - 0.2) / 0.6;
    CHECK_NEAR(value(m, "STEP(t, 0.2, 1, 0.8, 3)", 0.35), 1 + 2 * x * x * (3 - 2 * x), 1e-14);
    CHECK_NEAR(value(m, "HAVSIN(t, 0.2, 1, 0.8, 3)", 0.35), 2 + sin(FLX_PI * x - FLX_PI / 2),
               1e-14);
    CHECK_NEAR(value(m, "HAVSIN(t, 0.2, 1, 0.8, 3)'", 0.35),
               FLX_PI / 0.6 * cos(FLX_PI * x - FLX_PI / 2), 1e-13);
    CHECK_NEAR(value(m, "STEP(t, 0.2, 1, 0.8, 3)'", 0.1), 0.0, 0);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int trapezoids(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = pose_read(ctx, model_text("paths"));
    CHECK(m);
    // both limits of acceleration: 8/1.2 and 4/0.4 of the way; of the speed 2/1.2
    double T = 1.2 / 2 + 2.0 / 8;
    CHECK_NEAR(value(m, "trap(1)", 0.1 + T), 1.2, 1e-14);
    CHECK_NEAR(value(m, "trap(2)", 9.0), -0.4, 1e-14);
    CHECK_NEAR(value(m, "trap(1)''", 0.2), 8.0, 1e-12);
    CHECK_NEAR(value(m, "trap(1)'", 0.5), 2.0, 1e-13);
    CHECK_NEAR(value(m, "trap(2)", 0.4) / value(m, "trap(1)", 0.4), -1.0 / 3.0, 1e-13); // straight
    CHECK(check_smooth(m, "trap(1)", 0.1, 1, 1) == 0);
    double Ts = 1.2 / 2 + 2.0 / 8 + 8.0 / 80; // seven pieces
    CHECK_NEAR(value(m, "curve", 0.1 + Ts), 1.2, 1e-14);
    CHECK_NEAR(value(m, "curve'", 0.1 + Ts / 2), 2.0, 1e-13);
    CHECK(check_smooth(m, "curve", 0.1, 2, 1) == 0);
    CHECK(check_smooth(m, "curve", 0.2, 2, 1) == 0);
    CHECK_NEAR(value(m, "slow", 1.0), 0.6, 1e-14); // stretched, and as symmetric
    CHECK_NEAR(value(m, "slow'", 1.0), 2.0 * Ts / 1.8, 1e-13);
    CHECK_NEAR(value(m, "slow", 1.9), 1.2, 1e-14);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Whatever the limits: the way is 1, no limit is passed, and one of them is met.
static int trapezoids_of_all_limits(void)
{
    for (int i = 0; i < 300; i++) {
        double v = pow(10, 2 * pose_number(i, 1)), a = pow(10, 2 * pose_number(i, 2));
        double j = i % 4 ? pow(10, 2 * pose_number(i, 3)) : HUGE_VAL;
        double d[7], js[7], as[7], s = 0, rate = 0, most = 0, most_a = 0, most_j = 0, acc = 0;
        int n = flx_profile_trapezoid(v, a, j, d, js, as);
        CHECK(n >= 2 && n <= 7);
        for (int k = 0; k < n; k++) {
            if (i % 4) CHECK_NEAR(acc, as[k], 1e-9 * a);
            s += d[k] * (rate + d[k] * (as[k] / 2 + d[k] * js[k] / 6));
            rate += d[k] * (as[k] + d[k] * js[k] / 2);
            acc = as[k] + d[k] * js[k];
            most = fmax(most, rate);
            most_a = fmax(most_a, fmax(fabs(acc), fabs(as[k])));
            most_j = fmax(most_j, fabs(js[k]));
        }
        CHECK_NEAR(s, 1.0, 1e-12);
        CHECK_NEAR(rate, 0.0, 1e-12 * v);
        CHECK(most <= v * (1 + 1e-9) && most_a <= a * (1 + 1e-9) && most_j <= j * (1 + 1e-9));
        CHECK(most > v * (1 - 1e-9) || most_a > a * (1 - 1e-9) || most_j > j * (1 - 1e-9));
    }
    return 0;
}

static int splines(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = pose_read(ctx, model_text("paths"));
    const char *const names[] = {"tour", "tour5", "free", "free5"};
    const double times[] = {0, 1, 1.3, 2}, at[] = {0, 0.2, 0.5, -0.3};
    CHECK(m);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) CHECK_NEAR(value(m, names[i], times[k]), at[k], 1e-13);
        CHECK(check_smooth(m, names[i], 1.0, i % 2 ? 4 : 2, 1) == 0);
        CHECK(check_smooth(m, names[i], 1.3, i % 2 ? 4 : 2, 1) == 0);
    }
    CHECK_NEAR(derivative(m, "tour", 1, 0), 0, 1e-13);
    CHECK_NEAR(derivative(m, "tour", 1, 2), 0, 1e-12);
    CHECK_NEAR(derivative(m, "tour5", 1, 0), 0, 1e-13);
    CHECK_NEAR(derivative(m, "tour5", 2, 2), 0, 1e-10);
    CHECK_NEAR(derivative(m, "free", 2, 0), 0, 1e-12);
    CHECK_NEAR(derivative(m, "free5", 3, 0), 0, 1e-11);
    CHECK_NEAR(derivative(m, "free5", 4, 2), 0, 1e-9);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A spline of order 5 through points of a polynomial of degree 5 with such ends is that polynomial.
static int splines_of_polynomials(void)
{
    flx_ctx *ctx = flx_ctx_create();
    double x[9], y[9], k[8 * 6];
    for (int i = 0; i < 9; i++) {
        x[i] = 0.1 * i * (1 + 0.05 * i) / 1.12;
        double s = x[i] / (0.8 * 1.4 / 1.12);
        y[i] = s * s * s * (10 - 15 * s + 6 * s * s);
    }
    CHECK(flx_spline_through(ctx, 5, FLX_SPLINE_REST, 9, x, y, k) == FLX_OK);
    for (int i = 0; i < 8; i++) CHECK_NEAR(k[6 * i + 5], 6.0 / pow(x[8], 5), 1e-7);
    CHECK(flx_spline_through(ctx, 3, FLX_SPLINE_NATURAL, 2, x, y, k) == FLX_OK); // a line
    CHECK_NEAR(k[1], (y[1] - y[0]) / (x[1] - x[0]), 1e-15);
    CHECK_NEAR(k[3], 0.0, 1e-12);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int times_that_follow(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = pose_read(ctx, model_text("paths"));
    CHECK(m);
    // the speed of poly9 is 315/128 way/T at most
    double T = 2 * 315.0 / 128 / 2;
    CHECK_NEAR(value(m, "fast", T), 2.0, 1e-12);
    CHECK_NEAR(value(m, "fast'", T / 2), 2.0, 1e-12);
    for (int d = 3; d <= 9; d += 2) { // peaks against a search
        const double *c = flx_profile_terms(d);
        double most[4] = {0, 0, 0, 0};
        for (int i = 0; i <= 20000; i++) {
            double s = i / 20000.0;
            for (int order = 1; order < 4; order++) {
                double y = 0;
                for (int j = d; j >= order; j--) {
                    double f = c[j];
                    for (int q = 0; q < order; q++) f *= j - q;
                    y = y * s + f;
                }
                most[order] = fmax(most[order], fabs(y));
            }
        }
        for (int order = 1; order < (d == 3 ? 3 : 4); order++) {
            CHECK_NEAR(flx_profile_peak(d, order) / most[order], 1.0, 1e-7);
        }
    }
    CHECK(!flx_profile_terms(4) && !flx_profile_terms(11));
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(polynomials), TEST(functions_of_numbers), TEST(trapezoids),
          TEST(trapezoids_of_all_limits), TEST(splines), TEST(splines_of_polynomials),
          TEST(times_that_follow))
