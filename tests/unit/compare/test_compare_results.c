// Two results side by side: differences in closed form, times that differ, jumps, what is missing.
#include "flexion/compare.h"
#include "results_fixture.h"

#include <math.h>
#include <string.h>

typedef double (*course)(double t);

// A table of t and one or two columns in the folder; skip: row that holds NaN.
static flx_result *table(flx_ctx *ctx, const char *name, const char *header, int n, double h,
                         course f, int nan_row)
{
    const char *path = in_folder(name);
    FILE *file = fopen(path, "w");
    flx_result *r = NULL;
    if (!file) abort();
    fprintf(file, "%s\n", header);
    for (int i = 0; i < n; i++) {
        fprintf(file, "%.17g,%.17g\n", i * h, i == nan_row ? (double)NAN : f(i * h));
    }
    fclose(file);
    flx_result_open(ctx, path, &r);
    return r;
}

static double cubic(double t)
{
    return 1.0 + t * (2.0 - t * (3.0 - t));
}
static double line(double t)
{
    return 3.0 * t;
}
static double zero(double t)
{
    (void)t;
    return 0.0;
}
static double wave(double t)
{
    return sin(t);
}

static const flx_compare_def all = {.from = -1e300};

// |3 t| over [0, 2]: mean 3, maximum 6 at the end.
static int mean_and_maximum_of_a_line(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_result *a = table(ctx, "a.csv", "t,x", 21, 0.1, line, -1);
    flx_result *b = table(ctx, "b.csv", "t,x", 21, 0.1, zero, -1);
    flx_comparison *c = NULL;
    CHECK(a && b);
    CHECK(flx_compare_results(ctx, a, b, &all, &c) == FLX_OK);
    const flx_difference *d = flx_comparison_get(c, 0);
    CHECK(d && strcmp(d->name, "x") == 0 && !flx_comparison_get(c, 1));
    CHECK(fabs(d->mean - 3.0) < 1e-14 && fabs(d->maximum - 6.0) < 1e-14 && d->at == 2.0);
    CHECK(d->size == d->maximum && d->doubt == 0.0 && d->missing == 0);
    CHECK(flx_comparison_span(c)->interpolated == 0 && flx_comparison_span(c)->rows == 21);
    CHECK(fabs(flx_comparison_sum(c)->mean - 3.0) < 1e-14);
    flx_comparison_destroy(&c);
    const flx_compare_def later = {.from = 1.0};
    CHECK(flx_compare_results(ctx, a, b, &later, &c) == FLX_OK);
    CHECK(fabs(flx_comparison_get(c, 0)->mean - 4.5) < 1e-14); // of 3 t over [1, 2]
    flx_comparison_destroy(&c);
    flx_result_close(&a);
    flx_result_close(&b);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A cubic between rows is met exactly; of a sine the doubt covers the error.
static int other_times_are_interpolated(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_comparison *c = NULL;
    flx_result *a = table(ctx, "a.csv", "t,x", 9, 0.23, cubic, -1);
    flx_result *b = table(ctx, "b.csv", "t,x", 20, 0.1, cubic, -1);
    CHECK(a && b && flx_compare_results(ctx, a, b, &all, &c) == FLX_OK);
    const flx_compare_span *span = flx_comparison_span(c);
    CHECK(!span->at_b && span->rows == 9 && span->interpolated == 8);
    CHECK(flx_comparison_get(c, 0)->maximum < 1e-14);
    flx_comparison_destroy(&c);
    CHECK(flx_compare_results(ctx, b, a, &all, &c) == FLX_OK); // the coarser one says the times
    CHECK(flx_comparison_span(c)->at_b && flx_comparison_span(c)->rows == 9);
    flx_comparison_destroy(&c);
    flx_result_close(&a);
    flx_result_close(&b);

    a = table(ctx, "a.csv", "t,x", 14, 0.23, wave, -1);
    b = table(ctx, "b.csv", "t,x", 40, 0.1, wave, -1);
    CHECK(a && b && flx_compare_results(ctx, a, b, &all, &c) == FLX_OK);
    const flx_difference *d = flx_comparison_get(c, 0);
    CHECK(d->maximum < 5e-6 && d->doubt >= d->maximum && d->doubt < 1e-3);
    flx_comparison_destroy(&c);
    flx_result_close(&a);
    flx_result_close(&b);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A step at t = 1 with a row on both sides: no cubic reaches over it.
static int jumps_are_not_smoothed(void)
{
    static const char stepped[] = "t,x\n0,0\n0.25,0\n0.5,0\n0.75,0\n1,0\n1,5\n1.25,5\n1.5,5\n2,5\n";
    static const char other[] = "t,x\n0,0\n0.9,0\n1,0\n1,5\n1.1,5\n2,5\n";
    flx_ctx *ctx = flx_ctx_create();
    flx_result *a = NULL, *b = NULL;
    flx_comparison *c = NULL;
    write_text(in_folder("a.csv"), stepped, sizeof stepped - 1);
    write_text(in_folder("b.csv"), other, sizeof other - 1);
    CHECK(flx_result_open(ctx, in_folder("a.csv"), &a) == FLX_OK);
    CHECK(flx_result_open(ctx, in_folder("b.csv"), &b) == FLX_OK);
    CHECK(flx_compare_results(ctx, a, b, &all, &c) == FLX_OK);
    CHECK(flx_comparison_get(c, 0)->maximum < 1e-14);
    flx_comparison_destroy(&c);
    flx_result_close(&a);
    flx_result_close(&b);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int values_that_are_not_finite_are_counted(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_comparison *c = NULL;
    flx_result *a = table(ctx, "a.csv", "t,x", 21, 0.1, line, 20);
    flx_result *b = table(ctx, "b.csv", "t,x", 21, 0.1, zero, 3);
    CHECK(a && b && flx_compare_results(ctx, a, b, &all, &c) == FLX_OK);
    const flx_difference *d = flx_comparison_get(c, 0);
    CHECK(d->missing == 2 && fabs(d->maximum - 5.7) < 1e-13 && fabs(d->at - 1.9) < 1e-15);
    // without the intervals at 0.3 and after 1.9: the integral of 3 t over the rest
    CHECK_NEAR(d->mean, 1.5 * (1.9 * 1.9 - (0.16 - 0.04)) / 1.7, 1e-13);
    flx_comparison_destroy(&c);
    flx_result_close(&a);
    flx_result_close(&b);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int refused(flx_ctx *ctx, flx_result *a, flx_result *b, const flx_compare_def *def,
                   const char *text)
{
    flx_comparison *c = NULL;
    int before = flx_ctx_error_count(ctx);
    CHECK(flx_compare_results(ctx, a, b, def, &c) == FLX_ERR_ARGUMENT && !c);
    CHECK(flx_ctx_error_count(ctx) == before + 1);
    CHECK_TEXT(flx_ctx_error(ctx, before)->text, text);
    return 0;
}

static int strangers_are_refused(void)
{
    static const char *const wrong[] = {"y"};
    const flx_compare_def named = {.nsignal = 1, .signals = wrong, .from = 0.0};
    const flx_compare_def late = {.from = 7.0};
    flx_ctx *ctx = flx_ctx_create();
    flx_result *a = table(ctx, "a.csv", "t,x", 21, 0.1, line, -1);
    flx_result *b = table(ctx, "b.csv", "t,crank.angle", 21, 0.1, line, -1);
    CHECK(a && b);
    CHECK(
        refused(ctx, a, b, &all,
                "no signal in common: the first begins with 'x', the second with 'crank.angle'") ==
        0);
    CHECK(refused(ctx, a, a, &named, "no signal 'y'") == 0);
    CHECK(refused(ctx, a, a, &late, "no time in common") == 0);
    flx_result_close(&a);
    flx_result_close(&b);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int files_start(void)
{
    make_folder("compare");
    return 0;
}

static int files_end(void)
{
    remove_folder();
    return 0;
}

TEST_MAIN(TEST(files_start), TEST(mean_and_maximum_of_a_line), TEST(other_times_are_interpolated),
          TEST(jumps_are_not_smoothed), TEST(values_that_are_not_finite_are_counted),
          TEST(strangers_are_refused), TEST(files_end))
