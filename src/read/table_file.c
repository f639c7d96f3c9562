// table_file.c - functions given by a table: two columns of a CSV file, with a line of names or without.
#include "read/table_file.h"

#include "base/number.h"
#include "base/text_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct table {
    flx_ctx *ctx;
    flx_loc loc; // of the line being read, in the table's file
    const char *path;
    char separator;
    bool steps;          // x may be there twice
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
    while (*a == ' ' || (*a == '\t' && separator != '\t')) a++;
    char *quote = *a == '"' ? strchr(a + 1, '"') : NULL; // a separator in quotes is none
    char *end = strchr(quote ? quote : a, separator);
    *line = end ? end + 1 : NULL;
    if (!end) end = a + strlen(a);
    *end = 0;
    while (end > a && (end[-1] == ' ' || end[-1] == '\t')) *--end = 0;
    if (end - a >= 2 && *a == '"' && end[-1] == '"') {
        *--end = 0;
        a++;
    }
    return a;
}

// Commas beside semicolons are part of names, or decimal commas.
static char find_separator(const char *line)
{
    return strchr(line, ';') ? ';' : strchr(line, ',') ? ',' : '\t';
}

static bool read_number(const char *field, double *value)
{
    char *rest;
    *value = flx_number_read(field, &rest);
    return rest != field && !*rest && !strpbrk(field, "xX") && isfinite(*value);
}

static flx_status fail_number(table *t, const char *field)
{
    if (flx_number_has_comma(field)) {
        return FLX_FAIL(t->ctx, FLX_ERR_MODEL, t->loc,
                        "'%s' has a decimal comma; numbers are written with a point", field);
    }
    return FLX_FAIL(t->ctx, FLX_ERR_MODEL, t->loc, "'%s' is not a number", field);
}

// Whether the first line holds numbers instead of names. Where the columns are named it must not;
// where only one is a number nobody can tell.
static flx_status find_numbers(table *t, const char *line, bool *numbers)
{
    double value;
    int found = 0;
    char copy[256], *rest = copy, *field, *other = NULL;
    size_t n = strlen(line);
    if (n >= sizeof copy) n = sizeof copy - 1; // two numbers are shorter
    memcpy(copy, line, n);
    copy[n] = 0;
    t->separator = find_separator(line);
    for (int k = 0; k < 2 && (field = next_field(&rest, t->separator)); k++) {
        if (read_number(field, &value) || flx_number_has_comma(field)) {
            found++;
        } else {
            other = field;
        }
    }
    *numbers = found == 2 && !t->name[0] && !t->name[1];
    if (found == 1 && other && !t->name[0] && !t->name[1]) {
        return FLX_FAIL(t->ctx, FLX_ERR_MODEL, t->loc,
                        "the first line has a number beside '%s': it holds either the names of the "
                        "columns or the first numbers; 'columns' in the model says which are names",
                        other);
    }
    return FLX_OK;
}

// Which columns of the header have the wanted names.
static flx_status read_header(table *t, char *line, flx_loc named_at)
{
    flx_nearest near[2];
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
            return FLX_FAIL(
                t->ctx, FLX_ERR_MODEL, t->loc,
                "a table needs two columns, with commas, semicolons or tabs between them");
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
    const double *x = t->value[0];
    if (t->n > 1 && t->steps && row[0] == x[t->n - 1] && row[0] == x[t->n - 2]) {
        return FLX_FAIL(t->ctx, FLX_ERR_MODEL, t->loc,
                        "%g is there three times; twice is a jump, from the first value to the "
                        "second",
                        row[0]);
    }
    bool jump = t->n > 0 && t->steps && row[0] == x[t->n - 1];
    if (t->n > 0 && !jump && !(row[0] > x[t->n - 1])) {
        return FLX_FAIL(t->ctx, FLX_ERR_MODEL, t->loc,
                        "the first column must ascend: %g comes after %g", row[0], x[t->n - 1]);
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
            if (!read_number(field, &row[k])) {
                t->loc.column = (int)(field - start) + 1;
                return fail_number(t, field);
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
        bool numbers = !header;
        if (header) FLX_TRY(find_numbers(t, line, &numbers));
        FLX_TRY(numbers ? read_row(t, line) : read_header(t, line, named_at));
        header = false;
    }
    if (t->n < 2) {
        return FLX_FAIL(t->ctx, FLX_ERR_MODEL, named_at,
                        "the table '%s' has %d lines of numbers; it needs at least 2", t->path,
                        t->n);
    }
    return FLX_OK;
}

static flx_status read_table(table *t, flx_arena *arena, flx_loc loc, int *n, double **x,
                             double **y)
{
    char *text;
    size_t length;
    *n = 0;
    *x = *y = NULL;
    FLX_TRY(flx_file_read(t->ctx, arena, t->path, loc, &text, &length));
    t->loc.file = flx_intern(t->ctx, t->path);
    if (!t->loc.file) return FLX_ERR_MEMORY;

    flx_status status = read_lines(t, text, length, loc);
    if (status == FLX_OK) {
        double *both = flx_arena_take(arena, 2 * (size_t)t->n, sizeof(double));
        if (both) {
            for (int i = 0; i < t->n; i++) {
                both[i] = t->value[0][i];
                both[t->n + i] = t->value[1][i];
            }
            *n = t->n;
            *x = both;
            *y = both + t->n;
        } else {
            status = FLX_ERR_MEMORY;
        }
    }
    flx_free(t->value[0]);
    flx_free(t->value[1]);
    return status;
}

flx_status flx_table_read(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                          const char *xcol, const char *ycol, int *n, double **x, double **y)
{
    table t = {.ctx = ctx, .path = path, .name = {xcol, ycol}, .column = {0, 1}};
    return read_table(&t, arena, loc, n, x, y);
}

flx_status flx_table_read_steps(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                                int *n, double **x, double **y)
{
    table t = {.ctx = ctx, .path = path, .column = {0, 1}, .steps = true};
    return read_table(&t, arena, loc, n, x, y);
}
