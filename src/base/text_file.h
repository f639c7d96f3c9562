// text_file.h - texts that a model names: whole files in memory, paths beside the model's file.
#pragma once

#include "base/common.h"

// Largest file that is read whole.
#define FLX_FILE_LIMIT ((size_t)64 << 20)
#define FLX_LARGE_LIMIT ((size_t)32 << 30) // of meshes and matrices: millions of nodes

// The whole file, 0-terminated, in the arena. loc: the place in the model that names the file, or
// nowhere. FLX_ERR_IO (missing, not a file, too large), FLX_ERR_MEMORY.
flx_status flx_file_read(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc, char **text,
                         size_t *length);
flx_status flx_file_read_large(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                               char **text, size_t *length);

// `name` as seen from the directory of the file `from`; absolute names stay. NULL: no memory.
const char *flx_file_beside(flx_arena *arena, const char *from, const char *name);
