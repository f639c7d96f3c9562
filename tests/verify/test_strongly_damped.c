// Strongly damped motion, M v' = f - D v / eps, on a sleigh with viscous lateral friction
// (examples/sleigh.yaml): errors O(h^(2s-1)) + O(eps h^s) of Radau IIA from starts on the slow motion,
// whatever eps is; what Gauss and Lobatto lose there; what happens to a slip that is not slow. The
// numbers expected were computed with another program in the first-order form of the equations.
#include "case_table.h"
#include "check.h"

#include <float.h>

#include <stdlib.h>

#define LEVELS 5

static const int steps[LEVELS] = {10, 20, 40, 80, 160};

// Slow starts: n.v at t = 0 for each eps. The last two from the slip over eps in the limit.
static const double slow[8][2] = {{1e-2, -9.515481664335468e-03}, {1e-3, -9.525496701883185e-04},
                                  {1e-4, -9.526153442718233e-05}, {1e-5, -9.526215784649850e-06},
                                  {1e-6, -9.526221986244643e-07}, {1e-8, -9.526222588540634e-09},
                                  {1e-10, -9.526222594e-11},      {1e-12, -9.526222594e-13}};

static bool read_model(char *text, size_t size)
{
    FILE *f = fopen(FLX_EXAMPLES "/sleigh.yaml", "r");
    if (!f) return false;
    size_t n = fread(text, 1, size - 1, f);
    fclose(f);
    text[n] = '\0';
    return n > 0 && n < size - 1;
}

// The example up to its `simulate`, with other values of eps and slip: outputs x y th x' y' th' at
// t = 0, every, ... 1.
static bool run(double eps, double slip, const char *method, double every, case_table *table)
{
    char model[4096], text[8192];
    if (!read_model(model, sizeof model)) return false;
    char *parameters = strstr(model, "  m: 1"), *simulate = strstr(model, "simulate:");
    char *begin = strstr(model, "  eps:");
    if (!parameters || !simulate || !begin) return false;
    *begin = *simulate = '\0';
    snprintf(text, sizeof text,
             "%s  eps: %.17g\n  slip: %.17g\n%ssimulate: {until: 1, method: %s}\n"
             "outputs: {every: %.17g, signals: [x, y, th, x', y', th']}\n",
             model, eps, slip, parameters, method, every);
    return case_run(text, NULL, table, NULL, NULL) && table->columns == 7;
}

static bool run_fixed(double eps, double slip, const char *method, int n, double every,
                      case_table *table)
{
    char text[200];
    snprintf(text, sizeof text, "%s, step: %.17g", method, 1.0 / n);
    return run(eps, slip, text, every, table);
}

// Euclidean norm of the difference of velocities in row i.
static double distance(const case_table *a, const case_table *b, int i)
{
    double sum = 0.0;
    for (int j = 4; j < 7; j++) {
        double d = a->values[i * 7 + j] - b->values[i * 7 + j];
        sum += d * d;
    }
    return sqrt(sum);
}

// Largest error of velocities at t = 0.1, 0.2, ..., 1 for each number of steps.
static bool errors(int start, const char *method, double e[LEVELS])
{
    case_table reference = {0};
    bool ok = run_fixed(slow[start][0], slow[start][1], "radau, stages: 7", 100, 0.1, &reference);
    for (int l = 0; l < LEVELS && ok; l++) {
        case_table table = {0};
        ok = run_fixed(slow[start][0], slow[start][1], method, steps[l], 0.1, &table) &&
             table.rows == reference.rows;
        e[l] = 0.0;
        for (int i = 0; i < table.rows && ok; i++)
            e[l] = fmax(e[l], distance(&table, &reference, i));
        case_table_clear(&table);
    }
    case_table_clear(&reference);
    printf("    eps %.0e, %s:", slow[start][0], method);
    for (int l = 0; l < LEVELS && ok; l++) printf(" %.2e", e[l]);
    printf("\n");
    return ok;
}

// To two digits and the rounding of velocities, that of positions over the step; zero is not
// compared, nor what rounding hides.
static int compare(int start, const char *method, const double expected[LEVELS])
{
    double e[LEVELS];
    CHECK(errors(start, method, e));
    for (int l = 0; l < LEVELS; l++) {
        // beside the digits that are given, three roundings a step of velocities of size 1
        double tolerance = 0.02 * expected[l] + 3.0 * DBL_EPSILON * steps[l];
        if (expected[l] > 1e-12) CHECK_NEAR(e[l], expected[l], tolerance);
    }
    return 0;
}

// ---- starts on the slow motion ----------------------------------------------------------------

// Radau IIA with 1, 2, 3 stages, a row an eps.
static int radau_has_the_orders_of_the_theory(void)
{
    const double expected[3][6][LEVELS] = {
        {{1.204e-01, 6.246e-02, 3.182e-02, 1.606e-02, 0.0},
         {1.199e-01, 6.217e-02, 3.167e-02, 1.598e-02, 8.028e-03},
         {1.198e-01, 6.214e-02, 3.165e-02, 1.597e-02, 8.025e-03},
         {1.198e-01, 6.214e-02, 3.165e-02, 1.597e-02, 8.024e-03},
         {1.198e-01, 6.214e-02, 3.165e-02, 1.597e-02, 8.024e-03},
         {1.198e-01, 6.214e-02, 3.165e-02, 1.597e-02, 8.024e-03}},
        {{1.082e-04, 1.843e-05, 3.212e-06, 4.988e-07, 0.0},
         {5.402e-05, 6.838e-06, 8.604e-07, 1.484e-07, 3.020e-08},
         {5.393e-05, 6.823e-06, 8.579e-07, 1.076e-07, 1.347e-08},
         {5.392e-05, 6.821e-06, 8.576e-07, 1.075e-07, 1.346e-08},
         {5.391e-05, 6.821e-06, 8.576e-07, 1.075e-07, 1.346e-08},
         {5.391e-05, 6.821e-06, 8.576e-07, 1.075e-07, 1.346e-08}},
        {{2.466e-06, 1.876e-07, 1.012e-08, 4.178e-10, 0.0},
         {3.877e-07, 4.554e-08, 5.154e-09, 5.269e-10, 4.365e-11},
         {6.829e-08, 5.199e-09, 6.042e-10, 7.343e-11, 8.883e-12},
         {6.057e-08, 1.913e-09, 7.865e-11, 7.770e-12, 0.0},
         {6.042e-08, 1.883e-09, 5.889e-11, 1.888e-12, 0.0},
         {6.040e-08, 1.882e-09, 5.867e-11, 1.832e-12, 0.0}}};
    for (int s = 1; s <= 3; s++) {
        char method[40];
        snprintf(method, sizeof method, "radau, stages: %d", s);
        for (int k = 0; k < 6; k++) {
            if (compare(k, method, expected[s - 1][k])) return 1;
        }
    }
    return 0;
}

// err <= C (h^(2s-1) + eps h^s) with one C for all eps from 1e-2 to 1e-12 and all h >= eps.
static int errors_are_uniform(void)
{
    const double most[4] = {0.0, 1.4, 0.16, 0.3};
    for (int s = 1; s <= 3; s++) {
        char method[40];
        double worst = 0.0;
        snprintf(method, sizeof method, "radau, stages: %d", s);
        for (int k = 0; k < 8; k++) {
            double e[LEVELS];
            CHECK(errors(k, method, e));
            for (int l = 0; l < LEVELS; l++) {
                double h = 1.0 / steps[l];
                // what the iteration leaves of velocities, step by step
                double rounding = 3e-14 * steps[l];
                if (slow[k][0] > h || e[l] < rounding) continue;
                worst = fmax(worst, e[l] / (pow(h, 2 * s - 1) + slow[k][0] * pow(h, s)));
            }
        }
        printf("    %d stages: C = %.3g\n", s, worst);
        CHECK(worst < most[s]);
    }
    return 0;
}

// Gauss loses order: 2, 2, 4 for 1, 2, 3 stages, where 2, 4, 6 are its orders without damping.
static int gauss_loses_order(void)
{
    const double expected[3][LEVELS] = {{7.780e-03, 1.952e-03, 4.877e-04, 1.212e-04, 2.956e-05},
                                        {1.791e-03, 4.474e-04, 1.113e-04, 2.724e-05, 6.297e-06},
                                        {8.517e-06, 1.455e-07, 9.259e-09, 5.909e-10, 3.942e-11}};
    for (int s = 1; s <= 3; s++) {
        char method[40];
        snprintf(method, sizeof method, "gauss, stages: %d", s);
        if (compare(4, method, expected[s - 1])) return 1;
    }
    return 0;
}

static int lobatto_on_smooth_starts(void)
{
    const double expected[4][LEVELS] = {{2.890e-03, 7.196e-04, 1.802e-04, 4.506e-05, 1.127e-05},
                                        {1.596e-06, 9.908e-08, 6.173e-09, 3.845e-10, 0.0},
                                        {4.872e-03, 1.241e-03, 3.133e-04, 7.873e-05, 1.973e-05},
                                        {1.942e-06, 1.233e-07, 7.759e-09, 4.847e-10, 4.056e-11}};
    for (int k = 0; k < 4; k++) {
        char method[60];
        snprintf(method, sizeof method, "lobatto, family: %s, stages: %d", k < 2 ? "IIIA" : "IIIC",
                 k % 2 ? 3 : 2);
        if (compare(4, method, expected[k])) return 1;
    }
    return 0;
}

// ---- a slip of 0.05 at the start, eps = 1e-6 -----------------------------------------------------

// Errors of velocities at t = 1; infinite where a step failed.
static bool end_errors(const char *method, double e[4])
{
    for (int l = 0; l < 4; l++) e[l] = HUGE_VAL;
    case_table reference = {0};
    bool ok = run(1e-6, 0.05, "radau, stages: 7, rtol: 1e-12, atol: 1e-13", 1.0, &reference);
    for (int l = 0; l < 4 && ok; l++) {
        case_table table = {0};
        bool ran = run_fixed(1e-6, 0.05, method, steps[l + 1], 1.0, &table) && table.rows == 2;
        e[l] = ran ? distance(&table, &reference, 1) : HUGE_VAL;
        case_table_clear(&table);
    }
    case_table_clear(&reference);
    printf("    slip 0.05, %s: %.2e %.2e %.2e %.2e\n", method, e[0], e[1], e[2], e[3]);
    return ok;
}

static int radau_forgets_a_slip(void)
{
    const double expected[2][4] = {{1.226e-05, 3.106e-06, 7.959e-07, 2.023e-07},
                                   {7.145e-07, 9.010e-08, 1.158e-08, 1.744e-09}};
    for (int k = 0; k < 2; k++) {
        double e[4];
        CHECK(end_errors(k ? "radau, stages: 3" : "radau, stages: 2", e));
        for (int l = 0; l < 4; l++) CHECK_REL(e[l], expected[k][l], 0.02);
    }
    return 0;
}

// The error does not depend on the step.
static int gauss_never_does(void)
{
    const double expected[3][4] = {{6.040e-02, 5.876e-02, 5.776e-02, 5.526e-02},
                                   {5.877e-02, 5.796e-02, 5.605e-02, 4.929e-02},
                                   {5.816e-02, 5.723e-02, 5.368e-02, 4.154e-02}};
    for (int s = 1; s <= 3; s++) {
        char method[40];
        double e[4];
        snprintf(method, sizeof method, "gauss, stages: %d", s);
        CHECK(end_errors(method, e));
        for (int l = 0; l < 4; l++) CHECK_REL(e[l], expected[s - 1][l], 0.02);
    }
    return 0;
}

// Its first stage carries the acceleration slip / eps: larger than everything else, or no solution.
static int lobatto_iiia_fails(void)
{
    double e[4];
    CHECK(end_errors("lobatto, family: IIIA, stages: 2", e));
    for (int l = 0; l < 4; l++) CHECK(!(e[l] < 0.5));
    CHECK_REL(e[3], 9.117e-01, 0.02);
    CHECK(end_errors("lobatto, family: IIIA, stages: 3", e));
    for (int l = 0; l < 4; l++) CHECK(!(e[l] < 0.1));
    CHECK_REL(e[2], 5.421e-01, 0.02);
    CHECK_REL(e[3], 1.318e-01, 0.02);
    return 0;
}

// What is left of the slip after 1, 2, 3 steps of 0.05: next to nothing, or all of it.
static int slip_dies_within_a_step_or_never(void)
{
    const char *const methods[2] = {"radau, stages: 3", "gauss, stages: 2"};
    case_table slow_motion = {0};
    CHECK(run(1e-6, slow[4][1], "radau, stages: 7, rtol: 1e-12, atol: 1e-13", 0.05, &slow_motion));
    for (int k = 0; k < 2; k++) {
        case_table table = {0};
        double left[4];
        CHECK(run_fixed(1e-6, 0.05, methods[k], 20, 0.05, &table));
        for (int i = 0; i < 4; i++) {
            double slip[2];
            for (int m = 0; m < 2; m++) {
                const double *v = (m ? &slow_motion : &table)->values + (size_t)i * 7;
                slip[m] = cos(v[3]) * v[5] - sin(v[3]) * v[4];
            }
            left[i] = fabs(slip[0] - slip[1]);
        }
        printf("    %s: %.2e %.2e %.2e %.2e\n", methods[k], left[0], left[1], left[2], left[3]);
        case_table_clear(&table);
        CHECK_NEAR(left[0], 0.05, 1e-5);
        // the slow slips of the two motions differ by a few per cent of eps
        if (k == 0) CHECK(left[1] < 4e-6 && left[2] < 5e-8 && left[3] < 5e-8);
        if (k == 1) CHECK(left[1] > 0.04 && left[2] > 0.04 && left[3] > 0.04);
    }
    case_table_clear(&slow_motion);
    return 0;
}

TEST_MAIN(SLOW_TEST(radau_has_the_orders_of_the_theory), SLOW_TEST(errors_are_uniform),
          TEST(gauss_loses_order), TEST(lobatto_on_smooth_starts), TEST(radau_forgets_a_slip),
          TEST(gauss_never_does), TEST(lobatto_iiia_fails), TEST(slip_dies_within_a_step_or_never))
