// euler.c - explicit Euler, z_1 = z + h F(t, z), with a fixed step or with error control.
//
// The slope at the end of a step is that at the beginning of the next one, so the difference to
// Heun's rule costs nothing and is the local error of Euler's rule to leading order:
//     e = h (k_end - k_1) / 2 = h^2 z'' / 2 + O(h^3)                                    (DP-5)
// The result is Euler's, not extrapolated. Its steps are many and their errors add up, so that each is
// allowed its part of the time asked for: the error of the run follows the tolerance, and the number of
// steps goes with its inverse. The engine: explicit_rk.c.
#include "integrate/explicit/explicit_rk.h"

static const flx_rk_pair pair = {
    .order = 1,
    .stages = 2,
    .last_is_end = true,
    .error_order = 2,
    .adds_up = true,
    .largest_factor = 2.0, // of order 1, the estimate says little about a much longer step
    .smallest_factor = 0.2,
    .ndense = 3,
    // Held by accuracy, h |lambda| is about the root of the tolerance; held by stability, about 2.
    .stability_border = 1.0,
    .c = {0.0, 1.0},
    .a = {{0.0}, {1.0}},
    .b = {1.0},
    .e = {-0.5, 0.5},
};

#include "integrate/explicit/explicit_method.inc.h"

const flx_integrator_type flx_euler = {
    .name = "euler",
    .summary = "explicit Euler, with projection to the constraints",
    .order = 1,
    .fixed = 1,
    .adaptive = 1,
    FLX_RK_METHOD,
};
