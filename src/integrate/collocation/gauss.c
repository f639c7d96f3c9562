// gauss.c - Gauss-Legendre collocation of order 2s: symmetric, and symplectic where M is constant.
//
// The last stage is not the end of the step:
//     q_n+1 = q_n (+) sum_j d_j Z_j,   v_n+1 = v_n + sum_j d_j (V_j - v_n),   d^T = b^T A^-1   (GAU-1)
// and what is not in (q, v, x) follows from them at the end. R(infinity) = +-1: what is stiff is not
// damped, and the forces of rigid rows do not converge; such systems are refused. Compliant constraints are
// of index 1 and taken.
#include "integrate/collocation/collocation.h"

#define DEFAULT_STAGES 3

static int gauss_stages(const flx_integrator_def *def)
{
    return def->stages ? def->stages : DEFAULT_STAGES;
}

static int gauss_coefficients(const flx_integrator_def *def, flx_coefficients *out)
{
    return flx_collocation_coefficients(COLLOCATION_GAUSS, gauss_stages(def), out);
}

static flx_status gauss_create(flx_integrator *it)
{
    int s = gauss_stages(&it->def);
    if (s < 1 || s > COLLOCATION_STAGES) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "stages = %d: method 'gauss' has 1 to %d stages", s, COLLOCATION_STAGES);
    }
    FLX_TRY(flx_collocation_refuse_rigid(it,
                                         "its forces would not converge. Method 'galerkin' takes "
                                         "constraints and keeps what gauss keeps, 'radau' takes "
                                         "them and damps"));
    const collocation_rules rules = {.settle = true, .keeps = true, .rings = true};
    return flx_collocation_create_family(it, COLLOCATION_GAUSS, s, &rules);
}

const flx_integrator_type flx_gauss = {
    .name = "gauss",
    .summary = "Gauss-Legendre collocation of order 2s, symmetric; without constraints",
    .order = 6,
    .fixed = 1,
    .adaptive = 1,
    .coefficients = gauss_coefficients,
    .create = gauss_create,
    .step = flx_collocation_step,
    .interpolate = flx_collocation_interpolate,
    .destroy = flx_collocation_destroy,
    .memory = flx_collocation_memory,
};
