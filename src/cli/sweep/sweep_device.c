// sweep_device.c - see sweep_device.h. Compilers and the GPU's driver are programs and libraries that are looked for when they
// are needed, as gnuplot is: nothing of them is needed to build Flexion. What was compiled is kept, by a hash of its text.
#include "cli/sweep/sweep_device.h"
#include "cli/plugins.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATH 1000
#define MOST_RUNS_CPU 16384
#define MOST_RUNS_GPU 262144

extern char **environ;

// Where text, object and what the compiler says are.
typedef struct work {
    char folder[PATH], text[PATH], object[PATH], told[PATH];
    char kept[PATH]; // where the object is kept; "": nowhere
} work;

// ---- compilers -----------------------------------------------------------------------------------

// How an object is made. The last words are text and object.
typedef struct compiler {
    const char *variable, *names[4]; // of the environment, of programs
    const char *words[12];
    const char *needs; // said where there is none
} compiler;

static const compiler compilers[] = {
    {"CC",
     {"cc", "gcc", "clang"},
     {"-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast", "-w",
      "-shared", "-fPIC"},
     "--device cpu needs a C compiler, GCC or Clang, and there is neither cc nor gcc nor clang; "
     "install one, name it in CC, or sweep without --device"},
    {"NVCC",
     {"nvcc", "/usr/local/cuda/bin/nvcc"},
     {"-O3", "-arch=native", "-std=c++17", "-w", "-shared", "-Xcompiler", "-fPIC,-O1,-w"},
     "--device cuda needs NVIDIA's compiler nvcc, and it is not found; install the CUDA toolkit, "
     "name the program in NVCC, or take --device cpu"},
    {"HIPCC",
     {"hipcc", "/opt/rocm/bin/hipcc"},
     {"-O3", "-std=c++17", "-w", "-shared", "-fPIC", "-x", "hip"},
     "--device cuda needs AMD's compiler hipcc for the GPU of this machine, and it is not found; "
     "install ROCm, name the program in HIPCC, or take --device cpu"}};
enum { COMPILER_CPU, COMPILER_CUDA, COMPILER_HIP };

// The exit status of a compiler; -1: there is none of this name.
static int call_compiler(const work *w, const compiler *c, const char *name)
{
    const char *argv[20] = {name};
    int n = 1, status = 0;
    for (int i = 0; i < 12 && c->words[i]; i++) argv[n++] = c->words[i];
    argv[n++] = w->text;
    argv[n++] = "-o";
    argv[n++] = w->object;
    argv[n++] = "-lm";
    argv[n] = NULL;
    posix_spawn_file_actions_t files;
    pid_t pid;
    if (posix_spawn_file_actions_init(&files) != 0) return -1;
    int e = posix_spawn_file_actions_addopen(&files, STDERR_FILENO, w->told,
                                             O_CREAT | O_WRONLY | O_TRUNC, 0600);
    if (e == 0) e = posix_spawnp(&pid, name, &files, NULL, (char **)argv, environ);
    posix_spawn_file_actions_destroy(&files);
    if (e != 0) return -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static bool compile(const work *w, const compiler *c)
{
    const char *names[5] = {getenv(c->variable), c->names[0], c->names[1], c->names[2], NULL};
    for (int i = 0; i < 4; i++) {
        int code = names[i] && names[i][0] ? call_compiler(w, c, names[i]) : -1;
        if (code == 0) return true;
        if (code < 0 || code == 127) continue; // there is none
        char line[300] = "";
        FILE *f = fopen(w->told, "r");
        if (f && !fgets(line, sizeof line, f)) line[0] = 0;
        if (f) fclose(f);
        cli_complain("sweep", "'%s' cannot compile the equations: %s", names[i], line);
        return false;
    }
    cli_complain("sweep", "%s", c->needs);
    return false;
}

// ---- what is kept --------------------------------------------------------------------------------

static uint64_t hash_text(uint64_t h, const char *text)
{
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 1099511628211u;
    return h;
}

// Of the text, how it is compiled, and the processor: a home may be shared by machines that differ.
static bool hash_work(const work *w, const compiler *c, const char *card, uint64_t *hash)
{
    char line[4000];
    uint64_t h = 14695981039346656037u;
    FILE *f = fopen(w->text, "r");
    if (!f) return false;
    while (fgets(line, sizeof line, f)) h = hash_text(h, line);
    fclose(f);
    for (int i = 0; i < 12 && c->words[i]; i++) h = hash_text(h, c->words[i]);
    const char *named = getenv(c->variable);
    h = hash_text(hash_text(h, named ? named : c->names[0]), card);
    f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f)) {
        if (strncmp(line, "flags", 5) != 0) continue;
        h = hash_text(h, line);
        break;
    }
    if (f) fclose(f);
    *hash = h;
    return true;
}

// $XDG_CACHE_HOME/flexion, or ~/.cache/flexion; made where it is not there.
static void name_kept(work *w, uint64_t hash)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char folder[PATH - 100];
    int n = 0;
    w->kept[0] = 0;
    if (cache && cache[0] == '/') {
        n = snprintf(folder, sizeof folder, "%s", cache);
    } else if (home && home[0] == '/') {
        n = snprintf(folder, sizeof folder, "%s/.cache", home);
    }
    if (n <= 0 || n > (int)sizeof folder - 20) return;
    (void)mkdir(folder, 0700);
    snprintf(folder + n, sizeof folder - (size_t)n, "/flexion");
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) return;
    snprintf(w->kept, sizeof w->kept, "%s/batch-%016llx.so", folder, (unsigned long long)hash);
}

// Beside its place and renamed, so that others see a whole one or none.
static void keep(const work *w)
{
    char part[PATH + 30], block[65536];
    if (!w->kept[0]) return;
    snprintf(part, sizeof part, "%s.%ld", w->kept, (long)getpid());
    int from = open(w->object, O_RDONLY), to = open(part, O_WRONLY | O_CREAT | O_EXCL, 0700);
    ssize_t n = -1;
    while (from >= 0 && to >= 0 && (n = read(from, block, sizeof block)) > 0) {
        if (write(to, block, (size_t)n) == n) continue;
        n = -1;
        break;
    }
    if (from >= 0) close(from);
    if (to >= 0 && close(to) != 0) n = -1;
    if (to >= 0 && (n != 0 || rename(part, w->kept) != 0)) (void)unlink(part);
}

static bool make_folder(work *w, const char *suffix)
{
    const char *where = getenv("TMPDIR");
    if (!where || !*where) where = "/tmp";
    snprintf(w->folder, sizeof w->folder, "%.500s/flexion-XXXXXX", where);
    if (!mkdtemp(w->folder)) {
        cli_complain("sweep", "no folder for the compiled equations can be made in %s", where);
        w->folder[0] = 0;
        return false;
    }
    snprintf(w->text, sizeof w->text, "%.600s/batch.%s", w->folder, suffix);
    snprintf(w->object, sizeof w->object, "%.600s/batch.so", w->folder);
    snprintf(w->told, sizeof w->told, "%.600s/told.txt", w->folder);
    return true;
}

static void remove_folder(const work *w)
{
    if (!w->folder[0]) return;
    unlink(w->text);
    unlink(w->object);
    unlink(w->told);
    rmdir(w->folder);
}

// ---- GPUs ----------------------------------------------------------------------------------------

// By the library of the driver, which is there where a GPU is: which compiler, and its name. -1: there is none.
static int find_gpu(char *name, size_t room)
{
    typedef int call(int), count(int *), name_of(char *, int, int), device(int *, int);
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int n = 0, number = 0;
    snprintf(name, room, "a GPU");
    if (cuda) {
        call *begin = NULL;
        count *many = NULL;
        device *get = NULL;
        name_of *ask = NULL;
        *(void **)&begin = dlsym(cuda, "cuInit");
        *(void **)&many = dlsym(cuda, "cuDeviceGetCount");
        *(void **)&get = dlsym(cuda, "cuDeviceGet");
        *(void **)&ask = dlsym(cuda, "cuDeviceGetName");
        if (begin && many && begin(0) == 0 && many(&n) == 0 && n > 0) {
            if (get && ask && get(&number, 0) == 0) (void)ask(name, (int)room, number);
            return COMPILER_CUDA;
        }
    }
    void *hip = dlopen("libamdhip64.so", RTLD_NOW | RTLD_LOCAL);
    if (!hip) hip = dlopen("/opt/rocm/lib/libamdhip64.so", RTLD_NOW | RTLD_LOCAL);
    count *many = NULL;
    if (hip) *(void **)&many = dlsym(hip, "hipGetDeviceCount");
    return many && many(&n) == 0 && n > 0 ? COMPILER_HIP : -1;
}

// What to expect of the card.
static int look_at_gpu(sweep_device *d, bool quiet)
{
    char name[200] = "";
    double facts[7] = {0};
    int code = d->gpu_look(name, facts);
    if (code != 0) {
        cli_complain("sweep", "the GPU cannot be used: %s", d->gpu_text(code));
        return EXIT_FAILED;
    }
    double room = 0.5 * facts[5] / facts[6];
    if (room < (double)d->most_runs) d->most_runs = room > 1.0 ? (long)room : 1;
    if (quiet) return EXIT_DONE;
    printf("%s: %.0f multiprocessors; a run takes %.0f registers and %.0f bytes beside them, %.0f "
           "runs at a time on each multiprocessor\n",
           name, facts[0], facts[2], facts[3], facts[4]);
    if (facts[1] > 4.0) {
        printf("this card computes %.0f times slower in double precision, which batches are in, "
               "than in single: expect about as much less than of a card for computing\n",
               facts[1]);
    }
    return EXIT_DONE;
}

// ---- made ----------------------------------------------------------------------------------------

static bool write_text(flx_ctx *ctx, const sweep_job *job, const work *w)
{
    flx_ctx *other = flx_ctx_create();
    flx_model *open = NULL;
    flx_read_def def = flx_read_def_default();
    int n = 0;
    const char **names =
        sweep_job_swept(job->model, &n); // all others are numbers, which cost nothing
    def.nopen = n;
    def.open = names;
    def.nset = job->given;
    def.settings = job->settings.items;
    def.exported = true;
    flx_export_options options = {.language = FLX_EXPORT_BATCH, .name = "batch"};
    if (other && names) (void)cli_model_read_by(other, job->path, &def, &open);
    free(names);
    options.open = open;
    flx_status status = flx_model_export(job->model, &options, w->text);
    cli_print_errors(ctx);
    flx_model_destroy(&open);
    flx_ctx_destroy(&other);
    return status == FLX_OK;
}

static bool load(const char *object, sweep_device *d)
{
    d->library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (!d->library) {
        cli_complain("sweep", "the compiled equations cannot be loaded: %s", dlerror());
        return false;
    }
    *(void **)&d->batch = dlsym(d->library, "batch_batch");
    *(void **)&d->gpu_run = dlsym(d->library, "batch_gpu_run");
    *(void **)&d->gpu_look = dlsym(d->library, "batch_gpu_look");
    *(void **)&d->gpu_text = dlsym(d->library, "batch_gpu_text");
    d->sizes = dlsym(d->library, "batch_sizes");
    d->signs = dlsym(d->library, "batch_signs");
    d->parameters = dlsym(d->library, "batch_parameters");
    d->numbers = dlsym(d->library, "batch_numbers");
    d->defaults = dlsym(d->library, "batch_defaults");
    d->duration = dlsym(d->library, "batch_duration");
    bool whole = d->batch && d->sizes && d->signs && d->parameters && d->numbers && d->defaults &&
                 d->duration && (!d->gpu || (d->gpu_run && d->gpu_look && d->gpu_text));
    if (!whole) cli_complain("sweep", "the compiled equations are not whole");
    return whole;
}

static bool make_object(const work *w, const compiler *c, bool quiet, sweep_device *d)
{
    double began = sweep_clock();
    if (w->kept[0] && access(w->kept, R_OK) == 0) return load(w->kept, d);
    if (!quiet) {
        printf("compiling the equations%s ...\n",
               d->gpu ? " for the GPU, which may take a minute" : "");
        fflush(stdout);
    }
    if (!compile(w, c)) return false;
    d->compile_seconds = sweep_clock() - began;
    keep(w);
    return load(w->object, d);
}

int sweep_device_open(flx_ctx *ctx, const sweep_job *job, const char *name, bool quiet,
                      sweep_device *d)
{
    char card[200] = "";
    int which = COMPILER_CPU, code = EXIT_WRONG;
    uint64_t hash;
    *d = (sweep_device){.gpu = strcmp(name, "cuda") == 0};
    if (!d->gpu && strcmp(name, "cpu") != 0) {
        cli_complain("sweep", "there is no device '%s'; there are cpu and cuda", name);
        return EXIT_WRONG;
    }
    if (d->gpu) which = find_gpu(card, sizeof card);
    if (which < 0) {
        cli_complain(
            "sweep",
            "--device cuda needs a GPU of NVIDIA or AMD with its driver, and there is none "
            "here; 'flexion export batch' writes the device code, --device cpu runs it "
            "here");
        return EXIT_WRONG;
    }
    work w = {.folder = ""};
    d->most_runs = d->gpu ? MOST_RUNS_GPU : MOST_RUNS_CPU;
    if (make_folder(&w, d->gpu ? "cu" : "c") && write_text(ctx, job, &w) &&
        hash_work(&w, compilers + which, card, &hash)) {
        name_kept(&w, hash);
        if (make_object(&w, compilers + which, quiet, d)) code = EXIT_DONE;
    }
    remove_folder(&w);
    if (code == EXIT_DONE && d->gpu) code = look_at_gpu(d, quiet);
    if (code != EXIT_DONE) sweep_device_close(d);
    return code;
}

void sweep_device_close(sweep_device *d)
{
    if (d->library) dlclose(d->library);
    d->library = NULL;
}

// ---- run -----------------------------------------------------------------------------------------

static void copy_runs(long n, long m, int rows, const double *from, double *to)
{
    for (int k = 0; k < rows; k++) {
        for (long c = 0; c < m; c++) {
            long r = n <= SWEEP_CHECKED ? c : c * (n - 1) / (SWEEP_CHECKED - 1);
            to[k * m + c] = from[k * n + r];
        }
    }
}

static double largest(long n, const double *y)
{
    double size = 0.0;
    for (long i = 0; i < n; i++) {
        if (isfinite(y[i])) size = fmax(size, fabs(y[i]));
    }
    return size;
}

double sweep_column_size(long n, int ny, const double *y, int k)
{
    const double rounding = 1e-5;
    double size = fmax(largest(n, y + k * n), rounding * largest(n * ny, y));
    return size > 0.0 ? size : 1.0;
}

// Numbers that the processor finds by the same text, m of n.
static int compare(sweep_device *d, long n, long m, const double *y, const double *expected)
{
    for (int k = 0; k < d->sizes[4]; k++) {
        double size = sweep_column_size(n, d->sizes[4], y, k);
        for (long c = 0; c < m; c++) {
            long r = n <= SWEEP_CHECKED ? c : c * (n - 1) / (SWEEP_CHECKED - 1);
            double is = y[k * n + r], other = expected[k * m + c];
            if (!isfinite(is) && !isfinite(other)) continue;
            double off = fabs(is - other) / size;
            if (off > d->difference) d->difference = off;
            if (off <= SWEEP_AGREES) continue;
            cli_complain("sweep",
                         "'%s' is %.12g on the GPU, and %.12g by the same equations on the "
                         "processor; the motion may be one that magnifies rounding, or the card is "
                         "faulty: take --device cpu",
                         d->numbers[k], is, other);
            return EXIT_FAILED;
        }
    }
    return EXIT_DONE;
}

int sweep_device_run(sweep_device *d, long steps, double last, long n, const double *p, double *z,
                     double *y, int (*goes_on)(void *), void *user)
{
    int np = d->sizes[3], nz = d->sizes[0] + d->sizes[1] + d->sizes[2], ny = d->sizes[4];
    if (!d->gpu) {
        d->batch(steps, 0.0, d->duration[1], last, n, p, z, y);
        return EXIT_DONE;
    }
    long m = n < SWEEP_CHECKED ? n : SWEEP_CHECKED;
    double *own = calloc((size_t)m * (size_t)(np + nz + ny + 1), sizeof *own), told[3];
    if (!own) return EXIT_FAILED;
    double *own_z = own + m * np, *own_y = own_z + m * nz;
    copy_runs(n, m, np, p, own);
    copy_runs(n, m, nz, z, own_z);
    int code = d->gpu_run(steps, 0.0, d->duration[1], last, n, p, z, y, goes_on, user, told);
    d->gpu_seconds += told[0];
    d->longest = fmax(d->longest, told[1]);
    d->launches += told[2];
    if (code > 0) cli_complain("sweep", "the GPU ended with: %s", d->gpu_text(code));
    if (code == 0) {
        d->batch(steps, 0.0, d->duration[1], last, m, own, own_z, own_y);
        code = compare(d, n, m, y, own_y);
    } else {
        code = EXIT_FAILED;
    }
    free(own);
    return code;
}
