// condensed.h - systems made of a system: some velocities S follow the others by a constant matrix,
// such as that of static condensation (docs/theory/reduction.md).
#pragma once

#include "flexion/extend/system_table.h"

typedef struct flx_condensed_how {
    int n, m;
    const int *S;       // (n) velocities of the base that follow, ascending
    const int *M;       // (m) those that they follow, ascending
    const double *T;    // (n x m) row-major: v_S = T v_M                                (RED-12)
    const double *give; // (n x n) row-major: K_SS^-1
    const double *mass; // (n) typical inertia of S, > 0
} flx_condensed_how;

// Takes the base over, also when it fails. Refuses with FLX_ERR_CANNOT constraints on S.
flx_status flx_condensed_create(flx_system *base, const flx_condensed_how *how, flx_system **s);

// S of a state comes to rest between what it follows, without motion, and takes their velocities; any
// other system leaves it as it is. FLX_NO_CONVERGENCE: no such rest.
flx_status flx_condensed_follow(const flx_system *s, flx_state *x);

// Velocities that follow others in s itself, (returned) ascending; of any other system none.
int flx_condensed_list(const flx_system *s, const int **S);
