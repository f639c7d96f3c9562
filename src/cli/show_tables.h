// show_tables.h - what any type of analysis found, told to a person and written as CSV.
#pragma once

#include "cli/cli.h"

// Lines and tables on the terminal: of long ones the first rows, of matrices those of few columns.
void cli_show_finding(const flx_finding *f);
// Its tables with named columns: the first as MODEL_NAME.csv, further ones as MODEL_NAME_TABLE.csv, named after the
// model; table: instead of the first name; NULL: none.
flx_status cli_write_finding(flx_ctx *ctx, const char *model, const char *name, const char *table,
                             const flx_finding *f);
