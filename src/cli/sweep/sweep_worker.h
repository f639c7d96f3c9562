// sweep_worker.h - workers of this machine at a study folder.
#pragma once

#include "cli/cli.h"

typedef struct sweep_workers {
    int n;
    const char *device; // of workers that do batches; NULL: runs one by one
    double limit;       // seconds of a run; 0: none
    double stop_after;  // the part of the runs that may fail; 0: all
} sweep_workers;

// n of them, until nothing is left or they stop. The worst exit status.
int sweep_workers_do(flx_folder *f, const char *path, const sweep_workers *how);
