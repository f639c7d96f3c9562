// variational.c - the discrete Lagrangian with one parameter.
//
//     L_d = h L((1 - alpha) q_0 + alpha q_1, (q_1 - q_0)/h)                               (VAR-7)
//     p_0 = M (q_1 - q_0)/h - (1 - alpha) h F,   p_1 = M (q_1 - q_0)/h + alpha h F
// Order 1, and 2 for alpha = 1/2: the midpoint rule. alpha = 0 and 1 are the two symplectic Eulers.
#include "integrate/variational/discrete_lagrangian.h"

#include <math.h>
#include <string.h>

#define DEFAULT_ALPHA 0.5

static double alpha_of(const flx_integrator_def *def)
{
    return isnan(def->alpha) ? DEFAULT_ALPHA : def->alpha;
}

static flx_status variational_create(flx_integrator *it)
{
    discrete_rule rule;
    if (!flx_discrete_rule_point(alpha_of(&it->def), &rule)) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "alpha = %g: that of method 'variational' lies between 0 and 1",
                        it->def.alpha);
    }
    return flx_discrete_create(it, &rule);
}

static int variational_coefficients(const flx_integrator_def *def, flx_coefficients *out)
{
    double alpha = alpha_of(def);
    memset(out, 0, sizeof *out);
    if (!(alpha >= 0.0 && alpha <= 1.0)) return 0;
    out->scheme = FLX_SCHEME_RUNGE_KUTTA;
    out->s = 1;
    out->A[0][0] = out->c[0] = alpha;
    out->A_v[0][0] = 1.0 - alpha;
    out->b[0] = 1.0;
    return 1;
}

const flx_integrator_type flx_variational = {
    .name = "variational",
    .summary =
        "variational with one parameter: conserves momenta to machine precision, energy bounded",
    .order = 2,
    .fixed = 1,
    .adaptive = 0,
    .coefficients = variational_coefficients,
    .create = variational_create,
    .step = flx_discrete_step,
    .interpolate = flx_discrete_interpolate,
    .destroy = flx_discrete_destroy,
    .memory = flx_discrete_memory,
};
