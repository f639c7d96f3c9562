// Methods on the two-body problem against Kepler's exact solution: orders and errors, energy and
// angular momentum. Masses 1 and 100, k = 1000, an orbit of eccentricity 0.187 and period 2.7412
// about a centre that moves. The figures are those of independent programs.
#include "check.h"
#include "watch.h"

#include <stdlib.h>

// ---- exact solution -----------------------------------------------------------------------------

// r = F r_0 + G v_0 with Kepler's equation in the eccentric anomaly x since the beginning.
static void kepler(double t, double q1[2], double v1[2])
{
    const double mu = 1010.0, r0[2] = {-5.0, 0.0}, v0[2] = {2.0, -15.0};
    double r = 5.0, rv = r0[0] * v0[0], a = 1.0 / (2.0 / r - (v0[0] * v0[0] + v0[1] * v0[1]) / mu);
    double n = sqrt(mu / (a * a * a)), ec = 1.0 - r / a, es = rv / sqrt(mu * a), x = n * t;
    for (int k = 0; k < 60; k++) {
        double f = x - ec * sin(x) + es * (1.0 - cos(x)) - n * t;
        x -= f / (1.0 - ec * cos(x) + es * sin(x));
    }
    double F = 1.0 - a / r * (1.0 - cos(x)), G = t - (x - sin(x)) / n;
    double dx = n / (1.0 - ec * cos(x) + es * sin(x));
    double dF = -a / r * sin(x) * dx, dG = 1.0 - (1.0 - cos(x)) * dx / n;
    const double centre[2] = {5.0 / 101.0, 0.0}, drift[2] = {200.0 / 101.0, 15.0 / 101.0};
    for (int i = 0; i < 2; i++) {
        q1[i] = centre[i] + drift[i] * t - 100.0 / 101.0 * (F * r0[i] + G * v0[i]);
        v1[i] = drift[i] - 100.0 / 101.0 * (dF * r0[i] + dG * v0[i]);
    }
}

static int exact_solution_is_the_published_one(void)
{
    double q[2], v[2];
    kepler(0.25, q, v);
    CHECK_NEAR(q[0], 3.74716596206365978, 1e-14);
    CHECK_NEAR(q[1], 3.40709588692760377, 1e-14);
    CHECK_NEAR(v[0], -9.66502250242223005, 1e-13);
    kepler(10.0, q, v);
    CHECK_NEAR(q[0], 16.8879295028002609, 1e-12);
    CHECK_NEAR(v[1], -4.18489346355011331, 1e-12);
    return 0;
}

// ---- runs -----------------------------------------------------------------------------------

static bool run(const char *method, double step, double until, watch *w)
{
    char text[800];
    snprintf(text, sizeof text,
             "flexion: 1\n"
             "dimension: 2\n"
             "bodies:\n"
             "  planet: {type: point, mass: 1, position: [5, 0], velocity: [0, 15]}\n"
             "  sun:    {type: point, mass: 100, position: [0, 0], velocity: [2, 0]}\n"
             "forces:\n"
             "  pull: {type: gravitation, G: 10}\n"
             "simulate: {until: %.17g, step: %.17g, method: %s}\n"
             "outputs: {steps: true, signals: [energy.total, momentum.angular, momentum.linear, "
             "planet.position, planet.velocity]}\n",
             until, step, method);
    return watch_run(text, w);
}

// Relative error of the planet's place at t = 0.25 with h = 2^-k; negative: no run.
static double error_at_quarter(const char *method, int k)
{
    watch w;
    double q[2], v[2];
    if (!run(method, ldexp(1.0, -k), 0.25, &w)) return -1.0;
    kepler(0.25, q, v);
    double ex = watch_last(&w, "planet.position.x") - q[0];
    double ey = watch_last(&w, "planet.position.y") - q[1];
    return hypot(ex, ey) / hypot(q[0], q[1]);
}

// ---- orders ---------------------------------------------------------------------------------

// Errors with h = 2^-4, 2^-6, ... as published to the digits given; 0: not published, or rounding.
typedef struct errors {
    const char *method;
    double order;
    double error[4];
    double digits; // relative half unit of the last digit given
} errors;

static int errors_and_orders_at_a_quarter(void)
{
    static const errors all[] = {
        {"euler", 1.0, {7.80e-2, 2.16e-2, 5.57e-3, 1.40e-3}, 0.005},
        {"implicit-euler", 1.0, {1.16e-1, 2.36e-2, 5.70e-3, 1.41e-3}, 0.005},
        {"variational, alpha: 0", 1.0, {7.0e-2, 1.8e-2, 4.4e-3, 1.1e-3}, 0.05},
        {"variational, alpha: 1", 1.0, {7.1e-2, 1.8e-2, 4.4e-3, 1.1e-3}, 0.05},
        {"variational, alpha: 0.2", 1.0, {4.5e-2, 1.1e-2, 2.7e-3, 6.7e-4}, 0.05},
        {"variational, alpha: 0.4", 1.0, {1.7e-2, 3.7e-3, 9.0e-4, 2.2e-4}, 0.05},
        {"midpoint", 2.0, {3.74e-3, 2.29e-4, 1.43e-5, 8.95e-7}, 0.005},
        {"variational", 2.0, {3.74e-3, 2.29e-4, 1.43e-5, 8.95e-7}, 0.005},
        {"galerkin, degree: 1", 2.0, {3.74e-3, 2.29e-4, 1.43e-5, 8.95e-7}, 0.005},
        {"galerkin, degree: 2", 4.0, {1.64e-6, 6.48e-9, 2.53e-11, 0.0}, 0.005},
        {"galerkin, degree: 3", 6.0, {6.13e-9, 1.50e-12, 0.0, 0.0}, 0.005},
        {"galerkin, degree: 4", 8.0, {5.99e-12, 0.0, 0.0, 0.0}, 0.005},
    };
    int bad = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        double e[4] = {0.0};
        int n = 0;
        for (; n < 4 && all[i].error[n] > 0.0; n++)
            e[n] = error_at_quarter(all[i].method, 4 + 2 * n);
        // the finest pair gives the order; where there is one error only, one with twice the step
        double order = n > 1 ? 0.5 * log2(e[n - 2] / e[n - 1])
                             : log2(error_at_quarter(all[i].method, 3) / e[0]);
        printf("    %-24s order %.2f, errors", all[i].method, order);
        for (int k = 0; k < n; k++) {
            bool off = !(fabs(e[k] / all[i].error[k] - 1.0) <= all[i].digits);
            printf(" %.3g%s", e[k], off ? "!" : "");
            bad += off;
        }
        printf("\n");
        bad += !(fabs(order - all[i].order) <= 0.12);
    }
    return bad;
}

// Too few points cost order, more do not help.
static int points_of_the_quadrature(void)
{
    static const struct {
        const char *method;
        double order;
        int k;
    } all[] = {{"galerkin, degree: 2, quadrature: 1", 2.0, 6},
               {"galerkin, degree: 3, quadrature: 2", 4.0, 5},
               {"galerkin, degree: 2, quadrature: 3", 4.0, 5},
               {"galerkin, degree: 5", 10.0, 2},
               {"galerkin, degree: 6", 12.0, 2}};
    for (int i = 0; i < 5; i++) {
        double e1 = error_at_quarter(all[i].method, all[i].k);
        double e2 = error_at_quarter(all[i].method, all[i].k + 1);
        printf("    %-36s order %.2f, errors %.3g %.3g\n", all[i].method, log2(e1 / e2), e1, e2);
        CHECK_NEAR(log2(e1 / e2), all[i].order, i < 3 ? 0.1 : 0.5);
    }
    return 0;
}

// ---- energy ---------------------------------------------------------------------------------

static int energy_stays_in_the_published_bands(void)
{
    static const struct {
        const char *method;
        double step, least, most, within; // of E - E_0; within: part of the width
    } all[] = {
        {"variational", 1e-3, -1.050e-4, 5.035e-5, 1e-3},
        {"midpoint", 1e-3, -1.050e-4, 5.035e-5, 1e-3},
        {"variational, alpha: 0", 1e-3, -3.15e-3, 8.393e-2, 1e-3},
        {"variational, alpha: 1", 1e-3, -8.254e-2, 3.32e-3, 1e-3},
        {"variational, alpha: 0.2", 1e-3, -1.93e-3, 5.02e-2, 1e-3},
        {"variational, alpha: 0.4", 1e-3, -6.72e-4, 1.66e-2, 4e-3},
        {"variational", 0.015625, -2.562e-2, 1.237e-2, 1e-3},
        {"galerkin, degree: 1", 0.0625, -0.4027, 0.2172, 1e-3},
        {"galerkin, degree: 2", 0.0625, -3.112e-4, 1.111e-4, 1e-3},
        {"galerkin, degree: 2", 0.015625, -1.218e-6, 4.37e-7, 1e-3},
        {"galerkin, degree: 3", 0.0625, -1.274e-7, 1.814e-7, 1e-3},
        {"galerkin, degree: 4", 0.0625, -7e-11, 7e-11, 0.05},
    };
    int bad = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        watch w;
        if (short_runs() && all[i].step < 0.01) continue;
        CHECK(run(all[i].method, all[i].step, 50.0, &w));
        double least = w.least[0] - w.first[0], most = w.most[0] - w.first[0];
        double width = all[i].within * (all[i].most - all[i].least);
        bool ok = fabs(least - all[i].least) <= width && fabs(most - all[i].most) <= width;
        printf("  %s %-24s h = %-8g energy %+.4e .. %+.4e\n", ok ? " " : "!", all[i].method,
               all[i].step, least, most);
        bad += !ok;
        CHECK_NEAR(w.first[0], 112.5, 1e-12);
    }
    return bad;
}

// The Eulers drift, by as much as published, the implicit one into the sun.
static int eulers_drift(void)
{
    watch w;
    if (short_runs()) SKIP("a minute with sanitizers");
    CHECK(run("euler", 1e-3, 50.0, &w));
    CHECK_NEAR(watch_last(&w, "energy.total"), 137.953093, 5e-6);
    CHECK_NEAR(watch_last(&w, "momentum.angular"), 88.0099, 5e-5);
    CHECK(run("implicit-euler", 1e-3, 20.0, &w));
    CHECK_NEAR(watch_last(&w, "energy.total"), 70.02, 5e-3);
    CHECK(run("implicit-euler", 1e-3, 10.0, &w));
    CHECK_NEAR(watch_last(&w, "energy.total"), 98.99, 5e-3);
    CHECK(!run("implicit-euler", 1e-3, 50.0, &w));
    CHECK_NEAR(w.t, 29.335, 2e-3);
    return 0;
}

// ---- momentum -------------------------------------------------------------------------------

static int momenta_are_kept_to_rounding(void)
{
    static const char *const all[] = {
        "variational, alpha: 0",   "variational, alpha: 0.2",
        "variational, alpha: 0.5", "variational, alpha: 1",
        "galerkin, degree: 1",     "galerkin, degree: 2",
        "galerkin, degree: 3",     "galerkin, degree: 4",
        "galerkin, degree: 6",     "galerkin, degree: 3, quadrature: 2"};
    int bad = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        watch w;
        CHECK(run(all[i], 1e-3, short_runs() ? 1.0 : 50.0, &w));
        double angular = watch_drift(&w, "momentum.angular");
        double linear = watch_drift(&w, "momentum.linear");
        bool ok = angular < 2e-11 && linear < 1e-12;
        printf("  %s %-36s angular %.2e of 75, linear %.2e of 200\n", ok ? " " : "!", all[i],
               angular, linear);
        bad += !ok;
    }
    return bad;
}

// ---- sameness -------------------------------------------------------------------------------

// alpha = 1/2, degree 1 and the midpoint rule are one method.
static int midpoint_rule_by_three_names(void)
{
    watch a, b, c;
    CHECK(run("variational, alpha: 0.5", 0.015625, 2.0, &a));
    CHECK(run("midpoint", 0.015625, 2.0, &b));
    CHECK(run("galerkin, degree: 1", 0.015625, 2.0, &c));
    for (int i = 0; i < a.columns; i++) {
        double size = fmax(fabs(a.last[i]), 1.0);
        CHECK_NEAR(b.last[i], a.last[i], 1e-11 * size); // it ends its iteration earlier
        CHECK_NEAR(c.last[i], a.last[i], 1e-13 * size);
    }
    return 0;
}

// ---- many periods -----------------------------------------------------------------------------

// Five hundred of them; with FLX_LONG a hundred thousand. The sun is 5e5 m away by then, where positions
// have roundings of 6e-11 m: energy wanders by 1e-7 J, which is more than the band of degree 3.
static int energy_is_bounded_over_many_periods(void)
{
    bool is_long = getenv("FLX_LONG") != NULL;
    const double period = 2.74122175049363, count = is_long ? 1e5 : short_runs() ? 50 : 500;
    static const struct {
        const char *method;
        double step;
    } all[] = {{"variational", 0.03125},
               {"variational, alpha: 0.3", 0.015625},
               {"galerkin, degree: 2", 0.0625},
               {"galerkin, degree: 3", 0.0625}};
    for (int i = 0; i < (is_long ? 3 : 4); i++) {
        watch few, many;
        CHECK(run(all[i].method, all[i].step, 0.1 * fmin(count, 500) * period, &few));
        CHECK(run(all[i].method, all[i].step, count * period, &many));
        double band = few.most[0] - few.least[0];
        printf("    %-24s energy %+.4e .. %+.4e, at first %+.4e .. %+.4e\n", all[i].method,
               many.least[0] - 112.5, many.most[0] - 112.5, few.least[0] - 112.5,
               few.most[0] - 112.5);
        // the first periods of a short run miss a little of the band between their steps
        double within = (short_runs() ? 0.03 : 0.02) * band;
        CHECK_NEAR(many.least[0], few.least[0], within);
        CHECK_NEAR(many.most[0], few.most[0], within);
    }
    return 0;
}

TEST_MAIN(TEST(exact_solution_is_the_published_one), TEST(errors_and_orders_at_a_quarter),
          TEST(points_of_the_quadrature), TEST(energy_stays_in_the_published_bands),
          TEST(eulers_drift), TEST(momenta_are_kept_to_rounding),
          TEST(midpoint_rule_by_three_names), TEST(energy_is_bounded_over_many_periods))
