// plugins.h - models with the external functions of the plugins that this call of the program was given.
#pragma once

#include "flexion/flexion.h"

#include <stdbool.h>

bool cli_plugin_open(const char *command, const char *path); // false: it was said why not
const char *cli_plugin(int i);                               // its path; NULL when out of range
flx_status cli_bind_plugins(flx_model *model);
// As flx_model_read_by and flx_model_read, with what plugins have.
flx_status cli_model_read_by(flx_ctx *ctx, const char *path, const flx_read_def *def,
                             flx_model **model);
flx_status cli_model_read(flx_ctx *ctx, const char *path, int nset, const char *const *settings,
                          flx_model **model);
