// sweep_batch.h - sweeps by batches: the equations as text, compiled, many runs at once.
#pragma once

#include "cli/sweep/sweep_job.h"

// All runs into the table of the job, which is open. device: "cpu" or "cuda". failed: how many runs have. EXIT_DONE, or the exit
// status with which the command ends; what was wrong has been said.
int sweep_batch_do(flx_ctx *ctx, sweep_job *job, const char *device, bool quiet, int *failed);
