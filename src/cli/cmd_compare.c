// cmd_compare.c - flexion compare: two models or results side by side.
#include "cli/cli.h"
#include "cli/plugins.h"
#include "draw/drawings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: flexion compare A B [OPTIONS]\n"
    "\n"
    "How far two runs are apart: mean over time and maximum of the difference of each\n"
    "common signal, and what each run cost. A and B are models (.yaml, they are run)\n"
    "or results (.h5, or tables .csv). Where the times differ, the result with more\n"
    "rows is interpolated at the times of the other by cubics.\n"
    "\n"
    "  --signals LIST    compare these alone, as q1,platform.position\n"
    "  --from T          leave out what is before T\n"
    "  -o FILE           draw both signals and their differences: .svg, .png or .pdf\n"
    "  --csv FILE        write the table; - is the standard output\n"
    "  --set NAME=VALUE  override a parameter of the models; may be repeated\n"
    "  --until T         run models up to T\n"
    "  --quiet           print the table alone\n"
    "\n"
    "Example: the same mechanism with and without the inertia of its feet\n"
    "  flexion compare mobot.yaml mobot_full.yaml --signals platform -o error.svg\n"
    "\n"
    "Exit status: 0 done, 1 a run failed, 2 the input is wrong.\n";

typedef struct compare_options {
    const char *paths[2], *picture, *table, *signals, *from, *until;
    cli_list settings;
    bool quiet;
} compare_options;

// One of the two.
typedef struct side {
    flx_result *result;
    char method[80], settings[120];
    bool ran;
} side;

// ---- the two --------------------------------------------------------------------------------------

static bool is_model(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static flx_status run_model(flx_ctx *ctx, const compare_options *o, const char *path, side *s)
{
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_sink *sink = NULL;
    cli_progress progress;
    double until = 0.0;
    if (!cli_read_number("compare", "--until", o->until, &until)) return FLX_ERR_ARGUMENT;
    int told = flx_ctx_warning_count(ctx);
    flx_status status = cli_model_read(ctx, path, o->settings.count, o->settings.items, &model);
    if (status == FLX_OK) status = flx_simulation_create(model, &sim);
    if (status == FLX_OK && o->until) status = flx_simulation_set_until(sim, until);
    if (status == FLX_OK) status = flx_memory_sink_create(ctx, &sink);
    if (status == FLX_OK) {
        cli_catch_interrupt();
        cli_progress_start(&progress, o->quiet);
        status = flx_simulation_run(sim, 1, &sink, cli_progress_update, &progress);
        cli_progress_end(&progress);
        const flx_result_info *info = flx_simulation_info(sim);
        snprintf(s->method, sizeof s->method, "%s", info->method);
        snprintf(s->settings, sizeof s->settings, "%s", info->settings);
        s->ran = true;
        if (status == FLX_OK && !flx_simulation_ledger(sim)->balanced) cli_doubt();
        bool some = flx_simulation_ledger(sim)->work.steps > 0;
        // what was computed before a failure is compared, too
        if (some && flx_memory_sink_take(sink, &s->result) == FLX_OK && status > 0 &&
            status != FLX_INTERRUPTED) {
            cli_print_errors(ctx);
            status = FLX_OK;
        }
    }
    if (!o->quiet) cli_print_warnings(ctx, told);
    flx_sink_destroy(&sink);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    return status;
}

static flx_status get_side(flx_ctx *ctx, const compare_options *o, const char *path, side *s)
{
    if (is_model(path)) return run_model(ctx, o, path, s);
    return cli_open_result(ctx, path, &s->result);
}

// ---- what is told -------------------------------------------------------------------------------

static void print_value(double v, const char *format)
{
    char text[32] = "-";
    if (isfinite(v)) snprintf(text, sizeof text, format, v);
    printf("%12s", text);
}

// "B took 5.92 times the evaluations"
static void print_ratio(const char *before, const char *what, double a, double b)
{
    if (a > 0.0 && b > 0.0) printf("%s%.3g times the %s", before, b / a, what);
}

static void print_sides(const compare_options *o, const side *s)
{
    printf("%-2s%12s%12s%12s%12s  %s\n", "", "rows", "steps", "evaluations", "time (s)", "");
    for (int k = 0; k < 2; k++) {
        const flx_result_work *w = flx_result_get_work(s[k].result);
        printf("%-2s%12d", k == 0 ? "A" : "B", flx_result_rows(s[k].result));
        print_value(w->steps, "%.0f");
        print_value(w->evaluations, "%.0f");
        print_value(w->seconds, "%.3g");
        printf("  %s", o->paths[k]);
        if (s[k].ran) printf(": %s, %s", s[k].method, s[k].settings);
        if (!flx_result_complete(s[k].result)) printf(" (cut off)");
        putchar('\n');
    }
    const flx_result_work *a = flx_result_get_work(s[0].result);
    const flx_result_work *b = flx_result_get_work(s[1].result);
    if (a->evaluations > 0.0 && b->evaluations > 0.0) {
        print_ratio("B took ", "evaluations of A", a->evaluations, b->evaluations);
        print_ratio(", ", "time", a->seconds, b->seconds);
        putchar('\n');
    }
}

static void print_line(FILE *f, const flx_difference *d, bool doubt, const char *separator)
{
    const double values[] = {d->mean, d->maximum, d->at,
                             d->size > 0.0 ? d->maximum / d->size : (double)NAN, d->doubt};
    for (int i = 0; i < (doubt ? 5 : 4); i++) {
        char text[32] = "-";
        if (isfinite(values[i])) {
            snprintf(text, sizeof text,
                     i == 2                ? "%.6g"
                     : separator[0] == ',' ? "%.17g"
                                           : "%.3e",
                     values[i]);
        }
        fprintf(f, separator[0] == ',' ? "%s%s" : "%s%12s", separator, text);
    }
}

static int name_width(const flx_comparison *c)
{
    int width = 6;
    for (int i = 0; flx_comparison_get(c, i); i++) {
        int n = (int)strlen(flx_comparison_get(c, i)->name);
        if (n > width) width = n;
    }
    return width < 40 ? width : 40;
}

static void print_table(const flx_comparison *c)
{
    const flx_compare_span *span = flx_comparison_span(c);
    bool doubt = span->interpolated > 0;
    int width = name_width(c), n = 0;
    printf("%-*s %12s %12s %12s %12s%s\n", width, "signal", "mean", "maximum", "at t", "of size",
           doubt ? "  interpolated" : "");
    for (; flx_comparison_get(c, n); n++) {
        const flx_difference *d = flx_comparison_get(c, n);
        printf("%-*s", width, d->name);
        print_line(stdout, d, doubt, " ");
        if (d->unit[0]) printf("  %s", d->unit);
        if (d->missing > 0) printf("  %d of %d values not finite", d->missing, span->rows);
        putchar('\n');
    }
    if (n > 1) {
        printf("%-*s", width, "sum");
        print_line(stdout, flx_comparison_sum(c), doubt, " ");
        putchar('\n');
    }
}

static void print_span(const flx_comparison *c, const side *s)
{
    const flx_compare_span *span = flx_comparison_span(c);
    printf("compared at %d times of %s, t = %.6g to %.6g", span->rows, span->at_b ? "B" : "A",
           span->from, span->to);
    if (span->interpolated == 0) {
        printf(", which both have\n");
    } else {
        printf(
            "; %s was interpolated at %d of them:\n  the last column is what that may have added\n",
            span->at_b ? "A" : "B", span->interpolated);
    }
    for (int k = 0; k < 2; k++) {
        const flx_result *r = s[k].result;
        int rows = flx_result_rows(r), left = flx_comparison_left_out(c, k);
        if (!flx_result_complete(r)) {
            printf("%s was cut off at t = %.6g\n", k == 0 ? "A" : "B",
                   flx_result_column(r, 0)[rows - 1]);
        }
        if (left > 0) printf("%d signal%s of %s alone\n", left, left > 1 ? "s" : "", k ? "B" : "A");
    }
}

static flx_status write_table(flx_ctx *ctx, const flx_comparison *c, const char *path)
{
    flx_output *o;
    flx_status status = flx_output_create(ctx, "the table", path, &o);
    if (status != FLX_OK) return status;
    FILE *f = flx_output_file(o);
    fputs("signal,mean,maximum,at,of_size,interpolation\n", f);
    for (int i = 0; flx_comparison_get(c, i); i++) {
        fprintf(f, "%s", flx_comparison_get(c, i)->name);
        print_line(f, flx_comparison_get(c, i), true, ",");
        fputc('\n', f);
    }
    return flx_output_close(&o, FLX_OK);
}

// ---- together -----------------------------------------------------------------------------------

static flx_status report(flx_ctx *ctx, const compare_options *o, const flx_comparison *c,
                         const side *s)
{
    bool out = o->table && strcmp(o->table, "-") == 0;
    if (!out && !o->quiet) {
        print_sides(o, s);
        print_span(c, s);
    }
    if (!out) print_table(c);
    fflush(stdout);
    flx_status status = o->table ? write_table(ctx, c, o->table) : FLX_OK;
    if (!o->picture || status != FLX_OK) return status;
    status = flx_comparison_draw(c, o->picture, "A", "B");
    if (status == FLX_OK && !out && !o->quiet) printf("drawn in %s\n", o->picture);
    return status;
}

// Before anything is computed.
static flx_status check_outputs(flx_ctx *ctx, const compare_options *o)
{
    flx_status status = FLX_OK;
    for (int k = 0; k < 2 && status == FLX_OK; k++) status = flx_ctx_protect(ctx, o->paths[k]);
    if (status == FLX_OK && o->table) status = flx_output_check(ctx, "the table", o->table);
    if (status == FLX_OK && o->picture) status = flx_output_check(ctx, "the drawing", o->picture);
    return status;
}

static int compare(flx_ctx *ctx, const compare_options *o, const cli_list *signals)
{
    side s[2] = {{0}, {0}};
    flx_comparison *c = NULL;
    double from = -HUGE_VAL;
    if (!cli_read_number("compare", "--from", o->from, &from)) return EXIT_WRONG;
    flx_status status = check_outputs(ctx, o);
    for (int k = 0; k < 2 && status == FLX_OK; k++) status = get_side(ctx, o, o->paths[k], &s[k]);
    if (status == FLX_OK) {
        const flx_compare_def def = {
            .nsignal = signals->count, .signals = signals->items, .from = from};
        status = flx_compare_results(ctx, s[0].result, s[1].result, &def, &c);
        if (status == FLX_OK) status = report(ctx, o, c, s);
        cli_print_errors(ctx);
    } else {
        cli_print_errors(ctx);
        if (status == FLX_INTERRUPTED) cli_complain("compare", "interrupted");
    }
    int code = status == FLX_OK ? EXIT_DONE : status > 0 ? EXIT_FAILED : EXIT_WRONG;
    for (int k = 0; k < 2; k++) {
        if (code == EXIT_DONE && s[k].ran && !flx_result_complete(s[k].result)) code = EXIT_FAILED;
    }
    flx_comparison_destroy(&c);
    for (int k = 0; k < 2; k++) flx_result_close(&s[k].result);
    return code;
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    compare_options o = {0};
    cli_list rest = {0}, signals = {0};
    const cli_option options[] = {
        {.name = "--signals", .value = &o.signals},
        {.name = "--from", .value = &o.from},
        {.name = "--output", .letter = 'o', .value = &o.picture},
        {.name = "--csv", .value = &o.table},
        {.name = "--set", .list = &o.settings},
        {.name = "--until", .value = &o.until},
        {.name = "--quiet", .letter = 'q', .flag = &o.quiet},
    };
    cli_parsed parsed = cli_parse(&cmd_compare, argc, argv, 7, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (rest.count != 2) {
        cli_complain("compare", "name two models or results; see 'flexion compare --help'");
        return EXIT_WRONG;
    }
    if (!cli_split(o.signals, &signals)) return EXIT_FAILED;
    o.paths[0] = rest.items[0];
    o.paths[1] = rest.items[1];
    return compare(ctx, &o, &signals);
}

const cli_command cmd_compare = {
    .name = "compare",
    .summary = "how far two models or results are apart",
    .help = help_text,
    .run = run,
};
