// linear_check.h - how near a linear model is to the equations that it is of.
#pragma once

#include "simulate/analyses/io_signals.h"

typedef struct flx_linear_check {
    bool known; // the state is at rest, and there are inputs, outputs and a response
    double
        off; // the largest difference of responses, as a part of the largest response of its pair
    int output, input;
} flx_linear_check;

// C (s - A)^-1 B + D + .. against (FRQ-1), at frequencies among those of its poles. What cannot be compared is not known.
flx_status flx_linear_check_response(flx_simulation *sim, const flx_io_keys *keys,
                                     const flx_state *at, const flx_linear_model *m,
                                     flx_linear_check *out);
// A warning, where it is far off.
void flx_linear_check_tell(flx_simulation *sim, const flx_io_signals *s, const flx_linear_check *c);
