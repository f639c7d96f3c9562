// stiff_constraints.h - constraints that are compliant, and yet too stiff for the step.
//
// A constraint sigma g + tau (G v + g_t) = C lambda on masses M moves by itself at the rates
//     omega^2 = sigma m / C,   1/T = tau m / C,   m = G M^-1 G^T                           (STF-1)
// (a velocity-level constraint at A M^-1 A^T / E). Methods with |R(infinity)| = 1 do not damp such a motion where
// the step is longer: positions are well, but the force, which is their error over C, is not. At the
// end of their steps strong dampers therefore are held as if they were rigid: velocities are moved
// to (G v + g_t) tau = C lambda - sigma g with lambda of the stages, and the multipliers follow from the
// accelerations of the constraint, d/dt(sigma g + tau (G v + g_t)) = 0. Stiff springs, whose positions
// ring, are told of.
#pragma once

#include "base/checkpoint_walk.h"
#include "integrate/method.h"

typedef struct flx_stiff_constraints {
    int n;                   // constraints and velocity-level constraints, nlam + nmu
    int nsoft, nheld;        // compliant ones; those held
    double *spring, *damper; // (n) sigma/C and tau/C, 1/E of velocity-level constraints; 0: rigid
    double *mobility;        // (n) m of the linearisation
    bool *held;              // (n)
    void *block;             // of the arrays
} flx_stiff_constraints;

flx_status flx_stiff_constraints_create(const flx_system *s, flx_stiff_constraints *b);
void flx_stiff_constraints_destroy(flx_stiff_constraints *b);

// After a linearisation: the mobilities, with the diagonal of M; mass (nv) is scratch.
void flx_stiff_constraints_measure(flx_stiff_constraints *b, const flx_system *s,
                                   const flx_blocks *blocks, double *mass);

// Which ones the end of a step h holds.
void flx_stiff_constraints_hold(flx_stiff_constraints *b, double h);

// Which ones are so stiff for a step h that positions do not tell their forces.
void flx_stiff_constraints_hold_unfollowed(flx_stiff_constraints *b, double h);

// For methods that do not damp: a warning, once, that names the stiffest constraint where the step h is
// too long for it and it is not held.
void flx_stiff_constraints_warn(flx_integrator *it, const flx_stiff_constraints *b, double h);

// After Newton's iteration has failed: advice, where a force of the system, in a constraint or not, is out
// of reach for steps near h.
void flx_stiff_constraints_advise(flx_integrator *it, const flx_stiff_constraints *b,
                                  const flx_blocks *blocks, double h);

// Mobilities, and which ones are held (base/checkpoint_walk.h).
void flx_stiff_constraints_memory(flx_stiff_constraints *b, flx_memory *m);
