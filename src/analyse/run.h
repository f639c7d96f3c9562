// run.h - a run while it lasts: what run.c and run_checkpoint.c share.
#pragma once

#include "analyse/simulation.h"

typedef struct flx_running {
    flx_simulation *sim;
    int nsink;
    flx_sink *const *sinks;
    flx_progress_callback progress;
    void *user;
    flx_schedule schedule;
    long every;              // the next multiple of `every`
    int time;                // the next of `times`
    double step_end, step;   // the last one, and its length
    bool started, row_since; // rows since the last entry of the account
    flx_status status;       // of what the callback could not do
    flx_watch watch;         // owned: of a reduced run
    long kept_allocations;   // of checkpoints, which are no part of the time loop
} flx_running;

// run_checkpoint.c. Before the first step: the journal becomes one of the sinks. At the end of a step: a checkpoint where
// its time has come, or at once. A run that goes on gets its state, after its rows so far have gone to the sinks. After
// the last step nothing is left to go on from, unless the run was cut off.
flx_status flx_running_open(flx_running *r);
flx_status flx_running_keep(flx_running *r, bool now);
flx_status flx_running_resume(flx_running *r);
void flx_running_close(flx_running *r, flx_status status);
