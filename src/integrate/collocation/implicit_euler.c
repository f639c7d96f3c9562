// implicit_euler.c - implicit Euler: Radau IIA with one stage, and nothing else.
//
//     q_n+1 = q_n (+) h u,  u = v_n+1 - S^2 G^T eta,   v_n+1 = v_n + h v'_n+1,   r(t_n+1, ...) = 0   (IE-1)
// Order 1, L-stable, every index. With error control the estimate is (COL-9) for one stage,
// h/2 of what the rates change over the step, filtered. Each step is allowed its part of the time asked
// for: their errors add up to that of the run, and their number goes with the inverse of the tolerance.
#include "integrate/collocation/collocation.h"

static int implicit_euler_coefficients(const flx_integrator_def *def, flx_coefficients *out)
{
    (void)def;
    return flx_collocation_coefficients(COLLOCATION_RADAU_IIA, 1, out);
}

static flx_status implicit_euler_create(flx_integrator *it)
{
    FLX_TRY(flx_collocation_refuse_index1(it));
    const collocation_rules rules = {.ggl = it->def.formulation != FLX_FORMULATION_INDEX3};
    return flx_collocation_create_family(it, COLLOCATION_RADAU_IIA, 1, &rules);
}

const flx_integrator_type flx_implicit_euler = {
    .name = "implicit-euler",
    .summary = "implicit Euler: order 1, damps everything, index 3 or GGL",
    .order = 1,
    .fixed = 1,
    .adaptive = 1,
    .coefficients = implicit_euler_coefficients,
    .create = implicit_euler_create,
    .step = flx_collocation_step,
    .interpolate = flx_collocation_interpolate,
    .destroy = flx_collocation_destroy,
    .memory = flx_collocation_memory,
};
