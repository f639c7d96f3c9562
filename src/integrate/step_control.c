// step_control.c - what methods that choose their steps share.
#include "integrate/step_control.h"

#include <float.h>
#include <math.h>

// Errors are kept in mind for so many times the time that has gone by since the motion began anew.
#define MEMORY 4.0

double flx_step_fit(double h, double h_most)
{
    if (h >= h_most * (1.0 - 1e-3)) return h_most;
    return h > 0.5 * h_most ? 0.5 * h_most : h;
}

double flx_step_count(flx_integrator *it, double t, double h)
{
    const flx_method *m = flx_method_of(it);
    return fmax(1.0, fmin(m->span, MEMORY * (t + h - m->begin)) / h);
}

double flx_step_smallest(double t, double h_most)
{
    return 16.0 * DBL_EPSILON * fmax(fabs(t), h_most);
}

flx_status flx_step_give_up(flx_integrator *it, flx_status last)
{
    if (last != FLX_OK) { // the trouble of the iteration stands, with other advice
        flx_method_of(it)->trouble.advice =
            "larger tolerances, or look for a jump in a force at this time";
        return last;
    }
    return flx_method_fail(it, FLX_STEP_TOO_SMALL, -1, 0.0, 0, "the step became too small",
                           "larger tolerances, and look for a jump in a force");
}
