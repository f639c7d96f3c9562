// case_table.h - a table in memory with named columns, the first of them time: filled by a run
// through a sink, or from a CSV file.
#pragma once

#include "flexion/results.h"

#include <stdbool.h>

typedef struct case_table {
    int columns, rows, capacity;
    char (*names)[64]; // (columns), "t" first
    double *values;    // (rows x columns)
} case_table;

void case_table_clear(case_table *t);
bool case_table_read_csv(case_table *t, const char *path);
double case_table_last_time(const case_table *t);
// The value of a column at a time of the table (to 1e-9 of it), or of "drift(column)": the largest
// departure from the first row. false: no such column or time.
bool case_table_value(const case_table *t, const char *signal, double time, double *value);

// A sink on the stack that fills a table.
typedef struct case_sink {
    flx_sink base;
    case_table *table;
} case_sink;
case_sink case_sink_make(flx_ctx *ctx, case_table *table);
