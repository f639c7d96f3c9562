// flexion/optimise.h - parameters for which a run agrees best with measured data: what `flexion optimise` does.
#pragma once

#include "flexion/sensitivity.h"

#ifdef __cplusplus
extern "C" {
#endif

// One evaluation, as it is made: the parameters and the sum of squares there (NaN: the run failed, and `failed` says why).
// Non-zero: stop, with the best point so far.
typedef int (*flx_fit_callback)(void *user, int number, int nparam, const double *values,
                                double sum, const char *failed);

// Begin with flx_fit_def_default(), which sets size.
typedef struct flx_fit_def {
    size_t size;
    const double *initial; // (parameters of the block) first guess; NULL: that of the model
    flx_fit_callback evaluated;
    void *user;
} flx_fit_def;
static inline flx_fit_def flx_fit_def_default(void)
{
    flx_fit_def def;
    memset(&def, 0, sizeof def);
    def.size = sizeof def;
    return def;
}

typedef struct flx_fit_parameter {
    const char *name;
    double value, error; // error: standard; NaN: the data do not determine it
    double from, to;
    int at_bound;     // -1: at the lower one, 1: at the upper one
    int undetermined; // non-zero: the data say nothing about it, or about a combination with others
} flx_fit_parameter;

// One measured value and what the run has in its place.
typedef struct flx_fit_point {
    int table; // of the block
    double t, measured, fitted, weight;
    double error; // standard, of the fitted value, by those of the parameters
} flx_fit_point;

typedef struct flx_fit {
    int nparam, npoint;
    flx_fit_parameter *parameters;
    double *correlation; // (nparam x nparam)
    flx_fit_point *points;
    double sum, first_sum; // of weighted squares: at the optimum and at the first guess
    int iterations, evaluations, failures;
    const char *why; // the search ended
    int converged;
    flx_gradient_method method; // of the derivatives
    void *memory;               // owned
} flx_fit;

// The names of the parameters of the block `optimise`, NULL when out of range.
FLX_API const char *flx_model_optimised(const flx_model *model, int i);
// What the block says; the model is read with these parameters open. FLX_NO_CONVERGENCE: the best point found is no
// optimum, and out holds it. FLX_ERR_MODEL: no block, no such signal, data outside the run.
FLX_API flx_status flx_fit_find(flx_model *model, const flx_fit_def *def, flx_ctx *ctx,
                                flx_fit *out);
FLX_API void flx_fit_clear(flx_fit *fit);

#ifdef __cplusplus
}
#endif
