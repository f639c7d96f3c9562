// surface.h - files of surfaces, for pictures: STL, OBJ and COLLADA.
#pragma once

#include "base/common.h"
#include "flexion/scene.h"

// By its ending: .stl (text or binary), .obj, .dae. The mesh lives in the arena; corners in one place are one
// point. loc: where the file is named.
flx_status flx_surface_read(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                            flx_scene_surface *out);
