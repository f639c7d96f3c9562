// given_velocities.h - what the least change of velocities at a start has to know of a model (theory/start.md).
#pragma once

// y v = value over n velocities from `first` on, all of one block; weight: mass or inertia, 0: none.
typedef struct flx_given_row {
    int first, n;
    double y[6], value, weight;
} flx_given_row;

// Velocities of deformable bodies that move as rigid ones: v = P u with u = (v, omega) of the carrier.
#define FLX_RIDE 6
enum { FLX_RIDES_ITSELF = -1, FLX_RIDES_HELD = -2 };
typedef struct flx_rides {
    int n;        // velocities that ride or are held; 0: nothing is deformable
    int *carrier; // (nv) owned; the block of the first node, or one of the above
    double *P;    // (nv x 6) owned
} flx_rides;
