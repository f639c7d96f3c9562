// table.c - functions given by a table: two columns of a CSV file.
#include "model/table.h"

#include "base/number.h"
#include "model/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct table {
    flx_ctx *ctx;
    flx_loc loc; // of the line being read, in the table's file
    const char *path;
    char separator;
    const char *name[2]; // of the columns wanted
    int column[2];       // their numbers
    int capacity, n;
    double *value[2];
} table;

// The next field of a line, blanks and quotes around it taken off and ended by 0; NULL at the end.
static char *next_field(char **line, char separator)
{
    char *a = *line;
    if (!a) return NULL;
    char *end = strchr(a, separator);
    *line = end ? end + 1 : NULL;
    if (!end) end = a + strlen(a);
    *end = 0;
    while (*a == ' ' || *a == '\t') a++;
    while (end > a && (end[-1] == ' ' || end[-1] == '\t')) *--end = 0;
    if (end - a >= 2 && *a == '"' && end[-1] == '"') {
        *--end = 0;
        a++;
    }
    return a;
}

static char find_separator(const char *line)
{
    return strchr(line, ',') ? ',' : strchr(line, ';') ? ';' : '\t';
}

// Which columns of the header have the wanted names.
static flx_status read_header(table *t, char *line, flx_loc named_at)
{
    flx_nearest near[2];
    t->separator = find_separator(line);
    for (int k = 0; k < 2; k++) {
        t->column[k] = t->name[k] ? -1 : k;
        flx_nearest_start(&near[k], t->name[k] ? t->name[k] : "");
    }
    int count = 0;
    for (char *field; (field = next_field(&line, t->separator)); count++) {
        for (int k = 0; k < 2; k++) {
            if (!t->name[k]) continue;
            if (strcmp(field, t->name[k]) == 0 && t->column[k] < 0) t->column[k] = count;
            flx_nearest_offer(&near[k], field);
        }
    }
    for (int k = 0; k < 2; k++) {
        if (t->column[k] >= 0 && t->column[k] < count) continue;
        if (!t->name[k]) {
            return FLX_FAIL(t->ctx, FLX_ERR_MODEL, t->loc,
                            "a table needs two columns, and a first line with their names");
        }
        const char *best = flx_nearest_best(&near[k]);
        if (best) {
            return FLX_FAIL(t->ctx, FLX_ERR_MODEL, named_at,
                            "the table '%s' has no column '%s'; did you mean '%s'?", t->path,
                            t->name[k], best);
        }
        return FLX_FAIL(t->ctx, FLX_ERR_MODEL, named_at,
                        "the table '%s' has no column '%s' in its first line", t->path, t->name[k]);
    }
    return FLX_OK;
}

static flx_status add_row(table *t, const double *row)
{
    if (t->n > 0 && !(row[0] > t->value[0][t->n - 1])) {
        return FLX_FAIL(t->ctx, FLX_ERR_MODEL, t->loc,
                        "the first column must ascend: %g comes after %g", row[0],
                        t->value[0][t->n - 1]);
    }
    if (t->n == t->capacity) {
        int first = t->capacity, second = t->capacity;
        FLX_TRY(flx_grow(t->ctx, (void **)&t->value[0], &first, t->n + 1, sizeof(double)));
        FLX_TRY(flx_grow(t->ctx, (void **)&t->value[1], &second, t->n + 1, sizeof(double)));
        t->capacity = first < second ? first : second;
    }
    for (int k = 0; k < 2; k++) t->value[k][t->n] = row[k];
    t->n++;
    return FLX_OK;
}

static flx_status read_row(table *t, char *line)
{
    double row[2] = {0, 0};
    bool seen[2] = {false, false};
    const char *start = line;
    int count = 0;
    for (char *field; (field = next_field(&line, t->separator)); count++) {
        for (int k = 0; k < 2; k++) {
            if (count != t->column[k]) continue;
            char *rest;
            row[k] = flx_number_read(field, &rest);
            if (rest == field || *rest || strpbrk(field, "xX") || !isfinite(row[k])) {
                t->loc.column = (int)(field - start) + 1;
                return FLX_FAIL(t->ctx, FLX_ERR_MODEL, t->loc, "'%s' is not a number", field);
            }
            seen[k] = true;
        }
    }
    if (!seen[0] || !seen[1]) {
        return FLX_FAIL(t->ctx, FLX_ERR_MODEL, t->loc, "this line has %d of the %d columns", count,
                        1 + (t->column[0] > t->column[1] ? t->column[0] : t->column[1]));
    }
    return add_row(t, row);
}

static flx_status read_lines(table *t, char *text, size_t length, flx_loc named_at)
{
    bool header = true;
    if (strlen(text) != length) {
        return FLX_FAIL(t->ctx, FLX_ERR_MODEL, named_at, "'%s' is not a table of text", t->path);
    }
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        size_t n = next ? (size_t)(next - line) : strlen(line);
        if (next) *next++ = 0;
        if (n > 0 && line[n - 1] == '\r') line[n - 1] = 0;
        t->loc.line++;
        t->loc.column = 1;
        if (line[0] == '#' || line[strspn(line, " \t")] == 0) continue;
        FLX_TRY(header ? read_header(t, line, named_at) : read_row(t, line));
        header = false;
    }
    if (t->n < 2) {
        return FLX_FAIL(t->ctx, FLX_ERR_MODEL, named_at,
                        "the table '%s' has %d lines of numbers; it needs at least 2", t->path,
                        t->n);
    }
    return FLX_OK;
}

flx_status flx_table_read(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                          const char *xcol, const char *ycol, int *n, double **x, double **y)
{
    table t = {.ctx = ctx, .path = path, .name = {xcol, ycol}};
    char *text;
    size_t length;
    *n = 0;
    *x = *y = NULL;
    FLX_TRY(flx_file_read(ctx, arena, path, loc, &text, &length));
    t.loc.file = flx_intern(ctx, path);
    if (!t.loc.file) return FLX_ERR_MEMORY;

    flx_status status = read_lines(&t, text, length, loc);
    if (status == FLX_OK) {
        double *both = flx_arena_take(arena, 2 * (size_t)t.n, sizeof(double));
        if (both) {
            for (int i = 0; i < t.n; i++) {
                both[i] = t.value[0][i];
                both[t.n + i] = t.value[1][i];
            }
            *n = t.n;
            *x = both;
            *y = both + t.n;
        } else {
            status = FLX_ERR_MEMORY;
        }
    }
    flx_free(t.value[0]);
    flx_free(t.value[1]);
    return status;
}
