// sweep_batch.h - sweeps by batches: the equations as text, compiled, many runs at once on a device.
#pragma once

#include "cli/sweep/sweep_job.h"

// Where the runs of a batch go.
typedef struct sweep_rows {
    void *user;
    bool
        alone; // each row is alone in the table of the job, and those of runs that failed are not there
    flx_status (*done)(void *user, int run); // NULL: they stay in the table
    void (*failed)(void *user, int run, const char *text);
} sweep_rows;

typedef struct sweep_batch sweep_batch;

// device: "cpu" or "cuda"; most: runs that are asked for at a time. EXIT_DONE, or the exit status with which the command ends;
// what was wrong has been said. *b is there in both cases.
int sweep_batch_open(flx_ctx *ctx, sweep_job *job, const char *device, int most, bool quiet,
                     sweep_batch **b);
void sweep_batch_close(sweep_batch **b);
int sweep_batch_do(sweep_batch *b, int first, int count, const sweep_rows *rows);
void sweep_batch_tell(const sweep_batch *b, int count); // how fast, and how well they agree

// All runs into the table of the job. failed: how many runs have.
int sweep_batch_all(flx_ctx *ctx, sweep_job *job, const char *device, bool quiet, int *failed);
