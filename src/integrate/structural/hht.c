// hht.c - Hilber, Hughes and Taylor: Newmark's formulae with forces taken before the end of the step.
//
//     am = 0, af = -alpha, gamma = 1/2 - alpha, beta = (1 - alpha)^2/4,   alpha in [-1/3, 0]
// alpha = 0 is the trapezoidal rule, -1/3 damps most. Earthquake Engineering and Structural Dynamics 5
// (1977) 283-292. The step: structural.h.
#include "integrate/structural/structural.h"

#include <math.h>

#define DEFAULT_ALPHA (-0.05)

static int hht_coefficients(const flx_integrator_def *def, flx_coefficients *out)
{
    double alpha = isnan(def->alpha) ? DEFAULT_ALPHA : def->alpha;
    return flx_structural_coefficients(0.0, -alpha, 0.25 * (1.0 - alpha) * (1.0 - alpha),
                                       0.5 - alpha, out) &&
           alpha <= 0.0 && alpha >= -1.0 / 3.0;
}

static flx_status hht_create(flx_integrator *it)
{
    flx_coefficients c;
    if (!hht_coefficients(&it->def, &c)) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "alpha = %g: that of method 'hht' lies between -1/3 and 0", it->def.alpha);
    }
    return flx_structural_create(it, &c, "an alpha below 0");
}

const flx_integrator_type flx_hht = {
    .name = "hht",
    .summary = "Hilber-Hughes-Taylor: second order on the group, index 3 or GGL, damped by alpha",
    .order = 2,
    .fixed = 1,
    .adaptive = 1,
    .coefficients = hht_coefficients,
    .create = hht_create,
    .step = flx_structural_step,
    .destroy = flx_structural_destroy,
    .memory = flx_structural_memory,
    .meets_touches = 1,
};
