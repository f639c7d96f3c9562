// folder_rows.c - records of a study folder: written by one worker each, read by anybody.
//
// A record is its length, its bytes, and a hash of them; what a worker that died has left unfinished has no such hash.
// The first byte says what it is: N names of columns (texts), R a row (run, values), of the names before it.
#include "study/folder_parts.h"

#include "base/checkpoint_walk.h"
#include "base/number.h"
#include "base/refuse.h"
#include "base/text_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONGEST ((uint32_t)1 << 26) // record, bytes

// ---- writing -------------------------------------------------------------------------------------

static flx_status reserve(flx_folder *f, size_t n)
{
    if (n <= f->room) return FLX_OK;
    char *larger = flx_alloc(f->ctx, 2 * n, 1);
    if (!larger) return FLX_ERR_MEMORY;
    flx_free(f->record);
    f->record = larger;
    f->room = 2 * n;
    return FLX_OK;
}

static flx_status open_rows(flx_folder *f)
{
    char path[FLX_FOLDER_PATH];
    if (f->rows >= 0) return FLX_OK;
    flx_folder_name(f, path, "rows/%s.rows", f->worker);
    f->rows = open(path, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0666);
    return f->rows >= 0 ? FLX_OK : flx_folder_fail(f, "write", path);
}

// The n bytes at record + 4, with length and hash around them, in one write.
static flx_status write_record(flx_folder *f, size_t n)
{
    uint32_t length = (uint32_t)n;
    uint64_t hash = flx_hash(FLX_HASH_START, f->record + sizeof length, n);
    memcpy(f->record, &length, sizeof length);
    memcpy(f->record + sizeof length + n, &hash, sizeof hash);
    size_t all = sizeof length + n + sizeof hash;
    for (size_t done = 0; done < all;) {
        ssize_t w = write(f->rows, f->record + done, all - done);
        if (w < 0 && errno == EINTR) continue;
        if (w <= 0) return flx_folder_fail(f, "write", "rows");
        done += (size_t)w;
    }
    return FLX_OK;
}

static flx_status write_names(flx_folder *f, int n, const char *const *names)
{
    size_t length = 1;
    uint64_t hash = FLX_HASH_START;
    for (int i = 0; i < n; i++) {
        size_t size = strlen(names[i]) + 1;
        hash = flx_hash(hash, names[i], size);
        length += size;
    }
    if (hash == f->names) return FLX_OK;
    FLX_TRY(reserve(f, length + 16));
    char *to = f->record + 4;
    *to++ = 'N';
    for (int i = 0; i < n; i++) {
        size_t size = strlen(names[i]) + 1;
        memcpy(to, names[i], size);
        to += size;
    }
    FLX_TRY(write_record(f, length));
    f->names = hash;
    return FLX_OK;
}

flx_status flx_folder_add_row(flx_folder *f, int run, int n, const char *const *names,
                              const double *values)
{
    if (!f) return flx_refuse_null(NULL, __func__);
    if (run < 0 || run >= f->plan.runs || n < 0 || (n > 0 && (!names || !values))) {
        return FLX_FAIL(f->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "run %d of a study of %d: a row has names and values", run, f->plan.runs);
    }
    size_t bytes = 1 + sizeof(int32_t) + (size_t)n * sizeof *values;
    int32_t number = run;
    FLX_TRY(open_rows(f));
    FLX_TRY(write_names(f, n, names));
    FLX_TRY(reserve(f, bytes + 16));
    f->record[4] = 'R';
    memcpy(f->record + 5, &number, sizeof number);
    memcpy(f->record + 5 + sizeof number, values, (size_t)n * sizeof *values);
    return write_record(f, bytes);
}

// ---- failures ------------------------------------------------------------------------------------

int flx_folder_has_failed(const flx_folder *f, int run)
{
    if (!f) return 0;
    char path[FLX_FOLDER_PATH];
    flx_folder_name(f, path, "failed/%06d.txt", run);
    return access(path, F_OK) == 0;
}

flx_status flx_folder_add_failure(flx_folder *f, int run, const char *text)
{
    if (!f) return flx_refuse_null(NULL, __func__);
    if (run < 0 || run >= f->plan.runs || !text) {
        return FLX_FAIL(f->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "run %d of a study of %d: a failure has a text", run, f->plan.runs);
    }
    char to[FLX_FOLDER_PATH], part[FLX_FOLDER_PATH];
    flx_folder_name(f, to, "failed/%06d.txt", run);
    flx_folder_name(f, part, "failed/part-%s", f->worker);
    FILE *file = fopen(part, "w");
    if (!file) return flx_folder_fail(f, "write", part);
    bool written = fputs(text, file) >= 0;
    written = fclose(file) == 0 && written;
    if (written && rename(part, to) == 0) return FLX_OK;
    flx_status status = flx_folder_fail(f, "write", to);
    unlink(part);
    return status;
}

const char *flx_folder_failure(flx_folder *f, int run)
{
    if (!f) return NULL;
    char path[FLX_FOLDER_PATH];
    flx_arena *arena = flx_arena_create(f->ctx);
    char *text = NULL;
    size_t length = 0;
    flx_folder_name(f, path, "failed/%06d.txt", run);
    flx_free(f->failure);
    f->failure = NULL;
    if (arena && access(path, R_OK) == 0 &&
        flx_file_read(f->ctx, arena, path, FLX_NOWHERE, &text, &length) == FLX_OK) {
        f->failure = flx_alloc(f->ctx, length + 1, 1);
        if (f->failure) memcpy(f->failure, text, length);
    }
    flx_arena_destroy(&arena);
    return f->failure;
}

flx_status flx_folder_retry(flx_folder *f, int *count)
{
    if (!f) return flx_refuse_null(NULL, __func__);
    char path[FLX_FOLDER_PATH];
    int again = 0;
    if (!count) count = &again;
    *count = 0;
    for (int run = 0; run < f->plan.runs; run++) {
        flx_folder_name(f, path, "failed/%06d.txt", run);
        if (unlink(path) != 0) continue;
        ++*count;
        flx_folder_name(f, path, "claims/%06d.done", run / f->plan.chunk);
        (void)unlink(path);
    }
    return FLX_OK;
}

// ---- gathering -----------------------------------------------------------------------------------

// Names of columns, as one record has them.
typedef struct names {
    int n;
    const char **names;
} names;
// Where a row is: its values behind it, of these names.
typedef struct place {
    const char *values; // not aligned; NULL: there is none
    const names *of;
} place;

typedef struct gathering {
    flx_folder *f;
    flx_arena *arena; // of all that is read
    place *rows;      // (runs) owned
    int read;         // rows of the file at hand
} gathering;

static flx_status take_names(gathering *g, const char *bytes, size_t n, const names **out)
{
    names *own = flx_arena_take(g->arena, 1, sizeof *own);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += bytes[i] == '\0';
    if (own) own->names = flx_arena_take(g->arena, count + 1, sizeof *own->names);
    if (!own || !own->names) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < n && own->n < (int)count; i += strlen(bytes + i) + 1)
        own->names[own->n++] = bytes + i;
    *out = own;
    return FLX_OK;
}

static flx_status take_record(gathering *g, const char *bytes, size_t n, const names **of)
{
    int32_t run;
    if (bytes[0] == 'N') return take_names(g, bytes + 1, n - 1, of);
    if (bytes[0] != 'R' || !*of || n < 1 + sizeof run) return FLX_OK;
    memcpy(&run, bytes + 1, sizeof run);
    bool whole = n == 1 + sizeof run + (size_t)(*of)->n * sizeof(double);
    g->read++;
    if (!whole || run < 0 || run >= g->f->plan.runs || g->rows[run].values) return FLX_OK;
    g->rows[run] = (place){bytes + 1 + sizeof run, *of};
    return FLX_OK;
}

// The records of one worker, up to what it left unfinished.
static flx_status read_file(gathering *g, const char *path)
{
    char *text = NULL;
    size_t length = 0, at = 0;
    const names *of = NULL;
    struct stat info;
    FLX_TRY(flx_file_read_large(g->f->ctx, g->arena, path, FLX_NOWHERE, &text, &length));
    g->read = 0;
    while (at + 12 < length) {
        uint32_t n;
        uint64_t hash;
        memcpy(&n, text + at, sizeof n);
        if (n == 0 || n > LONGEST || at + 12 + n > length) break;
        memcpy(&hash, text + at + 4 + n, sizeof hash);
        if (hash != flx_hash(FLX_HASH_START, text + at + 4, n)) break;
        FLX_TRY(take_record(g, text + at + 4, n, &of));
        at += 12 + n;
    }
    return stat(path, &info) == 0 ? flx_folder_note_worker(g->f, path, g->read, &info) : FLX_OK;
}

static flx_status read_files(gathering *g)
{
    char path[FLX_FOLDER_PATH];
    flx_folder_name(g->f, path, "rows");
    flx_folder_forget_workers(g->f);
    DIR *folder = opendir(path);
    flx_status status = folder ? FLX_OK : flx_folder_fail(g->f, "read", path);
    for (struct dirent *e; status == FLX_OK && (e = readdir(folder)) != NULL;) {
        size_t n = strlen(e->d_name);
        if (n < 6 || strcmp(e->d_name + n - 5, ".rows") != 0) continue;
        flx_folder_name(g->f, path, "rows/%s", e->d_name);
        status = read_file(g, path);
    }
    if (folder) closedir(folder);
    flx_folder_sort_workers(g->f);
    return status;
}

static void count_chunks(const flx_folder *f, flx_folder_status *s)
{
    char path[FLX_FOLDER_PATH];
    s->chunks = f->nchunk;
    for (int k = 0; k < f->nchunk; k++) {
        flx_folder_name(f, path, "claims/%06d.done", k);
        bool done = access(path, F_OK) == 0;
        flx_folder_name(f, path, "claims/%06d", k);
        s->finished += done;
        s->taken += !done && access(path, F_OK) == 0;
    }
}

flx_status flx_folder_mend(flx_folder *f, int *count)
{
    if (!f || !count) return flx_refuse_null(f ? f->ctx : NULL, __func__);
    char path[FLX_FOLDER_PATH];
    gathering g = {.f = f, .arena = flx_arena_create(f->ctx)};
    bool *done = flx_alloc(f->ctx, (size_t)f->nchunk, sizeof *done);
    *count = 0;
    g.rows = flx_alloc(f->ctx, (size_t)f->plan.runs, sizeof *g.rows);
    for (int k = 0; done && k < f->nchunk; k++) { // first: the rows of these are there by now
        flx_folder_name(f, path, "claims/%06d.done", k);
        done[k] = access(path, F_OK) == 0;
    }
    flx_status ok = g.arena && done && g.rows ? read_files(&g) : FLX_ERR_MEMORY;
    for (int run = 0; ok == FLX_OK && run < f->plan.runs; run++) {
        int k = run / f->plan.chunk;
        if (!done[k] || g.rows[run].values || flx_folder_has_failed(f, run)) continue;
        flx_folder_name(f, path, "claims/%06d.done", k);
        (void)unlink(path);
        ++*count;
    }
    flx_free(done);
    flx_free(g.rows);
    flx_arena_destroy(&g.arena);
    return ok;
}

flx_status flx_folder_gather(flx_folder *f,
                             flx_status (*row)(void *user, int run, int n, const char *const *names,
                                               const double *values),
                             void *user, flx_folder_status *status)
{
    if (!f) return flx_refuse_null(NULL, __func__);
    gathering g = {.f = f, .arena = flx_arena_create(f->ctx)};
    flx_folder_status s = {.runs = f->plan.runs};
    g.rows = flx_alloc(f->ctx, (size_t)f->plan.runs, sizeof *g.rows);
    flx_status ok = g.arena && g.rows ? read_files(&g) : FLX_ERR_MEMORY;
    for (int run = 0; ok == FLX_OK && run < f->plan.runs; run++) {
        const place *p = g.rows + run;
        if (!p->values) {
            s.failed += flx_folder_has_failed(f, run);
            continue;
        }
        s.done++;
        ok = reserve(f, (size_t)p->of->n * sizeof(double) + 16);
        if (ok != FLX_OK || !row) continue;
        memcpy(f->record, p->values, (size_t)p->of->n * sizeof(double));
        ok = row(user, run, p->of->n, p->of->names, (const double *)(const void *)f->record);
    }
    if (ok == FLX_OK) count_chunks(f, &s);
    if (status) *status = s;
    flx_free(g.rows);
    flx_arena_destroy(&g.arena);
    return ok;
}
