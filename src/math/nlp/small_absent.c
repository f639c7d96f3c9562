// small_absent.c - small nonlinear programs where the program is built without NLopt.
#include "math/nlp/small_nlp.h"

bool flx_small_nlp_is_there(void)
{
    return false;
}

flx_status flx_small_nlp_solve(flx_ctx *ctx, const flx_small_nlp *p, double *x, const char **why)
{
    (void)p, (void)x;
    *why = "there is no solver";
    return FLX_FAIL(ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
                    "flexion is built without NLopt, which searches for designs: install the "
                    "package " FLX_SMALL_NLP_PACKAGE " and build again");
}
