// sweep_job.h - the runs of a sweep, done one by one in this process.
#pragma once

#include "cli/cli.h"
#include "cli/sweep/sweep_table.h"

#define SWEEP_PARAMETER 200 // characters of "name=value"

struct sweep_tracks;

typedef struct sweep_job {
    const char *path;               // of the model
    flx_model *model;               // owned
    int given;                      // settings of the command
    cli_list settings;              // those, then those of a run; owned
    char (*texts)[SWEEP_PARAMETER]; // owned
    sweep_table table;              // a row per run that was done
    struct sweep_tracks *tracks;    // owned: modes that go on from run to run
    // The model compiled once, with the swept parameters open; NULL: it has to be read again for every run.
    flx_model *open;
    flx_system *system;
    flx_run *run; // of it, for all values in turn
    flx_ctx *ctx; // of these
    flx_ctx *own; // of the last run that was read again
    // While a run lasts: called now and then; after so many seconds it is given up (0: never).
    void (*beat)(void *user);
    void *user;
    double limit, began;
    bool late;          // it was
    flx_series *series; // signals of the runs are kept there; NULL: they are not
} sweep_job;

// EXIT_DONE, or the exit status with which the command ends; what was wrong has been said.
int sweep_job_open(flx_ctx *ctx, const char *path, const cli_list *settings, sweep_job *job);
void sweep_job_close(sweep_job *job);
// Compiles, once for all runs that follow, where that can be.
void sweep_job_compile(sweep_job *job);
// Run `number`, as a further row of the table. *told: where its messages are. FLX_ERR_MEMORY ends the sweep.
flx_status sweep_job_do(sweep_job *job, int number, flx_ctx **told);
// The names of what is swept, to be freed; NULL: no memory.
const char **sweep_job_swept(const flx_model *model, int *n);
double sweep_clock(void); // seconds
