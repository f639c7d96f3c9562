// What `neglect_inertia: auto` finds and what a certificate says, on the examples of the theory: rates in
// closed form, errors met by the full model, a bound that must be refused, a reduction given up.
#include "case_table.h"
#include "check.h"
#include "flexion/flexion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char text[16384];

// The text of a file with one piece exchanged.
static const char *read_model(const char *path, const char *from, const char *to)
{
    static char raw[8192];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(raw, 1, sizeof raw - 1, f) : 0;
    if (f) fclose(f);
    raw[n] = '\0';
    const char *at = from ? strstr(raw, from) : NULL;
    if (n == 0 || (from && !at)) return NULL;
    if (!from) return raw;
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - raw), raw, to, at + strlen(from));
    return text;
}

typedef struct judged {
    flx_ctx *ctx;
    flx_model *model;
    flx_certificate *c;
    const flx_certificate_numbers *n;
} judged;

static bool certify(const char *model, const char *setting, double window, judged *j)
{
    const flx_certificate_def def = {.window = window};
    *j = (judged){.ctx = flx_ctx_create()};
    flx_status status = model ? flx_model_read_text(j->ctx, "model.yaml", model, strlen(model),
                                                    setting != NULL, &setting, &j->model)
                              : FLX_ERR_ARGUMENT;
    if (status == FLX_OK) status = flx_certificate_create(j->model, &def, &j->c);
    for (int i = 0; i < flx_ctx_error_count(j->ctx); i++)
        printf("%s\n", flx_ctx_error(j->ctx, i)->text);
    if (status == FLX_OK) j->n = flx_certificate_get_numbers(j->c);
    return status == FLX_OK;
}

static void forget(judged *j)
{
    flx_certificate_destroy(&j->c);
    flx_model_destroy(&j->model);
    flx_ctx_destroy(&j->ctx);
}

static flx_verdict verdict_of(const judged *j, const char *name)
{
    const flx_condition *k;
    for (int i = 0; (k = flx_certificate_condition(j->c, i)) != NULL; i++) {
        if (strcmp(k->name, name) == 0) return k->verdict;
    }
    return FLX_VERDICT_UNDECIDED;
}

static bool reduces_only(const judged *j, const char *name)
{
    const char *first = flx_certificate_reduced(j->c, 0);
    return first && strcmp(first, name) == 0 && !flx_certificate_reduced(j->c, 1);
}

#define TWO_MASS FLX_EXAMPLES "/two_mass_reduced.yaml"

// The layer of the whole is at -4.0050062 +- 63.158263 i, the rest at -0.00499375 +- 2.2346644 i. The
// largest error of q2 in 5 s is 5.574e-4.
static int two_masses(void)
{
    judged j;
    CHECK(certify(read_model(TWO_MASS, "[q1]", "auto"), NULL, 0.0, &j));
    CHECK(reduces_only(&j, "q1"));
    CHECK(flx_certificate_verdict(j.c) == FLX_VERDICT_MET);
    CHECK_NEAR(j.n->decay, 4.0050062, 1e-6);
    CHECK_NEAR(j.n->next, hypot(0.00499375, 2.2346644), 1e-6);
    CHECK_NEAR(j.n->fast, sqrt(20.0 / 0.005), 1e-6); // the mass alone between its springs
    CHECK(fabs(j.n->norm) < 1e-9);                   // of energies: a vibration
    CHECK_NEAR(j.n->weighted, -4.0, 1e-9);           // d/(2 eps)
    CHECK_NEAR(j.n->met.largest, 5.574e-4, 1e-7);
    CHECK_NEAR(j.n->expected.largest, j.n->met.largest, 0.01 * j.n->met.largest);
    CHECK(strcmp(j.n->met.item, "q2") == 0 && strcmp(j.n->expected.item, "q2") == 0);
    CHECK(verdict_of(&j, "first-order term") == FLX_VERDICT_MET);
    forget(&j);
    return 0;
}

// Both errors fall with eps, and the first-order term is linear in it.
static int first_order_term_is_linear(void)
{
    double expected[3], met[3];
    static const char *const settings[] = {"eps=0.004", "eps=0.002", "eps=0.001"};
    for (int i = 0; i < 3; i++) {
        judged j;
        CHECK(certify(read_model(TWO_MASS, NULL, NULL), settings[i], 0.0, &j));
        expected[i] = j.n->expected.largest;
        met[i] = j.n->met.largest;
        forget(&j);
    }
    printf("slopes %.4f %.4f of the term, %.4f %.4f of the error\n",
           log2(expected[0] / expected[1]), log2(expected[1] / expected[2]), log2(met[0] / met[1]),
           log2(met[1] / met[2]));
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(log2(expected[i] / expected[i + 1]), 1.0, 0.01);
        CHECK_NEAR(log2(met[i] / met[i + 1]), 1.0, 0.03);
    }
    return 0;
}

// The feet, whatever the damping of the legs; the norm of the strongly damped ones is that of their
// damping, of the others d/(2 m).
static int feet_of_the_mobot(void)
{
    static const char *const settings[] = {"kD=80", "kD=580", "kD=0"};
    for (int i = 0; i < 3; i++) {
        judged j;
        CHECK(certify(read_model(FLX_EXAMPLES "/mobot.yaml", NULL, NULL), settings[i], 1.2, &j));
        CHECK(strcmp(flx_certificate_reduced(j.c, 0), "foot(1)") == 0);
        CHECK(strcmp(flx_certificate_reduced(j.c, 1), "foot(2)") == 0);
        CHECK(!flx_certificate_reduced(j.c, 2));
        CHECK(flx_certificate_verdict(j.c) == FLX_VERDICT_MET);
        if (i < 2) {
            CHECK(j.n->norm <= -10.0 / 0.02); // kB/mN
            CHECK(j.n->decay > 4000.0);
            CHECK(verdict_of(&j, "first-order term") == FLX_VERDICT_MET);
        } else {
            CHECK(fabs(j.n->norm) < 1e-6 * j.n->fast);
            CHECK_NEAR(j.n->weighted, -250.0, 1e-6);
        }
        forget(&j);
    }
    return 0;
}

// J = {6}: the third shape of the coupler, although three others and the angles are there; with constraints.
static int third_shape_of_the_four_bar(void)
{
    judged j;
    const char *model = read_model(FLX_EXAMPLES "/four_bar_flexible.yaml", "[z3]", "auto");
    CHECK(certify(model, NULL, 0.03, &j));
    CHECK(reduces_only(&j, "z3"));
    CHECK(flx_certificate_verdict(j.c) == FLX_VERDICT_MET);
    CHECK(j.n->gap > 2.85 && j.n->gap < 9.5);
    CHECK(j.n->rank > 0.1);
    CHECK(j.n->weighted < -200.0 && j.n->weighted > -300.0); // D omega = 277
    CHECK_NEAR(j.n->expected.largest, j.n->met.largest, 0.1 * j.n->met.largest);
    forget(&j);
    return 0;
}

// The scaled matrix of masses and constraints: eigenvalues 1.92334e-5 and 1.80700e-4 at the start, the first one's
// vector 0.0618 from z3, 2.85 to 9.48 times apart on the way.
static int scaled_matrix_of_the_four_bar(void)
{
    judged j;
    const char *model = read_model(FLX_EXAMPLES "/four_bar_flexible.yaml", "[z3]",
                                   "auto, scaling: [z1, z2, z3, z4]");
    CHECK(certify(model, NULL, 0.01, &j));
    CHECK(reduces_only(&j, "z3"));
    CHECK(verdict_of(&j, "scaled matrix") == FLX_VERDICT_MET);
    CHECK_NEAR(j.n->scaled_first, 1.92334e-5, 1e-10);
    CHECK_NEAR(j.n->scaled_second, 1.80700e-4, 1e-9);
    CHECK_NEAR(j.n->scaled_distance, 0.0618, 5e-5);
    CHECK(j.n->scaled_narrowest > 2.8 && j.n->scaled_narrowest < 3.0);
    CHECK(j.n->scaled_widest > 9.3 && j.n->scaled_widest < 9.5);
    forget(&j);
    model = read_model(FLX_EXAMPLES "/four_bar_flexible.yaml", "[z3]", "auto, scaling: [phi3]");
    CHECK(!certify(model, NULL, 0.01, &j));
    CHECK_TEXT(flx_ctx_error(j.ctx, 0)->text, "are not stiff");
    forget(&j);
    return 0;
}

static int axial_mode_of_the_beam(void)
{
    judged j;
    CHECK(certify(read_model(FLX_EXAMPLES "/axial_beam.yaml", NULL, NULL), NULL, 0.2, &j));
    CHECK(reduces_only(&j, "z"));
    // D omega/2 (1 + 1): alpha Me + beta K = 2 D omega Me, and the coupling to phi is tiny
    CHECK_NEAR(j.n->decay, 0.05 * 8728.7156, 0.01);
    CHECK(j.n->gap > 1000.0);
    forget(&j);
    return 0;
}

static bool finds_nothing(const char *path)
{
    judged j;
    bool good =
        certify(read_model(path, "\nsimulate:",
                           "\nreduce: {type: quasistatic, neglect_inertia: auto}\nsimulate:"),
                NULL, 0.0, &j) &&
        !flx_certificate_reduced(j.c, 0) && strstr(flx_certificate_reason(j.c), "nothing");
    forget(&j);
    return good;
}

// What is fast is not all: of a sleigh on viscous ice the sideways motion is, and no coordinate by itself; the
// error of a rest that grows is too large; a platform on legs would lose all that moves.
static int nothing_where_the_error_is_large(void)
{
    judged j;
    CHECK(finds_nothing(FLX_EXAMPLES "/sleigh.yaml"));
    CHECK(certify(read_model(FLX_EXAMPLES "/growing_error.yaml", "[q]", "auto"), NULL, 0.0, &j));
    CHECK(!flx_certificate_reduced(j.c, 0));
    CHECK_TEXT(flx_certificate_reason(j.c), "the error to expect, 0.2 of the size");
    forget(&j);
    CHECK(certify(read_model(FLX_EXAMPLES "/growing_error.yaml", "[q]", "auto, tolerance: 0.5"),
                  NULL, 0.0, &j));
    CHECK(reduces_only(&j, "q"));
    forget(&j);
    return 0;
}

// Models that no threshold was made for: four modes of a crank's rod, one axis of a robot in joint
// coordinates. The error that `auto` expects is the one that is met.
static int models_it_was_not_made_for(void)
{
    static const struct {
        const char *path, *first;
        double window, within;
    } models[] = {{FLX_EXAMPLES "/elastic_crank.yaml", "rod.mode(6)", 0.1, 0.4},
                  {FLX_TESTS "/models/15-seven-axis-arm.yaml", "axis(3)", 0.5, 0.05}};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        judged j;
        const char *model = read_model(
            models[i].path,
            "\nsimulate:", "\nreduce: {type: quasistatic, neglect_inertia: auto}\nsimulate:");
        CHECK(certify(model, NULL, models[i].window, &j));
        CHECK(flx_certificate_reduced(j.c, 0));
        CHECK(strcmp(flx_certificate_reduced(j.c, 0), models[i].first) == 0);
        CHECK(flx_certificate_verdict(j.c) == FLX_VERDICT_MET);
        CHECK(verdict_of(&j, "first-order term") == FLX_VERDICT_MET);
        // the layer of the rod's modes still counts after so short a time
        CHECK_NEAR(j.n->expected.largest, j.n->met.largest, models[i].within * j.n->met.largest);
        CHECK_TEXT(flx_certificate_reason(j.c), "; found in ");
        CHECK_TEXT(flx_certificate_reason(j.c), " s along a pilot of ");
        forget(&j);
    }
    return 0;
}

static int nothing_in_well_scaled_mechanisms(void)
{
    CHECK(finds_nothing(FLX_EXAMPLES "/pendulum.yaml"));
    CHECK(finds_nothing(FLX_EXAMPLES "/pendulum_equations.yaml"));
    CHECK(finds_nothing(FLX_EXAMPLES "/double_pendulum.yaml"));
    CHECK(finds_nothing(FLX_EXAMPLES "/slider_crank.yaml"));
    CHECK(finds_nothing(FLX_EXAMPLES "/n_four_bar.yaml"));
    return 0;
}

// y' = y - 1 + z, eps z' = -z: gamma = -1 and the error grows as e^t.
static int growing_error_is_refused_its_bound(void)
{
    judged j;
    CHECK(certify(read_model(FLX_EXAMPLES "/growing_error.yaml", NULL, NULL), NULL, 0.0, &j));
    CHECK(verdict_of(&j, "bound for all times") == FLX_VERDICT_NOT_MET);
    CHECK(flx_certificate_verdict(j.c) == FLX_VERDICT_MET); // for finite times it holds
    CHECK_NEAR(j.n->gamma, -1.0, 1e-12);
    CHECK_NEAR(j.n->beta, 100.0, 1e-9);
    CHECK_NEAR(j.n->decay, 100.0, 1e-9);
    CHECK_NEAR(j.n->met.largest, 0.01 / 1.01 * exp(3.0), 1e-5);
    CHECK_NEAR(j.n->expected.largest, 0.01 * exp(3.0), 2e-3 * exp(3.0) * 0.1);
    forget(&j);
    return 0;
}

// y' = -y + a z + cos t, eps z' = b y - z + sin t: beta gamma = 1/eps, met for a b < 1.
static int bound_for_all_times(void)
{
    static const char model[] =
        "flexion: 1\n"
        "parameters: {eps: 0.01, a: 1, b: 0.9}\n"
        "equations:\n"
        "  second_order: {q: {at: 0, mass: eps, force: \"b*y - q' + sin(t)\"}}\n"
        "  first_order: {y: {at: 1, derivative: \"-y + a*q' + cos(t)\"}}\n"
        "reduce: {type: quasistatic, neglect_inertia: [q]}\n"
        "simulate: {until: 10}\n";
    judged j;
    CHECK(certify(model, NULL, 0.0, &j));
    CHECK(verdict_of(&j, "bound for all times") == FLX_VERDICT_MET);
    CHECK(j.n->product < j.n->beta * j.n->gamma);
    forget(&j);
    CHECK(certify(model, "b=1.1", 0.0, &j));
    CHECK(verdict_of(&j, "bound for all times") == FLX_VERDICT_NOT_MET);
    CHECK_NEAR(j.n->product, 110.0, 1e-9); // a b/eps
    CHECK_NEAR(j.n->beta * j.n->gamma, 100.0, 1e-9);
    forget(&j);
    return 0;
}

// A constraint that the rest cannot bear, a motion that grows, and two that are equally fast.
static int wrong_reductions_are_not_certified(void)
{
    static const char growing[] =
        "flexion: 1\n"
        "equations: {second_order: {z: {at: 0.1, mass: 0.01, force: -50*z + z'},\n"
        "                           y: {at: 1, mass: 1, force: -y + z}}}\n"
        "reduce: {type: quasistatic, neglect_inertia: [z]}\n"
        "simulate: {until: 0.2}\n";
    static const char alike[] =
        "flexion: 1\n"
        "equations: {second_order: {z: {at: 0.1, mass: 1, force: -50*z - z' + y},\n"
        "                           y: {at: 1, mass: 1, force: -40*y + z}}}\n"
        "reduce: {type: quasistatic, neglect_inertia: [z]}\n"
        "simulate: {until: 1}\n";
    judged j;
    CHECK(certify(growing, NULL, 0.0, &j));
    CHECK(flx_certificate_verdict(j.c) == FLX_VERDICT_NOT_MET);
    CHECK(verdict_of(&j, "layer") == FLX_VERDICT_NOT_MET);
    CHECK(verdict_of(&j, "logarithmic norm") == FLX_VERDICT_NOT_MET);
    CHECK_NEAR(j.n->weighted, 50.0, 1e-9);
    forget(&j);
    CHECK(certify(alike, NULL, 0.0, &j));
    CHECK(verdict_of(&j, "gap") == FLX_VERDICT_NOT_MET);
    CHECK(flx_certificate_verdict(j.c) == FLX_VERDICT_NOT_MET);
    forget(&j);
    return 0;
}

// The run of a reduction that fails goes on with the full system: what a run of it from there on, by
// itself, cannot be told from.
static int a_reduction_is_given_up(void)
{
    static char said[4000];
    case_table run = {0}, full = {0};
    const char *path = FLX_EXAMPLES "/motor_damper.yaml";
    CHECK(case_run_said(read_model(path, NULL, NULL), NULL, said, sizeof said));
    CHECK_TEXT(said, "does not decay but grows");
    CHECK_TEXT(said, "goes on with the full system");
    CHECK(case_run_said(read_model(path, ", on_violation: full", ""), NULL, said, sizeof said));
    CHECK_TEXT(said, "add `on_violation: full`");
    CHECK(case_run(read_model(path, NULL, NULL), NULL, &run, NULL, NULL));
    CHECK(case_run(
        read_model(path, "reduce: {type: quasistatic, neglect_inertia: [z], on_violation: full}\n",
                   ""),
        NULL, &full, NULL, NULL));
    CHECK(run.rows == full.rows);
    double a, b;
    CHECK(case_table_value(&run, "y", 1.5, &a) && case_table_value(&full, "y", 1.5, &b));
    CHECK_NEAR(a, b, 1e-6);
    case_table_clear(&run);
    case_table_clear(&full);
    return 0;
}

// Van der Pol, y = 2: on the slow manifold z = -2/3, z' = -10/27.
static int start_on_the_slow_manifold(void)
{
    static const char model[] =
        "flexion: 1\n"
        "equations: {second_order: {y: {at: 2, rate: 5, mass: 1e-3, force: (1 - y^2)*y' - y}}}\n"
        "reduce: {type: quasistatic, neglect_inertia: [y]}\n"
        "simulate: {until: 0.5, method: radau, rtol: 1e-11, atol: 1e-13}\n"
        "outputs: {every: 0.001, signals: [y, y']}\n";
    case_table run = {0};
    double v0, v1, v2;
    CHECK(case_run(model, NULL, &run, NULL, NULL));
    CHECK(case_table_value(&run, "y'", 0.0, &v0) && case_table_value(&run, "y'", 0.001, &v1) &&
          case_table_value(&run, "y'", 0.002, &v2));
    CHECK_NEAR(v0, -2.0 / 3.0, 1e-12);
    CHECK_NEAR((4.0 * v1 - v2 - 3.0 * v0) / 0.002, -10.0 / 27.0, 1e-5);
    case_table_clear(&run);
    return 0;
}

static double floor_of(const char *path, const char *reduce, const char *setting,
                       const char *outputs)
{
    static char model[16384];
    case_table reduced = {0}, full = {0};
    char *at;
    double floor = (double)NAN;
    const char *raw = read_model(path, NULL, NULL);
    if (!raw) return floor;
    snprintf(model, sizeof model, "%s", raw);
    at = strstr(model, "outputs:");
    if (at) snprintf(at, sizeof model - (size_t)(at - model), "%s", outputs);
    bool good = at && case_run(model, setting, &reduced, NULL, NULL);
    at = strstr(model, reduce);
    if (good && at) memset(at, ' ', strlen(reduce));
    if (good && at && case_run(model, setting, &full, NULL, NULL))
        floor = case_table_mean_difference(&reduced, &full);
    case_table_clear(&reduced);
    case_table_clear(&full);
    return floor;
}

// Means of |dx| + |dy| + |dphi| that were computed elsewhere, on a finer grid.
static int error_floors(void)
{
    static const struct {
        const char *setting;
        double floor;
    } mobot[] = {{"kD=80", 2.107e-4}, {"kD=580", 7.82e-5}};
    static const char platform[] =
        "outputs: {every: 0.01, signals: [platform.position, platform.angle]}\n";
    for (int i = 0; i < 2; i++) {
        double floor = floor_of(FLX_EXAMPLES "/mobot.yaml",
                                "reduce: {type: quasistatic, neglect_inertia: auto}",
                                mobot[i].setting, platform);
        printf("mobot %s: %.4g, elsewhere %.4g\n", mobot[i].setting, floor, mobot[i].floor);
        CHECK_NEAR(floor, mobot[i].floor, 0.03 * mobot[i].floor);
    }
    double floor =
        floor_of(FLX_EXAMPLES "/four_bar_flexible.yaml",
                 "reduce: {type: quasistatic, neglect_inertia: [z3]}", NULL,
                 "outputs: {every: 1e-4, signals: [phi1, phi2, phi3, z1, z2, z3, z4]}\n");
    printf("four-bar: %.4g\n", floor);
    CHECK_NEAR(floor, 3.356e-5, 2e-7);
    return 0;
}

// z = z0 e^(-t/eps): the layer of the velocity that the reduction leaves out.
static int layer_decays_exponentially(void)
{
    const char *path = FLX_EXAMPLES "/growing_error.yaml";
    case_table full = {0}, reduced = {0};
    CHECK(case_run(read_model(path, "every: 0.05", "every: 0.01"), NULL, &reduced, NULL, NULL));
    const char *model = read_model(path, "reduce: {type: quasistatic, neglect_inertia: [q]}", "");
    CHECK(model);
    CHECK(case_run(model, NULL, &full, NULL, NULL));
    for (int i = 0; i <= 2; i++) {
        double t = 0.05 * i, z, slow;
        CHECK(case_table_value(&full, "q'", t, &z) && case_table_value(&reduced, "q'", t, &slow));
        CHECK_NEAR(z - slow, exp(-100.0 * t), 1e-9);
    }
    case_table_clear(&full);
    case_table_clear(&reduced);
    return 0;
}

// The full four-bar to the digits of its reference.
static int full_four_bar(void)
{
    static const char *const names[] = {"phi1", "phi2", "phi3", "z1", "z2", "z3", "z4"};
    case_table run = {0}, reference = {0};
    const char *model = read_model(FLX_EXAMPLES "/four_bar_flexible.yaml",
                                   "reduce: {type: quasistatic, neglect_inertia: [z3]}", "");
    CHECK(
        case_table_read_csv(&reference, FLX_TESTS "/reference/digest/four_bar_flexible_full.csv"));
    CHECK(case_run(model, NULL, &run, NULL, NULL));
    for (int i = 0; i < reference.rows; i++) {
        double t = reference.values[i * reference.columns], a, b;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            CHECK(case_table_value(&run, names[k], t, &a));
            CHECK(case_table_value(&reference, names[k], t, &b));
            CHECK_NEAR(a, b, 1e-7);
        }
    }
    case_table_clear(&run);
    case_table_clear(&reference);
    return 0;
}

TEST_MAIN(TEST(two_masses), TEST(first_order_term_is_linear), TEST(feet_of_the_mobot),
          TEST(third_shape_of_the_four_bar), TEST(scaled_matrix_of_the_four_bar),
          TEST(axial_mode_of_the_beam), TEST(nothing_in_well_scaled_mechanisms),
          TEST(nothing_where_the_error_is_large), TEST(models_it_was_not_made_for),
          TEST(growing_error_is_refused_its_bound), TEST(bound_for_all_times),
          TEST(wrong_reductions_are_not_certified), TEST(a_reduction_is_given_up),
          TEST(start_on_the_slow_manifold), TEST(error_floors), TEST(layer_decays_exponentially),
          TEST(full_four_bar))
