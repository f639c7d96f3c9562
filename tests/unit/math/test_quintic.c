// test_quintic.c - splines of fifth degree with smooth ends: polynomials exactly, order of convergence with the ends, four continuous derivatives.
#include "arena.h"
#include "math/curve/profile.h"

#include <math.h>

enum { MOST = 200 };
static double x[MOST], y[MOST], k[6 * MOST];

static flx_status spline(int n)
{
    begin();
    flx_status status = flx_spline_through(ctx, 5, FLX_SPLINE_SMOOTH, n, x, y, k);
    finish();
    return status;
}

static double eval(const double c[6], int derivative, double u)
{
    double sum = 0.0;
    for (int p = 5; p >= derivative; p--) {
        double factor = 1.0;
        for (int j = 0; j < derivative; j++) factor *= p - j;
        sum = sum * u + factor * c[p];
    }
    return sum;
}

static double polynomial(double u, int derivative)
{
    static const double c[6] = {1.5, -2.0, 0.7, 3.0, -1.1, 0.4};
    double sum = 0.0;
    for (int p = derivative; p < 6; p++) {
        double factor = c[p];
        for (int j = 0; j < derivative; j++) factor *= p - j;
        sum += factor * pow(u, p - derivative);
    }
    return sum;
}

// Unequal steps, too: a polynomial of fifth degree is itself.
static int polynomials_are_exact(void)
{
    const int n = 12;
    for (int i = 0; i < n; i++) {
        x[i] = 0.3 * i + 0.05 * sin(2.0 * i);
        y[i] = polynomial(x[i], 0);
    }
    CHECK(spline(n) == FLX_OK);
    for (int i = 0; i + 1 < n; i++) {
        double u = 0.4 * (x[i + 1] - x[i]);
        for (int d = 0; d < 6; d++) {
            double want = polynomial(x[i] + u, d);
            CHECK_NEAR(eval(k + 6 * i, d, u), want, 1e-6 * (1.0 + fabs(want)));
        }
    }
    return 0;
}

static int derivatives_are_continuous(void)
{
    const int n = 30;
    double size[5] = {1.0, 10.0, 100.0, 1000.0, 10000.0};
    for (int i = 0; i < n; i++) {
        x[i] = 0.1 * i + 0.03 * sin(5.0 * i);
        y[i] = cos(7.0 * x[i]) + (i % 3) * 0.2;
    }
    CHECK(spline(n) == FLX_OK);
    for (int i = 0; i + 2 < n; i++) {
        for (int d = 0; d < 5; d++) {
            double left = eval(k + 6 * i, d, x[i + 1] - x[i]);
            CHECK_NEAR(left, eval(k + 6 * (i + 1), d, 0.0), 1e-8 * size[d] * 100.0);
        }
        CHECK_NEAR(k[6 * i], y[i], 0);
    }
    return 0;
}

static double worst_acceleration(int n)
{
    double worst = 0.0, h = 2.0 / (n - 1);
    for (int i = 0; i < n; i++) {
        x[i] = h * i;
        y[i] = sin(3.0 * x[i]);
    }
    if (spline(n) != FLX_OK) return HUGE_VAL;
    for (int i = 0; i + 1 < n; i++) {
        for (int j = 0; j <= 8; j++) {
            double u = h * j / 8.0, a = eval(k + 6 * i, 2, u);
            worst = fmax(worst, fabs(a + 9.0 * sin(3.0 * (x[i] + u))));
        }
    }
    return worst;
}

// Second derivatives converge with the fourth order, the ends included.
static int accelerations_converge(void)
{
    double coarse = worst_acceleration(21), fine = worst_acceleration(41);
    CHECK(fine < coarse / 13.0);
    CHECK(fine < 5e-4);
    return 0;
}

// Three points: their parabola.
static int few_points_are_a_parabola(void)
{
    for (int i = 0; i < 3; i++) {
        x[i] = i;
        y[i] = 2.0 - i + 3.0 * i * i;
    }
    CHECK(spline(3) == FLX_OK);
    CHECK_NEAR(eval(k, 0, 0.5), 2.25, 1e-9);
    CHECK_NEAR(eval(k + 6, 1, 0.5), 8.0, 1e-8);
    return 0;
}

TEST_MAIN(TEST(polynomials_are_exact), TEST(derivatives_are_continuous),
          TEST(accelerations_converge), TEST(few_points_are_a_parabola))
