// zip.h - zip archives, as FMUs are: written and read whole, by zlib. Entries are stored or deflated; no encryption, no parts,
// no ZIP64. Times are always the same, so that the same content gives the same bytes.
#pragma once

#include "base/common.h"

// ---- write ------------------------------------------------------------------------------------------

typedef struct flx_zip flx_zip;
// what: of the file in messages. flx_zip_close puts the file in its place when the status is FLX_OK, else it removes it.
flx_status flx_zip_create(flx_ctx *ctx, const char *what, const char *path, flx_zip **zip);
flx_status flx_zip_add(flx_zip *zip, const char *name, const void *data, size_t size);
// The content of a file made by gzip, as it is packed there.
flx_status flx_zip_add_gzip(flx_zip *zip, const char *name, const void *packed, size_t size);
flx_status flx_zip_close(flx_zip **zip, flx_status status);

// ---- read -------------------------------------------------------------------------------------------

typedef struct flx_zip_entry {
    const char *name;
    size_t size;   // unpacked
    size_t packed; // in the archive
    size_t at;     // of its local header
    uint32_t sum;
    int method; // 0 stored, 8 deflated
} flx_zip_entry;

typedef struct flx_archive {
    const unsigned char *bytes; // arena
    size_t size;
    int count;
    flx_zip_entry *entries; // arena
} flx_archive;

// FLX_ERR_MODEL with a message: what is wrong with it. Names that lead out of a folder are refused.
flx_status flx_archive_read(flx_ctx *ctx, flx_arena *arena, const char *path, flx_archive *out);
// NULL: none of this name.
const flx_zip_entry *flx_archive_find(const flx_archive *a, const char *name);
// The content, 0-terminated, in the arena.
flx_status flx_archive_unpack(flx_ctx *ctx, flx_arena *arena, const flx_archive *a,
                              const flx_zip_entry *e, char **data);
