// body_file.h - a reduced body as a file (HDF5): all numbers of an elastic body, its surface and its certificate, so that it
// is reduced once and read often. Whoever reads it has the same numbers to the last bit. Layout: docs/dev/body_file.md.
#pragma once

#include "base/common.h"
#include "reduce/elastic.h"

#define FLX_BODY_FILE_FORMAT 1

// What a file says beside the body.
typedef struct flx_body_origin {
    const char *body; // its name
    const char *key;  // of what it was reduced from, as the cache has it; "": not known
    int nnote;
    const char *const *notes; // what the reduction had to say
} flx_body_origin;

flx_status flx_body_file_write(flx_ctx *ctx, const char *path, const flx_elastic *e,
                               const flx_body_origin *origin);
// Whether a file is of HDF5, by its first bytes; false also where there is none.
bool flx_body_file_is(const char *path);
// Into the arena. FLX_ERR_IO, FLX_ERR_MODEL with a message at loc: it is no body file, of a later format, or damaged.
flx_status flx_body_file_read(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                              flx_elastic **e, flx_body_origin *origin);
