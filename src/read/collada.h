// collada.h - the triangles of a COLLADA file (.dae), for pictures.
#pragma once

#include "base/common.h"
#include "flexion/scene.h"

// The geometries that its scene shows, each as often as it does, in metres; axes are those of the file, as programs for
// robots take them: up_axis turns nothing. Polygons become fans. file: interned. Without triangles: ntriangle 0.
flx_status flx_collada_read(flx_ctx *ctx, flx_arena *arena, const char *file, const char *text,
                            size_t length, flx_scene_surface *out);
