// line_surface.c - the line of a beam of large deformation with a radius: all that is nearer to it.
#include "contact/contact_surface.h"

const flx_surface_kind flx_surface_line = {
    .number = FLX_SURFACE_NUMBER_line,
    .row = {.key = "line",
            .form = "bool",
            .doc = "Of a large-deformation beam: its line with the radius of the section, or that "
                   "of `round`. With spheres, capsules and other lines it touches anywhere, with "
                   "other surfaces by its nodes."},
    .value = FLX_SURFACE_LINE};
