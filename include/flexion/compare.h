// flexion/compare.h - two results side by side: how far their common signals are apart. What
// `flexion compare` does.
#pragma once

#include "flexion/results.h"

#ifdef __cplusplus
extern "C" {
#endif

// Differences are taken at the times of the result with fewer rows, from the later start to the
// earlier end; the other one is interpolated where it has no row. docs/theory/results.md.
typedef struct flx_compare_span {
    double from, to;
    int rows;         // times compared
    int at_b;         // they are those of b; else of a
    int interpolated; // of them, times at which the other one has no row
} flx_compare_span;

// One signal. NaN: it has no finite value in both.
typedef struct flx_difference {
    const char *name, *unit; // borrowed from the first result
    double mean;             // of |a - b| over time
    double maximum, at;      // and when
    double size;             // largest |a|
    double doubt;            // what interpolating may have added; 0: nothing was
    int missing;             // times left out: a value is not finite
} flx_difference;

typedef struct flx_compare_def {
    int nsignal; // 0: all common signals
    const char *const *signals;
    double from; // what is earlier is left out
} flx_compare_def;

typedef struct flx_comparison flx_comparison;
// FLX_ERR_ARGUMENT where nothing is common. The results must live as long as the comparison.
FLX_API flx_status flx_compare_results(flx_ctx *ctx, flx_result *a, flx_result *b,
                                       const flx_compare_def *def, flx_comparison **c);
FLX_API void flx_comparison_destroy(flx_comparison **c);
FLX_API const flx_compare_span *flx_comparison_span(const flx_comparison *c);
// NULL: no more. The sum of all |differences| is `sum`, whose unit is "" where units differ.
FLX_API const flx_difference *flx_comparison_get(const flx_comparison *c, int i);
FLX_API const flx_difference *flx_comparison_sum(const flx_comparison *c);
// Signals that only one of the two has.
FLX_API int flx_comparison_left_out(const flx_comparison *c, int of_b);

#ifdef __cplusplus
}
#endif
