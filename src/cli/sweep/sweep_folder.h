// sweep_folder.h - sweeps of many workers through a study folder (flexion/folder.h).
#pragma once

#include "cli/cli.h"

typedef struct sweep_folder {
    const char *into, *workers, *limit, *slurm; // a study is begun
    const char *stop_after;                     // "20%": the part of the runs that may fail
    const char *join, *status, *gather, *retry; // folders
    const char *table;                          // --csv
    const char *device;                         // of workers that do batches; NULL: runs one by one
    bool results, pack;                         // signals are kept; in one file, copied
    bool dry, quiet;
    const cli_list *settings;
} sweep_folder;

// Make a study of the model, work at it with the workers that are asked for, gather.
int sweep_folder_start(flx_ctx *ctx, const sweep_folder *f, const char *model);
// --join, --status, --gather, --retry.
int sweep_folder_do(flx_ctx *ctx, const sweep_folder *f, const cli_list *rest);
