// index1.h - accelerations, algebraic unknowns and multipliers together, where forces or equations
// read the multipliers: Newton's iteration with
//
//     [ M        .   -f_w    G^T - f_l   A^T - f_m ]  da
//     [ .        I    .       .           .        ]  dx
//     [ .        .   psi_w   psi_l       psi_m     ]  dw                       (IDX-1)
//     [ G        .    .       .           .        ]  dl    C = 0; C > 0: its own row by w, l, m
//     [ A        .    .       .           .        ]  dm
// filled from the three parts of a tangent on its pattern, or, where the system has factors of its own, its Newton
// matrix with weights of rates and positions that vanish in the rounding. Columns of states are zero but for the
// identity: x' follows when the rest is known. The table of operations is all that is asked.
#pragma once

#include "base/checkpoint_walk.h"
#include "flexion/extend/system_table.h"

#include <stdbool.h>

typedef struct flx_index1 flx_index1;

flx_status flx_index1_create(const flx_system *s, flx_index1 **m);
void flx_index1_destroy(flx_index1 **m);
// The numbers of rows read again, none of them held: the system has other parameters.
void flx_index1_renew(flx_index1 *m);

// From now on: which compliant rows, (nlam + nmu), count as such; the others as if they were rigid. yield (nlam): the
// rates sigma/tau, or 0 where the damper is left out.
void flx_index1_hold(flx_index1 *m, const bool *soft, const double *yield);

// The unknown whose last correction was largest, against those of its kind.
int flx_index1_worst(const flx_index1 *m);

// Improves a, w, lam and mu of the state, which are its guess, until the equations are met, and sets
// dx. FLX_SINGULAR, FLX_NOT_FINITE, FLX_NO_CONVERGENCE: the state then holds no meaning there.
flx_status flx_index1_solve(flx_index1 *m, flx_work *work, flx_state *x, long *residuals,
                            long *linearisations);

// What the next solution takes over (base/checkpoint_walk.h).
void flx_index1_memory(flx_index1 *m, flx_memory *memory);
