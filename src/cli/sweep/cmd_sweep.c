// cmd_sweep.c - flexion sweep: the run, or analyses, of a model for many values of its parameters.
#include "cli/cli.h"
#include "cli/sweep/sweep_batch.h"
#include "cli/sweep/sweep_folder.h"
#include "cli/sweep/sweep_job.h"
#include "cli/sweep/sweep_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: flexion sweep MODEL [--csv FILE] [--set NAME=VALUE]... [--quiet]\n"
    "       flexion sweep MODEL --into FOLDER [--workers N] [OPTIONS]\n"
    "       flexion sweep --join | --status | --gather | --retry FOLDER\n"
    "Do what the block 'sweep' of a model says: the run, or the analyses that it\n"
    "names, for all values of its parameters. A run gives its metrics, or the last\n"
    "values of its signals where it has none; an analysis eigenvalues, load factors\n"
    "or signals at equilibrium: a line of the table. One that fails says why.\n"
    "  --csv FILE        where the table goes; default: the model's name with\n"
    "                    _sweep.csv, in the current folder; - is the standard output\n"
    "  --set NAME=VALUE  override a parameter that is not swept; may be repeated\n"
    "  --quiet           say nothing but errors\n"
    "  --device NAME     by compiled batches, on the processor (cpu) or a GPU (cuda):\n"
    "                    steps of rk4, dopri5 or midpoint; also with --into, --join\n"
    "  --into FOLDER     share the runs among workers: --workers N here, others join\n"
    "  --limit S         give up a run of a shared sweep after S seconds\n"
    "  --stop-after P%   end a shared sweep where more than P per cent of runs fail\n"
    "  --results         keep the signals of all runs, in FOLDER/study.h5; --pack,\n"
    "                    also of --gather: copied into one array, quicker to read\n"
    "  --slurm WORDS     workers as a job of sbatch WORDS\n"
    "  --dry-run         make the study folder, and show the job, but do nothing\n"
    "Example: eigenvalues of a bicycle over its speed, as a drawing\n"
    "  flexion sweep examples/bicycle.yaml\n"
    "  flexion plot bicycle_sweep.csv 'weave.re' --x v\n"
    "Exit status: 0 done, 1 a computation failed, 2 the input is wrong.\n";

typedef struct sweep_options {
    const char *table, *device;
    bool quiet;
    bool sampled; // rows are too many to look at
    cli_list settings;
} sweep_options;

// The last row of the table, under the names of its columns where it is the first.
static void print_row(const sweep_options *o, const sweep_table *t)
{
    FILE *f = o->table && strcmp(o->table, "-") == 0 ? stderr : stdout;
    if (o->quiet) return;
    if (t->nrow == 1) {
        fprintf(f, "%6s", "run");
        for (int k = 0; k < t->ncolumn; k++) fprintf(f, " %14s", t->names[k]);
        fputc('\n', f);
    }
    fprintf(f, "%6d", t->nrow);
    for (int k = 0; k < t->ncolumn; k++) {
        double value = t->values[(size_t)(t->nrow - 1) * (size_t)t->width + (size_t)k];
        if (isnan(value)) {
            fprintf(f, " %14s", "-");
        } else {
            fprintf(f, " %14.6g", value);
        }
    }
    fputc('\n', f);
    fflush(f);
}

// How many failed; -1: no memory.
static int do_all(sweep_job *job, const sweep_options *o)
{
    int failed = 0, n = flx_model_sweep_count(job->model);
    for (int run = 0; run < n && !cli_was_interrupted(); run++) {
        flx_ctx *told = NULL;
        flx_status status = sweep_job_do(job, run, &told);
        if (job->table.failed || !told) return -1;
        if (status == FLX_OK) {
            if (!o->sampled) print_row(o, &job->table);
        } else if (status != FLX_INTERRUPTED) {
            cli_complain("sweep", "run %d of %d failed:", run + 1, n);
            cli_print_errors(told);
            failed++;
        }
    }
    return failed;
}

static int sweep(flx_ctx *ctx, const char *model, const sweep_options *o)
{
    sweep_job job;
    int code = sweep_job_open(ctx, model, &o->settings, &job);
    if (code == EXIT_DONE && flx_output_check(ctx, "the table", o->table) != FLX_OK) {
        cli_print_errors(ctx);
        code = EXIT_WRONG;
    }
    if (code != EXIT_DONE) {
        sweep_job_close(&job);
        return code;
    }
    code = EXIT_FAILED;
    cli_catch_interrupt();
    const sweep_table *t = &job.table;
    flx_sample_info sample;
    sweep_options with = *o;
    with.sampled = flx_model_sweep_sample(job.model, &sample);
    int failed = 0;
    flx_status status = FLX_OK;
    if (o->device) {
        code = sweep_batch_all(ctx, &job, o->device, o->quiet, &failed);
        if (code != EXIT_DONE) {
            sweep_job_close(&job);
            return code;
        }
        code = EXIT_FAILED;
    } else {
        sweep_job_compile(&job);
        failed = do_all(&job, &with);
    }
    if (failed < 0) cli_complain("sweep", "out of memory");
    if (t->nrow > 0 && t->ncolumn > 0) status = sweep_table_write(t, ctx, o->table);
    cli_print_errors(ctx);
    if (status == FLX_OK && !o->quiet && strcmp(o->table, "-") != 0) {
        printf("%d runs, %d failed; the table is in %s\n", t->nrow, failed, o->table);
    }
    if (status == FLX_OK && with.sampled && t->nrow == flx_model_sweep_count(job.model) &&
        strcmp(o->table, "-") != 0) {
        const char *path = cli_named_after(model, "_report.csv");
        status = path ? sweep_report(ctx, job.model, t, &sample, o->quiet, path) : FLX_ERR_MEMORY;
        cli_print_errors(ctx);
    }
    if (cli_was_interrupted()) {
        cli_complain("sweep", "interrupted after %d of %d runs", t->nrow,
                     flx_model_sweep_count(job.model));
    }
    if (status == FLX_OK && failed == 0 && !cli_was_interrupted()) code = EXIT_DONE;
    sweep_job_close(&job);
    return code;
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    sweep_options o = {0};
    sweep_folder f = {0};
    cli_list rest = {0};
    const cli_option options[] = {
        {.name = "--csv", .value = &o.table},
        {.name = "--set", .list = &o.settings},
        {.name = "--quiet", .letter = 'q', .flag = &o.quiet},
        {.name = "--device", .value = &o.device},
        {.name = "--into", .value = &f.into},
        {.name = "--workers", .value = &f.workers},
        {.name = "--limit", .value = &f.limit},
        {.name = "--stop-after", .value = &f.stop_after},
        {.name = "--results", .flag = &f.results},
        {.name = "--pack", .flag = &f.pack},
        {.name = "--slurm", .value = &f.slurm},
        {.name = "--dry-run", .flag = &f.dry},
        {.name = "--join", .value = &f.join},
        {.name = "--status", .value = &f.status},
        {.name = "--gather", .value = &f.gather},
        {.name = "--retry", .value = &f.retry},
    };
    cli_parsed parsed =
        cli_parse(&cmd_sweep, argc, argv, sizeof options / sizeof options[0], options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    f.table = o.table;
    f.quiet = o.quiet;
    f.device = o.device;
    f.settings = &o.settings;
    if (f.join || f.status || f.gather || f.retry) return sweep_folder_do(ctx, &f, &rest);
    if (!cli_is_one_model(&cmd_sweep, &rest)) return EXIT_WRONG;
    if (o.device && f.slurm) {
        cli_complain("sweep",
                     "--slurm writes a job of ordinary workers: leave it out, and let "
                     "'flexion sweep --join FOLDER --device %s' join on the nodes",
                     o.device);
        return EXIT_WRONG;
    }
    if (f.into || f.workers || f.slurm || f.results || f.pack || f.stop_after)
        return sweep_folder_start(ctx, &f, rest.items[0]);
    if (!o.table) o.table = cli_named_after(rest.items[0], "_sweep.csv");
    return o.table ? sweep(ctx, rest.items[0], &o) : EXIT_FAILED;
}

const cli_command cmd_sweep = {
    .name = "sweep",
    .summary = "run a model for many values of its parameters",
    .help = help_text,
    .run = run,
};
