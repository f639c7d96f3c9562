// explicit_method.inc.h - what methods of explicit_rk.h have in common, behind the table `pair` of each.

static int coefficients(const flx_integrator_def *def, flx_coefficients *out)
{
    (void)def;
    return flx_rk_coefficients(&pair, out);
}

static flx_status create(flx_integrator *it)
{
    return flx_rk_create(it, &pair);
}

#define FLX_RK_METHOD                                                                              \
    .settled = 1, .coefficients = coefficients, .create = create, .step = flx_rk_step,             \
    .interpolate = flx_rk_interpolate, .destroy = flx_rk_destroy, .memory = flx_rk_memory
