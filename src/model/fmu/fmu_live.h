// fmu_live.h - an FMU for model exchange as functions in expressions: derivatives of its states, its outputs and indicators are
// numbers of (t, x, u, mode), where the mode stands for all that its events have made of it. Equal arguments give equal numbers,
// whatever was asked before, so that steps may be tried, runs saved, restored and cloned.
#pragma once

#include "flexion/fmi.h"

typedef struct flx_fmu_live flx_fmu_live;

// One function: a row of the FMU.
typedef struct flx_fmu_row {
    flx_fmu_live *live;
    int number;
} flx_fmu_row;

// The info is given over. rows: derivatives, numbers of outputs, indicators.
flx_fmu_live *flx_fmu_live_create(flx_ctx *ctx, flx_fmu_info *info, int nin, const int *in,
                                  int nout, const int *out, int nvalue);
void flx_fmu_live_leave(flx_fmu_live *live); // ends with its last user
flx_fmu_row *flx_fmu_live_row(flx_ctx *ctx, flx_fmu_live *live, int number); // one more user
void flx_fmu_row_leave(void *row);
// flx_function_callback whose user is a flx_fmu_row; arguments: t, x, u, mode. Mode 0: it has not begun; all rows are 0.
int flx_fmu_row_call(void *row, int n, const double *args, double *value, double *slopes);

// Who runs it. Not FLX_OK: `why`.
flx_status flx_fmu_live_host(flx_fmu_live *live, const flx_fmu_host *host, int isolated);
// Initialised anew for a run, with ports set before: mode, x and time of the next event behind it.
typedef struct flx_fmu_moment {
    double t, next, mode;
    int ended;
    int sign;        // indicator i > 0 has become positive, -i negative; 0: none has
    double *x;       // (nx)
    const double *u; // (nin)
} flx_fmu_moment;
flx_status flx_fmu_live_start(flx_fmu_live *live, int nset, const int *ports, const double *values,
                              double tolerance, double until, flx_fmu_moment *m);
flx_status flx_fmu_live_event(flx_fmu_live *live, flx_fmu_moment *m);
// What a mode is, as bytes; FLX_ERR_CANNOT: the FMU does not give them. They are borrowed until the next call.
flx_status flx_fmu_live_mode(flx_fmu_live *live, double mode, const void **bytes, size_t *size);
flx_status flx_fmu_live_know(flx_fmu_live *live, double mode, const void *bytes, size_t size);
// Of the last call that failed, and no more then; "": none did.
void flx_fmu_live_why(flx_fmu_live *live, char *text, size_t size);
int flx_fmu_live_states(const flx_fmu_live *live);
int flx_fmu_live_runs(flx_fmu_live *live); // whether it was started
