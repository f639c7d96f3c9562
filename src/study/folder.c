// folder.c - a study folder: its plan, and chunks of runs that workers claim.
//
// A claim is a file that only one worker can create (O_EXCL). Its time is that of the file server: it is compared with a
// file just touched, not with the local clock.
#include "study/folder_parts.h"

#include "base/checkpoint_walk.h"
#include "base/number.h"
#include "base/refuse.h"
#include "base/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define FORMAT 1
#define STALE 60.0 // seconds after which an untouched claim is nobody's

void flx_folder_name(const flx_folder *f, char out[FLX_FOLDER_PATH], const char *format, ...)
{
    va_list args;
    int n = flx_snprintf(out, FLX_FOLDER_PATH, "%s/", f->path);
    va_start(args, format);
    flx_vsnprintf(out + n, FLX_FOLDER_PATH - (size_t)n, format, args);
    va_end(args);
}

flx_status flx_folder_fail(const flx_folder *f, const char *what, const char *path)
{
    return FLX_FAIL(f->ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot %s '%s': %s", what, path,
                    flx_error_text(errno));
}

// ---- the plan ----------------------------------------------------------------------------------

flx_status flx_folder_hash(flx_ctx *ctx, const char *path, uint64_t *hash)
{
    if (!ctx || !path || !hash) return flx_refuse_null(ctx, __func__);
    flx_arena *arena = flx_arena_create(ctx);
    char *text = NULL;
    size_t length = 0;
    flx_status status =
        arena ? flx_file_read_large(ctx, arena, path, FLX_NOWHERE, &text, &length) : FLX_ERR_MEMORY;
    if (status == FLX_OK) *hash = flx_hash(FLX_HASH_START, text, length);
    flx_arena_destroy(&arena);
    return status;
}

// Files are compared where the folder knows any: older ones do not.
static const char *find_other_file(const flx_folder_plan *a, const flx_folder_plan *b)
{
    for (int i = 0; b->version && i < a->nfile; i++) {
        int k = 0;
        while (k < b->nfile && strcmp(a->files[i].path, b->files[k].path) != 0) k++;
        if (k == b->nfile || a->files[i].hash != b->files[k].hash) return a->files[i].path;
    }
    return NULL;
}

static bool is_same(flx_ctx *ctx, const char *path, const flx_folder_plan *a,
                    const flx_folder_plan *b)
{
    const char *what = NULL, *file = find_other_file(a, b);
    if (a->runs != b->runs) what = "the number of runs";
    if (a->nsetting != b->nsetting) what = "the settings";
    for (int i = 0; !what && i < a->nsetting; i++) {
        if (strcmp(a->settings[i], b->settings[i]) != 0) what = "the settings";
    }
    if (strcmp(a->model, b->model) != 0) what = "the model file";
    if (!what && a->hash != b->hash) what = "the text of the model";
    if (!what && !a->results != !b->results) what = "whether results are kept";
    if (!what && !file) return true;
    FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
             "'%s' holds a study with another plan: %s%s differs; name another folder", path,
             what ? what : "the file ", what ? "" : file);
    return false;
}

static flx_status make_folder(flx_ctx *ctx, const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return FLX_OK;
    return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot make the folder '%s': %s", path,
                    flx_error_text(errno));
}

// Written beside its place and linked there: whoever opens the folder sees all of it, or none, and of several who begin a
// study at once one has the plan. *there: another was first.
static flx_status write_plan(const flx_folder *f, const flx_folder_plan *p, bool *there)
{
    char to[FLX_FOLDER_PATH], part[FLX_FOLDER_PATH];
    flx_folder_name(f, to, "plan");
    flx_folder_name(f, part, "plan.part-%s", f->worker);
    FILE *file = fopen(part, "w");
    if (!file) return flx_folder_fail(f, "write", part);
    flx_fprintf(file, "flexion study %d\nmodel %s\nhash %llx\nruns %d\nchunk %d\n", FORMAT,
                p->model, (unsigned long long)p->hash, p->runs, p->chunk);
    flx_fprintf(file, "version %s\n", flx_version());
    if (p->results) flx_fprintf(file, "results 1\n");
    for (int i = 0; i < p->nsetting; i++) flx_fprintf(file, "set %s\n", p->settings[i]);
    for (int i = 0; i < p->nfile; i++) {
        flx_fprintf(file, "file %016llx %s\n", (unsigned long long)p->files[i].hash,
                    p->files[i].path);
    }
    flx_fprintf(file, "end\n");
    bool written = fflush(file) == 0 && fsync(fileno(file)) == 0;
    written = fclose(file) == 0 && written;
    bool placed = written && link(part, to) == 0;
    *there = written && !placed && errno == EEXIST;
    if (written && !placed && !*there) placed = rename(part, to) == 0; // no links here
    flx_status status = placed || *there ? FLX_OK : flx_folder_fail(f, "write", to);
    unlink(part);
    return status;
}

static flx_status damaged(const flx_folder *f)
{
    return FLX_FAIL(f->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "'%s/plan' is no plan of this version of Flexion", f->path);
}

static flx_status read_plan(flx_folder *f)
{
    char path[FLX_FOLDER_PATH], *text = NULL, *line, *next;
    size_t length = 0;
    flx_folder_plan *p = &f->plan;
    bool ended = false;
    flx_folder_name(f, path, "plan");
    if (access(path, R_OK) != 0) {
        return FLX_FAIL(f->ctx, FLX_ERR_IO, FLX_NOWHERE, "'%s' is no study folder", f->path);
    }
    FLX_TRY(flx_file_read(f->ctx, f->arena, path, FLX_NOWHERE, &text, &length));
    size_t most = 1;
    for (size_t i = 0; i < length; i++) most += text[i] == '\n';
    const char **settings = flx_arena_take(f->arena, most, sizeof *settings);
    flx_folder_file *files = flx_arena_take(f->arena, most, sizeof *files);
    if (!settings || !files) return FLX_ERR_MEMORY;
    p->settings = settings;
    p->files = files;
    for (line = text; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        char *value = strchr(line, ' ');
        if (value) *value++ = '\0';
        if (line == text &&
            (!value || strncmp(line, "flexion", 8) != 0 || strcmp(value, "study 1") != 0))
            return damaged(f);
        if (strcmp(line, "model") == 0 && value) p->model = value;
        if (strcmp(line, "hash") == 0 && value) p->hash = strtoull(value, NULL, 16);
        if (strcmp(line, "runs") == 0 && value) p->runs = (int)strtol(value, NULL, 10);
        if (strcmp(line, "chunk") == 0 && value) p->chunk = (int)strtol(value, NULL, 10);
        if (strcmp(line, "set") == 0 && value) settings[p->nsetting++] = value;
        if (strcmp(line, "version") == 0 && value) p->version = value;
        if (strcmp(line, "results") == 0 && value) p->results = *value == '1';
        if (strcmp(line, "file") == 0 && value && strlen(value) > 17) {
            const char *named = value + 17;
            files[p->nfile++] = (flx_folder_file){named, strtoull(value, NULL, 16)};
        }
        ended = ended || strcmp(line, "end") == 0;
    }
    if (!ended || !p->model || p->runs < 1 || p->chunk < 1) return damaged(f);
    return FLX_OK;
}

// ---- life ----------------------------------------------------------------------------------------

static flx_status make(flx_ctx *ctx, const char *path, flx_folder **out)
{
    struct utsname host;
    *out = NULL;
    if (strlen(path) + 100 > sizeof(*out)->path) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the name of the folder is too long");
    }
    flx_folder *f = flx_alloc(ctx, 1, sizeof *f);
    if (!f) return FLX_ERR_MEMORY;
    f->ctx = ctx;
    f->rows = -1;
    f->chunk = -1;
    strcpy(f->path, path);
    size_t n = strlen(f->path);
    while (n > 1 && f->path[n - 1] == '/') f->path[--n] = '\0';
    if (uname(&host) != 0) strcpy(host.nodename, "host");
    // numbers of processes come again, and a dead worker's file may end within a record
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    flx_snprintf(f->worker, sizeof f->worker, "%.100s-%ld-%lx%09lx", host.nodename, (long)getpid(),
                 (long)now.tv_sec, (long)now.tv_nsec);
    for (char *c = f->worker; *c; c++)
        if (*c == '/') *c = '_';
    f->arena = flx_arena_create(ctx);
    if (!f->arena) {
        flx_folder_close(&f);
        return FLX_ERR_MEMORY;
    }
    *out = f;
    return FLX_OK;
}

flx_status flx_folder_open(flx_ctx *ctx, const char *path, flx_folder **f)
{
    if (f) *f = NULL;
    if (!ctx || !path || !f) return flx_refuse_null(ctx, __func__);
    FLX_TRY(make(ctx, path, f));
    flx_status status = read_plan(*f);
    if (status != FLX_OK) {
        flx_folder_close(f);
        return status;
    }
    (*f)->nchunk = ((*f)->plan.runs + (*f)->plan.chunk - 1) / (*f)->plan.chunk;
    // workers begin at places of their own, so that they rarely want the same chunk
    uint64_t own = flx_hash(FLX_HASH_START, (*f)->worker, strlen((*f)->worker));
    (*f)->place = (int)(own % (uint64_t)(*f)->nchunk);
    return FLX_OK;
}

void flx_folder_close(flx_folder **folder)
{
    flx_folder *f = folder ? *folder : NULL;
    if (!f) return;
    flx_folder_give_back(f);
    if (f->rows >= 0) close(f->rows);
    flx_free(f->record);
    flx_free(f->failure);
    flx_folder_forget_workers(f);
    flx_arena_destroy(&f->arena);
    flx_free(f);
    *folder = NULL;
}

const flx_folder_plan *flx_folder_get_plan(const flx_folder *f)
{
    return &f->plan;
}

static flx_status compare_plan(flx_folder *f, const flx_folder_plan *wanted)
{
    FLX_TRY(read_plan(f));
    return is_same(f->ctx, f->path, wanted, &f->plan) ? FLX_OK : FLX_ERR_ARGUMENT;
}

flx_status flx_folder_create(flx_ctx *ctx, const char *path, const flx_folder_plan *plan)
{
    if (!ctx || !path || !plan || !plan->model) return flx_refuse_null(ctx, __func__);
    static const char *const parts[] = {"claims", "rows", "failed", "runs"};
    flx_folder *f = NULL;
    flx_folder_plan whole = *plan;
    char name[FLX_FOLDER_PATH];
    if (plan->runs < 1 || plan->chunk < 1) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "a study has at least one run");
    }
    if (plan->nsetting < 0 || (plan->nsetting > 0 && !plan->settings)) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "a study has no list of its settings");
    }
    FLX_TRY(make(ctx, path, &f));
    flx_status status = flx_folder_list_files(f, plan->model, &whole.nfile, &whole.files);
    if (status == FLX_OK) status = make_folder(ctx, f->path);
    flx_folder_name(f, name, "plan");
    bool there = status == FLX_OK && access(name, F_OK) == 0;
    if (there) status = compare_plan(f, &whole);
    size_t nparts = sizeof parts / sizeof parts[0] - !plan->results;
    for (size_t i = 0; status == FLX_OK && i < nparts; i++) {
        flx_folder_name(f, name, "%s", parts[i]);
        status = make_folder(ctx, name);
    }
    if (status == FLX_OK && !there) {
        status = write_plan(f, &whole, &there);
        if (status == FLX_OK && there) status = compare_plan(f, &whole);
    }
    flx_folder_close(&f);
    return status;
}

// ---- claims --------------------------------------------------------------------------------------

static bool is_done(const flx_folder *f, int chunk)
{
    char path[FLX_FOLDER_PATH];
    flx_folder_name(f, path, "claims/%06d.done", chunk);
    return access(path, F_OK) == 0;
}

// Seconds since somebody touched the file, by the clock of the server; negative: it is not there.
static double find_age(const flx_folder *f, const char *path)
{
    struct stat claim, now;
    if (stat(path, &claim) != 0) return -1.0;
    if (!flx_folder_clock(f, &now)) return 0.0;
    return (double)(now.st_mtim.tv_sec - claim.st_mtim.tv_sec) +
           1e-9 * (double)(now.st_mtim.tv_nsec - claim.st_mtim.tv_nsec);
}

// A claim that nobody touches is renamed away: of several who see it, one wins.
static bool free_stale(const flx_folder *f, int chunk)
{
    char path[FLX_FOLDER_PATH], away[FLX_FOLDER_PATH];
    flx_folder_name(f, path, "claims/%06d", chunk);
    if (!(find_age(f, path) > STALE)) return false;
    flx_folder_name(f, away, "claims/%06d.gone-%s", chunk, f->worker);
    if (rename(path, away) != 0) return false;
    unlink(away);
    return true;
}

// What no waiting mends: the folder of claims is gone, nothing can be written there, the disk is full.
static bool is_lasting(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM ||
           error == EROFS || error == ENOSPC || error == EDQUOT;
}

// FLX_STOPPED: another has it, or has done it.
static flx_status try_claim(flx_folder *f, int chunk)
{
    char path[FLX_FOLDER_PATH];
    flx_folder_name(f, path, "claims/%06d", chunk);
    errno = 0;
    int d = open(path, O_CREAT | O_EXCL | O_WRONLY, 0666);
    bool written = d >= 0 && write(d, f->worker, strlen(f->worker)) > 0;
    flx_status status = !written && is_lasting(errno) ? flx_folder_fail(f, "write", path) : FLX_OK;
    if (d < 0) return status == FLX_OK ? FLX_STOPPED : status;
    close(d);
    if (written && !is_done(f, chunk)) { // it may have ended between the look and the claim
        f->chunk = chunk;
        return FLX_OK;
    }
    unlink(path);
    return status == FLX_OK ? FLX_STOPPED : status;
}

flx_status flx_folder_claim(flx_folder *f, int *first, int *end, int *waits)
{
    if (!f) return flx_refuse_null(NULL, __func__);
    bool left = false;
    *waits = 0;
    for (int k = 0; k < f->nchunk; k++) {
        int chunk = (f->place + k) % f->nchunk;
        if (is_done(f, chunk)) continue;
        left = true;
        flx_status status = try_claim(f, chunk);
        if (status == FLX_STOPPED && free_stale(f, chunk)) status = try_claim(f, chunk);
        if (status == FLX_STOPPED) continue;
        FLX_TRY(status);
        f->place = (chunk + 1) % f->nchunk;
        *first = chunk * f->plan.chunk;
        *end = *first + f->plan.chunk < f->plan.runs ? *first + f->plan.chunk : f->plan.runs;
        return FLX_OK;
    }
    *waits = left;
    return left ? FLX_OK : FLX_STOPPED;
}

void flx_folder_touch(flx_folder *f)
{
    if (!f) return;
    char path[FLX_FOLDER_PATH];
    if (f->chunk < 0) return;
    flx_folder_name(f, path, "claims/%06d", f->chunk);
    (void)utimensat(AT_FDCWD, path, NULL, 0);
}

void flx_folder_give_back(flx_folder *f)
{
    if (!f) return;
    char path[FLX_FOLDER_PATH];
    if (f->chunk < 0) return;
    flx_folder_name(f, path, "claims/%06d", f->chunk);
    unlink(path);
    f->chunk = -1;
}

void flx_folder_release(flx_folder *f, int run)
{
    if (!f) return;
    char path[FLX_FOLDER_PATH];
    flx_folder_name(f, path, "claims/%06d", run / f->plan.chunk);
    (void)unlink(path);
}

flx_status flx_folder_finish_chunk(flx_folder *f)
{
    if (!f) return flx_refuse_null(NULL, __func__);
    char path[FLX_FOLDER_PATH], done[FLX_FOLDER_PATH];
    if (f->rows >= 0 && fdatasync(f->rows) != 0) return flx_folder_fail(f, "write", "rows");
    flx_folder_name(f, path, "claims/%06d", f->chunk);
    flx_folder_name(f, done, "claims/%06d.done", f->chunk);
    // a claim that was taken for dead is not there any more: its rows are, and are equal
    if (rename(path, done) != 0 && errno != ENOENT) return flx_folder_fail(f, "write", done);
    f->chunk = -1;
    return FLX_OK;
}
