// quadratic_balance.c - how far forces are from balance where the equations are linearised at rest (quadratic.h).
#include "analyse/modes/quadratic.h"
#include "analyse/rest.h"
#include "base/common.h"

#include <float.h>
#include <math.h>

// The largest of what is left over, once in parts of its rounding, once as work by moves of the scales, where it is nearly
// nothing.
static void weigh(const flx_quadratic *q, const flx_rest *e, const double *sizes, double *unbalance,
                  double *work)
{
    for (int i = 0; i < q->nv; i++) {
        double left = fabs(e->r[i]), rounding = DBL_EPSILON * sizes[i];
        if (e->residual <= FLX_REST_NEARLY) *work = fmax(*work, left * q->scale[i]);
        if (left > *unbalance * rounding) *unbalance = rounding > 0.0 ? left / rounding : HUGE_VAL;
    }
}

flx_status flx_quadratic_balance(const flx_quadratic *q, const flx_state *x, double *sizes,
                                 double *unbalance, double *work)
{
    const flx_system *s = q->s;
    flx_rest e = {0};
    for (int i = 0; i < s->dims.nv; i++) {
        if (x->v[i] != 0.0) return FLX_OK;
    }
    int errors = flx_ctx_error_count(s->ctx);
    flx_state *rest = NULL;
    flx_status status = flx_rest_create(s, &e);
    if (status == FLX_OK) status = flx_state_create(s, &rest);
    if (status == FLX_OK) {
        flx_state_copy(rest, x);
        flx_rest_stop(s, rest);
        status = flx_rest_measure(&e, rest);
    }
    if (status == FLX_OK) {
        flx_quadratic_multiply_sizes(q, 0, q->scale, sizes);
        weigh(q, &e, sizes, unbalance, work);
    }
    flx_state_destroy(&rest);
    flx_rest_destroy(&e);
    flx_ctx_forget_errors(s->ctx, errors);
    return status == FLX_ERR_MEMORY ? status : FLX_OK;
}
