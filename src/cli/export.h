// export.h - parts of `flexion export` that are commands of their own: they take a result.
#pragma once

#include "cli/cli.h"

extern const cli_command cmd_export_vtk, cmd_export_frames;

// A whole number from 1 on; false: it is none, which was said.
bool cli_read_count(const char *command, const char *option, const char *text, int *out);
