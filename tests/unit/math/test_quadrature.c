// Rules for integrands that go to zero at their ends with a power.
#include "check.h"
#include "math/quadrature.h"

#include <math.h>

// The integral of x^a (1 - x)^b.
static double beta(double a, double b)
{
    return exp(lgamma(a + 1.0) + lgamma(b + 1.0) - lgamma(a + b + 2.0));
}

static int rules_with_powers_at_their_ends_are_exact(void)
{
    static const double powers[][2] = {{0, 0},     {1.5, 1.5},   {0, 1.5}, {1.5, 0},
                                       {1.3, 2.7}, {-0.5, -0.5}, {6, 0.2}};
    double x[FLX_QUADRATURE_MOST], w[FLX_QUADRATURE_MOST];
    for (size_t k = 0; k < sizeof powers / sizeof powers[0]; k++) {
        double low = powers[k][0], high = powers[k][1];
        for (int n = 1; n <= FLX_QUADRATURE_MOST; n++) {
            flx_quadrature_ends(n, low, high, x, w);
            for (int degree = 0; degree < 2 * n; degree++) {
                double sum = 0;
                for (int i = 0; i < n; i++)
                    sum += w[i] * pow(x[i], low + degree) * pow(1.0 - x[i], high);
                CHECK_REL(sum, beta(low + degree, high), 1e-11);
            }
            for (int i = 0; i < n; i++) CHECK(x[i] > (i ? x[i - 1] : 0.0) && x[i] < 1.0);
        }
    }
    return 0;
}

static int without_powers_they_are_gauss(void)
{
    double x[2][FLX_QUADRATURE_MOST], w[2][FLX_QUADRATURE_MOST];
    for (int n = 1; n <= FLX_QUADRATURE_MOST; n++) {
        flx_quadrature_ends(n, 0, 0, x[0], w[0]);
        flx_quadrature_gauss(n, x[1], w[1]);
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(x[0][i], x[1][i], 1e-14);
            CHECK_REL(w[0][i], w[1][i], 1e-12);
        }
    }
    return 0;
}

TEST_MAIN(TEST(rules_with_powers_at_their_ends_are_exact), TEST(without_powers_they_are_gauss))
