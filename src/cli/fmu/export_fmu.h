// export_fmu.h - flexion export fmu.
#pragma once

#include "cli/cli.h"

// Returns the exit status. The run-time library is sought beside the program, then where it was installed.
int cli_export_fmu(flx_ctx *ctx, const char *model, flx_fmu_def *def, const char *output);
