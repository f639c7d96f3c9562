// surfaces.h - the surfaces of a scene in a result file: /surfaces/0/points, /surfaces/0/triangles, ...
#pragma once

#include "results/hdf5_values.h"

// false: HDF5 refused.
bool flx_surfaces_put(hid_t file, int n, const flx_scene_surface *surfaces);
// What is damaged is left out: it has no triangles. FLX_ERR_MEMORY.
flx_status flx_surfaces_read(flx_hdf5_source *s);
