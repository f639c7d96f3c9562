// sweep_folder.c - sweeps of many workers: a study folder begun, joined, looked at, gathered.
//
// A worker is two processes: one that does the runs, and its parent, which notes a run that has ended it as failed and
// begins another. So a crash costs one run.
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): MAP_ANONYMOUS, realpath
#include "cli/sweep/sweep_folder.h"

#include "cli/sweep/sweep_batch.h"
#include "cli/sweep/sweep_job.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BEAT 5.0         // seconds between two touches of a claim
#define CHUNK 4.0        // seconds that a chunk should last
#define MOST_CHUNK 1000  // runs
#define MOST_BATCH 65536 // runs of a chunk that a device takes at once
#define MOST_WORKERS 1024
#define MOST_IDLE 10 // workers that were killed while they did no run
#define NONE (-1)

// What a worker tells its parent, in shared memory.
typedef struct shared {
    volatile int run;   // that it does; NONE
    volatile int first; // of the chunk that it has claimed; NONE
    volatile int ended; // nothing is left to do
} shared;

// ---- one worker ----------------------------------------------------------------------------------

typedef struct worker {
    flx_folder *folder;
    sweep_job job;
    shared *told;
    double last;        // touch
    sweep_batch *batch; // owned; NULL: runs are done one by one
} worker;

static void beat(void *user)
{
    worker *w = user;
    double now = sweep_clock();
    if (now - w->last < BEAT) return;
    w->last = now;
    flx_folder_touch(w->folder);
}

// The first message of a failed run, with its parameters.
static flx_status note_failure(worker *w, int run, const flx_ctx *told, flx_status status)
{
    char text[2000];
    const flx_message *m = told ? flx_ctx_error(told, 0) : NULL;
    int n = snprintf(text, sizeof text, "%s\n",
                     w->job.late ? "the run took longer than --limit allows"
                     : m         ? m->text
                                 : flx_status_text(status));
    for (int i = w->job.given; i < w->job.settings.count && n < (int)sizeof text; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "%s\n", w->job.settings.items[i]);
    }
    return flx_folder_add_failure(w->folder, run, text);
}

static flx_status do_run(worker *w, int run)
{
    flx_ctx *told = NULL;
    sweep_table *t = &w->job.table;
    if (flx_folder_has_failed(w->folder, run)) return FLX_OK;
    t->nrow = 0; // one row at a time; columns that a run does not fill are not known
    for (int k = 0; k < t->ncolumn; k++) t->values[k] = (double)NAN;
    w->told->run = run;
    flx_status status = sweep_job_do(&w->job, run, &told);
    w->told->run = NONE;
    if (status == FLX_ERR_MEMORY) return status;
    if (cli_was_interrupted()) return FLX_INTERRUPTED;
    if (status != FLX_OK) return note_failure(w, run, told, status);
    return flx_folder_add_row(w->folder, run, t->ncolumn, (const char *const *)t->names, t->values);
}

// A run of a batch that failed, with its parameters; where that cannot be written the run stays undone, and gathering says so.
static void note_batch_failure(void *user, int run, const char *why)
{
    worker *w = user;
    char text[2000];
    const char *name;
    int n = snprintf(text, sizeof text, "%.500s\n", why);
    for (int i = 0; (name = flx_model_sweep_parameter(w->job.model, i)) && n < (int)sizeof text;
         i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "%s=%.17g\n", name,
                      flx_model_sweep_value(w->job.model, run, i));
    }
    (void)flx_folder_add_failure(w->folder, run, text);
}

static flx_status keep_batch_row(void *user, int run)
{
    worker *w = user;
    const sweep_table *t = &w->job.table;
    return flx_folder_add_row(w->folder, run, t->ncolumn, (const char *const *)t->names, t->values);
}

static flx_status do_batch(worker *w, int first, int end)
{
    const sweep_rows rows = {w, true, keep_batch_row, note_batch_failure};
    int code = sweep_batch_do(w->batch, first, end - first, &rows);
    if (cli_was_interrupted()) return FLX_INTERRUPTED;
    return code == EXIT_DONE ? FLX_OK : FLX_ERR_CANNOT;
}

static void wait_for_others(void)
{
    const struct timespec second = {1, 0};
    nanosleep(&second, NULL);
}

static flx_status work(worker *w)
{
    for (;;) {
        int first, end, waits;
        flx_status status = flx_folder_claim(w->folder, &first, &end, &waits);
        if (cli_was_interrupted()) return FLX_INTERRUPTED;
        if (status == FLX_STOPPED) return FLX_OK;
        if (status != FLX_OK) return status;
        if (waits) {
            wait_for_others();
            continue;
        }
        w->told->first = first;
        if (w->batch) status = do_batch(w, first, end);
        for (int run = first; !w->batch && status == FLX_OK && run < end; run++) {
            status = do_run(w, run);
            beat(w);
        }
        if (status != FLX_OK) {
            flx_folder_give_back(w->folder);
            return status;
        }
        status = flx_folder_finish_chunk(w->folder);
        w->told->first = NONE;
        if (status != FLX_OK) return status;
    }
}

// The folder, and the model of its plan, which must be as it was.
static int open_worker(flx_ctx *ctx, const char *path, double limit, worker *w)
{
    uint64_t hash = 0;
    if (flx_folder_open(ctx, path, &w->folder) != FLX_OK) {
        cli_print_errors(ctx);
        return EXIT_WRONG;
    }
    const flx_folder_plan *plan = flx_folder_get_plan(w->folder);
    if (flx_folder_hash(ctx, plan->model, &hash) != FLX_OK) {
        cli_print_errors(ctx);
        return EXIT_WRONG;
    }
    if (hash != plan->hash) {
        cli_complain("sweep",
                     "'%s' has changed since the study in '%s' was planned; name another "
                     "folder with --into",
                     plan->model, path);
        return EXIT_WRONG;
    }
    cli_list settings = {plan->nsetting, (const char **)plan->settings};
    int code = sweep_job_open(ctx, plan->model, &settings, &w->job);
    w->job.beat = beat;
    w->job.user = w;
    w->job.limit = limit;
    return code;
}

// In a process of its own: never returns.
static void be_worker(const char *path, double limit, const char *device, shared *told)
{
    flx_ctx *ctx = flx_ctx_create();
    worker w = {.told = told};
    int code = ctx ? open_worker(ctx, path, limit, &w) : EXIT_FAILED;
    if (code == EXIT_DONE && device) {
        code = sweep_batch_open(ctx, &w.job, device, flx_folder_get_plan(w.folder)->chunk, true,
                                &w.batch);
    }
    if (code == EXIT_DONE) {
        if (!device) sweep_job_compile(&w.job);
        flx_status status = work(&w);
        if (status != FLX_OK && status != FLX_INTERRUPTED) {
            cli_print_errors(ctx);
            code = EXIT_FAILED;
        }
        told->ended = 1;
    }
    sweep_batch_close(&w.batch);
    sweep_job_close(&w.job);
    flx_folder_close(&w.folder);
    flx_ctx_destroy(&ctx);
    fflush(NULL);
    _exit(code);
}

// ---- its parent ----------------------------------------------------------------------------------

static void note_crash(flx_folder *f, int run, int status)
{
    char text[200];
    snprintf(text, sizeof text, "the process ended by signal %d\n", WTERMSIG(status));
    (void)flx_folder_add_failure(f, run, text);
}

static pid_t begin_worker(const char *path, double limit, const char *device, shared *told)
{
    *told = (shared){.run = NONE, .first = NONE};
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) be_worker(path, limit, device, told);
    return pid;
}

// n workers until nothing is left; those that crash are begun again. The worst exit status.
static int supervise(flx_folder *f, const char *path, int n, double limit, const char *device)
{
    int code = EXIT_DONE, alive = 0, idle = 0, killed = NONE;
    pid_t *pids = calloc((size_t)n, sizeof *pids);
    shared *told = mmap(NULL, (size_t)n * sizeof *told, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!pids || told == MAP_FAILED) return EXIT_FAILED;
    for (int i = 0; i < n; i++) {
        pids[i] = begin_worker(path, limit, device, told + i);
        if (pids[i] > 0) alive++;
    }
    if (alive == 0) code = EXIT_FAILED;
    while (alive > 0) {
        int status = 0, i = 0;
        pid_t pid = wait(&status);
        if (pid < 0 && errno == EINTR) continue; // the workers have the signal as well
        if (pid < 0) break;
        while (i < n && pids[i] != pid) i++;
        if (i == n) continue;
        alive--;
        if (WIFEXITED(status) && WEXITSTATUS(status) > code) code = WEXITSTATUS(status);
        if (!WIFSIGNALED(status) || cli_was_interrupted()) continue;
        if (told[i].first != NONE) flx_folder_release(f, told[i].first);
        if (told[i].run == NONE && WTERMSIG(status) != SIGKILL) { // it would happen again
            code = EXIT_FAILED;
            continue;
        }
        // who kills a process means the machine as a rule; a run that is killed twice means itself
        bool again = WTERMSIG(status) == SIGKILL && told[i].run != killed;
        if (told[i].run == NONE && ++idle > MOST_IDLE) {
            code = EXIT_FAILED;
            continue;
        }
        if (told[i].run != NONE && !again) note_crash(f, told[i].run, status);
        if (told[i].run != NONE) killed = told[i].run;
        pids[i] = begin_worker(path, limit, device, told + i);
        if (pids[i] > 0) alive++;
    }
    munmap(told, (size_t)n * sizeof *told);
    free(pids);
    return cli_was_interrupted() && code == EXIT_DONE ? EXIT_FAILED : code;
}

// ---- gathering -----------------------------------------------------------------------------------

static flx_status keep_row(void *user, int run, int n, const char *const *names,
                           const double *values)
{
    sweep_table *t = user;
    (void)run;
    sweep_table_add_row(t);
    for (int i = 0; i < n && !t->failed; i++) sweep_table_set(t, names[i], values[i]);
    return t->failed ? FLX_ERR_MEMORY : FLX_OK;
}

static void say_status(const char *path, const flx_folder_status *s)
{
    printf("%s: %d of %d runs done, %d failed; %d of %d chunks done, %d under way\n", path, s->done,
           s->runs, s->failed, s->finished, s->chunks, s->taken);
}

static int gather(flx_ctx *ctx, flx_folder *folder, const char *path, const char *table, bool quiet)
{
    sweep_table t = {0};
    flx_folder_status s;
    flx_status status = flx_folder_gather(folder, keep_row, &t, &s);
    if (status == FLX_OK && t.nrow > 0) status = sweep_table_write(&t, ctx, table);
    if (status == FLX_OK && !quiet) {
        say_status(path, &s);
        if (t.nrow > 0 && strcmp(table, "-") != 0) printf("the table is in %s\n", table);
    }
    cli_print_errors(ctx);
    sweep_table_clear(&t);
    if (status != FLX_OK) return cli_exit_of(status);
    return s.done == s.runs ? EXIT_DONE : EXIT_FAILED;
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

static const char *name_table(const sweep_folder *f, const char *path)
{
    static char name[PATH_MAX];
    if (f->table) return f->table;
    snprintf(name, sizeof name, "%.*s/table.csv", PATH_MAX - 20, path);
    return name;
}

static bool read_limit(const sweep_folder *f, double *limit)
{
    *limit = 0.0;
    return cli_read_positive("sweep", "--limit", f->limit, limit);
}

int sweep_folder_do(flx_ctx *ctx, const sweep_folder *f, const cli_list *rest)
{
    const char *path = f->join ? f->join : f->status ? f->status : f->gather ? f->gather : f->retry;
    flx_folder *folder = NULL;
    double limit;
    int count = 0, code = EXIT_DONE;
    if (rest->count > 0 || f->into || f->slurm || f->settings->count > 0) {
        cli_complain("sweep", "a study knows its model and its settings: give the folder alone");
        return EXIT_WRONG;
    }
    if (!read_limit(f, &limit)) return EXIT_WRONG;
    if (flx_folder_open(ctx, path, &folder) != FLX_OK) {
        cli_print_errors(ctx);
        return EXIT_WRONG;
    }
    if (f->join) {
        int n = 1;
        if (f->workers && !cli_read_count("sweep", "--workers", f->workers, &n)) {
            code = EXIT_WRONG;
        } else {
            cli_catch_interrupt();
            n = n < MOST_WORKERS ? n : MOST_WORKERS;
            code = supervise(folder, path, n, limit, f->device);
        }
    }
    if (f->status) {
        flx_folder_status s;
        flx_status status = flx_folder_gather(folder, NULL, NULL, &s);
        if (status == FLX_OK) say_status(path, &s);
        if (status == FLX_OK) show_failures(folder);
        cli_print_errors(ctx);
        code = cli_exit_of(status);
    }
    if (f->gather) code = gather(ctx, folder, path, name_table(f, path), f->quiet);
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
                            .runs = flx_model_sweep_count(job->model)};
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

// A job of an array of workers, each of which joins.
static int write_job(flx_ctx *ctx, const sweep_folder *f, int workers)
{
    char path[PATH_MAX], folder[PATH_MAX], command[2 * PATH_MAX];
    flx_output *o = NULL;
    if (!realpath(f->into, folder)) return EXIT_FAILED;
    snprintf(path, sizeof path, "%.*s/job.sh", PATH_MAX - 20, folder);
    if (flx_output_create(ctx, "the job", path, &o) != FLX_OK) {
        cli_print_errors(ctx);
        return EXIT_WRONG;
    }
    fprintf(flx_output_file(o),
            "#!/bin/sh\n#SBATCH --array=0-%d\n#SBATCH --requeue\n#SBATCH --ntasks=1\n"
            "#SBATCH --output=\"%s/job-%%A_%%a.log\"\nOPENBLAS_NUM_THREADS=1 exec flexion sweep "
            "--join "
            "'%s' --workers \"${SLURM_CPUS_PER_TASK:-1}\"%s%s\n",
            workers - 1, folder, folder, f->limit ? " --limit " : "", f->limit ? f->limit : "");
    if (flx_output_close(&o, FLX_OK) != FLX_OK) {
        cli_print_errors(ctx);
        return EXIT_FAILED;
    }
    snprintf(command, sizeof command, "sbatch %s '%s'", f->slurm, path);
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
    int n = 1;
    double limit;
    if (!f->into) {
        cli_complain("sweep", "workers share a study folder: name it with --into FOLDER");
        return EXIT_WRONG;
    }
    if (!read_limit(f, &limit)) return EXIT_WRONG;
    if (f->workers && !cli_read_count("sweep", "--workers", f->workers, &n)) return EXIT_WRONG;
    if (n > MOST_WORKERS) n = MOST_WORKERS;
    int code = sweep_job_open(ctx, model, f->settings, &job);
    if (code == EXIT_DONE && flx_model_sweep_analysis(job.model, 0) >= 0) {
        cli_complain("sweep", "modes go on from run to run, so analyses are swept by one process: "
                              "leave --into out");
        code = EXIT_WRONG;
    }
    if (code == EXIT_DONE) {
        job.limit = limit;
        flx_status status = make_study(ctx, f, &job, n);
        cli_print_errors(ctx);
        if (status != FLX_OK) code = cli_exit_of(status);
    }
    sweep_job_close(&job);
    if (code != EXIT_DONE) return code;
    if (f->slurm) return write_job(ctx, f, n);
    flx_folder *folder = NULL;
    if (flx_folder_open(ctx, f->into, &folder) != FLX_OK) {
        cli_print_errors(ctx);
        return EXIT_FAILED;
    }
    cli_catch_interrupt();
    code = supervise(folder, f->into, n, limit, f->device);
    int told = gather(ctx, folder, f->into, name_table(f, f->into), f->quiet);
    if (told == EXIT_FAILED && !f->quiet) show_failures(folder);
    flx_folder_close(&folder);
    return code > told ? code : told;
}
