// outline.h - plane curves as data: cells of equal parameter, each a polynomial of fifth degree in u = 0..1 that has the
// place and two derivatives of the given curve at both ends; so the curve is C2. The body lies to its left as the parameter
// grows (side = 1) or to its right (-1): of a closed curve inside, or outside as of a hollow.
#pragma once

#include "base/common.h"
#include "contact/pair.h"

enum { FLX_OUTLINE_BLOCK = 16 }; // cells per ball

typedef struct flx_outline {
    int n;                 // cells
    double (*cells)[2][6]; // coefficients of x and y
    int nblock;
    double (*balls)[3]; // centre and radius round each block of cells
    bool closed;        // the last cell ends where the first begins
    bool smooth;        // ... and with the same direction
    double side;
    double size; // of the box round it
    int up;      // axis of the surface that y is: 1, or 2 of profiles in space
} flx_outline;

// rows (n + 1): x, y and their first and second derivatives by the parameter, whose step is h. Profiles go on straight
// beyond their ends. NULL: no memory.
flx_outline *flx_outline_make(flx_arena *arena, int n, double h, double (*rows)[6], double side,
                              bool profile, int up);

// A place of the curve, with derivatives by u.
typedef struct flx_outline_place {
    double c[2], d[2], dd[2];
} flx_outline_place;
flx_outline_place flx_outline_at(const flx_outline *o, int cell, double u);

// Where the distance from a point, or the height along a direction, is least.
typedef struct flx_outline_probe {
    bool direction;
    double x[2];
} flx_outline_probe;

typedef struct flx_outline_foot {
    double c[2], out[2]; // place, and the direction away from the body
    double value;        // distance from the curve, negative in the body; or height
    double k; // curvature, positive where the body is convex; HUGE_VAL: an end or a corner
} flx_outline_foot;

enum { FLX_OUTLINE_FEET = 8 };

// Local minima, the least first; those of a point that are much farther than the nearest (by `window`) may be left out.
// At least one.
int flx_outline_feet(const flx_outline *o, const flx_outline_probe *p, double window,
                     flx_outline_foot feet[FLX_OUTLINE_FEET]);

// The plane of a surface that is a curve, in ground axes.
typedef struct flx_sheet {
    const flx_outline *o;
    v3 origin, x, y, across;
    double skin;
} flx_sheet;

flx_sheet flx_sheet_of(const flx_surface *s, const flx_frame *f);
static inline v3 flx_sheet_vector(const flx_sheet *c, const double a[2])
{
    return v3_add(v3_scale(a[0], c->x), v3_scale(a[1], c->y));
}
