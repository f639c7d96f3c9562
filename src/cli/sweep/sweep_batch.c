// sweep_batch.c - see sweep_batch.h. The text of the exported equations (flexion/export.h, FLX_EXPORT_BATCH) is compiled by the
// compiler that is there, and loaded. Every run begins where an ordinary one would: its start is that of a flx_run with its
// parameters. Of every batch 16 runs are made by ordinary runs as well, and have to agree.
#include "cli/sweep/sweep_batch.h"
#include "cli/plugins.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_RUNS 16384 // of one batch
#define CHECKED 16
#define AGREES 1e-9 // of the largest value of a column

extern char **environ;

typedef void batch_function(long steps, double t0, double h, double last, long runs,
                            const double *p, double *z, double *y);

// The text, compiled.
typedef struct batch {
    char folder[200], text[250], object[250], told[250];
    void *library;
    batch_function *run;
    const int *sizes, *signs; // nq, nv, nx, np, ny, lanes
    const char *const *parameters, *const *numbers;
    const double *defaults, *duration;
    long steps;
    double last;
    int *swept;        // (np) which swept parameter; -1: none; owned
    double *p, *z, *y; // owned: of one batch
    double compile_seconds, run_seconds, difference;
} batch;

// ---- text and compiler ---------------------------------------------------------------------------

static bool write_text(flx_ctx *ctx, const sweep_job *job, batch *b)
{
    flx_ctx *other = flx_ctx_create();
    flx_model *open = NULL;
    flx_read_def def = flx_read_def_default();
    def.nset = job->given;
    def.settings = job->settings.items;
    def.exported = true;
    flx_export_options options = {.language = FLX_EXPORT_BATCH, .name = "batch"};
    if (other) (void)cli_model_read_by(other, job->path, &def, &open);
    options.open = open;
    flx_status status = flx_model_export(job->model, &options, b->text);
    cli_print_errors(ctx);
    flx_model_destroy(&open);
    flx_ctx_destroy(&other);
    return status == FLX_OK;
}

// The exit status of a compiler; -1: there is none of this name. What it says goes to b->told.
static int call_compiler(const batch *b, const char *compiler)
{
    const char *argv[] = {compiler,
                          "-O3",
                          "-march=native",
                          "-fno-math-errno",
                          "-fno-trapping-math",
                          "-ffp-contract=fast",
                          "-w",
                          "-shared",
                          "-fPIC",
                          b->text,
                          "-o",
                          b->object,
                          "-lm",
                          NULL};
    posix_spawn_file_actions_t files;
    pid_t pid;
    int status = 0;
    if (posix_spawn_file_actions_init(&files) != 0) return -1;
    int e = posix_spawn_file_actions_addopen(&files, STDERR_FILENO, b->told,
                                             O_CREAT | O_WRONLY | O_TRUNC, 0600);
    if (e == 0) e = posix_spawnp(&pid, compiler, &files, NULL, (char **)argv, environ);
    posix_spawn_file_actions_destroy(&files);
    if (e != 0) return -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static bool compile(batch *b, bool quiet)
{
    const char *names[] = {getenv("CC"), "cc", "gcc", "clang"};
    double began = sweep_clock();
    if (!quiet) printf("compiling the equations ...\n");
    fflush(stdout);
    for (int i = 0; i < 4; i++) {
        int code = names[i] && names[i][0] ? call_compiler(b, names[i]) : -1;
        if (code == 0) {
            b->compile_seconds = sweep_clock() - began;
            return true;
        }
        if (code < 0 || code == 127) continue; // there is none
        char line[300] = "";
        FILE *f = fopen(b->told, "r");
        if (f && !fgets(line, sizeof line, f)) line[0] = 0;
        if (f) fclose(f);
        cli_complain("sweep", "'%s' cannot compile the equations: %s", names[i], line);
        return false;
    }
    cli_complain("sweep",
                 "--device cpu needs a C compiler, GCC or Clang, and there is neither cc "
                 "nor gcc nor clang; install one, name it in CC, or sweep without --device");
    return false;
}

static bool load(batch *b)
{
    b->library = dlopen(b->object, RTLD_NOW | RTLD_LOCAL);
    if (!b->library) {
        cli_complain("sweep", "the compiled equations cannot be loaded: %s", dlerror());
        return false;
    }
    *(void **)&b->run = dlsym(b->library, "batch_batch");
    b->sizes = dlsym(b->library, "batch_sizes");
    b->signs = dlsym(b->library, "batch_signs");
    b->parameters = dlsym(b->library, "batch_parameters");
    b->numbers = dlsym(b->library, "batch_numbers");
    b->defaults = dlsym(b->library, "batch_defaults");
    b->duration = dlsym(b->library, "batch_duration");
    if (b->run && b->sizes && b->signs && b->parameters && b->numbers && b->defaults && b->duration)
        return true;
    cli_complain("sweep", "the compiled equations are not whole");
    return false;
}

// ---- parameters and steps ------------------------------------------------------------------------

static bool plan(batch *b, const sweep_job *job)
{
    const char *name;
    int np = b->sizes[3];
    b->swept = calloc((size_t)np + 1, sizeof *b->swept);
    for (int k = 0; b->swept && k < np; k++) {
        b->swept[k] = -1;
        for (int i = 0; (name = flx_model_sweep_parameter(job->model, i)) != NULL; i++) {
            if (strcmp(name, b->parameters[k]) == 0) b->swept[k] = i;
        }
    }
    double count = b->duration[0] / b->duration[1];
    b->steps = (long)ceil(count - 1e-9);
    if (b->steps < 1) b->steps = 1;
    b->last = b->duration[0] - (double)(b->steps - 1) * b->duration[1];
    size_t runs = MOST_RUNS;
    b->p = calloc(runs * (size_t)(np + 1), sizeof *b->p);
    b->z = calloc(runs * (size_t)(b->sizes[0] + b->sizes[1] + b->sizes[2] + 1), sizeof *b->z);
    b->y = calloc(runs * (size_t)(b->sizes[4] + 1), sizeof *b->y);
    return b->swept && b->p && b->z && b->y;
}

// ---- ordinary runs -------------------------------------------------------------------------------

// In joint coordinates, with the swept parameters open: starts, and what a batch is compared with.
static int compile_ordinary(sweep_job *job)
{
    const char *names[100], *name;
    int n = 0;
    flx_read_def def = flx_read_def_default();
    flx_compile_def how = flx_compile_def_default();
    how.formulation = "tree";
    for (; n < 100 && (name = flx_model_sweep_parameter(job->model, n)) != NULL; n++)
        names[n] = name;
    def.nset = job->given;
    def.settings = job->settings.items;
    def.nopen = n;
    def.open = names;
    job->ctx = flx_ctx_create();
    if (!job->ctx) return EXIT_FAILED;
    flx_status status = cli_model_read_by(job->ctx, job->path, &def, &job->open);
    if (status == FLX_OK) status = flx_system_compile(job->open, &how, job->ctx, &job->system);
    if (status == FLX_OK) status = flx_run_create(job->system, NULL, job->ctx, &job->run);
    cli_print_errors(job->ctx);
    return status == FLX_OK ? EXIT_DONE : cli_exit_of(status);
}

static flx_status begin_run(const sweep_job *job, int number)
{
    const char *name;
    flx_status status = FLX_OK;
    flx_ctx_clear_messages(job->ctx);
    for (int i = 0; status == FLX_OK && (name = flx_model_sweep_parameter(job->model, i)); i++) {
        int k = flx_system_parameter(job->system, name, job->ctx);
        if (k < 0) return FLX_ERR_ARGUMENT;
        status = flx_run_set_parameter(job->run, k, flx_model_sweep_value(job->model, number, i));
    }
    return status == FLX_OK ? flx_run_reset(job->run) : status;
}

// The start of run r of a batch of n; false: the ordinary run has other coordinates.
static bool take_start(const batch *b, const sweep_job *job, long n, long r)
{
    static const flx_view views[] = {FLX_VIEW_Q, FLX_VIEW_V, FLX_VIEW_X};
    const int *sign = b->signs;
    double *z = b->z + r;
    for (int k = 0; k < 3; k++) {
        int count = 0;
        const double *from = flx_run_view(job->run, views[k], &count);
        if (count != b->sizes[k]) return false;
        for (int i = 0; i < count; i++, z += n) *z = k < 2 ? *sign++ * from[i] : from[i];
    }
    return true;
}

// Numbers of an ordinary run to its end.
static const double *run_ordinary(const sweep_job *job, int number)
{
    if (begin_run(job, number) != FLX_OK || flx_run_finish(job->run) != FLX_OK) return NULL;
    const flx_ledger *l = flx_run_ledger(job->run);
    return l->nmetric > 0 ? l->metrics : flx_run_outputs(job->run, NULL);
}

// Some of the batch again; its columns in proportion to their largest values.
static bool check(batch *b, const sweep_job *job, int first, long n, const bool *bad)
{
    int ny = b->sizes[4];
    for (int c = 0; c < CHECKED && c < n; c++) {
        long r = n <= CHECKED ? c : c * (n - 1) / (CHECKED - 1);
        if (bad[r]) continue;
        const double *y = run_ordinary(job, first + (int)r);
        for (int k = 0; k < ny; k++) {
            const double *column = b->y + k * n;
            double size = y ? fabs(y[k]) : 0.0;
            for (long i = 0; i < n; i++) size = fmax(size, bad[i] ? 0.0 : fabs(column[i]));
            double off = y ? fabs(column[r] - y[k]) / (size > 0.0 ? size : 1.0) : HUGE_VAL;
            if (off > b->difference) b->difference = off;
            if (off <= AGREES) continue;
            cli_complain("sweep",
                         "run %ld: '%s' is %.12g in the batch, and %.12g by an ordinary run; the "
                         "motion may be one that magnifies rounding, or the step too long: sweep "
                         "without --device",
                         first + r + 1, b->numbers[k], column[r], y ? y[k] : (double)NAN);
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

// ---- batches -------------------------------------------------------------------------------------

static int do_batch(batch *b, sweep_job *job, int first, long n, int *failed)
{
    int np = b->sizes[3], ny = b->sizes[4];
    bool *bad = calloc((size_t)n, sizeof *bad);
    if (!bad) return EXIT_FAILED;
    double began = core_seconds();
    for (long r = 0; r < n; r++) {
        int number = first + (int)r;
        flx_status status = begin_run(job, number);
        bad[r] = status != FLX_OK;
        if (bad[r]) {
            cli_complain("sweep", "run %d failed:", number + 1);
            cli_print_errors(job->ctx);
        } else if (!take_start(b, job, n, r)) {
            cli_complain("sweep", "the run has other coordinates than the exported equations; "
                                  "sweep without --device");
            free(bad);
            return EXIT_WRONG;
        }
        for (int k = 0; k < np; k++) {
            b->p[k * n + r] = b->swept[k] < 0
                                  ? b->defaults[k]
                                  : flx_model_sweep_value(job->model, number, b->swept[k]);
        }
    }
    b->run(b->steps, 0.0, b->duration[1], b->last, n, b->p, b->z, b->y);
    for (long r = 0; r < n; r++) {
        for (int k = 0; k < ny && !bad[r]; k++) {
            if (isfinite(b->y[k * n + r])) continue;
            bad[r] = true;
            cli_complain("sweep", "run %ld failed: '%s' is not finite at the end", first + r + 1,
                         b->numbers[k]);
        }
        *failed += bad[r];
    }
    b->run_seconds += core_seconds() - began;
    bool good = check(b, job, first, n, bad);
    for (long r = 0; good && r < n && !job->table.failed; r++) {
        const char *name;
        sweep_table *t = &job->table;
        sweep_table_add_row(t);
        for (int i = 0; !t->failed && (name = flx_model_sweep_parameter(job->model, i)); i++) {
            sweep_table_set(t, name, flx_model_sweep_value(job->model, first + (int)r, i));
        }
        for (int k = 0; k < ny && !bad[r]; k++) sweep_table_set(t, b->numbers[k], b->y[k * n + r]);
        if (!bad[r]) sweep_table_set(t, "steps", (double)b->steps);
    }
    free(bad);
    return good && !job->table.failed ? EXIT_DONE : EXIT_FAILED;
}

static void close_batch(batch *b)
{
    if (b->library) dlclose(b->library);
    free(b->swept);
    free(b->p);
    free(b->z);
    free(b->y);
    if (!b->folder[0]) return;
    unlink(b->text);
    unlink(b->object);
    unlink(b->told);
    rmdir(b->folder);
}

static bool make_folder(batch *b)
{
    const char *where = getenv("TMPDIR");
    snprintf(b->folder, sizeof b->folder, "%.150s/flexion-XXXXXX",
             where && *where ? where : "/tmp");
    if (!mkdtemp(b->folder)) {
        cli_complain("sweep", "no folder for the compiled equations can be made in %s",
                     where && *where ? where : "/tmp");
        b->folder[0] = 0;
        return false;
    }
    snprintf(b->text, sizeof b->text, "%s/batch.c", b->folder);
    snprintf(b->object, sizeof b->object, "%s/batch.so", b->folder);
    snprintf(b->told, sizeof b->told, "%s/told.txt", b->folder);
    return true;
}

int sweep_batch_do(flx_ctx *ctx, sweep_job *job, const char *device, bool quiet, int *failed)
{
    batch b = {0};
    int count = flx_model_sweep_count(job->model), code = EXIT_WRONG;
    *failed = 0;
    if (strcmp(device, "cuda") == 0) {
        cli_complain("sweep", "--device cuda needs an NVIDIA GPU, and there is none here; 'flexion "
                              "export batch' writes the device code, --device cpu runs it here");
        return EXIT_WRONG;
    }
    if (strcmp(device, "cpu") != 0) {
        cli_complain("sweep", "there is no device '%s'; there are cpu and cuda", device);
        return EXIT_WRONG;
    }
    if (flx_model_sweep_analysis(job->model, 0) >= 0) {
        cli_complain("sweep", "batches are of runs: analyses are swept without --device");
        return EXIT_WRONG;
    }
    if (make_folder(&b) && write_text(ctx, job, &b) && compile(&b, quiet) && load(&b))
        code = plan(&b, job) ? compile_ordinary(job) : EXIT_WRONG;
    for (int first = 0; code == EXIT_DONE && first < count && !cli_was_interrupted();
         first += MOST_RUNS) {
        long n = count - first < MOST_RUNS ? count - first : MOST_RUNS;
        code = do_batch(&b, job, first, n, failed);
    }
    if (code == EXIT_DONE && !quiet) {
        printf("compiled in %.1f s; %d runs of %ld steps in %.2f s of a core, %.0f runs/s; %d of "
               "each batch "
               "agree with ordinary runs to %.1e\n",
               b.compile_seconds, count, b.steps, b.run_seconds, count / b.run_seconds,
               count < CHECKED ? count : CHECKED, b.difference);
    }
    close_batch(&b);
    return code;
}
