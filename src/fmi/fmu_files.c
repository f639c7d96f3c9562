// fmu_files.c - files of a model, gathered for an FMU.
#include "fmi/fmu_files.h"

#include "base/output_file.h"
#include "base/text_file.h"

#define MOST_UP 16

// The path as seen from a folder ("" for the current one): how many folders up, and the rest; "." and ".." are taken out.
// NULL: no memory. *up < 0: it does not begin there.
static const char *relate(flx_arena *arena, const char *path, const char *folder, int *up)
{
    size_t length = strlen(folder);
    *up = -1;
    if (length && (strncmp(path, folder, length) != 0 || path[length] != '/')) return "";
    if (!length && path[0] == '/') return "";
    const char *from = length ? path + length + 1 : path;
    char *out = flx_arena_take(arena, strlen(from) + 1, 1);
    if (!out) return NULL;
    size_t used = 0;
    *up = 0;
    while (*from) {
        size_t n = strcspn(from, "/");
        if (n == 2 && strncmp(from, "..", 2) == 0) {
            while (used > 0 && out[used - 1] != '/') used--;
            if (used > 0)
                used--;
            else if (out[0] == 0)
                ++*up;
            out[used] = 0;
        } else if (n > 0 && !(n == 1 && from[0] == '.')) {
            if (used > 0) out[used++] = '/';
            memcpy(out + used, from, n);
            used += n;
        }
        out[used] = 0;
        from += n;
        while (*from == '/') from++;
    }
    return out;
}

static flx_status refuse(flx_ctx *ctx, const char *path, const char *why)
{
    return FLX_FAIL(ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                    "the file '%s' cannot become a part of the FMU: %s", path, why);
}

static flx_status read_files(flx_ctx *inner, flx_arena *arena, flx_fmu_files *f)
{
    for (int i = 0; i < f->count; i++) {
        flx_fmu_file *file = f->items + i;
        FLX_TRY(
            flx_file_read_large(inner, arena, file->path, FLX_NOWHERE, &file->data, &file->size));
    }
    return FLX_OK;
}

// A model that names a file by its whole path would look for it there on another machine.
static flx_status check_names(flx_ctx *ctx, const flx_fmu_files *f)
{
    for (int i = 0; i < f->count; i++) {
        for (int k = 0; f->items[i].path[0] == '/' && k < f->count; k++) {
            if (strlen(f->items[k].data) == f->items[k].size &&
                strstr(f->items[k].data, f->items[i].path))
                return refuse(
                    ctx, f->items[i].path,
                    "the model names it by its whole path; name it relative to the model");
        }
    }
    return FLX_OK;
}

flx_status flx_fmu_collect_files(flx_ctx *ctx, flx_ctx *inner, flx_arena *arena, const char *model,
                                 flx_fmu_files *out)
{
    int count = 0, most = 0, ups[1024];
    bool there = true;
    const char *path, *slash = strrchr(model, '/');
    const char *folder = flx_arena_copy(arena, model, slash ? (size_t)(slash - model) : 0);
    while (flx_input_path(inner, count, &there), there) count++;
    if (count > (int)(sizeof ups / sizeof ups[0]))
        return refuse(ctx, model, "it has too many files");
    out->items = flx_arena_take(arena, (size_t)count + 1, sizeof *out->items);
    if (!folder || !out->items) return FLX_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        path = flx_input_path(inner, i, &there);
        if (!path) continue;
        flx_fmu_file *f = out->items + out->count;
        f->path = flx_arena_copy(arena, path, strlen(path));
        f->inside = f->path ? relate(arena, f->path, folder, ups + out->count) : NULL;
        if (!f->inside) return FLX_ERR_MEMORY;
        if (ups[out->count] < 0 || ups[out->count] > MOST_UP) {
            return refuse(ctx, path, "name it relative to the model's folder");
        }
        if (ups[out->count] > most) most = ups[out->count];
        out->count++;
    }
    for (int i = 0; i < out->count; i++) { // the model lies as deep as files lie above it
        for (int k = ups[i]; k < most; k++) {
            out->items[i].inside = flx_arena_printf(arena, "d/%s", out->items[i].inside);
            if (!out->items[i].inside) return FLX_ERR_MEMORY;
        }
        if (strcmp(out->items[i].path, model) == 0 && i > 0) {
            flx_fmu_file first = out->items[0];
            int up = ups[0];
            out->items[0] = out->items[i];
            out->items[i] = first;
            ups[0] = ups[i];
            ups[i] = up;
        }
    }
    FLX_TRY(read_files(inner, arena, out));
    return check_names(ctx, out);
}
