// memory_files.h - files in memory: they stand for files of these paths while a model is built.
#pragma once

#include "base/common.h"

typedef struct flx_given_file {
    const char *name; // as the description names it; interned
    const char *path; // as it is looked for; interned
    const char *text; // owned by whoever gives it
    size_t length;
    struct flx_given_file *next;
} flx_given_file;

// files: a list, the first of a path counts; NULL: none any more.
void flx_ctx_give_files(flx_ctx *ctx, const flx_given_file *files);
// NULL: there is none of this path.
const flx_given_file *flx_ctx_given_file(const flx_ctx *ctx, const char *path);
