// zip_write.c - a zip archive, entry by entry (PKWARE, APPNOTE.TXT 6.3, sections 4.3 and 4.4).
#include "read/fmu/zip.h"

#include "base/output_file.h"

#include <limits.h>
#include <zlib.h>

#define DATE 0x21 // 1 January 1980, midnight: the first that there is
#define UTF8 0x800
#define DEFLATED 8

typedef struct entry {
    char *name; // arena
    uint32_t sum, packed, size, at;
    int method;
} entry;

struct flx_zip {
    flx_ctx *ctx;
    flx_output *output;
    flx_arena *arena; // owned
    entry *entries;   // owned
    int count, capacity;
    size_t at; // bytes written
    bool failed;
};

flx_status flx_zip_create(flx_ctx *ctx, const char *what, const char *path, flx_zip **zip)
{
    *zip = NULL;
    flx_zip *z = flx_alloc(ctx, 1, sizeof *z);
    if (!z) return FLX_ERR_MEMORY;
    z->ctx = ctx;
    z->arena = flx_arena_create(ctx);
    flx_status status = z->arena ? flx_output_create(ctx, what, path, &z->output) : FLX_ERR_MEMORY;
    if (status != FLX_OK) {
        flx_arena_destroy(&z->arena);
        flx_free(z);
        return status;
    }
    *zip = z;
    return FLX_OK;
}

static void put(flx_zip *z, const void *data, size_t size)
{
    if (fwrite(data, 1, size, flx_output_file(z->output)) != size) z->failed = true;
    z->at += size;
}

// A number of so many bytes, the least first.
static void put_number(flx_zip *z, uint32_t x, int bytes)
{
    unsigned char out[4];
    for (int i = 0; i < bytes; i++) out[i] = (unsigned char)(x >> (8 * i));
    put(z, out, (size_t)bytes);
}

// What local headers and the directory have in common.
static void put_facts(flx_zip *z, const entry *e)
{
    put_number(z, 20, 2); // version 2.0 is needed
    put_number(z, UTF8, 2);
    put_number(z, (uint32_t)e->method, 2);
    put_number(z, 0, 2);
    put_number(z, DATE, 2);
    put_number(z, e->sum, 4);
    put_number(z, e->packed, 4);
    put_number(z, e->size, 4);
    put_number(z, (uint32_t)strlen(e->name), 2);
    put_number(z, 0, 2); // no extra fields
}

static flx_status add(flx_zip *z, const char *name, entry e, const void *data)
{
    FLX_TRY(flx_grow(z->ctx, (void **)&z->entries, &z->capacity, z->count + 1, sizeof e));
    e.name = flx_arena_copy(z->arena, name, strlen(name));
    if (!e.name) return FLX_ERR_MEMORY;
    if (z->at + e.packed > INT_MAX || z->count >= 0xffff) {
        return FLX_FAIL(z->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "the files of the archive are too large together: 2 GB at most");
    }
    e.at = (uint32_t)z->at;
    z->entries[z->count++] = e;
    put_number(z, 0x04034b50, 4);
    put_facts(z, &e);
    put(z, name, strlen(name));
    put(z, data, e.packed);
    return FLX_OK;
}

flx_status flx_zip_add(flx_zip *z, const char *name, const void *data, size_t size)
{
    z_stream s = {0};
    entry e = {.method = DEFLATED, .size = (uint32_t)size};
    if (size > INT_MAX) {
        return FLX_FAIL(z->ctx, FLX_ERR_CANNOT, FLX_NOWHERE, "'%s' is larger than 2 GB", name);
    }
    e.sum = (uint32_t)crc32(0, data, (unsigned)size);
    if (deflateInit2(&s, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return FLX_FAIL(z->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory in packing '%s'", name);
    unsigned long room = deflateBound(&s, (unsigned long)size);
    unsigned char *packed = flx_alloc(z->ctx, room, 1);
    flx_status status = packed ? FLX_OK : FLX_ERR_MEMORY;
    if (packed) {
        s.next_in = (unsigned char *)(uintptr_t)data;
        s.avail_in = (unsigned)size;
        s.next_out = packed;
        s.avail_out = (unsigned)room;
        deflate(&s, Z_FINISH);
        e.packed = (uint32_t)s.total_out;
        if (e.packed >= size) { // nothing gained
            e.packed = (uint32_t)size;
            e.method = 0;
        }
        status = add(z, name, e, e.method ? packed : data);
    }
    deflateEnd(&s);
    flx_free(packed);
    return status;
}

static uint32_t number_at(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

flx_status flx_zip_add_gzip(flx_zip *z, const char *name, const void *packed, size_t size)
{
    // RFC 1952: a header of ten bytes where no flag is set, the data, CRC and size
    const unsigned char *p = packed;
    if (size < 18 || size > INT_MAX || p[0] != 0x1f || p[1] != 0x8b || p[2] != 8 || p[3] != 0) {
        return FLX_FAIL(z->ctx, FLX_ERR_IO, FLX_NOWHERE,
                        "what becomes '%s' is no file of gzip (as by gzip -n)", name);
    }
    entry e = {.method = DEFLATED, .packed = (uint32_t)size - 18};
    e.sum = number_at(p + size - 8);
    e.size = number_at(p + size - 4);
    return add(z, name, e, p + 10);
}

static void put_directory(flx_zip *z)
{
    size_t from = z->at;
    for (int i = 0; i < z->count; i++) {
        const entry *e = z->entries + i;
        put_number(z, 0x02014b50, 4);
        put_number(z, 3 << 8 | 20, 2); // made on Unix
        put_facts(z, e);
        put_number(z, 0, 2); // no comment, first part, no attributes
        put_number(z, 0, 2);
        put_number(z, 0, 2);
        put_number(z, 0100644u << 16, 4);
        put_number(z, e->at, 4);
        put(z, e->name, strlen(e->name));
    }
    size_t to = z->at;
    put_number(z, 0x06054b50, 4);
    put_number(z, 0, 4);
    put_number(z, (uint32_t)z->count, 2);
    put_number(z, (uint32_t)z->count, 2);
    put_number(z, (uint32_t)(to - from), 4);
    put_number(z, (uint32_t)from, 4);
    put_number(z, 0, 2);
}

flx_status flx_zip_close(flx_zip **zip, flx_status status)
{
    flx_zip *z = *zip;
    if (!z) return status;
    if (status == FLX_OK) put_directory(z);
    if (status == FLX_OK && z->failed) status = flx_output_fail(z->output, "");
    status = flx_output_close(&z->output, status);
    flx_arena_destroy(&z->arena);
    flx_free(z->entries);
    flx_free(z);
    *zip = NULL;
    return status;
}
