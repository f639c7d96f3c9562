// motion_c3d.c - .c3d of motion capture: markers as <label>.x, .y, .z in metres, analogue channels as <label>, at the
// times of the frames (of several samples per frame the first).
//
// Blocks of 512 bytes: a header, parameters in groups, data. Whole numbers are scaled by POINT:SCALE; a negative scale
// says that the data are floats. A marker that was not seen has a negative residual: not a number.
// The parameters say whose numbers the file has: those of Intel (84), of DEC (85; whole numbers as Intel's, floats of the VAX) or
// of SGI (86; the high byte first).
#include "base/text_file.h"
#include "read/motion/motion_file.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define BLOCK 512

typedef enum processor { INTEL = 84, DEC = 85, SGI = 86 } processor;

typedef struct parameter {
    processor of;
    int type, count; // -1 characters, 1 bytes, 2 whole numbers, 4 floats
    int width;       // of characters: of one text
    const unsigned char *data;
} parameter;

typedef struct reader {
    flx_ctx *ctx;
    flx_arena *arena;
    flx_loc loc;
    const char *path;
    processor of;
    const unsigned char *bytes;
    size_t size;
    size_t first, end; // of the parameters
} reader;

static int word_at(processor of, const unsigned char *p)
{
    return of == SGI ? p[0] << 8 | p[1] : p[0] | p[1] << 8;
}

static int signed_at(processor of, const unsigned char *p)
{
    int w = word_at(of, p);
    return w < 32768 ? w : w - 65536;
}

// Sign, eight bits of exponent, fraction; the VAX has its first bytes in the middle, no infinity, and the point one bit to the left.
static double float_at(processor of, const unsigned char *p)
{
    static const int middle[4] = {1, 0, 3, 2};
    float f;
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++) {
        int from = of == INTEL ? 3 - i : of == DEC ? middle[i] : i;
        bits = bits << 8 | p[from];
    }
    if (of == DEC) {
        int exponent = (int)(bits >> 23 & 255);
        double size = ldexp((double)(bits & 0x7fffff) + 0x800000, exponent - 129 - 23);
        if (exponent == 0) return 0.0;
        return bits >> 31 ? -size : size;
    }
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

static flx_status fail(const reader *r, const char *what)
{
    return FLX_FAIL(r->ctx, FLX_ERR_MODEL, r->loc, "'%s' is not a .c3d that can be read: %s",
                    r->path, what);
}

static bool same_name(const unsigned char *p, int n, const char *name)
{
    return n == (int)strlen(name) && memcmp(p, name, (size_t)n) == 0;
}

// One entry of the parameters at *at: its name, group, what follows its head; false at the end.
static bool next_entry(const reader *r, size_t *at, const unsigned char **name, int *length,
                       int *id, size_t *body)
{
    if (*at + 2 > r->end) return false;
    int n = (signed char)r->bytes[*at];
    *length = n < 0 ? -n : n;
    *id = (signed char)r->bytes[*at + 1];
    if (*length == 0 || *at + 4 + (size_t)*length > r->end) return false;
    *name = r->bytes + *at + 2;
    size_t offset = *at + 2 + (size_t)*length;
    int step = word_at(r->of, r->bytes + offset);
    *body = offset + 2;
    *at = step > 0 ? offset + (size_t)step : r->end;
    return true;
}

static bool read_parameter(const reader *r, size_t body, parameter *out)
{
    if (body + 2 > r->end) return false;
    int type = (signed char)r->bytes[body], dims = r->bytes[body + 1], size = type < 0 ? 1 : type;
    size_t data = body + 2 + (size_t)dims, count = 1;
    if (dims > 7 || data > r->end || (size != 1 && size != 2 && size != 4)) return false;
    for (int i = 0; i < dims; i++) count *= r->bytes[body + 2 + (size_t)i];
    if (count * (size_t)size > r->end - data) return false;
    *out = (parameter){.of = r->of, .type = type, .count = (int)count, .data = r->bytes + data};
    out->width = type < 0 && dims > 0 ? r->bytes[body + 2] : 1;
    if (type < 0) out->count = out->width > 0 ? out->count / out->width : 0;
    return true;
}

static bool find(const reader *r, const char *group, const char *name, parameter *out)
{
    const unsigned char *word;
    int length, id, number = 0;
    size_t body;
    for (size_t at = r->first; next_entry(r, &at, &word, &length, &id, &body);) {
        if (id < 0 && same_name(word, length, group)) number = -id;
    }
    if (number == 0) return false;
    for (size_t at = r->first; next_entry(r, &at, &word, &length, &id, &body);) {
        if (id == number && same_name(word, length, name)) return read_parameter(r, body, out);
    }
    return false;
}

static double number(const parameter *p, int i, double otherwise)
{
    if (i >= p->count) return otherwise;
    if (p->type == 4) return float_at(p->of, p->data + 4 * (size_t)i);
    if (p->type == 2) return signed_at(p->of, p->data + 2 * (size_t)i);
    return p->type == 1 ? p->data[i] : otherwise;
}

// Label i of a group, or its word with a number. A parameter holds 255 labels: the others are in LABELS2.
static const char *label(const reader *r, const parameter p[2], int i, const char *word)
{
    int of = i;
    if (p->type < 0 && i >= p->count && p->count == 255) of -= p++->count;
    if (p->type < 0 && of < p->count) {
        const char *text = (const char *)p->data + (size_t)of * (size_t)p->width;
        int n = p->width;
        while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == 0)) n--;
        if (n > 0) return flx_arena_printf(r->arena, "%.*s", n, text);
    }
    return flx_arena_printf(r->arena, "%s%d", word, i + 1);
}

static double unit_of(const reader *r)
{
    parameter p = {0};
    if (!find(r, "POINT", "UNITS", &p) || p.type >= 0 || p.width < 1) return 1e-3;
    if (p.width >= 2 && memcmp(p.data, "mm", 2) == 0) return 1e-3;
    return p.width >= 2 && memcmp(p.data, "cm", 2) == 0 ? 1e-2 : 1.0;
}

typedef struct layout {
    int points, analogs, samples, n; // per frame: markers, channels, samples of each; frames
    bool floats;
    bool plain; // samples of channels without a sign
    double scale, rate;
    size_t start, frame; // of the data, bytes per frame
} layout;

// Frames of a record that is too long for the header's word: two words of TRIAL, or POINT's numbers; 0: they do not say.
static int long_frames(const reader *r, int first)
{
    parameter p = {0};
    double n = 0.0;
    if (find(r, "TRIAL", "ACTUAL_END_FIELD", &p) && p.type == 2 && p.count == 2) {
        int begin = first;
        n = word_at(p.of, p.data) + 65536.0 * word_at(p.of, p.data + 2);
        if (find(r, "TRIAL", "ACTUAL_START_FIELD", &p) && p.type == 2 && p.count == 2) {
            begin = word_at(p.of, p.data) + 65536 * word_at(p.of, p.data + 2);
        }
        n -= begin - 1.0;
    } else if (find(r, "POINT", "LONG_FRAMES", &p) && p.type == 4 && p.count > 0) {
        n = float_at(p.of, p.data);
    } else if (find(r, "POINT", "FRAMES", &p) && p.count > 0) {
        n = p.type == 2 ? word_at(p.of, p.data) : number(&p, 0, 0.0);
    }
    return n >= 1.0 && n < (1 << 24) ? (int)n : 0;
}

static flx_status read_layout(reader *r, layout *l)
{
    const unsigned char *h = r->bytes;
    if (r->size < 2 * BLOCK || h[1] != 0x50) return fail(r, "the second byte is not 50 (hex)");
    r->first = (size_t)(h[0] > 0 ? h[0] - 1 : 0) * BLOCK;
    if (h[0] < 2 || r->first + 4 > r->size) return fail(r, "the file ends before its parameters");
    r->end = r->first + (size_t)r->bytes[r->first + 2] * BLOCK;
    if (r->end > r->size) r->end = r->size;
    int of = r->bytes[r->first + 3];
    if (of != INTEL && of != DEC && of != SGI) {
        return fail(r, "its numbers are not those of Intel (84), DEC (85) or SGI (86)");
    }
    r->of = (processor)of;
    r->first += 4;
    int all = word_at(r->of, h + 4), first = word_at(r->of, h + 6), last = word_at(r->of, h + 8);
    l->points = word_at(r->of, h + 2);
    l->samples = word_at(r->of, h + 18);
    l->analogs = l->samples > 0 ? all / l->samples : 0;
    l->scale = float_at(r->of, h + 12);
    l->rate = float_at(r->of, h + 20);
    l->floats = l->scale < 0.0;
    l->start = (size_t)(word_at(r->of, h + 16) > 0 ? word_at(r->of, h + 16) - 1 : 0) * BLOCK;
    l->frame = (size_t)(4 * l->points + l->analogs * l->samples) * (l->floats ? 4 : 2);
    if (!(l->rate > 0) || l->frame == 0 || l->start >= r->size) {
        return fail(r, "its header has no rate, no data or a wrong start of the data");
    }
    size_t most = (r->size - l->start) / l->frame;
    l->n = last - first + 1;
    if (last == 65535 || l->n <= 0) {
        l->n = long_frames(r, first);
        if (l->n == 0) l->n = most < (1 << 24) ? (int)most : 1 << 24;
    }
    parameter format = {0};
    l->plain = find(r, "ANALOG", "FORMAT", &format) && format.type < 0 && format.width >= 8 &&
               format.count > 0 && memcmp(format.data, "UNSIGNED", 8) == 0;
    if ((size_t)l->n > most) return fail(r, "it ends before its last frame");
    return FLX_OK;
}

static double datum(const reader *r, const layout *l, const unsigned char *frame, int i)
{
    return l->floats ? float_at(r->of, frame + 4 * (size_t)i)
                     : signed_at(r->of, frame + 2 * (size_t)i);
}

static void read_frame(const reader *r, const layout *l, int row, double unit,
                       const parameter analog[3], flx_record *out)
{
    const unsigned char *f = r->bytes + l->start + (size_t)row * l->frame;
    const size_t n = (size_t)out->n, at = (size_t)row;
    double scale = unit * (l->floats ? 1.0 : fabs(l->scale));
    out->t[row] = row / l->rate;
    for (int i = 0; i < l->points; i++) {
        bool seen = datum(r, l, f, 4 * i + 3) >= 0.0;
        for (int c = 0; c < 3; c++) {
            out->values[(size_t)(3 * i + c) * n + at] =
                seen ? scale * datum(r, l, f, 4 * i + c) : (double)NAN;
        }
    }
    double general = number(&analog[1], 0, 1.0);
    for (int i = 0; i < l->analogs; i++) {
        double x = datum(r, l, f, 4 * l->points + i), zero = number(&analog[2], i, 0.0);
        if (l->plain && !l->floats && x < 0.0) x += 65536.0;
        if (l->plain && analog[2].type == 2 && zero < 0.0) zero += 65536.0;
        x -= zero;
        out->values[(size_t)(3 * l->points + i) * n + at] =
            x * general * number(&analog[0], i, 1.0);
    }
}

flx_status flx_motion_read_c3d(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                               flx_record *out)
{
    reader r = {.ctx = ctx, .arena = arena, .loc = loc, .path = path};
    layout l = {0};
    char *text = NULL;
    parameter labels[2][2] = {{{0}}}, analog[3] = {{0}};
    FLX_TRY(flx_file_read_large(ctx, arena, path, loc, &text, &r.size));
    r.bytes = (const unsigned char *)text;
    FLX_TRY(read_layout(&r, &l));
    for (int i = 0; i < 2; i++) {
        (void)find(&r, "POINT", i ? "LABELS2" : "LABELS", &labels[0][i]);
        (void)find(&r, "ANALOG", i ? "LABELS2" : "LABELS", &labels[1][i]);
    }
    (void)find(&r, "ANALOG", "SCALE", &analog[0]);
    (void)find(&r, "ANALOG", "GEN_SCALE", &analog[1]);
    (void)find(&r, "ANALOG", "OFFSET", &analog[2]);
    FLX_TRY(flx_motion_take(arena, l.n, 3 * l.points + l.analogs, out));
    for (int i = 0; i < l.points; i++) {
        const char *name = label(&r, labels[0], i, "marker");
        for (int c = 0; name && c < 3; c++) {
            out->names[3 * i + c] = flx_arena_printf(arena, "%s.%c", name, 'x' + c);
        }
        if (!name || !out->names[3 * i + 2]) return FLX_ERR_MEMORY;
    }
    for (int i = 0; i < l.analogs; i++) {
        out->names[3 * l.points + i] = label(&r, labels[1], i, "analog");
        if (!out->names[3 * l.points + i]) return FLX_ERR_MEMORY;
    }
    double unit = unit_of(&r);
    for (int i = 0; i < l.n; i++) read_frame(&r, &l, i, unit, analog, out);
    return FLX_OK;
}
