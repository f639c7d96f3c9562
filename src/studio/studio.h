// studio.h - the workbench in the browser: a server for one user of this machine, who edits, checks, runs and plays one
// model file at a time.
#pragma once

#include "flexion/base.h"

#include <stdbool.h>

typedef struct flx_studio flx_studio;
typedef struct flx_studio_def {
    const char *path; // of the model; NULL: a new one, model.yaml or its like in the working folder
    int port;         // 0: any that is free
} flx_studio_def;

// FLX_ERR_IO, FLX_ERR_UNAVAILABLE (built without its page).
flx_status flx_studio_open(flx_ctx *ctx, const flx_studio_def *def, flx_studio **s);
const char *flx_studio_address(const flx_studio *s);
void flx_studio_turn(flx_studio *s, int milliseconds); // serve who is there, or wait so long
void flx_studio_close(flx_studio **s);
