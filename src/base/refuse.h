// refuse.h - public calls that were given NULL for what they cannot do without.
#pragma once

#include "flexion/base.h"

// FLX_ERR_ARGUMENT, with a message where there is a context to keep it.
flx_status flx_refuse_null(flx_ctx *ctx, const char *call);
