// midpoint.c - the implicit midpoint rule, on every system.
//
// Without rigid rows it is Gauss with one stage. Rigid rows hold at the end of the step, with their
// multipliers at its middle:
//     r_v(t_n + h/2, q_n (+) Z, V, 2 (V - v_n)/h, lambda) = 0,   V = B(Z) 2 Z/h
//     q_n+1 = q_n (+) 2 Z,   v* = 2 V - v_n,   rigid rows = 0 at (t_n+1, q_n+1, v*)           (MID-1)
// v* meets the velocity constraints of position constraints to O(h^2) only, and is moved to them in the
// metric of M (ACC-2), along which the multipliers act, too: order 2 in q, v and lambda.
#include "integrate/collocation/collocation.h"

static int midpoint_coefficients(const flx_integrator_def *def, flx_coefficients *out)
{
    (void)def;
    return flx_collocation_coefficients(COLLOCATION_GAUSS, 1, out);
}

static flx_status midpoint_create(flx_integrator *it)
{
    FLX_TRY(flx_collocation_expect_formulation(it, FLX_FORMULATION_INDEX3, "index-3"));
    const collocation_rules rules = {.at_end = true, .settle = true, .keeps = true, .rings = true};
    flx_method_of(it)->close = flx_collocation_close_state;
    return flx_collocation_create_family(it, COLLOCATION_GAUSS, 1, &rules);
}

const flx_integrator_type flx_midpoint = {
    .name = "midpoint",
    .summary = "implicit midpoint rule of order 2, symmetric; constraints at the ends of the steps",
    .order = 2,
    .fixed = 1,
    .coefficients = midpoint_coefficients,
    .create = midpoint_create,
    .step = flx_collocation_step,
    .destroy = flx_collocation_destroy,
    .memory = flx_collocation_memory,
};
