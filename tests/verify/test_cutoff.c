// Inertia neglected or raised in stiff models: the axial beam and the flexible four-bar mechanism in all
// variants to the digits of their references, by frequency as by factor; blocks that work together.
#include "case_table.h"
#include "check.h"

#include <math.h>
#include <string.h>

// An example with another reduction and method.
static bool make_text(const char *file, const char *reduce, const char *method, char *text,
                      size_t size)
{
    static char all[16384];
    FILE *f = fopen(file, "r");
    if (!f) return false;
    size_t n = fread(all, 1, sizeof all - 1, f);
    fclose(f);
    all[n] = 0;
    char *at = strstr(all, "\nreduce: "), *after = at ? strchr(at + 1, '\n') : NULL;
    char *how = after ? strstr(after, "method: ") : NULL, *end = how ? strchr(how, '}') : NULL;
    if (!end || n == sizeof all - 1) return false;
    int written = snprintf(text, size, "%.*s\n%s%.*smethod: %s%s", (int)(at - all), all, reduce,
                           (int)(how - after), after, method, end);
    return written > 0 && (size_t)written < size;
}

static double distance(const case_table *a, const char *of_a, const case_table *b, const char *of_b)
{
    double largest = 0.0;
    for (int i = 0; i < a->rows; i++) {
        double t = a->values[i * a->columns], x, y;
        if (!case_table_value(a, of_a, t, &x) || !case_table_value(b, of_b, t, &y)) {
            return (double)NAN;
        }
        largest = fmax(largest, fabs(x - y));
    }
    return largest;
}

typedef struct variant {
    const char *columns, *reduce;
} variant;

static int beam_moves_as(const variant *v, const char *method, double within, double within_z)
{
    char text[8192], name[64];
    case_table run = {0}, reference = {0};
    flx_ledger ledger = {0};
    CHECK(case_table_read_csv(&reference, FLX_TESTS "/reference/digest/axial_beam.csv"));
    CHECK(make_text(FLX_EXAMPLES "/axial_beam.yaml", v->reduce, method, text, sizeof text));
    CHECK(case_run_ledger(text, NULL, &run, &ledger));
    snprintf(name, sizeof name, "%s_phi", v->columns);
    double phi = distance(&reference, name, &run, "phi");
    snprintf(name, sizeof name, "%s_z", v->columns);
    double z = distance(&reference, name, &run, "z");
    printf("%s, %s: phi %.1e, z %.1e, energy %.1e\n", method, v->reduce, phi, z,
           ledger.energy_drift);
    CHECK(phi <= within && z <= within_z && ledger.energy_drift <= 10.0 * within);
    case_table_clear(&run);
    case_table_clear(&reference);
    return 0;
}

static const variant beams[] = {
    {"full", ""},
    {"reduced", "reduce: {type: quasistatic, neglect_inertia: [z]}"},
    {"reduced_adapted", "reduce: {type: quasistatic, neglect_inertia: [z], mass_damping: alpha}"},
    {"cutoff10", "reduce: {type: cutoff, raise_inertia: [z], factor: 10}"},
    {"cutoff10_adapted",
     "reduce: {type: cutoff, raise_inertia: [z], factor: 10, mass_damping: alpha}"},
    {"cutoff10", "reduce: {type: cutoff, raise_inertia: z, frequency: omega/(2*pi*sqrt(10))}"},
    {"cutoff10_adapted",
     "reduce: {type: cutoff, raise_inertia: z, frequency: omega/(2*pi*sqrt(10)), "
     "mass_damping: alpha}"}};

static int the_axial_beam_moves_as_in_the_reference(void)
{
    for (size_t i = 0; i < sizeof beams / sizeof beams[0]; i++) {
        CHECK(beam_moves_as(beams + i, "radau, rtol: 1e-11, atol: 1e-14", 3e-11, 1e-13) == 0);
    }
    return 0;
}

// Explicit methods take what leaves every velocity an inertia as they take the full model.
static int explicit_methods_take_raised_inertia(void)
{
    for (size_t i = 4; i < sizeof beams / sizeof beams[0]; i += 2) {
        CHECK(beam_moves_as(beams + i, "dopri5, rtol: 1e-9, atol: 1e-12", 1e-10, 1e-13) == 0);
    }
    return 0;
}

static int four_bar_moves_as(const variant *v, const char *method, double within)
{
    static const char *const coordinates[] = {"phi2", "phi3", "z1", "z2", "z3", "z4"};
    static char text[16384];
    char name[64];
    case_table run = {0}, reference = {0};
    flx_ledger ledger = {0};
    CHECK(case_table_read_csv(&reference,
                              FLX_TESTS "/reference/digest/four_bar_flexible_reduced.csv"));
    CHECK(make_text(FLX_EXAMPLES "/four_bar_flexible.yaml", v->reduce, method, text, sizeof text));
    CHECK(case_run_ledger(text, NULL, &run, &ledger));
    for (size_t i = 0; i < sizeof coordinates / sizeof coordinates[0]; i++) {
        snprintf(name, sizeof name, "%s_%s", v->columns, coordinates[i]);
        double d = distance(&reference, name, &run, coordinates[i]);
        printf("%s %.1e ", coordinates[i], d);
        CHECK(d <= within);
    }
    printf("energy %.1e, %s\n", ledger.energy_drift, v->reduce);
    CHECK(ledger.energy_drift <= 10.0 * within);
    case_table_clear(&run);
    case_table_clear(&reference);
    return 0;
}

// z3 is linked to all others through the mass, and these to each other by three constraints.
static int the_flexible_four_bar_moves_as_in_the_reference(void)
{
    const variant variants[] = {
        {"red", "reduce: {type: quasistatic, neglect_inertia: [z3]}"},
        {"redLS", "reduce: {type: quasistatic, neglect_inertia: [z3], mass_damping: alpha}"},
        {"cutoff3", "reduce: {type: cutoff, raise_inertia: [z3], factor: 3}"},
        {"red",
         "reduce: [{type: quasistatic, neglect_inertia: [z3]}, {type: cutoff, frequency: 5000}]"}};
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        CHECK(four_bar_moves_as(variants + i, "radau, rtol: 1e-7, atol: 1e-10", 1e-8) == 0);
    }
    return 0;
}

// 1 kg and two at k and 100 k: modes at 1 and 10 rad/s in turned coordinates. Above 5 rad/s the second
// becomes 5 rad/s, the first stays.
static const char two_modes[] = "flexion: 1\n"
                                "equations:\n"
                                "  second_order:\n"
                                "    x: {at: 1, mass: 1, force: -(x + y)/2 - 50*(x - y)}\n"
                                "    y: {at: %s, mass: 1, force: -(x + y)/2 + 50*(x - y)}\n"
                                "reduce: {type: cutoff, frequency: 5/(2*pi)}\n"
                                "simulate: {until: 2, method: radau, rtol: 1e-11, atol: 1e-13}\n"
                                "outputs: {every: 0.5, signals: [x, y]}\n";

static int modes_are_cut_off_one_by_one(void)
{
    for (int fast = 0; fast < 2; fast++) {
        char text[600];
        case_table run = {0};
        double omega = fast ? 5.0 : 1.0, x;
        snprintf(text, sizeof text, two_modes, fast ? "-1" : "1");
        CHECK(case_run(text, NULL, &run, NULL, NULL));
        for (int i = 0; i < run.rows; i++) {
            double t = run.values[i * run.columns];
            CHECK(case_table_value(&run, "x", t, &x));
            CHECK(fabs(x - cos(omega * t)) <= 1e-10);
        }
        case_table_clear(&run);
    }
    return 0;
}

TEST_MAIN(TEST(the_axial_beam_moves_as_in_the_reference),
          TEST(explicit_methods_take_raised_inertia),
          TEST(the_flexible_four_bar_moves_as_in_the_reference), TEST(modes_are_cut_off_one_by_one))
