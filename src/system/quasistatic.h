// quasistatic.h - a system made of a system: the inertia of some velocities J is neglected, M_JJ
// replaced by its Schur expression (docs/theory/reduction.md).
#pragma once

#include "flexion/system.h"

// Takes the base over, also when it fails. J: velocities of the base, ascending. Refuses with
// FLX_ERR_CANNOT what cannot be reduced.
flx_status flx_quasistatic_create(flx_system *base, int n, const int *J, flx_system **s);

// The base of such a system, with the workspace and the state as the base sees them (multipliers
// are those of the reactions); any other system is its own. x: a copy by value that shares arrays.
const flx_system *flx_quasistatic_base(const flx_system *s, flx_work **w, flx_state *x);
