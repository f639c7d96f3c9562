// trapezoidal.c - the trapezoidal rule: Lobatto IIIA with two stages, of which the first is the end of
// the step before.
//
//     z = h/2 (v_n + z'_n+1),   v_n+1 = v_n + h/2 (v'_n + v'_n+1)                           (TR-1)
// Constraints as in lobatto.c. Order 2 in q, v and lambda.
#include "integrate/collocation/collocation.h"

static int trapezoidal_coefficients(const flx_integrator_def *def, flx_coefficients *out)
{
    (void)def;
    return flx_collocation_coefficients(COLLOCATION_LOBATTO_IIIA, 2, out);
}

static flx_status trapezoidal_create(flx_integrator *it)
{
    FLX_TRY(flx_collocation_expect_formulation(it, FLX_FORMULATION_GGL, "ggl"));
    flx_method_of(it)->close = flx_collocation_close_state;
    return flx_collocation_create_lobatto_iiia(it, 2);
}

const flx_integrator_type flx_trapezoidal = {
    .name = "trapezoidal",
    .summary = "trapezoidal rule of order 2, symmetric; constraints in GGL",
    .order = 2,
    .fixed = 1,
    .coefficients = trapezoidal_coefficients,
    .create = trapezoidal_create,
    .step = flx_collocation_step,
    .destroy = flx_collocation_destroy,
    .memory = flx_collocation_memory,
};
