// relax_parts.h - what the limits of positions share with those of velocities and accelerations.
#pragma once

#include "integrate/newton_matrix.h"
#include "integrate/relax.h"

// Steps are tried that are shorter by this, so many times at most.
#define FLX_RELAX_SHORTER 0.1
#define FLX_RELAX_MOST_SHORTER 5

// The limit from values at d, d/2 and d/4.
extern const double flx_relax_share[3];

struct flx_relaxer {
    const flx_system *sys; // borrowed, as the workspace
    flx_work *work;        // of the call
    flx_blocks blocks;
    flx_linear *lin;
    flx_state *end[3], *middle;       // of steps d, d/2 and d/4; after the first of two
    flx_state *limit[3];              // ... and limits of longer and shorter ones
    double *r, *theta, *scale, *rate; // (n) (nv) (n) (nlam)
    double last;                      // d of the last factors
    double unit;                      // of d, of the time that t is in
    bool *on_position;                // (nlam)
    double *sigma;                    // (nlam)
};

static inline flx_weights flx_relax_weights(double d)
{
    return (flx_weights){.c0 = 1.0, .c1 = 1.0 / d, .c2 = 1.0 / (d * d), .cx = 1.0 / d};
}
