// dopri5.c - the explicit pair of Dormand and Prince, order 5 with error estimate of order 4 and
// dense output of order 4. The engine, and the equations: explicit_rk.c.
// Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.5, II.6.
#include "integrate/explicit/explicit_rk.h"

// clang-format off
static const flx_rk_pair pair = {
    .order = 5,
    .stages = 7,
    .last_is_end = true,
    .error_order = 5,
    .beta = 0.04, // Hairer's choice
    .largest_factor = 10.0,
    .smallest_factor = 0.2,
    .ndense = 4,
    .stability_border = 3.25,
    .c = {0, 1.0/5, 3.0/10, 4.0/5, 8.0/9, 1, 1},
    .a = {
        {0},
        {1.0/5},
        {3.0/40, 9.0/40},
        {44.0/45, -56.0/15, 32.0/9},
        {19372.0/6561, -25360.0/2187, 64448.0/6561, -212.0/729},
        {9017.0/3168, -355.0/33, 46732.0/5247, 49.0/176, -5103.0/18656},
        {35.0/384, 0, 500.0/1113, 125.0/192, -2187.0/6784, 11.0/84},
    },
    .b = {35.0/384, 0, 500.0/1113, 125.0/192, -2187.0/6784, 11.0/84},
    .e = {71.0/57600, 0, -71.0/16695, 71.0/1920, -17253.0/339200, 22.0/525, -1.0/40},
    .d = {{-12715105075.0/11282082432, 0, 87487479700.0/32700410799, -10690763975.0/1880347072,
           701980252875.0/199316789632, -1453857185.0/822651844, 69997945.0/29380423}},
};
// clang-format on

#include "integrate/explicit/explicit_method.inc.h"

const flx_integrator_type flx_dopri5 = {
    .name = "dopri5",
    .summary = "Dormand-Prince 5(4), explicit, with projection to the constraints",
    .order = 5,
    .fixed = 1,
    .adaptive = 1,
    FLX_RK_METHOD,
};
