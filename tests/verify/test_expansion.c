// The expansion in the inertia neglected: coefficients of the slow manifold of van der Pol's equation, the
// error of a start in the layer as published, how the layer decays, what a corrected start and the layer
// added to the signals make of it, and several scales at once.
#include "case_table.h"
#include "check.h"

#include <math.h>
#include <string.h>

// ---- van der Pol --------------------------------------------------------------------------------

// eps, y(0), y'(0), reduce, until, every, events
static const char van_der_pol[] =
    "flexion: 1\n"
    "parameters: {eps: %.17g}\n"
    "equations:\n"
    "  second_order:\n"
    "    y: {at: %.17g, rate: %.17g, mass: eps, force: \"(1 - y^2)*y' - y\"}\n"
    "%s"
    "simulate: {until: %.17g, method: radau, rtol: 1e-12, atol: 1e-15}\n"
    "outputs: {every: %.17g, signals: [y, y']}\n"
    "%s";

static bool run_oscillator(double eps, double y, double z, const char *reduce, double until,
                           double every, const char *events, case_table *run)
{
    char text[900];
    snprintf(text, sizeof text, van_der_pol, eps, y, z, reduce, until, every, events);
    return case_run(text, NULL, run, NULL, NULL);
}

// Where a motion on the slow manifold passes y = 2: y' there.
static bool find_passage(double eps, double *z)
{
    case_table run = {0};
    bool good = run_oscillator(eps, 2.9, 2.9 / (1.0 - 2.9 * 2.9), "", 10.0, 10.0,
                               "events: {there: {when: y < 2, stop: true}}\n", &run);
    if (good) {
        const double *last = run.values + (run.rows - 1) * run.columns;
        *z = last[2] - (last[1] - 2.0) * (-3.0 * last[2] - last[1]) / (eps * last[2]); // dz/dy
        good = fabs(last[1] - 2.0) < 1e-9;
    }
    case_table_clear(&run);
    return good;
}

// y' = z_0 + z_1 eps + ... with z_0 = -2/3, z_1 = 10/81, z_2 = -292/2187, z_3 = 15266/59049 and not
// 4310/19683 (printed) or -1814/19683 (in circulation), z_4 = -1121308/1594323. y'' follows: eps y'' =
// -3 y' - 2 makes z_k' = -3 z_(k+1), -10/27, 292/729, -15266/19683.
static int coefficients_of_the_slow_manifold(void)
{
    enum { LEVELS = 6 };
    const double exact[] = {-2.0 / 3.0, 10.0 / 81.0, -292.0 / 2187.0, 15266.0 / 59049.0,
                            -1121308.0 / 1594323.0};
    const double within[] = {1e-9, 1e-7, 1e-5, 1e-3, 3e-2};
    double eps[LEVELS], z[LEVELS];
    for (int i = 0; i < LEVELS; i++) {
        eps[i] = 0.04 / (i + 1);
        CHECK(find_passage(eps[i], &z[i]));
    }
    // the polynomial through all of them, by Newton's differences
    double c[LEVELS], poly[LEVELS] = {0};
    memcpy(c, z, sizeof c);
    for (int k = 1; k < LEVELS; k++) {
        for (int i = LEVELS - 1; i >= k; i--) c[i] = (c[i] - c[i - 1]) / (eps[i] - eps[i - k]);
    }
    for (int k = LEVELS - 1; k >= 0; k--) { // poly <- poly (x - eps_k) + c_k
        for (int i = LEVELS - 1; i > 0; i--) poly[i] = poly[i - 1] - eps[k] * poly[i];
        poly[0] = -eps[k] * poly[0] + c[k];
    }
    for (size_t k = 0; k < sizeof exact / sizeof exact[0]; k++) {
        printf("z%zu = %.8f, exact %.8f\n", k, poly[k], exact[k]);
        CHECK_NEAR(poly[k], exact[k], within[k]);
    }
    return 0;
}

static double value_at(const case_table *run, const char *name, double t)
{
    double x = (double)NAN;
    return case_table_value(run, name, t, &x) ? x : (double)NAN;
}

static const char plain[] = "reduce: {type: quasistatic, neglect_inertia: [y]}\n";
static const char composite[] =
    "reduce: {type: quasistatic, neglect_inertia: [y], initial: corrected, layer: true}\n";

// From z(0) = -2/3 + 1/2: |y - y0|/eps and |z - z0|/eps at t = 0.5 as published. A corrected start leaves
// what a start on the slow manifold leaves.
static int a_start_in_the_layer(void)
{
    static const double eps[] = {1e-2, 1e-3, 1e-4};
    static const double of_y[] = {0.4597, 0.4696, 0.4706}, of_z[] = {1.581, 1.668, 1.678};
    for (size_t i = 0; i < sizeof eps / sizeof eps[0]; i++) {
        double e = eps[i], smooth = -2.0 / 3.0 + 10.0 / 81.0 * e - 292.0 / 2187.0 * e * e;
        case_table full = {0}, slow = {0}, reduced = {0}, corrected = {0};
        CHECK(run_oscillator(e, 2.0, -2.0 / 3.0 + 0.5, "", 0.5, 0.1, "", &full));
        CHECK(run_oscillator(e, 2.0, smooth, "", 0.5, 0.1, "", &slow));
        CHECK(run_oscillator(e, 2.0, -2.0 / 3.0 + 0.5, plain, 0.5, 0.1, "", &reduced));
        CHECK(run_oscillator(e, 2.0, -2.0 / 3.0 + 0.5, composite, 0.5, 0.1, "", &corrected));
        double y0 = value_at(&reduced, "y", 0.5), z0 = value_at(&reduced, "y'", 0.5);
        CHECK_NEAR(fabs(value_at(&full, "y", 0.5) - y0) / e, of_y[i], 1e-4);
        CHECK_NEAR(fabs(value_at(&full, "y'", 0.5) - z0) / e, of_z[i], 1e-3);
        double left = (value_at(&full, "y", 0.5) - value_at(&corrected, "y", 0.5)) / e;
        double least = (value_at(&slow, "y", 0.5) - y0) / e;
        printf("eps %g: error/eps %.4f, corrected %.4f, without a layer %.4f\n", e,
               (value_at(&full, "y", 0.5) - y0) / e, left, least);
        CHECK_NEAR(left, least, 0.5 * e);
        // at the start the layer has it all
        CHECK_NEAR(value_at(&corrected, "y", 0.0), 2.0, 1e-12);
        CHECK_NEAR(value_at(&corrected, "y'", 0.0), -2.0 / 3.0 + 0.5, 2.0 * e);
        case_table_clear(&full);
        case_table_clear(&slow);
        case_table_clear(&reduced);
        case_table_clear(&corrected);
    }
    return 0;
}

// ---- decay --------------------------------------------------------------------------------------

// The slope of log |y' - y0'| over t, from 0.2 to 2 eps: -(y^2 - 1)/eps = -3/eps up to O(eps).
static int the_layer_decays_exponentially(void)
{
    static const double eps[] = {1e-2, 1e-3};
    for (size_t i = 0; i < sizeof eps / sizeof eps[0]; i++) {
        double e = eps[i], sx = 0, sy = 0, sxx = 0, sxy = 0, last = HUGE_VAL;
        int n = 0;
        case_table full = {0}, smooth = {0};
        double slow = -2.0 / 3.0 + 10.0 / 81.0 * e - 292.0 / 2187.0 * e * e;
        CHECK(run_oscillator(e, 2.0, slow + 0.5, "", 2.0 * e, 0.2 * e, "", &full));
        CHECK(run_oscillator(e, 2.0, slow, "", 2.0 * e, 0.2 * e, "", &smooth));
        for (int k = 1; k < full.rows; k++) {
            double t = full.values[k * full.columns];
            double layer =
                fabs(full.values[k * full.columns + 2] - smooth.values[k * smooth.columns + 2]);
            CHECK(layer < last);
            CHECK(layer <= 0.5 * exp(-2.9 * t / e) + e); // |zeta_0| <= exp(-beta t/eps) |zeta_0(0)|
            last = layer;
            double x = t / e, y = log(layer);
            n++, sx += x, sy += y, sxx += x * x, sxy += x * y;
        }
        double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
        printf("eps %g: the layer decays with %.4f/eps\n", e, -slope);
        CHECK_NEAR(slope, -3.0, 60.0 * e);
        case_table_clear(&full);
        case_table_clear(&smooth);
    }
    return 0;
}

// y' = y - 1 + z, eps z' = -z: y = 1 + eps/(1 + eps) (e^t - e^(-t/eps)). The corrected start makes the error
// eps^2 e^t, and the layer is the whole of q and q'.
static int a_corrected_start_is_of_second_order(void)
{
    double worst[2];
    for (int i = 0; i < 2; i++) {
        static char text[4096];
        const double e = i == 0 ? 0.02 : 0.01;
        const case_change changes[] = {
            {"neglect_inertia: [q]", "neglect_inertia: [q], initial: corrected, layer: true"}};
        case_table run = {0};
        CHECK(case_example(FLX_EXAMPLES "/growing_error.yaml", 1, changes, text, sizeof text));
        CHECK(case_run(text, i == 0 ? "eps=0.02" : "eps=0.01", &run, NULL, NULL));
        worst[i] = 0.0;
        for (int k = 0; k < run.rows; k++) {
            const double *row = run.values + k * run.columns;
            double t = row[0], decay = exp(-t / e);
            worst[i] = fmax(worst[i], fabs(row[1] - 1.0 - e / (1.0 + e) * (exp(t) - decay)));
            CHECK_NEAR(row[2], e * (1.0 - decay), 1e-9);
            CHECK_NEAR(row[3], decay, 1e-9);
        }
        CHECK_NEAR(worst[i], (e - e / (1.0 + e)) * exp(3.0), 1e-6);
        case_table_clear(&run);
    }
    printf("slope of the error %.4f\n", log2(worst[0] / worst[1]));
    CHECK_NEAR(log2(worst[0] / worst[1]), 2.0, 0.02);
    return 0;
}

// The light mass of the two-mass oscillator, thrown with 30 m/s: a vibration. q2 is 0.03 wrong without, and
// with the layer q1 is right from the start on.
static int a_thrown_mass(void)
{
    static char text[4096];
    static const char corrected[] =
        "reduce: {type: quasistatic, neglect_inertia: [q1], initial: corrected, layer: true}";
    const char *const blocks[] = {"", "reduce: {type: quasistatic, neglect_inertia: [q1]}",
                                  corrected};
    case_table runs[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        const case_change changes[] = {
            {"q1: {at: 0,", "q1: {at: 0, rate: 30,"},
            {"reduce: {type: quasistatic, neglect_inertia: [q1]}", blocks[i]}};
        CHECK(case_example(FLX_EXAMPLES "/two_mass_reduced.yaml", 2, changes, text, sizeof text));
        CHECK(case_run(text, NULL, &runs[i], NULL, NULL));
    }
    double worst[3][2] = {{0}};
    for (int i = 1; i < 3; i++) {
        for (int k = 0; k < runs[0].rows; k++) {
            const double *a = runs[0].values + k * runs[0].columns;
            const double *b = runs[i].values + k * runs[i].columns;
            worst[i][0] = fmax(worst[i][0], fabs(a[1] - b[1]));
            worst[i][1] = fmax(worst[i][1], fabs(a[2] - b[2]));
        }
    }
    printf("q1 %.2g, q2 %.2g; corrected and with the layer q1 %.2g, q2 %.2g\n", worst[1][0],
           worst[1][1], worst[2][0], worst[2][1]);
    CHECK(worst[1][1] > 0.03 && worst[2][1] < 1e-3);
    CHECK(worst[2][0] < 2e-3);
    for (int i = 0; i < 3; i++) case_table_clear(&runs[i]);
    return 0;
}

// ---- several scales -----------------------------------------------------------------------------

// x' = -x + y + z, eps y' = y - 2 z + x, eps^2 z' = y - z + sin x from (1, 0.3, -0.4): y alone would grow,
// its Schur complement decays. Errors over eps at t = 1 as recomputed elsewhere.
static int scales_of_two_powers(void)
{
    static const char model[] =
        "flexion: 1\n"
        "parameters: {eps: %g}\n"
        "equations:\n"
        "  second_order:\n"
        "    u: {at: 0, rate: 0.3, mass: eps, force: \"u' - 2*w' + x\"}\n"
        "    w: {at: 0, rate: -0.4, mass: eps^2, force: \"u' - w' + sin(x)\"}\n"
        "  first_order:\n"
        "    x: {at: 1, derivative: \"-x + u' + w'\"}\n"
        "%s"
        "simulate: {until: 1, method: radau, rtol: 1e-11, atol: 1e-13}\n"
        "outputs: {every: 1, signals: [x, u', w']}\n";
    static const double eps[] = {0.04, 0.02, 0.01, 0.005};
    static const double expected[][3] = {{0.0518, 0.300, 0.352},
                                         {0.0530, 0.272, 0.325},
                                         {0.0535, 0.260, 0.313},
                                         {0.0537, 0.254, 0.307}};
    static const char *const names[] = {"x", "u'", "w'"};
    for (size_t i = 0; i < sizeof eps / sizeof eps[0]; i++) {
        char text[900];
        case_table full = {0}, reduced = {0};
        snprintf(text, sizeof text, model, eps[i], "");
        CHECK(case_run(text, NULL, &full, NULL, NULL));
        snprintf(text, sizeof text, model, eps[i],
                 "reduce: [{type: quasistatic, neglect_inertia: [u]}, {type: quasistatic, "
                 "neglect_inertia: "
                 "[w]}]\n");
        CHECK(case_run(text, NULL, &reduced, NULL, NULL));
        for (int k = 0; k < 3; k++) {
            double d = value_at(&full, names[k], 1.0) - value_at(&reduced, names[k], 1.0);
            CHECK_NEAR(fabs(d) / eps[i], expected[i][k], k == 0 ? 6e-5 : 6e-4);
        }
        case_table_clear(&full);
        case_table_clear(&reduced);
    }
    return 0;
}

// Both kinds at once: x1 without inertia, x2 slowed down to 20 rad/s, which is what 0.25 kg do.
static int both_reductions_combined(void)
{
    static const char model[] =
        "flexion: 1\n"
        "equations:\n"
        "  second_order:\n"
        "    x1: {at: 0, mass: 1e-3, force: \"100*(x2 - x1) - 100*x1 - 0.5*x1'\"}\n"
        "    x2: {at: 0, mass: %s, force: \"-100*(x2 - x1) + 10*(x3 - x2) + 10*sin(t)\"}\n"
        "    x3: {at: 0, mass: 1, force: \"-10*(x3 - x2)\"}\n"
        "reduce: %s\n"
        "simulate: {until: 2, method: radau, rtol: 1e-11, atol: 1e-13}\n"
        "outputs: {every: 0.25, signals: [x1, x2, x3]}\n";
    static const char *const names[] = {"x1", "x2", "x3"};
    char text[900];
    case_table both = {0}, one = {0};
    snprintf(text, sizeof text, model, "0.01",
             "[{type: quasistatic, neglect_inertia: [x1]}, {type: cutoff, raise_inertia: [x2], "
             "frequency: "
             "20/(2*pi)}]");
    CHECK(case_run(text, NULL, &both, NULL, NULL));
    snprintf(text, sizeof text, model, "110/400", "{type: quasistatic, neglect_inertia: [x1]}");
    CHECK(case_run(text, NULL, &one, NULL, NULL));
    for (int i = 0; i < both.rows; i++) {
        for (int k = 0; k < 3; k++) {
            double t = both.values[i * both.columns];
            CHECK_NEAR(value_at(&both, names[k], t), value_at(&one, names[k], t), 1e-10);
        }
    }
    case_table_clear(&both);
    case_table_clear(&one);
    return 0;
}

TEST_MAIN(TEST(coefficients_of_the_slow_manifold), TEST(a_start_in_the_layer),
          TEST(the_layer_decays_exponentially), TEST(a_corrected_start_is_of_second_order),
          TEST(a_thrown_mass), TEST(scales_of_two_powers), TEST(both_reductions_combined))
