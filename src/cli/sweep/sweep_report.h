// sweep_report.h - what a sample of runs says, told and written.
#pragma once

#include "cli/sweep/sweep_table.h"

// Of all columns but those of parameters, to stdout (quiet: not at all) and as CSV to `path`.
flx_status sweep_report(flx_ctx *ctx, const flx_model *model, const sweep_table *t,
                        const flx_sample_info *sample, bool quiet, const char *path);
