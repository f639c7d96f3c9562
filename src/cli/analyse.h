// analyse.h - what `analyse`, `static` and `modes` share: the analyses of a model, done and told.
#pragma once

#include "cli/cli.h"

typedef struct cli_analyses {
    const cli_command *command;
    const char *types[2]; // which are done where none is named; NULL: all
    bool results;         // paths go to files
    bool shapes;          // modes may go to a file (-o)
} cli_analyses;

// The command's arguments: a model, then names of analyses.
int cli_analyse(flx_ctx *ctx, const cli_analyses *how, int argc, char **argv);
