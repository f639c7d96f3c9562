// show_tables.c - what any type of analysis found, told to a person and written as CSV.
#include "cli/show_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROWS 24   // of a table on the terminal
#define MOST_COLUMNS 8 // ... as wide as 100 characters
#define WIDTH 12

static void show_head(const flx_finding_table *t, int n)
{
    printf("  ");
    for (int k = 0; k < n; k++) {
        char head[120];
        bool unit = t->units[k] && t->units[k][0];
        snprintf(head, sizeof head, "%s%s%s", t->columns[k], unit ? " " : "",
                 unit ? t->units[k] : "");
        printf(" %*s", WIDTH, head);
    }
    printf("\n");
}

static void show_row(const flx_finding_table *t, int i, int n)
{
    printf("  ");
    for (int k = 0; k < n; k++) {
        const char *head = t->columns ? t->columns[k] : "";
        size_t w = strlen(head);
        if (t->columns && t->units[k][0]) w += strlen(t->units[k]) + 1;
        printf(" %*.6g", w > WIDTH ? (int)w : WIDTH, t->values[i * t->ncolumn + k]);
    }
    printf("\n");
}

static void show_table(const flx_finding_table *t)
{
    int ncolumn = t->ncolumn < MOST_COLUMNS ? t->ncolumn : MOST_COLUMNS;
    int nrow = t->nrow < MOST_ROWS ? t->nrow : MOST_ROWS;
    printf("  %s%s\n", t->name, t->nrow == 0 ? ": none" : "");
    if (t->nrow == 0) return;
    if (t->columns) show_head(t, ncolumn);
    for (int i = 0; i < nrow; i++) show_row(t, i, ncolumn);
    if (nrow < t->nrow || ncolumn < t->ncolumn) {
        printf("   ... %d rows and %d columns in all\n", t->nrow, t->ncolumn);
    }
}

void cli_show_finding(const flx_finding *f)
{
    for (int i = 0; i < f->nline; i++) printf("  %s\n", f->lines[i]);
    for (int i = 0; i < f->ntable; i++) show_table(f->tables + i);
}

// A name of a column with a comma or a quote is put into quotes.
static void write_name(FILE *file, const char *name)
{
    if (!strpbrk(name, ",\"\n")) {
        fputs(name, file);
        return;
    }
    fputc('"', file);
    for (; *name; name++) {
        if (*name == '"') fputc('"', file);
        fputc(*name, file);
    }
    fputc('"', file);
}

static void write_rows(FILE *file, const flx_finding_table *t)
{
    for (int k = 0; k < t->ncolumn; k++) {
        if (k > 0) fputc(',', file);
        write_name(file, t->columns[k]);
    }
    fputc('\n', file);
    for (int i = 0; i < t->nrow; i++) {
        for (int k = 0; k < t->ncolumn; k++) {
            fprintf(file, "%s%.17g", k > 0 ? "," : "", t->values[i * t->ncolumn + k]);
        }
        fputc('\n', file);
    }
}

static flx_status write_table(flx_ctx *ctx, const char *path, const flx_finding_table *t)
{
    flx_output *o = NULL;
    flx_status status = flx_output_create(ctx, "the table", path, &o);
    if (status != FLX_OK) return status;
    write_rows(flx_output_file(o), t);
    return flx_output_close(&o, FLX_OK);
}

// "_name.csv" or "_name_table.csv"; NULL: no memory.
static const char *name_file(const char *model, const char *name, const char *table)
{
    size_t n = strlen(name) + (table ? strlen(table) : 0) + 7;
    char *ending = malloc(n);
    if (!ending) return NULL;
    snprintf(ending, n, "_%s%s%s.csv", name, table ? "_" : "", table ? table : "");
    const char *file = cli_named_after(model, ending);
    free(ending);
    return file;
}

flx_status cli_write_finding(flx_ctx *ctx, const char *model, const char *name, const char *table,
                             const flx_finding *f)
{
    int written = 0;
    for (int i = 0; i < f->ntable; i++) {
        const flx_finding_table *t = f->tables + i;
        if (!t->columns || t->nrow == 0) continue;
        const char *file =
            written == 0 && table ? table : name_file(model, name, written > 0 ? t->name : NULL);
        if (!file) return FLX_ERR_MEMORY;
        flx_status status = write_table(ctx, file, t);
        if (status != FLX_OK) return status;
        if (strcmp(file, "-") != 0) printf("  %s in %s\n", t->name, file);
        written++;
    }
    return FLX_OK;
}
