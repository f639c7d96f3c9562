// What reductions save, in calls of the equations, and the error that they leave, in the examples for which
// both were published: the flexible four-bar by formulae of bounded order, the axial beam, the two-mass
// oscillator, the Mobot by Euler's method with error control, its floor over the damping of the ground.
#include "case_table.h"
#include "check.h"

#include <math.h>
#include <string.h>

static char text[16384];

// An example with a change or NULL, and a reduction, a method and outputs of its own; "": none.
static bool run_example(const char *path, const case_change *change, const char *reduce,
                        const char *method, const char *outputs, case_table *run,
                        flx_ledger *ledger)
{
    static char raw[16384];
    if (!case_example(path, change != NULL, change, raw, sizeof raw)) return false;
    char *r = strstr(raw, "\nreduce:"), *s = r ? strstr(r, "\nsimulate: {until: ") : NULL;
    char *o = s ? strstr(s, "\noutputs:") : NULL, *comma = s ? strchr(s, ',') : NULL;
    if (!o || !comma) return false;
    snprintf(text, sizeof text, "%.*s\n%s\n%.*s, method: %s}\n%s\n", (int)(r - raw), raw, reduce,
             (int)(comma - s - 1), s + 1, method, outputs);
    return case_run_ledger(text, NULL, run, ledger);
}

// ---- the flexible four-bar ----------------------------------------------------------------------

static const char four_bar[] = FLX_EXAMPLES "/four_bar_flexible.yaml";
static const char shapes[] = "outputs: {every: 1e-3, signals: [phi1, phi2, phi3, z1, z2, z3, z4]}";

typedef struct cost {
    double calls, error;
} cost;

// At the tolerance 1e-6; of order 5, whose calls are others by a third where the tolerance is by a hundredth, the
// means of tolerances near it.
static bool measure(const char *reduce, int order, const case_table *reference, cost *out)
{
    static const double near[] = {1.0, 0.9, 1.1};
    const int n = order == 5 ? 3 : 1;
    bool good = true;
    *out = (cost){0};
    for (int i = 0; i < n && good; i++) {
        case_table run = {0};
        flx_ledger ledger = {0};
        char method[120];
        snprintf(method, sizeof method,
                 "bdf, formulation: ggl, max_order: %d, rtol: %.2e, atol: 5e-3", order,
                 near[i] * 1e-6);
        good = run_example(four_bar, NULL, reduce, method, shapes, &run, &ledger);
        out->calls += (double)ledger.work.newton_iterations / n;
        out->error += good ? case_table_mean_difference(&run, reference) / n : (double)NAN;
        case_table_clear(&run);
    }
    return good;
}

// Calls of full, cut-off by 3 and reduced are 4.2 : 2.75 : 1 as published, with formulae of order 5 that
// are not A-stable beyond 2: these follow the vibration that is taken away. Errors are a twentieth of the tolerance at
// most, and other first steps move them by half.
// Bounded to order 2 nothing is gained.
static int orders_of_the_four_bar(void)
{
    case_table reference = {0};
    flx_ledger ledger = {0};
    CHECK(run_example(four_bar, NULL, "", "radau, rtol: 1e-8, atol: 1e-10", shapes, &reference,
                      &ledger));
    for (int order = 2; order <= 5; order++) {
        cost full, slowed, reduced;
        CHECK(measure("", order, &reference, &full));
        CHECK(measure("reduce: {type: cutoff, raise_inertia: [z3], factor: 3}", order, &reference,
                      &slowed));
        CHECK(measure("reduce: {type: quasistatic, neglect_inertia: [z3]}", order, &reference,
                      &reduced));
        double a = full.calls / reduced.calls, b = slowed.calls / reduced.calls;
        printf("order <= %d: calls %.0f %.0f %.0f, %.2f : %.2f : 1, errors %.1e %.1e %.1e\n", order,
               full.calls, slowed.calls, reduced.calls, a, b, full.error, slowed.error,
               reduced.error);
        if (order == 2) CHECK(a < 1.8 && b < 1.5);
        if (order == 3 || order == 4) CHECK(a > 4.2 && b > 2.0 && b < a);
        if (order == 5) CHECK(a > 2.5 && b > 2.0);
        if (order > 2) CHECK(reduced.error < 3e-4 && slowed.error < 3e-4);
    }
    case_table_clear(&reference);
    return 0;
}

// ---- the axial beam -----------------------------------------------------------------------------

#define NEAR 41 // tolerances

// The sum of calls with tolerances spread evenly from 1e-9 to 1e-7.
static bool count_calls(const char *reduce, int n, double *calls)
{
    *calls = 0.0;
    for (int i = 0; i < n; i++) {
        case_table run = {0};
        flx_ledger ledger = {0};
        char method[80];
        snprintf(method, sizeof method, "bdf, rtol: %.3e, atol: 1e-9",
                 1e-9 * pow(100.0, i / (n - 1.0)));
        if (!run_example(FLX_EXAMPLES "/axial_beam.yaml", NULL, reduce, method,
                         "outputs: {every: 0.5, signals: [phi]}", &run, &ledger))
            return false;
        *calls += (double)ledger.work.newton_iterations / n;
        case_table_clear(&run);
    }
    return true;
}

// In every code both reduced variants are the cheapest by far, their damping matters little, and the cut-off
// is much cheaper where its damping follows. Calls at one tolerance are chance by a seventh, so that the two reduced ones,
// which are close, are means of 41: 418 and 465, each to 2 per cent.
static int calls_of_the_axial_beam(void)
{
    static const char *const blocks[] = {
        "", "reduce: {type: quasistatic, neglect_inertia: [z]}",
        "reduce: {type: quasistatic, neglect_inertia: [z], mass_damping: alpha}",
        "reduce: {type: cutoff, raise_inertia: [z], factor: 10}",
        "reduce: {type: cutoff, raise_inertia: [z], factor: 10, mass_damping: alpha}"};
    double calls[5] = {0};
    for (int i = 0; i < 5; i++)
        CHECK(count_calls(blocks[i], i == 1 || i == 2 ? NEAR : 5, &calls[i]));
    printf("full %.0f, reduced %.0f, adapted %.0f, cut-off %.0f, adapted %.0f\n", calls[0],
           calls[1], calls[2], calls[3], calls[4]);
    for (int i = 0; i < 5; i++) CHECK(i == 1 || i == 2 || calls[i] > 4.0 * calls[1]);
    CHECK_NEAR(calls[2], calls[1], 0.2 * calls[1]);
    CHECK(calls[4] < 0.5 * calls[3]);
    return 0;
}

// 3147 and 529 calls of LSODA; here bdf.
static int calls_of_two_masses(void)
{
    double calls[2];
    for (int i = 0; i < 2; i++) {
        case_table run = {0};
        flx_ledger ledger = {0};
        CHECK(run_example(FLX_EXAMPLES "/two_mass_reduced.yaml", NULL,
                          i ? "reduce: {type: quasistatic, neglect_inertia: [q1]}" : "",
                          "bdf, rtol: 1.49e-8, atol: 1.49e-8", "outputs: {every: 5, signals: [q2]}",
                          &run, &ledger));
        calls[i] = (double)ledger.work.newton_iterations;
        case_table_clear(&run);
    }
    printf("two masses: %.0f and %.0f\n", calls[0], calls[1]);
    CHECK(calls[0] > 3.0 * calls[1] && calls[0] < 8.0 * calls[1]);
    return 0;
}

// ---- the Mobot ----------------------------------------------------------------------------------

static const char mobot[] = FLX_EXAMPLES "/mobot.yaml";
static const char platform[] =
    "outputs: {every: 0.005, signals: [platform.position, platform.angle]}";
static const char feet[] = "reduce: {type: quasistatic, neglect_inertia: [foot]}";
static const char tight[] = "radau, rtol: 1e-9, atol: 1e-11, initial_step: 1e-6";

// Euler's method, one call a step: the full model is held by stability, 2/lambda with lambda >= 4.36e3 (6.5e3
// steps) for kD = 80, and takes 2 to 3 times the steps of the reduced one at the same error, near 1e-3; for kD =
// 580 10 to 30 times.
static int euler_with_error_control(void)
{
    static const struct {
        const char *damping, *coarse, *fine;
        double held, least, most;
    } kinds[] = {{"kD: 80, kB: 10", "0.1", "0.1", 6540.0, 1.6, 3.5},
                 {"kD: 580, kB: 10", "0.1", "0.1", 4.4e4, 15.0, 35.0}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        case_table reference = {0}, full = {0}, reduced = {0};
        flx_ledger ledger = {0}, of_full = {0}, of_reduced = {0};
        char method[120];
        const case_change damping = {"kD: 80, kB: 10", kinds[i].damping};
        CHECK(run_example(mobot, &damping, "", tight, platform, &reference, &ledger));
        snprintf(method, sizeof method, "euler, rtol: 1e-14, atol: %s, initial_step: 1e-5",
                 kinds[i].coarse);
        CHECK(run_example(mobot, &damping, "", method, platform, &full, &of_full));
        snprintf(method, sizeof method, "euler, rtol: 1e-14, atol: %s, initial_step: 1e-5",
                 kinds[i].fine);
        CHECK(run_example(mobot, &damping, feet, method, platform, &reduced, &of_reduced));
        double a = (double)(of_full.work.steps + of_full.work.rejected);
        double b = (double)(of_reduced.work.steps + of_reduced.work.rejected);
        printf("%s: full %.0f steps, error %.2e; reduced %.0f, error %.2e; %.1f\n",
               kinds[i].damping, a, case_table_mean_difference(&full, &reference), b,
               case_table_mean_difference(&reduced, &reference), a / b);
        CHECK(a > kinds[i].held);
        CHECK(a / b > kinds[i].least && a / b < kinds[i].most);
        CHECK(case_table_mean_difference(&full, &reference) < 2e-3);
        CHECK(case_table_mean_difference(&reduced, &reference) < 2e-3);
        case_table_clear(&reference);
        case_table_clear(&full);
        case_table_clear(&reduced);
    }
    return 0;
}

// Without damping of the legs: mean errors of the platform as computed elsewhere, to their two digits.
static int floor_over_the_damping_of_the_ground(void)
{
    static const struct {
        const char *damping;
        double floor, within;
    } points[] = {{"kD: 0, kB: 1", 9.6e-2, 0.02},   {"kD: 0, kB: 5", 1.9e-2, 0.04},
                  {"kD: 0, kB: 10", 6.7e-3, 0.02},  {"kD: 0, kB: 50", 4.8e-4, 0.03},
                  {"kD: 0, kB: 200", 8.2e-5, 0.03}, {"kD: 0, kB: 1000", 9.4e-5, 0.03}};
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        case_table full = {0}, reduced = {0};
        flx_ledger ledger = {0};
        const case_change damping = {"kD: 80, kB: 10", points[i].damping};
        CHECK(run_example(mobot, &damping, "", tight, platform, &full, &ledger));
        CHECK(run_example(mobot, &damping, feet, tight, platform, &reduced, &ledger));
        double floor = case_table_mean_difference(&full, &reduced);
        printf("%s: %.3g, elsewhere %.2g\n", points[i].damping, floor, points[i].floor);
        CHECK_NEAR(floor, points[i].floor, points[i].within * points[i].floor);
        case_table_clear(&full);
        case_table_clear(&reduced);
    }
    return 0;
}

TEST_MAIN(TEST(orders_of_the_four_bar), TEST(calls_of_the_axial_beam), TEST(calls_of_two_masses),
          TEST(euler_with_error_control), TEST(floor_over_the_damping_of_the_ground))
