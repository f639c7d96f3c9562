// flexion/extend/sink_table.h - for those who write a sink: where the rows of a run go.
//
// Lifetimes: a table must outlive its sinks; info and all rows belong to the caller, info until `end`, rows during the call.
#pragma once

#include "flexion/results.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct flx_sink_type {
    const char *name;
    flx_status (*begin)(flx_sink *s, const flx_result_info *info);
    flx_status (*row)(flx_sink *s, double t, const double *values);
    // ledger may be NULL (nothing was computed). Called also after a failed run.
    flx_status (*end)(flx_sink *s, const struct flx_ledger *ledger);
    void (*destroy)(flx_sink *s);
    // One event (by number) happened at t; the signals before and after it. NULL: not kept.
    flx_status (*event)(flx_sink *s, double t, int event, const double *before,
                        const double *after);
    // The motion of the scene (nmotion) at the row that comes next. NULL: not kept.
    flx_status (*motion)(flx_sink *s, const double *values);
    // A whole state (nstate numbers, the first is t): with state_rows that of the row that comes next, else the last
    // of the run. NULL: not kept.
    flx_status (*state)(flx_sink *s, const double *values);
    // Where particles are at t. NULL: not kept.
    flx_status (*particles)(flx_sink *s, double t, const flx_particle_frame *frame);
} flx_sink_type;
struct flx_sink {
    const flx_sink_type *type;
    flx_ctx *ctx;
};

#ifdef __cplusplus
}
#endif
