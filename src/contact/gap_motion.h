// gap_motion.h - how the normal and the two places of a point move when the bodies do (CON-4).
#pragma once

#include "contact/pair.h"

typedef struct flx_touch_motion {
    double U[2][6], V[2][6]; // along t_1, t_2; over the motions of the body
} flx_touch_motion;

// nu = N[0] w + N[1] a_1 + N[2] a_2, each 2 x 2 row-major in the tangents, and so the y of both surfaces: w is the
// displacement of the second's place less that of the first's, a_i the turn of the normal with body i.
typedef struct flx_shift_maps {
    double nu[3][4], y[2][3][4];
} flx_shift_maps;

void flx_shift_maps_find(const flx_touch *touch, const v3 t[2], flx_shift_maps *out);
