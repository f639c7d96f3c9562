// pages.h - the pages that the program writes: one that plays results, and one to print. Neither is in the library.
#pragma once

#include "flexion/extend/sink_table.h"

// A page of HTML to print, or, where the path ends in .pdf, what Chromium prints of it: the model in
// short, what was run, notes, the ledger, drawings of all signals.
flx_status flx_report_write(flx_result *r, const char *path);

// One page of HTML that plays results: it needs no network and opens from disk. Frames are left out
// evenly until the page is not larger than asked for.
typedef struct flx_page_table { // what an analysis found, to be drawn as diagrams
    const char *name;
    int nrow, ncolumn;
    const char *const *columns; // (ncolumn)
    const double *values;       // (ncolumn x nrow) by columns
} flx_page_table;
typedef struct flx_page_def {
    const char *path;
    int nresult; // several are compared
    flx_result *const *results;
    const char *const *labels; // (nresult) what the page calls them
    size_t limit;              // bytes; 0: 10 MB
    int mesh_points;           // of all surfaces and meshes at most; 0: 20000
    int ntable;                // beside the results, or without any
    const flx_page_table *tables;
} flx_page_def;
typedef struct flx_page_size {
    size_t bytes;
    int frames, signal_rows; // kept of the result with the most rows ...
    int rows;                // ... which had this many
    long points, kept;       // of surfaces and meshes: in the results, in the page
} flx_page_size;
flx_status flx_page_write(flx_ctx *ctx, const flx_page_def *def, flx_page_size *size);
