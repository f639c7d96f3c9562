// cmd_optimise.c - flexion optimise: parameters of a model from measured data; goals: show_design.c.
#include "cli/optimise/show_design.h"
#include "cli/plugins.h"
#include "flexion/extend/sink_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: flexion optimise MODEL [--csv FILE] [--resume] [OPTIONS]\n"
    "\n"
    "Find the parameters of the block 'optimise' of a model: those whose run agrees\n"
    "best with measured data, with standard errors, or those for which a goal is\n"
    "least within bounds and conditions; of several goals the front. Every evaluation\n"
    "is a row of a table, written at once; fitted values, and fronts, go to a second\n"
    "one, which 'flexion plot' draws.\n"
    "\n"
    "  --csv FILE        where the evaluations go; default: the model's name with\n"
    "                    _optimise.csv, in the current folder\n"
    "  --resume          go on from that table; goals compute none of its rows again\n"
    "  --threads N       of goals: searches and differences side by side\n"
    "  --set NAME=VALUE  override a parameter; may be repeated\n"
    "  --quiet           say nothing but errors\n"
    "\n"
    "Example: a pendulum from its swing\n"
    "  flexion optimise examples/pendulum_fit.yaml\n"
    "  flexion plot pendulum_fit_fit.csv measured fitted\n"
    "\n"
    "Exit status: 0 done, 1 no optimum was found, 2 the input is wrong.\n";

#define MOST 64 // parameters

typedef struct optimise_options {
    const char *model, *table;
    bool resume, quiet;
    int threads;
    cli_list settings;
} optimise_options;

typedef struct rows {
    const optimise_options *o;
    FILE *file;
    int before; // rows that were there
} rows;

// ---- evaluations --------------------------------------------------------------------------------

static int keep_row(void *user, int number, int n, const double *values, double sum,
                    const char *failed)
{
    rows *r = user;
    fprintf(r->file, "%d", r->before + number);
    for (int i = 0; i < n; i++) fprintf(r->file, ",%.17g", values[i]);
    fprintf(r->file, ",%.17g\n", sum);
    fflush(r->file);
    if (!r->o->quiet) {
        printf("%5d", r->before + number);
        for (int i = 0; i < n; i++) printf(" %13.6g", values[i]);
        if (failed) {
            printf("  failed: %s\n", failed);
        } else {
            printf(" %13.6g\n", sum);
        }
        fflush(stdout);
    }
    return cli_was_interrupted();
}

// The best row of the table so far, which has the columns of this optimisation; false: there is none.
static bool find_best(const char *path, int n, double *best, int *count)
{
    flx_ctx *quiet = flx_ctx_create();
    flx_result *r = NULL;
    double least = HUGE_VAL;
    *count = 0;
    if (quiet && flx_result_open(quiet, path, &r) == FLX_OK && flx_result_columns(r) == n + 2) {
        *count = flx_result_rows(r);
        const double *sum = flx_result_column(r, n + 1);
        for (int i = 0; i < *count; i++) {
            if (!(sum[i] < least)) continue;
            least = sum[i];
            for (int k = 0; k < n; k++) best[k] = flx_result_column(r, k + 1)[i];
        }
    }
    flx_result_close(&r);
    flx_ctx_destroy(&quiet);
    return isfinite(least);
}

static bool open_table(const flx_model *model, const optimise_options *o, bool go_on, rows *r)
{
    r->file = fopen(o->table, go_on ? "a" : "w");
    if (!r->file) {
        cli_complain("optimise", "cannot write %s", o->table);
        return false;
    }
    if (go_on) return true;
    const char *name;
    fprintf(r->file, "t"); // the number of the evaluation: tables of results begin so
    for (int i = 0; (name = flx_model_optimised(model, i)) != NULL; i++)
        fprintf(r->file, ",%s", name);
    fprintf(r->file, ",sum\n");
    fflush(r->file);
    return true;
}

// ---- the optimum --------------------------------------------------------------------------------

static void tell(const flx_fit *f)
{
    int n = f->nparam;
    printf("%s after %d iterations, %d runs%s: %s\n", f->converged ? "optimum" : "best point",
           f->iterations, f->evaluations,
           f->method == FLX_GRADIENT_DIFFERENCES ? " and those of differences" : "", f->why);
    if (f->slope_error > 0.0)
        printf("slopes are differences of runs, off by up to %.1g of the largest\n",
               f->slope_error);
    if (f->failures > 0) printf("%d runs failed\n", f->failures);
    for (int i = 0; i < n; i++) {
        const flx_fit_parameter *p = f->parameters + i;
        printf("  %-14s %15.9g", p->name, p->value);
        if (p->undetermined) {
            printf("   not determined by the data");
        } else {
            printf("   standard error %.3g", p->error);
        }
        if (p->at_bound) printf(", at its %s bound", p->at_bound < 0 ? "lower" : "upper");
        printf("\n");
    }
    printf("sum of squares %.9g, at the first guess %.9g; %d values\n", f->sum, f->first_sum,
           f->npoint);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            printf("correlation of %s and %s: %.3f\n", f->parameters[j].name, f->parameters[i].name,
                   f->correlation[i * n + j]);
        }
    }
}

// Measured and fitted values, residuals and what errors of the parameters make of them: twice the standard error.
static flx_status write_points(flx_ctx *ctx, const flx_fit *f, const char *path)
{
    static const char *const names[] = {"measured", "fitted", "residual", "low", "high", "table"};
    static const char *const units[] = {"", "", "", "", "", ""};
    flx_sink *sink = NULL;
    const flx_result_info info = {.ncolumn = 6, .names = names, .units = units, .rows = f->npoint};
    flx_status status = flx_csv_sink_create(ctx, path, &sink);
    if (status == FLX_OK) status = sink->type->begin(sink, &info);
    for (int i = 0; i < f->npoint && status == FLX_OK; i++) {
        const flx_fit_point *p = f->points + i;
        const double row[] = {p->measured,
                              p->fitted,
                              p->fitted - p->measured,
                              p->fitted - 2.0 * p->error,
                              p->fitted + 2.0 * p->error,
                              p->table + 1};
        status = sink->type->row(sink, p->t, row);
    }
    if (status == FLX_OK) status = sink->type->end(sink, NULL);
    flx_sink_destroy(&sink);
    return status;
}

// ---- all of it ----------------------------------------------------------------------------------

static flx_status find(flx_ctx *ctx, flx_model *model, const optimise_options *o, rows *r,
                       flx_fit *f)
{
    double best[MOST];
    int n = 0;
    flx_fit_def def = flx_fit_def_default();
    while (flx_model_optimised(model, n)) n++;
    bool go_on = o->resume && n <= MOST && find_best(o->table, n, best, &r->before);
    if (o->resume && !go_on)
        cli_complain("optimise", "%s holds no row to go on from: begins anew", o->table);
    if (go_on) def.initial = best;
    if (!open_table(model, o, go_on, r)) return FLX_ERR_IO;
    def.evaluated = keep_row;
    def.user = r;
    flx_status status = flx_fit_find(model, &def, ctx, f);
    fclose(r->file);
    return status;
}

static int optimise(flx_ctx *ctx, const optimise_options *o)
{
    flx_model *model = NULL;
    flx_fit f = {0};
    rows r = {.o = o};
    flx_read_def def = flx_read_def_default();
    int code = EXIT_WRONG;
    def.nset = o->settings.count;
    def.settings = o->settings.items;
    flx_status status = cli_model_read_by(ctx, o->model, &def, &model);
    if (status == FLX_OK) status = flx_output_check(ctx, "the table", o->table);
    cli_catch_interrupt();
    if (status == FLX_OK && !flx_model_optimised(model, 0)) {
        cli_complain("optimise", "the model has no block 'optimise'; as\n"
                                 "    optimise: {parameters: {k: {from: 1, to: 10}}, fit: [{file: "
                                 "data.csv, signal: A.angle}]}");
        goto done;
    }
    if (status == FLX_OK && flx_model_goals(model) > 0) {
        const design_options design = {o->model, o->table, o->resume, o->quiet, o->threads};
        code = cli_design(ctx, model, &design);
        goto done;
    }
    if (status == FLX_OK) {
        status = find(ctx, model, o, &r, &f);
        code = status == FLX_ERR_MODEL || status == FLX_ERR_CANNOT ? EXIT_WRONG : EXIT_FAILED;
    }
    if (f.nparam > 0) {
        const char *path = cli_named_after(o->model, "_fit.csv");
        if (!o->quiet) tell(&f);
        flx_status written = path ? write_points(ctx, &f, path) : FLX_ERR_MEMORY;
        if (written == FLX_OK && !o->quiet)
            printf("evaluations are in %s, values in %s\n", o->table, path);
        if (status == FLX_OK) status = written;
    }
    if (status == FLX_OK) code = EXIT_DONE;
    fflush(stdout);
    cli_print_warnings(ctx, 0);
    cli_print_errors(ctx);

done:
    flx_fit_clear(&f);
    flx_model_destroy(&model);
    return code;
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    optimise_options o = {.threads = 1};
    const char *threads = NULL;
    cli_list rest = {0};
    const cli_option options[] = {
        {.name = "--csv", .value = &o.table},
        {.name = "--resume", .flag = &o.resume},
        {.name = "--threads", .value = &threads},
        {.name = "--set", .list = &o.settings},
        {.name = "--quiet", .letter = 'q', .flag = &o.quiet},
    };
    cli_parsed parsed = cli_parse(&cmd_optimise, argc, argv, 5, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (!cli_is_one_model(&cmd_optimise, &rest)) return EXIT_WRONG;
    if (threads && !cli_read_count("optimise", "--threads", threads, &o.threads)) return EXIT_WRONG;
    o.model = rest.items[0];
    if (!o.table) o.table = cli_named_after(o.model, "_optimise.csv");
    return o.table ? optimise(ctx, &o) : EXIT_FAILED;
}

const cli_command cmd_optimise = {
    .name = "optimise",
    .summary = "fit parameters to measured data, or optimise a design",
    .help = help_text,
    .run = run,
};
