// sweep_device.h - what batches of runs are done by: the exported equations (flexion/export.h, FLX_EXPORT_BATCH), compiled by a
// compiler that is found when it is needed, for this processor or for a GPU, and loaded.
#pragma once

#include "cli/sweep/sweep_job.h"

#define SWEEP_CHECKED 16  // runs of a batch that are done twice
#define SWEEP_AGREES 1e-9 // of the size of a column

typedef struct sweep_device {
    void *library; // owned
    bool gpu;
    void (*batch)(long steps, double t0, double h, double last, long runs, const double *p,
                  double *z, double *y); // on this processor
    int (*gpu_run)(long steps, double t0, double h, double last, long runs, const double *p,
                   double *z, double *y, int (*goes_on)(void *), void *user, double *told);
    int (*gpu_look)(char *name, double *facts);
    const char *(*gpu_text)(int code);
    const int *sizes, *signs; // nq, nv, nx, np, ny, lanes
    const char *const *parameters, *const *numbers;
    const double *defaults, *duration;
    long most_runs;         // of one batch
    double compile_seconds; // 0: it was kept from before
    double gpu_seconds, longest, launches;
    double difference; // of the processor's numbers, in proportion to a column
} sweep_device;

// The largest value of a column of y; of one that is nearly zero a part of that of all, whose rounding it is.
double sweep_column_size(long n, int ny, const double *y, int k);
// EXIT_DONE, or what was wrong has been said. name: "cpu" or "cuda".
int sweep_device_open(flx_ctx *ctx, const sweep_job *job, const char *name, bool quiet,
                      sweep_device *d);
void sweep_device_close(sweep_device *d);
// n runs from z to the end, y: their numbers; arrays of arrays, one entry per run. Of each batch on a GPU some are done by the
// processor as well, and have to agree.
int sweep_device_run(sweep_device *d, long steps, double last, long n, const double *p, double *z,
                     double *y, int (*goes_on)(void *), void *user);
