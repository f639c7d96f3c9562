// meshes.h - meshes of flexible bodies in a result file: groups /meshes/0, /meshes/1, ... (docs/dev/scene.md).
#pragma once

#include "results/hdf5_values.h"

// false: HDF5 refused.
bool flx_meshes_put(hid_t file, int n, const flx_result_mesh *meshes);
// Those of the file; what is damaged is left out.
flx_status flx_meshes_read(flx_hdf5_source *s);
