// added_mass.h - systems made of a system: constant inertia added to some velocities, such as that
// which lowers the frequencies of fast vibrations (docs/theory/reduction.md).
#pragma once

#include "flexion/extend/system_table.h"

typedef struct flx_added_mass {
    int n;
    const int *J;        // (n) velocities of the base, ascending
    const double *mass;  // (n x n) symmetric, not negative
    double mass_damping; // alpha: what is added is damped with alpha times its momentum
} flx_added_mass;

// Takes the base over, also when it fails.
flx_status flx_added_mass_create(flx_system *base, const flx_added_mass *how, flx_system **s);

// The inertia that lowers all frequencies of J alone above `frequency` (Hz) to it (RED-11), at the
// position of x without motion and load. mass: (n x n). *raised: how many; 0: mass is zero.
flx_status flx_cutoff_find(const flx_system *s, const flx_state *x, int n, const int *J,
                           double frequency, double *mass, int *raised);
