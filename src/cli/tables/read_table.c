// read_table.c - tables that analyses write; see read_table.h.
#include "cli/tables/read_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cli_clear_table(cli_table *t)
{
    for (int k = 0; k < t->ncolumn; k++) free(t->names ? t->names[k] : NULL);
    free(t->names);
    free(t->values);
    *t = (cli_table){0};
}

// One field; quotes are taken off. The line goes on behind it.
static char *take_field(char **line)
{
    char *from = *line, *to = from, *at = from;
    bool quoted = *at == '"';
    if (quoted) at++;
    while (*at && (quoted || *at != ',')) {
        if (quoted && *at == '"') {
            if (at[1] != '"') {
                quoted = false;
                at++;
                continue;
            }
            at++;
        }
        *to++ = *at++;
    }
    *line = *at ? at + 1 : at;
    *to = 0;
    return from;
}

static int count_fields(const char *line)
{
    int n = 1;
    bool quoted = false;
    for (; *line; line++) {
        if (*line == '"') quoted = !quoted;
        n += *line == ',' && !quoted;
    }
    return n;
}

static char *copy(const char *text)
{
    char *to = malloc(strlen(text) + 1);
    if (to) strcpy(to, text);
    return to;
}

static bool read_lines(FILE *f, cli_table *t)
{
    char *line = malloc(1 << 16);
    int room = 0;
    double *rows = NULL;
    bool good = line != NULL;
    if (good && fgets(line, 1 << 16, f)) {
        line[strcspn(line, "\r\n")] = 0;
        t->ncolumn = count_fields(line);
        t->names = calloc((size_t)t->ncolumn, sizeof *t->names);
        char *at = line;
        for (int k = 0; t->names && k < t->ncolumn; k++) t->names[k] = copy(take_field(&at));
        good = t->names != NULL;
    }
    while (good && t->ncolumn > 0 && fgets(line, 1 << 16, f)) {
        if (t->nrow == room) {
            room = 2 * room + 64;
            double *more = realloc(rows, (size_t)room * (size_t)t->ncolumn * sizeof *rows);
            good = more != NULL;
            if (more) rows = more;
        }
        char *at = line;
        for (int k = 0; good && k < t->ncolumn; k++)
            rows[t->nrow * t->ncolumn + k] = strtod(take_field(&at), NULL);
        t->nrow += good;
    }
    t->values =
        good ? malloc((size_t)t->ncolumn * (size_t)(t->nrow + 1) * sizeof *t->values) : NULL;
    for (int i = 0; t->values && i < t->nrow; i++) {
        for (int k = 0; k < t->ncolumn; k++) t->values[k * t->nrow + i] = rows[i * t->ncolumn + k];
    }
    free(rows);
    free(line);
    return t->values != NULL;
}

bool cli_read_table(const char *command, const char *path, cli_table *t)
{
    FILE *f = fopen(path, "r");
    bool good = f && read_lines(f, t);
    if (f) fclose(f);
    if (!good) cli_complain(command, "'%s' cannot be read as a table", path);
    return good;
}

const double *cli_column(const cli_table *t, int k)
{
    return t->values + (size_t)k * (size_t)t->nrow;
}

int cli_find_column(const cli_table *t, const char *name)
{
    for (int k = 0; k < t->ncolumn; k++) {
        if (strcmp(t->names[k], name) == 0) return k;
    }
    return -1;
}
