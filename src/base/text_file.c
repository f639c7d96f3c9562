// text_file.c - texts that a model names.
#include "base/text_file.h"

#include "base/memory_files.h"
#include "base/number.h"
#include "base/output_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static flx_status read_open(flx_ctx *ctx, flx_arena *arena, FILE *f, const char *path, flx_loc loc,
                            size_t limit, char **text, size_t *length)
{
    struct stat info;
    if (fstat(fileno(f), &info) != 0 || S_ISDIR(info.st_mode)) {
        return FLX_FAIL(ctx, FLX_ERR_IO, loc, "'%s' is not a file that can be read", path);
    }
    // Pipes and devices have no size: they are read in growing blocks, up to the limit of a model.
    if (!S_ISREG(info.st_mode)) limit = FLX_FILE_LIMIT;
    size_t room = S_ISREG(info.st_mode) ? (size_t)info.st_size : 65536, n = 0;
    for (;;) {
        if (room > limit) {
            return FLX_FAIL(ctx, FLX_ERR_IO, loc, "'%s' is larger than %d MB, the limit", path,
                            (int)(limit >> 20));
        }
        char *block = flx_arena_take(arena, room + 2, 1);
        if (!block) return FLX_ERR_MEMORY;
        if (n) memcpy(block, *text, n);
        *text = block;
        n += fread(block + n, 1, room + 1 - n, f);
        if (ferror(f)) {
            return FLX_FAIL(ctx, FLX_ERR_IO, loc, "'%s' cannot be read: %s", path,
                            flx_error_text(errno));
        }
        if (n <= room) break;
        room *= 2;
    }
    (*text)[n] = 0;
    *length = n;
    return FLX_OK;
}

static flx_status read_within(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                              size_t limit, char **text, size_t *length)
{
    const flx_given_file *given = flx_ctx_given_file(ctx, path);
    *text = NULL;
    *length = 0;
    if (given) {
        *text = flx_arena_copy(arena, given->text, given->length);
        *length = given->length;
        return *text ? FLX_OK : FLX_ERR_MEMORY;
    }
    FILE *f = fopen(path, "rb");
    if (!f) {
        return FLX_FAIL(ctx, FLX_ERR_IO, loc, "the file '%s' cannot be opened: %s", path,
                        flx_error_text(errno));
    }
    int input;
    flx_status status = flx_input_note(ctx, fileno(f), &input);
    if (status == FLX_OK) status = flx_input_name(ctx, input, path);
    if (status == FLX_OK) status = read_open(ctx, arena, f, path, loc, limit, text, length);
    fclose(f);
    return status;
}

flx_status flx_file_read(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc, char **text,
                         size_t *length)
{
    return read_within(ctx, arena, path, loc, FLX_FILE_LIMIT, text, length);
}

flx_status flx_file_read_large(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                               char **text, size_t *length)
{
    return read_within(ctx, arena, path, loc, FLX_LARGE_LIMIT, text, length);
}

const char *flx_file_beside(flx_arena *arena, const char *from, const char *name)
{
    const char *slash = from ? strrchr(from, '/') : NULL;
    if (name[0] == '/' || !slash) return flx_arena_copy(arena, name, strlen(name));
    return flx_arena_printf(arena, "%.*s/%s", (int)(slash - from), from, name);
}
