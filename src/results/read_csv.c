// read_csv.c - read back a table that csv.c wrote. A last line without its end was cut off and does
// not count.
#include "base/letters.h"
#include "base/number.h"
#include "results/result.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A model begins with "flexion: 1", after comments.
static bool is_model(const char *text)
{
    while (text && strncmp(text, "flexion:", 8) != 0) {
        text += strspn(text, " \t\r\n");
        if (strncmp(text, "flexion:", 8) == 0) return true;
        if (*text != '#') return false;
        text = strchr(text, '\n');
    }
    return text != NULL;
}

static flx_status foreign(flx_result *r, const char *path, const char *why)
{
    return FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE,
                    "'%s' is not a result: %s; a result is the HDF5 file or the table that "
                    "'flexion run' writes",
                    path, why);
}

// The whole file, 0-terminated. *length is its size.
static flx_status read_all(flx_result *r, const char *path, char **text, size_t *length)
{
    FILE *f = fopen(path, "rb");
    *text = NULL;
    long size = -1;
    if (f && fseek(f, 0, SEEK_END) == 0) size = ftell(f);
    if (size >= 0) {
        *text = flx_alloc(r->ctx, (size_t)size + 1, 1);
        if (!*text) {
            fclose(f);
            return FLX_ERR_MEMORY;
        }
        rewind(f);
        *length = fread(*text, 1, (size_t)size, f);
    }
    bool bad = !f || size < 0 || ferror(f);
    if (f) fclose(f);
    if (!bad) return FLX_OK;
    return FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot read '%s': %s", path,
                    flx_error_text(errno));
}

// One field of a line, unquoted in place and 0-terminated; *p moves behind its comma, to NULL after
// the last field of the line.
static char *take_field(char **p)
{
    char *from = *p, *to = from, *field = from;
    if (*from == '"') {
        for (from++; *from && !(from[0] == '"' && from[1] != '"'); from++) {
            if (*from == '"') from++;
            *to++ = *from;
        }
        if (*from == '"') from++;
    }
    while (*from && *from != ',') *to++ = *from++;
    *p = *from == ',' ? from + 1 : NULL;
    *to = '\0';
    return field;
}

static int count_fields(const char *line)
{
    int n = 1;
    bool quoted = false;
    for (; *line; line++) {
        if (*line == '"') quoted = !quoted;
        if (*line == ',' && !quoted) n++;
    }
    return n;
}

static bool is_text(const char *line)
{
    for (; *line; line++) {
        if (flx_is_control(*line) && *line != '\t') return false;
    }
    return true;
}

static flx_status read_header(flx_result *r, const char *path, char *line, long rows)
{
    if (!is_text(line)) return foreign(r, path, "it holds bytes that are not text");
    int columns = count_fields(line);
    FLX_TRY(flx_result_reserve(r, rows, columns));
    for (int c = 0; c < columns && line; c++) {
        const char *name = take_field(&line);
        r->names[c] = flx_arena_copy(r->arena, name, strlen(name));
        if (!r->names[c]) return FLX_ERR_MEMORY;
    }
    if (columns == 1 && strchr(r->names[0], ';')) {
        return foreign(r, path, "its columns are separated by semicolons, not by commas");
    }
    if (strcmp(r->names[0], "t") != 0) return foreign(r, path, "its first column is not named t");
    return FLX_OK;
}

// A number, NaN for an empty field. False: something else.
static bool read_value(const char *field, double *value)
{
    char *end;
    *value = (double)NAN;
    if (*field == '\0') return true;
    *value = flx_number_read(field, &end);
    while (*end == ' ' || *end == '\t') end++;
    return end != field && *end == '\0';
}

static flx_status read_row(flx_result *r, const char *path, char *line, long number, int row)
{
    for (int c = 0; c < r->columns; c++) {
        if (!line) {
            return FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE, "%s:%ld: %d values where %d are due",
                            path, number, c, r->columns);
        }
        const char *field = take_field(&line);
        if (!read_value(field, &r->data[c][row])) {
            bool comma = flx_number_has_comma(field);
            return FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE, "%s:%ld: '%.40s' %s", path, number,
                            field,
                            comma ? "has a decimal comma; numbers are written with a point"
                                  : "is not a number");
        }
    }
    if (!line) return FLX_OK;
    return FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE, "%s:%ld: more than the %d values that are due",
                    path, number, r->columns);
}

// The line at *p, ended in place; *p moves to the next. NULL: no further whole line.
static char *take_line(char **p)
{
    char *line = *p, *end = strchr(line, '\n');
    if (!end) return NULL;
    *p = end + 1;
    if (end > line && end[-1] == '\r') end--;
    *end = '\0';
    return line;
}

static flx_status read_lines(flx_result *r, const char *path, char *text, size_t length)
{
    if (memchr(text, '\0', length)) return foreign(r, path, "it holds bytes that are not text");
    if (is_model(text)) {
        return FLX_FAIL(r->ctx, FLX_ERR_IO, FLX_NOWHERE,
                        "'%s' is a model, not a result; run it first: flexion run %s", path, path);
    }
    long lines = 0;
    for (const char *p = text; (p = strchr(p, '\n')) != NULL; p++) lines++;
    char *line = take_line(&text);
    if (!line) return foreign(r, path, "it has no line of names");
    FLX_TRY(read_header(r, path, line, lines - 1));

    int row = 0;
    for (long number = 2; (line = take_line(&text)) != NULL; number++) {
        if (*line == '\0') continue;
        FLX_TRY(read_row(r, path, line, number, row));
        row++;
    }
    r->rows = row;
    r->complete = *text == '\0'; // as far as a table can tell
    return FLX_OK;
}

flx_status flx_result_read_csv(flx_result *r, const char *path)
{
    char *text = NULL;
    size_t length = 0;
    flx_status status = read_all(r, path, &text, &length);
    if (status == FLX_OK) status = read_lines(r, path, text, length);
    flx_free(text);
    return status;
}
