// flexion/optimise.h - parameters for which a run agrees best with measured data, or for which goals are least: what
// `flexion optimise` does.
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
    double slope_error; // of derivatives that are differences of runs, as a part of the largest; 0: they are exact
} flx_fit;

// The names of the parameters of the block `optimise`, NULL when out of range.
FLX_API const char *flx_model_optimised(const flx_model *model, int i);
// What the block says; the model is read with these parameters open. FLX_NO_CONVERGENCE: the best point found is no
// optimum, and out holds it. FLX_ERR_MODEL: no block, no such signal, data outside the run.
FLX_API flx_status flx_fit_find(flx_model *model, const flx_fit_def *def, flx_ctx *ctx,
                                flx_fit *out);
FLX_API void flx_fit_clear(flx_fit *fit);

// ---- goals (`minimise`, `maximise`, `objectives`, with `subject_to`) --------------------------------------

// One evaluation: all numbers that goals and conditions are made of. A row of an earlier search, handed on in
// flx_design_def.known, is not computed again, so that a search that was cut off comes to the same optimum.
typedef struct flx_design_row {
    size_t size;
    int number, nparam, nrow;
    const double *values; // (nparam)
    const double *
        rows; // (nrow) parts of goals, then of conditions, then limits; NaN: this part is not there
    const double *slopes; // (nrow x nparam) NULL: not known
    const char *failed;   // why the run failed; NULL: it did not
} flx_design_row;
// Called by one thread at a time. Non-zero: stop, with the best point so far.
typedef int (*flx_design_callback)(void *user, const flx_design_row *row);

// Begin with flx_design_def_default(), which sets size.
typedef struct flx_design_def {
    size_t size;
    int threads; // 0: one
    int nknown;
    const flx_design_row *known; // (nknown) of an earlier search
    flx_design_callback evaluated;
    void *user;
} flx_design_def;
static inline flx_design_def flx_design_def_default(void)
{
    flx_design_def def;
    memset(&def, 0, sizeof def);
    def.size = sizeof def;
    return def;
}

typedef struct flx_design_parameter {
    const char *name;
    double value, from, to;
    int at_bound; // -1: at the lower one, 1: at the upper one
} flx_design_parameter;

typedef struct flx_design_goal {
    const char *text;
    double value; // as the text has it; of a front: at its first point
    int parts;    // of a largest of several: how many are equal there
} flx_design_goal;

typedef struct flx_design_condition {
    const char *text;
    double value, limit; // what is compared with what: the part to be small first
    double multiplier;   // by how much the goal would fall if the limit were raised by one
    int holds;           // 1: with room, 0: at its limit, -1: not
} flx_design_condition;

typedef struct flx_design {
    int nparam, ngoal, ncondition;
    flx_design_parameter *parameters;
    flx_design_goal *goals;
    flx_design_condition *conditions;
    double
        unbalanced; // gradient that no bound and no condition holds, as a part of the differences met in the search
    int converged;
    const char *why;      // the search ended; what is in the way of an optimum
    int starts, agreeing; // searches, and those that end at this value
    int evaluations, failures;
    const char *failed; // the first run that failed, and where; NULL: none did
    int differences;    // 1: slopes are differences of models read anew
    int npoint;         // of a front
    double *points;     // (npoint x (nparam + ngoal)), by the second goal
    void *memory;       // owned
    double slope_error; // of slopes that are differences of runs, as a part of the largest; 0: they are exact
    const char *idle;   // names of parameters that no goal and no condition depends on; NULL: none
} flx_design;

// Whether the block has goals; their number.
FLX_API int flx_model_goals(const flx_model *model);
// How many numbers a row has, and to what number i belongs: goal k is k, condition k is goals + k, its limit
// goals + conditions + k. FLX_ERR_MODEL: the block has no goals.
FLX_API flx_status flx_design_layout(flx_model *model, flx_ctx *ctx, int most, int *owner,
                                     int *nrow);
// FLX_NO_CONVERGENCE: the best point found is no optimum, and out holds it. FLX_ERR_UNAVAILABLE: built without NLopt.
FLX_API flx_status flx_design_find(flx_model *model, const flx_design_def *def, flx_ctx *ctx,
                                   flx_design *out);
FLX_API void flx_design_clear(flx_design *design);

#ifdef __cplusplus
}
#endif
