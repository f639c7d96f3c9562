// export_result.h - parts of `flexion export` that are commands of their own: they take a result.
#pragma once

#include "cli/cli.h"

extern const cli_command cmd_export_vtk, cmd_export_frames, cmd_export_film;
