// shape_kind.c - the kinds of shapes.
#include "model/shape_kind.h"

#include <math.h>
#include <stddef.h>

const flx_shape_kind flx_shape_box = {.row = {.key = "box",
                                              .form = "number | [number;2..3]@2 | [number;3]@3",
                                              .unit = "m",
                                              .doc = "Lengths of the edges."},
                                      .form = FLX_SHAPE_OF_EDGES,
                                      .rotates = true,
                                      .wide = 1};

const flx_shape_kind flx_shape_cylinder = {
    .row = {.key = "cylinder", .form = "{round}", .doc = "Cylinder."},
    .form = FLX_SHAPE_OF_ROUND,
    .wide = 2};

const flx_shape_kind flx_shape_capsule = {
    .row = {.key = "capsule", .form = "{round}", .doc = "Cylinder with round ends."},
    .form = FLX_SHAPE_OF_ROUND,
    .wide = 2};

const flx_shape_kind flx_shape_sphere = {
    .row = {.key = "sphere", .form = "number", .unit = "m", .doc = "Radius of a sphere."},
    .form = FLX_SHAPE_OF_RADIUS,
    .wide = 2};

const flx_shape_kind flx_shape_mesh = {
    .row = {.key = "mesh",
            .form = "file",
            .doc = "Surface of a file: STL (.stl, text or binary), OBJ (.obj) or COLLADA (.dae)."},
    .form = FLX_SHAPE_OF_FILE,
    .rotates = true,
    .wide = 1};

#define X(name) &flx_shape_##name,
static const flx_shape_kind *const kinds[] = {FLX_SHAPE_KINDS(X) NULL};
#undef X

const flx_shape_kind *flx_shape_get_kind(int i)
{
    return kinds[i];
}

const flx_key_row *flx_shape_row(int i)
{
    return kinds[i] ? &kinds[i]->row : NULL;
}

double flx_shape_extent(const flx_shape *s)
{
    return fmax(s->kind->wide * s->size[0], fmax(s->size[1], s->size[2]));
}
