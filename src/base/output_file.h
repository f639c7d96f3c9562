// output_file.h - the one place where files are written; see flexion/output.h.
#pragma once

#include "base/common.h"
#include "flexion/output.h"

struct flx_output {
    flx_ctx *ctx;
    const char *what;        // borrowed
    char *shown;             // owned; as the user names it
    char *path;              // owned; links followed
    char *part;              // owned; what to write; NULL: written straight
    FILE *file;              // NULL: whoever asked for it writes the part by other means
    bool placed;             // the file is in its place already
    struct flx_output *next; // others that the context is writing
};

// Refuses what renaming must not replace (folders, devices), and a folder that cannot be written to;
// creates the part, empty.
flx_status flx_output_reserve(flx_ctx *ctx, const char *what, const char *path, flx_output **o);
// What was written so far goes to its place now, for readers to see it grow; writing goes on. False:
// errno tells what went wrong.
bool flx_output_commit(flx_output *o);
// Closes and frees; what is not in its place is removed.
void flx_output_drop(flx_output **o);
// FLX_ERR_IO with a message that names the file; why: "" for what errno says.
flx_status flx_output_fail(flx_output *o, const char *why);

// Remember a file that is read; descriptor: of the open file. It may not be written until the context
// ends, or whoever read it lets it go by its number; input: may be NULL.
flx_status flx_input_note(flx_ctx *ctx, int descriptor, int *input);
// The path that it was opened by; it is kept from the first time on.
flx_status flx_input_name(flx_ctx *ctx, int input, const char *path);
// Of file i that the context has read; NULL: not known. *there: false: there is no such file.
const char *flx_input_path(const flx_ctx *ctx, int input, bool *there);
void flx_input_release(flx_ctx *ctx, int input);
