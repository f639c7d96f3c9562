// turned.h - systems made of a system: some velocities in other coordinates, v = T v^, with a constant T.
#pragma once

#include "flexion/system.h"

#define FLX_TURNED_MOST 64 // velocities

typedef struct flx_turned_how {
    int n;
    const int *E; // (n) velocities of the base, ascending, whose positions are plain numbers
    const double *T, *inverse; // (n x n) column-major
} flx_turned_how;

// Takes the base over, also when it fails. FLX_ERR_CANNOT: too many, or positions that are no numbers.
flx_status flx_turned_create(flx_system *base, const flx_turned_how *how, flx_system **s);
