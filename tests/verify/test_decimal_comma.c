// test_decimal_comma.c - the library in a program that has chosen a locale with a decimal comma: what
// it writes and what it reads have points.
#include "check.h"
#include "flexion/flexion.h"

#include <unistd.h>

static const char model[] =
    "flexion: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "functions: {p: {file: comma.csv}}\n"
    "bodies: {rod: {type: rigid, mass: 1.5, com: [0.5, 0], inertia: 0.125}}\n"
    "joints: {hinge: {type: revolute, on: [ground, rod], at: [0, 0]}}\n"
    "forces: {M: {type: torque, on: rod, value: p(t)}}\n"
    "simulate: {until: 0.5, rtol: 1e-8}\n"
    "outputs: {every: 0.25, signals: [hinge.angle]}\n";

static bool with_comma(void)
{
    if (!FLX_LOCALES[0]) return false;
    setenv("LOCPATH", FLX_LOCALES, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    if (!f || fputs(text, f) < 0) abort();
    fclose(f);
}

static const char *text_of(const char *path)
{
    static char text[1 << 16];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = '\0';
    if (f) fclose(f);
    return text;
}

// A comma between two digits.
static bool has_comma(const char *text)
{
    for (const char *c = strchr(text, ','); c; c = strchr(c + 1, ',')) {
        bool before = c > text && c[-1] >= '0' && c[-1] <= '9';
        if (before && c[1] >= '0' && c[1] <= '9') return true;
    }
    return false;
}

// The angle at the end, by a table on the disk.
static int run(double *angle)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_sink *sink = NULL;
    flx_result *r = NULL;
    CHECK(flx_model_read(ctx, "comma.yaml", 0, NULL, &m) == FLX_OK);
    CHECK(flx_simulation_create(m, &sim) == FLX_OK);
    CHECK(flx_csv_sink_create(ctx, "comma_result.csv", &sink) == FLX_OK);
    CHECK(flx_simulation_run(sim, 1, &sink, NULL, NULL) == FLX_OK);
    flx_sink_destroy(&sink);
    CHECK(flx_result_open(ctx, "comma_result.csv", &r) == FLX_OK);
    CHECK(flx_result_columns(r) == 2 && flx_result_rows(r) == 3);
    *angle = flx_result_column(r, 1)[2];
    flx_result_close(&r);

    static const flx_export_language languages[] = {FLX_EXPORT_C, FLX_EXPORT_PYTHON,
                                                    FLX_EXPORT_OCTAVE};
    for (int i = 0; i < 3; i++) {
        flx_export_options options = {.language = languages[i]};
        CHECK(flx_model_export(m, &options, "comma_equations.txt") == FLX_OK);
        const char *text = text_of("comma_equations.txt");
        CHECK_TEXT(text, "7.3575");
        CHECK(!strstr(text, "7,3575") && !strstr(text, "0,125"));
    }
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int a_comma_changes_nothing(void)
{
    double points, commas;
    write_file("comma.csv", "0,0.25\n0.125,0.5\n1,0.75\n");
    write_file("comma.yaml", model);
    setlocale(LC_ALL, "C");
    if (run(&points)) return 1;
    CHECK(fabs(points) > 0.1);
    if (!with_comma()) return 0;
    if (run(&commas)) return 1;
    CHECK(commas == points);
    flx_ctx *ctx = flx_ctx_create();
    CHECK(flx_language_write_schema(ctx, "comma_equations.txt") == FLX_OK);
    CHECK(!has_comma(text_of("comma_equations.txt")));
    flx_model *m = NULL;
    write_file("comma.csv", "0,0.25\n0.125,0.5\n0.1,0.75\n");
    CHECK(flx_model_read(ctx, "comma.yaml", 0, NULL, &m) != FLX_OK);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "0.1 comes after 0.125");
    flx_ctx_destroy(&ctx);
    unlink("comma.csv");
    unlink("comma.yaml");
    unlink("comma_result.csv");
    unlink("comma_equations.txt");
    return 0;
}

TEST_MAIN(TEST(a_comma_changes_nothing))
