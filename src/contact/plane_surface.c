// plane_surface.c - a plane; the body is behind it.
#include "contact/contact_surface.h"

static bool curvature(const flx_surface *s, double *out)
{
    (void)s;
    *out = 0.0;
    return true;
}

const flx_surface_kind flx_surface_plane = {
    .number = FLX_SURFACE_NUMBER_plane,
    .row = {.key = "plane",
            .form = "vector",
            .doc = "Normal of a plane, outwards, in the body's axes."},
    .value = FLX_SURFACE_NORMAL,
    .open_ended = true,
    .curvature = curvature};
