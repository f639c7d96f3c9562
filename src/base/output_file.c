// output_file.c - files that appear whole or not at all, and never in the place of a file that is read.
#define _XOPEN_SOURCE 700 // realpath

#include "base/output_file.h"
#include "base/context.h"
#include "base/number.h"
#include "base/refuse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_PART 200 // of the file's name in that of its part: file systems allow 255

// ---- files that are read ------------------------------------------------------------------------

// Its number among those of the context; -1: none of them.
static int find_input(const flx_ctx *ctx, const struct stat *info)
{
    int i = ctx->ninput - 1;
    while (i >= 0 &&
           (ctx->inputs[i].device != info->st_dev || ctx->inputs[i].inode != info->st_ino))
        i--;
    return i;
}

static flx_status note(flx_ctx *ctx, const struct stat *info, int *input)
{
    *input = S_ISREG(info->st_mode) ? find_input(ctx, info) : -1;
    if (*input >= 0) ctx->inputs[*input].uses++;
    if (*input >= 0 || !S_ISREG(info->st_mode)) return FLX_OK;
    FLX_TRY(flx_grow(ctx, (void **)&ctx->inputs, &ctx->input_capacity, ctx->ninput + 1,
                     sizeof *ctx->inputs));
    *input = ctx->ninput++;
    ctx->inputs[*input] = (flx_read_file){info->st_dev, info->st_ino, 1, NULL};
    return FLX_OK;
}

flx_status flx_input_note(flx_ctx *ctx, int descriptor, int *input)
{
    struct stat info;
    int number = -1;
    flx_status status = fstat(descriptor, &info) == 0 ? note(ctx, &info, &number) : FLX_OK;
    if (input) *input = number;
    return status;
}

flx_status flx_input_name(flx_ctx *ctx, int input, const char *path)
{
    if (input < 0 || ctx->inputs[input].path) return FLX_OK;
    const char *name = flx_intern(ctx, path);
    ctx->inputs[input].path = name;
    return name ? FLX_OK : FLX_ERR_MEMORY;
}

const char *flx_input_path(const flx_ctx *ctx, int input, bool *there)
{
    *there = input >= 0 && input < ctx->ninput;
    return *there ? ctx->inputs[input].path : NULL;
}

void flx_input_release(flx_ctx *ctx, int input)
{
    if (input >= 0 && input < ctx->ninput && ctx->inputs[input].uses > 0) ctx->inputs[input].uses--;
}

flx_status flx_ctx_protect(flx_ctx *ctx, const char *path)
{
    struct stat info;
    int number;
    return stat(path, &info) == 0 ? note(ctx, &info, &number) : FLX_OK;
}

void flx_ctx_forget_inputs(flx_ctx *ctx)
{
    if (!ctx) return;
    for (int i = 0; i < ctx->ninput; i++) ctx->inputs[i].uses = 0;
}

// ---- where to write -----------------------------------------------------------------------------

static flx_status refuse(flx_ctx *ctx, const char *what, const char *path, const char *why)
{
    return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot write %s to '%s': %s", what, path, why);
}

static flx_status cannot_create(flx_ctx *ctx, const char *what, const char *path)
{
    return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot create %s '%s': %s", what, path,
                    flx_error_text(errno));
}

// Standard output, and what the system offers under a name: nothing that renaming could replace.
static bool is_straight(const char *path)
{
    struct stat info;
    if (strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0) return true;
    return stat(path, &info) == 0 && (S_ISCHR(info.st_mode) || S_ISFIFO(info.st_mode));
}

// A file that is there may be replaced unless it is read, protected, or none.
static flx_status check_present(flx_ctx *ctx, const char *what, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) return FLX_OK;
    if (!S_ISREG(info.st_mode)) return refuse(ctx, what, path, "it is not a regular file");
    int input = find_input(ctx, &info);
    if (input >= 0 && ctx->inputs[input].uses > 0) {
        return refuse(ctx, what, path,
                      "this is a file that is read, and would be lost; give another name");
    }
    if (access(path, W_OK) != 0) return refuse(ctx, what, path, flx_error_text(errno));
    return FLX_OK;
}

// The path without links, also of a file that is not there yet; from malloc. NULL: errno.
static char *real_path(const char *path)
{
    char *real = realpath(path, NULL);
    if (real || errno != ENOENT) return real;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (!name[0]) return NULL; // ends in a slash
    char *folder = slash ? strdup(path) : strdup(".");
    if (folder && slash) folder[slash > path ? slash - path : 1] = '\0';
    char *whole = folder ? realpath(folder, NULL) : NULL;
    size_t size = whole ? strlen(whole) + strlen(name) + 2 : 0;
    if (whole && (real = malloc(size))) {
        flx_snprintf(real, size, "%s/%s", strcmp(whole, "/") == 0 ? "" : whole, name);
    }
    free(folder);
    free(whole);
    return real;
}

// Whether another output of the context goes to the same file.
static const flx_output *find_rival(const flx_ctx *ctx, const char *real)
{
    const flx_output *o = ctx->outputs;
    while (o && !(o->path && strcmp(o->path, real) == 0)) o = o->next;
    return o;
}

static flx_status check_place(flx_ctx *ctx, const char *what, const char *path, char **real)
{
    *real = NULL;
    FLX_TRY(check_present(ctx, what, path));
    *real = real_path(path);
    if (!*real) return cannot_create(ctx, what, path);
    const flx_output *rival = find_rival(ctx, *real);
    if (!rival) return FLX_OK;
    free(*real);
    *real = NULL;
    return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE,
                    "cannot write %s to '%s': %s goes there; give another name", what, path,
                    rival->what);
}

flx_status flx_output_check(flx_ctx *ctx, const char *what, const char *path)
{
    if (!ctx || !path) return flx_refuse_null(ctx, __func__);
    char *real = NULL;
    if (is_straight(path)) return FLX_OK;
    flx_status status = check_place(ctx, what, path, &real);
    if (status == FLX_OK) {
        char *slash = strrchr(real, '/');
        if (slash > real) *slash = '\0';
        if (access(slash > real ? real : "/", W_OK) != 0) status = cannot_create(ctx, what, path);
    }
    free(real);
    return status;
}

// ---- the file -----------------------------------------------------------------------------------

void flx_output_drop(flx_output **out)
{
    flx_output *o = *out;
    if (!o) return;
    if (o->file && o->file != stdout) fclose(o->file);
    flx_output **at = &o->ctx->outputs;
    while (*at && *at != o) at = &(*at)->next;
    if (*at) *at = o->next;
    if (o->part && !o->placed) unlink(o->part);
    flx_free(o->shown);
    flx_free(o->path);
    flx_free(o->part);
    flx_free(o);
    *out = NULL;
}

static char *copy(flx_ctx *ctx, const char *text, size_t more)
{
    size_t length = strlen(text) + 1;
    char *out = flx_alloc(ctx, length + more, 1);
    if (out) memcpy(out, text, length);
    return out;
}

static flx_status create(flx_ctx *ctx, const char *what, const char *path, flx_output **out)
{
    flx_output *o = *out = flx_alloc(ctx, 1, sizeof *o);
    if (!o) return FLX_ERR_MEMORY;
    *o = (flx_output){.ctx = ctx, .what = what, .shown = copy(ctx, path, 0), .next = ctx->outputs};
    ctx->outputs = o;
    return o->shown ? FLX_OK : FLX_ERR_MEMORY;
}

// The part lies beside the file: "crank.h5.4711.part". It has the rights of a file that it replaces.
static flx_status create_part(flx_output *o, const char *real)
{
    struct stat info;
    const char *name = strrchr(real, '/') + 1;
    o->path = copy(o->ctx, real, 0);
    o->part = copy(o->ctx, real, 40);
    if (!o->path || !o->part) return FLX_ERR_MEMORY;
    flx_snprintf(o->part + (name - real), strlen(name) + 40, "%.*s.%ld.part", NAME_PART, name,
                 (long)getpid());
    unlink(o->part); // of a program that had this number before
    int fd = open(o->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) return cannot_create(o->ctx, o->what, o->shown);
    if (stat(o->path, &info) == 0) (void)fchmod(fd, info.st_mode & 0777);
    close(fd);
    return FLX_OK;
}

flx_status flx_output_reserve(flx_ctx *ctx, const char *what, const char *path, flx_output **o)
{
    char *real;
    *o = NULL;
    FLX_TRY(check_place(ctx, what, path, &real));
    flx_status status = create(ctx, what, path, o);
    if (status == FLX_OK) status = create_part(*o, real);
    free(real);
    if (status != FLX_OK) flx_output_drop(o);
    return status;
}

flx_status flx_output_create(flx_ctx *ctx, const char *what, const char *path, flx_output **out)
{
    if (out) *out = NULL;
    if (!ctx || !path || !out) return flx_refuse_null(ctx, __func__);
    bool straight = is_straight(path);
    flx_status made =
        straight ? create(ctx, what, path, out) : flx_output_reserve(ctx, what, path, out);
    if (made != FLX_OK) flx_output_drop(out);
    FLX_TRY(made);
    flx_output *o = *out;
    o->file = strcmp(path, "-") == 0 ? stdout : fopen(straight ? path : o->part, "wb");
    if (o->file) return FLX_OK;
    flx_status status = cannot_create(ctx, what, path);
    flx_output_drop(out);
    return status;
}

FILE *flx_output_file(flx_output *o)
{
    if (!o) return NULL;
    return o->file;
}

bool flx_output_commit(flx_output *o)
{
    if (o->file && fflush(o->file) != 0) return false;
    if (o->part && !o->placed && rename(o->part, o->path) != 0) return false;
    o->placed = o->file != NULL;
    return true;
}

flx_status flx_output_fail(flx_output *o, const char *why)
{
    return FLX_FAIL(o->ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot write %s '%s': %s", o->what, o->shown,
                    why[0]  ? why
                    : errno ? flx_error_text(errno)
                            : "not all of it was taken");
}

// Why an earlier part of the file was not taken: what a write of one more byte says.
static int ask_why(FILE *f)
{
    clearerr(f);
    errno = 0;
    (void)(fputc('\n', f) == EOF || fflush(f));
    return errno;
}

flx_status flx_output_close(flx_output **out, flx_status status)
{
    flx_output *o = out ? *out : NULL;
    if (!o) return status;
    errno = 0;
    bool lost = o->file && ferror(o->file);
    bool good = !o->file || (fflush(o->file) == 0 && !lost);
    int error = errno;
    if (lost && error == 0) error = ask_why(o->file);
    if (o->file && o->file != stdout && fclose(o->file) != 0) {
        good = false;
        error = error ? error : errno;
    }
    o->file = NULL;
    if (status == FLX_OK && good && !o->placed && !flx_output_commit(o)) {
        good = false;
        error = errno;
    }
    errno = error;
    if (status == FLX_OK && !good) status = flx_output_fail(o, "");
    flx_output_drop(out);
    return status;
}
