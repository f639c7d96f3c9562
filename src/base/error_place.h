// error_place.h - a place for errors of what knows no model file.
#pragma once

#include "flexion/base.h"

// Gives this place to those errors, from number `first` on, that have none.
void flx_ctx_place_errors(flx_ctx *ctx, int first, flx_loc loc);
