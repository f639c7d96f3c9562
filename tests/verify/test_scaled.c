// Inertia neglected in scaled coordinates: as in a model that is written in these, and in the flexible four-bar,
// where the scaled coordinate is nearly the fast motion itself.
#include "case_table.h"
#include "check.h"

#include <math.h>
#include <string.h>

// Two stiff coordinates and a slow one; %s: reduce.
static const char as_given[] =
    "flexion: 1\n"
    "equations:\n"
    "  second_order:\n"
    "    z1: {at: 0, mass: 1e-3, force: \"-300*z1 + 100*z2 - 0.6*z1' + 0.2*z2' + 20*(y - z1)\"}\n"
    "    z2: {at: 0, mass: 2e-3, force: \"100*z1 - 200*z2 + 0.2*z1' - 0.4*z2'\"}\n"
    "    y: {at: 0.1, mass: 1, force: -20*(y - z1) - 5*y}\n"
    "  coupling:\n"
    "    - [z1, z2, 5e-4]\n"
    "reduce: %s\n"
    "simulate: {until: 2, method: %s}\n"
    "outputs: {every: 0.1, signals: [z1, z2, y]}\n";

static const double M[2][2] = {{1e-3, 5e-4}, {5e-4, 2e-3}};
static const double K[2][2] = {{320.0, -100.0}, {-100.0, 200.0}};

// S^-1 of M and K, z = A z^: with K = R^T R, A = R^-1 (R^-T M R^-1)^(-1/4).
static void find_scaling(double A[2][2])
{
    double r11 = sqrt(K[0][0]), r12 = K[0][1] / r11, r22 = sqrt(K[1][1] - r12 * r12);
    const double inverse[2][2] = {{1.0 / r11, -r12 / (r11 * r22)}, {0.0, 1.0 / r22}};
    double m[2][2] = {{0}};
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            for (int k = 0; k < 2; k++) {
                for (int l = 0; l < 2; l++) m[i][j] += inverse[k][i] * M[k][l] * inverse[l][j];
            }
        }
    }
    double angle = 0.5 * atan2(2.0 * m[0][1], m[0][0] - m[1][1]), c = cos(angle), s = sin(angle);
    double w1 = c * c * m[0][0] + 2.0 * c * s * m[0][1] + s * s * m[1][1];
    double w2 = s * s * m[0][0] - 2.0 * c * s * m[0][1] + c * c * m[1][1];
    double p = pow(w1, -0.25), q = pow(w2, -0.25);
    const double root[2][2] = {{c * c * p + s * s * q, c * s * (p - q)},
                               {c * s * (p - q), s * s * p + c * c * q}};
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++)
            A[i][j] = inverse[i][0] * root[0][j] + inverse[i][1] * root[1][j];
    }
}

static int as_in_scaled_coordinates(void)
{
    static char text[4000];
    double A[2][2], mass[2][2] = {{0}};
    find_scaling(A);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            for (int k = 0; k < 2; k++) {
                for (int l = 0; l < 2; l++) mass[i][j] += A[k][i] * M[k][l] * A[l][j];
            }
        }
    }
    snprintf(text, sizeof text,
             "flexion: 1\n"
             "parameters: {A11: %.17g, A12: %.17g, A21: %.17g, A22: %.17g}\n"
             "signals:\n"
             "  z1: A11*a + A12*b\n"
             "  z2: A21*a + A22*b\n"
             "  u1: A11*a' + A12*b'\n"
             "  u2: A21*a' + A22*b'\n"
             "  f1: -300*z1 + 100*z2 - 0.6*u1 + 0.2*u2 + 20*(y - z1)\n"
             "  f2: 100*z1 - 200*z2 + 0.2*u1 - 0.4*u2\n"
             "equations:\n"
             "  second_order:\n"
             "    a: {at: 0, mass: %.17g, force: A11*f1 + A21*f2}\n"
             "    b: {at: 0, mass: %.17g, force: A12*f1 + A22*f2}\n"
             "    y: {at: 0.1, mass: 1, force: -20*(y - z1) - 5*y}\n"
             "  coupling:\n"
             "    - [a, b, %.17g]\n"
             "reduce: {type: quasistatic, neglect_inertia: [a]}\n"
             "simulate: {until: 2, method: radau, rtol: 1e-10, atol: 1e-13}\n"
             "outputs: {every: 0.1, signals: [z1, z2, y]}\n",
             A[0][0], A[0][1], A[1][0], A[1][1], mass[0][0], mass[1][1], mass[0][1]);
    case_table expected = {0};
    CHECK(case_run(text, NULL, &expected, NULL, NULL));
    static const struct {
        const char *method;
        double within;
    } methods[] = {{"radau, rtol: 1e-10, atol: 1e-13", 1e-9},
                   {"gauss, step: 1e-3", 1e-10},
                   {"generalized-alpha, step: 2e-4", 1e-6},
                   {"bdf, rtol: 1e-8, atol: 1e-11", 1e-7}};
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        case_table run = {0};
        double largest = 0.0;
        snprintf(
            text, sizeof text, as_given,
            "{type: quasistatic, neglect_inertia: [z1], scaling: [z1, z2], coordinates: scaled}",
            methods[m].method);
        CHECK(case_run(text, NULL, &run, NULL, NULL));
        CHECK(run.rows == expected.rows && run.columns == expected.columns);
        for (int i = 0; i < run.rows * run.columns; i++)
            largest = fmax(largest, fabs(run.values[i] - expected.values[i]));
        printf("%s: %.1e\n", methods[m].method, largest);
        CHECK(largest <= methods[m].within);
        case_table_clear(&run);
    }
    // another motion than without the inertia of z1 itself
    case_table given = {0};
    snprintf(text, sizeof text, as_given, "{type: quasistatic, neglect_inertia: [z1]}",
             methods[0].method);
    CHECK(case_run(text, NULL, &given, NULL, NULL));
    CHECK(fabs(given.values[given.columns + 2] - expected.values[expected.columns + 2]) > 1e-7);
    case_table_clear(&given);
    case_table_clear(&expected);
    return 0;
}

// Before the stretched position, 0.1 s: a hundredth of the error that z3 leaves.
static int error_of_the_four_bar(void)
{
    static char text[16384];
    static const char given[] = "reduce: {type: quasistatic, neglect_inertia: [z3]}";
    static const char scaled[] = "reduce: {type: quasistatic, neglect_inertia: [z3], "
                                 "scaling: [z1, z2, z3, z4], coordinates: scaled}";
    const char *const blocks[] = {"", given, scaled};
    case_table runs[3] = {{0}};
    double error[3] = {0};
    for (int i = 0; i < 3; i++) {
        const case_change changes[] = {
            {"reduce: {type: quasistatic, neglect_inertia: [z3]}", blocks[i]},
            {"until: 0.5, method: radau, rtol: 1e-7, atol: 1e-9",
             "until: 0.1, method: radau, rtol: 1e-8, atol: 1e-11"}};
        CHECK(case_example(FLX_EXAMPLES "/four_bar_flexible.yaml", 2, changes, text, sizeof text));
        CHECK(case_run(text, NULL, &runs[i], NULL, NULL));
        for (int k = 0; k < runs[i].rows * runs[i].columns; k++)
            error[i] = fmax(error[i], fabs(runs[i].values[k] - runs[0].values[k]));
    }
    printf("z3 %.2e, scaled %.2e\n", error[1], error[2]);
    CHECK(error[2] < 0.1 * error[1]);
    for (int i = 0; i < 3; i++) case_table_clear(&runs[i]);
    return 0;
}

static int refusals(void)
{
    static char text[4000], said[900];
    snprintf(text, sizeof text, as_given,
             "{type: quasistatic, neglect_inertia: [y], scaling: [z1, z2], coordinates: scaled}",
             "radau, rtol: 1e-6");
    CHECK(!case_run_said(text, NULL, said, sizeof said));
    CHECK_TEXT(said, "reduces what `scaling` lists");
    snprintf(text, sizeof text, as_given,
             "{type: quasistatic, neglect_inertia: [z1], scaling: [z1, z2], coordinates: scaled}",
             "dopri5, rtol: 1e-6");
    CHECK(!case_run_said(text, NULL, said, sizeof said));
    CHECK_TEXT(said, "needs explicit accelerations");
    return 0;
}

TEST_MAIN(TEST(as_in_scaled_coordinates), SLOW_TEST(error_of_the_four_bar), TEST(refusals))
