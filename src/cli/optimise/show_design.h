// show_design.h - flexion optimise of a model with goals.
#pragma once

#include "cli/cli.h"

typedef struct design_options {
    const char *model, *table;
    bool resume, quiet;
    int threads;
} design_options;

// The exit status.
int cli_design(flx_ctx *ctx, flx_model *model, const design_options *o);
