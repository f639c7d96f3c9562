// sweep_folder.c - sweeps of many workers: a study folder begun, joined, looked at, gathered.
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): realpath
#include "cli/sweep/sweep_folder.h"

#include "cli/sweep/sweep_job.h"
#include "cli/sweep/sweep_report.h"
#include "cli/sweep/sweep_worker.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK 4.0        // seconds that a chunk should last
#define MOST_CHUNK 1000  // runs
#define MOST_BATCH 65536 // runs of a chunk that a device takes at once
#define MOST_WORKERS 1024
#define ALIVE 60.0 // seconds after its last row that a worker counts

// ---- gathering -----------------------------------------------------------------------------------

// The table of a study is that of one process: runs in order with their numbers, and a row for each that failed, of its
// parameters alone. A run that nobody has done yet has none.
typedef struct rows {
    flx_folder *folder;
    sweep_table t;
    int next; // the first run that was not looked at
} rows;

static flx_status add_row(rows *r, int run)
{
    sweep_table_add_row(&r->t);
    if (r->t.failed) return FLX_ERR_MEMORY;
    r->t.runs[r->t.nrow - 1] = run + 1;
    return FLX_OK;
}

// What its message says of the parameters: lines "name=value" behind it.
static flx_status add_failure(rows *r, int run)
{
    char name[SWEEP_PARAMETER];
    const char *line = flx_folder_failure(r->folder, run);
    if (!line) return FLX_OK;
    if (add_row(r, run) != FLX_OK) return FLX_ERR_MEMORY;
    while ((line = strchr(line, '\n')) != NULL) {
        char *end;
        size_t n = strcspn(++line, "=\n");
        if (line[n] != '=' || n >= sizeof name) continue;
        double value = strtod(line + n + 1, &end);
        if (end == line + n + 1 || *end != '\n') continue;
        snprintf(name, sizeof name, "%.*s", (int)n, line);
        sweep_table_set(&r->t, name, value);
    }
    return r->t.failed ? FLX_ERR_MEMORY : FLX_OK;
}

static flx_status add_failures(rows *r, int end)
{
    flx_status status = FLX_OK;
    for (; r->next < end && status == FLX_OK; r->next++) status = add_failure(r, r->next);
    return status;
}

static flx_status keep_row(void *user, int run, int n, const char *const *names,
                           const double *values)
{
    rows *r = user;
    flx_status status = add_failures(r, run);
    if (status == FLX_OK) status = add_row(r, run);
    r->next = run + 1;
    for (int i = 0; i < n && status == FLX_OK && !r->t.failed; i++)
        sweep_table_set(&r->t, names[i], values[i]);
    return r->t.failed ? FLX_ERR_MEMORY : status;
}

// The report of a sample, once all of its runs are there.
static flx_status report(flx_ctx *ctx, flx_folder *folder, const char *path, const sweep_table *t,
                         bool quiet)
{
    sweep_job job;
    flx_sample_info sample;
    char name[PATH_MAX];
    const flx_folder_plan *plan = flx_folder_get_plan(folder);
    if (t->nrow < plan->runs) return FLX_OK;
    if (flx_folder_check(folder) != FLX_OK) { // the model may be elsewhere, or another by now
        flx_ctx_clear_messages(ctx);
        return FLX_OK;
    }
    const cli_list settings = {plan->nsetting, (const char **)plan->settings};
    flx_status status = FLX_OK;
    if (sweep_job_open(ctx, plan->model, &settings, &job) == EXIT_DONE &&
        flx_model_sweep_sample(job.model, &sample)) {
        snprintf(name, sizeof name, "%.*s/report.csv", PATH_MAX - 20, path);
        status = sweep_report(ctx, job.model, t, &sample, quiet, name);
    }
    sweep_job_close(&job);
    return status;
}

static const char *name_table(const sweep_folder *f, const char *path)
{
    static char name[PATH_MAX];
    if (f->table) return f->table;
    snprintf(name, sizeof name, "%.*s/table.csv", PATH_MAX - 20, path);
    return name;
}

static void say_status(const char *path, const flx_folder_status *s)
{
    printf("%s: %d of %d runs done, %d failed; %d of %d chunks done, %d under way\n", path, s->done,
           s->runs, s->failed, s->finished, s->chunks, s->taken);
}

// The signals of all runs as one file; chunks that are not done are not in it.
static flx_status join_signals(flx_ctx *ctx, flx_folder *f, const char *path, bool pack, bool quiet)
{
    const flx_folder_plan *plan = flx_folder_get_plan(f);
    int n = (plan->runs + plan->chunk - 1) / plan->chunk;
    char name[PATH_MAX], (*names)[24] = calloc((size_t)n, sizeof *names);
    const char **files = calloc((size_t)n, sizeof *files);
    flx_status status = names && files ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = 0; i < n && status == FLX_OK; i++) {
        if (access(flx_folder_results(f, i * plan->chunk), R_OK) != 0) continue;
        snprintf(names[i], sizeof *names, "runs/%06d.h5", i);
        files[i] = names[i];
    }
    snprintf(name, sizeof name, "%.*s/study.h5", PATH_MAX - 20, path);
    if (status == FLX_OK)
        status = flx_series_join(ctx, name, plan->runs, plan->chunk, n, files, pack);
    if (status == FLX_OK && !quiet) printf("the signals are in %s\n", name);
    free(names);
    free(files);
    return status;
}

static int gather(flx_ctx *ctx, flx_folder *folder, const char *path, const sweep_folder *f)
{
    rows r = {.folder = folder};
    flx_folder_status s;
    const char *table = name_table(f, path);
    bool quiet = f->quiet || strcmp(table, "-") == 0;
    flx_status status = flx_folder_gather(folder, keep_row, &r, &s);
    if (status == FLX_OK) status = add_failures(&r, s.runs);
    if (status == FLX_OK && r.t.nrow > 0) status = sweep_table_write(&r.t, ctx, table);
    if (status == FLX_OK && !f->quiet) {
        say_status(path, &s);
        if (r.t.nrow > 0 && strcmp(table, "-") != 0) printf("the table is in %s\n", table);
    }
    if (status == FLX_OK && strcmp(table, "-") != 0)
        status = report(ctx, folder, path, &r.t, quiet);
    if (status == FLX_OK && flx_folder_get_plan(folder)->results)
        status = join_signals(ctx, folder, path, f->pack, quiet);
    cli_print_errors(ctx);
    sweep_table_clear(&r.t);
    if (status != FLX_OK) return cli_exit_of(status);
    return s.done == s.runs ? EXIT_DONE : EXIT_FAILED;
}

// Workers that still write, how fast all of them are, and how long the rest takes.
static void show_workers(flx_folder *f, const flx_folder_status *s)
{
    flx_folder_worker w;
    double rate = 0.0;
    int left = s->runs - s->done - s->failed;
    for (int i = 0; flx_folder_get_worker(f, i, &w); i++) {
        bool alive = left > 0 && w.silent < ALIVE;
        printf("  %-40.40s %8d rows", w.name, w.rows);
        if (w.seconds > 0.0 && w.rows > 1) printf(", %.4g runs/s", w.rows / w.seconds);
        if (left > 0) printf(", last row %.0f s ago", w.silent > 0.0 ? w.silent : 0.0);
        fputc('\n', stdout);
        if (alive && w.seconds > 0.0) rate += w.rows / w.seconds;
    }
    if (left > 0 && rate > 0.0)
        printf("  %.4g runs/s; %d are left, some %.3g s\n", rate, left, left / rate);
}

static void show_failures(flx_folder *f)
{
    int shown = 0;
    for (int run = 0; run < flx_folder_get_plan(f)->runs && shown < 5; run++) {
        const char *text = flx_folder_failure(f, run);
        if (!text) continue;
        int length = (int)strcspn(text, "\n");
        printf("  run %d failed: %.*s\n", run + 1, length, text);
        shown++;
    }
}

// ---- commands ------------------------------------------------------------------------------------

// Workers, and what was lost of earlier ones is done again.
static int do_work(flx_ctx *ctx, flx_folder *folder, const char *path, const sweep_workers *how)
{
    int lost = 0;
    flx_status status = flx_folder_mend(folder, &lost);
    cli_print_errors(ctx);
    if (status != FLX_OK) return cli_exit_of(status);
    if (lost > 0) printf("%s: the rows of %d runs are lost, and are done again\n", path, lost);
    cli_catch_interrupt();
    return sweep_workers_do(folder, path, how);
}

// What the options say of the workers.
static bool read_workers(const sweep_folder *f, sweep_workers *out)
{
    *out = (sweep_workers){.n = 1, .device = f->device};
    if (f->workers && !cli_read_count("sweep", "--workers", f->workers, &out->n)) return false;
    if (out->n > MOST_WORKERS) out->n = MOST_WORKERS;
    if (!cli_read_positive("sweep", "--limit", f->limit, &out->limit)) return false;
    if (!f->stop_after) return true;
    char *end;
    double part = strtod(f->stop_after, &end);
    if (end != f->stop_after && strcmp(end, "%") == 0 && part > 0.0 && part < 100.0) {
        out->stop_after = part / 100.0;
        return true;
    }
    cli_complain("sweep", "--stop-after needs a part of the runs that may fail, as 20%%, not '%s'",
                 f->stop_after);
    return false;
}

int sweep_folder_do(flx_ctx *ctx, const sweep_folder *f, const cli_list *rest)
{
    const char *path = f->join ? f->join : f->status ? f->status : f->gather ? f->gather : f->retry;
    flx_folder *folder = NULL;
    sweep_workers how;
    int count = 0, code = EXIT_DONE;
    if (rest->count > 0 || f->into || f->slurm || f->results || f->settings->count > 0) {
        cli_complain("sweep", "a study knows its model and its settings: give the folder alone");
        return EXIT_WRONG;
    }
    if (!read_workers(f, &how)) return EXIT_WRONG;
    if (flx_folder_open(ctx, path, &folder) != FLX_OK) {
        cli_print_errors(ctx);
        return EXIT_WRONG;
    }
    if (f->join) code = do_work(ctx, folder, path, &how);
    if (f->status) {
        flx_folder_status s;
        flx_status status = flx_folder_gather(folder, NULL, NULL, &s);
        if (status == FLX_OK) {
            say_status(path, &s);
            show_workers(folder, &s);
            show_failures(folder);
        }
        cli_print_errors(ctx);
        code = cli_exit_of(status);
    }
    if (f->gather) code = gather(ctx, folder, path, f);
    if (f->retry) {
        flx_status status = flx_folder_retry(folder, &count);
        if (status == FLX_OK) printf("%s: %d runs that failed are to be done again\n", path, count);
        code = cli_exit_of(status);
    }
    flx_folder_close(&folder);
    return code;
}

// How many runs last as long as a chunk should, by the time of the first; the table forgets it.
static int find_chunk(sweep_job *job, int workers)
{
    flx_ctx *told = NULL;
    int n = flx_model_sweep_count(job->model), most = n / (4 * workers) + 1;
    sweep_job_compile(job);
    (void)sweep_job_do(job, 0, &told); // it may fail: the study says why
    double seconds = sweep_clock() - job->began;
    int chunk = seconds > 0.0 ? (int)fmin(MOST_CHUNK, CHUNK / seconds) : MOST_CHUNK;
    if (chunk > most) chunk = most;
    return chunk < 1 ? 1 : chunk;
}

// As many as fill a device, and a share for all workers; others may join.
static int find_batch(const sweep_job *job, int workers)
{
    int most = flx_model_sweep_count(job->model) / (2 * workers) + 1;
    return most < MOST_BATCH ? most : MOST_BATCH;
}

static flx_status make_study(flx_ctx *ctx, const sweep_folder *f, sweep_job *job, int workers)
{
    char whole[PATH_MAX];
    flx_folder *old = NULL;
    if (!realpath(job->path, whole)) return FLX_ERR_IO;
    flx_folder_plan plan = {.model = whole,
                            .nsetting = f->settings->count,
                            .settings = f->settings->items,
                            .runs = flx_model_sweep_count(job->model),
                            .results = f->results};
    flx_status status = flx_folder_hash(ctx, whole, &plan.hash);
    if (status != FLX_OK) return status;
    struct stat is;
    if (stat(f->into, &is) == 0 && flx_folder_open(ctx, f->into, &old) == FLX_OK) {
        plan.chunk = flx_folder_get_plan(old)->chunk; // the same study goes on
        flx_folder_close(&old);
    } else {
        flx_ctx_clear_messages(ctx);
        plan.chunk = f->device ? find_batch(job, workers) : find_chunk(job, workers);
    }
    return flx_folder_create(ctx, f->into, &plan);
}

// A name as one word of a shell: 'it'\''s'. NULL: it is too long.
static const char *quote(const char *name, size_t room, char *out)
{
    size_t n = 0;
    for (out[n++] = '\''; *name && n + 6 < room; name++) {
        if (*name != '\'') {
            out[n++] = *name;
            continue;
        }
        memcpy(out + n, "'\\''", 4);
        n += 4;
    }
    out[n++] = '\'';
    out[n] = '\0';
    return *name ? NULL : out;
}

// A job of an array of workers, each of which joins.
static int write_job(flx_ctx *ctx, const sweep_folder *f, int workers)
{
    char path[PATH_MAX], folder[PATH_MAX], command[3 * PATH_MAX], word[2 * PATH_MAX];
    flx_output *o = NULL;
    if (!realpath(f->into, folder) || !quote(folder, sizeof word, word)) return EXIT_FAILED;
    if (strpbrk(folder, "\"\\\n")) { // no way to write it behind #SBATCH
        cli_complain("sweep", "a job's folder has no quotes, backslashes or line ends in its name");
        return EXIT_WRONG;
    }
    snprintf(path, sizeof path, "%.*s/job.sh", PATH_MAX - 20, folder);
    if (flx_output_create(ctx, "the job", path, &o) != FLX_OK) {
        cli_print_errors(ctx);
        return EXIT_WRONG;
    }
    fprintf(flx_output_file(o),
            "#!/bin/sh\n#SBATCH --array=0-%d\n#SBATCH --requeue\n#SBATCH --ntasks=1\n"
            "#SBATCH --output=\"%s/job-%%A_%%a.log\"\n"
            "# when the job ends, so that no chunk is begun that would not end; where it is not "
            "told, it is asked for\n"
            "end=${SLURM_JOB_END_TIME:-$(scontrol show job \"$SLURM_JOB_ID\" 2>/dev/null | "
            "sed -n 's/.*EndTime=\\([0-9][^ ]*\\).*/\\1/p' | head -n 1)}\n"
            "case $end in *T*) end=$(date -d \"$end\" +%%s 2>/dev/null) ;; esac\n"
            "[ -z \"$end\" ] || export SLURM_JOB_END_TIME=\"$end\"\n"
            "OPENBLAS_NUM_THREADS=1 exec flexion sweep --join %s "
            "--workers \"${SLURM_CPUS_PER_TASK:-1}\"%s%s%s%s\n",
            workers - 1, folder, word, f->limit ? " --limit " : "", f->limit ? f->limit : "",
            f->stop_after ? " --stop-after " : "", f->stop_after ? f->stop_after : "");
    if (flx_output_close(&o, FLX_OK) != FLX_OK) {
        cli_print_errors(ctx);
        return EXIT_FAILED;
    }
    if (!quote(path, sizeof word, word)) return EXIT_FAILED;
    snprintf(command, sizeof command, "sbatch %.*s %s", PATH_MAX / 2, f->slurm, word);
    printf("%s\n", command);
    if (f->dry) return EXIT_DONE;
    int status = system(command);
    if (status == 0) return EXIT_DONE;
    cli_complain("sweep", "'%s' did not submit the job; it is in %s", command, path);
    return EXIT_FAILED;
}

int sweep_folder_start(flx_ctx *ctx, const sweep_folder *f, const char *model)
{
    sweep_job job;
    sweep_workers how;
    if (!f->into) {
        cli_complain("sweep", "workers share a study folder: name it with --into FOLDER");
        return EXIT_WRONG;
    }
    if (!read_workers(f, &how)) return EXIT_WRONG;
    if (f->results && f->device) {
        cli_complain("sweep", "batches keep no signals: leave --results or --device out");
        return EXIT_WRONG;
    }
    int code = sweep_job_open(ctx, model, f->settings, &job);
    if (code == EXIT_DONE && flx_model_sweep_analysis(job.model, 0) >= 0) {
        cli_complain("sweep", "modes go on from run to run, so analyses are swept by one process: "
                              "leave --into out");
        code = EXIT_WRONG;
    }
    if (code == EXIT_DONE) {
        job.limit = how.limit;
        flx_status status = make_study(ctx, f, &job, how.n);
        cli_print_errors(ctx);
        if (status != FLX_OK) code = cli_exit_of(status);
    }
    sweep_job_close(&job);
    if (code != EXIT_DONE) return code;
    if (f->slurm) return write_job(ctx, f, how.n);
    flx_folder *folder = NULL;
    if (flx_folder_open(ctx, f->into, &folder) != FLX_OK) {
        cli_print_errors(ctx);
        return EXIT_FAILED;
    }
    if (f->dry) {
        const flx_folder_plan *plan = flx_folder_get_plan(folder);
        printf("%s: %d runs, %d to a chunk; flexion sweep --join '%s' does them\n", f->into,
               plan->runs, plan->chunk, f->into);
        flx_folder_close(&folder);
        return EXIT_DONE;
    }
    code = do_work(ctx, folder, f->into, &how);
    int told = gather(ctx, folder, f->into, f);
    if (told == EXIT_FAILED && !f->quiet) show_failures(folder);
    flx_folder_close(&folder);
    return code > told ? code : told;
}
