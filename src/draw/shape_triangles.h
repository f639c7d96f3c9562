// shape_triangles.h - shapes as triangles.
#pragma once

#include "draw/scene_places.h"

typedef struct flx_triangles {
    flx_ctx *ctx;
    int npoint, ntriangle;
    double *points; // (npoint, 3) owned
    int *triangles; // (ntriangle, 3) owned; counter-clockwise from outside
    int point_capacity, triangle_capacity;
} flx_triangles;

void flx_triangles_clear(flx_triangles *s);
flx_status flx_triangles_add_point(flx_triangles *s, v3 p);
flx_status flx_triangles_add_triangle(flx_triangles *s, int a, int b, int c);
// A shape in the frame of its body. size: of the scene; what is thinner is drawn a little thicker.
flx_status flx_triangles_add_shape(flx_triangles *s, const flx_result *r,
                                   const flx_scene_shape *shape, double size);
// A section swept along n places, x along the line: a circle, or a rectangle.
flx_status flx_triangles_sweep(flx_triangles *s, int n, const flx_scene_place *places, bool round,
                               const double size[2]);
// A box about a place, its edges along the columns of R.
flx_status flx_triangles_add_box(flx_triangles *s, v3 at, m33 R, const double edges[3]);
// A cone from a disc, at, to a point; radius, length > 0.
flx_status flx_triangles_add_cone(flx_triangles *s, v3 at, v3 axis, double radius, double length);
// A cylinder about an axis; round: its ends are half balls. radius, length > 0.
flx_status flx_triangles_add_round(flx_triangles *s, v3 at, v3 axis, double radius, double length,
                                   bool round);
