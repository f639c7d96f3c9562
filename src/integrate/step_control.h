// step_control.h - what methods that choose their steps share.
#pragma once

#include "integrate/method.h"

// The step h made to fit into what is left, h_most: no crumbs at the end.
double flx_step_fit(double h, double h_most);

// How many steps like that of h from t have errors that add up, for methods of order 1, whose steps are
// many: those of the time asked for, but no more than of some times that since the motion began anew.
// After a jump fast motions die out, and with them the errors made in them; what is slow keeps its
// errors, the sum of which over a time T is at most ln(T/h)/4 times the tolerance.
double flx_step_count(flx_integrator *it, double t, double h);

// The smallest step worth trying at time t.
double flx_step_smallest(double t, double h_most);

// The end of the attempts: the trouble of the last one (FLX_OK: its error) with other advice.
flx_status flx_step_give_up(flx_integrator *it, flx_status last);
