// include.c - text that jumps: files included in files, pieces read again.
#include "read/include.h"
#include "base/number.h"
#include "base/text_file.h"

#include <stdio.h>
#include <string.h>

flx_status flx_include_jump(flx_include *i, const flx_scan *to)
{
    const flx_source source = {flx_include_line(i) + 1, to->file, to->line};
    *i->scan = *to;
    i->shift = source.from - to->line;
    return flx_structure_add_source(i->s, &source);
}

flx_status flx_include_open(flx_include *i, const char *name, int length, int line)
{
    char text[512];
    flx_scan inner;
    flx_ctx *ctx = i->scan->ctx;
    flx_loc loc = flx_structure_loc(i->s, line);
    if (length < 1 || length >= (int)sizeof text) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc, "the name of the included file is %s",
                        length < 1 ? "missing" : "too long");
    }
    if (i->depth == FLX_INCLUDES) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                        "%d files include each other: does one of them include itself?", i->depth);
    }
    if (++i->count > FLX_MOST_INCLUDES) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                        "files are included more than %d times: do some include others again and "
                        "again?",
                        FLX_MOST_INCLUDES);
    }
    flx_snprintf(text, sizeof text, "%.*s", length, name);
    if (!i->arena && !(i->arena = flx_arena_create(ctx))) return FLX_ERR_MEMORY;
    const char *path = flx_file_beside(i->arena, i->scan->file, text);
    if (!path) return FLX_ERR_MEMORY;
    int k = 0;
    while (k < i->nknown && strcmp(i->known[k].file, path) != 0) k++;
    if (k < i->nknown) {
        inner = i->known[k];
    } else {
        FLX_TRY(flx_scan_open(ctx, i->arena, path, loc, &inner));
        if (k < FLX_INCLUDES) i->known[i->nknown++] = inner;
    }
    i->outer[i->depth++] = *i->scan;
    return flx_include_jump(i, &inner);
}

flx_status flx_include_close(flx_include *i, bool *more)
{
    *more = i->depth > 0;
    return *more ? flx_include_jump(i, &i->outer[--i->depth]) : FLX_OK;
}

void flx_include_end(flx_include *i)
{
    flx_arena_destroy(&i->arena);
}
