// slope_error.c - see slope_error.h.
#include "optimise/slope_error.h"

#include <math.h>

flx_status flx_slope_error_make(flx_arena *arena, int nvalue, flx_slope_error *e)
{
    e->n = nvalue;
    e->error = flx_arena_take(arena, 2 * (size_t)nvalue + 1, sizeof *e->error);
    e->slope = e->error + nvalue;
    return e->error ? FLX_OK : FLX_ERR_MEMORY;
}

void flx_slope_error_take(flx_slope_error *e, const flx_gradient *g, const double *scale)
{
    for (int i = 0; i < e->n && i < g->nvalue; i++) {
        for (int k = 0; k < g->nparam; k++) {
            double error = fabs(flx_gradient_error(g, i, k) * scale[k]);
            e->error[i] = fmax(e->error[i], error);
            e->slope[i] = fmax(e->slope[i], fabs(g->slope[i * g->nparam + k] * scale[k]));
        }
    }
}

double flx_slope_error_largest(const flx_slope_error *e)
{
    double most = 0.0;
    for (int i = 0; i < e->n; i++) {
        if (e->slope[i] > 0.0) most = fmax(most, e->error[i] / e->slope[i]);
    }
    return most;
}
