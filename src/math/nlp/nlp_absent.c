// nlp_absent.c - nonlinear programs where the program is built without IPOPT.
#include "math/nlp/nlp.h"

bool flx_nlp_is_there(void)
{
    return false;
}

flx_status flx_nlp_solve(flx_ctx *ctx, const flx_nlp *p, double *x, double *eta,
                         flx_nlp_report *report)
{
    (void)p, (void)x, (void)eta;
    *report = (flx_nlp_report){.ended = "there is no solver"};
    return FLX_FAIL(ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
                    "flexion is built without IPOPT, which solves optimal control: install the "
                    "package " FLX_NLP_PACKAGE " and build again");
}
