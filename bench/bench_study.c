// bench_study - study folders: a million rows gathered, and what a run of 10 ms pays for its place in a study.
//
// Marks: 10^6 rows of 8 columns in 10 s and 1 GB; claims, rows and the end of chunks at most 2 per cent of runs of 10 ms, in
// chunks that last 4 s. Seconds of this process, not of the machine.
//   bench_study [ROWS]
#include "flexion/flexion.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define COLUMNS 8
#define CHUNK 400 // runs of 10 ms that last 4 s

static double clock_seconds(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char *const names[COLUMNS] = {"a", "b", "c", "d", "e", "f", "g", "h"};

// All runs of a folder, by one worker; FLX_STOPPED: done.
static flx_status work(flx_folder *f)
{
    for (int first, end, waits;;) {
        flx_status status = flx_folder_claim(f, &first, &end, &waits);
        if (status != FLX_OK) return status;
        for (int run = first; run < end; run++) {
            double values[COLUMNS];
            for (int k = 0; k < COLUMNS; k++) values[k] = 1.0 / (1.0 + run) + k;
            if (flx_folder_has_failed(f, run)) return FLX_ERR_IO;
            status = flx_folder_add_row(f, run, COLUMNS, names, values);
            if (status != FLX_OK) return status;
        }
        status = flx_folder_finish_chunk(f);
        if (status != FLX_OK) return status;
    }
}

typedef struct sum {
    int rows;
    double all;
} sum;

static flx_status add(void *user, int run, int n, const char *const *columns, const double *values)
{
    sum *s = user;
    (void)columns;
    s->rows += run >= 0;
    for (int k = 0; k < n; k++) s->all += values[k];
    return FLX_OK;
}

static int study(flx_ctx *ctx, int rows, int chunk, double *write_wall, double *gather_core)
{
    char path[] = "/tmp/bench_study-XXXXXX", model[60], command[80];
    if (!mkdtemp(path)) return 1;
    snprintf(model, sizeof model, "%s/model.yaml", path);
    const flx_folder_plan plan = {.model = model, .runs = rows, .chunk = chunk};
    flx_folder *f = NULL;
    flx_folder_status s = {0};
    sum total = {0};
    int bad =
        flx_folder_create(ctx, path, &plan) != FLX_OK || flx_folder_open(ctx, path, &f) != FLX_OK;
    double began = clock_seconds(CLOCK_MONOTONIC);
    bad = bad || work(f) != FLX_STOPPED;
    *write_wall = clock_seconds(CLOCK_MONOTONIC) - began;
    began = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    bad = bad || flx_folder_gather(f, add, &total, &s) != FLX_OK || total.rows != rows;
    *gather_core = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - began;
    flx_folder_close(&f);
    snprintf(command, sizeof command, "rm -rf %s", path);
    if (system(command) != 0) bad = 1;
    return bad;
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 1000000;
    flx_ctx *ctx = flx_ctx_create();
    double wall, core;
    struct rusage use;
    if (rows < 1 || study(ctx, rows, 1000, &wall, &core)) {
        printf("failed: %s\n", flx_ctx_error(ctx, 0) ? flx_ctx_error(ctx, 0)->text : "?");
        return 1;
    }
    getrusage(RUSAGE_SELF, &use);
    double size = (double)use.ru_maxrss / 1e6;
    printf("%d rows of %d columns gathered in %.2f s and %.2f GB%s\n", rows, COLUMNS, core, size,
           rows < 1000000                ? ""
           : core <= 10.0 && size <= 1.0 ? ", mark met"
                                         : ", MARK NOT MET");
    int runs = 4000;
    if (study(ctx, runs, CHUNK, &wall, &core)) return 1;
    double part = wall / runs / 0.01;
    printf("%.1f us of wall clock per run for claims and rows: %.3f per cent of 10 ms%s\n",
           1e6 * wall / runs, 100.0 * part, part <= 0.02 ? ", mark met" : ", MARK NOT MET");
    flx_ctx_destroy(&ctx);
    return 0;
}
