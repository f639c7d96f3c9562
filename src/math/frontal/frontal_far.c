// frontal_far.c - factors that an engine has: the calls of frontal.h handed on.
#include "math/frontal/frontal_parts.h"

flx_status flx_frontal_create_far(flx_ctx *ctx, const flx_engine *engine, const flx_symmetric *A,
                                  flx_frontal **out)
{
    *out = NULL;
    flx_frontal *f = flx_alloc(ctx, 1, sizeof *f);
    if (!f) return FLX_ERR_MEMORY;
    *f = (flx_frontal){.ctx = ctx, .engine = engine, .n = A->n};
    f->order = flx_alloc(ctx, (size_t)A->n, sizeof *f->order);
    flx_status status = f->order ? engine->create(engine->self, ctx, A, &f->far) : FLX_ERR_MEMORY;
    for (int i = 0; i < A->n && status == FLX_OK; i++) f->order[i] = i;
    if (status != FLX_OK) flx_frontal_destroy(&f);
    *out = f;
    return status;
}

flx_status flx_frontal_factor_far(flx_frontal *f, int nterm, const flx_frontal_term *terms,
                                  bool complex_sum)
{
    flx_status status = f->engine->factor(f->far, nterm, terms, complex_sum, false, &f->report);
    f->factored = status == FLX_OK;
    f->paired = complex_sum;
    return status;
}

flx_status flx_frontal_count_far(flx_frontal *f, double a, const flx_symmetric *A, double b,
                                 const flx_symmetric *B, int *negative)
{
    flx_frontal_report report = {0};
    const flx_frontal_term terms[2] = {{a, A}, {b, B}};
    f->engine->release(f->far);
    flx_status status = f->engine->factor(f->far, B ? 2 : 1, terms, false, true, &report);
    f->factored = false;
    *negative = report.negative;
    return status;
}
