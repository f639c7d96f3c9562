// scan.c - numbers and lines of a text that is wholly in memory.
#include "read/scan.h"
#include "base/letters.h"
#include "base/number.h"
#include "base/text_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

flx_status flx_scan_open(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                         flx_scan *scan)
{
    char *text;
    size_t length;
    const char *file = flx_intern(ctx, path);
    if (!file) return FLX_ERR_MEMORY;
    FLX_TRY(flx_file_read_large(ctx, arena, path, loc, &text, &length));
    *scan = (flx_scan){.ctx = ctx, .file = file, .at = text, .end = text + length, .line = 1};
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) scan->at += 3; // the mark of UTF-8
    return FLX_OK;
}

flx_loc flx_scan_loc(const flx_scan *scan)
{
    return (flx_loc){scan->file, scan->line, 1, NULL};
}

bool flx_scan_skip(flx_scan *scan)
{
    for (; scan->at < scan->end; scan->at++) {
        if (*scan->at == '\n') {
            scan->line++;
        } else if (!flx_is_space(*scan->at)) {
            return true;
        }
    }
    return false;
}

const char *flx_text_quote(const char *text, int length, char buffer[64])
{
    int n = length < 40 ? length : 40;
    for (int i = 0; i < n; i++) {
        buffer[i] = (char)(text[i] >= ' ' && text[i] <= '~' ? text[i] : '?');
    }
    flx_snprintf(buffer + n, 64 - (size_t)n, "%s", n < length ? "..." : "");
    return buffer;
}

static flx_status refuse(flx_scan *scan, const char *what)
{
    char buffer[64];
    int length = 0;
    if (!flx_scan_skip(scan)) {
        return FLX_FAIL(scan->ctx, FLX_ERR_MODEL, flx_scan_loc(scan),
                        "the file ends where %s is expected: it is cut off", what);
    }
    while (scan->at + length < scan->end && !flx_is_space(scan->at[length])) length++;
    const char *word = flx_text_quote(scan->at, length, buffer);
    return FLX_FAIL(scan->ctx, FLX_ERR_MODEL, flx_scan_loc(scan), "'%s' where %s is expected%s",
                    word, what,
                    flx_number_has_comma(word) ? "; numbers are written with a point" : "");
}

// The text ends with a 0, so that strtol and strtod stop there.
flx_status flx_scan_int(flx_scan *scan, const char *what, int *out)
{
    if (!flx_scan_skip(scan)) return refuse(scan, what);
    char *end;
    errno = 0;
    long value = strtol(scan->at, &end, 10);
    bool whole = end > scan->at && (end >= scan->end || flx_is_space(*end));
    if (!whole || errno == ERANGE || value > INT_MAX || value < INT_MIN) return refuse(scan, what);
    scan->at = end;
    *out = (int)value;
    return FLX_OK;
}

flx_status flx_scan_number(flx_scan *scan, const char *what, double *out)
{
    if (!flx_scan_skip(scan)) return refuse(scan, what);
    char *end;
    double value = flx_number_read(scan->at, &end);
    bool whole = end > scan->at && (end >= scan->end || flx_is_space(*end));
    if (!whole || value - value != 0) return refuse(scan, what); // words, NaN, infinity
    scan->at = end;
    *out = value;
    return FLX_OK;
}

bool flx_scan_line(flx_scan *scan, const char **text, int *length)
{
    if (scan->at >= scan->end) return false;
    const char *end = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
    const char *start = scan->at, *stop = end ? end : scan->end;
    scan->at = end ? end + 1 : scan->end;
    if (end) scan->line++;
    while (start < stop && flx_is_space(*start)) start++;
    while (stop > start && flx_is_space(stop[-1])) stop--;
    *text = start;
    *length = stop - start < INT_MAX ? (int)(stop - start) : INT_MAX;
    return true;
}

bool flx_text_int(const char *text, int length, int *out)
{
    char buffer[32], *end;
    if (length < 1 || length >= (int)sizeof buffer) return false;
    memcpy(buffer, text, (size_t)length);
    buffer[length] = '\0';
    errno = 0;
    long value = strtol(buffer, &end, 10);
    if (end != buffer + length || errno == ERANGE || value > INT_MAX || value < INT_MIN)
        return false;
    *out = (int)value;
    return true;
}

bool flx_text_number(const char *text, int length, double *out)
{
    char buffer[64], *end;
    if (length < 1 || length >= (int)sizeof buffer) return false;
    memcpy(buffer, text, (size_t)length);
    buffer[length] = '\0';
    for (int i = 0; i < length; i++) { // 1.0D+3 of Fortran
        if (buffer[i] == 'd' || buffer[i] == 'D') buffer[i] = 'e';
    }
    double value = flx_number_read(buffer, &end);
    if (end != buffer + length || value - value != 0) return false;
    *out = value;
    return true;
}
