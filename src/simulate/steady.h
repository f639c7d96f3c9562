// steady.h - the axes in which the linearised equations of a steady motion have constant coefficients.
//
// In a steady motion every velocity turns with one angular velocity Omega, in ground axes:
//     v' = Omega x v,   (R omega)' = Omega x (R omega)   for every body                   (STEADY-1)
// and so do perturbations: s = exp(Omega~ t) y with y in a system with constant coefficients, whether
// a body turns with these axes or spins about an axis of its own symmetry.
#pragma once

#include "simulate/simulation_parts.h"

// W of (MODE-1) in turn (nv x nv, column-major, zeros before) for a descriptor system at a state
// with consistent accelerations; turning: Omega. *steady: the coefficients are constant indeed; of large
// systems (STEADY-1) alone is tested.
flx_status flx_steady_find(const flx_system *s, const flx_state *x, double *turn, double turning[3],
                           bool *steady);
