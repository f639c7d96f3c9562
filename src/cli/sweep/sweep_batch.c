// sweep_batch.c - see sweep_batch.h. Every run begins where an ordinary one would: its start is that of a flx_run with its
// parameters. Of every batch 16 runs are made by ordinary runs as well, and have to agree.
#include "cli/sweep/sweep_batch.h"
#include "cli/plugins.h"
#include "cli/sweep/sweep_device.h"
#include "cli/sweep/sweep_starts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SHOWN 5 // runs that failed are told of one by one

struct sweep_batch {
    sweep_device device;
    sweep_job *job;
    long steps;
    double last;
    int *swept;        // (np) which swept parameter; -1: none; owned
    double *p, *z, *y; // owned: of one batch
    int told;          // failures
    int compared;      // runs that ordinary ones were made beside
    double run_seconds, difference;
};

// ---- parameters and steps ------------------------------------------------------------------------

static bool plan(sweep_batch *b, long most)
{
    const sweep_device *d = &b->device;
    const sweep_job *job = b->job;
    const char *name;
    int np = d->sizes[3];
    b->swept = calloc((size_t)np + 1, sizeof *b->swept);
    for (int k = 0; b->swept && k < np; k++) {
        b->swept[k] = -1;
        for (int i = 0; (name = flx_model_sweep_parameter(job->model, i)) != NULL; i++) {
            if (strcmp(name, d->parameters[k]) == 0) b->swept[k] = i;
        }
    }
    double count = d->duration[0] / d->duration[1];
    b->steps = (long)ceil(count - 1e-9);
    if (b->steps < 1) b->steps = 1;
    b->last = d->duration[0] - (double)(b->steps - 1) * d->duration[1];
    size_t runs = (size_t)(most < d->most_runs ? most : d->most_runs);
    b->p = calloc(runs * (size_t)(np + 1), sizeof *b->p);
    b->z = calloc(runs * (size_t)(d->sizes[0] + d->sizes[1] + d->sizes[2] + 1), sizeof *b->z);
    b->y = calloc(runs * (size_t)(d->sizes[4] + 1), sizeof *b->y);
    return b->swept && b->p && b->z && b->y;
}

// ---- ordinary runs -------------------------------------------------------------------------------

// In joint coordinates, with the swept parameters open: starts, and what a batch is compared with.
static int compile_ordinary(sweep_job *job)
{
    int n = 0;
    const char **names = sweep_job_swept(job->model, &n);
    flx_read_def def = flx_read_def_default();
    flx_compile_def how = flx_compile_def_default();
    def.nset = job->given;
    def.settings = job->settings.items;
    def.nopen = n;
    def.open = names;
    job->ctx = names ? flx_ctx_create() : NULL;
    flx_status status =
        job->ctx ? cli_model_read_by(job->ctx, job->path, &def, &job->open) : FLX_ERR_MEMORY;
    free(names);
    if (!job->ctx) return EXIT_FAILED;
    if (status == FLX_OK && flx_model_count(job->open, "bodies") > 0) how.formulation = "tree";
    if (status == FLX_OK) status = flx_system_compile(job->open, &how, job->ctx, &job->system);
    if (status == FLX_OK) status = flx_run_create(job->system, NULL, job->ctx, &job->run);
    cli_print_errors(job->ctx);
    return status == FLX_OK ? EXIT_DONE : cli_exit_of(status);
}

// Numbers of an ordinary run to its end.
static const double *run_ordinary(const sweep_job *job, int number)
{
    if (sweep_starts_begin(job, job->run, job->ctx, number) != FLX_OK ||
        flx_run_finish(job->run) != FLX_OK)
        return NULL;
    const flx_ledger *l = flx_run_ledger(job->run);
    return l->nmetric > 0 ? l->metrics : flx_run_outputs(job->run, NULL);
}

// Some of the batch again; its columns in proportion to their largest values.
static bool check(sweep_batch *b, int first, long n, const bool *bad)
{
    const sweep_device *d = &b->device;
    int ny = d->sizes[4];
    for (int c = 0; c < SWEEP_CHECKED && c < n; c++) {
        long r = n <= SWEEP_CHECKED ? c : c * (n - 1) / (SWEEP_CHECKED - 1);
        if (bad[r]) continue;
        const double *y = run_ordinary(b->job, first + (int)r);
        b->compared++;
        for (int k = 0; k < ny; k++) {
            const double *column = b->y + k * n;
            double size = sweep_column_size(n, ny, b->y, k);
            double off = y ? fabs(column[r] - y[k]) / size : HUGE_VAL;
            if (off > b->difference) b->difference = off;
            if (off <= SWEEP_AGREES) continue;
            cli_complain("sweep",
                         "run %ld: '%s' is %.12g in the batch, and %.12g by an ordinary run; the "
                         "motion may be one that magnifies rounding, or the step too long: sweep "
                         "without --device",
                         first + r + 1, d->numbers[k], column[r], y ? y[k] : (double)NAN);
            return false;
        }
    }
    return true;
}

// Of this process on a core, whatever else the machine does.
static double core_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A GPU is waited for, so there the clock on the wall counts.
static double seconds_of(const sweep_batch *b)
{
    return b->device.gpu ? sweep_clock() : core_seconds();
}

// ---- batches -------------------------------------------------------------------------------------

static int goes_on(void *user)
{
    sweep_job *job = user;
    if (job->beat) job->beat(job->user);
    return !cli_was_interrupted();
}

// Starts and parameters of n runs; false: they are not those of the equations.
static bool begin_runs(sweep_batch *b, int first, long n, const sweep_rows *rows, bool *bad)
{
    const sweep_device *d = &b->device;
    const sweep_starts starts = {.job = b->job, .device = d, .first = first, .n = n, .z = b->z};
    for (long r = 0; r < n; r++) {
        for (int k = 0; k < d->sizes[3]; k++) {
            b->p[k * n + r] =
                b->swept[k] < 0 ? d->defaults[k]
                                : flx_model_sweep_value(b->job->model, first + (int)r, b->swept[k]);
        }
    }
    return sweep_starts_make(&starts, rows, bad, goes_on, b->job);
}

static void find_bad(const sweep_batch *b, int first, long n, const sweep_rows *rows, bool *bad)
{
    char text[300];
    for (long r = 0; r < n; r++) {
        for (int k = 0; k < b->device.sizes[4] && !bad[r]; k++) {
            if (isfinite(b->y[k * n + r])) continue;
            bad[r] = true;
            snprintf(text, sizeof text, "'%.200s' is not finite at the end", b->device.numbers[k]);
            rows->failed(rows->user, first + (int)r, text);
        }
    }
}

static flx_status give_row(const sweep_batch *b, int first, long n, long r, bool bad,
                           const sweep_rows *rows)
{
    const char *name;
    sweep_table *t = &b->job->table;
    if (rows->alone) {
        t->nrow = 0;
        if (bad) return FLX_OK;
    }
    sweep_table_add_row(t);
    for (int i = 0; !t->failed && (name = flx_model_sweep_parameter(b->job->model, i)); i++) {
        sweep_table_set(t, name, flx_model_sweep_value(b->job->model, first + (int)r, i));
    }
    for (int k = 0; k < b->device.sizes[4] && !bad; k++)
        sweep_table_set(t, b->device.numbers[k], b->y[k * n + r]);
    if (!bad) sweep_table_set(t, "steps", (double)b->steps);
    if (t->failed) return FLX_ERR_MEMORY;
    return rows->done ? rows->done(rows->user, first + (int)r) : FLX_OK;
}

int sweep_batch_do(sweep_batch *b, int first, int count, const sweep_rows *rows)
{
    int code = EXIT_DONE;
    bool *bad = calloc((size_t)count + 1, sizeof *bad);
    if (!bad) return EXIT_FAILED;
    for (long n; count > 0 && code == EXIT_DONE && goes_on(b->job);
         first += (int)n, count -= (int)n) {
        n = count < b->device.most_runs ? count : b->device.most_runs;
        double began = seconds_of(b);
        memset(bad, 0, (size_t)n * sizeof *bad);
        if (!begin_runs(b, first, n, rows, bad)) code = EXIT_WRONG;
        if (!goes_on(b->job)) break;
        if (code == EXIT_DONE) {
            code = sweep_device_run(&b->device, b->steps, b->last, n, b->p, b->z, b->y, goes_on,
                                    b->job);
        }
        b->run_seconds += seconds_of(b) - began;
        if (code != EXIT_DONE) break;
        find_bad(b, first, n, rows, bad);
        if (!check(b, first, n, bad)) code = EXIT_FAILED;
        for (long r = 0; r < n && code == EXIT_DONE; r++) {
            if (give_row(b, first, n, r, bad[r], rows) != FLX_OK) code = EXIT_FAILED;
        }
    }
    free(bad);
    return code;
}

int sweep_batch_open(flx_ctx *ctx, sweep_job *job, const char *device, int most, bool quiet,
                     sweep_batch **made)
{
    sweep_batch *b = *made = calloc(1, sizeof *b);
    if (!b) return EXIT_FAILED;
    b->job = job;
    if (flx_model_sweep_analysis(job->model, 0) >= 0) {
        cli_complain("sweep", "batches are of runs: analyses are swept without --device");
        return EXIT_WRONG;
    }
    int code = sweep_device_open(ctx, job, device, quiet, &b->device);
    if (code != EXIT_DONE) return code;
    return plan(b, most) ? compile_ordinary(job) : EXIT_FAILED;
}

void sweep_batch_tell(const sweep_batch *b, int count)
{
    const sweep_device *d = &b->device;
    if (d->compile_seconds > 0.0) printf("compiled in %.1f s; ", d->compile_seconds);
    printf("%d runs of %ld steps in %.2f s%s, %.0f runs/s; ", count, b->steps, b->run_seconds,
           d->gpu ? "" : " of a core", count / b->run_seconds);
    if (b->compared > 0)
        printf("%d of each batch agree with ordinary runs to %.1e\n",
               count < SWEEP_CHECKED ? count : SWEEP_CHECKED, b->difference);
    else
        printf("all that would be compared with ordinary runs failed: nothing was compared\n");
    if (!d->gpu) return;
    printf("on the GPU %.3g s in %.0f launches, the longest %.2f s: %.3g steps/s; as many runs of "
           "each batch by the same equations on the processor differ by %.1e at most\n",
           d->gpu_seconds, d->launches, d->longest,
           (double)count * (double)b->steps / d->gpu_seconds, d->difference);
}

void sweep_batch_close(sweep_batch **made)
{
    sweep_batch *b = *made;
    if (!b) return;
    sweep_device_close(&b->device);
    free(b->swept);
    free(b->p);
    free(b->z);
    free(b->y);
    free(b);
    *made = NULL;
}

// ---- a table of all runs -------------------------------------------------------------------------

typedef struct failures {
    int count;
} failures;

static void tell_failure(void *user, int run, const char *text)
{
    failures *f = user;
    if (f->count++ < SHOWN) cli_complain("sweep", "run %d failed: %s", run + 1, text);
    if (f->count == SHOWN + 1) cli_complain("sweep", "further runs failed");
}

int sweep_batch_all(flx_ctx *ctx, sweep_job *job, const char *device, bool quiet, int *failed)
{
    sweep_batch *b = NULL;
    failures f = {0};
    const sweep_rows rows = {.user = &f, .failed = tell_failure};
    int count = flx_model_sweep_count(job->model);
    int code = sweep_batch_open(ctx, job, device, count, quiet, &b);
    if (code == EXIT_DONE) code = sweep_batch_do(b, 0, count, &rows);
    *failed = f.count;
    if (code == EXIT_DONE && !quiet && !cli_was_interrupted()) sweep_batch_tell(b, count);
    sweep_batch_close(&b);
    return code;
}
