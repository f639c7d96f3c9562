// twin.c - slopes of residuals by parameters, by five-point differences:
//     central:  (r(-2h) - 8 r(-h) + 8 r(h) - r(2h)) / 12 h                        error h^4/30 r'''''
//     one side: (-25 r(0) + 48 r(h) - 36 r(2h) + 16 r(3h) - 3 r(4h)) / 12 h       error h^4/5 r'''''
// The second where the parameter cannot be on one side, as a mass of zero.
#include "system/twin.h"

#include "base/common.h"

#include <math.h>
#include <string.h>

// Relative step, a power of two: what is cut off, 3e-14 of a sine, is less than the rounding, eps/h.
#define STEP 0x1p-10

static const struct {
    int at;
    double weight;
} central[] = {{-2, 1.0}, {-1, -8.0}, {1, 8.0}, {2, -1.0}},
  aside[] = {{0, -25.0}, {1, 48.0}, {2, -36.0}, {3, 16.0}, {4, -3.0}};

void flx_twin_clear(flx_twin *t)
{
    if (t->own && t->work) t->own->ops->work_destroy(t->work);
    flx_system_destroy(&t->own);
    flx_free(t->numbers);
    *t = (flx_twin){0};
}

static flx_status make(const flx_system *s, flx_twin *t)
{
    size_t n = (size_t)flx_dims_unknowns(&s->dims);
    if (t->own) return FLX_OK;
    FLX_TRY(flx_system_instance(s, s->ctx, &t->own));
    t->work = t->own->ops->work_create(t->own);
    t->numbers = flx_alloc(s->ctx, (size_t)(s->dims.nparam + s->nparameter) + n, sizeof(double));
    if (t->work && t->numbers) return FLX_OK;
    flx_twin_clear(t);
    return FLX_ERR_MEMORY;
}

// out += weight r, with the parameter k moved by `by`.
static flx_status add(const flx_system *s, flx_twin *t, const flx_point *at, int k, double by,
                      double weight, double *out)
{
    double *param = t->numbers, *p = param + s->dims.nparam, *r = p + s->nparameter;
    int n = flx_dims_unknowns(&s->dims);
    flx_point moved = *at;
    memcpy(p, s->param + s->first_parameter, (size_t)s->nparameter * sizeof *p);
    p[k] += by;
    FLX_TRY(flx_system_set_parameters(t->own, p));
    // what the point says, but for what follows from parameters
    memcpy(param, t->own->param, (size_t)s->dims.nparam * sizeof *param);
    memcpy(param, at->param, (size_t)s->first_parameter * sizeof *param);
    moved.param = param;
    FLX_TRY(t->own->ops->residual(t->own, t->work, &moved, r));
    for (int i = 0; i < n; i++) out[i] += weight * r[i];
    return FLX_OK;
}

flx_status flx_twin_slope(const flx_system *s, flx_twin *t, const flx_point *at, int k, double *out)
{
    FLX_TRY(make(s, t));
    double p = s->param[s->first_parameter + k], h = STEP;
    int told = flx_ctx_error_count(s->ctx), n = flx_dims_unknowns(&s->dims);
    if (p != 0.0) h *= ldexp(1.0, ilogb(p));
    flx_status status = FLX_OK;
    memset(out, 0, (size_t)n * sizeof *out);
    for (size_t i = 0; i < 4 && status == FLX_OK; i++) {
        status = add(s, t, at, k, central[i].at * h, central[i].weight, out);
    }
    for (int side = 1; side >= -1 && status != FLX_OK && status != FLX_ERR_MEMORY; side -= 2) {
        flx_ctx_forget_errors(s->ctx, told);
        status = FLX_OK;
        memset(out, 0, (size_t)n * sizeof *out);
        for (size_t i = 0; i < 5 && status == FLX_OK; i++) {
            status = add(s, t, at, k, side * aside[i].at * h, side * aside[i].weight, out);
        }
    }
    for (int i = 0; i < n; i++) out[i] /= 12.0 * h;
    return status;
}
