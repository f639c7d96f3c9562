// accelerate.h - accelerations, multipliers and algebraic unknowns from positions, velocities and
// states (index 1), read through the table of operations alone:
//
//     0 = psi(t,q,v,x,w)                                          -> w
//     lambda_c = (sigma g + tau (G v + g_t)) / C,  mu_e = (A v + b) / E
//     x' = phi
//     [M G^T A^T; G; A] (a, lambda, mu) = (f - ..., gamma)        -> a, lambda, mu    (ACC-1)
//
// Where forces read the multipliers (friction in joints) all of it is solved together, (IDX-1).
#pragma once

#include "base/checkpoint_walk.h"
#include "base/common.h"
#include "flexion/extend/system_table.h"

typedef struct flx_accelerator flx_accelerator;

flx_status flx_accelerator_create(const flx_system *s, flx_accelerator **acc);
void flx_accelerator_destroy(flx_accelerator **acc);
// The numbers of rows read again, none of them held: the system has other parameters.
void flx_accelerator_renew(flx_accelerator *acc);

// Fills w, dx, a, lam, mu of the state; w is the first guess of itself. FLX_SINGULAR where the mass
// matrix does not determine the accelerations, FLX_NO_CONVERGENCE where an iteration fails: the
// state then holds no meaning in these parts. Counts residuals and linearisations where not NULL.
flx_status flx_accelerator_eval(flx_accelerator *acc, flx_work *work, flx_state *x, long *residuals,
                                long *linearisations);

// The same after velocities were moved to the nearest ones, in the metric of M, that meet the constraints
// with C = 0 and the velocity-level constraints with E = 0:
//     v <- v - M^-1 G^T (G M^-1 G^T)^-1 (G v + g_t)                                       (ACC-2)
// The mass matrix is what makes it harmless: forces of constraints act along M^-1 G^T, too.
flx_status flx_accelerator_settle(flx_accelerator *acc, flx_work *work, flx_state *x,
                                  long *residuals, long *linearisations);

// From now on a solve that fails is tried with pivots by size: outside of loops.
void flx_accelerator_insist(flx_accelerator *acc);

// From now on: which compliant rows, (nlam + nmu), count as if they were rigid; NULL: none. Their
// multipliers follow from accelerations, less the rate of the force over the stiffness. Those whose
// spring yields to their damper within h are held as springs, the others as dampers.
void flx_accelerator_hold(flx_accelerator *acc, const bool *held, double h);

// From now on: which compliant rows keep the multipliers of the state; NULL: none. Not where forces
// read multipliers: false.
bool flx_accelerator_keep(flx_accelerator *acc, const bool *kept);

// The linearisation of the last evaluation.
const flx_blocks *flx_accelerator_blocks(const flx_accelerator *acc);

// The unknown whose row was largest when the iteration failed, or whose pivot was smallest.
int flx_accelerator_worst(const flx_accelerator *acc);

// Orders of elimination, and rows that are held (base/checkpoint_walk.h).
void flx_accelerator_memory(flx_accelerator *acc, flx_memory *m);
