// flexion/sample.h - what a sample of runs says: means, quantiles, and which parameter the variance comes from.
//
// Values of runs that failed are NaN: they are counted, and left out. docs/theory/optimisation.md has the estimators.
#pragma once

#include "flexion/model.h"

#ifdef __cplusplus
extern "C" {
#endif

// What `sample` of the block `sweep` says.
typedef enum flx_sample_report {
    FLX_SAMPLE_MEAN = 1,
    FLX_SAMPLE_DEVIATION = 2,
    FLX_SAMPLE_QUANTILES = 4,
    FLX_SAMPLE_INDICES = 8,
} flx_sample_report;
typedef struct flx_sample_info {
    int rows;   // of the sample; runs are rows times (parameters + 2) where indices are asked for
    int report; // flx_sample_report, a sum
    unsigned seed; // of the sample
} flx_sample_info;
// 0: the sweep is none, or a grid.
FLX_API int flx_model_sweep_sample(const flx_model *model, flx_sample_info *out);

#define FLX_SAMPLE_QUANTILE_COUNT 5 // 2.5, 25, 50, 75 and 97.5 per cent
typedef struct flx_sample_summary {
    int n, failed;
    double mean, deviation;
    double mean_error; // of the mean, standard
    double quantiles[FLX_SAMPLE_QUANTILE_COUNT];
} flx_sample_summary;
// FLX_ERR_MEMORY.
FLX_API flx_status flx_sample_summarise(flx_ctx *ctx, int n, const double *y,
                                        flx_sample_summary *out);

// First-order and total index of one parameter, each with an interval that holds it in 95 of 100 samples (bootstrap).
typedef struct flx_sample_index {
    double first, first_low, first_high;
    double total, total_low, total_high;
} flx_sample_index;
// y (rows (n + 2)): of the runs in the order of the sweep. index (n). Rows of which one run failed are left out: *failed.
FLX_API flx_status flx_sample_indices(flx_ctx *ctx, int rows, int n, const double *y, unsigned seed,
                                      flx_sample_index *index, int *failed);

#ifdef __cplusplus
}
#endif
