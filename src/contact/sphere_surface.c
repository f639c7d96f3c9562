// sphere_surface.c - a sphere, or a point.
#include "contact/convex/polytope.h"

static void bounds(const flx_surface *s, const flx_frame *f, double low[3], double high[3])
{
    v3 c = flx_surface_place(s, f);
    double r = s->size[0] + s->skin;
    v3_store(low, v3_sub(c, v3_make(r, r, r)));
    v3_store(high, v3_add(c, v3_make(r, r, r)));
}

// A point, and its radius is a skin.
static double core(const flx_surface *s, flx_polytope_room *room)
{
    double r = s->size[0] + s->skin;
    room->p = (flx_polytope){.nvertex = 1, .vertices = room->numbers, .size = 2.0 * r};
    for (int i = 0; i < 3; i++) room->numbers[i] = 0.0;
    return r;
}

static bool curvature(const flx_surface *s, double *out)
{
    double r = s->size[0] + s->skin;
    *out = 1.0 / r;
    return r > 0.0;
}

const flx_surface_kind flx_surface_sphere = {.number = FLX_SURFACE_NUMBER_sphere,
                                             .row = {.key = "sphere",
                                                     .form = "number",
                                                     .unit = "m",
                                                     .doc = "Radius of a sphere; 0: a point."},
                                             .value = FLX_SURFACE_RADIUS,
                                             .bounds = bounds,
                                             .core = core,
                                             .curvature = curvature,
                                             .touches_lines = true,
                                             .touches_faces = true};
