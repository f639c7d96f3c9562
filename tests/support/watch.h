// watch.h - a run whose output is not kept: of every column its first and last value and its bounds.
#pragma once

#include "flexion/extend/sink_table.h"
#include "flexion/simulation.h"

#include <stdbool.h>

#define WATCH_COLUMNS 32

typedef struct watch {
    int columns;
    long rows;
    double t; // of the last row
    char names[WATCH_COLUMNS][64];
    double first[WATCH_COLUMNS], last[WATCH_COLUMNS];
    double least[WATCH_COLUMNS], most[WATCH_COLUMNS];
} watch;

// Simulate a model given as text. Messages are printed.
bool watch_run(const char *text, watch *w);

// The column of a name; -1: none.
int watch_column(const watch *w, const char *name);

// The largest departure from the first value, over all columns whose names begin so.
double watch_drift(const watch *w, const char *begin);
// The last value; not a number where there is no such column.
double watch_last(const watch *w, const char *name);
