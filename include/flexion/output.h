// flexion/output.h - files that a program writes. A file appears at its place whole or not at all: it
// is written beside it, then renamed. Nothing is written onto a file that the context has read, for a
// model or for a result that is open, nor onto one that it is writing; files are told apart by device
// and inode, not by name.
#pragma once

#include "flexion/base.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct flx_output flx_output;

// Whether a file could be written there; else FLX_ERR_IO or FLX_ERR_ARGUMENT. For a look before long
// work. `what` names the thing in messages: "the table".
FLX_API flx_status flx_output_check(flx_ctx *ctx, const char *what, const char *path);

// A file to write to: stdout where the path is "-"; devices and pipes are written straight.
FLX_API flx_status flx_output_create(flx_ctx *ctx, const char *what, const char *path,
                                     flx_output **o);
FLX_API FILE *flx_output_file(flx_output *o); // owned by o
// Puts the file in its place when the status is FLX_OK and everything was written, else removes it.
// Returns the status, or FLX_ERR_IO.
FLX_API flx_status flx_output_close(flx_output **o, flx_status status);

// A file that will be read: as if it had been already. No file: nothing happens.
FLX_API flx_status flx_ctx_protect(flx_ctx *ctx, const char *path);
// Files read so far may be written again: whoever read them is done with them.
FLX_API void flx_ctx_forget_inputs(flx_ctx *ctx);

#ifdef __cplusplus
}
#endif
