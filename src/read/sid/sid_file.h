// sid_file.h - files of Standard Input Data (`.SID_FEM`): reading and writing.
#pragma once

#include "reduce/sid.h"

// The body of a text; its arrays live in the arena. Errors have file, line and column.
flx_status flx_sid_parse(flx_ctx *ctx, flx_arena *arena, const char *file, const char *text,
                         size_t length, flx_sid **sid);

// The text of a body, 0-terminated, in the arena; what is read back from it is equal in every bit.
flx_status flx_sid_format(flx_ctx *ctx, flx_arena *arena, const flx_sid *sid, char **text,
                          size_t *length);
