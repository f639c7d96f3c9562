// sundials_absent.c - the methods on SUNDIALS where the build has none: listed, and refused with what
// to do about it.
#include "integrate/method.h"
#include "integrate/multistep/multistep.h"

static flx_status refuse(flx_integrator *it)
{
    return FLX_FAIL(it->ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
                    "method '%s' is SUNDIALS' and not in this build; install SUNDIALS (Debian: "
                    "libsundials-dev) and build again, or use %s",
                    it->type->name, it->type == &flx_bdf ? "radau" : "dop853");
}

// Never called: nothing is created.
static flx_status step(flx_integrator *it, flx_state *x, double h, double *h_taken)
{
    (void)x, (void)h, (void)h_taken;
    return refuse(it);
}

static void destroy(flx_integrator *it)
{
    it->data = NULL;
}

static int bdf_coefficients(const flx_integrator_def *def, flx_coefficients *out)
{
    (void)def;
    flx_multistep_bdf(5, out);
    return 1;
}

static int adams_coefficients(const flx_integrator_def *def, flx_coefficients *out)
{
    (void)def;
    flx_multistep_adams(12, out);
    return 1;
}

const flx_integrator_type flx_bdf = {
    .name = "bdf",
    .summary = "backward differentiation (SUNDIALS IDA; not in this build)",
    .order = 5,
    .adaptive = 1,
    .coefficients = bdf_coefficients,
    .create = refuse,
    .step = step,
    .destroy = destroy,
};

const flx_integrator_type flx_adams = {
    .name = "adams",
    .summary = "Adams-Moulton (SUNDIALS CVODE; not in this build)",
    .order = 12,
    .adaptive = 1,
    .coefficients = adams_coefficients,
    .create = refuse,
    .step = step,
    .destroy = destroy,
};
