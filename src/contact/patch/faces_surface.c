// faces_surface.c - faces of a solid of large deformation: what touches them between their nodes, too.
#include "contact/contact_surface.h"

const flx_surface_kind flx_surface_faces = {
    .number = FLX_SURFACE_NUMBER_faces,
    .row = {.key = "faces",
            .form = "bool | [name;1..]",
            .doc = "Of solids: spheres, and nodes of other faces, touch these faces anywhere; "
                   "other surfaces touch their nodes. `round` is the thickness round them. `true`: "
                   "all of the surface; a list: these sets of faces."},
    .value = FLX_SURFACE_FACES};
