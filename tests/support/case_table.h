// case_table.h - a table in memory with named columns, the first of them time: filled by a run
// through a sink, or from a CSV file.
#pragma once

#include "flexion/extend/sink_table.h"
#include "flexion/simulation.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct case_table {
    int columns, rows, capacity;
    char (*names)[64]; // (columns), "t" first
    double *values;    // (rows x columns)
} case_table;

void case_table_clear(case_table *t);
bool case_table_read_csv(case_table *t, const char *path);
double case_table_last_time(const case_table *t);
// Mean over the rows of the sum of the differences of all columns; NaN: the sizes differ.
double case_table_mean_difference(const case_table *a, const case_table *b);
// The value of a column at a time of the table (to 1e-9 of it), or of "drift(column)": the largest
// departure from the first row. false: no such column or time.
bool case_table_value(const case_table *t, const char *signal, double time, double *value);

// A sink on the stack that fills a table.
typedef struct case_sink {
    flx_sink base;
    case_table *table;
} case_sink;
case_sink case_sink_make(flx_ctx *ctx, case_table *table);

// Simulate a model given as text, with at most one setting "name=value" (or NULL), into a table.
// Messages are printed. summary (or NULL) receives what the model is made of, row (or NULL, 128
// characters) the name of its first redundant row.
bool case_run(const char *text, const char *setting, case_table *table, flx_summary *summary,
              char *row);

// The same, with the ledger of the run, without names and measures.
bool case_run_ledger(const char *text, const char *setting, case_table *table, flx_ledger *ledger);

// Simulate a model given as text; what was said of it, errors and then warnings, each on a line.
bool case_run_said(const char *text, const char *setting, char *said, size_t size);

// The IFToMM spatial slider crank under gravity, without its `simulate` and `outputs`.
extern const char case_slider_crank[];

// The text of an example with some pieces exchanged, each of which must be there.
typedef struct case_change {
    const char *from, *to;
} case_change;
bool case_example(const char *path, int n, const case_change *changes, char *text, size_t size);
