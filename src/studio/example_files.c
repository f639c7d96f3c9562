// example_files.c - see the header.
#include "studio/example_files.h"
#include "base/common.h"
#include "base/number.h"
#include "page/page_template.h"
#include "studio/studio_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Where a file goes; the caller frees it.
static char *place_of(const flx_example_file *f, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash + 1 - path) : 0, n = strlen(f->path) + 1;
    char *place = malloc(folder + n);
    if (!place) return NULL;
    memcpy(place, path, folder);
    memcpy(place + folder, f->path, n);
    return place;
}

static flx_status fail(flx_ctx *ctx, const char *place, const char *why)
{
    return FLX_FAIL(ctx, FLX_ERR_IO, FLX_NOWHERE, "'%s', which the example needs, %s", place, why);
}

// *there: it is as it should be. What stands in its place, and is another file, a folder or a link, is left alone.
static flx_status look(flx_ctx *ctx, const flx_example_file *f, const char *place, bool *there)
{
    struct stat s;
    char *text = NULL;
    *there = lstat(place, &s) == 0;
    if (!*there) return FLX_OK;
    size_t n = strlen(f->text), got = 0;
    bool same = S_ISREG(s.st_mode) && flx_studio_read(place, n + 1, &text, &got) && got == n &&
                memcmp(text, f->text, n) == 0;
    free(text);
    return same ? FLX_OK : fail(ctx, place, "is there already, and is another one");
}

// The folder of a file, one level below that of the model; a link may lead elsewhere.
static flx_status make_folder(flx_ctx *ctx, const flx_example_file *f, const char *place)
{
    struct stat s;
    if (!strchr(f->path, '/')) return FLX_OK;
    char *folder = strdup(place);
    if (!folder) return FLX_ERR_MEMORY;
    *strrchr(folder, '/') = '\0';
    bool made = mkdir(folder, 0777) == 0 || errno == EEXIST;
    flx_status status = made && lstat(folder, &s) == 0 && S_ISDIR(s.st_mode)
                            ? FLX_OK
                            : fail(ctx, place, "cannot be written: its folder cannot be made");
    free(folder);
    return status;
}

// Whole or not at all, as long as nobody else has made it meanwhile.
static flx_status write_one(flx_ctx *ctx, const flx_example_file *f, const char *place)
{
    FLX_TRY(make_folder(ctx, f, place));
    FILE *file = fopen(place, "wbx");
    if (!file) return fail(ctx, place, flx_error_text(errno));
    bool whole = fputs(f->text, file) >= 0;
    whole = fclose(file) == 0 && whole;
    if (whole) return FLX_OK;
    unlink(place);
    return fail(ctx, place, "cannot be written");
}

flx_status flx_example_files_write(flx_ctx *ctx, const char *example, const char *path)
{
    flx_status status = FLX_OK;
    for (int written = 0; written < 2; written++) { // all are looked at before one is written
        for (const flx_example_file *f = flx_example_files; f->example && status == FLX_OK; f++) {
            bool there = false;
            if (strcmp(f->example, example) != 0) continue;
            char *place = place_of(f, path);
            status = place ? look(ctx, f, place, &there) : FLX_ERR_MEMORY;
            if (status == FLX_OK && !there && written) status = write_one(ctx, f, place);
            free(place);
        }
    }
    return status;
}
