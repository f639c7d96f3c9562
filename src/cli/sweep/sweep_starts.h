// sweep_starts.h - where the runs of a batch begin: as ordinary runs with their parameters do, on all cores.
#pragma once

#include "cli/sweep/sweep_batch.h"
#include "cli/sweep/sweep_device.h"

typedef struct sweep_starts {
    const sweep_job *job; // with the compiled system
    const sweep_device *device;
    int first;
    long n;
    double *z; // (coordinates, velocities, states) x n
} sweep_starts;

// A run of the job's system at its start, with the parameters of its number.
flx_status sweep_starts_begin(const sweep_job *job, flx_run *run, flx_ctx *ctx, int number);
// All of them; bad: which cannot begin, told to rows. false: it was said why the sweep ends. goes_on: now and then, 0 ends it.
bool sweep_starts_make(const sweep_starts *s, const sweep_rows *rows, bool *bad,
                       int (*goes_on)(void *), void *user);
