// sweep_table.c - see sweep_table.h.
#include "cli/sweep/sweep_table.h"
#include "flexion/extend/sink_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sweep_table_clear(sweep_table *t)
{
    for (int i = 0; i < t->ncolumn; i++) free(t->names[i]);
    free(t->names);
    free(t->values);
    free(t->runs);
    *t = (sweep_table){0};
}

static bool sweep_table_reserve(sweep_table *t, int ncolumn, int nrow)
{
    if (t->failed) return false;
    if (ncolumn <= t->width && nrow <= t->height) return true;
    int width = ncolumn > t->width ? 2 * ncolumn : t->width + 1,
        height = nrow > t->height ? 2 * nrow : t->height + 1;
    double *values = malloc(sizeof *values * (size_t)width * (size_t)height);
    char **names = realloc(t->names, sizeof *names * (size_t)width);
    int *runs = realloc(t->runs, sizeof *runs * (size_t)height);
    if (names) t->names = names;
    if (runs) t->runs = runs;
    t->failed = !values || !names || !runs;
    if (t->failed) {
        free(values);
        return false;
    }
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++) values[i] = (double)NAN;
    for (int i = 0; i < t->nrow; i++) {
        memcpy(values + (size_t)i * (size_t)width, t->values + (size_t)i * (size_t)t->width,
               sizeof *values * (size_t)t->ncolumn);
    }
    free(t->values);
    t->values = values;
    t->width = width;
    t->height = height;
    return true;
}

void sweep_table_add_row(sweep_table *t)
{
    if (!sweep_table_reserve(t, t->ncolumn, t->nrow + 1)) return;
    t->runs[t->nrow] = t->nrow + 1;
    t->nrow++;
}

void sweep_table_set(sweep_table *t, const char *name, double value)
{
    int k = 0;
    while (k < t->ncolumn && strcmp(t->names[k], name) != 0) k++;
    if (k == t->ncolumn) {
        size_t n = strlen(name) + 1;
        char *copy = sweep_table_reserve(t, k + 1, t->nrow) ? malloc(n) : NULL;
        if (!copy) {
            t->failed = true;
            return;
        }
        t->names[t->ncolumn++] = memcpy(copy, name, n);
    }
    t->values[(size_t)(t->nrow - 1) * (size_t)t->width + (size_t)k] = value;
}

flx_status sweep_table_write(const sweep_table *t, flx_ctx *ctx, const char *path)
{
    flx_sink *sink = NULL;
    const char **units = calloc((size_t)t->ncolumn + 1, sizeof *units);
    if (!units) return FLX_ERR_MEMORY;
    for (int i = 0; i < t->ncolumn; i++) units[i] = "";
    const flx_result_info info = {.ncolumn = t->ncolumn,
                                  .names = (const char *const *)t->names,
                                  .units = units,
                                  .rows = t->nrow};
    flx_status status = flx_csv_sink_create(ctx, path, &sink);
    if (status == FLX_OK) status = sink->type->begin(sink, &info);
    for (int i = 0; i < t->nrow && status == FLX_OK; i++) {
        status = sink->type->row(sink, t->runs[i], t->values + (size_t)i * (size_t)t->width);
    }
    if (status == FLX_OK) status = sink->type->end(sink, NULL);
    flx_sink_destroy(&sink);
    free(units);
    return status;
}
