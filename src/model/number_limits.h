// number_limits.h - what numbers of a model may be, where parameters that are set give them other values: as when it is read.
#pragma once

#include "model/model_data.h"

typedef enum flx_must_be {
    FLX_FINITE,
    FLX_NOT_NEGATIVE,
    FLX_POSITIVE,
    FLX_NOT_ZERO,
    FLX_POISSON,         // of a body
    FLX_POISSON_CONTACT, // of a surface, which may be incompressible
    FLX_PART,            // 0 to 1
    FLX_ONE_OR_MORE,
} flx_must_be;

bool flx_number_may_be(flx_must_be be, double x); // x is finite
const char *flx_number_must(flx_must_be be);      // "be positive"

// Numbers that belong together: friction that sticks and that slides, lower and upper limits.
flx_status flx_numbers_check_pairs(const flx_model *own);
