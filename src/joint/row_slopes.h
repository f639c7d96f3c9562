// row_slopes.h - how the second time derivative of a row, G v' + bias, changes where the bodies stand
// elsewhere: its derivative along q (+) theta with v and v' held. Third derivatives of g.
#pragma once

#include "joint/scalar.h"

// Frames have the velocities; a: v', theta: the direction, both over all velocities. dv, da: how v and v'
// change along it, where they follow from positions; NULL: they are held.
typedef struct flx_row_path {
    flx_frames frames;
    const double *a, *theta, *dv, *da;
    const double *switches; // of the point; may be NULL
} flx_row_path;

// Rows as in rows.h, planar points as well; each writes its own.
void flx_row_point_slope(int n, const flx_row_point *r, const flx_row_path *m, double *out);
void flx_row_axis_slope(int n, const flx_row_axis *r, const flx_row_path *m, double *out);

// Of a scalar that constraints are made of; others have none.
double flx_scalar_slope(const flx_scalar *s, const flx_row_path *m);
