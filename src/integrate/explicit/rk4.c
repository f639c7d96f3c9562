// rk4.c - the classical Runge-Kutta method of order 4, with a fixed step: four slopes per step, those of (DP-1), cubic
// between the ends. It has no error estimate: dopri5 chooses its steps. The engine: explicit_rk.c.
// Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.1.
#include "integrate/explicit/explicit_rk.h"

// clang-format off
static const flx_rk_pair pair = {
    .order = 4,
    .stages = 4,
    .ndense = 3,
    .c = {0, 1.0/2, 1.0/2, 1},
    .a = {
        {0},
        {1.0/2},
        {0, 1.0/2},
        {0, 0, 1},
    },
    .b = {1.0/6, 1.0/3, 1.0/3, 1.0/6},
};
// clang-format on

#include "integrate/explicit/explicit_method.inc.h"

const flx_integrator_type flx_rk4 = {
    .name = "rk4",
    .summary = "classical Runge-Kutta of order 4, explicit, with projection to the constraints",
    .order = 4,
    .fixed = 1,
    FLX_RK_METHOD,
};
