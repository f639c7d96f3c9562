// motion_file.c - which reader a motion needs, and its columns by name.
#include "read/motion/motion_file.h"

#include "base/letters.h"

#include <math.h>
#include <string.h>

typedef enum format { NONE, OPENSIM, TRC, BVH, C3D } format;

static format format_of(const char *path)
{
    static const struct {
        const char *end;
        format format;
    } all[] = {{".mot", OPENSIM}, {".sto", OPENSIM}, {".trc", TRC}, {".bvh", BVH}, {".c3d", C3D}};
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (n > 4 && flx_same_word(path + n - 4, all[i].end)) return all[i].format;
    }
    return NONE;
}

bool flx_motion_is_file(const char *path)
{
    return format_of(path) != NONE;
}

flx_status flx_motion_take(flx_arena *arena, int n, int ncolumn, flx_record *out)
{
    *out = (flx_record){.n = n, .ncolumn = ncolumn};
    out->names = flx_arena_take(arena, (size_t)ncolumn + 1, sizeof *out->names);
    out->t = flx_arena_take(arena, (size_t)n + 1, sizeof *out->t);
    out->values = flx_arena_take(arena, (size_t)n * (size_t)ncolumn + 1, sizeof *out->values);
    return out->names && out->t && out->values ? FLX_OK : FLX_ERR_MEMORY;
}

void flx_motion_unwrap(flx_record *m, int column)
{
    const double turn = 6.283185307179586;
    double *y = m->values + (size_t)column * (size_t)m->n, last = (double)NAN;
    for (int i = 0; i < m->n; i++) {
        if (!isfinite(y[i])) continue;
        bool jumps = fabs(y[i] - last) > 0.75 * turn; // slower than a quarter of a turn a row
        if (jumps) y[i] -= turn * round((y[i] - last) / turn);
        last = y[i];
    }
}

flx_status flx_motion_read(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                           flx_record *out)
{
    switch (format_of(path)) {
    case BVH:
        FLX_TRY(flx_motion_read_bvh(ctx, arena, path, loc, out));
        break;
    case C3D:
        FLX_TRY(flx_motion_read_c3d(ctx, arena, path, loc, out));
        break;
    case OPENSIM:
    case TRC:
    case NONE:
        FLX_TRY(flx_motion_read_text(ctx, arena, path, loc, format_of(path) == TRC, out));
        break;
    }
    if (out->n < 2) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                        "the motion in '%s' has %d rows; a function needs "
                        "two or more",
                        path, out->n);
    }
    for (int i = 1; i < out->n; i++) {
        if (out->t[i] > out->t[i - 1]) continue;
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                        "the times in '%s' do not ascend: %g comes after %g in row %d", path,
                        out->t[i], out->t[i - 1], i + 1);
    }
    return FLX_OK;
}

flx_status flx_motion_find(flx_ctx *ctx, flx_arena *arena, const flx_record *m, const char *name,
                           flx_loc loc, int *column)
{
    flx_nearest near;
    flx_nearest_start(&near, name);
    for (*column = 0; *column < m->ncolumn; ++*column) {
        if (strcmp(m->names[*column], name) == 0) return FLX_OK;
        flx_nearest_offer(&near, m->names[*column]);
    }
    const char *best = flx_nearest_best(&near);
    if (best) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                        "the motion has no column '%s'; did you mean '%s'?", name, best);
    }
    const char *list = "";
    for (int i = 0; i < m->ncolumn && i < 12 && list; i++) {
        list = flx_arena_printf(arena, "%s%s%s", list, i > 0 ? ", " : "", m->names[i]);
    }
    if (!list) return FLX_ERR_MEMORY;
    return FLX_FAIL(ctx, FLX_ERR_MODEL, loc, "the motion has no column '%s'; it has %s%s", name,
                    list, m->ncolumn > 12 ? ", ..." : "");
}
