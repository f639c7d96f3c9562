// test_collocation_tableau.c - computed coefficients of Radau IIA, Gauss, Lobatto IIIA and IIIC: the
// numbers of the books, quadrature and stage orders, behaviour at infinity, eigenvectors, polynomials.
#include "check.h"
#include "flexion/extend/method_table.h"
#include "integrate/collocation/collocation_tableau.h"

#define FAMILIES 4

static const struct {
    collocation_family family;
    int least, most; // stages
} families[FAMILIES] = {{COLLOCATION_RADAU_IIA, 1, 7},
                        {COLLOCATION_GAUSS, 1, 7},
                        {COLLOCATION_LOBATTO_IIIA, 2, 7},
                        {COLLOCATION_LOBATTO_IIIC, 2, 7}};

static int order_of(collocation_family family, int s)
{
    return family == COLLOCATION_RADAU_IIA ? 2 * s - 1
           : family == COLLOCATION_GAUSS   ? 2 * s
                                           : 2 * s - 2;
}

static int coefficients_are_those_of_the_books(void)
{
    collocation_tableau t;
    flx_coefficients k;
    double r = sqrt(6.0);
    CHECK(flx_collocation_tableau_make(COLLOCATION_RADAU_IIA, 3, &t));
    CHECK_NEAR(t.c[0], (4.0 - r) / 10.0, 1e-15);
    CHECK_NEAR(t.c[1], (4.0 + r) / 10.0, 1e-15);
    CHECK_NEAR(t.e[0], (-13.0 - 7.0 * r) / 3.0, 1e-13);
    CHECK_NEAR(t.e[1], (-13.0 + 7.0 * r) / 3.0, 1e-13);
    CHECK_NEAR(t.e[2], -1.0 / 3.0, 1e-13);
    CHECK_NEAR(creal(t.mu[0]), 3.0 + cbrt(9.0) - cbrt(3.0), 1e-13);
    CHECK(flx_collocation_coefficients(COLLOCATION_GAUSS, 2, &k));
    CHECK_NEAR(k.A[0][1], 0.25 - sqrt(3.0) / 6.0, 1e-15);
    CHECK(flx_collocation_coefficients(COLLOCATION_LOBATTO_IIIA, 3, &k));
    CHECK_NEAR(k.A[1][0], 5.0 / 24.0, 1e-15);
    CHECK_NEAR(k.A[1][2], -1.0 / 24.0, 1e-15);
    CHECK(flx_collocation_coefficients(COLLOCATION_LOBATTO_IIIC, 3, &k));
    CHECK_NEAR(k.A[0][1], -1.0 / 3.0, 1e-15);
    CHECK_NEAR(k.A[1][2], -1.0 / 12.0, 1e-15);
    CHECK_NEAR(k.A[2][1], 2.0 / 3.0, 1e-15);
    return 0;
}

static int other_numbers_of_stages_there_are_not(void)
{
    collocation_tableau t;
    for (int f = 0; f < FAMILIES; f++) {
        CHECK(!flx_collocation_tableau_make(families[f].family, families[f].least - 1, &t));
        CHECK(!flx_collocation_tableau_make(families[f].family, families[f].most + 1, &t));
    }
    return 0;
}

// sum b c^(k-1) = 1/k up to the order, and no further; sum a_ij c_j^(k-1) = c_i^k / k up to the stage
// order, which is s, for IIIC s - 1.
static int orders_are_what_they_should_be(void)
{
    for (int f = 0; f < FAMILIES; f++) {
        for (int s = families[f].least; s <= families[f].most; s++) {
            flx_coefficients k;
            CHECK(flx_collocation_coefficients(families[f].family, s, &k));
            int p = order_of(families[f].family, s);
            int q = families[f].family == COLLOCATION_LOBATTO_IIIC ? s - 1 : s;
            for (int m = 1; m <= p + 1; m++) {
                double sum = 0.0;
                for (int j = 0; j < s; j++) sum += k.b[j] * pow(k.c[j], m - 1);
                if (m <= p) CHECK_NEAR(sum, 1.0 / m, 1e-14);
                if (m > p) CHECK(fabs(sum - 1.0 / m) > 1e-10);
            }
            for (int m = 1; m <= q + 1; m++) {
                double off = 0.0;
                for (int i = 0; i < s; i++) {
                    double sum = 0.0;
                    for (int j = 0; j < s; j++) sum += k.A[i][j] * pow(k.c[j], m - 1);
                    off = fmax(off, fabs(sum - pow(k.c[i], m) / m));
                }
                if (m <= q) CHECK_NEAR(off, 0.0, 1e-14);
                if (m > q) CHECK(off > 1e-9);
            }
        }
    }
    return 0;
}

// R(inf) = 1 - b^T A^-1 1: 0 for Radau IIA and IIIC, +-1 for Gauss; for IIIA, whose A is singular, the
// part that is solved for gives it: the end is sum Ai^-1 (...), R(inf) = - slope of the last stage.
static int infinity_is_damped_or_not(void)
{
    for (int f = 0; f < FAMILIES; f++) {
        for (int s = families[f].least; s <= families[f].most; s++) {
            collocation_tableau t;
            CHECK(flx_collocation_tableau_make(families[f].family, s, &t));
            double R = 0.0, sign = t.s % 2 ? -1.0 : 1.0;
            for (int j = 0; j < t.s; j++) R += t.d[j];
            R = 1.0 - R;
            if (t.slopes) R = -t.slope[t.s - 1];
            bool damps = families[f].family == COLLOCATION_RADAU_IIA ||
                         families[f].family == COLLOCATION_LOBATTO_IIIC;
            CHECK_NEAR(R, damps ? 0.0 : sign, 1e-10);
        }
    }
    return 0;
}

// Ai A = 1 on the stages that are solved for, and Ai = P mu Pi.
static int inverse_and_eigenvectors_belong_to_the_matrix(void)
{
    for (int f = 0; f < FAMILIES; f++) {
        for (int s = families[f].least; s <= families[f].most; s++) {
            collocation_tableau t;
            flx_coefficients a;
            CHECK(flx_collocation_coefficients(families[f].family, s, &a));
            CHECK(flx_collocation_tableau_make(families[f].family, s, &t));
            int first = s - t.s;
            for (int i = 0; i < t.s; i++) {
                for (int j = 0; j < t.s; j++) {
                    double sum = 0.0, product = 0.0;
                    for (int k = 0; k < t.neigen; k++) {
                        double part = creal(t.P[i][k] * t.mu[k] * t.Pi[k][j]);
                        sum += k < t.nreal ? part : 2.0 * part;
                    }
                    for (int k = 0; k < t.s; k++) product += t.Ai[i][k] * a.A[first + k][first + j];
                    CHECK_NEAR(sum, t.Ai[i][j], 1e-10);
                    CHECK_NEAR(product, i == j, 1e-13);
                }
            }
        }
    }
    return 0;
}

// Collocation: Ai differentiates t^k on the nodes, less what the slope at the beginning gives.
static int rates_are_those_of_polynomials(void)
{
    for (int f = 0; f < 3; f++) {
        for (int s = families[f].least; s <= families[f].most; s++) {
            collocation_tableau t;
            CHECK(flx_collocation_tableau_make(families[f].family, s, &t));
            for (int k = 1; k <= t.s; k++) {
                for (int i = 0; i < t.s; i++) {
                    double sum = k == 1 ? -t.slope[i] : 0.0;
                    for (int j = 0; j < t.s; j++) sum += t.Ai[i][j] * pow(t.c[j], k);
                    CHECK_NEAR(sum, k * pow(t.c[i], k - 1), 4e-14 * s * s);
                }
            }
        }
    }
    return 0;
}

static int polynomials_pass_through_their_values(void)
{
    for (int f = 0; f < FAMILIES; f++) {
        for (int s = families[f].least; s <= families[f].most; s++) {
            collocation_tableau t;
            double w[COLLOCATION_STAGES + 1], l[COLLOCATION_STAGES];
            CHECK(flx_collocation_tableau_make(families[f].family, s, &t));
            flx_collocation_weights_with_start(&t, 0.3, w);
            flx_collocation_weights_stages(&t, 0.3, l);
            bool at_zero = t.c[0] == 0.0;
            for (int k = 0; k < t.s; k++) {
                double value = k == 0 ? w[0] : 0.0, inner = 0.0;
                for (int i = 0; i < t.s; i++) {
                    value += w[i + 1] * pow(t.c[i], k);
                    inner += l[i] * pow(t.c[i], k);
                }
                if (!at_zero || k > 0) CHECK_NEAR(value, pow(0.3, k), 1e-12);
                CHECK_NEAR(inner, pow(0.3, k), 1e-12);
            }
            // the end of the step is where the polynomials are at 1
            flx_collocation_weights_with_start(&t, 1.0, w);
            for (int i = 0; i < t.s; i++) CHECK_NEAR(w[i + 1], t.d[i], 1e-11);
        }
    }
    return 0;
}

TEST_MAIN(TEST(coefficients_are_those_of_the_books), TEST(other_numbers_of_stages_there_are_not),
          TEST(orders_are_what_they_should_be), TEST(infinity_is_damped_or_not),
          TEST(inverse_and_eigenvectors_belong_to_the_matrix), TEST(rates_are_those_of_polynomials),
          TEST(polynomials_pass_through_their_values))
