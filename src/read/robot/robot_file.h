// robot_file.h - robot files (URDF, MJCF, SDF) to the tree of a model.
#pragma once

#include "model/entry.h"
#include "read/robot/robot.h"

// Whether the text is that of such a file: it begins with "<".
bool flx_robot_is_file(const char *text, size_t length);
// options NULL: none. FLX_ERR_MODEL with messages; *tree NULL then.
flx_status flx_robot_parse(flx_ctx *ctx, flx_arena *arena, const char *file, const char *text,
                           size_t length, const flx_robot_options *options, flx_entry **tree);
