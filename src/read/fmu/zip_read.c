// zip_read.c - a zip archive in memory: its directory, and its entries one by one. Whatever the file says is checked before
// it is believed.
#include "read/fmu/zip.h"

#include "base/text_file.h"

#include <limits.h>
#include <zlib.h>

#define ENTRY 46 // bytes of the directory's entry before its name
#define LOCAL 30
#define END 22
#define LARGEST ((size_t)1 << 30) // of one entry, unpacked

typedef struct reader {
    flx_ctx *ctx;
    flx_loc loc; // the archive
    const unsigned char *bytes;
    size_t size;
} reader;

static unsigned read2(const unsigned char *p)
{
    return p[0] | (unsigned)p[1] << 8;
}

static uint32_t read4(const unsigned char *p)
{
    return read2(p) | (uint32_t)read2(p + 2) << 16;
}

static flx_status refuse(const reader *r, const char *why)
{
    return FLX_FAIL(r->ctx, FLX_ERR_MODEL, FLX_NOWHERE, "'%s' is no zip archive: %s", r->loc.file,
                    why);
}

// The end of the directory: behind it stands a comment at most.
static const unsigned char *find_end(const reader *r)
{
    for (size_t back = END; back <= r->size && back <= END + 0xffff; back++) {
        const unsigned char *p = r->bytes + r->size - back;
        if (read4(p) == 0x06054b50 && read2(p + 20) == back - END) return p;
    }
    return NULL;
}

static bool is_inside(const char *name)
{
    if (name[0] == '/' || name[0] == 0 || strchr(name, '\\') || strchr(name, ':')) return false;
    for (const char *p = name; p; p = strchr(p, '/')) {
        if (*p == '/') p++;
        if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == 0)) return false;
    }
    return true;
}

static flx_status read_entry(const reader *r, flx_arena *arena, size_t *at, flx_zip_entry *e)
{
    const unsigned char *p = r->bytes + *at;
    if (r->size - *at < ENTRY || read4(p) != 0x02014b50) {
        return refuse(r, "its directory is damaged");
    }
    size_t name = read2(p + 28), rest = read2(p + 30) + (size_t)read2(p + 32);
    if (r->size - *at < ENTRY + name + rest) return refuse(r, "its directory is cut off");
    e->name = flx_arena_copy(arena, (const char *)p + ENTRY, name);
    if (!e->name) return FLX_ERR_MEMORY;
    e->method = (int)read2(p + 10);
    e->sum = read4(p + 16);
    e->packed = read4(p + 20);
    e->size = read4(p + 24);
    e->at = read4(p + 42);
    *at += ENTRY + name + rest;
    if (strlen(e->name) != name || !is_inside(e->name)) {
        return FLX_FAIL(r->ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                        "'%s' has an entry '%s' whose name leads out of the archive", r->loc.file,
                        e->name);
    }
    if (read2(p + 8) & 1) {
        return FLX_FAIL(r->ctx, FLX_ERR_MODEL, FLX_NOWHERE, "'%s': the entry '%s' is encrypted",
                        r->loc.file, e->name);
    }
    return FLX_OK;
}

flx_status flx_archive_read(flx_ctx *ctx, flx_arena *arena, const char *path, flx_archive *out)
{
    char *bytes;
    *out = (flx_archive){0};
    FLX_TRY(flx_file_read_large(ctx, arena, path, FLX_NOWHERE, &bytes, &out->size));
    out->bytes = (unsigned char *)bytes;
    reader r = {ctx, {.file = path}, out->bytes, out->size};
    const unsigned char *end = find_end(&r);
    if (!end) return refuse(&r, "it has no directory at its end");
    size_t count = read2(end + 10), at = read4(end + 16);
    if (read2(end + 4) || read2(end + 6) || read2(end + 8) != count) {
        return refuse(&r, "it is a part of several");
    }
    if (at > r.size) return refuse(&r, "its directory is not where it should be");
    out->entries = flx_arena_take(arena, count + 1, sizeof *out->entries);
    if (!out->entries) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        FLX_TRY(read_entry(&r, arena, &at, out->entries + i));
        if (flx_archive_find(out, out->entries[i].name)) {
            return FLX_FAIL(ctx, FLX_ERR_MODEL, FLX_NOWHERE, "'%s' has two entries '%s'", path,
                            out->entries[i].name);
        }
        out->count++;
    }
    return FLX_OK;
}

const flx_zip_entry *flx_archive_find(const flx_archive *a, const char *name)
{
    for (int i = 0; i < a->count; i++) {
        if (strcmp(a->entries[i].name, name) == 0) return a->entries + i;
    }
    return NULL;
}

static bool inflate_all(const unsigned char *from, const flx_zip_entry *e, char *to)
{
    z_stream s = {0};
    if (inflateInit2(&s, -MAX_WBITS) != Z_OK) return false;
    s.next_in = (unsigned char *)(uintptr_t)from;
    s.avail_in = (unsigned)e->packed;
    s.next_out = (unsigned char *)to;
    s.avail_out = (unsigned)e->size;
    int code = inflate(&s, Z_FINISH);
    bool done = code == Z_STREAM_END && s.total_out == e->size;
    inflateEnd(&s);
    return done;
}

flx_status flx_archive_unpack(flx_ctx *ctx, flx_arena *arena, const flx_archive *a,
                              const flx_zip_entry *e, char **data)
{
    const unsigned char *p = a->bytes + e->at;
    const char *why = NULL;
    *data = NULL;
    if (e->at > a->size || a->size - e->at < LOCAL || read4(p) != 0x04034b50) {
        why = "it is not where the directory says";
    } else if (e->method != 0 && e->method != 8) {
        why = "it is packed in a way that is neither 'stored' nor 'deflate'";
    } else if (e->size > LARGEST) {
        why = "it is larger than 1 GB";
    } else {
        size_t skip = LOCAL + read2(p + 26) + (size_t)read2(p + 28);
        if (a->size - e->at < skip || a->size - e->at - skip < e->packed) {
            why = "it is cut off";
        } else if (e->method == 0 && e->packed != e->size) {
            why = "its sizes differ";
        } else {
            *data = flx_arena_take(arena, e->size + 1, 1);
            if (!*data) return FLX_ERR_MEMORY;
            if (e->method == 0) memcpy(*data, p + skip, e->size);
            bool good = e->method == 0 || inflate_all(p + skip, e, *data);
            if (!good || crc32(0, (const unsigned char *)*data, (unsigned)e->size) != e->sum) {
                why = "it is damaged: its checksum is another one";
            }
        }
    }
    if (!why) return FLX_OK;
    return FLX_FAIL(ctx, FLX_ERR_MODEL, FLX_NOWHERE, "'%s' cannot be taken out of the archive: %s",
                    e->name, why);
}
