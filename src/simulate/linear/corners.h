// corners.h - where one linearises on the equations as they stand, in branches that the switches have there.
#pragma once

#include "simulate/simulation_parts.h"

// A warning names each switch that is about to change at x and has another slope on its other side, or an unknown whose
// row has a corner that no switch knows.
flx_status flx_corners_tell(flx_simulation *sim, const flx_system *s, const flx_state *x);
