// nodes_surface.c - nodes of a body that deforms, each a small sphere of its own.
#include "contact/contact_surface.h"

const flx_surface_kind flx_surface_nodes = {
    .number = FLX_SURFACE_NUMBER_nodes,
    .row = {.key = "nodes",
            .form = "bool | [name;1..]",
            .doc = "Of beams, solids and flexible bodies: every node touches by itself, as a "
                   "sphere whose radius is `round`. `true`: all of them, of a solid those on its "
                   "surface; a list: of a solid those of these sets of faces."},
    .value = FLX_SURFACE_NODES};
