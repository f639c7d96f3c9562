// step_control.h - what methods that choose their steps share.
#pragma once

#include "integrate/method.h"

// The step h made to fit into what is left, h_most: no crumbs at the end.
double flx_step_fit(double h, double h_most);

// The smallest step worth trying at time t.
double flx_step_smallest(double t, double h_most);

// The end of the attempts: the trouble of the last one (FLX_OK: its error) with other advice.
flx_status flx_step_give_up(flx_integrator *it, flx_status last);
