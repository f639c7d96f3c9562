// rotated.h - systems made of a system: some velocities in other coordinates, v = T v^, with a constant T.
#pragma once

#include "flexion/extend/system_table.h"

#define FLX_ROTATED_MOST 64 // velocities

typedef struct flx_rotated_how {
    int n;
    const int *E; // (n) velocities of the base, ascending, whose positions are plain numbers
    const double *T, *inverse; // (n x n) column-major
} flx_rotated_how;

// Takes the base over, also when it fails. FLX_ERR_CANNOT: too many, or positions that are no numbers.
flx_status flx_rotated_create(flx_system *base, const flx_rotated_how *how, flx_system **s);
