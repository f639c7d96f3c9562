// beam_relax.h - the shape of a beam that is longer than the distance of its ends.
#pragma once

#include "base/base.h"

typedef struct flx_beam_slack {
    int nelement;
    const double *lengths; // (nelement)
    double chord;          // distance of the ends, along the first axis
    double EA, EI, mass;   // mass of a length
    double g[2];           // gravity along the chord and across it
} flx_beam_slack;

// Places of the nodes (nelement + 1, 2) from the origin, and their derivatives along the unstressed line; without
// weight it bulges to the negative side.
flx_status flx_beam_relax(flx_ctx *ctx, const flx_beam_slack *b, double *place, double *tangent);
