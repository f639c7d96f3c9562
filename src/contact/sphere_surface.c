// sphere_surface.c - a sphere, or a point.
#include "contact/pair.h"

static void bounds(const flx_surface *s, const flx_frame *f, double low[3], double high[3])
{
    v3 c = flx_surface_place(s, f);
    double r = s->size[0] + s->skin;
    v3_store(low, v3_sub(c, v3_make(r, r, r)));
    v3_store(high, v3_add(c, v3_make(r, r, r)));
}

const flx_surface_kind flx_surface_sphere = {.number = FLX_SURFACE_NUMBER_sphere,
                                             .row = {.key = "sphere",
                                                     .form = "number",
                                                     .unit = "m",
                                                     .doc = "Radius of a sphere; 0: a point."},
                                             .value = FLX_SURFACE_RADIUS,
                                             .bounds = bounds};
