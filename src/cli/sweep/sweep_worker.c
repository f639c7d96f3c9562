// sweep_worker.c - workers at a study folder.
//
// A worker is two processes: one that does the runs, and its parent, which notes a run that has ended it as failed and
// begins another. So a crash costs one run.
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): MAP_ANONYMOUS
#include "cli/sweep/sweep_worker.h"

#include "cli/sweep/sweep_batch.h"
#include "cli/sweep/sweep_job.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BEAT 5.0     // seconds between two touches of a claim
#define MOST_IDLE 10 // workers that were killed while they did no run
#define FEW 5        // failures that say nothing yet about a study
#define SPARE 1.5    // times the longest chunk has to be left of a job
#define NONE (-1)
#define LINES 2000 // characters of the parameters of a run

// What a worker tells its parent, in shared memory.
typedef struct shared {
    volatile int run;   // that it does; NONE
    volatile int first; // of the chunk that it has claimed; NONE
    volatile int ended; // nothing is left to do
    char values[LINES]; // parameters of that run, as its failure has them
} shared;

// ---- one worker ----------------------------------------------------------------------------------

typedef struct worker {
    flx_folder *folder;
    sweep_job job;
    shared *told;
    double last;        // touch
    sweep_batch *batch; // owned; NULL: runs are done one by one
    const sweep_workers *how;
    flx_ctx *ctx;
    int failed;           // runs
    double ends, longest; // of the job, by the clock (0: never); seconds of a chunk
} worker;

static void beat(void *user)
{
    worker *w = user;
    double now = sweep_clock();
    if (now - w->last < BEAT) return;
    w->last = now;
    flx_folder_touch(w->folder);
}

// The parameters of a run, a line "name=value" each that has room.
static void write_values(const flx_model *model, int run, char *text, size_t room)
{
    const char *name;
    size_t n = 0;
    text[0] = '\0';
    for (int i = 0; (name = flx_model_sweep_parameter(model, i)) != NULL; i++) {
        int more =
            snprintf(text + n, room - n, "%s=%.17g\n", name, flx_model_sweep_value(model, run, i));
        if (more < 0 || (size_t)more >= room - n) break;
        n += (size_t)more;
    }
    text[n] = '\0';
}

// The first message of a failed run, with its parameters.
static flx_status note_failure(worker *w, int run, const flx_ctx *told, flx_status status)
{
    char text[LINES + 1000];
    const flx_message *m = told ? flx_ctx_error(told, 0) : NULL;
    int n = snprintf(text, 1000, "%.990s\n",
                     w->job.late ? "the run took longer than --limit allows"
                     : m         ? m->text
                                 : flx_status_text(status));
    write_values(w->job.model, run, text + n, LINES);
    return flx_folder_add_failure(w->folder, run, text);
}

static flx_status do_run(worker *w, int run)
{
    flx_ctx *told = NULL;
    sweep_table *t = &w->job.table;
    if (flx_folder_has_failed(w->folder, run)) return FLX_OK;
    t->nrow = 0; // one row at a time; columns that a run does not fill are not known
    for (int k = 0; k < t->ncolumn; k++) t->values[k] = (double)NAN;
    write_values(w->job.model, run, w->told->values, LINES);
    w->told->run = run;
    flx_status status = sweep_job_do(&w->job, run, &told);
    w->told->run = NONE;
    if (status == FLX_ERR_MEMORY) return status;
    if (cli_was_interrupted()) return FLX_INTERRUPTED;
    if (status == FLX_ERR_IO && w->job.series) { // no room for its signals: the run is not to blame
        if (told) cli_print_errors(told);
        return status;
    }
    if (status != FLX_OK) {
        w->failed++;
        return note_failure(w, run, told, status);
    }
    return flx_folder_add_row(w->folder, run, t->ncolumn, (const char *const *)t->names, t->values);
}

// A run of a batch that failed, with its parameters; where that cannot be written the run stays undone, and gathering says so.
static void note_batch_failure(void *user, int run, const char *why)
{
    worker *w = user;
    char text[LINES + 600];
    int n = snprintf(text, 600, "%.500s\n", why);
    write_values(w->job.model, run, text + n, LINES);
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

// Whether so many runs fail that the study is to end.
static bool is_hopeless(const worker *w)
{
    int failed = 0, finished = 0;
    const flx_folder_plan *plan = flx_folder_get_plan(w->folder);
    if (!(w->how->stop_after > 0.0)) return false;
    if (flx_folder_count(w->folder, &failed, &finished) != FLX_OK || failed < FEW) return false;
    double looked = finished > failed ? finished : failed;
    if (!(failed > w->how->stop_after * looked)) return false;
    cli_complain("sweep", "%d of about %.0f runs failed, of %d: the study stops (--stop-after)",
                 failed, looked, plan->runs);
    return true;
}

// Whether the job that this is a part of would end before another chunk does.
static bool is_late(const worker *w)
{
    return w->ends > 0.0 && (double)time(NULL) + SPARE * w->longest > w->ends;
}

// The runs of a chunk, one by one; their signals go to a file that is there when all are done.
static flx_status do_runs(worker *w, int first, int end)
{
    flx_status status = FLX_OK;
    if (flx_folder_get_plan(w->folder)->results) {
        status = flx_series_create(w->ctx, flx_folder_results(w->folder, first), first, end,
                                   &w->job.series);
    }
    for (int run = first; status == FLX_OK && run < end; run++) {
        int failed = w->failed;
        status = do_run(w, run);
        beat(w);
        if (w->failed > failed && status == FLX_OK && is_hopeless(w)) status = FLX_STOPPED;
    }
    return flx_series_close(&w->job.series, status);
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
        if (is_late(w)) {
            printf("the job ends before another chunk would: others go on\n");
            return FLX_OK;
        }
        flx_status status = flx_folder_claim(w->folder, &first, &end, &waits);
        if (cli_was_interrupted()) return FLX_INTERRUPTED;
        if (status == FLX_STOPPED) return FLX_OK;
        if (status != FLX_OK) return status;
        if (waits) {
            wait_for_others();
            continue;
        }
        w->told->first = first;
        double began = sweep_clock();
        status = w->batch ? do_batch(w, first, end) : do_runs(w, first, end);
        if (status != FLX_OK) {
            flx_folder_give_back(w->folder);
            w->told->first = NONE;
            return status;
        }
        w->longest = fmax(w->longest, sweep_clock() - began);
        status = flx_folder_finish_chunk(w->folder);
        w->told->first = NONE;
        if (status != FLX_OK) return status;
        if (is_hopeless(w)) return FLX_STOPPED;
    }
}

// The folder, and the model of its plan, which must be as it was.
static int open_worker(flx_ctx *ctx, const char *path, worker *w)
{
    flx_status status = flx_folder_open(ctx, path, &w->folder);
    if (status == FLX_OK) status = flx_folder_check(w->folder);
    if (status != FLX_OK) {
        cli_print_errors(ctx);
        return EXIT_WRONG;
    }
    const flx_folder_plan *plan = flx_folder_get_plan(w->folder);
    cli_list settings = {plan->nsetting, (const char **)plan->settings};
    int code = sweep_job_open(ctx, plan->model, &settings, &w->job);
    w->job.beat = beat;
    w->job.user = w;
    w->job.limit = w->how->limit;
    return code;
}

// When the job of a scheduler ends, in seconds of the clock; 0: it does not say.
static double find_end(void)
{
    const char *text = getenv("SLURM_JOB_END_TIME");
    return text ? strtod(text, NULL) : 0.0;
}

// In a process of its own: never returns.
static void be_worker(const char *path, const sweep_workers *how, shared *told)
{
    flx_ctx *ctx = flx_ctx_create();
    worker w = {.told = told, .how = how, .ctx = ctx, .ends = find_end()};
    int code = ctx ? open_worker(ctx, path, &w) : EXIT_FAILED;
    bool results = code == EXIT_DONE && flx_folder_get_plan(w.folder)->results;
    if (results && how->device) {
        cli_complain("sweep", "batches keep no signals: leave --device out, or plan the study "
                              "without --results");
        code = EXIT_WRONG;
    }
    if (code == EXIT_DONE && how->device) {
        code = sweep_batch_open(ctx, &w.job, how->device, flx_folder_get_plan(w.folder)->chunk,
                                true, &w.batch);
    }
    if (code == EXIT_DONE) {
        if (!how->device && !results) sweep_job_compile(&w.job);
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

static void note_crash(flx_folder *f, const shared *told, int status)
{
    char text[LINES + 200];
    snprintf(text, sizeof text, "the process ended by signal %d\n%.*s", WTERMSIG(status), LINES,
             told->values);
    (void)flx_folder_add_failure(f, told->run, text);
}

static pid_t begin_worker(const char *path, const sweep_workers *how, shared *told)
{
    *told = (shared){.run = NONE, .first = NONE};
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) be_worker(path, how, told);
    return pid;
}

// Those that crash are begun again.
int sweep_workers_do(flx_folder *f, const char *path, const sweep_workers *how)
{
    int code = EXIT_DONE, alive = 0, idle = 0, killed = NONE, n = how->n;
    pid_t *pids = calloc((size_t)n, sizeof *pids);
    shared *told = mmap(NULL, (size_t)n * sizeof *told, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!pids || told == MAP_FAILED) return EXIT_FAILED;
    for (int i = 0; i < n; i++) {
        pids[i] = begin_worker(path, how, told + i);
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
        if (told[i].run != NONE && !again) note_crash(f, told + i, status);
        if (told[i].run != NONE) killed = told[i].run;
        pids[i] = begin_worker(path, how, told + i);
        if (pids[i] > 0) alive++;
    }
    munmap(told, (size_t)n * sizeof *told);
    free(pids);
    return cli_was_interrupted() && code == EXIT_DONE ? EXIT_FAILED : code;
}
