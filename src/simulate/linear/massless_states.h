// massless_states.h - linear models of what forces give no acceleration: parts without mass, that springs and dampers hold.
#pragma once

#include "simulate/analyses/io_signals.h"

// About a state of sim->sys at rest, where flx_linear_find has no model. FLX_SINGULAR, FLX_ERR_CANNOT, perhaps without a message:
// there is none either. Positions that follow others by static condensation are no states.
flx_status flx_massless_linear(flx_io_signals *s, flx_simulation *sim, const flx_state *at,
                               flx_linear_model *out);
