// sphere_surface.c - a sphere, or a point.
#include "contact/contact_surface.h"

const flx_surface_kind flx_surface_sphere = {.row = {.key = "sphere",
                                                     .form = "number",
                                                     .unit = "m",
                                                     .doc = "Radius of a sphere; 0: a point."},
                                             .value = FLX_SURFACE_RADIUS};
