// place.h - a file that appears at its place whole or not at all: written beside it, then renamed.
#pragma once

#include "base/base.h"

typedef struct flx_place {
    char *path; // owned; links followed
    char *part; // owned; what to write
} flx_place;

// Refuses what renaming must not replace (folders, devices), and a folder that cannot be written
// to; creates the file to be written, empty. `what` names the thing in messages: "the result".
flx_status flx_place_open(flx_ctx *ctx, const char *what, const char *path, flx_place *p);
// Put what was written in its place; errno tells what went wrong.
bool flx_place_commit(const flx_place *p);
// Frees; removes what was written and not committed.
void flx_place_close(flx_place *p);
