// display_unit.h - units that drawings show in the place of SI units.
#pragma once

#include "base/common.h"

// Values in the unit `from` times the factor are values in `to`. FLX_ERR_ARGUMENT with what `from` may be shown in;
// `name` is the signal's, for the message.
flx_status flx_display_factor(flx_ctx *ctx, const char *name, const char *from, const char *to,
                              double *factor);
