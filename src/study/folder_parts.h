// folder_parts.h - what the files of study folders share.
#pragma once

#include "base/common.h"
#include "flexion/folder.h"

#include <stdio.h>

#define FLX_FOLDER_PATH 4096

struct flx_folder {
    flx_ctx *ctx;
    flx_arena *arena; // owned: texts of the plan
    char path[FLX_FOLDER_PATH / 2];
    char worker[200]; // host and process, a name of files
    flx_folder_plan plan;
    int nchunk, chunk, place; // chunk: claimed, -1: none; place: where the next is sought
    int rows;                 // descriptor of the worker's records, -1: none yet
    uint64_t names;           // hash of the columns that were written last
    char *record;             // owned: of one row
    size_t room;
    char *failure; // owned: the last text that was handed out
};

// "folder/format"
void flx_folder_name(const flx_folder *f, char out[FLX_FOLDER_PATH], const char *format, ...)
    FLX_PRINTF(3, 4);
flx_status flx_folder_fail(const flx_folder *f, const char *what, const char *path);
