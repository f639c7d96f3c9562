// folder_files.c - what a study folder knows besides its rows: the files that its model is made of, and its workers.
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier): realpath
#include "study/folder_parts.h"

#include "base/checkpoint_walk.h"
#include "base/number.h"
#include "base/output_file.h"
#include "base/refuse.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- files ---------------------------------------------------------------------------------------

static bool is_within(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    return strncmp(path, folder, n) == 0 && path[n] == '/';
}

// realpath, or what was given where there is no such file any more.
static void make_whole(const char *path, char out[PATH_MAX])
{
    if (!realpath(path, out)) flx_snprintf(out, PATH_MAX, "%s", path);
}

flx_status flx_folder_list_files(flx_folder *f, const char *model, int *n,
                                 const flx_folder_file **files)
{
    char path[PATH_MAX], own[PATH_MAX], first[PATH_MAX];
    const char *name;
    bool there = true;
    int most = 0;
    make_whole(model, first);
    make_whole(f->path, own);
    while (flx_input_path(f->ctx, most, &there), there) most++;
    flx_folder_file *list = flx_arena_take(f->arena, (size_t)most + 1, sizeof *list);
    if (!list) return FLX_ERR_MEMORY;
    *files = list;
    *n = 0;
    for (int i = 0; i < most; i++) {
        name = flx_input_path(f->ctx, i, &there);
        if (!name) continue;
        make_whole(name, path);
        if (strcmp(path, first) == 0 || is_within(path, own) || strchr(path, '\n')) continue;
        flx_folder_file *file = list + *n;
        file->path = flx_arena_copy(f->arena, path, strlen(path));
        if (!file->path) return FLX_ERR_MEMORY;
        if (flx_folder_hash(f->ctx, path, &file->hash) == FLX_OK) ++*n;
    }
    return FLX_OK;
}

static flx_status refuse(const flx_folder *f, const char *file)
{
    return FLX_FAIL(f->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                    "'%s' has changed since the study in '%s' was planned; name another folder "
                    "with --into",
                    file, f->path);
}

flx_status flx_folder_check(flx_folder *f)
{
    if (!f) return flx_refuse_null(NULL, __func__);
    const flx_folder_plan *p = &f->plan;
    uint64_t hash;
    if (p->version && strcmp(p->version, flx_version()) != 0) {
        return FLX_FAIL(f->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the study in '%s' was planned by Flexion %s, and its runs are made by "
                        "that version alone; this is %s, which gathers and shows it",
                        f->path, p->version, flx_version());
    }
    FLX_TRY(flx_folder_hash(f->ctx, p->model, &hash));
    if (hash != p->hash) return refuse(f, p->model);
    for (int i = 0; i < p->nfile; i++) {
        FLX_TRY(flx_folder_hash(f->ctx, p->files[i].path, &hash));
        if (hash != p->files[i].hash) return refuse(f, p->files[i].path);
    }
    return FLX_OK;
}

// ---- workers -------------------------------------------------------------------------------------

bool flx_folder_clock(const flx_folder *f, struct stat *now)
{
    char clock[FLX_FOLDER_PATH];
    flx_folder_name(f, clock, "claims/clock-%s", f->worker);
    int d = open(clock, O_CREAT | O_TRUNC | O_WRONLY, 0666);
    if (d < 0) return false;
    bool known = write(d, ".", 1) == 1 && fstat(d, now) == 0;
    close(d);
    unlink(clock);
    return known;
}

void flx_folder_forget_workers(flx_folder *f)
{
    for (int i = 0; i < f->nworker; i++) flx_free((void *)(uintptr_t)f->workers[i].name);
    flx_free(f->workers);
    f->workers = NULL;
    f->nworker = 0;
}

// The name of a worker ends with the second that it began in, as "host-pid-SECONDSNANOSECONDS" in hexadecimal digits.
static double find_begin(const char *name)
{
    const char *at = strrchr(name, '-');
    char digits[40];
    size_t n = at ? strlen(at + 1) : 0;
    if (n < 10 || n >= sizeof digits) return 0.0;
    memcpy(digits, at + 1, n - 9);
    digits[n - 9] = '\0';
    return (double)strtoull(digits, NULL, 16) + 1e-9 * (double)strtoull(at + 1 + n - 9, NULL, 16);
}

flx_status flx_folder_note_worker(flx_folder *f, const char *file, int rows,
                                  const struct stat *info)
{
    const char *slash = strrchr(file, '/');
    size_t n = strlen(slash + 1) - strlen(".rows");
    char *name = flx_alloc(f->ctx, n + 1, 1);
    flx_folder_worker *more = flx_alloc(f->ctx, (size_t)f->nworker + 1, sizeof *more);
    if (!name || !more) {
        flx_free(name);
        flx_free(more);
        return FLX_ERR_MEMORY;
    }
    memcpy(name, slash + 1, n);
    for (int i = 0; i < f->nworker; i++) more[i] = f->workers[i];
    flx_free(f->workers);
    f->workers = more;
    double last = (double)info->st_mtim.tv_sec + 1e-9 * (double)info->st_mtim.tv_nsec;
    double began = find_begin(name);
    more[f->nworker++] = (flx_folder_worker){name, rows, began > 0.0 ? last - began : 0.0, -last};
    return FLX_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const flx_folder_worker *)a)->name, ((const flx_folder_worker *)b)->name);
}

void flx_folder_sort_workers(flx_folder *f)
{
    struct stat now;
    bool known = f->nworker > 0 && flx_folder_clock(f, &now);
    double t = known ? (double)now.st_mtim.tv_sec + 1e-9 * (double)now.st_mtim.tv_nsec : 0.0;
    for (int i = 0; i < f->nworker; i++)
        f->workers[i].silent = known ? t + f->workers[i].silent : 0.0;
    if (f->nworker > 1) qsort(f->workers, (size_t)f->nworker, sizeof *f->workers, by_name);
}

int flx_folder_get_worker(const flx_folder *f, int i, flx_folder_worker *out)
{
    if (!f) return 0;
    if (i < 0 || i >= f->nworker || !out) return 0;
    *out = f->workers[i];
    return 1;
}

// ---- counts --------------------------------------------------------------------------------------

// Files of a folder whose names end so.
static int count_files(const flx_folder *f, const char *folder, const char *ending)
{
    char path[FLX_FOLDER_PATH];
    size_t end = strlen(ending);
    int count = 0;
    flx_folder_name(f, path, "%s", folder);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        size_t n = strlen(e->d_name);
        count += n > end && strcmp(e->d_name + n - end, ending) == 0;
    }
    if (d) closedir(d);
    return count;
}

flx_status flx_folder_count(flx_folder *f, int *failed, int *finished)
{
    if (!f || !failed || !finished) return flx_refuse_null(f ? f->ctx : NULL, __func__);
    *failed = count_files(f, "failed", ".txt");
    *finished = count_files(f, "claims", ".done") * f->plan.chunk;
    if (*finished > f->plan.runs) *finished = f->plan.runs;
    return FLX_OK;
}

const char *flx_folder_results(flx_folder *f, int run)
{
    if (!f) return NULL;
    flx_folder_name(f, f->results, "runs/%06d.h5", run / f->plan.chunk);
    return f->results;
}
