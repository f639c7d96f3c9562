// shape_kind.c - the kinds of shapes.
#include "model/shape_kind.h"

#include "base/common.h"

#include <math.h>
#include <stddef.h>

static flx_shape_solid solid_box(const double a[3])
{
    return (flx_shape_solid){a[0] * a[1] * a[2],
                             {(a[1] * a[1] + a[2] * a[2]) / 12.0,
                              (a[0] * a[0] + a[2] * a[2]) / 12.0,
                              (a[0] * a[0] + a[1] * a[1]) / 12.0}};
}

static flx_shape_solid solid_sphere(const double a[3])
{
    double J = 0.4 * a[0] * a[0];
    return (flx_shape_solid){4.0 / 3.0 * FLX_PI * a[0] * a[0] * a[0], {J, J, J}};
}

static flx_shape_solid solid_cylinder(const double a[3])
{
    double across = (3.0 * a[0] * a[0] + a[1] * a[1]) / 12.0;
    return (flx_shape_solid){FLX_PI * a[0] * a[0] * a[1], {across, across, 0.5 * a[0] * a[0]}};
}

// A cylinder of this length, and half a ball at each end.
static flx_shape_solid solid_capsule(const double a[3])
{
    double r = a[0], l = a[1], round = 4.0 / 3.0 * FLX_PI * r * r * r,
           straight = FLX_PI * r * r * l, volume = round + straight;
    if (!(volume > 0.0)) return (flx_shape_solid){0};
    double mr = round / volume, ms = straight / volume;
    double across =
        ms * (3.0 * r * r + l * l) / 12.0 + mr * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r);
    return (flx_shape_solid){volume, {across, across, ms * 0.5 * r * r + mr * 0.4 * r * r}};
}

const flx_shape_kind flx_shape_box = {.row = {.key = "box",
                                              .form = "number | [number;2..3]@2 | [number;3]@3",
                                              .unit = "m",
                                              .doc = "Lengths of the edges."},
                                      .form = FLX_SHAPE_OF_EDGES,
                                      .rotates = true,
                                      .wide = 1,
                                      .solid = solid_box};

const flx_shape_kind flx_shape_cylinder = {
    .row = {.key = "cylinder", .form = "{round}", .doc = "Cylinder."},
    .form = FLX_SHAPE_OF_ROUND,
    .wide = 2,
    .solid = solid_cylinder};

const flx_shape_kind flx_shape_capsule = {
    .row = {.key = "capsule", .form = "{round}", .doc = "Cylinder with round ends."},
    .form = FLX_SHAPE_OF_ROUND,
    .wide = 2,
    .solid = solid_capsule};

const flx_shape_kind flx_shape_sphere = {
    .row = {.key = "sphere", .form = "number", .unit = "m", .doc = "Radius of a sphere."},
    .form = FLX_SHAPE_OF_RADIUS,
    .wide = 2,
    .solid = solid_sphere};

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
