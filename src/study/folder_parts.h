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
    int nworker;
    flx_folder_worker *workers; // (nworker) owned, with their names: of the last gathering
    char results[FLX_FOLDER_PATH];
};

// "folder/format"
void flx_folder_name(const flx_folder *f, char out[FLX_FOLDER_PATH], const char *format, ...)
    FLX_PRINTF(3, 4);
// ---- folder_files.c
// The files that a context has read, but for the model and what lies in the folder, into the arena.
flx_status flx_folder_list_files(flx_folder *f, const char *model, int *n,
                                 const flx_folder_file **files);
void flx_folder_forget_workers(flx_folder *f);
// A file of records: `rows` of them, written last at the time of `info`.
struct stat;
flx_status flx_folder_note_worker(flx_folder *f, const char *file, int rows,
                                  const struct stat *info);
void flx_folder_sort_workers(flx_folder *f);
// A file made now tells the time of the server, by its clock. false: it is not known.
bool flx_folder_clock(const flx_folder *f, struct stat *now);

flx_status flx_folder_fail(const flx_folder *f, const char *what, const char *path);
