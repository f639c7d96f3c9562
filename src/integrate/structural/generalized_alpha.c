// generalized_alpha.c - generalized-alpha: second order, with chosen damping of high frequencies.
//
//     am = (2 rho - 1)/(rho + 1), af = rho/(rho + 1), gamma = 1/2 + af - am,
//     beta = (gamma + 1/2)^2/4
// with rho the spectral radius at infinity. Chung, Hulbert, Journal of Applied Mechanics 60 (1993)
// 371-375. The step: structural.h.
#include "integrate/structural/structural.h"

#define DEFAULT_RADIUS 0.8

static int alpha_coefficients(const flx_integrator_def *def, flx_coefficients *out)
{
    double rho = def->spectral_radius < 0.0 ? DEFAULT_RADIUS : def->spectral_radius;
    double am = (2.0 * rho - 1.0) / (rho + 1.0), af = rho / (rho + 1.0), gamma = 0.5 + af - am;
    return flx_structural_coefficients(am, af, 0.25 * (gamma + 0.5) * (gamma + 0.5), gamma, out) &&
           rho <= 1.0;
}

static flx_status alpha_create(flx_integrator *it)
{
    flx_coefficients c;
    if (!alpha_coefficients(&it->def, &c)) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "spectral_radius = %g: it lies between 0 and 1", it->def.spectral_radius);
    }
    return flx_structural_create(it, &c, "a spectral_radius below 1");
}

const flx_integrator_type flx_generalized_alpha = {
    .name = "generalized-alpha",
    .summary = "second order on the group, index 3 or GGL, with chosen damping of high frequencies",
    .order = 2,
    .fixed = 1,
    .adaptive = 1,
    .coefficients = alpha_coefficients,
    .create = alpha_create,
    .step = flx_structural_step,
    .destroy = flx_structural_destroy,
    .memory = flx_structural_memory,
    .meets_touches = 1,
};
