// newmark.c - Newmark's formulae as they are: am = af = 0, beta and gamma given.
//
// gamma = 1/2 alone is of second order; more damps, less grows. beta >= gamma/2 is stable for every
// step. Journal of the Engineering Mechanics Division 85 (1959) 67-94. The step: structural.h.
#include "integrate/structural/structural.h"

#include <math.h>

#define DEFAULT_BETA 0.25
#define DEFAULT_GAMMA 0.5

static int newmark_coefficients(const flx_integrator_def *def, flx_coefficients *out)
{
    double beta = isnan(def->beta) ? DEFAULT_BETA : def->beta;
    double gamma = isnan(def->gamma) ? DEFAULT_GAMMA : def->gamma;
    return flx_structural_coefficients(0.0, 0.0, beta, gamma, out) && gamma >= 0.5 &&
           gamma <= 1.0 && beta <= 0.5;
}

static flx_status newmark_create(flx_integrator *it)
{
    flx_coefficients c;
    if (!newmark_coefficients(&it->def, &c)) {
        return FLX_FAIL(
            it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
            "beta = %g, gamma = %g: method 'newmark' takes beta above 0, at most 1/2, and "
            "gamma from 1/2 (second order) to 1; below 1/2 every motion grows",
            c.beta, c.gamma);
    }
    FLX_TRY(flx_structural_create(it, &c, "a gamma above 0.5"));
    const structural *g = it->data;
    if (g->npos > 0 && 2.0 * c.beta < c.gamma) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "method 'newmark' with beta = %g below gamma/2 is not stable with joints: "
                        "take beta = %g, or method 'generalized-alpha'",
                        c.beta, 0.25 * (c.gamma + 0.5) * (c.gamma + 0.5));
    }
    return FLX_OK;
}

const flx_integrator_type flx_newmark = {
    .name = "newmark",
    .summary = "Newmark's beta and gamma on the group, index 3 or GGL",
    .order = 2,
    .fixed = 1,
    .adaptive = 1,
    .coefficients = newmark_coefficients,
    .create = newmark_create,
    .step = flx_structural_step,
    .destroy = flx_structural_destroy,
    .memory = flx_structural_memory,
    .meets_touches = 1,
};
