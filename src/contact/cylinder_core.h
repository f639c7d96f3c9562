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

// The same on its side, or on the end that is nearer, wherever p is.
flx_cylinder_foot flx_cylinder_nearest_on(const flx_cylinder_core *c, v3 p, flx_cylinder_part part);

// A sharp edge, by a number s of its places: middle + s e[0], or with a radius middle + radius (cos s e[0] + sin s e[1]).
typedef struct flx_edge_curve {
    v3 middle, e[2];
    double radius;
} flx_edge_curve;
// From its place *s where it is nearest to the cylinder: where it meets the rim, if it does, within `reach` of s; else the foot of
// that place.
flx_cylinder_foot flx_cylinder_meet(const flx_cylinder_core *c, const flx_edge_curve *e,
                                    double reach, double *s);

// Sine of the angle up to which what lies on an end, or along a side, may tilt there.
#define FLX_CYLINDER_LEANS 0.1
// Of a straight edge that lies on an end, or is over it: the first or the second place where it crosses the rim. false: there is none,
// of both.
bool flx_cylinder_bridges(const flx_cylinder_core *c, const flx_edge_curve *e, bool second,
                          double *s, flx_cylinder_foot *f);
// Where a straight edge crosses the rim of the end towards `up`, from its place *s on.
bool flx_cylinder_at_rim(const flx_cylinder_core *c, const flx_edge_curve *e, v3 up, double *s,
                         flx_cylinder_foot *f);

// Of an axis a without radius, such as that of a capsule or an edge: where it is nearest to b, as a distance x from its middle.
double flx_cylinder_nearest_of_axis(const flx_cylinder_core *a, const flx_cylinder_core *b);
// Whether it lies along the side of b, or over an end: the first or the second end of the part that does, which takes the place of the
// nearest one; *lies: it does, false: but what lies has no such end.
bool flx_cylinder_bears(const flx_cylinder_core *b, const flx_cylinder_core *a, bool second,
                        bool *lies, double *x, flx_cylinder_foot *f);
// The touch of its place x, with its skin round it, as the first; f: the place of b nearest to that.
void flx_cylinder_put_axis(const flx_cylinder_core *a, double x, const flx_cylinder_core *b,
                           const flx_cylinder_foot *f, flx_touch *out);
