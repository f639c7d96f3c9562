// quasistatic.h - systems made of a system: the inertia N of some velocities J, its part that the
// others do not carry (the Schur complement of M_JJ), is neglected or multiplied
// (docs/theory/reduction.md).
#pragma once

#include "flexion/extend/system_table.h"

typedef struct flx_quasistatic_how {
    int n;
    const int *J;        // (n) velocities of the base, ascending
    double factor;       // of N; 0: neglected, > 1: fast vibrations become slower
    double mass_damping; // alpha: the base damps J with alpha N v_J, which shall follow the factor
} flx_quasistatic_how;

// Takes the base over, also when it fails. Refuses with FLX_ERR_CANNOT what cannot be reduced.
flx_status flx_quasistatic_create(flx_system *base, const flx_quasistatic_how *how, flx_system **s);

// Accelerations and forces that algebraic unknowns of such a system stand for are as large as the
// stiffness at x makes them: their scales. Before a method is made; any other system stays as it is.
flx_status flx_quasistatic_measure(flx_system *s, const flx_state *x);
// Where these scales are, and how many: of an instance they are one run's own. As before anything was measured.
int flx_quasistatic_scales(flx_system *s, double **at);
void flx_quasistatic_forget_scales(flx_system *s);
