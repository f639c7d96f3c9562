// scene_file.h - the scene in a result file: the group /scene, whose tables are those of flexion/scene.h (docs/dev/scene.md).
#pragma once

#include "results/hdf5_values.h"

// false: HDF5 refused, or there is no memory.
bool flx_scene_put(flx_ctx *ctx, hid_t file, const flx_scene *s);
// The scene, in the arena of the result, whose motion, meshes and surfaces were read before: numbers that do not fit them are
// left out. NULL: the file has none. FLX_ERR_MEMORY.
flx_status flx_scene_take(flx_hdf5_source *s, const flx_scene **out);
