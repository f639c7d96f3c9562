// sweep_table.h - what the runs of a sweep give: a row each, columns by name as they come.
#pragma once

#include "flexion/flexion.h"

#include <stdbool.h>

typedef struct sweep_table {
    int ncolumn, nrow, width, height; // in use; room
    char **names;                     // (width) owned
    double *values;                   // (height, width) NAN: not known
    int *runs;                        // (height) their numbers, from 1: rows in turn, if not set
    bool failed;                      // no memory
} sweep_table;

void sweep_table_clear(sweep_table *t);
void sweep_table_add_row(sweep_table *t);
// Of the last row.
void sweep_table_set(sweep_table *t, const char *name, double value);
flx_status sweep_table_write(const sweep_table *t, flx_ctx *ctx, const char *path);
