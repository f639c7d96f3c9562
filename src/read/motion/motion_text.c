// motion_text.c - OpenSim's .mot and .sto: a header up to `endheader`, a line of names, numbers; and .trc of markers.
//
// `inDegrees=yes` of a header (or the older "Angles are in degrees.") is of angles: columns of lengths (pelvis_tx, or
// .../pelvis_tx/value), forces and points of plates and activations stay as they are.
// A .trc has its names over three columns each; `Units` of mm become metres, and x, y, z are written .x, .y, .z.
#include "read/motion/motion_file.h"
#include "read/scan.h"

#include <math.h>
#include <string.h>

#define RADIANS (3.14159265358979323846 / 180.0)

typedef struct piece {
    const char *text;
    int length;
} piece;

// The next field: up to a tab or blank; with tabs only where a field may be empty.
static bool next_field(const char **at, const char *end, bool tabs, piece *out)
{
    const char *a = *at;
    if (!tabs) {
        while (a < end && (*a == ' ' || *a == '\t')) a++;
    }
    if (a >= end) return false;
    const char *b = a;
    while (b < end && *b != '\t' && (tabs || *b != ' ')) b++;
    *at = b < end ? b + 1 : b;
    while (a < b && *a == ' ') a++;
    const char *last = b;
    while (last > a && (last[-1] == ' ' || last[-1] == '\r')) last--;
    *out = (piece){a, (int)(last - a)};
    return true;
}

static bool ends_with(const piece *p, const char *end)
{
    int n = (int)strlen(end);
    return p->length >= n && memcmp(p->text + p->length - n, end, (size_t)n) == 0;
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

// Letters count alike, large or small.
static bool starts_with(const char *text, int length, const char *word)
{
    int n = (int)strlen(word);
    for (int i = 0; i < n; i++) {
        if (i >= length || lower(text[i]) != lower(word[i])) return false;
    }
    return true;
}

// A column that `inDegrees` is of: no length, no force or point of a plate, no state of a muscle.
static bool is_angle(piece p)
{
    static const char *const of[] = {"/value", "/speed"};
    static const char *const others[] = {"tx",         "ty",           "tz",          "_vx",
                                         "_vy",        "_vz",          "_px",         "_py",
                                         "_pz",        "_torque_x",    "_torque_y",   "_torque_z",
                                         "activation", "fiber_length", "fibre_length"};
    for (int i = 0; i < 2; i++) {
        if (ends_with(&p, of[i])) p.length -= (int)strlen(of[i]);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (ends_with(&p, others[i])) return false;
    }
    return true;
}

// `inDegrees=yes`, with blanks or without, in large letters or small; `Angles are in degrees.` of older files.
static void read_degrees(const char *line, int length, bool *degrees)
{
    static const char older[] = "Angles are in ";
    int at = (int)strlen("inDegrees");
    if (starts_with(line, length, older)) {
        at = (int)strlen(older);
        *degrees = starts_with(line + at, length - at, "degrees");
        return;
    }
    if (!starts_with(line, length, "inDegrees")) return;
    while (at < length && (line[at] == ' ' || line[at] == '=' || line[at] == '\t')) at++;
    *degrees = starts_with(line + at, length - at, "y") || starts_with(line + at, length - at, "t");
}

static const char *keep(flx_arena *arena, const piece *p)
{
    return flx_arena_printf(arena, "%.*s", p->length, p->text);
}

typedef struct reader {
    flx_scan scan;
    flx_arena *arena;
    int ncolumn;
    const char **names;
    double *factor;
    bool frames; // a column of numbers of frames before the time
} reader;

static flx_status read_names(reader *r, const char *text, int length, bool degrees)
{
    const char *end = text + length, *at = text;
    piece p;
    int n = 0;
    while (next_field(&at, end, false, &p)) n++;
    if (n < 2) {
        return FLX_FAIL(r->scan.ctx, FLX_ERR_MODEL, flx_scan_loc(&r->scan),
                        "the line after 'endheader' has the names of the columns, 'time' first");
    }
    r->ncolumn = n - 1;
    r->names = flx_arena_take(r->arena, (size_t)n, sizeof *r->names);
    r->factor = flx_arena_take(r->arena, (size_t)n, sizeof *r->factor);
    if (!r->names || !r->factor) return FLX_ERR_MEMORY;
    at = text;
    for (int i = -1; next_field(&at, end, false, &p); i++) {
        if (i < 0) continue;
        r->names[i] = keep(r->arena, &p);
        if (!r->names[i]) return FLX_ERR_MEMORY;
        r->factor[i] = degrees && is_angle(p) ? RADIANS : 1.0;
    }
    return FLX_OK;
}

static flx_status read_header(reader *r)
{
    const char *line;
    int length;
    bool degrees = false, ended = false;
    while (!ended && flx_scan_line(&r->scan, &line, &length)) {
        ended = starts_with(line, length, "endheader");
        read_degrees(line, length, &degrees);
    }
    while (ended && flx_scan_line(&r->scan, &line, &length)) {
        if (length > 0) return read_names(r, line, length, degrees);
    }
    return FLX_FAIL(r->scan.ctx, FLX_ERR_MODEL, flx_scan_loc(&r->scan),
                    "the file has no line 'endheader' with the names of the columns after it");
}

// Lines 2 and 3 are keys and their values, line 4 the names of markers, line 5 X1 Y1 Z1 ...
static flx_status read_markers(reader *r)
{
    const char *line[5];
    int length[5];
    piece p, value;
    double factor = 1.0;
    for (int i = 0; i < 5; i++) {
        if (flx_scan_line(&r->scan, &line[i], &length[i])) continue;
        return FLX_FAIL(r->scan.ctx, FLX_ERR_MODEL, flx_scan_loc(&r->scan),
                        "a .trc has five lines before its numbers");
    }
    const char *key = line[1], *val = line[2];
    while (next_field(&key, line[1] + length[1], true, &p) &&
           next_field(&val, line[2] + length[2], true, &value)) {
        if (p.length != 5 || memcmp(p.text, "Units", 5) != 0) continue;
        bool mm = value.length == 2 && memcmp(value.text, "mm", 2) == 0;
        bool cm = value.length == 2 && memcmp(value.text, "cm", 2) == 0;
        if (!mm && !cm && !(value.length == 1 && *value.text == 'm')) {
            return FLX_FAIL(r->scan.ctx, FLX_ERR_MODEL, flx_scan_loc(&r->scan),
                            "the units of a .trc are mm, cm or m, not '%.*s'", value.length,
                            value.text);
        }
        factor = mm ? 1e-3 : cm ? 1e-2 : 1.0;
    }
    int n = 0;
    const char *at = line[3], *end = line[3] + length[3];
    while (next_field(&at, end, true, &p)) n += p.length > 0;
    n -= 2; // Frame#, Time
    if (n < 1) {
        return FLX_FAIL(r->scan.ctx, FLX_ERR_MODEL, flx_scan_loc(&r->scan),
                        "the fourth line of a .trc is Frame#, Time and the names of the markers");
    }
    r->frames = true;
    r->ncolumn = 3 * n;
    r->names = flx_arena_take(r->arena, 3 * (size_t)n, sizeof *r->names);
    r->factor = flx_arena_take(r->arena, 3 * (size_t)n, sizeof *r->factor);
    if (!r->names || !r->factor) return FLX_ERR_MEMORY;
    at = line[3];
    for (int i = -2, k = 0; next_field(&at, end, true, &p);) {
        if (p.length == 0) continue;
        if (i++ < 0) continue;
        for (int c = 0; c < 3; c++, k++) {
            r->names[k] = flx_arena_printf(r->arena, "%.*s.%c", p.length, p.text, 'x' + c);
            r->factor[k] = factor;
            if (!r->names[k]) return FLX_ERR_MEMORY;
        }
    }
    return FLX_OK;
}

// A marker that was not seen has empty fields, or NaN: not a number, which a function that asks for it reports.
static flx_status read_row(reader *r, const char *text, int length, flx_record *out, int row)
{
    const char *at = text, *end = text + length;
    piece p;
    int count = -1 - r->frames;
    for (; count < r->ncolumn; count++) {
        double value = (double)NAN;
        if (!next_field(&at, end, r->frames, &p)) {
            if (!r->frames || count < 0) break;
            p.length = 0; // empty fields at the end of a row
        }
        if (p.length == 0 && !r->frames) break;
        bool hidden = p.length == 0 || (p.length == 3 && starts_with(p.text, 3, "nan"));
        if (!hidden && !flx_text_number(p.text, p.length, &value)) {
            char quote[64];
            return FLX_FAIL(r->scan.ctx, FLX_ERR_MODEL, flx_scan_loc(&r->scan),
                            "%s is not a number", flx_text_quote(p.text, p.length, quote));
        }
        if (count == -1 && hidden) {
            return FLX_FAIL(r->scan.ctx, FLX_ERR_MODEL, flx_scan_loc(&r->scan),
                            "a row has no time");
        }
        if (count == -1) out->t[row] = value;
        if (count >= 0)
            out->values[(size_t)count * (size_t)out->n + (size_t)row] = value * r->factor[count];
    }
    if (count == r->ncolumn) return FLX_OK;
    return FLX_FAIL(r->scan.ctx, FLX_ERR_MODEL, flx_scan_loc(&r->scan),
                    "a row has %d columns, and there are names for %d", count + 1, r->ncolumn + 1);
}

flx_status flx_motion_read_text(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                                bool markers, flx_record *out)
{
    reader r = {.arena = arena};
    const char *line;
    int length, n = 0;
    FLX_TRY(flx_scan_open(ctx, arena, path, loc, &r.scan));
    FLX_TRY(markers ? read_markers(&r) : read_header(&r));
    const flx_scan begin = r.scan;
    while (flx_scan_line(&r.scan, &line, &length)) n += length > 0;
    r.scan = begin;
    FLX_TRY(flx_motion_take(arena, n, r.ncolumn, out));
    memcpy(out->names, r.names, (size_t)r.ncolumn * sizeof *r.names);
    for (int row = 0; flx_scan_line(&r.scan, &line, &length);) {
        if (length > 0) FLX_TRY(read_row(&r, line, length, out, row++));
    }
    for (int k = 0; k < r.ncolumn; k++) {
        if (r.factor[k] == RADIANS) flx_motion_unwrap(out, k);
    }
    return FLX_OK;
}
