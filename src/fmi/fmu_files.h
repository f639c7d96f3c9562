// fmu_files.h - the files that a model is made of, and where they are inside an FMU.
#pragma once

#include "base/common.h"

typedef struct flx_fmu_file {
    const char *path;   // as it was opened
    const char *inside; // of the folder of resources
    char *data;
    size_t size;
} flx_fmu_file;

typedef struct flx_fmu_files {
    int count;
    flx_fmu_file *items; // the model first
} flx_fmu_files;

// Those that `inner` has read for the model, in the arena; they lie to each other as they do outside. FLX_ERR_CANNOT: the
// model names one by its whole path.
flx_status flx_fmu_collect_files(flx_ctx *ctx, flx_ctx *inner, flx_arena *arena, const char *model,
                                 flx_fmu_files *out);

// Notices of what the run-time library is made of (fmu_licences.c).
extern const char flx_fmu_licences[];
