// fmu_runner.h - who runs the FMUs of this context (flexion/fmi.h).
#pragma once

#include "flexion/base.h"

struct flx_fmu_host;
const struct flx_fmu_host **flx_ctx_fmus(flx_ctx *ctx); // NULL at the place: nobody
