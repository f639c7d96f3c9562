// study_options.h - what the commands convergence and work-precision share: their options and their table.
#pragma once

#include "cli/cli.h"

typedef struct cli_study {
    const cli_command *command;
    const char *model, *methods, *steps, *tolerances, *signals, *formulation, *reference;
    const char *picture, *table, *until, *repeats, *max_steps;
    cli_list settings;
    bool quiet;
} cli_study;

// Parse the arguments, run the study, print its table and hand it to `draw` where a picture is
// asked for. Returns the exit status.
int cli_study_run(flx_ctx *ctx, cli_study *o, int argc, char **argv,
                  void (*print)(const flx_study *s, const cli_list *methods, bool fixed),
                  flx_status (*draw)(const flx_study *s, const char *path, const char *title));

// " failed: why"; the same reason is not told twice in a row.
void cli_print_failure(const flx_study *s, int row);
// "  1.23e-04" or "         -"
void cli_print_error(double e);
