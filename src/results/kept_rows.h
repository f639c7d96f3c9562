// kept_rows.h - the rows of a run in memory: t and the signals, row by row.
#pragma once

#include "flexion/extend/sink_table.h"

typedef struct flx_kept_rows {
    double *data; // owned, flx_free
    int width;    // numbers of a row
    int count;    // rows
    int capacity; // numbers
} flx_kept_rows;

// All at once where their number is known, so that nothing is allocated in the time loop.
flx_status flx_kept_rows_begin(flx_ctx *ctx, const flx_result_info *info, flx_kept_rows *r);
flx_status flx_kept_rows_add(flx_ctx *ctx, flx_kept_rows *r, double t, const double *values);
