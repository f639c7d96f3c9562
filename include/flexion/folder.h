// flexion/folder.h - a study folder: many runs of one model, done by any number of workers that share a file system.
//
//     plan               what is done: the model and the files that it names, its settings, how many runs, how many of
//                        them are one chunk
//     claims/000012      a chunk that a worker does, touched while it does; claims/000012.done when its rows are there
//     rows/WORKER.rows   records of one worker: names of columns; run, status, values; a sum over each
//     runs/000012.h5     signals of the runs of a chunk, where they are kept
//     failed/000123.txt  what a run that failed had to say
//
// A run is a function of its number, so work that is done twice is equal. A worker that dies costs its chunk: a claim
// that nobody has touched for a minute is taken by another. docs/guide/cluster.md.
#pragma once

#include "flexion/base.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct flx_folder_file {
    const char *path;
    uint64_t hash;
} flx_folder_file;

typedef struct flx_folder_plan {
    const char *model; // path of the model file
    int nsetting;
    const char *const *settings; // "k=3"
    uint64_t hash;               // of the model's text
    int runs, chunk;
    int results; // signals of the runs are kept
    // Of a folder: the version of Flexion that planned it (NULL: before 0.5), and the files besides the model that it is made
    // of: meshes, tables, parts.
    const char *version;
    int nfile;
    const flx_folder_file *files;
} flx_folder_plan;

typedef struct flx_folder flx_folder;

// Of a file, for the plan. FLX_ERR_IO.
FLX_API flx_status flx_folder_hash(flx_ctx *ctx, const char *path, uint64_t *hash);
// A new folder, or one with the same plan; another plan is refused (FLX_ERR_ARGUMENT) and says what differs. The files that
// the context has read are those of the model.
FLX_API flx_status flx_folder_create(flx_ctx *ctx, const char *path, const flx_folder_plan *plan);
// FLX_ERR_IO: there is no study; FLX_ERR_ARGUMENT: its plan is damaged, or of a newer version.
FLX_API flx_status flx_folder_open(flx_ctx *ctx, const char *path, flx_folder **f);
FLX_API void flx_folder_close(flx_folder **f);
FLX_API const flx_folder_plan *flx_folder_get_plan(const flx_folder *f);
// Who adds rows is of the version that planned the study, and finds its files as they were: else FLX_ERR_ARGUMENT, which
// names what has changed.
FLX_API flx_status flx_folder_check(flx_folder *f);

// A chunk that nobody does, from run *first to before *end; FLX_STOPPED: none is left. *waits is set, and no chunk is
// given, while others do the last ones: they may die.
FLX_API flx_status flx_folder_claim(flx_folder *f, int *first, int *end, int *waits);
// While a chunk is done: at least every ten seconds.
FLX_API void flx_folder_touch(flx_folder *f);
// Whether a run has failed before, here or elsewhere: it is not done again until flx_folder_retry.
FLX_API int flx_folder_has_failed(const flx_folder *f, int run);
FLX_API flx_status flx_folder_add_row(flx_folder *f, int run, int n, const char *const *names,
                                      const double *values);
FLX_API flx_status flx_folder_add_failure(flx_folder *f, int run, const char *text);
// The rows of the chunk go to the disk, and it counts as done.
FLX_API flx_status flx_folder_finish_chunk(flx_folder *f);
// The chunk is given back, for another worker.
FLX_API void flx_folder_give_back(flx_folder *f);
// The claim of the chunk with this run is free: whoever had it is known to be dead.
FLX_API void flx_folder_release(flx_folder *f, int run);

typedef struct flx_folder_status {
    int runs, done, failed;      // runs
    int chunks, finished, taken; // chunks; taken: under way
} flx_folder_status;
// What a worker has done: its name, rows, seconds from its beginning to its last row, and since then.
typedef struct flx_folder_worker {
    const char *name;
    int rows;
    double seconds, silent;
} flx_folder_worker;
// Worker i of those that have written rows, by name; 0: there is none. After flx_folder_gather; the name lives until the next.
FLX_API int flx_folder_get_worker(const flx_folder *f, int i, flx_folder_worker *out);
// How many runs have failed, and how many belong to chunks that are done; quicker than gathering.
FLX_API flx_status flx_folder_count(flx_folder *f, int *failed, int *finished);
// "FOLDER/runs/000012.h5" of the chunk with this run, 12 being its number.
FLX_API const char *flx_folder_results(flx_folder *f, int run);
// Every row, in the order of runs, once; failed ones are counted. row may be NULL.
FLX_API flx_status flx_folder_gather(flx_folder *f,
                                     flx_status (*row)(void *user, int run, int n,
                                                       const char *const *names,
                                                       const double *values),
                                     void *user, flx_folder_status *status);
// What a run that failed had to say, in the order of runs; text lives until the next call. NULL: it has not.
FLX_API const char *flx_folder_failure(flx_folder *f, int run);
// Runs of chunks that count as done, but have neither a row that is whole nor a message (a file was damaged or lost), are to
// be done again. How many.
FLX_API flx_status flx_folder_mend(flx_folder *f, int *count);
// Runs that failed are to be done again. How many.
FLX_API flx_status flx_folder_retry(flx_folder *f, int *count);

#ifdef __cplusplus
}
#endif
