// linear_states.h - signals in the place of the states of a linear model.
//
//     y = S z,   y' = (S A + S') z + S B u,   z = P y + N n,   S P = 1,  S N = 0               (STATE-4)
//
// n is what the signals do not see. The quotient is exact where (S A + S') N = 0 and C N = 0.
#pragma once

#include "base/common.h"
#include "flexion/linear.h"

typedef struct flx_linear_signals {
    int n;
    const double *S;          // (n x model's n) by rows
    const double *S_rate;     // the same; NULL: zero, nothing moves
    const double *by_input;   // (n x nin): what inputs do to them at once, which must be zero
    const int *numbers;       // (n) outputs of the system
    const char *const *names; // (n)
    const char *const *inputs, *const *outputs; // names
} flx_linear_signals;

// In place; new arrays are those of `arena`. FLX_ERR_CANNOT names what is missing.
flx_status flx_linear_take_signals(flx_ctx *ctx, flx_arena *arena, const flx_linear_signals *by,
                                   flx_linear_model *model);
