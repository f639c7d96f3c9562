// page_pack.c - numbers laid out so that they pack well, packed, and written as text.
#include "page/page_pack.h"

#include <string.h>
#include <zlib.h>

int flx_pack_count(int n, int stride)
{
    if (n == 0) return 0;
    int last = (n - 1) / stride;
    return last + 1 + (last * stride < n - 1);
}

// The place of the kept number k of n.
static size_t place(int k, int n, int stride)
{
    long at = (long)k * stride;
    return (size_t)(at < n ? at : n - 1);
}

static void put_planes(flx_text *t, int count, int bytes, const uint64_t *differences)
{
    for (int b = 0; b < bytes; b++) {
        for (int k = 0; k < count; k++) {
            unsigned char byte = (unsigned char)(differences[k] >> (8 * b));
            flx_text_put_bytes(t, &byte, 1);
        }
    }
}

static uint64_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// The bits of the number at a place.
typedef uint64_t reader(const void *x, size_t at);

static uint64_t read_float(const void *x, size_t at)
{
    return float_bits(((const float *)x)[at]);
}

static uint64_t read_narrowed(const void *x, size_t at)
{
    return float_bits((float)((const double *)x)[at]);
}

static uint64_t read_double(const void *x, size_t at)
{
    uint64_t bits;
    memcpy(&bits, (const double *)x + at, sizeof bits);
    return bits;
}

static uint64_t read_int(const void *x, size_t at)
{
    return (uint64_t)(int64_t)((const int *)x)[at];
}

static void pack(flx_text *t, int n, int stride, const void *x, size_t step, int bytes,
                 reader *read)
{
    int count = flx_pack_count(n, stride);
    uint64_t before = 0, *d = flx_alloc(t->ctx, (size_t)count, sizeof *d);
    if (!d) {
        t->failed = true;
        return;
    }
    for (int k = 0; k < count; k++) {
        uint64_t now = read(x, place(k, n, stride) * step);
        d[k] = now - before;
        before = now;
    }
    put_planes(t, count, bytes, d);
    flx_free(d);
}

void flx_pack_floats(flx_text *t, int n, int stride, const float *x, int step)
{
    pack(t, n, stride, x, (size_t)step, 4, read_float);
}

void flx_pack_narrowed(flx_text *t, int n, int stride, const double *x)
{
    pack(t, n, stride, x, 1, 4, read_narrowed);
}

void flx_pack_doubles(flx_text *t, int n, int stride, const double *x)
{
    pack(t, n, stride, x, 1, 8, read_double);
}

void flx_pack_ints(flx_text *t, int n, const int *x, int bytes)
{
    pack(t, n, 1, x, 1, bytes, read_int);
}

void flx_pack_base64(flx_text *out, size_t n, const unsigned char *p)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        unsigned left = (unsigned)(n - i < 3 ? n - i : 3);
        unsigned v = (unsigned)p[i] << 16;
        if (left > 1) v |= (unsigned)p[i + 1] << 8;
        if (left > 2) v |= p[i + 2];
        const char four[4] = {digits[v >> 18 & 63], digits[v >> 12 & 63],
                              left > 1 ? digits[v >> 6 & 63] : '=',
                              left > 2 ? digits[v & 63] : '='};
        flx_text_put_bytes(out, four, 4);
    }
}

flx_status flx_pack_deflate(flx_text *out, const flx_text *bytes)
{
    if (bytes->failed) return FLX_ERR_MEMORY;
    uLongf size = compressBound((uLong)bytes->length);
    unsigned char *packed = flx_alloc(out->ctx, size, 1);
    if (!packed) return FLX_ERR_MEMORY;
    const unsigned char nothing = 0;
    const Bytef *from = bytes->length > 0 ? (const Bytef *)bytes->data : &nothing;
    bool good = compress2(packed, &size, from, (uLong)bytes->length, 6) == Z_OK;
    if (good) flx_pack_base64(out, size, packed);
    flx_free(packed);
    return good && !out->failed ? FLX_OK : FLX_ERR_MEMORY;
}
