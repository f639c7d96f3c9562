// cylinder_core.h - the core of a cylinder or a disc, and the place of it that is nearest to a point. The skin makes a cylinder as
// large as it is said; of a disc the core has no length.
#pragma once

#include "contact/pair.h"

typedef struct flx_cylinder_core {
    v3 middle, axis[3]; // the third is that of the cylinder
    double radius, half, skin;
} flx_cylinder_core;

typedef enum flx_cylinder_part {
    FLX_CYLINDER_SIDE,
    FLX_CYLINDER_END,
    FLX_CYLINDER_RIM
} flx_cylinder_part;

// The nearest place of a core to a point, which may be inside it: out is the direction to the point, distance negative
// inside. Curvature k along e and across.
typedef struct flx_cylinder_foot {
    flx_cylinder_part part;
    v3 place, out, e;
    double distance, k[2];
} flx_cylinder_foot;

flx_cylinder_core flx_cylinder_core_of(const flx_surface *s, const flx_frame *f);
// The distance is a convex function of p, inside too.
flx_cylinder_foot flx_cylinder_nearest(const flx_cylinder_core *c, v3 p);
