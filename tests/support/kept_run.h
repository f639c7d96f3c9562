// kept_run.h - a run whose rows are kept in memory.
#pragma once

#include "flexion/flexion.h"

// Run to the end. The result has the time in column 0 and the signals after it, and is to be closed.
static inline flx_status kept_run(flx_ctx *context, flx_simulation *sim, flx_result **result)
{
    flx_sink *sink = NULL;
    *result = NULL;
    flx_status status = flx_memory_sink_create(context, &sink);
    if (status == FLX_OK) status = flx_simulation_run(sim, 1, &sink, NULL, NULL);
    if (status == FLX_OK) status = flx_memory_sink_take(sink, result);
    flx_sink_destroy(&sink);
    return status;
}

// The last value of a column.
static inline double kept_last(const flx_result *r, int column)
{
    return flx_result_column(r, column)[flx_result_rows(r) - 1];
}
