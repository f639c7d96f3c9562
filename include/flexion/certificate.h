// flexion/certificate.h - whether the inertia that a model neglects may be neglected: the conditions of
// the theory with their numbers, the error to expect and the error met. What `flexion reduce` does.
#pragma once

#include "flexion/model.h"
#include "flexion/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum flx_verdict {
    FLX_VERDICT_MET,
    FLX_VERDICT_NOT_MET,
    FLX_VERDICT_UNDECIDED // the text says why
} flx_verdict;

typedef struct flx_condition {
    const char *name;
    flx_verdict verdict;
    const char *text; // with its numbers
    int needed;       // 0: of the bound for all times, which the rest does not need
} flx_condition;

// An error of one coordinate, largest as a part of its typical size. NaN: not known.
typedef struct flx_certified_error {
    const char *item, *part; // of the coordinate
    double largest, at;      // after the layer
} flx_certified_error;

// Worst values along the pilot; rates in 1/s. NaN: not known.
typedef struct flx_certificate_numbers {
    double rank;       // smallest singular value of G_I over the largest
    double gap;        // slowest of the fast over the fastest of the rest
    double fast, next; // these two at the place of the smallest gap
    double decay;      // of the boundary layer
    double norm, weighted, condition;
    double beta, gamma, product; // of the bound for all times
    // Of coordinates scaled together: smallest positive eigenvalues of the scaled matrix at the start, how far
    // the first one's eigenvector is from a coordinate, their smallest and largest ratio. Else 0.
    double scaled_first, scaled_second, scaled_distance, scaled_narrowest, scaled_widest;
    double pilot_until, pilot_seconds;
    int points;
    double window, layer; // of the errors: 0 to window, from layer on
    // First-order term of the expansion; met by a run of the full model. Of the rest, and of J.
    flx_certified_error expected, expected_fast, met, met_fast;
    double seconds; // the whole certificate
} flx_certificate_numbers;

typedef struct flx_certificate_def {
    double window; // seconds of the full model; 0: chosen
    long steps;    // of the full model at the most; 0: chosen
} flx_certificate_def;

typedef struct flx_certificate flx_certificate;
// The model must say what to reduce (or `auto`) and how long to run.
FLX_API flx_status flx_certificate_create(const flx_model *model, const flx_certificate_def *def,
                                          flx_certificate **c);
FLX_API void flx_certificate_destroy(flx_certificate **c);
FLX_API const flx_certificate_numbers *flx_certificate_get_numbers(const flx_certificate *c);
// NULL: no more.
FLX_API const flx_condition *flx_certificate_condition(const flx_certificate *c, int i);
// Names of what is reduced, NULL: no more; why `auto` took them, NULL: they were named.
FLX_API const char *flx_certificate_reduced(const flx_certificate *c, int i);
FLX_API const char *flx_certificate_reason(const flx_certificate *c);
// The worst of the needed conditions.
FLX_API flx_verdict flx_certificate_verdict(const flx_certificate *c);

#ifdef __cplusplus
}
#endif
