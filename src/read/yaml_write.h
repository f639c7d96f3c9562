// yaml_write.h - a description as YAML text that reads back to the same tree.
#pragma once

#include "model/entry.h"

// text: in the arena, 0-terminated. FLX_ERR_MEMORY.
flx_status flx_yaml_write(flx_ctx *ctx, flx_arena *arena, const flx_entry *tree, char **text,
                          size_t *length);
